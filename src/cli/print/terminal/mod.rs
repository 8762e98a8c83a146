//! The abilities that the terminal needs of a game beside the rules.
//!
//! [`Drawn`] is the board, [`Terminal`] the words: sides, results and the evaluation as people read them. What only `play` asks of a game is in
//! its own file `setup`.

mod drawing;

use std::io;

use crate::cli::args::game_filter::Filtered;
use crate::cli::print::{evaluation, point_values};
use crate::cli::{CliError, exit};
use crate::language::text;
use juzhong::game::{Side, side_name};
use juzhong::gomoku::Board;
use juzhong::picture::Pictured;
use juzhong::xiangqi::Position;

pub(crate) use drawing::{BoardStyle, DrawingArgs, Drawn, ShownBoardArgs, View, wants_colour};

/// A game that can be shown in the terminal.
pub(crate) trait Terminal: Filtered + Drawn + Pictured {
    /// The players' name of a side.
    fn side_name(side: Side) -> &'static str {
        side_name::<Self>(side)
    }

    /// Says that a side forces a win in `time`.
    fn sure_win(time: &str) -> String {
        text!("mates in {}", time)
    }

    /// Says that a side cannot avoid losing in `time`.
    fn sure_loss(time: &str) -> String {
        text!("is mated in {}", time)
    }

    /// The evaluation taken apart, for people.
    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()>;
}

impl Terminal for Position {
    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()> {
        evaluation::show(self, out)
    }
}

impl Terminal for Board {
    fn sure_win(time: &str) -> String {
        text!("wins in {}", time)
    }

    fn sure_loss(time: &str) -> String {
        text!("loses in {}", time)
    }

    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()> {
        point_values::show(self, out)
    }
}

/// Reads the name of a side, in either language.
pub(crate) fn parse_side<G: Terminal>(name: &str) -> Result<Side, CliError> {
    Side::ALL.into_iter().find(|&side| is_named::<G>(side, name)).ok_or_else(|| {
        let [first, second] = Side::ALL.map(|side| G::side_name(side).to_lowercase());
        let message = text!("unknown side \"{name}\"; choose {first} or {second}");
        CliError::message(exit::USAGE, message)
    })
}

fn is_named<G: Terminal>(side: Side, name: &str) -> bool {
    let english = G::side_name(side);
    let chinese = match english {
        "Red" => ["红", "红方"],
        "White" => ["白", "白方"],
        _ => ["黑", "黑方"],
    };
    english.eq_ignore_ascii_case(name) || chinese.contains(&name)
}
