//! The recursion of the search: nodes, what is left out of them, quiescence.

pub(crate) mod facts;
pub(crate) mod node;
pub(crate) mod prune;
pub(crate) mod quiesce;
pub(crate) mod reduce;
