//! Shards: the files that the steps of a build pass to one another where many machines share the work.
//!
//! [`map`] reads game files and notes each game once for each file; [`reduce`] brings copies of
//! games together, replays them and sums their moves; [`pack`] makes the book. The book is, byte
//! for byte, what [`build()`](fn@crate::book::build) makes of all files at once: a file that several maps
//! read counts once, and so does a game that stands in several files.
//!
//! A shard is a folder with a [`ShardPlan`] and up to four data sets: the files that were read, the games,
//! the moves, and those of them that belong to line groups. A data set is a file `NAME.jzs`.
//! `src/book/SHARDS.md` has their layouts. Other programs read and write the rows through
//! [`ShardReader`](super::shard_rows::ShardReader) and [`ShardWriter`](super::shard_rows::ShardWriter).

use std::fs::{self, File};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::book::builder::counts::SourceCounts;
use crate::book::builder::game_files::{BuildProgress, ReadFiles, ReadOptions, read_all};
use crate::book::builder::options::BuildOptions;
use crate::book::builder::pipeline::{
    Collector, Errors, IdSink, IdWriter, Pack, Sums, budget, impossible, in_order, merge_sources,
    new_writer, no_games, sample_sorters,
};
use crate::book::file::key_tables::key_file;
use crate::book::file::transaction::{At, Output};
use crate::book::model::counted_game::{Copies, CountedGame, FromSource, IdTable, MAX_VOTES};
use crate::book::model::error::{BuildError, ReplaceError};
use crate::book::model::groups::{GroupMember, GroupNames};
use crate::book::model::metadata::{Counts, Metadata};
use crate::book::model::observation::Summed;
use crate::book::model::sample::{MAX_SAMPLES, PartOfSamples};
use crate::bytes::external_sort::{Merge, Reduce, Run, RunWriter, Sorter};
use crate::bytes::lock::FileLock;
use crate::bytes::machine::pool;
use crate::bytes::paths::{folder_of, resolve};
use crate::bytes::visible::{ShowPath, Visible};
use crate::bytes::{StopFlag, atomic, open};
use crate::game::{Game, Notation, Symmetric};
use crate::hash::KeyTable;
use crate::message::{Message, message};
use crate::record::Formats;

/// First bytes of a data set in this program's own format.
const MAGIC: [u8; 8] = *b"JZSHARD\0";

/// The version of plans and data sets.
const VERSION: u32 = 1;

/// Bytes before the run of a data set: magic, version, number of the data set.
const HEADER_LEN: u64 = 16;

/// The longest plan that is read, in bytes.
const MAX_PLAN: u64 = 1 << 20;

/// The name of a shard's plan.
const PLAN: &str = "plan.json";

/// A kind of rows that shards hold.
pub(crate) trait DataSet: Reduce<Item = Self> {
    /// The name of its files.
    const NAME: &'static str;
    /// Its number in the header of a file.
    const NUMBER: u32;
}

impl DataSet for SourceCounts {
    const NAME: &'static str = "sources";
    const NUMBER: u32 = 0;
}

impl DataSet for FromSource {
    const NAME: &'static str = "games";
    const NUMBER: u32 = 1;
}

impl DataSet for Summed {
    const NAME: &'static str = "moves";
    const NUMBER: u32 = 2;
}

impl DataSet for GroupMember {
    const NAME: &'static str = "line_groups";
    const NUMBER: u32 = 3;
}

impl DataSet for PartOfSamples {
    const NAME: &'static str = "samples";
    const NUMBER: u32 = 4;
}

/// The options that all shards of a build have in common, and the number of this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardPlan {
    schema: String,
    stage: Stage,
    /// Of `parts` shards of a reduce that share the games, this is number `part`, from 1.
    part: u32,
    parts: u32,
    game: String,
    /// Fingerprint of the key table.
    key_table: String,
    max_ply: usize,
    min_games: u64,
    /// In hundredths of a percent.
    min_share: u64,
    filter: String,
    weight: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    samples: u16,
    /// Of a reduce: the [`fingerprint`] of its inputs. Parts of other inputs do not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inputs: Option<String>,
}

/// The schema of plans of this version.
fn schema() -> String {
    format!("juzhong.book.shard/{VERSION}")
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// The step that made a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stage {
    Map,
    Reduce,
}

impl ShardPlan {
    fn new<G: Game>(options: &BuildOptions) -> Self {
        Self {
            schema: schema(),
            stage: Stage::Map,
            part: 1,
            parts: 1,
            game: G::NAME.to_owned(),
            key_table: KeyTable::from_bytes(key_file(G::NAME).unwrap_or_default())
                .map_or_else(|_| String::new(), |table| table.fingerprint()),
            max_ply: options.max_ply,
            min_games: options.min_games,
            min_share: options.min_share,
            filter: options.filter.to_string(),
            weight: options.weight.to_string(),
            samples: options.samples,
            inputs: None,
        }
    }

    /// Reads the plan of a shard of any game, or of a folder that another program made of one.
    ///
    /// # Errors
    ///
    /// See [`BuildError`]; also for the plan of another version.
    pub fn read(folder: &Path) -> Result<Self, BuildError> {
        let plan = Self::parse(folder)?;
        plan.check_version(&folder.join(PLAN))?;
        Ok(plan)
    }

    /// Writes the plan into a folder.
    ///
    /// # Errors
    ///
    /// Those of creating, writing and syncing the file.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let mut file = File::create_new(folder.join(PLAN))?;
        writeln!(file, "{text}")?;
        file.sync_all()
    }

    /// Returns true for a shard of [`reduce`], which has the moves and the moves of line groups, too.
    #[must_use]
    pub fn is_reduced(&self) -> bool {
        self.stage == Stage::Reduce
    }

    /// The most sample games of a move; 0 if none are kept.
    #[must_use]
    pub const fn samples(&self) -> u16 {
        self.samples
    }

    /// Reads a plan, whatever it states.
    fn parse(folder: &Path) -> Result<Self, BuildError> {
        let path = folder.join(PLAN);
        if folder.is_file() {
            return Err(shard_error(folder, "not a shard: those are folders by juzhong book map"));
        }
        let bytes = open::read(&path, MAX_PLAN)
            .map_err(|source| BuildError::Input { path: path.clone(), source })?;
        serde_json::from_slice(&bytes).map_err(|e| shard_error(&path, e.to_string()))
    }

    /// Returns an error unless this version can read the shard.
    fn check_version(&self, path: &Path) -> Result<(), BuildError> {
        let own = schema();
        if self.schema != own {
            let what = message!("made by another version; this one reads {own}");
            return Err(shard_error(path, what));
        }
        if self.samples > MAX_SAMPLES {
            let what = message!("more samples than {MAX_SAMPLES}; make it again");
            return Err(shard_error(path, what));
        }
        Ok(())
    }

    /// Reads the plan of a shard of this game.
    fn read_of<G: Game>(folder: &Path) -> Result<Self, BuildError> {
        let path = folder.join(PLAN);
        let plan = Self::parse(folder)?;
        let own = Self::new::<G>(&BuildOptions::default());
        if plan.game != own.game {
            let what =
                message!("a shard of {}, not of {}; give --game", Visible(&plan.game), own.game);
            return Err(shard_error(&path, what));
        }
        plan.check_version(&path)?;
        if plan.key_table != own.key_table {
            return Err(shard_error(&path, "made with another key table"));
        }
        Ok(plan)
    }

    /// The options by which the build goes on.
    fn options(&self, work: &Work) -> Result<BuildOptions, BuildError> {
        let filter = self.filter.parse().map_err(|_| unknown_option("filter"))?;
        let weight = self.weight.parse().map_err(|_| unknown_option("weight"))?;
        Ok(BuildOptions {
            max_ply: self.max_ply,
            min_games: self.min_games,
            min_share: self.min_share,
            weight,
            filter,
            samples: self.samples,
            memory: work.memory,
            stop: work.stop.clone(),
            ..BuildOptions::default()
        })
    }
}

/// The error of a plan with an option that this version does not understand.
fn unknown_option(what: &str) -> BuildError {
    let what = message!("the {what} is not one of this version; make it again");
    shard_error(Path::new(PLAN), what)
}

pub(crate) fn shard_error(path: &Path, what: impl Into<Message>) -> BuildError {
    let what = what.into();
    BuildError::Shard { what: message!("{}: {what}", path.shown()) }
}

/// The resources and the stop flag of a step.
#[derive(Debug, Clone)]
pub struct Work {
    /// Bytes for sorting; beyond that, temporary files are used.
    pub memory: usize,
    /// Number of threads; one for each core if not given.
    pub threads: Option<NonZero<usize>>,
    /// Ends the step with [`Interrupted`](crate::book::model::error::ReplaceError::Interrupted) soon after it was set.
    pub stop: StopFlag,
}

impl Work {
    pub(crate) fn run<T: Send>(
        &self,
        output: &Path,
        step: impl FnOnce() -> Result<T, BuildError> + Send,
    ) -> Result<T, BuildError> {
        let failed =
            |e: rayon::ThreadPoolBuildError| At(output).refused(message!("no threads: {e}"));
        pool(self.threads).map_err(failed)?.install(step)
    }
}

/// The counts of a step.
#[derive(Debug, Clone, Default)]
pub struct ShardReport {
    /// Files read.
    pub files: usize,
    /// Files left out because another one has the same content.
    pub same_files: usize,
    /// Members of archives that were passed over, because they hold no games.
    pub skipped: u64,
    /// Files without a single record.
    pub empty_files: Vec<PathBuf>,
    /// Rows by data set: files, games, moves, moves of line groups.
    pub rows: [u64; 4],
}

/// Reads files and writes their games as a shard to the folder `output`, which must be new or empty. Copies
/// of games must be brought together, and there is no base. The rest is as in [`build()`](fn@crate::book::build), but
/// a map that is interrupted keeps nothing.
///
/// # Errors
///
/// See [`BuildError`]. Nothing is left behind then.
pub fn map<G: Formats + Symmetric>(
    files: &[PathBuf],
    output: &Path,
    options: BuildOptions,
    mut read: ReadOptions<'_>,
) -> Result<ShardReport, BuildError> {
    let work = Work { memory: options.memory, threads: read.threads, stop: options.stop.clone() };
    refuse_options(&options)?;
    work.run(output, || {
        let folder = Folder::create(output)?;
        let errors = folder.errors();
        let plan = ShardPlan::new::<G>(&options);
        let collector = Collector::<G>::of_shard(folder.path(), options);
        let found = read_all(&collector, files, &mut read)?;
        (read.progress)(BuildProgress::Packing);
        let ReadFiles { sources, files, same_files, skipped, empty_files } = found;
        let mut games = folder.writer::<FromSource>()?;
        for game in collector.into_games()? {
            games.put(&FromSource(game.map_err(|e| errors.io(e))?)).map_err(|e| errors.io(e))?;
        }
        let sources = write_sources(&folder, sources)?;
        let rows = [sources, games.finish().map_err(|e| errors.io(e))?, 0, 0];
        folder.commit(&plan)?;
        Ok(ShardReport { files, same_files, skipped, empty_files, rows })
    })
}

/// Returns an error for options that only a build in one step supports.
fn refuse_options(options: &BuildOptions) -> Result<(), BuildError> {
    let what = if options.filter.every_record {
        "shards bring copies of games together; to count every record, build the book in one step"
    } else if options.base.is_some() {
        "shards make a new book; to add to a book, build in one step"
    } else if options.key_table.is_some() {
        "shards have the stored keys; to use others, build the book in one step"
    } else {
        return Ok(());
    };
    Err(BuildError::Shard { what: what.into() })
}

/// Writes every game into a shard, without its moves and groups, which were replayed.
struct GameSetWriter<'a> {
    games: SetWriter<FromSource>,
    errors: Errors<'a>,
}

impl IdSink for GameSetWriter<'_> {
    fn is_in_base(&mut self, _game: &CountedGame) -> Result<bool, BuildError> {
        Ok(false)
    }

    fn add(&mut self, game: &CountedGame, _table: Option<IdTable>) -> Result<(), BuildError> {
        if game.votes.into_iter().any(|votes| votes > MAX_VOTES) {
            return Err(self.errors.io(impossible()));
        }
        let game = FromSource(CountedGame {
            id: game.id,
            moves: Box::default(),
            groups: GroupNames::default(),
            details: game.details.clone(),
            ..*game
        });
        self.games.put(&game).map_err(|e| self.errors.io(e))
    }
}

/// Brings copies of games together over all shards, replays the games and sums their moves: a shard for
/// [`pack`] in the folder `output`, which must be new or empty. Of several machines each does number `part`
/// of `parts` parts of the games, and reads all shards for that.
///
/// # Errors
///
/// See [`BuildError`]. Nothing is left behind then.
pub fn reduce<G: Symmetric + Notation>(
    shards: &[PathBuf],
    output: &Path,
    (part, parts): (u32, u32),
    work: &Work,
) -> Result<ShardReport, BuildError> {
    work.run(output, || {
        let shards = Shards::open::<G>(shards, Stage::Map)?;
        let options = shards.plan.options(work)?;
        let folder = Folder::create(output)?;
        let errors = folder.errors();
        let sources: Vec<_> = shards.sources(folder.path(), &options)?;
        let inputs = Some(fingerprint(&sources));
        let from_sources = shards
            .merge::<FromSource>(folder.path(), &options)?
            .filter(|game| game.as_ref().map_or(true, |game| part_of(&game.0, parts) + 1 == part));
        let mut roll = GameSetWriter { games: folder.writer()?, errors };
        let sums = Sums::new(folder.path(), &options);
        let mut pack = Pack::<G>::new(&options, Counts::default(), errors);
        pack.count_games(Copies::new(from_sources), &mut roll, &sums)?;
        let rows = [
            write_sources(&folder, sources)?,
            roll.games.finish().map_err(|e| errors.io(e))?,
            write_sums(&folder, sums.observations, |sum| {
                sum.stats.is_plausible().then_some(Summed(sum)).ok_or_else(impossible)
            })?,
            write_sums(&folder, sums.members, |member: GroupMember| Ok(member))?,
        ];
        if let Some(samples) = sums.samples {
            write_sums(&folder, samples.rows, |samples| Ok(PartOfSamples(samples)))?;
        }
        folder.commit(&ShardPlan { stage: Stage::Reduce, part, parts, inputs, ..shards.plan })?;
        Ok(ShardReport { rows, ..ShardReport::default() })
    })
}

/// A digest of the inputs of a reduce: the files that were read and their counts.
fn fingerprint(sources: &[SourceCounts]) -> String {
    let mut hasher = blake3::Hasher::new();
    for SourceCounts { source, filtered, bad } in sources {
        hasher.update(&source.hash);
        for n in [source.games, *filtered, *bad] {
            hasher.update(&n.to_le_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// The part of the games that a game belongs to, from 0.
fn part_of(game: &CountedGame, parts: u32) -> u32 {
    let bits = game.id.0.first_chunk().map_or(0, |&bytes| u64::from_be_bytes(bytes));
    // Bits of a hash, seen as a fraction of 2^64: parts are ranges of ids of equal length.
    ((u128::from(bits) * u128::from(parts)) >> 64) as u32
}

/// Makes the book `output` from the shards of [`reduce`], all parts of it.
///
/// # Errors
///
/// See [`BuildError`]. Nothing is left behind then, and an existing file at `output` stays.
pub fn pack<G: Symmetric + Notation>(
    shards: &[PathBuf],
    output: &Path,
    work: &Work,
) -> Result<Metadata, BuildError> {
    work.run(output, || {
        let shards = Shards::open::<G>(shards, Stage::Reduce)?;
        let options = shards.plan.options(work)?;
        let place = Output::claim(output, &work.stop)?;
        let (folder, errors) = (folder_of(output), Errors { output });
        let sources: Vec<_> = shards.sources(folder, &options)?;
        if shards.plan.inputs.as_ref().is_some_and(|inputs| *inputs != fingerprint(&sources)) {
            let what = "the list of sources is not the one that was reduced; reduce again";
            return Err(BuildError::Shard { what: what.into() });
        }
        let mut pack = Pack::<G>::new(&options, Counts::default(), errors);
        for SourceCounts { source, filtered, bad } in &sources {
            for (count, more) in [
                (&mut pack.counts.records, source.games),
                (&mut pack.counts.filtered, *filtered),
                (&mut pack.counts.bad, *bad),
            ] {
                *count = count.saturating_add(more);
            }
        }
        let mut id_writer = IdWriter::new(None, new_writer(&place, &options)?, errors)?;
        let games = Copies::new(shards.merge::<FromSource>(folder, &options)?);
        let samples = sample_sorters(folder, &options);
        pack.count_only(games, &mut id_writer, samples.as_ref())?;
        if pack.counts.games == 0 {
            return Err(no_games(sources.len(), &pack.counts));
        }
        let writer = id_writer.finish()?;
        let rows = shards.merge::<Summed>(folder, &options)?.map(|row| row.map(|row| row.0));
        let members = shards.merge::<GroupMember>(folder, &options)?;
        let sources = sources.into_iter().map(|s| s.source).filter(|s| s.games > 0).collect();
        let sources = merge_sources(sources, None);
        let rows = in_order(rows, errors);
        pack.finish_with(place, writer, rows, members, &sources, |writer, errors| {
            let Some(samples) = samples else { return Ok(()) };
            let rows = shards.merge::<PartOfSamples>(folder, &options)?;
            let rows = rows.map(|row| row.map(|row| row.0));
            samples.write_rows(writer, rows, |e| errors.io(e), |e| errors.store(e))
        })
    })
}

/// Shards to go on from.
struct Shards {
    folders: Vec<PathBuf>,
    plan: ShardPlan,
}

impl Shards {
    /// Checks that the shards belong together: of one build, from the step wanted, and of a reduce
    /// every part once.
    fn open<G: Game>(folders: &[PathBuf], stage: Stage) -> Result<Self, BuildError> {
        let mut first: Option<ShardPlan> = None;
        let mut parts = Vec::new();
        for folder in folders {
            let plan = ShardPlan::read_of::<G>(folder)?;
            match (plan.stage, stage) {
                (Stage::Map, Stage::Reduce) => {
                    return Err(shard_error(
                        folder,
                        "a shard of map; run juzhong book reduce first",
                    ));
                }
                (Stage::Reduce, Stage::Map) => {
                    let what = "a shard of reduce; give it to juzhong book pack";
                    return Err(shard_error(folder, what));
                }
                _ => {}
            }
            parts.push(plan.part);
            // The plans of one step differ in their parts alone.
            let plan = ShardPlan { part: 1, ..plan };
            let known = first.get_or_insert_with(|| plan.clone());
            if known.inputs != plan.inputs {
                let what = message!(
                    "made from other shards than {}; reduce all parts from the same shards",
                    folders[0].shown()
                );
                return Err(shard_error(folder, what));
            }
            if *known != plan {
                let what = message!(
                    "made with other options than {}; make both with the same",
                    folders[0].shown()
                );
                return Err(shard_error(folder, what));
            }
        }
        let Some(plan) = first else {
            return Err(BuildError::Shard { what: "no shards; give at least one".into() });
        };
        parts.sort_unstable();
        if stage == Stage::Reduce && !parts.iter().copied().eq(1..=plan.parts) {
            let what = message!(
                "a shard of {} parts, but these parts were given: {parts:?}; give each once",
                plan.parts
            );
            return Err(shard_error(&folders[0], what));
        }
        Ok(Self { folders: folders.to_vec(), plan })
    }

    /// All files that were read, each content once.
    fn sources(
        &self,
        work: &Path,
        options: &BuildOptions,
    ) -> Result<Vec<SourceCounts>, BuildError> {
        let sources: Vec<SourceCounts> = self
            .merge::<SourceCounts>(work, options)?
            .collect::<io::Result<_>>()
            .map_err(|e| Errors { output: work }.io(e))?;
        let mut serials: Vec<u64> = sources
            .iter()
            .map(|s| crate::book::builder::pipeline::serial_of(&s.source.hash))
            .collect();
        serials.sort_unstable();
        if serials.windows(2).any(|pair| pair[0] == pair[1]) {
            let what = "two files whose hashes begin alike cannot be told apart in shards; \
                        build the book in one step";
            return Err(BuildError::Shard { what: what.into() });
        }
        Ok(sources)
    }

    /// All rows of a data set in ascending order, each once.
    fn merge<S: DataSet>(
        &self,
        work: &Path,
        options: &BuildOptions,
    ) -> Result<Merge<S>, BuildError> {
        let sorter = Sorter::<S>::new(work, budget(options), &options.stop);
        let mut runs = Vec::new();
        for folder in &self.folders {
            runs.push(run_of::<S>(folder)?);
        }
        sorter.finish_with(runs).map_err(|e| Errors { output: work }.io(e))
    }
}

/// The rows of a data set in a shard.
pub(crate) fn run_of<S: DataSet>(folder: &Path) -> Result<Run, BuildError> {
    let name = S::NAME;
    let path = folder.join(file_name::<S>());
    if path.is_file() {
        check_header::<S>(&path)?;
        return Ok(Run::named(path, HEADER_LEN));
    }
    if folder.join(name).is_dir() || folder.join(format!("{name}.parquet")).is_file() {
        let what = "Parquet files; make a shard of them with juzhong-parquet import";
        return Err(shard_error(folder, what));
    }
    Err(shard_error(folder, message!("no data set {name}; make the shard again")))
}

fn file_name<S: DataSet>() -> String {
    format!("{}.jzs", S::NAME)
}

fn check_header<S: DataSet>(path: &Path) -> Result<(), BuildError> {
    let mut bytes = [0; HEADER_LEN as usize];
    let read = open::regular(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut bytes));
    read.map_err(|source| BuildError::Input { path: path.to_owned(), source })?;
    if bytes == header::<S>() {
        return Ok(());
    }
    let what = if bytes.starts_with(&MAGIC) {
        message!("not version {VERSION} of the data set {}; make it again", S::NAME)
    } else {
        "not a data set of this program".into()
    };
    Err(shard_error(path, what))
}

fn header<S: DataSet>() -> [u8; HEADER_LEN as usize] {
    let mut bytes = [0; HEADER_LEN as usize];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&S::NUMBER.to_le_bytes());
    bytes
}

/// A shard being written: a folder that gets its name when it is whole.
#[derive(Debug)]
pub(crate) struct Folder {
    target: PathBuf,
    /// The right to write it.
    _lock: FileLock,
    folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn create(target: &Path) -> Result<Self, BuildError> {
        let target = resolve(target).map_err(|e| At(target).create(&e))?;
        let is_free = match fs::read_dir(&target) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
            let what = "it already exists; choose a new or an empty folder";
            return Err(At(&target).refused(what).into());
        }
        let lock = FileLock::take(&target).map_err(ReplaceError::from)?;
        lock.sweep_folders(is_of_shard);
        let folder = atomic::folder_beside(&target).map_err(|e| At(&target).create(&e))?;
        Ok(Self { target, _lock: lock, folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn errors(&self) -> Errors<'_> {
        Errors { output: &self.target }
    }

    fn writer<S: DataSet>(&self) -> Result<SetWriter<S>, BuildError> {
        let path = self.path().join(file_name::<S>());
        SetWriter::create(&path).map_err(|e| self.errors().io(e))
    }

    /// Writes the plan and moves the folder to its place.
    pub(crate) fn commit(self, plan: &ShardPlan) -> Result<(), BuildError> {
        plan.write(self.path()).map_err(|e| self.errors().io(e))?;
        let Self { target, folder, .. } = self;
        // Fails if the folder is not empty any more.
        if target.is_dir() {
            fs::remove_dir(&target).map_err(|e| At(&target).create(&e))?;
        }
        Ok(atomic::place_folder(folder, &target).map_err(|e| At(&target).create(&e))?)
    }
}

/// Returns true if a file of that name belongs to a shard.
fn is_of_shard(name: &str) -> bool {
    let sets = [SourceCounts::NAME, FromSource::NAME, Summed::NAME, GroupMember::NAME];
    name == PLAN || name.rsplit_once('.').is_some_and(|(stem, _)| sets.contains(&stem))
}

/// Writes all sums as a data set; their number.
pub(crate) fn write_sums<S: Reduce, T: DataSet>(
    folder: &Folder,
    sums: Sorter<S>,
    row: impl Fn(S) -> io::Result<T>,
) -> Result<u64, BuildError> {
    let errors = folder.errors();
    let mut writer = folder.writer::<T>()?;
    for sum in sums.finish().map_err(|e| errors.io(e))? {
        let sum = sum.and_then(&row).map_err(|e| errors.io(e))?;
        writer.put(&sum).map_err(|e| errors.io(e))?;
    }
    writer.finish().map_err(|e| errors.io(e))
}

fn write_sources(folder: &Folder, sources: Vec<SourceCounts>) -> Result<u64, BuildError> {
    let errors = folder.errors();
    let mut by_hash = std::collections::BTreeMap::new();
    for source in sources {
        match by_hash.entry(source.source.hash) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(source);
            }
            std::collections::btree_map::Entry::Occupied(mut known) => {
                known.get_mut().absorb(source);
            }
        }
    }
    let mut writer = folder.writer::<SourceCounts>()?;
    for source in by_hash.into_values() {
        writer.put(&source).map_err(|e| errors.io(e))?;
    }
    writer.finish().map_err(|e| errors.io(e))
}

/// Writes a data set, whose rows come in ascending order.
struct SetWriter<S: DataSet> {
    run: RunWriter<File>,
    rows: u64,
    set: PhantomData<fn(S)>,
}

impl<S: DataSet> SetWriter<S> {
    fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::create_new(path)?;
        file.write_all(&header::<S>())?;
        Ok(Self { run: RunWriter::new(file)?, rows: 0, set: PhantomData })
    }

    fn put(&mut self, row: &S) -> io::Result<()> {
        self.rows += 1;
        self.run.put(row)
    }

    /// Ends the file; the number of rows.
    fn finish(self) -> io::Result<u64> {
        self.run.finish()?.sync_all()?;
        Ok(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::model::metadata::Source;
    use crate::book::model::move_stats::MoveStats;
    use crate::book::model::observation::MoveSum;
    use crate::xiangqi::Position;

    /// A shard of map with a game, one of reduce of it, and a place for the book.
    fn shards(folder: &Path) -> [PathBuf; 3] {
        let games = folder.join("a.pgn");
        fs::write(&games, "[Result \"1-0\"]\n\n1. h2e2 1-0\n").unwrap();
        let [mapped, reduced, book] = ["mapped", "reduced", "book"].map(|name| folder.join(name));
        let options = BuildOptions::default();
        map::<Position>(&[games], &mapped, options, ReadOptions::default()).unwrap();
        reduce::<Position>(std::slice::from_ref(&mapped), &reduced, (1, 1), &work()).unwrap();
        [mapped, reduced, book]
    }

    fn work() -> Work {
        Work { memory: 1 << 26, threads: NonZero::new(1), stop: StopFlag::default() }
    }

    fn forge<S: DataSet>(shard: &Path, rows: &[S]) {
        let path = shard.join(file_name::<S>());
        fs::remove_file(&path).unwrap();
        let mut writer = SetWriter::create(&path).unwrap();
        for row in rows {
            writer.put(row).unwrap();
        }
        writer.finish().unwrap();
    }

    #[track_caller]
    fn expect_impossible<T: std::fmt::Debug>(result: Result<T, BuildError>) {
        let error = result.unwrap_err();
        assert!(matches!(error, BuildError::Shard { .. }), "{error}");
        let said = error.to_string();
        // Some cannot even be rows.
        assert!(said.contains("impossible") || said.contains("damaged"), "{said}");
    }

    #[test]
    fn sums_that_would_wrap_are_refused() {
        for (games, first) in [(1 << 63, (1 << 63) - 1), (u64::MAX, 5), (1 << 51, 1)] {
            let folder = tempfile::tempdir().unwrap();
            let [_, reduced, book] = shards(folder.path());
            let stats = MoveStats { games, first, draws: 1, ..MoveStats::default() };
            let row = Summed(MoveSum { key: 5, mv: 6, stats });
            forge(&reduced, &[row, row]);
            expect_impossible(pack::<Position>(&[reduced], &book, &work()));
            assert!(!book.exists());
        }
    }

    #[test]
    fn records_of_sources_that_would_wrap_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [mapped, reduced, book] = shards(folder.path());
        let sources = [(1, u64::MAX), (2, 1)].map(|(first, games)| SourceCounts {
            source: Source { hash: [first; 32], name: "a".to_owned(), games },
            filtered: games,
            bad: 3,
        });
        forge(&mapped, &sources);
        fs::remove_dir_all(&reduced).unwrap();
        reduce::<Position>(&[mapped], &reduced, (1, 1), &work()).unwrap();
        expect_impossible(pack::<Position>(&[reduced], &book, &work()));
    }

    #[test]
    fn votes_that_would_wrap_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [mapped, reduced, _] = shards(folder.path());
        let copies = (1..100_000).map(|serial| {
            let game = CountedGame::empty(crate::book::model::counted_game::GameId([7; 16]));
            FromSource(CountedGame { serial, votes: [1 << 48; 4], moves: Box::new([1]), ..game })
        });
        forge(&mapped, &copies.collect::<Vec<_>>());
        fs::remove_dir_all(&reduced).unwrap();
        expect_impossible(reduce::<Position>(&[mapped], &reduced, (1, 1), &work()));
    }
}
