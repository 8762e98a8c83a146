//! Libraries of `RenLib`: a tree of moves on 15×15 points with comments.
//!
//! After a head of 20 bytes come the nodes, depth first. A node has two bytes. The lower half of the first is
//! the column from 1, the upper half the row from the top, from 0; a node of 0 is no move, as the first one
//! usually is. Of the second, bit `80` says that another move in its place comes after all its answers, `40`
//! that it has no answer, `08` that a comment follows (`20` in old files), `01` that two bytes more follow, of
//! which the last bit promises a label. Comments and labels end with a zero and have an even length. The main
//! line of the record goes by the first answers. Labels and marks are not kept.

use crate::gomoku::{Board, Point, Variant};
use crate::record::gomoku::{board, fit, tree};
#[cfg(feature = "book")]
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::{FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, go_on, malformed, truncated, unless_truncated};
use crate::record::model::texts::{Texts, tidy};
use crate::record::model::written::{WriteError, WriteOptions, Written};

/// The row of libraries of `RenLib`.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo::of_bytes(Format::Lib, "lib", &["lib"]),
    sniff: &[Sniffer { stage: Stage::Mark, shows: |sample| sample.bytes.starts_with(MAGIC) }],
    read: ReadGames::One(game),
    write: Some(written),
};

/// The first bytes.
pub(crate) const MAGIC: &[u8] = b"\xffRenLib\xff";

/// Bytes before the first node.
const HEAD_LEN: usize = 20;

/// The version that is written.
const VERSION: [u8; 2] = [3, 4];

const SIBLING: u8 = 0x80;
const LEAF: u8 = 0x40;
const OLD_COMMENT: u8 = 0x20;
const COMMENT: u8 = 0x08;
const EXTENSION: u8 = 0x01;

/// The bit of an extension that promises a label.
const LABEL: u8 = 0x01;

/// Reads a library as a game with variations.
fn game(bytes: &[u8]) -> Result<Found<Board>, Fault> {
    tree_of(bytes, |order| order)
}

/// Reads a library into an order of nodes that `set_up` begins.
fn tree_of(
    bytes: &[u8],
    set_up: impl FnOnce(PreOrder<Board>) -> PreOrder<Board>,
) -> Result<Found<Board>, Fault> {
    if bytes.len() < HEAD_LEN {
        return Err(truncated(bytes.len(), "the head of 20 bytes"));
    }
    if !matches!(bytes.get(8), Some(1..=3)) {
        return Err(malformed(8, "a version of RenLib that is not read; save it as version 3"));
    }
    let start = board::empty(15, 15, Variant::default()).map_err(|r| Fault::at(0, r))?;
    let mut nodes = Nodes { bytes, at: HEAD_LEN, texts: Texts::default() };
    let mut preface = String::new();
    let mut fault = None;
    let mut next = unless_truncated(nodes.node(), &mut fault)?;
    if let Some(root) = &mut next
        && root.is_root
    {
        let is_empty = root.mv.is_last;
        preface = std::mem::take(&mut root.mv.comment);
        next = None;
        if !is_empty {
            next = unless_truncated(nodes.node(), &mut fault)?;
        }
    }
    let mut order = set_up(PreOrder::new(start.clone(), preface));
    while let Some(node) = next.take() {
        let at = nodes.at;
        if !go_on(order.add(node.mv), at, &mut fault) {
            break;
        }
        next = unless_truncated(nodes.node(), &mut fault)?;
    }
    let (tree, cut_variations) = order.finish();
    let is_undecoded = nodes.texts.is_undecoded();
    let record = board::record(Vec::new(), &start, None, tree);
    Ok(Found { cut_variations, is_undecoded, fault, ..Found::new(record) })
}

/// Reads a library of any size, but for moves that cannot be played with what follows them, up to the end of the
/// bytes, and returns the number of lines that were cut, too.
///
/// # Errors
///
/// The reason why it cannot be read.
#[cfg(feature = "book")]
pub(crate) fn read_library(bytes: &[u8]) -> Result<(Record<Board>, u64), BadGameReason> {
    let found = tree_of(bytes, PreOrder::lenient).map_err(|fault| fault.reason)?;
    Ok((found.record, found.cut_variations + u64::from(found.fault.is_some())))
}

struct Node {
    mv: FileMove<Point>,
    /// No move at all.
    is_root: bool,
}

struct Nodes<'a> {
    bytes: &'a [u8],
    at: usize,
    texts: Texts,
}

impl Nodes<'_> {
    fn pair(&mut self) -> Result<[u8; 2], Fault> {
        let pair = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        let pair = *pair.ok_or_else(|| truncated(self.at, "the tree of moves"))?;
        self.at += 2;
        Ok(pair)
    }

    /// A text up to a zero, with a second one after it if its length is odd.
    fn text(&mut self) -> Result<String, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == 0);
        let end = end.ok_or_else(|| truncated(self.at, "a comment"))?;
        self.at = self.bytes.len().min(self.at + (end + 1).next_multiple_of(2));
        Ok(tidy(&self.texts.detected(&rest[..end])))
    }

    fn node(&mut self) -> Result<Node, Fault> {
        let [place, flags] = self.pair()?;
        let extension = if flags & EXTENSION == 0 { [0; 2] } else { self.pair()? };
        let has_comment = flags & (COMMENT | OLD_COMMENT) != 0;
        let comment = if has_comment { self.text()? } else { String::new() };
        if extension[1] & LABEL != 0 {
            self.text()?;
        }
        let is_last = flags & LEAF != 0;
        let has_alternative = flags & SIBLING != 0;
        let mv = FileMove { mv: point(place), comment, is_last, has_alternative };
        Ok(Node { mv, is_root: place == 0 })
    }
}

fn point(place: u8) -> Result<Point, String> {
    let column = place & 0x0f;
    let row = place >> 4;
    let point = column.checked_sub(1).zip(14_u8.checked_sub(row));
    let point = point.and_then(|(column, row)| Point::new(column, row));
    point.ok_or_else(|| if place == 0 { "pass".to_owned() } else { format!("#{place:02x}") })
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    fit::usual_start(record, Format::Lib)?;
    let dropped = fit::without_result(record, fit::tags_lost(record, 0));
    Ok(Written::bytes(write(record), dropped))
}

/// The library of a record on an empty board of 15×15 points.
fn write(record: &Record<Board>) -> Vec<u8> {
    write_nodes(&tree::nodes_of(&record.tree))
}

/// The library of nodes, of which the first is the start.
pub(crate) fn write_nodes(nodes: &[tree::Node]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION);
    bytes.resize(HEAD_LEN, 0xff);
    // Each node with whether another one in its place follows; the next one last.
    let mut open = vec![(0, false)];
    while let Some((index, has_sibling)) = open.pop() {
        let node = &nodes[index];
        let mut flags = if has_sibling { SIBLING } else { 0 };
        flags |= if node.answers.is_empty() { LEAF } else { 0 };
        flags |= if node.comment.is_empty() { 0 } else { COMMENT };
        let place = node.mv.map_or(0, |mv| ((14 - mv.row().min(14)) << 4) | (mv.column() + 1));
        bytes.extend([place, flags]);
        if !node.comment.is_empty() {
            bytes.extend(node.comment.bytes().filter(|&byte| byte != 0));
            bytes.push(0);
            if !bytes.len().is_multiple_of(2) {
                bytes.push(0);
            }
        }
        let last = node.answers.last();
        open.extend(node.answers.iter().rev().map(|answer| (*answer, Some(answer) != last)));
    }
    bytes
}
