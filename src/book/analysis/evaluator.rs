//! Sources of scores: engines and tablebases, seen through one trait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::book::model::value::Evaluation;
use crate::bytes::StopFlag;
use crate::game::{Game, Line};
use crate::message::{Message, message};

/// Evaluates positions: a tablebase, an engine. Implemented above this room.
pub trait Evaluator<G: Game>: Send {
    /// The name under which a book keeps its scores.
    fn name(&self) -> &str;

    /// Returns true if it may have an answer for this position. Cheap.
    fn covers(&self, position: &G) -> bool {
        let _ = position;
        true
    }

    /// Evaluates the last position of `line`; `None` if it has no answer or `stop` is set. The answer depends
    /// on the line alone unless its limits are times.
    ///
    /// # Errors
    ///
    /// If it cannot answer any further question.
    fn evaluate(
        &mut self,
        line: &Line<G>,
        stop: &StopFlag,
    ) -> Result<Option<Evaluation<G::Move>>, EvaluatorError>;
}

/// A source of scores that has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("{source_name}: {what}")]
pub struct EvaluatorError {
    /// The source.
    pub source_name: String,
    /// The failure, and what to do.
    pub what: Message,
}

/// Evaluates every line, each of the `evaluators` in a thread of its own: the next line goes to the first
/// that is free. `done` is called in this thread with the line's number and the answer, in the order of
/// answers. Returns early, without an error, once `stop` is set or `done` returns `false`.
///
/// # Errors
///
/// The first error of an evaluator, or of `done`; earlier answers have been passed to `done`.
pub fn evaluate_all<G: Game, E: From<EvaluatorError>>(
    lines: usize,
    line: &(dyn Fn(usize) -> Line<G> + Sync),
    evaluators: &mut [Box<dyn Evaluator<G> + '_>],
    stop: &StopFlag,
    done: &mut dyn FnMut(usize, Option<Evaluation<G::Move>>) -> Result<bool, E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let ended = StopFlag::default();
    std::thread::scope(|scope| {
        let (sender, answers) = mpsc::channel();
        for evaluator in evaluators {
            let sender = sender.clone();
            let next = &next;
            let ended = &ended;
            let started = std::thread::Builder::new().spawn_scoped(scope, move || {
                while !ended.is_set() && !stop.is_set() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= lines {
                        return;
                    }
                    let answer = evaluator.evaluate(&line(number), stop);
                    let failed = answer.is_err();
                    if sender.send((number, answer)).is_err() || failed {
                        return;
                    }
                }
            });
            if let Err(error) = started {
                ended.set();
                let what = message!("cannot start a thread: {error}");
                return Err(EvaluatorError { source_name: "scores".to_owned(), what }.into());
            }
        }
        drop(sender);
        let mut result = Ok(());
        for (number, answer) in answers {
            if ended.is_set() {
                continue; // the others are just ending
            }
            let goes_on = match answer {
                // The answer of an aborted search is weaker than it would have been. A source that ends after
                // the stop has not failed.
                _ if stop.is_set() => Ok(false),
                Ok(answer) => done(number, answer),
                Err(error) => Err(E::from(error)),
            };
            if !matches!(goes_on, Ok(true)) {
                ended.set();
                result = goes_on.map(|_| ());
            }
        }
        result
    })
}
