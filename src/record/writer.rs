use std::io::{self, Write};

use super::Record;
use crate::xiangqi::Position;
use crate::xiangqi::notation::MoveNotation;

/// How to write a PGN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PgnOptions {
    /// How to write moves.
    pub notation: MoveNotation,
    /// Lines are broken before this many columns (a Chinese character counts two).
    pub width: usize,
    /// Whether to write variations.
    pub variations: bool,
    /// Whether to write comments.
    pub comments: bool,
}

impl Default for PgnOptions {
    fn default() -> Self {
        Self { notation: MoveNotation::Chinese, width: 80, variations: true, comments: true }
    }
}

/// Writes a record as UTF-8 PGN, with a blank line after it.
///
/// # Errors
///
/// If `out` fails.
pub fn write_pgn(
    _out: &mut impl Write,
    _record: &Record<Position>,
    _options: &PgnOptions,
) -> io::Result<()> {
    Ok(())
}
