//! The header of a table: what a reader needs to know before the blocks.

use serde::{Deserialize, Serialize};

use super::super::index::Index;
use super::super::material::Material;
use super::super::solve::{ORDER_LIMIT, RANK_LIMIT};
use super::super::stats::HistogramRow;
use super::super::table::DRAW;
use super::super::value::{Entry, Metric, Rules};
use super::layout::Layout;
use super::symbols::Packing;
use crate::bytes::sealed::{self, Kind, SealError};
use crate::game::{BySide, Side};
use crate::xiangqi::Position;

/// How the header is sealed.
const KIND: Kind = Kind { magic: *b"JZTABLE\0", version: 2, limit: 1 << 22 };

/// (order, distance) pairs.
pub(in crate::tablebase) type Ranks = Vec<(u16, u16)>;

/// What a reader needs to know of a table before its blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::tablebase) struct Header {
    pub(in crate::tablebase) material: String,
    pub(in crate::tablebase) rules: String,
    pub(in crate::tablebase) metric: String,
    /// The program that wrote it.
    pub(in crate::tablebase) tool: String,
    /// Slots per side to move of the generator.
    pub(in crate::tablebase) slots: u64,
    /// By side to move.
    pub(in crate::tablebase) counts: [SideCounts; 2],
    /// By side to move: a position with the longest win of order 0 in FEN; empty if there is none.
    pub(in crate::tablebase) longest: [String; 2],
    /// The (order, distance) pairs of wins, ascending.
    pub(in crate::tablebase) wins: Ranks,
    /// The (order, distance) pairs of losses, ascending.
    pub(in crate::tablebase) losses: Ranks,
    /// By side to move: the number of positions of the whole board for each pair of `wins`.
    pub(in crate::tablebase) win_counts: [Vec<u64>; 2],
    /// By side to move: the number of positions of the whole board for each pair of `losses`.
    pub(in crate::tablebase) loss_counts: [Vec<u64>; 2],
    /// The tables that captures lead to, by name, and their content hashes.
    pub(in crate::tablebase) dependencies: Vec<(String, [u8; 32])>,
    /// See [`super::super::content`].
    pub(in crate::tablebase) content: [u8; 32],
    /// The component through which mirror images are folded.
    pub(in crate::tablebase) fold: u8,
    /// For each side to move the stream of results, then that of distances.
    pub(in crate::tablebase) streams: Vec<Stream>,
}

/// The values of a section with one side to move: consecutive blocks, and a table of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::tablebase) struct Stream {
    /// How values are packed into bytes: see [`Packing`].
    pub(in crate::tablebase) packing: u8,
    /// The components, the slowest first.
    pub(in crate::tablebase) order: Vec<u8>,
    /// Bytes of all blocks.
    pub(in crate::tablebase) bytes: u64,
    /// Bytes of the block table.
    pub(in crate::tablebase) table_bytes: u64,
    /// CRC32 of the block table.
    pub(in crate::tablebase) table_crc: u32,
}

/// The results of all positions with one side to move, over the whole board: mirror images counted
/// separately, identical men not distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SideCounts {
    /// Won for the side to move.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Lost for the side to move.
    pub loss: u64,
    /// Won by the repetition rule (order 1 and up); counted in `win` also.
    pub by_rule_win: u64,
    /// Lost by the repetition rule (order 1 and up); counted in `loss` also.
    pub by_rule_loss: u64,
    /// Plies of the longest win of order 0; 0 if there is none.
    pub longest_win: u16,
    /// The highest order that occurs.
    pub last_order: u16,
}

/// What goes into the header beside the values.
pub(in crate::tablebase) struct Label {
    pub(in crate::tablebase) rules: Rules,
    pub(in crate::tablebase) metric: Metric,
    pub(in crate::tablebase) dependencies: Vec<(String, [u8; 32])>,
    pub(in crate::tablebase) content: [u8; 32],
}

impl Header {
    /// Whether numbers of the distance section need two bytes.
    pub(super) fn is_wide(&self) -> bool {
        self.wins.len().max(self.losses.len()) > 256
    }

    /// Sides to move that have streams of their own.
    pub(super) fn sides(&self) -> usize {
        self.streams.len() / 2
    }

    /// The header's bytes as they stand in the file. Their number does not depend on that of blocks.
    pub(super) fn sealed(&self) -> Result<Vec<u8>, SealError> {
        sealed::seal(KIND, self)
    }

    /// Reads the header at the beginning of `bytes`, and where it ends.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, usize), SealError> {
        let length = bytes.get(12..20).and_then(|field| field.try_into().ok());
        let end = match length.map(u64::from_le_bytes) {
            Some(length) if length <= KIND.limit => sealed::HEADER_LEN + length as usize,
            _ => bytes.len(),
        };
        let end = end.min(bytes.len());
        Ok((sealed::unseal(KIND, &bytes[..end])?, end))
    }

    /// The layout of the file, or why the header cannot be right.
    pub(super) fn check(
        &self,
        material: Material,
        rules: Rules,
        metric: Metric,
    ) -> Result<Layout, String> {
        let names = [
            ("material", &self.material, material.to_string()),
            ("rules", &self.rules, rules.to_string()),
            ("metric", &self.metric, metric.to_string()),
        ];
        for (what, found, wanted) in names {
            if *found != wanted {
                return Err(format!("the {what} in the file is {found:?}, not {wanted:?}"));
            }
        }
        if Index::count_slots(material).map(u64::from) != Some(self.slots) {
            return Err(format!("{} slots are impossible", self.slots));
        }
        let are_possible = possible_ranks(&self.wins) && possible_ranks(&self.losses);
        if !are_possible || !self.could_count(material) {
            return Err("the header contradicts itself".to_owned());
        }
        let names = self.dependencies.iter().map(|(name, _)| name.as_str());
        if !names.eq(material.captures().iter().map(Material::to_string)) {
            return Err("the header names other smaller tables than captures lead to".to_owned());
        }
        let layout = Layout::with_fold(material, self.fold.into());
        let layout = layout.ok_or("there is no component to fold through")?;
        let sides = if material.is_symmetric() { 1 } else { 2 };
        let are_possible = self.streams.len() == 2 * sides
            && self.streams.iter().enumerate().all(|(i, stream)| {
                let packing = Packing::from_byte(stream.packing);
                layout.strides(&stream.order).is_some()
                    && packing.is_some_and(|p| p.is_possible(i % 2 == 1, self.is_wide()))
            });
        if are_possible { Ok(layout) } else { Err("a stream is impossible".to_owned()) }
    }

    /// Whether the counts can be those of so many slots with these pairs.
    fn could_count(&self, material: Material) -> bool {
        let last_order = self.wins.iter().chain(&self.losses).map(|&(order, _)| order).max();
        Side::ALL.into_iter().all(|side| {
            let i = side.index();
            let counts = &self.counts[i];
            let sum = counts.win.checked_add(counts.draw).and_then(|s| s.checked_add(counts.loss));
            // A slot stands for a position and perhaps its mirror image.
            sum.is_some_and(|sum| sum <= 2 * self.slots)
                && counts.last_order <= last_order.unwrap_or(0)
                && adds_up(&self.wins, &self.win_counts[i], counts.win, counts.by_rule_win)
                && adds_up(&self.losses, &self.loss_counts[i], counts.loss, counts.by_rule_loss)
                && (counts.longest_win == 0) == self.longest[i].is_empty()
                && self.has_longest(material, i)
        })
    }

    fn has_longest(&self, material: Material, side: usize) -> bool {
        let fen = &self.longest[side];
        fen.is_empty()
            || fen.len() < 128
                && Position::from_fen(fen).is_ok_and(|position| {
                    Material::of(&position).0 == material && position.turn() == Side::ALL[side]
                })
    }

    /// The pairs of wins and losses together, ascending, each once.
    pub(in crate::tablebase) fn ranks(&self) -> Ranks {
        let mut ranks = [self.wins.as_slice(), self.losses.as_slice()].concat();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// How often each value occurs with a side to move.
    pub(in crate::tablebase) fn histogram(&self, side: Side) -> Vec<HistogramRow> {
        let i = side.index();
        let wins = self.wins.iter().map(|&(order, distance)| Entry::win(order, distance));
        let losses = self.losses.iter().map(|&(order, distance)| Entry::loss(order, distance));
        let counts = self.win_counts[i].iter().chain(&self.loss_counts[i]);
        let rows = wins.chain(losses).zip(counts);
        rows.filter(|&(_, &count)| count > 0)
            .map(|(entry, &count)| HistogramRow { entry, count })
            .collect()
    }

    /// By side to move: a position with the longest win, if there is one.
    pub(in crate::tablebase) fn longest_positions(&self) -> BySide<Option<Position>> {
        BySide::new_with(|side| Position::from_fen(&self.longest[side.index()]).ok())
    }
}

/// Whether the counts of all pairs add up to these sums.
fn adds_up(ranks: &[(u16, u16)], counts: &[u64], sum: u64, by_rule: u64) -> bool {
    let total = |first_order: u16| {
        let pairs = ranks.iter().zip(counts).filter(move |((order, _), _)| *order >= first_order);
        pairs.map(|(_, &count)| count).try_fold(0u64, u64::checked_add)
    };
    ranks.len() == counts.len() && total(0) == Some(sum) && total(1) == Some(by_rule)
}

/// Whether these can be the (order, distance) pairs of a table: ascending, few enough for words, none
/// out of the generator's range.
fn possible_ranks(ranks: &[(u16, u16)]) -> bool {
    ranks.len() < usize::from(DRAW) / 4
        && ranks.is_sorted_by(|a, b| a < b)
        && ranks
            .iter()
            .all(|&(order, distance)| order < ORDER_LIMIT && u32::from(distance) < RANK_LIMIT)
}
