//! Opening a folder of tables for questions.

use std::path::Path;

use crate::answers::error::AnswerError;
use crate::tablebase::{Metric, Rules, Tables};

/// The rules of tables unless others are named: those of play.
pub const USUAL_RULES: Rules = Rules::Asian;

/// Opens the tables of a folder. Without `rules` they are the [usual](USUAL_RULES) ones, or, if the folder has only
/// others, `check` or `none`.
///
/// # Errors
///
/// There is no such folder, or its files cannot be read.
pub fn open_tables(
    dir: &Path,
    rules: Option<Rules>,
    metric: Metric,
) -> Result<Tables, AnswerError> {
    if let Some(rules) = rules {
        return Ok(Tables::open(dir, rules, metric)?);
    }
    let usual = Tables::open(dir, USUAL_RULES, metric)?;
    if !usual.materials().is_empty() {
        return Ok(usual);
    }
    for rules in [Rules::Check, Rules::None] {
        let other = Tables::open(dir, rules, metric)?;
        if !other.materials().is_empty() {
            return Ok(other);
        }
    }
    Ok(usual)
}
