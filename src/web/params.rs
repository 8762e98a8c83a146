//! The parameters of requests.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problem;
use crate::cli::GameName;
use crate::cli::language::Language;
use crate::cli::line_args::{LineArgs, NotationArgs, Typed};
use crate::cli::terminal::Terminal;
use juzhong::xiangqi::notation::MoveNotation;

/// The longest position with its moves that is read, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// The parameters that most requests have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Common {
    game: Option<String>,
    /// A FEN or `startpos`.
    fen: Option<String>,
    /// Moves from there.
    moves: Option<String>,
    notation: Option<String>,
    lang: Option<String>,
    /// The rules that judge repetitions.
    pub(super) rules: Option<String>,
}

impl Common {
    /// The parameters of a request that names a game only.
    pub(super) fn of_game(game: Option<&str>) -> Self {
        Self { game: game.map(str::to_owned), ..Self::default() }
    }

    /// The game asked for.
    pub(super) fn game(&self) -> Result<GameName, Problem> {
        match self.game.as_deref().unwrap_or("xiangqi") {
            "xiangqi" => Ok(GameName::Xiangqi),
            "gomoku" => Ok(GameName::Gomoku),
            _ => Err(Problem::bad_request("game is xiangqi or gomoku")),
        }
    }

    /// The language of texts; the program's own if none is named or it is unknown.
    pub(super) fn lang(&self) -> Language {
        match self.lang.as_deref() {
            Some("zh") => Language::Zh,
            Some("en") => Language::En,
            _ => Language::current(),
        }
    }

    /// The language that the query of a request names.
    pub(super) fn lang_of(uri: &Uri) -> Language {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Named {
            lang: Option<String>,
        }
        let Query(Named { lang }) = Query::try_from_uri(uri).unwrap_or_default();
        Self { lang, ..Self::default() }.lang()
    }

    /// The position with the moves before it.
    pub(super) fn line(&self) -> Result<LineArgs, Problem> {
        let len = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        if len(&self.fen) + len(&self.moves) > LONGEST_LINE {
            return Err(Problem::bad_request("the position and its moves are too long"));
        }
        let fen = self.fen.clone().filter(|text| !text.trim().is_empty());
        let moves = self.moves.iter().filter(|text| !text.trim().is_empty()).cloned().collect();
        Ok(LineArgs { fen, moves, ..LineArgs::default() })
    }

    /// Returns true if a position is named, other than by leaving it out.
    pub(super) fn names_position(&self) -> bool {
        let is_there =
            |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        is_there(&self.fen) || is_there(&self.moves)
    }

    /// The notation in which texts of moves are wanted.
    pub(super) fn notation(&self) -> Result<NotationArgs, Problem> {
        let parse = |text: &str| {
            MoveNotation::from_str(text)
                .map_err(|_| Problem::bad_request("notation is uci, iccs, wxf or chinese"))
        };
        Ok(NotationArgs::of(self.notation.as_deref().map(parse).transpose()?))
    }
}

/// A number of a query, within its range.
pub(super) fn number<T: FromStr + PartialOrd + Copy>(
    name: &'static str,
    text: Option<&str>,
    (least, most): (T, T),
) -> Result<Option<T>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse::<T>().ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| Problem::bad_request(format!("{name}: no such number")))
}

/// The query of a request, read into `T`.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Query::try_from_uri(&parts.uri)
            .map(|Query(query)| Self(query))
            .map_err(|error| Problem::bad_request(error.body_text()))
    }
}

/// The body of a request as it is.
pub(super) struct RawBody(pub(super) Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = Bytes::from_request(request, state).await;
        read.map(Self).map_err(|error| {
            if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
                return Problem::too_long();
            }
            Problem::new(error.status(), "body", error.body_text())
        })
    }
}

/// The body of a request, JSON of a `T`.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let RawBody(bytes) = RawBody::from_request(request, state).await?;
        let read = serde_json::from_slice(&bytes);
        read.map(Self).map_err(|error| {
            Problem::bad_request(format!("the body is not the JSON wanted: {error}"))
        })
    }
}

/// The line that a request names, in the game `G`.
pub(super) fn read_line<G: Terminal>(args: &LineArgs) -> Result<Typed<G>, Problem> {
    args.read::<G>().map_err(|refusal| Problem::bad_request(refusal.to_string()))
}
