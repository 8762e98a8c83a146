//! The rules of gomoku and its relatives: m×n boards on which k stones in a row win, tic-tac-toe among them, with
//! rows of any length, of exactly that length, or by the rules of renju.
//!
//! [`Board`] is a position. `lines` holds its cells, `pattern` says what a stone would make along a line, `threat` what
//! that is along all four together; so the board always knows the winner and the threats to win. It also keeps the
//! sums of the values of points (`values`, `weights`) that the evaluation in `search::eval` is made of.

mod board;
mod diagram;
mod game_impl;
mod line_map;
mod lines;
mod notation;
mod pattern;
mod point;
mod point_set;
mod threat;
mod values;
mod variant;
mod vcf;
mod weights;

pub use board::{Board, Forbidden, GeometryError, SIZES, ThreatCounts, Undo};
pub use diagram::DiagramStyle;
pub use game_impl::{FreeRules, UnknownRules};
#[cfg(feature = "search")]
pub(crate) use line_map::{Completions, LineMap};
#[cfg(feature = "search")]
pub(crate) use lines::Axis;
pub use notation::{BoardError, START_TEXT};
#[cfg(feature = "search")]
pub(crate) use pattern::Around;
pub use pattern::LinePattern;
pub use point::Point;
pub use point_set::PointSet;
pub use threat::{CLASSES, PointClass, Threat};
#[cfg(feature = "search")]
pub(crate) use threat::{SITUATIONS, WEIGHT_COUNT};
pub use variant::{UnknownVariant, Variant};
pub use vcf::{FourSearch, FourSolver, FourWin};
#[cfg(feature = "search")]
pub(crate) use weights::WEIGHTS;
