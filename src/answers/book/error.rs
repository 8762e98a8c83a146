//! The kinds of the errors of books.

use std::io;

use crate::answers::error::{AnswerError, ErrorKind};
use crate::book::interop::InteropError;
use crate::book::{BookError, BuildError, EditError, FlagError, RemakeError, ReplaceError};

impl From<BookError> for AnswerError {
    fn from(error: BookError) -> Self {
        let kind = match &error {
            BookError::Io { source, .. } if source.kind() == io::ErrorKind::Interrupted => {
                ErrorKind::Interrupted
            }
            BookError::Io { source, .. } => kind_of_reading(source),
            _ => ErrorKind::Damaged,
        };
        Self::new(kind, error)
    }
}

impl From<ReplaceError> for AnswerError {
    fn from(error: ReplaceError) -> Self {
        let kind = match error {
            ReplaceError::Book(error) => return error.into(),
            ReplaceError::Busy { .. } => ErrorKind::Locked,
            ReplaceError::Refused { .. } => ErrorKind::ReadOnly,
            ReplaceError::Interrupted { .. } => ErrorKind::Interrupted,
            _ => ErrorKind::Io,
        };
        Self::new(kind, error)
    }
}

impl From<EditError> for AnswerError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Book(error) => error.into(),
            EditError::Replace(error) => error.into(),
            _ => Self::new(ErrorKind::BadData, error),
        }
    }
}

impl From<FlagError> for AnswerError {
    fn from(error: FlagError) -> Self {
        match error {
            FlagError::Replace(error) => error.into(),
            FlagError::Evaluate(error) => Self::new(ErrorKind::Damaged, error),
        }
    }
}

impl From<BuildError> for AnswerError {
    fn from(error: BuildError) -> Self {
        let kind = match error {
            BuildError::BaseBook(error) => return error.into(),
            BuildError::Replace(error) => return error.into(),
            BuildError::Input { ref source, .. } => kind_of_reading(source),
            BuildError::StrangeInput { .. }
            | BuildError::NoFiles { .. }
            | BuildError::NoGames { .. }
            | BuildError::Pruned { .. }
            | BuildError::Shard { .. }
            | BuildError::Strict { .. } => ErrorKind::BadData,
            BuildError::Conflict { .. } => ErrorKind::BadParameter,
            _ => ErrorKind::Io,
        };
        Self::new(kind, error)
    }
}

impl From<RemakeError> for AnswerError {
    fn from(error: RemakeError) -> Self {
        match error {
            RemakeError::Book(error) => error.into(),
            RemakeError::Replace(error) => error.into(),
            RemakeError::TooMany { .. } => Self::new(ErrorKind::BadParameter, error),
            _ => Self::new(ErrorKind::BadData, error),
        }
    }
}

impl From<InteropError> for AnswerError {
    fn from(error: InteropError) -> Self {
        let kind = match error {
            InteropError::Book(error) => return error.into(),
            InteropError::Replace(error) => return error.into(),
            InteropError::Io { ref source, .. } => kind_of_reading(source),
            InteropError::Busy(_) => ErrorKind::Locked,
            InteropError::Create { .. } => ErrorKind::ReadOnly,
            InteropError::Write { .. } => ErrorKind::Io,
            InteropError::Interrupted { .. } => ErrorKind::Interrupted,
            _ => ErrorKind::BadData,
        };
        Self::new(kind, error)
    }
}

/// The kind of an error of reading a file.
fn kind_of_reading(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => ErrorKind::Absent,
        _ => ErrorKind::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::lock::Busy;

    fn book_error(kind: io::ErrorKind) -> BookError {
        BookError::Io { path: "a.book".into(), source: kind.into() }
    }

    /// The kind of an error of a book that cannot be read for that reason.
    fn kind_behind(kind: io::ErrorKind) -> ErrorKind {
        AnswerError::from(book_error(kind)).kind()
    }

    fn damaged() -> BookError {
        BookError::Damaged { path: "a.book".into(), what: "a row".into() }
    }

    #[test]
    fn errors_of_books_have_the_kind_of_what_is_behind_them() {
        assert_eq!(kind_behind(io::ErrorKind::NotFound), ErrorKind::Absent);
        assert_eq!(kind_behind(io::ErrorKind::Interrupted), ErrorKind::Interrupted);
        assert_eq!(kind_behind(io::ErrorKind::Other), ErrorKind::Io);
        assert_eq!(AnswerError::from(damaged()).kind(), ErrorKind::Damaged);
        let edited = EditError::Replace(ReplaceError::Book(damaged()));
        assert_eq!(AnswerError::from(edited).kind(), ErrorKind::Damaged);
        let busy = ReplaceError::Busy(Busy { path: "a.book".into(), process: None });
        assert_eq!(AnswerError::from(busy).kind(), ErrorKind::Locked);
        let locked = EditError::Locked { mv: "h2e2".to_owned(), position: String::new() };
        assert_eq!(AnswerError::from(locked).kind(), ErrorKind::BadData);
    }

    #[test]
    fn causes_are_those_of_the_error_behind() {
        let error = AnswerError::from(book_error(io::ErrorKind::NotFound));
        assert_eq!(error.to_string(), "a.book: cannot read the book");
        assert!(std::error::Error::source(&error).is_some());
    }
}
