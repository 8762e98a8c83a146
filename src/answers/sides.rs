//! What answers have of each side, under the names that the players give the sides.

use serde::Serialize;

use crate::game::{BySide, Game, Side};

/// The name of a side in answers: `red` or `black`, in gomoku `black` or `white`.
///
/// ```
/// use juzhong::answers::side_name;
/// use juzhong::game::Side;
/// use juzhong::{gomoku::Board, xiangqi::Position};
///
/// assert_eq!(Side::ALL.map(side_name::<Position>), ["red", "black"]);
/// assert_eq!(Side::ALL.map(side_name::<Board>), ["black", "white"]);
/// ```
#[must_use]
pub const fn side_name<G: Game>(side: Side) -> &'static str {
    match (G::BLACK, side) {
        (Side::First, Side::First) | (Side::Second, Side::Second) => "black",
        (Side::First, Side::Second) => "white",
        (Side::Second, Side::First) => "red",
    }
}

/// A value for each side, as two members with the names of the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum NamedSides<T> {
    /// Of xiangqi.
    RedAndBlack {
        /// Of the second side.
        black: T,
        /// Of the first side.
        red: T,
    },
    /// Of gomoku.
    BlackAndWhite {
        /// Of the first side.
        black: T,
        /// Of the second side.
        white: T,
    },
}

impl<T> NamedSides<T> {
    /// The values under the names of a game's sides.
    pub fn of<G: Game>(values: BySide<T>) -> Self {
        let BySide { first, second } = values;
        match G::BLACK {
            Side::First => Self::BlackAndWhite { black: first, white: second },
            Side::Second => Self::RedAndBlack { black: second, red: first },
        }
    }

    /// The value of the first side.
    pub const fn first(&self) -> &T {
        match self {
            Self::RedAndBlack { red, .. } => red,
            Self::BlackAndWhite { black, .. } => black,
        }
    }

    /// The value of the second side.
    pub const fn second(&self) -> &T {
        match self {
            Self::RedAndBlack { black, .. } => black,
            Self::BlackAndWhite { white, .. } => white,
        }
    }
}
