//! Move generation. A move is legal if the own king cannot be captured after it, facing kings
//! included. Most moves are proved legal in bulk: unless the side is in check, only moves of
//! *suspects* (pieces whose leaving or moving along a line could open an attack) and moves onto
//! *screen* squares (where the piece would become the mount of a cannon) are tested one by one.

use crate::game::{Game, MoveList, Side};
use crate::xiangqi::attacks::{self, LINES};
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;

/// The dangers to the own king.
struct KingView {
    in_check: bool,
    /// Own pieces that must be tested move by move.
    suspects: Bitboard,
    /// Squares that no own piece but the king may enter.
    screens: Bitboard,
    /// In check: the squares to which a piece that is neither king nor [mount](Self::mounts) may go
    /// to help, if at all.
    evasions: Bitboard,
    /// In check by a cannon: the piece it checks across, which helps by leaving the line.
    mounts: Bitboard,
}

impl KingView {
    const SAFE: Self = Self {
        in_check: false,
        suspects: Bitboard::EMPTY,
        screens: Bitboard::EMPTY,
        evasions: Bitboard::EMPTY,
        mounts: Bitboard::EMPTY,
    };
}

impl Position {
    /// Returns true if the side to move is in check.
    #[must_use]
    #[inline]
    pub fn in_check(&self) -> bool {
        self.is_attacked_king(self.turn())
    }

    /// Returns true if the king of `side` is attacked.
    #[must_use]
    #[inline]
    pub fn is_attacked_king(&self, side: Side) -> bool {
        let king = self.king(side);
        let theirs = self.side(!side);
        let horses = self.role(Role::Horse) & theirs;
        let pawns = self.role(Role::Pawn) & theirs;
        self.is_attacked_along_lines(king, !side)
            || attacks::pawn_attackers(!side, king).meets(pawns)
            || attacks::horse_zone(king).origins.meets(horses)
                && attacks::horse_attackers(king, self.occupied()).meets(horses)
    }

    /// Returns true if a rook, a cannon or the king of `by` attacks a king on this square.
    #[inline]
    fn is_attacked_along_lines(&self, king: Square, by: Side) -> bool {
        let rooks = self.pieces(by, Role::Rook);
        let cannons = self.pieces(by, Role::Cannon);
        let other = self.king(by);
        let sliders = rooks.with(other) | cannons;
        if !sliders.meets(LINES[king.index()]) {
            return false;
        }
        let sight = attacks::rook_attacks(king, self.occupancy());
        sight.meets(rooks)
            || attacks::cannon_attacks(king, self.occupancy()).meets(cannons)
            || other.file() == king.file() && sight.has(other)
    }

    /// The pieces of `by` that attack `square` (as a capture: a king only on its palace steps).
    #[must_use]
    pub fn attackers(&self, by: Side, square: Square) -> Bitboard {
        let occupied = self.occupied();
        let rook = attacks::rook_attacks(square, self.occupancy());
        let cannon = attacks::cannon_attacks(square, self.occupancy());
        let hits = rook & self.role(Role::Rook)
            | cannon & self.role(Role::Cannon)
            | attacks::horse_attackers(square, occupied) & self.role(Role::Horse)
            | attacks::pawn_attackers(by, square) & self.role(Role::Pawn)
            | attacks::king_attacks(square) & self.role(Role::King)
            | attacks::advisor_attacks(square) & self.role(Role::Advisor)
            | attacks::elephant_attacks(square, occupied) & self.role(Role::Elephant);
        hits & self.side(by)
    }

    /// The pieces of the side not to move that attack the king of the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.attackers(!self.turn(), self.king(self.turn()))
    }

    /// The pseudo-legal targets of the piece on `from` (own pieces excluded, king safety ignored).
    #[must_use]
    #[inline]
    pub fn pseudo_targets(&self, from: Square, piece: Piece) -> Bitboard {
        let own = self.side(piece.side());
        let occupied = self.occupied();
        match piece.role() {
            Role::King => attacks::king_attacks(from) - own,
            Role::Rook => attacks::rook_attacks(from, self.occupancy()) - own,
            Role::Horse => attacks::horse_attacks(from, occupied) - own,
            Role::Cannon => {
                let quiet = attacks::rook_attacks(from, self.occupancy()) - occupied;
                quiet | (attacks::cannon_attacks(from, self.occupancy()) - own)
            }
            Role::Pawn => attacks::pawn_attacks(piece.side(), from) - own,
            Role::Advisor => attacks::advisor_attacks(from) - own,
            Role::Elephant => attacks::elephant_attacks(from, occupied) - own,
        }
    }

    /// Returns true if `mv` moves a piece of the side to move as such pieces move, king safety ignored.
    #[must_use]
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        self.piece_at(mv.from()).is_some_and(|piece| {
            piece.side() == self.turn() && self.pseudo_targets(mv.from(), piece).has(mv.to())
        })
    }

    /// Returns true if a pseudo-legal move leaves the own king safe.
    #[must_use]
    #[inline]
    pub fn is_safe(&self, mv: Move) -> bool {
        !self.is_king_attacked_after(self.turn(), mv)
    }

    /// Returns true if a legal move gives check.
    #[must_use]
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        self.may_check(mv) && self.is_king_attacked_after(!self.turn(), mv)
    }

    /// Returns true if a pseudo-legal move touches a square that a check can depend on; most do
    /// not. Either the piece itself comes to bear on the king, or one of a rook's or cannon's line
    /// to it changes, or a horse's leg is freed.
    #[inline]
    fn may_check(&self, mv: Move) -> bool {
        let from = mv.from();
        let to = mv.to();
        let king = self.king(!self.turn());
        let own = self.side(self.turn());
        let lines = LINES[king.index()];
        let sliders = (self.role(Role::Rook) | self.role(Role::Cannon)) & own;
        if lines.has(to) || lines.has(from) {
            let is_pawn = || self.role(Role::Pawn).has(from);
            if sliders.has(from) || sliders.meets(lines) || is_pawn() {
                return true;
            }
        }
        let horses = self.role(Role::Horse) & own;
        let near = attacks::horse_zone(king);
        horses.has(from) && near.origins.has(to)
            || near.legs.has(from) && horses.meets(near.origins)
    }

    /// Calls `sink` with each piece of the side to move and its legal targets within `mask`, in
    /// square order.
    #[inline]
    pub fn for_each_legal(&self, mask: Bitboard, sink: impl FnMut(Square, Bitboard)) {
        self.for_each_legal_within(|_, _| mask, sink);
    }

    /// [`for_each_legal`](Self::for_each_legal) with a mask for each piece; pieces with an empty one are left out.
    #[inline]
    pub(crate) fn for_each_legal_within(
        &self,
        mask: impl Fn(Square, Piece) -> Bitboard,
        mut sink: impl FnMut(Square, Bitboard),
    ) {
        let view = self.king_view();
        for from in self.side(self.turn()) {
            let Some(piece) = self.piece_at(from) else { continue };
            let mask = mask(from, piece);
            if mask.is_empty() {
                continue;
            }
            let mut targets = self.pseudo_targets(from, piece) & mask;
            // A mount is exempt: it may end the check of a cannon by going away, to any square.
            if view.in_check && piece.role() != Role::King && !view.mounts.has(from) {
                targets &= view.evasions;
            }
            // Only these moves can leave the king attacked; all others are legal if they keep off the
            // screens. Most positions test a handful of moves or none.
            if view.in_check || piece.role() == Role::King || view.suspects.has(from) {
                for to in targets {
                    if !self.is_safe(Move::new(from, to)) {
                        targets = targets.without(to);
                    }
                }
            } else {
                // A piece that steps between a cannon and the king, with nothing else between, makes itself
                // the screen.
                targets = targets - view.screens;
            }
            sink(from, targets);
        }
    }

    /// Appends all legal captures.
    pub fn append_captures(&self, moves: &mut MoveList<Move>) {
        let theirs = self.side(!self.turn());
        // Most pieces stand near none of them.
        let mask = |from, piece| attacks::widest_attacks(piece, from) & theirs;
        self.for_each_legal_within(mask, |from, targets| {
            for to in targets {
                moves.push(Move::new(from, to));
            }
        });
    }

    /// Appends all legal moves that capture nothing.
    pub fn append_quiets(&self, moves: &mut MoveList<Move>) {
        self.append_legal_within(!self.occupied(), moves);
    }

    pub(crate) fn append_legal_within(&self, mask: Bitboard, moves: &mut MoveList<Move>) {
        self.for_each_legal(mask, |from, targets| {
            for to in targets {
                moves.push(Move::new(from, to));
            }
        });
    }

    /// Returns true if the side to move has a legal move; it loses if not, in check or not.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        self.side(self.turn()).into_iter().any(|from| {
            self.piece_at(from).is_some_and(|piece| {
                let targets = self.pseudo_targets(from, piece);
                targets.into_iter().any(|to| self.is_safe(Move::new(from, to)))
            })
        })
    }

    /// The number of legal moves, by the processor's instruction that counts bits.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    pub(crate) fn count_by_instruction(&self) -> u64 {
        self.count_targets(Bitboard::count_ones)
    }

    #[inline]
    pub(crate) fn count_targets(&self, len: impl Fn(Bitboard) -> u32) -> u64 {
        let mut count = 0;
        self.for_each_legal(Bitboard::FULL, |_, targets| count += u64::from(len(targets)));
        count
    }

    /// Returns true if the side to move, which must not be in check, has no legal move. Quick where
    /// a rook, cannon or pawn off the lines of its king can step ahead or aside, as nearly always.
    #[must_use]
    #[inline]
    pub fn is_stalemated(&self) -> bool {
        !self.has_free_step() && !self.has_legal_move()
    }

    /// Returns true if a rook, cannon or pawn has a step that cannot open an attack on the own
    /// king, for neither end of it is on a line of that king or beside it.
    #[inline]
    fn has_free_step(&self) -> bool {
        let us = self.turn();
        let king = self.king(self.turn());
        // A piece off these squares neither shields the king nor blocks a leg, and arriving off them makes
        // no screen: its move cannot expose the king.
        let exposed = LINES[king.index()] | attacks::horse_zone(king).legs;
        let own = self.side(us) - exposed;
        let free = !self.occupied() - exposed;
        let sliders = (self.role(Role::Rook) | self.role(Role::Cannon)) & own;
        sliders.beside().meets(free) || (self.role(Role::Pawn) & own).ahead(us).meets(free)
    }

    fn king_view(&self) -> KingView {
        let us = self.turn();
        let them = !self.turn();
        let king = self.king(us);
        let mut view = KingView::SAFE;
        self.view_lines(king, them, &mut view);
        let horses = self.pieces(them, Role::Horse);
        if horses.meets(attacks::horse_zone(king).origins) {
            for &(leg, from) in &attacks::horse_hops_to(king).by {
                if !horses.meets(from) {
                    continue;
                }
                if self.occupancy().has(leg) {
                    view.suspects = view.suspects.with(leg);
                } else {
                    view.in_check = true;
                    view.evasions |= (horses & from).with(leg);
                }
            }
        }
        let pawns = attacks::pawn_attackers(them, king) & self.pieces(them, Role::Pawn);
        view.in_check |= !pawns.is_empty();
        view.evasions |= pawns;
        view
    }

    fn view_lines(&self, king: Square, them: Side, view: &mut KingView) {
        let sliders = LINES[king.index()] & self.side(them);
        let occupied = self.occupied();
        // Facing kings attack each other like rooks on a file. On a rank the kings never meet, for they are
        // in different palaces.
        let rooks = self.role(Role::Rook) | Bitboard::of(self.king(them));
        for slider in sliders & (rooks | self.role(Role::Cannon)) {
            let gap = attacks::between(king, slider);
            let men = gap & occupied;
            match (rooks.has(slider), men.len()) {
                (true, 0) | (false, 1) => {
                    view.in_check = true;
                    view.evasions |= gap.with(slider);
                    view.mounts |= men;
                }
                // One piece fewer and a rook attacks, or a cannon has its screen: none of these may go
                // without a look.
                (true, 1) | (false, 2) => view.suspects |= men,
                (false, 0) => view.screens |= gap,
                _ => {}
            }
        }
    }

    /// Returns true if the king of `victim` is attacked after a move of either side, which must be pseudo-legal but for
    /// a king's safety.
    #[inline]
    pub(crate) fn is_king_attacked_after(&self, victim: Side, mv: Move) -> bool {
        let after = AfterMove::new(self, victim, mv);
        after.is_attacked_along_lines()
            || attacks::pawn_attackers(!victim, after.king).meets(after.attackers(Role::Pawn))
            || after.is_attacked_by_horses()
    }
}

/// The pieces around a king after a move.
struct AfterMove<'a> {
    before: &'a Position,
    king: Square,
    /// The attackers that stand where they stood before.
    theirs: Bitboard,
    /// The attacker that the move brought elsewhere, and its square.
    moved: Option<(Role, Square)>,
    mv: Move,
}

impl<'a> AfterMove<'a> {
    #[inline]
    fn new(before: &'a Position, victim: Side, mv: Move) -> Self {
        let king = before.king(victim);
        let theirs = before.side(!victim);
        let from = mv.from();
        let to = mv.to();
        let king = if from == king { to } else { king };
        // The move is either of the attackers, one of whose pieces then stands elsewhere, or of the
        // victim, whose capture takes one of them away.
        if theirs.has(from) {
            let moved = before.piece_at(from).map(|piece| (piece.role(), to));
            Self { before, king, theirs: theirs.without(from), moved, mv }
        } else {
            Self { before, king, theirs: theirs.without(to), moved: None, mv }
        }
    }

    /// The attackers of a role.
    #[inline]
    fn attackers(&self, role: Role) -> Bitboard {
        let staying = self.before.role(role) & self.theirs;
        match self.moved {
            Some((moved, to)) if moved == role => staying.with(to),
            _ => staying,
        }
    }

    /// The attackers that bear on files and ranks: rooks, cannons and the other king.
    #[inline]
    fn sliders(&self) -> Bitboard {
        let before = self.before;
        let roles = before.role(Role::Rook) | before.role(Role::Cannon) | before.role(Role::King);
        let staying = roles & self.theirs;
        match self.moved {
            Some((Role::Rook | Role::Cannon | Role::King, to)) => staying.with(to),
            _ => staying,
        }
    }

    /// The occupied squares of the king's rank and of its file, as bits.
    #[inline]
    fn occupied_lines(&self) -> [u16; 2] {
        let king = self.king;
        let mut rank_bits = self.before.occupancy().rank(king.rank());
        let mut file_bits = self.before.occupancy().file(king.file());
        let from = self.mv.from();
        let to = self.mv.to();
        if from.rank() == king.rank() {
            rank_bits &= !(1 << from.file());
        }
        if to.rank() == king.rank() {
            rank_bits |= 1 << to.file();
        }
        if from.file() == king.file() {
            file_bits &= !(1 << from.rank());
        }
        if to.file() == king.file() {
            file_bits |= 1 << to.rank();
        }
        [rank_bits, file_bits]
    }

    /// Returns true if a rook, a cannon or the other king attacks the king.
    #[inline]
    fn is_attacked_along_lines(&self) -> bool {
        let king = self.king;
        if !self.sliders().meets(LINES[king.index()]) {
            return false;
        }
        let [rank_bits, file_bits] = self.occupied_lines();
        let along_rank = attacks::rank_reach(king.file(), rank_bits);
        let along_file = attacks::file_reach(king.rank(), file_bits);
        let on_file = attacks::on_file(king.file(), along_file.rook);
        (attacks::on_rank(king.rank(), along_rank.rook) | on_file).meets(self.attackers(Role::Rook))
            || (attacks::on_rank(king.rank(), along_rank.cannon)
                | attacks::on_file(king.file(), along_file.cannon))
            .meets(self.attackers(Role::Cannon))
            || on_file.meets(self.attackers(Role::King))
    }

    #[inline]
    fn is_attacked_by_horses(&self) -> bool {
        let horses = self.attackers(Role::Horse);
        let hops = &attacks::horse_hops_to(self.king).by;
        horses.meets(attacks::horse_zone(self.king).origins)
            && hops.iter().any(|&(leg, from)| horses.meets(from) && self.is_empty(leg))
    }

    #[inline]
    fn is_empty(&self, square: Square) -> bool {
        let was_empty = !self.before.occupancy().has(square);
        square != self.mv.to() && (square == self.mv.from() || was_empty)
    }
}
