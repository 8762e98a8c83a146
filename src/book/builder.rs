//! From records to a book: `map` notes every game, `reduce` sums games and then moves, `pack`
//! writes the book in key order.

use std::collections::BTreeMap;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::groups::{GroupNames, Member};
use super::into::{Base, IdTable, add_rows};
use super::observation::{Glimpse, Observation};
use super::played::{Facts, Kind, Played};
use super::sort::{Reduce, Sorter};
use super::store::Writer;
use super::{Book, BuildError, Counts, Filter, GameId, Metadata, Row, Weight, key_file, seal};
use crate::bytes::atomic::{AtomicFile, folder_of};
use crate::bytes::lock::{Claim, FileLock};
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
    /// Written into the book: queries leave out moves of a smaller share of their position's games,
    /// in hundredths of a percent. Default 0.
    pub min_share: u64,
    /// Written into the book: what moves weigh.
    pub weight: Weight,
    /// Which records count, and which of their moves.
    pub filter: Filter,
    /// A book that is added to: all it holds is in the new one, which can stand in its place. The
    /// options above and the keys must be those that it was built with; [`BuildOptions::like`] are.
    pub base: Option<PathBuf>,
    /// Bytes for sorting; beyond that, temporary files are written beside the book. Default
    /// 512 MiB.
    pub memory: usize,
    /// Other keys than the stored ones, for books that go with other programs.
    pub key_table: Option<KeyTable>,
    /// What was read from files is kept that often, so that an interrupted build of the same files
    /// goes on from there. Default 30 seconds.
    pub keep_every: Duration,
    /// Ends the build with [`BuildError::Interrupted`] soon after it was set.
    pub stop: Arc<AtomicBool>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            max_ply: 60,
            min_games: 1,
            min_share: 0,
            weight: Weight::default(),
            filter: Filter::default(),
            base: None,
            memory: 512 << 20,
            key_table: None,
            keep_every: Duration::from_secs(30),
            stop: Arc::default(),
        }
    }
}

impl BuildOptions {
    /// The options that `base` was built with, for adding to it.
    #[must_use]
    pub fn like(base: &Book) -> Self {
        let about = base.metadata();
        Self {
            max_ply: usize::try_from(about.max_ply).unwrap_or(usize::MAX),
            min_games: about.min_games,
            min_share: about.min_share,
            weight: about.weight.clone(),
            filter: about.filter.clone(),
            base: Some(base.path().to_owned()),
            key_table: base.foreign_keys().cloned(),
            ..Self::default()
        }
    }
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
    lock: Arc<FileLock>,
    options: BuildOptions,
    base: Option<Base>,
    start_text: String,
    played: Sorter<Played>,
    /// The number of the next record, where copies are not brought together.
    serial: AtomicU64,
    records: AtomicU64,
    filtered: AtomicU64,
    bad: AtomicU64,
    game: PhantomData<fn() -> G>,
}

/// Games noted by one thread, on the way to a [`Builder`].
#[derive(Debug, Default)]
pub struct Batch(pub(super) Vec<Played>);

impl<G: Symmetric + Notation> Builder<G> {
    /// Starts a book that will stand at `output`.
    ///
    /// # Errors
    ///
    /// [`BuildError::Create`] if no book can be written there, if something else stands there, or if
    /// another process builds it; what speaks against adding to the base.
    pub fn new(output: &Path, options: BuildOptions) -> Result<Self, BuildError> {
        let folder = check_output(output)?;
        let lock = claim(output)?;
        let options = BuildOptions { filter: options.filter.folded(), ..options };
        let base = Base::of::<G>(&options)?;
        let file = AtomicFile::create(output).map_err(|error| create_error(output, &error))?;
        Ok(Self {
            output: output.to_owned(),
            played: Sorter::new(&folder, budget(&options), &options.stop),
            folder,
            file,
            lock: Arc::new(lock),
            options,
            base,
            start_text: G::start().position_text(),
            serial: AtomicU64::new(1),
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
        if !self.options.filter.admits_record(record, &facts) {
            self.filtered.fetch_add(1, Ordering::Relaxed);
            return Admission::Filtered;
        }
        let mut played = Played::new(record, &facts, &self.start_text, self.options.max_ply);
        if self.options.filter.every_record && played.kind == Kind::Usual {
            played.serial = self.serial.fetch_add(1, Ordering::Relaxed);
        }
        if self.options.filter.no_groups {
            played.groups = GroupNames::default();
        }
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

    /// Counts records that an earlier run noted, in which serial numbers below `serial` were given.
    pub(super) fn note_kept(&self, records: u64, bad: u64, filtered: u64, serial: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bad.fetch_add(bad, Ordering::Relaxed);
        self.filtered.fetch_add(filtered, Ordering::Relaxed);
        self.serial.fetch_max(serial, Ordering::Relaxed);
    }

    /// Serial numbers given from now on are not below this one.
    pub(super) fn serial(&self) -> u64 {
        self.serial.load(Ordering::Relaxed)
    }

    /// Where noted games are collected.
    pub(super) const fn played(&self) -> &Sorter<Played> {
        &self.played
    }

    pub(super) fn output(&self) -> &Path {
        &self.output
    }

    pub(super) const fn options(&self) -> &BuildOptions {
        &self.options
    }

    /// The book that is added to.
    pub(super) const fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// The right to write the output.
    pub(super) fn lock(&self) -> Arc<FileLock> {
        Arc::clone(&self.lock)
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
        let Self { output, folder, mut file, options, base, played, .. } = self;
        let errors = Errors { output: &output };
        let writer = Writer::create(file.temporary_path()).map_err(|e| errors.store(e))?;
        let mut pack = Pack::<G> {
            counts: base.as_ref().map_or_else(Counts::default, Base::counts),
            options: &options,
            base: base.as_ref(),
            ids: KnownIds::of(base.as_ref())?,
            observations: Sorter::new(&folder, budget(&options), &options.stop),
            members: Sorter::new(&folder, budget(&options) / 8, &options.stop),
            errors,
            writer,
            game: PhantomData,
        };
        pack.counts.records += self.records.into_inner();
        pack.counts.filtered += self.filtered.into_inner();
        pack.counts.bad += self.bad.into_inner();
        pack.count_games(played)?;
        if pack.counts.games == 0 {
            return Err(no_games(sources.len(), &pack.counts));
        }
        let metadata = pack.finish(&merge_sources(sources, base.as_ref()))?;
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

    /// Bytes that may be collected before they are sorted and written.
    pub(super) fn budget(&self) -> usize {
        budget(&self.options)
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
pub(super) struct Errors<'a> {
    pub(super) output: &'a Path,
}

impl Errors<'_> {
    pub(super) fn io(self, source: io::Error) -> BuildError {
        let path = self.output.to_owned();
        match source.kind() {
            io::ErrorKind::Interrupted => BuildError::Interrupted { path },
            _ => BuildError::Write { path, source },
        }
    }

    pub(super) fn store(self, source: rusqlite::Error) -> BuildError {
        BuildError::Store { path: self.output.to_owned(), source }
    }
}

/// The second half of a build.
struct Pack<'a, G> {
    counts: Counts,
    options: &'a BuildOptions,
    base: Option<&'a Base>,
    ids: KnownIds,
    observations: Sorter<Observation>,
    /// Moves of line groups.
    members: Sorter<Member>,
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
                return self.ids.pass(None, &self.writer, errors);
            }
            let mut counted = Vec::with_capacity(batch.len());
            for game in batch {
                if self.count(&game)? {
                    counted.push(game);
                }
            }
            let (observations, members) = (&self.observations, &self.members);
            counted
                .par_chunks(TASK)
                .try_for_each(|games| {
                    let (glimpses, of_groups) = replay::<G>(games, self.options);
                    observations.push(glimpses)?;
                    if of_groups.is_empty() { Ok(()) } else { members.push(of_groups) }
                })
                .map_err(|e| errors.io(e))?;
        }
    }

    /// Whether the game belongs into the statistics. Writes its id, and those of the base before it.
    fn count(&mut self, game: &Played) -> Result<bool, BuildError> {
        let errors = self.errors;
        self.ids.pass(Some(game.id), &self.writer, errors)?;
        let is_known = self.ids.is_next(game.id);
        let counts = &mut self.counts;
        match game.kind {
            Kind::OtherStart => {
                counts.other_start_records += game.copies();
                if !is_known {
                    counts.other_starts += 1;
                    let added = self.writer.add_id(IdTable::Elsewhere, game.id);
                    added.map_err(|e| errors.store(e))?;
                }
                return Ok(false);
            }
            Kind::NoMoves => {
                counts.no_moves = 1;
                counts.no_move_records += game.copies();
                return Ok(false);
            }
            Kind::Usual if is_known => {
                counts.duplicates += game.copies();
                if self.options.filter.admits_result(game.result()) {
                    self.add_groups(game)?;
                }
                return Ok(false);
            }
            Kind::Usual => {}
        }
        if !self.count_result(game) {
            return Ok(false);
        }
        if game.serial == 0 {
            self.writer.add_id(IdTable::Games, game.id).map_err(|e| errors.store(e))?;
        }
        Ok(true)
    }

    /// Puts the moves of a game that is counted already into the groups that a further copy names.
    fn add_groups(&self, game: &Played) -> Result<(), BuildError> {
        if game.groups.is_empty() {
            return Ok(());
        }
        let (_, members) = replay::<G>(std::slice::from_ref(game), self.options);
        self.members.push(members).map_err(|e| self.errors.io(e))
    }

    /// Whether a game that the base does not know is counted, by its result.
    fn count_result(&mut self, game: &Played) -> bool {
        let counts = &mut self.counts;
        let result = game.result();
        if !self.options.filter.admits_result(result) {
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
        let Self { counts, options, base, observations, members, errors, mut writer, .. } = self;
        let table = match &options.key_table {
            Some(table) => table.clone(),
            None => KeyTable::from_bytes(key_file(G::NAME).unwrap_or_default())
                .map_err(|e| errors.io(io::Error::other(e)))?,
        };
        let table_file = table.to_bytes().map_err(|e| errors.io(io::Error::other(e)))?;
        let rows = observations.finish().map_err(|e| errors.io(e))?;
        let rows = rows.map(|row| {
            check_stop(options, errors.output)?;
            let Observation { key, mv, tally } = row.map_err(|e| errors.io(e))?;
            Ok((key, mv, Row { tally, weight: None }))
        });
        match base {
            None => writer.add_rows(rows, |e| errors.store(e))?,
            Some(base) => {
                writer.add_rows(add_rows(rows, base.rows()?), |e| errors.store(e))?;
                base.add_members(&members)?;
            }
        }
        for member in members.finish().map_err(|e| errors.io(e))? {
            let member = member.map_err(|e| errors.io(e))?;
            writer.add_member(&member).map_err(|e| errors.store(e))?;
        }
        if let Some(base) = base {
            base.copy_rest(&writer)?;
        }
        let mut metadata = Metadata {
            game: G::NAME.to_owned(),
            key_table: table.fingerprint(),
            max_ply: options.max_ply as u64,
            min_games: options.min_games,
            min_share: options.min_share,
            filter: options.filter.clone(),
            weight: options.weight.clone(),
            counts,
            ..Metadata::default()
        };
        writer.finish(&mut metadata, &table_file, sources).map_err(|e| errors.store(e))?;
        Ok(metadata)
    }
}

/// The ids that the base knows, on their way into the book.
struct KnownIds {
    next: Option<(IdTable, GameId)>,
    rest: Box<dyn Iterator<Item = Result<(IdTable, GameId), BuildError>> + Send>,
}

impl KnownIds {
    fn of(base: Option<&Base>) -> Result<Self, BuildError> {
        let mut ids = match base {
            None => Self { next: None, rest: Box::new(std::iter::empty()) },
            Some(base) => Self { next: None, rest: Box::new(base.ids()?.in_order()) },
        };
        ids.next = ids.rest.next().transpose()?;
        Ok(ids)
    }

    /// Writes all that come before this one, or all.
    fn pass(
        &mut self,
        before: Option<GameId>,
        writer: &Writer,
        errors: Errors<'_>,
    ) -> Result<(), BuildError> {
        while let Some((table, id)) = self.next
            && before.is_none_or(|before| id < before)
        {
            writer.add_id(table, id).map_err(|e| errors.store(e))?;
            self.next = self.rest.next().transpose()?;
        }
        Ok(())
    }

    fn is_next(&self, id: GameId) -> bool {
        self.next.is_some_and(|(_, next)| next == id)
    }
}

fn replay<G: Symmetric + Notation>(
    games: &[Played],
    options: &BuildOptions,
) -> (Vec<Glimpse>, Vec<Member>) {
    let mut glimpses = Vec::with_capacity(games.iter().map(|g| g.moves.len()).sum());
    let mut members = Vec::new();
    let start = G::start();
    for game in games {
        let first = glimpses.len();
        replay_game(&start, game, options, &mut glimpses);
        let moves = &glimpses[first..];
        members.extend(game.groups.iter().flat_map(|group| {
            moves.iter().map(move |glimpse| Member {
                key: glimpse.key,
                mv: glimpse.mv,
                group: group.into(),
            })
        }));
    }
    (glimpses, members)
}

/// Emits each different move of a game once.
fn replay_game<G: Symmetric>(
    start: &G,
    game: &Played,
    options: &BuildOptions,
    glimpses: &mut Vec<Glimpse>,
) {
    let first = glimpses.len();
    let result = game.result();
    let mut position = start.clone();
    for (played, &bits) in game.moves.iter().enumerate() {
        let Some(mv) = G::Move::unpack(bits) else { return };
        let side = position.side_to_move();
        if options.filter.keeps(played, side, result) {
            let canonical = position.canonical_with(options.key_table.as_ref());
            let key = canonical.key.to_i64();
            let packed = position.canonical_move(canonical, mv).pack();
            if !glimpses[first..].iter().any(|g| g.key == key && g.mv == packed) {
                let rating = game.ratings[side.index()];
                glimpses.push(Glimpse::new(key, packed, result, rating, game.year));
            }
        }
        position.make(mv);
    }
}

/// One entry for each content, under the first of its names, in the order of hashes.
fn merge_sources(sources: Vec<Source>, base: Option<&Base>) -> Vec<Source> {
    let mut by_hash: BTreeMap<[u8; 32], Source> = BTreeMap::new();
    let known = base.map(Base::sources).unwrap_or_default().iter().cloned();
    for source in known.chain(sources) {
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

/// The right to write the output. What killed builds left of it is removed.
fn claim(output: &Path) -> Result<FileLock, BuildError> {
    match FileLock::claim(output).map_err(|error| create_error(output, &error))? {
        Claim::Ours(lock) => {
            lock.sweep();
            Ok(lock)
        }
        Claim::Others(id) => {
            let id = id.map_or_else(String::new, |id| format!(" ({id})"));
            let what = format!("another process{id} builds it; wait for its end");
            Err(BuildError::Create { path: output.to_owned(), what })
        }
    }
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
    if output.metadata().is_ok_and(|about| about.permissions().readonly()) {
        return Err(create(
            "this file is read-only; make it writable or choose another name".to_owned(),
        ));
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
