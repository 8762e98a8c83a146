//! A legal position: its board, keys and clocks, moves made on it and taken back.

use crate::game::{BySide, Game, MoveList, Outcome, Side};
use crate::hash::xiangqi::KEYS;
use crate::hash::{Key, KeyTable};
use crate::xiangqi::attacks;
use crate::xiangqi::bitboard::{Bitboard, Occupancy};
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::setup::{Setup, SetupError, SetupErrors};
use crate::xiangqi::square::Square;

/// A legal position: the board and the side to move, validated once. Everything here relies on
/// that.
///
/// ```
/// use juzhong::game::{Game, MoveList};
/// use juzhong::xiangqi::{Move, Position};
///
/// let mut position = Position::start();
/// let mut moves = MoveList::new();
/// position.legal_moves(&mut moves);
/// assert_eq!(moves.len(), 44);
///
/// // In place, for a search: made and taken back.
/// let cannon = Move::parse("h2e2").unwrap();
/// let undo = position.make(cannon);
/// position.unmake(cannon, undo);
/// assert_eq!(position, Position::start());
///
/// // The position after a move that may be illegal.
/// let after = position.play(cannon)?;
/// assert_eq!(after.to_fen(), "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 0 1");
/// # Ok::<(), juzhong::game::IllegalMove<Move>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    board: [Option<Piece>; 90],
    sides: [Bitboard; 2],
    roles: [Bitboard; 7],
    occupancy: Occupancy,
    kings: [Square; 2],
    turn: Side,
    key: u64,
    material_key: u64,
}

/// A move: from one square to another. 14 bits.
///
/// ```
/// use juzhong::xiangqi::{Move, Square};
///
/// let mv = Move::parse("h2e2").unwrap();
/// assert_eq!(Some(mv.from()), Square::parse("h2"));
/// assert_eq!(Move::parse("H2-E2"), Some(mv));
/// assert_eq!(mv.mirrored().to_string(), "b2e2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// A move from one square to another.
    #[must_use]
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self((from.index() as u16) << 7 | to.index() as u16)
    }

    /// The square that the piece leaves.
    #[must_use]
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index((self.0 >> 7) as usize)
    }

    /// The square that the piece goes to.
    #[must_use]
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 & 0x7f) as usize)
    }

    /// The mirror image left to right.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self::new(self.from().mirrored(), self.to().mirrored())
    }

    /// Reads `h2e2`, either case, also with a hyphen as in `H2-E2` (ICCS). `None` where from and
    /// to are equal.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = match text.len() {
            4 => (text.get(..2)?, text.get(2..)?),
            5 if text.as_bytes()[2] == b'-' => (text.get(..2)?, text.get(3..)?),
            _ => return None,
        };
        let from = Square::parse(from)?;
        let to = Square::parse(to)?;
        (from != to).then(|| Self::new(from, to))
    }

    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    pub(crate) fn from_bits(bits: u16) -> Option<Self> {
        let from = Square::new(u8::try_from(bits >> 7).ok()?)?;
        let to = Square::new((bits & 0x7f) as u8)?;
        (from != to).then(|| Self::new(from, to))
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from(), self.to())
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The changes of a move, for undoing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undo {
    captured: Option<Piece>,
    key: u64,
    material_key: u64,
}

impl Undo {
    /// The captured piece.
    #[must_use]
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Position {
    /// Validates a setup.
    ///
    /// # Errors
    ///
    /// Every reason why the setup is not a legal position.
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupErrors> {
        let mut errors = setup.placement_errors();
        let (Some(red), Some(black)) =
            (king_square(setup, Side::First), king_square(setup, Side::Second))
        else {
            return Err(SetupErrors(errors));
        };
        let position = Self::assemble(setup, [red, black]);
        let facing =
            red.file() == black.file() && !attacks::between(red, black).meets(position.occupied());
        if facing {
            errors.push(SetupError::KingsFacing);
        // Facing kings attack each other too; the reason given is the one that a reader can see.
        } else if position.is_attacked_king(!setup.turn) {
            errors.push(SetupError::OpponentInCheck);
        }
        if errors.is_empty() { Ok(position) } else { Err(SetupErrors(errors)) }
    }

    /// The position of a setup known to be legal (placements of an endgame table, say).
    ///
    /// # Panics
    ///
    /// In debug builds if a king is missing. Later functions give wrong answers, but stay in
    /// bounds, if the setup is illegal otherwise.
    #[must_use]
    pub fn from_setup_unchecked(setup: &Setup) -> Self {
        let mut kings = [Square::at(4, 0), Square::at(4, 9)];
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()]
                && piece.role() == Role::King
            {
                kings[piece.side().index()] = square;
            }
        }
        Self::assemble(setup, kings)
    }

    fn assemble(setup: &Setup, kings: [Square; 2]) -> Self {
        let mut position = Self {
            board: [None; 90],
            sides: [Bitboard::EMPTY; 2],
            roles: [Bitboard::EMPTY; 7],
            occupancy: Occupancy::default(),
            kings,
            turn: setup.turn,
            key: if setup.turn == Side::Second { KEYS.black_to_move } else { 0 },
            material_key: 0,
        };
        for (square, &piece) in Square::all().zip(&setup.board) {
            if let Some(piece) = piece {
                // Before the piece is put down: its word is chosen by how many of its kind stand there
                // already.
                position.material_key ^= position.material_word(piece);
                position.put(piece, square);
            }
        }
        position
    }

    /// The setup of this position, counters `0 1`.
    #[must_use]
    pub fn to_setup(&self) -> Setup {
        Setup { board: self.board, turn: self.turn, halfmove_clock: 0, fullmoves: 1 }
    }

    /// The piece on a square.
    #[must_use]
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// All pieces.
    #[must_use]
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        self.sides[0].or(self.sides[1])
    }

    /// All pieces by line.
    #[must_use]
    #[inline]
    pub const fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// All pieces of a side.
    #[must_use]
    #[inline]
    pub const fn side(&self, side: Side) -> Bitboard {
        self.sides[side.index()]
    }

    /// All pieces of a role, both sides.
    #[must_use]
    #[inline]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    /// The pieces of a side and role.
    #[must_use]
    #[inline]
    pub const fn pieces(&self, side: Side, role: Role) -> Bitboard {
        self.sides[side.index()].and(self.roles[role.index()])
    }

    /// The square of a side's king.
    #[must_use]
    #[inline]
    pub const fn king(&self, side: Side) -> Square {
        self.kings[side.index()]
    }

    /// The [key](Game::key) after a pseudo-legal move.
    #[must_use]
    #[inline]
    pub const fn key_after(&self, mv: Move) -> Key {
        let from = mv.from().index();
        let to = mv.to().index();
        let mut key = self.key ^ KEYS.black_to_move;
        if let Some(piece) = self.board[from] {
            let keys = &KEYS.piece_square[piece.index()];
            key ^= keys[from] ^ keys[to];
        }
        if let Some(taken) = self.board[to] {
            key ^= KEYS.piece_square[taken.index()][to];
        }
        Key(key)
    }

    /// A key of the material alone, under the stored table; the same for every position with these
    /// pieces, whoever is to move.
    #[must_use]
    #[inline]
    pub const fn material_key(&self) -> Key {
        Key(self.material_key)
    }

    /// Number of pieces of each role that a side has.
    #[must_use]
    pub fn material(&self) -> BySide<[u8; 7]> {
        BySide::new_with(|side| Role::ALL.map(|role| self.pieces(side, role).len() as u8))
    }

    /// The key of this position, or of its mirror image, under any table of the stored layout.
    /// Words missing from a short table count as 0.
    #[must_use]
    pub(crate) fn key_with(&self, table: &KeyTable, mirrored: bool) -> Key {
        let words = table.words();
        let mut key = match self.turn {
            Side::First => 0,
            Side::Second => word_at(words, crate::hash::xiangqi::BLACK_TO_MOVE),
        };
        for square in self.occupied() {
            if let Some(piece) = self.board[square.index()] {
                let square = if mirrored { square.mirrored() } else { square };
                key ^= word_at(words, piece.index() * 90 + square.index());
            }
        }
        Key(key)
    }

    /// The stored-table key of the mirror image.
    #[must_use]
    pub(crate) fn mirrored_key(&self) -> Key {
        let mut key = if self.turn == Side::Second { KEYS.black_to_move } else { 0 };
        for square in self.occupied() {
            if let Some(piece) = self.board[square.index()] {
                key ^= KEYS.piece_square[piece.index()][square.mirrored().index()];
            }
        }
        Key(key)
    }

    /// Gives the turn to the other side, for null-move search; not from a check.
    pub fn pass(&mut self) -> Undo {
        let undo = Undo { captured: None, key: self.key, material_key: self.material_key };
        self.turn = !self.turn;
        self.key ^= KEYS.black_to_move;
        undo
    }

    /// Undoes [`pass`](Self::pass).
    pub fn unpass(&mut self, undo: Undo) {
        self.turn = !self.turn;
        self.key = undo.key;
    }

    /// Sets pieces down elsewhere, all at once: each `(piece, from, to)` of them is lifted from its
    /// square before any is set down. For going through the placements of an endgame table: a
    /// fraction of the cost of a position made anew.
    ///
    /// Each piece must stand on its `from`, and each `to` be free by then. As with
    /// [`from_setup_unchecked`](Self::from_setup_unchecked), it is for the caller to know that the
    /// outcome is legal, or to ask.
    pub fn rearrange(&mut self, men: &[(Piece, Square, Square)]) {
        // In two rounds, because a piece may be set down where another of them stood.
        for &(piece, from, _) in men {
            debug_assert_eq!(self.board[from.index()], Some(piece), "no such man there");
            self.take(piece, from);
        }
        for &(piece, _, to) in men {
            debug_assert_eq!(self.board[to.index()], None, "the square is taken");
            self.put(piece, to);
            if piece.role() == Role::King {
                self.kings[piece.side().index()] = to;
            }
        }
    }

    /// The word that one further `piece` adds to the material key, given those on the board.
    #[inline]
    fn material_word(&self, piece: Piece) -> u64 {
        let count = self.pieces(piece.side(), piece.role()).len() as usize;
        // A setup that is no position may have more pieces of a kind than there are words.
        KEYS.material[piece.index()].get(count).copied().unwrap_or(0)
    }

    #[inline]
    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        let both = Bitboard::of(from) | Bitboard::of(to);
        self.board[from.index()] = None;
        self.board[to.index()] = Some(piece);
        self.sides[piece.side().index()] ^= both;
        self.roles[piece.role().index()] ^= both;
        self.occupancy.toggle(from);
        self.occupancy.toggle(to);
        let keys = &KEYS.piece_square[piece.index()];
        self.key ^= keys[from.index()] ^ keys[to.index()];
        if piece.role() == Role::King {
            self.kings[piece.side().index()] = to;
        }
    }

    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        self.board[square.index()] = Some(piece);
        self.toggle(piece, square);
    }

    #[inline]
    fn take(&mut self, piece: Piece, square: Square) {
        self.board[square.index()] = None;
        self.toggle(piece, square);
    }

    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        self.sides[piece.side().index()] ^= Bitboard::of(square);
        self.roles[piece.role().index()] ^= Bitboard::of(square);
        self.occupancy.toggle(square);
        self.key ^= KEYS.piece_square[piece.index()][square.index()];
    }
}

/// A word of a key table; 0 beyond its end.
fn word_at(words: &[u64], i: usize) -> u64 {
    words.get(i).copied().unwrap_or(0)
}

/// The first square, in their order, with the king of a side.
fn king_square(setup: &Setup, side: Side) -> Option<Square> {
    let king = Some(Piece::new(side, Role::King));
    Square::all().find(|s| setup.board[s.index()] == king)
}

impl Game for Position {
    type Move = Move;
    type Undo = Undo;

    const NAME: &'static str = "xiangqi";
    const BLACK: Side = Side::Second;

    #[inline]
    fn turn(&self) -> Side {
        self.turn
    }

    #[inline]
    fn key(&self) -> Key {
        Key(self.key)
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        self.append_legal_within(Bitboard::FULL, moves);
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.is_pseudo_legal(mv) && self.is_safe(mv)
    }

    /// A move that is pseudo-legal can be made too, to be judged and taken back.
    #[inline]
    fn make(&mut self, mv: Move) -> Undo {
        let from = mv.from();
        let to = mv.to();
        let captured = self.board[to.index()];
        let undo = Undo { captured, key: self.key, material_key: self.material_key };
        if let Some(taken) = captured {
            self.take(taken, to);
            // After the piece is gone: the count is then what it was when this piece was added, and the
            // word the same.
            self.material_key ^= self.material_word(taken);
        }
        if let Some(piece) = self.board[from.index()] {
            self.shift(piece, from, to);
        }
        self.turn = !self.turn;
        self.key ^= KEYS.black_to_move;
        undo
    }

    #[inline]
    fn unmake(&mut self, mv: Move, undo: Undo) {
        let from = mv.from();
        let to = mv.to();
        if let Some(piece) = self.board[to.index()] {
            self.shift(piece, to, from);
        }
        if let Some(taken) = undo.captured {
            self.put(taken, to);
        }
        self.turn = !self.turn;
        // Whatever `shift` and `put` have made of the key is replaced by what it was.
        self.key = undo.key;
        self.material_key = undo.material_key;
    }

    /// Mate and stalemate alike: the side without a legal move loses.
    fn outcome(&self) -> Option<Outcome> {
        (!self.has_legal_move()).then(|| Outcome::Win(!self.turn))
    }

    fn count_legal_moves(&self) -> u64 {
        // Counting squares is a fifth of this where the processor's instruction for it is not used.
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            #[expect(unsafe_code, reason = "the instruction is there: it was just looked for")]
            // SAFETY: the processor has the one feature that the function needs.
            return unsafe { self.count_by_instruction() };
        }
        self.count_targets(Bitboard::len)
    }
}
