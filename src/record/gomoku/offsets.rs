//! Lists of distances from the middle of the board, `0,0, 1,-1, 2,0`, a game or an opening on each line: the
//! form in which tournaments of programs publish openings.
//!
//! The middle is the point with half the board's sides, rounded down, from the upper left corner. The board is that
//! which a reader is told, else 15×15, or 20×20 if a distance leads beyond.

use std::fmt::Write as _;

use crate::gomoku::{Board, Point, Variant};
use crate::message::message;
use crate::record::gomoku::{board, fit, lines};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::Cut;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, line, malformed};
use crate::record::model::written::{WriteError, WriteOptions, Written};
use crate::record::text::split::cut_lines;

/// The row of lists of distances.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo {
        shared_endings: &["txt"],
        cut: Cut::Games(cut_lines),
        ..FormatInfo::of_text(Format::Offsets, "offsets", &["txt"])
    },
    sniff: &[Sniffer {
        stage: Stage::Moves,
        shows: |sample| lines::first_line_is(sample, looks_like),
    }],
    read: ReadGames::Chunk(|reader| lines::read(reader, game)),
    write: Some(written),
};

/// Numbers of more digits are no distances.
const DIGITS: usize = 3;

/// Returns true if a line is a list of distances.
fn looks_like(text: &str) -> bool {
    text.contains(',') && distances(text).is_ok_and(|pairs| !pairs.is_empty())
}

/// Reads the game of a line.
fn game(text: &str, stated: Option<(u8, u8)>) -> Result<Found<Board>, Fault> {
    let pairs = distances(text)?;
    let is_small = pairs.iter().all(|&(dx, dy)| dx.abs() <= 7 && dy.abs() <= 7);
    let start = board::of_reach(if is_small { 0 } else { 15 }, Variant::default(), stated)
        .map_err(|reason| Fault::at(0, reason))?;
    let moves = pairs.iter().enumerate().map(|(index, &pair)| {
        let point = point(&start, pair).map(|point| (0, point));
        point.ok_or_else(|| {
            let what = message!("{},{} is not on the board", pair.0, pair.1);
            Fault::at(0, BadGameReason::Unplayable { ply: index + 1, what })
        })
    });
    let (tree, fault) = line(start.clone(), moves)?;
    let record = board::record(Vec::new(), &start, None, tree);
    Ok(Found { fault, ..Found::new(record) })
}

/// Column and row from the top of the middle.
fn middle(board: &Board) -> (i32, i32) {
    (i32::from(board.width() / 2), i32::from(board.height() / 2))
}

/// The point at a distance from the middle.
fn point(board: &Board, (dx, dy): (i32, i32)) -> Option<Point> {
    let (column, row) = middle(board);
    let column = u32::try_from(column + dx).ok()?;
    board::from_top(board, column, u32::try_from(row + dy).ok()?)
}

fn distances(text: &str) -> Result<Vec<(i32, i32)>, Fault> {
    let numbers = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.parse().ok().filter(|_| word.len() <= DIGITS);
            number
                .ok_or_else(|| malformed(0, message!("\"{}\" is no distance", board::quoted(word))))
        })
        .collect::<Result<Vec<i32>, Fault>>()?;
    let (pairs, rest) = numbers.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(malformed(0, "an odd number of distances; each stone has two"));
    }
    Ok(pairs.iter().map(|&[dx, dy]| (dx, dy)).collect())
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Board>, options: &WriteOptions) -> Result<Written, WriteError> {
    let start = fit::empty_start(record, Format::Offsets)?;
    let line = write(record, &start, options.board);
    let line = line.ok_or_else(|| fit::unfit_board(Format::Offsets))?;
    Ok(Written::text(line, fit::without_result(record, fit::lost_by_line(record, 0))))
}

/// The line of a record on an empty board; `None` where reading it, told that size, would give another board.
fn write(record: &Record<Board>, start: &Board, stated: Option<(u8, u8)>) -> Option<String> {
    let middle = middle(start);
    let distances: Vec<(i32, i32)> = record
        .tree
        .moves
        .iter()
        .map(|&mv: &Point| {
            let (column, row) = board::to_top(start, mv);
            (i32::from(column) - middle.0, i32::from(row) - middle.1)
        })
        .collect();
    let is_small = distances.iter().all(|&(dx, dy)| dx.abs() <= 7 && dy.abs() <= 7);
    let side = if is_small { 15 } else { 20 };
    let is_read_so = stated.unwrap_or((side, side)) == (start.width(), start.height());
    if !is_read_so || start.variant() != Variant::default() {
        return None;
    }
    let mut text = String::new();
    for (index, (dx, dy)) in distances.iter().enumerate() {
        let separator = if index > 0 { ", " } else { "" };
        let written = write!(text, "{separator}{dx},{dy}");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    text.push('\n');
    Some(text)
}
