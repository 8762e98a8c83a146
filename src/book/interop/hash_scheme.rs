//! The hash schemes of the formats: a format's hash of positions, reduced to one word for each piece on each
//! square.

use std::sync::LazyLock;

use crate::book::interop::words::{Words, words_of};
use crate::book::interop::{BookFormat, eleeye, moonriver, obk, polyglot};
use crate::game::{Game, Side};
use crate::hash::KeyTable;
use crate::hash::xiangqi::{BLACK_TO_MOVE, KEYS};
use crate::xiangqi::{Move, Piece, Position, Square};

/// A position's hash in a format.
#[derive(Debug)]
pub(crate) struct Scheme {
    words: Box<Words>,
    /// By side to move.
    side: [u64; 2],
    /// Lowest bits that the file does not have.
    hidden_bits: u32,
    /// Positions with Black to move are turned round and the colours exchanged.
    turns: bool,
    /// Rows stand for positions after the move.
    after: bool,
}

/// The form in which a position was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    mirrored: bool,
    turned: bool,
}

impl Frame {
    /// The position itself.
    pub(crate) const PLAIN: Self = Self { mirrored: false, turned: false };

    /// A move of the frame as it is played in the position, and the reverse.
    pub(crate) const fn map(self, mv: Move) -> Move {
        let mv = if self.mirrored { mv.mirrored() } else { mv };
        if self.turned { turned(mv) } else { mv }
    }
}

/// The move on the board turned round.
pub(crate) const fn turned(mv: Move) -> Move {
    const fn turn(square: Square) -> Square {
        Square::at(8 - square.file(), 9 - square.rank())
    }
    Move::new(turn(mv.from()), turn(mv.to()))
}

/// The piece of the other colour.
pub(crate) const fn other_colour(piece: Piece) -> Piece {
    Piece::ALL[(piece.index() + 7) % 14]
}

impl Scheme {
    /// The hash of a format.
    pub(crate) fn new(format: BookFormat) -> Self {
        let plain = |words, side| Self { words, side, hidden_bits: 0, turns: false, after: false };
        match format {
            BookFormat::Obk | BookFormat::PfBook => plain(obk::words(), obk::SIDE),
            BookFormat::Xqb => Self { turns: true, ..plain(Box::new(KEYS.piece_square), [0; 2]) },
            BookFormat::ElephantEye => {
                Self { hidden_bits: 32, ..plain(eleeye::words(), eleeye::side()) }
            }
            BookFormat::MoonRiver => {
                Self { after: true, ..plain(moonriver::words(), moonriver::SIDE) }
            }
            BookFormat::Polyglot => plain(polyglot::words(), polyglot::SIDE),
        }
    }

    /// The hash of the program's own books.
    pub(crate) fn own(table: Option<&KeyTable>) -> Self {
        let word = |i: usize| table.map_or(0, |t| t.words().get(i).copied().unwrap_or(0));
        let (words, black) = match table {
            None => (Box::new(KEYS.piece_square), KEYS.black_to_move),
            Some(_) => (
                words_of(|piece, square| word(piece.index() * 90 + square.index())),
                word(BLACK_TO_MOVE),
            ),
        };
        Self { words, side: [0, black], hidden_bits: 0, turns: false, after: false }
    }

    /// Returns true if rows stand for positions after the move.
    pub(crate) const fn is_after(&self) -> bool {
        self.after
    }

    /// Returns true if other positions often have the same key.
    pub(crate) const fn is_short(&self) -> bool {
        self.hidden_bits > 0
    }

    /// The key of a position or its mirror image with all its bits.
    pub(crate) fn full_key(&self, position: &Position, mirrored: bool) -> u64 {
        let turned = self.turns && position.turn() == Side::Second;
        let mut key = self.side[position.turn().index()];
        for square in position.occupied() {
            let Some(piece) = position.piece_at(square) else { continue };
            let square = if mirrored { square.mirrored() } else { square };
            key ^= if turned {
                self.words[other_colour(piece).index()][89 - square.index()]
            } else {
                self.words[piece.index()][square.index()]
            };
        }
        key
    }

    /// The keys of a position and its mirror image with all their bits.
    pub(crate) fn full_keys(&self, position: &Position) -> [u64; 2] {
        [false, true].map(|mirrored| self.full_key(position, mirrored))
    }

    /// The keys as the file has them after a move, from [`full_keys`](Self::full_keys) before it.
    pub(crate) fn keys_after(
        &self,
        position: &mut Position,
        before: [u64; 2],
        mv: Move,
    ) -> [u64; 2] {
        if self.turns {
            let undo = position.make(mv);
            let keys = self.full_keys(position);
            position.unmake(mv, undo);
            return keys.map(|key| key >> self.hidden_bits);
        }
        let mut keys = before.map(|key| key ^ self.side[0] ^ self.side[1]);
        for (key, mirrored) in keys.iter_mut().zip([false, true]) {
            let word = |piece: Option<Piece>, square: Square| {
                let square = if mirrored { square.mirrored() } else { square };
                piece.map_or(0, |piece| self.words[piece.index()][square.index()])
            };
            let moved = position.piece_at(mv.from());
            let taken = position.piece_at(mv.to());
            *key ^= word(moved, mv.from()) ^ word(moved, mv.to()) ^ word(taken, mv.to());
        }
        keys.map(|key| key >> self.hidden_bits)
    }

    /// The key as the file has it.
    pub(crate) fn key(&self, position: &Position, mirrored: bool) -> u64 {
        self.full_key(position, mirrored) >> self.hidden_bits
    }

    /// The forms of a position that such keys stand for, as [`keys`](Self::keys) has them: for schemes that do
    /// not turn positions round.
    pub(crate) fn framed([plain, mirror]: [u64; 2]) -> [Option<(u64, Frame)>; 2] {
        let frame = |mirrored| Frame { mirrored, turned: false };
        [Some((plain, frame(false))), (plain != mirror).then(|| (mirror, frame(true)))]
    }

    /// The keys of a position and its mirror image and the frames of their moves; one only if the position is
    /// its own mirror image.
    pub(crate) fn keys(&self, position: &Position) -> [Option<(u64, Frame)>; 2] {
        let turned = self.turns && position.turn() == Side::Second;
        let plain = self.full_key(position, false);
        let mirror = self.full_key(position, true);
        let key = |key: u64, mirrored| (key >> self.hidden_bits, Frame { mirrored, turned });
        [Some(key(plain, false)), (plain != mirror).then(|| key(mirror, true))]
    }
}

/// The schemes are built once.
pub(crate) fn scheme(format: BookFormat) -> &'static Scheme {
    static SCHEMES: LazyLock<Vec<Scheme>> =
        LazyLock::new(|| BookFormat::ALL.into_iter().map(Scheme::new).collect());
    &SCHEMES[format as usize]
}
