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
//! - [`build()`] reads game files; [`Builder`] takes records from anywhere. Both add to a book where
//!   [`BuildOptions::base`] names one. [`Filter`] selects records and moves, [`Weight`] gives the weights of
//!   moves.
//! - [`Editor`] changes the marks of moves, and undoes that.
//! - [`merge()`] makes one book of several, [`prune()`] a smaller one of one.
//! - [`Book`] opens and probes; [`Selector`] chooses among the moves found.
//! - [`interop`] reads, writes and examines books of other programs.
//!
#![doc = include_str!("FORMAT.md")]

mod appraise;
mod backup;
mod build;
mod builder;
mod census;
mod connect;
mod disputes;
mod dropout;
mod edit;
mod error;
mod filter;
mod findings;
mod graph;
mod groups;
mod inputs;
pub mod interop;
mod into;
mod journal;
#[cfg(test)]
mod kinds;
mod loops;
mod mark;
mod marks;
mod merge;
mod metadata;
mod minimax;
mod observation;
pub mod opening;
mod origins;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod played;
mod prune;
mod reader;
mod rejects;
mod rekey;
mod replace;
mod score_lines;
mod scores;
mod seal;
mod select;
mod shard;
mod sort;
mod sources;
mod store;
mod survey;
mod synth;
mod tally;
#[cfg(test)]
mod tests;
mod walk;
mod weight;
mod worth;

pub use appraise::{Appraisal, AppraiseError, Appraiser, appraise_all};
pub use backup::Backed;
pub use build::{BuildReport, Progress, build};
pub use builder::{Admission, Batch, BuildOptions, Builder, Source};
pub use census::Census;
pub use disputes::{Dispute, DisputeCounts, Doubt, disputes};
pub use dropout::{Costs, DropOut, DropOutKind};
pub use edit::{Change, EditError, Editor};
pub use error::{BookError, BuildError, RemakeError};
pub use filter::{Ending, Filter, Mover, UnknownEnding, UnknownFilter};
pub use findings::{
    Addition, BackUpReport, Findings, FlagError, FlagReport, back_up, clear_scores, flag,
};
pub use graph::{Graph, Node};
pub use inputs::{Inputs, find_games};
pub use journal::Step;
pub use loops::{Ban, Bans, MAX_LOOP};
pub use mark::{Flags, MAX_COMMENT, MAX_GROUP, Mark};
pub use merge::{MergeOptions, MergeReport, MergedBook, merge};
pub use metadata::{Counts, MAX_SHARE, Metadata};
pub use observation::Observation;
pub use origins::{Origin, Origins};
pub use played::{FIRST_YEAR, GameId, LAST_YEAR};
pub use prune::{PruneOptions, PruneReport, prune};
pub use reader::{Book, BookMove, Entry};
pub use rejects::{Reject, RejectReason};
pub use replace::ReplaceError;
pub use score_lines::MAX_SCORE_LINE;
pub use scores::{MAX_SOURCE, MoveScore, Score};
pub use select::{Policy, SelectOptions, Selector, UnknownPolicy};
pub use shard::{ShardFormat, ShardReport, Work, map, pack, reduce};
pub use store::{APPLICATION_ID, VERSION};
pub use survey::{Difference, LineCount, MarkCounts, Sample, Survey, SurveyOptions};
pub use synth::Synth;
pub use tally::{Row, Tally, Years};
pub use walk::{Depth, Place, Walk};
pub use weight::{MAX_FORMULA, Weight, WeightError};
pub use worth::{Bound, Finding, Span, Worth};

use crate::game::Game;
use crate::gomoku;
use crate::hash;
use crate::xiangqi;

/// The file of a key table, or of the stored one of a game.
fn table_file(game: &str, table: Option<&hash::KeyTable>) -> Vec<u8> {
    let stored = || key_file(game).unwrap_or_default().to_vec();
    table.and_then(|table| table.to_bytes().ok()).unwrap_or_else(stored)
}

/// The stored key file of a game, by its name.
fn key_file(game: &str) -> Option<&'static [u8]> {
    match game {
        xiangqi::Position::NAME => Some(hash::xiangqi::FILE),
        gomoku::Board::NAME => Some(hash::gomoku::FILE),
        _ => None,
    }
}
