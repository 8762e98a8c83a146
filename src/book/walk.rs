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

/// All rows without their statistics, 16 bytes each.
struct Rows(Vec<(i64, u16)>);

impl Rows {
    /// The rows of a key: where they begin, and the rows.
    fn of(&self, key: i64) -> (usize, &[(i64, u16)]) {
        let first = self.lower_bound(key);
        let rest = &self.0[first..];
        let len = rest.iter().take_while(|row| row.0 == key).count();
        (first, &rest[..len])
    }

    /// The first row whose key is not below `key`. Keys are evenly spread, so interpolation finds
    /// the place in a few steps; the last ones are binary.
    fn lower_bound(&self, key: i64) -> usize {
        let (mut low, mut high) = (0, self.0.len());
        for _ in 0..3 {
            if high - low < 64 {
                break;
            }
            let (first, last) = (i128::from(self.0[low].0), i128::from(self.0[high - 1].0));
            let wanted = i128::from(key);
            if wanted <= first || wanted > last {
                break;
            }
            let len = (high - 1 - low) as i128;
            let guess = low + ((wanted - first) * len / (last - first)) as usize;
            let slack = 8 + ((high - low) as f64).sqrt() as usize;
            let (below, above) =
                (guess.saturating_sub(slack).max(low), (guess + slack).min(high - 1));
            if self.0[below].0 < key {
                low = below;
            }
            if self.0[above].0 >= key {
                high = above + 1;
            }
        }
        low + self.0[low..high].partition_point(|row| row.0 < key)
    }
}

impl Book {
    /// Walks through the book from the start position, breadth first. Takes about 17 bytes of
    /// memory for each row.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn walk<G: Symmetric + Notation>(&self) -> Result<Walk, BookError> {
        self.expect_game::<G>()?;
        let mut rows = Vec::new();
        self.for_each_row(|key, mv, _| rows.push((key, mv)))?;
        let rows = Rows(rows);
        let mut seen = vec![false; rows.0.len()];
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
        walk.unreached = rows.0.len() as u64 - reached;
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
        fn lower_bound_is_partition_point(
            mut keys in prop::collection::vec(any::<i64>(), 0..3000), wanted: i64, pick: prop::sample::Index,
        ) {
            keys.sort_unstable();
            let rows = Rows(keys.iter().map(|&k| (k, 0)).collect());
            let mut ask = vec![wanted, i64::MIN, i64::MAX];
            if !keys.is_empty() {
                ask.push(keys[pick.index(keys.len())]);
            }
            for key in ask {
                prop_assert_eq!(rows.lower_bound(key), keys.partition_point(|&k| k < key));
            }
        }
    }
}
