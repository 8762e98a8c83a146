//! MXQ, the records of the game of Movesky: one game from the usual start, as strings of a length
//! byte and text in GB18030.
//!
//! ```text
//! event, date, names, seven numbers (ratings and times), how it ended,
//! "Moves", a string for each move, "Ends", comments (unknown), "CommentsEnd"
//! ```
//!
//! Names are `red-负-black` with the result of Red in the middle: 胜, 负 or 和. A move is `7C-4C`: file
//! from Red's left from 0, and the letter of the rank, A being Red's back rank. Numbers and comments
//! are not kept.

use crate::game::{Outcome, Side};
use crate::message::message;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::Coordinates;
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, is_playable, line, malformed, truncated};
use crate::record::model::texts::{Texts, push_tag};
use crate::xiangqi::notation::MoveError;
use crate::xiangqi::{Position, Square};

/// The row of MXQ.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Mxq, "mxq", &["mxq"]),
    sniff: &[Sniffer { stage: Stage::Layout, shows: |sample| looks_like(sample.bytes) }],
    read: ReadGames::One(game),
    write: None,
};

const MOVES: &[u8] = b"Moves";
const END: &[u8] = b"Ends";

/// Strings before the moves at most.
const MAX_HEAD: usize = 64;

/// The ways in which Red's result is written between the names.
const RESULTS: [(&str, Outcome); 3] = [
    ("-胜-", Outcome::Win(Side::First)),
    ("-负-", Outcome::Win(Side::Second)),
    ("-和-", Outcome::Draw),
];

/// Returns true if the bytes begin like an MXQ.
fn looks_like(bytes: &[u8]) -> bool {
    let mut strings = Strings { bytes, at: 0 };
    let mut head = strings.by_ref().take(MAX_HEAD);
    if !head.any(|string| string.is_some_and(|(_, text)| text == MOVES)) {
        return false;
    }
    let mut moves = strings.map_while(|string| string.map(|(_, text)| text));
    match moves.next() {
        Some(END) => true,
        Some(first) => is_playable(Position::start(), coordinates(first).into_iter()),
        None => false,
    }
}

/// Reads the game of an MXQ.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    Texts::read(|texts| read(bytes, texts))
}

fn read(bytes: &[u8], texts: &Texts) -> Result<Found, Fault> {
    let mut strings = Strings { bytes, at: 0 };
    let mut head = Vec::new();
    loop {
        let (at, text) = strings.string("the strings before the moves")?;
        if text == MOVES {
            break;
        }
        if head.len() == MAX_HEAD {
            return Err(malformed(at, message!("more than {MAX_HEAD} strings before the moves")));
        }
        head.push(texts.text(text));
    }
    let mut ply = 0;
    let moves = std::iter::from_fn(|| match strings.string("the moves") {
        Ok((_, END)) => None,
        Ok((at, text)) => {
            ply += 1;
            let mv = coordinates(text).map(|mv| (at, mv));
            Some(mv.ok_or_else(|| unreadable(at, ply, text)))
        }
        Err(fault) => Some(Err(fault)),
    });
    let (tree, fault) = line(Position::start(), moves)?;
    let (tags, result) = tags(&head);
    let record = Record { tags, start: None, start_clock: 0, result, tree };
    let is_undecoded = texts.is_undecoded();
    Ok(Found { is_undecoded, fault, ..Found::new(record) })
}

/// The fault of a string that is no move.
fn unreadable(at: usize, ply: usize, text: &[u8]) -> Fault {
    let error = MoveError::Unreadable(Texts::default().text(text));
    Fault::at(at, BadGameReason::Move { ply, error })
}

fn tags(head: &[String]) -> (Vec<(String, String)>, Option<Outcome>) {
    let mut tags = Vec::new();
    push_tag(&mut tags, "Event", string_at(head, 0));
    push_tag(&mut tags, "Date", string_at(head, 1));
    let names = string_at(head, 2);
    let mut split =
        RESULTS.iter().filter_map(|(mark, result)| Some((names.split_once(mark)?, result)));
    let result = if let Some(((red, black), result)) = split.next() {
        push_tag(&mut tags, "Red", red.to_owned());
        push_tag(&mut tags, "Black", black.to_owned());
        Some(*result)
    } else {
        push_tag(&mut tags, "Title", names.clone());
        None
    };
    if head.len() > 3 {
        push_tag(&mut tags, "Termination", string_at(head, head.len() - 1));
    }
    (tags, result)
}

/// A string before the moves, empty if there are fewer.
fn string_at(head: &[String], index: usize) -> String {
    head.get(index).cloned().unwrap_or_default()
}

/// Reads `7C-4C`.
fn coordinates(text: &[u8]) -> Option<Coordinates> {
    let &[a, b, b'-', c, d] = text else { return None };
    Some(Coordinates { from: square(a, b), to: square(c, d) })
}

/// The square of a digit and a letter, or the number of the file.
const fn square(file: u8, rank: u8) -> Result<Square, u8> {
    // What comes before the digit or the letter wraps to a number off the board.
    let file = file.wrapping_sub(b'0');
    let rank = rank.to_ascii_uppercase().wrapping_sub(b'A');
    if file < 9 && rank < 10 { Ok(Square::at(file, rank)) } else { Err(file) }
}

/// The strings of a file and where they begin; `None` where one is cut off.
struct Strings<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Strings<'a> {
    fn string(&mut self, within: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.bytes.len();
        self.next().flatten().ok_or_else(|| truncated(end, within))
    }
}

impl<'a> Iterator for Strings<'a> {
    type Item = Option<(usize, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let (&len, rest) = self.bytes.get(at..)?.split_first()?;
        self.at = at + 1 + usize::from(len);
        Some(rest.get(..usize::from(len)).map(|text| (at, text)))
    }
}
