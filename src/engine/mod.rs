//! One player: the opening book first, endgame tables next, search last. This is the only place
//! where the three meet; protocols, the terminal, and matches play through [`Engine`].

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
