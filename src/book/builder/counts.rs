//! The counts of files that were read.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::book::model::metadata::Source;
use crate::bytes::external_sort::Summand;
use crate::bytes::varint;

/// The counts of a file or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FileReport {
    /// Records, those that cannot be read included.
    pub(crate) games: u64,
    /// Those that cannot be read.
    pub(crate) bad: u64,
    /// Those that do not pass the filter.
    pub(crate) filtered: u64,
    /// Those whose result contradicts the board.
    pub(crate) contradicted: u64,
    /// Those of which the moves before an illegal one count.
    pub(crate) cut: u64,
    /// Words between moves that are no moves, and were passed over.
    pub(crate) words: u64,
}

impl FileReport {
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.games += other.games;
        self.bad += other.bad;
        self.filtered += other.filtered;
        self.contradicted += other.contradicted;
        self.cut += other.cut;
        self.words += other.words;
    }
}

/// A file that was read, and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCounts {
    /// The file, with the number of its records.
    pub source: Source,
    /// Records that do not pass the filter.
    pub filtered: u64,
    /// Records that cannot be read.
    pub bad: u64,
}

impl Summand for SourceCounts {
    fn size(&self) -> usize {
        size_of::<Self>() + self.source.name.len() + 16
    }

    fn order(&self, other: &Self) -> Ordering {
        self.source.hash.cmp(&other.source.hash)
    }

    fn absorb(&mut self, other: Self) {
        if other.source.name < self.source.name {
            self.source.name = other.source.name;
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.source.hash);
        for n in [self.source.games, self.filtered, self.bad, self.source.name.len() as u64] {
            varint::put(out, n);
        }
        out.extend_from_slice(self.source.name.as_bytes());
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let hash = *input.split_off(..32)?.first_chunk()?;
        let mut n = [0; 4];
        for n in &mut n {
            *n = varint::take(input)?;
        }
        let [games, filtered, bad, len] = n;
        let name = str::from_utf8(input.split_off(..usize::try_from(len).ok()?)?).ok()?.to_owned();
        Some(Self { source: Source { hash, name, games }, filtered, bad })
    }
}
