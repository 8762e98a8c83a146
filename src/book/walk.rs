//! How far a book reaches, found by playing its moves from the start position.

use super::{Book, BookError};
use crate::game::{Notation, Packed, Symmetric};

/// What a walk found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walk {
    /// By distance from the start position in book moves.
    pub depths: Vec<Depth>,
    /// Rows that book moves from the start position do not reach, and illegal ones.
    pub unreached: u64,
}

/// Positions first reached after the same number of plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Depth {
    /// Positions with moves in the book.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
}

/// All rows without their statistics, 16 bytes each, and where the rows begin whose keys share
/// their highest bits.
#[derive(Debug)]
pub(super) struct Rows {
    rows: Vec<(i64, u16)>,
    /// One entry for each value of the highest bits, and the end.
    buckets: Vec<usize>,
    bits: u32,
}

impl Rows {
    /// `rows` are in ascending order.
    pub(super) fn new(rows: Vec<(i64, u16)>) -> Self {
        let bits = rows.len().max(2).ilog2();
        let mut buckets = vec![0; (1 << bits) + 1];
        for &(key, _) in &rows {
            buckets[bucket(key, bits) + 1] += 1;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        Self { rows, buckets, bits }
    }

    /// The rows of a key: where they begin, and the rows.
    pub(super) fn of(&self, key: i64) -> (usize, &[(i64, u16)]) {
        let bucket = bucket(key, self.bits);
        let (low, high) = (self.buckets[bucket], self.buckets[bucket + 1]);
        let first = low + self.rows[low..high].partition_point(|row| row.0 < key);
        let rest = &self.rows[first..high];
        let len = rest.iter().take_while(|row| row.0 == key).count();
        (first, &rest[..len])
    }
}

/// The highest bits of a key, in the order of signed integers.
fn bucket(key: i64, bits: u32) -> usize {
    ((key.cast_unsigned() ^ 1 << 63) >> (64 - bits)) as usize
}

impl Book {
    /// Walks through the book from the start position, breadth first. Holds the keys and moves of
    /// all rows in memory.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn walk<G: Symmetric + Notation>(&self) -> Result<Walk, BookError> {
        self.expect_game::<G>()?;
        // What the book states may be forged, so the room made in advance is limited.
        let mut rows = Vec::with_capacity(self.metadata().rows.min(1 << 20) as usize);
        self.for_each_row(|key, mv, _| rows.push((key, mv)))?;
        let rows = Rows::new(rows);
        let mut seen = vec![false; rows.rows.len()];
        let mut walk = Walk::default();
        let mut frontier = Vec::new();
        self.enter(&G::start(), &rows, &mut seen, &mut frontier);
        while !frontier.is_empty() {
            let mut depth = Depth::default();
            let mut next = Vec::new();
            for position in frontier {
                depth.positions += 1;
                depth.moves += self.expand(position, &rows, &mut seen, &mut next);
            }
            walk.depths.push(depth);
            frontier = next;
        }
        let reached: u64 = walk.depths.iter().map(|d| d.moves).sum();
        walk.unreached = rows.rows.len() as u64 - reached;
        Ok(walk)
    }

    /// Adds a position to the frontier unless it was there before or the book lacks it.
    fn enter<G: Symmetric>(
        &self,
        position: &G,
        rows: &Rows,
        seen: &mut [bool],
        frontier: &mut Vec<G>,
    ) {
        let (first, found) = rows.of(self.key_of(position).to_i64());
        if !found.is_empty() && !std::mem::replace(&mut seen[first], true) {
            frontier.push(position.clone());
        }
    }

    /// Enters what follows from a position and returns how many of its moves are legal.
    fn expand<G: Symmetric>(
        &self,
        mut position: G,
        rows: &Rows,
        seen: &mut [bool],
        frontier: &mut Vec<G>,
    ) -> u64 {
        let canonical = position.canonical_with(self.foreign_keys());
        let mut legal = 0;
        for &(_, bits) in rows.of(canonical.key.to_i64()).1 {
            let Some(image) = G::Move::unpack(bits) else { continue };
            let mv = position.played_move(canonical, image);
            if position.is_legal(mv) {
                legal += 1;
                let undo = position.make(mv);
                self.enter(&position, rows, seen, frontier);
                position.unmake(mv, undo);
            }
        }
        legal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_found(
            mut rows in prop::collection::vec((any::<i64>(), any::<u16>()), 0..300),
            close in prop::collection::vec((-3..3i64, any::<u16>()), 0..30),
            wanted: i64,
        ) {
            rows.extend(close);
            rows.sort_unstable();
            let index = Rows::new(rows.clone());
            let keys = rows.iter().map(|row| row.0);
            for key in keys.chain([wanted, i64::MIN, i64::MAX, 0, 9]) {
                let (first, found) = index.of(key);
                let expected: Vec<_> = rows.iter().copied().filter(|row| row.0 == key).collect();
                prop_assert_eq!(found, expected.as_slice());
                prop_assert!(expected.is_empty() || rows[first] == expected[0]);
            }
        }
    }
}
