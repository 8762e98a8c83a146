//! A game as the index has it, and made of a record.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::book::{Facts, GameId};
use crate::collection::game::{Collected, bytes_of};
use crate::collection::postings::Posting;
use crate::collection::text::folded;
use crate::game::{Outcome, Packed, Side};
use crate::message::{Message, Value};
use crate::record::{Format, Formats, Note, ParsedGame, Place, Record, WriteError, WriteOptions};

/// Characters of a text in the list, at most.
const LISTED_TEXT: usize = 200;

/// Bytes of a game that is kept in the index, packed, at most. A longer one is read from its file.
const MOST_BODY: usize = 4 << 20;

/// Bytes of the comments of a game that are searched, at most.
const MOST_COMMENTS: usize = 64 << 10;

/// The level at which games are packed: they are short.
const PACKING: i32 = 3;

/// The letters of the text of a [`GameKey`].
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Letters of the text of a [`GameKey`] behind the first, which is always `g`.
const KEY_LETTERS: u32 = 12;

/// Names a record by all that it states, wherever it lies: its text goes into addresses.
///
/// # Stability
///
/// A record has the same key in every index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GameKey(pub(crate) i64);

impl GameKey {
    fn of(json: &[u8]) -> Self {
        let mut bytes = [0; 8];
        blake3::Hasher::new().update(json).finalize_xof().fill(&mut bytes);
        // Only the 60 bits that the text holds, five in each letter; so the number is never negative, either.
        Self((u64::from_le_bytes(bytes) >> (u64::BITS - 5 * KEY_LETTERS)).cast_signed())
    }
}

impl fmt::Display for GameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("g")?;
        let digits = (0..KEY_LETTERS).rev().map(|at| (self.0 >> (5 * at)) & 31);
        digits.map(|digit| char::from(LETTERS[digit as usize])).try_for_each(|c| write!(f, "{c}"))
    }
}

/// The inverse of its text.
impl FromStr for GameKey {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let letters = text.strip_prefix('g').ok_or(())?.as_bytes();
        if letters.len() != KEY_LETTERS as usize {
            return Err(());
        }
        let number = letters.iter().try_fold(0_i64, |number, letter| {
            let digit = LETTERS.iter().position(|known| known == letter).ok_or(())?;
            Ok::<i64, ()>((number << 5) | i64::try_from(digit).map_err(|_| ())?)
        });
        number.map(Self)
    }
}

/// A game in the list of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexedGame {
    /// Its number in the collection, from 0: by the paths of the files, then by the numbers in them. It changes with the
    /// files.
    pub number: u64,
    /// The key, which does not.
    pub key: GameKey,
    /// The name of its file.
    pub file: String,
    /// Its number in the file, from 0, bad ones counted too.
    pub place: u64,
    /// The names of the players, first side first.
    pub players: [Option<String>; 2],
    /// Their ratings.
    pub ratings: [Option<u16>; 2],
    /// The event.
    pub event: Option<String>,
    /// The date, as the record has it.
    pub date: Option<String>,
    /// The year, if the date has a plausible one.
    pub year: Option<u16>,
    /// The result that is stated.
    pub result: Option<Outcome>,
    /// The code of the opening.
    pub code: Option<String>,
    /// The Chinese name of the opening.
    pub opening: Option<String>,
    /// Plies of the main line.
    pub plies: usize,
    /// The game breaks off at a fault.
    pub is_broken: bool,
    /// Games found with the same start and moves, itself included; 1 where copies are not folded.
    pub copies: u64,
}

/// The fault at which a game breaks off.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The name of its source.
    pub source: String,
    /// The place of the fault in it.
    pub place: Place,
    /// The number of the game in the source, from 1.
    pub game: u64,
    /// The side whose move cannot be played; `None` where the bytes end.
    pub turn: Option<Side>,
    /// The fault; `None` for a null move.
    pub reason: Option<Message>,
}

/// A game to be written to the index.
pub(crate) struct Entry {
    pub(crate) key: GameKey,
    /// Names start and moves.
    pub(crate) line: i64,
    pub(crate) players: [Option<String>; 2],
    pub(crate) event: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) facts: Facts,
    pub(crate) code: Option<String>,
    pub(crate) opening: Option<&'static str>,
    pub(crate) plies: usize,
    /// The start, if it is not the usual one.
    pub(crate) start: Option<String>,
    /// The moves, packed, two bytes each.
    pub(crate) moves: Vec<u8>,
    /// The comments, folded; empty without any.
    pub(crate) comments: String,
    /// Packed; `None` if it is too long.
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) fault: Option<String>,
    pub(crate) note: Option<u8>,
    pub(crate) words: u64,
}

impl Entry {
    /// The entry of a game of a file of that name.
    pub(crate) fn of<G: Collected>(source: &str, game: &ParsedGame<G>) -> Result<Self, WriteError> {
        let ParsedGame { record, note, words, .. } = game;
        let mut json = Vec::new();
        G::write_record(&mut json, record, Format::Jsonl, &WriteOptions::default())?;
        let key = GameKey::of(&json);
        let body = zstd::bulk::compress(&json, PACKING).map_err(WriteError::Io)?;
        let players = record.players().map(short);
        let (event, date) = (short(record.tag("Event")), short(record.tag("Date")));
        let moves = &record.tree.moves;
        let opening = record.start.is_none().then(|| G::name_game(&G::start(), moves)).flatten();
        let code = opening.map(|opening| opening.code.to_string());
        let facts = Facts::of(record);
        Ok(Self {
            key,
            line: hash_of_line(record.start.as_ref(), moves, key),
            facts,
            code,
            opening: opening.map(|opening| opening.name),
            plies: moves.len(),
            start: record.start.as_ref().map(G::to_fen),
            moves: bytes_of(moves),
            comments: comments_of(record),
            body: (body.len() <= MOST_BODY && json.len() <= MOST_JSON).then_some(body),
            fault: fault_of(source, game).map(|fault| StoredFault::of(&fault).json()),
            note: note.map(note_number),
            words: words.as_ref().map_or(0, |words| words.count),
            players,
            event,
            date,
        })
    }
}

/// Bytes of a game that is kept in the index, unpacked, at most.
const MOST_JSON: usize = 64 << 20;

/// The beginning of a text, if there is one.
fn short(text: Option<&str>) -> Option<String> {
    text.map(|text| text.chars().take(LISTED_TEXT).collect())
}

/// Names a line by its start, `None` for the usual one, and its moves. One without moves is like no other: it has the name of
/// its game, whose key that is.
pub(crate) fn hash_of_line<G: Formats>(start: Option<&G>, moves: &[G::Move], key: GameKey) -> i64 {
    if moves.is_empty() {
        return !key.0;
    }
    let start = start.map_or_else(|| G::start().to_fen(), G::to_fen);
    let GameId([a, b, c, d, e, f, g, h, ..]) = GameId::new::<G>(&start, moves);
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The comments of a record, variations included, folded, up to a length.
fn comments_of<G: Formats>(record: &Record<G>) -> String {
    let mut text = String::new();
    for tree in record.tree.with_variations() {
        for (_, comment) in &tree.comments {
            let room = MOST_COMMENTS.saturating_sub(text.len());
            if room == 0 {
                return text;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&folded(&comment[..comment.floor_char_boundary(room)]));
        }
    }
    text
}

/// The postings of the main line of a record: each position and each material once, where they were first on the board.
/// Those of materials have no next move: it would be none of theirs.
pub(crate) fn postings_of<G: Collected>(record: &Record<G>, line: u64) -> Vec<Posting> {
    let mut position = record.start.clone().unwrap_or_else(G::start);
    let moves = &record.tree.moves;
    let mut postings = Vec::with_capacity(moves.len() + 1);
    let mut next = moves.iter().copied();
    let mut last_material = None;
    let mut ply = 0;
    loop {
        let canonical = position.canonical();
        let mv = next.next();
        let image = mv.map(|mv| position.canonical_move(canonical, mv).pack());
        postings.push(Posting::new(canonical.key, line, ply, image));
        let material = position.material();
        // Only saves work: most moves leave the material as it is, and repeated postings are removed below.
        if material != last_material {
            postings.extend(material.map(|key| Posting::new(key, line, ply, None)));
            last_material = material;
        }
        let Some(mv) = mv else { break };
        position.make(mv);
        ply += 1;
    }
    // The first ply of each position comes first.
    postings.sort_unstable();
    postings.dedup_by(|later, first| later.is_same_position(first));
    postings
}

/// The fault at which a game of that source breaks off.
fn fault_of<G: Formats>(source: &str, game: &ParsedGame<G>) -> Option<Fault> {
    let ParsedGame { record, place, game: number, note, cut, .. } = game;
    let first = record.start.as_ref().map_or(Side::First, G::turn);
    let turn = if record.tree.moves.len().is_multiple_of(2) { first } else { !first };
    match cut {
        Some(cut) => Some(Fault {
            source: cut.source.clone(),
            place: cut.place,
            game: cut.game,
            turn: cut.reason.bad_ply().map(|_| turn),
            reason: Some(cut.reason.in_short()),
        }),
        None if *note == Some(Note::NullMove) => Some(Fault {
            source: source.to_owned(),
            place: *place,
            game: *number,
            turn: Some(turn),
            reason: None,
        }),
        None => None,
    }
}

const NOTES: [Note; 5] =
    [Note::OtherSide, Note::NoMoves, Note::TwoResults, Note::NullMove, Note::CutText];

fn note_number(note: Note) -> u8 {
    NOTES.iter().position(|&known| known == note).map_or(u8::MAX, |at| at as u8)
}

/// The note of that number.
pub(crate) fn note_of(number: u8) -> Option<Note> {
    NOTES.get(usize::from(number)).copied()
}

/// A [`Fault`] as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredFault {
    source: String,
    line: Option<u64>,
    offset: Option<u64>,
    game: u64,
    /// Of the first side or of the second.
    turn: Option<bool>,
    reason: Option<StoredText>,
}

/// A [`Message`] as JSON.
#[derive(Serialize, Deserialize)]
struct StoredText(String, Vec<(String, StoredValue)>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredValue {
    Text(String),
    Message(StoredText),
}

impl StoredText {
    fn of(message: &Message) -> Self {
        let values = message.values().iter().map(|(name, value)| {
            let value = match value {
                Value::Text(text) => StoredValue::Text(text.clone()),
                Value::Message(message) => StoredValue::Message(Self::of(message)),
            };
            (name.to_string(), value)
        });
        Self(message.template().to_owned(), values.collect())
    }

    fn message(self) -> Message {
        let values = self.1.into_iter().map(|(name, value)| {
            let value = match value {
                StoredValue::Text(text) => Value::Text(text),
                StoredValue::Message(text) => Value::Message(text.message()),
            };
            (name.into(), value)
        });
        Message::new(self.0, values.collect())
    }
}

impl StoredFault {
    fn of(fault: &Fault) -> Self {
        let (line, offset) = match fault.place {
            Place::Line(line) => (Some(line), None),
            Place::Offset(offset) => (None, Some(offset)),
        };
        Self {
            source: fault.source.clone(),
            line,
            offset,
            game: fault.game,
            turn: fault.turn.map(|turn| turn == Side::First),
            reason: fault.reason.as_ref().map(StoredText::of),
        }
    }

    fn json(&self) -> String {
        // Nothing in it cannot be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The fault of that text; `None` if it is none.
    pub(crate) fn read(text: &str) -> Option<Fault> {
        let stored: Self = serde_json::from_str(text).ok()?;
        let place = match stored.line {
            Some(line) => Place::Line(line),
            None => Place::Offset(stored.offset?),
        };
        Some(Fault {
            source: stored.source,
            place,
            game: stored.game,
            turn: stored.turn.map(|is_first| if is_first { Side::First } else { Side::Second }),
            reason: stored.reason.map(StoredText::message),
        })
    }
}

/// The JSON line of a game from its packed form; `None` if that is damaged.
pub(crate) fn unpack(body: &[u8]) -> Option<String> {
    let json = zstd::bulk::decompress(body, MOST_JSON).ok()?;
    String::from_utf8(json).ok()
}

/// The words of a name in a condition, folded.
pub(crate) fn part(text: &str) -> Option<String> {
    Some(folded(text.trim())).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::message;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_their_texts(number in 0..1_i64 << (5 * KEY_LETTERS)) {
            let key = GameKey(number);
            prop_assert_eq!(key.to_string().parse(), Ok(key));
        }

        #[test]
        fn any_text_is_a_key_or_none(text: String) {
            if let Ok(key) = text.parse::<GameKey>() {
                prop_assert_eq!(key.to_string(), text);
            }
        }

        #[test]
        fn any_text_is_a_fault_or_none(text: String) {
            let _fault = StoredFault::read(&text);
        }
    }

    #[test]
    fn faults_are_read_as_they_were_written() {
        let inner = message!("no {} at {}", "chariot", "a0");
        let reason = message!("the move {}: {inner}", "a0a1");
        let fault = Fault {
            source: "a.pgn".into(),
            place: Place::Line(3),
            game: 7,
            turn: Some(Side::Second),
            reason: Some(reason.clone()),
        };
        let again = StoredFault::read(&StoredFault::of(&fault).json()).unwrap();
        assert_eq!((again.place, again.game, again.turn), (fault.place, 7, fault.turn));
        let again = again.reason.unwrap();
        assert_eq!(again.to_string(), reason.to_string());
        assert_eq!(again.template(), reason.template());
    }
}
