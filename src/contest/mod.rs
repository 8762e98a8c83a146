//! Games between engines: matches and the strength that they show, self-play.

mod game_runner;
mod journal;
mod matches;
mod openings;
mod participant;
mod referee;
mod selfplay;
mod sprt;
mod stats;

pub(crate) use game_runner::centipawns;
pub use game_runner::{ClockSetting, Effort, Fault, TimeControl};
pub use journal::{Journal, JournalError};
pub use matches::{Match, MatchError, MatchGame, Standing};
pub use openings::{BadPosition, OPENING_FILES, Openings, built_in_openings, read_positions};
pub use participant::Participant;
pub use referee::{DrawRule, MAX_PLIES, Referee, ResignRule};
pub use selfplay::{SelfPlay, SelfPlayError};
pub use sprt::{Decision, Sprt};
pub use stats::{Count, Estimate, MatchResults, elo, expected_score};
