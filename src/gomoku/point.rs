//! The points of a board of any size.

use std::fmt;

use crate::game::Packed;
use crate::hash::gomoku::{POINTS, STRIDE};

/// A point of the board: column from the left, row from below, numbered `row * 20 + column`
/// whatever the board's size.
///
/// ```
/// use juzhong::gomoku::Point;
///
/// let middle = Point::parse("h8").unwrap();
/// assert_eq!((middle.column(), middle.row()), (7, 7));
/// assert_eq!(Point::new(7, 7), Some(middle));
/// assert_eq!(middle.to_string(), "h8");
/// // The largest board has 20 columns, a to t.
/// assert_eq!(Point::parse("u1"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u16);

impl Point {
    /// The point on `column` and `row`, both from 0; `None` beyond the largest board.
    #[must_use]
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if (column as usize) < STRIDE && (row as usize) < STRIDE {
            Some(Self(row as u16 * STRIDE as u16 + column as u16))
        } else {
            None
        }
    }

    /// 0 to 399.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From the left, 0 first.
    #[must_use]
    pub const fn column(self) -> u8 {
        (self.0 % STRIDE as u16) as u8
    }

    /// From below, 0 first.
    #[must_use]
    pub const fn row(self) -> u8 {
        (self.0 / STRIDE as u16) as u8
    }

    /// Reads a letter and a number from 1: `h8`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (letter, row) = text.split_at_checked(1)?;
        let column = letter.as_bytes()[0].to_ascii_lowercase().wrapping_sub(b'a');
        if row.starts_with('+') {
            return None;
        }
        let row: u8 = row.parse().ok()?;
        Self::new(column, row.checked_sub(1)?)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Packed for Point {
    fn pack(self) -> u16 {
        self.0
    }
    fn unpack(bits: u16) -> Option<Self> {
        (usize::from(bits) < POINTS).then_some(Self(bits))
    }
}
