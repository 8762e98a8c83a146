//! The rows of a foreign book in memory, in the order of their keys.

use std::path::Path;

use crate::book::interop::error::InteropError;
use crate::game::Packed;
use crate::xiangqi::Move;

/// A row: 40 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    /// The key as the format has it.
    pub(crate) key: u64,
    /// The place of the row: its rowid, or the number of the record from 0.
    pub(crate) place: i64,
    /// Games won by the mover.
    pub(crate) wins: u32,
    /// Games drawn.
    pub(crate) draws: u32,
    /// Games lost by the mover.
    pub(crate) losses: u32,
    /// A score, a weight or a count, as the format has it.
    pub(crate) value: i32,
    /// The move in the frame of the key; [`NO_MOVE`] if there is none or it is none.
    pub(crate) mv: u16,
    pub(crate) flags: u8,
}

const _: () = assert!(size_of::<Stored>() == 40);

/// Stands for "no move".
pub(crate) const NO_MOVE: u16 = u16::MAX;

/// The move may not be chosen.
pub(crate) const DISABLED: u8 = 1;
/// There is a comment.
pub(crate) const COMMENT: u8 = 2;
/// The position was reached, and the move is legal.
pub(crate) const REACHED: u8 = 4;
/// The position was reached, and the move is illegal.
pub(crate) const ILLEGAL: u8 = 8;
/// Some number of the row is not as the file has it.
pub(crate) const CHANGED: u8 = 16;
/// The record is one of Black's, where such are kept apart.
pub(crate) const BY_BLACK: u8 = 32;
/// Origin and destination of the move were exchanged, in a book that has most as they should be.
pub(crate) const SWAPPED: u8 = 64;

impl Stored {
    /// A row without numbers.
    pub(crate) fn new(key: u64, place: i64, mv: Option<Move>) -> Self {
        Self::packed(key, place, mv.map_or(NO_MOVE, Packed::pack))
    }

    /// A row without numbers, of a move that may be of any game or none.
    pub(crate) const fn packed(key: u64, place: i64, mv: u16) -> Self {
        Self { key, place, wins: 0, draws: 0, losses: 0, value: 0, mv, flags: 0 }
    }

    pub(crate) fn mv(&self) -> Option<Move> {
        Move::unpack(self.mv)
    }

    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The numbers that the file states: rows of one move that agree in them are copies.
    pub(crate) const fn content(&self) -> ([u32; 3], i32) {
        ([self.wins, self.draws, self.losses], self.value)
    }

    pub(crate) fn games(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }
}

/// Memory that a row needs in all: here, in the walk, and on the way to another book.
pub(crate) const ROW_BYTES: usize = 160;

/// Rows as they come, up to a limit.
#[derive(Debug)]
pub(crate) struct Collector<'a> {
    path: &'a Path,
    memory: usize,
    rows: Vec<Stored>,
}

impl<'a> Collector<'a> {
    pub(crate) const fn new(path: &'a Path, memory: usize) -> Self {
        Self { path, memory, rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Stored) -> Result<(), InteropError> {
        let most = self.memory / ROW_BYTES;
        if self.rows.len() >= most {
            let path = self.path.to_owned();
            let memory = self.memory;
            return Err(InteropError::TooLarge { path, rows: most as u64, memory });
        }
        self.rows.push(row);
        Ok(())
    }

    pub(crate) fn finish(self) -> Index {
        Index::new(self.rows)
    }
}

/// Two bits of one word for each of the keys that are there, by their hash: nearly all others are refused
/// without a look at rows.
#[derive(Debug)]
struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

impl Filter {
    /// Bits for each row, at least.
    const BITS: usize = 12;

    fn new(rows: &[Stored]) -> Self {
        let width = (rows.len().max(4) * Self::BITS).next_power_of_two().ilog2();
        let mut filter = Self { bits: vec![0; 1 << (width - 6)], shift: 64 - width };
        for row in rows {
            let (word, bits) = filter.place(row.key);
            filter.bits[word] |= bits;
        }
        filter
    }

    /// Keys may have random bits anywhere, and the short ones only below.
    fn place(&self, key: u64) -> (usize, u64) {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The highest bits of the hash choose the word and the first bit, the next six the second.
        let first = 1 << (hash >> self.shift & 63);
        let second = 1 << (hash >> (self.shift - 6) & 63);
        ((hash >> self.shift >> 6) as usize, first | second)
    }

    fn may_have(&self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        self.bits[word] & bits == bits
    }
}

/// All rows, sorted, and the beginnings of those whose keys share their highest bits.
#[derive(Debug)]
pub(crate) struct Index {
    rows: Vec<Stored>,
    buckets: Vec<u32>,
    shift: u32,
    filter: Filter,
    reached: usize,
    /// True if some rows may have origin and destination of their moves exchanged.
    pub(crate) may_be_swapped: bool,
}

impl Index {
    pub(crate) fn new(mut rows: Vec<Stored>) -> Self {
        // Short keys leave the highest bits empty.
        let width = 64 - rows.iter().fold(0, |all, row| all | row.key).leading_zeros();
        // One bucket for each row or two, and no more of them than keys can tell apart.
        let bits = rows.len().max(2).ilog2().min(width.max(1));
        let shift = width.max(1) - bits;
        rows.sort_unstable_by_key(|row| (row.key, row.mv, row.place));
        let mut buckets = vec![0u32; (1 << bits) + 1];
        for row in &rows {
            // Counted one place further on: the sums that follow are then the beginnings.
            buckets[(row.key >> shift) as usize + 1] += 1;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        let filter = Filter::new(&rows);
        Self { rows, buckets, shift, filter, reached: 0, may_be_swapped: false }
    }

    pub(crate) fn rows(&self) -> &[Stored] {
        &self.rows
    }

    pub(crate) fn row(&self, number: usize) -> &Stored {
        &self.rows[number]
    }

    /// The numbers of the rows under a key.
    pub(crate) fn of(&self, key: u64) -> std::ops::Range<usize> {
        if self.may_have(key) { self.find(key) } else { 0..0 }
    }

    /// Returns false if there are no rows under a key, and seldom true if there are none.
    pub(crate) fn may_have(&self, key: u64) -> bool {
        self.filter.may_have(key)
    }

    fn find(&self, key: u64) -> std::ops::Range<usize> {
        let bucket = (key >> self.shift) as usize;
        let Some(&high) = self.buckets.get(bucket.saturating_add(1)) else { return 0..0 };
        let low = self.buckets[bucket] as usize;
        let high = high as usize;
        let first = low + self.rows[low..high].partition_point(|row| row.key < key);
        let rest = &self.rows[first..high];
        first..first + rest.iter().take_while(|row| row.key == key).count()
    }

    /// Returns true if there are rows under a key that no walk has reached yet.
    pub(crate) fn has_unreached(&self, key: u64) -> bool {
        self.rows[self.of(key)].iter().any(|row| !row.has(REACHED | ILLEGAL))
    }

    /// Records that the walk reached a row, and whether its move is legal.
    pub(crate) fn mark(&mut self, number: usize, legal: bool) {
        let row = &mut self.rows[number];
        if row.flags & (REACHED | ILLEGAL) == 0 {
            self.reached += 1;
        }
        row.flags |= if legal { REACHED } else { ILLEGAL };
    }

    /// Exchanges origin and destination of one row's move. The order of its key's rows stays.
    pub(crate) fn swap_move(&mut self, number: usize) {
        let row = &mut self.rows[number];
        if let Some(mv) = row.mv() {
            row.mv = Move::new(mv.to(), mv.from()).pack();
            row.flags ^= SWAPPED;
        }
    }

    /// The number of rows with a flag.
    pub(crate) fn count(&self, flag: u8) -> u64 {
        self.rows.iter().filter(|row| row.has(flag)).count() as u64
    }

    /// The number of rows that a walk has reached.
    pub(crate) const fn reached(&self) -> usize {
        self.reached
    }

    /// Returns true if a walk has reached every row.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.reached == self.rows.len()
    }

    /// Exchanges origin and destination of all moves.
    pub(crate) fn swap_moves(&mut self) {
        for row in &mut self.rows {
            if let Some(mv) = row.mv() {
                row.mv = Move::new(mv.to(), mv.from()).pack();
            }
        }
        // The buckets go by keys alone.
        self.rows.sort_unstable_by_key(|row| (row.key, row.mv, row.place));
    }

    /// The rows of each key.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[Stored]> {
        self.rows.chunk_by(|a, b| a.key == b.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_found(
            keys in prop::collection::vec(prop_oneof![any::<u64>(), 0..9u64], 0..200),
            wanted: u64,
        ) {
            let rows = (0..).zip(&keys).map(|(i, &key)| Stored::new(key, i, None));
            let index = Index::new(rows.collect());
            for key in keys.iter().copied().chain([wanted, 0, u64::MAX]) {
                let expected = keys.iter().filter(|&&k| k == key).count();
                let found = index.of(key);
                prop_assert_eq!(found.len(), expected);
                prop_assert!(index.rows()[found].iter().all(|row| row.key == key));
            }
        }
    }

    #[test]
    fn too_many_rows_are_refused() {
        let mut rows = Collector::new(Path::new("book"), 2 * ROW_BYTES);
        let row = Stored::new(1, 0, None);
        rows.push(row).unwrap();
        rows.push(row).unwrap();
        let error = rows.push(row).unwrap_err().to_string();
        assert!(error.contains("--memory"), "{error}");
    }
}
