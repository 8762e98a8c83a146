//! Scores as books and other programs state them, and how a stated value relates to the true one.

use std::fmt;
use std::ops::Neg;

/// The relation of a stated score or value to the true one.
///
/// ```
/// use juzhong::game::Bound;
///
/// // What is at least so much for one side is at most so much for the other.
/// assert_eq!(-Bound::Lower, Bound::Upper);
/// assert_eq!(-Bound::Exact, Bound::Exact);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Bound {
    /// It is the true one, as far as the source is able to determine.
    #[default]
    Exact = 1,
    /// The true one is as good or better.
    Lower = 2,
    /// The true one is as bad or worse.
    Upper = 3,
}

impl Bound {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Lower, Self::Upper];

    /// `exact`, `lower` or `upper`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lower => "lower",
            Self::Upper => "upper",
        }
    }
}

impl Neg for Bound {
    type Output = Self;
    /// As seen from the other side.
    fn neg(self) -> Self {
        match self {
            Self::Exact => Self::Exact,
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
}

/// The meaning of an engine's score of a position, for the side to move: of this program's search as of any
/// other engine. Plies count from the position.
///
/// ```
/// use juzhong::game::ScoreKind;
///
/// assert_eq!(ScoreKind::mate(3), ScoreKind::MateIn(5));
/// assert_eq!(ScoreKind::mate(-2), ScoreKind::MatedIn(4));
/// assert_eq!(ScoreKind::MateIn(5).to_string(), "mate 3");
/// assert_eq!(ScoreKind::Centipawns(-34).to_string(), "cp -34");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScoreKind {
    /// An evaluation.
    Centipawns(i32),
    /// The side to move wins in this number of plies.
    MateIn(u32),
    /// The side to move loses in this number of plies.
    MatedIn(u32),
    /// The side to move wins by a tablebase: plies to it and the tablebase's own distance together.
    TableWin(u32),
    /// The side to move loses by a tablebase: plies to it and the tablebase's own distance together.
    TableLoss(u32),
}

impl ScoreKind {
    /// A win by tablebase in centipawns, less its plies.
    pub(crate) const TABLE: i32 = 24_000;

    /// Mate in this many moves of the winner, as protocols count; negative or 0 if the side to move is mated.
    #[must_use]
    pub const fn mate(moves: i32) -> Self {
        let plies = moves.unsigned_abs().saturating_mul(2);
        if moves > 0 { Self::MateIn(plies - 1) } else { Self::MatedIn(plies) }
    }
}

impl fmt::Display for ScoreKind {
    /// As UCI writes it: `cp 34`, `mate 3` (moves), `mate -2`; tablebase results as large `cp`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::MateIn(plies) => write!(f, "mate {}", plies.div_ceil(2)),
            Self::MatedIn(0) => f.write_str("mate 0"),
            Self::MatedIn(plies) => write!(f, "mate -{}", plies.div_ceil(2)),
            Self::Centipawns(value) => write!(f, "cp {value}"),
            Self::TableWin(plies) => write!(f, "cp {}", table_centipawns(plies)),
            Self::TableLoss(plies) => write!(f, "cp {}", -table_centipawns(plies)),
        }
    }
}

/// The centipawns of a win by tablebase in that number of plies.
fn table_centipawns(plies: u32) -> i64 {
    // In 64 bits: `plies` may be any 32-bit number, so that the difference may leave the range of 32 bits.
    i64::from(ScoreKind::TABLE) - i64::from(plies)
}
