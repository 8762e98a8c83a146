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
mod key_tables;
#[cfg(test)]
mod kinds;
mod loops;
mod mark;
mod marks;
mod merge;
mod metadata;
mod minimax;
mod observation;
mod open;
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

pub use appraise::{AppraiseError, Appraiser, appraise_all};
pub use backup::Backed;
pub use build::{BuildReport, Progress, build};
pub use builder::{Admission, Batch, BuildOptions, Builder};
pub use census::Census;
pub use disputes::{Dispute, DisputeCounts, Doubt, disputes};
pub use dropout::{Costs, DropOut, DropOutKind};
pub use edit::{Change, EditError, Editor};
pub use error::{BookError, BuildError, RemakeError, ReplaceError};
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
pub use metadata::{Counts, MAX_SHARE, Metadata, Source};
pub use observation::Observation;
pub use origins::{Origin, Origins};
pub use played::{FIRST_YEAR, GameId, LAST_YEAR};
pub use prune::{PruneOptions, PruneReport, prune};
pub use reader::{Book, BookMove, Entry};
pub use rejects::{Reject, RejectReason};
pub use score_lines::MAX_SCORE_LINE;
pub use scores::{MAX_SOURCE, MoveScore, Score};
pub use select::{Policy, SelectOptions, Selector, UnknownPolicy};
pub use shard::{ShardFormat, ShardReport, Work, map, pack, reduce};
pub use store::{APPLICATION_ID, VERSION};
pub use survey::{Difference, LineCount, MarkCounts, Sample, Survey, SurveyOptions};
pub use synth::Synth;
pub use tally::{Place, Row, Tally, Years};
pub use walk::{Depth, Walk};
pub use weight::{MAX_FORMULA, Weight, WeightError};
pub use worth::{Appraisal, Bound, Finding, Span, Worth};
