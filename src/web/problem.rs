//! Errors as `application/problem+json` (RFC 9457): what is wrong, a code for programs, and what to do.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

use crate::language::error_messages::in_full;
use crate::language::{self, Language};
use juzhong::answers::{AnswerError, ErrorKind, Refusal};
use juzhong::book::BookError;
use juzhong::bytes::visible::first_bytes;
use juzhong::message::{Message, ToMessage, message};
use juzhong::tablebase::TableError;

/// Seconds after which a request that could not be answered may be tried again.
const LATER: u32 = 1;
/// The longest text of an error, in bytes.
const LONGEST_DETAIL: usize = 4 << 10;

/// An error as the answer to a request. Its texts are English until it is answered.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: StatusCode,
    /// A word for programs.
    code: &'static str,
    detail: Message,
    /// In a box, because errors are handed on by value.
    hint: Option<Box<Message>>,
    /// Seconds after which the request may be tried again.
    retry_after: Option<u32>,
    /// The language that the request names elsewhere than in its query.
    lang: Option<Language>,
}

impl Problem {
    /// An error of that status.
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<Message>) -> Self {
        let detail = within_bounds(detail.into());
        Self { status, code, detail, hint: None, retry_after: None, lang: None }
    }

    /// The request cannot be read.
    pub(crate) fn bad_request(detail: impl Into<Message>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// The thing asked for is not there.
    pub(crate) fn not_found(code: &'static str, detail: impl Into<Message>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// The request is not allowed.
    pub(crate) fn forbidden(code: &'static str, detail: impl Into<Message>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// The request has a method that this address does not know.
    pub(crate) fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", "the request has another method")
    }

    /// The body of the request is longer than any that is read.
    pub(crate) fn too_long() -> Self {
        let what = "the body of the request is too long";
        let hint = "divide the file, or use the command line";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_long", what).with_hint(hint)
    }

    /// The answer would be longer than any that is sent, whose length in bytes is given.
    pub(crate) fn answer_too_long(longest: usize) -> Self {
        let what = message!("the answer would be longer than {} MiB", longest >> 20);
        let hint = "divide the file, or use the command line";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_long", what).with_hint(hint)
    }

    /// The machine has no memory for the request.
    pub(crate) fn memory() -> Self {
        Self::for_now("memory", "there is not enough memory for this request")
    }

    /// The answer to connections for which there is no room, as it is sent.
    pub(crate) const NO_CONNECTION: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
        Retry-After: 1\r\nContent-Type: application/problem+json\r\nContent-Length: 123\r\n\r\n\
        {\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"code\":\"busy\",\
        \"detail\":\"too many connections\",\"hint\":null}";

    /// The body of the request does not come.
    pub(crate) fn body(status: StatusCode, detail: impl Into<Message>) -> Self {
        Self::new(status, "body", detail)
    }

    /// The server cannot answer now.
    pub(crate) fn unavailable(detail: impl Into<Message>) -> Self {
        Self::for_now("unavailable", detail)
    }

    /// The server cannot answer now, for the reason that the code names.
    fn for_now(code: &'static str, detail: impl Into<Message>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail);
        Self { retry_after: Some(LATER), ..problem }
    }

    /// A file of the server is not what it should be.
    pub(crate) fn damaged(detail: impl Into<Message>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", detail)
    }

    /// There is no room for more.
    pub(crate) fn full(detail: impl Into<Message>) -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "full", detail)
    }

    /// Too much is going on.
    pub(crate) fn busy(detail: impl Into<Message>) -> Self {
        Self::for_now("busy", detail)
    }

    /// The server failed.
    pub(crate) fn internal(detail: impl Into<Message>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// The same with what to do.
    #[must_use]
    pub(crate) fn with_hint(self, hint: impl Into<Message>) -> Self {
        Self { hint: Some(Box::new(hint.into())), ..self }
    }
}

impl Problem {
    /// The fault, in the language of the work in hand.
    pub(crate) fn detail(&self) -> String {
        language::translated(&self.detail)
    }

    /// The fault, and the hint at what to do.
    pub(crate) fn into_texts(self) -> (Message, Option<Message>) {
        (self.detail, self.hint.map(|hint| *hint))
    }

    /// The same in a language, whatever the query of the request names.
    #[must_use]
    pub(crate) fn in_language(self, lang: Language) -> Self {
        Self { lang: Some(lang), ..self }
    }
}

/// The object of a problem.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "Problem", description = "RFC 9457.")
)]
pub(crate) struct Body {
    /// A word for programs.
    code: &'static str,
    /// The fault, in the language of the request.
    detail: String,
    /// The hint at what to do.
    hint: Option<String>,
    /// A name for problems of this sort: there is none beyond the status.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status of the answer.
    status: u16,
    /// The usual words for the status.
    #[cfg_attr(feature = "schemas", schemars(with = "String"))]
    title: Option<&'static str>,
}

/// A text without what is beyond [`LONGEST_DETAIL`]: messages quote files.
fn within_bounds(message: Message) -> Message {
    let text = message.to_string();
    if text.len() <= LONGEST_DETAIL {
        return message;
    }
    format!("{}…", first_bytes(&text, LONGEST_DETAIL)).into()
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::bad_request(refusal.message())
    }
}

impl From<&AnswerError> for Problem {
    fn from(error: &AnswerError) -> Self {
        let text = in_full(error);
        match error.kind() {
            ErrorKind::BadParameter | ErrorKind::BadData => Self::bad_request(text),
            ErrorKind::NotFound => Self::not_found("not_found", text),
            ErrorKind::Busy | ErrorKind::Locked => Self::busy(text),
            ErrorKind::ReadOnly => Self::forbidden("read_only", text),
            ErrorKind::Absent | ErrorKind::Unavailable | ErrorKind::Interrupted => {
                Self::unavailable(text)
            }
            ErrorKind::Damaged => Self::damaged(text),
            ErrorKind::Full => Self::full(text),
            _ => Self::internal(text),
        }
    }
}

impl From<AnswerError> for Problem {
    fn from(error: AnswerError) -> Self {
        (&error).into()
    }
}

impl From<BookError> for Problem {
    fn from(error: BookError) -> Self {
        AnswerError::from(error).into()
    }
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Self {
        Self::damaged(in_full(&error))
    }
}

impl Problem {
    /// The answer, in a language.
    pub(crate) fn render(self, lang: Language) -> Response {
        let Self { status, code, ref detail, ref hint, retry_after, lang: own } = self;
        let lang = own.unwrap_or(lang);
        let body = Body {
            code,
            detail: text_in(lang, detail),
            hint: hint.as_deref().map(|hint| text_in(lang, hint)),
            kind: "about:blank",
            status: status.as_u16(),
            title: status.canonical_reason(),
        };
        let body = json_of(&body).unwrap_or_default();
        let kind = HeaderValue::from_static("application/problem+json");
        let head = [(header::CONTENT_TYPE, kind)];
        let mut response = (status, head, body.to_string()).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl IntoResponse for Problem {
    /// The checks in front of all routes know the language of the request, and render it in that.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// An answer as it is sent.
pub(crate) fn json_of(answer: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(answer).map_err(|error| Problem::internal(error.to_string()))
}

/// A text in a language.
pub(crate) fn text_in(lang: Language, text: &Message) -> String {
    language::within(lang, || language::translated(text))
}
