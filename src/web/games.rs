//! Games: files of any format read, and written in any.

use std::io;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use serde::Deserialize;

use super::body::{LongBody, not_made};
use super::params::{GameBody, GameParam, NotationParam, Params, number};
use super::problem::Problem;
use super::reply::{Answer, blocking};
use super::state::App;
use crate::game_name::with_game;
use crate::language::{break_off, translated};
use juzhong::answers::{AnswerError, FileGames, OpenedGames, UNNAMED, WriteRequest};
use juzhong::record::Formats;

/// The parameters of [`open`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct OpenQuery {
    #[serde(flatten)]
    of: GameParam,
    /// The game that is wanted whole, from 0.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", extend("default" = 0)))]
    index: Option<String>,
    /// The name of the file, for messages.
    name: Option<String>,
}

/// The games in the bytes of a file, and one of them whole, as JSON lines have it.
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    Params(query): Params<OpenQuery>,
    body: GameBody,
) -> Result<Answer<OpenedGames>, Problem> {
    let lang = query.of.lang();
    let body = blocking(app, lang, move |app| {
        let index = number("index", query.index.as_deref(), (0, usize::MAX))?.unwrap_or(0);
        let name = query.name.as_deref().unwrap_or(UNNAMED);
        let opened = with_game!(query.of.game()?, G => {
            let place = (std::env::temp_dir(), &app.stop);
            in_words(FileGames::<G>::read_packed(name, body.bytes(), index, (&place.0, place.1))?)
        });
        LongBody::json(&opened?)
    })
    .await?;
    Ok(Answer::new(body.answer("application/json")))
}

/// The answer about games that were read, in the language of the work in hand.
pub(crate) fn in_words<G: Formats>(found: FileGames<G>) -> Result<OpenedGames, Problem> {
    Ok(found.answer(|end| break_off::sentence(&end), translated)?)
}

/// The parameters of [`save`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct SaveQuery {
    #[serde(flatten)]
    of: GameParam,
    #[serde(flatten)]
    notation: NotationParam,
    /// The name of the format, such as pgn; the game's usual one if it is left out.
    format: Option<String>,
}

/// A game, given as a JSON line, in another format.
pub(crate) async fn save(
    State(app): State<Arc<App>>,
    Params(query): Params<SaveQuery>,
    body: GameBody,
) -> Result<Response, Problem> {
    let lang = query.of.lang();
    let (body, name) = blocking(app, lang, move |_| {
        let request = request_of(query.format, &query.notation)?;
        let mut out = LongBody::default();
        let name = with_game!(query.of.game()?, G => request.write::<G>(body.bytes(), &mut out));
        Ok((out, name.map_err(|error| not_written(&error))?))
    })
    .await?;
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
        .map_err(|error| Problem::internal(error.to_string()))?;
    let mut answer = body.answer("application/octet-stream");
    answer.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    Ok(answer)
}

/// The way in which games are written at a request.
fn request_of(format: Option<String>, notation: &NotationParam) -> Result<WriteRequest, Problem> {
    Ok(WriteRequest { format, notation: notation.asked()? })
}

/// The reason why games are not written.
fn not_written(error: &AnswerError) -> Problem {
    error.fault().downcast_ref::<io::Error>().map_or_else(|| error.into(), not_made)
}

/// The parameters of [`convert`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ConvertQuery {
    #[serde(flatten)]
    of: GameParam,
    #[serde(flatten)]
    notation: NotationParam,
    /// The name of the format, such as pgn; the game's usual one if it is left out.
    to: Option<String>,
}

/// The games of a file of any format in another format, those that break off up to there. Those that cannot be read are
/// left out, and counted in the header `X-Bad-Games`.
pub(crate) async fn convert(
    State(app): State<Arc<App>>,
    Params(query): Params<ConvertQuery>,
    body: GameBody,
) -> Result<Response, Problem> {
    let lang = query.of.lang();
    let (body, bad) = blocking(app, lang, move |_| {
        let request = request_of(query.to, &query.notation)?;
        let mut out = LongBody::default();
        let bad = with_game!(query.of.game()?, G => request.convert::<G>(body.bytes(), &mut out));
        Ok((out, bad.map_err(|error| not_written(&error))?))
    })
    .await?;
    let mut answer = body.answer("application/octet-stream");
    answer.headers_mut().insert(HeaderName::from_static("x-bad-games"), HeaderValue::from(bad));
    Ok(answer)
}
