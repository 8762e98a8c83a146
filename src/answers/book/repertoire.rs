//! The answers about repertoires: what was made, and what was found in one.

use std::path::Path;

use serde::Serialize;

use crate::answers::book::figures::rounded;
use crate::answers::described::Described;
use crate::answers::line::line_texts;
use crate::book::{
    BookMove, DoubtfulAnswer, RepertoireCheck, RepertoirePosition, RepertoireReport,
};
use crate::game::{Side, Symmetric};
use crate::xiangqi::notation::MoveNotation;

/// The answer about a repertoire that was made: schema `juzhong.repertoire.build/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepertoireAnswer {
    schema: &'static str,
    /// The path of the book that it was made of.
    pub source: String,
    /// The path of the repertoire.
    pub book: String,
    /// The side.
    pub side: &'static str,
    /// Positions in which the side is to move and has an answer.
    pub positions: u64,
    /// Its answers.
    pub answers: u64,
    /// Moves of the other side.
    pub replies: u64,
    /// Plies of the longest line.
    pub depth: usize,
    /// Positions reached at the same ply by more than one line.
    pub transpositions: u64,
    /// The digest of its rows.
    pub content: String,
}

impl RepertoireAnswer {
    /// The answer about a repertoire for a side.
    #[must_use]
    pub fn of<G: Described>(
        (source, book): (&Path, &Path),
        side: Side,
        report: &RepertoireReport,
    ) -> Self {
        Self {
            schema: "juzhong.repertoire.build/1",
            source: source.to_string_lossy().into_owned(),
            book: book.to_string_lossy().into_owned(),
            side: crate::answers::side_name::<G>(side),
            positions: report.positions,
            answers: report.answers,
            replies: report.replies,
            depth: report.depth,
            transpositions: report.transpositions,
            content: report.metadata.content.clone(),
        }
    }
}

/// A move of a repertoire or of its source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepertoireMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its games.
    pub games: u64,
    /// Their score for the side, 0 to 1; null without games of known result.
    pub score: Option<f64>,
}

/// A position of a repertoire.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepertoirePlace {
    /// The moves that lead there most often.
    pub line: Vec<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_text: Option<Vec<String>>,
    /// The position.
    pub fen: String,
    /// The share of games that come there if the side plays by the repertoire, 0 to 1.
    pub reach: f64,
    /// Moves for it.
    pub moves: Vec<RepertoireMove>,
}

/// A doubtful answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DoubtfulPlace {
    /// The position, with the moves that are better.
    #[serde(flatten)]
    pub place: RepertoirePlace,
    /// The answer.
    pub answer: RepertoireMove,
    /// The reason: `lost` by tables or by rule, `score` of engines or tables, `games`.
    pub doubt: &'static str,
}

/// The findings in a repertoire: schema `juzhong.repertoire.check/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepertoireCheckAnswer {
    schema: &'static str,
    /// The path of the repertoire.
    pub book: String,
    /// The path of the book beside which it was looked through.
    pub source: String,
    /// The side.
    pub side: &'static str,
    /// Positions in which the side is to move and has an answer.
    pub positions: u64,
    /// Their answers.
    pub answers: u64,
    /// Positions reached at the same ply by more than one line.
    pub transpositions: u64,
    /// Positions without an answer, those reached most often first.
    pub holes: Vec<RepertoirePlace>,
    /// Doubtful answers, those reached most often first.
    pub doubtful: Vec<DoubtfulPlace>,
    /// The answered positions that come up most often.
    pub first: Vec<RepertoirePlace>,
}

impl RepertoireCheckAnswer {
    /// The answer about the repertoire of a side.
    #[must_use]
    pub fn of<G: Described + Symmetric>(
        (book, source): (&Path, &Path),
        check: &RepertoireCheck<G::Move>,
        (side, notation): (Side, Option<MoveNotation>),
    ) -> Self {
        let place =
            |position: &RepertoirePosition<G::Move>| place_of::<G>(position, side, notation);
        let places =
            |positions: &[RepertoirePosition<G::Move>]| positions.iter().map(place).collect();
        let doubtful = |of: &DoubtfulAnswer<G::Move>| DoubtfulPlace {
            answer: move_of(&position_of::<G>(&of.position), &of.answer, side, notation),
            doubt: of.doubt.name(),
            place: place(&of.position),
        };
        Self {
            schema: "juzhong.repertoire.check/1",
            book: book.to_string_lossy().into_owned(),
            source: source.to_string_lossy().into_owned(),
            side: crate::answers::side_name::<G>(side),
            positions: check.positions,
            answers: check.answers,
            transpositions: check.transpositions,
            holes: places(&check.holes),
            doubtful: check.doubtful.iter().map(doubtful).collect(),
            first: places(&check.first),
        }
    }
}

fn position_of<G: Described>(position: &RepertoirePosition<G::Move>) -> G {
    let mut at = G::start();
    for &mv in &position.line {
        at.make(mv);
    }
    at
}

fn place_of<G: Described + Symmetric>(
    position: &RepertoirePosition<G::Move>,
    side: Side,
    notation: Option<MoveNotation>,
) -> RepertoirePlace {
    let at = position_of::<G>(position);
    let start = G::start();
    RepertoirePlace {
        line: position.line.iter().map(|&mv| G::move_text(mv)).collect(),
        line_text: notation
            .map(|notation| line_texts(&start, position.line.iter().copied(), notation)),
        fen: at.to_fen(),
        reach: rounded(position.reach),
        moves: position.moves.iter().map(|found| move_of(&at, found, side, notation)).collect(),
    }
}

fn move_of<G: Described>(
    position: &G,
    found: &BookMove<G::Move>,
    side: Side,
    notation: Option<MoveNotation>,
) -> RepertoireMove {
    RepertoireMove {
        mv: G::move_text(found.mv),
        text: notation.map(|notation| position.write_move(found.mv, notation)),
        games: found.stats.games,
        score: found.stats.score(side).map(rounded),
    }
}
