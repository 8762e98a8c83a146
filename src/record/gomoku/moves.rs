//! Moves written together, `h8i9g8`, a game on each line: the form in which many programs keep openings and
//! games.
//!
//! Before the moves a line may name the board (`20x20`) and the variant (`renju`), after them the result: `W`,
//! `D` or `L` for Black, or `1-0`, `1/2-1/2`, `0-1`. Without a size the board is 15×15, or 20×20 if a move lies
//! beyond. Moves may also be separated by blanks, commas or semicolons, and have numbers before them.

use crate::game::Outcome;
use crate::gomoku::{Board, Point, Variant};
use crate::message::message;
use crate::record::gomoku::{board, fit, lines};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::Cut;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, line, malformed};
use crate::record::model::written::{WriteError, WriteOptions, Written};
use crate::record::text::pgn_writer::result_text;
use crate::record::text::split::cut_lines;

/// The row of moves written together.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo {
        shared_endings: &["txt"],
        cut: Cut::Games(cut_lines),
        ..FormatInfo::of_text(Format::Moves, "moves", &["txt"])
    },
    sniff: &[
        Sniffer { stage: Stage::Blank, shows: |_| true },
        Sniffer { stage: Stage::Moves, shows: |sample| lines::first_line_is(sample, looks_like) },
    ],
    read: ReadGames::Chunk(|reader| lines::read(reader, game)),
    write: Some(written),
};

/// The parts of a line.
#[derive(Debug, Default)]
struct Parts {
    size: Option<(u8, u8)>,
    variant: Option<Variant>,
    points: Vec<Point>,
    result: Option<Outcome>,
}

/// Returns true if a line has moves and nothing that is none.
fn looks_like(text: &str) -> bool {
    parts(text).is_ok_and(|parts| !parts.points.is_empty())
}

/// Reads the game of a line.
fn game(text: &str, stated: Option<(u8, u8)>) -> Result<Found<Board>, Fault> {
    let Parts { size, variant, points, result } = parts(text)?;
    let variant = variant.unwrap_or_default();
    let most = points.iter().map(|point| point.column().max(point.row())).max().unwrap_or(0);
    let start = match size {
        Some((width, height)) => board::empty(width, height, variant),
        None => board::of_reach(most, variant, stated),
    }
    .map_err(|reason| Fault::at(0, reason))?;
    let moves = points.into_iter().map(|point| Ok((0, point)));
    let (tree, fault) = line(start.clone(), moves)?;
    let record = board::record(Vec::new(), &start, result, tree);
    Ok(Found { fault, ..Found::new(record) })
}

fn parts(text: &str) -> Result<Parts, Fault> {
    let mut parts = Parts::default();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')) {
        let word = without_number(word);
        if word.is_empty() || word == "*" {
            continue;
        }
        if parts.points.is_empty() {
            if let Some(size) = board::size(word) {
                parts.size = Some(size);
                continue;
            }
            if let Ok(variant) = word.to_ascii_lowercase().parse() {
                parts.variant = Some(variant);
                continue;
            }
        }
        if let Some(result) = board::result(word).filter(|_| !parts.points.is_empty()) {
            parts.result = Some(result);
        } else if parts.result.is_some() {
            let what = message!("\"{}\" after the result", board::quoted(word));
            return Err(malformed(0, what));
        } else {
            points(word, &mut parts.points)?;
        }
    }
    Ok(parts)
}

/// The word without the number of a move before it: `1.h8`.
fn without_number(word: &str) -> &str {
    match word.split_once('.') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            if number.is_empty() { word } else { rest }
        }
        _ => word,
    }
}

/// Appends the points of a word: letters, each with the digits behind it.
fn points(word: &str, points: &mut Vec<Point>) -> Result<(), Fault> {
    let mut rest = word;
    while !rest.is_empty() {
        let letter = rest.chars().next().map_or(0, char::len_utf8);
        let digits = rest.bytes().skip(letter).take_while(u8::is_ascii_digit).count();
        let (text, after) = rest.split_at(letter + digits);
        let Some(point) = Point::parse(text) else {
            let ply = points.len() + 1;
            let text = board::quoted(rest);
            let what = message!("\"{text}\" does not begin with a point such as h8");
            return Err(Fault::at(0, BadGameReason::Unplayable { ply, what }));
        };
        points.push(point);
        rest = after;
    }
    Ok(())
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    let start = fit::empty_start(record, Format::Moves)?;
    Ok(Written::text(write(record, &start), fit::lost_by_line(record, 0)))
}

/// The line of a record that begins with an empty board.
fn write(record: &Record<Board>, start: &Board) -> String {
    let mut text = String::new();
    let most = record.tree.moves.iter().map(|mv| mv.column().max(mv.row())).max().unwrap_or(0);
    let reach = if most < 15 { 15 } else { 20 };
    if (start.width(), start.height()) != (reach, reach) {
        let [width, height] = [start.width(), start.height()].map(|side| side.to_string());
        text.extend([&*width, "x", &*height, " "]);
    }
    if start.variant() != Variant::default() {
        text.extend([&*start.variant().to_string(), " "]);
    }
    for mv in &record.tree.moves {
        text += &mv.to_string();
    }
    if !record.tree.moves.is_empty() {
        text.push(' ');
        text += result_text(record.result);
    }
    text.push('\n');
    text
}
