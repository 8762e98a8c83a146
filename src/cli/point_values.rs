//! `position --eval` for gomoku: the values that the player without search gives to the points, the terms of the
//! evaluation, for people and programs.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::cli::language::{right, say, word};
use juzhong::game::{Game, Notation, Side};
use juzhong::gomoku::{Board, Point, Threat};
use juzhong::search::eval::gomoku::{Term, TermKind, terms};

/// The evaluation in the JSON answer.
pub(crate) fn to_json(board: &Board) -> Value {
    let values: Map<String, Value> = board
        .empty_points()
        .map(|point| (Board::move_text(point), board.point_value(point).into()))
        .collect();
    let terms: Vec<Value> = terms(board)
        .iter()
        .map(|term| {
            json!({
                "term": name(term),
                "count": {"mover": term.counts[0], "other": term.counts[1]},
                "value": {"mover": term.values[0], "other": term.values[1]},
            })
        })
        .collect();
    json!({
        "value": juzhong::game::Heuristics::evaluate(board),
        "terms": terms,
        "points": values,
        "best": board.best_point().map(Board::move_text),
    })
}

/// The name of a term in JSON.
const fn name(term: &Term) -> &'static str {
    match term.kind {
        TermKind::Threat(threat) => threat_name(threat),
        TermKind::Threats => "threats together",
        TermKind::Move => "move",
    }
}

const fn threat_name(threat: Threat) -> &'static str {
    match threat {
        Threat::None => "no threat",
        Threat::Suspect => "perhaps forbidden",
        Threat::Two => "point with a two",
        Threat::DoubleTwo => "double two",
        Threat::ClosedThree => "point with a closed three",
        Threat::ClosedThreeAndMore => "closed three and more",
        Threat::Three => "point with a three",
        Threat::ThreeAndMore => "three and more",
        Threat::DoubleThree => "double three",
        Threat::Four => "point with a four",
        Threat::FourAndMore => "four and more",
        Threat::FourThree => "four and three",
        Threat::OpenFour => "point with two completions",
        Threat::Five => "point with a five",
    }
}

/// Shows the points' values as a board, then the terms of the evaluation, in centipawns.
pub(crate) fn show(board: &Board, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    say!(out, "values of the points to {}, in units of 10:", word(side_name(board.turn())))?;
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
        say!(out, "{own:>8.1} {other:>8.1}  {} ({owns} and {others})", word(name(term)))?;
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

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}
