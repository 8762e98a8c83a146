//! What a stone on an empty point would make along all four lines together.

use std::sync::OnceLock;

use super::lines::Axis;
use super::pattern::{LINE_PATTERNS, LinePattern, PatternPair, of_side};
use crate::game::Side;

/// The threat that one player's stone on an empty point would make, all lines taken together. Later ones are stronger.
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
    pub(crate) fn of(patterns: [LinePattern; 4], restricted: bool) -> Self {
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
        if fours > 1 || patterns.contains(&LinePattern::OpenFour) {
            return Self::OpenFour;
        }
        let closed_threes = count(|pattern| pattern == LinePattern::ClosedThree);
        let twos = count(LinePattern::is_open_two);
        let more = closed_threes + twos > 0;
        match (fours, threes) {
            (1, 1..) => Self::FourThree,
            (1, _) if more => Self::FourAndMore,
            (1, _) => Self::Four,
            (_, 2..) => Self::DoubleThree,
            (_, 1) if more => Self::ThreeAndMore,
            (_, 1) => Self::Three,
            _ => match (closed_threes, twos) {
                (2.., _) | (1, 1..) => Self::ClosedThreeAndMore,
                (1, _) => Self::ClosedThree,
                (_, 2..) => Self::DoubleTwo,
                (_, 1) => Self::Two,
                _ => Self::None,
            },
        }
    }
}

/// The patterns that one player's stone on an empty point would make along the four lines, whatever their order, and the
/// threat that they are together. Evaluations give points values by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PointClass(u16);

/// Number of classes: arrangements of four patterns whatever their order.
pub const CLASSES: usize = 3_060;

const _: () = {
    let n = LINE_PATTERNS;
    assert!(CLASSES == n * (n + 1) * (n + 2) * (n + 3) / 24 && CLASSES <= 1 << CLASS_BITS);
    assert!(THREATS <= 16);
};

/// Situations that evaluation tells apart: six kinds of threats, each there or not, for each side.
pub(crate) const SITUATIONS: usize = 1 << 12;

/// Number of weights: the classes for the side to move, for the other side, the situations, the right to move.
pub(crate) const WEIGHT_COUNT: usize = 2 * CLASSES + SITUATIONS + 1;

/// The lower bits are the number of the arrangement, the upper ones the threat.
const CLASS_BITS: u32 = 12;

impl PointClass {
    /// The class of a point with nothing on any line.
    pub(crate) const LEAST: Self = Self(0);

    /// 0 to 3,059.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & ((1 << CLASS_BITS) - 1)) as usize
    }

    /// The threat that points of this class make.
    #[inline]
    #[must_use]
    pub const fn threat(self) -> Threat {
        const BY_NUMBER: [Threat; 16] = {
            let mut threats = [Threat::None; 16];
            let mut number = 0;
            while number < THREATS {
                threats[number] = Threat::ALL[number];
                number += 1;
            }
            threats
        };
        BY_NUMBER[(self.0 >> CLASS_BITS) as usize]
    }

    /// The patterns of each class in the order of their numbers, the strongest first.
    pub fn arrangements() -> impl Iterator<Item = [LinePattern; 4]> {
        let up_to = |most: LinePattern| LinePattern::ALL.into_iter().take(most as usize + 1);
        LinePattern::ALL.into_iter().flat_map(move |a| {
            up_to(a)
                .flat_map(move |b| up_to(b).flat_map(move |c| up_to(c).map(move |d| [a, b, c, d])))
        })
    }

    fn of(patterns: [LinePattern; 4], restricted: bool) -> Self {
        let threat = Threat::of(patterns, restricted) as u16;
        Self(threat << CLASS_BITS | arrangement(patterns) as u16)
    }
}

/// The number of four patterns whatever their order: the combinatorial number system.
fn arrangement(patterns: [LinePattern; 4]) -> usize {
    let mut numbers = patterns.map(|pattern| pattern as usize);
    numbers.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
    let [a, b, c, d] = numbers;
    // The system numbers sets of different elements: adding 3, 2 and 1 makes equal numbers different.
    let a = a + 3;
    let b = b + 2;
    let c = c + 1;
    a * (a - 1) * (a - 2) * (a - 3) / 24 + b * (b - 1) * (b - 2) / 6 + c * (c - 1) / 2 + d
}

/// Classes by the patterns of four lines, four bits for each.
pub(crate) type ClassTable = [PointClass; 1 << 16];

/// The table for players to whom moves are forbidden, or for all others; drawn up at its first use.
pub(crate) fn table(restricted: bool) -> &'static ClassTable {
    static TABLES: [OnceLock<Box<ClassTable>>; 2] = [const { OnceLock::new() }; 2];
    TABLES[usize::from(restricted)].get_or_init(|| {
        let mut table = Box::new([PointClass(0); 1 << 16]);
        for (bits, class) in (0_u16..=u16::MAX).zip(table.iter_mut()) {
            let patterns =
                [0, 4, 8, 12].map(|shift| LinePattern::from_number((bits >> shift & 15) as u8));
            *class = PointClass::of(patterns, restricted);
        }
        table
    })
}

/// The patterns of both players on the four lines of a point, a byte for each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinePairs(u32);

impl LinePairs {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn new(pairs: [PatternPair; 4]) -> Self {
        Self(u32::from_le_bytes(pairs))
    }

    /// The pair of one line.
    #[inline]
    pub(crate) const fn pair(self, axis: Axis) -> PatternPair {
        (self.0 >> (8 * axis as u32)) as PatternPair
    }

    /// The same with another pair on one line.
    #[inline]
    pub(crate) const fn with(self, axis: Axis, pair: PatternPair) -> Self {
        let shift = 8 * axis as u32;
        Self(self.0 & !(0xff << shift) | (pair as u32) << shift)
    }

    /// The index into a [`ClassTable`] for one player's patterns.
    #[inline]
    pub(crate) const fn index(self, side: Side) -> usize {
        let halves = self.0 >> (4 * side.index()) & 0x0f0f_0f0f;
        let bytes = (halves | halves >> 4) & 0x00ff_00ff;
        ((bytes | bytes >> 8) & 0xffff) as usize
    }

    /// The patterns of one player.
    pub(crate) fn patterns(self, side: Side) -> [LinePattern; 4] {
        self.0.to_le_bytes().map(|pair| of_side(pair, side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "search")]
    fn arrangements_are_in_the_order_of_the_classes() {
        let numbers: Vec<usize> = PointClass::arrangements().map(arrangement).collect();
        assert_eq!(numbers, (0..CLASSES).collect::<Vec<_>>());
    }

    #[test]
    fn classes_are_the_arrangements_and_know_their_threats() {
        for restricted in [false, true] {
            let mut threats = vec![None; CLASSES];
            for bits in 0..15_u32.pow(4) {
                let patterns = [0, 1, 2, 3]
                    .map(|line| LinePattern::ALL[(bits / 15_u32.pow(line) % 15) as usize]);
                let class = PointClass::of(patterns, restricted);
                let threat = Threat::of(patterns, restricted);
                assert_eq!(class.threat(), threat);
                let mut sorted = patterns;
                sorted.sort_unstable();
                let known = threats[class.index()].get_or_insert((threat, sorted));
                assert_eq!(*known, (threat, sorted));
            }
            assert!(threats.iter().all(Option::is_some));
        }
    }
}
