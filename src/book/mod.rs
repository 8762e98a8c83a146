//! Opening books.
//!
//! A book is one SQLite file with a row for each move of each position, clustered by
//! `(key, move)`. The key is the canonical one (the smallest over the board's symmetries), and the
//! move stands in that frame, so mirror images share their statistics.
//!
//! Building is a `map` (every record becomes a [`GameId`] with its facts and first moves), a
//! `reduce` (copies of a game are brought together, then equal moves of equal positions are
//! summed) and a `pack` (rows are written in key order). Both sums are associative and commutative,
//! so the bytes of a book depend neither on threads nor on the order of inputs.
//!
//! - [`build()`] reads game files; [`Builder`] takes records from anywhere.
//! - [`Book`] opens and probes; [`Selector`] chooses among the moves found.
//!
#![doc = include_str!("FORMAT.md")]

mod build;
mod builder;
mod error;
mod inputs;
mod metadata;
mod observation;
#[cfg(feature = "parquet")]
mod parquet;
mod played;
mod reader;
mod rejects;
mod seal;
mod select;
mod shard;
mod sort;
mod store;
mod synth;
mod tally;
#[cfg(test)]
mod tests;
mod walk;
mod windows;

pub use build::{BuildReport, Progress, build};
pub use builder::{Admission, Batch, BuildOptions, Builder, Ending, Filter, Source};
pub use error::{BookError, BuildError};
pub use inputs::{Inputs, find_games};
pub use metadata::{Counts, Metadata};
pub use observation::Observation;
pub use played::{FIRST_YEAR, GameId, LAST_YEAR};
pub use reader::{Book, BookMove};
pub use rejects::{Reject, RejectReason};
pub use select::{Policy, SelectOptions, Selector, UnknownPolicy};
pub use shard::{ShardFormat, ShardReport, Work, map, pack, reduce};
pub use store::{APPLICATION_ID, VERSION};
pub use synth::Synth;
pub use tally::{Row, Tally, Years};
pub use walk::{Depth, Walk};

use crate::game::Game;
use crate::gomoku;
use crate::hash;
use crate::xiangqi;

/// The stored key file of a game, by its name.
fn key_file(game: &str) -> Option<&'static [u8]> {
    match game {
        xiangqi::Position::NAME => Some(hash::xiangqi::FILE),
        gomoku::Board::NAME => Some(hash::gomoku::FILE),
        _ => None,
    }
}
