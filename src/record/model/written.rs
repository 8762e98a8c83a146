//! Records as they are written: the choices of a writer, its output, what it leaves out, and why it refuses.

use std::io;

use crate::game::Game;
use crate::message::{Message, message};
use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::record::Record;
use crate::xiangqi::notation::MoveNotation;

/// The options for writing a PGN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PgnOptions {
    /// The notation of moves.
    pub notation: MoveNotation,
    /// True if Chinese moves are written in traditional characters, as Big5 has them.
    pub traditional: bool,
    /// Lines of moves have at most this many columns, a Chinese character counting two, where a
    /// single move does not need more. Comments keep their own lines.
    pub width: usize,
    /// True if variations are written.
    pub variations: bool,
    /// True if comments are written.
    pub comments: bool,
}

impl Default for PgnOptions {
    fn default() -> Self {
        Self {
            notation: MoveNotation::Chinese,
            traditional: false,
            width: 80,
            variations: true,
            comments: true,
        }
    }
}

/// The options for writing records.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// The notation of moves, and the parts of the record that are written.
    pub pgn: PgnOptions,
    /// The encoding of texts; JSONL is UTF-8 always, XQF GB18030.
    pub encoding: Encoding,
    /// True if `?` is written for characters that the encoding lacks.
    pub replace: bool,
    /// Width and height of the board that a reader of the output will be told, where a format of gomoku does not say it.
    pub board: Option<(u8, u8)>,
}

/// The reason why a record cannot be written.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum WriteError {
    /// The output failed.
    #[error("cannot write")]
    Io(#[from] io::Error),
    /// A character is not in the encoding.
    #[error("'{0}' (U+{code:04X}) cannot be written in {1}; choose another encoding, or have ? written instead", code = *.0 as u32)]
    Unencodable(char, Encoding),
    /// Games are read in that format only.
    #[error("{0} is read, not written; choose {names}", names = names(.1))]
    NoWriter(Format, &'static [Format]),
    /// The format has no place for the start of the game.
    #[error("{0} has no place for {1}; choose jsonl")]
    Unfit(Format, &'static str),
}

/// The counts of what a format has no room for, in records that were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Variations, those within others included.
    pub variations: u64,
    /// Comments.
    pub comments: u64,
    /// Tags.
    pub tags: u64,
    /// Results, but for those that the last position shows.
    pub results: u64,
}

impl std::ops::AddAssign for Dropped {
    fn add_assign(&mut self, other: Self) {
        self.variations += other.variations;
        self.comments += other.comments;
        self.tags += other.tags;
        self.results += other.results;
    }
}

impl Dropped {
    /// All variations and comments of a record.
    pub(crate) fn tree_of<G: Game>(record: &Record<G>) -> Self {
        let mut dropped = Self::default();
        for tree in record.tree.with_variations() {
            dropped.comments += tree.comments.len() as u64;
            dropped.variations += tree.variations.len() as u64;
        }
        dropped
    }
}

/// Names of formats as a choice: `a, b or c`.
fn names(formats: &[Format]) -> Message {
    let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => message!("{} or {last}", first.join(", ")),
        _ => names.concat().into(),
    }
}

/// A record as its format has it.
#[derive(Debug)]
pub(crate) struct Written {
    bytes: Vec<u8>,
    /// True for a text in UTF-8 that is written in the encoding asked for.
    is_text: bool,
    pub(crate) dropped: Dropped,
}

impl Written {
    /// A text, which is written in any encoding.
    pub(crate) fn text(text: impl Into<Vec<u8>>, dropped: Dropped) -> Self {
        Self { bytes: text.into(), is_text: true, dropped }
    }

    /// Bytes that are written as they are.
    pub(crate) const fn bytes(bytes: Vec<u8>, dropped: Dropped) -> Self {
        Self { bytes, is_text: false, dropped }
    }

    /// The bytes in the encoding of the options.
    ///
    /// # Errors
    ///
    /// [`WriteError::Unencodable`].
    pub(crate) fn encoded(self, options: &WriteOptions) -> Result<Vec<u8>, WriteError> {
        if !self.is_text {
            return Ok(self.bytes);
        }
        let text = String::from_utf8_lossy(&self.bytes);
        options
            .encoding
            .encode(&text, options.replace)
            .map_err(|c| WriteError::Unencodable(c, options.encoding))
    }
}
