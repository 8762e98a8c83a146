//! The game that a command is about, and the way from its name to its type.

use clap::ValueEnum;

/// A game, as `--game` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GameName {
    Xiangqi,
    Gomoku,
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
