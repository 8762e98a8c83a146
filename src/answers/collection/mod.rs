//! Answers about collections of games: games found in an index, and what is known of a player.

mod find;
mod found;

pub use find::{FOLLOWING, FindRequest, Wanted, following};
pub use found::{FindAnswer, FoundGame, IndexAnswer};
