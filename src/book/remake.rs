//! Books made of books: what merging and pruning share.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::builder::{Errors, check_output, create_error};
use super::store::{TABLES, Writer};
use super::{Book, BookError, BuildError, Metadata, Source, key_file, seal};
use crate::bytes::atomic::{AtomicFile, folder_of};
use crate::bytes::lock::{Claim, FileLock};
use crate::hash::KeyTable;

/// The tables that merging and pruning make anew. What they know nothing of is copied. What followed
/// from scores is not made at all: there are other moves now.
const MADE_ANEW: [&str; 12] = [
    "backed",
    "seal",
    "meta",
    "key_table",
    "sources",
    "games",
    "moves",
    "marks",
    "line_groups",
    "journal",
    "books",
    "provenance",
];

/// Why no book can be made of books. What stood at the output's place stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemakeError {
    /// A book that was given cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The book to be made cannot be written.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Two books count some of the same games.
    #[error(
        "{} and {} both count {common} of the same games, which would count twice; build one book \
         from the game files of both",
        a.display(), b.display()
    )]
    Overlap {
        /// One book.
        a: PathBuf,
        /// The other.
        b: PathBuf,
        /// Number of games that both count.
        common: u64,
    },
    /// A book that counts every record.
    #[error(
        "{}: the book counts every record (--no-dedup), so that nothing tells which games it has; build \
         one book from the game files of both",
        path.display()
    )]
    NoIds {
        /// The book.
        path: PathBuf,
    },
    /// More books than are merged at once.
    #[error("{given} books; merge at most {limit} at once, then the results")]
    TooMany {
        /// Number of books.
        given: usize,
        /// How many may be given.
        limit: usize,
    },
    /// Nothing would be left.
    #[error("{}: no move would be left; choose lower limits", path.display())]
    NothingLeft {
        /// The book.
        path: PathBuf,
    },
}

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

/// Where a book's sources and marks came from.
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

/// The right to write a book. What killed writers left of it is removed.
pub(super) fn lock(path: &Path) -> io::Result<FileLock> {
    match FileLock::claim(path)? {
        Claim::Ours(lock) => {
            lock.sweep();
            Ok(lock)
        }
        Claim::Others(id) => {
            let who = id.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
            let what =
                format!("{who} is changing it; wait until that has ended, then run this again");
            Err(io::Error::new(io::ErrorKind::WouldBlock, what))
        }
    }
}

/// A book being written.
pub(super) struct Output {
    path: PathBuf,
    file: AtomicFile,
    stop: Arc<AtomicBool>,
    /// Keeps others from editing what stands at the output's place.
    _lock: FileLock,
}

impl Output {
    pub(super) fn create(
        path: &Path,
        stop: &Arc<AtomicBool>,
    ) -> Result<(Self, Writer), BuildError> {
        check_output(path)?;
        let lock = lock(path).map_err(|error| create_error(path, &error))?;
        let file = AtomicFile::create(path).map_err(|error| create_error(path, &error))?;
        let writer = Errors { output: path }.writer(folder_of(path))?;
        let stop = Arc::clone(stop);
        Ok((Self { path: path.to_owned(), file, stop, _lock: lock }, writer))
    }

    pub(super) fn errors(&self) -> Errors<'_> {
        Errors { output: &self.path }
    }

    /// Copies the tables that merging and pruning know nothing of.
    pub(super) fn copy_rest(&self, book: &Book, to: &Writer) -> Result<(), RemakeError> {
        let names = TABLES.iter().map(|(name, _)| *name);
        for name in names.filter(|name| !MADE_ANEW.contains(name)) {
            book.query(|from| Ok(to.add_table(name, from)))?.map_err(|e| self.errors().store(e))?;
        }
        Ok(())
    }

    /// [`BuildError::Interrupted`] if someone asked to stop.
    pub(super) fn check_stop(&self) -> Result<(), BuildError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(BuildError::Interrupted { path: self.path.clone() });
        }
        Ok(())
    }

    /// Writes the rest, seals the book and moves it to its place.
    pub(super) fn finish(
        mut self,
        writer: Writer,
        metadata: &mut Metadata,
        key_table: &[u8],
        sources: &[Source],
    ) -> Result<(), BuildError> {
        writer
            .finish(self.file.temporary_path(), metadata, key_table, sources)
            .map_err(|e| self.errors().store(e))?;
        seal::seal(self.file.file_mut())
            .map_err(|source| BuildError::Write { path: self.path.clone(), source })?;
        check_output(&self.path)?;
        self.check_stop()?;
        self.file.commit().map_err(|error| create_error(&self.path, &error))
    }
}

/// The file of a key table, or of the stored one of a game.
pub(super) fn table_file(game: &str, table: Option<&KeyTable>) -> Vec<u8> {
    let stored = || key_file(game).unwrap_or_default().to_vec();
    table.and_then(|table| table.to_bytes().ok()).unwrap_or_else(stored)
}
