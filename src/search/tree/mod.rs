//! The recursion of the search: nodes, what is left out of them, quiescence.

pub(super) mod node;
pub(super) mod prune;
pub(super) mod quiesce;
