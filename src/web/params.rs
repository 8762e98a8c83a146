//! The parameters of requests.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use super::body::expect_memory;
use super::problem::Problem;
use super::state::App;
use crate::cli::GameName;
use crate::cli::language::Language;
use crate::cli::line_args::{LineArgs, NotationArgs};
use crate::cli::terminal::Terminal;
use juzhong::answers::Typed;
use juzhong::message::{Message, ToMessage, Value, message};
use juzhong::xiangqi::notation::MoveNotation;

/// The time within which the body of a request must be there.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The time that a request with games waits for others.
const PATIENCE: Duration = Duration::from_secs(10);
/// The memory that work on games may need: so many times their length, and so many bytes for each request.
const MEMORY_OF_BODY: usize = 50;
const MEMORY_OF_WORK: usize = 16 << 20;
/// The longest position with its moves that is read, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// The parameters that most requests have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Common {
    game: Option<String>,
    /// A FEN or `startpos`.
    fen: Option<String>,
    /// Moves from there.
    moves: Option<String>,
    notation: Option<String>,
    lang: Option<String>,
    /// The rules that judge repetitions.
    pub(crate) rules: Option<String>,
}

impl Common {
    /// The parameters of a request that names a game only.
    pub(crate) fn of_game(game: Option<&str>) -> Self {
        Self { game: game.map(str::to_owned), ..Self::default() }
    }

    /// The game asked for.
    pub(crate) fn game(&self) -> Result<GameName, Problem> {
        match self.game.as_deref().unwrap_or("xiangqi") {
            "xiangqi" => Ok(GameName::Xiangqi),
            "gomoku" => Ok(GameName::Gomoku),
            _ => Err(Problem::bad_request("game is xiangqi or gomoku")),
        }
    }

    /// The language of texts; the program's own if none is named or it is unknown.
    pub(crate) fn lang(&self) -> Language {
        Self::lang_named(self.lang.as_deref())
    }

    /// The language of that name.
    pub(crate) fn lang_named(name: Option<&str>) -> Language {
        match name {
            Some("zh") => Language::Zh,
            Some("en") => Language::En,
            _ => Language::current(),
        }
    }

    /// The language that the query of a request names.
    pub(crate) fn lang_of(uri: &Uri) -> Language {
        let pairs = pairs_of(uri).unwrap_or_default();
        let named = pairs.iter().find(|(name, _)| name == "lang");
        Self::lang_named(named.map(|(_, lang)| lang.as_str()))
    }

    /// The position with the moves before it.
    pub(crate) fn line(&self) -> Result<LineArgs, Problem> {
        let len = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        if len(&self.fen) + len(&self.moves) > LONGEST_LINE {
            return Err(Problem::bad_request("the position and its moves are too long"));
        }
        let fen = self.fen.clone().filter(|text| !text.trim().is_empty());
        let moves = self.moves.iter().filter(|text| !text.trim().is_empty()).cloned().collect();
        Ok(LineArgs { fen, moves, ..LineArgs::default() })
    }

    /// Returns true if a position is named, other than by leaving it out.
    pub(crate) fn names_position(&self) -> bool {
        let is_there =
            |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        is_there(&self.fen) || is_there(&self.moves)
    }

    /// The notation in which texts of moves are wanted.
    pub(crate) fn notation(&self) -> Result<NotationArgs, Problem> {
        let parse = |text: &str| {
            MoveNotation::from_str(text)
                .map_err(|_| Problem::bad_request("notation is uci, iccs, wxf or chinese"))
        };
        Ok(NotationArgs::of(self.notation.as_deref().map(parse).transpose()?))
    }
}

/// A number of a query, within its range.
pub(crate) fn number<T: FromStr + PartialOrd + Copy>(
    name: &'static str,
    text: Option<&str>,
    (least, most): (T, T),
) -> Result<Option<T>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse::<T>().ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| Problem::bad_request(message!("{name}: no such number")))
}

/// The query of a request, read into `T`. A parameter that is empty is left out.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let mut named = serde_json::Map::new();
        for (name, value) in pairs_of(&parts.uri)? {
            if !value.is_empty() && named.insert(name.clone(), value.into()).is_some() {
                return Err(Problem::bad_request(message!("{name}: given twice")));
            }
        }
        serde_json::from_value(named.into()).map(Self).map_err(|error| {
            Problem::bad_request(message!("the parameters cannot be read: {error}"))
        })
    }
}

/// The parameters of an address by name.
pub(crate) fn pairs_of(uri: &Uri) -> Result<Vec<(String, String)>, Problem> {
    let pairs = Query::try_from_uri(uri).map(|Query(pairs)| pairs);
    pairs.map_err(|error| {
        let error = error.body_text();
        Problem::bad_request(message!("the parameters cannot be read: {error}"))
    })
}

/// A part of the path.
pub(crate) struct InPath(pub(crate) String);

impl<S: Sync + Send> FromRequestParts<S> for InPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = Path::from_request_parts(parts, state).await;
        read.map(|Path(text)| Self(text))
            .map_err(|_| Problem::bad_request("the address is no text in UTF-8"))
    }
}

/// The body of a request, all of it within [`BODY_TIME`].
pub(crate) async fn read_body(request: Request) -> Result<Bytes, Problem> {
    match tokio::time::timeout(BODY_TIME, Bytes::from_request(request, &())).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            Err(Problem::too_long())
        }
        Ok(Err(_)) => Err(Problem::body(StatusCode::BAD_REQUEST, "the body breaks off")),
        Err(_) => Err(Problem::body(StatusCode::REQUEST_TIMEOUT, "the body came too slowly")),
    }
}

/// A body with games. Few of them are in work at the same time, until this is dropped.
pub(crate) struct GameBody {
    bytes: Bytes,
    _permit: OwnedSemaphorePermit,
}

impl GameBody {
    /// The bytes, borrowed from the whole so that the permit is kept.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl FromRequest<Arc<App>> for GameBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let busy = || Problem::busy("too many requests at once");
        let bytes = {
            let reading = tokio::time::timeout(PATIENCE, app.uploads.acquire()).await;
            let _reading = reading.ok().and_then(Result::ok).ok_or_else(busy)?;
            read_body(request).await?
        };
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&app.games).acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok).ok_or_else(busy)?;
        expect_memory(MEMORY_OF_BODY * bytes.len() + MEMORY_OF_WORK)?;
        Ok(Self { bytes, _permit: permit })
    }
}

/// The body of a request, JSON of a `T`.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let read = serde_json::from_slice(&read_body(request).await?);
        read.map(Self).map_err(|error| {
            Problem::bad_request(message!("the body is not the JSON wanted: {error}"))
        })
    }
}

/// A message of the command line without the name of the option in front, which requests do not have.
pub(crate) fn without_option(message: Message) -> Message {
    let text = message.to_string();
    match text.strip_prefix("--").and_then(|rest| rest.split_once(": ")) {
        Some((option, rest)) if !option.contains(' ') => match message.values().last() {
            Some((_, Value::Message(within))) if *within == rest => within.clone(),
            _ => rest.into(),
        },
        _ => message,
    }
}

/// The line that a request names, in the game `G`.
pub(crate) fn read_line<G: Terminal>(args: &LineArgs) -> Result<Typed<G>, Problem> {
    args.read::<G>().map_err(|refusal| Problem::bad_request(without_option(refusal.message())))
}
