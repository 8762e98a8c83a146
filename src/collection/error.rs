//! The faults of an index.

use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::StopFlag;
use crate::bytes::lock::Busy;
use crate::bytes::visible::ShowPath;
use crate::message::Message;

/// The reason why an index cannot be used.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum IndexError {
    /// Reading or writing failed.
    #[error("{}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: io::Error,
    },
    /// Another process brings the index up to its files.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// At the place of the index lies something else, which stays as it is.
    #[error("{} is no index of games: {what}; move it elsewhere", path.shown())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The kind of file that it is.
        what: Message,
    },
    /// The index is damaged; it can be made again.
    #[error("{} is damaged: {what}", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault in it.
        what: Message,
    },
    /// Another index, from which games were to be taken over, cannot be read as one.
    #[error("{} cannot be read as an index of games: {what}; leave it out, or make it anew", path.shown())]
    Other {
        /// The file.
        path: PathBuf,
        /// The fault in it.
        what: Message,
    },
    /// SQLite failed, for lack of room for instance.
    #[error("{}: {what}", path.shown())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// The work was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Refuses to go on once the flag is set.
pub(crate) fn expect_going(stop: &StopFlag) -> Result<(), IndexError> {
    if stop.is_set() { Err(IndexError::Interrupted) } else { Ok(()) }
}

/// Gives an error of SQLite the path of the index.
pub(crate) trait QueryResult<T> {
    /// An error becomes one of the index at `path`.
    fn in_index(self, path: &Path) -> Result<T, IndexError>;

    /// An error becomes one of another index, at `path`, from which games are taken over.
    fn in_other(self, path: &Path) -> Result<T, IndexError>;
}

impl<T> QueryResult<T> for rusqlite::Result<T> {
    fn in_index(self, path: &Path) -> Result<T, IndexError> {
        self.map_err(|error| IndexError::of(path, &error))
    }

    fn in_other(self, path: &Path) -> Result<T, IndexError> {
        self.in_index(path).map_err(IndexError::of_other)
    }
}

impl IndexError {
    /// An error of reading or writing at `path`.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Io { path: path.to_owned(), source },
        }
    }

    /// An error of SQLite in the index at `path`.
    fn of(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let what = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::Interrupted,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, what: what.into() }
            }
            Some(_) => Self::Failed { path, what },
            // A value of another type than the index writes, or a blob that cannot be read.
            None => Self::Damaged { path, what: what.into() },
        }
    }

    /// The same of another index, from which games are taken over: its file stays as it is.
    pub(crate) fn of_other(self) -> Self {
        match self {
            Self::Foreign { path, what } | Self::Damaged { path, what } => {
                Self::Other { path, what }
            }
            error => error,
        }
    }

    /// Returns true if the index should be made again.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}
