//! Errors as `application/problem+json` (RFC 9457), with the members that the server gives them.

use juzhong::answers::{AnswerError, ErrorKind, Refusal};
use juzhong::engine::in_full;
use juzhong::message::{Message, ToMessage};
use juzhong::tablebase::TableError;
use serde::Serialize;

use crate::answer::Answer;
use crate::language::Language;

/// An error as the answer to a request.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: u16,
    code: &'static str,
    detail: Message,
    hint: Option<Message>,
}

/// The object of a problem.
#[derive(Debug, Serialize)]
struct Body {
    code: &'static str,
    detail: String,
    hint: Option<String>,
    status: u16,
    title: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Problem {
    fn new(status: u16, code: &'static str, detail: impl Into<Message>) -> Self {
        Self { status, code, detail: detail.into(), hint: None }
    }

    /// The request cannot be read.
    pub(crate) fn bad_request(detail: impl Into<Message>) -> Self {
        Self::new(400, "bad_request", detail)
    }

    /// The thing asked for is not there.
    pub(crate) fn not_found(code: &'static str, detail: impl Into<Message>) -> Self {
        Self::new(404, code, detail)
    }

    /// Only a server can answer that.
    pub(crate) fn needs_server() -> Self {
        let hint = "start `juzhong serve` on a machine of your own, and open its page";
        Self::new(501, "needs_server", "this page has no server").with_hint(hint)
    }

    /// A file is not what it should be.
    pub(crate) fn damaged(detail: impl Into<Message>) -> Self {
        Self::new(500, "damaged", detail)
    }

    /// The work failed.
    pub(crate) fn internal(detail: impl Into<Message>) -> Self {
        Self::new(500, "internal", detail)
    }

    /// The same with what to do.
    #[must_use]
    pub(crate) fn with_hint(self, hint: impl Into<Message>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The answer, in a language.
    pub(crate) fn answer(&self, language: Language) -> Answer {
        let title = match self.status {
            400 => "Bad Request",
            404 => "Not Found",
            501 => "Not Implemented",
            _ => "Internal Server Error",
        };
        let body = Body {
            code: self.code,
            detail: language.say(&self.detail),
            hint: self.hint.as_ref().map(|hint| language.say(hint)),
            status: self.status,
            title,
            kind: "about:blank",
        };
        Answer::json(&body).with_status(self.status, "application/problem+json")
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::bad_request(refusal.message())
    }
}

impl From<AnswerError> for Problem {
    fn from(error: AnswerError) -> Self {
        let text = message_of(&error);
        match error.kind() {
            ErrorKind::BadParameter | ErrorKind::BadData => Self::bad_request(text),
            ErrorKind::NotFound => Self::not_found("not_found", text),
            ErrorKind::Damaged => Self::damaged(text),
            _ => Self::internal(text),
        }
    }
}

/// The message of an error: that of the fault behind it where it has one.
fn message_of(error: &AnswerError) -> Message {
    let fault = error.fault();
    if let Some(message) = fault.downcast_ref::<Message>() {
        return message.clone();
    }
    if let Some(refusal) = fault.downcast_ref::<Refusal>() {
        return refusal.message();
    }
    match fault.downcast_ref::<TableError>() {
        Some(error) => in_full(error),
        None => error.to_string().into(),
    }
}
