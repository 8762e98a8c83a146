//! Statistics of a table, from its header.

use crate::game::{BySide, Side};
use crate::tablebase::format::{HistogramRow, Section, SideCounts};
use crate::tablebase::material::Material;
use crate::tablebase::probe::tables::{ProbeError, Tables};
use crate::tablebase::solve::table::exchanged;
use crate::tablebase::value::{Metric, Rules, Wdl};
use crate::xiangqi::Position;

/// The counts of a table, by side to move, the canonical first side being Red.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStats {
    /// The material of the table.
    pub material: Material,
    /// The repetition rules.
    pub rules: Rules,
    /// The metric of distances.
    pub metric: Metric,
    /// By side to move.
    pub sides: BySide<SideStats>,
    /// Slots per side to move.
    pub slots: u64,
    /// Size of the file.
    pub bytes: u64,
    /// Of these, the section of results.
    pub wdl_bytes: u64,
    /// And the section of orders and distances.
    pub distance_bytes: u64,
    /// The content hash, independent of numbering and compression.
    pub content: [u8; 32],
}

/// The counts with one side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideStats {
    /// Results of all positions.
    pub counts: SideCounts,
    /// A position with the longest win of order 0, if there is one.
    pub longest: Option<Position>,
    /// The number of positions won and lost in each order and distance that occurs: wins first,
    /// then losses, each by order, then distance.
    pub histogram: Vec<HistogramRow>,
}

impl SideStats {
    /// The number of positions won, and lost, whose distance is greater than this number of plies.
    #[must_use]
    pub fn beyond(&self, plies: u16) -> (u64, u64) {
        (self.count_beyond(Wdl::Win, plies), self.count_beyond(Wdl::Loss, plies))
    }

    /// The number of positions of a result whose distance is greater than this number of plies.
    fn count_beyond(&self, wdl: Wdl, plies: u16) -> u64 {
        self.histogram
            .iter()
            .filter(|row: &&HistogramRow| row.entry.wdl == wdl && row.entry.distance > plies)
            .map(|row| row.count)
            .sum()
    }
}

impl TableStats {
    /// The same with the sides exchanged: the canonical second side being Red.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            sides: self.sides.swapped().map(|side: SideStats| SideStats {
                longest: side.longest.as_ref().map(exchanged),
                ..side
            }),
            ..self
        }
    }
}

impl Tables {
    /// The counts of a table.
    ///
    /// # Errors
    ///
    /// If the table is missing or its header damaged.
    pub fn stats(&self, material: Material) -> Result<TableStats, ProbeError> {
        let file = self.file(material)?;
        let header = &file.header;
        let mut longest = header.longest_positions();
        Ok(TableStats {
            material,
            rules: self.rules(),
            metric: self.metric(),
            sides: BySide::new_with(|side: Side| SideStats {
                counts: header.counts[side.index()],
                longest: longest[side].take(),
                histogram: header.histogram(side),
            }),
            slots: file.header.slots,
            bytes: file.bytes(),
            wdl_bytes: file.section_bytes(Section::Wdl),
            distance_bytes: file.section_bytes(Section::Distance),
            content: file.header.content,
        })
    }
}
