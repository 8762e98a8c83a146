//! One player: the opening book first, endgame tables next, search last. This is the only place
//! where the three meet; protocols, the terminal, matches and the web play through [`Engine`].

mod advice;
mod appraise;
mod chance;
mod claims;
pub mod clock;
mod conversion;
mod holding;
mod library;
mod playable;
mod player;
mod tables;
mod validity;

pub use advice::Advice;
pub use appraise::{SearchAppraiser, TableAppraiser};
pub(crate) use chance::seed_or_drawn;
pub use library::{BookLimits, OwnBook};
pub use playable::{Endgames, NoTables, Patience, Playable, RootMove};
pub use player::{Choice, Engine, EngineError, EngineOptions, Source};
pub use tables::{TableOptions, XiangqiTables, in_full};

pub use crate::book::{
    Appraisal, AppraiseError, Appraiser, Bound as ScoreBound, Finding, Policy, SelectOptions,
};
pub use crate::search::{
    Bound, Control, Found, HashEntry, Iteration, Limits, MAX_HASH_MIB, MAX_MULTIPV, MAX_PLY,
    MAX_THREADS, Oracle, Score, ScoreKind, TableValue, Techniques, table_key,
};
pub use crate::tablebase::{Metric as TableMetric, Rules as TableRules, Wdl};

/// The evaluation of xiangqi, broken down by term.
pub use crate::search::eval::xiangqi as evaluation;
