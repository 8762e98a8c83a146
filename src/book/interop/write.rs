//! Writing foreign books: whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ToSql, params};

use crate::book::file::connect::open_working;
use crate::book::interop::error::InteropError;
use crate::book::interop::sqlite::Layout;
use crate::book::interop::{eleeye, moonriver, polyglot};
use crate::book::model::annotation::MAX_COMMENT;
use crate::bytes::atomic::{self, AtomicFile};
use crate::bytes::lock::{FileLock, LockError};
use crate::message::message;

/// A new file, and the right to write it.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: AtomicFile,
    /// Held until the file is in its place.
    _lock: FileLock,
}

impl NewFile {
    /// Starts a new file. An existing one is never replaced.
    pub(crate) fn create(path: &Path) -> Result<Self, InteropError> {
        if path.symlink_metadata().is_ok() {
            // Before the lock, which would make a file beside something that stays.
            return Err(create_error(path, &atomic::exists()));
        }
        let lock = FileLock::take(path)?;
        let file = AtomicFile::create_new(path).map_err(|e| create_error(path, &e))?;
        Ok(Self { file, _lock: lock })
    }

    /// Writes all bytes of the file and moves it to its place.
    pub(crate) fn write_all(mut self, path: &Path, bytes: &[u8]) -> Result<(), InteropError> {
        self.file.write_all(bytes).map_err(|e| write_error(path, e))?;
        self.commit(path)
    }

    /// Moves the finished file to its place.
    fn commit(self, path: &Path) -> Result<(), InteropError> {
        let Self { file, _lock } = self;
        file.commit().map_err(|e| create_error(path, &e))
    }
}

impl From<LockError> for InteropError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy(busy) => Self::Busy(busy),
            LockError::File { path, source } => create_error(&path, &source),
        }
    }
}

fn create_error(path: &Path, error: &io::Error) -> InteropError {
    InteropError::Create { path: path.to_owned(), what: message!("{}", error) }
}

fn write_error(path: &Path, source: io::Error) -> InteropError {
    InteropError::Write { path: path.to_owned(), source }
}

/// The numbers and the remark of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowContent {
    pub(crate) score: i64,
    /// Games won by the mover, drawn, lost.
    pub(crate) games: [i64; 3],
    pub(crate) is_valid: bool,
    pub(crate) comment: Option<String>,
}

impl RowContent {
    /// Adds the contents of another row of the same move.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.score = self.score.saturating_add(other.score);
        for (sum, more) in self.games.iter_mut().zip(other.games) {
            *sum = sum.saturating_add(more);
        }
        self.is_valid |= other.is_valid;
        self.comment = join(self.comment.take(), other.comment);
    }
}

/// Both comments, one after the other, unless the first has the lines of the second already. Where
/// the first is longer than any in the program's own books, nothing more is added.
pub(crate) fn join(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(mut one), Some(other)) if one.len() <= MAX_COMMENT && !has_lines(&one, &other) => {
            one.push('\n');
            one.push_str(&other);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

/// Returns true if `other` is in `one` as whole lines.
fn has_lines(one: &str, other: &str) -> bool {
    one.match_indices(other).any(|(at, _)| {
        let before = &one[..at];
        let after = &one[at + other.len()..];
        (before.is_empty() || before.ends_with('\n'))
            && (after.is_empty() || after.starts_with('\n'))
    })
}

/// Writes a SQLite book row by row.
#[derive(Debug)]
pub(crate) struct TableWriter {
    path: PathBuf,
    file: NewFile,
    connection: Connection,
    layout: &'static Layout,
    insert: String,
}

impl TableWriter {
    pub(crate) fn create(path: &Path, layout: &'static Layout) -> Result<Self, InteropError> {
        let file = NewFile::create(path)?;
        let connection =
            create_table(file.file.temporary_path(), layout).map_err(|e| store_error(path, e))?;
        let columns = layout.columns.map(|name| format!("\"{name}\"")).join(", ");
        let insert = format!(
            "INSERT INTO \"{}\"({columns}) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            layout.table
        );
        Ok(Self { path: path.to_owned(), file, connection, layout, insert })
    }

    pub(crate) fn insert(
        &self,
        key: &dyn ToSql,
        mv: u16,
        content: &RowContent,
    ) -> Result<(), InteropError> {
        let [wins, draws, losses] = content.games;
        let row = params![
            key,
            mv,
            content.score,
            wins,
            draws,
            losses,
            i64::from(content.is_valid),
            content.comment
        ];
        self.connection
            .prepare_cached(&self.insert)
            .and_then(|mut insert| insert.execute(row))
            .map_err(|e| store_error(&self.path, e))?;
        Ok(())
    }

    /// Runs something more on the new file.
    pub(crate) fn with<T>(
        &self,
        run: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, InteropError> {
        run(&self.connection).map_err(|e| store_error(&self.path, e))
    }

    /// Makes the index, checks the file and moves it to its place.
    pub(crate) fn finish(self) -> Result<(), InteropError> {
        let Self { path, file, connection, layout, .. } = self;
        let verdict = close_table(connection, layout).map_err(|e| store_error(&path, e))?;
        if verdict != "ok" {
            return Err(write_error(&path, io::Error::other(verdict)));
        }
        file.commit(&path)
    }
}

/// Opens the empty file at `path` and creates the table in a transaction.
fn create_table(path: &Path, layout: &Layout) -> rusqlite::Result<Connection> {
    let connection = open_working(
        path,
        "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16384; BEGIN;",
    )?;
    connection.execute_batch(layout.create)?;
    Ok(connection)
}

/// Makes the index, ends the transaction and closes the file. Returns the verdict of SQLite's check: "ok"
/// or a fault.
fn close_table(connection: Connection, layout: &Layout) -> rusqlite::Result<String> {
    // After all rows: adding to an index row by row would take longer.
    connection.execute_batch(layout.create_index)?;
    connection.execute_batch("COMMIT")?;
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(verdict)
}

fn store_error(path: &Path, error: rusqlite::Error) -> InteropError {
    write_error(path, io::Error::other(error))
}

fn write_records(
    path: &Path,
    put: impl FnOnce(&mut BufWriter<&mut AtomicFile>) -> io::Result<()>,
) -> Result<(), InteropError> {
    let mut new = NewFile::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, &mut new.file);
    put(&mut out).and_then(|()| out.flush()).map_err(|e| write_error(path, e))?;
    drop(out);
    new.commit(path)
}

/// Writes records one after another.
fn put_all<T>(
    out: &mut impl Write,
    records: impl IntoIterator<Item = T>,
    put: impl Fn(T, &mut Vec<u8>),
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(16);
    for record in records {
        bytes.clear();
        put(record, &mut bytes);
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes a book of `ElephantEye`.
pub(crate) fn eleeye(path: &Path, mut records: Vec<eleeye::Record>) -> Result<(), InteropError> {
    // The heaviest move of a position first, as its own builder has them.
    records.sort_unstable_by_key(|r| (r.key, std::cmp::Reverse(r.weight), r.mv));
    write_records(path, |out| put_all(out, records, eleeye::Record::put))
}

/// Writes a book of `XBoard`.
pub(crate) fn polyglot(
    path: &Path,
    mut records: Vec<polyglot::Record>,
) -> Result<(), InteropError> {
    records.sort_unstable_by_key(|r| (r.key, std::cmp::Reverse(r.weight), r.mv));
    write_records(path, |out| put_all(out, records, polyglot::Record::put))
}

/// Writes a book of `MoonRiver`: Black's records and Red's, each key once.
pub(crate) fn moonriver(
    path: &Path,
    mut sides: [Vec<moonriver::Record>; 2],
) -> Result<(), InteropError> {
    for records in &mut sides {
        records.sort_unstable();
    }
    let header = moonriver::Header { counts: [sides[0].len() as u64, sides[1].len() as u64] };
    let mut head = Vec::new();
    header.put("written by juzhong", &mut head);
    write_records(path, |out| {
        out.write_all(&head)?;
        put_all(out, sides.into_iter().flatten(), moonriver::Record::put)
    })
}
