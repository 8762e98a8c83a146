//! Positions with the score of a search and the result of their game: what a network is trained on.

mod piece;
mod play;
mod sample;

pub(crate) use piece::{Piece, PieceHead};
pub(crate) use play::{GamePlan, Player};
pub(crate) use sample::Sample;
