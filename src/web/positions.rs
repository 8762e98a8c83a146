//! Positions: legal moves, verdicts, lines of moves as text, evaluations.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answered;
use super::params::{ByRules, Common, Params};
use super::problem::Problem;
use super::reply::reply;
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::{Described, PositionAnswer, PositionRequest};
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// The parameters of [`legal`] and [`eval`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct PositionQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: ByRules,
}

/// The object of `position --json`.
pub(crate) async fn legal(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<PositionQuery>,
) -> Result<Response, Problem> {
    answered(&app, &uri, query.common.lang(), move || described(&query, false)).await
}

/// The object of `position --eval --json`.
pub(crate) async fn eval(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<PositionQuery>,
) -> Result<Response, Problem> {
    answered(&app, &uri, query.common.lang(), move || described(&query, true)).await
}

fn described(query: &PositionQuery, eval: bool) -> Result<PositionAnswer, Problem> {
    let request = PositionRequest {
        line: query.common.request()?,
        rules: query.by.rules.clone(),
        notation: query.common.asked_notation()?,
        evaluation: eval,
    };
    Ok(match query.common.game()? {
        GameName::Xiangqi => request.answer::<Position>()?,
        GameName::Gomoku => request.answer::<Board>()?,
    })
}

/// The moves of a line.
#[derive(Debug, Serialize)]
struct LineAnswer {
    moves: Vec<MoveOfLine>,
    /// The position where it begins.
    start: String,
    /// The state of the position where it ends: `ongoing`, or how the game ended.
    status: &'static str,
}

/// A move of a line.
#[derive(Debug, Serialize)]
struct MoveOfLine {
    /// The position after it.
    fen: String,
    /// The side to move is in check then.
    in_check: bool,
    #[serde(rename = "move")]
    mv: String,
    text: String,
}

/// The moves of a line, with their texts and the positions after them.
pub(crate) async fn line(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    answered(&app, &uri, query.lang(), move || match query.game()? {
        GameName::Xiangqi => line_of::<Position>(&query),
        GameName::Gomoku => line_of::<Board>(&query),
    })
    .await
}

fn line_of<G: Described>(query: &Common) -> Result<LineAnswer, Problem> {
    let line = query.read::<G>()?.line;
    let notation = query.shown_notation()?;
    let mut position = line.start().clone();
    let mut moves = Vec::new();
    for mv in line.moves() {
        let text = position.write_move(mv, notation);
        position.make(mv);
        moves.push(MoveOfLine {
            fen: position.to_fen(),
            in_check: position.in_check(),
            mv: G::move_text(mv),
            text,
        });
    }
    Ok(LineAnswer { moves, start: line.start().to_fen(), status: line.position().status() })
}

/// The parameters of [`read`].
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Typed {
    #[serde(flatten)]
    common: Common,
    /// A move in any notation.
    text: String,
}

/// A move that was read.
#[derive(Debug, Serialize)]
struct ReadMove {
    #[serde(rename = "move")]
    mv: String,
    text: String,
}

/// A typed move.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Params(query): Params<Typed>,
) -> Result<Json<Value>, Problem> {
    reply(app, query.common.lang(), move |_| match query.common.game()? {
        GameName::Xiangqi => read_move::<Position>(&query),
        GameName::Gomoku => read_move::<Board>(&query),
    })
    .await
}

fn read_move<G: Described>(query: &Typed) -> Result<ReadMove, Problem> {
    let line = query.common.read::<G>()?.line;
    let position = line.position();
    let mv = position.read_move(query.text.trim()).map_err(Problem::bad_request)?;
    let text = position.write_move(mv, query.common.shown_notation()?);
    Ok(ReadMove { mv: G::move_text(mv), text })
}
