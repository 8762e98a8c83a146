//! Scores in texts other than UCI's. UCCI's are plain numbers: a mate is 10,000 less its plies, as ElephantEye
//! writes it.

use crate::game::ScoreKind;

/// A mate is this less its plies.
const MATE: i32 = 10_000;
/// Plies of a mate at most.
const LONGEST_MATE: i32 = 200;
/// A win by tablebase is this less its plies.
const TABLE: i32 = 9_500;
/// Plies of a win by tablebase at most.
const LONGEST_TABLE: u32 = 999;
/// The largest evaluation.
const EVALUATION: i32 = 8_500;

/// A win by mate after `plies` plies; a loss is the negative of it.
fn mate(plies: u32) -> i32 {
    MATE - plies.min(LONGEST_MATE as u32).cast_signed()
}

/// A win by tablebase after `plies` plies.
fn table(plies: u32) -> i32 {
    TABLE - plies.min(LONGEST_TABLE).cast_signed()
}

/// An evaluation in centipawns.
const fn evaluation(centipawns: i32) -> i32 {
    if centipawns > EVALUATION {
        EVALUATION
    } else if centipawns < -EVALUATION {
        -EVALUATION
    } else {
        centipawns
    }
}

/// The score as comments on moves have it: `+0.31`, `-M5`.
pub(crate) fn to_comment(score: ScoreKind) -> String {
    match score {
        ScoreKind::Centipawns(value) => pawns(value),
        ScoreKind::MateIn(plies) => format!("+M{}", plies.div_ceil(2)),
        ScoreKind::MatedIn(plies) => format!("-M{}", plies.div_ceil(2)),
        ScoreKind::TableWin(plies) => pawns(table(plies)),
        ScoreKind::TableLoss(plies) => pawns(-table(plies)),
    }
}

/// Centipawns as pawns, with a sign.
fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}

/// The score that a comment states; `None` if it states none.
pub(crate) fn of_comment(text: &str) -> Option<ScoreKind> {
    if let Some(moves) = text.strip_prefix("+M") {
        return moves.parse().ok().filter(|&moves| moves > 0).map(ScoreKind::mate);
    }
    if let Some(moves) = text.strip_prefix("-M") {
        let moves = moves.parse().ok().filter(|&moves: &i32| moves >= 0);
        return moves.map(|moves| ScoreKind::mate(-moves));
    }
    let pawns = text.parse::<f64>().ok().filter(|pawns| pawns.is_finite())?;
    Some(ScoreKind::Centipawns((100.0 * pawns).round() as i32))
}

/// The meaning of a score of UCCI.
pub(crate) fn of_ucci(number: i32) -> ScoreKind {
    let plies = MATE.saturating_sub(number.saturating_abs());
    match plies {
        0..=LONGEST_MATE if number > 0 => ScoreKind::mate((plies + 1) / 2),
        0..=LONGEST_MATE => ScoreKind::mate(-((plies + 1) / 2)),
        _ => ScoreKind::Centipawns(number),
    }
}

/// The score as UCCI writes it: a plain number.
pub(crate) fn to_ucci(score: ScoreKind) -> i32 {
    match score {
        ScoreKind::Centipawns(value) => evaluation(value),
        ScoreKind::MateIn(plies) => mate(plies),
        ScoreKind::MatedIn(plies) => -mate(plies),
        ScoreKind::TableWin(plies) => table(plies),
        ScoreKind::TableLoss(plies) => -table(plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_mates_score_higher() {
        let mates = [1, 2, -1, -2, 0].map(ScoreKind::mate);
        assert_eq!(mates.map(to_ucci), [9999, 9997, -9998, -9996, -10_000]);
        for mate in &mates[..4] {
            assert_eq!(of_ucci(to_ucci(*mate)), *mate);
        }
        assert_eq!(of_ucci(300).to_string(), "cp 300");
        assert_eq!(of_ucci(-9998).to_string(), "mate -1");
        assert_eq!(of_ucci(i32::MIN), ScoreKind::Centipawns(i32::MIN));
        assert_eq!(to_ucci(ScoreKind::mate(i32::MIN)), -9800);
        assert_eq!(to_ucci(ScoreKind::mate(i32::MAX)), 9800);
        assert_eq!(ScoreKind::mate(i32::MIN).to_string(), "mate -2147483648");
        assert_eq!(ScoreKind::mate(i32::MAX).to_string(), "mate 2147483647");
    }

    #[test]
    fn scores_of_ucci_are_numbers_in_ranges_of_their_own() {
        let scores = [
            (ScoreKind::Centipawns(-34), -34),
            (ScoreKind::Centipawns(20_000), 8_500),
            (ScoreKind::MateIn(3), 9_997),
            (ScoreKind::MatedIn(4), -9_996),
            (ScoreKind::TableWin(7), 9_493),
            (ScoreKind::TableLoss(999), -8_501),
        ];
        for (score, number) in scores {
            assert_eq!(to_ucci(score), number);
        }
    }

    #[test]
    fn comments_tell_the_score_that_was_written() {
        let scores = [0, 31, -5, 1_234_567, -3_000].map(ScoreKind::Centipawns);
        let mates = [1, 12, 0, -7].map(ScoreKind::mate);
        for score in scores.into_iter().chain(mates) {
            assert_eq!(of_comment(&to_comment(score)), Some(score));
        }
        for text in ["", "?", "+M", "+M0", "-M-3", "M5", "NaN", "inf", "good!"] {
            assert_eq!(of_comment(text), None, "{text}");
        }
    }
}
