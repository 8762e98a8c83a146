//! Game records: one [`Record`] model, and a reader and writer per file format.
//!
//! [`read_games`] reads a whole source; [`split_games`] and [`read_chunk`] let many threads read parts of
//! one. [`Packed`] and [`read_packed`] read a file as it is, packed perhaps or an archive of many sources.
//! [`write_game`] writes a record.
//!
//! What there is to know of a format is in its row, [`FormatRow`]: its names, what shows it, its reader and writer. The
//! lists of rows are in `formats`. Readers hand over each game, good or bad, in file order (`ChunkReader`), and for a
//! file of their format without any game nothing.
//!
//! A source is one slice. Games stream out of it one at a time, so that beside the source no more than
//! one game is held per thread. [`GameFile`] opens a file of somebody else, holds no more of it than
//! must be, and notices if it is changed meanwhile; [`read_game_file`] reads it.

mod archives;
mod formats;
mod gomoku;
mod model;
mod programs;
mod sniff;
mod source;
mod text;
mod utf16;

#[cfg(feature = "book")]
pub(crate) use archives::admit::{HEAD_BYTES, HIDDEN, LINK, admit};
pub use archives::archive::MAX_MEMBERS;
pub use archives::changed::ChangedError;
pub use archives::content::{Content, UnpackError};
pub use archives::file::{GameFile, MAX_INPUT, read_game_file};
pub use archives::member::{FREE_MEMBER_BYTES, MAX_UNPACKED, Member};
#[cfg(feature = "analysis")]
pub(crate) use archives::packed::read_packed_with;
pub use archives::packed::{Digest, NamedSink, Packed, Unpacked, read_packed};
#[cfg(feature = "book")]
pub(crate) use archives::packed::{TRUNCATED_MARK, tell_skipped};
#[cfg(feature = "book")]
pub(crate) use archives::windows::{FileWindow, WINDOW, Window, Windows};
pub use formats::Formats;
#[cfg(feature = "book")]
pub(crate) use gomoku::database::begins_database;
#[cfg(feature = "book")]
pub(crate) use gomoku::lib::{MAGIC as LIBRARY_MAGIC, read_library, write_nodes as write_library};
#[cfg(feature = "book")]
pub(crate) use gomoku::tree::Node as LibraryNode;
pub use model::bad_game::{BadGame, BadGameReason};
pub use model::chunk::Chunk;
pub use model::encoding::{Encoding, UnknownEncoding};
pub use model::format::{Format, GameCount, UnknownFormat};
pub use model::format_row::{FileKind, FormatInfo, FormatRow};
pub use model::limits::{
    FREE_BYTES, FREE_SHARED, MAX_GAME_BYTES, MAX_PARTS, MAX_RATIO, MAX_SHARED_RATIO,
    MAX_SHARED_TEXT, MAX_VARIATION_DEPTH,
};
pub use model::options::{Keep, ReadOptions};
pub use model::parsed::{GameSink, Note, ParsedGame, ReadSummary, SkippedWords, tell_words};
pub use model::place::Place;
pub use model::record::{Record, Tree, Variation};
pub use model::recorded::Recorded;
pub use model::written::{Dropped, PgnOptions, WriteError, WriteOptions};
pub use programs::xqf::write_xqf;
pub use source::{read_chunk, read_games, split_games, write_game};
pub use text::dhtmlxq::write_dhtmlxq;
pub use text::jsonl::write_jsonl;
pub use text::pgn_writer::{result_text, write_annotated_pgn, write_pgn};
pub use text::typed::TypedLine;
