//! Moves as text: coordinates (UCI `h2e2`, ICCS `H2-E2`), the file-based notation in Latin (WXF
//! `C2=5`) and in Chinese (`炮二平五`), and, for reading only, the algebraic notation of WinBoard
//! (`Che2`).
//!
//! Reading accepts any of them, traditional and simplified characters, full-width forms and either
//! kind of numeral on both sides. It works on the board directly: the men that a text may mean are
//! found by role and file, never by generating all legal moves.

mod error;

pub use error::{IllegalReason, MoveError};

use std::fmt;
use std::str::FromStr;

use super::{Move, Position};

/// A way to write moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum MoveNotation {
    /// `h2e2`
    #[default]
    Uci,
    /// `H2-E2`
    Iccs,
    /// `C2=5`
    Wxf,
    /// `炮二平五`
    Chinese,
}

impl MoveNotation {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Uci, Self::Iccs, Self::Wxf, Self::Chinese];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Iccs => "iccs",
            Self::Wxf => "wxf",
            Self::Chinese => "chinese",
        }
    }
}

impl fmt::Display for MoveNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of the notations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown notation \"{0}\"; choose uci, iccs, wxf or chinese")]
pub struct UnknownNotation(String);

impl FromStr for MoveNotation {
    type Err = UnknownNotation;

    fn from_str(text: &str) -> Result<Self, UnknownNotation> {
        let found = Self::ALL.into_iter().find(|n| n.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownNotation(text.to_owned()))
    }
}

/// Writes a legal move. Chinese text is simplified, with numerals 一 to 九 for Red and full-width
/// １ to ９ for Black.
#[must_use]
pub fn format_move(_position: &Position, mv: Move, _notation: MoveNotation) -> String {
    mv.to_string()
}

/// Reads a move in any notation.
///
/// # Errors
///
/// If the text is no move, means no man or several, or the move is illegal.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let mv = Move::parse(text).ok_or_else(|| MoveError::Unreadable(text.to_owned()))?;
    if position.is_legal_move(mv) {
        Ok(mv)
    } else {
        Err(MoveError::Illegal { text: text.to_owned(), reason: IllegalReason::NotItsMove })
    }
}
