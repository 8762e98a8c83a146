//! Games as lists show them.

use serde::Serialize;

use crate::record::{Formats, Record, result_text};

/// Characters of a text in a list, at most.
const LISTED_TEXT: usize = 200;

/// The entry of a game in a list. Its texts are shortened: thousands of them stand side by side.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct GameEntry {
    /// The date, as the record has it.
    pub date: Option<String>,
    /// The event.
    pub event: Option<String>,
    /// The player of the first side.
    pub first: Option<String>,
    /// Its number in the list, from 0.
    pub index: usize,
    /// Plies of its main line.
    pub plies: usize,
    /// As PGN writes it.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*"])))]
    pub result: &'static str,
    /// The player of the second side.
    pub second: Option<String>,
}

impl GameEntry {
    /// The entry of a game with that number.
    #[must_use]
    pub fn of<G: Formats>(index: usize, record: &Record<G>) -> Self {
        let [first, second] = record.players();
        Self {
            date: short(record.tag("Date")),
            event: short(record.tag("Event")),
            first: short(first),
            index,
            plies: record.tree.moves.len(),
            result: result_text(record.result),
            second: short(second),
        }
    }
}

/// The beginning of a text.
fn short(text: Option<&str>) -> Option<String> {
    text.map(|text| text.chars().take(LISTED_TEXT).collect())
}
