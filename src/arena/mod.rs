//! Games between engines: matches and the strength that they show, self-play, the client for foreign engines,
//! and tuning by the results of games.

mod client;
mod contest;
mod entrant;
mod game;
mod journal;
mod openings;
pub mod proxy;
mod referee;
mod selfplay;
mod sprt;
mod stats;
pub mod tune;

pub use client::{
    Client, ClientAppraiser, ClientError, Clocks, Dialect, EngineCommand, EngineScore, GoLimits,
    Info, Offer, Patience, Ranks, Thought, spawn_appraisers,
};
pub use contest::{Match, MatchError, MatchGame, Standing};
pub use entrant::Entrant;
pub use game::{ClockSetting, Effort, Fault, Pace};
pub use journal::{Journal, JournalError};
pub use openings::{BadPosition, Openings, built_in_openings, read_positions};
pub use referee::{DrawRule, MAX_PLIES, Referee, ResignRule};
pub use selfplay::{SelfPlay, SelfPlayError};
pub use sprt::{Decision, Sprt};
pub use stats::{Count, Estimate, Tally, elo, expected_score};
