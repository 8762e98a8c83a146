//! Records that are not in the statistics, or not whole: collected from all threads in bounded memory,
//! reported in the order of files and records.

use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::bytes::external_sort::Summand;
use crate::bytes::varint;
use crate::bytes::visible::{ShowPath, Visible};
use crate::message::{Message, ToMessage, Value, message};
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

impl ToMessage for Reject {
    fn message(&self) -> Message {
        let Self { place, game, reason, .. } = self;
        message!("{}: game {game}: {reason}", place.within(&self.source_name()))
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// A reason why a record is not in the statistics, or not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RejectReason {
    /// It cannot be read, or a move is illegal: the fault, on one line.
    Bad(Message),
    /// A move is illegal, and only the moves before count: the fault, on one line.
    Cut(Message),
    /// It has no moves.
    NoMoves,
    /// It begins elsewhere than games usually do.
    OtherStart,
}

impl RejectReason {
    /// A bad record, for a reason that can quote the file: made one line of limited length.
    #[must_use]
    pub fn bad(reason: &impl ToMessage) -> Self {
        Self::Bad(one_line(reason.message()))
    }

    /// A record of which the moves before an illegal one are kept, for that reason.
    #[must_use]
    pub fn cut(reason: &impl ToMessage) -> Self {
        let reason = reason.message();
        Self::Cut(one_line(message!("the moves before are kept: {reason}")))
    }
}

impl ToMessage for RejectReason {
    fn message(&self) -> Message {
        match self {
            Self::Bad(reason) | Self::Cut(reason) => reason.clone(),
            Self::NoMoves => "no moves".into(),
            Self::OtherStart => "starts from another position".into(),
        }
    }
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// A message on one line; one that is too long becomes a text and is cut.
fn one_line(message: Message) -> Message {
    let message = message.visible();
    let text = Visible(&message).to_string();
    match text.char_indices().nth(MAX_REASON) {
        Some((end, _)) => text[..end].into(),
        None => message,
    }
}

/// Appends a message, with the messages within it.
fn put_message(out: &mut Vec<u8>, message: &Message) {
    put_text(out, message.template());
    varint::put(out, message.values().len() as u64);
    for (name, value) in message.values() {
        put_text(out, name);
        match value {
            Value::Text(text) => {
                varint::put(out, 0);
                put_text(out, text);
            }
            Value::Message(message) => {
                varint::put(out, 1);
                put_message(out, message);
            }
        }
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    varint::put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Takes what [`put_message`] appended.
fn take_message(input: &mut &[u8]) -> Option<Message> {
    let template = take_text(input)?;
    let mut values = Vec::new();
    for _ in 0..varint::take(input)? {
        let name = take_text(input)?;
        let value = match varint::take(input)? {
            0 => Value::Text(take_text(input)?),
            1 => Value::Message(take_message(input)?),
            _ => return None,
        };
        values.push((name.into(), value));
    }
    Some(Message::new(template, values))
}

fn take_text(input: &mut &[u8]) -> Option<String> {
    let len = usize::try_from(varint::take(input)?).ok()?;
    str::from_utf8(input.split_off(..len)?).ok().map(str::to_owned)
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
            // The text stands in it once, and the format strings of the messages.
            RejectReason::Bad(_) | RejectReason::Cut(_) => 4 * MAX_REASON,
            _ => 0,
        };
        size_of::<Self>() + text
    }

    fn order(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }

    fn absorb(&mut self, _equal: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        let (kind, message) = match &self.reason {
            RejectReason::NoMoves => (1, None),
            RejectReason::OtherStart => (2, None),
            RejectReason::Bad(message) => (4, Some(message)),
            RejectReason::Cut(message) => (5, Some(message)),
        };
        let (unit, place) = match self.place {
            Place::Line(line) => (0, line),
            Place::Offset(offset) => (1, offset),
        };
        for n in self.number.into_iter().chain([unit, place, self.game, kind]) {
            varint::put(out, n);
        }
        if let Some(message) = message {
            put_message(out, message);
        }
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let mut n = [0; 7];
        for n in &mut n {
            *n = varint::take(input)?;
        }
        let [file, part, reject, unit, place, game, kind] = n;
        let place = match unit {
            0 => Place::Line(place),
            1 => Place::Offset(place),
            _ => return None,
        };
        let reason = match kind {
            1 => RejectReason::NoMoves,
            2 => RejectReason::OtherStart,
            4 => RejectReason::Bad(take_message(input)?),
            5 => RejectReason::Cut(take_message(input)?),
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
                0 => RejectReason::bad(&Message::from(text)),
                1 => RejectReason::NoMoves,
                2 => RejectReason::cut(&message!("move {}", text)),
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
        let reason = RejectReason::bad(&message!("\"\r\n\" {}", "x".repeat(1000)));
        let reject = Reject { source, place: Place::Line(3), game: 2, reason };
        let text = reject.to_string();
        let begins = r#"a\tb\n\u{1b}[31m.pgn:3: game 2: "\r\n" xxx"#;
        assert!(text.starts_with(begins), "{text}");
        assert!(!text.contains(char::is_control) && text.len() < 350);
    }
}
