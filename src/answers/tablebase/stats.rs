//! The statistics of a table, and the list of the tables of a folder.

use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

use crate::answers::error::{AnswerError, ErrorReport};
use crate::answers::tablebase::value::TableKind;
use crate::game::{BySide, Side};
use crate::tablebase::{
    HistogramRow, ManualVerdict, Material, MaterialError, Metric, SideStats, TableStats, Tables,
    chinese_name,
};
use crate::xiangqi::Position;
use crate::xiangqi::move_limit::MOVE_LIMIT;

const STATS_SCHEMA: &str = "juzhong.tablebase.stats/1";
const LIST_SCHEMA: &str = "juzhong.tablebase.list/1";

/// A set as it was named: perhaps with the canonical second side first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedSet {
    /// The set.
    pub material: Material,
    /// The canonical second side was named first, and is Red.
    pub is_swapped: bool,
}

impl FromStr for NamedSet {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let (material, is_swapped) = Material::parse_as_asked(text)?;
        Ok(Self { material, is_swapped })
    }
}

/// The sizes of a table, and its content hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TableSize {
    /// Slots for each side to move.
    pub slots: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Of these, those for results.
    pub wdl_bytes: u64,
    /// Of these, those for orders and distances.
    pub distance_bytes: u64,
    /// The content hash, 64 hexadecimal digits.
    pub content: String,
}

/// The statistics of a table: schema `juzhong.tablebase.stats/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "SetStats", description = "The object of `tablebase stats --json`.")
)]
pub struct StatsAnswer {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = STATS_SCHEMA)))]
    pub schema: &'static str,
    /// The set as it was named.
    pub material: String,
    /// Its Chinese name in manuals.
    pub chinese_name: String,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// Positions with Red to move, who has the side named first.
    pub red: SideStatsAnswer,
    /// Positions with Black to move.
    pub black: SideStatsAnswer,
    /// The verdict of manuals on the set, if there is one.
    pub manual: Option<ManualOpinion>,
    /// The size of the table.
    #[serde(flatten)]
    pub size: TableSize,
}

/// The positions with one side to move.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "SideStats"))]
pub struct SideStatsAnswer {
    /// Those won.
    pub win: u64,
    /// Those drawn.
    pub draw: u64,
    /// Those lost.
    pub loss: u64,
    /// Of those won, those by the repetition rule.
    pub by_rule_win: u64,
    /// Of those lost, those by the repetition rule.
    pub by_rule_loss: u64,
    /// The distance of the longest win, in plies.
    pub longest_win: u16,
    /// A position with that win.
    pub longest_fen: Option<String>,
    /// Positions by order and distance: wins first, then losses.
    pub histogram: Vec<HistogramEntry>,
    /// Those decided after the limit of plies without a capture; with the metric `dtc` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_limit: Option<BeyondLimit>,
}

/// The number of positions of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct HistogramEntry {
    /// `win` or `loss`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "loss"])))]
    pub wdl: &'static str,
    /// The order.
    pub order: u16,
    /// The distance in plies.
    pub distance: u16,
    /// The number of positions.
    pub count: u64,
}

/// The number of positions whose next capture or mate comes after the limit of plies that ends games at the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct BeyondLimit {
    /// The limit.
    pub plies: u32,
    /// Those won.
    pub win: u64,
    /// Those lost.
    pub loss: u64,
}

/// The verdict of manuals on a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ManualOpinion {
    /// The [name](ManualVerdict::name) of the verdict.
    #[cfg_attr(feature = "schemas", schemars(description = "The verdict in a word."))]
    pub verdict: &'static str,
    /// The table agrees.
    pub agrees: bool,
}

impl StatsAnswer {
    /// The statistics of a set.
    ///
    /// See the [example](crate::answers::tablebase).
    ///
    /// # Errors
    ///
    /// There is no table of the set, or it is damaged.
    pub fn of(tables: &Tables, set: NamedSet) -> Result<Self, AnswerError> {
        let NamedSet { material, is_swapped } = set;
        let stats = tables.stats(material)?;
        let manual = ManualOpinion::on(&stats);
        let stats = if is_swapped { stats.swapped() } else { stats };
        let first = if is_swapped { Side::Second } else { Side::First };
        let size = TableSize::from(&stats);
        let TableStats { rules, metric, sides, .. } = stats;
        let BySide { first: red, second: black } =
            sides.map(|side| SideStatsAnswer::of(side, metric));
        Ok(Self {
            schema: STATS_SCHEMA,
            material: material.name(first),
            chinese_name: chinese_name(material, first),
            kind: TableKind::new(rules, metric),
            red,
            black,
            manual,
            size,
        })
    }
}

impl ManualOpinion {
    fn on(stats: &TableStats) -> Option<Self> {
        let verdict = ManualVerdict::on(stats.material)?;
        let agrees = verdict.agrees_with(&stats.sides.first.counts);
        Some(Self { verdict: verdict.name(), agrees })
    }
}

impl SideStatsAnswer {
    fn of(side: SideStats, metric: Metric) -> Self {
        let beyond_limit = (metric == Metric::Dtc).then(|| {
            let (win, loss) = side.beyond(MOVE_LIMIT as u16);
            BeyondLimit { plies: MOVE_LIMIT, win, loss }
        });
        let SideStats { counts, longest, histogram } = side;
        Self {
            win: counts.win,
            draw: counts.draw,
            loss: counts.loss,
            by_rule_win: counts.by_rule_win,
            by_rule_loss: counts.by_rule_loss,
            longest_win: counts.longest_win,
            longest_fen: longest.as_ref().map(Position::to_fen),
            histogram: histogram.into_iter().map(HistogramEntry::from).collect(),
            beyond_limit,
        }
    }
}

impl From<HistogramRow> for HistogramEntry {
    fn from(HistogramRow { entry, count }: HistogramRow) -> Self {
        Self { wdl: entry.wdl.name(), order: entry.order, distance: entry.distance, count }
    }
}

impl From<&TableStats> for TableSize {
    fn from(stats: &TableStats) -> Self {
        Self {
            slots: stats.slots,
            bytes: stats.bytes,
            wdl_bytes: stats.wdl_bytes,
            distance_bytes: stats.distance_bytes,
            content: stats.content.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// The tables of a folder: schema `juzhong.tablebase.list/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "Sets", description = "The object of `tablebase list --json`.")
)]
pub struct ListAnswer {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = LIST_SCHEMA)))]
    pub schema: &'static str,
    /// The tables, those that cannot be read last.
    // The server has none of the latter.
    #[cfg_attr(
        feature = "schemas",
        schemars(with = "Vec<TableEntry>", description = "The tables.")
    )]
    pub tables: Vec<ListedTable>,
}

/// A table of a list.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum ListedTable {
    /// One that was read.
    Table(TableEntry),
    /// One that cannot be read.
    Failed(FailedTable),
}

/// A table that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Set"))]
pub struct TableEntry {
    /// The set, in its canonical name.
    pub material: String,
    /// The kind of the table.
    #[serde(flatten)]
    pub kind: TableKind,
    /// The size of the table.
    #[serde(flatten)]
    pub size: TableSize,
}

/// A table that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedTable {
    /// The set, in its canonical name.
    pub material: String,
    /// The kind of the table, where the answer is about several kinds.
    #[serde(flatten)]
    pub kind: Option<TableKind>,
    /// The reason.
    pub error: ErrorReport,
}

impl ListAnswer {
    /// The tables of one kind.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub fn of(tables: &Tables) -> Result<Self, AnswerError> {
        let mut list = Vec::new();
        for &material in tables.materials() {
            list.push(ListedTable::Table(tables.stats(material)?.into()));
        }
        Ok(Self::new(list))
    }

    /// The tables of every kind in a folder. `report` hears of each that cannot be read, and says what the answer has
    /// of it.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn of_folder(
        dir: &Path,
        report: &mut dyn FnMut(AnswerError) -> ErrorReport,
    ) -> Result<Self, AnswerError> {
        let mut list = Vec::new();
        let mut failed = Vec::new();
        for (rules, metric) in Tables::kinds_in(dir)? {
            let tables = Tables::open(dir, rules, metric)?;
            for &material in tables.materials() {
                match tables.stats(material) {
                    Ok(stats) => list.push(ListedTable::Table(stats.into())),
                    Err(error) => failed.push(ListedTable::Failed(FailedTable {
                        material: material.to_string(),
                        kind: Some((&tables).into()),
                        error: report(error.into()),
                    })),
                }
            }
        }
        list.append(&mut failed);
        Ok(Self::new(list))
    }

    const fn new(tables: Vec<ListedTable>) -> Self {
        Self { schema: LIST_SCHEMA, tables }
    }
}

impl From<TableStats> for TableEntry {
    fn from(stats: TableStats) -> Self {
        Self {
            material: stats.material.to_string(),
            kind: TableKind::new(stats.rules, stats.metric),
            size: (&stats).into(),
        }
    }
}
