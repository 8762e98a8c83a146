//! Work that may wait, and answers as they are sent: objects whose members have the order of their names.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::{Problem, json_of};
use super::state::{App, QUEUE_TIME};
use crate::language::{self, Language};

/// An answer whose body is a `T` as JSON: the description of the answers has it from the type.
pub(crate) struct Answer<T> {
    response: Response,
    of: PhantomData<fn() -> T>,
}

impl<T> Answer<T> {
    /// The answer with that body.
    pub(crate) fn new(response: impl IntoResponse) -> Self {
        Self { response: response.into_response(), of: PhantomData }
    }
}

impl<T> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        self.response
    }
}

/// Answers by work that may wait, with its texts in `lang`.
pub(crate) async fn reply<T: Serialize>(
    app: Arc<App>,
    lang: Language,
    work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<Answer<T>, Problem> {
    let object = blocking(app, lang, move |app| json_of(&work(app)?)).await?;
    Ok(Answer::new(Json(object)))
}

/// Does work that may wait, on the state, with its texts in `lang`, once there is room for it. A panic is an error of
/// that request alone. If the client disconnects, the work still completes and holds its permit until then.
pub(crate) async fn blocking<T: Send + 'static>(
    app: Arc<App>,
    lang: Language,
    work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let room = tokio::time::timeout(QUEUE_TIME, Arc::clone(&app.work).acquire_owned()).await;
    let Ok(Ok(room)) = room else { return Err(Problem::busy("too many requests at once")) };
    let task = tokio::task::spawn_blocking(move || {
        let _room = room;
        language::within(lang, || work(&app))
    });
    let broken = |_| Err(Problem::internal("the request broke down; please report it"));
    task.await.unwrap_or_else(broken).map_err(|problem| problem.in_language(lang))
}

/// Answers a question whose answer depends on nothing but the request and the books: from memory if it was asked
/// before.
pub(crate) async fn answered<T: Serialize>(
    app: &Arc<App>,
    uri: &Uri,
    lang: Language,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<Answer<T>, Problem> {
    let request = format!("{lang:?} {uri}");
    let head = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    if let Some(answer) = app.remembered(&request) {
        return Ok(Answer::new((head, answer)));
    }
    // Counted before the work: an answer made while a book changes is not remembered.
    let changes = app.changes();
    let work = move |_: &App| Ok(Bytes::from(json_of(&work()?)?.to_string()));
    let answer = blocking(Arc::clone(app), lang, work).await?;
    app.remember(&request, &answer, changes);
    Ok(Answer::new((head, answer)))
}
