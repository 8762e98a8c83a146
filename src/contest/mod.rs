//! Games between engines: matches, tournaments and the strength that they show, self-play.

mod cross_table;
mod games;
mod journal;
mod match_elo;
mod match_settings;
mod matches;
mod one_game;
mod openings;
mod participant;
mod ratings;
mod referee;
mod schedule;
mod scheduler;
mod selfplay;
mod sprt;
mod tournament;

pub use cross_table::{CrossRow, CrossTable};
pub use games::{BadPosition, Contested, OPENING_FILES, built_in_openings, read_positions};
pub use journal::MatchJournal;
pub use match_elo::{Count, EloEstimate, MatchResults, elo, expected_score};
pub use match_settings::{EngineSettings, MatchSettings, OpeningSettings};
pub use matches::{Match, MatchTotals, Sink};
pub use one_game::{ClockSetting, Effort, EngineFault, TimeControl, comment_centipawns};
pub use openings::{LeftOut, MatchOpenings};
pub use participant::Participant;
pub use ratings::{Rating, Ratings};
pub use referee::{DrawRule, MAX_PLIES, Referee, ResignRule};
pub use schedule::{MAX_ENGINES, Schedule, TournamentForm, engine_letter};
pub use scheduler::{ContestError, ContestGame};
pub use selfplay::{SelfPlay, SelfPlayError};
pub use sprt::{Decision, Sprt};
pub use tournament::{Tournament, TournamentSink, TournamentTotals};
