//! Game records: one [`Record`] model, and a reader and writer per file format.
//!
//! [`read_games`] reads a whole source; [`split_games`] and [`read_chunk`] let many threads read
//! parts of one. [`write_pgn`] writes a record.
//!
//! Every reader of a whole file has the form `read(source, bytes, sink) -> ReadSummary`: it hands
//! each game, good or bad, to `sink` in file order, names `source` in messages, and for a file of
//! its format without any game sinks nothing.
//!
//! A source is one slice: the caller holds the file whole, in memory or mapped. Games stream out of
//! it one at a time, so that beside the source no more than one game is held per thread; to bound
//! the memory of a large file, map it.

mod board;
mod cbf;
mod ccbridge;
mod dhtmlxq;
mod encoding;
mod format;
mod markup;
mod model;
mod parsed;
mod place;
mod preorder;
mod reader;
mod scan;
mod single;
mod split;
mod text;
mod writer;
mod xqf;

pub use dhtmlxq::write_dhtmlxq;
pub use encoding::Encoding;
pub use format::{Format, UnknownFormat};
pub use model::{Record, Tree, Variation};
pub use parsed::{BadGame, BadGameReason, MAX_VARIATION_DEPTH, ParsedGame, ReadSummary};
pub use place::Place;
pub use reader::{read_chunk, read_games};
pub use split::{Chunk, MAX_GAME_BYTES, split_games};
pub use writer::{PgnOptions, write_pgn};
pub use xqf::write_xqf;
