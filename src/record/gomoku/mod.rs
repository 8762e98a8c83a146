//! The formats of gomoku: lists of moves, files of Piskvork and Gomotur, SGF, libraries of `RenLib`, the
//! RenjuNet database and others. Games as JSON lines are read and written as those of other games.
//!
//! Files that count rows from the top are turned round here, so that row 1 is the lowest in all records.

mod bdt;
mod board;
mod lib;
mod lines;
mod moves;
mod offsets;
mod piskvork;
mod pos;
mod rif;
mod sgf;
mod sniff;
#[cfg(test)]
mod tests;
mod tree;
mod write;

#[cfg(feature = "book")]
pub(crate) use lib::{MAGIC as LIBRARY_MAGIC, read_library, write_nodes as write_library};
#[cfg(feature = "book")]
pub(crate) use sniff::begins_database;
#[cfg(feature = "book")]
pub(crate) use tree::Node as LibraryNode;

use std::io::Write;

use crate::game::{Game, Outcome};
use crate::gomoku::{Board, Point};
use crate::message::{Message, message};
use crate::record::formats::Formats;
use crate::record::model::format::Format;
use crate::record::model::parsed::{BadGame, BadGameReason, GameSink, ReadSummary};
use crate::record::model::place::Place;
use crate::record::model::preorder::WrittenMove;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;
use crate::record::text::jsonl;
use crate::record::text::single::read_whole;
use crate::record::text::split::Chunk;
use crate::record::text::utf16;
use crate::record::write::{Dropped, WriteError, WriteOptions};

impl Recorded for Board {
    fn recorded_start(text: &str) -> Result<(Option<Self>, u32), BadGameReason> {
        board::read_start(text).map(|start| (start, 0))
    }

    fn start_text(record: &Record<Self>) -> Option<String> {
        record.start.as_ref().map(crate::game::Notation::to_fen)
    }

    fn read_recorded(&self, text: &str, _scheme: u8, ply: usize) -> Result<Point, BadGameReason> {
        let point = Point::parse(text).ok_or_else(|| board::shortened(text));
        Point::play(point, self, ply)
    }

    fn read_result(text: &str) -> Option<Outcome> {
        board::result(text)
    }

    fn end(&self) -> Option<Outcome> {
        self.outcome()
    }
}

impl WrittenMove<Board> for Point {
    fn play(mv: Result<Self, String>, board: &Board, ply: usize) -> Result<Self, BadGameReason> {
        let unplayable = |what: Message| BadGameReason::Unplayable { ply, what };
        let point = mv.map_err(|text| unplayable(message!("\"{text}\" is no point such as h8")))?;
        if board.is_legal(point) {
            return Ok(point);
        }
        Err(unplayable(board::why_illegal(board, point).into()))
    }
}

impl Formats for Board {
    const FORMATS: &'static [Format] = &Format::GOMOKU;
    const WRITTEN: &'static [Format] = &write::WRITTEN;

    fn sniff(bytes: &[u8]) -> Result<Format, BadGameReason> {
        sniff::sniff(bytes)
    }

    fn is_unmistakable(format: Format) -> bool {
        matches!(format, Format::Lib | Format::Psq | Format::Rif)
    }

    fn begins_like_games(_format: Format, _head: &[u8]) -> bool {
        true
    }

    fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk> {
        let format = sniff::sniff(bytes);
        if let Some(encoding) = sniff::utf16_of(bytes) {
            return vec![Chunk::whole_utf16(bytes, format.ok(), encoding)];
        }
        match format {
            Ok(format @ (Format::Jsonl | Format::Moves | Format::Offsets | Format::Bdt)) => {
                Chunk::whole_text(bytes, format).split_on(bytes, target)
            }
            Ok(format @ (Format::Lib | Format::Pos)) => vec![Chunk::whole(bytes, Some(format))],
            Ok(format) => vec![Chunk::whole_text(bytes, format)],
            Err(_) => vec![Chunk::whole(bytes, None)],
        }
    }

    fn read_chunk(
        source: &str,
        bytes: &[u8],
        chunk: &Chunk,
        sink: &mut GameSink<'_, Self>,
    ) -> ReadSummary {
        if chunk.encoding.is_utf16() {
            return utf16::read(source, bytes, chunk, sink, Self::split_games, Self::read_chunk);
        }
        let (byte, line) = (Place::Offset(0), Place::Line(1));
        match chunk.format {
            Some(Format::Jsonl) => jsonl::read_chunk(source, bytes, chunk, sink),
            Some(Format::Moves) => lines::read(source, bytes, chunk, moves::game, sink),
            Some(Format::Offsets) => lines::read(source, bytes, chunk, offsets::game, sink),
            Some(Format::Bdt) => lines::read(source, bytes, chunk, bdt::game, sink),
            Some(Format::Psq) => read_whole(source, bytes, chunk, line, piskvork::psq, sink),
            Some(Format::Rec) => read_whole(source, bytes, chunk, line, piskvork::rec, sink),
            Some(Format::Sgf) => sgf::read(source, bytes, chunk, sink),
            Some(Format::Lib) => read_whole(source, bytes, chunk, byte, lib::game, sink),
            Some(Format::Rif) => rif::read(source, bytes, chunk, sink),
            Some(Format::Pos) => read_whole(source, bytes, chunk, byte, pos::game, sink),
            _ => {
                let Err(reason) = sniff::sniff(bytes) else { return ReadSummary::default() };
                let place = if sniff::is_text(bytes) { line } else { byte };
                sink(Err(BadGame { source: source.to_owned(), place, game: 1, reason }));
                ReadSummary { bad: 1, ..ReadSummary::default() }
            }
        }
    }

    fn write_record(
        out: &mut dyn Write,
        record: &Record<Self>,
        format: Format,
        options: &WriteOptions,
    ) -> Result<Dropped, WriteError> {
        write::write_game(out, record, format, options)
    }
}
