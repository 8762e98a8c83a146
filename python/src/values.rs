//! What endgame tables answer.

use juzhong::game::Side;
use juzhong::tablebase::{Entry, SideStats as TableSide, TableStats as Stats};
use pyo3::prelude::*;

use crate::convert::number_of;
use crate::moves::PyMove;

/// The value of a position for the side to move. Greater is better: quick wins first, then slow ones, draws, then
/// losses, the longest resistance first among them.
#[pyclass(module = "juzhong.tablebase", frozen, eq, ord, hash)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TableValue(pub(crate) Entry);

#[pymethods]
impl TableValue {
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss.
    #[getter]
    const fn wdl(&self) -> i8 {
        number_of(self.0.wdl)
    }

    /// The round of the repetition rule that decides; 0 if none is needed, and for draws.
    #[getter]
    const fn order(&self) -> u16 {
        self.0.order
    }

    /// The plies to mate, or to a capture or mate, by the metric of the tables; where the repetition rule decides, to
    /// the loop. 0 for draws, and for a side that is mated.
    #[getter]
    const fn distance(&self) -> u16 {
        self.0.distance
    }

    fn __repr__(&self) -> String {
        let Entry { order, distance, .. } = self.0;
        format!("TableValue(wdl={}, order={order}, distance={distance})", self.wdl())
    }
}

/// Best play of both sides from a position.
#[pyclass(module = "juzhong.tablebase", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct BestLine {
    /// The value of the first position.
    pub(crate) value: TableValue,
    /// The moves.
    pub(crate) moves: Vec<PyMove>,
    /// The value of each move for the side that makes it.
    pub(crate) values: Vec<TableValue>,
    /// `mate`, `stalemate`, `capture`, `loop`, `draw` or `limit`.
    pub(crate) end: &'static str,
    /// The index of the first move of the loop at the end; None if the line does not end with one.
    pub(crate) loop_start: Option<usize>,
    /// The rule that decides the loop, as in `perpetual check`.
    pub(crate) loop_rule: Option<&'static str>,
}

#[pymethods]
impl BestLine {
    fn __len__(&self) -> usize {
        self.moves.len()
    }

    fn __repr__(&self) -> String {
        format!("<BestLine of {} plies, end {}>", self.moves.len(), self.end)
    }
}

/// The counts of a table with one side to move, over the whole board: mirror images are counted separately.
#[pyclass(module = "juzhong.tablebase", frozen, get_all)]
#[derive(Debug, Clone)]
pub(crate) struct SideStats {
    /// The positions that the side to move wins.
    wins: u64,
    /// The drawn positions.
    draws: u64,
    /// The positions that the side to move loses.
    losses: u64,
    /// The wins that only the repetition rule gives.
    wins_by_rule: u64,
    /// The losses that only the repetition rule gives.
    losses_by_rule: u64,
    /// The plies of the longest win without the repetition rule; 0 if there is none.
    longest_win: u16,
    /// The FEN of a position with such a win.
    longest_fen: Option<String>,
    /// The number of positions of each value that occurs: wins first, then losses, each by order, then distance.
    histogram: Vec<(TableValue, u64)>,
}

impl From<&TableSide> for SideStats {
    fn from(side: &TableSide) -> Self {
        let counts = &side.counts;
        Self {
            wins: counts.win,
            draws: counts.draw,
            losses: counts.loss,
            wins_by_rule: counts.by_rule_win,
            losses_by_rule: counts.by_rule_loss,
            longest_win: counts.longest_win,
            longest_fen: side.longest.as_ref().map(|position| position.to_fen()),
            histogram: side
                .histogram
                .iter()
                .map(|row| (TableValue(row.entry), row.count))
                .collect(),
        }
    }
}

/// The counts of a table. The pieces named first are Red's.
#[pyclass(module = "juzhong.tablebase", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct TableStats {
    /// The pieces of the table, Red's first.
    material: String,
    /// The repetition rules.
    rules: &'static str,
    /// The metric of distances.
    metric: String,
    /// The size of the file in bytes.
    bytes: u64,
    /// The content hash in hexadecimal, independent of numbering and compression.
    content: String,
    /// The counts with Red to move.
    red_to_move: SideStats,
    /// The counts with Black to move.
    black_to_move: SideStats,
}

#[pymethods]
impl TableStats {
    fn __repr__(&self) -> String {
        format!("<TableStats {} rules {} metric {}>", self.material, self.rules, self.metric)
    }
}

impl TableStats {
    /// The counts of a table, the canonical first side being Black if `swapped`.
    pub(crate) fn new(stats: Stats, swapped: bool) -> Self {
        let stats = if swapped { stats.swapped() } else { stats };
        let first = if swapped { Side::Second } else { Side::First };
        Self {
            material: stats.material.name(first),
            rules: stats.rules.name(),
            metric: stats.metric.to_string(),
            bytes: stats.bytes,
            content: stats.content.iter().map(|byte| format!("{byte:02x}")).collect(),
            red_to_move: SideStats::from(&stats.sides.first),
            black_to_move: SideStats::from(&stats.sides.second),
        }
    }
}
