//! Clean copies of books, in their own format.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::book::interop::diagnosis::{Column, DoctorOptions, RepairReport};
use crate::book::interop::doctor::{Inspected, inspect};
use crate::book::interop::error::InteropError;
use crate::book::interop::index::{BY_BLACK, ILLEGAL, REACHED, Stored};
use crate::book::interop::load::Loaded;
use crate::book::interop::obk::Dialect;
use crate::book::interop::sqlite::{Database, Layout};
use crate::book::interop::write::{RowContent, TableWriter};
use crate::book::interop::{BookFormat, eleeye, moonriver, obk, own_doctor, polyglot, write, xqb};
use crate::game::Side;
use crate::xiangqi::{Move, Position};

/// Writes a clean copy of a book to a new file. Keys of an `.obk` are written in `dialect`, or as they
/// are for the most part.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then.
pub fn repair(
    path: &Path,
    output: &Path,
    dialect: Option<Dialect>,
    options: &DoctorOptions,
) -> Result<RepairReport, InteropError> {
    if own_doctor::is_own(path)? {
        return own_doctor::repair::<Position>(path, output, options);
    }
    // The copy's rows need as much memory again.
    let options = DoctorOptions { memory: options.memory / 2, ..options.clone() };
    let inspected = inspect(path, &options)?;
    let mut report = RepairReport::new(inspected.diagnosis.clone(), inspected.loaded.lost.clone());
    report.learning = inspected.loaded.learning;
    let rows = clean(&inspected, options.weights, &mut report);
    if rows.is_empty() {
        let what = "none of its rows can be used".to_owned();
        return Err(InteropError::Nothing { path: path.to_owned(), what: what.into() });
    }
    let loaded = &inspected.loaded;
    let dialect = dialect.or(loaded.dialect).unwrap_or(Dialect::Int64);
    match loaded.format.layout() {
        Some(layout) => write_table(loaded, layout, output, dialect, rows, &mut report)?,
        None => write_records(loaded.format, output, &rows, &mut report)?,
    }
    Ok(report)
}

/// A row of the copy.
#[derive(Debug, Clone)]
struct Clean {
    stored: Stored,
    games: [i64; 3],
    score: i64,
    /// The numbers of rows of the same move that differ from these.
    others: BTreeSet<([i64; 3], i64)>,
    is_valid: bool,
    /// Rows that this one stands for, for their comments.
    places: Vec<i64>,
}

impl Clean {
    fn new(stored: &Stored) -> Self {
        Self {
            stored: *stored,
            games: [stored.wins, stored.draws, stored.losses].map(i64::from),
            score: stored.value.into(),
            others: BTreeSet::new(),
            is_valid: !stored.has(super::index::DISABLED),
            places: vec![stored.place],
        }
    }

    /// Merges in a row of the same move. Copies, which agree in all numbers, count once.
    fn absorb(&mut self, mut other: Self) {
        self.others.append(&mut other.others);
        self.others.insert((other.games, other.score));
        self.others.remove(&(self.games, self.score));
        self.is_valid |= other.is_valid;
        self.places.extend(other.places);
    }

    /// Results and score of all rows that this one stands for.
    fn sums(&self) -> ([i64; 3], i64) {
        let mut games = self.games;
        let mut score = self.score;
        for (more, value) in &self.others {
            score = score.saturating_add(*value);
            for (sum, more) in games.iter_mut().zip(more) {
                *sum = sum.saturating_add(*more);
            }
        }
        (games, score)
    }
}

/// The rows of the copy, in the order of the file.
fn clean(inspected: &Inspected, weights: bool, report: &mut RepairReport) -> Vec<Clean> {
    let index = &inspected.loaded.index;
    let mut rows: Vec<Option<Clean>> = index
        .rows()
        .iter()
        .map(|row| (!row.has(ILLEGAL) || row.has(REACHED)).then(|| Clean::new(row)))
        .collect();
    for outlier in inspected.outliers.iter().filter(|_| weights) {
        if let Some(row) = &mut rows[outlier.row] {
            match outlier.column {
                Column::Score => row.score = outlier.others,
                Column::Wins => row.games[0] = outlier.others,
            }
            report.changed += 1;
        }
    }
    let mut into: HashMap<(u64, u16), usize> = HashMap::new();
    let mut targets: Vec<(usize, usize)> = inspected.mirrored.clone();
    for (number, row) in index.rows().iter().enumerate() {
        match into.entry((row.key, row.mv)) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(number);
            }
            std::collections::hash_map::Entry::Occupied(entry) => {
                targets.push((*entry.get(), number));
            }
        }
    }
    // Copies first: a row that has copies may then itself go into its mirror image.
    targets.reverse();
    for (one, other) in targets {
        let Some(more) = rows[other].take() else { continue };
        if let Some(row) = &mut rows[one] {
            row.absorb(more);
            report.merged += 1;
        } else {
            rows[other] = Some(more);
        }
    }
    let mut rows: Vec<Clean> = rows.into_iter().flatten().collect();
    rows.sort_unstable_by_key(|row| row.stored.place);
    report.dropped = report.diagnosis.rows.saturating_sub(rows.len() as u64 + report.merged);
    rows
}

fn write_table(
    loaded: &Loaded,
    layout: &'static Layout,
    output: &Path,
    dialect: Dialect,
    rows: Vec<Clean>,
    report: &mut RepairReport,
) -> Result<(), InteropError> {
    let table = TableWriter::create(output, layout)?;
    let mut boards = BTreeMap::new();
    for row in rows {
        let content = content(loaded, &row)?;
        let Some(mv) = row.stored.mv() else { continue };
        if layout.format == BookFormat::Xqb {
            if let Some(place) = board(loaded, layout, &row, mv)? {
                add_board(&mut boards, place, content, report);
            }
            continue;
        }
        // Doubles cannot hold every key.
        match obk::encode_key(row.stored.key, dialect) {
            Some(key) => {
                table.insert(&key, obk::encode_move(mv), &content)?;
                report.written += 1;
            }
            None => report.dropped += 1,
        }
    }
    report.written += boards.len() as u64;
    for ((key, mv), content) in boards {
        table.insert(&key.as_bytes(), mv, &content)?;
    }
    if let Some(database) = &loaded.database {
        copy_texts(database, &table)?;
    }
    table.finish()
}

type Boards = BTreeMap<(xqb::Key, u16), RowContent>;

fn add_board(
    boards: &mut Boards,
    place: (xqb::Key, u16),
    content: RowContent,
    report: &mut RepairReport,
) {
    match boards.entry(place) {
        std::collections::btree_map::Entry::Vacant(entry) => {
            entry.insert(content);
        }
        std::collections::btree_map::Entry::Occupied(mut entry) => {
            entry.get_mut().absorb(content);
            report.merged += 1;
        }
    }
}

/// The key and the move as readers of boards look for them.
fn board(
    loaded: &Loaded,
    layout: &Layout,
    row: &Clean,
    mv: Move,
) -> Result<Option<(xqb::Key, u16)>, InteropError> {
    let Some(database) = &loaded.database else { return Ok(None) };
    let key = database.bytes_at(layout, 0, row.stored.place)?;
    let setup = key.and_then(|key| xqb::decode(&key));
    let position = setup.and_then(|setup| Position::from_setup(&setup).ok());
    Ok(position.map(|position| {
        let (key, turned) = xqb::encode(&position);
        (key, xqb::encode_move(mv, turned))
    }))
}

fn content(loaded: &Loaded, row: &Clean) -> Result<RowContent, InteropError> {
    let mut comment = None;
    for &place in &row.places {
        if row.places.len() > 1 || row.stored.has(super::index::COMMENT) {
            comment = write::join(comment, loaded.comment(place)?.filter(|text| !text.is_empty()));
        }
    }
    let (games, score) = row.sums();
    Ok(RowContent { score, games, is_valid: row.is_valid, comment })
}

/// Rows of the table that some `.obk` files carry beside their own, at most.
const TEXTS: usize = 10_000;

/// Bytes of them, at most.
const TEXT_BYTES: usize = 64 << 20;

/// Copies the table `ltext` of some `.obk` files.
fn copy_texts(database: &Database, table: &TableWriter) -> Result<(), InteropError> {
    let Ok(Some(columns)) = database.columns("ltext") else { return Ok(()) };
    if columns != ["lma"] {
        return Ok(());
    }
    let mut bytes = 0;
    let texts = database.query(|c| {
        let mut texts = c.prepare("SELECT CAST(lma AS TEXT) FROM ltext NOT INDEXED")?;
        let texts = texts.query_map([], |row| row.get(0))?.take(TEXTS);
        texts
            .take_while(|text: &rusqlite::Result<Option<String>>| {
                bytes += text.as_ref().ok().and_then(Option::as_ref).map_or(0, String::len);
                bytes <= TEXT_BYTES
            })
            .collect::<rusqlite::Result<Vec<Option<String>>>>()
    });
    let texts = texts.unwrap_or_default();
    table.with(|connection| {
        connection.execute_batch("CREATE TABLE ltext(lma TEXT)")?;
        for text in texts {
            connection.execute("INSERT INTO ltext VALUES(?1)", [text])?;
        }
        Ok(())
    })
}

fn sixteen_bits(number: i64) -> u16 {
    number.clamp(0, u16::MAX.into()) as u16
}

fn write_records(
    format: BookFormat,
    output: &Path,
    rows: &[Clean],
    report: &mut RepairReport,
) -> Result<(), InteropError> {
    report.written = rows.len() as u64;
    match format {
        BookFormat::ElephantEye => {
            let records = rows.iter().filter_map(|row| {
                let key = row.stored.key as u32;
                let mv = eleeye::encode_move(row.stored.mv()?);
                Some(eleeye::Record { key, mv, weight: sixteen_bits(row.sums().1) })
            });
            write::eleeye(output, records.collect())
        }
        BookFormat::Polyglot => {
            let records = rows.iter().filter_map(|row| {
                let key = row.stored.key;
                let mv = polyglot::encode_move(row.stored.mv()?);
                let weight = sixteen_bits(row.sums().1);
                Some(polyglot::Record { key, mv, weight, learning: 0 })
            });
            write::polyglot(output, records.collect())
        }
        _ => write::moonriver(output, sides(rows)),
    }
}

/// Black's records and Red's.
fn sides(rows: &[Clean]) -> [Vec<moonriver::Record>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for row in rows {
        let mover = if row.stored.has(BY_BLACK) { Side::Second } else { Side::First };
        let key = row.stored.key ^ moonriver::side_word(mover);
        sides[usize::from(mover == Side::First)]
            .push(moonriver::Record { key, count: sixteen_bits(row.sums().1) });
    }
    sides
}
