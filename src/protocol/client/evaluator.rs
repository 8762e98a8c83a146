//! Other engines as sources of scores for the positions of books.

use crate::book::{Evaluation, Evaluator, EvaluatorError};
use crate::bytes::StopFlag;
use crate::game::{Line, Notation};
use crate::protocol::client::analysis::legal;
use crate::protocol::client::entry::EngineEntry;
use crate::protocol::client::go::GoLimits;
use crate::protocol::client::ready::ReadyWord;
use crate::protocol::client::{Client, ClientError, EngineCommand, Timeouts};

/// A foreign engine as a source of scores for books.
#[derive(Debug)]
pub struct ClientEvaluator {
    client: Client,
    limits: GoLimits,
}

/// Starts `count` processes of an engine and sets the same options in each.
///
/// # Errors
///
/// The first that fails.
pub fn spawn_evaluators(
    command: &EngineCommand,
    options: &[(String, String)],
    limits: GoLimits,
    timeouts: Timeouts,
    count: usize,
) -> Result<Vec<ClientEvaluator>, ClientError> {
    let entry = EngineEntry::of_command(command.clone());
    let entry = EngineEntry { options: options.to_vec(), ..entry };
    evaluators_of(&entry, limits, timeouts, count)
}

/// Starts `count` processes of an engine, with its options set in each.
///
/// # Errors
///
/// The first that fails.
pub fn evaluators_of(
    entry: &EngineEntry,
    limits: GoLimits,
    timeouts: Timeouts,
    count: usize,
) -> Result<Vec<ClientEvaluator>, ClientError> {
    let mut ready = ReadyWord::default();
    (0..count)
        .map(|_| {
            // Where one process has ignored `isready`, the others are not asked.
            let client = entry.start_again(timeouts, ready)?;
            ready = client.ready_word();
            Ok(ClientEvaluator { client, limits })
        })
        .collect()
}

impl<G: Notation> Evaluator<G> for ClientEvaluator {
    fn name(&self) -> &str {
        self.client.name()
    }

    /// An illegal move counts as no move; a missing score, as no answer.
    fn evaluate(
        &mut self,
        line: &Line<G>,
        stop: &StopFlag,
    ) -> Result<Option<Evaluation<G::Move>>, EvaluatorError> {
        let thought = self.think(line, stop).map_err(|error| EvaluatorError {
            source_name: self.client.name().to_owned(),
            what: crate::engine::in_full(&error),
        })?;
        let Some((score, bound)) = thought.info.score else { return Ok(None) };
        let best = thought.best.as_deref().and_then(|text| legal(line.position(), text));
        Ok(Some(Evaluation {
            score: score.into(),
            bound,
            depth: thought.info.depth,
            nodes: thought.info.nodes,
            best,
        }))
    }
}

impl ClientEvaluator {
    /// Returns the messages of the engine between searches, for people.
    pub fn take_warnings(&mut self) -> Vec<String> {
        self.client.take_warnings()
    }

    fn think<G: Notation>(
        &mut self,
        line: &Line<G>,
        stop: &StopFlag,
    ) -> Result<crate::protocol::client::Thought, ClientError> {
        self.client.new_game()?;
        // The position alone counts, not the way on which the book reached it.
        let position = Line::new(line.position().clone(), 0);
        self.client.set_line(Some(&position.start().to_fen()), &position)?;
        self.client.go(&self.limits, &|| stop.is_set())
    }
}
