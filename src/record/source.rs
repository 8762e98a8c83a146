//! Sources and records of xiangqi, in any format.

use std::io::Write;

use crate::record::formats::Formats;
use crate::record::model::chunk::Chunk;
use crate::record::model::format::Format;
use crate::record::model::parsed::{GameSink, ReadSummary};
use crate::record::model::record::Record;
use crate::record::model::written::{Dropped, WriteError, WriteOptions};
use crate::xiangqi::Position;

/// Reads all games of a source in order; `sink` gets each, good or bad. `source` names it in messages. The
/// format is determined from the content; a source of no known format is one bad game. A source without a
/// single game gives a summary of zeros.
pub fn read_games(source: &str, bytes: &[u8], sink: &mut GameSink<'_>) -> ReadSummary {
    Position::read_records(source, bytes, sink)
}

/// Splits a source at game boundaries into chunks of about `target` bytes (at least one game
/// each); sources of formats that cannot be split are one chunk. Reading the chunks in order gives
/// the same as reading the whole.
#[must_use]
pub fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk> {
    Position::split_games(bytes, target)
}

/// Reads the games of one chunk of [`split_games`]; `bytes` is the whole source.
pub fn read_chunk(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut GameSink<'_>,
) -> ReadSummary {
    Position::read_chunk(source, bytes, chunk, sink)
}

/// Writes a record and says what the format has no room for.
///
/// # Errors
///
/// [`WriteError`]; nothing was written then but for [`WriteError::Io`].
pub fn write_game(
    out: &mut dyn Write,
    record: &Record<Position>,
    format: Format,
    options: &WriteOptions,
) -> Result<Dropped, WriteError> {
    Position::write_record(out, record, format, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::model::encoding::Encoding;
    use crate::record::model::written::PgnOptions;
    use crate::xiangqi::notation::MoveNotation;

    fn record(text: &str) -> Record<Position> {
        let mut records = Vec::new();
        read_games("t", text.as_bytes(), &mut |game| records.push(game.unwrap().record));
        records.remove(0)
    }

    fn written(record: &Record<Position>, format: Format, options: &WriteOptions) -> Vec<u8> {
        let mut out = Vec::new();
        write_game(&mut out, record, format, options).unwrap();
        out
    }

    #[test]
    fn texts_in_other_encodings() {
        let text = "[Red \"吳\"]\n[Black \"乙\"]\n\n1. h2e2 h9g7 {功} 2. h0g2 i9h9 1-0\n";
        let record = record(text);
        let pgn = PgnOptions { notation: MoveNotation::Chinese, ..PgnOptions::default() };
        for encoding in [Encoding::Utf8, Encoding::Gb18030, Encoding::Big5] {
            let traditional = encoding == Encoding::Big5;
            let pgn = PgnOptions { traditional, ..pgn };
            let options = WriteOptions { pgn, encoding, ..WriteOptions::default() };
            let bytes = written(&record, Format::Pgn, &options);
            assert_eq!(Encoding::detect(&bytes), encoding);
            let mut again = Vec::new();
            read_games("t", &bytes, &mut |game| again.push(game.unwrap().record));
            assert_eq!(again[0].tree.moves, record.tree.moves);
            assert_eq!(again[0].tag("Red"), Some("吳"));
        }
    }

    #[test]
    fn what_an_encoding_lacks_is_refused_or_replaced() {
        let record = record("[Red \"呂钦\"]\n\n1. h2e2 *\n");
        let pgn = PgnOptions { notation: MoveNotation::Uci, ..PgnOptions::default() };
        let mut options = WriteOptions { pgn, encoding: Encoding::Big5, ..WriteOptions::default() };
        let refused = write_game(&mut Vec::new(), &record, Format::Pgn, &options);
        assert!(matches!(refused, Err(WriteError::Unencodable('钦', Encoding::Big5))));
        options.replace = true;
        let bytes = written(&record, Format::Pgn, &options);
        assert!(encoding_rs::BIG5.decode(&bytes).0.contains("[Red \"呂?\"]"));
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let record = record("[Red \"a\"]\n\n1. h2e2 {x} (1. b2e2 {y} b9c7 (1... h9g7)) h9g7 1-0\n");
        let mut out = Vec::new();
        let options = WriteOptions::default();
        let dropped = write_game(&mut out, &record, Format::Plain, &options).unwrap();
        assert_eq!(dropped, Dropped { variations: 2, comments: 2, tags: 1, results: 0 });
        assert_eq!(String::from_utf8(out).unwrap(), "炮二平五 马８进７ 1-0\n");
        for format in [Format::Jsonl, Format::DhtmlXq, Format::Xqf] {
            let dropped = write_game(&mut Vec::new(), &record, format, &options).unwrap();
            assert_eq!(dropped, Dropped::default());
        }
        let long = "x".repeat(16);
        let text = format!("[Red \"{long}\"]\n[ECCO \"A00\"]\n[Result \"*\"]\n[Site \"b\"]\n");
        let dropped = write_game(&mut Vec::new(), &self::record(&text), Format::Xqf, &options);
        assert_eq!(dropped.unwrap(), Dropped { tags: 2, ..Dropped::default() });
    }
}
