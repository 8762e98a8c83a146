//! Analysis as it comes: server-sent events, one search for each client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::sse::Event;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::params::{Common, Params, number, read_line};
use super::problem::Problem;
use super::searches::{EventStream, score_json, streamed};
use super::state::App;
use crate::cli::GameName;
use crate::cli::language::{self, Language};
use crate::cli::line_args::line_texts;
use crate::cli::terminal::Terminal;
use juzhong::bytes::StopFlag;
use juzhong::engine::{Engine, EngineOptions, Playable, TableOptions};
use juzhong::game::Line;
use juzhong::gomoku::Board;
use juzhong::search::{Control, Iteration, Limits, MAX_MULTIPV};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// The longest search, whatever is asked for.
const LONGEST: Duration = Duration::from_secs(3600);
/// The time that a search waits for others to end.
const PATIENCE: Duration = Duration::from_millis(500);
/// Events that wait for a slow reader.
const WAITING: usize = 64;

/// The parameters of [`analyse`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AnalyseQuery {
    #[serde(flatten)]
    common: Common,
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
pub(super) async fn analyse(
    State(app): State<Arc<App>>,
    Params(query): Params<AnalyseQuery>,
) -> Result<EventStream, Problem> {
    let lang = query.common.lang();
    let limits = query.limits()?;
    let multipv = number("multipv", query.multipv.as_deref(), (1, MAX_MULTIPV))?.unwrap_or(1);
    // Before there is room: it may be the client's last search that takes it.
    let stop = app.search_of("analyse", query.client.as_deref());
    let permit = app.search_permit(PATIENCE).await?;
    let (sender, receiver) = mpsc::channel(WAITING);
    let folders = app.table_folders();
    let job = Job { app, limits, multipv, stop: stop.0.clone(), sender, lang, _permit: permit };
    match query.common.game()? {
        GameName::Xiangqi => job.start::<Position>(&query.common, folders)?,
        GameName::Gomoku => job.start::<Board>(&query.common, Vec::new())?,
    }
    Ok(streamed(receiver, stop))
}

/// A search to be made in a thread of its own.
struct Job {
    app: Arc<App>,
    limits: Limits,
    multipv: usize,
    stop: StopFlag,
    sender: mpsc::Sender<Event>,
    lang: Language,
    _permit: OwnedSemaphorePermit,
}

impl Job {
    /// Starts the search, with the endgame tables of these folders.
    fn start<G: Terminal + Playable>(
        self,
        query: &Common,
        folders: Vec<PathBuf>,
    ) -> Result<(), Problem> {
        let line = read_line::<G>(&query.line()?)?.line;
        let notation = query.notation()?.shown();
        let rules = crate::cli::line_args::parse_rules::<G>(query.rules.as_deref())?;
        let options = EngineOptions {
            hash_mib: self.app.config.hash_mib,
            threads: self.app.config.threads,
            multipv: self.multipv,
            tables: TableOptions { folders, ..TableOptions::default() },
            rules,
            ..EngineOptions::default()
        };
        let mut engine = Engine::<G>::new(options).map_err(|e| Problem::internal(e.to_string()))?;
        let thread = std::thread::Builder::new().name("analysis".to_owned());
        let work = move || self.run(&mut engine, &line, notation);
        thread.spawn(work).map(drop).map_err(|_| Problem::busy("no thread can be started"))
    }

    /// Searches, and sends what comes of it. The permit is held until then.
    fn run<G: Terminal + Playable>(
        &self,
        engine: &mut Engine<G>,
        line: &Line<G>,
        notation: MoveNotation,
    ) {
        let Self { stop, sender, .. } = self;
        language::within(self.lang, || {
            let control = Reports { line, notation, stop, sender, began: Instant::now() };
            let choice = engine.search(line, &self.limits, &control);
            let best = choice.map(|choice| {
                json!({
                    "move": G::move_text(choice.mv),
                    "text": line.position().write_move(choice.mv, notation),
                    "source": choice.source.name(),
                })
            });
            let data = best.unwrap_or(Value::Null).to_string();
            // A reader that has gone needs no answer.
            let _gone = sender.blocking_send(Event::default().event("done").data(data));
        });
    }
}

/// Sends the iterations of a search as events.
struct Reports<'a, G: Playable> {
    line: &'a Line<G>,
    notation: MoveNotation,
    stop: &'a StopFlag,
    sender: &'a mpsc::Sender<Event>,
    began: Instant,
}

impl<G: Terminal + Playable> Control<G::Move> for Reports<'_, G> {
    fn should_stop(&self) -> bool {
        self.stop.is_set() || self.sender.is_closed()
    }

    fn report(&self, iteration: &Iteration<G::Move>) {
        let Iteration { depth, seldepth, multipv, nodes, wdl, pv, .. } = iteration;
        let time = self.began.elapsed();
        let per_second = *nodes as f64 / time.as_secs_f64().max(0.001);
        let moves: Vec<String> = pv.iter().map(|&mv| G::move_text(mv)).collect();
        let data = json!({
            "depth": depth,
            "seldepth": seldepth,
            "multipv": multipv,
            "score": score_json(iteration.score),
            "wdl": wdl,
            "nodes": nodes,
            "nps": per_second as u64,
            "time_ms": time.as_millis() as u64,
            "pv": moves,
            "texts": line_texts(self.line.position(), pv.iter().copied(), self.notation),
        });
        // A reader that is behind misses this one, and gets the next.
        let _late = self.sender.try_send(Event::default().event("info").data(data.to_string()));
    }
}
