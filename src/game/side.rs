//! The two sides of a game, and pairs with a value for each.

use std::fmt;
use std::ops::{Index, IndexMut, Not};

use serde::{Deserialize, Serialize};

/// One of the two players, named by the order of moves in a normal game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Red in xiangqi, Black in gomoku.
    First,
    /// Black in xiangqi, White in gomoku.
    Second,
}

impl Side {
    /// Both sides, [`First`](Self::First) first.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// 0 or 1.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Side {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl fmt::Display for Side {
    /// `first` or `second`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// A pair of values, one for each side.
///
/// ```
/// use juzhong::game::{BySide, Side};
///
/// let moves = BySide { first: 40, second: 39 };
/// assert_eq!(moves[Side::First], 40);
/// assert_eq!(moves.map(|n| n + 1), BySide { first: 41, second: 40 });
/// assert_eq!(moves.swapped()[Side::First], 39);
/// assert_eq!(!Side::First, Side::Second);
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct BySide<T> {
    /// For [`Side::First`].
    pub first: T,
    /// For [`Side::Second`].
    pub second: T,
}

impl<T> BySide<T> {
    /// Builds the pair from a function.
    pub fn new_with(mut f: impl FnMut(Side) -> T) -> Self {
        Self { first: f(Side::First), second: f(Side::Second) }
    }

    /// The pair of references.
    pub const fn as_ref(&self) -> BySide<&T> {
        BySide { first: &self.first, second: &self.second }
    }

    /// Maps both values.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BySide<U> {
        BySide { first: f(self.first), second: f(self.second) }
    }

    /// The pair with the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { first: self.second, second: self.first }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;
    fn index(&self, side: Side) -> &T {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}

/// The result of a finished game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// That side won.
    Win(Side),
    /// Neither side won.
    Draw,
}

impl Outcome {
    /// The winner, if there is one.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw => None,
        }
    }
}

impl fmt::Display for Outcome {
    /// PGN result tokens: `1-0`, `0-1`, `1/2-1/2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win(Side::First) => "1-0",
            Self::Win(Side::Second) => "0-1",
            Self::Draw => "1/2-1/2",
        })
    }
}
