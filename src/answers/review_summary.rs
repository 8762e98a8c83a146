//! The answer about the reviews of many games together.

use serde::Serialize;

use crate::answers::book::OpeningName;
use crate::answers::book::figures::rounded;
use crate::answers::review::{ByPhase, of_hundred};
use crate::book::opening::Named;
use crate::review::{Mark, Summary, SummaryRow, SummarySums};

/// The answer: schema `juzhong.review.summary/1`.
#[derive(Debug, Serialize)]
pub struct ReviewSummaryAnswer {
    /// The schema.
    pub schema: &'static str,
    /// All games.
    #[serde(flatten)]
    pub all: RowAnswer,
    /// The players, those with most games first, of equals by name.
    pub players: Vec<PlayerRow>,
    /// The openings, those with most games first, of equals by code.
    pub openings: Vec<OpeningRow>,
}

/// A player.
#[derive(Debug, Serialize)]
pub struct PlayerRow {
    /// The name.
    pub player: String,
    /// The sums of the player's moves.
    #[serde(flatten)]
    pub row: RowAnswer,
}

/// An opening.
#[derive(Debug, Serialize)]
pub struct OpeningRow {
    /// The opening.
    #[serde(flatten)]
    pub opening: OpeningName,
    /// The sums of the moves of both sides.
    #[serde(flatten)]
    pub row: RowAnswer,
}

/// Sums of games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RowAnswer {
    /// Games.
    pub games: u64,
    /// The sums of all moves.
    #[serde(flatten)]
    pub sums: SumsAnswer,
    /// The sums of each phase.
    pub phases: ByPhase<SumsAnswer>,
}

/// Sums of moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SumsAnswer {
    /// Moves.
    pub moves: u64,
    /// The mean of their accuracies, 0 to 100; null without moves.
    pub accuracy: Option<f64>,
    /// The sum of their losses of expected score: points.
    pub lost: f64,
    /// Moves with that mark.
    pub inaccuracies: u64,
    /// Moves with that mark.
    pub mistakes: u64,
    /// Moves with that mark.
    pub blunders: u64,
}

impl From<SummarySums> for SumsAnswer {
    fn from(sums: SummarySums) -> Self {
        Self {
            moves: sums.moves,
            accuracy: sums.accuracy().map(of_hundred),
            lost: rounded(sums.lost()),
            inaccuracies: sums.marked(Mark::Inaccuracy),
            mistakes: sums.marked(Mark::Mistake),
            blunders: sums.marked(Mark::Blunder),
        }
    }
}

impl From<&SummaryRow> for RowAnswer {
    fn from(row: &SummaryRow) -> Self {
        Self { games: row.games, sums: row.all().into(), phases: ByPhase::of(row.phases) }
    }
}

impl ReviewSummaryAnswer {
    /// The answer about reviews of games of `G`.
    ///
    /// ```
    /// use juzhong::answers::ReviewSummaryAnswer;
    /// use juzhong::review::Summary;
    /// use juzhong::xiangqi::Position;
    ///
    /// let answer = ReviewSummaryAnswer::of::<Position>(&Summary::default());
    /// assert_eq!((answer.schema, answer.all.games), ("juzhong.review.summary/1", 0));
    /// ```
    #[must_use]
    pub fn of<G: Named>(summary: &Summary) -> Self {
        let players = summary.players();
        let openings = summary.openings();
        Self {
            schema: "juzhong.review.summary/1",
            all: (&summary.all).into(),
            players: players
                .map(|(player, row)| PlayerRow { player: player.to_owned(), row: row.into() })
                .collect(),
            openings: openings
                .map(|(opening, row)| OpeningRow {
                    opening: OpeningName::of::<G>(Some(opening)),
                    row: row.into(),
                })
                .collect(),
        }
    }
}
