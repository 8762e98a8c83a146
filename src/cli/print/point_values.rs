//! `position --eval` for gomoku: the values that the player without search gives to the points, the terms of the
//! evaluation, for people.

use std::io::{self, Write};

use crate::language::{right, say, word};
use juzhong::answers::term_name;
use juzhong::game::{Game, Notation, Side, side_name};
use juzhong::gomoku::{Board, Point};
use juzhong::search::eval::gomoku::terms;

/// Shows the points' values as a board, then the terms of the evaluation, in centipawns.
pub(crate) fn show(board: &Board, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    say!(
        out,
        "values of the points to {}, in units of 10:",
        word(side_name::<Board>(board.turn()))
    )?;
    for row in (0..board.height()).rev() {
        write!(out, "{:>2}", row + 1)?;
        for column in 0..board.width() {
            let cell = Point::new(column, row).map_or_else(String::new, |point| cell(board, point));
            write!(out, "{}", right(&cell, 5))?;
        }
        writeln!(out)?;
    }
    write!(out, "  ")?;
    for letter in ('a'..).take(board.width().into()) {
        write!(out, "{letter:>5}")?;
    }
    writeln!(out)?;
    if let Some(best) = board.best_point() {
        say!(out, "the player without search moves to {}", Board::move_text(best))?;
    }
    writeln!(out)?;
    say!(out, "the evaluation of the search, in centipawns, for the side to move:")?;
    let terms = terms(board);
    if board.outcome().is_some() {
        return say!(out, "the game is over");
    }
    if terms.is_empty() {
        say!(out, "threats decide the game")?;
    }
    for term in terms.iter().filter(|term| term.values != [0.0; 2]) {
        let [own, other] = term.values;
        let [owns, others] = term.counts;
        say!(out, "{own:>8.1} {other:>8.1}  {} ({owns} and {others})", word(term_name(term)))?;
    }
    say!(out, "{:>8}           all together", juzhong::game::Heuristics::evaluate(board))
}

fn cell(board: &Board, point: Point) -> String {
    match board.stone(point) {
        Some(Side::First) => "x".to_owned(),
        Some(Side::Second) => "o".to_owned(),
        None => (board.point_value(point) / 10).to_string(),
    }
}
