//! Positions: legal moves, verdicts, lines of moves as text, evaluations.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{Common, Params, read_line};
use super::problem::Problem;
use super::state::App;
use super::{answered, blocking};
use crate::cli::GameName;
use crate::cli::terminal::Terminal;
use juzhong::answers::PositionRequest;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// The object of `position --json`.
pub(crate) async fn legal(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    answered(&app, &uri, query.lang(), move || described(&query, false)).await
}

/// The object of `position --eval --json`.
pub(crate) async fn eval(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    answered(&app, &uri, query.lang(), move || described(&query, true)).await
}

fn described(query: &Common, eval: bool) -> Result<Value, Problem> {
    let request = PositionRequest {
        line: query.line()?.request(),
        rules: query.rules.clone(),
        notation: query.notation()?.asked(),
        evaluation: eval,
    };
    let answer = match query.game()? {
        GameName::Xiangqi => request.answer::<Position>()?,
        GameName::Gomoku => request.answer::<Board>()?,
    };
    serde_json::to_value(answer).map_err(|error| Problem::internal(error.to_string()))
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

fn line_of<G: Terminal>(query: &Common) -> Result<Value, Problem> {
    let typed = read_line::<G>(&query.line()?)?;
    let notation = query.notation()?.shown();
    let mut position = typed.line.start().clone();
    let mut moves = Vec::new();
    for mv in typed.line.moves() {
        let text = position.write_move(mv, notation);
        position.make(mv);
        moves.push(json!({
            "move": G::move_text(mv),
            "text": text,
            "fen": position.to_fen(),
            "in_check": position.in_check(),
        }));
    }
    Ok(json!({
        "start": typed.line.start().to_fen(),
        "moves": moves,
        "status": typed.line.position().status(),
    }))
}

/// The parameters of [`read`].
#[derive(Debug, Deserialize)]
pub(crate) struct Typed {
    #[serde(flatten)]
    common: Common,
    /// A move in any notation.
    text: String,
}

/// A typed move.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Params(query): Params<Typed>,
) -> Result<Json<Value>, Problem> {
    let lang = query.common.lang();
    let work = move |_: &App| match query.common.game()? {
        GameName::Xiangqi => read_move::<Position>(&query),
        GameName::Gomoku => read_move::<Board>(&query),
    };
    blocking(app, lang, work).await.map(Json)
}

fn read_move<G: Terminal>(query: &Typed) -> Result<Value, Problem> {
    let typed = read_line::<G>(&query.common.line()?)?;
    let position = typed.line.position();
    let mv = position.read_move(query.text.trim()).map_err(Problem::bad_request)?;
    let text = position.write_move(mv, query.common.notation()?.shown());
    Ok(json!({"move": G::move_text(mv), "text": text}))
}
