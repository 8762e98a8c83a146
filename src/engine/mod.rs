//! One player: sure wins of the endgame tables first, then the opening book, the tables, the search. This is the only
//! place where the three meet; protocols, the terminal, and matches play through [`Engine`].
//! Without the feature `book` there are no books, and so no proved positions of gomoku either.

mod at_level;
mod chance;
mod claims;
pub mod clock;
mod conversion;
mod draw_proof;
mod endgames;
#[cfg(feature = "book")]
mod evaluators;
mod games;
mod handicap;
mod level;
mod mate_check;
#[cfg_attr(not(feature = "book"), path = "without_books.rs")]
mod opening_books;
mod playable;
mod player;
#[cfg(feature = "book")]
mod proofs;
mod ratings;
mod root_ranking;
mod tables;
mod validity;
mod warnings;

pub use at_level::choose_at;
pub use chance::seed_or_drawn;
pub use endgames::{
    DistanceTarget, Endgames, NoTables, ProbeBudget, RootMove, RootRanking, TableOptions,
};
#[cfg(feature = "book")]
pub use evaluators::{SearchEvaluator, TablebaseEvaluator};
pub use handicap::Handicap;
pub use level::{Level, varied};
pub use mate_check::{
    MateCheck, MateReport, MateSample, SampleKind, check_mates, check_sample, draw_position,
};
#[cfg(feature = "book")]
pub use opening_books::BookLimits;
pub use opening_books::OwnBook;
#[cfg(not(feature = "book"))]
pub use opening_books::SelectOptions;
pub use playable::Playable;
pub use player::{Choice, Engine, EngineError, EngineOptions, MoveSource};
#[cfg(feature = "engine")]
pub(crate) use player::{LookUp, as_drawn};
#[cfg(feature = "book")]
pub use proofs::ProvedTables;
pub use ratings::{elo_range, handicap_of_elo};
pub use tables::XiangqiTables;
pub use warnings::in_full;
