//! Opening books: queries and edits.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use serde::{Deserialize, Serialize};

use super::params::{Common, JsonBody, Params, number};
use super::problem::Problem;
use super::reply::{Answer, answered, reply};
use super::state::{App, SharedBook};
use crate::game_name::{GameName, with_game};
use juzhong::answers::LineRequest;
use juzhong::answers::book::{
    Changed, EditRequest, GamesAnswer, GamesRequest, QueryAnswer, QueryRequest, Undone, undo_edits,
};
use juzhong::book::Book;
use juzhong::bytes::StopFlag;
use juzhong::xiangqi::notation::MoveNotation;

/// Sample games that are shown.
const SAMPLES: usize = 10;

/// The parameters of [`games`]: a position, and the book that is asked about it.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct BookQuery {
    #[serde(flatten)]
    common: Common,
    /// The name of an open book: its file's without the ending. The first book of the game if it is left out.
    book: Option<String>,
}

/// The parameters of [`query`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct MovesQuery {
    #[serde(flatten)]
    of: BookQuery,
    /// Moves of fewer games are left out.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>"))]
    min_games: Option<String>,
}

/// The object of `book query --json`.
pub(crate) async fn query(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<MovesQuery>,
) -> Result<Answer<QueryAnswer>, Problem> {
    let min_games = number("min_games", query.min_games.as_deref(), (0, u64::MAX))?;
    asked(&app, &uri, query.of, move |game, book, (line, notation)| {
        let request = QueryRequest { line, min_games, notation };
        Ok(with_game!(game, G => request.answer::<G>(book)?))
    })
    .await
}

/// The object of `book games --json`: the sample games that the book keeps.
pub(crate) async fn games(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<BookQuery>,
) -> Result<Answer<GamesAnswer>, Problem> {
    asked(&app, &uri, query, |game, book, (line, notation)| {
        let request = GamesRequest { line, limit: SAMPLES, notation };
        Ok(with_game!(game, G => request.answer::<G>(book)?))
    })
    .await
}

/// A position with the moves before it, and the notation of texts.
type LineAndNotation = (LineRequest, Option<MoveNotation>);

/// Asks the book that a request names about its line.
async fn asked<T: Serialize>(
    app: &Arc<App>,
    uri: &Uri,
    query: BookQuery,
    ask: impl FnOnce(GameName, &Book, LineAndNotation) -> Result<T, Problem> + Send + 'static,
) -> Result<Answer<T>, Problem> {
    let game = query.common.game()?;
    let book = app.book(game.name(), query.book.as_deref())?;
    answered(app, uri, query.common.lang(), move || {
        let asked = (query.common.request()?, query.common.asked_notation()?);
        book.read(|book| ask(game, book, asked))
    })
    .await
}

/// The body of [`edit`]: an edit as `book edit --script` has it, and the book.
#[derive(Debug, Deserialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "BookEdit", description = "An edit, and the book that it changes.")
)]
pub(crate) struct Edit {
    /// The name of an open book; the first of the game if it is left out.
    book: Option<String>,
    /// The game.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["xiangqi", "gomoku"])))]
    game: Option<String>,
    edit: EditRequest,
}

/// Makes one edit; it is on disk once this is answered.
pub(crate) async fn edit(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<Edit>,
) -> Result<Answer<Changed>, Problem> {
    let Edit { book, game, edit } = body;
    changed(&app, game.as_deref(), book.as_deref(), move |game, book, stop| {
        Ok(with_game!(game, G => edit.answer::<G>(&book.path, stop)?))
    })
    .await
}

/// The body of [`undo`].
#[derive(Debug, Deserialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "BookUndo", description = "The book whose last edit is taken back.")
)]
pub(crate) struct Undo {
    /// The name of an open book; the first of the game if it is left out.
    book: Option<String>,
    /// The game.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["xiangqi", "gomoku"])))]
    game: Option<String>,
}

/// Takes the last edit of a book back.
pub(crate) async fn undo(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<Undo>,
) -> Result<Answer<Undone>, Problem> {
    changed(&app, body.game.as_deref(), body.book.as_deref(), |_, book, stop| {
        Ok(undo_edits(&book.path, 1, stop)?)
    })
    .await
}

/// Changes a book, one writer at a time, and lets no answer from before be given again.
async fn changed<T: Serialize>(
    app: &Arc<App>,
    game: Option<&str>,
    book: Option<&str>,
    change: impl FnOnce(GameName, &SharedBook, &StopFlag) -> Result<T, Problem> + Send + 'static,
) -> Result<Answer<T>, Problem> {
    let common = Common::of_game(game);
    let game = common.game()?;
    let book = app.book(game.name(), book)?;
    reply(Arc::clone(app), common.lang(), move |app| {
        let _one = book.begin_writing();
        let answer = change(game, &book, &app.stop);
        drop(app.look_for_changes());
        answer
    })
    .await
}
