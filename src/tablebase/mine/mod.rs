//! Positions of tables that teach something: zugzwangs, studies, the longest wins, wins by rule, wins of
//! the weaker side.

mod only_move;
#[cfg(test)]
mod tests;
mod theme;

use std::collections::BinaryHeap;
use std::sync::Arc;

use rayon::prelude::*;

pub use self::theme::Theme;
use self::theme::points;
use crate::game::Side;
use crate::tablebase::index::board::SlotBoard;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::probe::tables::{ProbeError, Tables};
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::solver::GameGraph;
use crate::tablebase::solve::table::{Table, position_of};
use crate::tablebase::value::{Entry, Wdl};
use crate::xiangqi::Position;

/// Slots of a parallel task.
const TASK: usize = 1 << 12;

/// The positions of a table that fit a theme, each once up to symmetry: of two that are mirror images only
/// one, and of two that differ in colours only the one with Red to move.
#[derive(Debug)]
pub struct MinedPositions {
    index: Arc<Index>,
    /// By side to move: a bit for each slot.
    bits: Vec<Vec<u64>>,
}

impl Tables {
    /// Searches a whole table for the positions of a theme. Takes the memory of the table and of those
    /// that captures lead to: four bytes a slot, and one or two for each of theirs.
    ///
    /// # Errors
    ///
    /// If the table or one that captures lead to is missing or damaged.
    pub fn mine(&self, material: Material, theme: Theme) -> Result<MinedPositions, ProbeError> {
        let (graph, table) = self.load_with_moves(material)?;
        let longest = self.stats(material)?.sides.map(|side| {
            let wins = side.histogram.iter().map(|row| row.entry);
            wins.filter(|entry| entry.wdl == Wdl::Win && entry.order == 0)
                .max_by_key(|entry| entry.distance)
        });
        let weaker = weaker_side(material);
        let miner = Miner { tables: self, graph: &graph, table: &table };
        let bits = (0..table.words.len()).map(|side| {
            let words = &table.words[side];
            let tasks = words.par_chunks(TASK).enumerate().map(|(task, words)| {
                let mut board = graph.cursor();
                let mut bits = vec![0u64; words.len().div_ceil(64)];
                for (i, &word) in words.iter().enumerate() {
                    let slot = (task * TASK + i) as u32;
                    let Some(entry) = table.meaning(word) else { continue };
                    let fits = match theme {
                        Theme::Zugzwang => miner.is_zugzwang(&mut board, side, slot, entry, false),
                        Theme::FullZugzwang => {
                            miner.is_zugzwang(&mut board, side, slot, entry, true)
                        }
                        Theme::OnlyMove { plies } => {
                            entry.wdl == Wdl::Win
                                && entry.order == 0
                                && miner.has_only_moves(&mut board, side, slot, plies)?
                        }
                        Theme::Longest => longest[Side::ALL[side]] == Some(entry),
                        Theme::ByRule => entry.order > 0,
                        Theme::WeakerSide => weaker.is_some_and(|weaker| {
                            miner.wins_weaker(&mut board, side, slot, entry, weaker)
                        }),
                    };
                    if fits && is_first_image(table.index.as_ref(), slot) {
                        bits[i / 64] |= 1 << (i % 64);
                    }
                }
                Ok(bits)
            });
            Ok(tasks.collect::<Result<Vec<_>, ProbeError>>()?.concat())
        });
        let bits = bits.collect::<Result<_, ProbeError>>()?;
        Ok(MinedPositions { index: Arc::clone(&table.index), bits })
    }
}

/// The side with fewer points; `None` if both have the same.
fn weaker_side(material: Material) -> Option<Side> {
    let [first, second] = Side::ALL.map(|side| points(material, side));
    match first.cmp(&second) {
        std::cmp::Ordering::Less => Some(Side::First),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Side::Second),
    }
}

/// Returns false for those slots whose mirror image is a slot before them.
fn is_first_image(index: &Index, slot: u32) -> bool {
    index.slot(&index.mirrored(&index.digits(slot))) >= slot
}

/// A table, its moves, and the tables that its captures lead to.
struct Miner<'a> {
    tables: &'a Tables,
    graph: &'a TableGraph,
    table: &'a Table,
}

impl Miner<'_> {
    /// `is_full` if the other side must lose too.
    fn is_zugzwang(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        entry: Entry,
        is_full: bool,
    ) -> bool {
        if entry.wdl != Wdl::Loss {
            return false;
        }
        let index = &self.table.index;
        let (other_side, other_slot) = if index.is_symmetric() {
            // Where two slots hold a position the lower one counts, as in `is_first_image`.
            let swapped = index.swapped(&index.digits(slot));
            (0, index.slot(&swapped).min(index.slot(&index.mirrored(&swapped))))
        } else {
            (1 - side, slot)
        };
        // A side that is in check can be to move only.
        let Some(other) = self.table.meaning(self.table.words[other_side][other_slot as usize])
        else {
            return false;
        };
        if self.graph.is_in_check(board, side, slot) {
            return false;
        }
        match other.wdl {
            Wdl::Loss if index.is_symmetric() => slot <= other_slot,
            Wdl::Loss => side == 0,
            Wdl::Draw => !is_full,
            Wdl::Win => false,
        }
    }

    fn wins_weaker(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        entry: Entry,
        weaker: Side,
    ) -> bool {
        if side != weaker.index() {
            return entry.wdl == Wdl::Loss;
        }
        let mut has_winning_capture = false;
        self.graph
            .each_capture(board, side, slot, |value| has_winning_capture |= value.wdl == Wdl::Win);
        entry.wdl == Wdl::Win && !has_winning_capture
    }
}

impl MinedPositions {
    /// Number of positions.
    #[must_use]
    pub fn count(&self) -> u64 {
        Side::ALL.into_iter().map(|side| self.count_of(side)).sum()
    }

    /// Number of positions with this side of the canonical name to move.
    #[must_use]
    pub fn count_of(&self, side: Side) -> u64 {
        self.bits
            .get(side.index())
            .into_iter()
            .flatten()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// All positions: those with the first side of the canonical name, which is Red, to move, then those with the
    /// second.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        self.slots().filter_map(|(side, slot)| position_of(&self.index, side, slot))
    }

    /// Positions drawn by a seed, as many or all, in an order drawn likewise. More of them begin with the
    /// same.
    #[must_use]
    pub fn sample(&self, count: usize, seed: u64) -> Vec<Position> {
        // The positions with the lowest tickets: the one with the greatest goes once there are too many.
        let mut drawn = BinaryHeap::new();
        for (side, slot) in self.slots() {
            drawn.push((ticket(seed, side, slot), side, slot));
            if drawn.len() > count {
                drawn.pop();
            }
        }
        let drawn = drawn.into_sorted_vec().into_iter();
        drawn.filter_map(|(_, side, slot)| position_of(&self.index, side, slot)).collect()
    }

    fn slots(&self) -> impl Iterator<Item = (usize, u32)> {
        self.bits.iter().enumerate().flat_map(|(side, bits)| {
            let words = bits.iter().enumerate().filter(|&(_, &word)| word != 0);
            words.flat_map(move |(at, &word)| {
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| (side, (at * 64 + bit) as u32))
            })
        })
    }
}

/// The place of a slot in the order that a seed draws: the finalizer of `SplitMix64` (Steele, Lea, Flood,
/// 2014).
fn ticket(seed: u64, side: usize, slot: u32) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(slot) << 1 | side as u64);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        x = (x ^ x >> 30).wrapping_mul(factor);
        x ^= x >> 27;
    }
    x ^ x >> 31
}
