//! Numbers of a review: expected scores, marks, accuracy.

use crate::game::WinModel;
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
