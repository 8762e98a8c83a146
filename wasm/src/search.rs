//! The engine: analysis as it comes, and the move that it plays. One thread searches, and nothing else runs meanwhile:
//! whoever wants a search to end ends the worker.

use std::path::PathBuf;
use std::time::Duration;

use juzhong::answers::{AnalysisInfo, BestMove, ChosenMove, Described, parse_rules};
use juzhong::bytes::clock::Instant;
use juzhong::engine::{Engine, EngineOptions, Level, Playable, TableOptions, choose_at};
use juzhong::message::ToMessage;
use juzhong::search::{Control, Iteration, Limits, MAX_MULTIPV};
use juzhong::xiangqi::notation::MoveNotation;
use serde::Deserialize;

use crate::answer::{Answer, with_game};
use crate::problem::Problem;
use crate::request::Request;
use crate::{send_event, tables};

/// The size of the transposition table in MiB.
pub(crate) const HASH_MIB: usize = 32;
/// The longest analysis.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(3600);
/// The longest time for a move, and the usual one, in milliseconds.
const LONGEST_MOVE: u64 = 60_000;
const USUAL_MOVE: u64 = 1_000;

/// Sends the iterations of a search as events.
struct Reports<'a, G> {
    position: &'a G,
    notation: MoveNotation,
    began: Instant,
}

impl<G: Described> Control<G::Move> for Reports<'_, G> {
    fn should_stop(&self) -> bool {
        false
    }

    fn report(&self, iteration: &Iteration<G::Move>) {
        let time = self.began.elapsed();
        send_event("info", &AnalysisInfo::of(self.position, iteration, time, self.notation));
    }
}

/// Streams the iterations of a search; the answer is the best move, or null where there is none.
pub(crate) fn analyse(request: &Request<'_>) -> Result<Answer, Problem> {
    with_game!(request, G => analysed::<G>(request))
}

fn analysed<G: Described + Playable>(request: &Request<'_>) -> Result<Answer, Problem> {
    let milliseconds = request.number("movetime", (1, u64::MAX))?;
    let time = milliseconds.map_or(LONGEST_ANALYSIS, Duration::from_millis).min(LONGEST_ANALYSIS);
    let limits = Limits {
        depth: request.number("depth", (1, 120))?,
        nodes: request.number("nodes", (1, u64::MAX))?,
        hard_time: Some(time),
        ..Limits::default()
    };
    let line = request.line::<G>()?.line;
    let notation = request.shown_notation()?;
    let multipv = request.number("multipv", (1, MAX_MULTIPV))?.unwrap_or(1);
    let options = EngineOptions { multipv, ..options::<G>(request.text("rules"), true)? };
    let mut engine = engine::<G>(options)?;
    let control = Reports { position: line.position(), notation, began: Instant::now() };
    let choice = engine.search(&line, &limits, &control);
    let best = choice.map(|choice| BestMove::of(line.position(), &choice, notation));
    Ok(Answer::json(&best))
}

/// The settings of the engine.
fn options<G: Described + Playable>(
    rules: Option<&str>,
    with_tables: bool,
) -> Result<EngineOptions<G::Rules>, Problem> {
    let folders = if with_tables && tables::are_there() && G::NAME == "xiangqi" {
        vec![PathBuf::from(tables::FOLDER)]
    } else {
        Vec::new()
    };
    Ok(EngineOptions {
        tables: TableOptions { folders, ..TableOptions::default() },
        hash_mib: HASH_MIB,
        rules: parse_rules::<G>(rules)?,
        ..EngineOptions::default()
    })
}

fn engine<G: Playable>(options: EngineOptions<G::Rules>) -> Result<Engine<G>, Problem> {
    Engine::new(options).map_err(|error| Problem::internal(error.message()))
}

/// The limits and the strength of the engine's move: the body of the request, as the server takes it. The worker repeats the position in
/// the parameters.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wanted {
    rules: Option<String>,
    level: Option<u8>,
    movetime: Option<u64>,
    nodes: Option<u64>,
    tables: Option<bool>,
}

/// The move that the engine makes.
pub(crate) fn choose(request: &Request<'_>) -> Result<Answer, Problem> {
    let wanted = serde_json::from_slice::<Wanted>(request.body)
        .map_err(|error| Problem::bad_request(error.to_string()))?;
    with_game!(request, G => chosen::<G>(request, &wanted))
}

fn chosen<G: Described + Playable>(
    request: &Request<'_>,
    wanted: &Wanted,
) -> Result<Answer, Problem> {
    let line = request.line::<G>()?.line;
    let level = match wanted.level {
        Some(number) => Level::of_game::<G>(number)
            .ok_or_else(|| Problem::bad_request("there is no such level"))?,
        None => Level::FULL,
    };
    let options = options::<G>(wanted.rules.as_deref(), wanted.tables.unwrap_or(true))?;
    let mut engine = engine::<G>(EngineOptions { multipv: level.lines(), ..options })?;
    let time = Duration::from_millis(wanted.movetime.unwrap_or(USUAL_MOVE).clamp(1, LONGEST_MOVE));
    let limits = Limits { nodes: wanted.nodes, hard_time: Some(time), ..Limits::default() };
    let chance = getrandom::u64().unwrap_or(0);
    let choice = choose_at(&mut engine, &line, (level, limits), chance, &());
    let choice =
        choice.ok_or_else(|| Problem::bad_request("the game is over: there is no move"))?;
    Ok(Answer::json(&ChosenMove::of(line.position(), &choice, request.shown_notation()?)))
}
