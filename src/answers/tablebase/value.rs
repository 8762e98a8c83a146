//! Values in answers, and the kind of tables that they come from.

use serde::Serialize;

use crate::tablebase::{Entry, Metric, Rules, Tables, Wdl};
use crate::xiangqi::move_limit::MOVE_LIMIT;

/// The value of a position for the side to move, or of a move for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TableValue {
    /// `win`, `draw` or `loss`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "draw", "loss"])))]
    pub wdl: &'static str,
    /// The round of the repetition rule that decides; 0 if none is needed.
    pub order: u16,
    /// Plies; none for draws.
    pub distance: Option<u16>,
}

impl From<Entry> for TableValue {
    fn from(entry: Entry) -> Self {
        let distance = (entry.wdl != Wdl::Draw).then_some(entry.distance);
        Self { wdl: entry.wdl.name(), order: entry.order, distance }
    }
}

/// The parameters that the tables of an answer have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TableKind {
    /// The repetition rules: `none`, `check` or `asian`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["none", "check", "asian"])))]
    pub rules: &'static str,
    /// The metric of distances: `dtm`, `dtc`, or `dtc` with a limit of plies.
    pub metric: String,
}

impl TableKind {
    /// The kind of tables of these rules with that metric.
    #[must_use]
    pub fn new(rules: Rules, metric: Metric) -> Self {
        Self { rules: rules.name(), metric: metric.to_string() }
    }
}

impl From<&Tables> for TableKind {
    fn from(tables: &Tables) -> Self {
        Self::new(tables.rules(), tables.metric())
    }
}

/// Returns true if a value comes after the limit of plies without a capture that ends games at the board; `None` where
/// distances do not tell, or the table has a limit of its own.
#[must_use]
pub fn is_beyond_limit(entry: Entry, metric: Metric) -> Option<bool> {
    (metric == Metric::Dtc).then(|| u32::from(entry.distance) > MOVE_LIMIT)
}
