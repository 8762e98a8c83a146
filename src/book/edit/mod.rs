//! Changing a book: edits with a journal, merging, pruning.

pub(super) mod editor;
pub(super) mod journal;
pub(super) mod merge;
pub(super) mod prune;
