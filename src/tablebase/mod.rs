//! Endgame tables by retrograde analysis, with the repetition rules decided exactly.
//!
//! The path of a table: [`Material`] names the set of pieces, `index` numbers its positions,
//! [`generate_all`] solves them (`solve` propagates results, `rules` decides endless play),
//! `format` and `compress` put them on disk, [`Tables`] looks positions up, and [`verify()`] proves
//! a table with the ordinary legal move generator.
//!
//! A value is a win, a draw or a loss for the side to move, and for wins and losses an *order* and
//! a *distance*. Order 0 needs no repetition rule; its distance is in plies to mate. Order k is
//! decided by the repetition rule in round k; its distance counts plies to the loop that decides.
//! Play compares order first, then distance.

mod arena;
mod board;
mod cache;
mod chase;
#[cfg(test)]
mod chase_parity;
mod compress;
mod content;
mod endless;
mod estimate;
mod format;
mod generate;
mod hunt;
mod index;
mod line;
mod load;
mod lock;
mod material;
#[cfg(test)]
mod parity;
mod pattern;
mod plan;
mod probe;
mod pursuit;
mod rules;
#[cfg(test)]
mod rules_arena;
mod shelf;
mod solve;
mod stats;
mod table;
mod value;
mod verify;
mod verify_chase;
mod walk;

pub(crate) use cache::{take_loaded, use_lane as use_cache_lane};
pub use estimate::{Estimate, Needed, TableState, Workload, workload};
pub use format::HistogramRow;
pub use format::{SideCounts, TableError};
pub use generate::{
    Built, GenerateError, GenerateOptions, NoProgress, Phase, Progress, Report, generate_all,
};
pub use line::{BestLine, BestMove, DecidingLoop, Deed, LineEnd};
pub use material::{Material, MaterialError};
pub use pattern::Pattern;
pub use plan::{Plan, PlannedTable};
pub use probe::{ProbeError, Tables};
pub use stats::{SideStats, Stats};
pub use value::{Entry, Metric, Rules, UnknownName, Wdl};
pub use verify::{Mismatch, Proofs, Verification, VerifyError, VerifyOptions, verify};
