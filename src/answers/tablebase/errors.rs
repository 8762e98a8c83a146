//! The kinds of the errors of endgame tables.

use crate::answers::error::{AnswerError, ErrorKind};
use crate::tablebase::{GenerateError, TableError};

impl From<TableError> for AnswerError {
    fn from(error: TableError) -> Self {
        let kind = match &error {
            _ if error.is_missing() => ErrorKind::NotFound,
            TableError::Read { .. } => ErrorKind::Io,
            _ if error.is_out_of_space() => ErrorKind::Io,
            TableError::Write { .. } => ErrorKind::CannotCreate,
            _ => ErrorKind::Damaged,
        };
        Self::new(kind, error)
    }
}

impl From<GenerateError> for AnswerError {
    fn from(error: GenerateError) -> Self {
        let kind = match error {
            GenerateError::Table(error) => return error.into(),
            // What was asked for cannot be met, here or anywhere.
            GenerateError::Memory { .. }
            | GenerateError::TooLarge(_)
            | GenerateError::TooDeep(_)
            | GenerateError::TooManyMoves(_) => ErrorKind::BadParameter,
            GenerateError::Disk { .. } => ErrorKind::CannotCreate,
            GenerateError::Threads(_) => ErrorKind::Io,
            GenerateError::Interrupted => ErrorKind::Interrupted,
        };
        Self::new(kind, error)
    }
}
