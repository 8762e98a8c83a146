//! The kinds of the errors of reviews, exercises and journals.

use std::io;

use crate::answers::error::{AnswerError, ErrorKind};
use crate::bytes::journal::JournalError;
use crate::review::ReviewError;
use crate::train::{SourceError, TrainError};

impl From<TrainError> for AnswerError {
    fn from(error: TrainError) -> Self {
        let kind = match error {
            TrainError::Absent { .. } => ErrorKind::Absent,
            TrainError::Io { .. } => ErrorKind::Io,
            TrainError::Busy(_) => ErrorKind::Locked,
            TrainError::ReadOnly { .. } => ErrorKind::ReadOnly,
            TrainError::Full { .. } => ErrorKind::Full,
            TrainError::Unknown { .. } => ErrorKind::BadData,
            _ => ErrorKind::Damaged,
        };
        Self::new(kind, error)
    }
}

impl From<SourceError> for AnswerError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Book(error) => error.into(),
            SourceError::NoSide { .. } => Self::new(ErrorKind::BadParameter, error),
            SourceError::Line { .. } => Self::new(ErrorKind::BadData, error),
            SourceError::Io(source) if source.kind() == io::ErrorKind::Interrupted => {
                Self::new(ErrorKind::Interrupted, source)
            }
            SourceError::Io(source) => Self::new(ErrorKind::Io, source),
        }
    }
}

impl From<ReviewError> for AnswerError {
    fn from(error: ReviewError) -> Self {
        let kind = match error {
            ReviewError::Tables(_) => ErrorKind::Absent,
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, error)
    }
}

impl From<JournalError> for AnswerError {
    fn from(error: JournalError) -> Self {
        let kind = match &error {
            JournalError::File { source, .. } if source.kind() != io::ErrorKind::AlreadyExists => {
                ErrorKind::Io
            }
            _ => ErrorKind::CannotCreate,
        };
        Self::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(error: impl Into<AnswerError>) -> ErrorKind {
        error.into().kind()
    }

    /// The error of a journal that cannot be read for that reason.
    fn journal(kind: io::ErrorKind) -> JournalError {
        JournalError::File { path: "a.train".into(), source: kind.into() }
    }

    #[test]
    fn errors_have_the_kind_of_what_is_behind_them() {
        assert_eq!(kind_of(TrainError::Absent { path: "a.train".into() }), ErrorKind::Absent);
        let none = TrainError::NoCollection { path: "a.train".into() };
        assert_eq!(kind_of(none), ErrorKind::Damaged);
        assert_eq!(kind_of(TrainError::Full { path: "a.train".into() }), ErrorKind::Full);
        let interrupted = SourceError::Io(io::ErrorKind::Interrupted.into());
        assert_eq!(kind_of(interrupted), ErrorKind::Interrupted);
        let no_side = SourceError::NoSide { name: "a.book".to_owned() };
        assert_eq!(kind_of(no_side), ErrorKind::BadParameter);
        let missing = ReviewError::Tables("no tables".into());
        assert_eq!(kind_of(missing), ErrorKind::Absent);
        assert_eq!(kind_of(journal(io::ErrorKind::AlreadyExists)), ErrorKind::CannotCreate);
        assert_eq!(kind_of(journal(io::ErrorKind::Other)), ErrorKind::Io);
    }
}
