//! The rule sets of gomoku and their names.

use std::fmt;
use std::str::FromStr;

use crate::game::Side;

/// A rule of what counts as a row, and of which moves are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Variant {
    /// A row of the winning length or longer wins.
    #[default]
    Freestyle,
    /// Only a row of exactly the winning length wins.
    Standard,
    /// Black, who begins, wins by a row of exactly the winning length only, and may not make an overline, two
    /// fours or two open threes at once. White may, and wins by an overline too.
    Renju,
}

/// A text that names no variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("no variant of gomoku is called \"{0}\"; choose freestyle, standard or renju")]
pub struct UnknownVariant(String);

impl Variant {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Freestyle, Self::Standard, Self::Renju];

    /// `freestyle`, `standard` or `renju`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Freestyle => "freestyle",
            Self::Standard => "standard",
            Self::Renju => "renju",
        }
    }

    /// Returns true if `side` wins only by a row of exactly the winning length.
    #[must_use]
    pub const fn is_exact(self, side: Side) -> bool {
        match self {
            Self::Freestyle => false,
            Self::Standard => true,
            Self::Renju => matches!(side, Side::First),
        }
    }

    /// Returns true if some moves of `side` are forbidden.
    #[must_use]
    pub const fn forbids(self, side: Side) -> bool {
        matches!((self, side), (Self::Renju, Side::First))
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    /// Reads a [name](Self::name), in any case; `free` and `exact` too.
    fn from_str(text: &str) -> Result<Self, UnknownVariant> {
        match text.to_ascii_lowercase().as_str() {
            "freestyle" | "free" => Ok(Self::Freestyle),
            "standard" | "exact" => Ok(Self::Standard),
            "renju" => Ok(Self::Renju),
            _ => Err(UnknownVariant(text.chars().take(40).collect())),
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
