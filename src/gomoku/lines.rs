//! The board as lines: every row, column and diagonal is one word with two bits for each cell, so
//! that the surroundings of a point along a line are a few bits of a word.

use super::Point;
use crate::game::Side;

/// An empty cell.
pub(crate) const EMPTY: u8 = 0;

/// A cell outside the board.
pub(crate) const EDGE: u8 = 3;

/// Edge cells kept in front of a line's first cell.
const MARGIN: i32 = 5;

/// Number of lines along the longest axis.
const MOST_LINES: usize = 39;

/// The cell value of a stone.
pub(crate) const fn stone(side: Side) -> u8 {
    side.index() as u8 + 1
}

/// The owner of a cell's stone.
pub(crate) const fn owner(cell: u8) -> Option<Side> {
    match cell {
        1 => Some(Side::First),
        2 => Some(Side::Second),
        _ => None,
    }
}

/// A direction along which stones make rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Along a row of the board.
    Horizontal,
    /// Along a column.
    Vertical,
    /// Up to the right.
    Rising,
    /// Down to the right.
    Falling,
}

impl Axis {
    pub(crate) const ALL: [Self; 4] =
        [Self::Horizontal, Self::Vertical, Self::Rising, Self::Falling];

    /// The line through `point`, and the point's place on it.
    pub(crate) const fn locate(self, point: Point) -> (usize, i32) {
        let column = point.column();
        let row = point.row();
        let (line, at) = match self {
            Self::Horizontal => (row, column),
            Self::Vertical => (column, row),
            Self::Rising => (column + 19 - row, column),
            Self::Falling => (column + row, column),
        };
        (line as usize, at as i32)
    }

    /// Distance between the indices of neighbouring points.
    pub(crate) const fn step(self) -> i32 {
        match self {
            Self::Horizontal => 1,
            Self::Vertical => 20,
            Self::Rising => 21,
            Self::Falling => -19,
        }
    }

    /// The columns and rows between neighbouring points.
    pub(crate) const fn direction(self) -> (i32, i32) {
        match self {
            Self::Horizontal => (1, 0),
            Self::Vertical => (0, 1),
            Self::Rising => (1, 1),
            Self::Falling => (1, -1),
        }
    }

    /// The point before along the axis, to the left or down; `None` beyond the largest board.
    pub(crate) const fn previous(self, point: Point) -> Option<Point> {
        let column = point.column();
        let row = point.row();
        match self {
            Self::Horizontal => Point::new(column.wrapping_sub(1), row),
            Self::Vertical => Point::new(column, row.wrapping_sub(1)),
            Self::Rising => Point::new(column.wrapping_sub(1), row.wrapping_sub(1)),
            Self::Falling => Point::new(column.wrapping_sub(1), row + 1),
        }
    }

    /// The next point along the axis, to the right or up; `None` beyond the largest board.
    pub(crate) const fn next(self, point: Point) -> Option<Point> {
        let column = point.column();
        let row = point.row();
        match self {
            Self::Horizontal => Point::new(column + 1, row),
            Self::Vertical => Point::new(column, row + 1),
            Self::Rising => Point::new(column + 1, row + 1),
            Self::Falling => Point::new(column + 1, row.wrapping_sub(1)),
        }
    }
}

/// The cells of one line; whatever does not lie on the board is [`EDGE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineCells(u64);

impl LineCells {
    /// The cell at a place, which may lie beyond the board.
    pub(crate) const fn cell(self, at: i32) -> u8 {
        let slot = at + MARGIN;
        if slot < 0 || slot >= 32 { EDGE } else { (self.0 >> (2 * slot) & 3) as u8 }
    }

    /// The line with another value in one cell of the board.
    const fn with(self, at: i32, cell: u8) -> Self {
        let shift = 2 * (at + MARGIN);
        Self(self.0 & !(3 << shift) | (cell as u64) << shift)
    }

    /// The four cells before a place of the board and the four after it, two bits for each.
    #[inline]
    pub(crate) const fn four_neighbours(self, at: i32) -> u16 {
        let cells = self.0 >> (2 * (at + MARGIN - 4));
        // The cells after the point move down by two bits, over its own cell.
        (cells & 0xff) as u16 | (cells >> 2) as u16 & 0xff00
    }

    /// The five cells before a place of the board and the five after it, two bits for each.
    #[inline]
    pub(crate) const fn five_neighbours(self, at: i32) -> u32 {
        let cells = self.0 >> (2 * (at + MARGIN - 5));
        (cells & 0x3ff) as u32 | (cells >> 2) as u32 & 0xf_fc00
    }
}

/// All lines of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lines([[LineCells; MOST_LINES]; 4]);

impl Lines {
    /// The lines of an empty board.
    pub(crate) fn empty(width: u8, height: u8) -> Self {
        // All bits set is `EDGE` in every cell: only those on the board are made empty.
        let mut lines = Self([[LineCells(u64::MAX); MOST_LINES]; 4]);
        for row in 0..height {
            for column in 0..width {
                if let Some(point) = Point::new(column, row) {
                    lines.set(point, EMPTY);
                }
            }
        }
        lines
    }

    /// The cell of a point; [`EDGE`] outside the board.
    pub(crate) const fn cell(&self, point: Point) -> u8 {
        let (line, at) = Axis::Horizontal.locate(point);
        self.0[0][line].cell(at)
    }

    /// The line through a point, and the point's place on it.
    pub(crate) const fn through(&self, axis: Axis, point: Point) -> (LineCells, i32) {
        let (line, at) = axis.locate(point);
        (self.0[axis as usize][line], at)
    }

    /// Changes a cell of the board on its four lines.
    pub(crate) fn set(&mut self, point: Point, cell: u8) {
        for axis in Axis::ALL {
            let (line, at) = axis.locate(point);
            let line = &mut self.0[axis as usize][line];
            *line = line.with(at, cell);
        }
    }
}
