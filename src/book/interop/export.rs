//! Writing one of the program's own books as a foreign one.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use crate::book::file::reader::{Book, BookMove};
use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::{Scheme, scheme};
use crate::book::interop::index::{Collector, Index, Stored};
use crate::book::interop::obk::Dialect;
use crate::book::interop::progress::Step;
use crate::book::interop::walk::{Reach, walk};
use crate::book::interop::write::{RowContent, TableWriter};
use crate::book::interop::{BookFormat, eleeye, moonriver, obk, polyglot, write, xqb};
use crate::game::{Game, Packed, Side, Symmetric};
use crate::xiangqi::{Move, Position};

/// The options of an export.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The format.
    pub to: BookFormat,
    /// The way in which an `.obk` stores keys from 2^63 on. Doubles cannot hold all of them.
    pub dialect: Dialect,
    /// Stores the moves of an `.obk` or `.pfBook` with origin and destination exchanged.
    pub swapped: bool,
    /// Leaves out moves of fewer games; the book's own limit if not given.
    pub min_games: Option<u64>,
    /// Bytes for the rows; a book with more is refused.
    pub memory: usize,
    /// The limits of the search for positions.
    pub reach: Reach,
}

impl ExportOptions {
    /// To a format, everything else as usual.
    #[must_use]
    pub fn new(to: BookFormat) -> Self {
        Self {
            to,
            dialect: Dialect::Int64,
            swapped: false,
            min_games: None,
            memory: 1 << 30,
            reach: Reach::default(),
        }
    }
}

/// The counts of an export, and its losses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportReport {
    /// Moves in the book.
    pub moves: u64,
    /// Moves whose positions are not reached from the start: other programs cannot look up their keys.
    pub unreached: u64,
    /// Rows or records written.
    pub written: u64,
    /// True if the search for positions was ended by its limit.
    #[serde(rename = "cut")]
    pub is_cut: bool,
    /// The facts that the format cannot express, by name, and the number of moves that have them (of
    /// `unknown_results`: games).
    pub dropped: BTreeMap<&'static str, u64>,
}

/// Writes `book` to a new file at `output`.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then; an existing file is never replaced.
pub fn export(
    book: &Book,
    output: &Path,
    options: &ExportOptions,
) -> Result<ExportReport, InteropError> {
    book.expect_game::<Position>()?;
    options.reach.progress.report(Step::Reading, 0, 0);
    // The rows of the new file need as much memory again.
    let mut index = own_index(book, options.memory / 2)?;
    let moves = index.rows().len() as u64;
    let own = Scheme::own(book.foreign_keys());
    let min_games = options.min_games.unwrap_or(book.metadata().min_games);
    let mut writer = Writer::new(output, options)?;
    writer.has_evaluations = has_evaluations(book)?;
    let mut written = 0;
    let contents = book.moves_in_memory()?;
    let walked = walk(book.path(), &own, &mut index, &options.reach, &mut |position, hits| {
        let numbers = hits.iter().map(|hit| hit.place as usize);
        let found = book.probe_near(&contents, position, min_games, numbers)?;
        written += found.len() as u64;
        writer.add(position, &found)
    })?;
    let reached = index.rows().iter().filter(|row| row.has(super::index::REACHED)).count() as u64;
    if written == 0 {
        let what = "no move is reached from the start of a game".to_owned();
        return Err(InteropError::Nothing { path: book.path().to_owned(), what: what.into() });
    }
    if writer.is_empty() {
        let what = "all of its moves are disabled, and this format holds none of those".to_owned();
        return Err(InteropError::Nothing { path: book.path().to_owned(), what: what.into() });
    }
    let mut dropped = std::mem::take(&mut writer.dropped);
    note(&mut dropped, "few_games", reached - written.min(reached));
    options.reach.progress.report(Step::Writing, 0, 0);
    let rows = writer.finish(&mut dropped)?;
    Ok(ExportReport {
        moves,
        unreached: moves - reached,
        written: rows,
        is_cut: walked.is_cut,
        dropped,
    })
}

/// Returns true if the book's scores are its priorities: some are set, one below zero, and no weights. Such a
/// book comes from evaluations.
fn has_evaluations(book: &Book) -> Result<bool, InteropError> {
    let mut has_negative = false;
    let mut has_weights = false;
    book.for_each_entry(|entry| {
        has_negative |= entry.mark.priority < 0;
        has_weights |= entry.weight.is_some() || entry.mark.weight.is_some();
    })?;
    Ok(has_negative && !has_weights)
}

/// The moves of one of the program's own books.
pub(crate) fn own_index(book: &Book, memory: usize) -> Result<Index, InteropError> {
    let mut collector = Collector::new(book.path(), memory);
    let mut place = 0;
    let mut full = Ok(());
    book.for_each_entry(|entry| {
        if full.is_ok() {
            let stored = Stored::new(entry.key.cast_unsigned(), place, Move::unpack(entry.mv));
            full = collector.push(stored);
        }
        place += 1;
    })?;
    full.map(|()| collector.finish())
}

fn note(dropped: &mut BTreeMap<&'static str, u64>, what: &'static str, count: u64) {
    if count > 0 {
        *dropped.entry(what).or_default() += count;
    }
}

/// Rows of one format.
enum Rows {
    Table(TableWriter),
    /// The same key and move can come from two positions with the colours exchanged.
    Boards(TableWriter, Vec<((xqb::Key, u16), RowContent)>),
    ElephantEye(Vec<eleeye::Record>),
    Polyglot(Vec<polyglot::Record>),
    /// By mover: keys and counts. The same key can come several times.
    MoonRiver([Vec<(u64, u64)>; 2]),
}

struct Writer<'a> {
    output: &'a Path,
    options: &'a ExportOptions,
    scheme: &'static Scheme,
    rows: Rows,
    /// True if SQLite tables get the priorities as scores, not the weights.
    has_evaluations: bool,
    written: u64,
    dropped: BTreeMap<&'static str, u64>,
}

impl<'a> Writer<'a> {
    fn new(output: &'a Path, options: &'a ExportOptions) -> Result<Self, InteropError> {
        let rows = match (options.to, options.to.layout()) {
            (BookFormat::Xqb, Some(layout)) => {
                Rows::Boards(TableWriter::create(output, layout)?, Vec::new())
            }
            (_, Some(layout)) => Rows::Table(TableWriter::create(output, layout)?),
            (BookFormat::Polyglot, None) => Rows::Polyglot(Vec::new()),
            (BookFormat::MoonRiver, None) => Rows::MoonRiver(Default::default()),
            (_, None) => Rows::ElephantEye(Vec::new()),
        };
        let scheme = scheme(options.to);
        let dropped = BTreeMap::new();
        Ok(Self { output, options, scheme, rows, has_evaluations: false, written: 0, dropped })
    }

    fn note(&mut self, what: &'static str, count: u64) {
        note(&mut self.dropped, what, count);
    }

    fn add(&mut self, position: &Position, found: &[BookMove<Move>]) -> Result<(), InteropError> {
        for mv in found {
            self.note_marks(mv);
        }
        match self.options.to {
            BookFormat::Obk | BookFormat::PfBook => self.add_hashed(position, found),
            BookFormat::Xqb => {
                self.add_boards(position, found);
                Ok(())
            }
            BookFormat::ElephantEye | BookFormat::Polyglot => {
                self.add_weights(position, found);
                Ok(())
            }
            BookFormat::MoonRiver => {
                self.add_counts(position, found);
                Ok(())
            }
        }
    }

    /// Counts the facts that no foreign format can express.
    fn note_marks(&mut self, found: &BookMove<Move>) {
        let stats = &found.stats;
        self.note("ratings", u64::from(stats.rating_count > 0));
        self.note("years", u64::from(stats.years.is_some()));
        let is_kept = self.has_evaluations && self.options.to.layout().is_some();
        self.note("priorities", u64::from(found.priority != 0 && !is_kept));
        let score = &found.score;
        self.note("engine_scores", u64::from(score.engine.is_some() || score.backed.is_some()));
        self.note("groups", u64::from(!found.groups.is_empty()));
        self.note("locks", u64::from(found.locked));
        self.note("reasons_for_disabling", u64::from(found.banned || found.lost));
    }

    /// The row of a move in a table.
    fn content(&mut self, mover: Side, found: &BookMove<Move>) -> RowContent {
        let stats = &found.stats;
        self.note("unknown_results", stats.games - stats.decided());
        let score = if self.has_evaluations {
            found.priority.clamp(i32::MIN.into(), i32::MAX.into())
        } else {
            self.saturated(found.weight)
        };
        RowContent {
            score,
            games: [stats.wins(mover), stats.draws, stats.wins(!mover)]
                .map(|count| self.saturated(count)),
            is_valid: is_valid(found),
            comment: found.comment.clone(),
        }
    }

    /// A number as far as 31 bits go: readers have it in a signed number of 32.
    fn saturated(&mut self, number: u64) -> i64 {
        let most = u64::from(i32::MAX.cast_unsigned());
        self.note("saturated", u64::from(number > most));
        number.min(most).cast_signed()
    }

    fn add_hashed(
        &mut self,
        position: &Position,
        found: &[BookMove<Move>],
    ) -> Result<(), InteropError> {
        let key = self.scheme.key(position, false);
        let Some(key) = obk::encode_key(key, self.options.dialect) else {
            self.note("keys_that_are_no_doubles", found.len() as u64);
            return Ok(());
        };
        for found in found {
            let content = self.content(position.turn(), found);
            let mv = obk::encode_move(found.mv);
            let mv = if self.options.swapped { mv.swap_bytes() } else { mv };
            if let Rows::Table(table) = &self.rows {
                table.insert(&key, mv, &content)?;
                self.written += 1;
            }
        }
        Ok(())
    }

    fn add_boards(&mut self, position: &Position, found: &[BookMove<Move>]) {
        let (key, turned) = xqb::encode(position);
        for found in found {
            let content = self.content(position.turn(), found);
            if let Rows::Boards(_, rows) = &mut self.rows {
                rows.push(((key, xqb::encode_move(found.mv, turned)), content));
            }
        }
    }

    /// The moves that may be chosen, for formats that have no others.
    fn chosen<'f>(&mut self, found: &'f [BookMove<Move>]) -> Vec<&'f BookMove<Move>> {
        let chosen: Vec<_> = found.iter().filter(|found| is_valid(found)).collect();
        self.note("disabled", (found.len() - chosen.len()) as u64);
        for found in &chosen {
            self.note("comments", u64::from(found.comment.is_some()));
        }
        chosen
    }

    fn add_weights(&mut self, position: &Position, found: &[BookMove<Move>]) {
        let chosen = self.chosen(found);
        // Some readers divide by the sum.
        let all_zero = chosen.iter().all(|found| found.weight == 0);
        let most = chosen.iter().map(|found| found.weight).max().unwrap_or(0);
        for found in chosen {
            self.note("results", u64::from(found.stats.games > 0));
            self.note("raised_from_0", u64::from(all_zero));
            let weight = if all_zero { 1 } else { found.weight };
            let weight = self.sixteen_bits(weight, most);
            let mut places: Vec<(u64, Move)> = [false, true]
                .map(|mirrored| {
                    let mv = if mirrored { found.mv.mirrored() } else { found.mv };
                    (self.scheme.full_key(position, mirrored), mv)
                })
                .to_vec();
            places.sort_unstable();
            places.dedup();
            // ElephantEye looks for the smaller of the two, and for both moves if they are one.
            let least = places[0].0;
            for (key, mv) in places {
                match &mut self.rows {
                    Rows::ElephantEye(records) if key == least => {
                        let key = (key >> 32) as u32;
                        let mv = eleeye::encode_move(mv);
                        records.push(eleeye::Record { key, mv, weight });
                    }
                    Rows::Polyglot(records) => {
                        let mv = polyglot::encode_move(mv);
                        records.push(polyglot::Record { key, mv, weight, learning: 0 });
                    }
                    _ => {}
                }
            }
        }
    }

    /// A weight in 16 bits. Where the greatest of a position does not fit, all of its weights are made
    /// smaller by the same factor, though none becomes 0.
    fn sixteen_bits(&mut self, weight: u64, most: u64) -> u16 {
        let limit = u64::from(u16::MAX);
        if most <= limit {
            return weight.min(limit) as u16;
        }
        self.note("scaled", 1);
        let scaled = u128::from(weight) * u128::from(limit) / u128::from(most);
        scaled.max(u128::from(weight > 0)) as u16
    }

    /// Positions after the moves, and their mirror images: the format's readers do not look for
    /// those.
    fn add_counts(&mut self, position: &Position, found: &[BookMove<Move>]) {
        let chosen = self.chosen(found);
        let canonical = position.canonical();
        let mut after = position.clone();
        for found in chosen {
            self.note("results", u64::from(found.stats.decided() > 0));
            let count = if found.stats.games > 0 { found.stats.games } else { found.weight };
            let undo = after.make(found.mv);
            let mut keys = [false, true].map(|mirrored| self.scheme.key(&after, mirrored)).to_vec();
            after.unmake(found.mv, undo);
            keys.sort_unstable();
            keys.dedup();
            let Rows::MoonRiver(sides) = &mut self.rows else { return };
            for key in keys {
                // Takes the word of the side out of the key: the file has the records of the two sides apart instead.
                let key = key ^ moonriver::side_word(position.turn());
                sides[position.turn().index()].push((key, count));
            }
        }
        debug_assert_eq!(after.canonical(), canonical, "moves were taken back");
    }

    /// Returns true if no row has come.
    fn is_empty(&self) -> bool {
        match &self.rows {
            Rows::Table(_) => self.written == 0,
            Rows::Boards(_, rows) => rows.is_empty(),
            Rows::ElephantEye(records) => records.is_empty(),
            Rows::Polyglot(records) => records.is_empty(),
            Rows::MoonRiver(sides) => sides.iter().all(Vec::is_empty),
        }
    }

    fn finish(self, dropped: &mut BTreeMap<&'static str, u64>) -> Result<u64, InteropError> {
        let Self { output, rows, written, .. } = self;
        match rows {
            Rows::Table(table) => {
                table.finish()?;
                Ok(written)
            }
            Rows::Boards(table, rows) => {
                let rows = absorbed(rows, dropped);
                for ((key, mv), content) in &rows {
                    table.insert(&key.as_bytes(), *mv, content)?;
                }
                table.finish()?;
                Ok(rows.len() as u64)
            }
            Rows::ElephantEye(records) => {
                let records = summed(records, dropped);
                let written = records.len() as u64;
                write::eleeye(output, records)?;
                Ok(written)
            }
            Rows::Polyglot(records) => {
                let written = records.len() as u64;
                write::polyglot(output, records)?;
                Ok(written)
            }
            Rows::MoonRiver([red, black]) => {
                // In the order of the file.
                let sides = [black, red].map(|counts| moonriver_records(counts, dropped));
                let written = sides.iter().map(|side| side.len() as u64).sum();
                write::moonriver(output, sides)?;
                Ok(written)
            }
        }
    }
}

/// The records of one side in the order of their keys.
fn moonriver_records(
    counts: Vec<(u64, u64)>,
    dropped: &mut BTreeMap<&'static str, u64>,
) -> Vec<moonriver::Record> {
    let (counts, shared) = counted(counts);
    let most = u64::from(u16::MAX);
    let records = counts
        .into_iter()
        .map(|(key, count): (u64, u64)| {
            note(dropped, "saturated", u64::from(count > most));
            moonriver::Record { key, count: count.min(most) as u16 }
        })
        .collect();
    note(dropped, "shared_counts", shared);
    records
}

/// The rows in the order of their keys, those of one key and move as one.
fn absorbed<K: Ord + Copy + Send>(
    mut rows: Vec<(K, RowContent)>,
    dropped: &mut BTreeMap<&'static str, u64>,
) -> Vec<(K, RowContent)> {
    rows.par_sort_by_key(|row| row.0);
    let before = rows.len();
    rows.dedup_by(|other, one| {
        let is_same = other.0 == one.0;
        if is_same {
            one.1.absorb(std::mem::take(&mut other.1));
        }
        is_same
    });
    note(dropped, "colours", (before - rows.len()) as u64);
    rows
}

/// Keys in order, each once with the sum of its counts, and how often something was added to one above 0.
fn counted(mut counts: Vec<(u64, u64)>) -> (Vec<(u64, u64)>, u64) {
    counts.par_sort_by_key(|&(key, _)| key);
    let mut shared = 0;
    counts.dedup_by(|other, one| {
        let is_same = other.0 == one.0;
        if is_same {
            shared += u64::from(one.1 > 0);
            one.1 = one.1.saturating_add(other.1);
        }
        is_same
    });
    (counts, shared)
}

/// The records with those of one key and move added up: positions that share a key of 32 bits are one to
/// readers.
fn summed(
    mut records: Vec<eleeye::Record>,
    dropped: &mut BTreeMap<&'static str, u64>,
) -> Vec<eleeye::Record> {
    records.sort_unstable();
    let before = records.len();
    records.dedup_by(|other, one| {
        let is_same = (other.key, other.mv) == (one.key, one.mv);
        if is_same {
            one.weight = one.weight.saturating_add(other.weight);
        }
        is_same
    });
    note(dropped, "shared_keys", (before - records.len()) as u64);
    records
}

/// Returns true if a move may be chosen.
const fn is_valid(found: &BookMove<Move>) -> bool {
    !(found.disabled || found.banned || found.lost)
}
