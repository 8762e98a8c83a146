//! Sums over the reviews of many games: by player, by opening, by phase.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;

use super::game_review::{GameReview, ReviewedMove};
use super::marks::Mark;
use super::phases::GamePhase;
use crate::book::opening::Opening;
use crate::game::{Game, Side};
use crate::record::Record;

/// Losses and accuracies are added as whole numbers of these parts, so that the order of games changes nothing.
const PARTS: f64 = 1e6;

/// The sums of some moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SummarySums {
    /// Moves.
    pub moves: u64,
    /// Moves with each mark, in the order of [`Mark::ALL`].
    pub marks: [u64; 3],
    lost: u64,
    accuracy: u64,
}

impl SummarySums {
    fn add<M: Copy + PartialEq>(&mut self, reviewed: &ReviewedMove<M>) {
        self.moves += 1;
        self.lost += parts(reviewed.loss());
        self.accuracy += parts(reviewed.accuracy);
        if let Some(mark) = reviewed.mark {
            self.marks[mark as usize] += 1;
        }
    }

    /// The expected score lost: points.
    #[must_use]
    pub fn lost(&self) -> f64 {
        self.lost as f64 / PARTS
    }

    /// The mean accuracy, 0 to 100; `None` without moves.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.accuracy as f64 / PARTS / self.moves as f64)
    }

    /// Moves with that mark.
    #[must_use]
    pub const fn marked(&self, mark: Mark) -> u64 {
        self.marks[mark as usize]
    }
}

/// A loss or an accuracy in [`PARTS`].
fn parts(value: f64) -> u64 {
    (value * PARTS).round() as u64
}

impl AddAssign for SummarySums {
    fn add_assign(&mut self, other: Self) {
        self.moves += other.moves;
        self.lost += other.lost;
        self.accuracy += other.accuracy;
        for (own, others) in self.marks.iter_mut().zip(other.marks) {
            *own += others;
        }
    }
}

/// The sums of a player, or of the games of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SummaryRow {
    /// Games.
    pub games: u64,
    /// The moves of each phase, in the order of [`GamePhase::ALL`].
    pub phases: [SummarySums; 3],
}

impl SummaryRow {
    /// The sums of all phases.
    #[must_use]
    pub fn all(&self) -> SummarySums {
        let mut sums = SummarySums::default();
        self.phases.iter().for_each(|&phase| sums += phase);
        sums
    }

    fn add<M: Copy + PartialEq>(&mut self, reviewed: &ReviewedMove<M>) {
        self.phases[reviewed.phase as usize].add(reviewed);
    }
}

/// The sums of the reviews of many games.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Of all games.
    pub all: SummaryRow,
    players: BTreeMap<String, SummaryRow>,
    openings: BTreeMap<String, (Opening, SummaryRow)>,
}

impl Summary {
    /// Adds a game.
    ///
    /// ```
    /// use juzhong::game::{BySide, Game};
    /// use juzhong::record::Formats;
    /// use juzhong::review::{GameReview, Summary};
    /// use juzhong::xiangqi::Position;
    ///
    /// let mut games = Vec::new();
    /// Position::read_records("a.pgn", b"[Red \"Hu\"]\n\n1. h2e2 *\n", &mut |game| games.extend(game.ok()));
    /// let (moves, sides) = (Vec::new(), BySide::default());
    /// let review = GameReview { moves, book_exit: None, sides, turning_point: None };
    ///
    /// let mut summary = Summary::default();
    /// summary.add(&games[0].record, &review, None);
    /// assert_eq!(summary.all.games, 1);
    /// assert_eq!(summary.players().next().unwrap().0, "Hu");
    /// ```
    pub fn add<G: Game>(
        &mut self,
        record: &Record<G>,
        review: &GameReview<G::Move>,
        opening: Option<Opening>,
    ) {
        self.all.games += 1;
        review.moves.iter().for_each(|reviewed| self.all.add(reviewed));
        if let Some(opening) = opening {
            let code = opening.code.to_string();
            let (_, row) =
                self.openings.entry(code).or_insert_with(|| (opening, SummaryRow::default()));
            row.games += 1;
            review.moves.iter().for_each(|reviewed| row.add(reviewed));
        }
        for side in Side::ALL {
            let Some(name) = player(record, side) else { continue };
            let row = self.players.entry(name).or_default();
            row.games += 1;
            review.moves.iter().filter(|m| m.side == side).for_each(|m| row.add(m));
        }
    }

    /// The players, those with most games first, of equals by name.
    pub fn players(&self) -> impl Iterator<Item = (&str, &SummaryRow)> {
        let mut rows: Vec<_> =
            self.players.iter().map(|(name, row)| (name.as_str(), row)).collect();
        rows.sort_by_key(|(_, row)| Reverse(row.games));
        rows.into_iter()
    }

    /// The openings, those with most games first, of equals by code.
    pub fn openings(&self) -> impl Iterator<Item = (Opening, &SummaryRow)> {
        let mut rows: Vec<_> =
            self.openings.values().map(|(opening, row)| (*opening, row)).collect();
        rows.sort_by_key(|(_, row)| Reverse(row.games));
        rows.into_iter()
    }

    /// The phases of all games.
    pub fn phases(&self) -> impl Iterator<Item = (GamePhase, &SummarySums)> {
        GamePhase::ALL.into_iter().zip(&self.all.phases)
    }
}

/// The name of a side's player, if the record has one.
fn player<G: Game>(record: &Record<G>, side: Side) -> Option<String> {
    let tag = match (G::BLACK, side) {
        (Side::Second, Side::First) => "red",
        (Side::First, Side::Second) => "white",
        _ => "black",
    };
    let name = record.tag(tag)?.trim();
    (!name.is_empty() && name != "?").then(|| name.to_owned())
}
