//! The tables `books` and `provenance`.

use crate::book::file::reader::Book;
use crate::book::model::error::BookError;
use crate::book::model::origins::{Origin, Origins};

impl Book {
    /// The books that were merged into this one.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn origins(&self) -> Result<Origins, BookError> {
        self.query(|c| {
            let sql = "SELECT content, name, games, moves FROM books ORDER BY number";
            let mut statement = c.prepare(sql)?;
            let books = statement.query_map([], |row| {
                let content = row.get(0)?;
                let name = row.get(1)?;
                Ok(Origin { content, name, games: number_at(row, 2)?, moves: number_at(row, 3)? })
            })?;
            let books = books.collect::<Result<_, _>>()?;
            let mut statement = c.prepare("SELECT book, source FROM provenance")?;
            let sources = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Origins { books, sources: sources.collect::<Result<_, _>>()? })
        })
    }
}

/// A number of a row, stored as a signed one.
fn number_at(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at).map(i64::cast_unsigned)
}
