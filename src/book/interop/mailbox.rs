//! The board of 16 by 16 points that several programs keep around the real one, so that steps off
//! the board need no test: the point of file `f` in row `r` (row 0 is Black's back rank) is
//! `0x33 + 16 r + f`.

use crate::xiangqi::{Move, Square};

/// The point of a square.
pub(crate) const fn point(square: Square) -> u8 {
    0x33 + 16 * (9 - square.rank()) + square.file()
}

/// The square at a point.
pub(crate) fn square(point: u8) -> Option<Square> {
    let row = (point >> 4).checked_sub(3)?;
    let file = (point & 15).checked_sub(3)?;
    (row < 10 && file < 9).then(|| Square::at(file, 9 - row))
}

/// The move from one point to another.
pub(crate) fn mv(from: u8, to: u8) -> Option<Move> {
    let from = square(from)?;
    let to = square(to)?;
    (from != to).then(|| Move::new(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_squares_agree() {
        assert_eq!(point(Square::at(0, 9)), 0x33);
        assert_eq!(point(Square::at(8, 0)), 0xcb);
        for s in Square::all() {
            assert_eq!(square(point(s)), Some(s));
        }
        assert_eq!((0..=255).filter_map(square).count(), 90);
        assert_eq!(mv(0x33, 0x33), None);
    }
}
