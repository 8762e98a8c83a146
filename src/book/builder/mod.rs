//! Building a book from game files: `map`, `reduce` and `pack`, checkpoints of interrupted builds, builds onto an
//! existing book.

pub(crate) mod checkpoint;
pub(crate) mod counts;
pub(crate) mod disputes;
pub(crate) mod game_files;
pub(crate) mod incremental;
pub(crate) mod inputs;
pub(crate) mod options;
pub(crate) mod pipeline;
pub(crate) mod rejects;
pub(crate) mod shard;
pub(crate) mod shard_rows;
pub(crate) mod sources;
