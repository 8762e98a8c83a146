//! Writing XQF 1.0.

use std::io::{self, Write};

use encoding_rs::GB18030;

use crate::game::{Game, Outcome, Side};
use crate::record::model::board::men_of;
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::written::{Dropped, WriteError, WriteOptions, Written};
use crate::record::programs::xqf::{
    FROM_SHIFT, MAGIC, MEN, PLAIN_VERSION, RESULT, SIDE_TO_MOVE, TEXTS, TO_SHIFT, TREE,
};
use crate::xiangqi::{Move, Position, Square};

/// The number of a piece that is not on the board.
const ABSENT: u8 = 0xff;

/// Writes a record as XQF 1.0, which nothing encrypts and every reader of XQF reads.
///
/// The format keeps the start position, the moves, the variations, one comment a move, the result,
/// and of the tags `Title`, `Event`, `Date`, `Site`, `Red`, `Black`, `TimeControl`, `Annotator` and
/// `Author`, as many whole characters of them as 63 or 15 bytes of GB18030 hold. Other tags and the
/// clock of the start position are left out. Several comments on a move are joined by line ends,
/// and comments before the first move of a variation go with those after it. A variation on the
/// first move of a variation becomes another one on the move that both replace.
///
/// # Errors
///
/// If `out` fails.
pub fn write_xqf(out: &mut impl Write, record: &Record<Position>) -> io::Result<()> {
    out.write_all(&header(record))?;
    write_tree(out, &record.tree)
}

/// Writes a record, and counts what is left out.
pub(crate) fn written(record: &Record<Position>, _: &WriteOptions) -> Result<Written, WriteError> {
    let mut bytes = Vec::new();
    write_xqf(&mut bytes, record)?;
    let dropped = Dropped { tags: tags_left_out(record), ..Dropped::default() };
    Ok(Written::bytes(bytes, dropped))
}

/// The number of tags that the format has no room for, or not for the whole of.
fn tags_left_out(record: &Record<Position>) -> u64 {
    const SAID_OTHERWISE: [&str; 4] = ["Result", "FEN", "Format", "Game"];
    let mut is_taken = [false; TEXTS.len()];
    let mut left_out = 0;
    for (name, value) in &record.tags {
        if SAID_OTHERWISE.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            continue;
        }
        let value = value.trim();
        let room = TEXTS.iter().position(|(.., tag)| tag.eq_ignore_ascii_case(name));
        let fits = room.is_some_and(|room| {
            let is_first = !std::mem::replace(&mut is_taken[room], true);
            is_first && GB18030.encode(value).0.len() < TEXTS[room].1
        });
        left_out += u64::from(!fits && !value.is_empty());
    }
    left_out
}

fn header(record: &Record<Position>) -> [u8; TREE] {
    let mut header = [0; TREE];
    header[..2].copy_from_slice(MAGIC);
    header[2] = PLAIN_VERSION;
    let start = record.start.clone().unwrap_or_else(Position::start);
    for (byte, square) in header[MEN..].iter_mut().zip(men_of(&start)) {
        *byte = square.map_or(ABSENT, number);
    }
    header[SIDE_TO_MOVE] = u8::from(start.turn() == Side::Second);
    header[RESULT] = match record.result {
        None => 0,
        Some(Outcome::Win(Side::First)) => 1,
        Some(Outcome::Win(Side::Second)) => 2,
        Some(Outcome::Draw) => 3,
    };
    for (at, width, name) in TEXTS {
        let text = encoded(record.tag(name).unwrap_or_default().trim(), width - 1);
        // A byte suffices: the widest field has 64.
        header[at] = text.len() as u8;
        header[at + 1..at + 1 + text.len()].copy_from_slice(&text);
    }
    header
}

/// As many whole characters as that many bytes of GB18030 hold.
fn encoded(text: &str, room: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(room);
    for c in text.chars() {
        let mut buffer = [0; 4];
        let (encoded, ..) = GB18030.encode(c.encode_utf8(&mut buffer));
        if bytes.len() + encoded.len() > room {
            break;
        }
        bytes.extend_from_slice(&encoded);
    }
    bytes
}

const fn number(square: Square) -> u8 {
    square.file() * 10 + square.rank()
}

/// A line that is still to be written.
struct Waiting<'a> {
    tree: &'a Tree<Position>,
    /// True if another line that replaces the same move comes after this one.
    has_sibling: bool,
}

/// Writes the tree depth first: a line to its end, then its variations from the last move back.
fn write_tree(out: &mut impl Write, tree: &Tree<Position>) -> io::Result<()> {
    let has_moves = !tree.moves.is_empty();
    write_node(
        out,
        (FROM_SHIFT, TO_SHIFT),
        Follows { child: has_moves, sibling: false },
        &comment(tree, 0, 0),
    )?;
    let mut waiting = vec![Waiting { tree, has_sibling: false }];
    while let Some(line) = waiting.pop() {
        let is_main = std::ptr::eq(line.tree, tree);
        let moves = &line.tree.moves;
        let mut variations: Vec<&Variation<Position>> = line.tree.variations.iter().collect();
        // The format knows alternatives of moves only.
        variations.retain(|v| !v.tree.moves.is_empty() && v.ply < moves.len());
        variations.sort_by_key(|variation| variation.ply);
        for (ply, &mv) in moves.iter().enumerate() {
            let has_sibling = variations.binary_search_by_key(&ply, |v| v.ply).is_ok()
                || ply == 0 && line.has_sibling;
            // The comment before a variation's first move goes with the one after it.
            let before = if ply == 0 && !is_main { 0 } else { ply + 1 };
            let text = comment(line.tree, before, ply + 1);
            let follows = Follows { child: ply + 1 < moves.len(), sibling: has_sibling };
            write_node(out, squares(mv), follows, &text)?;
        }
        // The last variation on the last move is written last, so it lies at the bottom.
        for ply_group in variations.chunk_by(|a, b| a.ply == b.ply) {
            let follows = ply_group[0].ply == 0 && line.has_sibling;
            for (place, variation) in ply_group.iter().enumerate().rev() {
                let has_sibling = place + 1 < ply_group.len() || follows;
                waiting.push(Waiting { tree: &variation.tree, has_sibling });
            }
        }
    }
    Ok(())
}

const fn squares(mv: Move) -> (u8, u8) {
    (number(mv.from()) + FROM_SHIFT, number(mv.to()) + TO_SHIFT)
}

/// The comments that stand after `from` to `to` plies of a line.
fn comment(tree: &Tree<Position>, from: usize, to: usize) -> String {
    let first = tree.comments.partition_point(|(ply, _)| *ply < from);
    let comments = tree.comments[first..].iter().take_while(|(ply, _)| *ply <= to);
    comments.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The nodes that come after one.
#[derive(Clone, Copy)]
struct Follows {
    /// The next move of the line.
    child: bool,
    /// Another move in its place.
    sibling: bool,
}

fn write_node(
    out: &mut impl Write,
    (from, to): (u8, u8),
    follows: Follows,
    comment: &str,
) -> io::Result<()> {
    let marks = if follows.child { 0xf0 } else { 0 } | if follows.sibling { 0x0f } else { 0 };
    // XQStudio ends lines as Windows does.
    let comment = comment.replace("\r\n", "\n").replace('\n', "\r\n");
    let (text, ..) = GB18030.encode(&comment);
    let len = u32::try_from(text.len())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a comment of more than 4 GiB"))?;
    out.write_all(&[from, to, marks, 0])?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(&text)
}
