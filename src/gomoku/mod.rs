//! The rules of gomoku and its relatives: m×n boards on which k stones in a row win (freestyle: more
//! are fine too), tic-tac-toe among them.
//!
//! [`Board`] is a position. `lines` holds its cells, `shape` gives the shape that a stone would
//! make along a line, and from both together the board always knows the winner and the threats to win. Values of
//! points are in `search::eval`.

mod board;
mod diagram;
mod game_impl;
mod line_map;
mod lines;
mod notation;
mod notice;
mod point;
mod shape;
mod vcf;

pub use board::{Board, GeometryError, SIZES, Undo};
pub use diagram::DiagramStyle;
pub use game_impl::{FreeRules, UnknownRules};
pub(crate) use line_map::{Completions, LineMap};
pub use notation::{BoardError, START_TEXT};
pub use notice::Notice;
pub use point::Point;
pub use vcf::{FourSearch, FourSolver, FourWin};
