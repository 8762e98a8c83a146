//! A position looked up: its value and those of its moves, best first.

use std::cmp::Reverse;

use serde::Serialize;

use crate::answers::error::AnswerError;
use crate::answers::tablebase::clock::{Clock, ClockAnswer};
use crate::answers::tablebase::value::{TableKind, TableValue, is_beyond_limit};
use crate::game::Line;
use crate::tablebase::{Entry, Material, Metric, Rules, Tables, Wdl};
use crate::xiangqi::notation::{MoveNotation, format_move};
use crate::xiangqi::{Move, Position};

/// A position looked up in tables.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The position.
    pub position: Position,
    /// The rules of the tables.
    pub rules: Rules,
    /// Their metric.
    pub metric: Metric,
    /// The value for the side to move.
    pub entry: Entry,
    /// The moves with their values for the side that makes them, best first.
    pub moves: Vec<(Move, Entry)>,
    /// The clock of the position.
    pub clock: Clock,
}

const SCHEMA: &str = "juzhong.tablebase.probe/1";

/// The answer about a position: schema `juzhong.tablebase.probe/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "Probe", description = "The object of `tablebase probe --json`.")
)]
pub struct ProbeAnswer {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The position.
    pub fen: String,
    /// The set of its pieces, in its canonical name.
    pub material: String,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// The value for the side to move.
    #[serde(flatten)]
    pub value: TableValue,
    /// The distance is greater than the limit of plies without a capture; with the metric `dtc` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_limit: Option<bool>,
    /// The plies without a capture, and their effect.
    pub clock: ClockAnswer,
    /// The moves, best first.
    pub moves: Vec<ProbedMove>,
}

/// A move with its value.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "TableMove"))]
pub struct ProbedMove {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The value for the side that makes it.
    #[serde(flatten)]
    pub value: TableValue,
    /// As that of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_limit: Option<bool>,
    /// As the effect of the position's clock.
    pub clock_effect: &'static str,
}

impl Probe {
    /// Looks up the last position of a line.
    ///
    /// # Errors
    ///
    /// The tables do not have it, or are damaged.
    pub fn of(tables: &Tables, line: &Line<Position>) -> Result<Self, AnswerError> {
        let position = line.position().clone();
        let entry = tables.probe(&position)?;
        let moves = tables.probe_root(&position)?;
        let clock = Clock::of(line, tables);
        let rules = tables.rules();
        let mut probe = Self { position, rules, metric: tables.metric(), entry, moves, clock };
        if clock.counts() {
            probe.sort_by_clock();
        }
        Ok(probe)
    }

    /// Of moves of one result those that the limit does not prevent come first for a winner, last for a loser.
    fn sort_by_clock(&mut self) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.sort_by_key(|&(mv, entry)| {
            let is_late = self.clock.effect(entry, self.is_capture(mv)).is_late();
            // Wins in time come before late ones, late losses before those in time.
            (Reverse(entry.wdl), is_late == (entry.wdl == Wdl::Win))
        });
        self.moves = moves;
    }

    /// Returns true if a move from the position is a capture.
    #[must_use]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.position.piece_at(mv.to()).is_some()
    }

    /// Returns true if a capture at once brings the result in time that comes too late otherwise.
    #[must_use]
    pub fn is_saved_by_capture(&self) -> bool {
        let Some(&(mv, best)) = self.moves.first() else { return false };
        self.entry.wdl == Wdl::Win
            && self.clock.effect(self.entry, false).is_late()
            && best.wdl == Wdl::Win
            && self.is_capture(mv)
            && !self.clock.effect(best, true).is_late()
    }

    /// The answer, with texts of the moves if a notation is named.
    ///
    /// See the [example](crate::answers::tablebase).
    #[must_use]
    pub fn answer(&self, notation: Option<MoveNotation>) -> ProbeAnswer {
        ProbeAnswer {
            schema: SCHEMA,
            fen: self.position.to_fen(),
            material: Material::of(&self.position).0.to_string(),
            kind: TableKind::new(self.rules, self.metric),
            value: self.entry.into(),
            beyond_limit: is_beyond_limit(self.entry, self.metric),
            clock: self.clock.answer(self.entry, self.is_saved_by_capture()),
            moves: self.moves.iter().map(|&(mv, entry)| self.probed(mv, entry, notation)).collect(),
        }
    }

    fn probed(&self, mv: Move, entry: Entry, notation: Option<MoveNotation>) -> ProbedMove {
        ProbedMove {
            mv: mv.to_string(),
            text: notation.map(|notation| format_move(&self.position, mv, notation)),
            value: entry.into(),
            beyond_limit: is_beyond_limit(entry, self.metric),
            clock_effect: self.clock.effect(entry, self.is_capture(mv)).name(),
        }
    }
}
