//! The knowledge about moves, in words.

use crate::language::{counts, text, word};
use juzhong::train::{Accepted, BookFacts, Examined, Ground, ScoreFacts, TableFacts};

/// The knowledge about a move that is right: book, tables, engine; empty if nothing is.
pub(crate) fn of_accepted(accepted: &Accepted) -> String {
    let table = accepted.table.map(of_table);
    let book = accepted.book.map(of_book);
    let score = accepted
        .score
        .filter(|_| table.is_none())
        .map(|score| text!("engine: {}", of_score(score)));
    joined([book, table, score])
}

/// The knowledge about a move that was examined.
pub(crate) fn of_examined(examined: &Examined) -> String {
    let by_game = examined.ground == Ground::End;
    let table = examined.table.filter(|_| !by_game).map(of_table);
    let search = examined.search.map(|compared| {
        let (mv, right) = (of_score(compared.mv.into()), of_score(compared.right.into()));
        text!("engine: {mv}, the right move {right}")
    });
    let end = by_game.then(|| word("it wins the game").to_owned());
    let other = (examined.ground == Ground::Repertoire)
        .then(|| word("not a move of the repertoire").to_owned());
    joined([other, examined.book.map(of_book), end, table, search])
}

/// The parts that are there, with semicolons between them.
fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The games of a book.
fn of_book(facts: BookFacts) -> String {
    let games = counts::games(facts.games);
    match facts.score {
        Some(score) => text!("book: {games}, {:.1}%", f64::from(score) / 100.0),
        None => text!("book: {games}"),
    }
}

/// A value by tables.
fn of_table(facts: TableFacts) -> String {
    let result = word(facts.wdl.name());
    match (facts.order, facts.distance) {
        (0, Some(distance)) => text!("tables: {result} in {}", counts::plies(distance)),
        (0, None) => text!("tables: {result}"),
        (_, _) => text!("tables: {result} by repetition"),
    }
}

/// A score of an engine, for the mover.
fn of_score(score: ScoreFacts) -> String {
    match (score.mate, score.cp) {
        (Some(mate), _) if mate >= 0 => text!("mates in {}", counts::moves(mate)),
        (Some(mate), _) => text!("is mated in {}", counts::moves(mate.unsigned_abs())),
        (None, Some(cp)) => format!("{:+.2}", f64::from(cp) / 100.0),
        (None, None) => "?".to_owned(),
    }
}
