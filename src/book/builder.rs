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
use super::sort::{MERGE_MEMORY, Merge, Reduce, Sorter};
use super::store::{PACK_MEMORY, Writer};
use super::tally::{result_number, result_of};
use super::windows::WINDOW;
use super::{BuildError, Counts, Metadata, key_file, seal};
use crate::bytes::atomic::{AtomicFile, folder_of};
use crate::game::{Notation, Outcome, Packed, Side, Symmetric};
use crate::hash::KeyTable;
use crate::record::Record;

/// Games replayed by one task.
const TASK: usize = 256;

/// Memory that a thread may take beside what it sorts, in bytes: a merge, and what it reads.
const THREAD_MEMORY: usize = MERGE_MEMORY + WINDOW;

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
    /// A text for every filter; equal ones for equal filters alone.
    #[must_use]
    pub fn to_text(&self) -> String {
        let result = self.result.map(|ending| match ending {
            Ending::Unknown => 0,
            Ending::Known(outcome) => result_number(Some(outcome)),
        });
        let Self { min_rating, since, until, player, .. } = self;
        serde_json::json!([min_rating, since, until, result, player]).to_string()
    }

    /// The inverse of [`to_text`](Self::to_text).
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let fields: (_, _, _, Option<u8>, _) = serde_json::from_str(text).ok()?;
        let (min_rating, since, until, result, player) = fields;
        let result = result.map(|number| Ending::from(result_of(number)));
        Some(Self { min_rating, since, until, result, player })
    }

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
    /// `None` if shards are written instead of a book.
    file: Option<AtomicFile>,
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
pub struct Batch {
    played: Vec<Played>,
    /// See [`Played::serial`].
    serial: u64,
}

impl<G: Symmetric + Notation> Builder<G> {
    /// Starts a book that will stand at `output`.
    ///
    /// # Errors
    ///
    /// [`BuildError::Create`] if no book can be written there, or if something else stands there.
    pub fn new(output: &Path, options: BuildOptions) -> Result<Self, BuildError> {
        let folder = check_output(output)?;
        let file = AtomicFile::create(output).map_err(|error| create_error(output, &error))?;
        Ok(Self::collect(output, folder, Some(file), options))
    }

    /// Starts to collect games that will be written as shards to `folder`.
    pub(super) fn of_shards(folder: &Path, options: BuildOptions) -> Self {
        Self::collect(folder, folder.to_owned(), None, options)
    }

    fn collect(
        output: &Path,
        folder: PathBuf,
        file: Option<AtomicFile>,
        options: BuildOptions,
    ) -> Self {
        Self {
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
        }
    }

    /// A batch for games of the file whose content has that BLAKE3 hash. Shards tell files apart,
    /// because another shard may hold the games of the same file.
    pub(super) fn batch(&self, source: &[u8; 32]) -> Batch {
        let serial = if self.file.is_none() { serial_of(source) } else { 0 };
        Batch { played: Vec::new(), serial }
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
        batch.played.push(Played { serial: batch.serial, ..played });
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
        self.played.push(batch.played).map_err(|source| self.write_error(source))
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
        let Self { output, folder, file, options, played, records, filtered, bad, .. } = self;
        let errors = Errors { output: &output };
        let file = file.ok_or_else(|| errors.io(io::ErrorKind::Unsupported.into()))?;
        let mut pack = Pack::<G>::new(&options, &output);
        pack.counts.records = records.into_inner();
        pack.counts.filtered = filtered.into_inner();
        pack.counts.bad = bad.into_inner();
        let observations = Sorter::new(&folder, budget(&options), &options.stop);
        let mut writer = errors.writer(&folder)?;
        let played = played.finish().map_err(|e| errors.io(e))?;
        let mut note = |game: &Played, counts| errors.add_game(&mut writer, game, counts);
        pack.count_games(played, &mut note, &observations)?;
        if pack.counts.games == 0 {
            return Err(no_games(sources.len(), &pack.counts));
        }
        let rows = observations.finish().map_err(|e| errors.io(e))?;
        let metadata = pack.finish(writer, rows, file.temporary_path(), &merge_sources(sources))?;
        commit(file, &options, errors)?;
        Ok(metadata)
    }

    /// All games in the order of their ids.
    pub(super) fn into_games(self) -> Result<Merge<Played>, BuildError> {
        let Self { output, played, .. } = self;
        played.finish().map_err(|e| Errors { output: &output }.io(e))
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

/// Bytes that one sorter may hold. Two are at work at a time: every thread can be writing a run
/// while the next ones fill. What merges and the store take is set aside.
pub(super) fn budget(options: &BuildOptions) -> usize {
    let threads = rayon::current_num_threads();
    let aside = PACK_MEMORY + threads * THREAD_MEMORY;
    options.memory.saturating_sub(aside).max(options.memory / 4) / (threads + 2)
}

/// Seals a finished book and moves it to its place.
pub(super) fn commit(
    mut file: AtomicFile,
    options: &BuildOptions,
    errors: Errors<'_>,
) -> Result<(), BuildError> {
    seal::seal(file.file_mut()).map_err(|e| errors.io(e))?;
    check_output(errors.output)?; // someone may have put a file there meanwhile
    check_stop(options, errors.output)?;
    file.commit().map_err(|error| create_error(errors.output, &error))
}

/// A number for a file by the BLAKE3 hash of its content: the first 8 bytes.
pub(super) fn serial_of(source: &[u8; 32]) -> u64 {
    source.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

pub(super) fn check_stop(options: &BuildOptions, output: &Path) -> Result<(), BuildError> {
    if options.stop.load(Ordering::Relaxed) {
        return Err(BuildError::Interrupted { path: output.to_owned() });
    }
    Ok(())
}

/// Makes errors that name the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors<'a> {
    pub(super) output: &'a Path,
}

impl Errors<'_> {
    pub(super) fn io(self, source: io::Error) -> BuildError {
        let path = self.output.to_owned();
        match source.kind() {
            io::ErrorKind::Interrupted => BuildError::Interrupted { path },
            io::ErrorKind::InvalidData => BuildError::Shard { what: source.to_string() },
            _ => BuildError::Write { path, source },
        }
    }

    pub(super) fn store(self, source: rusqlite::Error) -> BuildError {
        BuildError::Store { path: self.output.to_owned(), source }
    }

    /// Starts a book that is collected in a file in `folder`.
    pub(super) fn writer(self, folder: &Path) -> Result<Writer, BuildError> {
        let working = tempfile::Builder::new().prefix(".juzhong-pack-").tempfile_in(folder);
        let working = working.map_err(|e| self.io(e))?.into_temp_path();
        Writer::create(working).map_err(|e| self.store(e))
    }

    /// Adds the id of a counted game to a book.
    pub(super) fn add_game(
        self,
        writer: &mut Writer,
        game: &Played,
        counts: bool,
    ) -> Result<(), BuildError> {
        if counts { writer.add_game(game.id).map_err(|e| self.store(e)) } else { Ok(()) }
    }
}

/// The second half of a build: games that were brought together are counted and replayed, and the
/// book is written.
pub(super) struct Pack<'a, G> {
    pub(super) counts: Counts,
    options: &'a BuildOptions,
    errors: Errors<'a>,
    game: PhantomData<fn() -> G>,
}

impl<'a, G: Symmetric + Notation> Pack<'a, G> {
    pub(super) fn new(options: &'a BuildOptions, output: &'a Path) -> Self {
        let errors = Errors { output };
        Self { counts: Counts::default(), options, errors, game: PhantomData }
    }

    /// Counts games, each of which comes once, and replays those that belong into the statistics;
    /// `note` is told of them in the order in which they come.
    pub(super) fn count_games(
        &mut self,
        games: impl Iterator<Item = io::Result<Played>> + Send,
        mut note: impl FnMut(&Played, bool) -> Result<(), BuildError> + Send,
        observations: &Sorter<Observation>,
    ) -> Result<(), BuildError> {
        let (errors, table) = (self.errors, self.options.key_table.as_ref());
        let mut games = games.fuse();
        // Whoever is free takes the next games, so nobody waits for one who writes a run.
        std::iter::from_fn(|| self.next_task(&mut games, &mut note).transpose())
            .par_bridge()
            .try_for_each(|games| {
                let glimpses = replay::<G>(&games?, table);
                observations.push(glimpses).map_err(|e| errors.io(e))
            })
    }

    /// Counts the next games and returns those to replay. `None` at the end.
    pub(super) fn next_task(
        &mut self,
        games: &mut impl Iterator<Item = io::Result<Played>>,
        note: &mut impl FnMut(&Played, bool) -> Result<(), BuildError>,
    ) -> Result<Option<Vec<Played>>, BuildError> {
        check_stop(self.options, self.errors.output)?;
        let mut task = Vec::new();
        let mut seen = 0;
        for game in games.take(TASK) {
            let game = game.map_err(|e| self.errors.io(e))?;
            let counts = self.count(&game);
            note(&game, counts)?;
            seen += 1;
            if counts {
                task.push(game);
            }
        }
        Ok((seen > 0).then_some(task))
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

    /// Writes rows, which come in ascending order, and all that was counted to the empty file at
    /// `path`.
    pub(super) fn finish(
        self,
        mut writer: Writer,
        rows: impl Iterator<Item = io::Result<Observation>> + Send,
        path: &Path,
        sources: &[Source],
    ) -> Result<Metadata, BuildError> {
        let Self { counts, options, errors, .. } = self;
        let table = match &options.key_table {
            Some(table) => table.clone(),
            None => KeyTable::from_bytes(key_file(G::NAME).unwrap_or_default())
                .map_err(|e| errors.io(io::Error::other(e)))?,
        };
        let table_file = table.to_bytes().map_err(|e| errors.io(io::Error::other(e)))?;
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
        writer.finish(path, &mut metadata, &table_file, sources).map_err(|e| errors.store(e))?;
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
pub(super) fn merge_sources(sources: Vec<Source>) -> Vec<Source> {
    let mut by_hash: BTreeMap<[u8; 32], Source> = BTreeMap::new();
    for source in sources {
        let known = by_hash.entry(source.hash).or_insert_with(|| source.clone());
        if source.name < known.name {
            known.name = source.name;
        }
    }
    by_hash.into_values().collect()
}

pub(super) fn no_games(files: usize, counts: &Counts) -> BuildError {
    let reason = if counts.records == 0 {
        "they hold no games; give files in PGN".to_owned()
    } else {
        format!(
            "{} bad, {} without moves, {} from other starts, {} left out by filters",
            counts.bad, counts.no_move_records, counts.other_start_records, counts.filtered
        )
    };
    BuildError::NoGames { files, first: String::new(), reason }
}

/// The folder of the output, if a book may be written there.
pub(super) fn check_output(output: &Path) -> Result<PathBuf, BuildError> {
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

pub(super) fn create_error(output: &Path, error: &io::Error) -> BuildError {
    BuildError::Create { path: output.to_owned(), what: error.to_string() }
}
