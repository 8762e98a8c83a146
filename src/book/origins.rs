//! The books that a book was merged of.

use std::collections::BTreeSet;

use super::{Book, BookError};

/// A book that was merged into another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Digest of its rows.
    pub content: String,
    /// Its base name.
    pub name: String,
    /// Its counted games.
    pub games: u64,
    /// Its rows.
    pub moves: u64,
}

/// The origins of a book's sources and marks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// The books that were merged. Their numbers, which [`Mark::origin`](super::Mark::origin)
    /// states, begin with 1.
    pub books: Vec<Origin>,
    /// Numbers of books, and hashes of sources that came with them.
    pub sources: BTreeSet<(u32, [u8; 32])>,
}

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
                let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
                let (content, name) = (row.get(0)?, row.get(1)?);
                Ok(Origin { content, name, games: number(2)?, moves: number(3)? })
            })?;
            let books = books.collect::<Result<_, _>>()?;
            let mut statement = c.prepare("SELECT book, source FROM provenance")?;
            let sources = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Origins { books, sources: sources.collect::<Result<_, _>>()? })
        })
    }
}
