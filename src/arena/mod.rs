//! Games between engines, the client for foreign ones, and tuning by the results of games.

mod client;
mod selfplay;
pub mod tune;

pub use client::{
    Client, ClientAppraiser, ClientError, Clocks, EngineCommand, EngineScore, GoLimits, Info,
    Patience, Ranks, Thought, spawn_appraisers,
};
pub use selfplay::{MAX_PLIES, SelfPlay, SelfPlayError};
