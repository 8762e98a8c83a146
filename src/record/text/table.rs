//! Games in a table: names of columns in the first line, then a row for each game (a column `moves`)
//! or for each move (columns `move` and `game_id`, rows of a game one after another). Cells are
//! separated by commas, semicolons or tabs and may stand in quotation marks, as RFC 4180 has it; a row
//! in which they do may have several lines. Players, ratings, event, date, result and start position
//! are taken from columns of usual names.
//!
//! A row may be as long as a game, [`MAX_GAME_BYTES`], and is looked at no further. Where a quotation
//! mark is never closed, or is closed within a cell, its line is a bad row, and the next line is looked
//! at by itself: what one stray mark would swallow is not lost.

use std::cell::Cell;

use csv_core::ReadRecordResult;

use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::{Chunk, Columns, Start};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::Encoding;
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::place::Place;
use crate::record::text::pgn::{BlockFault, BlockGame};
use crate::record::text::split::{Lines, TextLine};
use crate::record::text::{pgn, scan};

/// The most columns that a row may have.
const MAX_COLUMNS: usize = 1 << 12;

/// Columns and the tags that they become.
const TAGS: [(&str, &str); 19] = [
    ("game_id", "Id"),
    ("id", "Id"),
    ("event", "Event"),
    ("date", "Date"),
    ("timestamp", "Date"),
    ("site", "Site"),
    ("round", "Round"),
    ("red", "Red"),
    ("red_player", "Red"),
    ("white", "Red"),
    ("black", "Black"),
    ("black_player", "Black"),
    ("red_elo", "RedElo"),
    ("red_elo_before", "RedElo"),
    ("black_elo", "BlackElo"),
    ("black_elo_before", "BlackElo"),
    ("fen", "FEN"),
    ("start", "FEN"),
    ("startfen", "FEN"),
];

/// Columns that state a result.
const RESULTS: [&str; 3] = ["result", "outcome", "winner"];

impl Columns {
    /// The columns, if the line names them.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{feff}');
        let separator = line.bytes().find(|c| matches!(c, b',' | b';' | b'\t'))?;
        let mut row = Rows::new(line.as_bytes(), separator, b'\n', 1);
        row.next().filter(|row| row.fault.is_none())?;
        let names: Vec<String> = (0..row.width)
            .map(|index| String::from_utf8_lossy(row.cell(index)).trim().to_ascii_lowercase())
            .collect();
        let columns = ["moves", "move", "game_id"].map(|name| column(&names, name));
        let (moves, game) = match columns {
            [Some(moves), ..] => (moves, None),
            [None, Some(mv), Some(game)] => (mv, Some(game)),
            _ => return None,
        };
        let tags = TAGS.iter().filter_map(|(name, tag)| Some((column(&names, name)?, *tag)));
        let tags = tags.collect();
        let result = RESULTS.into_iter().find_map(|name| column(&names, name));
        Some(Self { separator, moves, game, result, tags })
    }
}

/// The number of the column with that name.
fn column(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|other| other == name)
}

/// The columns that the first line of the source names, and that line.
pub(crate) fn header<'a>(bytes: &'a [u8], chunk: &Chunk) -> Option<(Columns, TextLine<'a>)> {
    let line = Lines::new(bytes, chunk).next().filter(|line| line.text.len() < 4096)?;
    Columns::read(&chunk.encoding.decode_part(line.text).0).map(|columns| (columns, line))
}

/// The place of a row.
struct RowPlace {
    start: usize,
    end: usize,
    /// The number of its first line.
    line: u64,
    /// The reason why it has no cells.
    fault: Option<BadGameReason>,
    /// True if all rows before it were read as they are: reading can begin here.
    is_clean: bool,
}

/// The rows of a stretch of bytes, one after the other. Separators, quotation marks and line ends are
/// never part of a multi-byte character in the encodings at hand.
struct Rows<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    line_end: u8,
    separator: u8,
    reader: csv_core::Reader,
    /// The cells of the present row, one after the other, and where each ends.
    cells: Vec<u8>,
    ends: Vec<usize>,
    width: usize,
    /// Up to here lines are rows by themselves: a quotation mark before was not closed. So nothing is
    /// looked at more than twice.
    single_until: usize,
}

impl<'a> Rows<'a> {
    fn new(bytes: &'a [u8], separator: u8, line_end: u8, line: u64) -> Self {
        let reader = csv_core::ReaderBuilder::new().delimiter(separator).build();
        let cells = vec![0; 1 << 10];
        let ends = vec![0; 1 << 5];
        let at = 0;
        let width = 0;
        let single_until = 0;
        Self { bytes, at, line, line_end, separator, reader, cells, ends, width, single_until }
    }

    /// The rows of `bytes`, which begin where `chunk` does.
    fn of(bytes: &'a [u8], chunk: &Chunk, columns: &Columns) -> Self {
        Self::new(bytes, columns.separator, chunk.line_end, chunk.line)
    }

    fn next(&mut self) -> Option<RowPlace> {
        self.skip_blank_lines();
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let first = rest.iter().position(|&b| b == self.line_end).map_or(rest.len(), |i| i + 1);
        let is_clean = self.at >= self.single_until;
        let most = if is_clean { rest.len() } else { first };
        let (len, fault) = match self.read(&rest[..most]) {
            Ok(len) => (len, None),
            Err((scanned, fault)) => {
                self.width = 0;
                self.single_until = self.single_until.max(self.at + scanned);
                let is_long = first > MAX_GAME_BYTES;
                (first, Some(if is_long { BadGameReason::TooLong(first) } else { fault }))
            }
        };
        let start = self.at;
        let line = self.line;
        self.advance(len);
        Some(RowPlace { start, end: self.at, line, fault, is_clean })
    }

    /// Reads the cells of the row that `rest` begins with and returns its length, or how much was looked
    /// at and what is wrong.
    fn read(&mut self, rest: &[u8]) -> Result<usize, (usize, BadGameReason)> {
        let input = &rest[..rest.len().min(MAX_GAME_BYTES)];
        self.reader.reset();
        let mut read = 0;
        let mut written = 0;
        let mut ended = false;
        self.width = 0;
        loop {
            let part = if ended { &b"\n"[..] } else { &input[read..] };
            let (result, taken, put, ends) = self.reader.read_record(
                part,
                &mut self.cells[written..],
                &mut self.ends[self.width..],
            );
            (written, self.width) = (written + put, self.width + ends);
            read = (read + taken).min(input.len());
            match result {
                ReadRecordResult::InputEmpty if ended || rest.len() > input.len() => {
                    return Err((read, malformed("a quotation mark is not closed")));
                }
                // The last line has no end.
                ReadRecordResult::InputEmpty => ended = true,
                ReadRecordResult::OutputFull => self.cells.resize(2 * self.cells.len(), 0),
                ReadRecordResult::OutputEndsFull if self.ends.len() >= MAX_COLUMNS => {
                    return Err((read, malformed("a row of more than 4096 cells")));
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
        if self.is_torn(&input[..read]) {
            return Err((read, malformed("a quotation mark within a cell")));
        }
        Ok(read)
    }

    /// Returns true if a row of several lines has a mark that closes a cell, but is not at its end.
    fn is_torn(&self, row: &[u8]) -> bool {
        let row = row.trim_ascii_end();
        if !row.iter().any(|b| matches!(b, b'\n' | b'\r')) {
            return false;
        }
        let mut is_open = false;
        let mut last = self.separator;
        for (at, &b) in row.iter().enumerate() {
            if b == b'"' {
                let next = row.get(at + 1);
                if is_open {
                    is_open = false;
                    let is_end = next.is_none_or(|b| *b == self.separator || *b == b'"');
                    if !is_end {
                        return true;
                    }
                } else if last == self.separator || last == b'"' {
                    is_open = true;
                }
            }
            last = b;
        }
        false
    }

    /// A cell of the present row; empty where there is none.
    fn cell(&self, index: usize) -> &[u8] {
        if index >= self.width {
            return &[];
        }
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.cells.get(start..self.ends[index]).unwrap_or_default()
    }

    fn skip_blank_lines(&mut self) {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let blank = rest.iter().take_while(|b| b.is_ascii_whitespace() && **b != b'\t').count();
            let end = rest[..blank].iter().rposition(|b| *b == self.line_end);
            match end {
                Some(end) => self.advance(end + 1),
                None if blank == rest.len() => return self.advance(blank),
                None => return,
            }
        }
    }

    fn advance(&mut self, len: usize) {
        let part = self.bytes.get(self.at..self.at + len).unwrap_or_default();
        self.line += part.iter().filter(|&&b| b == self.line_end).count() as u64;
        self.at += len;
    }
}

/// A game whose rows are being read.
#[derive(Debug, Default)]
struct Game {
    line: u64,
    id: String,
    moves: String,
    tags: Vec<(String, String)>,
    /// The fault of a row, and its line.
    fault: Option<(BadGameReason, u64)>,
    is_undecoded: bool,
}

/// Reads the games of a chunk of a table's rows.
pub(crate) fn read(reader: &mut ChunkReader<'_>, columns: &Columns) {
    let chunk = reader.chunk;
    let mut number = chunk.game;
    let mut open: Option<Game> = None;
    let mut rows = Rows::of(reader.part(), chunk, columns);
    while let Some(place) = rows.next() {
        let is_fault = place.fault.is_some();
        let row = columns.row(&rows, place, chunk.encoding);
        match &mut open {
            // A row that cannot be read spoils the game that it stands in.
            Some(game) if columns.game.is_some() && (is_fault || game.id == row.id) => {
                game.add(row);
            }
            _ => {
                if let Some(done) = open.replace(row) {
                    finish(reader, number, done);
                    number += 1;
                }
            }
        }
    }
    if let Some(done) = open {
        finish(reader, number, done);
    }
}

/// Hands over the game of some rows.
fn finish(reader: &mut ChunkReader<'_>, number: u64, game: Game) {
    let place = Place::Line(game.line);
    let is_undecoded = game.is_undecoded;
    let read = pgn::noting(read_rows(game), is_undecoded);
    pgn::hand_over(reader, place, number, read);
}

impl Columns {
    /// The places where games begin in rows that begin where `chunk` does.
    pub(crate) fn starts(&self, bytes: &[u8], chunk: &Chunk) -> impl Iterator<Item = Start> {
        let mut game = chunk.game - 1;
        let mut id = None;
        let mut rows = Rows::of(bytes, chunk, self);
        std::iter::from_fn(move || {
            loop {
                let RowPlace { start: at, line, fault, is_clean, .. } = rows.next()?;
                if let Some(index) = self.game {
                    // As `read` does: such a row belongs to the game that it stands in.
                    if fault.is_some() && id.is_some() {
                        continue;
                    }
                    let next = Some(rows.cell(index).trim_ascii().to_owned());
                    if std::mem::replace(&mut id, next.clone()) == next {
                        continue;
                    }
                }
                game += 1;
                if is_clean {
                    return Some(Start { at, line, game });
                }
            }
        })
    }

    fn row(&self, rows: &Rows<'_>, place: RowPlace, encoding: Encoding) -> Game {
        let RowPlace { start, end, line, fault, .. } = place;
        if let Some(fault) = fault {
            return Game { line, fault: Some((fault, line)), ..Game::default() };
        }
        let encoding = encoding.of_part(&rows.bytes[start..end]);
        let undecoded = Cell::new(false);
        let cell = |index: usize| {
            let (text, is_undecoded) = encoding.decode_shown(rows.cell(index));
            undecoded.set(undecoded.get() || is_undecoded);
            text.trim().to_owned()
        };
        let tags = self.tags.iter().map(|(index, tag)| ((*tag).to_owned(), cell(*index)));
        let mut tags: Vec<_> = tags.filter(|(_, value)| !value.is_empty()).collect();
        if let Some(result) = self.result.and_then(|index| result(&cell(index))) {
            tags.push(("Result".to_owned(), result.to_owned()));
        }
        let id = self.game.map(cell).unwrap_or_default();
        let moves = cell(self.moves).replace([',', ';', '|'], " ");
        Game { line, id, moves, tags, fault: None, is_undecoded: undecoded.get() }
    }
}

impl Game {
    /// Adds a move; each stands on a line, so that a fault is found on its row.
    fn add(&mut self, row: Self) {
        self.fault = self.fault.take().or(row.fault);
        self.is_undecoded |= row.is_undecoded;
        if self.moves.len() <= MAX_GAME_BYTES {
            self.moves.push('\n');
            self.moves.push_str(&row.moves);
        }
    }
}

fn read_rows(game: Game) -> Result<Option<BlockGame>, BlockFault> {
    let Game { line, moves, tags, fault, .. } = game;
    if let Some((reason, at)) = fault {
        return Err(BlockFault::new(at - line, reason));
    }
    if moves.trim().is_empty() && !tags.iter().any(|(name, _)| name == "FEN") {
        return Err(without_moves());
    }
    if moves.len() > MAX_GAME_BYTES {
        return Err(BlockFault::new(0, BadGameReason::TooLong(moves.len())));
    }
    pgn::read_moves(&moves, &tags)?.map(Some).ok_or_else(without_moves)
}

/// The fault of a row without moves.
fn without_moves() -> BlockFault {
    BlockFault::new(0, malformed("a row without moves"))
}

fn malformed(what: &str) -> BadGameReason {
    BadGameReason::Malformed(what.into())
}

/// The result that a word states, as PGN writes it.
pub(crate) fn result(text: &str) -> Option<&'static str> {
    if let Some(outcome) = scan::outcome(text) {
        return Some(crate::record::text::pgn_writer::result_text(Some(outcome)));
    }
    match text.to_ascii_lowercase().as_str() {
        "red_wins" | "red" | "white" | "w" => Some("1-0"),
        "black_wins" | "black" | "b" => Some("0-1"),
        "draw" | "drawn" | "d" => Some("1/2-1/2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_COLUMNS;
    use crate::record::model::limits::MAX_GAME_BYTES;
    use crate::record::source::read_games;
    use crate::record::text::pgn_writer::result_text;

    fn read_all(text: &str) -> Vec<Result<(String, String), String>> {
        let mut games = Vec::new();
        read_games("t.csv", text.as_bytes(), &mut |game| {
            games.push(match game {
                Ok(game) => {
                    let moves: Vec<_> =
                        game.record.tree.moves.iter().map(ToString::to_string).collect();
                    let red = game.record.tag("Red").unwrap_or_default();
                    Ok((format!("{red} {}", result_text(game.record.result)), moves.join(" ")))
                }
                Err(bad) => Err(bad.to_string()),
            });
        });
        games
    }

    #[test]
    fn a_row_for_each_game() {
        let games = read_all(
            "id,red,moves,result\n1,\"甲, \"\"x\"\"\",h2e2 h9g7,1-0\n2,乙,\"b2e2,b9c7\",draw\n",
        );
        let expected = [("甲, \"x\" 1-0", "h2e2 h9g7"), ("乙 1/2-1/2", "b2e2 b9c7")];
        for (game, (who, moves)) in games.iter().zip(expected) {
            assert_eq!(*game, Ok((who.to_owned(), moves.to_owned())));
        }
        assert_eq!(games.len(), 2);
    }

    #[test]
    fn rows_of_several_lines() {
        let text = "red,moves,comment,result\r\n\"two\r\nlines\",\"h2e2\r\nh9g7\",,0-1\r\n\r\n甲,h2e2,\"a \"\"b\"\"\r\n\r\nc\",1-0\r\n乙,h2e2 h2e2,,\r\n";
        let games = read_all(text);
        assert_eq!(games[0], Ok(("two\r\nlines 0-1".to_owned(), "h2e2 h9g7".to_owned())));
        assert_eq!(games[1], Ok(("甲 1-0".to_owned(), "h2e2".to_owned())));
        assert!(games[2].clone().unwrap_err().starts_with("t.csv:9: game 3: ply 2"), "{games:?}");
        assert_eq!(games.len(), 3);
    }

    #[test]
    fn rows_that_are_no_games() {
        let games = read_all("red,moves,result\nx,,1-0\nx,\"h2e2,1-0\n甲,h2e2,1-0\n");
        for (game, what) in games
            .iter()
            .zip(["2: game 1: a row without moves", "3: game 2: a quotation mark is not closed"])
        {
            assert_eq!(*game, Err(format!("t.csv:{what}")));
        }
        assert_eq!(games[2], Ok(("甲 1-0".to_owned(), "h2e2".to_owned())));
    }

    #[test]
    fn a_stray_mark_swallows_no_game() {
        let games =
            read_all("red,moves,result\nx,\"h2e2,1-0\n甲,h2e2,1-0\ny,\"h2e2,1-0\n乙,h2e2,1-0\n");
        let good: Vec<_> = games.iter().map(Result::is_ok).collect();
        assert_eq!(good, [false, true, false, true], "{games:?}");
        let games = read_all("red,moves,result\nx \"the\" y,h2e2,1-0\n");
        assert_eq!(games, [Ok(("x \"the\" y 1-0".to_owned(), "h2e2".to_owned()))]);
    }

    #[test]
    fn long_rows_are_refused_before_they_are_held() {
        let long = "x".repeat(MAX_GAME_BYTES + 1);
        let open = "y\n".repeat(MAX_GAME_BYTES / 2);
        let many = ",".repeat(MAX_COLUMNS);
        for (row, what) in [
            (format!("{long},h2e2"), "a game of 4194311 bytes"),
            (format!("\"{open}"), "a quotation mark is not closed"),
            (format!("h2e2{many}"), "a row of more than 4096 cells"),
        ] {
            let games = read_all(&format!("red,moves\n{row}\nz,h2e2\n"));
            assert!(games[0].clone().unwrap_err().contains(what), "{:?}", games[0]);
            assert_eq!(*games.last().unwrap(), Ok(("z *".to_owned(), "h2e2".to_owned())));
        }
    }

    #[test]
    fn stray_marks_cost_linear_time() {
        let text = format!("red,moves\n{}z,h2e2\n", "x\",\",\n".repeat(1 << 20));
        let games = read_all(&text);
        assert_eq!(games.len(), (1 << 20) + 1);
        assert!(games.last().unwrap().is_ok());
    }

    #[test]
    fn a_row_for_each_move() {
        let games = read_all(
            "\"move_index\",\"move\",\"game_id\",\"outcome\"\n0,h2e2,a,RED_WINS\n1,h9g7,a,RED_WINS\n\
             0,c3c4,b,\n1,a0a9,b,\n",
        );
        assert_eq!(games[0], Ok((" 1-0".to_owned(), "h2e2 h9g7".to_owned())));
        let bad = games[1].clone().unwrap_err();
        assert!(bad.starts_with("t.csv:5: game 2: ply 2"), "{bad}");
    }
}
