//! Examining and mending the program's own books.

use std::collections::BTreeSet;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::book::file::annotation_rows;
use crate::book::file::connect::{FileKind, open_file, row_fault};
#[cfg(test)]
use crate::book::file::digest;
use crate::book::file::digest::Header;
use crate::book::file::reader::{Book, BookEntry};
use crate::book::file::store::{APPLICATION_ID, BookPart, BookTable, SAMPLE_TABLES, TABLES};
use crate::book::interop::diagnosis::{
    BookKind, Column, Diagnosis, DoctorOptions, Heavy, Outlier, RepairReport, Weighed, note_equal,
    outlier,
};
use crate::book::interop::error::InteropError;
use crate::book::interop::index::{
    CHANGED, COMMENT, Collector, DISABLED, ILLEGAL, Index, REACHED, Stored,
};
use crate::book::interop::issue::{Findings, Issue};
use crate::book::interop::own_book::OwnWriter;
use crate::book::interop::own_walk::{Searched, WalkFindings};
use crate::book::interop::progress::Step;
use crate::book::interop::recover::{Scanned, read_around_damage};
use crate::book::interop::rescue::{Rescued, rescue};
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::error::BookError;
use crate::book::model::metadata::{Counts, Metadata};
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::bytes::{StopFlag, open};
use crate::game::{Game, Notation, Packed};
use crate::hash::KeyTable;
use crate::message::{Message, message};

/// Returns true if the header of a file is that of one of the program's own books, damaged perhaps.
pub(crate) fn is_own(path: &Path) -> Result<bool, InteropError> {
    match open::regular(path).and_then(|mut file| Header::read(&mut file)) {
        Ok(header) => Ok(header.is_some_and(|header| header.application_id == APPLICATION_ID)),
        // The check of its format that follows reports a file that is not regular.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(InteropError::io(path, error)),
    }
}

/// A book and its faults.
pub(crate) struct Examined {
    pub(crate) diagnosis: Diagnosis,
    /// The rows that a clean copy leaves out.
    bad: BTreeSet<RowKey>,
    /// Weights that a clean copy leaves out.
    outliers: BTreeSet<RowKey>,
    book: Option<Book>,
    /// The remains of a book that SQLite cannot read, or not all of.
    rescued: Option<Rescued>,
}

/// Examines a book of the program's own.
pub(crate) fn examine<G: Searched>(
    path: &Path,
    options: &DoctorOptions,
) -> Result<Examined, InteropError> {
    let mut findings = Findings::new(options.examples);
    let mut diagnosis = blank();
    let book = open_book(path, options, &mut findings)?;
    options.reach.progress.report(Step::Reading, 0, 0);
    let read = match &book {
        Some(book) => Some(read::<G>(path, book, options, &mut diagnosis, &mut findings)?),
        None => None,
    };
    let is_whole = read.as_ref().is_some_and(|read| read.lost.is_empty())
        && book.as_ref().is_some_and(|book| book.metadata().rows <= diagnosis.rows);
    let rescued = if is_whole { None } else { rescued_beyond::<G>(path, options, read.as_ref())? };
    let index = match (&rescued, read) {
        (Some(rescued), _) => {
            diagnosis = blank();
            Some(rescued_rows::<G>(path, rescued, options, &mut diagnosis, &mut findings)?)
        }
        (None, Some(read)) => {
            for place in read.damaged {
                findings.add(Issue::DamagedRow, || place_name::<G>(place));
            }
            Some(read.index)
        }
        (None, None) => None,
    };
    let mut bad = BTreeSet::new();
    let mut outliers = BTreeSet::new();
    if let Some(mut index) = index {
        let keys = match (&rescued, &book) {
            (Some(rescued), _) => rescued.foreign_keys.as_ref(),
            (None, book) => book.as_ref().and_then(Book::foreign_keys),
        };
        let mut heavy = Heavy::new(weigh(&index, &mut diagnosis, &mut findings));
        let found = G::search(path, keys, &mut index, &mut heavy, &options.reach)?;
        bad = note_found::<G>(&found, &index, &mut diagnosis, &mut findings);
        outliers = note_outliers::<G>(heavy, &index, &mut findings);
    }
    diagnosis.findings = findings.into_vec();
    Ok(Examined { diagnosis, bad, outliers, book, rescued })
}

/// Opens the book; `None`, with a finding, if it is too damaged for that.
fn open_book(
    path: &Path,
    options: &DoctorOptions,
    findings: &mut Findings,
) -> Result<Option<Book>, InteropError> {
    match Book::open_own(path, &options.reach.stop) {
        Ok(book) => Ok(Some(book)),
        Err(error @ (BookError::Io { .. } | BookError::Newer { .. } | BookError::Older { .. })) => {
            Err(error.into())
        }
        Err(error) => {
            findings.add(Issue::File, || message!("{}", error));
            Ok(None)
        }
    }
}

/// Checks a book's file and structure, and reads its rows as far as SQLite reads them.
fn read<G: Game>(
    path: &Path,
    book: &Book,
    options: &DoctorOptions,
    diagnosis: &mut Diagnosis,
    findings: &mut Findings,
) -> Result<ReadRows, InteropError> {
    book.expect_game::<G>()?;
    if let Err(error) = book.check_file() {
        findings.add(Issue::File, || message!("{}", error));
    }
    let connection = connect(path, &options.reach.stop)?;
    check_structure(&connection, findings);
    let found = rows(path, &connection, options, diagnosis)?;
    for lost in &found.lost {
        findings.add(Issue::File, || lost.clone());
    }
    count_orphans(&connection, findings);
    // After an interrupt everything looks damaged.
    options.reach.check_stop(path)?;
    if findings.is_empty()
        && found.damaged.is_empty()
        && let Err(error) = book.check_rows()
    {
        findings.add(Issue::File, || message!("{}", error));
    }
    Ok(found)
}

/// Returns what is left of a damaged book, if that is more than what SQLite reads of it.
fn rescued_beyond<G: Game>(
    path: &Path,
    options: &DoctorOptions,
    read: Option<&ReadRows>,
) -> Result<Option<Rescued>, InteropError> {
    options.reach.check_stop(path)?;
    let sound = read.map_or(0, |read| read.index.rows().len());
    match rescue(path, G::NAME, options.memory, &options.reach.stop) {
        // What SQLite reads has to do.
        Err(InteropError::TooLarge { .. }) if read.is_some() => Ok(None),
        found => Ok(found?.filter(|rescued| rescued.rows.len() > sound || read.is_none())),
    }
}

/// Adds the weights that nothing explains, and returns their rows.
fn note_outliers<G: Notation>(
    heavy: Heavy,
    index: &Index,
    findings: &mut Findings,
) -> BTreeSet<RowKey> {
    let mut outliers = BTreeSet::new();
    for outlier in heavy.unexplained(index) {
        let row = index.row(outlier.row);
        findings.add(Issue::Outlier, || {
            let place = place_name::<G>(place(row));
            message!("{}: {}, the next {}", place, row.value, outlier.others)
        });
        outliers.insert(place(row));
    }
    outliers
}

/// The steps allowed, as a multiple of those for a file of the book's length: its connection serves all
/// queries.
const PASSES: u64 = 16;

/// The book's tables as they are, whatever is wrong with their rows.
fn connect(path: &Path, stop: &StopFlag) -> Result<Connection, InteropError> {
    let bytes = open::regular(path)
        .and_then(|file| file.metadata())
        .map_err(|source| InteropError::Io { path: path.to_owned(), source })?
        .len();
    let bytes = bytes.saturating_mul(PASSES);
    let (connection, _) = open_file(path, bytes, FileKind::Own, stop)
        .map_err(|e| super::sqlite::damaged(path, &e))?;
    Ok(connection)
}

const fn blank() -> Diagnosis {
    Diagnosis {
        kind: BookKind::Own,
        dialect: None,
        is_swapped: false,
        punned: 0,
        rows: 0,
        positions: 0,
        reached_positions: 0,
        reached: 0,
        unreached: 0,
        is_cut: false,
        disabled: 0,
        comments: 0,
        choices: 0,
        equal_choices: 0,
        findings: Vec::new(),
    }
}

fn check_structure(connection: &Connection, findings: &mut Findings) {
    let lines = integrity(connection).unwrap_or_else(|error| vec![error.to_string()]);
    for line in lines.into_iter().filter(|line| line != "ok") {
        findings.add(Issue::File, || line.into());
    }
}

/// Returns what SQLite says of the structure of a database.
fn integrity(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare("PRAGMA integrity_check(100)")?;
    check.query_map([], |row| row.get(0))?.collect()
}

/// The rows of a book as far as SQLite reads them.
struct ReadRows {
    /// Those that are as they were written.
    index: Index,
    damaged: Vec<RowKey>,
    /// The parts that cannot be read.
    lost: Vec<Message>,
}

/// All rows that are as they were written, and those that are not.
fn rows(
    path: &Path,
    connection: &Connection,
    options: &DoctorOptions,
    diagnosis: &mut Diagnosis,
) -> Result<ReadRows, InteropError> {
    let mut collector = Collector::new(path, options.memory);
    let mut full = Ok(());
    let has_marks = has_marks(connection);
    let mut damaged = Vec::new();
    let read = each_row(connection, &mut |place, row| {
        diagnosis.rows += 1;
        let Some(row) = row else {
            damaged.push(place);
            return full.is_ok();
        };
        let mark = mark_of(connection, has_marks, place);
        full = collector.push(stored(place, &row, &mark));
        diagnosis.disabled += u64::from(mark.flags.has(Flags::DISABLED));
        diagnosis.comments += u64::from(mark.comment.is_some());
        full.is_ok()
    });
    full?;
    Ok(ReadRows { index: collector.finish(), damaged, lost: read })
}

/// The rows of a book of which only records are left.
fn rescued_rows<G: Notation>(
    path: &Path,
    rescued: &Rescued,
    options: &DoctorOptions,
    diagnosis: &mut Diagnosis,
    findings: &mut Findings,
) -> Result<Index, InteropError> {
    for lost in &rescued.lost {
        findings.add(Issue::File, || message!("lost: {lost}"));
    }
    for &place in &rescued.damaged {
        findings.add(Issue::DamagedRow, || place_name::<G>(place));
    }
    diagnosis.rows = (rescued.rows.len() + rescued.damaged.len()) as u64;
    let mut collector = Collector::new(path, options.memory);
    let none = Annotation::default();
    for (&place, row) in &rescued.rows {
        let mark = rescued.marks.get(&place).unwrap_or(&none);
        diagnosis.disabled += u64::from(mark.flags.has(Flags::DISABLED));
        diagnosis.comments += u64::from(mark.comment.is_some());
        collector.push(stored(place, row, mark))?;
    }
    Ok(collector.finish())
}

fn has_marks(connection: &Connection) -> bool {
    connection.query_row(annotation_rows::EXIST, [], |row| row.get(0)).unwrap_or(true)
}

/// The mark of a move; an empty one if it cannot be read.
fn mark_of(connection: &Connection, has_marks: bool, place: RowKey) -> Annotation {
    if has_marks {
        annotation_rows::get(connection, place).unwrap_or_default()
    } else {
        Annotation::default()
    }
}

fn stored((key, mv): RowKey, row: &MoveRow, mark: &Annotation) -> Stored {
    let mut stored = Stored::packed(key.cast_unsigned(), i64::from(mv), mv);
    let weight = mark.weight.or(row.weight);
    // Without the mover there is no formula; exports have at least this.
    stored.value = i32::try_from(weight.unwrap_or(row.stats.decided())).unwrap_or(i32::MAX);
    stored.flags |= if weight.is_some() { CHANGED } else { 0 };
    stored.wins = clamped(row.stats.first);
    stored.draws = clamped(row.stats.draws);
    stored.losses = clamped(row.stats.second);
    stored.flags |= if mark.flags.has(Flags::DISABLED) { DISABLED } else { 0 };
    stored.flags |= if mark.comment.is_some() { COMMENT } else { 0 };
    stored
}

/// A number of games as far as 32 bits go.
fn clamped(games: u64) -> u32 {
    u32::try_from(games).unwrap_or(u32::MAX)
}

fn place_name<G: Notation>((key, mv): RowKey) -> Message {
    let key = crate::hash::Key::from_i64(key);
    match G::Move::unpack(mv) {
        Some(mv) => {
            let mv = G::move_text(mv);
            message!("{mv} of position {key}")
        }
        None => message!("move {mv} of position {key}"),
    }
}

/// A row of the table of moves; `None` stands for a damaged one.
type Raw = (RowKey, Option<MoveRow>);

/// Calls `visit` with every row that can be read, in order, until it returns `false`. Returns the parts that
/// cannot be read.
fn each_row(
    connection: &Connection,
    visit: &mut dyn FnMut(RowKey, Option<MoveRow>) -> bool,
) -> Vec<Message> {
    let mut goes_on = true;
    let mut is_first = true;
    // Rows behind damage are not found in order.
    let mut behind: Vec<Raw> = Vec::new();
    let read = read_around_damage(i64::MAX, |range, down| {
        let scanned = scan(connection, range, down, &mut |(place, row)| {
            if is_first {
                goes_on = visit(place, row);
            } else {
                behind.push((place, row));
            }
            goes_on
        });
        is_first = false;
        if goes_on { Ok(scanned) } else { Err(()) }
    });
    behind.sort_by_key(|&(place, _)| place);
    for (place, row) in behind {
        goes_on = goes_on && visit(place, row);
    }
    let Ok((lost, error)) = read else { return Vec::new() };
    let error = error.map_or_else(String::new, |error| error.to_string());
    lost.into_iter()
        .map(|range| {
            let (first, last) = range.into_inner();
            message!(
                "{error}: moves of positions {} to {} cannot be read",
                crate::hash::Key::from_i64(first),
                crate::hash::Key::from_i64(last)
            )
        })
        .collect()
}

/// Reads the rows whose keys are in a range, until `visit` returns `false`.
fn scan(
    connection: &Connection,
    range: RangeInclusive<i64>,
    down: bool,
    visit: &mut dyn FnMut(Raw) -> bool,
) -> Scanned {
    let mut last = None;
    match scan_rows(connection, &range, down, &mut last, visit) {
        Ok(()) => Scanned::All,
        Err(error) => Scanned::Until(last, error),
    }
}

/// Reads as [`scan`] does and keeps the key of the last sound row in `last`.
fn scan_rows(
    connection: &Connection,
    range: &RangeInclusive<i64>,
    down: bool,
    last: &mut Option<i64>,
    visit: &mut dyn FnMut(Raw) -> bool,
) -> rusqlite::Result<()> {
    let sql = if down {
        "SELECT key, move, stats FROM moves WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC, move DESC"
    } else {
        "SELECT key, move, stats FROM moves WHERE key BETWEEN ?1 AND ?2 ORDER BY key, move"
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([range.start(), range.end()])?;
    let mut before: Option<RowKey> = None;
    while let Some(row) = rows.next()? {
        let (Ok(key), Ok(mv)) = (row.get::<_, i64>(0), row.get::<_, u16>(1)) else {
            if !visit(((0, u16::MAX), None)) {
                return Ok(());
            }
            continue;
        };
        let place = (key, mv);
        // Pages of a damaged file may lead back to earlier ones: then rows come out of order.
        let is_in_order =
            before.is_none_or(|before| if down { place < before } else { place > before });
        if !is_in_order || !range.contains(&key) {
            return Err(row_fault("rows out of order"));
        }
        let content = row.get_ref(2)?.as_blob().ok().and_then(|blob| MoveRow::take(key, mv, blob));
        // The key of a damaged row may be the damage.
        if content.is_some() {
            before = Some(place);
            *last = Some(key);
        }
        if !visit((place, content)) {
            return Ok(());
        }
    }
    Ok(())
}

/// Flags of marks that say something where no game has the move: added by hand, or added and deleted
/// again, or kept from changes.
const WITHOUT_ROW: u8 = Flags::ADDED.bits() | Flags::DELETED.bits() | Flags::LOCKED.bits();

/// Remarks on moves that are neither in a game nor added by hand.
fn count_orphans(connection: &Connection, findings: &mut Findings) {
    let sql = format!(
        "SELECT count(*) FROM marks AS m WHERE NOT flags & {WITHOUT_ROW} AND NOT EXISTS(SELECT 1 FROM \
         moves AS r WHERE r.key = m.key AND r.move = m.move)"
    );
    if let Ok(count) = connection.query_row(&sql, [], |row| row.get::<_, i64>(0)) {
        findings.add_many(Issue::Orphan, count.cast_unsigned());
    }
}

/// Adds what the search found, and returns the rows that cannot be right.
fn note_found<G: Notation>(
    found: &WalkFindings,
    index: &Index,
    diagnosis: &mut Diagnosis,
    findings: &mut Findings,
) -> BTreeSet<RowKey> {
    diagnosis.reached_positions = found.positions;
    diagnosis.is_cut = found.is_cut;
    diagnosis.positions = index.groups().count() as u64;
    let mut bad = BTreeSet::new();
    for &number in &found.astray {
        let place = place(index.row(number));
        findings.add(Issue::NotCanonical, || place_name::<G>(place));
        bad.insert(place);
    }
    for &twins in &found.mirrored {
        let names = twins.map(|number| place_name::<G>(place(index.row(number))));
        findings.add(Issue::MirrorDuplicate, || {
            names.map(|name| name.to_string()).join(" and ").into()
        });
    }
    for row in index.rows() {
        diagnosis.reached += u64::from(row.has(REACHED | ILLEGAL));
        if row.has(ILLEGAL) && !row.has(REACHED) {
            findings.add(Issue::IllegalMove, || place_name::<G>(place(row)));
            bad.insert(place(row));
        }
    }
    diagnosis.unreached = index.rows().len() as u64 - diagnosis.reached;
    bad
}

const fn place(row: &Stored) -> RowKey {
    // The place of such a row is its move, be it one or not.
    (row.key.cast_signed(), row.place as u16)
}

/// Weights that were set and that are a thousand times all others.
fn weigh(index: &Index, diagnosis: &mut Diagnosis, findings: &mut Findings) -> Vec<Outlier> {
    // Weights that no games stand beside may well be the numbers of games.
    let is_played = index.rows().iter().any(|row| row.games() > 0);
    let mut outliers = Vec::new();
    let mut first = 0;
    for group in index.groups() {
        let numbers = first..first + group.len();
        first = numbers.end;
        if group.len() < 2 {
            continue;
        }
        diagnosis.choices += 1;
        // Numbers of games are not checked.
        let same = group
            .iter()
            .all(|row| (row.has(CHANGED) && row.games() > 0) && row.value == group[0].value);
        diagnosis.equal_choices += u64::from(same);
        let moves: Vec<Weighed> = group
            .iter()
            .map(|row: &Stored| Weighed { weight: row.value.into(), games: row.games() })
            .collect();
        let found = outlier(&moves).filter(|&(at, _)| is_played && group[at].has(CHANGED));
        outliers.extend(found.map(|(at, others)| {
            let row = numbers.start + at;
            Outlier { row, column: Column::Score, others }
        }));
    }
    note_equal(diagnosis.choices, diagnosis.equal_choices, findings);
    outliers
}

/// Writes a clean copy. Locked moves stay as they are.
pub(crate) fn repair<G: Searched>(
    path: &Path,
    output: &Path,
    options: &DoctorOptions,
) -> Result<RepairReport, InteropError> {
    let Examined { diagnosis, bad, outliers, book, rescued } = examine::<G>(path, options)?;
    let outliers = if options.weights { outliers } else { BTreeSet::new() };
    if let Some(rescued) = rescued {
        let writer = OwnWriter::create(output, &options.reach.stop)?;
        return write_rescued::<G>(writer, rescued, &bad, &outliers, diagnosis);
    }
    let Some(book) = book else {
        let what = "so little of it is left that it cannot be opened".to_owned();
        return Err(InteropError::Nothing { path: path.to_owned(), what: what.into() });
    };
    let connection = connect(path, &options.reach.stop)?;
    let mut writer = OwnWriter::create(output, &options.reach.stop)?;
    if book.samples() > 0 {
        writer.begin_samples()?;
    }
    let mut report = RepairReport::new(diagnosis, Vec::new());
    let mut failed = Ok(());
    let lost = copy_rows(&connection, &bad, &outliers, &mut report, &mut |entry| {
        failed = writer.add(&entry);
        failed.is_ok()
    });
    failed?;
    report.lost = lost;
    copy_added(&connection, &writer, &mut report)?;
    let ids = game_ids(&connection, &mut report);
    copy_others(&connection, &writer, book.samples() > 0, &mut report)?;
    // After an interrupt everything looks lost.
    options.reach.check_stop(path)?;
    let mut metadata = book.metadata().clone();
    let kept = ids.len() as u64;
    writer.add_games(ids)?;
    metadata.pruned |= report.dropped > 0 || !report.lost.is_empty();
    if kept != metadata.stored_games() {
        // It is unknown which results are those of the lost games.
        metadata.pruned = true;
        metadata.counts = Counts { games: kept, ..Counts::default() };
    }
    let table: Vec<u8> = connection
        .query_row("SELECT file FROM key_table", [], |row| row.get(0))
        .map_err(|e: rusqlite::Error| super::sqlite::damaged(path, &e))?;
    let sources = book.sources().unwrap_or_default();
    let metadata = writer.finish_with(metadata, &table, &sources)?;
    report.written = metadata.rows;
    Ok(report)
}

/// Writes what is left of a book. Its ids of games are no longer those of all games that its moves count, so it
/// is marked as pruned.
fn write_rescued<G: Game>(
    mut writer: OwnWriter,
    rescued: Rescued,
    bad: &BTreeSet<RowKey>,
    outliers: &BTreeSet<RowKey>,
    diagnosis: Diagnosis,
) -> Result<RepairReport, InteropError> {
    let Rescued { rows, damaged, mut marks, sources, scores, ids, elsewhere, key_table, .. } =
        rescued;
    let mut report = RepairReport::new(diagnosis, rescued.lost);
    report.dropped = damaged.len() as u64;
    for (place, mut row) in rows {
        let mut mark = marks.remove(&place).unwrap_or_default();
        let is_locked = mark.flags.has(Flags::LOCKED);
        if bad.contains(&place) && !is_locked {
            report.dropped += 1;
            continue;
        }
        if outliers.contains(&place) && !is_locked {
            (row.weight, mark.weight) = (None, None);
            report.changed += 1;
        }
        let (key, mv) = place;
        writer.add(&BookEntry { key, mv, stats: row.stats, weight: row.weight, mark })?;
    }
    for (place, mark) in marks {
        if mark.flags.bits() & WITHOUT_ROW != 0 {
            writer.put_mark(place, &mark)?;
        } else {
            report.dropped += 1;
        }
    }
    for row in scores.into_values() {
        writer.put_values("scores", row)?;
    }
    let fingerprint = KeyTable::from_bytes(&key_table).map(|table| table.fingerprint());
    let mut metadata = rescued.metadata.unwrap_or_else(|| Metadata {
        game: G::NAME.to_owned(),
        key_table: fingerprint.unwrap_or_default(),
        min_games: 1,
        ..Metadata::default()
    });
    metadata.pruned = true;
    metadata.samples = 0;
    let kept = ids.len() as u64;
    if kept != metadata.stored_games() {
        metadata.counts = Counts { games: kept, ..Counts::default() };
    }
    writer.add_games(ids)?;
    writer.add_elsewhere(elsewhere)?;
    report.written = writer.finish_with(metadata, &key_table, &sources)?.rows;
    Ok(report)
}

fn copy_rows(
    connection: &Connection,
    bad: &BTreeSet<RowKey>,
    outliers: &BTreeSet<RowKey>,
    report: &mut RepairReport,
    visit: &mut dyn FnMut(BookEntry) -> bool,
) -> Vec<Message> {
    let has_marks = has_marks(connection);
    each_row(connection, &mut |place, row| {
        let mut mark = mark_of(connection, has_marks, place);
        let is_locked = mark.flags.has(Flags::LOCKED);
        let Some(mut row) = row.filter(|_| is_locked || !bad.contains(&place)) else {
            report.dropped += 1;
            return true;
        };
        if outliers.contains(&place) && !is_locked {
            row.weight = None;
            mark.weight = None;
            report.changed += 1;
        }
        let (key, mv) = place;
        visit(BookEntry { key, mv, stats: row.stats, weight: row.weight, mark })
    })
}

/// Moves added by hand have a mark and no row. Other marks without a row are left out, but for deleted
/// and locked ones.
fn copy_added(
    connection: &Connection,
    writer: &OwnWriter,
    report: &mut RepairReport,
) -> Result<(), InteropError> {
    let sql = "SELECT key, move FROM marks AS m WHERE NOT EXISTS(SELECT 1 FROM moves AS r \
               WHERE r.key = m.key AND r.move = m.move) ORDER BY key, move";
    for place in places(connection, sql).unwrap_or_default() {
        let Ok(mark) = annotation_rows::get(connection, place) else { continue };
        if mark.flags.bits() & WITHOUT_ROW != 0 {
            writer.put_mark(place, &mark)?;
        } else {
            report.dropped += 1;
        }
    }
    Ok(())
}

/// The places that a query gives.
fn places(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<RowKey>> {
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The ids of the counted games, as far as they can be read.
fn game_ids(connection: &Connection, report: &mut RepairReport) -> Vec<[u8; 16]> {
    let mut ids = Vec::new();
    if let Err(error) = read_game_ids(connection, &mut ids) {
        report.lost.push(message!("{error}: table games after {} rows", ids.len()));
    }
    ids
}

/// Adds the ids of the counted games to `ids`, up to damage.
fn read_game_ids(connection: &Connection, ids: &mut Vec<[u8; 16]>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT id FROM games ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        ids.push(row.get(0)?);
    }
    Ok(())
}

/// Copies the tables that need no repair.
fn copy_others(
    connection: &Connection,
    writer: &OwnWriter,
    has_samples: bool,
    report: &mut RepairReport,
) -> Result<(), InteropError> {
    let is_whole = report.dropped == 0 && report.lost.is_empty();
    let samples = if has_samples { SAMPLE_TABLES } else { &[] };
    let tables = TABLES.iter().chain(samples).filter(|table| is_carried(table, is_whole));
    for BookTable { name, .. } in tables {
        let mut copied = 0;
        if let Err(error) = copy_table(connection, writer, name, &mut copied)? {
            report.lost.push(message!("{error}: table {name} after {copied} rows"));
        }
    }
    Ok(())
}

/// Returns true if a table is copied as it is; `is_whole` states that all moves are kept.
fn is_carried(table: &BookTable, is_whole: bool) -> bool {
    match table.part {
        BookPart::Journal | BookPart::Origins | BookPart::Scores | BookPart::Samples => true,
        BookPart::Games => table.name != "games", // counted as they are copied
        // With fewer moves, other things follow from scores.
        BookPart::Propagated => is_whole,
        BookPart::Frame | BookPart::Moves | BookPart::Marks | BookPart::Groups => false,
    }
}

/// Copies a table up to its end or to damage, and no more than a file of that length holds.
fn copy_table(
    connection: &Connection,
    writer: &OwnWriter,
    table: &str,
    copied: &mut u64,
) -> Result<rusqlite::Result<()>, InteropError> {
    let mut written = Ok(());
    let read = for_each_row(connection, table, &mut |values| {
        written = writer.put_values(table, values);
        *copied += u64::from(written.is_ok());
        written.is_ok()
    });
    written.map(|()| read)
}

/// Calls `visit` with the values of each row of a table until it returns `false`. Values that are longer than
/// the file are an error.
fn for_each_row(
    connection: &Connection,
    table: &str,
    visit: &mut dyn FnMut(Vec<Value>) -> bool,
) -> rusqlite::Result<()> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let most: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    let mut statement = connection.prepare(&format!("SELECT * FROM {table}"))?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|i| row.get(i));
        let values = values.collect::<rusqlite::Result<Vec<Value>>>()?;
        left = left
            .checked_sub(values.iter().map(bytes_of).sum())
            .ok_or_else(|| row_fault("more content than a file of its length can hold"))?;
        if !visit(values) {
            return Ok(());
        }
    }
    Ok(())
}

/// The length of a text or a blob.
const fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Returns true if the digest of a file matches; for tests.
#[cfg(test)]
pub(crate) fn is_intact(path: &Path) -> bool {
    let stop = StopFlag::default();
    open::regular(path).is_ok_and(|mut file| digest::is_intact(&mut file, &stop).unwrap_or(false))
}
