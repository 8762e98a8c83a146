//! The exact value of a position, and what a prover may claim of it.

use std::fmt;
use std::str::FromStr;

use crate::bytes::StopFlag;
use crate::bytes::clock::Instant;

/// The value of a position for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Value {
    /// It wins.
    Win = 1,
    /// Neither side can win.
    Draw = 2,
    /// The other side wins.
    Loss = 3,
    /// Nothing was proved.
    Unknown = 0,
}

impl Value {
    /// `win`, `draw`, `loss` or `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
        }
    }

    /// The value with that number, the inverse of `as u8`.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Unknown),
            1 => Some(Self::Win),
            2 => Some(Self::Draw),
            3 => Some(Self::Loss),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The way in which a value was proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ProofKind {
    /// A row is complete or can be completed at once, by the side to move or on two points by the other.
    Five = 1,
    /// Continuous fours.
    Vcf = 2,
    /// Continuous threats: fours and threes.
    Threats = 3,
    /// Proof-number search among all moves.
    Pns = 4,
    /// Every line of play to its end.
    Exhaustive = 5,
    /// A complete table of the board.
    Table = 6,
}

impl ProofKind {
    /// All kinds, in the order in which they are tried.
    pub const ALL: [Self; 6] =
        [Self::Five, Self::Vcf, Self::Threats, Self::Pns, Self::Exhaustive, Self::Table];

    /// `five`, `vcf`, `threats`, `pns`, `exhaustive` or `table`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Five => "five",
            Self::Vcf => "vcf",
            Self::Threats => "threats",
            Self::Pns => "pns",
            Self::Exhaustive => "exhaustive",
            Self::Table => "table",
        }
    }

    /// The kind with that number, the inverse of `as u8`.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// Returns true if no play is shorter than the distances that it gives, against the longest defence.
    #[must_use]
    pub const fn is_shortest(self) -> bool {
        matches!(self, Self::Five | Self::Exhaustive | Self::Table)
    }
}

impl FromStr for ProofKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or(())
    }
}

impl fmt::Display for ProofKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Limits of some work: time, positions, memory, and a request to stop.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The time at which the search gives up.
    pub deadline: Option<Instant>,
    /// Positions that may be looked at; with this limit alone the work is always the same.
    pub nodes: u64,
    /// Bytes that tables of positions may take.
    pub memory: usize,
    /// Set to end the work early.
    pub stop: StopFlag,
}

impl Default for Budget {
    /// 256 MiB, no other limit.
    fn default() -> Self {
        Self { deadline: None, nodes: u64::MAX, memory: 256 << 20, stop: StopFlag::default() }
    }
}

impl Budget {
    /// Returns true once this many positions are too many, the time is over, or the end is requested.
    #[must_use]
    pub fn is_over(&self, nodes: u64) -> bool {
        nodes >= self.nodes
            || self.stop.is_set()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
