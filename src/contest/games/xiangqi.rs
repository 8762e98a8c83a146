//! Matches of xiangqi: the project's openings and those of FEN and EPD files, names, the files of games.

use std::error::Error;
use std::io;

use super::{Contested, position_alone};
use crate::game::{Game, position_text};
use crate::record::{BadGameReason, PgnOptions, Record, TypedLine, read_games, write_pgn};
use crate::xiangqi::notation::{MoveNotation, parse_move};
use crate::xiangqi::{FenError, Position, Setup};

macro_rules! opening_files {
    ($($name:literal),* $(,)?) => {
        [$((concat!($name, ".pgn"), include_str!(concat!("../../../books/openings/", $name, ".pgn")))),*]
    };
}

/// Characters of a line that are looked at for its first move.
const LONGEST_HEAD: usize = 1_000;

/// The opening lines of the project: the names of files and their texts.
pub const OPENING_FILES: [(&str, &str); 19] = opening_files![
    "angel-points-the-way",
    "central-cannon-rare-defences",
    "central-cannon-sandwiched-horses",
    "central-cannon-screen-horses",
    "central-cannon-single-horse",
    "central-cannon-three-step-tiger",
    "cross-palace-cannon",
    "elephant-opening",
    "five-eight-and-five-nine-cannons",
    "five-seven-cannons-screen-horses",
    "five-six-cannons-screen-horses",
    "flank-openings",
    "horse-opening",
    "opposing-pawns",
    "opposite-direction-cannons",
    "palcorner-cannon",
    "river-cannon-screen-horses",
    "river-crossing-chariot-screen-horses",
    "same-direction-cannons",
];

impl Contested for Position {
    const GAME_TAG: &'static str = "Chinese Chess";
    const GAME_BEGINNING: &'static str = "[Game \"Chinese Chess\"]\n[Event \"juzhong ";
    const GAME_ENDS: &'static [&'static [u8]] = &[b"1-0\n\n", b"0-1\n\n", b"1/2-1/2\n\n"];

    fn how_ended(&self) -> &'static str {
        if self.in_check() { "checkmate" } else { "stalemate" }
    }

    /// The lines of `books/openings`, wherever games begin.
    fn built_in_openings(_start: &Self) -> Vec<Record<Self>> {
        let mut openings = Vec::new();
        for (_, text) in OPENING_FILES {
            read_games("openings", text.as_bytes(), &mut |game| {
                openings.extend(game.map(|game| game.record));
            });
        }
        openings
    }

    fn is_opening(line: &str) -> bool {
        let text = position_text(line);
        text.split_whitespace().next().is_some_and(|board| board.matches('/').count() == 9)
    }

    /// A position, or one with moves behind it in any notation.
    fn read_opening(
        line: &str,
        _start: &Self,
    ) -> Result<Record<Self>, Box<dyn Error + Send + Sync>> {
        let start = typed(line).fen.and_then(|fen| Self::from_fen(&fen).ok());
        let game = start.filter(|start| has_moves(line, start)).and_then(|_| game_of(line));
        match game {
            Some(game) => Ok(game?),
            None => Ok(read_epd(line)?),
        }
    }

    fn goes_on(line: &str, opening: &Record<Self>) -> bool {
        let Some(mut position) = opening.start.clone() else { return false };
        for &mv in &opening.tree.moves {
            position.make(mv);
        }
        !Self::is_opening(line) && has_moves(line, &position)
    }

    /// Writes PGN.
    fn write_game(
        out: &mut Vec<u8>,
        record: &Record<Self>,
        notation: MoveNotation,
    ) -> io::Result<()> {
        write_pgn(out, record, &PgnOptions { notation, ..PgnOptions::default() })
    }
}

/// A FEN, or an EPD: four fields of it and then operations, which do not matter here.
fn read_epd(line: &str) -> Result<Record<Position>, FenError> {
    let text = position_text(line);
    let fields = text.split_whitespace();
    let (head, rest): (Vec<&str>, Vec<&str>) =
        (fields.clone().take(4).collect(), fields.skip(4).take(2).take_while(is_counter).collect());
    let setup = Setup::from_fen(&[head, rest].concat().join(" "))?;
    let start = Position::from_setup(&setup)?;
    Ok(position_alone(start, setup.halfmove_clock))
}

/// The beginning of a line as typed.
fn typed(line: &str) -> TypedLine {
    TypedLine::read(&line.chars().take(LONGEST_HEAD).collect::<String>())
}

/// Returns true if what stands behind the position of a line, if it has one, begins with a legal move of `start`. The
/// operations of an EPD begin with their names.
fn has_moves(line: &str, start: &Position) -> bool {
    typed(line).moves.first().is_some_and(|text| parse_move(start, text).is_ok())
}

/// The game in a line.
fn game_of(line: &str) -> Option<Result<Record<Position>, BadGameReason>> {
    let mut found = None;
    read_games("opening", line.as_bytes(), &mut |game| {
        found = Some(game.map(|game| game.record).map_err(|bad| bad.reason));
    });
    found
}

/// Returns true for a field that is a number.
fn is_counter(field: &&str) -> bool {
    field.bytes().all(|byte| byte.is_ascii_digit())
}
