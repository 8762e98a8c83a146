//! Answers about collections of games: games found in an index, novelties, and what is known of a
//! player.

mod find;
mod found;
mod novelties;
mod openings;
mod player;

pub use find::{FOLLOWING, FindRequest, Wanted, following};
pub use found::{FindAnswer, FoundGame, IndexAnswer};
pub use novelties::{Novelties, NoveltiesAnswer, NoveltyRow};
pub use openings::{OpeningTrend, OpeningYear, OpeningsAnswer, YearGames};
pub use player::{
    FoundPlayer, LengthTally, Meeting, ModelGame, NamedGames, NamedTally, Novelty, PlayerAnswer,
    PlayerEnding, PlayerLine, PlayerMove, PlayerOpening, PlayerRequest, PlayerSide, TableTallies,
    Tally,
};
