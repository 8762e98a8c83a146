//! The options of building tables, and the reasons for which they could not be built.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use crate::bytes::visible::ShowPath;
use crate::bytes::{BinarySize, StopFlag};
use crate::tablebase::format::TableError;
use crate::tablebase::material::Material;
use crate::tablebase::value::{Metric, Rules};

/// The options of building tables.
#[derive(Debug, Clone, Default)]
pub struct GenerateOptions {
    /// The repetition rules.
    pub rules: Rules,
    /// The metric of distances.
    pub metric: Metric,
    /// Number of threads; one for each core if not given.
    pub threads: Option<NonZero<usize>>,
    /// Most memory to use, in bytes; unlimited if not given.
    pub memory: Option<u64>,
    /// Ends the work when it is set; finished tables are kept.
    pub stop: StopFlag,
    /// The time after which the state of a table at work is kept in the folder, for a run after a kill to go
    /// on from; ten minutes if not given.
    pub checkpoint_interval: Option<Duration>,
}

/// The reasons for which tables could not be built.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum GenerateError {
    /// The material has too many positions.
    #[error("{0} has more than 4 billion slots for each side; no table of it can be built")]
    TooLarge(Material),
    /// The memory allowed does not suffice.
    #[error(
        "{material} needs about {} of memory, {} may be used (by default what is free); end other programs, \
         raise --memory, or build it on a machine with more",
        BinarySize(*needed), BinarySize(*allowed)
    )]
    Memory {
        /// The material of the table.
        material: Material,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// The disk has too little space.
    #[error(
        "the tables need about {} in {}, where {} is free; free some space there, or use another --tables",
        BinarySize(*needed), dir.shown(), BinarySize(*free)
    )]
    Disk {
        /// The folder.
        dir: PathBuf,
        /// Bytes needed, as [`Workload::disk`](crate::tablebase::Workload::disk) states them.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// A line of play does not fit in the words of the generator.
    #[error("{0} has lines too long for a table")]
    TooDeep(Material),
    /// A position has too many moves for the words of the generator.
    #[error(
        "{0} has positions with more moves than the generator counts; no table of it can be built"
    )]
    TooManyMoves(Material),
    /// The threads could not be started.
    #[error("cannot start threads: {0}; use fewer --threads")]
    Threads(String),
    /// [`GenerateOptions::stop`] was set.
    #[error("interrupted; finished tables are kept, run the command again to go on")]
    Interrupted,
    /// A file could not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
}
