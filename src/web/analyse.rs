//! Analysis as it comes: server-sent events, one search for each client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::Deserialize;

use super::engine_facts::check_own_sizes;
use super::engines::EngineLease;
use super::params::{
    ClientParam, Common, EngineParam, EvaluationParam, Params, RulesParam, SizeParams, number,
};
use super::problem::Problem;
use super::reply::blocking;
use super::searches::{ENGINE_QUEUE_TIME, EventStream, Outlet, streamed};
use super::state::App;
use crate::game_name::with_game;
use juzhong::answers::{AnalysisInfo, BestMove, Described, Typed, parse_rules};
use juzhong::engine::{Choice, Engine, EngineOptions, Playable, TableOptions};
use juzhong::game::{Bound, Line};
use juzhong::message::{Message, ToMessage};
use juzhong::protocol::client::{GoLimits, Tuning};
use juzhong::search::{Control, Iteration, Limits, MAX_MULTIPV};
use juzhong::xiangqi::notation::MoveNotation;

/// The longest search, whatever is asked for.
const LONGEST: Duration = Duration::from_secs(3600);
/// The time that a search waits for others to end.
const ANALYSIS_QUEUE_TIME: Duration = Duration::from_millis(500);

/// The parameters of [`analyse`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct AnalyseQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: RulesParam,
    #[serde(flatten)]
    engine: EngineParam,
    #[serde(flatten)]
    sizes: SizeParams,
    #[serde(flatten)]
    evaluation: EvaluationParam,
    #[serde(flatten)]
    client: ClientParam,
    /// Lines to be found.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>", range(min = 1, max = MAX_MULTIPV)))]
    multipv: Option<String>,
    /// The last depth, in plies.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u8>", range(min = 1, max = 120)))]
    depth: Option<String>,
    /// Positions to be looked at.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1)))]
    nodes: Option<String>,
    /// Milliseconds; one hour at most.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1)))]
    movetime: Option<String>,
}

impl AnalyseQuery {
    fn limits(&self) -> Result<Limits, Problem> {
        let milliseconds = number("movetime", self.movetime.as_deref(), (1, u64::MAX))?;
        let time = milliseconds.map_or(LONGEST, Duration::from_millis).min(LONGEST);
        Ok(Limits {
            depth: number("depth", self.depth.as_deref(), (1, 120))?,
            nodes: number("nodes", self.nodes.as_deref(), (1, u64::MAX))?,
            hard_time: Some(time),
            ..Limits::default()
        })
    }
}

/// Streams the iterations of a search, then the best move. The search ends when the client goes.
pub(crate) async fn analyse(
    State(app): State<Arc<App>>,
    Params(query): Params<AnalyseQuery>,
) -> Result<EventStream, Problem> {
    let game = query.common.game()?;
    let folders = app.table_folders(game);
    with_game!(game, G => started::<G>(app, query, folders).await)
}

/// Starts the search, with the endgame tables of these folders.
async fn started<G: Described + Playable>(
    app: Arc<App>,
    query: AnalyseQuery,
    folders: Vec<PathBuf>,
) -> Result<EventStream, Problem> {
    let limits = query.limits()?;
    let multipv = number("multipv", query.multipv.as_deref(), (1, MAX_MULTIPV))?.unwrap_or(1);
    let rules = parse_rules::<G>(query.by.rules.as_deref())?;
    let sizes = query.sizes.read()?;
    let engine = app.engines.find_for(query.common.game()?, query.engine.engine.as_deref())?;
    let evaluation = query.evaluation.read(engine.is_none(), app.config.evaluation)?;
    if engine.is_none() {
        check_own_sizes(sizes, app.own_sizes())?;
    }
    let notation = query.common.shown_notation()?;
    let common = query.common;
    let lang = common.lang();
    let typed = blocking(Arc::clone(&app), lang, move |_| common.read::<G>()).await?;
    // Before there is room: it may be the client's last search that takes it.
    let stop = app.search_of("analyse", query.client.name());
    if let Some(engine) = engine {
        let lease = engine.lease(ENGINE_QUEUE_TIME).await?;
        let tuning = Tuning { sizes, strength: None };
        return streamed(lang, (stop, ()), move |outlet| {
            let line = &typed.line;
            let control = Reports { line, notation, outlet, began: Instant::now() };
            let choice = searched(lease, &typed, &limits, (multipv, &tuning), &control)?;
            Ok::<_, Problem>(choice.map(|choice| BestMove::of(line.position(), &choice, notation)))
        });
    }
    let permit = app.search_permit(ANALYSIS_QUEUE_TIME).await?;
    let options = EngineOptions {
        hash_mib: sizes.hash_mib.unwrap_or(app.config.hash_mib),
        threads: sizes.threads.unwrap_or(app.config.threads),
        multipv,
        evaluation,
        tables: TableOptions { folders, ..TableOptions::default() },
        rules,
        ..EngineOptions::default()
    };
    streamed(lang, (stop, permit), move |outlet| {
        let line = &typed.line;
        let control = Reports { line, notation, outlet, began: Instant::now() };
        let mut engine = Engine::<G>::new(options).map_err(|error| error.message())?;
        let choice = engine.search(line, &limits, &control);
        let best = choice.map(|choice| BestMove::of(line.position(), &choice, notation));
        Ok::<_, Message>(best)
    })
}

/// Lets an engine of the settings search.
fn searched<G: Described + Playable>(
    lease: EngineLease,
    typed: &Typed<G>,
    limits: &Limits,
    (multipv, tuning): (usize, &Tuning),
    control: &Reports<'_, G>,
) -> Result<Option<Choice<G::Move>>, Problem> {
    let limits = GoLimits {
        depth: limits.depth,
        nodes: limits.nodes,
        move_time: limits.hard_time.filter(|&time| time < LONGEST),
        ..GoLimits::default()
    };
    let found = lease.run(&control.outlet.stop, tuning, |client| {
        client.set_lines(multipv)?;
        client.wait_ready()?;
        client.analyse(typed.start_text().as_deref(), &typed.line, &limits, control)
    });
    Ok(Choice::searched(found?))
}

/// Sends the iterations of a search as events.
struct Reports<'a, G: Playable> {
    line: &'a Line<G>,
    notation: MoveNotation,
    outlet: &'a Outlet,
    began: Instant,
}

impl<G: Described + Playable> Control<G::Move> for Reports<'_, G> {
    fn should_stop(&self) -> bool {
        self.outlet.is_over()
    }

    fn report(&self, iteration: &Iteration<G::Move>) {
        if iteration.bound != Bound::Exact {
            return; // Of another engine, which searches again at once.
        }
        let position = self.line.position();
        let info = AnalysisInfo::of(position, iteration, self.began.elapsed(), self.notation);
        self.outlet.offer("info", &info);
    }
}
