//! Proofs of gomoku positions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;

use super::params::{Common, Params, number};
use super::problem::Problem;
use super::reply::reply;
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::SolveAnswer;
use juzhong::gomoku::Board;
use juzhong::solve::{Budget, Prover};

/// Seconds for a proof, usually and at most.
const USUAL: u64 = 10;
const LONGEST: u64 = 300;
/// The time that a proof waits for searches to end.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes for the positions that are remembered.
const MEMORY: usize = 128 << 20;

/// The parameters of [`answer`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SolveQuery {
    #[serde(flatten)]
    common: Common,
    client: Option<String>,
    seconds: Option<String>,
    nodes: Option<String>,
}

/// The object of `solve --json`, with the texts of its line. The search ends when the client goes.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Params(query): Params<SolveQuery>,
) -> Result<Json<Value>, Problem> {
    if query.common.game()? != GameName::Gomoku {
        let hint = "ask /api/table: endgame tables have the values of xiangqi";
        return Err(Problem::bad_request("solve knows only gomoku").with_hint(hint));
    }
    let seconds = number("seconds", query.seconds.as_deref(), (1, LONGEST))?.unwrap_or(USUAL);
    let nodes = number("nodes", query.nodes.as_deref(), (1, u64::MAX))?.unwrap_or(u64::MAX);
    let stop = app.search_of("solve", query.client.as_deref());
    let permit = app.search_permit(PATIENCE).await?;
    let budget = Budget {
        deadline: Instant::now().checked_add(Duration::from_secs(seconds)),
        nodes,
        memory: MEMORY,
        stop: stop.0.clone(),
    };
    reply(app, query.common.lang(), move |_| {
        let _permit = permit;
        let line = query.common.read::<Board>()?.line;
        let notation = query.common.shown_notation()?;
        let board = line.position();
        let solution = Prover::default().solve(board, &budget);
        Ok(SolveAnswer::with_texts(board, &solution, notation))
    })
    .await
}
