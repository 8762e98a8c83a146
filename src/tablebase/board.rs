//! A light board for the generator: the squares of few men, their digits, and the moves and
//! un-moves between slots. The verifier uses [`Position`](crate::xiangqi::Position) instead.

use super::index::{Digits, Index, Squares};
use crate::game::Side;
use crate::xiangqi::{
    Bitboard, Occupancy, Role, Square, advisor_attacks, between, cannon_attacks, elephant_attacks,
    horse_attackers, horse_attacks, king_attacks, pawn_attackers, pawn_attacks, rook_attacks,
};

/// A placement without overlap, facing kings or doubled pawns, whoever is to move.
#[derive(Debug)]
pub(super) struct Board<'a> {
    index: &'a Index,
    digits: Digits,
    squares: Squares,
    occupied: Bitboard,
    lines: Occupancy,
    sides: [Bitboard; 2],
}

/// What a king has to fear, as in the move generator of positions: unless it is in check, only
/// moves of suspects and moves onto screens need a test of their own.
#[derive(Debug)]
pub(super) struct KingView {
    pub(super) in_check: bool,
    suspects: Bitboard,
    screens: Bitboard,
}

impl<'a> Board<'a> {
    /// The placement of a slot; `None` if it can never arise with either side to move.
    pub(super) fn new(index: &'a Index, slot: u32) -> Option<Self> {
        let digits = index.digits(slot);
        let squares = index.squares(&digits);
        let mut sides = [Bitboard::EMPTY; 2];
        for (man, &square) in squares.iter().enumerate() {
            let side = usize::from(man >= index.first_men);
            sides[side] = sides[side].with(square);
        }
        let occupied = sides[0] | sides[1];
        if occupied.len() as usize != squares.len() || !index.is_possible(&digits) {
            return None;
        }
        let (red, black) = (squares[0], squares[index.first_men]);
        if red.file() == black.file() && !between(red, black).meets(occupied) {
            return None;
        }
        let lines = Occupancy::new(occupied);
        Some(Self { index, digits, squares, occupied, lines, sides })
    }

    /// The squares of the men, in the order of the index.
    pub(super) fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Whether a side's king is attacked.
    pub(super) fn is_attacked(&self, victim: Side) -> bool {
        let king = self.squares[self.index.king(victim)];
        self.is_king_attacked(victim, king, self.occupied, None)
    }

    /// Whether the king of `victim`, standing on `king`, is attacked with these squares occupied;
    /// a man on `taken` is gone.
    #[inline]
    fn is_king_attacked(
        &self,
        victim: Side,
        king: Square,
        occupied: Bitboard,
        taken: Option<Square>,
    ) -> bool {
        self.index.men_of(!victim).any(|man| {
            let square = self.squares[man];
            if Some(square) == taken {
                return false;
            }
            let in_line = square.file() == king.file() || square.rank() == king.rank();
            match self.index.men[man].piece.role() {
                Role::King => {
                    square.file() == king.file() && !between(square, king).meets(occupied)
                }
                Role::Rook => in_line && !between(square, king).meets(occupied),
                Role::Cannon => in_line && (between(square, king) & occupied).len() == 1,
                Role::Horse => horse_attackers(king, occupied).has(square),
                Role::Pawn => pawn_attackers(!victim, king).has(square),
                Role::Advisor | Role::Elephant => false,
            }
        })
    }

    pub(super) fn king_view(&self, side: Side) -> KingView {
        let king = self.squares[self.index.king(side)];
        let mut view =
            KingView { in_check: false, suspects: Bitboard::EMPTY, screens: Bitboard::EMPTY };
        for man in self.index.men_of(!side) {
            let square = self.squares[man];
            let same_file = square.file() == king.file();
            let in_line = same_file || square.rank() == king.rank();
            match self.index.men[man].piece.role() {
                Role::King if same_file => self.view_line(king, square, 0, &mut view),
                Role::Rook if in_line => self.view_line(king, square, 0, &mut view),
                Role::Cannon if in_line => self.view_line(king, square, 1, &mut view),
                Role::Horse => self.view_horse(king, square, &mut view),
                Role::Pawn => view.in_check |= pawn_attackers(!side, king).has(square),
                _ => {}
            }
        }
        view
    }

    /// A man that attacks along a line over exactly `mounts` men.
    #[inline]
    fn view_line(&self, king: Square, square: Square, mounts: u32, view: &mut KingView) {
        let gap = between(king, square);
        let men = gap & self.occupied;
        if men.len() == mounts {
            view.in_check = true;
        } else if men.len() == mounts + 1 {
            view.suspects |= men;
        } else if men.len() < mounts {
            view.screens |= gap;
        }
    }

    fn view_horse(&self, king: Square, square: Square, view: &mut KingView) {
        if horse_attackers(king, self.occupied).has(square) {
            view.in_check = true;
        } else if horse_attackers(king, Bitboard::EMPTY).has(square) {
            // Its leg is one of the men around the king; testing a few more is harmless.
            view.suspects |= self.occupied;
        }
    }

    /// Whether a pseudo-legal move leaves the own king safe.
    #[inline]
    fn is_safe(&self, side: Side, man: usize, to: Square) -> bool {
        let king_man = self.index.king(side);
        let king = if man == king_man { to } else { self.squares[king_man] };
        let occupied = self.occupied.without(self.squares[man]).with(to);
        !self.is_king_attacked(side, king, occupied, Some(to))
    }

    #[inline]
    fn pseudo_targets(&self, side: Side, man: usize) -> Bitboard {
        let from = self.squares[man];
        let own = self.sides[side.index()];
        match self.index.men[man].piece.role() {
            Role::King => king_attacks(from) - own,
            Role::Rook => rook_attacks(from, &self.lines) - own,
            Role::Horse => horse_attacks(from, self.occupied) - own,
            Role::Cannon => {
                let quiet = rook_attacks(from, &self.lines) - self.occupied;
                quiet | (cannon_attacks(from, &self.lines) - own)
            }
            Role::Pawn => pawn_attacks(side, from) - own,
            Role::Advisor => advisor_attacks(from) - own,
            Role::Elephant => elephant_attacks(from, self.occupied) - own,
        }
    }

    /// Calls `sink` with each man of `side` and its legal targets within `mask`.
    #[inline]
    pub(super) fn for_each_legal(
        &self,
        side: Side,
        view: &KingView,
        mask: Bitboard,
        mut sink: impl FnMut(usize, Bitboard),
    ) {
        let king = self.index.king(side);
        for man in self.index.men_of(side) {
            let mut targets = self.pseudo_targets(side, man) & mask;
            if view.in_check || man == king || view.suspects.has(self.squares[man]) {
                for to in targets {
                    if !self.is_safe(side, man, to) {
                        targets = targets.without(to);
                    }
                }
            } else {
                targets = targets - view.screens;
            }
            sink(man, targets);
        }
    }

    /// Calls `sink` with each legal capture: the man, its target and the man taken.
    pub(super) fn for_each_capture(
        &self,
        side: Side,
        view: &KingView,
        mut sink: impl FnMut(usize, Square, usize),
    ) {
        self.for_each_legal(side, view, self.sides[(!side).index()], |man, targets| {
            for to in targets {
                let taken = self.index.men_of(!side).find(|&other| self.squares[other] == to);
                if let Some(taken) = taken {
                    sink(man, to, taken);
                }
            }
        });
    }

    /// The squares that are free.
    pub(super) fn free(&self) -> Bitboard {
        !self.occupied
    }

    /// The slots that quiet pseudo-legal moves of `side` lead to, those that leave the king
    /// attacked included (their slots are illegal). Stops and returns `false` once `visit` does.
    #[inline]
    pub(super) fn successors(
        &self,
        side: Side,
        slot: u32,
        mut visit: impl FnMut(u32) -> bool,
    ) -> bool {
        for man in self.index.men_of(side) {
            let targets = self.pseudo_targets(side, man) - self.occupied;
            let group = self.index.men[man].group;
            for to in targets {
                let Some(digit) = self.digit_after(man, to) else { continue };
                let next = if self.index.is_symmetric() || group == self.index.fold_group() {
                    let digits = self.with_digit(group, digit);
                    self.index.slot(&self.as_seen(digits))
                } else {
                    self.shifted(slot, group, digit)
                };
                if !visit(next) {
                    return false;
                }
            }
        }
        true
    }

    /// The slots from which a quiet move of `side` leads to this one, each as often as it has such
    /// moves. Some of them may be illegal.
    #[inline]
    pub(super) fn predecessors(&self, side: Side, slot: u32, mut visit: impl FnMut(u32)) {
        let lone = self.index.is_self_mirrored(&self.digits);
        for man in self.index.men_of(side) {
            let group = self.index.men[man].group;
            for from in self.quiet_origins(side, man) {
                let Some(digit) = self.digit_after(man, from) else { continue };
                if self.index.is_symmetric() || group == self.index.fold_group() {
                    let before = self.as_seen(self.with_digit(group, digit));
                    self.visit_images(lone, &before, &mut visit);
                } else {
                    visit(self.shifted(slot, group, digit));
                }
            }
        }
    }

    /// A placement before the move and its mirror image, as far as they are stored. Where this
    /// board's mirror image is a slot of its own (`lone`), that slot's own un-moves reach the mirror
    /// images.
    fn visit_images(&self, lone: bool, before: &Digits, visit: &mut impl FnMut(u32)) {
        if self.index.is_stored(before) {
            visit(self.index.slot(before));
        }
        if !lone {
            let mirror = self.index.mirrored(before);
            if self.index.is_stored(&mirror) {
                visit(self.index.slot(&mirror));
            }
        }
    }

    #[inline]
    fn quiet_origins(&self, side: Side, man: usize) -> Bitboard {
        let to = self.squares[man];
        let origins = match self.index.men[man].piece.role() {
            Role::King => king_attacks(to),
            Role::Rook | Role::Cannon => rook_attacks(to, &self.lines),
            Role::Horse => horse_attackers(to, self.occupied),
            Role::Pawn => pawn_attackers(side, to) & Bitboard::pawn_squares(side),
            Role::Advisor => advisor_attacks(to),
            Role::Elephant => elephant_attacks(to, self.occupied),
        };
        origins - self.occupied
    }

    /// The digit of the man's group with the man on another square.
    #[inline]
    fn digit_after(&self, man: usize, to: Square) -> Option<u32> {
        let group = &self.index.groups[self.index.men[man].group];
        if group.men.len() == 1 {
            return group.digit(&[to]);
        }
        let mut squares: Squares = self.squares[group.men.clone()].iter().copied().collect();
        squares[man - group.men.start] = to;
        group.digit(&squares)
    }

    #[inline]
    fn with_digit(&self, group: usize, digit: u32) -> Digits {
        let mut digits = self.digits.clone();
        digits[group] = digit;
        digits
    }

    /// After a move the other side is to move; symmetric materials see it with colours exchanged.
    #[inline]
    fn as_seen(&self, digits: Digits) -> Digits {
        if self.index.is_symmetric() { self.index.swapped(&digits) } else { digits }
    }

    /// The slot with another digit of a group that is not the fold group.
    #[inline]
    fn shifted(&self, slot: u32, group: usize, digit: u32) -> u32 {
        let stride = self.index.groups[group].stride;
        slot.wrapping_add(digit.wrapping_sub(self.digits[group]).wrapping_mul(stride))
    }
}
