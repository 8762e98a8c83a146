//! UCCI's scores are plain numbers: a mate is 10,000 less its plies, as ElephantEye writes it.

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

/// An engine's score of a position, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineScore {
    /// In centipawns.
    Centipawns(i32),
    /// Mate in this many moves of the winner; negative or 0 if the side to move is mated.
    Mate(i32),
}

/// A win by mate after `plies` plies; a loss is the negative of it.
pub(in crate::protocol) fn mate(plies: u32) -> i32 {
    MATE - plies.min(LONGEST_MATE as u32).cast_signed()
}

/// A win by tablebase after `plies` plies.
pub(in crate::protocol) fn table(plies: u32) -> i32 {
    TABLE - plies.min(LONGEST_TABLE).cast_signed()
}

/// An evaluation in centipawns.
pub(in crate::protocol) const fn evaluation(centipawns: i32) -> i32 {
    if centipawns > EVALUATION {
        EVALUATION
    } else if centipawns < -EVALUATION {
        -EVALUATION
    } else {
        centipawns
    }
}

impl EngineScore {
    /// The score as comments on moves have it: `+0.31`, `-M5`.
    pub(crate) fn to_comment(self) -> String {
        match self {
            Self::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
            Self::Mate(moves @ 1..) => format!("+M{moves}"),
            Self::Mate(moves) => format!("-M{}", moves.unsigned_abs()),
        }
    }

    /// The score that a comment states; `None` if it states none.
    pub(crate) fn of_comment(text: &str) -> Option<Self> {
        if let Some(moves) = text.strip_prefix("+M") {
            return moves.parse().ok().filter(|&moves| moves > 0).map(Self::Mate);
        }
        if let Some(moves) = text.strip_prefix("-M") {
            return moves
                .parse()
                .ok()
                .filter(|&moves: &i32| moves >= 0)
                .map(|moves| Self::Mate(-moves));
        }
        let pawns = text.parse::<f64>().ok().filter(|pawns| pawns.is_finite())?;
        Some(Self::Centipawns((100.0 * pawns).round() as i32))
    }

    /// The meaning of a score of UCCI.
    pub(in crate::protocol) fn of_ucci(number: i32) -> Self {
        let plies = MATE.saturating_sub(number.saturating_abs());
        match plies {
            0..=LONGEST_MATE if number > 0 => Self::Mate((plies + 1) / 2),
            0..=LONGEST_MATE => Self::Mate(-((plies + 1) / 2)),
            _ => Self::Centipawns(number),
        }
    }

    /// As UCCI writes it.
    pub(crate) fn to_ucci(self) -> i32 {
        match self {
            Self::Centipawns(value) => evaluation(value),
            Self::Mate(moves @ 1..) => mate(moves.unsigned_abs().saturating_mul(2) - 1),
            Self::Mate(moves) => -mate(moves.unsigned_abs().saturating_mul(2)),
        }
    }

    /// As UCI writes it, after the word `score`.
    pub(crate) fn to_uci(self) -> String {
        match self {
            Self::Centipawns(value) => format!("cp {value}"),
            Self::Mate(moves) => format!("mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_mates_score_higher() {
        let mates = [1, 2, -1, -2, 0].map(EngineScore::Mate);
        assert_eq!(mates.map(EngineScore::to_ucci), [9999, 9997, -9998, -9996, -10_000]);
        for mate in &mates[..4] {
            assert_eq!(EngineScore::of_ucci(mate.to_ucci()), *mate);
        }
        assert_eq!(EngineScore::of_ucci(300).to_uci(), "cp 300");
        assert_eq!(EngineScore::of_ucci(-9998).to_uci(), "mate -1");
        assert_eq!(EngineScore::of_ucci(i32::MIN), EngineScore::Centipawns(i32::MIN));
        assert_eq!(EngineScore::Mate(i32::MIN).to_ucci(), -9800);
        assert_eq!(EngineScore::Mate(i32::MAX).to_ucci(), 9800);
    }

    #[test]
    fn comments_tell_the_score_that_was_written() {
        let scores = [0, 31, -5, 1_234_567, -3_000].map(EngineScore::Centipawns);
        let mates = [1, 12, 0, -7].map(EngineScore::Mate);
        for score in scores.into_iter().chain(mates) {
            assert_eq!(EngineScore::of_comment(&score.to_comment()), Some(score));
        }
        for text in ["", "?", "+M", "+M0", "-M-3", "M5", "NaN", "inf", "good!"] {
            assert_eq!(EngineScore::of_comment(text), None, "{text}");
        }
    }
}
