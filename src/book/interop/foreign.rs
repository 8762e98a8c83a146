//! Files of which a book can be made, told apart by their content.

use std::io::Read;
use std::path::Path;

use crate::book::interop::BookFormat;
use crate::book::interop::error::InteropError;
use crate::book::interop::sniff::sniff_until;
use crate::book::interop::table::table_game;
use crate::bytes::{StopFlag, open};
use crate::gomoku::Board;
use crate::record::{Formats, LIBRARY_MAGIC, begins_database};
use crate::xiangqi::Position;

/// The bytes by which files of games and tables are known.
const HEAD: u64 = 1 << 16;

/// A kind of file of which a book can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignKind {
    /// A book of another program, for xiangqi.
    Book(BookFormat),
    /// A table of moves, and the game whose it is.
    Table(&'static str),
    /// Games of xiangqi, whose moves and variations become those of a book.
    Games,
    /// A database of gomoku, or games of it.
    Gomoku,
}

impl ForeignKind {
    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Book(format) => format.name(),
            Self::Table(_) => "csv",
            Self::Games => "games",
            Self::Gomoku => "gomoku",
        }
    }
}

/// The kind of the file at `path`.
///
/// # Errors
///
/// [`InteropError::Unknown`] if it is none, [`InteropError::Io`], [`InteropError::Interrupted`] soon after `stop` was set.
pub fn foreign_kind(path: &Path, stop: &StopFlag) -> Result<ForeignKind, InteropError> {
    let mut head = Vec::new();
    let read = open::regular(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    if head.starts_with(LIBRARY_MAGIC) {
        return Ok(ForeignKind::Gomoku);
    }
    let unknown = match sniff_until(path, stop) {
        Ok(format) => return Ok(ForeignKind::Book(format)),
        Err(error @ InteropError::Unknown { .. }) => error,
        Err(error) => return Err(error),
    };
    if read.is_err() || head.trim_ascii().is_empty() {
        return Err(unknown);
    }
    if let Some(game) = table_game(&head) {
        return Ok(ForeignKind::Table(game));
    }
    if Position::sniff(&head).is_ok() {
        return Ok(ForeignKind::Games);
    }
    if begins_database(&head) || Board::sniff(&head).is_ok() {
        return Ok(ForeignKind::Gomoku);
    }
    Err(unknown)
}
