//! The abilities that the terminal needs of a game beside the rules.
//!
//! [`Drawn`] is the board, [`Terminal`] the words: sides, results and the evaluation as people read them, and the
//! engines and endgame tables that a game has. What only `play` asks of a game is in
//! its own file `setup`.

mod drawing;

use std::io;

use super::{CliError, OrExit, evaluation, exit, point_values, tell};
use crate::language::text;
use juzhong::answers::Described;
use juzhong::book::Evaluator;
use juzhong::book::opening::Named;
use juzhong::game::Side;
use juzhong::gomoku::Board;
use juzhong::message::message;
use juzhong::protocol::client::{
    ClientEvaluator, EngineCommand, GoLimits, Timeouts, spawn_evaluators,
};
use juzhong::search::eval::xiangqi::explain;
use juzhong::tablebase::{Material, Pattern};
use juzhong::xiangqi::Position;

pub(crate) use drawing::{BoardStyle, DrawingArgs, Drawn, ShownBoardArgs, View};

/// A game that can be shown in the terminal.
pub(crate) trait Terminal: Described + Named + Drawn {
    /// The players' name of a side.
    fn side_name(side: Side) -> &'static str;

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

    /// Returns true if the pieces on the board are of a set of endgame tables; `None` where the game has no such
    /// sets.
    fn is_of_material(&self, pattern: &Pattern) -> Option<bool> {
        let _ = pattern;
        None
    }

    /// Foreign engines that score positions: so many processes of one.
    fn foreign_evaluators(
        command: &EngineCommand,
        options: &[(String, String)],
        limits: GoLimits,
        timeouts: Timeouts,
        count: usize,
    ) -> Result<Vec<Box<dyn Evaluator<Self>>>, CliError> {
        let _ = (options, limits, timeouts, count);
        let message = message!(
            "{}: no engines of other programs score gomoku; leave --engine out",
            command.program
        );
        Err(CliError::message(exit::USAGE, message))
    }
}

impl Terminal for Position {
    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "Red",
            Side::Second => "Black",
        }
    }

    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()> {
        evaluation::show(&explain(self), out)
    }

    fn is_of_material(&self, pattern: &Pattern) -> Option<bool> {
        Some(pattern.materials().contains(&Material::of(self).0))
    }

    fn foreign_evaluators(
        command: &EngineCommand,
        options: &[(String, String)],
        limits: GoLimits,
        timeouts: Timeouts,
        count: usize,
    ) -> Result<Vec<Box<dyn Evaluator<Self>>>, CliError> {
        let mut engines = spawn_evaluators(command, options, limits, timeouts, count)
            .or_exit(exit::UNAVAILABLE)?;
        // All of them say the same.
        for warning in engines.first_mut().map(ClientEvaluator::take_warnings).unwrap_or_default() {
            tell(message!("juzhong: {}: {warning}", command.program));
        }
        Ok(engines.into_iter().map(|engine| Box::new(engine) as _).collect())
    }
}

impl Terminal for Board {
    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "Black",
            Side::Second => "White",
        }
    }

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
