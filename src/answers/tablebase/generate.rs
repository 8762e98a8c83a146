//! Tables to build and tables built.

use serde::Serialize;

use crate::answers::tablebase::value::TableKind;
use crate::tablebase::{
    Built, Estimate, Metric, Needed, Plan, PlannedTable, Report, Rules, TableState, Workload,
};

/// The cost of building a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableCost {
    /// The set, in its canonical name.
    pub material: String,
    /// Number of pieces, kings included.
    pub men: usize,
    /// Slots for each side to move.
    pub slots: u64,
    /// Peak memory, in bytes.
    pub memory: u64,
    /// Size of the file, in bytes.
    pub disk: u64,
    /// Seconds that one core needs.
    pub core_seconds: f64,
}

/// The cost of building tables together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkTotal {
    /// All tables.
    pub tables: usize,
    /// Those that have to be built.
    pub to_build: usize,
    /// Slots for each side to move of those.
    pub slots: u64,
    /// Peak memory, in bytes.
    pub memory: u64,
    /// Size of the files, in bytes.
    pub disk: u64,
    /// Bytes free on the disk, where that is known.
    pub disk_free: Option<u64>,
    /// Number of threads.
    pub threads: usize,
    /// Seconds that they need.
    pub seconds: f64,
}

/// The tables that would be built: schema `juzhong.tablebase.generate.plan/1`.
#[derive(Debug, Clone, Serialize)]
pub struct GeneratePlanAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// The cost of all.
    pub total: WorkTotal,
    /// Each table after those its captures lead to.
    pub tables: Vec<NeededTable>,
}

/// A table that is wanted, or that captures lead to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeededTable {
    /// The cost of building it.
    #[serde(flatten)]
    pub cost: TableCost,
    /// `absent`, `older` (of an older format, and will be replaced) or `present`.
    pub state: &'static str,
    /// Bytes of the file, if it is present.
    pub bytes: Option<u64>,
}

/// The tables built: schema `juzhong.tablebase.generate/1`.
#[derive(Debug, Clone, Serialize)]
pub struct GenerateAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// Every table wanted or needed, each after those its captures lead to.
    pub tables: Vec<BuiltTable>,
}

/// A table that was built, or was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuiltTable {
    /// The set, in its canonical name.
    pub material: String,
    /// Its file.
    pub path: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// A valid table was there already.
    pub reused: bool,
}

/// The dependencies of tables: schema `juzhong.tablebase.plan/1`.
#[derive(Debug, Clone, Serialize)]
pub struct PlanAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// Each table after those its captures lead to.
    pub tables: Vec<PlannedTable>,
}

/// A number of seconds, or a part of 1, to three decimals.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

impl From<&Estimate> for TableCost {
    fn from(estimate: &Estimate) -> Self {
        Self {
            material: estimate.material.to_string(),
            men: estimate.material.men(),
            slots: estimate.slots,
            memory: estimate.memory,
            disk: estimate.disk,
            core_seconds: rounded(estimate.work.as_secs_f64()),
        }
    }
}

impl From<&Workload> for WorkTotal {
    fn from(plan: &Workload) -> Self {
        Self {
            tables: plan.tables.len(),
            to_build: plan.to_build().count(),
            slots: plan.slots(),
            memory: plan.memory(),
            disk: plan.disk(),
            disk_free: plan.free,
            threads: plan.threads,
            seconds: rounded(plan.time().as_secs_f64()),
        }
    }
}

impl From<&Needed> for NeededTable {
    fn from(table: &Needed) -> Self {
        let (state, bytes) = match table.state {
            TableState::Absent => ("absent", None),
            TableState::Older => ("older", None),
            TableState::Present(bytes) => ("present", Some(bytes)),
        };
        Self { cost: (&table.estimate).into(), state, bytes }
    }
}

impl GeneratePlanAnswer {
    /// The answer for tables of these rules with that metric.
    #[must_use]
    pub fn new(plan: &Workload, rules: Rules, metric: Metric) -> Self {
        Self {
            schema: "juzhong.tablebase.generate.plan/1",
            kind: TableKind::new(rules, metric),
            total: plan.into(),
            tables: plan.tables.iter().map(NeededTable::from).collect(),
        }
    }
}

impl GenerateAnswer {
    /// The answer for tables of these rules with that metric.
    #[must_use]
    pub fn new(report: &Report, rules: Rules, metric: Metric) -> Self {
        Self {
            schema: "juzhong.tablebase.generate/1",
            kind: TableKind::new(rules, metric),
            tables: report.tables.iter().map(BuiltTable::from).collect(),
        }
    }
}

impl From<&Built> for BuiltTable {
    fn from(built: &Built) -> Self {
        Self {
            material: built.material.to_string(),
            path: built.path.display().to_string(),
            bytes: built.bytes,
            reused: built.reused,
        }
    }
}

impl From<Plan> for PlanAnswer {
    fn from(plan: Plan) -> Self {
        Self {
            schema: "juzhong.tablebase.plan/1",
            kind: TableKind::new(plan.rules, plan.metric),
            tables: plan.tables,
        }
    }
}
