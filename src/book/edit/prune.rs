//! A smaller book of a book.

use std::path::Path;

use crate::book::file::key_tables::table_file;
use crate::book::file::reader::Book;
use crate::book::file::samples::SampleSorters;
use crate::book::file::store::{BookPart, Writer};
use crate::book::file::transaction::Output;
use crate::book::file::walk::BookWalker;
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::error::{RemakeError, ReplaceError};
use crate::book::model::metadata::Metadata;
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::bytes::StopFlag;
use crate::bytes::paths::folder_of;
use crate::game::{Notation, Symmetric};

/// Bytes for sorting sample games; beyond that, temporary files are used.
const MEMORY: usize = 128 << 20;

/// Rows between two checks of the stop flag.
const BATCH: u64 = 1 << 14;

/// The limits that moves must meet to be kept. Locked moves are kept in any case, of the others deleted ones
/// never.
#[derive(Debug, Clone, Default)]
pub struct PruneOptions {
    /// The fewest games of a move. Moves added by hand are exempt.
    pub min_games: u64,
    /// The least share (0 to 1) of a move in the games of its position. Moves added by hand are exempt.
    pub min_share: f64,
    /// The most plies from the start position, along moves that are kept.
    pub max_ply: Option<u64>,
    /// True if moves that have a mark are kept.
    pub keep_marked: bool,
    /// Ends the work soon after it was set.
    pub stop: StopFlag,
}

/// The counts of dropped moves, and the new book's metadata.
#[derive(Debug, Clone, Default)]
pub struct PruneReport {
    /// The new book's metadata.
    pub metadata: Metadata,
    /// Moves of too few games.
    pub few_games: u64,
    /// Moves of too small a share.
    pub small_share: u64,
    /// Moves too far from the start, or that only dropped moves lead to.
    pub cut_off: u64,
    /// Moves that had been deleted by hand.
    pub deleted: u64,
}

impl PruneReport {
    /// The number of moves that were dropped.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.few_games + self.small_share + self.cut_off + self.deleted
    }
}

/// The outcome for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PruneOutcome {
    /// It stays whatever leads to it.
    Forced,
    /// It stays if it is still reached, or never was.
    Kept,
    /// Added by hand: like kept ones, whatever its games.
    Added,
    FewGames,
    SmallShare,
    Deleted,
}

/// Writes the moves of `input` that pass `options` to a book at `output`. Moves that only dropped
/// ones lead to are dropped as well; those that could not be reached before stay. Games and sources
/// stay; the book is marked as pruned if anything was dropped. The journal is not carried over.
///
/// ```
/// use juzhong::book::{BuildOptions, PruneOptions, ReadOptions, build, prune};
/// use juzhong::xiangqi::Position;
///
/// let folder = tempfile::tempdir()?;
/// let games = folder.path().join("games.txt");
/// std::fs::write(&games, "炮二平五 马8进7\n\n炮二平五 炮8平5\n")?;
/// let book = folder.path().join("my.book");
/// build::<Position>(&[games], &book, BuildOptions::default(), ReadOptions::default())?;
/// let options = PruneOptions { min_games: 2, ..PruneOptions::default() };
/// let report = prune::<Position>(&book, &folder.path().join("small.book"), &options)?;
/// // The first move has two games, each of the answers one.
/// assert_eq!((report.metadata.rows, report.few_games), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`RemakeError`].
pub fn prune<G: Symmetric + Notation>(
    input: &Path,
    output: &Path,
    options: &PruneOptions,
) -> Result<PruneReport, RemakeError> {
    // First, so that the file there does not change meanwhile; it may be the input.
    let out = Output::claim(output, &options.stop)?;
    let book = Book::open_until(input, &options.stop)?;
    book.check_file()?;
    book.check_pages()?;
    book.expect_game::<G>()?;
    let (places, outcomes) = outcomes(&book, options)?;
    let is_cut_off = cut_off::<G>(&book, &places, &outcomes, options);
    let stays = |i: usize| match outcomes[i] {
        PruneOutcome::Forced => true,
        PruneOutcome::Kept | PruneOutcome::Added => !is_cut_off[i],
        _ => false,
    };
    if !(0..places.len()).any(stays) {
        return Err(RemakeError::NothingLeft { path: input.to_owned() });
    }
    let mut report = PruneReport::default();
    for (i, outcome) in outcomes.iter().enumerate() {
        match outcome {
            PruneOutcome::FewGames => report.few_games += 1,
            PruneOutcome::SmallShare => report.small_share += 1,
            PruneOutcome::Deleted => report.deleted += 1,
            PruneOutcome::Kept | PruneOutcome::Added if is_cut_off[i] => report.cut_off += 1,
            PruneOutcome::Kept | PruneOutcome::Added | PruneOutcome::Forced => {}
        }
    }
    let is_pruned = report.dropped() > 0;
    report.metadata = write(&book, out, options, (&places, &stays), is_pruned)?;
    Ok(report)
}

/// All places and their outcomes by the limits of games.
fn outcomes(
    book: &Book,
    options: &PruneOptions,
) -> Result<(Vec<RowKey>, Vec<PruneOutcome>), RemakeError> {
    let mut places = Vec::new();
    let mut outcomes = Vec::new();
    // Of the position at hand: where it begins, and the games of its moves.
    let mut first = 0;
    let mut games = Vec::<u64>::new();
    book.for_each_place(|place, row, mark| {
        if places.last().is_some_and(|last: &RowKey| last.0 != place.0) {
            apply_share(&mut outcomes[first..], &games, options.min_share);
            (first, games) = (outcomes.len(), Vec::new());
        }
        places.push(place);
        outcomes.push(outcome(row, &mark, options));
        // Deleted moves have no share, as in queries.
        let row = row.filter(|_| !mark.flags.has(Flags::DELETED));
        games.push(row.map_or(0, |row| row.stats.games));
        Ok(())
    })?;
    apply_share(&mut outcomes[first..], &games, options.min_share);
    Ok((places, outcomes))
}

fn outcome(row: Option<MoveRow>, mark: &Annotation, options: &PruneOptions) -> PruneOutcome {
    let flags = mark.flags;
    if flags.has(Flags::LOCKED) {
        PruneOutcome::Forced
    } else if flags.has(Flags::DELETED) || row.is_none() && !flags.has(Flags::ADDED) {
        PruneOutcome::Deleted
    } else if options.keep_marked && *mark != Annotation::default() {
        PruneOutcome::Forced
    } else if flags.has(Flags::ADDED) {
        PruneOutcome::Added
    } else if row.is_some_and(|row| row.stats.games < options.min_games) {
        PruneOutcome::FewGames
    } else {
        PruneOutcome::Kept
    }
}

/// Drops the moves of a position that were played too seldom.
fn apply_share(outcomes: &mut [PruneOutcome], games: &[u64], min_share: f64) {
    let total = games.iter().fold(0u64, |sum, &games| sum.saturating_add(games)) as f64;
    for (outcome, &games) in outcomes.iter_mut().zip(games) {
        if *outcome == PruneOutcome::Kept && (games as f64) < min_share * total {
            *outcome = PruneOutcome::SmallShare;
        }
    }
}

/// Finds the places that were reached from the start before and no longer are.
fn cut_off<G: Symmetric + Notation>(
    book: &Book,
    places: &[RowKey],
    outcomes: &[PruneOutcome],
    options: &PruneOptions,
) -> Vec<bool> {
    let before = reached::<G>(book, places, u64::MAX, &|i| outcomes[i] != PruneOutcome::Deleted);
    let plies = options.max_ply.unwrap_or(u64::MAX);
    let after = reached::<G>(book, places, plies, &|i| {
        matches!(outcomes[i], PruneOutcome::Forced | PruneOutcome::Kept | PruneOutcome::Added)
    });
    before.into_iter().zip(after).map(|(before, after)| before && !after).collect()
}

/// Returns true for each place that is reached in `plies` plies by way of places for which `is_there` returns
/// true.
fn reached<G: Symmetric + Notation>(
    book: &Book,
    places: &[RowKey],
    plies: u64,
    is_there: &dyn Fn(usize) -> bool,
) -> Vec<bool> {
    let there: Vec<usize> = (0..places.len()).filter(|&i| is_there(i)).collect();
    let rows = there.iter().map(|&i| places[i]).collect();
    let mut walker = BookWalker::<G>::new(book.foreign_keys(), rows);
    walker.enter_all(&G::starts());
    let plies = usize::try_from(plies).unwrap_or(usize::MAX);
    let walked = walker.run(plies, |_, _| Ok::<(), std::convert::Infallible>(()));
    debug_assert!(walked.is_ok());
    let mut all = vec![false; places.len()];
    for (&i, &reached) in there.iter().zip(walker.reached()) {
        all[i] = reached;
    }
    all
}

fn write(
    book: &Book,
    out: Output,
    options: &PruneOptions,
    (places, stays): (&[RowKey], &dyn Fn(usize) -> bool),
    is_pruned: bool,
) -> Result<Metadata, RemakeError> {
    let mut writer = out.writer()?;
    if book.samples() > 0 {
        writer.begin_samples().map_err(|e| out.at().store(e))?;
    }
    out.at().copy_tables(book, &writer, is_carried)?;
    let mut number = 0;
    let mut stopped: Result<(), ReplaceError> = Ok(());
    let mut failed = Ok(());
    book.for_each_place(|place, row, mark| {
        if (number as u64).is_multiple_of(BATCH) && stopped.is_ok() {
            stopped = out.check_stop();
        }
        if stays(number) && stopped.is_ok() && failed.is_ok() {
            failed = write_place(&mut writer, place, row, &mark);
        }
        number += 1;
        Ok(())
    })?;
    stopped?;
    failed.map_err(|e| out.at().store(e))?;
    if book.samples() > 0 {
        let folder = folder_of(out.at().0);
        let samples = SampleSorters::new(book.samples(), folder, MEMORY, &options.stop);
        samples.add_book(book, |place| {
            places.binary_search(&place).is_ok_and(stays).then_some(place)
        })?;
        samples.write(&writer, out.at())?;
    }
    let about = book.metadata();
    let mut metadata = Metadata {
        pruned: about.pruned || is_pruned,
        max_ply: options.max_ply.map_or(about.max_ply, |max| max.min(about.max_ply)),
        ..about.clone()
    };
    let key_table = table_file(&about.game, book.foreign_keys());
    out.finish(writer, &mut metadata, &key_table, &book.sources()?)?;
    Ok(metadata)
}

fn write_place(
    writer: &mut Writer,
    place: RowKey,
    row: Option<MoveRow>,
    mark: &Annotation,
) -> rusqlite::Result<()> {
    if let Some(row) = row {
        writer.add_row(place, &row)?;
    }
    writer.add_mark(place, mark)
}

const fn is_carried(part: BookPart) -> bool {
    match part {
        BookPart::Games | BookPart::Origins | BookPart::Scores => true,
        // With fewer moves, other things follow from scores.
        BookPart::Frame
        | BookPart::Moves
        | BookPart::Marks
        | BookPart::Groups
        | BookPart::Journal
        | BookPart::Propagated
        | BookPart::Samples => false,
    }
}
