//! The moves that the tables and books know, with scores, ranks and notes.

use std::cmp::Reverse;

use crate::web::problem::Problem;
use crate::web::state::App;
use juzhong::answers::book::moves_of;
use juzhong::book::BookMove;
use juzhong::game::{Game, Side};
use juzhong::tablebase::{Entry, Wdl};
use juzhong::xiangqi::{Move, Position};

/// The score of a win by the tables, less its plies.
const WIN: i64 = 30_000;
/// The centipawns that each round of the repetition rule takes from that, so that the scores have the order of the
/// tables.
const ROUND: i64 = 2_000;
/// Centipawns that a move of rank 2, and of rank 1, is worse than the best at most.
const BEST: i64 = 10;
const GOOD: i64 = 50;

/// A move as the answers list it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    pub(crate) mv: Move,
    pub(crate) score: i64,
    pub(crate) rank: u8,
    /// The text after its mark.
    pub(crate) note: String,
    /// The mover's share of the points, in percent.
    pub(crate) win_rate: Option<f64>,
}

/// Sorts moves by their scores, the first of equals staying first, and ranks them by these.
pub(crate) fn rank(known: &mut [Known]) {
    known.sort_by_key(|known| Reverse(known.score));
    let Some(best) = known.first().map(|known| known.score) else { return };
    for known in known {
        known.rank = match best - known.score {
            // Wins of the tables are wins, however long they take; so are losses.
            _ if best.abs() > WIN / 3
                && known.score.signum() == best.signum()
                && known.score.abs() > WIN / 3 =>
            {
                2
            }
            0..=BEST => 2,
            worse if worse <= GOOD => 1,
            _ => 0,
        };
    }
}

/// The moves that the tables know, or else the first book that has any; the best first.
pub(crate) fn known_moves(app: &App, position: &Position) -> Result<Vec<Known>, Problem> {
    if let Some(tables) = app.tables().filter(|tables| tables.covers(position)) {
        match tables.probe_root(position) {
            Ok(moves) => {
                let mut known: Vec<Known> =
                    moves.into_iter().map(|(mv, entry)| of_tables(mv, entry)).collect();
                rank(&mut known);
                return Ok(known);
            }
            // A set that a capture leads to is not there.
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error.into()),
        }
    }
    for book in app.books(Position::NAME) {
        let found = book.read(|book| {
            let min_games = book.metadata().min_games;
            Ok(moves_of(book, position, min_games)?)
        })?;
        let known = of_book(position, found);
        if !known.is_empty() {
            return Ok(known);
        }
    }
    Ok(Vec::new())
}

fn of_tables(mv: Move, entry: Entry) -> Known {
    let plies = i64::from(entry.distance);
    let rounds = i64::from(entry.order);
    // Never as little as an evaluation.
    let win = (WIN - ROUND * rounds.min(5) - plies).max(WIN / 2);
    let (score, letter) = match entry.wdl {
        Wdl::Win => (win, "W"),
        Wdl::Draw => (0, "D"),
        Wdl::Loss => (-win, "L"),
    };
    let note = match (entry.wdl, entry.order) {
        (Wdl::Draw, _) => letter.to_owned(),
        (_, 0) => format!("{letter}-{plies}"),
        (_, order) => format!("{letter}-{order}-{plies}"),
    };
    Known { mv, score, rank: 0, note, win_rate: None }
}

fn of_book(position: &Position, mut found: Vec<BookMove<Move>>) -> Vec<Known> {
    found.retain(|found| !found.disabled && !found.banned && !found.lost);
    let mut known: Vec<Known> =
        found.iter().map(|found| of_book_move(found, position.turn())).collect();
    rank(&mut known);
    known
}

/// A move of a book by its engine's score, or else by its results for the side to move; the note is its number of games.
fn of_book_move(found: &BookMove<Move>, mover: Side) -> Known {
    let share = found.stats.score(mover);
    let score = match &found.score.engine {
        Some(score) => i64::from(score.evaluation.score.value().value()),
        None => share.map_or(0, |share| elo_of(share, found.stats.games)),
    };
    Known {
        mv: found.mv,
        score,
        rank: 0,
        note: found.stats.games.to_string(),
        win_rate: share.map(|share| 100.0 * share),
    }
}

/// The difference in playing strength that explains a share of the points at least: the lower end of Wilson's interval
/// at one standard deviation, so that a move that a few games happened to win stands behind one that many have tried.
fn elo_of(share: f64, games: u64) -> i64 {
    let games = games.max(1) as f64;
    let spread = (share * (1.0 - share) / games + 0.25 / (games * games)).sqrt();
    let least = (share + 0.5 / games - spread) / (1.0 + 1.0 / games);
    let least = least.clamp(0.001, 0.999);
    (400.0 * (least / (1.0 - least)).log10()).round() as i64
}
