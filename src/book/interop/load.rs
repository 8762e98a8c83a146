//! Reading all rows of a foreign book, whatever is wrong with them.

use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;

use crate::book::file::walk::for_each_near;
use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::{Scheme, scheme};
use crate::book::interop::index::{BY_BLACK, CHANGED, COMMENT, Collector, DISABLED, Index, Stored};
use crate::book::interop::issue::{Findings, Issue};
use crate::book::interop::obk::{Dialect, StoredKey};
use crate::book::interop::sniff::sniff_until;
use crate::book::interop::sqlite::{COMMENT_COLUMN, Database, Layout, RawRow, bytes_of};
use crate::book::interop::{BookFormat, eleeye, moonriver, obk, polyglot, xqb};
use crate::bytes::{StopFlag, by_count, open};
use crate::game::{Game, Side};
use crate::message::{Message, message};
use crate::xiangqi::{Move, Position};

/// A foreign book in memory.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) format: BookFormat,
    pub(crate) index: Index,
    /// Rows or records, those left out of the index too.
    pub(crate) rows: u64,
    /// Rows that may not be chosen, rows with a comment.
    pub(crate) disabled: u64,
    pub(crate) comments: u64,
    /// Records with something learnt, which is not kept.
    pub(crate) learning: u64,
    pub(crate) dialect: Option<Dialect>,
    /// Doubles that happened to be whole numbers and became integers, as which they are found too.
    pub(crate) punned: u64,
    /// True if moves were stored with origin and destination exchanged.
    pub(crate) is_swapped: bool,
    /// True if some score is not 0, and true if some is negative.
    pub(crate) has_scores: bool,
    pub(crate) has_negative: bool,
    pub(crate) findings: Findings,
    /// The parts that could not be read.
    pub(crate) lost: Vec<Message>,
    pub(crate) database: Option<Database>,
}

impl Loaded {
    pub(crate) fn scheme(&self) -> &'static Scheme {
        scheme(self.format)
    }

    /// The comment of a row.
    pub(crate) fn comment(&self, place: i64) -> Result<Option<String>, InteropError> {
        let (Some(database), Some(layout)) = (&self.database, self.format.layout()) else {
            return Ok(None);
        };
        let bytes = database.bytes_at(layout, COMMENT_COLUMN, place)?;
        Ok(bytes.map(|bytes| comment_text(&bytes).0))
    }
}

/// The options of reading a book.
#[derive(Debug, Clone)]
pub(crate) struct LoadOptions {
    pub(crate) from: Option<BookFormat>,
    /// Bytes for all rows.
    pub(crate) memory: usize,
    /// Examples of each fault.
    pub(crate) examples: usize,
    /// Ends the reading with [`InteropError::Interrupted`] soon after it was set.
    pub(crate) stop: StopFlag,
}

/// Reads a book.
pub(crate) fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, InteropError> {
    read(path, options, false)
}

/// Reads a book as far as possible; if that is not to its end, there is a finding.
pub(crate) fn load_damaged(path: &Path, options: &LoadOptions) -> Result<Loaded, InteropError> {
    read(path, options, true)
}

fn read(path: &Path, options: &LoadOptions, tolerant: bool) -> Result<Loaded, InteropError> {
    let loaded = read_all(path, options, tolerant);
    if options.stop.is_set() {
        return Err(InteropError::Interrupted { path: path.to_owned() });
    }
    loaded
}

fn read_all(path: &Path, options: &LoadOptions, tolerant: bool) -> Result<Loaded, InteropError> {
    let format = match (sniff_until(path, &options.stop), options.from) {
        (Ok(found), Some(wanted)) if found != wanted && (is_table(found) || is_table(wanted)) => {
            let what = message!("it is of the format {found}");
            return Err(InteropError::OtherFormat {
                path: path.to_owned(),
                format: wanted.name(),
                what,
            });
        }
        (Err(InteropError::Unknown { path, what }), Some(wanted)) if is_table(wanted) => {
            return Err(InteropError::OtherFormat { path, format: wanted.name(), what });
        }
        (Ok(_) | Err(InteropError::Unknown { .. }), Some(wanted)) => wanted,
        (found, _) => found?,
    };
    let mut reading = Reading {
        stop: options.stop.clone(),
        collector: Collector::new(path, options.memory),
        loaded: Loaded {
            path: path.to_owned(),
            format,
            index: Index::new(Vec::new()),
            rows: 0,
            disabled: 0,
            comments: 0,
            learning: 0,
            dialect: None,
            punned: 0,
            is_swapped: false,
            has_scores: false,
            has_negative: false,
            findings: Findings::new(options.examples),
            lost: Vec::new(),
            database: None,
        },
    };
    match format.layout() {
        Some(layout) => match reading.table(layout, tolerant, &options.stop) {
            Err(InteropError::Damaged { what, .. }) if tolerant => reading.loaded.lost.push(what),
            result => result?,
        },
        None => reading.records()?,
    }
    for what in &reading.loaded.lost {
        reading.loaded.findings.add(Issue::File, || what.clone());
    }
    Ok(reading.finish())
}

const fn is_table(format: BookFormat) -> bool {
    format.layout().is_some()
}

/// Records between two checks of the stop flag.
const BATCH: u64 = 1 << 14;

struct Reading<'a> {
    /// Ends the reading soon after it was set.
    stop: StopFlag,
    collector: Collector<'a>,
    loaded: Loaded,
}

impl Reading<'_> {
    fn finish(self) -> Loaded {
        let mut loaded = Loaded { index: self.collector.finish(), ..self.loaded };
        if matches!(loaded.format, BookFormat::Obk | BookFormat::PfBook) {
            loaded.index.may_be_swapped = true;
            let (plain, swapped) = vote(loaded.scheme(), &loaded.index);
            if swapped > plain {
                loaded.index.swap_moves();
                loaded.is_swapped = true;
            }
        }
        loaded
    }

    fn table(
        &mut self,
        layout: &Layout,
        tolerant: bool,
        stop: &StopFlag,
    ) -> Result<(), InteropError> {
        let database = Database::open(&self.loaded.path, stop)?;
        let dialect = dialect(&database, layout, tolerant);
        self.loaded.dialect = (layout.format != BookFormat::Xqb).then_some(dialect);
        let mut visit = |row: &RawRow<'_>| {
            self.loaded.rows += 1;
            match layout.format {
                BookFormat::Xqb => self.board_row(row),
                _ => self.hash_row(row, dialect),
            }
        };
        let read = if tolerant {
            database.for_each_readable(layout, &mut visit)
        } else {
            database.for_each(layout, &mut visit).map(|()| Vec::new())
        };
        self.loaded.database = Some(database);
        self.loaded.lost = read?;
        Ok(())
    }

    fn hash_row(&mut self, row: &RawRow<'_>, dialect: Dialect) -> Result<(), InteropError> {
        let findings = &mut self.loaded.findings;
        let key = match obk::key_of(row.values[0], dialect) {
            StoredKey::Sound(key) => key,
            StoredKey::Punned(key) => {
                self.loaded.punned += 1;
                key
            }
            StoredKey::Integer(key) => {
                findings.add(Issue::MixedDialect, || place_name(row.place));
                key
            }
            StoredKey::Null => {
                findings.add(Issue::NullKey, || place_name(row.place));
                return Ok(());
            }
            StoredKey::Damaged => {
                findings.add(Issue::DamagedKey, || place_name(row.place));
                return Ok(());
            }
        };
        let mv = self.number(row, 1).and_then(obk::decode_move);
        self.stored_row(row, key, mv)
    }

    fn board_row(&mut self, row: &RawRow<'_>) -> Result<(), InteropError> {
        let findings = &mut self.loaded.findings;
        let Some(blob) = bytes_of(row.values[0]) else {
            let issue = match row.values[0] {
                ValueRef::Null => Issue::NullKey,
                _ => Issue::DamagedKey,
            };
            findings.add(issue, || place_name(row.place));
            return Ok(());
        };
        let Some(setup) = xqb::decode(blob) else {
            findings.add(Issue::DamagedKey, || place_name(row.place));
            return Ok(());
        };
        let position = match Position::from_setup(&setup) {
            Ok(position) => position,
            Err(errors) => {
                findings.add(Issue::IllegalPosition, || {
                    message!("{}: {errors}", place_name(row.place))
                });
                return Ok(());
            }
        };
        if xqb::encode(&position).0.as_bytes() != blob {
            findings.add(Issue::NotCanonical, || place_name(row.place));
        }
        let key = scheme(BookFormat::Xqb).key(&position, false);
        let mv = self.number(row, 1).and_then(xqb::decode_move);
        if let Some(mv) = mv
            && !position.is_legal(mv)
        {
            self.loaded.findings.add(Issue::IllegalMove, || {
                message!("{}: {mv} in {}", place_name(row.place), position.to_fen())
            });
            return Ok(());
        }
        self.stored_row(row, key, mv)
    }

    /// A row whose key is known.
    fn stored_row(
        &mut self,
        row: &RawRow<'_>,
        key: u64,
        mv: Option<Move>,
    ) -> Result<(), InteropError> {
        let Some(mv) = mv else {
            self.loaded.findings.add(Issue::BadMove, || place_name(row.place));
            return Ok(());
        };
        let mut stored = Stored::new(key, row.place, Some(mv));
        let score = self.number(row, 2).unwrap_or(0);
        stored.value = i32::try_from(score).unwrap_or_else(|_| {
            self.loaded.findings.add(Issue::OutOfRange, || place_name(row.place));
            stored.flags |= CHANGED;
            if score < 0 { i32::MIN } else { i32::MAX }
        });
        self.loaded.has_scores |= stored.value != 0;
        self.loaded.has_negative |= stored.value < 0;
        let mut counts = [0; 3];
        for (i, count) in counts.iter_mut().enumerate() {
            let number = self.number(row, 3 + i).unwrap_or(0);
            *count = u32::try_from(number).unwrap_or_else(|_| {
                self.loaded.findings.add(Issue::OutOfRange, || place_name(row.place));
                stored.flags |= CHANGED;
                if number < 0 { 0 } else { u32::MAX }
            });
        }
        [stored.wins, stored.draws, stored.losses] = counts;
        // A row without that number is usable.
        if self.number(row, 6).unwrap_or(1) == 0 {
            stored.flags |= DISABLED;
            self.loaded.disabled += 1;
        }
        if matches!(row.values[COMMENT_COLUMN], ValueRef::Integer(_)) {
            self.loaded.findings.add(Issue::LongComment, || place_name(row.place));
        }
        if let Some(bytes) = bytes_of(row.values[COMMENT_COLUMN]).filter(|bytes| !bytes.is_empty())
        {
            stored.flags |= COMMENT;
            self.loaded.comments += 1;
            if !comment_text(bytes).1 {
                self.loaded.findings.add(Issue::Comment, || place_name(row.place));
            }
        }
        self.collector.push(stored)
    }

    /// A field that should be an integer.
    fn number(&mut self, row: &RawRow<'_>, column: usize) -> Option<i64> {
        if !row.present[column] {
            return None;
        }
        let (issue, number) = match row.values[column] {
            ValueRef::Integer(number) => return Some(number),
            ValueRef::Null => (Issue::NullField, None),
            ValueRef::Real(number) => (Issue::WrongType, Some(number as i64)),
            ValueRef::Text(text) => {
                let number = std::str::from_utf8(text).ok().and_then(|t| t.trim().parse().ok());
                (Issue::WrongType, number)
            }
            ValueRef::Blob(_) => (Issue::WrongType, None),
        };
        self.loaded.findings.add(issue, || place_name(row.place));
        number
    }

    fn records(&mut self) -> Result<(), InteropError> {
        let path = self.loaded.path.clone();
        let len = open::regular(&path)
            .and_then(|file| file.metadata())
            .map_err(|source| InteropError::Io { path: path.clone(), source })?
            .len();
        match self.loaded.format {
            BookFormat::ElephantEye => {
                self.check_rest(len, eleeye::RECORD as u64);
                let mut last = 0;
                eleeye::for_each(&path, &mut |number, record| {
                    self.in_order(number, &mut last, record.key.into());
                    let mv = eleeye::decode_move(record.mv);
                    self.record(number, record.key.into(), mv, record.weight.into())
                })
            }
            BookFormat::Polyglot => {
                self.check_rest(len, polyglot::RECORD as u64);
                let mut last = 0;
                polyglot::for_each(&path, &mut |number, record| {
                    self.in_order(number, &mut last, record.key);
                    self.loaded.learning += u64::from(record.learning != 0);
                    let mv = polyglot::decode_move(record.mv);
                    self.record(number, record.key, mv, record.weight.into())
                })
            }
            _ => self.moonriver(&path, len),
        }
    }

    fn moonriver(&mut self, path: &Path, len: u64) -> Result<(), InteropError> {
        let mut bytes = Vec::new();
        let read = open::regular(path).and_then(|file| {
            std::io::Read::read_to_end(
                &mut std::io::Read::take(file, moonriver::HEADER as u64),
                &mut bytes,
            )
        });
        read.map_err(|source| InteropError::Io { path: path.to_owned(), source })?;
        let Some(header) = moonriver::Header::take(&bytes) else {
            let what = "it does not begin with the header of one".to_owned();
            let format = BookFormat::MoonRiver.name();
            return Err(InteropError::OtherFormat {
                path: path.to_owned(),
                format,
                what: what.into(),
            });
        };
        if header.file_len() != Some(len) {
            let stated = header.file_len();
            self.loaded.findings.add(Issue::File, || match stated {
                Some(stated) => message!("{len} bytes where its header states {stated}"),
                None => "its header states more records than there can be".into(),
            });
        }
        let mut last = [0; 2];
        moonriver::for_each(path, header, &mut |number, side, record| {
            let last = &mut last[side.index()];
            self.in_order(number, last, record.key);
            self.count_record()?;
            let key = record.key ^ moonriver::side_word(side);
            let mut stored = Stored::new(key, number.cast_signed(), None);
            stored.value = record.count.into();
            stored.flags |= if side == Side::Second { BY_BLACK } else { 0 };
            self.collector.push(stored)
        })
    }

    /// Bytes after the last whole record.
    fn check_rest(&mut self, len: u64, record: u64) {
        if !len.is_multiple_of(record) {
            self.loaded.findings.add(Issue::File, || {
                let rest = len % record;
                by_count(
                    rest,
                    message!("1 byte after the last record, which has {record}"),
                    message!("{rest} bytes after the last record, which has {record}"),
                )
            });
        }
    }

    /// Counts a record; an error if the stop flag is set.
    fn count_record(&mut self) -> Result<(), InteropError> {
        self.loaded.rows += 1;
        if self.loaded.rows.is_multiple_of(BATCH) && self.stop.is_set() {
            return Err(InteropError::Interrupted { path: self.loaded.path.clone() });
        }
        Ok(())
    }

    fn in_order(&mut self, number: u64, last: &mut u64, key: u64) {
        if key < *last {
            self.loaded.findings.add(Issue::Unsorted, || message!("record {number}"));
        }
        *last = key;
    }

    fn record(
        &mut self,
        number: u64,
        key: u64,
        mv: Option<Move>,
        weight: i32,
    ) -> Result<(), InteropError> {
        self.count_record()?;
        if mv.is_none() {
            self.loaded.findings.add(Issue::BadMove, || message!("record {number}"));
            return Ok(());
        }
        let mut stored = Stored::new(key, number.cast_signed(), mv);
        stored.value = weight;
        self.collector.push(stored)
    }
}

fn place_name(place: i64) -> Message {
    message!("row {place}")
}

/// A comment as text, and true if its bytes are text in a known encoding.
pub(crate) fn comment_text(bytes: &[u8]) -> (String, bool) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), true);
    }
    let (text, faulty) = encoding_rs::GB18030.decode_without_bom_handling(bytes);
    (text.into_owned(), !faulty)
}

/// By the keys from 2^63 on: doubles, or integers that no double can have become.
fn dialect(database: &Database, layout: &Layout, tolerant: bool) -> Dialect {
    if layout.format != BookFormat::Obk {
        return Dialect::Int64;
    }
    let mut doubles = 0u64;
    let mut integers = 0u64;
    let mut visit = |row: &RawRow<'_>| {
        match row.values[0] {
            ValueRef::Real(key) => doubles += u64::from(key.is_sign_negative()),
            key => integers += u64::from(obk::is_integer(key)),
        }
        Ok(())
    };
    // A fault comes up again when the rows themselves are read.
    if tolerant {
        let _fault = database.for_each_readable(layout, &mut visit);
    } else {
        let _fault = database.for_each(layout, &mut visit);
    }
    if doubles > 0 && doubles >= integers { Dialect::Double } else { Dialect::Int64 }
}

/// The number of positions examined in a vote.
const VOTERS: usize = 2000;

/// The number of moves that are legal as they stand, and of those that are with origin and destination
/// exchanged, in positions near the start.
pub(crate) fn vote(scheme: &Scheme, index: &Index) -> (u64, u64) {
    let mut plain = 0;
    let mut swapped = 0;
    let mut queue = Vec::new();
    near_start(scheme, index, &mut queue);
    let mut seen: std::collections::HashSet<u64> = queue.iter().map(|p| p.key().0).collect();
    let mut next = 0;
    while next < queue.len() && next < VOTERS {
        let mut position: Position = queue[next].clone();
        next += 1;
        for (key, frame) in scheme.keys(&position).into_iter().flatten() {
            for row in index.of(key) {
                let Some(mv) = index.row(row).mv().map(|mv| frame.map(mv)) else { continue };
                let reverse = Move::new(mv.to(), mv.from());
                let as_is = position.is_legal(mv);
                let reversed = position.is_legal(reverse);
                plain += u64::from(as_is);
                swapped += u64::from(reversed);
                let legal = if as_is { mv } else { reverse };
                if (as_is || reversed) && queue.len() < VOTERS {
                    let undo = position.make(legal);
                    if seen.insert(position.key().0) {
                        queue.push(position.clone());
                    }
                    position.unmake(legal, undo);
                }
            }
        }
    }
    (plain, swapped)
}

/// The start position, and those up to two plies from it that are in the book.
fn near_start(scheme: &Scheme, index: &Index, found: &mut Vec<Position>) {
    let mut start = Position::start();
    found.extend(has_rows(scheme, index, &start).then(|| start.clone()));
    for_each_near(&mut start, 2, &mut |position: &Position| {
        found.extend(has_rows(scheme, index, position).then(|| position.clone()));
        true
    });
}

/// Returns true if the book has rows under a key of a position.
fn has_rows(scheme: &Scheme, index: &Index, position: &Position) -> bool {
    let mut keys = scheme.keys(position).into_iter().flatten();
    keys.any(|(key, _)| !index.of(key).is_empty())
}
