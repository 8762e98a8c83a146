//! Matches of gomoku: openings as points or as distances from the middle, names, the files of games.

use std::error::Error;
use std::io;

use super::{Contested, position_alone};
use crate::game::{Game, Notation, position_text};
use crate::gomoku::{Board, Point};
use crate::record::{Record, Tree, write_jsonl};
use crate::xiangqi::notation::MoveNotation;

/// The reasons for which a line is no opening.
#[derive(Debug, thiserror::Error)]
enum BadLine {
    #[error(
        "no moves in \"{0}\"; write h8i9g7, offsets from the middle (0,0, 1,1, …), or a position"
    )]
    Unreadable(String),
    #[error("move {0}: {1} is taken, or off the board")]
    Occupied(usize, Point),
    #[error("move {0}: the game is over before it")]
    Over(usize),
    #[error("move {0} is off the board")]
    Beyond(usize),
}

impl Contested for Board {
    const GAME_TAG: &'static str = "Gomoku";
    const GAME_BEGINNING: &'static str = "{\"";
    const GAME_ENDS: &'static [&'static [u8]] = &[b"}\n"];

    fn how_ended(&self) -> &'static str {
        if self.winner().is_some() { "a row" } else { "full board" }
    }

    /// The first three moves as renju players count them: Black in the middle, White beside it, straight or
    /// aslant, Black within two lines of the middle. Images of each other are all there.
    fn built_in_openings(start: &Self) -> Vec<Record<Self>> {
        let column = start.width() / 2;
        let row = start.height() / 2;
        let near = |dx: i8, dy: i8| {
            Point::new(column.checked_add_signed(dx)?, row.checked_add_signed(dy)?)
        };
        let mut openings = Vec::new();
        for second in [near(0, 1), near(1, 1)] {
            for (dx, dy) in (-2..=2).flat_map(|dy| (-2..=2).map(move |dx| (dx, dy))) {
                let moves = [near(0, 0), second, near(dx, dy)].into_iter().flatten();
                openings.extend(played(start, moves.collect()).ok());
            }
        }
        openings
    }

    /// Positions, moves and offsets; whole games are read as records.
    fn is_opening(line: &str) -> bool {
        let has_digit = line.contains(|c: char| c.is_ascii_digit());
        let text = position_text(line);
        text.split_whitespace().next().is_some_and(is_position)
            || has_digit
                && line.chars().all(is_moves)
                && !line
                    .split_whitespace()
                    .any(|word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic()))
    }

    /// Moves without separators or with blanks (`h8i9`), offsets from the middle (`0,0, 1,-1`, to the right and
    /// down), or a position.
    fn read_opening(
        line: &str,
        start: &Self,
    ) -> Result<Record<Self>, Box<dyn Error + Send + Sync>> {
        if line.contains('/') {
            return Ok(position_alone(Self::from_fen(line)?, 0));
        }
        let moves = if line.contains(',') { offsets(line, start)? } else { points(line)? };
        Ok(played(start, moves)?)
    }

    /// Each line has an opening of its own.
    fn goes_on(_line: &str, _opening: &Record<Self>) -> bool {
        false
    }

    /// Writes a line of JSON.
    fn write_game(
        out: &mut Vec<u8>,
        record: &Record<Self>,
        _notation: MoveNotation,
    ) -> io::Result<()> {
        let mut tags = record.tags.clone();
        if record.tag("Game").is_none() {
            tags.insert(0, ("Game".to_owned(), Self::GAME_TAG.to_owned()));
        }
        write_jsonl(out, &Record { tags, ..record.clone() })
    }
}

/// Returns true for the characters of moves and of what separates them.
const fn is_moves(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ' ' | ',' | '-')
}

/// Returns true for a word that may be the rows of a board.
fn is_position(word: &str) -> bool {
    word.contains('/')
        && word
            .chars()
            .all(|c: char| c.is_ascii_digit() || matches!(c, '/' | 'x' | 'o' | 'X' | 'O'))
}

/// A letter and a number each, with or without something between them.
fn points(line: &str) -> Result<Vec<Point>, BadLine> {
    let mut moves = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let digits =
            rest.get(1..).ok_or_else(|| BadLine::Unreadable(line.chars().take(40).collect()))?;
        let end = 1 + digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        let (point, after) = rest.split_at(end);
        moves.push(
            Point::parse(point)
                .ok_or_else(|| BadLine::Unreadable(line.chars().take(40).collect()))?,
        );
        rest = after.trim_start();
    }
    Ok(moves)
}

/// Pairs of numbers: to the right of the middle, and below it.
fn offsets(line: &str, start: &Board) -> Result<Vec<Point>, BadLine> {
    let numbers: Option<Vec<i16>> =
        line.trim_end_matches(',').split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers = numbers
        .filter(|numbers| numbers.len() % 2 == 0)
        .ok_or_else(|| BadLine::Unreadable(line.chars().take(40).collect()))?;
    let (pairs, _) = numbers.as_chunks();
    (1..)
        .zip(pairs)
        .map(|(number, &[right, below]): (usize, &[i16; 2])| {
            beside_middle(start, right, below).ok_or(BadLine::Beyond(number))
        })
        .collect()
}

/// The point at an offset from the middle.
fn beside_middle(start: &Board, right: i16, below: i16) -> Option<Point> {
    let width = i16::from(start.width());
    let height = i16::from(start.height());
    let column = coordinate((width / 2).checked_add(right)?, width)?;
    // Offsets go down and rows go up. The middle is `height / 2` from the top, as it is `width / 2` from the left.
    let row = coordinate((height - 1 - height / 2).checked_sub(below)?, height)?;
    Point::new(column, row)
}

/// A coordinate of a board with that number of them.
fn coordinate(number: i16, of: i16) -> Option<u8> {
    u8::try_from(number).ok().filter(|_| number < of)
}

/// The record of moves, if they can be played.
fn played(start: &Board, moves: Vec<Point>) -> Result<Record<Board>, BadLine> {
    let mut board = start.clone();
    for (number, &mv) in (1..).zip(&moves) {
        if board.outcome().is_some() {
            return Err(BadLine::Over(number));
        }
        board = board.play(mv).map_err(|_| BadLine::Occupied(number, mv))?;
    }
    let start = (*start != Board::start()).then(|| start.clone());
    let tree = Tree { moves, ..Tree::default() };
    Ok(Record { tags: Vec::new(), start, start_clock: 0, result: None, tree })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contest::games::read_games;

    fn read(line: &str) -> Result<Vec<String>, String> {
        let record =
            Board::read_opening(line, &Board::start()).map_err(|error| error.to_string())?;
        Ok(record.tree.moves.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn openings_are_read_in_every_form() {
        for line in ["h8i9g7", "H8 i9  g7", "0,0, 1,-1, -1,1", "0,0,1,-1,-1,1,"] {
            assert_eq!(read(line).unwrap(), ["h8", "i9", "g7"], "{line}");
        }
        let position = "15/15/15/15/15/15/15/7x7/15/15/15/15/15/15/15 o 5";
        let record = Board::read_opening(position, &Board::start()).unwrap();
        assert_eq!(record.start.unwrap().to_fen(), position);
        for (line, part) in [
            ("h8h8", "move 2: h8 is taken"),
            ("h8a16", "move 2: a16 is taken, or off"),
            ("h8 nonsense", "no moves in"),
            ("0,0, 8,0", "move 2 is off the board"),
            ("0,0, 30000,30000", "move 2 is off the board"),
            ("0,0, 1", "no moves in"),
            ("a1b1a2b2a3b3a4b4a5b5", "move 10: the game is over"),
            ("9/9 x q", "row length"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn games_are_no_lines_of_openings() {
        for line in ["h8i9", "0,0, -1,1", "15/15/x14 o", "H8 i9", "h8"] {
            assert!(Board::is_opening(line), "{line}");
        }
        let games = [
            "{\"moves\":\"h8\"}",
            "(;FF[4]",
            "Piskvorky 15x15, 1:1, 0",
            "h8i9 W",
            "h8i9 1-0 x",
            "",
            "black",
        ];
        for line in games {
            assert!(!Board::is_opening(line), "{line}");
        }
    }

    /// Thirteen straight and thirteen slanting ones are different; the others are images of them.
    #[test]
    fn the_built_in_openings_are_those_of_renju() {
        use crate::game::Symmetric;
        let openings = Board::built_in_openings(&Board::start());
        let mut keys = std::collections::HashSet::new();
        for opening in &openings {
            let mut board = Board::start();
            for &mv in &opening.tree.moves {
                board.make(mv);
            }
            keys.insert(board.canonical().key);
        }
        assert_eq!(keys.len(), 26);
    }

    proptest! {
        #[test]
        fn games_are_read_as_they_were_written(picks in prop::collection::vec(0_usize..225, 0..60), comment in "[a-z\"\\\\{}]{1,8}") {
            let mut board = Board::start();
            let mut moves = Vec::new();
            for pick in picks {
                let point = Point::new((pick % 15) as u8, (pick / 15) as u8).unwrap();
                if board.is_legal(point) {
                    board.make(point);
                    moves.push(point);
                }
            }
            let mut record = played(&Board::start(), moves).unwrap();
            record.tags = vec![("Event".to_owned(), comment.clone())];
            record.tree.comments = vec![(0, comment.clone())];
            record.result = board.outcome();
            let mut text = Vec::new();
            Board::write_game(&mut text, &record, MoveNotation::default()).unwrap();
            let is_whole = text.ends_with(Board::GAME_ENDS[0]);
            prop_assert!(is_whole && text.starts_with(Board::GAME_BEGINNING.as_bytes()));
            prop_assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 1);
            let read = read_games::<Board>("x", &text).unwrap().remove(0);
            prop_assert_eq!(&read.tree.moves, &record.tree.moves);
            prop_assert_eq!(read.tag("event"), Some(comment.as_str()));
            prop_assert_eq!((read.result, read.tree.comments), (record.result, record.tree.comments));
        }

        #[test]
        fn no_line_panics(line: String, digits in "[a-t0-9, /x{}\":-]{0,40}") {
            for line in [line, digits] {
                drop(read(&line));
            }
        }
    }
}
