//! What of a game only its samples show: players, event, the main line as played.

use std::cmp::Reverse;

use crate::bytes::varint;
use crate::game::{Notation, Packed};
use crate::record::Record;

/// The longest text of a sample game, in characters; longer ones are cut.
const MAX_TEXT: usize = 60;

/// Bytes of such a text, at most.
pub(crate) const MAX_TEXT_BYTES: usize = 4 * MAX_TEXT;

/// Moves of a sample game that are kept, at most: more than people play.
pub(crate) const MAX_MOVES: usize = 1000;

/// The details of a game that only samples show, as one of its copies states them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct GameDetails {
    /// By side; empty if not known.
    pub(crate) players: [Box<str>; 2],
    pub(crate) event: Box<str>,
    /// The first bytes of the hash of the file; zeros where the game came from none.
    pub(crate) source: [u8; 8],
    /// The number of the game in it, from 1.
    pub(crate) number: u64,
    /// The main line as played, packed.
    pub(crate) moves: Box<[u16]>,
}

impl GameDetails {
    /// The details of a record, which is that number of a source.
    pub(crate) fn of<G: Notation>(record: &Record<G>, source: [u8; 8], number: u64) -> Self {
        let [first, second]: [&[&str]; 2] = match G::BLACK {
            crate::game::Side::First => [&["Black"], &["White"]],
            crate::game::Side::Second => [&["Red", "White"], &["Black"]],
        };
        let moves = record.tree.moves.iter().take(MAX_MOVES).map(|mv| mv.pack()).collect();
        let players = [tag_of(record, first), tag_of(record, second)];
        Self { players, event: tag_of(record, &["Event"]), source, number, moves }
    }

    /// The place among the details of the copies of a game: the first are those that state most.
    pub(crate) fn order(&self) -> (Reverse<usize>, &Self) {
        let texts = self.players.iter().chain([&self.event]);
        (Reverse(texts.filter(|text| !text.is_empty()).count()), self)
    }

    /// The details of two copies: those of the one that states more.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.order() < self.order() { other } else { self }
    }

    /// Memory that it needs, in bytes.
    pub(crate) fn size(&self) -> usize {
        let [first, second] = &self.players;
        let texts = first.len() + second.len() + self.event.len();
        size_of::<Self>() + texts + 2 * self.moves.len() + 64
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        for text in self.players.iter().chain([&self.event]) {
            varint::put(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        out.extend_from_slice(&self.source);
        varint::put(out, self.number);
        varint::put(out, self.moves.len() as u64);
        out.extend(self.moves.iter().flat_map(|mv| mv.to_le_bytes()));
    }

    pub(crate) fn take(input: &mut &[u8]) -> Option<Self> {
        let players = [take_text(input)?, take_text(input)?];
        let event = take_text(input)?;
        let source = *input.split_off(..8)?.first_chunk()?;
        let number = varint::take(input)?;
        let len = usize::try_from(varint::take(input)?).ok().filter(|&len| len <= MAX_MOVES)?;
        let bytes = input.split_off(..2 * len)?;
        let moves = bytes.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
        Some(Self { players, event, source, number, moves })
    }
}

/// The first known text among the tags of these names; empty if there is none.
fn tag_of<G: Notation>(record: &Record<G>, names: &[&str]) -> Box<str> {
    names.iter().find_map(|name| record.tag(name).and_then(known)).unwrap_or_default()
}

/// Takes a text after its length; `None` if it is not as [`known`] makes it.
fn take_text(input: &mut &[u8]) -> Option<Box<str>> {
    let len = usize::try_from(varint::take(input)?).ok()?;
    // A byte more than any text has is enough for the comparison below to refuse a longer one.
    let text = str::from_utf8(input.split_off(..len.min(MAX_TEXT_BYTES + 1))?).ok()?;
    (text.is_empty() || known(text).as_deref() == Some(text)).then(|| text.into())
}

/// A text in one line, cut where it is too long; `None` if it is empty or stands for an unknown one.
fn known(value: &str) -> Option<Box<str>> {
    let shown: String = value.trim().chars().filter(|c| !c.is_control()).collect();
    let cut: String = shown.chars().take(MAX_TEXT).collect();
    let text = cut.trim();
    (!text.is_empty() && !text.chars().all(|c| matches!(c, '?' | '-' | '.'))).then(|| text.into())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = Box<str>> {
        "[a-c胡]{0,3}".prop_map(String::into_boxed_str)
    }

    pub(crate) fn any_details() -> impl Strategy<Value = GameDetails> {
        let moves = prop::collection::vec(any::<u16>(), 0..5).prop_map(Box::from);
        (any_text(), any_text(), any_text(), any::<[u8; 8]>(), 0..4u64, moves).prop_map(
            |(first, second, event, source, number, moves)| GameDetails {
                players: [first, second],
                event,
                source,
                number,
                moves,
            },
        )
    }

    #[test]
    fn texts_are_one_line() {
        assert_eq!(known(" 胡荣华\u{7} "), Some("胡荣华".into()));
        assert_eq!([known("?"), known("????.??.??"), known(" ")], [None, None, None]);
        assert_eq!(known(&"炮".repeat(100)).unwrap().chars().count(), MAX_TEXT);
    }

    proptest! {
        #[test]
        fn copies_may_come_in_any_order(
            a in any_details(), b in any_details(), c in any_details(),
        ) {
            let one = a.clone().better(b.clone()).better(c.clone());
            prop_assert_eq!(one, c.better(b.better(a)));
        }
    }
}
