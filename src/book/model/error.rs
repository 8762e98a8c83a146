//! Errors of building and opening books.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;

use crate::bytes::by_count;
use crate::bytes::lock::Busy;
use crate::bytes::visible::ShowPath;
use crate::message::{Message, message};

/// An error of opening or reading a book. Every message names what to do next.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum BookError {
    /// The file cannot be read.
    #[error("{}: cannot read the book", path.shown())]
    Io {
        /// The book.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{}: {what}; give a book made by `juzhong book build`", path.shown())]
    NotABook {
        /// The file.
        path: PathBuf,
        /// The kind of file that it is instead.
        what: Message,
    },
    /// A book of another program.
    #[error(
        "{}: a book of another program ({format}); import it first: juzhong book import {} -o BOOK",
        path.shown(), path.shown()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The format's name.
        format: &'static str,
    },
    /// A book of another program that cannot be imported.
    #[error("{}: a book of another program that cannot be imported: {what}", path.shown())]
    NotImported {
        /// The file.
        path: PathBuf,
        /// The cause.
        what: Message,
    },
    /// Written by a later version.
    #[error(
        "{}: book version {found}, but this program reads versions up to {supported}; update juzhong or rebuild the book",
        path.shown()
    )]
    Newer {
        /// The book.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version read.
        supported: i64,
    },
    /// Written by an earlier version.
    #[error(
        "{}: book version {found}, but this program reads version {supported}; build it again",
        path.shown()
    )]
    Older {
        /// The book.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version read.
        supported: i64,
    },
    /// The file ends too early.
    #[error(
        "{}: truncated: {have} bytes where {need} are needed; copy it again or rebuild it",
        path.shown()
    )]
    Truncated {
        /// The book.
        path: PathBuf,
        /// Its length in bytes.
        have: u64,
        /// The length stated in its header.
        need: u64,
    },
    /// Some bytes were changed.
    #[error("{}: damaged: {what}; restore it from a copy or rebuild it", path.shown())]
    Damaged {
        /// The book.
        path: PathBuf,
        /// The kind and place of the damage.
        what: Message,
    },
    /// A book of another game.
    #[error("{}: a book of {found}, not of {expected}; choose with --game", path.shown())]
    OtherGame {
        /// The book.
        path: PathBuf,
        /// Its game.
        found: String,
        /// The game asked for.
        expected: &'static str,
    },
}

/// An error of building a book. Nothing is left behind, and an existing file at the output stays.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum BuildError {
    /// An input does not exist or cannot be read.
    #[error("{}: cannot read the input", path.shown())]
    Input {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An input has changed since it was first read, so that it is unknown which games were counted.
    #[error("{}: the file was changed while it was read; wait until it is whole, then run this again", path.shown())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The games kept by an interrupted build were read from other bytes than those of the inputs, because a
    /// file was changed during the build. They are all removed with this error.
    #[error(
        "a file was changed while an earlier, interrupted build read it; what that build had kept was removed, run this again"
    )]
    Mixed,
    /// An input is neither a file nor a folder.
    #[error("{}: {what}; give game files or folders of them", path.shown())]
    StrangeInput {
        /// The path that was given.
        path: PathBuf,
        /// The kind of thing that it is.
        what: Message,
    },
    /// The folders hold no game files.
    #[error("{}: no game files (.pgn, .jsonl, .xqf, .zip and others) in this folder; give a folder that holds some", path.shown())]
    NoFiles {
        /// The first folder without any.
        path: PathBuf,
    },
    /// Not one game can be counted.
    #[error("{}{first}: {reason}", by_count(*files as u64, Message::from("no game to count in 1 file"), message!("no game to count in {files} files")))]
    NoGames {
        /// The first of them, in words; empty if games did not come from files.
        first: String,
        /// Number of files read.
        files: usize,
        /// The records found instead, and what to do.
        reason: Message,
    },
    /// A bad game, and none is tolerated.
    #[error("{first} (the first of {count} bad games; leave out --strict to skip them)")]
    Strict {
        /// The first bad game.
        first: Message,
        /// The number of bad games.
        count: u64,
    },
    /// The book that is added to cannot be used.
    #[error(transparent)]
    BaseBook(#[from] BookError),
    /// The book that is added to was built in another way.
    #[error(
        "{}: built with {option} {stated}, but asked for is {asked}; leave that option out, or build a new book",
        path.shown()
    )]
    Conflict {
        /// The book.
        path: PathBuf,
        /// The option that differs.
        option: &'static str,
        /// As asked for now.
        asked: String,
        /// As in the book.
        stated: String,
    },
    /// The book that is added to does not have all its moves any more.
    #[error(
        "{}: moves were dropped from this book, so that nothing can be counted into it; build it again from its sources",
        path.shown()
    )]
    Pruned {
        /// The book.
        path: PathBuf,
    },
    /// A shard, or a file given as one, cannot be used: the path, what is wrong, what to do.
    #[error("{what}")]
    Shard {
        /// All of it, in words.
        what: Message,
    },
    /// The book cannot be put in its place.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// An error of making a book from books. An existing file at the output stays.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum RemakeError {
    /// A book that was given cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The book to be made cannot be put in its place.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// Two books count some of the same games.
    #[error(
        "{} and {} both count {common} of the same games, which would count twice; build one book \
         from the game files of both",
        a.shown(), b.shown()
    )]
    Overlap {
        /// One book.
        a: PathBuf,
        /// The other.
        b: PathBuf,
        /// Number of games that both count.
        common: u64,
    },
    /// Two books hold some of the same games, which have no ids.
    #[error(
        "{} and {} hold moves of the same book or file, whose games would count twice; merge books that \
         were imported or built from different files, and each once",
        a.shown(), b.shown()
    )]
    SameSource {
        /// One book.
        a: PathBuf,
        /// The other.
        b: PathBuf,
    },
    /// A book that counts every record.
    #[error(
        "{}: the book counts every record (--no-dedup), so that nothing tells which games it has; build \
         one book from the game files of both",
        path.shown()
    )]
    NoIds {
        /// The book.
        path: PathBuf,
    },
    /// More books than are merged at once.
    #[error("{given} books; merge at most {limit} at once, then the results")]
    TooMany {
        /// Number of books.
        given: usize,
        /// The number that may be given.
        limit: usize,
    },
    /// Nothing would be left.
    #[error("{}: no move would be left; choose lower limits", path.shown())]
    NothingLeft {
        /// The book.
        path: PathBuf,
    },
}

/// An error of putting a book in its place. An existing file there stays, and nothing else is left there.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The existing book there cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// Another process is writing there.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// No book can be made there.
    #[error("{}: cannot create the book: {what}", path.shown())]
    Refused {
        /// The place.
        path: PathBuf,
        /// The cause, and what to do.
        what: Message,
    },
    /// The stop flag was set.
    #[error("{}: interrupted; nothing was changed, run it again", path.shown())]
    Interrupted {
        /// The place.
        path: PathBuf,
    },
    /// Reading or writing failed underway.
    #[error("{}: cannot write the book{}", path.shown(), question(is_full(source)))]
    Write {
        /// The place.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The store failed underway.
    #[error("{}: cannot write the book{}", path.shown(), question(is_store_full(source)))]
    Store {
        /// The place.
        path: PathBuf,
        /// The cause.
        source: rusqlite::Error,
    },
}

fn is_full(error: &io::Error) -> bool {
    let kinds =
        [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
    kinds.contains(&error.kind())
}

/// Returns true if the error is likely that of a full disk: SQLite reports much of that as a failure of input
/// or output.
fn is_store_full(error: &rusqlite::Error) -> bool {
    let codes = [ErrorCode::DiskFull, ErrorCode::SystemIoFailure];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

const fn question(is_full: bool) -> &'static str {
    if is_full { "; is the disk full? What stood there stays" } else { "; what stood there stays" }
}
