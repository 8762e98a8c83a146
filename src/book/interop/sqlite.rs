//! Foreign books that are SQLite files: opened as immutable files, read row by row without their indexes,
//! whatever types the fields have.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

use crate::book::file::connect::{FileKind, Guard, open_file, row_fault};
use crate::book::file::digest::Header;
use crate::book::interop::BookFormat;
use crate::book::interop::error::InteropError;
use crate::book::interop::recover::{Scanned, read_around_damage};
use crate::bytes::{StopFlag, open};
use crate::message::{Message, message};

/// First bytes of every SQLite file.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The longest comment read, in bytes.
const LONGEST_COMMENT: i32 = 1 << 20;

/// The number of the column with comments.
pub(crate) const COMMENT_COLUMN: usize = 7;

/// The fewest bytes of a row in a file.
const LEAST_ROW: u64 = 4;

/// The names of a format's table and columns.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) format: BookFormat,
    pub(crate) table: &'static str,
    /// Key, move, score, wins, draws, losses, validity, comment.
    pub(crate) columns: [&'static str; 8],
    /// The SQL that makes an empty book.
    pub(crate) create: &'static str,
    /// The SQL that makes its index, once the table is full.
    pub(crate) create_index: &'static str,
}

/// A SQLite file open for reading.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) path: PathBuf,
    connection: Connection,
    bytes: u64,
    /// Ends queries that do not end by themselves.
    guard: Arc<Guard>,
    /// A copy without the mark of a write-ahead log, where the file has one and open files cannot be
    /// removed.
    _copy: Option<tempfile::NamedTempFile>,
}

/// The time limit of SQLite's own check, at least and for each MiB of the file: many times the time for any
/// sound book.
const CHECK_TIME: Duration = Duration::from_secs(20);
const CHECK_TIME_PER_MIB: Duration = Duration::from_secs(1);

/// The most pages of a file that SQLite's own check reads: it needs a bit of memory for each.
const MOST_PAGES: u64 = 1 << 29;

/// The longest file of which a copy is made.
const LONGEST_COPY: u64 = 4 << 30;

/// Returns true if a file beside a book shows unfinished changes of it. A journal that begins with zeros
/// belongs to finished ones: some programs keep it like that. Anything but a file belongs to none.
fn is_unfinished(beside: &Path) -> bool {
    let Ok(mut file) = open::regular(beside) else { return false };
    let mut head = [0; 8];
    match file.read(&mut head) {
        Ok(0) | Err(_) => false,
        Ok(_) => head != [0; 8],
    }
}

impl Database {
    /// Opens a file that begins as SQLite files do. All its queries end with an error soon after `stop` was
    /// set.
    pub(crate) fn open(path: &Path, stop: &StopFlag) -> Result<Self, InteropError> {
        let mut file = open::regular(path).map_err(|source| InteropError::io(path, source))?;
        for ending in ["-wal", "-journal"] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(ending);
            let beside = PathBuf::from(beside);
            if is_unfinished(&beside) {
                return Err(InteropError::Unfinished { path: path.to_owned(), beside });
            }
        }
        let bytes = file.metadata().map_err(|source| InteropError::io(path, source))?.len();
        let header = Header::read(&mut file).unwrap_or(None);
        let is_cut = header.is_some_and(|header| header.pages * header.page_size > bytes);
        let kind = if is_cut { FileKind::ForeignCut } else { FileKind::Foreign };
        let copy =
            without_log(&mut file, bytes).map_err(|source| InteropError::io(path, source))?;
        let opened = copy.as_ref().map_or(path, |copy| copy.path());
        let (connection, guard) =
            open_file(opened, bytes, kind, stop).map_err(|e| damaged(path, &e))?;
        // The copy stays open; without a name nothing of it is left behind, whatever happens.
        let copy = copy.filter(|_| !cfg!(unix));
        Ok(Self { path: path.to_owned(), connection, bytes, guard, _copy: copy })
    }

    /// The error for the file after a failed query.
    pub(crate) fn fault(&self, error: &rusqlite::Error) -> InteropError {
        InteropError::Damaged { path: self.path.clone(), what: self.guard.fault(error).into() }
    }

    /// Runs a query, with the full allowance of steps.
    pub(crate) fn query<T>(
        &self,
        run: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, InteropError> {
        self.guard.restart();
        run(&self.connection).map_err(|e| self.fault(&e))
    }

    /// The columns of a table, if it is an ordinary one with rowids: no view, no virtual table, and nothing
    /// that only the schema presents as one.
    pub(crate) fn columns(&self, table: &str) -> Result<Option<Vec<String>>, InteropError> {
        self.query(|c| {
            // First, from the rows alone: to look at tables as such makes SQLite load virtual ones.
            let sql = "SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 1 \
                       AND name = ?1 COLLATE NOCASE) AND NOT EXISTS(SELECT 1 FROM sqlite_schema \
                       WHERE sql LIKE '%virtual%')";
            if !c.query_row(sql, [table], |row| row.get::<_, bool>(0))? {
                return Ok(None);
            }
            let sql = "SELECT EXISTS(SELECT 1 FROM pragma_table_list(?1) WHERE schema = 'main' AND \
                       type = 'table' AND NOT wr) AND NOT EXISTS(SELECT 1 FROM \
                       pragma_table_xinfo(?1) WHERE hidden <> 0)";
            if !c.query_row(sql, [table], |row| row.get::<_, bool>(0))? {
                return Ok(None);
            }
            let mut columns = c.prepare("SELECT name FROM pragma_table_info(?1)")?;
            columns.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>().map(Some)
        })
    }

    /// Calls `visit` with every row of the table in the order of rowids.
    pub(crate) fn for_each(&self, layout: &Layout, visit: Visit<'_>) -> Result<(), InteropError> {
        let mut count = 0;
        match self.scan(layout, i64::MIN..=i64::MAX, false, &mut count, visit)? {
            Scanned::All => Ok(()),
            Scanned::Until(_, error) => Err(self.fault(&error)),
        }
    }

    /// Calls `visit` with every row that can be read, in no order if some cannot. Returns the parts that
    /// cannot.
    pub(crate) fn for_each_readable(
        &self,
        layout: &Layout,
        visit: Visit<'_>,
    ) -> Result<Vec<Message>, InteropError> {
        let mut count = 0;
        let likely = self.bytes.cast_signed();
        let (lost, error) = read_around_damage(likely, |range, down| {
            self.scan(layout, range, down, &mut count, visit)
        })?;
        let error = error.map_or_else(String::new, |error| self.guard.fault(&error));
        Ok(lost
            .into_iter()
            .map(|range: RangeInclusive<i64>| match range.into_inner() {
                (first, i64::MAX) => message!("{error}: rows from {first} on cannot be read"),
                (first, last) => message!("{error}: rows {first} to {last} cannot be read"),
            })
            .collect())
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
        let columns = self.columns(layout.table)?.ok_or_else(|| self.no_table(layout))?;
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
        let mut statement =
            self.connection.prepare_cached(&sql).map_err(|e: rusqlite::Error| self.fault(&e))?;
        let mut rows = statement
            .query([range.start(), range.end()])
            .map_err(|e: rusqlite::Error| self.fault(&e))?;
        let mut last = None;
        let mut content = 0;
        self.guard.restart();
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(Scanned::All),
                Err(error) => return Ok(Scanned::Until(last, error)),
            };
            *count += 1;
            if *count > self.bytes / LEAST_ROW {
                let what = "more rows than a file of its length can hold".to_owned();
                return Err(InteropError::Damaged { path: self.path.clone(), what: what.into() });
            }
            let place = row.get(0).map_err(|e: rusqlite::Error| self.fault(&e))?;
            if last.is_some_and(|last| if down { place >= last } else { place <= last }) {
                return Ok(Scanned::Until(last, row_fault("rows out of order")));
            }
            last = Some(place);
            let mut values = [ValueRef::Null; 8];
            for (i, value) in values.iter_mut().enumerate() {
                *value = row.get_ref(i + 1).map_err(|e: rusqlite::Error| self.fault(&e))?;
                content += bytes_of(*value).map_or(0, <[u8]>::len) as u64;
            }
            // Twice: a text can become longer where its encoding is changed.
            if content > self.bytes.saturating_mul(2) {
                let what = "more content than a file of its length can hold".to_owned();
                return Err(InteropError::Damaged { path: self.path.clone(), what: what.into() });
            }
            visit(&RawRow { place, values, present })?;
        }
    }

    /// The bytes of one row's value in a column.
    pub(crate) fn bytes_at(
        &self,
        layout: &Layout,
        column: usize,
        place: i64,
    ) -> Result<Option<Vec<u8>>, InteropError> {
        let sql = format!(
            "SELECT \"{}\" FROM \"{}\" NOT INDEXED WHERE rowid = ?1",
            layout.columns[column], layout.table
        );
        self.query(|c| {
            let mut statement = c.prepare_cached(&sql)?;
            let mut rows = statement.query([place])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            Ok(bytes_of(row.get_ref(0)?).map(<[u8]>::to_vec))
        })
    }

    fn no_table(&self, layout: &Layout) -> InteropError {
        let what = message!("it has no table {}", layout.table);
        InteropError::Damaged { path: self.path.clone(), what }
    }

    /// The output of SQLite's own check, up to `most` lines; none if all is well.
    pub(crate) fn integrity(&self, most: usize) -> Vec<Message> {
        match self.has_expressions() {
            Ok(false) => {}
            Ok(true) => {
                return vec!["an expression or a part of a table is indexed: not checked".into()];
            }
            Err(error) => return vec![error.to_string().into()],
        }
        let pages = self.query(|c| c.query_row("PRAGMA page_count", [], |row| row.get(0)));
        if pages.is_ok_and(|pages: i64| pages.cast_unsigned() > MOST_PAGES) {
            return vec!["too many pages: not checked".into()];
        }
        let time = CHECK_TIME + CHECK_TIME_PER_MIB * (self.bytes >> 20) as u32;
        self.guard.set_deadline(Some(Instant::now() + time));
        self.guard.restart();
        let lines = self.integrity_lines(most);
        self.guard.set_deadline(None);
        match lines {
            Ok(lines) => lines.into_iter().filter(|line| line != "ok").map(Message::from).collect(),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                vec![message!("SQLite's check was ended after {} s", time.as_secs())]
            }
            Err(error) => vec![error.to_string().into()],
        }
    }

    /// The lines of SQLite's own check: "ok", or up to `most` faults.
    fn integrity_lines(&self, most: usize) -> rusqlite::Result<Vec<String>> {
        let mut check = self.connection.prepare(&format!("PRAGMA integrity_check({most})"))?;
        check.query_map([], |row| row.get(0))?.collect()
    }

    /// Returns true if some index is over an expression or a part of a table: checking it would run
    /// expressions of the file.
    fn has_expressions(&self) -> Result<bool, InteropError> {
        let sql = "SELECT EXISTS(SELECT 1 FROM sqlite_schema AS s, pragma_index_list(s.name) AS l \
                   WHERE s.type = 'table' AND (l.partial OR EXISTS(SELECT 1 FROM \
                   pragma_index_xinfo(l.name) AS i WHERE i.cid = -2)))";
        self.query(|c| c.query_row(sql, [], |row| row.get(0)))
    }

    /// Returns true if a lookup by the key of a row, through the index if there is one, finds any row.
    pub(crate) fn finds_itself(&self, layout: &Layout, place: i64) -> Result<bool, InteropError> {
        let table = layout.table;
        let key = layout.columns[0];
        let sql = format!(
            "SELECT EXISTS(SELECT 1 FROM \"{table}\" AS a WHERE a.\"{key}\" = \
             (SELECT \"{key}\" FROM \"{table}\" NOT INDEXED WHERE rowid = ?1))"
        );
        self.query(|c| c.prepare_cached(&sql)?.query_row([place], |row| row.get(0)))
    }

    /// Returns true if some index begins with the key.
    pub(crate) fn has_index(&self, layout: &Layout) -> Result<bool, InteropError> {
        let sql = "SELECT EXISTS(SELECT 1 FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) \
                   AS i WHERE i.seqno = 0 AND lower(i.name) = ?2 AND NOT l.partial)";
        let names = [layout.table, layout.columns[0]];
        self.query(|c| c.query_row(sql, names, |row| row.get(0)))
    }
}

/// A callback for a row.
type Visit<'a> = &'a mut dyn FnMut(&RawRow<'_>) -> Result<(), InteropError>;

/// The SQL for a column. A comment that is too long is read as a number, its length.
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
pub(crate) struct RawRow<'a> {
    pub(crate) place: i64,
    pub(crate) values: [ValueRef<'a>; 8],
    /// True for each column that the table has.
    pub(crate) present: [bool; 8],
}

/// The bytes of a text or a blob.
pub(crate) const fn bytes_of(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        _ => None,
    }
}

pub(crate) fn damaged(path: &Path, error: &rusqlite::Error) -> InteropError {
    InteropError::Damaged { path: path.to_owned(), what: error.to_string().into() }
}

/// Makes a copy without the mark of a write-ahead log, if the file has one and the log itself is gone or
/// empty: an immutable file cannot be read through such a log.
fn without_log(file: &mut File, bytes: u64) -> io::Result<Option<tempfile::NamedTempFile>> {
    let mut head = [0; 20];
    file.rewind()?;
    let has_log = file.read_exact(&mut head).is_ok() && head[18..20] == [2, 2];
    if !has_log {
        return Ok(None);
    }
    if bytes > LONGEST_COPY {
        let what = "it is marked for a write-ahead log, and too long for a copy without that mark; open \
                    it with a program of its own and let that set journal_mode to delete";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    let mut copy = tempfile::NamedTempFile::new()?;
    file.rewind()?;
    io::copy(&mut file.take(bytes), copy.as_file_mut())?;
    copy.as_file_mut().seek(SeekFrom::Start(18))?;
    copy.as_file_mut().write_all(&[1, 1])?;
    Ok(Some(copy))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_copy_of_a_file_with_a_log_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(7)").unwrap();
        drop(connection);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[18..20].fill(2);
        std::fs::write(&path, bytes).unwrap();
        let database = Database::open(&path, &StopFlag::default()).unwrap();
        assert!(database._copy.is_none());
        let found: Result<i64, _> =
            database.query(|c| c.query_row("SELECT a FROM t", [], |row| row.get(0)));
        assert_eq!(found.unwrap(), 7);
    }
}
