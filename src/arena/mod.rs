//! Games between engines, and the client for foreign ones.

mod client;
pub mod proxy;
mod selfplay;

pub use client::{
    Client, ClientAppraiser, ClientError, Clocks, EngineCommand, EngineScore, GoLimits, Info,
    Patience, Ranks, Thought, spawn_appraisers,
};
pub use selfplay::{MAX_PLIES, SelfPlay, SelfPlayError};
