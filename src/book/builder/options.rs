//! The options of a build.

use std::path::PathBuf;
use std::time::Duration;

use crate::book::file::reader::Book;
use crate::book::model::filter::Filter;
use crate::book::model::weight::Weight;
use crate::bytes::StopFlag;
use crate::hash::KeyTable;

/// The options of a build.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// Moves of a game that are kept, at most. Default 60.
    pub max_ply: usize,
    /// Written into the book: queries leave out moves of fewer games. Default 1.
    pub min_games: u64,
    /// Written into the book: queries leave out moves of a smaller share of their position's games,
    /// in hundredths of a percent. Default 0.
    pub min_share: u64,
    /// Written into the book: the rule by which moves get their weights.
    pub weight: Weight,
    /// The records that count, and which of their moves.
    pub filter: Filter,
    /// The number of games that are kept of each move as samples, at most [`MAX_SAMPLES`]; written into the book.
    /// Default 0: none.
    ///
    /// [`MAX_SAMPLES`]: crate::book::MAX_SAMPLES
    pub samples: u16,
    /// A book that is added to: all it holds is in the new one, which can stand in its place. The
    /// options above and the keys must be those that it was built with; [`BuildOptions::like`] are.
    pub base: Option<PathBuf>,
    /// Bytes for sorting; beyond that, temporary files are written beside the book. Default
    /// 512 MiB.
    pub memory: usize,
    /// Other keys than the stored ones, for books that go with other programs.
    pub key_table: Option<KeyTable>,
    /// The interval at which the games read from files are saved, so that an interrupted build of the same
    /// files goes on from there. Default 30 seconds.
    pub keep_every: Duration,
    /// Ends the build with [`Interrupted`](crate::book::model::error::ReplaceError::Interrupted) soon after it was
    /// set.
    pub stop: StopFlag,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            max_ply: 60,
            min_games: 1,
            min_share: 0,
            weight: Weight::default(),
            filter: Filter::default(),
            samples: 0,
            base: None,
            memory: 512 << 20,
            key_table: None,
            keep_every: Duration::from_secs(30),
            stop: StopFlag::default(),
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
            samples: about.samples,
            base: Some(base.path().to_owned()),
            key_table: base.foreign_keys().cloned(),
            ..Self::default()
        }
    }
}
