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
#[cfg(feature = "schemas")]
use super::state::LONGEST_CLIENT;
use super::state::{App, QUEUE_TIME};
use crate::game_name::GameName;
use crate::language::Language;
use juzhong::answers::{Described, LineRequest, Typed};
use juzhong::game::EvaluationKind;
use juzhong::message::message;
use juzhong::protocol::client::EngineSizes;
use juzhong::xiangqi::notation::MoveNotation;

/// The time within which the body of a request must be there.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The memory that work on games may need: a multiple of their length, and a number of bytes for each request.
const MEMORY_OF_BODY: usize = 50;
const MEMORY_OF_WORK: usize = 16 << 20;
/// The longest position with its moves that is read, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// The language of a request that has no game.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct LanguageParam {
    /// The language of texts.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["en", "zh"])))]
    lang: Option<String>,
}

/// The game that a request is about, and its language.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct GameParam {
    /// The game.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["xiangqi", "gomoku"], "default" = "xiangqi")))]
    game: Option<String>,
    /// The language of texts.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["en", "zh"])))]
    lang: Option<String>,
}

/// A position with the moves before it.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct PositionParams {
    /// A position: a FEN or `startpos`; the start of a game if it is left out.
    #[cfg_attr(feature = "schemas", schemars(length(max = LONGEST_LINE)))]
    fen: Option<String>,
    /// Moves from there in any notation, separated by blanks or commas.
    #[cfg_attr(feature = "schemas", schemars(length(max = LONGEST_LINE)))]
    moves: Option<String>,
}

/// The notation in which texts of moves are wanted.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct NotationParam {
    /// The notation of `text` in answers.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["uci", "iccs", "wxf", "chinese"])))]
    notation: Option<String>,
}

/// The rules that judge repetitions.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct RulesParam {
    /// The rules that judge repetitions.
    pub(crate) rules: Option<String>,
}

/// The engine that searches.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct EngineParam {
    /// The name of an engine of the settings, or `self` for the server's own; left out, the one of `juzhong serve
    /// --engine`, else its own.
    pub(crate) engine: Option<String>,
}

/// The evaluation of the server's own engine.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct EvaluationParam {
    /// The evaluation of the server's own engine in xiangqi; `/api/meta` tells which is usual.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["network", "classical"])))]
    evaluation: Option<String>,
}

/// The sizes of an engine for one search.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct SizeParams {
    /// The transposition table in MiB; `/api/engine` tells the most.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1)))]
    hash: Option<String>,
    /// Threads of the search; `/api/engine` tells the most.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1)))]
    threads: Option<String>,
}

/// The client whose search a request begins.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ClientParam {
    /// A name that the client gives itself: a new search ends its last one of the same kind.
    #[cfg_attr(feature = "schemas", schemars(length(max = LONGEST_CLIENT)))]
    client: Option<String>,
}

/// The parameters that most requests about a position have.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Common {
    #[serde(flatten)]
    of: GameParam,
    #[serde(flatten)]
    place: PositionParams,
    #[serde(flatten)]
    notation: NotationParam,
}

impl LanguageParam {
    /// The language of texts; the program's own if none is named or it is unknown.
    pub(crate) fn lang(&self) -> Language {
        Common::lang_named(self.lang.as_deref())
    }
}

impl GameParam {
    /// The game asked for.
    pub(crate) fn game(&self) -> Result<GameName, Problem> {
        let name = self.game.as_deref().unwrap_or(GameName::Xiangqi.name());
        name.parse().map_err(|_| Problem::bad_request("game is xiangqi or gomoku"))
    }

    /// The language of texts; the program's own if none is named or it is unknown.
    pub(crate) fn lang(&self) -> Language {
        Common::lang_named(self.lang.as_deref())
    }
}

impl PositionParams {
    /// The position with the moves before it.
    pub(crate) fn request(&self) -> Result<LineRequest, Problem> {
        let len: usize = [&self.fen, &self.moves].into_iter().flatten().map(String::len).sum();
        if len > LONGEST_LINE {
            return Err(Problem::bad_request("the position and its moves are too long"));
        }
        let moves = named(self.moves.as_ref()).unwrap_or_default();
        Ok(LineRequest { fen: named(self.fen.as_ref()), moves, ..LineRequest::default() })
    }

    /// The same, read in the game `G`.
    pub(crate) fn read<G: Described>(&self) -> Result<Typed<G>, Problem> {
        Ok(self.request()?.read()?)
    }

    /// Returns true if a position is named, other than by leaving it out.
    pub(crate) fn is_named(&self) -> bool {
        named(self.fen.as_ref()).or_else(|| named(self.moves.as_ref())).is_some()
    }
}

/// A text that says something.
fn named(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).cloned()
}

impl ClientParam {
    /// The name that the client gives itself, if it has one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.client.as_deref()
    }
}

impl EvaluationParam {
    /// The evaluation asked for, or the usual one; it is refused if another engine searches.
    pub(crate) fn read(
        &self,
        is_own: bool,
        usual: EvaluationKind,
    ) -> Result<EvaluationKind, Problem> {
        let kind = self.evaluation.as_deref().map(EvaluationKind::from_str).transpose();
        let kind = kind.map_err(|_| Problem::bad_request("evaluation is network or classical"))?;
        if kind.is_some() && !is_own {
            return Err(Problem::bad_request("evaluation is of the server's own engine"));
        }
        Ok(kind.unwrap_or(usual))
    }
}

impl SizeParams {
    /// The sizes asked for.
    pub(crate) fn read(&self) -> Result<EngineSizes, Problem> {
        Ok(EngineSizes {
            threads: number("threads", self.threads.as_deref(), (1, usize::MAX))?,
            hash_mib: number("hash", self.hash.as_deref(), (1, usize::MAX))?,
        })
    }
}

impl NotationParam {
    /// The notation in which texts of moves are wanted, if one is named.
    pub(crate) fn asked(&self) -> Result<Option<MoveNotation>, Problem> {
        let notation = self.notation.as_deref().map(MoveNotation::from_str).transpose();
        notation.map_err(|_| Problem::bad_request("notation is uci, iccs, wxf or chinese"))
    }

    /// The notation in which moves are shown: without a choice, that of the language of the work in hand.
    pub(crate) fn shown(&self) -> Result<MoveNotation, Problem> {
        Ok(self.asked()?.unwrap_or_else(|| Language::current().notation()))
    }
}

impl Common {
    /// The parameters of a request that names a game only.
    pub(crate) fn of_game(game: Option<&str>) -> Self {
        let of = GameParam { game: game.map(str::to_owned), ..GameParam::default() };
        Self { of, ..Self::default() }
    }

    /// The game that it is about, and its language.
    pub(crate) const fn of(&self) -> &GameParam {
        &self.of
    }

    /// The game asked for.
    pub(crate) fn game(&self) -> Result<GameName, Problem> {
        self.of.game()
    }

    /// The language of texts; the program's own if none is named or it is unknown.
    pub(crate) fn lang(&self) -> Language {
        self.of.lang()
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
    pub(crate) fn request(&self) -> Result<LineRequest, Problem> {
        self.place.request()
    }

    /// The same, read in the game `G`.
    pub(crate) fn read<G: Described>(&self) -> Result<Typed<G>, Problem> {
        self.place.read()
    }

    /// The notation in which texts of moves are wanted, if one is named.
    pub(crate) fn asked_notation(&self) -> Result<Option<MoveNotation>, Problem> {
        self.notation.asked()
    }

    /// The notation in which moves are shown: without a choice, that of the language of the work in hand.
    pub(crate) fn shown_notation(&self) -> Result<MoveNotation, Problem> {
        self.notation.shown()
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
pub(crate) struct PathParam(pub(crate) String);

impl<S: Sync + Send> FromRequestParts<S> for PathParam {
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
        let bytes = {
            // Only while it is read: a body that waits for work keeps no other from being read.
            let reading = tokio::time::timeout(QUEUE_TIME, app.uploads.acquire()).await;
            let _reading = reading.ok().and_then(Result::ok).ok_or_else(too_many)?;
            read_body(request).await?
        };
        let permit = tokio::time::timeout(QUEUE_TIME, Arc::clone(&app.games).acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok).ok_or_else(too_many)?;
        expect_memory(MEMORY_OF_BODY * bytes.len() + MEMORY_OF_WORK)?;
        Ok(Self { bytes, _permit: permit })
    }
}

/// The refusal of a request for which there is no room.
fn too_many() -> Problem {
    Problem::busy("too many requests at once")
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
