//! Games that are refused, with the places and the reasons.

use std::fmt;

use crate::bytes::visible::Visible;
use crate::message::{Message, ToMessage, message};
use crate::record::model::limits::{MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH};
use crate::record::model::place::Place;
use crate::xiangqi::FenError;
use crate::xiangqi::notation::MoveError;

/// A game that could not be read, and where and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGame {
    /// The source, as the caller names it.
    pub source: String,
    /// The place of the fault.
    pub place: Place,
    /// The number of the game in the source, from 1.
    pub game: u64,
    /// The reason for refusing the game.
    pub reason: BadGameReason,
}

impl BadGame {
    /// The message without the number of a byte, which says nothing to most readers.
    #[must_use]
    pub fn without_byte(&self) -> Message {
        match self.place {
            Place::Offset(at) if at > 0 => {
                let reason = self.reason.message().visible();
                message!("{}: game {}: {reason}", Visible(&self.source), self.game)
            }
            _ => self.message(),
        }
    }
}

impl ToMessage for BadGame {
    fn message(&self) -> Message {
        let reason = self.reason.message().visible();
        // Of a file of another kind no byte is at fault, and the number of a move says more than a byte of a binary file.
        let is_other =
            matches!(self.reason, BadGameReason::UnknownFormat(_) | BadGameReason::Unsupported(_));
        match self.place {
            Place::Offset(0) if is_other => {
                message!("{}: {reason}", Visible(&self.source))
            }
            Place::Offset(_) if self.reason.bad_ply().is_some() => {
                message!("{}: game {}: {reason}", Visible(&self.source), self.game)
            }
            place => {
                let place = Visible(place.within(&self.source));
                message!("{place}: game {}: {reason}", self.game)
            }
        }
    }
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// The reason stands in the message, and is no source beside it.
impl std::error::Error for BadGame {}

/// The reason for refusing a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum BadGameReason {
    /// No game boundary within [`MAX_GAME_BYTES`].
    #[error("a game of {0} bytes; at most {MAX_GAME_BYTES} are read")]
    TooLong(usize),
    /// More UTF-16 than is read.
    #[error("more than 64 MiB of text in UTF-16; convert it to UTF-8")]
    Utf16,
    /// The content is of no format of game records: what it begins with.
    #[error("no format of game records is known that begins with {0}")]
    UnknownFormat(Message),
    /// A known format, but something in it that is not read: what, and what to do.
    #[error("{0}")]
    Unsupported(Message),
    /// The bytes contradict the format: what is wrong.
    #[error("{0}")]
    Malformed(Message),
    /// The bytes end too early: within what.
    #[error("truncated: the file ends within {0}")]
    Truncated(Message),
    /// Text without tags that does not begin with a move either.
    #[error("no PGN: no tags, and the text begins with \"{0}\"")]
    NotPgn(String),
    /// The start position is not legal.
    #[error("start position: {0}")]
    Start(FenError),
    /// A move of the main line.
    #[error("ply {ply}: {error}")]
    Move {
        /// From 1.
        ply: usize,
        /// The fault of the move.
        error: MoveError,
    },
    /// A move of the main line of a game whose readers say in words what is wrong.
    #[error("ply {ply}: {what}")]
    Unplayable {
        /// From 1.
        ply: usize,
        /// The fault of the move.
        what: Message,
    },
    /// A tag between moves.
    #[error("tag \"{0}\" between moves")]
    LateTag(String),
    /// A move after the result.
    #[error("move \"{0}\" after the result; begin each game with a tag")]
    LateMove(String),
    /// `{` without `}`.
    #[error("a comment is never closed")]
    OpenComment,
    /// `(` without `)`.
    #[error("a variation is never closed")]
    OpenVariation,
    /// `)` without `(`.
    #[error("')' closes no variation")]
    NoVariation,
    /// More than [`MAX_VARIATION_DEPTH`].
    #[error("variations nest more than {MAX_VARIATION_DEPTH} deep")]
    TooDeep,
    /// More than [`MAX_PARTS`].
    #[error("more than {MAX_PARTS} variations, comments and tags")]
    TooManyParts,
}

impl BadGameReason {
    /// The fault without the number of the ply.
    #[must_use]
    pub fn in_short(&self) -> Message {
        match self {
            Self::Move { error, .. } => error.message(),
            Self::Unplayable { what, .. } => what.clone(),
            reason => reason.message(),
        }
    }

    /// The number of the move that is the fault, from 1, if it is one.
    #[must_use]
    pub const fn bad_ply(&self) -> Option<usize> {
        match self {
            Self::Move { ply, .. } | Self::Unplayable { ply, .. } => Some(*ply),
            _ => None,
        }
    }
}
