//! CCM, the records of 17pk and of Zhongyou: one game from the usual start. Numbers are little-endian.
//!
//! ```text
//! 17pk:      0  two unknown u16, u32 time, u32 moves
//!           12  9 bytes a move: number of the piece, side (1 Red, 2 Black), kind, column and row where
//!               it begins, column and row where it ends, number and kind of what it captures
//! Zhongyou:  0  7 bytes a move: three unknown, column where it begins, where it ends, row where it
//!               begins, where it ends
//! ```
//!
//! Columns count from the left, rows from the top, both from 0. A game whose first move begins in the upper
//! half is seen from the other side, and turned. Neither names nor a result are kept. The files have no mark:
//! they are recognised by their length and two moves that can be played. No file of Zhongyou was at hand, so
//! that one is read only if every move in it is legal, and else is of an unknown format.

use crate::message::message;
use crate::record::model::board::{from_top_left, turned};
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::Coordinates;
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, is_playable, line, truncated};
use crate::xiangqi::{Position, Square};

/// The row of CCM.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Ccm, "ccm", &["ccm"]),
    sniff: &[Sniffer { stage: Stage::LooseLayout, shows: |sample| looks_like(sample.bytes) }],
    read: ReadGames::One(game),
    write: None,
};

const HEAD: usize = 12;
const MOVE: usize = 9;
const BARE_MOVE: usize = 7;

/// The longest file that can be a CCM, in bytes: some 7,000 moves.
const MAX_BYTES: usize = 64 << 10;

/// Returns true if the bytes look like a CCM.
fn looks_like(bytes: &[u8]) -> bool {
    if bytes.len() > MAX_BYTES {
        return false;
    }
    is_bare(bytes)
        || count(bytes).is_some_and(|count| {
            // Fewer bytes than the stated moves need are a file that is cut off; more are something else.
            let moves = moves(bytes).take(count);
            bytes.len() <= HEAD + MOVE * count
                && bytes.len() >= HEAD + MOVE
                && is_playable(Position::start(), moves.map(|(_, mv)| mv))
        })
}

/// Reads the game of a CCM.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    let (tree, fault) = if is_bare(bytes) {
        line(Position::start(), bare_moves(bytes).map(Ok))?
    } else {
        let count = count(bytes).ok_or_else(|| truncated(bytes.len(), "the header"))?;
        let (tree, mut fault) = line(Position::start(), moves(bytes).take(count).map(Ok))?;
        if fault.is_none() && tree.moves.len() < count {
            let within = message!("the moves, after {} of {count}", tree.moves.len());
            fault = Some(truncated(bytes.len(), &within));
        }
        (tree, fault)
    };
    let record = Record { tags: Vec::new(), start: None, start_clock: 0, result: None, tree };
    Ok(Found { fault, ..Found::new(record) })
}

/// The number of moves that the header of 17pk states.
fn count(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    usize::try_from(count).ok().filter(|&count| count <= MAX_BYTES)
}

/// The moves of 17pk, whole ones only.
fn moves(bytes: &[u8]) -> impl Iterator<Item = (usize, Coordinates)> {
    let rest = bytes.get(HEAD..).unwrap_or_default().as_chunks::<MOVE>().0;
    let squares = rest.iter().map(|mv| [mv[3], mv[4], mv[5], mv[6]]);
    (HEAD..).step_by(MOVE).zip(seen_from_red(squares))
}

/// The moves of Zhongyou.
fn bare_moves(bytes: &[u8]) -> impl Iterator<Item = (usize, Coordinates)> {
    let squares = bytes.as_chunks::<BARE_MOVE>().0.iter().map(|mv| [mv[3], mv[5], mv[4], mv[6]]);
    (0..).step_by(BARE_MOVE).zip(seen_from_red(squares))
}

/// Returns true if these are moves of Zhongyou, all of them legal.
fn is_bare(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && bytes.len() <= MAX_BYTES
        && bytes.len().is_multiple_of(BARE_MOVE)
        && is_playable(Position::start(), bare_moves(bytes).map(|(_, mv)| mv))
        && line(Position::start(), bare_moves(bytes).map(Ok))
            .is_ok_and(|(_, fault)| fault.is_none())
}

/// Moves from columns and rows of their ends; turned, if the first begins in the upper half.
pub(crate) fn seen_from_red(
    squares: impl Iterator<Item = [u8; 4]>,
) -> impl Iterator<Item = Coordinates> {
    let mut squares = squares.peekable();
    let is_turned = squares.peek().is_some_and(|[_, row, ..]| *row < 5);
    squares.map(move |[column, row, to_column, to_row]| Coordinates {
        from: square(column, row, is_turned),
        to: square(to_column, to_row, is_turned),
    })
}

/// The square in a column and a row; `is_turned` if they are counted as the other side sees them.
fn square(column: u8, row: u8, is_turned: bool) -> Result<Square, u8> {
    let square = from_top_left(column, row);
    if is_turned { square.map(turned) } else { square }
}
