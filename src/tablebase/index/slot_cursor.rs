//! Going from slot to slot for the verifier: the position of each, and the slots that its moves
//! lead to. Positions are those of the ordinary rules; only the numbers come from the index.

use arrayvec::ArrayVec;

use crate::game::{Game, Side};
use crate::tablebase::index::numbering::{Digits, Index, MAX_MEN, Squares};
use crate::xiangqi::{Bitboard, Piece, Position, Role, Setup, Square};

/// Visits one slot at a time. Neighbouring slots differ in few pieces, so that going on costs little.
pub(crate) struct SlotCursor<'a> {
    index: &'a Index,
    /// The group of each kind of piece.
    groups: [usize; Piece::COUNT],
    /// The slot visited; `None` before the first step, or where pieces share a square.
    slot: Option<u32>,
    digits: Digits,
    /// `None` until the first placement is reached.
    position: Option<Position>,
    /// The squares of the pieces of `position`.
    squares: Squares,
}

impl<'a> SlotCursor<'a> {
    pub(crate) fn new(index: &'a Index) -> Self {
        let mut groups = [0; Piece::COUNT];
        for man in &index.men {
            groups[man.piece.index()] = man.group;
        }
        let digits = Digits::new();
        let squares = Squares::new();
        Self { index, groups, slot: None, digits, position: None, squares }
    }

    /// Goes to a slot with `side` (of the index) to move, be that legal or not. `false` if pieces share
    /// a square; then the cursor has no slot.
    pub(crate) fn go_to(&mut self, side: Side, slot: u32) -> bool {
        if self.slot != Some(slot) && !self.set_up(slot) {
            self.slot = None;
            return false;
        }
        self.slot = Some(slot);
        if let Some(position) = self.position.as_mut().filter(|p| p.turn() != side) {
            position.pass();
        }
        true
    }

    /// The position gone to.
    pub(crate) fn position(&self) -> Option<&Position> {
        self.position.as_ref().filter(|_| self.slot.is_some())
    }

    fn set_up(&mut self, slot: u32) -> bool {
        self.digits = self.index.digits(slot);
        let squares = self.index.squares(&self.digits);
        let mut occupied = Bitboard::EMPTY;
        for &square in &squares {
            if occupied.has(square) {
                return false;
            }
            occupied = occupied.with(square);
        }
        let men = self.index.men.iter().map(|man| man.piece);
        if let Some(position) = &mut self.position {
            let moved: ArrayVec<(Piece, Square, Square), MAX_MEN> = men
                .zip(self.squares.iter().zip(&squares))
                .filter(|(_, (from, to))| from != to)
                .map(|(piece, (&from, &to))| (piece, from, to))
                .collect();
            position.rearrange(&moved);
        } else {
            let mut setup = Setup::empty();
            for (piece, square) in men.zip(&squares) {
                setup.board[square.index()] = Some(piece);
            }
            self.position = Some(Position::from_setup_unchecked(&setup));
        }
        self.squares = squares;
        true
    }

    /// The slot, for the other side, after the piece `man` has moved from `from` to `to`, a free
    /// square.
    #[inline]
    pub(crate) fn slot_after(&self, man: Piece, from: Square, to: Square) -> Option<u32> {
        let number = self.groups[man.index()];
        let group = &self.index.groups[number];
        let digit = if group.men.len() == 1 {
            group.digit(&[to])?
        } else {
            let squares: Squares = self.squares[group.men.clone()]
                .iter()
                .map(|&square: &Square| if square == from { to } else { square })
                .collect();
            group.digit(&squares)?
        };
        if self.index.is_symmetric() || number == self.index.fold_group() {
            let mut digits = self.digits.clone();
            digits[number] = digit;
            if self.index.is_symmetric() {
                digits = self.index.swapped(&digits);
            }
            return Some(self.index.slot(&digits));
        }
        // The steps may be negative: modulo 2^32 the sum is right.
        let steps = digit.wrapping_sub(self.digits[number]);
        Some(self.slot?.wrapping_add(steps.wrapping_mul(group.stride)))
    }
}

/// One bit for each slot.
#[derive(Debug, Clone)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// From 64 slots a word.
    pub(crate) const fn new(words: Vec<u64>) -> Self {
        Self(words)
    }

    #[inline]
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    /// Number of bits set.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Those set in a range, ascending.
    pub(crate) fn within(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        range.filter(|&slot| self.has(slot))
    }
}

/// The legal placements of an index, by side to move (of the index) and slot.
#[derive(Debug)]
pub(crate) struct Placements {
    /// Legal positions.
    pub(crate) legal: [Bits; 2],
    /// Legal positions in which the side to move is in check.
    pub(crate) checked: [Bits; 2],
}

/// Returns true if two pawns of a side stand on one file of their own half, where no play brings them.
pub(crate) fn has_doubled_pawns(position: &Position, side: Side) -> bool {
    let mut files = 0u16;
    for pawn in position.pieces(side, Role::Pawn) {
        let is_home = (pawn.rank() < 5) == (side == Side::First);
        if is_home && files >> pawn.file() & 1 == 1 {
            return true;
        }
        files |= u16::from(is_home) << pawn.file();
    }
    false
}
