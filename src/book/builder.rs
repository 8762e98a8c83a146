//! From records to a book: `map` notes every game, `reduce` sums games and then moves, `pack`
//! writes the book in key order.

use std::collections::BTreeMap;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::observation::{Glimpse, Observation};
use super::played::{Facts, Kind, Played, side_of_tag};
use super::sort::{Reduce, Sorter};
use super::store::Writer;
use super::{BuildError, Counts, Metadata, key_file, seal};
use crate::bytes::atomic::{AtomicFile, folder_of};
use crate::game::{Notation, Outcome, Packed, Side, Symmetric};
use crate::hash::KeyTable;
use crate::record::Record;

/// Games replayed between two looks at the merge.
const BATCH: usize = 8192;

/// Games replayed by one task.
const TASK: usize = 256;

/// How a book is built.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// Moves of a game that are kept, at most. Default 60.
    pub max_ply: usize,
    /// Written into the book: queries leave out moves of fewer games. Default 1.
    pub min_games: u64,
    /// Which records count.
    pub filter: Filter,
    /// Bytes for sorting; beyond that, temporary files are written beside the book. Default
    /// 512 MiB.
    pub memory: usize,
    /// Other keys than the stored ones, for books that go with other programs.
    pub key_table: Option<KeyTable>,
    /// Ends the build with [`BuildError::Interrupted`] soon after it was set.
    pub stop: Arc<AtomicBool>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            max_ply: 60,
            min_games: 1,
            filter: Filter::default(),
            memory: 512 << 20,
            key_table: None,
            stop: Arc::default(),
        }
    }
}

/// Which records count. A condition on a fact that a record does not state is not met. Records are
/// left out one by one before copies are brought together; the result is that of the game.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Both players have at least this rating.
    pub min_rating: Option<u16>,
    /// Played in this year or later.
    pub since: Option<u16>,
    /// Played in this year or before.
    pub until: Option<u16>,
    /// Ended so. Only games that would be counted are looked at for this.
    pub result: Option<Ending>,
    /// One player's name contains this text, whatever the case.
    pub player: Option<String>,
}

/// How a game ended, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With this result.
    Known(Outcome),
    /// Nobody says how.
    Unknown,
}

impl From<Option<Outcome>> for Ending {
    fn from(result: Option<Outcome>) -> Self {
        result.map_or(Self::Unknown, Self::Known)
    }
}

impl Filter {
    fn admits<G: Notation>(&self, record: &Record<G>, facts: &Facts) -> bool {
        let rated = |n: u16| facts.ratings.iter().all(|r| r.is_some_and(|r| r >= n));
        self.min_rating.is_none_or(rated)
            && self.since.is_none_or(|since| facts.year.is_some_and(|y| y >= since))
            && self.until.is_none_or(|until| facts.year.is_some_and(|y| y <= until))
            && self.player.as_ref().is_none_or(|name| plays(record, name))
    }
}

fn plays<G: Notation>(record: &Record<G>, name: &str) -> bool {
    let name = name.to_lowercase();
    record.tags.iter().any(|(tag, value)| {
        side_of_tag::<G>(tag).is_some_and(|(_, rest)| rest.is_empty())
            && value.to_lowercase().contains(&name)
    })
}

/// A file that games came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// BLAKE3 of its content.
    pub hash: [u8; 32],
    /// Its base name.
    pub name: String,
    /// Records in it.
    pub games: u64,
}

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is counted, unless the book has the game already.
    Counted,
    /// It begins elsewhere than games usually do.
    OtherStart,
    /// It has no moves.
    NoMoves,
    /// It does not pass the filter.
    Filtered,
}

/// Collects games from any number of threads, then writes the book.
#[derive(Debug)]
pub struct Builder<G> {
    output: PathBuf,
    folder: PathBuf,
    file: AtomicFile,
    options: BuildOptions,
    start_text: String,
    played: Sorter<Played>,
    records: AtomicU64,
    filtered: AtomicU64,
    bad: AtomicU64,
    game: PhantomData<fn() -> G>,
}

/// Games noted by one thread, on the way to a [`Builder`].
#[derive(Debug, Default)]
pub struct Batch(Vec<Played>);

impl<G: Symmetric + Notation> Builder<G> {
    /// Starts a book that will stand at `output`.
    ///
    /// # Errors
    ///
    /// [`BuildError::Create`] if no book can be written there, or if something else stands there.
    pub fn new(output: &Path, options: BuildOptions) -> Result<Self, BuildError> {
        let folder = check_output(output)?;
        let file = AtomicFile::create(output).map_err(|error| create_error(output, &error))?;
        Ok(Self {
            output: output.to_owned(),
            played: Sorter::new(&folder, budget(&options), &options.stop),
            folder,
            file,
            options,
            start_text: G::start().position_text(),
            records: AtomicU64::new(0),
            filtered: AtomicU64::new(0),
            bad: AtomicU64::new(0),
            game: PhantomData,
        })
    }

    /// Notes a record.
    pub fn note(&self, record: &Record<G>, batch: &mut Batch) -> Admission {
        self.records.fetch_add(1, Ordering::Relaxed);
        let facts = Facts::of(record);
        if !self.options.filter.admits(record, &facts) {
            self.filtered.fetch_add(1, Ordering::Relaxed);
            return Admission::Filtered;
        }
        let played = Played::new(record, &facts, &self.start_text, self.options.max_ply);
        let admission = match played.kind {
            Kind::Usual => Admission::Counted,
            Kind::OtherStart => Admission::OtherStart,
            Kind::NoMoves => Admission::NoMoves,
        };
        batch.0.push(played);
        admission
    }

    /// Counts records that could not be read.
    pub fn note_bad(&self, records: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bad.fetch_add(records, Ordering::Relaxed);
    }

    /// Adds noted games; the order of batches does not matter.
    ///
    /// # Errors
    ///
    /// [`BuildError::Write`] if a temporary file cannot be written, [`BuildError::Interrupted`].
    pub fn push(&self, batch: Batch) -> Result<(), BuildError> {
        check_stop(&self.options, &self.output)?;
        self.played.push(batch.0).map_err(|source| self.write_error(source))
    }

    /// Notes and adds records.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn add<'a>(
        &self,
        records: impl IntoIterator<Item = &'a Record<G>>,
    ) -> Result<(), BuildError> {
        let mut batch = Batch::default();
        for record in records {
            self.note(record, &mut batch);
        }
        self.push(batch)
    }

    /// Writes the book and moves it to its place. `sources` are the files that the games came
    /// from.
    ///
    /// # Errors
    ///
    /// [`BuildError::NoGames`] if no game counts; otherwise those of writing. Nothing is left
    /// behind then.
    pub fn finish(self, sources: Vec<Source>) -> Result<Metadata, BuildError> {
        let Self { output, folder, mut file, options, played, records, filtered, bad, .. } = self;
        let errors = Errors { output: &output };
        let writer = Writer::create(file.temporary_path()).map_err(|e| errors.store(e))?;
        let mut pack = Pack::<G> {
            counts: Counts {
                records: records.into_inner(),
                filtered: filtered.into_inner(),
                bad: bad.into_inner(),
                ..Counts::default()
            },
            options: &options,
            observations: Sorter::new(&folder, budget(&options), &options.stop),
            errors,
            writer,
            game: PhantomData,
        };
        pack.count_games(played)?;
        if pack.counts.games == 0 {
            return Err(no_games(sources.len(), &pack.counts));
        }
        let metadata = pack.finish(&merge_sources(sources))?;
        seal::seal(file.file_mut()).map_err(|e| errors.io(e))?;
        check_output(&output)?; // someone may have put a file there meanwhile
        check_stop(&options, &output)?;
        file.commit().map_err(|error| create_error(&output, &error))?;
        Ok(metadata)
    }

    /// Where temporary files go: beside the book.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A sorter for something else that goes with this build.
    pub(super) fn sorter<S: Reduce>(&self) -> Sorter<S> {
        Sorter::new(&self.folder, budget(&self.options), &self.options.stop)
    }

    /// [`BuildError::Interrupted`] if someone asked to stop.
    pub(super) fn check_stop(&self) -> Result<(), BuildError> {
        check_stop(&self.options, &self.output)
    }

    pub(super) fn write_error(&self, source: io::Error) -> BuildError {
        Errors { output: &self.output }.io(source)
    }
}

/// Bytes that one sorter may hold, of which two are at work at a time: every thread can be writing a
/// run while the next one fills, and the last sort needs room for a copy.
fn budget(options: &BuildOptions) -> usize {
    options.memory / (2 * (rayon::current_num_threads() + 2))
}

fn check_stop(options: &BuildOptions, output: &Path) -> Result<(), BuildError> {
    if options.stop.load(Ordering::Relaxed) {
        return Err(BuildError::Interrupted { path: output.to_owned() });
    }
    Ok(())
}

/// Makes errors that name the output.
#[derive(Debug, Clone, Copy)]
struct Errors<'a> {
    output: &'a Path,
}

impl Errors<'_> {
    fn io(self, source: io::Error) -> BuildError {
        let path = self.output.to_owned();
        match source.kind() {
            io::ErrorKind::Interrupted => BuildError::Interrupted { path },
            _ => BuildError::Write { path, source },
        }
    }

    fn store(self, source: rusqlite::Error) -> BuildError {
        BuildError::Store { path: self.output.to_owned(), source }
    }
}

/// The second half of a build.
struct Pack<'a, G> {
    counts: Counts,
    options: &'a BuildOptions,
    observations: Sorter<Observation>,
    errors: Errors<'a>,
    writer: Writer,
    game: PhantomData<fn() -> G>,
}

impl<G: Symmetric + Notation> Pack<'_, G> {
    /// Brings copies together, writes the ids of the counted games and replays them.
    fn count_games(&mut self, played: Sorter<Played>) -> Result<(), BuildError> {
        let errors = self.errors;
        let mut games = played.finish().map_err(|e| errors.io(e))?;
        loop {
            check_stop(self.options, errors.output)?;
            let mut batch = Vec::with_capacity(BATCH);
            for game in games.by_ref().take(BATCH) {
                batch.push(game.map_err(|e| errors.io(e))?);
            }
            if batch.is_empty() {
                return Ok(());
            }
            batch.retain(|game| self.count(game));
            self.writer.add_games(batch.iter().map(|g| g.id)).map_err(|e| errors.store(e))?;
            let (observations, table) = (&self.observations, self.options.key_table.as_ref());
            batch
                .par_chunks(TASK)
                .try_for_each(|games| observations.push(replay::<G>(games, table)))
                .map_err(|e| errors.io(e))?;
        }
    }

    /// Whether the game belongs into the statistics.
    fn count(&mut self, game: &Played) -> bool {
        let counts = &mut self.counts;
        match game.kind {
            Kind::OtherStart => {
                counts.other_starts += 1;
                counts.other_start_records += game.copies();
                return false;
            }
            Kind::NoMoves => {
                counts.no_moves += 1;
                counts.no_move_records += game.copies();
                return false;
            }
            Kind::Usual => {}
        }
        let result = game.result();
        if self.options.filter.result.is_some_and(|wanted| wanted != result.into()) {
            counts.filtered += game.copies();
            return false;
        }
        counts.games += 1;
        counts.duplicates += game.copies() - 1;
        counts.disputed += u64::from(game.is_disputed());
        counts.tied += u64::from(game.is_disputed() && result.is_none());
        match result {
            Some(Outcome::Win(Side::First)) => counts.first += 1,
            Some(Outcome::Draw) => counts.draws += 1,
            Some(Outcome::Win(Side::Second)) => counts.second += 1,
            None => {}
        }
        true
    }

    fn finish(self, sources: &[Source]) -> Result<Metadata, BuildError> {
        let Self { counts, options, observations, errors, mut writer, .. } = self;
        let table = match &options.key_table {
            Some(table) => table.clone(),
            None => KeyTable::from_bytes(key_file(G::NAME).unwrap_or_default())
                .map_err(|e| errors.io(io::Error::other(e)))?,
        };
        let table_file = table.to_bytes().map_err(|e| errors.io(io::Error::other(e)))?;
        let rows = observations.finish().map_err(|e| errors.io(e))?;
        let rows = rows.map(|row| {
            check_stop(options, errors.output)?;
            row.map_err(|e| errors.io(e))
        });
        writer.add_rows(rows, |e| errors.store(e))?;
        let mut metadata = Metadata {
            game: G::NAME.to_owned(),
            key_table: table.fingerprint(),
            max_ply: options.max_ply as u64,
            min_games: options.min_games,
            counts,
            ..Metadata::default()
        };
        writer.finish(&mut metadata, &table_file, sources).map_err(|e| errors.store(e))?;
        Ok(metadata)
    }
}

fn replay<G: Symmetric + Notation>(games: &[Played], table: Option<&KeyTable>) -> Vec<Glimpse> {
    let mut glimpses = Vec::with_capacity(games.iter().map(|g| g.moves.len()).sum());
    let start = G::start();
    for game in games {
        replay_game(&start, game, table, &mut glimpses);
    }
    glimpses
}

/// Emits each different move of a game once.
fn replay_game<G: Symmetric>(
    start: &G,
    game: &Played,
    table: Option<&KeyTable>,
    glimpses: &mut Vec<Glimpse>,
) {
    let first = glimpses.len();
    let result = game.result();
    let mut position = start.clone();
    for &bits in &game.moves {
        let Some(mv) = G::Move::unpack(bits) else { return };
        let canonical = position.canonical_with(table);
        let key = canonical.key.to_i64();
        let packed = position.canonical_move(canonical, mv).pack();
        if !glimpses[first..].iter().any(|g| g.key == key && g.mv == packed) {
            let rating = game.ratings[position.side_to_move().index()];
            glimpses.push(Glimpse::new(key, packed, result, rating, game.year));
        }
        position.make(mv);
    }
}

/// One entry for each content, under the first of its names, in the order of hashes.
fn merge_sources(sources: Vec<Source>) -> Vec<Source> {
    let mut by_hash: BTreeMap<[u8; 32], Source> = BTreeMap::new();
    for source in sources {
        let known = by_hash.entry(source.hash).or_insert_with(|| source.clone());
        if source.name < known.name {
            known.name = source.name;
        }
    }
    by_hash.into_values().collect()
}

fn no_games(files: usize, counts: &Counts) -> BuildError {
    let reason = if counts.records == 0 {
        "they hold no games; give files in PGN or another format of games".to_owned()
    } else {
        format!(
            "{} bad, {} without moves, {} from other starts, {} left out by filters",
            counts.bad, counts.no_move_records, counts.other_start_records, counts.filtered
        )
    };
    BuildError::NoGames { files, first: String::new(), reason }
}

/// The folder of the output, if a book may be written there.
fn check_output(output: &Path) -> Result<PathBuf, BuildError> {
    let create = |what: String| BuildError::Create { path: output.to_owned(), what };
    let folder = folder_of(output);
    if !folder.is_dir() {
        return Err(create(format!("there is no folder {}; make it first", folder.display())));
    }
    if output.is_dir() {
        return Err(create("this is a folder; name a file in it".to_owned()));
    }
    if output.exists() && !is_book(output) {
        return Err(create(
            "a file that is no book stands there; move it away or choose another name".to_owned(),
        ));
    }
    Ok(folder.to_owned())
}

/// Whether the file is a book, damaged perhaps, and may be replaced by one.
fn is_book(path: &Path) -> bool {
    if !path.is_file() {
        return false; // opening a pipe would wait
    }
    let header = std::fs::File::open(path).and_then(|mut file| seal::Header::read(&mut file));
    matches!(header, Ok(Some(header)) if header.application_id == super::APPLICATION_ID)
}

fn create_error(output: &Path, error: &io::Error) -> BuildError {
    BuildError::Create { path: output.to_owned(), what: error.to_string() }
}
