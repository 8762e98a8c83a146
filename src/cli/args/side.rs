//! Sides, by the names of both games.

use clap::ValueEnum;

use crate::cli::{CliError, exit};
use juzhong::answers::side_name;
use juzhong::game::{Game, Side};
use juzhong::message::message;

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideName {
    /// Xiangqi, who begins.
    Red,
    /// Xiangqi; in gomoku the one who begins.
    Black,
    /// Gomoku.
    White,
}

impl SideName {
    /// The side of `G`.
    pub(crate) fn side<G: Game>(self) -> Result<Side, CliError> {
        let name = match self {
            Self::Red => "red",
            Self::Black => "black",
            Self::White => "white",
        };
        let named = Side::ALL.into_iter().find(|&side| side_name::<G>(side) == name);
        named.ok_or_else(|| {
            CliError::message(exit::USAGE, message!("--side: {} has no side {name}", G::NAME))
        })
    }
}
