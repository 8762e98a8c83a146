//! The game that a command is about, and the way from its name to its type.

use std::str::FromStr;

use clap::ValueEnum;
use juzhong::game::Game;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// A game, as `--game` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GameName {
    Xiangqi,
    Gomoku,
}

/// A name that no game has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnknownGame;

impl GameName {
    /// The name as books, requests and `--game` have it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Xiangqi => Position::NAME,
            Self::Gomoku => Board::NAME,
        }
    }
}

impl FromStr for GameName {
    type Err = UnknownGame;

    /// Reads a name as [`name`](Self::name) gives it.
    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        let mut games = Self::value_variants().iter().copied();
        games.find(|game| game.name() == text).ok_or(UnknownGame)
    }
}

/// Evaluates an expression with the positions of a game as a type: `with_game!(game, G => run_game::<G>(args))` calls
/// `run_game::<Position>` for xiangqi and `run_game::<Board>` for gomoku.
///
/// This is the edge at which a game becomes a type: below it everything is generic, and nothing asks for the name.
macro_rules! with_game {
    ($game:expr, $G:ident => $body:expr) => {
        match $game {
            $crate::game_name::GameName::Xiangqi => {
                type $G = juzhong::xiangqi::Position;
                $body
            }
            $crate::game_name::GameName::Gomoku => {
                type $G = juzhong::gomoku::Board;
                $body
            }
        }
    };
}

pub(crate) use with_game;
