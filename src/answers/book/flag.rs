//! The answer about moves that the repetition rules ban or tables prove lost.

use std::path::Path;

use serde::Serialize;

use crate::answers::line::line_texts;
use crate::book::{Ban, FlagReport};
use crate::xiangqi::notation::MoveNotation;
use crate::xiangqi::{Move, Position, RuleSet};

/// The answer: schema `juzhong.book.flag/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlagAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The repetition rules.
    pub rules: String,
    /// The banned moves.
    pub banned: Vec<BannedLine>,
    /// The lost moves.
    pub lost: Vec<FlaggedLine>,
    /// Positions from which not all loops were looked at.
    pub unfinished: usize,
    /// Moves of positions that the start does not lead to.
    pub unreached_moves: u64,
}

/// A line from the start of a game; its last moves are flagged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlaggedLine {
    /// The moves by their coordinates.
    pub line: Vec<String>,
    /// The moves in the notation that was asked for, with blanks between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A line to a banned move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BannedLine {
    /// The line.
    #[serde(flatten)]
    pub line: FlaggedLine,
    /// The reason in the terms of the rules.
    pub reason: &'static str,
}

impl FlagAnswer {
    /// The answer about the book at a path.
    #[must_use]
    pub fn of(
        book: &Path,
        rules: RuleSet,
        report: &FlagReport<Position>,
        notation: Option<MoveNotation>,
    ) -> Self {
        let banned = report.bans.moves.iter().map(|ban| BannedLine::of(ban, notation));
        let lost = report.lost.iter().map(|line| line.moves().collect::<Vec<_>>());
        Self {
            schema: "juzhong.book.flag/1",
            book: book.to_string_lossy().into_owned(),
            rules: rules.to_string(),
            banned: banned.collect(),
            lost: lost.map(|moves| FlaggedLine::of(&moves, notation)).collect(),
            unfinished: report.bans.unfinished,
            unreached_moves: report.unreached,
        }
    }
}

impl BannedLine {
    fn of(ban: &Ban<Move>, notation: Option<MoveNotation>) -> Self {
        Self { line: FlaggedLine::of(&ban.line, notation), reason: ban.reason }
    }
}

impl FlaggedLine {
    fn of(moves: &[Move], notation: Option<MoveNotation>) -> Self {
        Self {
            line: texts(moves, MoveNotation::Uci),
            text: notation.map(|notation| texts(moves, notation).join(" ")),
        }
    }
}

/// The texts of moves from the start of a game.
fn texts(moves: &[Move], notation: MoveNotation) -> Vec<String> {
    line_texts(&Position::start(), moves.iter().copied(), notation)
}
