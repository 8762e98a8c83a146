use super::tunables::{HISTORY_BONUS, HISTORY_BONUS_MAX, HISTORY_MAX};
use crate::game::{Heuristics, Side};

/// How well quiet moves did so far: by themselves, and as answers to the move before and to one's
/// own move before that (continuation history). Each thread has its own.
#[derive(Debug)]
pub(super) struct History {
    /// Number of different move indices.
    len: usize,
    quiet: [Vec<i16>; 2],
    continuation: [Vec<i16>; 2],
}

/// The history indices of the moves that led to a node, latest first; `None` for a pass or the
/// root.
pub(super) type Before = [Option<usize>; 2];

impl History {
    /// No experience; `None` if there is no memory for it.
    pub(super) fn new<G: Heuristics>() -> Option<Self> {
        let len = G::HISTORY_LEN;
        let pairs = len * len;
        Some(Self {
            len,
            quiet: [zeros(len)?, zeros(len)?],
            continuation: [zeros(pairs)?, zeros(pairs)?],
        })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for table in self.quiet.iter_mut().chain(&mut self.continuation) {
            table.fill(0);
        }
    }

    /// The experience with a move, between three times `-HISTORY_MAX` and `HISTORY_MAX`.
    #[inline]
    pub(super) fn of(&self, side: Side, index: usize, before: Before) -> i32 {
        let mut sum = i32::from(self.quiet[side.index()][index]);
        for (table, first) in self.continuation.iter().zip(before) {
            if let Some(first) = first {
                sum += i32::from(table[first * self.len + index]);
            }
        }
        sum
    }

    /// The move cut off the search of a node of so many plies.
    pub(super) fn reward(&mut self, side: Side, index: usize, before: Before, depth: i32) {
        self.update(side, index, before, bonus(depth));
    }

    /// The move was tried before the one that cut off.
    pub(super) fn blame(&mut self, side: Side, index: usize, before: Before, depth: i32) {
        self.update(side, index, before, -bonus(depth));
    }

    fn update(&mut self, side: Side, index: usize, before: Before, bonus: i32) {
        pull(&mut self.quiet[side.index()][index], bonus);
        for (table, first) in self.continuation.iter_mut().zip(before) {
            if let Some(first) = first {
                pull(&mut table[first * self.len + index], bonus);
            }
        }
    }
}

fn zeros(len: usize) -> Option<Vec<i16>> {
    let mut table = Vec::new();
    table.try_reserve_exact(len).ok()?;
    table.resize(len, 0);
    Some(table)
}

fn bonus(depth: i32) -> i32 {
    (HISTORY_BONUS * depth).min(HISTORY_BONUS_MAX)
}

/// Moves a value towards the bonus's bound, the less the nearer it is already.
fn pull(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_stay_in_bounds(bonuses in prop::collection::vec(-1_600..=1_600, 0..500)) {
            let mut value = 0;
            for bonus in bonuses {
                pull(&mut value, bonus);
                prop_assert!(i32::from(value).abs() <= HISTORY_MAX);
            }
        }
    }
}
