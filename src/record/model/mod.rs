//! The common part of readers and writers: games and their trees, what becomes of a source's games, places,
//! encodings, the names of formats, bounds.

pub(super) mod board;
pub(super) mod encoding;
pub(super) mod format;
pub(super) mod limits;
pub(super) mod options;
pub(super) mod parsed;
pub(super) mod place;
pub(super) mod preorder;
pub(super) mod record;
pub(super) mod recorded;
pub(super) mod shared;
pub(super) mod texts;
