use std::fmt;

use super::{Chunk, Record, split_games};
use crate::xiangqi::notation::MoveError;
use crate::xiangqi::{FenError, Position};

/// A game that could not be read, and where and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGame {
    /// The source, as the caller names it.
    pub source: String,
    /// The line of the fault, from 1.
    pub line: u64,
    /// The number of the game in the source, from 1.
    pub game: u64,
    /// What is wrong.
    pub reason: BadGameReason,
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: game {}: {}", self.source, self.line, self.game, self.reason)
    }
}

impl std::error::Error for BadGame {}

/// Why a game is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadGameReason {
    /// The start position is not legal.
    #[error("FEN tag: {0}")]
    Start(#[source] FenError),
    /// A move of the main line.
    #[error("ply {ply}: {error}")]
    Move {
        /// From 1.
        ply: usize,
        /// What is wrong with it.
        error: MoveError,
    },
}

/// A game that was read.
#[derive(Debug, Clone)]
pub struct ParsedGame {
    /// The game; every move in it is legal.
    pub record: Record<Position>,
    /// The line where it begins, from 1.
    pub line: u64,
    /// Its number in the source, from 1.
    pub game: u64,
}

/// What was in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadSummary {
    /// Games read.
    pub games: u64,
    /// Games refused.
    pub bad: u64,
    /// Variations that were cut at a move that cannot be read or played; the games were kept.
    pub cut_variations: u64,
}

impl std::ops::AddAssign for ReadSummary {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.bad += other.bad;
        self.cut_variations += other.cut_variations;
    }
}

/// Reads all games of a source in order; `sink` gets each, good or bad. `source` names it in
/// messages. A source without a single game gives a summary of zeros.
pub fn read_games(
    source: &str,
    bytes: &[u8],
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    let mut summary = ReadSummary::default();
    for chunk in split_games(bytes, usize::MAX) {
        summary += read_chunk(source, bytes, &chunk, sink);
    }
    summary
}

/// Reads the games of one chunk of [`split_games`]; `bytes` is the whole source.
pub fn read_chunk(
    _source: &str,
    _bytes: &[u8],
    _chunk: &Chunk,
    _sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    ReadSummary::default()
}
