//! Errors by their kind: each front end says in its own way what it means, as an exit code or a status.

use crate::message::Message;
/// The kind of an error, which front ends translate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter has no such value: an unknown name, a number out of range.
    BadParameter,
    /// The data of the request cannot be read: a position, a move, a game.
    BadData,
    /// There is no such thing as is asked for.
    NotFound,
    /// Too much is going on; later the request may be answered.
    Busy,
    /// Something that the answer needs cannot be had now.
    Unavailable,
    /// A file that the answer needs is not what it should be.
    Damaged,
    /// The work was interrupted.
    Interrupted,
}

/// The reason why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("{message}")]
pub struct AnswerError {
    kind: ErrorKind,
    message: Message,
}

impl AnswerError {
    /// An error of that kind, with what is wrong and what to do.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<Message>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}
