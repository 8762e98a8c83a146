//! XQR (XiangQi Replay): one game with variations and comments. Numbers are little-endian, texts UTF-8.
//!
//! ```text
//! fields: a byte for the type, one for the length, and the value
//!    0  20 17, first of all; 1 version
//!    2  event, 3 site, 4 date, then by the kind of file
//!           today: 5 round, 6 Red, 7 Black, 8 result, 9 FEN, 10 end of the fields, 11 checksum
//!          before:          5 Red, 6 Black, 7 result, 8 FEN,  9 end of the fields, 10 checksum
//! the tree, depth first: from, to (16 × row from the top + column), marks, 0; marks 1: an answer
//!       follows; 2: another move in its place comes after all answers; 4: a u32 length and a comment
//! the checksum: its type, 4, and the CRC-32 of all bytes before
//! ```
//!
//! The first node is no move but holds the comment on the start position. The type of the checksum determines
//! the kind. Of the results only 1 (Red has won) was seen; 2 and 3 are read as a win of Black and a draw, as
//! in the formats that this one follows.

use crate::bytes::by_count;
use crate::game::{Outcome, Side};
use crate::message::{Message, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::board::from_swapped_halves;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, go_on, malformed, truncated, unless_truncated};
use crate::record::model::texts::{Texts, push_tag, tidy};
use crate::record::text::move_words::read_start;
use crate::xiangqi::Position;

/// The row of XQR.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Xqr, "xqr", &["xqr"]),
    sniff: &[Sniffer { stage: Stage::Mark, shows: |sample| sample.bytes.starts_with(MAGIC) }],
    read: ReadGames::One(game),
    write: None,
};

/// The beginning of a file: the type, the length and the value of its first field.
const MAGIC: &[u8] = b"\0\x02\x20\x17";

/// The checksum with its type and length.
const TAIL: usize = 6;

/// The meaning of a field, by its type.
#[derive(Clone, Copy)]
enum Field {
    Tag(&'static str),
    Result,
    Start,
    End,
}

/// The fields from type 2 on, before and today.
const BEFORE: [Field; 8] = [
    Field::Tag("Event"),
    Field::Tag("Site"),
    Field::Tag("Date"),
    Field::Tag("Red"),
    Field::Tag("Black"),
    Field::Result,
    Field::Start,
    Field::End,
];
const TODAY: [Field; 9] = [
    Field::Tag("Event"),
    Field::Tag("Site"),
    Field::Tag("Date"),
    Field::Tag("Round"),
    Field::Tag("Red"),
    Field::Tag("Black"),
    Field::Result,
    Field::Start,
    Field::End,
];

/// Reads the game of an XQR.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    let (content, fields) = match checked(bytes) {
        Err(fault) if matches!(fault.reason, BadGameReason::Truncated(_)) => {
            return cut_off(bytes, fault);
        }
        checked => checked?,
    };
    let (found, end) = read(content, fields)?;
    if found.fault.is_none() && end < content.len() {
        let rest = content.len() - end;
        let what = by_count(
            rest as u64,
            "1 byte after the last move".into(),
            message!("{rest} bytes after the last move"),
        );
        return Err(malformed(end, what));
    }
    Ok(found)
}

/// Reads a game whose checksum is not there, and with it the kind of its fields: that one holds with which
/// more moves can be played.
fn cut_off(bytes: &[u8], fault: Fault) -> Result<Found, Fault> {
    let kinds: [&[Field]; 2] = [&BEFORE, &TODAY];
    let readings = kinds.into_iter().filter_map(|fields| Some(read(bytes, fields).ok()?.0));
    // Today's kind, the last one, if both go equally far.
    let longest = readings.max_by_key(|found| found.record.tree.moves.len());
    match longest {
        Some(found) => Ok(Found { fault: Some(fault), ..found }),
        None => Err(fault),
    }
}

/// Reads the fields and the tree; returns where that ends.
fn read(bytes: &[u8], fields: &[Field]) -> Result<(Found, usize), Fault> {
    let texts = Texts::default();
    let mut reader = Reader { bytes, at: MAGIC.len(), texts: &texts };
    let mut record = reader.head(fields)?;
    let root = reader.node()?;
    let start = record.start.clone().unwrap_or_else(Position::start);
    let mut order = PreOrder::new(start, root.comment);
    let mut more = !root.is_last;
    let mut fault = None;
    while more {
        let at = reader.at;
        let Some(node) = unless_truncated(reader.node(), &mut fault)? else { break };
        more = go_on(order.add(node), at, &mut fault);
    }
    let (tree, cut_variations) = order.finish();
    record.tree = tree;
    let is_undecoded = texts.is_undecoded();
    let found = Found { cut_variations, is_undecoded, fault, ..Found::new(record) };
    Ok((found, reader.at))
}

/// The bytes without the checksum, which is right, and the kind of fields, which its type determines.
fn checked(bytes: &[u8]) -> Result<(&[u8], &'static [Field]), Fault> {
    let end = bytes.len();
    let Some((content, &[kind, 4, ref stated @ ..])) = bytes.split_last_chunk::<TAIL>() else {
        return Err(truncated(end, "the moves or the checksum after them"));
    };
    if content.len() < MAGIC.len() {
        return Err(truncated(end, "the fields"));
    }
    let fields: &[Field] = match kind {
        10 => &BEFORE,
        11 => &TODAY,
        _ => return Err(truncated(end, "the moves or the checksum after them")),
    };
    let stated = u32::from_le_bytes(*stated);
    let found = crc32fast::hash(content);
    if stated != found && !cfg!(fuzzing) {
        let what = message!("the checksum is {stated:08x}, that of the bytes {found:08x}");
        return Err(malformed(end - 4, what));
    }
    Ok((content, fields))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    texts: &'a Texts,
}

impl<'a> Reader<'a> {
    /// Reads the fields up to the one that ends them.
    fn head(&mut self, fields: &[Field]) -> Result<Record<Position>, Fault> {
        let tree = crate::record::model::record::Tree::default();
        let mut record = Record { tags: vec![], start: None, start_clock: 0, result: None, tree };
        loop {
            let [kind, len] = *self.take("the fields")?;
            let at = self.at;
            let value = self.bytes_of(usize::from(len), "a field")?;
            match usize::from(kind).checked_sub(2).and_then(|index| fields.get(index)) {
                Some(Field::End) => return Ok(record),
                Some(Field::Tag(name)) => push_tag(&mut record.tags, name, self.text(value)),
                Some(Field::Result) => record.result = result(value),
                Some(Field::Start) => {
                    (record.start, record.start_clock) = read_start(&self.text(value))
                        .map_err(|error| Fault::at(at, BadGameReason::Start(error)))?;
                }
                None => {} // the version, and what later versions add
            }
        }
    }

    fn node(&mut self) -> Result<FileMove, Fault> {
        let [from, to, marks, _] = *self.take("the tree of moves")?;
        let mv = Ok(Coordinates { from: from_swapped_halves(from), to: from_swapped_halves(to) });
        let mut comment = String::new();
        if marks & 4 != 0 {
            let len = u32::from_le_bytes(*self.take("the length of a comment")?);
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            let there = self.bytes.len() - self.at;
            let within = message!("a comment that claims {len} bytes, of which {there} are there");
            let bytes = self.bytes_of(len, &within)?;
            comment = self.text(bytes);
        }
        let is_last = marks & 1 == 0;
        let has_alternative = marks & 2 != 0;
        Ok(FileMove { mv, comment, is_last, has_alternative })
    }

    fn text(&self, bytes: &[u8]) -> String {
        tidy(&self.texts.detected(bytes))
    }

    fn take<const N: usize>(&mut self, within: impl Into<Message>) -> Result<&'a [u8; N], Fault> {
        let taken = self.bytes[self.at..].first_chunk();
        let taken = taken.ok_or_else(|| truncated(self.bytes.len(), within))?;
        self.at += N;
        Ok(taken)
    }

    fn bytes_of(&mut self, len: usize, within: impl Into<Message>) -> Result<&'a [u8], Fault> {
        let taken = self.bytes[self.at..].get(..len);
        let taken = taken.ok_or_else(|| truncated(self.at, within))?;
        self.at += len;
        Ok(taken)
    }
}

fn result(value: &[u8]) -> Option<Outcome> {
    match value {
        [1] => Some(Outcome::Win(Side::First)),
        [2] => Some(Outcome::Win(Side::Second)),
        [3] => Some(Outcome::Draw),
        _ => None,
    }
}
