//! What a stone on an empty point would make along all four lines together.

use std::sync::OnceLock;

use super::pattern::{LinePattern, PatternPair, of_side};
use crate::game::Side;

/// What one player's stone on an empty point would make, all lines taken together. Later ones are stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Threat {
    /// Nothing of the following.
    None,
    /// Perhaps a forbidden move: an overline, two fours or two open threes of the player to whom they are
    /// forbidden. [`Board::forbidden`](super::Board::forbidden) decides.
    Suspect,
    /// An open two.
    Two,
    /// Two open twos.
    DoubleTwo,
    /// A three that can become a four.
    ClosedThree,
    /// The same, and another or an open two.
    ClosedThreeAndMore,
    /// An open three.
    Three,
    /// An open three, and a closed three or an open two.
    ThreeAndMore,
    /// Two open threes.
    DoubleThree,
    /// A four that one stone stops.
    Four,
    /// The same, and a closed three or an open two.
    FourAndMore,
    /// A four and an open three.
    FourThree,
    /// An open four, or two fours: two points complete a row.
    OpenFour,
    /// A row.
    Five,
}

/// Number of threats.
pub(crate) const THREATS: usize = 14;

impl Threat {
    /// All threats, in the order of their numbers.
    pub const ALL: [Self; THREATS] = [
        Self::None,
        Self::Suspect,
        Self::Two,
        Self::DoubleTwo,
        Self::ClosedThree,
        Self::ClosedThreeAndMore,
        Self::Three,
        Self::ThreeAndMore,
        Self::DoubleThree,
        Self::Four,
        Self::FourAndMore,
        Self::FourThree,
        Self::OpenFour,
        Self::Five,
    ];

    /// Returns true if the stone makes a four or more, which must be answered at once.
    #[must_use]
    pub const fn is_four(self) -> bool {
        self as u8 >= Self::Four as u8
    }

    /// The threat that four line patterns make. `restricted` is the player to whom moves are forbidden.
    pub(super) fn of(patterns: [LinePattern; 4], restricted: bool) -> Self {
        let count = |wanted: fn(LinePattern) -> bool| {
            patterns.iter().filter(|&&pattern| wanted(pattern)).count()
        };
        if patterns.contains(&LinePattern::Five) {
            return Self::Five;
        }
        let fours: u32 = patterns.iter().map(|pattern| pattern.fours()).sum();
        let threes = count(LinePattern::is_open_three);
        if restricted && (patterns.contains(&LinePattern::Overline) || fours > 1 || threes > 1) {
            return Self::Suspect;
        }
        let closed_threes = count(|pattern| pattern == LinePattern::ClosedThree);
        let twos = count(LinePattern::is_open_two);
        match (fours, threes, closed_threes, twos) {
            (2.., ..) => Self::OpenFour,
            (1, ..) if patterns.contains(&LinePattern::OpenFour) => Self::OpenFour,
            (1, 1.., ..) => Self::FourThree,
            (1, _, 1.., _) | (1, _, _, 1..) => Self::FourAndMore,
            (1, ..) => Self::Four,
            (_, 2.., ..) => Self::DoubleThree,
            (_, 1, 1.., _) | (_, 1, _, 1..) => Self::ThreeAndMore,
            (_, 1, ..) => Self::Three,
            (_, _, 2.., _) | (_, _, 1, 1..) => Self::ClosedThreeAndMore,
            (_, _, 1, _) => Self::ClosedThree,
            (_, _, _, 2..) => Self::DoubleTwo,
            (_, _, _, 1) => Self::Two,
            _ => Self::None,
        }
    }
}

/// Threats by the patterns of four lines, four bits for each.
pub(super) type ThreatTable = [Threat; 1 << 16];

/// The table for players to whom moves are forbidden, or for all others; drawn up at its first use.
pub(super) fn table(restricted: bool) -> &'static ThreatTable {
    static TABLES: [OnceLock<Box<ThreatTable>>; 2] = [const { OnceLock::new() }; 2];
    TABLES[usize::from(restricted)].get_or_init(|| {
        let mut table = Box::new([Threat::None; 1 << 16]);
        for (bits, threat) in (0_u16..=u16::MAX).zip(table.iter_mut()) {
            let patterns =
                [0, 4, 8, 12].map(|shift| LinePattern::from_number((bits >> shift & 15) as u8));
            *threat = Threat::of(patterns, restricted);
        }
        table
    })
}

/// The index into the table for one player's half of the pairs of four lines.
#[inline]
pub(super) const fn index(pairs: [PatternPair; 4], side: Side) -> usize {
    let halves = u32::from_le_bytes(pairs) >> (4 * side.index()) & 0x0f0f_0f0f;
    let bytes = (halves | halves >> 4) & 0x00ff_00ff;
    ((bytes | bytes >> 8) & 0xffff) as usize
}

/// The patterns of one player on four lines.
pub(super) fn patterns(pairs: [PatternPair; 4], side: Side) -> [LinePattern; 4] {
    pairs.map(|pair| of_side(pair, side))
}
