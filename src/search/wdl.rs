//! Chances of winning, drawing and losing from a score.

use crate::game::{PHASES, ScoreKind, WinModel};
use crate::search::score::Score;

/// The chances that the side to move wins, draws and loses, of 1,000 together.
///
/// The model is logistic in the score: a win is as likely as not at a number of centipawns that
/// grows as pieces disappear (`phase`, from [`PHASES`] down to 0), and a loss is a win seen from
/// the other side. Mates and tablebase results are certain.
///
/// ```
/// use juzhong::game::{Heuristics, PHASES};
/// use juzhong::search::{Score, wdl};
/// use juzhong::xiangqi::Position;
///
/// let chances = wdl(Score::from_eval(120), PHASES, &Position::WIN_MODEL);
/// assert_eq!(chances.iter().sum::<u16>(), 1_000);
/// assert!(chances[0] > chances[2]);
/// assert_eq!(wdl(Score::mate_in(3), PHASES, &Position::WIN_MODEL), [1_000, 0, 0]);
/// ```
#[must_use]
pub fn wdl(score: Score, phase: i32, model: &WinModel) -> [u16; 3] {
    match score.kind() {
        ScoreKind::MateIn(_) | ScoreKind::TableWin(_) => [1_000, 0, 0],
        ScoreKind::MatedIn(_) | ScoreKind::TableLoss(_) => [0, 0, 1_000],
        ScoreKind::Centipawns(value) => {
            let curve = Curve::at(phase, model);
            let [win, loss] = [value, -value].map(|value| curve.permille(value));
            // Each is rounded by itself: together they may make 1,001.
            [win, 1_000_u16.saturating_sub(win + loss), loss]
        }
    }
}

/// The score in Elo: the difference of ratings from which the result is to be expected for which the score stands, half
/// a point for a draw. Scores that are decided stay as they are.
#[must_use]
pub fn elo_score(score: Score, phase: i32, model: &WinModel) -> Score {
    if score.is_decisive() {
        return score;
    }
    let curve = Curve::at(phase, model);
    let [win, loss] = [score.value(), -score.value()].map(|value| curve.odds(value));
    // Expectation 1/2 (1 + W - L) against 1/2 (1 - W + L), each sum as a fraction of the odds, so that neither loses
    // its digits where it is small.
    let part = |up: f64, down: f64| up / (1.0 + up) + 1.0 / (1.0 + down);
    Score::from_eval((400.0 * (part(win, loss) / part(loss, win)).log10()).round() as i32)
}

/// The score in hundredths of the value at which a win is as likely as not. Scores that are decided stay as they are.
#[must_use]
pub fn normal_score(score: Score, phase: i32, model: &WinModel) -> Score {
    if score.is_decisive() {
        return score;
    }
    let centre = Curve::at(phase, model).centre;
    Score::from_eval((100.0 * f64::from(score.value()) / centre).round() as i32)
}

/// The chance of a win by centipawns in one phase.
struct Curve {
    centre: f64,
    spread: f64,
}

impl Curve {
    fn at(phase: i32, model: &WinModel) -> Self {
        let gone = f64::from(PHASES - phase.clamp(0, PHASES)) / f64::from(PHASES);
        Self { centre: model.centre + model.centre_ending * gone, spread: model.spread }
    }

    /// The odds of a win at a value.
    fn odds(&self, value: i32) -> f64 {
        ((f64::from(value) - self.centre) / self.spread).exp()
    }

    /// The chance of a win at a value, of 1,000.
    fn permille(&self, value: i32) -> u16 {
        (1_000.0 / (1.0 + ((self.centre - f64::from(value)) / self.spread).exp())).round() as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Heuristics;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    #[test]
    fn chances_add_up_and_grow_with_the_score() {
        for model in [&Position::WIN_MODEL, &Board::WIN_MODEL] {
            add_up_and_grow(model);
        }
    }

    fn add_up_and_grow(model: &WinModel) {
        for phase in 0..=PHASES {
            let mut last = 0;
            for value in -2_000..=2_000 {
                let [win, draw, loss] = wdl(Score::from_eval(value), phase, model);
                assert_eq!(win + draw + loss, 1_000);
                assert!(win >= last);
                last = win;
                let turned = wdl(Score::from_eval(-value), phase, model);
                assert_eq!(turned, [loss, draw, win]);
            }
        }
        assert_eq!(wdl(Score::mate_in(5), PHASES, model), [1_000, 0, 0]);
        assert_eq!(wdl(Score::table_loss(5), 0, model), [0, 0, 1_000]);
    }

    #[test]
    fn other_scales_agree_with_the_chances() {
        let model = &Position::RESULT_MODEL;
        for phase in [0, 16, PHASES] {
            let mut last = Score::from_eval(-20_000);
            for value in (-2_000..=2_000).step_by(10) {
                let score = Score::from_eval(value);
                let elo = elo_score(score, phase, model);
                assert!(elo >= last && elo_score(-score, phase, model) == -elo, "{value}");
                last = elo;
                let [win, draw, _] = wdl(score, phase, model);
                let expected = 1.0 / (1.0 + 10_f64.powf(-f64::from(elo.value()) / 400.0));
                let points = f64::from(2 * win + draw) / 2_000.0;
                assert!((expected - points).abs() < 0.002, "{value}: {expected} {points}");
            }
            let even =
                (0..2_000).find(|&value| wdl(Score::from_eval(value), phase, model)[0] >= 500);
            let pawn = normal_score(Score::from_eval(even.unwrap()), phase, model);
            assert!((pawn.value() - 100).abs() <= 1, "{pawn}");
        }
        for score in [Score::mate_in(3), Score::early_win(7), Score::table_loss(9)] {
            assert_eq!(elo_score(score, 9, model), score);
            assert_eq!(normal_score(score, 9, model), score);
        }
    }
}
