//! The moves that a book has for a position.

use std::cmp::Reverse;

use serde::Serialize;

use crate::answers::book::figures::rounded;
use crate::answers::book::names::OpeningName;
use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::answers::sides::NamedSides;
use crate::book::opening::{Named, Opening};
use crate::book::{Book, BookMove, Bounds, Score, Value};
use crate::game::{BySide, Notation, Symmetric};
use crate::xiangqi::notation::MoveNotation;

/// The moves that a book has for a position: those of most games first, then those of most weight, then by their
/// coordinates. Moves of fewer games than `min_games` are left out.
///
/// # Errors
///
/// The book cannot be read, or is one of another game.
pub fn moves_of<G: Symmetric + Notation>(
    book: &Book,
    position: &G,
    min_games: u64,
) -> Result<Vec<BookMove<G::Move>>, AnswerError> {
    let mut found = book.probe_with(position, min_games)?;
    sort_moves::<G>(&mut found);
    Ok(found)
}

/// Sorts the moves of most games first, then of most weight, then by their text.
pub(crate) fn sort_moves<G: Notation>(moves: &mut [BookMove<G::Move>]) {
    moves.sort_by_cached_key(|found| {
        (Reverse((found.stats.games, found.weight)), G::move_text(found.mv))
    });
}

/// The sum over the games of moves.
pub(crate) fn all_games<'a, M: 'a>(moves: impl IntoIterator<Item = &'a BookMove<M>>) -> u64 {
    moves.into_iter().fold(0, |sum, found| sum.saturating_add(found.stats.games))
}

/// The sum over the weights of moves.
pub(crate) fn all_weight<'a, M: 'a>(moves: impl IntoIterator<Item = &'a BookMove<M>>) -> u64 {
    moves.into_iter().fold(0, |sum, found| sum.saturating_add(found.weight))
}

/// The names of a move's flags.
#[must_use]
pub fn flag_names<M>(found: &BookMove<M>) -> Vec<&'static str> {
    let flags = [
        (found.disabled, "disabled"),
        (found.banned, "banned"),
        (found.lost, "lost"),
        (found.locked, "locked"),
        (found.added, "added"),
    ];
    flags.into_iter().filter_map(|(is_set, name)| is_set.then_some(name)).collect()
}

/// A move of a book with what is known about it, and the name of the position after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "PlayedMove"))]
pub struct MoveAnswer {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its games.
    pub games: u64,
    /// The games that each side won.
    #[serde(flatten)]
    pub wins: NamedSides<u64>,
    /// The games drawn.
    pub draws: u64,
    /// The mover's share of the points, from 0 to 1; null without a game that has a result.
    #[cfg_attr(feature = "schemas", schemars(range(min = 0, max = 1)))]
    pub score: Option<f64>,
    /// The weight in selection.
    pub weight: u64,
    /// The score that the best source gives to it.
    pub engine: Option<EngineScore>,
    /// The value that follows from all scores behind it.
    pub backed: Option<Span>,
    /// The first year of its games.
    pub year_min: Option<u16>,
    /// The last year of its games.
    pub year_max: Option<u16>,
    /// The priority in selection.
    pub priority: i64,
    /// The flags: `disabled`, `banned`, `lost`, `locked`, `added`.
    #[cfg_attr(
        feature = "schemas",
        schemars(extend("items" = {
            "type": "string",
            "enum": ["disabled", "banned", "lost", "locked", "added"]
        }))
    )]
    pub flags: Vec<&'static str>,
    /// The groups of lines that it belongs to.
    pub groups: Vec<String>,
    /// The remark for people.
    pub comment: Option<String>,
    /// The name of the position after it.
    #[serde(flatten)]
    pub opening: OpeningName,
}

impl MoveAnswer {
    /// The answer about a move of the position, after which the position has that name.
    #[must_use]
    pub fn of<G: Described + Named>(
        found: &BookMove<G::Move>,
        position: &G,
        opening: Option<Opening>,
        notation: Option<MoveNotation>,
    ) -> Self {
        let stats = &found.stats;
        let wins = BySide { first: stats.first, second: stats.second };
        Self {
            mv: G::move_text(found.mv),
            text: notation.map(|notation| position.write_move(found.mv, notation)),
            games: stats.games,
            wins: NamedSides::of::<G>(wins),
            draws: stats.draws,
            score: stats.score(position.turn()).map(rounded),
            weight: found.weight,
            engine: found.score.engine.as_ref().map(EngineScore::from),
            backed: found.score.backed.map(Span::from),
            year_min: stats.years.map(|years| years.min),
            year_max: stats.years.map(|years| years.max),
            priority: found.priority,
            flags: flag_names(found),
            groups: found.groups.clone(),
            comment: found.comment.clone(),
            opening: OpeningName::of::<G>(opening),
        }
    }
}

/// The score that a source gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct EngineScore {
    /// The engine's name, or that of the tablebase and its rules.
    pub source: String,
    /// The score on the scale of [`Value`].
    #[cfg_attr(
        feature = "schemas",
        schemars(
            description = "The score in centipawns; mates and results by tables are beyond 20,000."
        )
    )]
    pub value: i32,
    /// The score in words.
    pub text: String,
    /// The kind of bound that it is.
    pub bound: &'static str,
    /// Plies searched.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
}

impl From<&Score> for EngineScore {
    fn from(score: &Score) -> Self {
        let Score { source, evaluation } = score;
        Self {
            source: source.clone(),
            value: evaluation.score.value().value(),
            text: evaluation.score.to_string(),
            bound: evaluation.bound.name(),
            depth: evaluation.depth,
            nodes: evaluation.nodes,
        }
    }
}

/// The bounds of a value on the scale of [`Value`]; null where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(description = "The bounds of a value in centipawns; null where nothing is known.")
)]
pub struct Span {
    /// The lower bound.
    pub low: Option<i32>,
    /// The upper bound.
    pub high: Option<i32>,
}

impl From<Bounds> for Span {
    fn from(bounds: Bounds) -> Self {
        let low = bounds.low();
        let high = bounds.high();
        Self {
            low: (low > Value::LEAST).then_some(low.value()),
            high: (high < Value::MOST).then_some(high.value()),
        }
    }
}
