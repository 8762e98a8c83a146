//! Scores as answers have them: centipawns, or moves to mate, or a result by endgame tables.

use serde::Serialize;

use crate::game::ScoreKind;
use crate::search::Score;

/// The moves to mate of a score: negative if the side that it is for is mated, `None` if it is no mate.
///
/// ```
/// use juzhong::answers::moves_to_mate;
/// use juzhong::search::Score;
///
/// assert_eq!(moves_to_mate(Score::mate_in(5)), Some(3));
/// assert_eq!(moves_to_mate(Score::mated_in(4)), Some(-2));
/// assert_eq!(moves_to_mate(Score::from_eval(34)), None);
/// ```
#[must_use]
pub fn moves_to_mate(score: Score) -> Option<i64> {
    match score.kind() {
        ScoreKind::MateIn(plies) => Some(moves_of(plies)),
        ScoreKind::MatedIn(plies) => Some(-moves_of(plies)),
        _ => None,
    }
}

/// The moves of the side that gives mate: the last ply is one of them.
fn moves_of(plies: u32) -> i64 {
    i64::from(plies.div_ceil(2))
}

/// A score for the side to move, in centipawns or as moves to mate; the other one is null. A result by tables counts in
/// centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ScoreInNumbers {
    /// The moves to mate, negative if the side to move is mated.
    pub mate: Option<i64>,
    /// Centipawns.
    pub score_cp: Option<i32>,
}

impl From<Score> for ScoreInNumbers {
    fn from(score: Score) -> Self {
        let mate = moves_to_mate(score);
        Self { mate, score_cp: mate.is_none().then(|| score.value()) }
    }
}

/// A score for the side that moves, with the score that is expected by it: of centipawns, moves to mate and the result by
/// tables two are null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ScoreWithExpectation {
    /// The expected score, from 0 for a loss to 1 for a win.
    pub expected: f64,
    /// The moves to mate, negative if the side that moves is mated.
    pub mate: Option<i64>,
    /// Centipawns.
    pub score_cp: Option<i32>,
    /// The result by tables: `win` or `loss`.
    pub table: Option<&'static str>,
}

impl ScoreWithExpectation {
    /// The score, and what is expected by it.
    #[must_use]
    pub fn new(score: Score, expected: f64) -> Self {
        let score_cp = match score.kind() {
            ScoreKind::Centipawns(value) => Some(value),
            _ => None,
        };
        let table = match score.kind() {
            ScoreKind::TableWin(_) => Some("win"),
            ScoreKind::TableLoss(_) => Some("loss"),
            _ => None,
        };
        Self { expected, mate: moves_to_mate(score), score_cp, table }
    }
}

/// A score for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Score"))]
#[serde(untagged)]
pub enum ScoreAnswer {
    /// By the evaluation.
    Centipawns {
        /// Centipawns.
        cp: i32,
    },
    /// A mate.
    Mate {
        /// Moves to mate; negative for the side that is mated.
        mate: i64,
        /// Plies to mate.
        plies: u32,
    },
    /// A result by tables.
    Table {
        /// `win` or `loss`.
        #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "loss"])))]
        table: &'static str,
        /// Plies to it.
        plies: u32,
    },
}

impl From<Score> for ScoreAnswer {
    fn from(score: Score) -> Self {
        match score.kind() {
            ScoreKind::Centipawns(cp) => Self::Centipawns { cp },
            ScoreKind::MateIn(plies) => Self::Mate { mate: moves_of(plies), plies },
            ScoreKind::MatedIn(plies) => Self::Mate { mate: -moves_of(plies), plies },
            ScoreKind::TableWin(plies) => Self::Table { table: "win", plies },
            ScoreKind::TableLoss(plies) => Self::Table { table: "loss", plies },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn in_numbers(score: Score) -> Value {
        serde_json::to_value(ScoreInNumbers::from(score)).unwrap()
    }

    fn with_expectation(score: Score) -> Value {
        serde_json::to_value(ScoreWithExpectation::new(score, 0.5)).unwrap()
    }

    #[test]
    fn a_score_has_one_number() {
        assert_eq!(in_numbers(Score::from_eval(-34)), json!({"mate": null, "score_cp": -34}));
        assert_eq!(in_numbers(Score::mate_in(5)), json!({"mate": 3, "score_cp": null}));
        let by_tables = Score::table_loss(7);
        assert_eq!(in_numbers(by_tables), json!({"mate": null, "score_cp": by_tables.value()}));
    }

    #[test]
    fn a_score_with_expectation_is_of_one_kind() {
        let [cp, mate, table] =
            [Score::from_eval(12), Score::mated_in(2), Score::table_win(3)].map(with_expectation);
        let by = |cp, mate, table| json!({"expected": 0.5, "score_cp": cp, "mate": mate, "table": table});
        assert_eq!(cp, by(Some(12), None, None::<&str>));
        assert_eq!(mate, by(None, Some(-1), None));
        assert_eq!(table, by(None, None, Some("win")));
    }
}
