//! Opening SQLite files: books of this program, books of others, indexes of collections, and working files. Nothing else in
//! the program opens one.
//!
//! Nothing that a file contains is run: no trigger, no view, no function of its schema. A query ends soon
//! after the stop flag was set, and after more steps than any sound file of that length needs.

use std::path::Path;
#[cfg(windows)]
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::bytes::StopFlag;
#[cfg(windows)]
use crate::bytes::paths::canonical;

/// The longest value, in bytes.
const LONGEST: i32 = 16 << 20;

/// The longest statement, those of a schema included, in bytes.
const LONGEST_SQL: i32 = 1 << 16;

/// Steps of a compiled statement, at most.
const LONGEST_PROGRAM: i32 = 1 << 16;

/// Steps of SQLite's machine between two checks of the stop flag and the limit.
const STEPS: u16 = 1 << 13;

/// Steps that every query is allowed, whatever the length of the file: a fraction of a second.
const LEAST_STEPS: u64 = 1 << 24;

/// Further steps for each byte of the file. A row has four bytes or more and takes some thirty steps.
const STEPS_PER_BYTE: u64 = 32;

/// A kind of file that is read, and does not change meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// One of the program's own books.
    Own,
    /// A file of another program. The readable part of a damaged schema is used.
    Foreign,
    /// The same, where it is shorter than its header states. Only a connection that is not in
    /// defensive mode reads such a file; it cannot write into one either.
    ForeignCut,
}

/// Ends the queries of a connection that do not end by themselves.
#[derive(Debug)]
pub(crate) struct Guard {
    stop: StopFlag,
    /// Looks that each query is granted, and those that the present one has left.
    looks: u64,
    left: AtomicU64,
    deadline: Mutex<Option<Instant>>,
}

impl Guard {
    fn new(stop: &StopFlag, bytes: u64) -> Self {
        let steps = LEAST_STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
        let looks = steps / u64::from(STEPS);
        let deadline = Mutex::default();
        Self { stop: stop.clone(), looks, left: AtomicU64::new(looks), deadline }
    }

    /// Grants the next query all its steps.
    pub(crate) fn restart(&self) {
        self.left.store(self.looks, Ordering::Relaxed);
    }

    /// From now on queries end at that time, or only by their steps.
    pub(crate) fn set_deadline(&self, at: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    /// Returns true if the stop flag is set.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// The flag that ends every query.
    pub(crate) const fn stop(&self) -> &StopFlag {
        &self.stop
    }

    fn is_over(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        let at = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        left == 0 || self.is_stopped() || at.is_some_and(|at| Instant::now() >= at)
    }

    /// Describes the fault of a file whose query failed.
    pub(crate) fn fault(&self, error: &rusqlite::Error) -> String {
        let is_ended = error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted);
        match (is_ended, self.is_stopped()) {
            (true, false) => {
                "reading it takes more steps than a file of its length needs".to_owned()
            }
            (true, true) => "interrupted".to_owned(),
            (false, _) => error.to_string(),
        }
    }
}

/// Opens a regular file of `bytes` bytes for reading; the caller has checked that. Files beside it are
/// ignored, and none is made.
pub(crate) fn open_file(
    path: &Path,
    bytes: u64,
    kind: FileKind,
    stop: &StopFlag,
) -> rusqlite::Result<(Connection, Arc<Guard>)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    #[cfg(windows)]
    super::windows::share_open_files();
    let mut connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    let guard = Arc::new(Guard::new(stop, bytes));
    let watch = Arc::clone(&guard);
    connection.progress_handler(STEPS.into(), Some(move || watch.is_over()))?;
    restrict(&connection)?;
    if kind != FileKind::Own {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, kind != FileKind::ForeignCut)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.execute_batch(
        "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;
         PRAGMA ignore_check_constraints = ON;",
    )?;
    if kind != FileKind::Own {
        // Of foreign ones only one is open at a time.
        connection.execute_batch("PRAGMA cache_size = -16384")?;
    }
    Ok((connection, guard))
}

/// Opens a file that this program made, to be written, and runs `pragmas` on it.
pub(crate) fn open_working(path: &Path, pragmas: &str) -> rusqlite::Result<Connection> {
    // No URIs: a file name that looks like one is a file name.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    restrict(&connection)?;
    // Packing attaches the file that it writes.
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 1)?;
    connection.execute_batch("PRAGMA cell_size_check = ON;")?;
    connection.execute_batch(pragmas)?;
    // Last: in defensive mode there is always a journal.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(connection)
}

/// A fault that the program finds in rows, in its own words, where errors of SQLite are expected.
pub(crate) fn row_fault(what: &str) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(what.into())
}

/// Sets SQLite's schema version, which counts the changes of the schema.
pub(crate) fn set_schema_version(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    let set = connection.execute_batch(&format!("PRAGMA schema_version = {number};"));
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    set
}

/// Sets the restrictions of every connection, before it reads anything.
fn restrict(connection: &Connection) -> rusqlite::Result<()> {
    for config in [
        DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
        DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
        DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
    ] {
        connection.set_db_config(config, false)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_SQL),
        (Limit::SQLITE_LIMIT_VDBE_OP, LONGEST_PROGRAM),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    Ok(())
}

/// The URI by which SQLite opens the file as immutable: it makes no files beside it and ignores those there.
/// Books are replaced by renaming, so an open one stays as it is.
fn immutable_uri(path: &Path) -> String {
    let path = as_sqlite_takes_it(path);
    let mut uri = String::from(if cfg!(windows) {
        "file:"
    } else if path.has_root() {
        // An authority, an empty one, keeps two slashes at the start from being read as one.
        "file://"
    } else {
        "file:./"
    });
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 15)]),
        }
    }
    uri + "?immutable=1"
}

/// The path in its long form: SQLite passes it to Windows as it is, which has limits for others, and places on drives and
/// shares need no rules of their own.
#[cfg(windows)]
fn as_sqlite_takes_it(path: &Path) -> PathBuf {
    canonical(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(not(windows))]
const fn as_sqlite_takes_it(path: &Path) -> &Path {
    path
}

/// A hexadecimal digit.
fn hex_digit(n: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(n)])
}
