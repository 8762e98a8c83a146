//! Records that are not in the statistics, or not whole: collected from all threads in bounded memory,
//! reported in the order of files and records.

use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::bytes::external_sort::Summand;
use crate::bytes::varint;
use crate::bytes::visible::{ShowPath, Visible};
use crate::record::Place;

/// The number of characters after which a reason is cut; it can quote the file.
const MAX_REASON: usize = 300;

/// A record that is not in the statistics, or not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// The file.
    pub source: PathBuf,
    /// The place of the fault, or where the record begins.
    pub place: Place,
    /// The number of the record in the file, from 1.
    pub game: u64,
    /// The reason.
    pub reason: RejectReason,
}

impl Reject {
    /// The name of the file on one line: characters that would end it or move the cursor are shown escaped.
    #[must_use]
    pub fn source_name(&self) -> String {
        Self::name_on_one_line(&self.source)
    }
}

impl Reject {
    pub(crate) fn name_on_one_line(source: &Path) -> String {
        source.shown().to_string()
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, game, reason, .. } = self;
        write!(f, "{}: game {game}: {reason}", place.within(&self.source_name()))
    }
}

/// A reason why a record is not in the statistics, or not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RejectReason {
    /// It cannot be read, or a move is illegal: the fault, on one line.
    Bad(String),
    /// A move is illegal, and only the moves before count: the fault, on one line.
    Cut(String),
    /// It has no moves.
    NoMoves,
    /// It begins elsewhere than games usually do.
    OtherStart,
}

impl RejectReason {
    /// A bad record, for a reason that can quote the file: made one line of limited length.
    #[must_use]
    pub fn bad(reason: &impl fmt::Display) -> Self {
        Self::Bad(one_line(&reason.to_string()).chars().take(MAX_REASON).collect())
    }

    /// A record of which the moves before an illegal one are kept, for that reason.
    #[must_use]
    pub fn cut(reason: &impl fmt::Display) -> Self {
        let text = format!("the moves before are kept: {reason}");
        Self::Cut(one_line(&text).chars().take(MAX_REASON).collect())
    }
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bad(reason) | Self::Cut(reason) => reason,
            Self::NoMoves => "no moves",
            Self::OtherStart => "starts from another position",
        })
    }
}

fn one_line(text: &str) -> String {
    Visible(text).to_string()
}

/// A reject on its way to the list.
#[derive(Debug)]
pub(crate) struct Listed {
    /// The numbers of the file, of the part of it, and of the reject in that part: no two are equal.
    pub(crate) number: [u64; 3],
    pub(crate) place: Place,
    pub(crate) game: u64,
    pub(crate) reason: RejectReason,
}

impl Summand for Listed {
    fn size(&self) -> usize {
        let text = match &self.reason {
            RejectReason::Bad(text) | RejectReason::Cut(text) => text.capacity() + 16,
            _ => 0,
        };
        size_of::<Self>() + text
    }

    fn order(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }

    fn absorb(&mut self, _equal: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        let (kind, text) = match &self.reason {
            RejectReason::Bad(text) => (0, text.as_str()),
            RejectReason::NoMoves => (1, ""),
            RejectReason::OtherStart => (2, ""),
            RejectReason::Cut(text) => (3, text.as_str()),
        };
        let (unit, place) = match self.place {
            Place::Line(line) => (0, line),
            Place::Offset(offset) => (1, offset),
        };
        let rest = [unit, place, self.game, kind, text.len() as u64];
        for n in self.number.into_iter().chain(rest) {
            varint::put(out, n);
        }
        out.extend_from_slice(text.as_bytes());
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let mut n = [0; 8];
        for n in &mut n {
            *n = varint::take(input)?;
        }
        let [file, part, reject, unit, place, game, kind, len] = n;
        let place = match unit {
            0 => Place::Line(place),
            1 => Place::Offset(place),
            _ => return None,
        };
        let text = str::from_utf8(input.split_off(..usize::try_from(len).ok()?)?).ok()?;
        let reason = match kind {
            0 => RejectReason::Bad(text.to_owned()),
            1 => RejectReason::NoMoves,
            2 => RejectReason::OtherStart,
            3 => RejectReason::Cut(text.to_owned()),
            _ => return None,
        };
        Some(Self { number: [file, part, reject], place, game, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn put_then_take_is_identity(
            number: [u64; 3], at: u64, game: u64, text: String, kind in 0..4, is_line: bool,
        ) {
            let reason = match kind {
                0 => RejectReason::bad(&text),
                1 => RejectReason::NoMoves,
                2 => RejectReason::cut(&text),
                _ => RejectReason::OtherStart,
            };
            let place = if is_line { Place::Line(at) } else { Place::Offset(at) };
            let listed = Listed { number, place, game, reason };
            let mut bytes = Vec::new();
            listed.put(&mut bytes);
            let mut rest = bytes.as_slice();
            let taken = Listed::take(&mut rest).unwrap();
            prop_assert!(rest.is_empty());
            prop_assert_eq!((taken.number, taken.place, taken.game), (number, place, game));
            prop_assert_eq!(taken.reason, listed.reason);
        }
    }

    #[test]
    fn a_reject_is_one_line() {
        let source = PathBuf::from("a\tb\n\u{1b}[31m.pgn");
        let reason = RejectReason::bad(&format!("\"\r\n\" {}", "x".repeat(1000)));
        let reject = Reject { source, place: Place::Line(3), game: 2, reason };
        let text = reject.to_string();
        let begins = r#"a\tb\n\u{1b}[31m.pgn:3: game 2: "\r\n" xxx"#;
        assert!(text.starts_with(begins), "{text}");
        assert!(!text.contains(char::is_control) && text.len() < 350);
    }
}
