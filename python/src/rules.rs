//! Ends of games by the rules.

use juzhong::game::{Adjudicate, Game, Horizon, Line, Outcome};
use juzhong::xiangqi::{Position, RuleSet};
use pyo3::prelude::*;

use crate::convert::color_of;

/// The end of a game by the rules.
#[pyclass(name = "Outcome", module = "juzhong", frozen, eq, hash)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyOutcome {
    /// The reason: `checkmate`, `stalemate`, or the rule that decides, as in `perpetual check`.
    #[pyo3(get)]
    termination: String,
    outcome: Outcome,
}

#[pymethods]
impl PyOutcome {
    /// The colour of the winner; None for a draw.
    #[getter]
    fn winner(&self) -> Option<bool> {
        self.outcome.winner().map(color_of)
    }

    /// `1-0` if Red wins, `0-1` if Black does, else `1/2-1/2`.
    pub(crate) fn result(&self) -> String {
        self.outcome.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Outcome {} by {}>", self.outcome, self.termination)
    }
}

impl PyOutcome {
    /// The end of a game at the last position of a line, if there is one.
    pub(crate) fn of(line: &Line<Position>, rules: RuleSet) -> Option<Self> {
        let position = line.position();
        if let Some(outcome) = position.outcome() {
            let reason = if position.in_check() { "checkmate" } else { "stalemate" };
            return Some(Self { termination: reason.to_owned(), outcome });
        }
        let judgement = Position::judge(line, rules, Horizon::Game);
        let outcome = judgement.verdict.outcome()?;
        let termination = judgement.reason.unwrap_or("rule").to_owned();
        Some(Self { termination, outcome })
    }
}
