//! Plain lists of moves, in any notation.
//!
//! Moves are separated by blanks, commas, semicolons or bars; coordinates may be written together
//! (`h2e2h9g7`). Each line is a game, or the lines are one game together: the reading in which more moves can
//! be played holds; if they are equal, the latter, unless it has a fault. A line may begin with a name that
//! ends in a semicolon, a tab or a colon; a FEN may stand before the moves, or on a line of its own where the
//! lines are one game; a result may follow the moves. Lines that begin with `#` are remarks. A table with
//! names of columns in its first line is read by [`table`].

use std::io::{self, Write};
use std::sync::Arc;

use crate::game::Game;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::{Chunk, Columns, Cut, Layout};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::sample::Sample;
use crate::record::model::written::{Dropped, WriteError, WriteOptions, Written};
use crate::record::text::move_words::{START, begins_with_move};
use crate::record::text::pgn::{BlockFault, BlockGame};
use crate::record::text::pgn_writer::{move_text, result_text};
use crate::record::text::scan::{Scanner, Token};
use crate::record::text::split::{Lines, cut_lines};
use crate::record::text::{pgn, scan, table};
use crate::xiangqi::notation::MoveNotation;
use crate::xiangqi::{Position, Setup};

/// The row of plain lists of moves.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo {
        shared_endings: &["txt", "csv"],
        cut: Cut::BehindHead { first: split, on: cut },
        ..FormatInfo::of_text(Format::Plain, "plain", &["txt", "csv"])
    },
    sniff: &[Sniffer { stage: Stage::Moves, shows: is_list }],
    read: ReadGames::Chunk(read),
    write: Some(written),
};

/// Lines that are looked at to find whether each is a game.
const SAMPLE_LINES: usize = 32;

/// Returns true for a text with moves in which nothing stands before them but what may stand in a list.
fn is_list(sample: &Sample<'_>) -> bool {
    let text = sample.decoded();
    !pgn::begins_with_remark(text) && has_move(text) && looks_like(text)
}

/// Returns true if a word of the text may be a move.
fn has_move(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    while let Some(token) = scanner.next() {
        if matches!(token, Token::Move(_)) {
            return true;
        }
    }
    false
}

/// Returns true if the first line with content has moves, a position, or names of columns.
fn looks_like(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !is_remark(line));
    let Some(line) = lines.next() else { return false };
    if Columns::read(line).is_some() {
        return true;
    }
    let parts = Parts::of(line);
    let words = parts.moves.split_whitespace().filter(|word| !scan::is_sign_or_null(word));
    let mut words = words.take(2).peekable();
    parts.fen.is_some() || words.peek().is_some() && words.all(begins_with_move)
}

pub(crate) fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

/// The list in chunks of about `target` bytes. The names of a table's columns are in none.
fn split(bytes: &[u8], target: usize) -> Vec<Chunk> {
    let mut whole = Chunk::whole_text(bytes, Format::Plain);
    if let Some((columns, header)) = table::header(bytes, &whole) {
        whole.layout = Layout::Table(Arc::new(columns));
        let mut chunks = whole.split_on(&bytes[header.end..], target);
        // They were cut behind the header, whose bytes and lines come on top.
        for chunk in &mut chunks {
            chunk.bytes = chunk.bytes.start + header.end..chunk.bytes.end + header.end;
            chunk.line += header.line;
        }
        return chunks;
    }
    if is_one_game(bytes, &whole) {
        whole.layout = Layout::OneGame;
    }
    whole.split_on(bytes, target)
}

/// Cuts a further stretch of a list, or of the rows of a table.
fn cut(bytes: &[u8], open: &Chunk, target: usize) -> Vec<Chunk> {
    match &open.layout {
        Layout::Table(columns) => open.cut_at(target, columns.starts(bytes, open)),
        Layout::Games | Layout::OneGame => cut_lines(bytes, open, target),
    }
}

/// Returns true if more moves can be played on from line to line than from each line's own start.
fn is_one_game(bytes: &[u8], whole: &Chunk) -> bool {
    if bytes.len() > MAX_GAME_BYTES {
        return false;
    }
    let mut lines = Lines::new(bytes, whole);
    let sample = lines.by_ref().take(SAMPLE_LINES).last();
    let Some(last) = sample else { return true };
    let bytes = &bytes[..last.end];
    let (text, _) = whole.encoding.decode_part(bytes);
    let lines = text.lines().filter(|line| !is_remark(line));
    let of_each: usize = lines.map(|line| plies(line).0).sum();
    let (of_all, is_sound) = plies(&text);
    of_all > of_each || of_all == of_each && is_sound
}

/// Moves that can be played when the text is read as one game, and whether these are all.
fn plies(text: &str) -> (usize, bool) {
    match read_text(text) {
        Ok(Some(game)) => (game.record.tree.moves.len(), game.words.count() == 0),
        Ok(None) => (0, true),
        Err(BlockFault { reason: BadGameReason::Move { ply, .. }, .. }) => (ply - 1, false),
        Err(_) => (0, false),
    }
}

/// Reads the games of a chunk.
fn read(reader: &mut ChunkReader<'_>) {
    let chunk = reader.chunk;
    match &chunk.layout {
        Layout::Table(columns) => table::read(reader, columns),
        Layout::OneGame => read_one(reader, reader.part(), chunk.line, chunk.game),
        Layout::Games => {
            for line in Lines::new(reader.part(), chunk) {
                read_one(reader, line.text, line.line, line.game);
            }
        }
    }
}

/// Reads the game of a text that begins on a line and has that number.
fn read_one(reader: &mut ChunkReader<'_>, text: &[u8], line: u64, game: u64) {
    let read = if text.len() > MAX_GAME_BYTES {
        Err(BlockFault::new(0, BadGameReason::TooLong(text.len())))
    } else {
        let (text, is_undecoded) = reader.chunk.encoding.decode_part(text);
        pgn::noting(read_text(&text), is_undecoded)
    };
    pgn::hand_over(reader, Place::Line(line), game, read);
}

/// Reads one game; `None` if the text has neither moves nor a position.
fn read_text(text: &str) -> Result<Option<BlockGame>, BlockFault> {
    let parts = Parts::of(text);
    if parts.fen.is_none() && parts.moves.trim().is_empty() {
        return Ok(None);
    }
    let name = parts.name.map(|name| ("Id".to_owned(), name.to_owned()));
    let fen = parts.fen.map(|fen| ("FEN".to_owned(), fen));
    let tags: Vec<_> = name.into_iter().chain(fen).collect();
    pgn::read_moves(&parts.moves, &tags)
}

/// The components of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    name: Option<&'a str>,
    /// Board, side to move and clock.
    pub(crate) fen: Option<String>,
    /// The moves, each after a blank, on lines as in the text.
    pub(crate) moves: String,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let mut parts = Self::default();
        let mut text = text.trim_start_matches('\u{feff}');
        if let Some((name, rest)) = split_name(text) {
            (parts.name, text) = (Some(name), rest);
        }
        for (number, line) in text.split(['\n', '\r']).enumerate() {
            if number > 0 {
                parts.moves.push('\n');
            }
            if !is_remark(line.trim()) {
                parts.line(line);
            }
        }
        parts
    }

    /// Adds a line to the components.
    pub(crate) fn line(&mut self, line: &str) {
        let mut words = line.split(is_separator).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            // Ten ranks have nine slashes between them.
            if self.fen.is_none() && word.matches('/').count() == 9 {
                self.fen = Some(read_fen(word, &mut words));
            } else if is_glued(word) {
                for chunk in word.as_bytes().chunks(4) {
                    self.moves.push(' ');
                    self.moves.extend(chunk.iter().map(|&b| char::from(b)));
                }
            } else if !matches!(word, "position" | "startpos" | "fen" | "moves") {
                self.moves.push(' ');
                self.moves.push_str(word);
            }
        }
    }
}

/// Returns true for what may stand between moves.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '|' | '"' | '，' | '；' | '\u{1a}')
}

/// A name before the moves, and what follows it.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once([';', '\t', ':'])?;
    let is_name =
        !name.trim().is_empty() && name.len() <= 64 && !name.contains(['\n', '\r', '/', ',']);
    let word = name.split_whitespace().next()?;
    (is_name && !begins_with_move(word) && !is_glued(word)).then_some((name.trim(), rest))
}

/// Several moves by coordinates written together.
fn is_glued(word: &str) -> bool {
    let (squares, rest) = word.as_bytes().as_chunks();
    rest.is_empty()
        && squares.len() > 2
        && squares.len() % 2 == 0
        && squares.iter().copied().all(is_square)
}

/// Returns true if two characters are a square.
const fn is_square([file, rank]: [u8; 2]) -> bool {
    matches!(file.to_ascii_lowercase(), b'a'..=b'i') && rank.is_ascii_digit()
}

/// The FEN that begins with the word `board`. The side to move may be written right after it.
fn read_fen<'a>(
    board: &str,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> String {
    let last = board.rfind('/').map_or(0, |at| at + 1);
    // What follows the ninth file of the last rank is no part of the board.
    let mut files = 0;
    let end = board[last..].char_indices().find(|(_, c)| {
        let is_full = files >= 9;
        files += c.to_digit(10).unwrap_or(1);
        is_full
    });
    let (board, glued) = board.split_at(end.map_or(board.len(), |(at, _)| last + at));
    let mut fen = board.to_owned();
    let turn =
        glued.get(..1).filter(|turn| is_turn(turn)).or_else(|| words.next_if(|w| is_turn(w)));
    fen.push(' ');
    fen.push_str(&turn.unwrap_or("w").to_ascii_lowercase());
    while let Some(field) = words.next_if(|w| *w == "-" || w.bytes().all(|b| b.is_ascii_digit())) {
        fen.push(' ');
        fen.push_str(field);
    }
    fen
}

/// Returns true for the letter of a side to move.
fn is_turn(word: &str) -> bool {
    matches!(word, "w" | "W" | "r" | "R" | "b" | "B")
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Position>, options: &WriteOptions) -> Result<Written, WriteError> {
    let mut text = Vec::new();
    write(&mut text, record, options.pgn.notation, options.pgn.traditional)?;
    let dropped = Dropped { tags: record.tags.len() as u64, ..Dropped::tree_of(record) };
    Ok(Written::text(text, dropped))
}

/// Writes a game on a line: the start position if it is not the usual one, the main line, the
/// result if it is known.
fn write(
    out: &mut impl Write,
    record: &Record<Position>,
    notation: MoveNotation,
    traditional: bool,
) -> io::Result<()> {
    let mut words = Vec::with_capacity(record.tree.moves.len() + 2);
    if let Some(start) = &record.start {
        words.push(Setup { halfmove_clock: record.start_clock, ..start.to_setup() }.to_fen());
    }
    let mut position = record.start.clone().unwrap_or_else(|| START.clone());
    for &mv in &record.tree.moves {
        words.push(move_text(&position, mv, notation, traditional));
        position.make(mv);
    }
    if record.result.is_some() {
        words.push(result_text(record.result).to_owned());
    }
    writeln!(out, "{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Option<&str>, Option<String>, String) {
        let parts = Parts::of(text);
        let words: Vec<_> = parts.moves.split_whitespace().collect();
        (parts.name, parts.fen, words.join(" "))
    }

    #[test]
    fn a_bad_line_does_not_join_the_others() {
        let read = |text: &str| {
            let summary = crate::record::source::read_games("t", text.as_bytes(), &mut |_| {});
            (summary.games, summary.bad)
        };
        assert_eq!(read("h2e2 h9g7\nnonsense\n"), (1, 1));
        assert_eq!(read("h2e2 h9g7\nh0g2 i9h9\n"), (1, 0));
        assert_eq!(read("h2e2 h9g7\n"), (1, 0));
        assert_eq!(read("h2e2 h9g7\nh2e2 b9c7\n"), (2, 0));
    }

    #[test]
    fn parts_of_a_line() {
        assert_eq!(parts("h2e2,h9g7 1-0"), (None, None, "h2e2 h9g7 1-0".to_owned()));
        assert_eq!(parts("Xy7;h2e2,h9g7").0, Some("Xy7"));
        assert_eq!(parts("h2e2;h9g7"), (None, None, "h2e2 h9g7".to_owned()));
        assert_eq!(parts("h2e2h9g7h0g2").2, "h2e2 h9g7 h0g2");
        let fen = "4k4/9/9/9/9/9/9/9/9/3K5";
        let with = |rest: &str| {
            let text = format!("{fen}{rest}");
            let (_, fen, moves) = parts(&text);
            (fen.unwrap_or_default(), moves)
        };
        let expected = (format!("{fen} b - - 3 7"), "e9e8".to_owned());
        assert_eq!(with(" b - - 3 7 moves e9e8"), expected);
        assert_eq!(with("b"), (format!("{fen} b"), String::new()));
        assert_eq!(with("w--01\nd0d1"), (format!("{fen} w"), "d0d1".to_owned()));
        assert_eq!(with(""), (format!("{fen} w"), String::new()));
    }
}
