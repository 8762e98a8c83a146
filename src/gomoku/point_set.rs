//! Sets of points, a word for each row.

use super::Point;
use crate::hash::gomoku::STRIDE;

/// A set of points, one word for each row of the largest board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointSet([u32; STRIDE]);

impl PointSet {
    /// The set without points.
    pub const EMPTY: Self = Self([0; STRIDE]);

    /// All points of a board.
    pub(crate) fn of_board(width: u8, height: u8) -> Self {
        let mut set = Self::EMPTY;
        set.0[..usize::from(height)].fill((1 << width) - 1);
        set
    }

    /// Adds a point.
    pub const fn insert(&mut self, point: Point) {
        self.0[point.row() as usize] |= 1 << point.column();
    }

    /// Removes a point.
    pub const fn remove(&mut self, point: Point) {
        self.0[point.row() as usize] &= !(1 << point.column());
    }

    /// Adds or removes the point of an index.
    pub(crate) const fn toggle(&mut self, index: usize) {
        self.0[index / STRIDE] ^= 1 << (index % STRIDE);
    }

    /// Returns true if the point is in the set.
    #[must_use]
    pub const fn contains(&self, point: Point) -> bool {
        self.0[point.row() as usize] >> point.column() & 1 == 1
    }

    /// Returns true if no point is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&row| row == 0)
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    /// The points of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= other);
        set
    }

    /// The points of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= !other);
        set
    }

    /// The points of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
        set
    }

    /// The points at most two columns and two rows from a point of the set, and those three or four steps along a
    /// line from one; points beyond a board are among them.
    #[must_use]
    pub(crate) fn neighbourhood(&self) -> Self {
        const MARGIN: usize = 4;
        let mut near = [0_u32; STRIDE + 2 * MARGIN];
        for (row, &points) in (MARGIN..).zip(&self.0) {
            if points == 0 {
                continue;
            }
            // A row has 20 bits at most: moved by four they still fit into the word.
            let square = points | points << 1 | points << 2 | points >> 1 | points >> 2;
            near[row - 2..=row + 2].iter_mut().for_each(|word| *word |= square);
            for steps in [3, 4] {
                let both = points << steps | points >> steps;
                near[row] |= both;
                near[row - steps] |= points | both;
                near[row + steps] |= points | both;
            }
        }
        let mut set = Self::EMPTY;
        set.0.copy_from_slice(&near[MARGIN..MARGIN + STRIDE]);
        set
    }

    /// The points, row by row from a1.
    pub fn iter(&self) -> impl Iterator<Item = Point> + use<> {
        (0_u8..).zip(self.0).flat_map(|(row, mut columns)| {
            std::iter::from_fn(move || {
                if columns == 0 {
                    return None;
                }
                let column = columns.trailing_zeros() as u8;
                columns &= columns - 1;
                Point::new(column, row)
            })
        })
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut set = Self::EMPTY;
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}
