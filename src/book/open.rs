//! Opening a book: those of other programs are named as such.

use std::path::Path;

use crate::book::file::reader::Book;
use crate::book::interop::sniff_until;
use crate::book::model::error::BookError;
use crate::bytes::StopFlag;

impl Book {
    /// Opens a book. This reads the book's metadata and checks that the file is complete, but not all of its
    /// content: see [`check_file`](Self::check_file) and [`verify`](Self::verify).
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
        Self::open_own(path, stop).map_err(|error| match &error {
            BookError::NotABook { .. } => match sniff_until(path, stop) {
                Ok(format) => BookError::Foreign { path: path.to_owned(), format: format.name() },
                Err(_) => error,
            },
            _ => error,
        })
    }
}
