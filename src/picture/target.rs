//! Formats in which games are written: those of records, and those for people.

use std::fmt;
use std::str::FromStr;

use crate::picture::presentation::Presentation;
use crate::record::Format;

/// A format of an output.
///
/// ```
/// use juzhong::picture::{Presentation, Target};
/// use juzhong::record::Format;
///
/// assert_eq!("pgn".parse(), Ok(Target::Record(Format::Pgn)));
/// assert_eq!("GIF".parse(), Ok(Target::Shown(Presentation::Gif)));
/// assert!("png".parse::<Target>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A format of game records.
    Record(Format),
    /// A picture that moves, or a page for reading.
    Shown(Presentation),
}

/// No format has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("no format \"{0}\"; give one of {names}", names = names())]
pub struct UnknownTarget(String);

/// The names of all formats.
fn names() -> String {
    let shown = Presentation::ALL.map(Presentation::name);
    let names = Format::ALL.iter().map(|format| format.name()).chain(shown);
    names.collect::<Vec<_>>().join(", ")
}

impl Target {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Record(format) => format.name(),
            Self::Shown(presentation) => presentation.name(),
        }
    }

    /// The usual ending of files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Record(format) => format.extensions().first().copied().unwrap_or_default(),
            Self::Shown(presentation) => presentation.name(),
        }
    }

    /// Returns true if a file can hold more than one game.
    #[must_use]
    pub const fn holds_many(self) -> bool {
        match self {
            Self::Record(format) => format.holds_many(),
            Self::Shown(_) => false,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Self, UnknownTarget> {
        let format = text.parse().ok().map(Self::Record);
        let target = format.or_else(|| Presentation::named(text).map(Self::Shown));
        target.ok_or_else(|| UnknownTarget(text.to_owned()))
    }
}
