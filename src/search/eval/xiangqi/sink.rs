//! Destinations of the evaluation's counts: a sum, which is all that search wants, or a record of
//! every parameter, for the tuner and for people. Both see the same counts.

use crate::search::eval::xiangqi::features::{COUNT, placement};
use crate::search::eval::xiangqi::numbers::WEIGHTS;
use crate::xiangqi::{Piece, Square};

/// A worth in the middle game and in the ending, in centipawns: the middle game in the low 16 bits,
/// the ending in the high ones, so that one addition or multiplication does both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pair(pub(crate) i32);

impl Pair {
    pub(crate) const fn new(middle: i32, ending: i32) -> Self {
        Self(ending.wrapping_shl(16).wrapping_add(middle))
    }

    pub(crate) const fn middle(self) -> i32 {
        self.0 as i16 as i32
    }

    pub(crate) const fn ending(self) -> i32 {
        // A negative middle game has borrowed 1 from the ending: adding half of the low range gives it back.
        self.0.wrapping_add(0x8000) >> 16
    }

    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    pub(crate) const fn minus(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    pub(crate) const fn times(self, count: i32) -> Self {
        Self(self.0.wrapping_mul(count))
    }
}

/// The weights, packed.
pub(crate) static PAIRS_OF_WEIGHTS: [Pair; COUNT] = {
    let mut pairs = [Pair(0); COUNT];
    let mut i = 0;
    while i < COUNT {
        pairs[i] = Pair::new(WEIGHTS[i].0 as i32, WEIGHTS[i].1 as i32);
        i += 1;
    }
    pairs
};

/// The placement weights by piece and square.
static PLACED: [[Pair; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[Pair(0); Square::COUNT]; Piece::COUNT];
    let mut p = 0;
    while p < Piece::COUNT {
        let mut s = 0;
        while s < Square::COUNT {
            table[p][s] = PAIRS_OF_WEIGHTS[placement(Piece::ALL[p], Square::from_index(s))];
            s += 1;
        }
        p += 1;
    }
    table
};

/// The worth of a piece's square.
pub(crate) fn placed(piece: Piece, square: Square) -> Pair {
    PLACED[piece.index()][square.index()]
}

/// Receives the counts of the evaluation of one side.
pub(crate) trait Sink: Default {
    /// `parameter` occurs `count` times.
    fn add(&mut self, parameter: usize, count: i32);

    /// The same, on account of the piece on a square.
    #[inline]
    fn add_at(&mut self, square: Square, parameter: usize, count: i32) {
        let _ = square;
        self.add(parameter, count);
    }

    /// A piece stands on a square.
    #[inline]
    fn place(&mut self, piece: Piece, square: Square) {
        self.add_at(square, placement(piece, square), 1);
    }
}

/// Sums up the weights.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum(pub(crate) Pair);

impl Sink for Sum {
    #[inline]
    fn add(&mut self, parameter: usize, count: i32) {
        self.0 = self.0.plus(PAIRS_OF_WEIGHTS[parameter].times(count));
    }

    #[inline]
    fn place(&mut self, piece: Piece, square: Square) {
        self.0 = self.0.plus(placed(piece, square));
    }
}

/// Something counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermCount {
    pub(crate) square: Option<Square>,
    pub(crate) parameter: usize,
    pub(crate) count: i32,
}

/// Keeps all that is counted.
#[derive(Debug, Default)]
pub(crate) struct Entries(pub(crate) Vec<TermCount>);

impl Sink for Entries {
    fn add(&mut self, parameter: usize, count: i32) {
        if count != 0 {
            self.0.push(TermCount { square: None, parameter, count });
        }
    }

    fn add_at(&mut self, square: Square, parameter: usize, count: i32) {
        if count != 0 {
            self.0.push(TermCount { square: Some(square), parameter, count });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_add_and_multiply() {
        for (a, b) in [(0, 0), (5, -7), (-300, 250), (-1, -1), (12_000, -12_000)] {
            let pair = Pair::new(a, b);
            assert_eq!((pair.middle(), pair.ending()), (a, b));
            let twice = pair.plus(pair);
            assert_eq!((twice.middle(), twice.ending()), (2 * a, 2 * b));
            let less = Pair::new(1, 1).minus(pair);
            assert_eq!((less.middle(), less.ending()), (1 - a, 1 - b));
            let times = pair.times(-2);
            assert_eq!((times.middle(), times.ending()), (-2 * a, -2 * b));
        }
    }
}
