//! Errors by their kind: each front end says in its own way what it means, as an exit code or a status.

use std::error::Error;
use std::fmt::{self, Display};

use serde::Serialize;

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
    /// A file that the answer needs is not there, or may not be read.
    Absent,
    /// Too much is going on; later the request may be answered.
    Busy,
    /// Another process is changing the file that is to be changed.
    Locked,
    /// The file that is to be written may not be.
    ReadOnly,
    /// Something that the answer needs cannot be had now.
    Unavailable,
    /// A file that the answer needs is not what it should be.
    Damaged,
    /// The file that is to be written would become too large.
    Full,
    /// An output cannot be created.
    CannotCreate,
    /// Reading or writing failed.
    Io,
    /// The work was interrupted.
    Interrupted,
}

/// The reason why a request has no answer. Its text and its causes are those of the fault behind it.
#[derive(Debug)]
pub struct AnswerError {
    kind: ErrorKind,
    parameter: Option<&'static str>,
    fault: Box<dyn Error + Send + Sync>,
}

impl AnswerError {
    /// An error of that kind: a text that says what is wrong and what to do, or another error.
    #[must_use]
    pub fn new(kind: ErrorKind, fault: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind, parameter: None, fault: fault.into() }
    }

    /// The same, with the parameter of the request that is at fault, if one is.
    #[must_use]
    pub fn in_parameter(self, parameter: impl Into<Option<&'static str>>) -> Self {
        Self { parameter: parameter.into(), ..self }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The name of the parameter at fault, such as `add_line`.
    #[must_use]
    pub const fn parameter(&self) -> Option<&'static str> {
        self.parameter
    }

    /// The fault behind it.
    #[must_use]
    pub fn fault(&self) -> &(dyn Error + 'static) {
        &*self.fault
    }
}

impl Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl Error for AnswerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.fault.source()
    }
}

/// An error as a part of an answer that goes on without what could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// The exit code that the question by itself would have led to.
    pub code: u8,
    /// The message.
    pub message: Message,
}

/// The answer to a line of a batch that cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedLine {
    /// The line as it stands in the batch.
    pub fen: String,
    /// The reason.
    pub error: ErrorReport,
}
