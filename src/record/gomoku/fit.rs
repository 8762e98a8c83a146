//! The starts that formats of gomoku have a place for, and what they leave out of a record.

use crate::game::{Game, Notation, Outcome};
use crate::gomoku::{Board, Variant};
use crate::record::model::format::Format;
use crate::record::model::record::Record;
use crate::record::model::written::{Dropped, WriteError};

/// The start of a record in a format of games that begin with an empty board.
///
/// # Errors
///
/// [`WriteError::Unfit`].
pub(crate) fn empty_start(record: &Record<Board>, format: Format) -> Result<Board, WriteError> {
    let start = record.start.clone().unwrap_or_else(Board::start);
    if start.stones() > 0 || start.row() != 5 {
        let what = "stones at the start, or another row than five";
        return Err(WriteError::Unfit(format, what));
    }
    Ok(start)
}

/// The start of a record in a format of games on an empty board of 15×15 points.
///
/// # Errors
///
/// [`WriteError::Unfit`].
pub(crate) fn usual_start(record: &Record<Board>, format: Format) -> Result<Board, WriteError> {
    let start = empty_start(record, format)?;
    let is_fifteen = start.width() == 15 && start.height() == 15;
    if !is_fifteen || start.variant() != Variant::default() {
        return Err(WriteError::Unfit(format, "other boards than 15x15 freestyle"));
    }
    Ok(start)
}

/// The refusal of a board that reading the file would not give.
pub(crate) const fn unfit_board(format: Format) -> WriteError {
    WriteError::Unfit(format, "boards of that size, or that variant")
}

/// Returns what is lost in a format with trees in which `kept` of the record's tags are.
pub(crate) fn tags_lost(record: &Record<Board>, kept: usize) -> Dropped {
    Dropped { tags: (record.tags.len() - kept) as u64, ..Dropped::default() }
}

/// Returns what is lost in a format of the main line alone in which `kept` of the record's tags are.
pub(crate) fn lost_by_line(record: &Record<Board>, kept: usize) -> Dropped {
    Dropped { tags: (record.tags.len() - kept) as u64, ..Dropped::tree_of(record) }
}

/// The same in a format that states no results: that of the record is lost if its last position does not show it.
pub(crate) fn without_result(record: &Record<Board>, dropped: Dropped) -> Dropped {
    Dropped { results: u64::from(record.result != shown_result(record)), ..dropped }
}

/// The result that the last position of a record shows.
fn shown_result(record: &Record<Board>) -> Option<Outcome> {
    let mut board = record.start.clone().unwrap_or_else(Board::start);
    for &mv in &record.tree.moves {
        board.make(mv);
    }
    board.outcome()
}
