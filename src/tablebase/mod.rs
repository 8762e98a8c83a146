//! Endgame tables by retrograde analysis, with the repetition rules decided exactly.
//!
//! The path of a table: [`Material`] names the set of pieces, `index` numbers its positions,
//! `solve` solves them (`solver` propagates results, `perpetual_check` and `chase` decide endless play), `format` puts them on
//! disk, [`Tables`] in `probe` looks positions up, [`generate_all`] in `generate` does all that with the
//! sub-sets a set needs, [`verify()`] proves a table with the ordinary legal move generator, and
//! [`Tables::mine`] searches a whole one for positions of a [`Theme`]. The folders stack in that order.
//!
//! A value is a win, a draw or a loss for the side to move, and for wins and losses an *order* and
//! a *distance*. Order 0 needs no repetition rule; its distance is in plies to mate. Order k is
//! decided by the repetition rule in round k; its distance counts plies to the loop that decides.
//! Play compares order first, then distance.

mod family;
mod format;
mod generate;
mod index;
mod manual;
mod material;
mod mine;
mod pattern;
mod plan;
mod probe;
mod solve;
mod value;
mod verify;

pub use family::{Family, UnknownFamily};
pub use format::{HistogramRow, SideCounts, TableError};
pub use generate::estimate::{Estimate, Needed, TableState, Workload, workload};
pub use generate::generator::{Built, NoProgress, Phase, Progress, Report, generate_all};
pub use generate::options::{GenerateError, GenerateOptions};
pub use manual::{ManualVerdict, chinese_name};
pub use material::{Material, MaterialError};
pub use mine::{MinedPositions, Theme};
pub use pattern::Pattern;
pub use plan::{Plan, PlannedTable};
#[cfg(feature = "search")]
pub(crate) use probe::cache::{take_loaded, use_lane as use_cache_lane};
pub use probe::line::{BestLine, BestMove, DecidingLoop, LineEnd, LoopMove};
pub use probe::stats::{SideStats, TableStats};
pub use probe::tables::{ProbeError, Tables};
pub use value::{Entry, Metric, Rules, UnknownName, Wdl};
pub use verify::verifier::{Mismatch, Proofs, Verification, VerifyError, VerifyOptions, verify};
