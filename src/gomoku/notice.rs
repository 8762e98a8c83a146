use super::shape::Shape;

/// The greatest value that one point adds to [`Notice::prospects`].
const POINT_LIMIT: i32 = 4_000;

/// Counts, over the empty points of a board, of what one player can make with one stone. The words
/// are those of five in a row; with other row lengths a "four" is a row but one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Notice {
    /// Points on which a stone completes a row and wins.
    pub fives: u16,
    /// Points on which a stone makes two or more completions at once, an open four or two fours,
    /// without completing a row.
    pub wins: u16,
    /// Points on which a stone makes one four that can be completed in one way.
    pub fours: u16,
    /// The sum of the points' values, each counted up to 4,000; points that complete a row are left
    /// out.
    pub prospects: i32,
}

impl Notice {
    pub(super) const fn add(&mut self, shape: Shape) {
        self.count(shape, 1);
    }

    pub(super) const fn remove(&mut self, shape: Shape) {
        self.count(shape, -1);
    }

    const fn count(&mut self, shape: Shape, sign: i16) {
        if shape.fives() > 0 {
            self.fives = self.fives.wrapping_add_signed(sign);
            return;
        }
        if shape.wins() {
            self.wins = self.wins.wrapping_add_signed(sign);
        } else if shape.fours() > 0 {
            self.fours = self.fours.wrapping_add_signed(sign);
        }
        let value = shape.own_value();
        self.prospects += sign as i32 * if value < POINT_LIMIT { value } else { POINT_LIMIT };
    }
}
