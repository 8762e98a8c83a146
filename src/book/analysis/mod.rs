//! Results from the rows of a book: its graph, scores of engines and tablebases and their propagation, loops,
//! statistics.

pub(crate) mod dropout;
pub(crate) mod evaluator;
pub(crate) mod graph;
pub(crate) mod loops;
pub(crate) mod minimax;
pub(crate) mod propagate;
pub(crate) mod score_lines;
pub(crate) mod scoring;
pub(crate) mod stats;
