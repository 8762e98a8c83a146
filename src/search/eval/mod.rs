//! The evaluations, one for each game.

pub mod gomoku;
pub mod xiangqi;
