//! The parameters of a question, as they were sent.

use std::collections::HashMap;

/// The parameters of a question, those of a form after those of the address.
#[derive(Debug, Default)]
pub(crate) struct Question(HashMap<String, String>);

impl Question {
    /// The question of these names and values, the last of a name counting.
    pub(crate) fn from_pairs(pairs: Vec<(String, String)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// The value of a parameter, if it has one that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns true if a parameter is switched on.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        let yes = ["1", "true", "on", "yes"];
        self.get(name).is_some_and(|value| yes.iter().any(|yes| yes.eq_ignore_ascii_case(value)))
    }

    /// The moves of a list, which a word may stand before: `move:h2e2|move:b2e2`.
    pub(crate) fn moves(&self, name: &str) -> Vec<&str> {
        let texts = self.get(name).unwrap_or_default().split('|').filter(|text| !text.is_empty());
        texts.map(|text| text.rsplit_once(':').map_or(text, |(_, mv)| mv).trim()).collect()
    }
}

/// The question that a [`Question`] is read from.
#[cfg(feature = "schemas")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "ChessdbQuestion", description = "A question as chessdb.cn is asked.")]
#[expect(dead_code, reason = "only described")]
pub(crate) struct DescribedQuestion {
    /// The question.
    #[schemars(extend("enum" = [
        "queryall",
        "query",
        "querybest",
        "querylearn",
        "querysearch",
        "queryscore",
        "querypv",
        "queryrule",
        "queue",
        "store"
    ]))]
    action: String,
    /// A FEN.
    board: String,
    /// 1 for JSON.
    json: Option<String>,
    /// Of `queryrule`: moves separated by `|`.
    movelist: Option<String>,
    /// Of `queryrule`: repetitions that are judged, 1 to 10.
    reptimes: Option<String>,
    /// Moves that are left out, separated by `|`.
    ban: Option<String>,
    /// Of `store`: a move.
    #[schemars(rename = "move")]
    mv: Option<String>,
}
