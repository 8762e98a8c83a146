//! The rules of xiangqi.
//!
//! A [`Setup`] is any arrangement of pieces; a [`Position`] is one that was validated once. Squares,
//! pieces and bitboards are small values; attack tables are computed at compile time.

mod attacks;
mod bitboard;
mod chase;
#[cfg(feature = "search")]
mod checks;
pub mod explain;
mod fen;
mod game_impl;
mod material;
pub mod move_limit;
mod movegen;
pub mod notation;
mod piece;
mod position;
pub mod repetition;
mod rule_set;
mod setup;
mod square;
#[cfg(test)]
pub(crate) mod tests;
mod unmove;

#[cfg(feature = "search")]
pub(crate) use attacks::over_one_screen;
pub use attacks::{
    advisor_attacks, between, cannon_attacks, elephant_attacks, horse_attackers, horse_attacks,
    king_attacks, pawn_attackers, pawn_attacks, rook_attacks,
};
pub use bitboard::{Bitboard, Occupancy, Squares};
#[cfg(feature = "search")]
pub(crate) use checks::CheckMap;
pub use fen::{FenError, START_FEN};
pub use piece::{Piece, Role};
pub use position::{Move, Position, Undo};
pub use rule_set::{RuleSet, UnknownRuleSet};
pub use setup::{Setup, SetupError, SetupErrors, can_stand};
pub use square::{Square, mirror_file};
