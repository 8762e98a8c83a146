//! The engine's move in a game.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::params::{ByRules, Common, JsonBody};
use super::problem::Problem;
use super::reply::reply;
use super::searches::{Quiet, ScoreAnswer};
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::{Described, parse_rules};
use juzhong::engine::{Engine, EngineOptions, Level, OwnBook, Playable, TableOptions};
use juzhong::gomoku::Board;
use juzhong::message::ToMessage;
use juzhong::search::Limits;
use juzhong::xiangqi::Position;

/// The time that a move waits for searches to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest time for a move, and the usual one, in milliseconds.
const LONGEST: u64 = 60_000;
const USUAL: u64 = 1_000;

/// The body of [`choose`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: ByRules,
    client: Option<String>,
    level: Option<u8>,
    /// Milliseconds.
    movetime: Option<u64>,
    nodes: Option<u64>,
    book: Option<bool>,
    tables: Option<bool>,
}

/// The move that the engine makes. The search ends when the client goes.
pub(crate) async fn choose(
    State(app): State<Arc<App>>,
    JsonBody(wanted): JsonBody<Wanted>,
) -> Result<Json<Value>, Problem> {
    let lang = wanted.common.lang();
    let stop = app.search_of("move", wanted.client.as_deref());
    let permit = app.search_permit(PATIENCE).await?;
    let control = Quiet(stop.0.clone());
    let work = move |app: &App| {
        let _permit = permit;
        match wanted.common.game()? {
            GameName::Xiangqi => {
                let with_tables = wanted.tables.unwrap_or(true);
                let folders = if with_tables { app.table_folders() } else { Vec::new() };
                chosen::<Position>(app, &wanted, folders, &control)
            }
            GameName::Gomoku => chosen::<Board>(app, &wanted, Vec::new(), &control),
        }
    };
    reply(app, lang, work).await
}

/// The move of the engine.
#[derive(Debug, Serialize)]
struct ChosenMove {
    /// Plies searched.
    depth: u32,
    /// The position after the move.
    fen: String,
    #[serde(rename = "move")]
    mv: String,
    /// Positions searched.
    nodes: u64,
    /// None from a book.
    score: Option<ScoreAnswer>,
    source: &'static str,
    text: String,
}

fn chosen<G: Described + Playable>(
    app: &App,
    wanted: &Wanted,
    folders: Vec<PathBuf>,
    control: &Quiet,
) -> Result<ChosenMove, Problem> {
    let line = wanted.common.read::<G>()?.line;
    let notation = wanted.common.shown_notation()?;
    let level = match wanted.level {
        Some(number) => Level::of_game::<G>(number)
            .ok_or_else(|| Problem::bad_request("there is no such level"))?,
        None => Level::FULL,
    };
    let books = app.books(G::NAME).filter(|_| wanted.book.unwrap_or(true));
    let books = books.map(|book| OwnBook::from(book.path.clone())).collect();
    let options = EngineOptions {
        books,
        tables: TableOptions { folders, ..TableOptions::default() },
        hash_mib: app.config.hash_mib,
        threads: app.config.threads,
        rules: parse_rules::<G>(wanted.by.rules.as_deref())?,
        ..EngineOptions::default()
    };
    let mut engine =
        Engine::<G>::new(options).map_err(|error| Problem::internal(error.message()))?;
    let time = Duration::from_millis(wanted.movetime.unwrap_or(USUAL).clamp(1, LONGEST));
    let limits = Limits { nodes: wanted.nodes, hard_time: Some(time), ..Limits::default() };
    let choice = engine.choose(&line, &level.within(limits), control);
    let Some(choice) = choice else {
        return Err(Problem::bad_request("the game is over: there is no move"));
    };
    let position = line.position();
    let after = position.play(choice.mv).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(ChosenMove {
        depth: choice.depth,
        fen: after.to_fen(),
        mv: G::move_text(choice.mv),
        nodes: choice.nodes,
        score: choice.score.map(ScoreAnswer::from),
        source: choice.source.name(),
        text: position.write_move(choice.mv, notation),
    })
}
