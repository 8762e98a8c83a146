//! Boards, results and illegal moves as files and people write them.

use crate::bytes::visible::first_chars;
use crate::game::{Game, Notation, Outcome, Side};
use crate::gomoku::{Board, Point, Variant};
use crate::message::{Message, ToMessage, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::record::{Record, Tree};

/// The sides of boards on which games are recorded.
const SIDES: std::ops::RangeInclusive<u8> = 5..=20;

/// Letters of a text that messages quote.
const SHOWN: usize = 20;

/// The text as messages quote it.
pub(crate) fn quoted(text: &str) -> String {
    first_chars(text, SHOWN).to_owned()
}

/// An empty board on which five in a row win.
pub(crate) fn empty(width: u8, height: u8, variant: Variant) -> Result<Board, BadGameReason> {
    if !SIDES.contains(&width) || !SIDES.contains(&height) {
        let what = message!("a board of {width}x{height}; boards of 5x5 to 20x20 are read");
        return Err(BadGameReason::Malformed(what));
    }
    Board::with_variant(width, height, 5, variant)
        .map_err(|error| BadGameReason::Malformed(error.message()))
}

/// The board on which points with columns and rows up to these, from 0, were played where nothing in a file says its
/// size: that which is `stated`, or 15×15, or 20×20 if that is too small.
pub(crate) fn of_reach(
    most: u8,
    variant: Variant,
    stated: Option<(u8, u8)>,
) -> Result<Board, BadGameReason> {
    let side = if most < 15 { 15 } else { 20 };
    let (width, height) = stated.unwrap_or((side, side));
    empty(width, height, variant)
}

/// The start of a record, `None` for the usual one.
pub(crate) fn start_of(board: Board) -> Option<Board> {
    (board != Board::start()).then_some(board)
}

/// Reads a start: the text of a position.
pub(crate) fn read_start(text: &str) -> Result<Option<Board>, BadGameReason> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let board = Board::from_fen(text)
        .map_err(|error| BadGameReason::Malformed(message!("start position: {error}")))?;
    Ok(start_of(board))
}

/// The record of a game without a stated result: who has a row has won.
pub(crate) fn record(
    tags: Vec<(String, String)>,
    start: &Board,
    result: Option<Outcome>,
    tree: Tree<Board>,
) -> Record<Board> {
    let mut last = start.clone();
    for &mv in &tree.moves {
        last.make(mv);
    }
    let result = result.or_else(|| last.outcome());
    Record { tags, start: start_of(start.clone()), start_clock: 0, result, tree }
}

/// Reads a result: `W`, `D` or `L` for Black, who begins, or points of both.
pub(crate) fn result(text: &str) -> Option<Outcome> {
    Some(match text.trim().to_ascii_lowercase().as_str() {
        "w" | "1-0" | "1:0" | "b+" | "black" => Outcome::Win(Side::First),
        "l" | "0-1" | "0:1" | "w+" | "white" => Outcome::Win(Side::Second),
        "d" | "1/2-1/2" | "0.5-0.5" | "½-½" | "=" | "draw" => Outcome::Draw,
        _ => return None,
    })
}

/// The reason why a point of the type cannot be played.
pub(crate) fn why_illegal(board: &Board, point: Point) -> Message {
    if !board.contains(point) {
        return message!("{point} is not on the {}x{} board", board.width(), board.height());
    }
    if board.stone(point).is_some() {
        return message!("{point} is occupied");
    }
    if board.outcome().is_some() {
        return message!("{point} comes after the end of the game");
    }
    match board.forbidden(point) {
        Some(forbidden) => message!("{point} is forbidden to Black: {}", forbidden.name()),
        None => message!("{point} cannot be played"),
    }
}

/// The point in a column and a row from the top, both from 0.
pub(crate) fn from_top(board: &Board, column: u32, row: u32) -> Option<Point> {
    let row = u32::from(board.height()).checked_sub(row + 1)?;
    let point = Point::new(u8::try_from(column).ok()?, u8::try_from(row).ok()?)?;
    board.contains(point).then_some(point)
}

/// Column and row from the top of a point, both from 0.
pub(crate) fn to_top(board: &Board, point: Point) -> (u8, u8) {
    (point.column(), board.height().saturating_sub(point.row() + 1))
}

/// Reads `20x20`.
pub(crate) fn size(text: &str) -> Option<(u8, u8)> {
    let (width, height) = text.split_once(['x', 'X', '×'])?;
    Some((side(width)?, side(height)?))
}

/// A number of one or two digits.
fn side(text: &str) -> Option<u8> {
    let is_number = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}
