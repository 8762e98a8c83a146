//! Places in sources, for messages.

use std::fmt;

/// A place in a source. It is displayed as in a column of a list: a line as its number, an offset as `@6699`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A line of a text, from 1.
    Line(u64),
    /// A byte of a binary file, from 0.
    Offset(u64),
}

impl Place {
    /// The place after the name of its source: `games.pgn:12` or `games.xqf: byte 0x1a2b`.
    #[must_use]
    pub fn within(self, source: &str) -> String {
        match self {
            Self::Line(line) => format!("{source}:{line}"),
            Self::Offset(offset) => format!("{source}: byte {offset:#x}"),
        }
    }

    /// The place some lines further down; that of a byte stays.
    pub(crate) const fn after_lines(self, lines: u64) -> Self {
        match self {
            Self::Line(line) => Self::Line(line + lines),
            Self::Offset(_) => self,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "{line}"),
            Self::Offset(offset) => write!(f, "@{offset}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_or_bytes() {
        let line = Place::Line(12);
        let byte = Place::Offset(0x1a2b);
        assert_eq!((line.to_string().as_str(), byte.to_string().as_str()), ("12", "@6699"));
        assert_eq!(line.within("a.pgn"), "a.pgn:12");
        assert_eq!(byte.within("a.xqf"), "a.xqf: byte 0x1a2b");
    }
}
