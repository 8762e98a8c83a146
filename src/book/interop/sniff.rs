//! Recognising the format of a file by its content.

use std::io::{self, Read};
use std::path::Path;

use rusqlite::OptionalExtension;

use crate::book::file::store::APPLICATION_ID;
use crate::book::interop::error::InteropError;
use crate::book::interop::flat::field;
use crate::book::interop::sqlite::{Database, MAGIC};
use crate::book::interop::{BookFormat, eleeye, moonriver, polyglot};
use crate::bytes::{StopFlag, open};
use crate::message::{Message, ToMessage, message};

/// The number of bytes examined.
const SAMPLE: u64 = 64 << 10;

/// The format of a book of another program.
///
/// # Errors
///
/// [`InteropError::Unknown`] if it is none that is known, [`InteropError::Io`].
pub fn sniff(path: &Path) -> Result<BookFormat, InteropError> {
    sniff_until(path, &StopFlag::default())
}

/// [`sniff`]; ends with an error soon after `stop` was set.
pub(crate) fn sniff_until(path: &Path, stop: &StopFlag) -> Result<BookFormat, InteropError> {
    let mut sample = Vec::new();
    open::regular(path).and_then(|file| file.take(SAMPLE).read_to_end(&mut sample)).map_err(
        |source: io::Error| match source.kind() {
            io::ErrorKind::InvalidInput => unknown(path, source.message()),
            _ => InteropError::Io { path: path.to_owned(), source },
        },
    )?;
    if sample.is_empty() {
        return Err(unknown(path, "an empty file"));
    }
    if sample.starts_with(MAGIC) {
        return sniff_tables(&Database::open(path, stop)?);
    }
    sniff_records(&sample).ok_or_else(|| unknown(path, "no format that is known"))
}

/// The error of a file of no known format.
fn unknown(path: &Path, what: impl Into<Message>) -> InteropError {
    InteropError::Unknown { path: path.to_owned(), what: what.into() }
}

fn sniff_tables(database: &Database) -> Result<BookFormat, InteropError> {
    let path = &database.path;
    for format in [BookFormat::Obk, BookFormat::PfBook, BookFormat::Xqb] {
        let Some(layout) = format.layout() else { continue };
        let Some(columns) = database.columns(layout.table)? else { continue };
        for needed in &layout.columns[..2] {
            if !has_column(&columns, needed) {
                let what = message!("its table {} has no column {needed}", layout.table);
                return Err(unknown(path, what));
            }
        }
        if format == BookFormat::Xqb {
            refuse_other_games(database)?;
        }
        return Ok(format);
    }
    let application: Option<u32> =
        database.query(|c| c.query_row("PRAGMA application_id", [], |row| row.get(0))).ok();
    if application == Some(APPLICATION_ID) {
        return Err(unknown(path, "already a book of this program"));
    }
    Err(unknown(path, "a SQLite database without the tables of a book"))
}

/// Returns true if a table has a column of that name; SQLite ignores the case of names.
fn has_column(columns: &[String], name: &str) -> bool {
    columns.iter().any(|column| column.eq_ignore_ascii_case(name))
}

/// Books of jieqi and banqi have the same tables.
fn refuse_other_games(database: &Database) -> Result<(), InteropError> {
    let columns = database.columns("information")?.unwrap_or_default();
    if !has_column(&columns, "name") || !has_column(&columns, "value") {
        return Ok(());
    }
    let sql = "SELECT CAST(value AS TEXT) FROM information NOT INDEXED WHERE name = 'type' LIMIT 1";
    let kind: Option<String> =
        match database.query(|c| c.query_row(sql, [], |row| row.get(0)).optional()) {
            Ok(kind) => kind.flatten(),
            // Reading the book reports the fault.
            Err(_) => None,
        };
    match kind.as_deref() {
        None | Some("xiangqi") => Ok(()),
        Some(other) => {
            let what = message!("a book of {}, not of xiangqi", other.escape_debug());
            Err(InteropError::Unknown { path: database.path.clone(), what })
        }
    }
}

/// A share of records that must make sense, so that a damaged book is still recognised.
fn mostly(good: usize, all: usize) -> bool {
    all > 0 && 10 * good >= 9 * all
}

fn sniff_records(sample: &[u8]) -> Option<BookFormat> {
    if moonriver::Header::take(sample).is_some() {
        return Some(BookFormat::MoonRiver);
    }
    // A few bytes too many or too few are a fault of the file, not another format.
    let (fours, _) = sample.as_chunks::<{ eleeye::RECORD }>();
    let records: Vec<eleeye::Record> = fours.iter().copied().map(eleeye::Record::take).collect();
    let good = records.iter().filter(|r| eleeye::decode_move(r.mv).is_some()).count();
    let sorted = records.is_sorted_by_key(|r| r.key);
    // Of random bytes one in 70 is a move.
    if mostly(good, records.len()) && (sorted || records.len() > 4) {
        return Some(BookFormat::ElephantEye);
    }
    let (eights, _) = sample.as_chunks::<{ polyglot::RECORD }>();
    let keys: Vec<u64> = eights.iter().map(|r| u64::from_be_bytes(field(r, 0))).collect();
    let good = eights
        .iter()
        .filter(|r| polyglot::decode_move(polyglot::Record::take(r).mv).is_some())
        .count();
    // One in eight pairs of bytes is a move, so the order of keys has to say more.
    let ordered = keys.windows(2).filter(|pair| pair[0] <= pair[1]).count() + 1;
    (mostly(good, eights.len()) && mostly(ordered, keys.len())).then_some(BookFormat::Polyglot)
}
