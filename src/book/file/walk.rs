//! The reach of a book, found by playing its moves from the start position.

use std::ops::Range;

use crate::book::file::reader::{Book, shown_move};
use crate::book::model::error::BookError;
use crate::book::model::move_stats::RowKey;
use crate::game::{Game, MoveList, Notation, Packed, Symmetric};
use crate::hash::KeyTable;

/// The counts of a walk.
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

/// All rows without their statistics, 16 bytes each, and the beginnings of those whose keys share their
/// highest bits.
#[derive(Debug)]
pub(crate) struct Rows {
    rows: Vec<(i64, u16)>,
    /// One entry for each value of the highest bits, and the end.
    buckets: Vec<usize>,
    bits: u32,
}

impl Rows {
    /// `rows` are in ascending order.
    pub(crate) fn new(rows: Vec<(i64, u16)>) -> Self {
        // One or two rows for each bucket on average; one bit at least, as a shift by 64 overflows.
        let bits = rows.len().max(2).ilog2();
        let mut buckets = vec![0; (1 << bits) + 1];
        // Counted one place further on, so that the sums are where the buckets begin.
        for &(key, _) in &rows {
            buckets[bucket(key, bits) + 1] += 1;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        Self { rows, buckets, bits }
    }

    /// All rows.
    pub(crate) fn all(&self) -> &[RowKey] {
        &self.rows
    }

    /// The rows of a key: where they begin, and the rows.
    pub(crate) fn of(&self, key: i64) -> (usize, &[(i64, u16)]) {
        let bucket = bucket(key, self.bits);
        let low = self.buckets[bucket];
        let high = self.buckets[bucket + 1];
        let first = low + self.rows[low..high].partition_point(|row| row.0 < key);
        let rest = &self.rows[first..high];
        let len = rest.iter().take_while(|row| row.0 == key).count();
        (first, &rest[..len])
    }
}

/// The highest bits of a key, in the order of signed integers.
fn bucket(key: i64, bits: u32) -> usize {
    // With the sign bit inverted, the order of unsigned numbers is that of the signed ones.
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
        let mut depths: Vec<Depth> = Vec::new();
        let unreached = self.for_each_position(|ply, _: &G, legal| {
            if depths.len() == ply {
                depths.push(Depth::default());
            }
            depths[ply].positions += 1;
            depths[ply].moves += legal;
            Ok::<(), BookError>(())
        })?;
        Ok(Walk { depths, unreached: unreached.len() as u64 })
    }

    /// Calls `visit` with every position that book moves from the start position reach, breadth first and
    /// each once: its ply, the position, and the number of legal moves that the book has there. Returns the
    /// rows that are not reached or illegal, in order. Holds the keys and moves of all rows in memory.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`], and those of `visit`.
    pub fn for_each_position<G: Symmetric + Notation, E: From<BookError>>(
        &self,
        mut visit: impl FnMut(usize, &G, u64) -> Result<(), E>,
    ) -> Result<Vec<RowKey>, E> {
        self.expect_game::<G>()?;
        // The number that the book states may be forged, so the memory reserved in advance is limited.
        let mut rows = Vec::with_capacity(self.metadata().rows.min(1 << 20) as usize);
        self.for_each_row(|key, mv, _| rows.push((key, mv)))?;
        let mut walker = BookWalker::new(self.foreign_keys(), rows);
        walker.enter_all(&G::starts());
        walker.run(usize::MAX, |stop, position| visit(stop.ply, position, stop.legal))?;
        Ok(walker.unreached().collect())
    }
}

/// A position on a walk.
pub(crate) struct Stop {
    /// Moves from where the walk began.
    pub(crate) ply: usize,
    /// The number of its moves that are legal.
    pub(crate) legal: u64,
    /// The numbers of its rows.
    pub(crate) rows: Range<usize>,
}

/// Calls `visit` with the positions that one to `plies` moves lead to, whatever moves they are. Goes on only from
/// those for which it returns true.
pub(crate) fn for_each_near<G: Game>(
    position: &mut G,
    plies: usize,
    visit: &mut impl FnMut(&G) -> bool,
) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for mv in moves {
        let undo = position.make(mv);
        if visit(position) && plies > 1 {
            for_each_near(position, plies - 1, visit);
        }
        position.unmake(mv, undo);
    }
}

/// A walk along some rows.
pub(crate) struct BookWalker<'a, G> {
    keys: Option<&'a KeyTable>,
    rows: Rows,
    /// At the first row of each position: true if it was entered.
    entered: Vec<bool>,
    /// By row.
    reached: Vec<bool>,
    /// Positions entered at the next depth.
    next: Vec<G>,
}

impl<'a, G: Symmetric> BookWalker<'a, G> {
    /// `rows`, in ascending order, are those of a book with these keys.
    pub(crate) fn new(keys: Option<&'a KeyTable>, rows: Vec<RowKey>) -> Self {
        let entered = vec![false; rows.len()];
        let reached = vec![false; rows.len()];
        Self { keys, rows: Rows::new(rows), entered, reached, next: Vec::new() }
    }

    /// Adds a position to the walk unless it was entered before or has no row. Returns true if there is a
    /// row.
    pub(crate) fn enter(&mut self, position: &G) -> bool {
        let key = position.canonical_with(self.keys).key;
        let (first, found) = self.rows.of(key.to_i64());
        let is_there = !found.is_empty();
        if is_there && !std::mem::replace(&mut self.entered[first], true) {
            self.next.push(position.clone());
        }
        is_there
    }

    /// Adds several positions.
    pub(crate) fn enter_all(&mut self, positions: &[G]) {
        for position in positions {
            self.enter(position);
        }
    }

    /// Walks on from the positions entered, up to `plies` deep, and calls `visit` with every
    /// position.
    pub(crate) fn run<E>(
        &mut self,
        plies: usize,
        mut visit: impl FnMut(Stop, &G) -> Result<(), E>,
    ) -> Result<(), E> {
        for ply in 0..plies {
            let positions = std::mem::take(&mut self.next);
            if positions.is_empty() {
                break;
            }
            for mut position in positions {
                let (legal, rows) = self.expand(&mut position);
                visit(Stop { ply, legal, rows }, &position)?;
            }
        }
        self.next.clear();
        Ok(())
    }

    /// Walks on from the positions entered and calls `visit` with every position and its rows.
    pub(crate) fn run_rows<E>(
        &mut self,
        mut visit: impl FnMut(&G, &[RowKey]) -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.next.is_empty() {
            for mut position in std::mem::take(&mut self.next) {
                let (_, rows) = self.expand(&mut position);
                visit(&position, &self.rows.rows[rows])?;
            }
        }
        Ok(())
    }

    /// Enters the positions after the moves of a position. Returns the number of its legal moves, and its
    /// rows.
    fn expand(&mut self, position: &mut G) -> (u64, Range<usize>) {
        let canonical = position.canonical_with(self.keys);
        let (first, found) = self.rows.of(canonical.key.to_i64());
        let found: Vec<u16> = found.iter().map(|row| row.1).collect();
        let rows = first..first + found.len();
        let mut legal = 0;
        for (row, bits) in (first..).zip(found) {
            let Some(image) = G::Move::unpack(bits) else { continue };
            let mv = shown_move(position, canonical, image);
            if position.is_legal(mv) {
                legal += 1;
                self.reached[row] = true;
                let undo = position.make(mv);
                self.enter(position);
                position.unmake(mv, undo);
            }
        }
        (legal, rows)
    }

    /// The rows that were reached, by number.
    pub(crate) fn reached(&self) -> &[bool] {
        &self.reached
    }

    /// The rows that were not reached.
    pub(crate) fn unreached(&self) -> impl Iterator<Item = RowKey> {
        let rows = self.rows.rows.iter().zip(&self.reached);
        rows.filter(|&(_, reached)| !reached).map(|(&place, _)| place)
    }

    /// All rows.
    pub(crate) fn rows(&self) -> &[RowKey] {
        &self.rows.rows
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
