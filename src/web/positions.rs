//! Positions: legal moves, verdicts, lines of moves as text, evaluations.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use serde::Deserialize;

use super::params::{Common, Params, RulesParam};
use super::problem::Problem;
use super::reply::{Answer, answered, reply};
use super::state::App;
use crate::game_name::with_game;
use juzhong::answers::{LineAnswer, PositionAnswer, PositionRequest, ReadMove};

/// The parameters of [`legal`] and [`eval`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct PositionQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: RulesParam,
}

/// The object of `position --json`.
pub(crate) async fn legal(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<PositionQuery>,
) -> Result<Answer<PositionAnswer>, Problem> {
    answered(&app, &uri, query.common.lang(), move || described(&query, false)).await
}

/// The object of `position --eval --json`.
pub(crate) async fn eval(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<PositionQuery>,
) -> Result<Answer<PositionAnswer>, Problem> {
    answered(&app, &uri, query.common.lang(), move || described(&query, true)).await
}

fn described(query: &PositionQuery, eval: bool) -> Result<PositionAnswer, Problem> {
    let request = PositionRequest {
        line: query.common.request()?,
        rules: query.by.rules.clone(),
        notation: query.common.asked_notation()?,
        evaluation: eval,
    };
    Ok(with_game!(query.common.game()?, G => request.answer::<G>()?))
}

/// The moves of a line, with their texts and the positions after them.
pub(crate) async fn line(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Answer<LineAnswer>, Problem> {
    answered(&app, &uri, query.lang(), move || {
        with_game!(query.game()?, G => {
            let line = query.read::<G>()?.line;
            Ok(LineAnswer::of(&line, query.shown_notation()?))
        })
    })
    .await
}

/// The parameters of [`read`].
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub(crate) struct Typed {
    #[serde(flatten)]
    common: Common,
    /// The move.
    text: String,
}

/// A typed move.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Params(query): Params<Typed>,
) -> Result<Answer<ReadMove>, Problem> {
    reply(app, query.common.lang(), move |_| {
        with_game!(query.common.game()?, G => {
            let line = query.common.read::<G>()?.line;
            Ok(ReadMove::of(line.position(), &query.text, query.common.shown_notation()?)?)
        })
    })
    .await
}
