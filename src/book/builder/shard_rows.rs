//! The rows of shards, for programs that hand them to others, such as `juzhong-parquet` in `contrib/spark`.

use std::io;
use std::path::{Path, PathBuf};

use crate::book::builder::counts::SourceCounts;
use crate::book::builder::options::BuildOptions;
use crate::book::builder::pipeline::budget;
use crate::book::builder::shard::{
    DataSet, Folder, ShardPlan, Work, run_of, shard_error, write_sums,
};
use crate::book::model::counted_game::{CountedGame, FromSource, GameId, GameKind, MAX_VOTES};
use crate::book::model::error::BuildError;
use crate::book::model::groups::{GroupMember, GroupNames};
use crate::book::model::observation::{MoveSum, Summed};
use crate::bytes::StopFlag;
use crate::bytes::external_sort::Sorter;
use crate::message::{ToMessage, message};

/// Rows that are sorted at once.
const BATCH: usize = 4096;

/// The statements of one file about a game, or after [`reduce`](super::shard::reduce) all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRow {
    /// The game.
    pub id: GameId,
    /// The first 8 bytes of the hash of the file, as a little-endian integer; 0 after a reduce.
    pub file: u64,
    /// The kind of game.
    pub kind: GameKind,
    /// The number of its start among the usual ones.
    pub start: u8,
    /// Copies without a known result, won by the first side, drawn, won by the second.
    pub votes: [u64; 4],
    /// The year in which it was played.
    pub year: Option<u16>,
    /// The ratings of the first side and of the second.
    pub ratings: [Option<u16>; 2],
    /// The first moves of the main line, packed; none are needed after a reduce.
    pub moves: Box<[u16]>,
    /// The names of its line groups; none are needed after a reduce.
    pub groups: Vec<String>,
}

/// A row as a data set holds it.
pub(crate) trait Stored: Sized {
    /// The data set.
    type Set: DataSet;
    /// The row that is stored so.
    fn of(stored: Self::Set) -> Self;
    /// The inverse of `of`; `None` for a row that no collection of games has.
    fn into_stored(self) -> Option<Self::Set>;
}

/// A row of a data set of shards. Every shard has [`SourceCounts`] and [`GameRow`]s; that of a reduce
/// also has [`MoveSum`]s and [`GroupMember`]s.
#[expect(private_bounds, reason = "the rows here are all that there are")]
pub trait ShardRow: Stored {
    /// The name of the data set.
    const NAME: &'static str = <Self::Set as DataSet>::NAME;
}

impl ShardRow for SourceCounts {}
impl ShardRow for GameRow {}
impl ShardRow for MoveSum {}
impl ShardRow for GroupMember {}

impl Stored for SourceCounts {
    type Set = Self;

    fn of(stored: Self) -> Self {
        stored
    }

    fn into_stored(self) -> Option<Self> {
        Some(self)
    }
}

impl Stored for GroupMember {
    type Set = Self;

    fn of(stored: Self) -> Self {
        stored
    }

    fn into_stored(self) -> Option<Self> {
        Some(self)
    }
}

impl Stored for MoveSum {
    type Set = Summed;

    fn of(stored: Summed) -> Self {
        stored.0
    }

    fn into_stored(self) -> Option<Summed> {
        Some(Summed(self)).filter(Summed::is_sound)
    }
}

impl Stored for GameRow {
    type Set = FromSource;

    fn of(FromSource(game): FromSource) -> Self {
        Self {
            id: game.id,
            file: game.serial,
            kind: game.kind,
            start: game.start,
            votes: game.votes,
            year: game.year,
            ratings: game.ratings,
            moves: game.moves,
            groups: game.groups.iter().map(str::to_owned).collect(),
        }
    }

    fn into_stored(self) -> Option<FromSource> {
        self.votes.iter().all(|&votes| votes <= MAX_VOTES).then(|| {
            FromSource(CountedGame {
                id: self.id,
                serial: self.file,
                kind: self.kind,
                start: self.start,
                votes: self.votes,
                year: self.year,
                ratings: self.ratings,
                moves: self.moves,
                groups: GroupNames::from_names(&self.groups),
                details: None,
            })
        })
    }
}

/// Reads the rows of a shard.
#[derive(Debug)]
pub struct ShardReader {
    folder: PathBuf,
    plan: ShardPlan,
}

impl ShardReader {
    /// Opens a shard of any game.
    ///
    /// # Errors
    ///
    /// See [`BuildError`]; also for a shard with sample games, which rows do not hold.
    pub fn open(folder: &Path) -> Result<Self, BuildError> {
        let plan = ShardPlan::read(folder)?;
        refuse_samples(&plan, folder)?;
        Ok(Self { folder: folder.to_owned(), plan })
    }

    /// The plan of the shard.
    #[must_use]
    pub const fn plan(&self) -> &ShardPlan {
        &self.plan
    }

    /// The rows of a data set in ascending order.
    ///
    /// # Errors
    ///
    /// If the shard has no such data set, or it cannot be read. An error of a row ends the rows.
    pub fn rows<R: ShardRow>(
        &self,
    ) -> Result<impl Iterator<Item = Result<R, BuildError>> + use<R>, BuildError> {
        let folder = self.folder.clone();
        let run = run_of::<R::Set>(&folder)?;
        // Without memory, because nothing is collected: the only run is in order.
        let sorter = Sorter::<R::Set>::new(&folder, 0, &StopFlag::default());
        let stored = sorter.finish_with(vec![run]).map_err(|e| read_error(&folder, e))?;
        Ok(stored.map(move |row| row.map(R::of).map_err(|e| read_error(&folder, e))))
    }
}

fn read_error(folder: &Path, source: io::Error) -> BuildError {
    match source.kind() {
        io::ErrorKind::InvalidData => BuildError::Shard { what: source.message() },
        _ => BuildError::Input { path: folder.to_owned(), source },
    }
}

/// Writes a shard of rows: a folder that gets its name when it is whole.
#[derive(Debug)]
pub struct ShardWriter {
    folder: Folder,
    plan: ShardPlan,
    work: Work,
}

impl ShardWriter {
    /// Begins the shard `output`, a new or an empty folder.
    ///
    /// # Errors
    ///
    /// See [`BuildError`]; also for a plan with sample games, which rows do not hold.
    pub fn create(output: &Path, plan: ShardPlan, work: Work) -> Result<Self, BuildError> {
        refuse_samples(&plan, output)?;
        Ok(Self { folder: Folder::create(output)?, plan, work })
    }

    /// Writes a data set of the rows that `fill` gives to its argument, in any order; equal ones become
    /// one, as where shards are merged. Returns the number of rows.
    ///
    /// # Errors
    ///
    /// Those of `fill`; for a row that no collection of games has; else see [`BuildError`].
    pub fn write<R: ShardRow>(
        &self,
        fill: impl FnOnce(&mut dyn FnMut(R) -> Result<(), BuildError>) -> Result<(), BuildError> + Send,
    ) -> Result<u64, BuildError> {
        self.work.run(self.folder.path(), || {
            let memory = self.work.memory;
            let budget = budget(&BuildOptions { memory, ..BuildOptions::default() });
            let sorter = Sorter::<R::Set>::new(self.folder.path(), budget, &self.work.stop);
            let mut batch = Vec::with_capacity(BATCH);
            fill(&mut |row| {
                batch.push(row.into_stored().ok_or_else(impossible::<R>)?);
                if batch.len() < BATCH {
                    return Ok(());
                }
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                sorter.push(full).map_err(|e| self.folder.errors().io(e))
            })?;
            sorter.push(batch).map_err(|e| self.folder.errors().io(e))?;
            write_sums(&self.folder, sorter, Ok::<R::Set, _>)
        })
    }

    /// Gives the shard its name.
    ///
    /// # Errors
    ///
    /// If a data set is missing; else see [`BuildError`]. Nothing is left behind then.
    pub fn finish(self) -> Result<(), BuildError> {
        let folder = self.folder.path();
        run_of::<SourceCounts>(folder)?;
        run_of::<FromSource>(folder)?;
        if self.plan.is_reduced() {
            run_of::<Summed>(folder)?;
            run_of::<GroupMember>(folder)?;
        }
        self.folder.commit(&self.plan)
    }
}

fn impossible<R: ShardRow>() -> BuildError {
    BuildError::Shard { what: message!("an impossible row of the data set {}", R::NAME) }
}

fn refuse_samples(plan: &ShardPlan, folder: &Path) -> Result<(), BuildError> {
    if plan.samples() == 0 {
        return Ok(());
    }
    let what = "rows do not hold sample games; make the shard again, without --samples";
    Err(shard_error(folder, what))
}
