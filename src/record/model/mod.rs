//! The common part of readers and writers: games and their trees, what becomes of a source's games, places,
//! encodings, the formats and their rows, bounds.

pub(crate) mod bad_game;
pub(crate) mod board;
pub(crate) mod chunk;
pub(crate) mod chunk_reader;
pub(crate) mod encoding;
pub(crate) mod format;
pub(crate) mod format_row;
pub(crate) mod limits;
pub(crate) mod options;
pub(crate) mod parsed;
pub(crate) mod place;
pub(crate) mod preorder;
pub(crate) mod record;
pub(crate) mod recorded;
pub(crate) mod sample;
pub(crate) mod shared;
pub(crate) mod single;
pub(crate) mod texts;
pub(crate) mod written;
