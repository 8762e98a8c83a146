//! Scores of the search: evaluations, mates by plies, wins and losses of tablebases.

use std::fmt;
use std::ops::{Add, Neg, Sub};

use crate::game::ScoreKind;
use crate::search::tablebase_probe::{MAX_TABLE_DISTANCE, TableValue};

/// Plies that a search line may have, quiescence included.
pub const MAX_PLY: usize = 128;

/// The score of a position for the side to move, in centipawns; wins known by mate or by tablebase
/// lie in ranges of their own above every evaluation. Fits 16 bits.
///
/// | range (absolute)        | meaning                                        |
/// |-------------------------|------------------------------------------------|
/// | 0 to 20,000             | evaluation                                     |
/// | 22,000 less some plies  | decided by an [early verdict](Self::early_win) |
/// | 24,000 less some plies  | won by tablebase, its distance included        |
/// | 30,000 less some plies  | mate, its distance included                    |
/// | 32,000                  | infinite: outside every score                  |
///
/// ```
/// use juzhong::game::ScoreKind;
/// use juzhong::search::Score;
///
/// assert_eq!(Score::from_eval(35).kind(), ScoreKind::Centipawns(35));
/// assert_eq!(Score::mate_in(5).kind(), ScoreKind::MateIn(5));
/// // The nearer mate is better, and every mate better than every evaluation.
/// assert!(Score::mate_in(3) > Score::mate_in(5) && Score::mate_in(99) > Score::from_eval(20_000));
/// assert_eq!(-Score::mate_in(4), Score::mated_in(4));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

impl Score {
    /// Nobody is better.
    pub const DRAW: Self = Self(0);
    /// Above every score.
    pub const INFINITE: Self = Self(32_000);

    const MATE: i32 = 30_000;
    const TABLE: i32 = ScoreKind::TABLE;
    const EARLY: i32 = 22_000;
    const EVAL: i32 = 20_000;
    const PLIES: i32 = 1_000;

    /// An evaluation in centipawns, cut to the range that evaluations have.
    #[must_use]
    pub const fn from_eval(centipawns: i32) -> Self {
        if centipawns > Self::EVAL {
            Self(Self::EVAL)
        } else if centipawns < -Self::EVAL {
            Self(-Self::EVAL)
        } else {
            Self(centipawns)
        }
    }

    /// The side to move wins `ply` plies from the root.
    #[must_use]
    pub const fn mate_in(ply: usize) -> Self {
        Self(Self::MATE - signed(ply))
    }

    /// The side to move loses `ply` plies from the root.
    #[must_use]
    pub const fn mated_in(ply: usize) -> Self {
        Self(signed(ply) - Self::MATE)
    }

    /// A win of the side to move by a tablebase, with a distance that ends `ply` plies from the root.
    #[must_use]
    pub const fn table_win(ply: usize) -> Self {
        Self(Self::TABLE - signed(ply))
    }

    /// A loss of the side to move by a tablebase, with a distance that ends `ply` plies from the root.
    #[must_use]
    pub const fn table_loss(ply: usize) -> Self {
        Self(signed(ply) - Self::TABLE)
    }

    /// The side to move wins `ply` plies from the root by an early verdict on a loop
    /// ([`Judgement::early`](crate::game::Judgement::early)): no result, for the loser may leave the loop, but
    /// above every evaluation.
    #[must_use]
    pub const fn early_win(ply: usize) -> Self {
        Self(Self::EARLY - signed(ply))
    }

    /// The side to move loses `ply` plies from the root by an early verdict on a loop.
    #[must_use]
    pub const fn early_loss(ply: usize) -> Self {
        Self(signed(ply) - Self::EARLY)
    }

    /// The score of a tablebase value `ply` plies from the root, the better the nearer the end is.
    /// Distances count up to [`MAX_TABLE_DISTANCE`].
    #[must_use]
    pub fn of_table(value: TableValue, ply: usize) -> Self {
        match value {
            TableValue::Mate(plies) => Self::mate_in(away(ply, plies)),
            TableValue::Win(plies) => Self::table_win(away(ply, plies)),
            TableValue::Draw => Self::DRAW,
            TableValue::Loss(plies) => Self::table_loss(away(ply, plies)),
            TableValue::Mated(plies) => Self::mated_in(away(ply, plies)),
        }
    }

    /// The meaning of the score.
    #[must_use]
    pub const fn kind(self) -> ScoreKind {
        let size = self.0.abs();
        let won = self.0 > 0;
        if size > Self::MATE - Self::PLIES {
            let plies = (Self::MATE - size).unsigned_abs();
            if won { ScoreKind::MateIn(plies) } else { ScoreKind::MatedIn(plies) }
        } else if size > Self::TABLE - Self::PLIES {
            let plies = (Self::TABLE - size).unsigned_abs();
            if won { ScoreKind::TableWin(plies) } else { ScoreKind::TableLoss(plies) }
        } else {
            ScoreKind::Centipawns(self.0)
        }
    }

    /// The number itself: centipawns within the evaluation's range.
    #[must_use]
    pub const fn value(self) -> i32 {
        self.0
    }

    /// Returns true if it is a mate, a tablebase result or an early verdict, not an evaluation.
    #[must_use]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > Self::EARLY - Self::PLIES
    }

    /// Returns true if it is a mate or a tablebase result.
    #[must_use]
    pub const fn is_proved(self) -> bool {
        self.0.abs() > Self::TABLE - Self::PLIES
    }

    /// Returns true if it rests on an early verdict: the search expects that side to win by the rules on
    /// repetition, and has not proved it. Its [kind](Self::kind) is centipawns.
    #[must_use]
    pub const fn is_early(self) -> bool {
        self.is_decisive() && !self.is_proved()
    }

    /// Returns true if it is decided against the side to move, be it by an early verdict.
    #[must_use]
    pub const fn is_lost(self) -> bool {
        self.0 < Self::PLIES - Self::EARLY
    }

    /// The score as seen from the position itself, `ply` plies after the root, as the transposition
    /// table stores it.
    #[must_use]
    pub(crate) const fn to_local(self, ply: usize) -> Self {
        if !self.is_decisive() {
            self
        } else if self.0 > 0 {
            Self(self.0 + signed(ply))
        } else {
            Self(self.0 - signed(ply))
        }
    }

    /// The inverse of [`to_local`](Self::to_local).
    #[must_use]
    pub(crate) const fn to_global(self, ply: usize) -> Self {
        if !self.is_decisive() {
            self
        } else if self.0 > 0 {
            Self(self.0 - signed(ply))
        } else {
            Self(self.0 + signed(ply))
        }
    }

    /// The 16 bits that the transposition table stores.
    #[must_use]
    pub(crate) const fn bits(self) -> u16 {
        (self.0 as i16).cast_unsigned()
    }

    /// The inverse of [`bits`](Self::bits).
    #[must_use]
    pub(crate) const fn from_bits(bits: u16) -> Self {
        Self(bits.cast_signed() as i32)
    }
}

/// Plies from the root to the end of a distance, as far as scores distinguish it.
fn away(ply: usize, plies: u16) -> usize {
    ply + usize::from(plies.min(MAX_TABLE_DISTANCE))
}

/// A ply as a signed number; plies are small.
const fn signed(ply: usize) -> i32 {
    (ply as u32).cast_signed()
}

impl Neg for Score {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Self;
    /// A score raised by a margin.
    fn add(self, margin: i32) -> Self {
        Self((self.0 + margin).min(Self::INFINITE.0))
    }
}

impl Sub<i32> for Score {
    type Output = Self;
    /// A score lowered by a margin.
    fn sub(self, margin: i32) -> Self {
        Self((self.0 - margin).max(-Self::INFINITE.0))
    }
}

impl fmt::Display for Score {
    /// As its [kind](Score::kind).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn early_verdicts_are_between_evaluations_and_results() {
        for ply in [0, 1, MAX_PLY] {
            let (win, loss) = (Score::early_win(ply), Score::early_loss(ply));
            assert_eq!(win, -loss);
            assert!(win > Score::from_eval(i32::MAX) && win < Score::table_win(MAX_PLY));
            assert!(win.is_decisive() && win.is_early() && !win.is_proved() && !win.is_lost());
            assert!(loss.is_lost() && loss.is_early());
            assert_eq!(win.kind(), ScoreKind::Centipawns(win.value()));
        }
        for score in [Score::mate_in(3), Score::table_loss(90), Score::from_eval(99_999)] {
            assert!(!score.is_early(), "{score}");
        }
    }

    #[test]
    fn kinds_and_texts() {
        assert_eq!(Score::mate_in(3).kind(), ScoreKind::MateIn(3));
        assert_eq!((-Score::mate_in(3)).kind(), ScoreKind::MatedIn(3));
        assert_eq!(Score::table_loss(7).kind(), ScoreKind::TableLoss(7));
        assert_eq!((-Score::table_loss(7)).kind(), ScoreKind::TableWin(7));
        assert_eq!(Score::from_eval(1_000_000).kind(), ScoreKind::Centipawns(20_000));
        assert_eq!(Score::mate_in(5).to_string(), "mate 3");
        assert_eq!(Score::mated_in(4).to_string(), "mate -2");
        assert_eq!(Score::mated_in(0).to_string(), "mate 0");
        assert_eq!(Score::from_eval(-34).to_string(), "cp -34");
    }

    proptest! {
        #[test]
        fn points_of_view_are_inverse(value in -20_000..20_000, ply in 0..MAX_PLY, away in 0..MAX_PLY) {
            for score in [
                Score::from_eval(value),
                Score::mate_in(ply + away),
                Score::mated_in(ply + away),
                Score::table_win(ply + away),
                Score::table_loss(ply + away),
                Score::early_win(ply + away),
                Score::early_loss(ply + away),
            ] {
                prop_assert_eq!(score.to_local(ply).to_global(ply), score);
                prop_assert_eq!(Score::from_bits(score.bits()), score);
                prop_assert_eq!(-(-score), score);
            }
        }
    }
}
