//! Errors of reading, checking and repairing other programs' books.

use std::io;
use std::path::{Path, PathBuf};

use crate::book::model::error::{BookError, ReplaceError};
use crate::bytes::lock::Busy;
use crate::bytes::visible::ShowPath;
use crate::message::Message;

/// An error of reading or writing a foreign book. Every message names what to do next.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum InteropError {
    /// The file cannot be read.
    #[error("{}: cannot read the file", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is something else.
    #[error(
        "{}: {what}; give a book as .obk, .pfBook, .xqb, ElephantEye's BOOK.DAT, MoonRiver's .xob or \
         XBoard's .bin for xiangqi",
        path.shown()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The kind of file that it is instead.
        what: Message,
    },
    /// The file is something else than a book of gomoku.
    #[error("{}: {what}; give a database of Yixin or Rapfi, or a file of games with variations (.lib, .sgf …)", path.shown())]
    NoGomokuBook {
        /// The file.
        path: PathBuf,
        /// The kind of file that it is instead.
        what: Message,
    },
    /// The file is none of the program's own books, where only those serve.
    #[error("{}: not a book of this program; make one of it with `juzhong book import`", path.shown())]
    NotOwn {
        /// The file.
        path: PathBuf,
    },
    /// The file is not of the format that was asked for.
    #[error("{}: not a book of the format {format}: {what}; leave --from out to let the format be found", path.shown())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The format asked for.
        format: &'static str,
        /// The difference from that format.
        what: Message,
    },
    /// The file is of a known format, but cannot be read through.
    #[error("{}: damaged: {what}; try `juzhong book doctor` on a copy, or get the file again", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The kind and place of the damage.
        what: Message,
    },
    /// Another program has not finished writing.
    #[error(
        "{}: changes of another program lie beside it in {}; close that program, or open the book there \
         once more and close it",
        path.shown(), beside.shown()
    )]
    Unfinished {
        /// The book.
        path: PathBuf,
        /// The journal or log.
        beside: PathBuf,
    },
    /// More rows than the memory allows.
    #[error("{}: more than {rows} rows, for which {memory} bytes do not suffice; give more with --memory", path.shown())]
    TooLarge {
        /// The book.
        path: PathBuf,
        /// The number that would fit.
        rows: u64,
        /// The memory given, in bytes.
        memory: usize,
    },
    /// Nothing can be imported.
    #[error("{}: not one move can be taken over: {what}", path.shown())]
    Nothing {
        /// The book.
        path: PathBuf,
        /// The cause, and what to do.
        what: Message,
    },
    /// Another process writes the output.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The output cannot be created.
    #[error("{}: cannot create the file: {what}", path.shown())]
    Create {
        /// The output.
        path: PathBuf,
        /// The cause, and what to do.
        what: Message,
    },
    /// Writing failed underway.
    #[error("{}: cannot write the file; is the disk full?", path.shown())]
    Write {
        /// The output.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The stop flag was set.
    #[error("{}: interrupted; nothing was changed, run it again", path.shown())]
    Interrupted {
        /// The file at work.
        path: PathBuf,
    },
    /// One of the program's own books cannot be read.
    #[error(transparent)]
    Book(#[from] BookError),
    /// One of the program's own books cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

impl InteropError {
    /// A file that cannot be read or written.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// A file that is damaged.
    pub(crate) fn damaged(path: &Path, what: impl Into<Message>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
