//! CBL of the first versions of CCBridge: a library of games with variations and comments, packed by
//! zlib. Numbers are little-endian; a string is a u32 length and GB18030.
//!
//! ```text
//!  0  "CCBridge", u32 21, u32 version (1 or 3), u32 length of what is packed
//! 20  packed: five strings (title, two unknown, author, unknown); two dates of 19 bytes
//!             u32 games; a string, the preface
//!             for each game u32 length, itself included, and
//!                squares of the 32 pieces: 16 × (column + 1) + row + 1, from Red's side; 0 if absent
//!                three u32, the kind of game first
//!                strings: title, four unknown, Red, Black
//!                u32 result: 1 Red has won, 2 Black, 3 draw
//!                strings: annotator, unknown, author, unknown, the comment on the start
//!                an unknown byte; two dates of 19 bytes
//!                u32 nodes, the start included; 6 bytes for each move: u16 number, from 1, from, to
//!                (16 × column + row from the top), 2 bytes of notation
//!                a comment for each node, a line each; || stands for a line end
//! ```
//!
//! A move whose number is not the next one begins a variation: it replaces the move with that number
//! in the line before it. Columns count from the left. Strings of unknown meaning become the tags
//! `Text1` to `Text6`. Version 3 is known from one library; where a game of such a one is not legal,
//! the layout is in doubt and the library is refused. Places are bytes of what was packed.

use std::io::{self, Read};

use flate2::bufread::ZlibDecoder;

use crate::game::{Outcome, Side};
use crate::message::{Message, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::board::{board_of, from_halves, start_position};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::Encoding;
use crate::record::model::limits::{FREE_BYTES, MAX_GAME_BYTES, MAX_RATIO};
use crate::record::model::place::Place;
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, go_on, malformed, truncated};
use crate::record::model::texts::{Texts, push_tag, tidy};
use crate::xiangqi::{Position, Square};

const MAGIC: &[u8] = b"CCBridge\x15\0\0\0";
/// The offset of the packed bytes.
const PACKED: usize = 20;

/// The version whose libraries are read only if all games are legal.
const DOUBTED: u32 = 3;

const DATES: usize = 38;
const MEN: usize = 32;
const MOVE: usize = 6;

/// The tags of the strings behind the three numbers, and behind the result.
const NAMES: [&str; 7] = ["Title", "Text1", "Text2", "Text3", "Text4", "Red", "Black"];
const WRITERS: [&str; 4] = ["Annotator", "Text5", "Author", "Text6"];

/// Returns true if the bytes are a library of the first versions, or begin like one.
pub(crate) fn is_old(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads the games of an old CBL, one after the other: no more than one is held unpacked.
pub(crate) fn read(reader: &mut ChunkReader<'_>) {
    let bytes = reader.bytes;
    if let Err(fault) = check(bytes) {
        return reader.report(Place::Offset(0), 1, Err(fault));
    }
    let mut number = 0;
    each_game(bytes, &mut |at, game| {
        number += 1;
        reader.report(Place::Offset(at), number, game);
    });
}

/// Looks at the header, and at all games where the version is in doubt.
fn check(bytes: &[u8]) -> Result<(), Fault> {
    let (version, len) = header(bytes)?;
    if !matches!(version, 1 | DOUBTED) {
        let what = message!(
            "a library of version {version} of the old CCBridge, of which 1 and {DOUBTED} are read; \
             open it in CCBridge and save it as a library of today's kind"
        );
        return Err(Fault::at(12, BadGameReason::Unsupported(what)));
    }
    if len > FREE_BYTES.saturating_add(MAX_RATIO.saturating_mul(bytes.len() as u64)) {
        let what = message!("claims to unpack to {len} bytes, far more than any library does");
        return Err(Fault::at(16, BadGameReason::Unsupported(what)));
    }
    if version != DOUBTED {
        return Ok(());
    }
    let mut number = 0;
    let mut doubt = None;
    each_game(bytes, &mut |_, game| {
        number += 1;
        let what = match game {
            Ok(Found { fault: Some(fault), .. }) | Err(fault) => fault.reason.to_string(),
            Ok(Found { cut_variations: 0, .. }) => return,
            Ok(_) => "a variation cannot be played".to_owned(),
        };
        doubt.get_or_insert((number, what));
    });
    let Some((number, what)) = doubt else { return Ok(()) };
    let what = message!(
        "a library of version {DOUBTED} of the old CCBridge, read only if every game in it is legal; \
         game {number}: {what}; open it in CCBridge and save it as a library of today's kind"
    );
    Err(Fault::at(0, BadGameReason::Unsupported(what)))
}

/// The version, and how many bytes are packed.
fn header(bytes: &[u8]) -> Result<(u32, u64), Fault> {
    let version = number_at(bytes, 12);
    let len = number_at(bytes, 16);
    let numbers = version.zip(len).filter(|_| bytes.len() > PACKED);
    let (version, len) = numbers.ok_or_else(|| truncated(bytes.len(), "the header"))?;
    Ok((version, u64::from(len)))
}

fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A sink for each game, good or bad, with the place where it begins.
type Games<'a> = dyn FnMut(u64, Result<Found, Fault>) + 'a;

/// Hands over every game; what ends the reading is a last bad one.
fn each_game(bytes: &[u8], take: &mut Games<'_>) {
    let Ok((_, len)) = header(bytes) else { return };
    let mut unpacked = Unpacked { input: ZlibDecoder::new(&bytes[PACKED..]).take(len), at: 0 };
    let count = match preface(&mut unpacked) {
        Ok(count) => count,
        Err(fault) => return take(0, Err(fault)),
    };
    for number in 1..=count {
        let at = unpacked.at;
        match unpacked.game(&message!("game {number} of {count}")) {
            Ok(bytes) => take(at as u64, game(&bytes, at + 4)),
            Err(fault) => return take(at as u64, Err(fault)),
        }
    }
    // Here the bytes should end, which asking for one more shows.
    let at = unpacked.at;
    match unpacked.bytes(1, "") {
        Ok(_) => {
            take(at as u64, Err(malformed(at, message!("more bytes than {count} games need"))));
        }
        Err(fault) if matches!(fault.reason, BadGameReason::Truncated(_)) => {}
        Err(fault) => take(at as u64, Err(fault)),
    }
}

/// Reads what stands before the games; returns how many there are.
fn preface(unpacked: &mut Unpacked<'_>) -> Result<u32, Fault> {
    for _ in 0..5 {
        unpacked.string()?;
    }
    unpacked.bytes(DATES, "the dates of the library")?;
    let count = unpacked.number("the number of games")?;
    unpacked.string()?;
    Ok(count)
}

/// The packed bytes while they are unpacked, up to the length that the header states.
struct Unpacked<'a> {
    input: io::Take<ZlibDecoder<&'a [u8]>>,
    at: usize,
}

impl Unpacked<'_> {
    /// Reads the next `len` bytes; memory is allocated for no more than there are.
    fn bytes(&mut self, len: usize, within: impl Into<Message>) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(len as u64).read_to_end(&mut bytes);
        self.at += bytes.len();
        match read {
            Ok(read) if read == len => Ok(bytes),
            Ok(_) => Err(truncated(self.at, within)),
            Err(error) => Err(malformed(self.at, message!("what is packed is damaged: {error}"))),
        }
    }

    fn number(&mut self, within: impl Into<Message>) -> Result<u32, Fault> {
        let bytes = self.bytes(4, within)?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    fn string(&mut self) -> Result<(), Fault> {
        let len = self.number("the head of the library")?;
        self.bytes(bounded(len, self.at)?, "the head of the library")?;
        Ok(())
    }

    /// The bytes of a game, without their length.
    fn game(&mut self, within: &Message) -> Result<Vec<u8>, Fault> {
        let len = self.number(within)?;
        let Some(len) = len.checked_sub(4) else {
            return Err(malformed(self.at - 4, message!("{within} has a length of {len}")));
        };
        self.bytes(bounded(len, self.at)?, within)
    }
}

fn bounded(len: u32, at: usize) -> Result<usize, Fault> {
    let len = len as usize;
    if len > MAX_GAME_BYTES { Err(Fault::at(at, BadGameReason::TooLong(len))) } else { Ok(len) }
}

/// Reads a game that begins at `offset` of what was packed.
fn game(bytes: &[u8], offset: usize) -> Result<Found, Fault> {
    Texts::read(|texts| read_game(bytes, offset, texts))
}

fn read_game(bytes: &[u8], offset: usize, texts: &Texts) -> Result<Found, Fault> {
    let mut reader = Reader { bytes, at: 0, offset, texts };
    let squares = reader.take(MEN, "the men")?;
    let board = board_of(&std::array::from_fn(|man| place(squares[man])))
        .map_err(|reason| Fault::at(offset, reason))?;
    reader.take(12, "the kind of game")?;
    let mut tags = Vec::new();
    for name in NAMES {
        push_tag(&mut tags, name, reader.string()?);
    }
    let result = match reader.number()? {
        1 => Some(Outcome::Win(Side::First)),
        2 => Some(Outcome::Win(Side::Second)),
        3 => Some(Outcome::Draw),
        _ => None,
    };
    for name in WRITERS {
        push_tag(&mut tags, name, reader.string()?);
    }
    let preface = with_lines(&reader.string()?);
    reader.take(1 + DATES, "the dates of a game")?;
    let moves_at = offset + reader.at + 4;
    let moves = reader.moves()?;
    let first = moves.first().and_then(|mv| mv.mv.from.ok());
    let start =
        start_position(&board, first, Side::First).map_err(|reason| Fault::at(offset, reason))?;
    let nodes = nodes(&moves, moves_at)?;
    let position = start.clone().unwrap_or_else(Position::start);
    let (comment, comments) = comments(&reader.bytes[reader.at..], moves.len(), texts);
    let preface = [preface, comment].into_iter().filter(|text| !text.is_empty());
    let mut fault = None;
    let mut order = PreOrder::new(position, preface.collect::<Vec<_>>().join("\n"));
    for (index, (node, comment)) in nodes.into_iter().zip(comments).enumerate() {
        let at = moves_at + MOVE * index;
        let added = order.add(FileMove { comment, ..node });
        if !go_on(added, at, &mut fault) && fault.is_some() {
            break;
        }
    }
    let (tree, cut_variations) = order.finish();
    let record = Record { tags, start, start_clock: 0, result, tree };
    let is_undecoded = texts.is_undecoded();
    Ok(Found { cut_variations, is_undecoded, fault, ..Found::new(record) })
}

/// The square of a piece.
fn place(byte: u8) -> Option<Square> {
    let file = (byte >> 4).checked_sub(1)?;
    let rank = (byte & 0x0f).checked_sub(1)?;
    // Rank 10 is Red's back rank.
    (file < 9 && rank < 10).then(|| Square::at(file, 9 - rank))
}

/// A move as it is stored.
struct Numbered {
    number: usize,
    mv: Coordinates,
}

/// The moves as nodes of a tree, depth first, without their comments.
fn nodes(moves: &[Numbered], moves_at: usize) -> Result<Vec<FileMove>, Fault> {
    let mut before = 0;
    for (index, Numbered { number, .. }) in moves.iter().enumerate() {
        if !(1..=before + 1).contains(number) {
            let what = message!("move {number} follows move {before}");
            return Err(malformed(moves_at + MOVE * index, what));
        }
        before = *number;
    }
    // Backwards: which moves of the line to come are alternatives, by their numbers.
    let mut coming: Vec<bool> = Vec::new();
    let mut nodes: Vec<FileMove> = Vec::with_capacity(moves.len());
    let mut next = 0;
    for &Numbered { number, mv } in moves.iter().rev() {
        // Moves behind this one with higher numbers are answers to it or follow these: they replace no move before it.
        coming.resize(number + 1, false);
        let has_alternative = std::mem::replace(&mut coming[number], true);
        let is_last = next != number + 1;
        nodes.push(FileMove { mv: Ok(mv), comment: String::new(), is_last, has_alternative });
        next = number;
    }
    nodes.reverse();
    Ok(nodes)
}

/// The comment on the start, and as many further ones as there are moves; the rest of the text goes to
/// the last.
fn comments(
    bytes: &[u8],
    count: usize,
    texts: &Texts,
) -> (String, impl Iterator<Item = String> + use<>) {
    let text = texts.decode(Encoding::Gb18030, bytes);
    let mut lines: Vec<String> = text.splitn(count + 1, "\r\n").map(with_lines).collect();
    lines.resize(count + 1, String::new());
    let mut lines = lines.into_iter();
    (lines.next().unwrap_or_default(), lines)
}

fn with_lines(text: &str) -> String {
    tidy(&text.replace("||", "\n"))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    offset: usize,
    texts: &'a Texts,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize, within: impl Into<Message>) -> Result<&'a [u8], Fault> {
        let taken = self.bytes[self.at..].get(..len);
        let taken = taken.ok_or_else(|| truncated(self.offset + self.at, within))?;
        self.at += len;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Fault> {
        let bytes = self.take(4, "a number of a game")?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    fn string(&mut self) -> Result<String, Fault> {
        let len = self.number()? as usize;
        Ok(self.texts.text(self.take(len, "a string of a game")?))
    }

    fn moves(&mut self) -> Result<Vec<Numbered>, Fault> {
        let count = (self.number()? as usize).saturating_sub(1);
        let bytes = self.take(count.saturating_mul(MOVE), "the moves of a game")?;
        let moves = bytes.as_chunks::<MOVE>().0.iter();
        Ok(moves
            .map(|&[low, high, from, to, ..]| Numbered {
                number: usize::from(u16::from_le_bytes([low, high])),
                mv: Coordinates { from: from_halves(from), to: from_halves(to) },
            })
            .collect())
    }
}
