//! From records to a book: `map` notes every game, `reduce` sums games and then moves, `pack`
//! writes the book in key order.

use std::collections::BTreeMap;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::book::builder::incremental::{BaseBook, add_rows};
use crate::book::builder::options::BuildOptions;
use crate::book::file::key_tables::key_file;
use crate::book::file::samples::SampleSorters;
use crate::book::file::store::{PACK_MEMORY, Writer};
use crate::book::file::transaction::{At, Output};
use crate::book::model::counted_game::{
    CountedGame, Facts, GameId, GameKind, IdTable, UsualStarts,
};
use crate::book::model::details::GameDetails;
use crate::book::model::error::BuildError;
use crate::book::model::groups::{GroupMember, GroupNames};
use crate::book::model::metadata::{Counts, Metadata, Source};
use crate::book::model::move_stats::{KeyedRow, MoveRow};
use crate::book::model::observation::{MoveSum, Observation};
use crate::book::model::sample::{SampleGame, SampleId, Sampled};
use crate::bytes::external_sort::{MERGE_MEMORY, Merge, Reduce, Sorter};
use crate::bytes::lock::FileLock;
use crate::bytes::paths::folder_of;
use crate::game::{Notation, Outcome, Packed, Side, Symmetric};
use crate::hash::KeyTable;
use crate::message::message;
use crate::record::{Record, WINDOW};

/// Games replayed by one task.
const TASK: usize = 256;

/// Memory that a thread may use beside what it sorts, in bytes: a merge, and its input.
const THREAD_MEMORY: usize = MERGE_MEMORY + WINDOW;

/// The outcome for one record.
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

/// Collects games from any number of threads, for a book or for a shard.
#[derive(Debug)]
pub(crate) struct Collector<G> {
    output: PathBuf,
    folder: PathBuf,
    /// True for a shard: another one may hold the games of the same file, so files are distinguished.
    distinguishes_files: bool,
    options: BuildOptions,
    base: Option<BaseBook>,
    starts: UsualStarts<G>,
    games: Sorter<CountedGame>,
    /// The number of the next record, where copies are not brought together.
    serial: AtomicU64,
    records: AtomicU64,
    filtered: AtomicU64,
    bad: AtomicU64,
    game: PhantomData<fn() -> G>,
}

/// Collects games from any number of threads, then writes the book.
#[derive(Debug)]
pub struct Builder<G> {
    collector: Collector<G>,
    place: Output,
}

/// Games noted by one thread, on the way to a [`Builder`].
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) games: Vec<CountedGame>,
    /// See [`CountedGame::serial`].
    serial: u64,
    /// The beginning of the hash of the file.
    source: [u8; 8],
}

impl<G: Symmetric + Notation> Builder<G> {
    /// Starts a book at `output`.
    ///
    /// # Errors
    ///
    /// [`BuildError::Replace`] if no book can be written there, if something else is there, or if another
    /// process builds it; those of a base that cannot be added to.
    pub fn new(output: &Path, options: BuildOptions) -> Result<Self, BuildError> {
        let place = Output::claim(output, &options.stop)?;
        let options = BuildOptions { filter: options.filter.folded(), ..options };
        let base = BaseBook::of::<G>(&options)?;
        let folder = folder_of(output).to_owned();
        Ok(Self { collector: Collector::new(output, folder, base, options), place })
    }

    /// Notes a record.
    pub fn note(&self, record: &Record<G>, batch: &mut Batch) -> Admission {
        self.collector.note_numbered(record, 0, batch)
    }

    /// Counts records that could not be read.
    pub fn note_bad(&self, records: u64) {
        self.collector.note_bad(records);
    }

    /// Adds noted games; the order of batches does not matter.
    ///
    /// # Errors
    ///
    /// [`BuildError::Replace`] if a temporary file cannot be written, or if `stop` was set.
    pub fn push(&self, batch: Batch) -> Result<(), BuildError> {
        let collector = &self.collector;
        collector.check_stop()?;
        collector.games.push(batch.games).map_err(|source| collector.write_error(source))
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

    /// The collector of the games.
    pub(crate) const fn collector(&self) -> &Collector<G> {
        &self.collector
    }

    /// The right to write the book.
    pub(crate) fn lock(&self) -> Arc<FileLock> {
        self.place.lock()
    }

    /// Writes the book and moves it to its place. `sources` are the files that the games came
    /// from.
    ///
    /// # Errors
    ///
    /// [`BuildError::NoGames`] if no game counts; otherwise those of writing. Nothing is left
    /// behind then.
    pub fn finish(self, sources: Vec<Source>) -> Result<Metadata, BuildError> {
        let Self { collector, place } = self;
        let Collector { output, folder, options, base, games, .. } = collector;
        let errors = Errors { output: &output };
        let base = base.as_ref();
        let mut id_writer = IdWriter::new(base, new_writer(&place, &options)?, errors)?;
        let mut pack =
            Pack::<G>::new(&options, base.map_or_else(Counts::default, BaseBook::counts), errors);
        // To those of the base, which the counts began with.
        pack.counts.records += collector.records.into_inner();
        pack.counts.filtered += collector.filtered.into_inner();
        pack.counts.bad += collector.bad.into_inner();
        let sums = Sums::new(&folder, &options);
        // Games come in the order of their ids, each once: the order of files and threads is gone from here
        // on.
        pack.count_games(games.finish().map_err(|e| errors.io(e))?, &mut id_writer, &sums)?;
        if pack.counts.games == 0 {
            return Err(no_games(sources.len(), &pack.counts));
        }
        let writer = id_writer.finish()?;
        let sources = merge_sources(sources, base);
        let Sums { observations, members, samples } = sums;
        let rows = observations.finish().map_err(|e| errors.io(e))?;
        match base {
            None => {
                let members = members.finish().map_err(|e| errors.io(e))?;
                pack.finish(place, writer, in_order(rows, errors), members, samples, &sources)
            }
            Some(base) => {
                base.add_members(&members)?;
                base.copy_rest(&writer)?;
                if let Some(samples) = &samples {
                    base.add_samples(samples)?;
                }
                let members = members.finish().map_err(|e| errors.io(e))?;
                let rows = add_rows(in_order(rows, errors), base.rows()?);
                pack.finish(place, writer, rows, members, samples, &sources)
            }
        }
    }
}

impl<G: Symmetric + Notation> Collector<G> {
    fn new(output: &Path, folder: PathBuf, base: Option<BaseBook>, options: BuildOptions) -> Self {
        Self {
            output: output.to_owned(),
            games: Sorter::new(&folder, budget(&options), &options.stop),
            folder,
            distinguishes_files: false,
            options,
            base,
            starts: UsualStarts::new(),
            serial: AtomicU64::new(1),
            records: AtomicU64::new(0),
            filtered: AtomicU64::new(0),
            bad: AtomicU64::new(0),
            game: PhantomData,
        }
    }

    /// Starts to collect games that will be written as a shard to `folder`.
    pub(crate) fn of_shard(folder: &Path, options: BuildOptions) -> Self {
        let options = BuildOptions { filter: options.filter.folded(), ..options };
        let collector = Self::new(folder, folder.to_owned(), None, options);
        Self { distinguishes_files: true, ..collector }
    }

    /// A batch for games of the file whose content has that BLAKE3 hash.
    pub(crate) fn batch(&self, source: &[u8; 32]) -> Batch {
        let serial = if self.distinguishes_files { serial_of(source) } else { 0 };
        Batch { games: Vec::new(), serial, source: *source.first_chunk().unwrap_or(&[0; 8]) }
    }

    /// Notes the record of that number, from 1, of a source.
    pub(crate) fn note_numbered(
        &self,
        record: &Record<G>,
        number: u64,
        batch: &mut Batch,
    ) -> Admission {
        // Nothing else is read by way of these counters, so that relaxed order is enough.
        self.records.fetch_add(1, Ordering::Relaxed);
        let facts = Facts::of(record);
        if !self.options.filter.admits_record(record, &facts) {
            self.filtered.fetch_add(1, Ordering::Relaxed);
            return Admission::Filtered;
        }
        let mut game = CountedGame::new(record, &facts, &self.starts, self.options.max_ply);
        if self.options.filter.fold_mirror || !G::ORIENTED {
            game.fold::<G>(&record.tree.moves, &self.starts);
        }
        game.serial = if self.options.filter.every_record && game.kind == GameKind::Usual {
            // Equal games must stay apart where every record counts: the serial number is part of their
            // order, and numbers need only differ.
            self.serial.fetch_add(1, Ordering::Relaxed)
        } else {
            batch.serial
        };
        if self.options.filter.no_groups {
            game.groups = GroupNames::default();
        }
        if self.options.samples > 0 && game.kind == GameKind::Usual {
            game.details = Some(Box::new(GameDetails::of(record, batch.source, number)));
        }
        let admission = match game.kind {
            GameKind::Usual => Admission::Counted,
            GameKind::OtherStart => Admission::OtherStart,
            GameKind::NoMoves => Admission::NoMoves,
        };
        batch.games.push(game);
        admission
    }

    /// Counts records that could not be read.
    pub(crate) fn note_bad(&self, records: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bad.fetch_add(records, Ordering::Relaxed);
    }

    /// Counts records that an earlier run noted, in which serial numbers below `serial` were given.
    pub(crate) fn note_kept(&self, records: u64, bad: u64, filtered: u64, serial: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bad.fetch_add(bad, Ordering::Relaxed);
        self.filtered.fetch_add(filtered, Ordering::Relaxed);
        self.serial.fetch_max(serial, Ordering::Relaxed);
    }

    /// Serial numbers given from now on are not below this one.
    pub(crate) fn serial(&self) -> u64 {
        self.serial.load(Ordering::Relaxed)
    }

    /// The sorter that collects noted games.
    pub(crate) const fn games(&self) -> &Sorter<CountedGame> {
        &self.games
    }

    pub(crate) fn output(&self) -> &Path {
        &self.output
    }

    pub(crate) const fn options(&self) -> &BuildOptions {
        &self.options
    }

    /// The book that is added to.
    pub(crate) const fn base(&self) -> Option<&BaseBook> {
        self.base.as_ref()
    }

    /// All games in the order of their ids.
    pub(crate) fn into_games(self) -> Result<Merge<CountedGame>, BuildError> {
        let Self { output, games, .. } = self;
        games.finish().map_err(|e| Errors { output: &output }.io(e))
    }

    /// The folder of temporary files: that of the book.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that may be collected before they are sorted and written.
    pub(crate) fn budget(&self) -> usize {
        budget(&self.options)
    }

    /// A sorter for something else that goes with this build.
    pub(crate) fn sorter<S: Reduce>(&self) -> Sorter<S> {
        Sorter::new(&self.folder, budget(&self.options), &self.options.stop)
    }

    /// [`BuildError::Replace`] if `stop` was set.
    pub(crate) fn check_stop(&self) -> Result<(), BuildError> {
        check_stop(&self.options, &self.output)
    }

    pub(crate) fn write_error(&self, source: io::Error) -> BuildError {
        Errors { output: &self.output }.io(source)
    }
}

/// Bytes that one sorter may hold. Two are at work at a time: every thread can be writing a run while the
/// next ones fill. The memory of merges and of the store is set aside.
pub(crate) fn budget(options: &BuildOptions) -> usize {
    let threads = rayon::current_num_threads();
    let aside = PACK_MEMORY + threads * THREAD_MEMORY;
    options.memory.saturating_sub(aside).max(options.memory / 4) / (threads + 2)
}

/// A number for a file by the BLAKE3 hash of its content: the first 8 bytes.
pub(crate) fn serial_of(source: &[u8; 32]) -> u64 {
    source.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

pub(crate) fn check_stop(options: &BuildOptions, output: &Path) -> Result<(), BuildError> {
    Ok(At(output).check_stop(&options.stop)?)
}

/// Makes errors that name the output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errors<'a> {
    pub(crate) output: &'a Path,
}

impl Errors<'_> {
    pub(crate) fn io(self, source: io::Error) -> BuildError {
        match source.kind() {
            io::ErrorKind::InvalidData => BuildError::Shard { what: message!("{}", source) },
            _ => At(self.output).io(source).into(),
        }
    }

    pub(crate) fn store(self, source: rusqlite::Error) -> BuildError {
        At(self.output).store(source).into()
    }
}

/// A receiver of every game, in the order of ids.
pub(crate) trait IdSink: Send {
    /// Returns true if the base has the game.
    fn is_in_base(&mut self, game: &CountedGame) -> Result<bool, BuildError>;
    /// Records a game and the table of ids in which it belongs, if any.
    fn add(&mut self, game: &CountedGame, table: Option<IdTable>) -> Result<(), BuildError>;
}

/// Writes ids of games into a book, among those of the base.
pub(crate) struct IdWriter<'a> {
    known: KnownIds,
    writer: Writer,
    errors: Errors<'a>,
}

impl<'a> IdWriter<'a> {
    pub(crate) fn new(
        base: Option<&BaseBook>,
        writer: Writer,
        errors: Errors<'a>,
    ) -> Result<Self, BuildError> {
        Ok(Self { known: KnownIds::of(base)?, writer, errors })
    }

    /// Writes the last ids of the base and returns the writer for the rest of the book.
    pub(crate) fn finish(self) -> Result<Writer, BuildError> {
        let Self { mut known, writer, errors } = self;
        known.pass(None, &writer, errors)?;
        Ok(writer)
    }
}

impl IdSink for IdWriter<'_> {
    fn is_in_base(&mut self, game: &CountedGame) -> Result<bool, BuildError> {
        // Ids of base and new games are written in one ascending order, which makes the file independent of
        // how it came about.
        self.known.pass(Some(game.id), &self.writer, self.errors)?;
        Ok(self.known.is_next(game.id))
    }

    fn add(&mut self, game: &CountedGame, table: Option<IdTable>) -> Result<(), BuildError> {
        let Some(table) = table else { return Ok(()) };
        self.writer.add_id(table, game.id).map_err(|e| self.errors.store(e))
    }
}

/// The contributions of replayed games, to be summed.
pub(crate) struct Sums {
    pub(crate) observations: Sorter<MoveSum>,
    /// Moves of line groups.
    pub(crate) members: Sorter<GroupMember>,
    /// The sample games of moves, if the book has such.
    pub(crate) samples: Option<SampleSorters>,
}

impl Sums {
    pub(crate) fn new(folder: &Path, options: &BuildOptions) -> Self {
        let budget = budget(options);
        let stop = &options.stop;
        let samples = sample_sorters(folder, options);
        // Where there are samples, the budget is for both.
        let share = if samples.is_some() { budget / 2 } else { budget };
        Self {
            observations: Sorter::new(folder, share, stop),
            members: Sorter::new(folder, budget / 8, stop),
            samples,
        }
    }

    /// Replays the games of a task.
    fn add<G: Symmetric + Notation>(
        &self,
        task: &ReplayTask,
        options: &BuildOptions,
    ) -> io::Result<()> {
        let (observations, mut members, sampled) = replay::<G>(&task.counted, options);
        self.observations.push(observations)?;
        if let Some(samples) = &self.samples {
            samples.rows.push(sampled)?;
            samples.games.push(task.counted.iter().filter_map(SampleGame::of).collect())?;
        }
        members.append(&mut replay::<G>(&task.joining, options).1);
        if members.is_empty() { Ok(()) } else { self.members.push(members) }
    }
}

/// Games to replay.
#[derive(Debug, Default)]
struct ReplayTask {
    counted: Vec<CountedGame>,
    /// Games that are counted already, of which a further copy names groups.
    joining: Vec<CountedGame>,
}

/// The outcome for one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DedupOutcome {
    Counted,
    Joining,
    Out,
}

/// The second half of a build: games that were brought together are counted and replayed, and the
/// book is written.
pub(crate) struct Pack<'a, G> {
    pub(crate) counts: Counts,
    options: &'a BuildOptions,
    errors: Errors<'a>,
    game: PhantomData<fn() -> G>,
}

impl<'a, G: Symmetric + Notation> Pack<'a, G> {
    pub(crate) fn new(options: &'a BuildOptions, counts: Counts, errors: Errors<'a>) -> Self {
        Self { counts, options, errors, game: PhantomData }
    }

    /// Counts games, each of which comes once, and replays those that belong into the statistics.
    pub(crate) fn count_games(
        &mut self,
        games: impl Iterator<Item = io::Result<CountedGame>> + Send,
        sink: &mut impl IdSink,
        sums: &Sums,
    ) -> Result<(), BuildError> {
        let errors = self.errors;
        let options = self.options;
        // A last task that is not full has met the end of the games; the task after it asks for more nevertheless.
        let mut games = games.fuse();
        // The next games go to the first free thread, so that no thread waits for one that writes a run.
        std::iter::from_fn(|| self.next_task(&mut games, sink).transpose())
            .par_bridge()
            .try_for_each(|task| sums.add::<G>(&task?, options).map_err(|e| errors.io(e)))
    }

    /// Counts games, each of which comes once, that were replayed elsewhere.
    pub(crate) fn count_only(
        &mut self,
        mut games: impl Iterator<Item = io::Result<CountedGame>>,
        sink: &mut impl IdSink,
        samples: Option<&SampleSorters>,
    ) -> Result<(), BuildError> {
        while let Some(task) = self.next_task(&mut games, sink)? {
            if let Some(samples) = samples {
                let games = task.counted.iter().filter_map(SampleGame::of).collect();
                samples.games.push(games).map_err(|e| self.errors.io(e))?;
            }
        }
        Ok(())
    }

    /// Counts the next games and returns those to replay. `None` at the end.
    fn next_task(
        &mut self,
        games: &mut impl Iterator<Item = io::Result<CountedGame>>,
        sink: &mut impl IdSink,
    ) -> Result<Option<ReplayTask>, BuildError> {
        check_stop(self.options, self.errors.output)?;
        let mut task = ReplayTask::default();
        let mut seen = 0;
        for game in games.take(TASK) {
            let game = game.map_err(|e| self.errors.io(e))?;
            seen += 1;
            match self.count(&game, sink)? {
                DedupOutcome::Counted => task.counted.push(game),
                DedupOutcome::Joining => task.joining.push(game),
                DedupOutcome::Out => {}
            }
        }
        Ok((seen > 0).then_some(task))
    }

    /// Decides whether the game belongs into the statistics.
    fn count(
        &mut self,
        game: &CountedGame,
        sink: &mut impl IdSink,
    ) -> Result<DedupOutcome, BuildError> {
        let is_known = sink.is_in_base(game)?;
        let counts = &mut self.counts;
        let (outcome, table) = match game.kind {
            GameKind::OtherStart => {
                add(&mut counts.other_start_records, game.copies());
                counts.other_starts += u64::from(!is_known);
                (DedupOutcome::Out, (!is_known).then_some(IdTable::Elsewhere))
            }
            GameKind::NoMoves => {
                counts.no_moves = 1;
                add(&mut counts.no_move_records, game.copies());
                (DedupOutcome::Out, None)
            }
            GameKind::Usual if is_known => {
                add(&mut counts.duplicates, game.copies());
                // Copies that state no result do not contradict that of the counted one.
                let result = game.result();
                let joins = !game.groups.is_empty()
                    && (result.is_none() || self.options.filter.admits_result(result));
                (if joins { DedupOutcome::Joining } else { DedupOutcome::Out }, None)
            }
            GameKind::Usual if !self.count_result(game) => (DedupOutcome::Out, None),
            // Where every record counts, games have serial numbers, and the book has no ids.
            GameKind::Usual => {
                (DedupOutcome::Counted, (game.serial == 0).then_some(IdTable::Games))
            }
        };
        sink.add(game, table)?;
        Ok(outcome)
    }

    /// Returns true if a game that is not in the base is counted, by its result, and adds it to the counts.
    fn count_result(&mut self, game: &CountedGame) -> bool {
        let counts = &mut self.counts;
        let result = game.result();
        if !self.options.filter.admits_result(result) {
            add(&mut counts.filtered, game.copies());
            return false;
        }
        counts.games += 1;
        add(&mut counts.duplicates, game.copies().saturating_sub(1));
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

    /// Writes rows and members of groups, both in ascending order, and all that was counted, and puts
    /// the book in its place.
    pub(crate) fn finish(
        self,
        place: Output,
        writer: Writer,
        rows: impl Iterator<Item = Result<KeyedRow, BuildError>> + Send,
        members: impl Iterator<Item = io::Result<GroupMember>>,
        samples: Option<SampleSorters>,
        sources: &[Source],
    ) -> Result<Metadata, BuildError> {
        self.finish_with(place, writer, rows, members, sources, |writer, errors| match samples {
            Some(samples) => Ok(samples.write(writer, At(errors.output))?),
            None => Ok(()),
        })
    }

    /// As [`finish`](Self::finish); `write_samples` writes the sample games.
    pub(crate) fn finish_with(
        self,
        place: Output,
        mut writer: Writer,
        rows: impl Iterator<Item = Result<KeyedRow, BuildError>> + Send,
        members: impl Iterator<Item = io::Result<GroupMember>>,
        sources: &[Source],
        write_samples: impl FnOnce(&Writer, Errors<'_>) -> Result<(), BuildError>,
    ) -> Result<Metadata, BuildError> {
        let Self { counts, options, errors, .. } = self;
        if !counts.is_plausible() {
            return Err(errors.io(impossible()));
        }
        let table = match &options.key_table {
            Some(table) => table.clone(),
            None => KeyTable::from_bytes(key_file(G::NAME).unwrap_or_default())
                .map_err(|e| errors.io(io::Error::other(e)))?,
        };
        let table_file = table.to_bytes().map_err(|e| errors.io(io::Error::other(e)))?;
        let rows = rows.map(|row| check_stop(options, errors.output).and(row));
        writer.add_rows(rows, |e| errors.store(e))?;
        for member in members {
            let member = member.map_err(|e| errors.io(e))?;
            writer.add_member(&member).map_err(|e| errors.store(e))?;
        }
        write_samples(&writer, errors)?;
        let mut metadata = Metadata {
            game: G::NAME.to_owned(),
            key_table: table.fingerprint(),
            max_ply: options.max_ply as u64,
            min_games: options.min_games,
            min_share: options.min_share,
            filter: options.filter.clone(),
            weight: options.weight.clone(),
            samples: options.samples,
            counts,
            ..Metadata::default()
        };
        place.finish(writer, &mut metadata, &table_file, sources)?;
        Ok(metadata)
    }
}

/// The writer of a book with sample games, if the options ask for them.
pub(crate) fn new_writer(place: &Output, options: &BuildOptions) -> Result<Writer, BuildError> {
    let writer = place.writer()?;
    if options.samples > 0 {
        writer.begin_samples().map_err(|e| place.at().store(e))?;
    }
    Ok(writer)
}

/// Sorters of sample games, if the options ask for them.
pub(crate) fn sample_sorters(folder: &Path, options: &BuildOptions) -> Option<SampleSorters> {
    (options.samples > 0)
        .then(|| SampleSorters::new(options.samples, folder, budget(options), &options.stop))
}

/// The error for sums that no collection of games has.
pub(crate) fn impossible() -> io::Error {
    let what = "the sums of its games are impossible; make it again from the game files";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Sums as rows of a book.
pub(crate) fn in_order<'a>(
    rows: impl Iterator<Item = io::Result<MoveSum>> + Send + 'a,
    errors: Errors<'a>,
) -> impl Iterator<Item = Result<KeyedRow, BuildError>> + Send + 'a {
    rows.map(move |row| {
        let MoveSum { key, mv, stats } = row.map_err(|e| errors.io(e))?;
        if !stats.is_plausible() {
            return Err(errors.io(impossible()));
        }
        Ok((key, mv, MoveRow { stats, weight: None }))
    })
}

/// Adds to a count, which stays at the greatest number where the sum does not fit.
fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more);
}

/// The ids of the base, on their way into the book.
struct KnownIds {
    next: Option<(IdTable, GameId)>,
    rest: Box<dyn Iterator<Item = Result<(IdTable, GameId), BuildError>> + Send>,
}

impl KnownIds {
    fn of(base: Option<&BaseBook>) -> Result<Self, BuildError> {
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
    games: &[CountedGame],
    options: &BuildOptions,
) -> (Vec<Observation>, Vec<GroupMember>, Vec<Sampled>) {
    let mut observations = Vec::with_capacity(games.iter().map(|g| g.moves.len()).sum());
    let mut members = Vec::new();
    let mut sampled = Vec::new();
    let starts = G::starts();
    for game in games {
        let Some(start) = starts.get(usize::from(game.start)) else { continue };
        let first = observations.len();
        replay_game(start, game, options, &mut observations);
        let moves = &observations[first..];
        members.extend(game.groups.iter().flat_map(|group| {
            moves.iter().map(move |observation| GroupMember {
                key: observation.key,
                mv: observation.mv,
                group: group.into(),
            })
        }));
        if options.samples > 0 {
            let id = SampleId::new(game.id, game.ratings, game.year);
            let most = options.samples;
            sampled.extend(moves.iter().map(|o| Sampled { place: (o.key, o.mv), id, most }));
        }
    }
    (observations, members, sampled)
}

/// Emits each different move of a game once.
fn replay_game<G: Symmetric>(
    start: &G,
    game: &CountedGame,
    options: &BuildOptions,
    observations: &mut Vec<Observation>,
) {
    let first = observations.len();
    let result = game.result();
    let mut position = start.clone();
    for (played, &bits) in game.moves.iter().enumerate() {
        let Some(mv) = G::Move::unpack(bits) else { return };
        let side = position.turn();
        if options.filter.keeps(played, side, result) {
            let canonical = position.canonical_with(options.key_table.as_ref());
            let key = canonical.key.to_i64();
            let packed = position.canonical_move(canonical, mv).pack();
            // A game counts once for a move of a position, however often it goes round. Games have some
            // sixty moves, so that looking through them beats a set.
            if !observations[first..].iter().any(|g| g.key == key && g.mv == packed) {
                let rating = game.ratings[side.index()];
                observations.push(Observation::new(key, packed, result, rating, game.year));
            }
        }
        position.make(mv);
    }
}

/// One entry for each content, under the first of its names, in the order of hashes.
pub(crate) fn merge_sources(sources: Vec<Source>, base: Option<&BaseBook>) -> Vec<Source> {
    let mut by_hash: BTreeMap<[u8; 32], Source> = BTreeMap::new();
    let known = base.map(BaseBook::sources).unwrap_or_default().iter().cloned();
    for source in known.chain(sources) {
        let known = by_hash.entry(source.hash).or_insert_with(|| source.clone());
        // The least name, so that the order in which files were given does not matter.
        if source.name < known.name {
            known.name = source.name;
        }
    }
    by_hash.into_values().collect()
}

pub(crate) fn no_games(files: usize, counts: &Counts) -> BuildError {
    let reason = if counts.records == 0 {
        "they hold no games; give files in PGN or another format of games".into()
    } else {
        message!(
            "{} bad, {} without moves, {} from other starts, {} left out by filters",
            counts.bad,
            counts.no_move_records,
            counts.other_start_records,
            counts.filtered
        )
    };
    BuildError::NoGames { files, first: String::new(), reason }
}
