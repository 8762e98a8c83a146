//! The engine's move in a game.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::Deserialize;

use super::engine_facts::OWN;
use super::engines::EngineLease;
use super::params::{ClientParam, Common, EngineParam, EvaluationParam, JsonBody, RulesParam};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::searches::Quiet;
use super::state::App;
use crate::game_name::with_game;
use juzhong::answers::{ChosenMove, Described, Typed, parse_rules};
use juzhong::bytes::StopFlag;
use juzhong::engine::{
    Choice, Engine, EngineOptions, Level, OwnBook, Playable, TableOptions, choose_at, seed_or_drawn,
};
use juzhong::game::EvaluationKind;
use juzhong::message::{ToMessage, message};
use juzhong::protocol::client::{EngineSizes, GoLimits, Tuning};
use juzhong::search::Limits;

/// The time that a move waits for searches to end.
const MOVE_QUEUE_TIME: Duration = Duration::from_secs(5);
/// The longest time for a move, and the usual one, in milliseconds.
const LONGEST: u64 = 60_000;
const LONGEST_TIME: Duration = Duration::from_millis(LONGEST);
const USUAL: u64 = 1_000;
/// The deepest search.
const DEEPEST: u8 = 120;

/// The body of [`choose`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(
        rename = "MoveWanted",
        description = "A position, and how the engine looks for its move."
    )
)]
#[serde(default)]
pub(crate) struct MoveRequest {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: RulesParam,
    #[serde(flatten)]
    engine: EngineParam,
    #[serde(flatten)]
    evaluation: EvaluationParam,
    #[serde(flatten)]
    client: ClientParam,
    /// The level that it plays at; the strongest if it is left out.
    level: Option<u8>,
    /// Milliseconds; 60,000 at most. Left out, it is a second, or with `depth` the most.
    movetime: Option<u64>,
    /// The last depth, in plies.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1, max = DEEPEST)))]
    depth: Option<u8>,
    /// Positions to be looked at, at most.
    nodes: Option<u64>,
    /// The strength of an engine of the settings: the value of the first of its `strengths` in `/api/engine`.
    strength: Option<i64>,
    /// False: without the books.
    book: Option<bool>,
    /// False: without the endgame tables.
    tables: Option<bool>,
}

impl MoveRequest {
    fn limits(&self) -> Result<Limits, Problem> {
        if self.depth.is_some_and(|depth| !(1..=DEEPEST).contains(&depth)) {
            let name = "depth";
            return Err(Problem::bad_request(message!("{name}: no such number")));
        }
        let usual = if self.depth.is_some() { None } else { Some(USUAL) };
        let time = self.movetime.or(usual);
        let time = time.map(|time| Duration::from_millis(time.clamp(1, LONGEST)));
        Ok(Limits {
            depth: self.depth.map(u32::from),
            nodes: self.nodes,
            hard_time: time,
            ..Limits::default()
        })
    }

    const fn tuning(&self) -> Tuning {
        Tuning { sizes: EngineSizes { threads: None, hash_mib: None }, strength: self.strength }
    }
}

/// The move that the engine makes. The search ends when the client goes.
pub(crate) async fn choose(
    State(app): State<Arc<App>>,
    JsonBody(request): JsonBody<MoveRequest>,
) -> Result<Answer<ChosenMove>, Problem> {
    let lang = request.common.lang();
    let stop = app.search_of("move", request.client.name());
    // Levels are of the own engine: who names one and no engine means that.
    let own = request.level.and(Some(OWN));
    let named = request.engine.engine.as_deref().or(own);
    let engine = app.engines.find_for(request.common.game()?, named)?;
    let evaluation = request.evaluation.read(engine.is_none(), app.config.evaluation)?;
    let lease = match engine {
        Some(engine) => Some(engine.lease(MOVE_QUEUE_TIME).await?),
        None => None,
    };
    let permit = match lease {
        Some(_) => None,
        None => Some(app.search_permit(MOVE_QUEUE_TIME).await?),
    };
    let flag = stop.0.clone();
    reply(app, lang, move |app| {
        let _permit = permit;
        let game = request.common.game()?;
        let with_tables = request.tables.unwrap_or(app.config.has_front);
        let folders = if with_tables { app.table_folders(game) } else { Vec::new() };
        with_game!(game, G => chosen::<G>(app, &request, (evaluation, folders), lease, &flag))
    })
    .await
}

fn chosen<G: Described + Playable>(
    app: &App,
    request: &MoveRequest,
    (evaluation, folders): (EvaluationKind, Vec<PathBuf>),
    lease: Option<EngineLease>,
    stop: &StopFlag,
) -> Result<ChosenMove, Problem> {
    let typed = request.common.read::<G>()?;
    let notation = request.common.shown_notation()?;
    let level = match request.level {
        Some(number) => Level::of_game::<G>(number)
            .ok_or_else(|| Problem::bad_request("there is no such level"))?,
        None => Level::FULL,
    };
    let books = app.books(G::NAME).filter(|_| request.book.unwrap_or(app.config.has_front));
    let books = books.map(|book| OwnBook::from(book.path.clone())).collect();
    let options = EngineOptions {
        books,
        tables: TableOptions { folders, ..TableOptions::default() },
        hash_mib: app.config.hash_mib,
        threads: app.config.threads,
        evaluation,
        rules: parse_rules::<G>(request.by.rules.as_deref())?,
        multipv: level.lines(),
        ..EngineOptions::default()
    };
    let limits = request.limits()?;
    let control = Quiet { stop: stop.clone(), deadline: Instant::now() + LONGEST_TIME };
    let choice = match lease {
        Some(_) if request.level.is_some() => {
            return Err(Problem::bad_request("levels are of the server's own engine"));
        }
        None if request.strength.is_some() => {
            let hint = "name another engine, or a level";
            return Err(Problem::bad_request("strength is of other engines").with_hint(hint));
        }
        Some(lease) => by_engine(lease, &typed, options, (limits, request.tuning()), &control)?,
        None => {
            let mut engine = new_engine(options)?;
            let chance = seed_or_drawn(None);
            choose_at(&mut engine, &typed.line, (level, limits), chance, &control)
        }
    };
    let Some(choice) = choice else {
        return Err(Problem::bad_request("the game is over: there is no move"));
    };
    Ok(ChosenMove::of(typed.line.position(), &choice, notation))
}

fn new_engine<G: Playable>(options: EngineOptions<G::Rules>) -> Result<Engine<G>, Problem> {
    Engine::new(options).map_err(|error| Problem::internal(error.message()))
}

/// The move of the books or tables of these options, else of an engine of the settings.
fn by_engine<G: Described + Playable>(
    lease: EngineLease,
    typed: &Typed<G>,
    options: EngineOptions<G::Rules>,
    (limits, tuning): (Limits, Tuning),
    control: &Quiet,
) -> Result<Option<Choice<G::Move>>, Problem> {
    if !options.books.is_empty() || !options.tables.folders.is_empty() {
        let known = new_engine(EngineOptions { hash_mib: 1, ..options })?.consult(&typed.line);
        if known.is_some() {
            return Ok(known);
        }
    }
    if typed.line.position().outcome().is_some() {
        return Ok(None);
    }
    let limits = GoLimits {
        depth: limits.depth,
        nodes: limits.nodes,
        move_time: limits.hard_time,
        ..GoLimits::default()
    };
    let start = typed.start_text();
    let found = lease.run(&control.stop, &tuning, |client| {
        client.set_lines(1)?;
        client.analyse(start.as_deref(), &typed.line, &limits, control)
    });
    Ok(Choice::searched(found?))
}
