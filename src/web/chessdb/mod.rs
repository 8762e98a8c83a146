//! The questions that programs ask chessdb.cn, answered from the books and tables here, so that they can be pointed at
//! this server.
//!
//! `queryall` lists moves as `move:h2e2,score:12,rank:2,note:! (25),winrate:53.80`, separated by `|`, the best first, and
//! with `json=1` as an object. Scores are centipawns for the side to move; wins by the tables are 30000 less the plies to
//! them. Where a book has no score for a move, the score is the difference in playing strength that its results show at
//! least, in Elo. Ranks and marks follow the scores: 2 (`!`) for the best and those hardly worse, 1 (`*`), and 0 (`?`).
//!
//! Errors are words, too: programs that ask here know no others.

mod action;
mod answer;
mod known;
mod lookup;
mod question;
mod rules;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use self::answer::Answer;
use self::lookup::answer_to;
use self::question::Question;
use super::params::{pairs_of, read_body};
use super::problem::json_of;
use super::reply::blocking;
use super::state::App;
use crate::language::Language;

#[cfg(all(test, feature = "schemas"))]
pub(crate) use self::{answer::AnswerObject, question::DescribedQuestion};

/// Returns true for the addresses at which such questions are asked.
pub(crate) fn is_path(path: &str) -> bool {
    matches!(path, "/chessdb" | "/chessdb.php")
}

/// The answer to a request that is refused, in the words of chessdb.cn.
pub(crate) fn refusal(status: StatusCode, address: &Uri) -> Response {
    let is_json = pairs_of(address).is_ok_and(|pairs| Question::from_pairs(pairs).is_set("json"));
    respond(status, is_json, &Answer::Status(word_of(status)))
}

/// The word of chessdb.cn for a request that failed.
const fn word_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => "rate limit exceeded",
        StatusCode::INTERNAL_SERVER_ERROR => {
            "Error: the books or tables of the server cannot be read"
        }
        _ => "invalid parameters",
    }
}

/// Answers a question in the words of chessdb.cn.
pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Response {
    let question = match question_of(request).await {
        Ok(question) => question,
        Err(status) => return respond(status, false, &Answer::INVALID),
    };
    let is_json = question.is_set("json");
    match blocking(app, Language::En, move |app| answer_to(app, &question)).await {
        Ok(answer) => respond(StatusCode::OK, is_json, &answer),
        Err(problem) => {
            let status = problem.into_response().status();
            respond(status, is_json, &Answer::Status(word_of(status)))
        }
    }
}

/// The question of the parameters of the address and of a form.
async fn question_of(request: Request) -> Result<Question, StatusCode> {
    let mut pairs = pairs_of(request.uri()).map_err(|_| StatusCode::BAD_REQUEST)?;
    if request.method() == Method::POST {
        let body = read_body(request).await.map_err(|problem| problem.into_response().status())?;
        let form = String::from_utf8(body.to_vec()).map_err(|_| StatusCode::BAD_REQUEST)?;
        // A form may have blanks, which no address has.
        let form = form.trim().replace(char::is_whitespace, "%20");
        let address = Uri::builder().path_and_query(format!("/?{form}")).build();
        let address = address.map_err(|_| StatusCode::BAD_REQUEST)?;
        pairs.extend(pairs_of(&address).map_err(|_| StatusCode::BAD_REQUEST)?);
    }
    Ok(Question::from_pairs(pairs))
}

/// The answer as a response, as JSON or as text.
fn respond(status: StatusCode, is_json: bool, answer: &Answer) -> Response {
    let (kind, text) = if is_json {
        ("application/json", json_of(&answer.object()).unwrap_or_default().to_string())
    } else {
        ("text/plain; charset=utf-8", answer.to_text())
    };
    (status, [(header::CONTENT_TYPE, kind)], text).into_response()
}
