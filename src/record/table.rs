//! Games in a table: names of columns in the first line, then a row for each game (a column `moves`)
//! or for each move (columns `move` and `game_id`, rows of a game one after another). Cells are
//! separated by commas, semicolons or tabs and may stand in quotation marks; a row is one line.
//! Players, ratings, event, date, result and start position are taken from columns of usual names.

use super::pgn::{self, BlockFault, BlockGame};
use super::split::{Line, Lines, Start};
use super::{
    BadGame, BadGameReason, Chunk, Encoding, MAX_GAME_BYTES, ParsedGame, Place, ReadSummary, scan,
};

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

/// Which column is what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    separator: char,
    /// Of all moves or of one.
    moves: usize,
    /// Of the game that a move belongs to; `None` if each row is a game.
    game: Option<usize>,
    result: Option<usize>,
    tags: Vec<(usize, &'static str)>,
}

impl Columns {
    /// The columns, if the line names them.
    pub(super) fn read(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{feff}');
        let separator = line.chars().find(|c| matches!(c, ',' | ';' | '\t'))?;
        let names: Vec<String> =
            cells(line, separator).0.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        let find = |name: &str| names.iter().position(|n| n == name);
        let (moves, game) = match (find("moves"), find("move"), find("game_id")) {
            (Some(moves), ..) => (moves, None),
            (None, Some(mv), Some(game)) => (mv, Some(game)),
            _ => return None,
        };
        let tags = TAGS.iter().filter_map(|(name, tag)| Some((find(name)?, *tag))).collect();
        Some(Self { separator, moves, game, result: RESULTS.into_iter().find_map(find), tags })
    }
}

/// The columns that the first line of the source names, and that line.
pub(super) fn header<'a>(bytes: &'a [u8], chunk: &Chunk) -> Option<(Columns, Line<'a>)> {
    let line = Lines::new(bytes, chunk).next().filter(|line| line.text.len() < 4096)?;
    Columns::read(&chunk.encoding.decode_lossy(line.text)).map(|columns| (columns, line))
}

/// The cells of a row, without their quotation marks, and whether one of these is left open.
fn cells(line: &str, separator: char) -> (Vec<String>, bool) {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    (cells, is_quoted)
}

/// A game whose rows are being read.
#[derive(Debug, Default)]
struct Rows {
    line: u64,
    id: String,
    moves: String,
    tags: Vec<(String, String)>,
    /// A line that leaves a quotation mark open.
    open: Option<u64>,
}

/// Reads the games of one chunk of a table's rows; `bytes` is the whole source.
pub(super) fn read(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    columns: &Columns,
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    let part = bytes.get(chunk.bytes.clone()).unwrap_or_default();
    let mut summary = ReadSummary::default();
    let mut number = chunk.game - 1;
    let mut finish = |rows: Rows| {
        number += 1;
        match read_rows(rows) {
            Ok((game, line)) => {
                summary.games += 1;
                let BlockGame { record, end, .. } = game;
                sink(Ok(ParsedGame {
                    record,
                    end,
                    place: Place::Line(line),
                    game: number,
                    note: None,
                }));
            }
            Err((reason, line)) => {
                summary.bad += 1;
                let (source, place) = (source.to_owned(), Place::Line(line));
                sink(Err(BadGame { source, place, game: number, reason }));
            }
        }
    };
    let mut open: Option<Rows> = None;
    for line in Lines::new(part, chunk) {
        let rows = columns.row(&line, chunk.encoding);
        match &mut open {
            Some(game) if columns.game.is_some() && game.id == rows.id => game.add(&rows),
            _ => {
                if let Some(done) = open.replace(rows) {
                    finish(done);
                }
            }
        }
    }
    if let Some(done) = open {
        finish(done);
    }
    summary
}

impl Columns {
    /// Where games begin in rows that begin where `chunk` does.
    pub(super) fn starts(&self, bytes: &[u8], chunk: &Chunk) -> impl Iterator<Item = Start> {
        let (mut game, mut id) = (chunk.game - 1, None);
        Lines::new(bytes, chunk).filter_map(move |line| {
            if let Some(index) = self.game {
                let (cells, _) = cells(&chunk.encoding.decode_part(line.text), self.separator);
                let next = Some(cells.get(index).map_or("", |cell| cell.trim()).to_owned());
                if std::mem::replace(&mut id, next.clone()) == next {
                    return None;
                }
            }
            game += 1;
            Some(Start { at: line.start, line: line.line, game })
        })
    }

    fn row(&self, line: &Line<'_>, encoding: Encoding) -> Rows {
        let (cells, is_open) = cells(&encoding.decode_part(line.text), self.separator);
        let cell = |index: usize| cells.get(index).map_or("", |cell| cell.trim());
        let tags =
            self.tags.iter().map(|(index, tag)| ((*tag).to_owned(), cell(*index).to_owned()));
        let mut tags: Vec<_> = tags.filter(|(_, value)| !value.is_empty()).collect();
        if let Some(result) = self.result.and_then(|index| result(cell(index))) {
            tags.push(("Result".to_owned(), result.to_owned()));
        }
        let id = self.game.map_or("", cell).to_owned();
        let moves = cell(self.moves).replace([',', ';', '|'], " ");
        let open = is_open.then_some(line.line);
        Rows { line: line.line, id, moves, tags, open }
    }
}

impl Rows {
    /// Adds a move; each stands on a line, so that a fault is found on its row.
    fn add(&mut self, row: &Self) {
        self.open = self.open.or(row.open);
        if self.moves.len() <= MAX_GAME_BYTES {
            self.moves.push('\n');
            self.moves.push_str(&row.moves);
        }
    }
}

fn read_rows(rows: Rows) -> Result<(BlockGame, u64), (BadGameReason, u64)> {
    let Rows { line, moves, tags, open, .. } = rows;
    let malformed = |what: &str| BadGameReason::Malformed(what.to_owned());
    if let Some(line) = open {
        return Err((malformed("a quotation mark is not closed on its line"), line));
    }
    if moves.trim().is_empty() && !tags.iter().any(|(name, _)| name == "FEN") {
        return Err((malformed("a row without moves"), line));
    }
    if moves.len() > MAX_GAME_BYTES {
        return Err((BadGameReason::TooLong(moves.len()), line));
    }
    match pgn::read_moves(&moves, tags) {
        Ok(Some(game)) => Ok((game, line)),
        Ok(None) => Err((malformed("a row without moves"), line)),
        Err(BlockFault { lines, reason }) => Err((reason, line + lines)),
    }
}

/// The result that a word states, as PGN writes it.
pub(super) fn result(text: &str) -> Option<&'static str> {
    if let Some(outcome) = scan::outcome(text) {
        return Some(super::result_text(Some(outcome)));
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
    use super::super::{read_games, result_text};

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
        let game = |who: &str, moves: &str| Ok((who.to_owned(), moves.to_owned()));
        assert_eq!(games[0], game("甲, \"x\" 1-0", "h2e2 h9g7"));
        assert_eq!(games[1], game("乙 1/2-1/2", "b2e2 b9c7"));
    }

    #[test]
    fn rows_that_are_no_games() {
        let games = read_all(
            "red,moves,result\n\"two\nlines\",h2e2,0-1\nx,,1-0\nx,\"h2e2,1-0\n甲,h2e2,1-0\n",
        );
        let open = "a quotation mark is not closed on its line";
        for (game, what) in games.iter().zip([open, open, "a row without moves", open]) {
            let bad = game.clone().unwrap_err();
            assert!(bad.ends_with(what), "{bad}");
        }
        assert_eq!(games[4], Ok(("甲 1-0".to_owned(), "h2e2".to_owned())));
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
