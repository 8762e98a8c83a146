//! The common part of readers and writers: games and their trees, what becomes of a source's games, places,
//! encodings, the names of formats, bounds.

pub(crate) mod board;
pub(crate) mod encoding;
pub(crate) mod format;
pub(crate) mod limits;
pub(crate) mod options;
pub(crate) mod parsed;
pub(crate) mod place;
pub(crate) mod preorder;
pub(crate) mod record;
pub(crate) mod recorded;
pub(crate) mod shared;
pub(crate) mod texts;
