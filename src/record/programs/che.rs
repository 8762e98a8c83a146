//! CHE, the records of the game of QQ: one game from the usual start, as decimal numbers between
//! blanks.
//!
//! ```text
//! 1 62                       always 1; the number of moves
//! 21 32 1 0 1 2 2 0 1 0      ten numbers a move: two unknown, 1 for Red and 0 for Black, the rank and
//!                            file where it begins and where it ends, one unknown, its number, 0
//! ```
//!
//! Ranks count from Red's side, files from Red's left, both from 0. Neither names nor a result are
//! kept. The game goes on after mate until the king is captured: such a last move is illegal.

use crate::message::{Message, message};
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::Coordinates;
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, is_playable, line, malformed, truncated};
use crate::xiangqi::{Position, Square};

/// The row of CHE.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Che, "che", &["che"]),
    sniff: &[Sniffer { stage: Stage::Layout, shows: |sample| looks_like(sample.bytes) }],
    read: ReadGames::One(game),
    write: None,
};

/// Numbers before the moves, and of a move.
const HEAD: usize = 2;
const MOVE: usize = 10;

/// The number of bytes from which the format is recognised.
const SAMPLE: usize = 512;

/// Returns true if the bytes begin like a CHE.
fn looks_like(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if !sample.iter().all(|b| b.is_ascii_digit() || b.is_ascii_whitespace()) {
        return false;
    }
    let numbers: Vec<u32> = Numbers::new(sample).map_while(|number| Some(number.ok()?.1)).collect();
    let Some((&[_, count], moves)) = numbers.split_first_chunk::<HEAD>() else { return false };
    count > 0 && is_playable(Position::start(), moves.as_chunks::<MOVE>().0.iter().map(coordinates))
}

/// Reads the game of a CHE.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    let mut numbers = Numbers::new(bytes);
    numbers.number("the number of moves")?;
    let (_, count) = numbers.number("the number of moves")?;
    // One by one: a count that is too large takes no memory.
    let moves = (0..count).map(|_| {
        let within = message!("the moves, of which there should be {count}");
        let (at, first) = numbers.number(&within)?;
        let mut mv = [first; MOVE];
        for number in &mut mv[1..] {
            *number = numbers.number(&within)?.1;
        }
        Ok((at, coordinates(&mv)))
    });
    let (tree, fault) = line(Position::start(), moves)?;
    if fault.is_none()
        && let Some(number) = numbers.next()
    {
        let what = message!("more numbers than {count} moves need");
        return Err(malformed(number?.0, what));
    }
    let record = Record { tags: Vec::new(), start: None, start_clock: 0, result: None, tree };
    Ok(Found { fault, ..Found::new(record) })
}

fn coordinates(mv: &[u32; MOVE]) -> Coordinates {
    Coordinates { from: square(mv[3], mv[4]), to: square(mv[5], mv[6]) }
}

/// The square on a rank and a file, or a number for messages.
fn square(rank: u32, file: u32) -> Result<Square, u8> {
    match (u8::try_from(rank), u8::try_from(file)) {
        (Ok(rank @ 0..10), Ok(file @ 0..9)) => Ok(Square::at(file, rank)),
        // Four bits each, whatever the numbers are.
        _ => Err((file.min(15) * 16 + rank.min(15)) as u8),
    }
}

/// The numbers of a text, and where they begin.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn number(&mut self, within: impl Into<Message>) -> Result<(usize, u32), Fault> {
        self.next().unwrap_or_else(|| Err(truncated(self.bytes.len(), within)))
    }
}

impl Iterator for Numbers<'_> {
    type Item = Result<(usize, u32), Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let blanks = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let at = self.at + blanks;
        let rest = &self.bytes[at..];
        let len = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at = at + len;
        let word = &rest[..len];
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        (len > 0).then(|| match number {
            Some(number) => Ok((at, number)),
            None => {
                let word = &word[..word.len().min(20)];
                Err(malformed(at, message!("\"{}\" is no number", word.escape_ascii())))
            }
        })
    }
}
