//! Errors as `application/problem+json` (RFC 9457): what is wrong, a code for programs, and what to do.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::cli::language::{self, Language};
use crate::cli::{CliError, exit};

/// An error as the answer to a request. Its texts are English until it is answered.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    status: StatusCode,
    /// A word for programs.
    code: &'static str,
    detail: String,
    hint: Option<String>,
    /// Seconds after which the request may be tried again.
    retry_after: Option<u32>,
}

impl Problem {
    /// An error of that status.
    pub(super) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), hint: None, retry_after: None }
    }

    /// The request cannot be read.
    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// The thing asked for is not there.
    pub(super) fn not_found(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// The request is not allowed.
    pub(super) fn forbidden(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// The request has a method that this address does not know.
    pub(super) fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", "the request has another method")
    }

    /// The body of the request is longer than any that is read.
    pub(super) fn too_long() -> Self {
        let what = "the body of the request is too long";
        let hint = "divide the file, or use the command line";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_long", what).with_hint(hint)
    }

    /// There is no room for more.
    pub(super) fn full(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "full", detail)
    }

    /// Too much is going on.
    pub(super) fn busy(detail: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Self { retry_after: Some(1), ..problem }
    }

    /// The server failed.
    pub(super) fn internal(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// The same with what to do.
    #[must_use]
    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<CliError> for Problem {
    fn from(error: CliError) -> Self {
        let (status, code) = match error.code() {
            exit::USAGE | exit::BAD_DATA => (StatusCode::BAD_REQUEST, "bad_request"),
            exit::NO_INPUT => (StatusCode::NOT_FOUND, "not_found"),
            exit::UNAVAILABLE => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        Self::new(status, code, error.text())
    }
}

impl Problem {
    /// The answer, in a language.
    pub(super) fn render(self, lang: Language) -> Response {
        let Self { status, code, ref detail, ref hint, retry_after } = self;
        let in_language = |text: &String| language::within(lang, || language::message(text));
        let body = json!({
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "code": code,
            "detail": in_language(detail),
            "hint": hint.as_ref().map(in_language),
        });
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
