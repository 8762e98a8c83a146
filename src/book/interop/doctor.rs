//! Examining a book for faults, be it the program's own or a foreign one.

use std::collections::HashMap;
use std::path::Path;

use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::Scheme;
use crate::book::interop::index::{ILLEGAL, Index, REACHED, SWAPPED, Stored};
use crate::book::interop::issue::{Finding, Findings, Issue};
use crate::book::interop::load::{LoadOptions, Loaded, load_damaged};
use crate::book::interop::obk::Dialect;
use crate::book::interop::progress::Step;
use crate::book::interop::walk::{Hit, Reach, walk};
use crate::book::interop::{Format, own_doctor};
use crate::game::{Game, Packed, Symmetric};
use crate::message::message;
use crate::xiangqi::Position;

/// The options of an examination.
#[derive(Debug, Clone)]
pub struct DoctorOptions {
    /// The format, if it is not to be found by the file's content.
    pub from: Option<Format>,
    /// Bytes for the rows; a book with more is refused. Default 1 GiB.
    pub memory: usize,
    /// The limits of the search for rows.
    pub reach: Reach,
    /// Examples of each fault, at most. Default 3.
    pub examples: usize,
    /// A clean copy has weights out of all proportion brought down to those of the other moves. Default:
    /// every weight stays as it is.
    pub weights: bool,
}

impl Default for DoctorOptions {
    fn default() -> Self {
        Self { from: None, memory: 1 << 30, reach: Reach::default(), examples: 3, weights: false }
    }
}

/// The program that a book is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookKind {
    /// One of the program's own.
    Own,
    /// Another program's.
    Foreign(Format),
}

impl BookKind {
    /// The name on the command line; `juzhong` for the program's own.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "juzhong",
            Self::Foreign(format) => format.name(),
        }
    }
}

/// The result of an examination.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    /// The program that the book is for.
    pub kind: BookKind,
    /// The way in which an `.obk` stores its keys.
    pub dialect: Option<Dialect>,
    /// True if moves are stored with origin and destination exchanged.
    pub is_swapped: bool,
    /// Keys stored as doubles that happened to be whole numbers and became integers. SQLite finds them
    /// as either.
    pub punned: u64,
    /// Rows in the file, or as far as it can be read.
    pub rows: u64,
    /// Different keys among them.
    pub positions: u64,
    /// Positions reached from the start.
    pub reached_positions: u64,
    /// Rows reached from the start, legal or not.
    pub reached: u64,
    /// Rows that were not; that is no fault in itself.
    pub unreached: u64,
    /// True if the search for rows was ended by its limit.
    pub is_cut: bool,
    /// Rows that may not be chosen.
    pub disabled: u64,
    /// Rows with a comment.
    pub comments: u64,
    /// Positions with several moves, and those of them whose moves all have the same weight: in foreign books
    /// without results that explain it, in the program's own books by weights set by hand.
    pub choices: u64,
    /// See [`choices`](Self::choices).
    pub equal_choices: u64,
    /// The faults, none in a healthy book, and the notices.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// Returns true if no fault was found; notices are none.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.issue.is_notice())
    }
}

/// Examines a book.
///
/// # Errors
///
/// [`InteropError::Unknown`] if the file is no book, [`InteropError::Io`], [`InteropError::TooLarge`],
/// [`InteropError::Unfinished`], [`InteropError::Interrupted`]. Everything else is a finding.
pub fn examine(path: &Path, options: &DoctorOptions) -> Result<Diagnosis, InteropError> {
    if own_doctor::is_own(path)? {
        return own_doctor::examine::<Position>(path, options).map(|examined| examined.diagnosis);
    }
    inspect(path, options).map(|inspected| inspected.diagnosis)
}

/// A foreign book and all that is known of it.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub(crate) loaded: Loaded,
    pub(crate) diagnosis: Diagnosis,
    /// Pairs of rows for the same move, seen from the left and from the right.
    pub(crate) mirrored: Vec<(usize, usize)>,
    /// Weights out of all proportion.
    pub(crate) outliers: Vec<Outlier>,
}

/// A row's number that is a thousand times those of the other moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outlier {
    pub(crate) row: usize,
    pub(crate) column: Column,
    /// The most that any other has.
    pub(crate) others: i64,
}

/// A number by which programs choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Score,
    Wins,
}

impl Column {
    fn of(self, row: &Stored) -> i64 {
        match self {
            Self::Score => row.value.into(),
            Self::Wins => row.wins.into(),
        }
    }
}

pub(crate) fn inspect(path: &Path, options: &DoctorOptions) -> Result<Inspected, InteropError> {
    let DoctorOptions { from, memory, examples, .. } = *options;
    let stop = options.reach.stop.clone();
    options.reach.progress.report(Step::Reading, 0, 0);
    let mut loaded = load_damaged(path, &LoadOptions { from, memory, examples, stop })?;
    let mut findings = std::mem::replace(&mut loaded.findings, Findings::new(0));
    check_database(&loaded, &mut findings);
    options.reach.check_stop(path)?;
    if loaded.is_swapped {
        findings.add(Issue::ByteOrder, || "origin in the low byte".into());
        findings.add_many(Issue::ByteOrder, (loaded.index.rows().len() as u64).saturating_sub(1));
    }
    let scheme = loaded.scheme();
    let doubles_are_faults = !matches!(loaded.format, Format::MoonRiver | Format::Polyglot);
    let mut mirrored = Vec::new();
    let mut heavy = Heavy::new(outliers(&loaded));
    let walked = walk(path, scheme, &mut loaded.index, &options.reach, &mut |position, hits| {
        if doubles_are_faults {
            note_mirrored(position, hits, &mut mirrored);
        }
        heavy.note_hits(scheme, position, hits);
        Ok(())
    })?;
    for row in loaded.index.rows().iter().filter(|row| row.has(SWAPPED)) {
        findings.add(Issue::ByteOrder, || message!("row {}", row.place));
    }
    for &(one, other) in &mirrored {
        let places = [one, other].map(|row| loaded.index.row(row).place);
        findings.add(Issue::MirrorDuplicate, || message!("rows {} and {}", places[0], places[1]));
    }
    note_rows(&loaded.index, &mut findings);
    let marked = loaded.index.rows().iter().any(|row| row.has(REACHED | ILLEGAL));
    let is_known = marked || walked.is_cut || (loaded.format == Format::Xqb && loaded.rows > 0);
    if !is_known {
        findings.add(Issue::NothingReached, || message!("{} rows", loaded.rows));
    }
    let outliers = heavy.unexplained(&loaded.index);
    for outlier in &outliers {
        let row = loaded.index.row(outlier.row);
        findings.add(Issue::Outlier, || {
            let value = outlier.column.of(row);
            message!("row {}: {value}, the next {}", row.place, outlier.others)
        });
    }
    let (choices, equal_choices) = choices(&loaded);
    // A weight alone may well be the number of games.
    if loaded.format.layout().is_some() {
        note_equal(choices, equal_choices, &mut findings);
    }
    let reached = loaded.index.rows().iter().filter(|r| r.has(REACHED | ILLEGAL)).count() as u64;
    let diagnosis = Diagnosis {
        kind: BookKind::Foreign(loaded.format),
        dialect: loaded.dialect.filter(|_| loaded.format == Format::Obk),
        is_swapped: loaded.is_swapped,
        punned: loaded.punned,
        rows: loaded.rows,
        positions: loaded.index.groups().count() as u64,
        reached_positions: walked.positions,
        reached,
        unreached: loaded.index.rows().len() as u64 - reached,
        is_cut: walked.is_cut,
        disabled: loaded.disabled,
        comments: loaded.comments,
        choices,
        equal_choices,
        findings: findings.into_vec(),
    };
    Ok(Inspected { loaded, diagnosis, mirrored, outliers })
}

/// The number of lines of SQLite's check that are read.
const CHECK_LINES: usize = 1000;

/// The number of rows whose keys are looked up through the index.
const LOOKUPS: usize = 1000;

fn check_database(loaded: &Loaded, findings: &mut Findings) {
    let (Some(database), Some(layout)) = (&loaded.database, loaded.format.layout()) else { return };
    for line in database.integrity(CHECK_LINES) {
        let of_index = line.to_string().contains(" index ");
        let issue = if of_index { Issue::CorruptIndex } else { Issue::File };
        findings.add(issue, || line);
    }
    if database.has_index(layout).is_ok_and(|has_index| !has_index) {
        findings.add(Issue::NoIndex, || message!("table {}", layout.table));
        return;
    }
    let rows = loaded.index.rows();
    let step = rows.len().div_ceil(LOOKUPS).max(1);
    let known = findings.count(Issue::CorruptIndex);
    // SQLite's check counts better where it sees anything.
    if known > 0 {
        return;
    }
    for row in rows.iter().step_by(step) {
        if !database.finds_itself(layout, row.place).unwrap_or(false) {
            findings
                .add(Issue::CorruptIndex, || message!("row {} is not found by its key", row.place));
        }
    }
}

/// The same move under both images of a position that is not its own mirror image.
pub(crate) fn note_mirrored(position: &Position, hits: &[Hit], mirrored: &mut Vec<(usize, usize)>) {
    if position.canonical().by.count_ones() > 1 {
        return;
    }
    // One pair for each row of the other image, however many copies there are.
    let mut hits: Vec<&Hit> = hits.iter().collect();
    hits.sort_by_key(|hit| hit.mv.pack());
    for group in hits.chunk_by(|a, b| a.mv == b.mv) {
        let one = group[0];
        let others = group.iter().filter(|other| other.frame != one.frame);
        mirrored.extend(others.map(|other| (one.row, other.row)));
    }
}

/// Adds the faults that the walk and the order of rows show.
fn note_rows(index: &Index, findings: &mut Findings) {
    for row in index.rows() {
        if row.has(ILLEGAL) && !row.has(REACHED) {
            findings.add(Issue::IllegalMove, || match row.mv() {
                Some(mv) => message!("row {}: {mv}", row.place),
                None => message!("row {}", row.place),
            });
        }
    }
    for group in index.groups() {
        // Not in the order of moves any more, where some were exchanged.
        let mut rows: Vec<&Stored> = group.iter().collect();
        rows.sort_by_key(|row| row.mv);
        for pair in rows.windows(2).filter(|pair| pair[0].mv == pair[1].mv) {
            findings
                .add(Issue::Duplicate, || message!("rows {} and {}", pair[0].place, pair[1].place));
        }
    }
}

/// The factor from which on a weight is out of all proportion: it is this many times any of at least two
/// others.
const OUT_OF_PROPORTION: i64 = 1000;

/// A score of at most this many times the number of games is taken to derive from these games.
const SCORE_PER_GAME: u64 = 4;

/// The weight of a move and the number of games in which it was played, as far as results say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weighed {
    pub(crate) weight: i64,
    pub(crate) games: u64,
}

impl Weighed {
    /// The greater of the two: a move that was often played has a reason for a high weight, whatever it has.
    fn most(self) -> i64 {
        self.weight.max(i64::try_from(self.games).unwrap_or(i64::MAX))
    }
}

/// The one weight of a position that is out of proportion, and the most of any other. A weight that derives
/// from games never is, nor is that of the move that was played more often than all others together.
pub(crate) fn outlier(moves: &[Weighed]) -> Option<(usize, i64)> {
    let (at, most) = moves.iter().enumerate().max_by_key(|(_, found)| found.weight)?;
    let others = moves.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &other)| other);
    let next = others.clone().map(Weighed::most).max()?;
    let is_lone = moves.len() >= 3 && most.weight >= next.max(1).saturating_mul(OUT_OF_PROPORTION);
    let is_of_games = most.weight.cast_unsigned() <= most.games.saturating_mul(SCORE_PER_GAME);
    let is_usual = most.games > others.map(|other| other.games).fold(0, u64::saturating_add);
    (is_lone && !is_of_games && !is_usual).then_some((at, next))
}

/// Returns true if the columns of results hold results. Some books have nothing but wins, which are weights
/// then.
fn has_results(loaded: &Loaded) -> bool {
    loaded.index.rows().iter().any(|row| row.draws > 0 || row.losses > 0)
}

/// Scores and weights out of proportion. Results are not checked, and neither are weights that nothing stands
/// beside: they may well be the numbers of games.
fn outliers(loaded: &Loaded) -> Vec<Outlier> {
    let is_played = loaded.index.rows().iter().any(|row| row.games() > 0);
    let column = match (has_results(loaded), loaded.has_scores) {
        _ if !is_played => return Vec::new(),
        (false, false) => Column::Wins,
        _ => Column::Score,
    };
    let mut found = Vec::new();
    let mut first = 0;
    for group in loaded.index.groups() {
        let weigh = |row: &Stored| {
            let games = if column == Column::Score { row.games() } else { 0 };
            Weighed { weight: column.of(row), games }
        };
        let moves: Vec<Weighed> = group.iter().map(weigh).collect();
        if let Some((at, others)) = outlier(&moves) {
            found.push(Outlier { row: first + at, column, others });
        }
        first += group.len();
    }
    found
}

/// Rows with weights out of proportion, and the keys of the positions that their moves lead to.
pub(crate) struct Heavy {
    outliers: Vec<Outlier>,
    after: HashMap<usize, Vec<u64>>,
}

/// The part of a weight that the replies to the move have together if games explain it: results that count
/// for one side only and games that end there make up for the rest.
const REPLIES: i64 = 8;

impl Heavy {
    pub(crate) fn new(outliers: Vec<Outlier>) -> Self {
        Self { outliers, after: HashMap::new() }
    }

    /// Notes the keys of the position that a row's move leads to, if its weight is one of them.
    pub(crate) fn note(&mut self, row: usize, keys_after: impl FnOnce() -> Vec<u64>) {
        if self.outliers.iter().any(|outlier| outlier.row == row) {
            self.after.insert(row, keys_after());
        }
    }

    /// Notes where the moves of a position lead.
    pub(crate) fn note_hits(&mut self, scheme: &Scheme, position: &Position, hits: &[Hit]) {
        for hit in hits {
            self.note(hit.row, || {
                let mut after = position.clone();
                after.make(hit.mv);
                scheme.keys(&after).into_iter().flatten().map(|(key, _)| key).collect()
            });
        }
    }

    /// Those that nothing explains: a move that was played often has replies that were, too.
    pub(crate) fn unexplained(self, index: &Index) -> Vec<Outlier> {
        let Self { outliers, after } = self;
        let replies = |outlier: &Outlier| {
            let keys = after.get(&outlier.row).into_iter().flatten();
            let rows = keys.flat_map(|&key| index.of(key)).map(|row| index.row(row));
            let of = |row: &Stored| Weighed { weight: row.value.into(), games: row.games() }.most();
            rows.map(of).fold(0, i64::saturating_add)
        };
        let is_explained = |outlier: &Outlier| {
            let weight = outlier.column.of(index.row(outlier.row));
            outlier.column == Column::Score && replies(outlier) >= weight / REPLIES
        };
        outliers.into_iter().filter(|outlier| !is_explained(outlier)).collect()
    }
}

/// The number of positions with several moves, and of those where no number distinguishes the moves, unless
/// all of them were played: then equal results explain equal weights.
fn choices(loaded: &Loaded) -> (u64, u64) {
    if loaded.format == Format::MoonRiver {
        return (0, 0);
    }
    let has_results = has_results(loaded);
    let (mut choices, mut equal) = (0, 0);
    for group in loaded.index.groups().filter(|group| group.len() > 1) {
        choices += 1;
        let same = |column: Column| group.iter().all(|r| column.of(r) == column.of(&group[0]));
        let is_played = has_results && group.iter().all(|row| row.games() > 0);
        equal += u64::from(same(Column::Score) && same(Column::Wins) && !is_played);
    }
    (choices, equal)
}

/// The number of positions with a choice from which on their weights are checked as a whole.
const ENOUGH_CHOICES: u64 = 20;

/// If more than one position in this many has only moves of the same weight, the weights carry no
/// information.
const EQUAL_SHARE: u64 = 5;

pub(crate) fn note_equal(choices: u64, equal: u64, findings: &mut Findings) {
    if choices >= ENOUGH_CHOICES && equal * EQUAL_SHARE > choices {
        findings.add(Issue::AllEqual, || message!("of {choices} positions with several moves"));
        findings.add_many(Issue::AllEqual, equal - 1);
    }
}
