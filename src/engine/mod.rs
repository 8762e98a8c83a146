//! One player: sure wins of the endgame tables first, then the opening book, the tables, the search. This is the only
//! place where the three meet; protocols, the terminal, and matches play through [`Engine`].

mod chance;
mod claims;
pub mod clock;
mod conversion;
mod draw_proof;
mod endgames;
mod evaluators;
mod games;
mod level;
mod mate_check;
mod opening_books;
mod playable;
mod player;
mod proofs;
mod root_ranking;
mod tables;
mod validity;
mod warnings;

pub use chance::seed_or_drawn;
pub use endgames::{
    DistanceTarget, Endgames, NoTables, ProbeBudget, RootMove, RootRanking, TableOptions,
};
pub use evaluators::{SearchEvaluator, TablebaseEvaluator};
pub use level::{Level, varied};
pub use mate_check::{
    MateCheck, MateReport, MateSample, SampleKind, check_mates, check_sample, draw_position,
};
pub use opening_books::{BookLimits, OwnBook};
pub use playable::Playable;
pub use player::{Choice, Engine, EngineError, EngineOptions, MoveSource};
pub use proofs::ProvedTables;
pub use tables::XiangqiTables;
pub use warnings::in_full;
