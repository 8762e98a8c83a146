//! Writing games of gomoku.

use std::io::Write;

use crate::game::{Game, Notation, Outcome};
use crate::gomoku::{Board, Variant};
use crate::record::gomoku::{bdt, lib, moves, offsets, piskvork, pos, sgf};
use crate::record::model::format::Format;
use crate::record::model::record::Record;
use crate::record::text::jsonl::write_jsonl;
use crate::record::write::{Dropped, WriteError, WriteOptions, encode};

/// The formats in which games can be written.
pub(crate) const WRITTEN: [Format; 9] = [
    Format::Jsonl,
    Format::Moves,
    Format::Psq,
    Format::Rec,
    Format::Sgf,
    Format::Lib,
    Format::Offsets,
    Format::Bdt,
    Format::Pos,
];

/// Returns true if files of a format state results.
const fn has_results(format: Format) -> bool {
    matches!(format, Format::Jsonl | Format::Moves | Format::Sgf | Format::Bdt)
}

/// The result that the last position of a record shows.
fn shown_result(record: &Record<Board>) -> Option<Outcome> {
    let mut board = record.start.clone().unwrap_or_else(Board::start);
    for &mv in &record.tree.moves {
        board.make(mv);
    }
    board.outcome()
}

/// Writes a record and says what the format has no room for.
pub(crate) fn write_game(
    out: &mut dyn Write,
    record: &Record<Board>,
    format: Format,
    options: &WriteOptions,
) -> Result<Dropped, WriteError> {
    let tags = record.tags.len();
    let results = u64::from(!has_results(format) && record.result != shown_result(record));
    let without =
        |kept: usize| Dropped { tags: (tags - kept) as u64, results, ..Dropped::default() };
    let line_of =
        |kept: usize| Dropped { tags: (tags - kept) as u64, results, ..Dropped::tree_of(record) };
    let unfit = |what| WriteError::Unfit(format, what);
    let start = record.start.clone().unwrap_or_else(Board::start);
    let empty = || {
        let is_empty = start.stones() == 0 && start.row() == 5;
        is_empty
            .then_some(&start)
            .ok_or_else(|| unfit("stones at the start, or another row than five"))
    };
    let fifteen = || {
        let is_usual = start.width() == 15 && start.height() == 15;
        let is_usual = is_usual && start.variant() == Variant::default();
        empty().and_then(|start| {
            is_usual.then_some(start).ok_or_else(|| unfit("other boards than 15x15 freestyle"))
        })
    };
    let other = || unfit("boards of that size, or that variant");
    let (text, dropped) = match format {
        Format::Jsonl => {
            let mut text = Vec::new();
            write_jsonl(&mut text, record)?;
            out.write_all(&text)?;
            return Ok(Dropped::default());
        }
        Format::Moves => (moves::write(record, empty()?), line_of(0)),
        Format::Offsets => {
            (offsets::write(record, empty()?, options.board).ok_or_else(other)?, line_of(0))
        }
        Format::Psq => {
            let (text, kept) = piskvork::write_psq(record, empty()?);
            (text, line_of(kept))
        }
        Format::Rec => {
            let (text, kept) = piskvork::write_rec(record, empty()?).ok_or_else(other)?;
            (text, line_of(kept))
        }
        Format::Bdt => {
            fifteen()?;
            let (text, kept) = bdt::write(record);
            (text, line_of(kept))
        }
        Format::Sgf => (sgf::write(record, &start), without(sgf::tags_kept(record))),
        Format::Lib => {
            fifteen()?;
            out.write_all(&lib::write(record))?;
            return Ok(without(0));
        }
        Format::Pos => {
            if record.tree.moves.is_empty() {
                return Err(unfit("games without moves"));
            }
            out.write_all(&pos::write(record, fifteen()?))?;
            return Ok(line_of(0));
        }
        _ => return Err(WriteError::NoWriter(format, &WRITTEN)),
    };
    out.write_all(&encode(text.as_bytes(), options)?)?;
    Ok(dropped)
}
