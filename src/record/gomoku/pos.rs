//! The stones of one game on 15×15 points: a byte with their number, then a byte for each in the order of
//! moves, 15 × row from the top + column.

use crate::gomoku::{Board, Variant};
use crate::message::message;
use crate::record::gomoku::{board, fit};
use crate::record::model::format::Format;
use crate::record::model::format_row::{
    Certainty, FormatInfo, FormatRow, ReadGames, Sniffer, Stage,
};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, line, malformed, truncated};
use crate::record::model::written::{WriteError, WriteOptions, Written};

/// The row of stones in bytes.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo {
        certainty: Certainty::Likely,
        ..FormatInfo::of_bytes(Format::Pos, "pos", &["pos"])
    },
    sniff: &[Sniffer { stage: Stage::Rest, shows: |sample| looks_like(sample.bytes) }],
    read: ReadGames::One(game),
    write: Some(written),
};

/// The points of the board.
const POINTS: u8 = 225;

/// Returns true if the bytes are a number and that number of different points.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let Some((&count, stones)) = bytes.split_first() else { return false };
    let mut seen = [false; POINTS as usize];
    (1..=POINTS).contains(&count)
        && stones.len() == usize::from(count)
        && stones.iter().all(|&stone| {
            seen.get_mut(usize::from(stone)).is_some_and(|seen| !std::mem::replace(seen, true))
        })
}

/// Reads the game.
fn game(bytes: &[u8]) -> Result<Found<Board>, Fault> {
    let (&count, stones) =
        bytes.split_first().ok_or_else(|| truncated(0, "the number of stones"))?;
    let start = board::empty(15, 15, Variant::default()).map_err(|r| Fault::at(0, r))?;
    let points = (1..).zip(stones.iter().take(usize::from(count))).map(|(at, &stone)| {
        let point = board::from_top(&start, u32::from(stone % 15), u32::from(stone / 15));
        let point = point.ok_or_else(|| malformed(at, message!("{stone} is no point of 0 to 224")));
        point.map(|point| (at, point))
    });
    let (tree, fault) = line(start.clone(), points)?;
    let end = stones.len() < usize::from(count);
    let fault = fault.or_else(|| end.then(|| truncated(bytes.len(), "the list of stones")));
    Ok(Found { fault, ..Found::new(board::record(Vec::new(), &start, None, tree)) })
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    if record.tree.moves.is_empty() {
        return Err(WriteError::Unfit(Format::Pos, "games without moves"));
    }
    let start = fit::usual_start(record, Format::Pos)?;
    let dropped = fit::without_result(record, fit::lost_by_line(record, 0));
    Ok(Written::bytes(write(record, &start), dropped))
}

/// The bytes of a record on an empty board of 15×15 points.
fn write(record: &Record<Board>, start: &Board) -> Vec<u8> {
    let moves = &record.tree.moves;
    let mut bytes = vec![u8::try_from(moves.len()).unwrap_or(POINTS)];
    bytes.extend(moves.iter().map(|&mv| {
        let (column, row) = board::to_top(start, mv);
        15 * row + column
    }));
    bytes
}
