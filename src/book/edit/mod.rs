//! Changing a book: edits with a journal, merging, pruning.

pub(crate) mod editor;
pub(crate) mod journal;
pub(crate) mod merge;
pub(crate) mod prune;
