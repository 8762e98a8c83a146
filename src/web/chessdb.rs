//! The questions that programs ask chessdb.cn, answered from the books and tables here, so that they can be pointed at
//! this server.
//!
//! `queryall` lists moves as `move:h2e2,score:12,rank:2,note:! (25),winrate:53.80`, separated by `|`, the best first, and
//! with `json=1` as an object. Scores are centipawns for the side to move; wins by the tables are 30000 less the plies to
//! them. Where a book has no score for a move, the score is the difference in playing strength that its results show at
//! least, in Elo. Ranks and marks follow the scores: 2 (`!`) for the best and those hardly worse, 1 (`*`), and 0 (`?`).
//!
//! Errors are words, too: programs that ask here know no others.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::blocking;
use super::params::{pairs_of, read_body};
use super::problem::Problem;
use super::reply::json_of;
use super::state::App;
use crate::language::Language;
use juzhong::answers::LineRequest;
use juzhong::answers::book::moves_of;
use juzhong::book::BookMove;
use juzhong::game::{Adjudicate, Game, Horizon, Line, MoveList, Notation, Verdict};
use juzhong::tablebase::{Entry, Wdl};
use juzhong::xiangqi::{Move, Position, RuleSet};

/// The score of a win by the tables, less its plies.
const WIN: i64 = 30_000;
/// What each round of the repetition rule takes from that, so that the scores have the order of the tables.
const ROUND: i64 = 2_000;
/// The plies of a line, at most.
const LONGEST_LINE: usize = 60;
/// The plies of a game whose repetitions are judged, at most.
const LONGEST_GAME: usize = 2_046;
/// Centipawns that a move of rank 2, and of rank 1, is worse than the best at most.
const BEST: i64 = 10;
const GOOD: i64 = 50;

/// The parameters of a question, those of a form after those of the address.
#[derive(Debug, Default)]
struct Question(HashMap<String, String>);

impl Question {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn is_set(&self, name: &str) -> bool {
        let yes = ["1", "true", "on", "yes"];
        self.get(name).is_some_and(|value| yes.iter().any(|yes| yes.eq_ignore_ascii_case(value)))
    }

    /// The moves of a list, which a word may stand before: `move:h2e2|move:b2e2`.
    fn moves(&self, name: &str) -> Vec<&str> {
        let texts = self.get(name).unwrap_or_default().split('|').filter(|text| !text.is_empty());
        texts.map(|text| text.rsplit_once(':').map_or(text, |(_, mv)| mv).trim()).collect()
    }
}

/// An answer before it is written as text or JSON.
#[derive(Debug, Clone, PartialEq)]
enum Answer {
    /// A word for the state of things.
    Status(&'static str),
    All(Vec<Known>),
    Best(Move),
    /// Moves that are about as good.
    Search(Vec<Move>),
    Score(i64),
    Line {
        score: i64,
        moves: Vec<Move>,
    },
    Rules(Vec<(Move, &'static str)>),
}

/// A move as the answers list it.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    mv: Move,
    score: i64,
    rank: u8,
    /// What its mark is followed by.
    note: String,
    /// The mover's share of the points, in percent.
    win_rate: Option<f64>,
}

/// Returns true for the addresses at which such questions are asked.
pub(crate) fn is_path(path: &str) -> bool {
    matches!(path, "/chessdb" | "/chessdb.php")
}

/// The answer to a request that is refused, in the words of chessdb.cn.
pub(crate) fn refusal(status: StatusCode, address: &Uri) -> Response {
    let is_json =
        pairs_of(address).is_ok_and(|pairs| Question(pairs.into_iter().collect()).is_set("json"));
    respond(status, is_json, &Answer::Status(word_of(status)))
}

/// The word of chessdb.cn for a request that failed.
const fn word_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => "rate limit exceeded",
        StatusCode::INTERNAL_SERVER_ERROR => {
            "Error: the books or tables of the server cannot be read"
        }
        _ => "invalid parameters",
    }
}

/// Answers a question in the words of chessdb.cn.
pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Response {
    let question = match question_of(request).await {
        Ok(question) => question,
        Err(status) => return respond(status, false, &Answer::Status("invalid parameters")),
    };
    let is_json = question.is_set("json");
    match blocking(app, Language::En, move |app| answer_to(app, &question)).await {
        Ok(answer) => respond(StatusCode::OK, is_json, &answer),
        Err(problem) => {
            let status = problem.into_response().status();
            respond(status, is_json, &Answer::Status(word_of(status)))
        }
    }
}

/// The parameters of the address and of a form.
async fn question_of(request: Request) -> Result<Question, StatusCode> {
    let bad = |_| StatusCode::BAD_REQUEST;
    let mut pairs = pairs_of(request.uri()).map_err(bad)?;
    if request.method() == Method::POST {
        let body = read_body(request).await.map_err(|problem| problem.into_response().status())?;
        let form = String::from_utf8(body.to_vec()).map_err(|_| StatusCode::BAD_REQUEST)?;
        let form = form.trim().replace(char::is_whitespace, "%20");
        let address = Uri::builder().path_and_query(format!("/?{form}")).build();
        pairs.extend(pairs_of(&address.map_err(|_| StatusCode::BAD_REQUEST)?).map_err(bad)?);
    }
    Ok(Question(pairs.into_iter().collect()))
}

fn respond(status: StatusCode, is_json: bool, answer: &Answer) -> Response {
    let (kind, text) = if is_json {
        ("application/json", json_of(&answer.object()).unwrap_or_default().to_string())
    } else {
        ("text/plain; charset=utf-8", answer.to_text())
    };
    (status, [(header::CONTENT_TYPE, kind)], text).into_response()
}

fn answer_to(app: &App, question: &Question) -> Result<Answer, Problem> {
    let Some(action) = question.get("action") else { return Ok(INVALID) };
    let Some(board) = question.get("board") else { return Ok(INVALID) };
    let request = LineRequest { fen: Some(board.to_owned()), ..LineRequest::default() };
    let Ok(typed) = request.read::<Position>() else { return Ok(Answer::Status("invalid board")) };
    let position = typed.line.position();
    match action {
        "queryall" | "queryscore" | "querypv" if position.outcome().is_some() => {
            Ok(Answer::Status(end_of(position)))
        }
        "queryall" | "queryscore" | "querypv" | "query" | "querybest" | "querylearn"
        | "querysearch" => ask(app, question, action, position),
        "queryrule" => Ok(rules_of(&typed.line, question)),
        "queue" => Ok(Answer::Status("ok")),
        "store" => Ok(stored(position, question)),
        _ => Ok(INVALID),
    }
}

const INVALID: Answer = Answer::Status("invalid parameters");

/// The answer to a question about moves that are known.
fn ask(
    app: &App,
    question: &Question,
    action: &str,
    position: &Position,
) -> Result<Answer, Problem> {
    let mut known = known_moves(app, position)?;
    let banned = question.moves("ban");
    if !banned.is_empty() {
        known.retain(|known| !banned.contains(&known.mv.to_string().as_str()));
        rank(&mut known);
    }
    let Some(best) = known.first() else {
        let asks_for_move = !matches!(action, "queryall" | "queryscore" | "querypv");
        return Ok(Answer::Status(if asks_for_move { "nobestmove" } else { "unknown" }));
    };
    let (mv, score) = (best.mv, best.score);
    Ok(match action {
        "queryall" => Answer::All(known),
        "queryscore" => Answer::Score(score),
        "querypv" => best_line(app, position.clone(), (mv, score))?,
        "querysearch" => match known.iter().filter(|known| known.rank == 2).count() {
            1 => Answer::Best(mv),
            count => Answer::Search(known[..count].iter().map(|known| known.mv).collect()),
        },
        _ => Answer::Best(mv),
    })
}

fn end_of(position: &Position) -> &'static str {
    if position.in_check() { "checkmate" } else { "stalemate" }
}

/// The acknowledgement of a move that is to be stored or queued: nothing is, for books are edited in other ways. What
/// has a score needs a token, which nobody has.
fn stored(position: &Position, question: &Question) -> Answer {
    let is_legal = |text: &&str| Position::parse_move(text).is_some_and(|mv| position.is_legal(mv));
    match question.moves("move").first() {
        Some(mv) if !is_legal(mv) => INVALID,
        Some(_) if question.get("score").is_some() => Answer::Status("tokenerror"),
        _ => Answer::Status("ok"),
    }
}

/// The verdict of the rules on each move after those of `movelist`.
fn rules_of(line: &Line<Position>, question: &Question) -> Answer {
    let played = question.moves("movelist");
    let mut line = line.clone();
    if played.is_empty() || played.len() > LONGEST_GAME {
        return Answer::Status("invalid movelist");
    }
    for text in played {
        let mv = Position::parse_move(text).filter(|&mv| line.position().is_legal(mv));
        let Some(mv) = mv else { return Answer::Status("invalid movelist") };
        line.push(mv);
    }
    if line.position().outcome().is_some() {
        return Answer::Status(end_of(line.position()));
    }
    // One repetition is enough unless more are asked for; the board waits for two.
    let repetitions = question.get("reptimes").and_then(|text| text.parse::<u32>().ok());
    let horizon = match repetitions {
        Some(2..=10) => Horizon::Game,
        _ => Horizon::Search { root: line.len() },
    };
    let mover = line.position().turn();
    let mut moves = MoveList::new();
    line.position().legal_moves(&mut moves);
    let judged = moves.into_iter().map(|mv| {
        line.push(mv);
        let verdict = Position::judge(&line, RuleSet::default(), horizon).verdict;
        line.pop();
        (
            mv,
            match verdict {
                Verdict::Draw => "draw",
                Verdict::Loses(side) if side == mover => "ban",
                Verdict::Loses(_) | Verdict::None => "none",
            },
        )
    });
    Answer::Rules(judged.collect())
}

impl Answer {
    fn to_text(&self) -> String {
        fn joined<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
            items.iter().map(text).collect::<Vec<_>>().join("|")
        }
        match self {
            Self::Status(word) => (*word).to_owned(),
            Self::All(known) => joined(known, Known::to_text),
            Self::Best(mv) => format!("move:{mv}"),
            Self::Search(moves) => joined(moves, |mv| format!("search:{mv}")),
            Self::Score(score) => format!("eval:{score}"),
            Self::Line { score, moves } => {
                let pv = joined(moves, ToString::to_string);
                format!("score:{score},depth:{},pv:{pv}", moves.len())
            }
            Self::Rules(moves) => joined(moves, |(mv, rule)| format!("move:{mv},rule:{rule}")),
        }
    }

    /// The answer as an object.
    fn object(&self) -> AnswerObject {
        let (status, told) = match self {
            Self::Status(word) => (*word, None),
            Self::All(known) => {
                ("ok", Some(Told::All { moves: known.iter().map(Known::object).collect() }))
            }
            Self::Best(mv) => ("ok", Some(Told::Best { mv: mv.to_string() })),
            Self::Search(moves) => {
                let object = |mv: &Move| MoveObject { uci: mv.to_string() };
                let search_moves = moves.iter().map(object).collect();
                ("ok", Some(Told::Search { search_moves }))
            }
            Self::Score(score) => ("ok", Some(Told::Score { eval: *score })),
            Self::Line { score, moves } => {
                let pv = moves.iter().map(ToString::to_string).collect();
                ("ok", Some(Told::Line { depth: moves.len(), pv, score: *score }))
            }
            Self::Rules(moves) => {
                let judged =
                    |(mv, rule): &(Move, &'static str)| JudgedMove { rule, uci: mv.to_string() };
                ("ok", Some(Told::Rules { moves: moves.iter().map(judged).collect() }))
            }
        };
        AnswerObject { status, told }
    }
}

/// An answer as an object.
#[derive(Debug, Serialize)]
struct AnswerObject {
    status: &'static str,
    #[serde(flatten)]
    told: Option<Told>,
}

/// The members beside the status.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Told {
    All {
        moves: Vec<KnownMove>,
    },
    Best {
        #[serde(rename = "move")]
        mv: String,
    },
    Search {
        search_moves: Vec<MoveObject>,
    },
    Score {
        eval: i64,
    },
    Line {
        depth: usize,
        pv: Vec<String>,
        score: i64,
    },
    Rules {
        moves: Vec<JudgedMove>,
    },
}

/// A move that is known.
#[derive(Debug, Serialize)]
struct KnownMove {
    note: String,
    rank: u8,
    score: i64,
    uci: String,
    /// In percent, with two digits after the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    winrate: Option<String>,
}

/// A move alone.
#[derive(Debug, Serialize)]
struct MoveObject {
    uci: String,
}

/// A move that the rules were asked about.
#[derive(Debug, Serialize)]
struct JudgedMove {
    rule: &'static str,
    uci: String,
}

impl Known {
    /// The sign of its rank and what is behind it.
    fn marked(&self) -> String {
        format!("{} ({})", ["?", "*", "!"][usize::from(self.rank)], self.note)
    }

    fn to_text(&self) -> String {
        let Self { mv, score, rank, win_rate, .. } = self;
        let rate = win_rate.map_or_else(String::new, |rate| format!(",winrate:{rate:.2}"));
        format!("move:{mv},score:{score},rank:{rank},note:{}{rate}", self.marked())
    }

    fn object(&self) -> KnownMove {
        KnownMove {
            note: self.marked(),
            rank: self.rank,
            score: self.score,
            uci: self.mv.to_string(),
            winrate: self.win_rate.map(|rate| format!("{rate:.2}")),
        }
    }
}

/// Sorts moves by their scores, the first of equals staying first, and ranks them by these.
fn rank(known: &mut [Known]) {
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

/// The best moves one after the other, as far as they are known.
fn best_line(
    app: &App,
    mut position: Position,
    (mv, score): (Move, i64),
) -> Result<Answer, Problem> {
    let mut moves = vec![mv];
    let mut seen = vec![position.key()];
    position.make(mv);
    while moves.len() < LONGEST_LINE && !seen.contains(&position.key()) {
        seen.push(position.key());
        let Some(best) = known_moves(app, &position)?.into_iter().next() else { break };
        moves.push(best.mv);
        position.make(best.mv);
    }
    Ok(Answer::Line { score, moves })
}

/// The moves that the tables know, or else the first book that has any; the best first.
fn known_moves(app: &App, position: &Position) -> Result<Vec<Known>, Problem> {
    if let Some(tables) = app.tables.as_ref().filter(|tables| tables.covers(position)) {
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
    let (plies, order) = (i64::from(entry.distance), i64::from(entry.order));
    // Never as little as an evaluation.
    let win = (WIN - ROUND * order.min(5) - plies).max(WIN / 2);
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
    let of = |found: BookMove<Move>| {
        let share = found.stats.score(position.turn());
        let score = match &found.score.engine {
            Some(score) => i64::from(score.evaluation.score.value().value()),
            None => share.map_or(0, |share| elo_of(share, found.stats.games)),
        };
        let (note, win_rate) = (found.stats.games.to_string(), share.map(|share| 100.0 * share));
        Known { mv: found.mv, score, rank: 0, note, win_rate }
    };
    let mut known: Vec<Known> = found.into_iter().map(of).collect();
    rank(&mut known);
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
