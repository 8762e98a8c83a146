//! A source of any format: what it is, its parts, its games.

use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::parsed::{BadGame, GameSink, ReadSummary};
use crate::record::model::place::Place;
use crate::record::programs::{cbf, ccbridge, ccm, che, chn, mxq, pfc, xqf, xqr};
use crate::record::sniff;
use crate::record::text::scan::{Scanner, Token};
use crate::record::text::single::{Fault, Found, read_whole};
use crate::record::text::split::Chunk;
use crate::record::text::{dhtmlxq, export, jsonl, pgn, plain, split, utf16, wxf};

/// Reads all games of a source in order; `sink` gets each, good or bad. `source` names it in messages. The
/// format is determined from the content; a source of no known format is one bad game. A source without a
/// single game gives a summary of zeros.
pub fn read_games(source: &str, bytes: &[u8], sink: &mut GameSink<'_>) -> ReadSummary {
    let mut summary = ReadSummary::default();
    for chunk in split_games(bytes, usize::MAX) {
        summary += read_chunk(source, bytes, &chunk, sink);
    }
    summary
}

/// Splits a source at game boundaries into chunks of about `target` bytes (at least one game
/// each); sources of formats that cannot be split are one chunk. Reading the chunks in order gives
/// the same as reading the whole.
#[must_use]
pub fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk> {
    let format = Format::sniff(bytes);
    if let Some(encoding) = Format::utf16_of(bytes) {
        return vec![Chunk::whole_utf16(bytes, format.ok(), encoding)];
    }
    match format {
        Ok(Format::Plain) => plain::split(bytes, target),
        Ok(Format::Cbl) => ccbridge::split(bytes, target),
        Ok(format @ (Format::Pgn | Format::Jsonl | Format::DhtmlXq)) => {
            Chunk::whole_text(bytes, format).split_on(bytes, target)
        }
        Ok(format @ (Format::Wxf | Format::Text)) => vec![Chunk::whole_text(bytes, format)],
        Ok(format) => vec![Chunk::whole(bytes, Some(format))],
        Err(_) => vec![Chunk::whole(bytes, None)],
    }
}

/// Reads the games of one chunk of [`split_games`]; `bytes` is the whole source.
pub fn read_chunk(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut GameSink<'_>,
) -> ReadSummary {
    if chunk.encoding.is_utf16() {
        return utf16::read(source, bytes, chunk, sink, split_games, read_chunk);
    }
    let single = |begin, game: fn(&[u8]) -> Result<Found, Fault>, sink: &mut GameSink<'_>| {
        read_whole(source, bytes, chunk, begin, game, sink)
    };
    let (byte, line) = (Place::Offset(0), Place::Line(1));
    match chunk.format {
        Some(Format::Pgn) => pgn::read_chunk(source, bytes, chunk, sink),
        Some(Format::Jsonl) => jsonl::read_chunk(source, bytes, chunk, sink),
        Some(Format::Plain) => plain::read_chunk(source, bytes, chunk, sink),
        Some(Format::Xqf) => single(byte, xqf::game, sink),
        Some(Format::Cbr) => ccbridge::read_record(source, bytes, chunk, sink),
        Some(Format::Cbl) => ccbridge::read_library(source, bytes, chunk, sink),
        Some(Format::Cbf) => single(line, cbf::game, sink),
        Some(Format::DhtmlXq) => dhtmlxq::read(source, bytes, chunk, sink),
        Some(Format::Che) => single(byte, che::game, sink),
        Some(Format::Mxq) => single(byte, mxq::game, sink),
        Some(Format::Ccm) => single(byte, ccm::game, sink),
        Some(Format::Chn) => single(byte, chn::game, sink),
        Some(Format::Pfc) => single(line, pfc::game, sink),
        Some(Format::Xqr) => single(byte, xqr::game, sink),
        Some(Format::Wxf) => wxf::read(source, bytes, chunk, sink),
        Some(Format::Text) => export::read(source, bytes, chunk, sink),
        // Formats of other games are never found by the sniffer; so is none where the source is unknown.
        _ => {
            // No false report about a source that a caller changed in between.
            let Err(reason) = Format::sniff(bytes) else { return ReadSummary::default() };
            let place = if sniff::is_text(bytes) { Place::Line(1) } else { Place::Offset(0) };
            sink(Err(BadGame { source: source.to_owned(), place, game: 1, reason }));
            ReadSummary { bad: 1, ..ReadSummary::default() }
        }
    }
}

/// Bytes of a text that are searched for a tag or a move.
const SAMPLE_BYTES: usize = 64 << 10;

/// Returns true if a text taken for PGN has a tag or begins with a move.
pub(crate) fn begins_like_pgn(head: &[u8]) -> bool {
    let head = &utf16::head(head);
    has_tag(head) || begins_with_a_move(head)
}

fn has_tag(head: &[u8]) -> bool {
    let sample = &head[..head.len().min(SAMPLE_BYTES)];
    let mut lines = sample.split(|&b| matches!(b, b'\n' | b'\r'));
    lines.any(|line| {
        let line = line.trim_ascii_start();
        let name = split::tag_name(line);
        name.is_some_and(|name| line[name.len() + 1..].trim_ascii_start().starts_with(b"\""))
    })
}

fn begins_with_a_move(head: &[u8]) -> bool {
    let sample = &head[..head.len().min(SAMPLE_BYTES)];
    let text = Encoding::detect(head).decode_lossy(sample);
    if text.starts_with(['{', '(', ';', '%', '｛']) {
        return false;
    }
    let mut scanner = Scanner::new(&text);
    loop {
        match scanner.next() {
            Some(Token::Move(first)) => return plain::is_move(&first),
            Some(_) => {}
            None => return false,
        }
    }
}
