//! Games between engines: matches and the strength that they show, self-play.

mod game_runner;
mod games;
mod journal;
mod matches;
mod openings;
mod participant;
mod referee;
mod selfplay;
mod sprt;
mod stats;

pub use game_runner::{ClockSetting, Effort, EngineFault, TimeControl, comment_centipawns};
pub use games::{
    BadPosition, Contested, OPENING_FILES, built_in_openings, read_positions, side_name,
};
pub use journal::MatchJournal;
pub use matches::{Match, MatchError, MatchGame, MatchTotals, Sink};
pub use openings::{LeftOut, MatchOpenings};
pub use participant::Participant;
pub use referee::{DrawRule, MAX_PLIES, Referee, ResignRule};
pub use selfplay::{SelfPlay, SelfPlayError};
pub use sprt::{Decision, Sprt};
pub use stats::{Count, EloEstimate, MatchResults, elo, expected_score};
