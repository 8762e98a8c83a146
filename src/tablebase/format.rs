//! Tables on disk.

use std::io;
use std::path::PathBuf;

use super::value::{Entry, Wdl};
use serde::{Deserialize, Serialize};

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
    /// A slot with that win.
    pub(super) longest_slot: Option<u32>,
    /// The highest order that occurs.
    pub last_order: u16,
}

impl SideCounts {
    pub(super) fn add(&mut self, entry: Entry, weight: u64, slot: u32) {
        let by_rule = if entry.order > 0 { weight } else { 0 };
        self.last_order = self.last_order.max(entry.order);
        match entry.wdl {
            Wdl::Draw => self.draw += weight,
            Wdl::Loss => {
                self.loss += weight;
                self.by_rule_loss += by_rule;
            }
            Wdl::Win => {
                self.win += weight;
                self.by_rule_win += by_rule;
                if entry.order == 0 && entry.distance > self.longest_win {
                    self.longest_win = entry.distance;
                    self.longest_slot = Some(slot);
                }
            }
        }
    }

    /// Both together; of equally long wins the one with the lower slot.
    pub(super) fn merged(self, other: Self) -> Self {
        let longest = |counts: &Self| (counts.longest_win, std::cmp::Reverse(counts.longest_slot));
        let best = if longest(&other) > longest(&self) { &other } else { &self };
        Self {
            win: self.win + other.win,
            draw: self.draw + other.draw,
            loss: self.loss + other.loss,
            by_rule_win: self.by_rule_win + other.by_rule_win,
            by_rule_loss: self.by_rule_loss + other.by_rule_loss,
            longest_win: best.longest_win,
            longest_slot: best.longest_slot,
            last_order: self.last_order.max(other.last_order),
        }
    }
}

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Reading or writing failed.
    #[error("{}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}
