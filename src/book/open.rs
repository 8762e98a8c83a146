//! Opening a book: those of other programs are named as such.

use std::io::Read;
use std::path::Path;

use crate::book::file::digest::SQLITE_MAGIC;
use crate::book::file::reader::Book;
use crate::book::imports::copy_of;
use crate::book::interop::{ForeignKind, InteropError, foreign_kind};
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
        match Self::open_file(path, stop) {
            Err(error @ BookError::NotABook { .. }) => match foreign_kind(path, stop) {
                Ok(kind) => Self::open_foreign(path, kind, stop, error),
                Err(_) => Err(named(error)),
            },
            opened => opened,
        }
    }

    /// [`open_until`](Self::open_until) of a book that is to be changed, examined or built upon: one of another program is
    /// always refused.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_own(path: &Path, stop: &StopFlag) -> Result<Self, BookError> {
        match Self::open_file(path, stop) {
            Err(error @ BookError::NotABook { .. }) => match foreign_kind(path, stop) {
                Ok(kind) => Err(refused(path, kind, error)),
                Err(_) => Err(named(error)),
            },
            opened => opened,
        }
    }

    /// Opens the copy of a foreign book, if copies are kept.
    fn open_foreign(
        path: &Path,
        kind: ForeignKind,
        stop: &StopFlag,
        error: BookError,
    ) -> Result<Self, BookError> {
        match copy_of(path, kind, stop) {
            Ok(Some(copy)) => Ok(Self::open_file(&copy, stop)?.named(path)),
            Ok(None) => Err(refused(path, kind, error)),
            Err(InteropError::Book(error)) => Err(error),
            Err(error) => {
                Err(BookError::NotImported { path: path.to_owned(), what: error.message() })
            }
        }
    }
}

/// The error of a foreign book where only books of this program serve.
fn refused(path: &Path, kind: ForeignKind, error: BookError) -> BookError {
    match kind {
        ForeignKind::Book(format) => {
            BookError::Foreign { path: path.to_owned(), format: format.name() }
        }
        _ => named(error),
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
