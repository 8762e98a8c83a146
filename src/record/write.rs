//! Writing a record in any format that has a writer.

use std::io::{self, Write};

use crate::game::Game;
use crate::message::{Message, message};
use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::record::{Record, Tree};
use crate::record::programs::xqf;
use crate::record::programs::xqf::write_xqf;
use crate::record::text::dhtmlxq::write_dhtmlxq;
use crate::record::text::jsonl::write_jsonl;
use crate::record::text::pgn_writer::{PgnOptions, write_pgn};
use crate::record::text::{dhtmlxq, pgn_writer, plain};
use crate::xiangqi::Position;

/// The options for writing records.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// The notation of moves, and the parts of the record that are written.
    pub pgn: PgnOptions,
    /// The encoding of texts; JSONL is UTF-8 always, XQF GB18030.
    pub encoding: Encoding,
    /// True if `?` is written for characters that the encoding lacks.
    pub replace: bool,
    /// Width and height of the board that a reader of the output will be told, where a format of gomoku does not say it.
    pub board: Option<(u8, u8)>,
}

/// The reason why a record cannot be written.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum WriteError {
    /// The output failed.
    #[error("cannot write")]
    Io(#[from] io::Error),
    /// A character is not in the encoding.
    #[error("'{0}' (U+{code:04X}) cannot be written in {1}; choose another encoding, or have ? written instead", code = *.0 as u32)]
    Unencodable(char, Encoding),
    /// Games are read in that format only.
    #[error("{0} is read, not written; choose {names}", names = names(.1))]
    NoWriter(Format, &'static [Format]),
    /// The format has no place for the start of the game.
    #[error("{0} has no place for {1}; choose jsonl")]
    Unfit(Format, &'static str),
}

/// The counts of what a format has no room for, in records that were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Variations, those within others included.
    pub variations: u64,
    /// Comments.
    pub comments: u64,
    /// Tags.
    pub tags: u64,
    /// Results, but for those that the last position shows.
    pub results: u64,
}

impl std::ops::AddAssign for Dropped {
    fn add_assign(&mut self, other: Self) {
        self.variations += other.variations;
        self.comments += other.comments;
        self.tags += other.tags;
        self.results += other.results;
    }
}

impl Dropped {
    /// All variations and comments of a record.
    pub(crate) fn tree_of<G: Game>(record: &Record<G>) -> Self {
        let mut dropped = Self::default();
        let mut open: Vec<&Tree<G>> = vec![&record.tree];
        while let Some(tree) = open.pop() {
            dropped.comments += tree.comments.len() as u64;
            dropped.variations += tree.variations.len() as u64;
            open.extend(tree.variations.iter().map(|variation| &variation.tree));
        }
        dropped
    }
}

/// The formats in which xiangqi games can be written.
pub(crate) const WRITTEN: [Format; 5] =
    [Format::Pgn, Format::Jsonl, Format::Plain, Format::Xqf, Format::DhtmlXq];

/// Names of formats as a choice: `a, b or c`.
fn names(formats: &[Format]) -> Message {
    let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => message!("{} or {last}", first.join(", ")),
        _ => names.concat().into(),
    }
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
    let mut text = Vec::new();
    let dropped = match format {
        Format::Pgn => {
            write_pgn(&mut text, record, &options.pgn)?;
            Dropped { tags: pgn_writer::tags_left_out(record), ..Dropped::default() }
        }
        Format::Plain => {
            plain::write(&mut text, record, options.pgn.notation, options.pgn.traditional)?;
            Dropped { tags: record.tags.len() as u64, ..Dropped::tree_of(record) }
        }
        Format::Jsonl => {
            let mut out = io::BufWriter::new(out);
            write_jsonl(&mut out, record)?;
            out.flush()?;
            return Ok(Dropped::default());
        }
        Format::Xqf => {
            write_xqf(&mut text, record)?;
            out.write_all(&text)?;
            return Ok(Dropped { tags: xqf::tags_left_out(record), ..Dropped::default() });
        }
        Format::DhtmlXq => {
            write_dhtmlxq(&mut text, record)?;
            Dropped { tags: dhtmlxq::tags_left_out(record), ..Dropped::default() }
        }
        _ => return Err(WriteError::NoWriter(format, &WRITTEN)),
    };
    out.write_all(&encode(&text, options)?)?;
    Ok(dropped)
}

/// The text in the encoding of the options.
pub(crate) fn encode(text: &[u8], options: &WriteOptions) -> Result<Vec<u8>, WriteError> {
    let text = String::from_utf8_lossy(text);
    options
        .encoding
        .encode(&text, options.replace)
        .map_err(|c| WriteError::Unencodable(c, options.encoding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::source::read_games;
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
