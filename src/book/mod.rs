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
//! - [`map()`], [`reduce()`] and [`pack()`] are the steps of a build on many machines. Other programs read and write
//!   the shards between them row by row, by [`ShardReader`] and [`ShardWriter`].
//! - [`Editor`] changes the marks of moves, and undoes that.
//! - [`merge()`] makes one book of several, [`prune()`] a smaller one of one.
//! - [`Book`] opens and probes; [`Selector`] chooses among the moves found.
//! - [`build_repertoire`] makes a book for one side, [`check_repertoire`] finds its holes.
//! - [`interop`] reads, writes and examines books of other programs.
//!
//! The folders stack: `model`, `file`, `builder`, `edit`, `analysis`, `opening`, `interop`; each uses those before it only.
//!
#![doc = include_str!("FORMAT.md")]

mod analysis;
mod builder;
mod edit;
mod file;
mod imports;
pub mod interop;
mod model;
mod move_choice;
mod open;
pub mod opening;
mod repertoire;
#[cfg(test)]
mod tests;

pub use analysis::dropout::{Costs, DropOut, DropOutKind};
pub use analysis::evaluator::{Evaluator, EvaluatorError, evaluate_all};
pub use analysis::graph::{Graph, GraphNode};
pub use analysis::loops::{Ban, Bans, MAX_LOOP};
pub use analysis::propagate::Propagated;
pub use analysis::score_lines::MAX_SCORE_LINE;
pub use analysis::scoring::{
    Addition, Findings, FlagError, FlagReport, PropagationReport, clear_scores, flag, propagate,
};
pub use analysis::stats::{
    AnnotationCounts, BookStats, Difference, LineCount, Sample, StatsOptions,
};
pub use builder::counts::SourceCounts;
pub use builder::disputes::{Dispute, DisputeCounts, Doubt, disputes};
pub use builder::game_files::{BuildProgress, BuildReport, ReadOptions, build};
pub use builder::inputs::{Inputs, find_games};
pub use builder::options::BuildOptions;
pub use builder::pipeline::{Admission, Batch, Builder};
pub use builder::rejects::{Reject, RejectReason};
pub use builder::shard::{ShardPlan, ShardReport, Work, map, pack, reduce};
pub use builder::shard_rows::{GameRow, ShardReader, ShardRow, ShardWriter};
pub use edit::editor::{Change, EditError, Editor};
pub use edit::journal::JournalStep;
pub use edit::merge::{MergeOptions, MergeReport, MergedBook, merge};
pub use edit::prune::{PruneOptions, PruneReport, prune};
pub(crate) use file::connect::open_working;
pub use file::in_memory::MovesInMemory;
pub use file::reader::{Book, BookEntry, BookMove, shown_move};
pub use file::samples::BookGame;
pub use file::scores::{MAX_SOURCE, MoveScore, Score};
pub use file::store::{APPLICATION_ID, SAMPLES_VERSION, VERSION};
pub use file::walk::{Depth, Walk};
pub use imports::keep_imports_in;
pub use model::annotation::{Annotation, Flags, MAX_COMMENT, MAX_GROUP};
pub use model::counted_game::{FIRST_YEAR, Facts, GameId, GameKind, LAST_YEAR};
pub use model::error::{BookError, BuildError, RemakeError, ReplaceError};
pub(crate) use model::filter::fold_name;
pub use model::filter::{Ending, Filter, Mover, UnknownEnding, UnknownFilter};
pub use model::groups::GroupMember;
pub use model::metadata::{Counts, MAX_SHARE, Metadata, Source};
pub use model::move_stats::{MoveRow, MoveStats, RowKey, Years};
pub use model::observation::MoveSum;
pub use model::origins::{Origin, Origins};
pub use model::sample::{MAX_SAMPLES, SampleId};
pub use model::value::{Bounds, Evaluation, SourceScore, Value};
pub use model::weight::{MAX_FORMULA, Weight, WeightError};
pub use move_choice::{Policy, SelectOptions, Selector, UnknownPolicy};
pub use opening::opening_stats::OpeningStats;
pub use repertoire::{
    AnswerChoice, DoubtfulAnswer, RepertoireCheck, RepertoireDoubt, RepertoireOptions,
    RepertoirePosition, RepertoireReport, build_repertoire, check_repertoire,
};
