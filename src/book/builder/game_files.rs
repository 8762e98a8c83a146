//! A book from game files.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use rayon::prelude::*;

use crate::book::builder::checkpoint::{Checkpoint, FinishedTask, Sinks};
use crate::book::builder::counts::{FileReport, SourceCounts};
use crate::book::builder::incremental::BaseBook;
use crate::book::builder::options::BuildOptions;
use crate::book::builder::pipeline::{Admission, Batch, Builder, Collector};
use crate::book::builder::rejects::{Listed, Reject, RejectReason};
use crate::book::builder::sources::{Bytes, CutChunk, Hashed, SourceFault};
use crate::book::builder::{checkpoint, sources};
use crate::book::file::transaction::At;
use crate::book::model::counted_game::CountedGame;
use crate::book::model::error::{BuildError, ReplaceError};
use crate::book::model::metadata::{Metadata, Source};
use crate::bytes::external_sort::Sorter;
use crate::bytes::machine::pool;
use crate::bytes::paths::base_name;
use crate::bytes::paths::resolve;
use crate::bytes::visible::{ShowPath, Visible};
use crate::game::Symmetric;
use crate::message::{Message, ToMessage, message};
use crate::record::{Chunk, Formats, ParsedGame, Place, tell_words};

/// Bytes of a file that one task reads.
const CHUNK: usize = 512 << 10;

/// The counts of a finished build.
#[derive(Debug, Clone)]
pub struct BuildReport {
    /// The metadata of the book.
    pub metadata: Metadata,
    /// Number of files read, those in archives and those with the content of another one included.
    pub files: usize,
    /// Number of files left out because another one has the same content, packed or not.
    pub same_files: usize,
    /// Number of files left out because the book that was added to has counted their content.
    pub known_files: usize,
    /// Games that the book counts and the one that was added to did not; all games where there was none.
    pub new_games: u64,
    /// Records that an interrupted build had read.
    pub kept: u64,
    /// Members of archives that were passed over, because they hold no games.
    pub skipped: u64,
    /// Files without a single record.
    pub empty_files: Vec<PathBuf>,
    /// Records that state another result than the mate or stalemate at the end of their main line. The stated
    /// result counts: see [`disputes`](crate::book::disputes()).
    pub contradicted: u64,
    /// Records of which the moves before an illegal one count, if the options say so; those that
    /// [`kept`](Self::kept) counts included.
    pub cut: u64,
    /// Words and signs of value between moves that are no moves, and were passed over; those of records that
    /// [`kept`](Self::kept) counts included.
    pub words: u64,
}

/// The progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildProgress {
    /// The number of bytes of input in all.
    Total(u64),
    /// The number of further bytes read.
    Read(u64),
    /// All were read; games are summed and written.
    Packing,
}

/// Options of reading game files for a book.
pub struct ReadOptions<'a> {
    /// A bad game ends the build; otherwise it is left out. Default `false`.
    pub strict: bool,
    /// Number of threads; one for each core if not given, the default.
    pub threads: Option<NonZero<usize>>,
    /// Called as the build advances.
    pub progress: Box<dyn Fn(BuildProgress) + Send + Sync + 'a>,
    /// Called with every record that is not in the statistics, in the order of files and records, when all
    /// files are read, before the build can fail for lack of games or because it is strict.
    pub rejected: Box<dyn FnMut(&Reject) + Send + 'a>,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
            strict: false,
            threads: None,
            progress: Box::new(|_| {}),
            rejected: Box::new(|_| {}),
        }
    }
}

impl fmt::Debug for ReadOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { strict, threads, .. } = self;
        let mut text = f.debug_struct("ReadOptions");
        text.field("strict", strict).field("threads", threads).finish_non_exhaustive()
    }
}

/// Builds a book of the game `G` at `output` from `files`.
///
/// During a build, the games read so far are kept in the folder `.NAME.parts` beside the book; if it is
/// interrupted or killed, the next build of the same files with the same options goes on from there. If there
/// is nothing to add to a base that is itself at `output`, it stays as it is.
///
/// ```
/// use juzhong::book::{BuildOptions, ReadOptions, build};
/// use juzhong::xiangqi::Position;
///
/// let folder = tempfile::tempdir()?;
/// let games = folder.path().join("games.txt");
/// std::fs::write(&games, "炮二平五 马8进7 马二进三\n")?;
/// let output = folder.path().join("my.book");
/// let options = BuildOptions { max_ply: 2, ..BuildOptions::default() };
/// let report = build::<Position>(&[games], &output, options, ReadOptions::default())?;
/// assert_eq!(report.metadata.counts.games, 1);
/// assert_eq!(report.metadata.rows, 2); // the third move is beyond max_ply
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`BuildError`]. An existing file at `output` stays then, and nothing is left behind except the games
/// read so far, if the same build can succeed another time: after an interruption, and after a failure to
/// read or write.
pub fn build<G: Formats + Symmetric>(
    files: &[PathBuf],
    output: &Path,
    options: BuildOptions,
    mut read: ReadOptions<'_>,
) -> Result<BuildReport, BuildError> {
    let pool = pool(read.threads).map_err(|e| At(output).refused(message!("no threads: {e}")))?;
    pool.install(|| {
        refuse_input_as_output(files, output)?;
        let builder = Builder::<G>::new(output, options)?;
        let lock = builder.lock();
        let result = run(builder, files, &mut read);
        drop(lock); // after the checkpoint was removed
        result
    })
}

fn run<G: Formats + Symmetric>(
    builder: Builder<G>,
    files: &[PathBuf],
    ReadOptions { strict, progress, rejected, .. }: &mut ReadOptions<'_>,
) -> Result<BuildReport, BuildError> {
    let collector = builder.collector();
    let inputs = Sources::all(collector, files)?;
    let mut report = BuildReport {
        metadata: Metadata::default(),
        files: inputs.files.len(),
        same_files: inputs.same_files(),
        known_files: inputs.known_files(),
        new_games: 0,
        kept: 0,
        skipped: inputs.skipped,
        empty_files: Vec::new(),
        contradicted: 0,
        cut: 0,
        words: 0,
    };
    if let Some(base) = collector.base()
        && inputs.adds_nothing(base.path(), collector.output())
    {
        report.metadata = base.metadata().clone();
        return Ok(report);
    }
    let base_games = collector.base().map_or(0, |base| base.counts().games);
    let rejects = collector.sorter();
    let sinks = Sinks { games: collector.games(), rejects: &rejects };
    let (checkpoint, serial) = inputs.open_checkpoint(collector, &sinks)?;
    for FinishedTask { report: kept, .. } in checkpoint.all_done() {
        collector.note_kept(kept.games, kept.bad, kept.filtered, serial);
        report.kept += kept.games;
    }
    let reading = Reading { collector, checkpoint: Some(&checkpoint), sinks, progress };
    let result = reading.all(&inputs).and_then(|read| {
        let first_bad = judge(builder.collector(), rejects, &inputs, &read, *strict, rejected)?;
        progress(BuildProgress::Packing);
        report.empty_files = inputs.without_games(&read);
        report.contradicted = read.iter().map(|r| r.contradicted).sum();
        report.cut = read.iter().map(|r| r.cut).sum();
        report.words = read.iter().map(|r| r.words).sum();
        builder.finish(inputs.sources(&read)).map_err(|error| match error {
            BuildError::NoGames { reason, .. } => no_games(files, reason, first_bad),
            error => error,
        })
    });
    if !result.as_ref().is_err_and(is_passing) {
        checkpoint.discard();
    }
    result.map(|metadata| {
        let new_games = metadata.counts.games.saturating_sub(base_games);
        BuildReport { metadata, new_games, ..report }
    })
}

/// Returns true if the same build can succeed another time, so that the games read so far are worth keeping.
const fn is_passing(error: &BuildError) -> bool {
    matches!(
        error,
        BuildError::Input { .. }
            | BuildError::Replace(
                ReplaceError::Interrupted { .. }
                    | ReplaceError::Write { .. }
                    | ReplaceError::Store { .. }
            )
    )
}

/// The counts of the sources of a shard; their games went to its collector.
pub(crate) struct ReadFiles {
    /// Every source with its base name: of those with the same content, the least name is kept later.
    pub(crate) sources: Vec<SourceCounts>,
    pub(crate) files: usize,
    pub(crate) same_files: usize,
    pub(crate) skipped: u64,
    pub(crate) empty_files: Vec<PathBuf>,
}

/// Reads all sources for a shard, each content once. An interruption loses all of it.
pub(crate) fn read_all<G: Formats + Symmetric>(
    collector: &Collector<G>,
    files: &[PathBuf],
    ReadOptions { strict, progress, rejected, .. }: &mut ReadOptions<'_>,
) -> Result<ReadFiles, BuildError> {
    let inputs = Sources::all(collector, files)?;
    let rejects = collector.sorter();
    let sinks = Sinks { games: collector.games(), rejects: &rejects };
    let read = Reading { collector, checkpoint: None, sinks, progress }.all(&inputs)?;
    judge(collector, rejects, &inputs, &read, *strict, rejected)?;
    Ok(ReadFiles {
        sources: inputs.counts(&read),
        files: inputs.files.len(),
        same_files: inputs.same_files(),
        skipped: inputs.skipped,
        empty_files: inputs.without_games(&read),
    })
}

/// Reports all rejects in order. Bad games are an error if `strict`; otherwise returns the first of them, in
/// words.
fn judge<G: Formats + Symmetric>(
    collector: &Collector<G>,
    rejects: Sorter<Listed>,
    inputs: &Sources,
    read: &[FileReport],
    strict: bool,
    rejected: &mut dyn FnMut(&Reject),
) -> Result<Option<Message>, BuildError> {
    let first = tell(collector, rejects, inputs, rejected)?;
    let count: u64 = read.iter().map(|report| report.bad).sum();
    if strict && count > 0 {
        return Err(BuildError::Strict { first: first.unwrap_or_default(), count });
    }
    Ok(first)
}

/// Reports all rejects in order and returns the first bad game, in words.
fn tell<G: Formats + Symmetric>(
    collector: &Collector<G>,
    rejects: Sorter<Listed>,
    inputs: &Sources,
    rejected: &mut dyn FnMut(&Reject),
) -> Result<Option<Message>, BuildError> {
    let files = inputs.different();
    let mut first_bad = None;
    for listed in rejects.finish().map_err(|e| collector.write_error(e))? {
        collector.check_stop()?;
        let Listed { number: [file, ..], place, game, reason } =
            listed.map_err(|e| collector.write_error(e))?;
        let source = files[file as usize].path.clone();
        let reject = Reject { source, place, game, reason };
        if first_bad.is_none() && matches!(reject.reason, RejectReason::Bad(_)) {
            first_bad = Some(reject.message());
        }
        rejected(&reject);
    }
    Ok(first_bad)
}

fn no_games(files: &[PathBuf], reason: Message, first_bad: Option<Message>) -> BuildError {
    let others = if files.len() > 1 { " and others" } else { "" };
    let first = files.first().map_or_else(String::new, |f| format!(" ({}{others})", f.shown()));
    let reason = Message::list([reason].into_iter().chain(first_bad));
    BuildError::NoGames { files: files.len(), first, reason }
}

/// Returns an error if the output would replace an input.
fn refuse_input_as_output(files: &[PathBuf], output: &Path) -> Result<(), BuildError> {
    let Ok(place) = resolve(output) else { return Ok(()) };
    if files.iter().any(|file| resolve(file).is_ok_and(|f| f == place)) {
        return Err(At(output).refused("it is also an input; choose another name").into());
    }
    Ok(())
}

/// The base name of a source.
fn name(source: &Hashed) -> String {
    base_name(&source.path)
}

/// The sources, with those that are new.
#[derive(Debug)]
struct Sources {
    files: Vec<Hashed>,
    /// The first of those with the same content, unless the base has it already; by their index.
    different: Vec<usize>,
    /// The sources of the base.
    known: BTreeMap<[u8; 32], Source>,
    /// Members of archives that are no sources.
    skipped: u64,
}

impl Sources {
    fn all<G: Formats + Symmetric>(
        collector: &Collector<G>,
        files: &[PathBuf],
    ) -> Result<Self, BuildError> {
        let folder = collector.folder();
        let stop = &collector.options().stop;
        let (files, skipped) = sources::find::<G>(files, folder, stop, &|| collector.check_stop())?;
        let sources = collector.base().map(BaseBook::sources).unwrap_or_default();
        let known = sources.iter().map(|source| (source.hash, source.clone())).collect();
        let mut inputs = Self { files, different: Vec::new(), known, skipped };
        let mut seen = BTreeSet::new();
        inputs.different = (0..inputs.files.len())
            .filter(|&i| {
                let hash = inputs.files[i].hash;
                !inputs.known.contains_key(&hash) && seen.insert(hash)
            })
            .collect();
        Ok(inputs)
    }

    fn different(&self) -> Vec<&Hashed> {
        self.different.iter().map(|&i| &self.files[i]).collect()
    }

    fn same_files(&self) -> usize {
        self.files.len() - self.different.len() - self.known_files()
    }

    fn known_files(&self) -> usize {
        self.files.iter().filter(|file| self.known.contains_key(&file.hash)).count()
    }

    /// Returns true if there is nothing to add and the base is itself the output: no new source, and no
    /// source with a lesser name.
    fn adds_nothing(&self, base: &Path, output: &Path) -> bool {
        self.different.is_empty()
            && !self.files.iter().any(|file: &Hashed| {
                self.known.get(&file.hash).is_some_and(|s| name(file) < s.name)
            })
            && resolve(base).ok() == resolve(output).ok()
    }

    /// The checkpoint of an interrupted build that read the same files in the same way. The serial
    /// numbers in it are below the one returned.
    fn open_checkpoint<G: Formats + Symmetric>(
        &self,
        collector: &Collector<G>,
        sinks: &Sinks<'_>,
    ) -> Result<(Checkpoint, u64), BuildError> {
        let options = collector.options();
        let mut hasher = blake3::Hasher::new();
        let how = format!(
            "{} {} {CHUNK} {} {}\n",
            env!("CARGO_PKG_VERSION"),
            G::NAME,
            options.max_ply,
            options.filter
        );
        hasher.update(how.as_bytes());
        if options.samples > 0 {
            // Which games are kept with their details; how many follows from what they are asked for later.
            hasher.update(b"samples\n");
        }
        for file in self.different() {
            hasher.update(&file.hash);
        }
        let fingerprint = hasher.finalize().into();
        Checkpoint::open(
            collector.output(),
            fingerprint,
            options.keep_every,
            collector.budget(),
            sinks,
        )
        .map_err(|e| match e.kind() {
            // Something that is no checkpoint of this user has its name.
            io::ErrorKind::AlreadyExists => At(collector.output()).create(&e).into(),
            _ => collector.write_error(e),
        })
    }

    /// Every file with its base name, so that of equal files the least name can be kept; those
    /// without games left out.
    fn sources(&self, read: &[FileReport]) -> Vec<Source> {
        let mut games: BTreeMap<[u8; 32], u64> =
            self.known.iter().map(|(hash, source)| (*hash, source.games)).collect();
        games.extend(
            self.different().iter().zip(read).map(|(file, report)| (file.hash, report.games)),
        );
        self.files
            .iter()
            .map(|file: &Hashed| {
                let games = games.get(&file.hash).copied().unwrap_or(0);
                Source { hash: file.hash, name: name(file), games }
            })
            .filter(|source| source.games > 0)
            .collect()
    }

    /// Every source with its base name and the counts of its content.
    fn counts(&self, read: &[FileReport]) -> Vec<SourceCounts> {
        let files = self.different().into_iter().zip(read);
        let reports: BTreeMap<[u8; 32], FileReport> =
            files.map(|(file, report)| (file.hash, *report)).collect();
        self.files
            .iter()
            .map(|file: &Hashed| {
                let report = reports.get(&file.hash).copied().unwrap_or_default();
                let FileReport { games, bad, filtered, .. } = report;
                let source = Source { hash: file.hash, name: name(file), games };
                SourceCounts { source, filtered, bad }
            })
            .collect()
    }

    fn without_games(&self, read: &[FileReport]) -> Vec<PathBuf> {
        let files = self.different().into_iter().zip(read);
        files.filter(|(_, report)| report.games == 0).map(|(file, _)| file.path.clone()).collect()
    }
}

/// The first half of a build: every record of every file goes to the collector or to the rejects.
struct Reading<'a, G> {
    collector: &'a Collector<G>,
    /// The checkpoint for a build that is interrupted, if there is one.
    checkpoint: Option<&'a Checkpoint>,
    sinks: Sinks<'a>,
    progress: &'a (dyn Fn(BuildProgress) + Sync),
}

impl<G: Formats + Symmetric> Reading<'_, G> {
    /// Reads all that is new. If that is interrupted, the games read so far are kept.
    fn all(&self, inputs: &Sources) -> Result<Vec<FileReport>, BuildError> {
        let files = inputs.different();
        (self.progress)(BuildProgress::Total(files.iter().map(|file| file.len).sum()));
        let read = self.files(&files);
        let Some(checkpoint) = self.checkpoint else { return read };
        match &read {
            Ok(_) => checkpoint.settle(self.collector.serial(), &self.sinks),
            Err(error) if is_passing(error) => {
                checkpoint.save(self.collector.serial());
                Ok(())
            }
            Err(_) => Ok(()),
        }
        .map_err(|e| self.collector.write_error(e))?;
        read
    }

    /// The report of an earlier build on this task. An error if it read other bytes, because a file was
    /// changed meanwhile: its games are counted already.
    fn done(&self, task: [u64; 2], bytes: [u8; 16]) -> Result<Option<FileReport>, BuildError> {
        let Some(done) = self.checkpoint.and_then(|checkpoint| checkpoint.done(task)) else {
            return Ok(None);
        };
        if done.bytes == bytes { Ok(Some(done.report)) } else { Err(BuildError::Mixed) }
    }

    /// Hands over the games and rejects of a task.
    fn hand_over(
        &self,
        task: FinishedTask,
        games: Vec<CountedGame>,
        rejects: Vec<Listed>,
    ) -> Result<(), BuildError> {
        let sinks = &self.sinks;
        let handed = match self.checkpoint {
            Some(checkpoint) => {
                checkpoint.add(task, games, rejects, || self.collector.serial(), sinks)
            }
            None => sinks.games.push(games).and_then(|()| sinks.rejects.push(rejects)),
        };
        handed.map_err(|e| self.collector.write_error(e))
    }

    fn files(&self, sources: &[&Hashed]) -> Result<Vec<FileReport>, BuildError> {
        let folder = self.collector.folder();
        let stop = &self.collector.options().stop;
        sources::open_each::<G, _>(sources, folder, stop, |number, content| match content {
            Ok(bytes) => self.source(number, sources[number], &bytes),
            Err(SourceFault::Bad(what)) => self.refuse(number, &what),
            Err(SourceFault::Io(error)) => Err(self.collector.write_error(error)),
        })
    }

    /// A source that cannot be read counts as one bad record.
    fn refuse(&self, number: usize, what: &Message) -> Result<FileReport, BuildError> {
        let place = [number as u64, 0];
        let bytes = checkpoint::name_of(what.to_string().as_bytes());
        if let Some(done) = self.done(place, bytes)? {
            return Ok(done);
        }
        let reason = RejectReason::bad(what);
        let number = [place[0], place[1], 1];
        let listed = Listed { number, place: Place::Offset(0), game: 1, reason };
        self.collector.note_bad(1);
        let report = FileReport { games: 1, bad: 1, ..FileReport::default() };
        self.hand_over(FinishedTask { place, bytes, report }, Vec::new(), vec![listed])?;
        Ok(report)
    }

    /// Reads a source, a window after the other. Tasks are its chunks, numbered from 0; the boundaries depend
    /// on its bytes alone.
    fn source(
        &self,
        number: usize,
        source: &Hashed,
        bytes: &Bytes<'_>,
    ) -> Result<FileReport, BuildError> {
        let mut sum = FileReport::default();
        let mut first = 0;
        source.windows::<G>(bytes, CHUNK, self.collector.folder(), |window, chunks| {
            let parts: Vec<FileReport> = chunks
                .par_iter()
                .enumerate()
                .map(|(part, &(chunk, loss)): (usize, &CutChunk<'_>)| {
                    let task = [number as u64, first + part as u64];
                    let batch = self.collector.batch(&source.hash);
                    let report = self.part(
                        task,
                        &Reject::name_on_one_line(&source.path),
                        window,
                        (chunk, loss),
                        batch,
                    )?;
                    (self.progress)(BuildProgress::Read(chunk.bytes.len() as u64));
                    Ok(report)
                })
                .collect::<Result<_, BuildError>>()?;
            parts.iter().for_each(|part| sum.absorb(part));
            first += parts.len() as u64;
            Ok(())
        })?;
        Ok(sum)
    }

    fn part(
        &self,
        task: [u64; 2],
        name: &str,
        bytes: &[u8],
        (chunk, loss): (&Chunk, Option<&Message>),
        mut batch: Batch,
    ) -> Result<FileReport, BuildError> {
        let stretch = checkpoint::name_of(bytes.get(chunk.bytes.clone()).unwrap_or_default());
        if let Some(done) = self.done(task, stretch)? {
            return Ok(done);
        }
        let mut rejects = Vec::new();
        let mut report = FileReport::default();
        let keep_legal_part = self.collector.options().filter.keep_legal_part;
        let chunk = &chunk.keeping_legal_part(keep_legal_part);
        G::read_cut_chunk("", bytes, chunk, loss, &mut |game| {
            report.games += 1;
            if let Ok(game) = &game {
                if let Some(cut) = &game.cut {
                    report.cut += 1;
                    // Two numbers for each game, because one that is cut may be left out as well.
                    let number = [task[0], task[1], 2 * report.games];
                    let reason = RejectReason::cut(&cut.reason);
                    rejects.push(Listed { number, place: cut.place, game: cut.game, reason });
                }
                note_oddities(game, name, &mut report);
            }
            let (place, game, reason) = match game {
                Ok(found) => {
                    match self.collector.note_numbered(&found.record, found.game, &mut batch) {
                        Admission::Counted => return,
                        Admission::Filtered => {
                            report.filtered += 1;
                            return;
                        }
                        Admission::OtherStart => {
                            (found.place, found.game, RejectReason::OtherStart)
                        }
                        Admission::NoMoves => (found.place, found.game, RejectReason::NoMoves),
                    }
                }
                Err(bad) => {
                    report.bad += 1;
                    (bad.place, bad.game, RejectReason::bad(&bad.reason))
                }
            };
            let number = [task[0], task[1], 2 * report.games + 1];
            rejects.push(Listed { number, place, game, reason });
        });
        self.collector.note_bad(report.bad);
        let task = FinishedTask { place: task, bytes: stretch, report };
        self.hand_over(task, batch.games, rejects)?;
        self.collector.check_stop()?;
        Ok(report)
    }
}

/// Counts and logs what is odd about a game of the source `name`: a result that its end contradicts, words among its
/// moves, notes of the reader.
fn note_oddities<G: Formats>(game: &ParsedGame<G>, name: &str, report: &mut FileReport) {
    report.contradicted += u64::from(game.is_contradicted());
    if let Some(words) = &game.words {
        report.words += words.count;
        tell_words(&game.place.within(name), words);
    }
    if let Some(note) = game.note {
        tracing::info!("{}: {note}", Visible(game.place.within(name)));
    }
}
