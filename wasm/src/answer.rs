//! The addresses and what answers at them.

use juzhong::answers::{
    Described, LineAnswer, PositionAnswer, PositionRequest, ReadMove, SolveAnswer,
};
use juzhong::bytes::clock::Instant;
use juzhong::engine::Level;
use juzhong::game::EvaluationKind;
use juzhong::gomoku::Board;
use juzhong::solve::{Budget, Prover};
use juzhong::xiangqi::Position;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::language::Language;
use crate::problem::Problem;
use crate::request::Request;
use crate::{language, records, search, tables};

/// Seconds for a proof, usually and at most.
const USUAL_PROOF: u64 = 10;
const LONGEST_PROOF: u64 = 300;
/// Bytes for the positions that a proof remembers.
const PROOF_MEMORY: usize = 64 << 20;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    status: u16,
    kind: &'static str,
    headers: BTreeMap<&'static str, String>,
    body: Vec<u8>,
}

/// The first line of an answer.
#[derive(Debug, Serialize)]
struct Head<'a> {
    status: u16,
    kind: &'a str,
    headers: &'a BTreeMap<&'static str, String>,
}

impl Answer {
    /// Bytes of that kind.
    pub(crate) const fn bytes(kind: &'static str, body: Vec<u8>) -> Self {
        Self { status: 200, kind, headers: BTreeMap::new(), body }
    }

    /// An object, its members in the order of their names, as the server sends it.
    pub(crate) fn json(object: &impl Serialize) -> Self {
        let value = serde_json::to_value(object).unwrap_or_default();
        Self::bytes("application/json", value.to_string().into_bytes())
    }

    /// The same with another status, and of another kind.
    pub(crate) fn with_status(self, status: u16, kind: &'static str) -> Self {
        Self { status, kind, ..self }
    }

    /// The same with a header.
    pub(crate) fn with_header(mut self, name: &'static str, value: String) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The answer as it is handed out.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let Self { status, kind, headers, body } = self;
        let head = Head { status, kind, headers: &headers };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(body);
        bytes
    }
}

/// Answers a request.
pub(crate) fn answer(bytes: &[u8]) -> Answer {
    let request = match Request::read(bytes) {
        Ok(request) => request,
        Err(problem) => return problem.answer(Language::En),
    };
    answered(&request).unwrap_or_else(|problem| problem.answer(request.language()))
}

/// Evaluates an expression with the positions of the game of a request as a type.
macro_rules! with_game {
    ($request:expr, $G:ident => $body:expr) => {
        if $request.is_gomoku()? {
            type $G = juzhong::gomoku::Board;
            $body
        } else {
            type $G = juzhong::xiangqi::Position;
            $body
        }
    };
}
pub(crate) use with_game;

fn answered(request: &Request<'_>) -> Result<Answer, Problem> {
    match request.path() {
        "/api/meta" => Ok(meta(request)),
        "/api/legal" => position(request, false),
        "/api/eval" => position(request, true),
        "/api/line" => with_game!(request, G => line::<G>(request)),
        "/api/read" => with_game!(request, G => read::<G>(request)),
        "/api/open" => records::open(request),
        "/api/save" => records::save(request),
        "/api/convert" => records::convert(request),
        "/api/table" => tables::probe(request),
        "/api/table/line" => tables::line(request),
        "/api/table/random" => tables::random(request),
        "/api/analyse" => search::analyse(request),
        "/api/move" => search::choose(request),
        "/api/solve" => solve(request),
        "/texts/put" => language::put(request),
        "/tables/needed" => tables::needed(request),
        "/tables/put" => tables::put(request),
        "/tables/remove" => tables::remove(request),
        path => match path.strip_prefix("/api/tables/") {
            Some(set) => tables::stats(set),
            None => Err(Problem::needs_server()),
        },
    }
}

/// The server's parts that are here. The worker adds the tables, which it knows by its list.
fn meta(request: &Request<'_>) -> Answer {
    let levels: Vec<u8> = Level::all().map(Level::number).collect();
    let levels = [levels.first(), levels.last()];
    let nothing = json!({"books": [], "tables": null});
    Answer::json(&json!({
        "autosave": false,
        "engine": {
            "evaluation": EvaluationKind::default().name(), "hash_mib": search::HASH_MIB, "levels": levels, "threads": 1,
        },
        "gomoku": nothing,
        "lang": request.language().name(),
        "library": null,
        "version": env!("CARGO_PKG_VERSION"),
        "writes": false,
        "xiangqi": nothing,
    }))
}

fn position(request: &Request<'_>, evaluation: bool) -> Result<Answer, Problem> {
    let question = PositionRequest {
        line: request.line_request()?,
        rules: request.text("rules").map(str::to_owned),
        notation: request.asked_notation()?,
        evaluation,
    };
    let answer: PositionAnswer = with_game!(request, G => question.answer::<G>()?);
    Ok(Answer::json(&answer))
}

fn line<G: Described>(request: &Request<'_>) -> Result<Answer, Problem> {
    let line = request.line::<G>()?.line;
    Ok(Answer::json(&LineAnswer::of(&line, request.shown_notation()?)))
}

fn read<G: Described>(request: &Request<'_>) -> Result<Answer, Problem> {
    let line = request.line::<G>()?.line;
    let text = request.text("text").unwrap_or_default();
    Ok(Answer::json(&ReadMove::of(line.position(), text, request.shown_notation()?)?))
}

/// A proof of a position of gomoku.
fn solve(request: &Request<'_>) -> Result<Answer, Problem> {
    if !request.is_gomoku()? {
        let hint = "ask /api/table: endgame tables have the values of xiangqi";
        return Err(Problem::bad_request("solve knows only gomoku").with_hint(hint));
    }
    let seconds = request.number("seconds", (1, LONGEST_PROOF))?.unwrap_or(USUAL_PROOF);
    let nodes = request.number("nodes", (1, u64::MAX))?.unwrap_or(u64::MAX);
    let line = request.line::<Board>()?.line;
    let budget = Budget {
        deadline: Instant::now().checked_add(Duration::from_secs(seconds)),
        nodes,
        memory: PROOF_MEMORY,
        ..Budget::default()
    };
    let board = line.position();
    let solution = Prover::default().solve(board, &budget);
    Ok(Answer::json(&SolveAnswer::with_texts(board, &solution, request.shown_notation()?)))
}

/// The position of xiangqi that a request is about.
pub(crate) fn xiangqi_line(
    request: &Request<'_>,
) -> Result<juzhong::game::Line<Position>, Problem> {
    if request.is_gomoku()? {
        return Err(
            Problem::bad_request("gomoku has no endgame tables").with_hint("ask /api/solve")
        );
    }
    Ok(request.line::<Position>()?.line)
}
