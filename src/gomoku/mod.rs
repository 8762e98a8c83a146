//! The rules of gomoku.

mod board;
mod point;

pub use board::{Board, BoardError, Undo};
pub use point::Point;
