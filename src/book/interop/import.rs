//! Making one of the program's own books from a foreign one.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::book::file::reader::BookEntry;
use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::{Frame, other_colour, turned};
use crate::book::interop::index::{COMMENT, DISABLED, ILLEGAL, REACHED, SWAPPED, Stored};
use crate::book::interop::load::{LoadOptions, Loaded, load};
use crate::book::interop::obk::Dialect;
use crate::book::interop::own_book::OwnWriter;
use crate::book::interop::progress::Step;
use crate::book::interop::sqlite::bytes_of;
use crate::book::interop::walk::{Hit, Reach, walk};
use crate::book::interop::write::join;
use crate::book::interop::{BookFormat, xqb};
use crate::book::model::annotation::{Annotation, Flags, MAX_COMMENT};
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::MoveStats;
use crate::bytes::open;
use crate::bytes::paths::base_name;
use crate::game::{Game, Packed, Side, Symmetric};
use crate::message::message;
use crate::xiangqi::{Position, Setup};

/// The use of the scores of an `.obk`, `.pfBook` or `.xqb`. Their meaning is the book's own: a weight, a
/// number of stars, or an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// The weight with which a move is chosen.
    Weight,
    /// The priority: the highest is always chosen, as by programs that choose the best.
    Priority,
    /// They are left out.
    Drop,
}

/// The options of an import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The format, if it is not to be found by the file's content.
    pub from: Option<BookFormat>,
    /// Bytes for the rows; a book with more is refused. Default 1 GiB.
    pub memory: usize,
    /// The limits of the search for rows.
    pub reach: Reach,
    /// The use of the scores. If not given, they become weights, or priorities if one of them is negative.
    pub scores: Option<Scores>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { from: None, memory: 1 << 30, reach: Reach::default(), scores: None }
    }
}

/// The counts of an import, and the new book's metadata.
#[derive(Debug, Clone)]
pub struct ImportReport {
    /// The format read.
    pub format: BookFormat,
    /// The way in which an `.obk` stores its keys.
    pub dialect: Option<Dialect>,
    /// True if its moves were stored with origin and destination exchanged.
    pub is_swapped: bool,
    /// Rows in the file.
    pub rows: u64,
    /// Rows without a usable key, position or move.
    pub unreadable: u64,
    /// Rows whose move is illegal in the position that was reached.
    pub illegal: u64,
    /// Rows not reached from the start. Those of an `.xqb` are imported all the same, for both sides, because
    /// the key does not say which is to move.
    pub unreached: u64,
    /// Rows imported.
    pub taken: u64,
    /// Imported rows beyond one for each move: copies that agree count once, others are added.
    pub merged: u64,
    /// Rows that say that their move may not be chosen.
    pub disabled: u64,
    /// Rows with a comment.
    pub comments: u64,
    /// Comments longer than [`MAX_COMMENT`], which were cut there.
    pub shortened: u64,
    /// Rows whose move was stored with origin and destination exchanged, while others were not.
    pub swapped_rows: u64,
    /// Numbers that do not fit and were brought to the nearest that does.
    pub clamped: u64,
    /// Records with something learnt, which is left out.
    pub learning: u64,
    /// The use made of the scores.
    pub scores: Scores,
    /// True if the search for rows was ended by its limit.
    pub is_cut: bool,
    /// The new book's metadata.
    pub metadata: Metadata,
}

/// Makes a book at `output` from the foreign book at `path`.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then; an existing file is never replaced.
pub fn import(
    path: &Path,
    output: &Path,
    options: &ImportOptions,
) -> Result<ImportReport, InteropError> {
    let pack = OwnWriter::create(output, &options.reach.stop)?;
    let ImportOptions { from, memory, .. } = *options;
    let stop = options.reach.stop.clone();
    options.reach.progress.report(Step::Reading, 0, 0);
    let mut loaded = load(path, &LoadOptions { from, memory, examples: 0, stop })?;
    let source = source(&loaded)?;
    let mut taken = Vec::new();
    let scheme = loaded.scheme();
    let walked = walk(path, scheme, &mut loaded.index, &options.reach, &mut |position, hits| {
        take(position, hits, &mut taken);
        Ok(())
    })?;
    let reached = loaded.index.count(REACHED);
    let illegal = loaded.index.rows().iter().filter(|r| r.has(ILLEGAL) && !r.has(REACHED)).count();
    let unreached = loaded.index.rows().len() as u64 - reached - illegal as u64;
    if loaded.format == BookFormat::Xqb && unreached > 0 {
        take_unreached(&loaded, &mut taken)?;
    }
    if taken.is_empty() {
        return Err(nothing(&loaded));
    }
    let scores = options.scores.unwrap_or_else(|| default_scores(&loaded));
    let Written { merged, shortened, metadata } =
        write(pack, &loaded, taken, scores, &source, &options.reach)?;
    let swapped_rows = loaded.index.count(SWAPPED);
    let boards = if loaded.format == BookFormat::Xqb { unreached } else { 0 };
    Ok(ImportReport {
        format: loaded.format,
        dialect: loaded.dialect.filter(|_| loaded.format == BookFormat::Obk),
        is_swapped: loaded.is_swapped,
        rows: loaded.rows,
        unreadable: loaded.rows - loaded.index.rows().len() as u64,
        illegal: illegal as u64,
        unreached,
        taken: reached + boards,
        merged,
        disabled: loaded.disabled,
        comments: loaded.comments,
        shortened,
        swapped_rows,
        clamped: loaded.findings.count(crate::book::interop::issue::Issue::OutOfRange),
        learning: loaded.learning,
        scores,
        is_cut: walked.is_cut,
        metadata,
    })
}

/// The error for a book of which no row can be taken over.
fn nothing(loaded: &Loaded) -> InteropError {
    let what = message!(
        "none of its {} rows is reached from the start of a game; is it a book of another game?",
        loaded.rows
    );
    InteropError::Nothing { path: loaded.path.clone(), what }
}

fn default_scores(loaded: &Loaded) -> Scores {
    match (loaded.has_scores, loaded.has_negative) {
        _ if matches!(loaded.format, BookFormat::ElephantEye | BookFormat::Polyglot) => {
            Scores::Weight
        }
        (false, _) => Scores::Drop,
        (true, true) => Scores::Priority,
        (true, false) => Scores::Weight,
    }
}

/// The foreign file as the new book names it.
fn source(loaded: &Loaded) -> Result<Source, InteropError> {
    let path = &loaded.path;
    let mut hasher = blake3::Hasher::new();
    open::regular(path)
        .and_then(|file| hasher.update_reader(file).map(|_| ()))
        .map_err(|source| InteropError::Io { path: path.clone(), source })?;
    Ok(Source { hash: hasher.finalize().into(), name: base_name(path), games: loaded.rows })
}

/// A row on its way into the new book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ImportedRow {
    key: i64,
    mv: u16,
    /// Black made the move.
    by_black: bool,
    row: u32,
}

fn take(position: &Position, hits: &[Hit], taken: &mut Vec<ImportedRow>) {
    let canonical = position.canonical();
    for hit in hits {
        taken.push(ImportedRow {
            key: canonical.key.to_i64(),
            mv: position.canonical_move(canonical, hit.mv).pack(),
            by_black: position.turn() == Side::Second,
            row: hit.row as u32,
        });
    }
}

/// Imports the rows that the walk did not reach, for either side to move, if the keys of the book are boards.
fn take_unreached(loaded: &Loaded, taken: &mut Vec<ImportedRow>) -> Result<(), InteropError> {
    let (Some(database), Some(layout)) = (&loaded.database, loaded.format.layout()) else {
        return Ok(());
    };
    let rows = loaded.index.rows().iter().enumerate();
    let unreached: HashMap<i64, usize> = rows
        .filter(|(_, row)| !row.has(REACHED))
        .map(|(number, row)| (row.place, number))
        .collect();
    database.for_each(layout, &mut |row| {
        let Some(&number) = unreached.get(&row.place) else { return Ok(()) };
        let Some(mv) = loaded.index.row(number).mv() else { return Ok(()) };
        let Some(setup) = bytes_of(row.values[0]).and_then(xqb::decode) else { return Ok(()) };
        let Ok(position) = Position::from_setup(&setup) else { return Ok(()) };
        let hit = Hit { row: number, mv, frame: Frame::PLAIN, place: row.place };
        take(&position, &[hit], taken);
        if let Ok(other) = Position::from_setup(&turned_setup(&setup)) {
            take(&other, &[Hit { mv: turned(mv), ..hit }], taken);
        }
        Ok(())
    })
}

/// The same board seen from the other side, with the colours exchanged.
fn turned_setup(setup: &Setup) -> Setup {
    let mut turned = Setup::empty();
    turned.turn = !setup.turn;
    for (i, piece) in setup.board.iter().enumerate() {
        turned.board[89 - i] = piece.map(other_colour);
    }
    turned
}

/// The counts and metadata of the book written.
struct Written {
    merged: u64,
    shortened: u64,
    metadata: Metadata,
}

/// Moves between two checks of the stop flag.
const BATCH: usize = 1 << 12;

fn write(
    mut pack: OwnWriter,
    loaded: &Loaded,
    mut taken: Vec<ImportedRow>,
    scores: Scores,
    source: &Source,
    reach: &Reach,
) -> Result<Written, InteropError> {
    taken.sort_unstable();
    taken.dedup();
    let mut merged = 0;
    let mut shortened = 0;
    let all = taken.len() as u64;
    let mut done = 0;
    let groups = taken.chunk_by(|a, b| (a.key, a.mv) == (b.key, b.mv));
    for (number, group) in groups.enumerate() {
        if number % BATCH == 0 {
            reach.check_stop(&loaded.path)?;
            reach.progress.report(Step::Writing, done, all);
        }
        done += group.len() as u64;
        merged += group.len() as u64 - 1;
        let mut entry = entry(loaded, group, scores)?;
        shortened += u64::from(entry.mark.comment.as_mut().is_some_and(shorten));
        pack.add(&entry)?;
    }
    let metadata = pack.finish::<Position>(std::slice::from_ref(source))?;
    Ok(Written { merged, shortened, metadata })
}

/// The entry for all rows of one move: copies that agree in everything count once.
fn entry(
    loaded: &Loaded,
    group: &[ImportedRow],
    scores: Scores,
) -> Result<BookEntry, InteropError> {
    let mut sum: Option<Sum> = None;
    let mut known = HashSet::new();
    for taken in group {
        let stored = loaded.index.row(taken.row as usize);
        let comment = if stored.has(COMMENT) { loaded.comment(stored.place)? } else { None };
        let more = Sum::new(loaded.format, stored, comment);
        let is_copy = !known.insert(stored.content());
        match &mut sum {
            None => sum = Some(more),
            Some(sum) => sum.absorb(more, is_copy),
        }
    }
    let first = group[0];
    Ok(sum.unwrap_or_default().entry(loaded.format, first, scores))
}

/// Rows of one move.
#[derive(Debug, Default)]
struct Sum {
    games: [u64; 4],
    value: i64,
    is_disabled: bool,
    comment: Option<String>,
}

impl Sum {
    fn new(format: BookFormat, stored: &Stored, comment: Option<String>) -> Self {
        let unknown = if format == BookFormat::MoonRiver { stored.value } else { 0 };
        Self {
            games: [
                stored.wins.into(),
                stored.draws.into(),
                stored.losses.into(),
                u64::try_from(unknown).unwrap_or(0),
            ],
            value: stored.value.into(),
            is_disabled: stored.has(DISABLED),
            comment: comment.filter(|text| !text.is_empty()),
        }
    }

    fn absorb(&mut self, other: Self, is_copy: bool) {
        if !is_copy {
            for (sum, more) in self.games.iter_mut().zip(other.games) {
                *sum += more;
            }
            self.value += other.value;
        }
        self.is_disabled &= other.is_disabled;
        self.comment = join(self.comment.take(), other.comment);
    }

    fn entry(self, format: BookFormat, taken: ImportedRow, scores: Scores) -> BookEntry {
        let [wins, draws, losses, unknown] = self.games;
        let (first, second) = if taken.by_black { (losses, wins) } else { (wins, losses) };
        let games = wins + draws + losses + unknown;
        let stats = MoveStats { games, first, draws, second, ..MoveStats::default() };
        let mover = if taken.by_black { Side::Second } else { Side::First };
        let mut mark = Annotation { comment: self.comment, ..Annotation::default() };
        mark.flags.set(Flags::DISABLED, self.is_disabled);
        // Without games it is in the book all the same.
        mark.flags.set(Flags::ADDED, games == 0);
        let scores = match format {
            BookFormat::ElephantEye | BookFormat::Polyglot => Scores::Weight,
            BookFormat::MoonRiver => Scores::Drop,
            BookFormat::Obk | BookFormat::PfBook | BookFormat::Xqb => scores,
        };
        let mut weight = None;
        match scores {
            Scores::Weight => {
                let value = self.value.max(0).cast_unsigned();
                weight = Some(value).filter(|&w| games == 0 || w != stats.default_weight(mover));
            }
            Scores::Priority => mark.priority = self.value,
            Scores::Drop => {}
        }
        BookEntry { key: taken.key, mv: taken.mv, stats, weight, mark }
    }
}

/// Cuts a text that is longer than a comment may be. Returns true if it was.
pub(crate) fn shorten(text: &mut String) -> bool {
    if text.len() <= MAX_COMMENT {
        return false;
    }
    let end = (0..=MAX_COMMENT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.truncate(end);
    true
}
