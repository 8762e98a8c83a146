//! A set of points of the board in one word of 128 bits, a bit for each point.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use crate::game::Side;
use crate::xiangqi::square::Square;

/// A set of squares: bit `i` is the square with index `i`; bits 90 and up are always clear.
///
/// ```
/// use juzhong::xiangqi::{Bitboard, Square};
///
/// let corners: Bitboard = [Square::at(0, 0), Square::at(8, 9)].into_iter().collect();
/// assert_eq!(corners.len(), 2);
/// assert_eq!(corners.first(), Square::parse("a0"));
/// assert!((corners & Bitboard::of(Square::at(4, 4))).is_empty());
/// assert_eq!((Bitboard::FULL - corners).len(), 88);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 90 squares.
    pub const FULL: Self = Self((1 << 90) - 1);

    /// From raw bits; those above 89 are dropped.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits & Self::FULL.0)
    }

    /// From raw bits that are known to lie on the board.
    #[inline]
    pub(crate) const fn from_line(bits: u128) -> Self {
        debug_assert!(bits & !Self::FULL.0 == 0);
        Self(bits)
    }

    /// The raw bits.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// One square.
    #[must_use]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// Returns true if `square` is a member.
    #[must_use]
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        // Cheaper than a shift of 128 bits.
        let i = square.index();
        let half = if i < 64 { self.0 as u64 } else { (self.0 >> 64) as u64 };
        half >> (i % 64) & 1 == 1
    }

    /// With `square` added.
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square.index())
    }

    /// With `square` removed.
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square.index()))
    }

    /// Number of squares.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        if cfg!(target_feature = "popcnt") {
            return self.0.count_ones();
        }
        // Without the instruction, both halves are counted side by side (Knuth, The Art of Computer
        // Programming 4A, 7.1.3): pairs, fours, then the two together in eights.
        let low = self.0 as u64;
        let high = (self.0 >> 64) as u64;
        let sum = counted_by_fours(low) + counted_by_fours(high);
        // A four of both halves holds 8 at most, so that none overflows; the product adds up all eights in the
        // highest one.
        let sum = (sum & 0x0f0f_0f0f_0f0f_0f0f) + (sum >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
        (sum.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    }

    /// [`len`](Self::len) by the processor's instruction, in functions that are compiled for one that has it.
    #[inline]
    pub(crate) const fn count_ones(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true if the set has no square.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the two share a square.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The lowest square.
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as usize)) }
    }

    /// The highest square.
    #[must_use]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_index(127 - self.0.leading_zeros() as usize))
        }
    }

    /// Squares on which a pawn of `side` can ever stand; 55.
    #[must_use]
    pub const fn pawn_squares(side: Side) -> Self {
        PAWN_SQUARES[side.index()]
    }

    /// The squares next to those of the set along a file or rank; members among them too.
    #[must_use]
    #[inline]
    pub const fn beside(self) -> Self {
        // Without the last file, whose right neighbour is the first square of the next rank, and likewise
        // on the left.
        let right = self.0 & !LAST_FILE.0;
        let left = self.0 & !FIRST_FILE.0;
        Self((right << 1 | left >> 1 | self.0 << 9 | self.0 >> 9) & Self::FULL.0)
    }

    /// The squares one rank ahead of those of the set, as `side` sees it.
    #[must_use]
    #[inline]
    pub const fn ahead(self, side: Side) -> Self {
        match side {
            Side::First => Self(self.0 << 9 & Self::FULL.0),
            Side::Second => Self(self.0 >> 9),
        }
    }

    /// Union, usable in constants.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Intersection, usable in constants.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// The number of bits in each four.
const fn counted_by_fours(bits: u64) -> u64 {
    let pairs = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333)
}

const FIRST_FILE: Bitboard = {
    let mut set = Bitboard::EMPTY;
    let mut i = 0;
    while i < 90 {
        set = set.with(Square::from_index(i));
        i += 9;
    }
    set
};
const LAST_FILE: Bitboard = Bitboard(FIRST_FILE.0 << 8);

const PAWN_SQUARES: [Bitboard; 2] = {
    let mut sets = [Bitboard::EMPTY; 2];
    let mut i = 0;
    while i < 90 {
        let square = Square::from_index(i);
        let rank = square.rank();
        let on_start_file = square.file().is_multiple_of(2);
        if rank >= 5 || rank >= 3 && on_start_file {
            sets[0] = sets[0].with(square);
            sets[1] = sets[1].with(square.flipped());
        }
        i += 1;
    }
    sets
};
const _: () = assert!(PAWN_SQUARES[0].len() == 55 && PAWN_SQUARES[1].len() == 55);

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    fn into_iter(self) -> Squares {
        // Two words instead of one of 128 bits, whose lowest bit takes longer to find; the upper has 26 squares.
        Squares { low: self.0 as u64, high: (self.0 >> 64) as u32 }
    }
}

/// The squares of a [`Bitboard`] in ascending order.
#[derive(Debug, Clone)]
pub struct Squares {
    low: u64,
    high: u32,
}

impl Iterator for Squares {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.low != 0 {
            let index = self.low.trailing_zeros() as usize;
            self.low &= self.low - 1;
            Some(Square::from_index(index))
        } else if self.high != 0 {
            let index = self.high.trailing_zeros() as usize + 64;
            self.high &= self.high - 1;
            Some(Square::from_index(index))
        } else {
            None
        }
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = (self.low.count_ones() + self.high.count_ones()) as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Squares {}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl BitAnd for Bitboard {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
impl BitXor for Bitboard {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}
impl Sub for Bitboard {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
impl Not for Bitboard {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0 & Self::FULL.0)
    }
}
impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}
impl BitXorAssign for Bitboard {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// The occupied squares by line: one bit per file for each rank, one bit per rank for each file.
/// The index of the rook and cannon tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occupancy {
    ranks: [u16; 10],
    files: [u16; 9],
}

impl Occupancy {
    /// The squares of `set`.
    #[must_use]
    pub fn new(set: Bitboard) -> Self {
        let mut occupancy = Self::default();
        for square in set {
            occupancy.toggle(square);
        }
        occupancy
    }

    /// Adds or removes a square.
    #[inline]
    pub const fn toggle(&mut self, square: Square) {
        self.ranks[square.rank() as usize] ^= 1 << square.file();
        self.files[square.file() as usize] ^= 1 << square.rank();
    }

    /// Nine bits, a to i.
    #[must_use]
    #[inline]
    pub const fn rank(&self, rank: u8) -> u16 {
        self.ranks[rank as usize]
    }

    /// Ten bits, rank 0 to 9.
    #[must_use]
    #[inline]
    pub const fn file(&self, file: u8) -> u16 {
        self.files[file as usize]
    }

    /// Returns true if a piece stands on `square`.
    #[must_use]
    #[inline]
    pub const fn has(&self, square: Square) -> bool {
        self.ranks[square.rank() as usize] >> square.file() & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_and_members_are_those_of_the_bits(bits in any::<u128>()) {
            let set = Bitboard::from_bits(bits);
            prop_assert_eq!(set.len(), set.bits().count_ones());
            for square in Square::all() {
                prop_assert_eq!(set.has(square), set.bits() >> square.index() & 1 == 1);
            }
        }
    }

    #[test]
    fn steps_stay_on_the_board() {
        for square in Square::all() {
            let steps = [(0, 1), (0, -1), (1, 0), (-1, 0)].into_iter().filter_map(|(df, dr)| {
                let (file, rank) =
                    (square.file().cast_signed() + df, square.rank().cast_signed() + dr);
                let is_on = (0..9).contains(&file) && (0..10).contains(&rank);
                is_on.then(|| Square::at(file as u8, rank as u8))
            });
            let steps: Bitboard = steps.collect();
            let set = Bitboard::of(square);
            assert_eq!(set.beside(), steps, "{square}");
            for (side, ahead) in [(Side::First, 1), (Side::Second, -1)] {
                let rank = square.rank().cast_signed() + ahead;
                let expected: Bitboard = (0..10)
                    .contains(&rank)
                    .then(|| Square::at(square.file(), rank as u8))
                    .into_iter()
                    .collect();
                assert_eq!(set.ahead(side), expected, "{square}");
            }
        }
    }

    #[test]
    fn the_full_board() {
        assert_eq!(Bitboard::FULL.len(), 90);
        assert_eq!(Bitboard::EMPTY.len(), 0);
    }
}
