//! Building a book from game files: `map`, `reduce` and `pack`, checkpoints of interrupted builds, builds onto an
//! existing book.

pub(super) mod builder;
pub(super) mod checkpoint;
pub(super) mod counts;
pub(super) mod disputes;
pub(super) mod game_files;
pub(super) mod incremental;
pub(super) mod inputs;
pub(super) mod options;
#[cfg(feature = "parquet")]
pub(super) mod parquet;
pub(super) mod rejects;
pub(super) mod shard;
pub(super) mod sources;
pub(super) mod synth;
