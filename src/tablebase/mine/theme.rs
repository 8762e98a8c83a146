//! The themes by which tables are searched.

use std::fmt;
use std::str::FromStr;

use crate::game::Side;
use crate::tablebase::material::Material;
use crate::tablebase::value::UnknownName;
use crate::xiangqi::Role;

/// The property that the positions searched for have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Mutual zugzwang: neither side is in check, and the result is worse for each side if it is to
    /// move than if the other is. With the side to move that loses; where both would, Red.
    Zugzwang,
    /// Mutual zugzwang of which neither side draws: whoever is to move loses. With Red to move.
    FullZugzwang,
    /// A win of order 0 by one move only, at each turn of the winner within a number of plies,
    /// whichever of the best defences is chosen, and no mate before.
    OnlyMove {
        /// The number of plies, 1 or more.
        plies: u16,
    },
    /// The wins of order 0 that take the most plies, by side to move: to mate, or to a capture by
    /// [`Metric::Dtc`](crate::tablebase::Metric::Dtc).
    Longest,
    /// Results of order 1 and above: only the repetition rule decides.
    ByRule,
    /// Wins of the side with less material (a rook 9, cannon 4½, horse 4, advisor or elephant 2, pawn 1), of which none begins with a capture that wins at once.
    WeakerSide,
}

impl Theme {
    /// All themes, those with a number of plies with the usual one.
    pub const ALL: [Self; 6] = [
        Self::Zugzwang,
        Self::FullZugzwang,
        Self::OnlyMove { plies: Self::USUAL_PLIES },
        Self::Longest,
        Self::ByRule,
        Self::WeakerSide,
    ];

    /// The plies of [`OnlyMove`](Self::OnlyMove) unless others are named.
    pub const USUAL_PLIES: u16 = 9;

    /// `zugzwang`, `full-zugzwang`, `only-move`, `longest`, `by-rule` or `weaker-side`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zugzwang => "zugzwang",
            Self::FullZugzwang => "full-zugzwang",
            Self::OnlyMove { .. } => "only-move",
            Self::Longest => "longest",
            Self::ByRule => "by-rule",
            Self::WeakerSide => "weaker-side",
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Theme {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let choices = "zugzwang, full-zugzwang, only-move, longest, by-rule, weaker-side";
        Self::ALL
            .into_iter()
            .find(|theme| theme.name() == text)
            .ok_or_else(|| UnknownName::new(text, choices))
    }
}

/// The material of a side in points, two to the pawn on its own half: 18 for a rook, 9 for a cannon, 8 for a
/// horse, 4 for an advisor or elephant, 2 for a pawn, as the manuals value them.
pub(crate) fn points(material: Material, side: Side) -> u32 {
    Role::ALL.into_iter().map(|role| value(role) * u32::from(material.count(side, role))).sum()
}

const fn value(role: Role) -> u32 {
    match role {
        Role::King => 0,
        Role::Rook => 18,
        Role::Cannon => 9,
        Role::Horse => 8,
        Role::Advisor | Role::Elephant => 4,
        Role::Pawn => 2,
    }
}
