//! The shape that a stone on an empty point would make along one line: the value that the point
//! evaluator gives it, and whether it completes a row or threatens to.

use std::fmt;
use std::ops::{Add, Sub};
use std::sync::OnceLock;

use super::lines::{EMPTY, LineCells, exchanged, stone};
use crate::game::Side;

/// Reach of the table of shapes, in cells, in both directions.
const TABLE_REACH: i32 = 4;

/// Number of arrangements of the eight cells that the table knows.
const TABLE_LEN: usize = 1 << 16;

/// Shapes for the first player by [`LineCells::neighbours`].
pub(super) type ShapeTable = [Shape; TABLE_LEN];

/// The shapes that one player's stone would make on a point, along one line or summed over several
/// lines. The fields lie in one word so that sums are updated at once: the value in the upper half,
/// then 16 bits for the discount and 16 for the marks.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Shape(u64);

impl Shape {
    pub(super) const NONE: Self = Self(0);

    const fn worth(value: i32, discount: u16) -> Self {
        Self((value as u64) << 32 | (discount as u64) << 16)
    }
    const FIVE: Self = Self(1);
    const OPEN_FOUR: Self = Self(1 << 3);
    const FOUR: Self = Self(1 << 6);
    const TWO: Self = Self(1 << 9);
    const OPEN_THREE: Self = Self(1 << 13);

    /// Lines on which the stone completes a row.
    pub(crate) const fn fives(self) -> u64 {
        self.0 & 7
    }

    /// Lines on which the stone makes a row but one that can be completed in several ways.
    pub(crate) const fn open_fours(self) -> u64 {
        self.0 >> 3 & 7
    }

    /// Lines on which the stone makes a row but one that can be completed in one way.
    pub(crate) const fn fours(self) -> u64 {
        self.0 >> 6 & 7
    }

    /// Open twos that end at the point, at most 8.
    const fn twos(self) -> u64 {
        self.0 >> 9 & 15
    }

    /// Lines on which the stone threatens to make an open four.
    pub(crate) const fn open_threes(self) -> u64 {
        self.0 >> 13 & 7
    }

    /// Returns true if the stone makes two completions at once, which one stone cannot prevent.
    pub(crate) const fn wins(self) -> bool {
        self.open_fours() > 0 || self.fours() > 1
    }

    /// The value for the player who would make the shapes.
    pub(crate) const fn own_value(self) -> i32 {
        let pairs = if self.twos() >= 2 { 3_000 } else { 0 };
        (self.0 >> 32) as i32 + pairs
    }

    /// The value for the opponent, who would prevent them.
    pub(crate) const fn other_value(self) -> i32 {
        let pairs = if self.twos() >= 2 { 100 } else { 0 };
        self.own_value() - (self.0 >> 16 & 0xffff) as i32 - pairs
    }
}

impl Add for Shape {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Sub for Shape {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("value", &self.own_value())
            .field("other_value", &self.other_value())
            .field("fives", &self.fives())
            .field("open_fours", &self.open_fours())
            .field("fours", &self.fours())
            .field("open_threes", &self.open_threes())
            .field("twos", &self.twos())
            .finish()
    }
}

/// The table for a row length, drawn up at its first use; `None` where a row is longer than the
/// table sees.
pub(super) fn table(row: u8) -> Option<&'static ShapeTable> {
    static TABLES: [OnceLock<Box<ShapeTable>>; TABLE_REACH as usize + 1] =
        [const { OnceLock::new() }; TABLE_REACH as usize + 1];
    let slot = TABLES.get(usize::from(row.checked_sub(1)?))?;
    Some(slot.get_or_init(|| {
        let mut table = Box::new([Shape::NONE; TABLE_LEN]);
        for (bits, shape) in (0..=u16::MAX).zip(table.iter_mut()) {
            *shape = Around::from_neighbours(bits).shape(i32::from(row));
        }
        table
    }))
}

/// The shape for `side` on a place of `line`, as far as the table sees. It does not see whether
/// four stones have an empty point at their far end, a difference between two ways to win.
pub(super) fn from_table(table: &ShapeTable, line: LineCells, at: i32, side: Side) -> Shape {
    let neighbours = line.neighbours(at);
    let index = match side {
        Side::First => neighbours,
        Side::Second => exchanged(neighbours),
    };
    table[usize::from(index)]
}

/// The shape for `side` on a place of `line`, worked out from the cells themselves.
pub(super) fn exact(line: LineCells, at: i32, side: Side, row: u8) -> Shape {
    Around::from_line(line, at, side).shape(i32::from(row))
}

/// The point itself among the cells around it.
const CENTRE: u64 = 1 << 32;

/// The cells around a point along a line, as seen by one player: bit 32 is the point.
#[derive(Clone, Copy)]
struct Around {
    own: u64,
    empty: u64,
}

impl Around {
    fn from_line(line: LineCells, at: i32, side: Side) -> Self {
        let mut around = Self { own: 0, empty: 0 };
        for distance in -20..=20 {
            around.add(distance, line.cell(at + distance), side);
        }
        around
    }

    /// Builds the cells from the eight neighbours. A cell beyond these counts as empty next to a
    /// cell of the board, so that the better of two ways to complete a row is assumed.
    fn from_neighbours(bits: u16) -> Self {
        let mut around = Self { own: 0, empty: 0 };
        for (slot, distance) in (-TABLE_REACH..=TABLE_REACH).filter(|&d| d != 0).enumerate() {
            around.add(distance, (bits >> (2 * slot) & 3) as u8, Side::First);
        }
        for distance in [-TABLE_REACH - 1, TABLE_REACH + 1] {
            around.add(distance, EMPTY, Side::First);
        }
        around
    }

    fn add(&mut self, distance: i32, cell: u8, side: Side) {
        let bit = 1 << (32 + distance);
        self.own |= if distance != 0 && cell == stone(side) { bit } else { 0 };
        self.empty |= if distance != 0 && cell == EMPTY { bit } else { 0 };
    }

    const fn own(self, distance: i32) -> bool {
        self.own >> (32 + distance) & 1 == 1
    }

    const fn empty(self, distance: i32) -> bool {
        self.empty >> (32 + distance) & 1 == 1
    }

    fn shape(self, row: i32) -> Shape {
        let value = if row == 5 {
            self.value_towards(1) + self.value_towards(-1)
        } else {
            let sum = self.windows(row);
            Shape::worth(2 * sum, 0)
        };
        value + self.marks(row)
    }

    /// The rows that the stone completes, or almost.
    fn marks(self, row: i32) -> Shape {
        let own = self.own | CENTRE;
        let Some(completions) = self.completions(own, row) else { return Shape::FIVE };
        match completions.count_ones() {
            0 if self.is_open_three(own, row) => Shape::OPEN_THREE,
            0 => Shape::NONE,
            1 => Shape::FOUR,
            _ => Shape::OPEN_FOUR,
        }
    }

    /// Returns true if one stone more makes two completions.
    fn is_open_three(self, own: u64, row: i32) -> bool {
        (1 - row..row).filter(|&distance| self.empty(distance)).any(|distance| {
            let own = own | 1 << (32 + distance);
            self.completions(own, row).is_some_and(|points| points.count_ones() > 1)
        })
    }

    /// The empty cells that complete a row through the point with the stones `own`; `None` if there
    /// is a row already.
    fn completions(self, own: u64, row: i32) -> Option<u64> {
        let mut completions = 0;
        for first in 1 - row..=0 {
            let window = ((1 << row) - 1) << (32 + first);
            let missing = window & !own;
            if missing == 0 {
                return None;
            }
            if missing.is_power_of_two() && missing & self.empty != 0 {
                completions |= missing;
            }
        }
        Some(completions)
    }

    /// Every stretch of `row` cells through the point without a foreign stone adds 15 for each own
    /// stone.
    fn windows(self, row: i32) -> i32 {
        let free = self.own | self.empty | CENTRE;
        let mut stones = 0;
        for first in 1 - row..=0 {
            let window = ((1_u64 << row) - 1) << (32 + first);
            if window & !free == 0 {
                stones += (window & self.own).count_ones();
            }
        }
        15 * stones.cast_signed()
    }

    /// The point evaluator's value of five in a row towards one end of the line: the first shape
    /// that fits. In the comments the shape's far end is on the left and `*` is the point; `1` is an
    /// own stone, `2` a foreign stone or the edge, `0` an empty point.
    fn value_towards(self, sign: i32) -> Shape {
        let own = |distance: i32| self.own(sign * distance);
        let empty = |distance: i32| self.empty(sign * distance);
        match (own(1), own(2), own(3), own(4)) {
            (true, true, true, true) if empty(5) => Shape::worth(300_000, 500), // 01111*
            (true, true, true, true) => Shape::worth(250_000, 500),             // 21111*
            (true, true, true, false) if own(-1) => Shape::worth(240_000, 500), // 111*1
            (true, true, ..) if own(-1) && own(-2) => Shape::worth(230_000, 500), // 11*11
            (true, true, true, false) => match (empty(-1), empty(4)) {
                (true, true) => Shape::worth(3_900, 300), // 0111*0
                (true, false) => Shape::worth(750, 0),    // 2111*0
                (false, true) => Shape::worth(500, 0),    // 0111*2
                (false, false) => Shape::NONE,
            },
            (false, true, true, true) if empty(1) => Shape::worth(350, 0), // 1110*
            (true, true, false, _) if own(-1) => match (empty(3), empty(-2)) {
                (true, true) => Shape::worth(3_750, 0), // 011*10
                (true, false) | (false, true) => Shape::worth(1_300, 0), // 011*12, 211*10
                (false, false) => Shape::worth(600, 0), // 211*12
            },
            (one, two, ..) => {
                let stones = Shape::worth(self.windows(5), 0);
                let open_two = one && two && empty(3) && empty(-1); // 011*0
                if open_two { stones + Shape::TWO } else { stones }
            }
        }
    }
}
