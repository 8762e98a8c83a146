//! The questions that programs ask chessdb.cn, answered from the books and tables here, so that they can be pointed at
//! this server.
//!
//! `queryall` lists moves as `move:h2e2,score:12,rank:2,note:! (25-1),winrate:53.80`, separated by `|`, the best first.
//! Scores are centipawns for the side to move; wins by the tables are 30000 less the plies to them. Where a book has no
//! score for a move, the score is the difference in playing strength that its results show at least, in Elo.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;

use super::blocking;
use super::params::Params;
use super::problem::Problem;
use super::state::App;
use crate::cli::book::query::probe;
use crate::cli::language::Language;
use crate::cli::line_args::LineArgs;
use juzhong::book::BookMove;
use juzhong::game::{Game, MoveList};
use juzhong::tablebase::{Entry, Wdl};
use juzhong::xiangqi::{Move, Position};

/// The score of a win by the tables, less its plies.
const WIN: i64 = 30_000;
/// The plies of a line, at most.
const LONGEST_LINE: usize = 60;

/// The parameters of [`answer`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Question {
    action: String,
    board: String,
}

/// A move as the answers list it.
struct Known {
    mv: Move,
    score: i64,
    rank: u8,
    note: String,
    /// The mover's share of the points, in percent.
    win_rate: Option<f64>,
}

/// Answers a question in the words of chessdb.cn.
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Params(question): Params<Question>,
) -> Result<String, Problem> {
    blocking(app, Language::En, move |app| {
        let args = LineArgs { fen: Some(question.board.clone()), ..LineArgs::default() };
        let Ok(typed) = args.read::<Position>() else { return Ok("invalid board".to_owned()) };
        let position = typed.line.position().clone();
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            return Ok(if position.in_check() { "checkmate" } else { "stalemate" }.to_owned());
        }
        let known = known_moves(app, &position)?;
        let Some(best) = known.first() else { return Ok("unknown".to_owned()) };
        Ok(match question.action.as_str() {
            "queryall" => known.iter().map(line_of).collect::<Vec<_>>().join("|"),
            "querybest" | "query" => format!("move:{}", best.mv),
            "queryscore" => format!("eval:{}", best.score),
            "querypv" => best_line(app, position, best.score)?,
            _ => {
                return Err(Problem::bad_request(
                    "action is queryall, querybest, queryscore or querypv",
                ));
            }
        })
    })
    .await
}

fn line_of(known: &Known) -> String {
    let Known { mv, score, rank, note, win_rate } = known;
    let rate = win_rate.map_or_else(String::new, |rate| format!(",winrate:{rate:.2}"));
    format!("move:{mv},score:{score},rank:{rank},note:{note}{rate}")
}

/// The best moves one after the other, as far as they are known.
fn best_line(app: &App, mut position: Position, score: i64) -> Result<String, Problem> {
    let mut moves: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    while moves.len() < LONGEST_LINE && !seen.contains(&position.key()) {
        seen.push(position.key());
        let Some(best) = known_moves(app, &position)?.into_iter().next() else { break };
        moves.push(best.mv.to_string());
        position.make(best.mv);
    }
    Ok(format!("score:{score},depth:{},pv:{}", moves.len(), moves.join("|")))
}

/// The moves that the tables know, or else the first book that has any; the best first.
fn known_moves(app: &App, position: &Position) -> Result<Vec<Known>, Problem> {
    if let Some(tables) = app.tables.as_ref().filter(|tables| tables.covers(position)) {
        match tables.probe_root(position) {
            Ok(moves) => {
                let best = moves.first().map(|&(_, entry)| entry.wdl);
                let of = |(mv, entry): (Move, Entry)| of_tables(mv, entry, best);
                return Ok(moves.into_iter().map(of).collect());
            }
            // A set that a capture leads to is not there.
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error.into()),
        }
    }
    for book in app.books(Position::NAME) {
        let found = book.read(|book| {
            let min_games = book.metadata().min_games;
            Ok(probe(book, position, min_games)?)
        })?;
        let known = of_book(position, found);
        if !known.is_empty() {
            return Ok(known);
        }
    }
    Ok(Vec::new())
}

fn of_tables(mv: Move, entry: Entry, best: Option<Wdl>) -> Known {
    let plies = i64::from(entry.distance);
    let (score, letter) = match entry.wdl {
        Wdl::Win => (WIN - plies, "W"),
        Wdl::Draw => (0, "D"),
        Wdl::Loss => (plies - WIN, "L"),
    };
    let is_best = best == Some(entry.wdl);
    let mark = if is_best { "!" } else { "?" };
    let note = if entry.wdl == Wdl::Draw {
        format!("{mark} ({letter})")
    } else {
        format!("{mark} ({letter}-{plies})")
    };
    Known { mv, score, rank: if is_best { 2 } else { 0 }, note, win_rate: None }
}

fn of_book(position: &Position, mut found: Vec<BookMove<Move>>) -> Vec<Known> {
    found.retain(|found| !found.disabled && !found.banned && !found.lost);
    let most = found.iter().map(|found| found.stats.games).max().unwrap_or(0);
    let mut known: Vec<Known> = found
        .into_iter()
        .map(|found| {
            let mover = position.turn();
            let share = found.stats.score(mover);
            let score = match &found.score.engine {
                Some(score) => i64::from(score.evaluation.score.value().value()),
                None => share.map_or(0, |share| elo_of(share, found.stats.games)),
            };
            let rank = if found.stats.games * 2 >= most {
                2
            } else {
                u8::from(found.stats.games * 10 >= most)
            };
            let mark = ["?", "*", "!"][usize::from(rank)];
            let note = format!("{mark} ({})", found.stats.games);
            Known { mv: found.mv, score, rank, note, win_rate: share.map(|share| 100.0 * share) }
        })
        .collect();
    known.sort_by_key(|known| Reverse(known.score));
    known
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
