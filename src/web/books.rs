//! Opening books: queries and edits.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::params::{Common, JsonBody, Params, number};
use super::problem::Problem;
use super::reply::json_of;
use super::state::{App, SharedBook};
use super::{answered, blocking};
use crate::game_name::GameName;
use juzhong::answers::LineRequest;
use juzhong::answers::book::{EditRequest, GamesRequest, QueryRequest, undo_edits};
use juzhong::book::Book;
use juzhong::bytes::StopFlag;
use juzhong::game::Game;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// Sample games that are shown.
const SAMPLES: usize = 10;

/// The parameters of [`query`] and [`games`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BookQuery {
    #[serde(flatten)]
    common: Common,
    /// The name of the book; the first if there is none.
    book: Option<String>,
    min_games: Option<String>,
}

/// The object of `book query --json`.
pub(crate) async fn query(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<BookQuery>,
) -> Result<Response, Problem> {
    let min_games = number("min_games", query.min_games.as_deref(), (0, u64::MAX))?;
    asked(&app, &uri, query, move |game, book, (line, notation)| {
        let request = QueryRequest { line, min_games, notation };
        let answer = match game {
            GameName::Xiangqi => request.answer::<Position>(book)?,
            GameName::Gomoku => request.answer::<Board>(book)?,
        };
        json_of(&answer)
    })
    .await
}

/// The object of `book games --json`: the sample games that the book keeps.
pub(crate) async fn games(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<BookQuery>,
) -> Result<Response, Problem> {
    asked(&app, &uri, query, |game, book, (line, notation)| {
        let request = GamesRequest { line, limit: SAMPLES, notation };
        let answer = match game {
            GameName::Xiangqi => request.answer::<Position>(book)?,
            GameName::Gomoku => request.answer::<Board>(book)?,
        };
        json_of(&answer)
    })
    .await
}

/// A position with the moves before it, and the notation of texts.
type Asked = (LineRequest, Option<MoveNotation>);

/// Asks the book that a request names about its line.
async fn asked(
    app: &Arc<App>,
    uri: &Uri,
    query: BookQuery,
    ask: impl FnOnce(GameName, &Book, Asked) -> Result<Value, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let game = query.common.game()?;
    let book = app.book(name_of(game), query.book.as_deref())?;
    answered(app, uri, query.common.lang(), move || {
        let asked = (query.common.request()?, query.common.asked_notation()?);
        book.read(|book| ask(game, book, asked))
    })
    .await
}

const fn name_of(game: GameName) -> &'static str {
    match game {
        GameName::Xiangqi => Position::NAME,
        GameName::Gomoku => Board::NAME,
    }
}

/// The body of [`edit`]: an edit as `book edit --script` has it, and the book.
#[derive(Debug, Deserialize)]
pub(crate) struct Edit {
    book: Option<String>,
    game: Option<String>,
    edit: EditRequest,
}

/// Makes one edit; it is on disk once this is answered.
pub(crate) async fn edit(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<Edit>,
) -> Result<Json<Value>, Problem> {
    let Edit { book, game, edit } = body;
    changed(&app, game.as_deref(), book.as_deref(), move |game, book, stop| {
        let changed = match game {
            GameName::Xiangqi => edit.answer::<Position>(&book.path, stop)?,
            GameName::Gomoku => edit.answer::<Board>(&book.path, stop)?,
        };
        json_of(&changed)
    })
    .await
}

/// The body of [`undo`].
#[derive(Debug, Deserialize)]
pub(crate) struct Undo {
    book: Option<String>,
    game: Option<String>,
}

/// Takes the last edit of a book back.
pub(crate) async fn undo(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<Undo>,
) -> Result<Json<Value>, Problem> {
    changed(&app, body.game.as_deref(), body.book.as_deref(), |_, book, stop| {
        json_of(&undo_edits(&book.path, 1, stop)?)
    })
    .await
}

/// Changes a book, one writer at a time, and lets no answer from before be given again.
async fn changed(
    app: &Arc<App>,
    game: Option<&str>,
    book: Option<&str>,
    change: impl FnOnce(GameName, &SharedBook, &StopFlag) -> Result<Value, Problem> + Send + 'static,
) -> Result<Json<Value>, Problem> {
    let common = Common::of_game(game);
    let game = common.game()?;
    let book = app.book(name_of(game), book)?;
    let work = move |app: &App| {
        let _one = book.begin_writing();
        let answer = change(game, &book, &app.stop);
        drop(app.look_for_changes());
        answer
    };
    blocking(Arc::clone(app), common.lang(), work).await.map(Json)
}
