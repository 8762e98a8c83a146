//! Opening books: queries and edits.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{Common, JsonBody, Params, number};
use super::problem::Problem;
use super::state::{App, SharedBook};
use super::{answered, blocking};
use crate::cli::book::edit::{self, Request};
use crate::cli::book::games::answer_for as games_for;
use crate::cli::book::query::answer_for;
use crate::cli::line_args::{LineArgs, NotationArgs};
use crate::cli::{CliError, GameName};
use juzhong::book::Book;
use juzhong::game::Game;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

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
    asked(&app, &uri, query, move |game, book, line, notation| match game {
        GameName::Xiangqi => answer_for::<Position>(book, line, min_games, notation),
        GameName::Gomoku => answer_for::<Board>(book, line, min_games, notation),
    })
    .await
}

/// The object of `book games --json`: the sample games that the book keeps.
pub(crate) async fn games(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<BookQuery>,
) -> Result<Response, Problem> {
    asked(&app, &uri, query, |game, book, line, notation| match game {
        GameName::Xiangqi => games_for::<Position>(book, line, SAMPLES, notation),
        GameName::Gomoku => games_for::<Board>(book, line, SAMPLES, notation),
    })
    .await
}

/// Asks the book that a request names about its line.
async fn asked(
    app: &Arc<App>,
    uri: &Uri,
    query: BookQuery,
    ask: impl FnOnce(GameName, &Book, &LineArgs, NotationArgs) -> Result<Value, CliError>
    + Send
    + 'static,
) -> Result<Response, Problem> {
    let game = query.common.game()?;
    let book = app.book(name_of(game), query.book.as_deref())?;
    answered(app, uri, query.common.lang(), move || {
        let (line, notation) = (query.common.line()?, query.common.notation()?);
        book.read(|book| Ok(ask(game, book, &line, notation)?))
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
    edit: Request,
}

/// Makes one edit; it is on disk once this is answered.
pub(crate) async fn edit(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<Edit>,
) -> Result<Json<Value>, Problem> {
    let Edit { book, game, edit } = body;
    changed(&app, game.as_deref(), book.as_deref(), move |game, book| {
        let changed = match game {
            GameName::Xiangqi => edit::edit::<Position>(&book.path, &edit)?,
            GameName::Gomoku => edit::edit::<Board>(&book.path, &edit)?,
        };
        Ok(json!({"changed": changed}))
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
    changed(&app, body.game.as_deref(), body.book.as_deref(), |_, book| {
        Ok(edit::undo_last(&book.path)?)
    })
    .await
}

/// Changes a book, one writer at a time, and lets no answer from before be given again.
async fn changed(
    app: &Arc<App>,
    game: Option<&str>,
    book: Option<&str>,
    change: impl FnOnce(GameName, &SharedBook) -> Result<Value, Problem> + Send + 'static,
) -> Result<Json<Value>, Problem> {
    let common = Common::of_game(game);
    let game = common.game()?;
    let book = app.book(name_of(game), book)?;
    let work = move |app: &App| {
        let _one = book.begin_writing();
        let answer = change(game, &book);
        drop(app.look_for_changes());
        answer
    };
    blocking(Arc::clone(app), common.lang(), work).await.map(Json)
}
