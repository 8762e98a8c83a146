//! Results from the rows of a book: its graph, scores of engines and tablebases and their propagation, loops,
//! statistics.

pub(super) mod dropout;
pub(super) mod evaluator;
pub(super) mod graph;
pub(super) mod loops;
pub(super) mod minimax;
pub(super) mod propagate;
pub(super) mod score_lines;
pub(super) mod scoring;
pub(super) mod stats;
