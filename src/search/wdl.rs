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
            let gone = f64::from(PHASES - phase.clamp(0, PHASES)) / f64::from(PHASES);
            let centre = model.centre + model.centre_ending * gone;
            let value = f64::from(value);
            let win = chance(value, centre, model).round() as u16;
            let loss = chance(-value, centre, model).round() as u16;
            [win, 1_000_u16.saturating_sub(win + loss), loss]
        }
    }
}

/// The chance, of 1,000, that a value stands for.
fn chance(value: f64, centre: f64, model: &WinModel) -> f64 {
    1_000.0 / (1.0 + ((centre - value) / model.spread).exp())
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
}
