//! Looking positions up: values, moves, lines, statistics.

pub(super) mod cache;
pub(super) mod line;
pub(super) mod loop_moves;
mod memo;
pub(super) mod random;
pub(super) mod stats;
pub(super) mod tables;
