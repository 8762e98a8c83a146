//! Proofs of gomoku positions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::Deserialize;

use super::params::{ClientParam, Common, Params, number};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::searches::SEARCH_QUEUE_TIME;
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::SolveAnswer;
use juzhong::gomoku::Board;
use juzhong::solve::{Budget, Prover};

/// Seconds for a proof, usually and at most.
const USUAL: u64 = 10;
const LONGEST: u64 = 300;
/// Bytes for the positions that are remembered.
const MEMORY: usize = 128 << 20;

/// The parameters of [`answer`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct SolveQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    client: ClientParam,
    /// Seconds after which it is given up.
    #[cfg_attr(
        feature = "schemas",
        schemars(with = "Option<u64>", range(min = 1, max = LONGEST), extend("default" = USUAL))
    )]
    seconds: Option<String>,
    /// Positions after which it is given up.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1)))]
    nodes: Option<String>,
}

/// The object of `solve --json`, with the texts of its line. The search ends when the client goes.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Params(query): Params<SolveQuery>,
) -> Result<Answer<SolveAnswer>, Problem> {
    if query.common.game()? != GameName::Gomoku {
        let hint = "ask /api/table: endgame tables have the values of xiangqi";
        return Err(Problem::bad_request("solve knows only gomoku").with_hint(hint));
    }
    let seconds = number("seconds", query.seconds.as_deref(), (1, LONGEST))?.unwrap_or(USUAL);
    let nodes = number("nodes", query.nodes.as_deref(), (1, u64::MAX))?.unwrap_or(u64::MAX);
    let stop = app.search_of("solve", query.client.name());
    let permit = app.search_permit(SEARCH_QUEUE_TIME).await?;
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
