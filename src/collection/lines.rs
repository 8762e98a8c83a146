//! Sets of lines: by the positions that they reach, and by patterns on the board.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use crate::collection::error::IndexError;
use crate::collection::game::Collected;
use crate::collection::pattern::BoardPattern;
use crate::collection::postings::{self, Posting};
use crate::collection::store::GameIndex;
use crate::game::Packed;
use crate::hash::Key;

/// Lines that are looked through at once.
const BATCH: usize = 4_096;

/// Lines of an index: games with the same start and moves are one. It is of use as long as the index is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// Their numbers, ascending.
    pub(crate) numbers: Vec<i64>,
}

impl Lines {
    pub(crate) fn new(mut numbers: Vec<i64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers }
    }

    /// The lines in both sets.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.numbers.retain(|line| other.numbers.binary_search(line).is_ok());
        self
    }

    /// The number of lines.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns true if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// A line as the index has it.
struct StoredLine {
    number: i64,
    start: Option<String>,
    moves: Vec<u8>,
}

impl GameIndex {
    /// The lines that reach the position, or the material, of one of these keys.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_with_any(&self, keys: &[Key]) -> Result<Lines, IndexError> {
        let mut numbers = Vec::new();
        self.each_posting(keys, |posting| numbers.push(posting.line.cast_signed()))?;
        Ok(Lines::new(numbers))
    }

    /// The lines that reach the positions of at least `least` of these keys.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_with(&self, keys: &[Key], least: usize) -> Result<Lines, IndexError> {
        let mut counts = HashMap::<i64, usize>::new();
        self.each_posting(keys, |posting| {
            *counts.entry(posting.line.cast_signed()).or_default() += 1;
        })?;
        let enough = counts.into_iter().filter(|&(_, count)| count >= least);
        Ok(Lines::new(enough.map(|(line, _)| line).collect()))
    }

    /// The lines whose last position has this key.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_ending_in(&self, key: Key) -> Result<Lines, IndexError> {
        let last = self.postings(key)?.into_iter().filter(|posting| posting.next().is_none());
        Ok(Lines::new(last.map(|posting| posting.line.cast_signed()).collect()))
    }

    /// The postings of a key in all segments, lines that no game has any more among them.
    pub(crate) fn postings(&self, key: Key) -> Result<Vec<Posting>, IndexError> {
        let mut found = Vec::new();
        for bytes in self.bucket(postings::bucket(key))? {
            postings::collect(key, &bytes, &mut found)
                .ok_or_else(|| self.damaged("a list of positions cannot be read"))?;
        }
        Ok(found)
    }

    /// The bytes of a bucket in each segment.
    pub(crate) fn bucket(&self, bucket: u64) -> Result<Vec<Vec<u8>>, IndexError> {
        let fault = |error| self.fault(&error);
        let sql = "SELECT data FROM positions WHERE bucket = ? ORDER BY segment";
        let mut statement = self.connection.prepare_cached(sql).map_err(fault)?;
        let rows = statement.query_map([bucket.cast_signed()], |row| row.get(0)).map_err(fault)?;
        rows.collect::<rusqlite::Result<_>>().map_err(fault)
    }

    /// Hands over every posting of these keys. Lines that no game has any more are among them.
    pub(crate) fn each_posting(
        &self,
        keys: &[Key],
        mut take: impl FnMut(&Posting),
    ) -> Result<(), IndexError> {
        let mut buckets = BTreeMap::<u64, HashSet<u64>>::new();
        for &key in keys {
            buckets.entry(postings::bucket(key)).or_default().insert(postings::kept(key));
        }
        for (bucket, keys) in buckets {
            for bytes in self.bucket(bucket)? {
                postings::collect_any(&keys, bucket, &bytes, &mut take)
                    .ok_or_else(|| self.damaged("a list of positions cannot be read"))?;
            }
        }
        Ok(())
    }

    /// The lines in which the pattern is on the board after any move, or before the first.
    ///
    /// Every line is played through, on all cores.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_matching<G: Collected>(
        &self,
        pattern: &BoardPattern,
    ) -> Result<Lines, IndexError> {
        let fault = |error| self.fault(&error);
        let sql = "SELECT id, start, moves FROM lines ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query(()).map_err(fault)?;
        let mut numbers = Vec::new();
        let mut batch = Vec::with_capacity(BATCH);
        let mut look = |batch: &mut Vec<StoredLine>| {
            let found = batch.par_iter().filter(|line| line.has::<G>(pattern));
            numbers.par_extend(found.map(|line| line.number));
            batch.clear();
        };
        while let Some(row) = rows.next().map_err(fault)? {
            let line = |row: &rusqlite::Row<'_>| -> rusqlite::Result<StoredLine> {
                Ok(StoredLine { number: row.get(0)?, start: row.get(1)?, moves: row.get(2)? })
            };
            batch.push(line(row).map_err(fault)?);
            if batch.len() == BATCH {
                look(&mut batch);
            }
        }
        look(&mut batch);
        Ok(Lines::new(numbers))
    }
}

impl StoredLine {
    /// Returns true if the pattern is on the board at any time.
    fn has<G: Collected>(&self, pattern: &BoardPattern) -> bool {
        let start = match &self.start {
            Some(fen) => G::from_fen(fen).ok(),
            None => Some(G::start()),
        };
        let Some(mut position) = start else { return false };
        let images = pattern.images(&position);
        if images.is_empty() {
            return false;
        }
        let mut moves = self.moves.chunks_exact(2);
        loop {
            if images.matches(&position) {
                return true;
            }
            let Some(&[low, high]) = moves.next() else { return false };
            let mv = G::Move::unpack(u16::from_le_bytes([low, high]));
            // Lines hold legal moves; a damaged index may hold others.
            match mv.filter(|&mv| position.is_legal(mv)) {
                Some(mv) => drop(position.make(mv)),
                None => return false,
            }
        }
    }
}
