//! Marks of a review and what they rest on: expected scores, losses, certainty, accuracy.

use std::ops::Neg;

use crate::game::{ScoreKind, WinModel};
use crate::search::{Score, wdl};

/// The mark of a move that gives a part of the expected score away.
///
/// ```
/// use juzhong::review::{Mark, mean_accuracy, move_accuracy};
///
/// assert_eq!(Mark::of_loss(0.04), None);
/// assert_eq!(Mark::of_loss(0.12), Some(Mark::Mistake));
/// assert_eq!((Mark::Blunder.sign(), Mark::Blunder.nag()), ("??", 4));
/// assert!(move_accuracy(0.0) > 99.9 && move_accuracy(0.3) < 30.0);
/// assert_eq!(mean_accuracy(&[90.0, 70.0]), Some(80.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// At least 0.05.
    Inaccuracy,
    /// At least 0.10.
    Mistake,
    /// At least 0.20.
    Blunder,
}

impl Mark {
    /// All marks, the slightest first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The least loss of expected score, of 1, that has this mark: the thresholds of chess.com's classification by
    /// expected points.
    #[must_use]
    pub const fn least_loss(self) -> f64 {
        match self {
            Self::Inaccuracy => 0.05,
            Self::Mistake => 0.10,
            Self::Blunder => 0.20,
        }
    }

    /// The mark of a loss of expected score; `None` where it is too small for one.
    #[must_use]
    pub fn of_loss(loss: f64) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|mark| loss >= mark.least_loss())
    }

    /// `inaccuracy`, `mistake` or `blunder`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// `?!`, `?` or `??`.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The numeric annotation glyph of PGN: 6, 2 or 4.
    #[must_use]
    pub const fn nag(self) -> u8 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }
}

/// The certainty of a mark, or of its absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// A second look has found a loss too small for the mark that the first one gave: the move has none.
    Withdrawn,
    /// The mark that is left when the effort is spent, by a loss that is not much larger than the error of searches.
    Likely,
    /// Several searches, each with more effort than the one before, leave no doubt that there is a mark.
    Stable,
    /// It follows from endgame tables, from the end of the game, or from a mate that was found.
    Proved,
}

impl Certainty {
    /// `withdrawn`, `likely`, `stable` or `proved`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Withdrawn => "withdrawn",
            Self::Likely => "likely",
            Self::Stable => "stable",
            Self::Proved => "proved",
        }
    }
}

/// A score with the chances that its engine states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Valuation {
    /// For the side to move.
    pub score: Score,
    /// The chances of a win, a draw and a loss; `None` where the engine states none, as the own one does, whose scores
    /// have the chances of [`wdl()`].
    pub chances: Option<[u16; 3]>,
}

impl From<Score> for Valuation {
    fn from(score: Score) -> Self {
        Self { score, chances: None }
    }
}

impl Neg for Valuation {
    type Output = Self;
    /// As seen from the other side.
    fn neg(self) -> Self {
        let chances = self.chances.map(|[win, draw, loss]| [loss, draw, win]);
        Self { score: -self.score, chances }
    }
}

impl Valuation {
    /// The expected score, 0 to 1: of what is certain 1, 0.5 or 0, else by the engine's chances, else by the model.
    ///
    /// ```
    /// use juzhong::game::{Heuristics, PHASES};
    /// use juzhong::review::Valuation;
    /// use juzhong::search::Score;
    /// use juzhong::xiangqi::Position;
    ///
    /// let model = &Position::WIN_MODEL;
    /// let stated = Valuation { score: Score::from_eval(30), chances: Some([300, 650, 50]) };
    /// assert_eq!(stated.expected(PHASES, model), 0.625);
    /// assert_eq!((-stated).expected(PHASES, model), 0.375);
    /// // A mate is certain, whatever an engine says beside it.
    /// let mate = Valuation { score: Score::mate_in(3), ..stated };
    /// assert_eq!(mate.expected(PHASES, model), 1.0);
    /// ```
    #[must_use]
    pub fn expected(self, phase: i32, model: &WinModel) -> f64 {
        let chances =
            self.chances.filter(|_| !self.score.is_proved()).map(|each| each.map(f64::from));
        match chances {
            Some([win, draw, loss]) if win + draw + loss > 0.0 => {
                (win + draw / 2.0) / (win + draw + loss)
            }
            _ => expected_score(self.score, phase, model),
        }
    }

    /// Of a score a ply later for the other side: the score before it, for the side that made the move. Plies to mate
    /// count one more.
    #[must_use]
    pub(crate) fn before(self) -> Self {
        let score = match (-self.score).kind() {
            ScoreKind::MateIn(plies) => Score::mate_in(plies as usize + 1),
            ScoreKind::MatedIn(plies) => Score::mated_in(plies as usize + 1),
            _ => -self.score,
        };
        Self { score, ..-self }
    }
}

/// The loss of expected score from one valuation to another, 0 to 1. An early verdict is no ground for one: the loser
/// may still leave the loop.
pub(crate) fn loss_between(from: Valuation, to: Valuation, phase: i32, model: &WinModel) -> f64 {
    if from.score.is_early() || to.score.is_early() {
        return 0.0;
    }
    (from.expected(phase, model) - to.expected(phase, model)).max(0.0)
}

/// The expected score, 0 to 1, of the side that `score` is for: chances of a win and half of those of a draw, by the
/// model of [`wdl()`].
#[must_use]
pub fn expected_score(score: Score, phase: i32, model: &WinModel) -> f64 {
    let [win, draw, _] = wdl(score, phase, model);
    (2.0 * f64::from(win) + f64::from(draw)) / 2_000.0
}

/// The accuracy of a move, 0 to 100, by the loss of expected score, of 1: lichess's published formula
/// `103.1668 * exp(-0.04354 * (before - after)) - 3.1669`, with both in percent and cut to the range
/// (<https://lichess.org/page/accuracy>). The expected scores are this program's, not lichess's.
#[must_use]
pub fn move_accuracy(loss: f64) -> f64 {
    (103.1668 * (-0.04354 * 100.0 * loss.max(0.0)).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The accuracy of a side: the mean of its moves' accuracies; `None` without moves.
#[must_use]
pub fn mean_accuracy(moves: &[f64]) -> Option<f64> {
    (!moves.is_empty()).then(|| moves.iter().sum::<f64>() / moves.len() as f64)
}

/// The largest number of centipawns that counts for a loss; mates and wins by tables count as much.
const MOST_CENTIPAWNS: i32 = 1_000;

/// A score in centipawns as it counts for a loss.
pub(crate) fn counted_centipawns(score: Score) -> i32 {
    score.value().clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Heuristics, PHASES};
    use crate::xiangqi::Position;

    const MODEL: &WinModel = &Position::WIN_MODEL;

    #[test]
    fn marks_begin_at_their_losses() {
        assert_eq!(Mark::of_loss(0.0), None);
        assert_eq!(Mark::of_loss(0.0499), None);
        for mark in Mark::ALL {
            assert_eq!(Mark::of_loss(mark.least_loss()), Some(mark));
        }
        assert_eq!(Mark::of_loss(0.1999), Some(Mark::Mistake));
        assert_eq!(Mark::of_loss(1.0), Some(Mark::Blunder));
        assert_eq!(Mark::ALL.map(Mark::nag), [6, 2, 4]);
    }

    #[test]
    fn expected_scores_of_both_sides_add_up() {
        for value in (-900..900).step_by(50) {
            let score = Score::from_eval(value);
            let sum = expected_score(score, PHASES, MODEL) + expected_score(-score, PHASES, MODEL);
            assert!((sum - 1.0).abs() < 1e-9, "{value}: {sum}");
        }
        assert_eq!(expected_score(Score::DRAW, 0, MODEL), 0.5);
        assert_eq!(expected_score(Score::mate_in(3), 0, MODEL), 1.0);
        assert_eq!(expected_score(Score::table_loss(3), 0, MODEL), 0.0);
    }

    #[test]
    fn a_score_a_ply_later_is_one_of_the_mover() {
        for (after, before) in [
            (Score::from_eval(40), Score::from_eval(-40)),
            (Score::mated_in(4), Score::mate_in(5)),
            (Score::mate_in(5), Score::mated_in(6)),
            (Score::table_win(9), Score::table_loss(9)),
        ] {
            assert_eq!(Valuation::from(after).before().score, before);
        }
    }

    fn loss(from: Valuation, to: Valuation) -> f64 {
        loss_between(from, to, PHASES, MODEL)
    }

    #[test]
    fn nothing_is_lost_by_an_early_verdict() {
        let [early, good, bad] =
            [Score::early_win(4), Score::from_eval(300), Score::from_eval(-300)]
                .map(Valuation::from);
        assert!(loss(good, bad) > 0.2);
        assert_eq!([loss(bad, good), loss(early, bad), loss(good, -early)], [0.0; 3]);
    }

    #[test]
    fn accuracy_falls_with_the_loss() {
        assert!(move_accuracy(0.0) > 99.99);
        assert!(move_accuracy(-0.5) > 99.99);
        assert_eq!(move_accuracy(1.0), 0.0);
        // The published formula at 10 percent: 103.1668 e^-0.4354 - 3.1669.
        assert!((move_accuracy(0.1) - 63.58).abs() < 0.01, "{}", move_accuracy(0.1));
        let falls = (0..100).all(|n| {
            move_accuracy(f64::from(n) / 100.0) >= move_accuracy(f64::from(n + 1) / 100.0)
        });
        assert!(falls);
    }

    #[test]
    fn the_accuracy_of_a_side_is_the_mean() {
        assert_eq!(mean_accuracy(&[]), None);
        assert_eq!(mean_accuracy(&[100.0, 50.0]), Some(75.0));
    }

    #[test]
    fn centipawns_count_up_to_ten_pawns() {
        assert_eq!(counted_centipawns(Score::from_eval(-34)), -34);
        assert_eq!(counted_centipawns(Score::mate_in(3)), 1_000);
        assert_eq!(counted_centipawns(Score::table_loss(3)), -1_000);
    }
}
