//! XQF, the format of XQStudio, versions 1.0 to 1.8: one game with variations and comments.
//! Numbers are little-endian.
//!
//! ```text
//! 0x000  "XQ", version (10 to 18), key mask, 4 bytes, 4 bytes of key material (or),
//!        4 bytes of key material (sum, board, from, to; their sum is 0 mod 256)
//! 0x010  squares of the 32 pieces: 10 × file + rank, more than 89 if absent
//! 0x030  u16 first step; 0x032 side to move (not reliable); 0x033 result; 0x034 u32 nodes
//! 0x040  kind of record (not reliable)
//! 0x050  texts of fixed width, each a length byte and GB18030
//! 0x400  the tree, depth first: from, to, marks, reserved; then the comment's length and text
//! ```
//!
//! Up to version 10 nothing is encrypted, the marks are two nibbles (a child follows, a sibling comes later),
//! and every node has a length. From 11 on the marks are bits, only nodes with a comment have a length, and
//! all but header fields is shifted by keys made of bytes 3 to 15; from 12 on the pieces change places as
//! well. The first node is no move but holds the comment on the start position; in some files of other
//! positions than the usual one it promises moves, where the header counts none and the file ends.

mod keys;
mod read;
mod write;

use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::sample::Sample;
use crate::xiangqi::Square;

pub use write::write_xqf;

/// The row of XQF.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Xqf, "xqf", &["xqf"]),
    sniff: &[Sniffer { stage: Stage::Mark, shows: looks_like }],
    read: ReadGames::One(read::game),
    write: Some(write::written),
};

/// Returns true if a file begins with the mark and a version. That may be the number of a line end, but no text has
/// zeros.
fn looks_like(sample: &Sample<'_>) -> bool {
    let Some(rest) = sample.bytes.strip_prefix(MAGIC) else { return false };
    match rest.first() {
        Some(b'\n' | b'\r' | b'\t') => rest.len() == 1 || rest[..rest.len().min(64)].contains(&0),
        version => version.is_none_or(u8::is_ascii_control),
    }
}

const MAGIC: &[u8; 2] = b"XQ";
/// The offset of the tree.
const TREE: usize = 0x400;
/// The offset of the pieces' squares.
const MEN: usize = 0x10;
const SIDE_TO_MOVE: usize = 0x32;
const RESULT: usize = 0x33;
/// The offset of the number of nodes in the tree, where a program counted them.
const NODES: usize = 0x34;
/// The numbers added to the squares of a move before any key.
const FROM_SHIFT: u8 = 0x18;
const TO_SHIFT: u8 = 0x20;
/// The version that is written, and the last without keys.
const PLAIN_VERSION: u8 = 10;

/// The texts: offset, number of bytes with the length byte, and tag.
const TEXTS: [(usize, usize, &str); 9] = [
    (0x50, 64, "Title"),
    (0xd0, 64, "Event"),
    (0x110, 16, "Date"),
    (0x120, 16, "Site"),
    (0x130, 16, "Red"),
    (0x140, 16, "Black"),
    (0x150, 64, "TimeControl"),
    (0x1d0, 16, "Annotator"),
    (0x1e0, 16, "Author"),
];

/// The square with a number 10 × file + rank, or the number.
const fn square(number: u8) -> Result<Square, u8> {
    if number < 90 { Ok(Square::at(number / 10, number % 10)) } else { Err(number) }
}
