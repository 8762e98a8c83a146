//! Answers as they are sent: objects whose members have the order of their names.

use std::sync::Arc;

use axum::Json;
use serde::Serialize;
use serde_json::Value;

use super::blocking;
use super::problem::Problem;
use super::state::App;
use crate::language::Language;

/// An answer as it is sent.
pub(crate) fn json_of(answer: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(answer).map_err(|error| Problem::internal(error.to_string()))
}

/// Answers by work that may wait, with its texts in `lang`.
pub(crate) async fn reply<T: Serialize>(
    app: Arc<App>,
    lang: Language,
    work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<Json<Value>, Problem> {
    blocking(app, lang, move |app| json_of(&work(app)?)).await.map(Json)
}
