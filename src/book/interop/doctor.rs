//! Examining a book for faults, be it the program's own or a foreign one.

use std::path::Path;

use crate::book::interop::diagnosis::{
    BookKind, Column, Diagnosis, DoctorOptions, Heavy, Outlier, Weighed, note_equal, note_mirrored,
    outlier,
};
use crate::book::interop::error::InteropError;
use crate::book::interop::index::{ILLEGAL, Index, REACHED, SWAPPED, Stored};
use crate::book::interop::issue::{Findings, Issue};
use crate::book::interop::load::{LoadOptions, Loaded, load_damaged};
use crate::book::interop::progress::Step;
use crate::book::interop::walk::walk;
use crate::book::interop::{BookFormat, own_doctor};
use crate::message::message;
use crate::xiangqi::Position;

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

pub(crate) fn inspect(path: &Path, options: &DoctorOptions) -> Result<Inspected, InteropError> {
    let DoctorOptions { from, memory, examples, .. } = *options;
    let stop = options.reach.stop.clone();
    options.reach.progress.report(Step::Reading, 0, 0);
    let mut loaded = load_damaged(path, &LoadOptions { from, memory, examples, stop })?;
    let mut findings = std::mem::replace(&mut loaded.findings, Findings::new(0));
    check_database(&loaded, &mut findings);
    options.reach.check_stop(path)?;
    note_swapped(&loaded, &mut findings);
    let scheme = loaded.scheme();
    let doubles_are_faults = !matches!(loaded.format, BookFormat::MoonRiver | BookFormat::Polyglot);
    let mut mirrored = Vec::new();
    let mut heavy = Heavy::new(outliers(&loaded));
    let walked = walk(path, scheme, &mut loaded.index, &options.reach, &mut |position, hits| {
        if doubles_are_faults {
            note_mirrored(position, hits, &mut mirrored);
        }
        heavy.note_hits(scheme, position, hits);
        Ok(())
    })?;
    note_walk(&loaded, &mirrored, walked.is_cut, &mut findings);
    let outliers = heavy.unexplained(&loaded.index);
    note_outliers(&loaded.index, &outliers, &mut findings);
    let (choices, equal_choices) = choices(&loaded);
    // A weight alone may well be the number of games.
    if loaded.format.layout().is_some() {
        note_equal(choices, equal_choices, &mut findings);
    }
    let reached = loaded.index.rows().iter().filter(|r| r.has(REACHED | ILLEGAL)).count() as u64;
    let diagnosis = Diagnosis {
        kind: BookKind::Foreign(loaded.format),
        dialect: loaded.dialect.filter(|_| loaded.format == BookFormat::Obk),
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

/// Adds the fault that all moves are stored with origin and destination exchanged.
fn note_swapped(loaded: &Loaded, findings: &mut Findings) {
    if loaded.is_swapped {
        findings.add(Issue::ByteOrder, || "origin in the low byte".into());
        findings.add_many(Issue::ByteOrder, (loaded.index.rows().len() as u64).saturating_sub(1));
    }
}

/// Adds the faults that the walk showed, with the rows that are mirror images of each other.
fn note_walk(loaded: &Loaded, mirrored: &[(usize, usize)], is_cut: bool, findings: &mut Findings) {
    for row in loaded.index.rows().iter().filter(|row| row.has(SWAPPED)) {
        findings.add(Issue::ByteOrder, || message!("row {}", row.place));
    }
    for &(one, other) in mirrored {
        let places = [one, other].map(|row| loaded.index.row(row).place);
        findings.add(Issue::MirrorDuplicate, || message!("rows {} and {}", places[0], places[1]));
    }
    note_rows(&loaded.index, findings);
    let marked = loaded.index.rows().iter().any(|row| row.has(REACHED | ILLEGAL));
    let is_known = marked || is_cut || (loaded.format == BookFormat::Xqb && loaded.rows > 0);
    if !is_known {
        findings.add(Issue::NothingReached, || message!("{} rows", loaded.rows));
    }
}

/// Adds the weights that nothing explains.
fn note_outliers(index: &Index, outliers: &[Outlier], findings: &mut Findings) {
    for outlier in outliers {
        let row = index.row(outlier.row);
        findings.add(Issue::Outlier, || {
            let value = outlier.column.of(row);
            message!("row {}: {value}, the next {}", row.place, outlier.others)
        });
    }
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
        let moves: Vec<Weighed> = group
            .iter()
            .map(|row: &Stored| {
                let games = if column == Column::Score { row.games() } else { 0 };
                Weighed { weight: column.of(row), games }
            })
            .collect();
        if let Some((at, others)) = outlier(&moves) {
            found.push(Outlier { row: first + at, column, others });
        }
        first += group.len();
    }
    found
}

/// The number of positions with several moves, and of those where no number distinguishes the moves, unless
/// all of them were played: then equal results explain equal weights.
fn choices(loaded: &Loaded) -> (u64, u64) {
    if loaded.format == BookFormat::MoonRiver {
        return (0, 0);
    }
    let has_results = has_results(loaded);
    let mut choices = 0;
    let mut equal = 0;
    for group in loaded.index.groups().filter(|group| group.len() > 1) {
        choices += 1;
        let is_played = has_results && group.iter().all(|row| row.games() > 0);
        let is_equal = all_equal(group, Column::Score) && all_equal(group, Column::Wins);
        equal += u64::from(is_equal && !is_played);
    }
    (choices, equal)
}

/// Returns true if all rows have the same number in a column.
fn all_equal(rows: &[Stored], column: Column) -> bool {
    rows.iter().all(|row| column.of(row) == column.of(&rows[0]))
}
