//! The languages of texts: English, and Chinese by the texts that the page hands in.

use std::collections::HashMap;
use std::sync::OnceLock;

use juzhong::answers::{EndPoint, GameEnd};
use juzhong::message::{Catalogue, Message, message};
use serde::Deserialize;
use serde_json::json;

use crate::answer::Answer;
use crate::problem::Problem;
use crate::request::Request;

/// The language of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    En,
    Zh,
}

/// The Chinese texts, once they were handed in.
static CHINESE: OnceLock<Catalogue> = OnceLock::new();

/// Texts as they are handed in.
#[derive(Debug, Deserialize)]
struct Texts {
    texts: HashMap<String, String>,
    /// Words that are translated as values in messages, too.
    values: HashMap<String, String>,
}

/// Takes the Chinese texts; the first ones count.
pub(crate) fn put(request: &Request<'_>) -> Result<Answer, Problem> {
    let read = serde_json::from_slice::<Texts>(request.body);
    let Texts { texts, values } = read.map_err(|error| Problem::bad_request(error.to_string()))?;
    let count = texts.len() + values.len();
    CHINESE.get_or_init(|| Catalogue::new(texts, values));
    Ok(Answer::json(&json!({"texts": count})))
}

impl Language {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The texts of the language; none for English, or where they were not handed in.
    fn catalogue(self) -> Option<&'static Catalogue> {
        CHINESE.get().filter(|_| self == Self::Zh)
    }

    /// A message in the language.
    pub(crate) fn say(self, message: &Message) -> String {
        self.catalogue().map_or_else(|| message.to_string(), |texts| texts.message(message))
    }

    /// The sentence on where a game ends, and why.
    pub(crate) fn end(self, end: GameEnd) -> String {
        let GameEnd { place, game, point, reason: why } = end;
        self.say(&match point {
            EndPoint::BeforeMove { number, side } => {
                let side = self.catalogue().and_then(|texts| texts.get(side)).unwrap_or(side);
                message!("{place}: game {game} ends before move {number} of {side}: {why}")
            }
            EndPoint::AfterPlies(plies) => {
                let moves = if plies == 1 {
                    message!("{} move", plies)
                } else {
                    message!("{} moves", plies)
                };
                message!("{place}: game {game} ends after {moves}: {why}")
            }
        })
    }
}
