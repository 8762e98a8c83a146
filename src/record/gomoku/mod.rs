//! The formats of gomoku: lists of moves, files of Piskvork and Gomotur, SGF, libraries of `RenLib`, the
//! RenjuNet database and others. Games as JSON lines are read and written as those of other games.
//!
//! Files that count rows from the top are turned round here, so that row 1 is the lowest in all records.

pub(crate) mod bdt;
mod board;
pub(crate) mod database;
mod fit;
pub(crate) mod lib;
mod lines;
pub(crate) mod moves;
pub(crate) mod offsets;
pub(crate) mod piskvork;
pub(crate) mod pos;
mod recorded;
pub(crate) mod rif;
pub(crate) mod sgf;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
