//! Looking positions up: values, moves, lines, statistics.

pub(crate) mod cache;
pub(crate) mod line;
pub(crate) mod loop_moves;
mod memo;
pub(crate) mod random;
pub(crate) mod stats;
pub(crate) mod tables;
