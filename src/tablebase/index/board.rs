//! A light board for the generator: the squares of few pieces, their digits, and the moves and
//! un-moves between slots. The verifier uses [`Position`](crate::xiangqi::Position) instead.

use crate::game::Side;
use crate::tablebase::index::numbering::{Digits, Index, Mover, NONE, Squares};
use crate::xiangqi::{
    Bitboard, Occupancy, Role, Square, advisor_attacks, between, cannon_attacks, elephant_attacks,
    horse_attackers, horse_attacks, king_attacks, pawn_attackers, pawn_attacks, rook_attacks,
};

/// The placement of a slot, whoever is to move. Going from slot to slot in order is cheap: only the
/// last group changes within a row.
#[derive(Debug)]
pub(crate) struct SlotBoard<'a> {
    index: &'a Index,
    slot: u32,
    is_possible: bool,
    row: SlotRow,
    digits: Digits,
    squares: Squares,
    occupied: Bitboard,
    sides: [Bitboard; 2],
}

/// Slots that differ in the digit of the last group only.
#[derive(Debug)]
struct SlotRow {
    first: u32,
    len: u32,
    is_possible: bool,
    /// The second side's pieces without the last group.
    second: Bitboard,
    /// See [`Index::mirror_worth`].
    mirror_worth: u32,
}

/// The dangers to a king, as in the move generator of positions: unless it is in check, only moves
/// of suspects and moves onto screens need a test of their own.
#[derive(Debug)]
pub(crate) struct KingView {
    pub(crate) in_check: bool,
    suspects: Bitboard,
    screens: Bitboard,
}

/// The direction of a move: made or undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoveDirection {
    On,
    Back,
}

impl<'a> SlotBoard<'a> {
    /// Stands on no slot yet.
    pub(crate) fn nowhere(index: &'a Index) -> Self {
        let row = SlotRow {
            first: 0,
            len: 0,
            is_possible: false,
            second: Bitboard::EMPTY,
            mirror_worth: 0,
        };
        Self {
            index,
            slot: NONE,
            is_possible: false,
            row,
            digits: Digits::new(),
            squares: Squares::new(),
            occupied: Bitboard::EMPTY,
            sides: [Bitboard::EMPTY; 2],
        }
    }

    /// The placement of a slot; `None` if it can never arise with either side to move.
    pub(crate) fn new(index: &'a Index, slot: u32) -> Option<Self> {
        let mut board = Self::nowhere(index);
        board.seek(slot).then_some(board)
    }

    /// Goes to a slot; returns true if its placement can arise: without overlap, facing kings or
    /// doubled pawns.
    #[inline]
    pub(crate) fn seek(&mut self, slot: u32) -> bool {
        if slot == self.slot {
            return self.is_possible;
        }
        // One comparison for both ends: below the row the difference wraps to a large number.
        if slot.wrapping_sub(self.row.first) >= self.row.len {
            self.seek_row(slot);
        }
        self.slot = slot;
        let last = self.index.groups.len() - 1;
        let group = &self.index.groups[last];
        let digit = self.index.unfolded(last, slot - self.row.first);
        self.digits[last] = digit;
        let mut men = Bitboard::EMPTY;
        for (square, &to) in self.squares[group.men.clone()].iter_mut().zip(group.placement(digit))
        {
            *square = to;
            men = men.with(to);
        }
        let others = self.sides[0] | self.row.second;
        self.sides[1] = self.row.second | men;
        self.occupied = others | men;
        self.is_possible = self.row.is_possible
            && !others.meets(men)
            && group.is_possible(digit)
            && !self.kings_face();
        self.is_possible
    }

    #[cold]
    fn seek_row(&mut self, slot: u32) {
        let index = self.index;
        self.digits = index.digits(slot);
        self.squares = index.squares(&self.digits);
        let last = index.groups.len() - 1;
        // Within a row only the last group changes: everything else is kept.
        self.row.len = index.groups[last - 1].stride;
        self.row.first = slot - slot % self.row.len;
        let fixed = &self.squares[..index.groups[last].men.start];
        let (first, second) = fixed.split_at(index.first_men);
        self.sides[0] = first.iter().copied().collect();
        self.row.second = second.iter().copied().collect();
        let men = self.sides[0] | self.row.second;
        let groups = index.groups[..last].iter().zip(&self.digits);
        self.row.is_possible = men.len() as usize == fixed.len()
            && groups.into_iter().all(|(group, &digit)| group.is_possible(digit));
        self.row.mirror_worth = index.mirror_worth(&self.digits, last);
    }

    fn kings_face(&self) -> bool {
        let red = self.squares[0];
        let black = self.squares[self.index.first_men];
        red.file() == black.file() && !between(red, black).meets(self.occupied)
    }

    /// The squares of the pieces, in the order of the index.
    pub(crate) fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Returns true if the king of `victim`, on the square `king`, is attacked with these squares
    /// occupied; a piece on `taken` is gone.
    #[inline]
    fn is_king_attacked(
        &self,
        victim: Side,
        king: Square,
        occupied: Bitboard,
        taken: Option<Square>,
    ) -> bool {
        let bare = self.squares[self.index.king(!victim)];
        if bare.file() == king.file() && !between(bare, king).meets(occupied) {
            return true;
        }
        self.index.attackers_of(!victim).any(|man| {
            let square = self.squares[man];
            if Some(square) == taken {
                return false;
            }
            let in_line = square.file() == king.file() || square.rank() == king.rank();
            match self.index.men[man].piece.role() {
                Role::Rook => in_line && !between(square, king).meets(occupied),
                Role::Cannon => in_line && (between(square, king) & occupied).len() == 1,
                Role::Horse => horse_attackers(king, occupied).has(square),
                Role::Pawn => pawn_attackers(!victim, king).has(square),
                Role::King | Role::Advisor | Role::Elephant => false,
            }
        })
    }

    pub(crate) fn king_view(&self, side: Side) -> KingView {
        let king = self.squares[self.index.king(side)];
        let mut view =
            KingView { in_check: false, suspects: Bitboard::EMPTY, screens: Bitboard::EMPTY };
        let bare = self.squares[self.index.king(!side)];
        if bare.file() == king.file() {
            self.view_line(king, bare, 0, &mut view);
        }
        for man in self.index.attackers_of(!side) {
            let square = self.squares[man];
            let in_line = square.file() == king.file() || square.rank() == king.rank();
            match self.index.men[man].piece.role() {
                Role::Rook if in_line => self.view_line(king, square, 0, &mut view),
                Role::Cannon if in_line => self.view_line(king, square, 1, &mut view),
                Role::Horse => self.view_horse(king, square, &mut view),
                Role::Pawn => view.in_check |= pawn_attackers(!side, king).has(square),
                _ => {}
            }
        }
        view
    }

    /// A piece that attacks along a line over exactly `mounts` pieces.
    #[inline]
    fn view_line(&self, king: Square, square: Square, mounts: u32, view: &mut KingView) {
        let gap = between(king, square);
        let men = gap & self.occupied;
        // With one piece too many each of them uncovers the attack when it leaves; with too few any piece
        // that comes between may complete it.
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
            // Its leg is one of the pieces around the king; testing a few more is harmless.
            view.suspects |= self.occupied;
        }
    }

    /// Returns true if a pseudo-legal move leaves the own king safe.
    #[inline]
    fn is_safe(&self, side: Side, man: usize, to: Square) -> bool {
        let king_man = self.index.king(side);
        let king = if man == king_man { to } else { self.squares[king_man] };
        // The captured piece is left out by its square: it still stands in the list.
        let occupied = self.occupied.without(self.squares[man]).with(to);
        !self.is_king_attacked(side, king, occupied, Some(to))
    }

    #[inline]
    fn pseudo_targets(&self, side: Side, man: usize) -> Bitboard {
        let from = self.squares[man];
        let own = self.sides[side.index()];
        match self.index.men[man].piece.role() {
            Role::King => king_attacks(from) - own,
            Role::Rook => rook_attacks(from, &Occupancy::new(self.occupied)) - own,
            Role::Horse => horse_attacks(from, self.occupied) - own,
            Role::Cannon => {
                let quiet = rook_attacks(from, &Occupancy::new(self.occupied)) - self.occupied;
                quiet | (cannon_attacks(from, &Occupancy::new(self.occupied)) - own)
            }
            Role::Pawn => pawn_attacks(side, from) - own,
            Role::Advisor => advisor_attacks(from) - own,
            Role::Elephant => elephant_attacks(from, self.occupied) - own,
        }
    }

    /// Number of legal quiet moves.
    pub(crate) fn count_quiet(&self, side: Side, view: &KingView) -> u32 {
        self.index.men_of(side).map(|man| self.count_quiet_of(side, view, man)).sum()
    }

    /// Returns true if there is any legal quiet move.
    pub(crate) fn has_quiet(&self, side: Side, view: &KingView) -> bool {
        self.index.men_of(side).rev().any(|man| self.count_quiet_of(side, view, man) > 0)
    }

    #[inline]
    fn count_quiet_of(&self, side: Side, view: &KingView, man: usize) -> u32 {
        if self.is_delicate(view, self.index.king(side), man) {
            let targets = self.pseudo_targets(side, man) - self.occupied;
            targets.into_iter().filter(|&to| self.is_safe(side, man, to)).count() as u32
        } else if view.screens.is_empty() && self.is_line_piece(man) {
            free_ways(self.occupied, self.squares[man]).into_iter().map(|(_, free)| free).sum()
        } else {
            (self.pseudo_targets(side, man) - self.occupied - view.screens).len()
        }
    }

    /// Returns true if each move of the piece must be tested for leaving the king in check.
    #[inline]
    fn is_delicate(&self, view: &KingView, king: usize, man: usize) -> bool {
        view.in_check || man == king || view.suspects.has(self.squares[man])
    }

    #[inline]
    fn is_line_piece(&self, man: usize) -> bool {
        matches!(self.index.men[man].piece.role(), Role::Rook | Role::Cannon)
    }

    /// The pieces, of `victims`, that a piece could capture.
    #[inline]
    fn attacked(&self, side: Side, man: usize, victims: Bitboard) -> Bitboard {
        let from = self.squares[man];
        match self.index.men[man].piece.role() {
            Role::King => king_attacks(from) & victims,
            Role::Rook => self.in_line_over(from, victims, 0),
            Role::Cannon => self.in_line_over(from, victims, 1),
            Role::Horse => horse_attacks(from, self.occupied) & victims,
            Role::Pawn => pawn_attacks(side, from) & victims,
            Role::Advisor => advisor_attacks(from) & victims,
            Role::Elephant => elephant_attacks(from, self.occupied) & victims,
        }
    }

    /// The pieces, of `victims`, in line with a square and with this number of pieces between.
    #[inline]
    fn in_line_over(&self, from: Square, victims: Bitboard, mounts: u32) -> Bitboard {
        // The victims are looked at one by one, not the ways of the piece square by square: there are few victims.
        victims
            .into_iter()
            .filter(|to: &Square| from.file() == to.file() || from.rank() == to.rank())
            .filter(|to: &Square| (between(from, *to) & self.occupied).len() == mounts)
            .collect()
    }

    /// Calls `sink` with each legal capture: the piece, its target and the captured piece.
    #[inline]
    pub(crate) fn for_each_capture(
        &self,
        side: Side,
        view: &KingView,
        mut sink: impl FnMut(usize, Square, usize),
    ) {
        let king = self.index.king(side);
        let other_king = self.index.king(!side);
        let victims = self.sides[(!side).index()].without(self.squares[other_king]);
        for man in self.index.men_of(side) {
            for to in self.attacked(side, man, victims) {
                let is_legal = if self.is_delicate(view, king, man) {
                    self.is_safe(side, man, to)
                } else {
                    !view.screens.has(to)
                };
                let taken = self.index.men_of(!side).find(|&taken| self.squares[taken] == to);
                if let (true, Some(taken)) = (is_legal, taken) {
                    sink(man, to, taken);
                }
            }
        }
    }

    /// The slots that quiet pseudo-legal moves of `side` lead to, those that leave the king
    /// attacked included (their slots are illegal). Stops and returns `false` once `visit` does.
    #[inline]
    pub(crate) fn successors(&self, side: Side, mut visit: impl FnMut(u32) -> bool) -> bool {
        for man in self.index.men_of(side) {
            let number = self.index.men[man].group;
            let group = &self.index.groups[number];
            let digit = self.digits[number];
            let mover = group.mover(digit, man - group.men.start);
            let go_on = if self.index.is_symmetric() {
                self.for_each_quiet(side, man, MoveDirection::On, |to| {
                    let digits = self.with_digit(number, mover.digit(to));
                    visit(self.index.slot(&self.index.swapped(&digits)))
                })
            } else if number == self.index.fold_group() {
                let (base, image_base) = self.fold_bases();
                self.for_each_quiet(side, man, MoveDirection::On, |to| {
                    let [worth, image] = self.index.fold_worth(mover.digit(to));
                    visit(if worth == NONE { image_base + image } else { base + worth })
                })
            } else {
                self.for_each_plain(side, man, MoveDirection::On, &mut visit)
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    /// The slots from which a quiet move of `side` leads to this one, each as often as it has such
    /// moves. Some of them may be illegal.
    #[inline]
    pub(crate) fn predecessors(&self, side: Side, mut visit: impl FnMut(u32)) {
        let lone = self.index.is_self_mirrored(&self.digits);
        for man in self.index.men_of(side) {
            let number = self.index.men[man].group;
            let group = &self.index.groups[number];
            let digit = self.digits[number];
            let mover = group.mover(digit, man - group.men.start);
            if self.index.is_symmetric() {
                self.for_each_quiet(side, man, MoveDirection::Back, |from| {
                    let digits = self.with_digit(number, mover.digit(from));
                    self.visit_images(lone, &self.index.swapped(&digits), &mut visit);
                    true
                });
            } else if number == self.index.fold_group() {
                let (base, image_base) = self.fold_bases();
                self.for_each_quiet(side, man, MoveDirection::Back, |from| {
                    // As in `visit_images`.
                    let [worth, image] = self.index.fold_worth(mover.digit(from));
                    if worth != NONE {
                        visit(base + worth);
                    }
                    if image != NONE && !lone {
                        visit(image_base + image);
                    }
                    true
                });
            } else {
                self.for_each_plain(side, man, MoveDirection::Back, |before| {
                    visit(before);
                    true
                });
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

    /// The slot, and that of the mirror image, without the share of the fold group.
    #[inline]
    fn fold_bases(&self) -> (u32, u32) {
        let index = self.index;
        let fold = index.fold_group();
        let last = index.groups.len() - 1;
        let base = self.slot - index.fold_worth(self.digits[fold])[0];
        let image_base = if fold == last {
            self.row.mirror_worth
        } else {
            self.row.mirror_worth + index.groups[last].mirror(self.digits[last])
        };
        (base, image_base)
    }

    /// Calls `visit` with the slot for each free square that the piece reaches, or may have come
    /// from; stops as soon as `visit` returns `false`, and returns that. Neither is the piece's
    /// group the fold group nor the material symmetric.
    #[inline]
    fn for_each_plain(
        &self,
        side: Side,
        man: usize,
        way: MoveDirection,
        mut visit: impl FnMut(u32) -> bool,
    ) -> bool {
        let number = self.index.men[man].group;
        let group = &self.index.groups[number];
        let digit = self.digits[number];
        let mover = group.mover(digit, man - group.men.start);
        if let Mover::Lone(digits) = mover
            && self.is_line_piece(man)
        {
            // The digit changes alike with each step of a way.
            let square = self.squares[man];
            for (step, free) in free_ways(self.occupied, square) {
                if free == 0 {
                    continue;
                }
                let next = digits[square.index().wrapping_add_signed(step)];
                // The step may be negative: modulo 2^32 the sums are right.
                let step = next.wrapping_sub(digit).wrapping_mul(group.stride);
                let mut slot = self.slot;
                for _ in 0..free {
                    slot = slot.wrapping_add(step);
                    if !visit(slot) {
                        return false;
                    }
                }
            }
            return true;
        }
        let base = self.slot - digit * group.stride;
        self.for_each_quiet(side, man, way, |to| visit(base + mover.digit(to) * group.stride))
    }

    /// Calls `visit` with each free square that the piece reaches, or may have come from, whether
    /// the king is safe then or not; stops as soon as `visit` returns `false`, and returns that.
    #[inline]
    fn for_each_quiet(
        &self,
        side: Side,
        man: usize,
        way: MoveDirection,
        mut visit: impl FnMut(Square) -> bool,
    ) -> bool {
        let square = self.squares[man];
        let squares = match (self.index.men[man].piece.role(), way) {
            (Role::Rook | Role::Cannon, _) => {
                for (step, free) in free_ways(self.occupied, square) {
                    let mut at = square.index();
                    for _ in 0..free {
                        at = at.wrapping_add_signed(step);
                        if !visit(Square::from_index(at)) {
                            return false;
                        }
                    }
                }
                return true;
            }
            (Role::King, _) => king_attacks(square),
            (Role::Advisor, _) => advisor_attacks(square),
            (Role::Elephant, _) => elephant_attacks(square, self.occupied),
            (Role::Horse, MoveDirection::On) => horse_attacks(square, self.occupied),
            (Role::Horse, MoveDirection::Back) => horse_attackers(square, self.occupied),
            (Role::Pawn, MoveDirection::On) => pawn_attacks(side, square),
            // Where a pawn of the side can never have stood there is no slot to come from.
            (Role::Pawn, MoveDirection::Back) => {
                pawn_attackers(side, square) & Bitboard::pawn_squares(side)
            }
        };
        (squares - self.occupied).into_iter().all(visit)
    }

    fn with_digit(&self, group: usize, digit: u32) -> Digits {
        let mut digits = self.digits.clone();
        digits[group] = digit;
        digits
    }

    /// The digit of the piece's group with the piece on another square.
    #[inline]
    pub(crate) fn digit_after(&self, man: usize, to: Square) -> u32 {
        let number = self.index.men[man].group;
        let group = &self.index.groups[number];
        group.mover(self.digits[number], man - group.men.start).digit(to)
    }

    /// The digits of the groups.
    pub(crate) fn digits(&self) -> &Digits {
        &self.digits
    }
}

/// The free squares from a square on: a step for each way, and their number.
#[inline]
fn free_ways(occupied: Bitboard, square: Square) -> [(isize, u32); 4] {
    let file = u32::from(square.file());
    let rank = u32::from(square.rank());
    let in_rank = (occupied.bits() >> (9 * rank)) as u32 & 0x1ff;
    let in_file = file_bits(occupied.bits() >> file);
    let (left, right) = free_around(in_rank, file, 9);
    let (down, up) = free_around(in_file, rank, 10);
    [(-1, left), (1, right), (-9, down), (9, up)]
}

/// Clear bits below and above bit `at` of `len`, up to the next that is set.
#[inline]
const fn free_around(bits: u32, at: u32, len: u32) -> (u32, u32) {
    let below = bits & ((1 << at) - 1);
    // A bit beyond the edge ends the count there.
    let above = bits >> (at + 1) | 1 << (len - 1 - at);
    // Of 32 bits those from `at` on are clear: what is left of the leading zeros are the free squares
    // below.
    (at + below.leading_zeros() - 32, above.trailing_zeros())
}

/// The ten bits of file a, gathered by multiplication: no two products fall on one bit.
#[inline]
const fn file_bits(board: u128) -> u32 {
    // Rank k is bit 9k: times 2^(54 - 8k) it becomes bit 54 + k. Ranks 7 to 9 are gathered likewise, from bit
    // 18 on.
    const FILE: u64 = 0x0040_2010_0804_0201;
    const GATHER: u64 = 1 << 54 | 1 << 46 | 1 << 38 | 1 << 30 | 1 << 22 | 1 << 14 | 1 << 6;
    let low = (board as u64 & FILE).wrapping_mul(GATHER) >> 54 & 0x7f;
    let high = ((board >> 63) as u64 & FILE & 0x7_ffff).wrapping_mul(1 << 18 | 1 << 10 | 1 << 2);
    (low | (high >> 18 & 7) << 7) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn free_ways_are_what_a_rook_reaches(bits: u128, more: u128, square in 0usize..90) {
            let square = Square::from_index(square);
            let occupied = Bitboard::from_bits(bits & more).with(square);
            let mut reached = Bitboard::EMPTY;
            for (step, free) in free_ways(occupied, square) {
                let mut at = square.index();
                for _ in 0..free {
                    at = at.wrapping_add_signed(step);
                    reached = reached.with(Square::from_index(at));
                }
            }
            let attacks = rook_attacks(square, &Occupancy::new(occupied));
            prop_assert_eq!(reached, attacks - occupied);
        }
    }
}
