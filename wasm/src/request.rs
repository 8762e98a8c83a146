//! Requests: an address, its parameters, a body.

use std::collections::BTreeMap;
use std::str::FromStr;

use juzhong::answers::{Described, LineRequest, Typed};
use juzhong::message::message;
use juzhong::xiangqi::notation::MoveNotation;
use serde::Deserialize;

use crate::language::Language;
use crate::problem::Problem;

/// The longest position with its moves that is read, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// The first line of a request.
#[derive(Debug, Default, Deserialize)]
struct Head {
    path: String,
    #[serde(default)]
    query: BTreeMap<String, String>,
}

/// A request.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    head: Head,
    pub(crate) body: &'a [u8],
}

impl<'a> Request<'a> {
    /// Reads a request.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Problem> {
        let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
        let (head, rest) = bytes.split_at(end);
        let head = serde_json::from_slice(head).map_err(|error| {
            Problem::bad_request(message!("the request cannot be read: {error}"))
        })?;
        Ok(Self { head, body: rest.get(1..).unwrap_or_default() })
    }

    /// The address.
    pub(crate) fn path(&self) -> &str {
        &self.head.path
    }

    /// A parameter that says something.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let text = self.head.query.get(name)?;
        (!text.trim().is_empty()).then_some(text)
    }

    /// The language of texts.
    pub(crate) fn language(&self) -> Language {
        if self.text("lang") == Some("zh") { Language::Zh } else { Language::En }
    }

    /// Returns true if the request is about gomoku, false if about xiangqi.
    pub(crate) fn is_gomoku(&self) -> Result<bool, Problem> {
        match self.text("game") {
            None | Some("xiangqi") => Ok(false),
            Some("gomoku") => Ok(true),
            Some(_) => Err(Problem::bad_request("game is xiangqi or gomoku")),
        }
    }

    /// The position with the moves before it.
    pub(crate) fn line_request(&self) -> Result<LineRequest, Problem> {
        let [fen, moves] = ["fen", "moves"].map(|name| self.text(name));
        if fen.map_or(0, str::len) + moves.map_or(0, str::len) > LONGEST_LINE {
            return Err(Problem::bad_request("the position and its moves are too long"));
        }
        let moves = moves.unwrap_or_default().to_owned();
        Ok(LineRequest { fen: fen.map(str::to_owned), moves, ..LineRequest::default() })
    }

    /// The same, read in the game `G`.
    pub(crate) fn line<G: Described>(&self) -> Result<Typed<G>, Problem> {
        Ok(self.line_request()?.read()?)
    }

    /// The notation in which texts of moves are wanted, if one is named.
    pub(crate) fn asked_notation(&self) -> Result<Option<MoveNotation>, Problem> {
        let parse = |text: &str| {
            MoveNotation::from_str(text)
                .map_err(|_| Problem::bad_request("notation is uci, iccs, wxf or chinese"))
        };
        self.text("notation").map(parse).transpose()
    }

    /// The notation in which moves are shown: without a choice, that of the language.
    pub(crate) fn shown_notation(&self) -> Result<MoveNotation, Problem> {
        Ok(self.asked_notation()?.unwrap_or_else(|| match self.language() {
            Language::En => MoveNotation::default(),
            Language::Zh => MoveNotation::Chinese,
        }))
    }

    /// A number, within its range.
    pub(crate) fn number<T: FromStr + PartialOrd>(
        &self,
        name: &'static str,
        (least, most): (T, T),
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.parse::<T>().ok().filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| Problem::bad_request(message!("{name}: no such number")))
    }
}
