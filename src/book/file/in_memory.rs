//! The moves of a book in memory, for probing most of its positions.

use std::collections::HashMap;

use crate::book::file::reader::{Book, BookEntry, BookMove};
use crate::book::file::walk::Rows;
use crate::book::model::annotation::Annotation;
use crate::book::model::error::BookError;
use crate::book::model::move_stats::{MoveStats, RowKey};
use crate::game::Symmetric;

/// All moves of a book: 88 bytes each, and the marks of those that have any.
#[derive(Debug)]
pub struct MovesInMemory {
    rows: Rows,
    /// By row: the games, and the weight that was set.
    contents: Vec<(MoveStats, Option<u64>)>,
    marks: HashMap<RowKey, Annotation>,
}

impl MovesInMemory {
    /// The moves under a key, in the order of packed moves.
    fn of(&self, key: i64) -> Vec<BookEntry> {
        let (first, found) = self.rows.of(key);
        self.entries(first, found)
    }

    /// The same, if a row of the key is known by its number.
    fn around(&self, key: i64, number: usize) -> Vec<BookEntry> {
        // The rows of a key are neighbours, and `number` may be any of them.
        let rows = self.rows.all();
        let first =
            number - rows[..number].iter().rev().take_while(|row: &&RowKey| row.0 == key).count();
        let len = rows[first..].iter().take_while(|row: &&RowKey| row.0 == key).count();
        self.entries(first, &rows[first..first + len])
    }

    fn entries(&self, first: usize, found: &[RowKey]) -> Vec<BookEntry> {
        found
            .iter()
            .zip(&self.contents[first..])
            .map(|(&(key, mv), &(stats, weight))| {
                let mark = self.marks.get(&(key, mv)).cloned().unwrap_or_default();
                BookEntry { key, mv, stats, weight, mark }
            })
            .collect()
    }
}

impl Book {
    /// Reads all moves into memory: faster than the file where most positions are probed.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn moves_in_memory(&self) -> Result<MovesInMemory, BookError> {
        let mut rows = Vec::new();
        let mut contents = Vec::new();
        let mut marks = HashMap::new();
        self.for_each_entry(|entry| {
            let BookEntry { key, mv, stats, weight, mark } = entry;
            rows.push((key, mv));
            contents.push((stats, weight));
            if mark != Annotation::default() {
                marks.insert((key, mv), mark);
            }
        })?;
        Ok(MovesInMemory { rows: Rows::new(rows), contents, marks })
    }

    /// [`probe_in_memory`](Self::probe_in_memory), where rows of the position or of its mirror image are known
    /// by their numbers in the order of [`for_each_entry`](Self::for_each_entry).
    pub(crate) fn probe_near<G: Symmetric>(
        &self,
        moves: &MovesInMemory,
        position: &G,
        min_games: u64,
        mut numbers: impl Iterator<Item = usize>,
    ) -> Result<Vec<BookMove<G::Move>>, BookError> {
        self.found(position, min_games, |key| {
            let number = numbers.find(|&number| moves.rows.all()[number].0 == key);
            Ok(number.map_or_else(Vec::new, |number| moves.around(key, number)))
        })
    }

    /// [`probe_with`](Self::probe_with), from the moves of this book in memory.
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe).
    pub fn probe_in_memory<G: Symmetric>(
        &self,
        moves: &MovesInMemory,
        position: &G,
        min_games: u64,
    ) -> Result<Vec<BookMove<G::Move>>, BookError> {
        self.found(position, min_games, |key| Ok(moves.of(key)))
    }
}
