//! A position of a set by chance.

use serde::Serialize;

use crate::answers::error::AnswerError;
use crate::answers::tablebase::stats::NamedSet;
use crate::tablebase::{Tables, Wdl};

/// A position drawn by chance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RandomPosition {
    /// The position.
    pub fen: String,
    /// Its value for the side to move: `win`, `draw` or `loss`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "draw", "loss"])))]
    pub wdl: &'static str,
    /// Plies; 0 for draws.
    pub distance: u16,
}

/// A position of a set, with a `wdl` one that has it for the side to move; `draw` gives a number below its argument.
/// `None` if none was found.
///
/// # Errors
///
/// There is no table of the set, or it is damaged.
pub fn random_position(
    tables: &Tables,
    set: NamedSet,
    wdl: Option<Wdl>,
    draw: &mut dyn FnMut(u32) -> u32,
) -> Result<Option<RandomPosition>, AnswerError> {
    let found = tables.random_position((set.material, set.is_swapped), wdl, draw)?;
    Ok(found.map(|(position, entry)| RandomPosition {
        fen: position.to_fen(),
        wdl: entry.wdl.name(),
        distance: entry.distance,
    }))
}
