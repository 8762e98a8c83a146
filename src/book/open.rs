//! Opening a book: those of other programs are named as such.

use std::io::Read;
use std::path::Path;

use crate::book::file::digest::SQLITE_MAGIC;
use crate::book::file::reader::Book;
use crate::book::imports::copy_of;
use crate::book::interop::{BookFormat, InteropError, sniff_until};
use crate::book::model::error::BookError;
use crate::bytes::{StopFlag, open};
use crate::gomoku::Board;
use crate::message::{Message, ToMessage, message};
use crate::record::{BadGameReason, Formats};
use crate::xiangqi::Position;

/// The bytes of a file that is no book from which its kind is determined.
const HEAD: u64 = 1 << 20;

impl Book {
    /// Opens a book. This reads the book's metadata and checks that the file is complete, but not all of its
    /// content: see [`check_file`](Self::check_file) and [`verify`](Self::verify). A book of another program is refused,
    /// unless [`keep_imports_in`](crate::book::keep_imports_in) was called: then it is imported once, and its copy opened.
    ///
    /// # Errors
    ///
    /// Every way in which the file can be no usable book, see [`BookError`].
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::open_until(path, &StopFlag::default())
    }

    /// [`open`](Self::open); opening, and every later query of the book, ends with an error of
    /// [`ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted) soon after `stop` was set.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_until(path: &Path, stop: &StopFlag) -> Result<Self, BookError> {
        match Self::open_own(path, stop) {
            Err(error @ BookError::NotABook { .. }) => match sniff_until(path, stop) {
                Ok(format) => Self::open_foreign(path, format, stop),
                Err(_) => Err(named(error)),
            },
            opened => opened,
        }
    }

    /// Opens the copy of a foreign book, if copies are kept.
    fn open_foreign(path: &Path, format: BookFormat, stop: &StopFlag) -> Result<Self, BookError> {
        match copy_of(path, stop) {
            Ok(Some(copy)) => Self::open_own(&copy, stop),
            Ok(None) => Err(BookError::Foreign { path: path.to_owned(), format: format.name() }),
            Err(InteropError::Book(error)) => Err(error),
            Err(error) => {
                Err(BookError::NotImported { path: path.to_owned(), what: error.message() })
            }
        }
    }
}

/// The error of a file that is no book, with what the file is if its beginning says that.
fn named(error: BookError) -> BookError {
    let BookError::NotABook { path, what } = error else { return error };
    let what = match kind_of(&path) {
        Some(kind) => message!("not a SQLite database but {kind}"),
        None => what,
    };
    BookError::NotABook { path, what }
}

/// The kind of a file that is no database, in words.
fn kind_of(path: &Path) -> Option<Message> {
    let mut head = Vec::new();
    open::regular(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    if head.trim_ascii().is_empty() || head.starts_with(SQLITE_MAGIC) {
        return None;
    }
    match (Position::sniff(&head), Board::sniff(&head)) {
        (Ok(format), _) | (Err(_), Ok(format)) => {
            Some(message!("a file of games ({})", format.name()))
        }
        (Err(BadGameReason::Unsupported(what)), _) => {
            what.to_string().split(';').next().map(Message::from)
        }
        _ => None,
    }
}
