//! Foreign books that are SQLite files: opened as files that nobody changes, read row by row without
//! their indexes, whatever types the fields have.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::salvage::{Scanned, salvage};
use super::{Format, InteropError};
use crate::book::reader::immutable_uri;

/// First bytes of every SQLite file.
pub(super) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The longest value read, in bytes.
const LONGEST: i32 = 16 << 20;

/// The longest comment read, in bytes.
const LONGEST_COMMENT: i32 = 1 << 20;

/// The number of the column with comments.
pub(super) const COMMENT_COLUMN: usize = 7;

/// Fewest bytes that a row can take in a file.
const LEAST_ROW: u64 = 4;

/// How a format names its table and columns.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) format: Format,
    pub(super) table: &'static str,
    /// Key, move, score, wins, draws, losses, validity, comment.
    pub(super) columns: [&'static str; 8],
    /// What makes an empty book.
    pub(super) create: &'static str,
    /// What makes its index, when it is full.
    pub(super) create_index: &'static str,
}

/// A SQLite file open for reading.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    bytes: u64,
    /// Until when a check may take.
    deadline: Arc<Deadline>,
    /// A copy without the mark of a write-ahead log, where the file has one.
    _copy: Option<tempfile::NamedTempFile>,
}

/// Steps of SQLite's machine between two looks at whether it is to end.
const STEPS: i32 = 1 << 14;

/// How long SQLite's own check may take, at least and for each MiB of the file: many times what it
/// takes with any sound book.
const CHECK_TIME: Duration = Duration::from_secs(20);
const CHECK_TIME_PER_MIB: Duration = Duration::from_secs(1);

/// When something is to end, if at all.
#[derive(Debug, Default)]
struct Deadline(Mutex<Option<Instant>>);

impl Deadline {
    fn set(&self, at: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    fn is_over(&self) -> bool {
        let at = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        at.is_some_and(|at| Instant::now() >= at)
    }
}

/// Whether what lies beside a book says that changes of it were not finished. A journal that begins
/// with zeros is of finished ones: some programs keep it like that.
fn is_unfinished(beside: &Path) -> bool {
    let Ok(mut file) = File::open(beside) else { return false };
    let mut head = [0; 8];
    match file.read(&mut head) {
        Ok(0) | Err(_) => false,
        Ok(_) => head != [0; 8],
    }
}

impl Database {
    /// Opens a file that begins as SQLite files do.
    /// Whatever is asked of it ends with an error soon after `stop` was set.
    pub(super) fn open(path: &Path, stop: &Arc<AtomicBool>) -> Result<Self, InteropError> {
        let io = |source| InteropError::Io { path: path.to_owned(), source };
        for ending in ["-wal", "-journal"] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(ending);
            let beside = PathBuf::from(beside);
            if is_unfinished(&beside) {
                return Err(InteropError::Unfinished { path: path.to_owned(), beside });
            }
        }
        let bytes = std::fs::metadata(path).map_err(io)?.len();
        let copy = without_log(path).map_err(io)?;
        let opened = copy.as_ref().map_or(path, |copy| copy.path());
        let mut connection = connect(opened).map_err(|e| damaged(path, &e))?;
        let deadline = Arc::new(Deadline::default());
        let (until, stop) = (Arc::clone(&deadline), Arc::clone(stop));
        let is_over = move || stop.load(Ordering::Relaxed) || until.is_over();
        connection.progress_handler(STEPS, Some(is_over)).map_err(|e| damaged(path, &e))?;
        Ok(Self { path: path.to_owned(), connection, bytes, deadline, _copy: copy })
    }

    /// The columns of a table, if it is an ordinary one with rowids.
    pub(super) fn columns(&self, table: &str) -> rusqlite::Result<Option<Vec<String>>> {
        let sql = "SELECT type = 'table' AND rootpage > 0 AND sql LIKE 'create table%' AND NOT \
                   EXISTS(SELECT 1 FROM pragma_table_xinfo(name) WHERE hidden <> 0) AND NOT \
                   EXISTS(SELECT 1 FROM pragma_table_list(s.name) WHERE wr) \
                   FROM sqlite_schema AS s WHERE name = ?1 COLLATE NOCASE";
        let mut found = self.connection.prepare(sql)?;
        let mut rows = found.query([table])?;
        match rows.next()? {
            Some(row) if row.get::<_, Option<bool>>(0)? == Some(true) => {}
            _ => return Ok(None),
        }
        let mut columns = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        columns.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>().map(Some)
    }

    /// Calls `visit` with every row of the table in the order of rowids.
    pub(super) fn for_each(&self, layout: &Layout, visit: Visit<'_>) -> Result<(), InteropError> {
        let mut count = 0;
        match self.scan(layout, i64::MIN..=i64::MAX, false, &mut count, visit)? {
            Scanned::All => Ok(()),
            Scanned::Until(_, error) => Err(damaged(&self.path, &error)),
        }
    }

    /// Calls `visit` with every row that can be read, in no order where some cannot. Returns what
    /// cannot.
    pub(super) fn for_each_readable(
        &self,
        layout: &Layout,
        visit: Visit<'_>,
    ) -> Result<Vec<String>, InteropError> {
        let mut count = 0;
        let likely = self.bytes.cast_signed();
        let (lost, error) =
            salvage(likely, |range, down| self.scan(layout, range, down, &mut count, visit))?;
        let error = error.map_or_else(String::new, |error| error.to_string());
        let text = |range: RangeInclusive<i64>| match range.into_inner() {
            (first, i64::MAX) => format!("{error}: rows from {first} on cannot be read"),
            (first, last) => format!("{error}: rows {first} to {last} cannot be read"),
        };
        Ok(lost.into_iter().map(text).collect())
    }

    /// Reads the rows whose rowids are in a range, upwards or downwards.
    fn scan(
        &self,
        layout: &Layout,
        range: RangeInclusive<i64>,
        down: bool,
        count: &mut u64,
        visit: Visit<'_>,
    ) -> Result<Scanned, InteropError> {
        let fault = |e: rusqlite::Error| damaged(&self.path, &e);
        let columns = self.columns(layout.table).map_err(fault)?.unwrap_or_default();
        let present =
            layout.columns.map(|name| columns.iter().any(|c| c.eq_ignore_ascii_case(name)));
        let list: Vec<String> =
            (0..8).map(|i| column_text(layout.columns[i], i, present[i])).collect();
        let sql = format!(
            "SELECT rowid, {} FROM \"{}\" NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid{}",
            list.join(", "),
            layout.table,
            if down { " DESC" } else { "" }
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(fault)?;
        let mut rows = statement.query([range.start(), range.end()]).map_err(fault)?;
        let mut last = None;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(Scanned::All),
                Err(error) => return Ok(Scanned::Until(last, error)),
            };
            *count += 1;
            if *count > self.bytes / LEAST_ROW {
                let what = "more rows than a file of its length can hold".to_owned();
                return Err(InteropError::Damaged { path: self.path.clone(), what });
            }
            let place = row.get(0).map_err(fault)?;
            if last.is_some_and(|last| if down { place >= last } else { place <= last }) {
                let what = "rows out of order".to_owned();
                return Ok(Scanned::Until(last, rusqlite::Error::InvalidParameterName(what)));
            }
            last = Some(place);
            let mut values = [ValueRef::Null; 8];
            for (i, value) in values.iter_mut().enumerate() {
                *value = row.get_ref(i + 1).map_err(fault)?;
            }
            visit(&RawRow { place, values, present })?;
        }
    }

    /// The bytes of one row's value in a column.
    pub(super) fn bytes_at(
        &self,
        layout: &Layout,
        column: usize,
        place: i64,
    ) -> Result<Option<Vec<u8>>, InteropError> {
        let sql = format!(
            "SELECT \"{}\" FROM \"{}\" NOT INDEXED WHERE rowid = ?1",
            layout.columns[column], layout.table
        );
        let read = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query([place])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            Ok(bytes_of(row.get_ref(0)?).map(<[u8]>::to_vec))
        };
        read().map_err(|e| damaged(&self.path, &e))
    }

    /// What SQLite's own check says, up to `most` lines; none if all is well.
    pub(super) fn integrity(&self, most: usize) -> Vec<String> {
        match self.has_expressions() {
            Ok(false) => {}
            Ok(true) => {
                return vec![
                    "an expression or a part of a table is indexed: not checked".to_owned(),
                ];
            }
            Err(error) => return vec![error.to_string()],
        }
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut check = self.connection.prepare(&format!("PRAGMA integrity_check({most})"))?;
            check.query_map([], |row| row.get(0))?.collect()
        };
        let patience = CHECK_TIME + CHECK_TIME_PER_MIB * (self.bytes >> 20) as u32;
        self.deadline.set(Some(Instant::now() + patience));
        let lines = read();
        self.deadline.set(None);
        match lines {
            Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                vec![format!("SQLite's check was ended after {} s", patience.as_secs())]
            }
            Err(error) => vec![error.to_string()],
        }
    }

    /// Whether some index is over an expression or a part of a table: checking it would run whatever a
    /// file asks for.
    fn has_expressions(&self) -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS(SELECT 1 FROM sqlite_schema AS s, pragma_index_list(s.name) AS l \
                   WHERE s.type = 'table' AND (l.partial OR EXISTS(SELECT 1 FROM \
                   pragma_index_xinfo(l.name) AS i WHERE i.cid = -2)))";
        self.connection.query_row(sql, [], |row| row.get(0))
    }

    /// Whether a lookup by the key of a row, through the index if there is one, finds any row.
    pub(super) fn finds_itself(&self, layout: &Layout, place: i64) -> rusqlite::Result<bool> {
        let (table, key) = (layout.table, layout.columns[0]);
        let sql = format!(
            "SELECT EXISTS(SELECT 1 FROM \"{table}\" AS a WHERE a.\"{key}\" = \
             (SELECT \"{key}\" FROM \"{table}\" NOT INDEXED WHERE rowid = ?1))"
        );
        self.connection.prepare_cached(&sql)?.query_row([place], |row| row.get(0))
    }

    /// Whether some index begins with the key.
    pub(super) fn has_index(&self, layout: &Layout) -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS(SELECT 1 FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) \
                   AS i WHERE i.seqno = 0 AND lower(i.name) = ?2 AND NOT l.partial)";
        self.connection.query_row(sql, [layout.table, layout.columns[0]], |row| row.get(0))
    }
}

/// What is done with a row.
type Visit<'a> = &'a mut dyn FnMut(&RawRow<'_>) -> Result<(), InteropError>;

/// How a column is asked for. A comment that is too long comes as a number, its length.
fn column_text(name: &str, number: usize, is_present: bool) -> String {
    match (is_present, number) {
        (false, _) => "NULL".to_owned(),
        (true, COMMENT_COLUMN) => format!(
            "CASE WHEN octet_length(\"{name}\") > {LONGEST_COMMENT} THEN octet_length(\"{name}\") \
             ELSE \"{name}\" END"
        ),
        (true, _) => format!("\"{name}\""),
    }
}

/// A row as it lies in the file.
#[derive(Debug)]
pub(super) struct RawRow<'a> {
    pub(super) place: i64,
    pub(super) values: [ValueRef<'a>; 8],
    /// Which of the columns the table has.
    pub(super) present: [bool; 8],
}

/// The bytes of a text or a blob.
pub(super) const fn bytes_of(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        _ => None,
    }
}

pub(super) fn damaged(path: &Path, error: &rusqlite::Error) -> InteropError {
    InteropError::Damaged { path: path.to_owned(), what: error.to_string() }
}

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    // What makes the schema writable also lets a file be read that ends too early.
    connection.execute_batch(
        "PRAGMA writable_schema = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
         PRAGMA mmap_size = 0; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;
         PRAGMA ignore_check_constraints = ON;",
    )?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 16)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    Ok(connection)
}

/// A file that nobody changes cannot be read through a write-ahead log, so the mark of one, if the
/// log itself is gone or empty, is removed from a copy.
fn without_log(path: &Path) -> std::io::Result<Option<tempfile::NamedTempFile>> {
    let mut file = File::open(path)?;
    let mut head = [0; 20];
    let has_log = file.read_exact(&mut head).is_ok() && head[18..20] == [2, 2];
    if !has_log {
        return Ok(None);
    }
    let mut copy = tempfile::NamedTempFile::new()?;
    file.rewind()?;
    std::io::copy(&mut file, copy.as_file_mut())?;
    copy.as_file_mut().seek(SeekFrom::Start(18))?;
    copy.as_file_mut().write_all(&[1, 1])?;
    Ok(Some(copy))
}
