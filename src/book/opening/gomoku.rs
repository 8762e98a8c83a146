//! Names of gomoku's openings: lines of up to three stones that `books/renju.tsv` gives on 15×15 points, by the
//! position in which they end, whatever the order of the stones and the way that the board lies. They hold on
//! every board that games usually begin with: there the lines lie about its middle.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use crate::book::opening::{Code, Named, Opening, TrackOpening};
use crate::game::{Game, Notation, Symmetric};
use crate::gomoku::{Board, Point, Variant};
use crate::hash::Key;

/// The most stones that a line has.
const MAX_STONES: u32 = 3;

/// The middle of the board on which lines are written.
const MIDDLE: i32 = 7;

/// A line of the file.
#[derive(Debug)]
struct OpeningLine {
    code: Code,
    name: &'static str,
    english: &'static str,
    /// The stones in turn, as distances from the middle.
    stones: Vec<(i32, i32)>,
}

/// All lines, in the order of the file.
static LINES: LazyLock<Vec<OpeningLine>> = LazyLock::new(|| {
    let lines = include_str!("../../../books/renju.tsv").lines();
    let lines = lines.filter(|line| !line.starts_with('#')).filter_map(read_line);
    lines.collect()
});

fn read_line(line: &'static str) -> Option<OpeningLine> {
    let mut columns = line.split('\t');
    let code = Code::parse(columns.next()?)?;
    let name = columns.next()?;
    let english = columns.next()?;
    let moves = columns.next()?;
    let stones = moves
        .split_whitespace()
        .map(|text: &str| {
            let point = Point::parse(text)?;
            Some((i32::from(point.column()) - MIDDLE, i32::from(point.row()) - MIDDLE))
        })
        .collect::<Option<_>>()?;
    Some(OpeningLine { code, name, english, stones })
}

/// The English name of a code.
pub(crate) fn english_name(code: Code) -> Option<&'static str> {
    LINES.iter().find(|line| line.code == code).map(|line| line.english)
}

/// The numbers of lines by the canonical keys of their last positions on one board.
type Table = HashMap<Key, usize>;

/// The table of the board that a position stands on, if games usually begin with it.
fn table(position: &Board) -> Option<&'static Table> {
    static STARTS: LazyLock<Vec<(Board, OnceLock<Table>)>> = LazyLock::new(|| {
        Board::starts().into_iter().map(|start| (start, OnceLock::new())).collect()
    });
    let own = geometry(position);
    let (start, table) = STARTS.iter().find(|(start, _)| geometry(start) == own)?;
    Some(table.get_or_init(|| table_of(start)))
}

/// The sizes and the rules of a board.
const fn geometry(board: &Board) -> (u8, u8, u8, Variant) {
    (board.width(), board.height(), board.row(), board.variant())
}

fn table_of(start: &Board) -> Table {
    let mut table = Table::new();
    for (number, line) in LINES.iter().enumerate() {
        // On a board with an even side the middle point is beside the middle, so that turned lines differ.
        for symmetry in 0..start.symmetries() {
            if let Some(key) = key_of(start, line, symmetry) {
                table.entry(key).or_insert(number);
            }
        }
    }
    table
}

/// The canonical key of the last position of a line, turned about the middle of the board.
fn key_of(start: &Board, line: &OpeningLine, symmetry: u8) -> Option<Key> {
    let mut board = start.clone();
    // Bits 0 and 1 of a symmetry reverse the axes, bit 2 exchanges them: eight in all.
    for &(mut x, mut y) in &line.stones {
        x = if symmetry & 1 == 0 { x } else { -x };
        y = if symmetry & 2 == 0 { y } else { -y };
        (x, y) = if symmetry & 4 == 0 { (x, y) } else { (y, x) };
        let [column, row] = [(start.width(), x), (start.height(), y)]
            .map(|(side, offset)| u8::try_from(i32::from(side / 2) + offset).ok());
        let point = Point::new(column?, row?)?;
        board = board.play(point).ok()?;
    }
    Some(board.canonical().key)
}

impl Named for Board {
    type Tracker = StoneTracker;
    const SETTLED: u32 = MAX_STONES;
    const CODE_MEMBER: &'static str = "opening";

    fn tracker(_start: &Self) -> StoneTracker {
        StoneTracker::default()
    }

    fn opening(&self) -> Option<Opening> {
        if !(1..=MAX_STONES).contains(&u32::from(self.stones())) {
            return None;
        }
        let line = LINES.get(*table(self)?.get(&self.canonical().key)?)?;
        Some(Opening { code: line.code, name: line.name, ply: self.stones().into() })
    }

    fn name_of(code: Code) -> Option<&'static str> {
        LINES.iter().find(|line| line.code == code).map(|line| line.name)
    }
}

/// The last name that a game had.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoneTracker(Option<Opening>);

impl TrackOpening<Board> for StoneTracker {
    fn push(&mut self, position: &Board) {
        self.0 = position.opening().or(self.0);
    }

    fn opening(&self) -> Option<Opening> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn board(side: u8, moves: &str) -> Board {
        let mut board = Board::new(side, side, 5).unwrap();
        for text in moves.split_whitespace() {
            board = board.play(Point::parse(text).unwrap()).unwrap();
        }
        board
    }

    fn code(side: u8, moves: &str) -> Option<String> {
        board(side, moves).opening().map(|opening| opening.code.to_string())
    }

    #[test]
    fn the_file_is_read_to_its_end() {
        let text = include_str!("../../../books/renju.tsv");
        let lines = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(LINES.len(), lines);
        for letter in ['D', 'I'] {
            assert_eq!(LINES.iter().filter(|line| line.code.letter() == letter).count(), 13);
        }
        assert!(LINES.len() >= 26 + 30, "{}", LINES.len());
        let codes: HashSet<_> = LINES.iter().map(|line| line.code).collect();
        let names: HashSet<_> = LINES.iter().map(|line| line.name).collect();
        assert_eq!((codes.len(), names.len()), (lines, lines));
    }

    #[test]
    fn no_two_lines_end_in_one_position() {
        let start = Board::start();
        let keys: HashSet<_> =
            LINES.iter().map(|line| key_of(&start, line, 0).expect("the line is legal")).collect();
        assert_eq!(keys.len(), LINES.len());
    }

    /// Every third stone within five points about the middle makes one of the 26.
    #[test]
    fn the_openings_of_renju_are_complete() {
        let mut found = HashSet::new();
        for second in ["h9", "i9"] {
            for column in 'f'..='j' {
                for row in 6..=10 {
                    let third = format!("{column}{row}");
                    if third != "h8" && third != second {
                        let code = code(15, &format!("h8 {second} {third}")).expect("a name");
                        let letter = if second == "h9" { 'D' } else { 'I' };
                        assert!(code.ends_with(letter), "{third}: {code}");
                        found.insert(code);
                    }
                }
            }
        }
        assert_eq!(found.len(), 26);
    }

    #[test]
    fn names_hold_however_the_board_lies_and_on_other_boards() {
        for moves in ["h8 h9 i9", "h8 h7 g7", "h8 i8 i9", "h8 g8 g7"] {
            assert_eq!(code(15, moves).as_deref(), Some("4D"), "{moves}");
        }
        for moves in ["k11 k12 l12", "j11 j12 k12", "k10 k9 j9", "j10 i10 i11"] {
            assert_eq!(code(20, moves).as_deref(), Some("4D"), "{moves}");
        }
        assert_eq!(code(15, "h8 i9 i7").as_deref(), Some("7I"));
        assert_eq!(code(15, ""), None);
        assert_eq!(code(15, "h8 h9 i9 a1"), None);
        let renju = Board::with_variant(15, 15, 5, Variant::Renju).unwrap();
        let moves = ["h8", "h9", "h10", "a1"].map(|text| Point::parse(text).unwrap());
        let named = Board::name_game(&renju, &moves).unwrap();
        assert_eq!((named.code.to_string().as_str(), named.name, named.ply), ("1D", "寒星", 3));
        assert_eq!(named.english_name(), "Kansei (cold star)");
    }
}
