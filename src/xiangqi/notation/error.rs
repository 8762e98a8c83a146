//! The reasons for which a text is no legal move, with the position that it was read for.

use crate::xiangqi::position::Move;

/// The reasons for which a text is no legal move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum MoveError {
    /// In no known notation.
    #[error("\"{0}\" is no move in any known notation (uci, iccs, wxf, chinese)")]
    Unreadable(String),
    /// The side to move has no such piece there.
    #[error("\"{0}\": the side to move has no such piece there")]
    NoSuchPiece(String),
    /// Several pieces could make the move.
    #[error("\"{text}\" is ambiguous: {first} or {second}")]
    Ambiguous {
        /// As written.
        text: String,
        /// One reading.
        first: Move,
        /// Another.
        second: Move,
    },
    /// Read, but against the rules.
    #[error("\"{text}\" is illegal: {reason}")]
    Illegal {
        /// As written.
        text: String,
        /// The rule that it breaks.
        reason: IllegalReason,
    },
}

impl MoveError {
    /// The move as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Unreadable(text)
            | Self::NoSuchPiece(text)
            | Self::Ambiguous { text, .. }
            | Self::Illegal { text, .. } => text,
        }
    }
}

/// The rule that forbids a move, the nearest to a legal one last.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error, crate::message::ToMessage,
)]
#[repr(u8)]
pub enum IllegalReason {
    /// Coordinates whose first square is empty.
    #[error("no piece stands there")]
    EmptySquare,
    /// Coordinates whose first square holds the other side's piece.
    #[error("the piece belongs to the side that is not to move")]
    NotItsTurn,
    /// The target lies off the board.
    #[error("it leaves the board")]
    OffBoard,
    /// The piece does not move like that, or may not go there (palace, river).
    #[error("the piece does not move like that")]
    NotItsMove,
    /// A piece of the same side stands on the target.
    #[error("an own piece stands on the target")]
    OwnPiece,
    /// Pieces stand in the way; or a cannon has not exactly one to jump over for its capture.
    #[error("the way is blocked, or a cannon lacks its screen")]
    Blocked,
    /// The kings would face each other on an open file.
    #[error("the kings would face each other")]
    KingsFacing,
    /// The own king could be captured.
    #[error("it leaves the own king in check")]
    LeavesCheck,
}

/// A [`MoveError`] without the text: cheap to make while several readings are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Unreadable,
    NoSuchPiece,
    Ambiguous(Move, Move),
    Illegal(IllegalReason),
}

impl Fault {
    /// The full error.
    pub(crate) fn about(self, text: String) -> MoveError {
        match self {
            Self::Unreadable => MoveError::Unreadable(text),
            Self::NoSuchPiece => MoveError::NoSuchPiece(text),
            Self::Ambiguous(first, second) => MoveError::Ambiguous { text, first, second },
            Self::Illegal(reason) => MoveError::Illegal { text, reason },
        }
    }
}
