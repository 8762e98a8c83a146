//! The progress of building tables, an object for each event.

use serde::Serialize;

use crate::answers::tablebase::generate::{BuiltTable, TableCost, WorkTotal, rounded};
use crate::tablebase::{Built, Estimate, Material, Phase, Workload};

/// An event: schema `juzhong.tablebase.progress/1`.
#[derive(Debug, Clone, Serialize)]
pub struct ProgressAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The event.
    #[serde(flatten)]
    pub event: ProgressEvent,
}

/// The events of building tables.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ProgressEvent {
    /// The tables to build, before it begins.
    Plan(WorkTotal),
    /// A table is begun.
    Start(StartedTable),
    /// The phase of a table at work.
    Phase(PhaseOfTable),
    /// Another process builds the table.
    Wait(WaitingTable),
    /// A table is there.
    Finish(FinishedTable),
}

/// A table that is begun.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StartedTable {
    /// The cost of building it.
    #[serde(flatten)]
    pub cost: TableCost,
    /// Its number, from 1.
    pub number: usize,
    /// The number of tables to build.
    pub of: usize,
}

/// The phase of a table at work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseOfTable {
    /// The set, in its canonical name.
    pub material: String,
    /// `look`, `spread`, `judge`, `hash` or `pack`.
    pub phase: &'static str,
    /// The round of the repetition rule that spreads or is judged.
    pub order: Option<u16>,
    /// The distance that spreads, in plies.
    pub ply: Option<u16>,
    /// The part of the table that is done, from 0 to 1.
    pub done: f64,
    /// The part of all tables that is done.
    pub all_done: f64,
    /// Slots done in a second so far.
    pub slots_per_second: u64,
    /// Seconds until all are done.
    pub seconds_left: u64,
}

/// A table that another process builds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingTable {
    /// The set, in its canonical name.
    pub material: String,
    /// The number of the process, where it is known.
    pub process: Option<u32>,
}

/// A table that is there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinishedTable {
    /// The table.
    #[serde(flatten)]
    pub table: BuiltTable,
    /// Seconds that it took, if it was begun.
    pub seconds: Option<f64>,
    /// Seconds until all are done.
    pub seconds_left: u64,
}

impl From<ProgressEvent> for ProgressAnswer {
    fn from(event: ProgressEvent) -> Self {
        Self { schema: "juzhong.tablebase.progress/1", event }
    }
}

impl ProgressEvent {
    /// The tables to build.
    #[must_use]
    pub fn plan(plan: &Workload) -> Self {
        Self::Plan(plan.into())
    }

    /// A table is begun, the `number`-th of `of`.
    #[must_use]
    pub fn start(estimate: &Estimate, number: usize, of: usize) -> Self {
        Self::Start(StartedTable { cost: estimate.into(), number, of })
    }

    /// The phase of a table of which the part `done` is done, `all_done` of all.
    #[must_use]
    pub fn phase(
        material: Material,
        phase: Phase,
        (done, all_done): (f64, f64),
        slots_per_second: f64,
        seconds_left: f64,
    ) -> Self {
        let (phase, order, ply) = match phase {
            Phase::Looking { .. } => ("look", None, None),
            Phase::Spreading { order, distance } => ("spread", Some(order), Some(distance)),
            Phase::Judging { order } => ("judge", Some(order), None),
            Phase::Hashing => ("hash", None, None),
            Phase::Packing => ("pack", None, None),
        };
        Self::Phase(PhaseOfTable {
            material: material.to_string(),
            phase,
            order,
            ply,
            done: rounded(done),
            all_done: rounded(all_done),
            slots_per_second: slots_per_second as u64,
            seconds_left: seconds_left.ceil() as u64,
        })
    }

    /// Another process, perhaps of this number, builds the table.
    #[must_use]
    pub fn wait(material: Material, process: Option<u32>) -> Self {
        Self::Wait(WaitingTable { material: material.to_string(), process })
    }

    /// A table is there, after these seconds of work.
    #[must_use]
    pub fn finish(built: &Built, seconds: Option<f64>, seconds_left: f64) -> Self {
        Self::Finish(FinishedTable {
            table: built.into(),
            seconds: seconds.map(rounded),
            seconds_left: seconds_left.ceil() as u64,
        })
    }
}
