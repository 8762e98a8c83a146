//! Changing a book: a copy is changed, sealed, and put in its place, so that the book is whole at any
//! moment and whoever has it open keeps what he opened.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{Book, BookError, remake, seal};
use crate::bytes::atomic::AtomicFile;
use crate::bytes::lock::FileLock;

/// Why a book cannot be changed. It is as it was then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// It cannot be read.
    #[error(transparent)]
    Book(#[from] BookError),
    /// Another program is changing it.
    #[error("{}: another program is changing the book; wait for it and run this again", path.display())]
    Busy {
        /// The book.
        path: PathBuf,
    },
    /// It is not to be written.
    #[error("{}: the book is read-only; make it writable, or change a copy", path.display())]
    ReadOnly {
        /// The book.
        path: PathBuf,
    },
    /// The file system refuses.
    #[error("{}: cannot write the book; is the disk full, or the folder read-only?", path.display())]
    Write {
        /// The book.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The store refuses.
    #[error("{}: cannot write the book; is the disk full?", path.display())]
    Store {
        /// The book.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

/// Changes the book at `path`; all or nothing. The bytes of the result depend on its content alone.
pub(super) fn rewrite<T>(
    path: &Path,
    change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, RewriteError> {
    let write = |source| RewriteError::Write { path: path.to_owned(), source };
    let store = |source| RewriteError::Store { path: path.to_owned(), source };
    let (mut book, _lock) = lock(path)?;
    let permissions = book.metadata().map_err(write)?.permissions();
    if permissions.readonly() {
        return Err(RewriteError::ReadOnly { path: path.to_owned() });
    }
    // Whatever stands there must be a sound book, or the copy would be sealed as one.
    Book::open(path)?.check_file()?;
    let mut copy = AtomicFile::create(path).map_err(write)?;
    book.rewind().map_err(write)?;
    io::copy(&mut book, copy.file_mut()).map_err(write)?;
    copy.file_mut().set_permissions(permissions).map_err(write)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(copy.temporary_path(), flags).map_err(store)?;
    let result = run(&connection, change).map_err(store)?;
    connection.close().map_err(|(_, error)| store(error))?;
    seal::seal(copy.file_mut()).map_err(write)?;
    copy.commit().map_err(write)?;
    Ok(result)
}

fn run<T>(
    connection: &Connection,
    change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF;
         PRAGMA journal_mode = OFF;
         PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = FILE;
         PRAGMA cache_size = -32768;
         BEGIN;",
    )?;
    let schema: i64 = connection.query_row("PRAGMA schema_version", [], |row| row.get(0))?;
    let result = change(connection)?;
    // Vacuuming counts as a change of the schema, which would tell how often a book was changed.
    connection.execute_batch(&format!("COMMIT; VACUUM; PRAGMA schema_version = {schema};"))?;
    Ok(result)
}

/// The book, and the right to change it.
fn lock(path: &Path) -> Result<(File, FileLock), RewriteError> {
    // Before the lock, which would make a file beside what is no book.
    drop(Book::open(path)?);
    let lock = remake::lock(path).map_err(|source| match source.kind() {
        io::ErrorKind::WouldBlock => RewriteError::Busy { path: path.to_owned() },
        _ => RewriteError::Write { path: path.to_owned(), source },
    })?;
    let read = |source| RewriteError::Book(BookError::Io { path: path.to_owned(), source });
    Ok((File::open(path).map_err(read)?, lock))
}
