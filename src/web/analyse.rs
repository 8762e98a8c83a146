//! Analysis as it comes: server-sent events, one search for each client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::blocking;
use super::params::{ByRules, Common, Params, number};
use super::problem::Problem;
use super::searches::{EventStream, Outlet, ScoreAnswer, streamed};
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::{Described, line_texts, move_texts, parse_rules};
use juzhong::engine::{Engine, EngineOptions, Playable, TableOptions};
use juzhong::game::Line;
use juzhong::gomoku::Board;
use juzhong::message::ToMessage;
use juzhong::search::{Control, Iteration, Limits, MAX_MULTIPV};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// The longest search, whatever is asked for.
const LONGEST: Duration = Duration::from_secs(3600);
/// The time that a search waits for others to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// The parameters of [`analyse`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct AnalyseQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: ByRules,
    /// The name that the client gives itself: a new search ends its last one.
    client: Option<String>,
    multipv: Option<String>,
    depth: Option<String>,
    nodes: Option<String>,
    /// Milliseconds.
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
    let folders = app.table_folders();
    match query.common.game()? {
        GameName::Xiangqi => started::<Position>(app, query, folders).await,
        GameName::Gomoku => started::<Board>(app, query, Vec::new()).await,
    }
}

/// Starts the search, with the endgame tables of these folders.
async fn started<G: Described + Playable>(
    app: Arc<App>,
    query: AnalyseQuery,
    folders: Vec<PathBuf>,
) -> Result<EventStream, Problem> {
    let limits = query.limits()?;
    let multipv = number("multipv", query.multipv.as_deref(), (1, MAX_MULTIPV))?.unwrap_or(1);
    let options = EngineOptions {
        hash_mib: app.config.hash_mib,
        threads: app.config.threads,
        multipv,
        tables: TableOptions { folders, ..TableOptions::default() },
        rules: parse_rules::<G>(query.by.rules.as_deref())?,
        ..EngineOptions::default()
    };
    let notation = query.common.shown_notation()?;
    let (lang, common) = (query.common.lang(), query.common);
    let read = move |_: &App| Ok(common.read::<G>()?.line);
    let line = blocking(Arc::clone(&app), lang, read).await?;
    // Before there is room: it may be the client's last search that takes it.
    let stop = app.search_of("analyse", query.client.as_deref());
    let permit = app.search_permit(PATIENCE).await?;
    streamed(lang, (stop, permit), move |outlet| {
        let mut engine = Engine::<G>::new(options).map_err(|error| error.message())?;
        let control = Reports { line: &line, notation, outlet, began: Instant::now() };
        let choice = engine.search(&line, &limits, &control);
        Ok(choice.map(|choice| BestMove {
            mv: G::move_text(choice.mv),
            source: choice.source.name(),
            text: line.position().write_move(choice.mv, notation),
        }))
    })
}

/// The last event: the best move, or null where there is none.
#[derive(Debug, Serialize)]
struct BestMove {
    #[serde(rename = "move")]
    mv: String,
    source: &'static str,
    text: String,
}

/// A line of an iteration.
#[derive(Debug, Serialize)]
struct Info {
    depth: u32,
    multipv: u32,
    nodes: u64,
    /// Nodes in a second.
    nps: u64,
    pv: Vec<String>,
    score: ScoreAnswer,
    seldepth: u32,
    /// The moves of `pv` in the notation that moves are shown in.
    texts: Vec<String>,
    time_ms: u64,
    /// The chances that the side to move wins, draws and loses, of 1,000.
    wdl: [u16; 3],
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
        let Iteration { depth, seldepth, multipv, score, nodes, wdl, ref pv, .. } = *iteration;
        let time = self.began.elapsed();
        let per_second = nodes as f64 / time.as_secs_f64().max(0.001);
        let position = self.line.position();
        let info = Info {
            depth,
            multipv,
            nodes,
            nps: per_second as u64,
            pv: move_texts::<G>(pv),
            score: score.into(),
            seldepth,
            texts: line_texts(position, pv.iter().copied(), self.notation),
            time_ms: time.as_millis() as u64,
            wdl,
        };
        self.outlet.offer("info", &info);
    }
}
