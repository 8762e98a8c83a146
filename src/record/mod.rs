//! Game records: one [`Record`] model, and a reader and writer per file format.
//!
//! [`read_games`] reads a whole source; [`split_games`] and [`read_chunk`] let many threads read parts of
//! one. [`Packed`] and [`read_packed`] read a file as it is, packed perhaps or an archive of many sources.
//! [`write_game`] writes a record.
//!
//! Every reader of a whole file has the form `read(source, bytes, sink) -> ReadSummary`: it hands
//! each game, good or bad, to `sink` in file order, names `source` in messages, and for a file of
//! its format without any game sinks nothing.
//!
//! A source is one slice. Games stream out of it one at a time, so that beside the source no more than
//! one game is held per thread. [`GameFile`] opens a file of somebody else, holds no more of it than
//! must be, and notices if it is changed meanwhile; [`read_game_file`] reads it.

mod admit;
mod archive;
mod board;
mod cbf;
mod ccbridge;
mod ccm;
mod che;
mod chn;
mod dhtmlxq;
mod encoding;
mod export;
mod file;
mod format;
mod jsonl;
mod markup;
mod model;
mod mxq;
mod old_cbl;
mod packed;
mod parsed;
mod pfc;
mod pgn;
mod pgn_writer;
mod place;
mod plain;
mod preorder;
mod scan;
mod sevenz;
mod single;
mod sniff;
mod source;
mod split;
mod table;
mod tar;
mod text;
mod unpack;
mod windows;
mod write;
mod wxf;
mod xqf;
mod xqr;
mod zip;

#[cfg(feature = "book")]
pub(crate) use admit::{HEAD_BYTES, HIDDEN, LINK, admit};
pub use dhtmlxq::write_dhtmlxq;
pub use encoding::{Encoding, UnknownEncoding};
pub use file::{ChangedError, GameFile, MAX_INPUT, read_game_file};
pub use format::{Format, UnknownFormat};
pub use jsonl::write_jsonl;
pub use model::{Record, Tree, Variation};
pub use packed::{
    Content, Digest, FREE_BYTES, FREE_MEMBER_BYTES, MAX_MEMBERS, MAX_RATIO, MAX_UNPACKED, Member,
    NamedSink, Packed, UnpackError, Unpacked, read_packed,
};
#[cfg(feature = "book")]
pub(crate) use packed::{TRUNCATED_MARK, tell_skipped};
pub use parsed::{
    BadGame, BadGameReason, MAX_PARTS, MAX_VARIATION_DEPTH, Note, ParsedGame, ReadSummary,
};
use pgn_writer::result_text;
pub use pgn_writer::{PgnOptions, write_pgn};
pub use place::Place;
pub use source::{read_chunk, read_cut_chunk, read_games, split_games};
pub use split::{Chunk, MAX_GAME_BYTES};
#[cfg(feature = "book")]
pub(crate) use windows::{FileWindow, WINDOW};
pub(crate) use windows::{Window, Windows};
pub use write::{Dropped, WriteError, WriteOptions, write_game};
pub use xqf::write_xqf;
