//! What a stone on an empty point would make along one line, for both players at once: read from a table by the cells
//! around the point where the row is five or shorter, worked out otherwise.

use std::sync::OnceLock;

use super::Variant;
use super::lines::{EMPTY, LineCells, stone};
use crate::game::Side;

/// The pattern that one player's stone on an empty point would make along one line. The names are those of a row of five;
/// with other row lengths a *four* is a row but one, and so on. Later patterns are stronger, but for the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LinePattern {
    /// No row can come of it.
    Dead,
    /// Can become a closed two.
    ClosedOne,
    /// Can become an open two.
    One,
    /// Can become a closed three.
    ClosedTwo,
    /// Can become an open three in one or two ways.
    Two,
    /// Can become an open three in three to five ways.
    WideTwo,
    /// Can become an open three in more ways.
    WidestTwo,
    /// A three that can become a four, but no open one.
    ClosedThree,
    /// A three that can become an open four in one way.
    SplitThree,
    /// A three that can become an open four in two ways.
    Three,
    /// A row but one that can be completed on one point.
    Four,
    /// Two fours on one line, each completed on a point of its own.
    TwoFours,
    /// A four that can be completed at both ends.
    OpenFour,
    /// A row.
    Five,
    /// A row that is too long to win.
    Overline,
}

/// Number of patterns.
pub(crate) const LINE_PATTERNS: usize = 15;

impl LinePattern {
    /// All patterns, in the order of their numbers.
    pub const ALL: [Self; LINE_PATTERNS] = [
        Self::Dead,
        Self::ClosedOne,
        Self::One,
        Self::ClosedTwo,
        Self::Two,
        Self::WideTwo,
        Self::WidestTwo,
        Self::ClosedThree,
        Self::SplitThree,
        Self::Three,
        Self::Four,
        Self::TwoFours,
        Self::OpenFour,
        Self::Five,
        Self::Overline,
    ];

    /// The pattern of a number; numbers beyond the last are [`Dead`](Self::Dead).
    pub(crate) const fn from_number(number: u8) -> Self {
        if (number as usize) < LINE_PATTERNS { Self::ALL[number as usize] } else { Self::Dead }
    }

    /// Returns true for a three that threatens an open four.
    #[must_use]
    pub const fn is_open_three(self) -> bool {
        matches!(self, Self::SplitThree | Self::Three)
    }

    /// Returns true for a two that can become an open three.
    #[must_use]
    pub const fn is_open_two(self) -> bool {
        matches!(self, Self::Two | Self::WideTwo | Self::WidestTwo)
    }

    /// The number of fours that the stone makes on this line.
    #[must_use]
    pub const fn fours(self) -> u32 {
        match self {
            Self::Four | Self::OpenFour => 1,
            Self::TwoFours => 2,
            _ => 0,
        }
    }
}

/// The patterns of both players on one line of one point: four bits for each, the first player's lower.
pub(crate) type PatternPair = u8;

/// The pattern of `side` in a pair.
pub(crate) const fn of_side(pair: PatternPair, side: Side) -> LinePattern {
    LinePattern::from_number(pair >> (4 * side.index()) & 15)
}

/// The rules of rows on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowRules {
    pub(crate) row: u8,
    pub(crate) variant: Variant,
}

/// The longest row whose patterns are kept in tables.
const LONGEST_IN_TABLE: u8 = 5;

/// The number of further stones considered where patterns are not kept in tables: enough for threes.
const COMPUTED_DEPTH: u8 = 2;

/// Arrangements of five cells on each side, each own, empty or neither: two bits for each cell.
const MEMORY_LEN: usize = 1 << 20;

/// The rules by which the patterns of a board are found.
#[derive(Clone, Copy)]
pub(crate) enum PatternSource {
    /// By the four cells on each side.
    Near(&'static [PatternPair; 1 << 16]),
    /// By the five cells on each side, where rows may be too long.
    Far(&'static [PatternPair]),
    /// Worked out each time.
    Computed(RowRules),
}

impl PatternSource {
    /// The source for a board; tables are drawn up at their first use.
    pub(crate) fn new(rules: RowRules) -> Self {
        if rules.row > LONGEST_IN_TABLE {
            return Self::Computed(rules);
        }
        let row = usize::from(rules.row);
        if rules.variant == Variant::Freestyle {
            static TABLES: [OnceLock<Box<[PatternPair; 1 << 16]>>; 6] =
                [const { OnceLock::new() }; 6];
            let table = TABLES[row].get_or_init(|| {
                let mut table = Box::new([0; 1 << 16]);
                fill(&mut table[..], rules, 4);
                table
            });
            return Self::Near(table);
        }
        static TABLES: [[OnceLock<Vec<PatternPair>>; 6]; 3] =
            [const { [const { OnceLock::new() }; 6] }; 3];
        Self::Far(TABLES[rules.variant as usize][row].get_or_init(|| {
            let mut table = vec![0; 1 << 20];
            fill(&mut table, rules, 5);
            table
        }))
    }

    /// The patterns of both players on a place of `line`.
    #[inline]
    pub(crate) fn pair(self, line: LineCells, at: i32) -> PatternPair {
        match self {
            Self::Near(table) => table[usize::from(line.four_neighbours(at))],
            Self::Far(table) => table[line.five_neighbours(at) as usize],
            Self::Computed(rules) => computed(rules, line, at),
        }
    }
}

fn computed(rules: RowRules, line: LineCells, at: i32) -> PatternPair {
    let reach = i32::from(rules.row);
    let pattern = |side| {
        let around = Around::new(line, at, side, reach);
        PatternFinder::new(rules, side, Vec::new()).find(around, COMPUTED_DEPTH) as u8
    };
    pattern(Side::First) | pattern(Side::Second) << 4
}

/// Fills a table with the patterns for every arrangement of `reach` cells on each side.
fn fill(table: &mut [PatternPair], rules: RowRules, reach: i32) {
    let mut finders = Side::ALL.map(|side| PatternFinder::new(rules, side, vec![None; MEMORY_LEN]));
    for (bits, pair) in (0_u32..).zip(table) {
        *pair = 0;
        for side in Side::ALL {
            let around = Around::from_neighbours(bits, side, reach);
            let pattern = finders[side.index()].find(around, u8::MAX);
            *pair |= (pattern as u8) << (4 * side.index());
        }
    }
}

/// The point itself among the cells around it.
const CENTRE: i32 = 32;

/// The cells around a point along a line, as seen by one player who has put a stone on it: bit 32 is the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Around {
    own: u64,
    empty: u64,
}

impl Around {
    /// The cells up to `reach` from a place of `line`.
    pub(crate) fn new(line: LineCells, at: i32, side: Side, reach: i32) -> Self {
        let mut around = Self { own: 1 << CENTRE, empty: 0 };
        for distance in (-reach..=reach).filter(|&distance| distance != 0) {
            around.add(distance, line.cell(at + distance), side);
        }
        around
    }

    fn from_neighbours(bits: u32, side: Side, reach: i32) -> Self {
        let mut around = Self { own: 1 << CENTRE, empty: 0 };
        for (slot, distance) in (-reach..=reach).filter(|&distance| distance != 0).enumerate() {
            around.add(distance, (bits >> (2 * slot) & 3) as u8, side);
        }
        around
    }

    fn add(&mut self, distance: i32, cell: u8, side: Side) {
        let bit = 1 << (CENTRE + distance);
        self.own |= if cell == stone(side) { bit } else { 0 };
        self.empty |= if cell == EMPTY { bit } else { 0 };
    }

    /// Returns true if the cell has an own stone; the point itself has.
    pub(crate) const fn own(self, distance: i32) -> bool {
        self.own >> (CENTRE + distance) & 1 == 1
    }

    /// Returns true if the cell is empty.
    pub(crate) const fn empty(self, distance: i32) -> bool {
        self.empty >> (CENTRE + distance) & 1 == 1
    }

    /// The same with one more own stone.
    const fn with(self, distance: i32) -> Self {
        let bit = 1 << (CENTRE + distance);
        Self { own: self.own | bit, empty: self.empty & !bit }
    }

    /// The five cells on each side as a number: two bits for each.
    const fn near_index(self) -> usize {
        const fn sides(cells: u64) -> usize {
            (cells >> (CENTRE - 5) & 31 | (cells >> (CENTRE + 1) & 31) << 5) as usize
        }
        sides(self.own) << 10 | sides(self.empty)
    }

    /// Length of the row through the point.
    const fn run(self) -> i32 {
        let after = (!(self.own >> CENTRE)).trailing_zeros();
        // The point is moved to the top bit, so that the stones before it are leading ones. Both counts
        // include the point.
        let before = (!(self.own << (63 - CENTRE))).leading_zeros();
        (after + before).cast_signed() - 1
    }
}

/// Works out patterns of one player, and remembers those that it has worked out if it has memory for them.
struct PatternFinder {
    row: i32,
    is_exact: bool,
    memory: Vec<Option<LinePattern>>,
}

impl PatternFinder {
    fn new(rules: RowRules, side: Side, memory: Vec<Option<LinePattern>>) -> Self {
        let is_exact = rules.variant.is_exact(side);
        Self { row: i32::from(rules.row), is_exact, memory }
    }

    /// The pattern of the cells; `depth` is the number of further stones that are considered.
    fn find(&mut self, around: Around, depth: u8) -> LinePattern {
        let run = around.run();
        if run == self.row || run > self.row && !self.is_exact {
            return LinePattern::Five;
        }
        if run > self.row {
            return LinePattern::Overline;
        }
        if depth == 0 {
            return LinePattern::Dead;
        }
        // Where there is a memory, patterns depend on five cells on each side only; for longer rows it is empty.
        let index = around.near_index();
        if let Some(&Some(pattern)) = self.memory.get(index) {
            return pattern;
        }
        let pattern = self.work_out(around, depth);
        // Arrangements are reached by different orders of stones: without memory the work would grow with
        // all orders.
        if let Some(slot) = self.memory.get_mut(index) {
            *slot = Some(pattern);
        }
        pattern
    }

    fn work_out(&mut self, around: Around, depth: u8) -> LinePattern {
        let reach = self.row - 1;
        let mut completions = Vec::new();
        // Ways to an open four, to a four; to open threes (those that become open fours in two ways count
        // twice), to closed threes; to open twos, to closed twos.
        let mut open_fours = 0;
        let mut fours = 0;
        let mut threes = 0;
        let mut closed_threes = 0;
        let mut twos = 0;
        let mut closed_twos = 0;
        for distance in (-reach..=reach).filter(|&distance| around.empty(distance)) {
            match self.find(around.with(distance), depth - 1) {
                LinePattern::Five => completions.push(distance),
                LinePattern::OpenFour => open_fours += 1,
                LinePattern::Four | LinePattern::TwoFours => fours += 1,
                LinePattern::Three => threes += 2,
                LinePattern::SplitThree => threes += 1,
                LinePattern::ClosedThree => closed_threes += 1,
                LinePattern::Two | LinePattern::WideTwo | LinePattern::WidestTwo => twos += 1,
                LinePattern::ClosedTwo => closed_twos += 1,
                _ => {}
            }
        }
        match completions[..] {
            [] => {}
            [_] => return LinePattern::Four,
            // Two completions with the row unbroken between them are the two ends of one four; otherwise
            // they belong to two fours on one line.
            [first, last] if last - first == self.row && around.run() == self.row - 1 => {
                return LinePattern::OpenFour;
            }
            _ => return LinePattern::TwoFours,
        }
        match (open_fours, fours, threes, closed_threes, twos, closed_twos) {
            (2.., ..) => LinePattern::Three,
            (1, ..) => LinePattern::SplitThree,
            (_, 1.., ..) => LinePattern::ClosedThree,
            (_, _, 6.., ..) => LinePattern::WidestTwo,
            (_, _, 3.., ..) => LinePattern::WideTwo,
            (_, _, 1.., ..) => LinePattern::Two,
            (_, _, _, 1.., ..) => LinePattern::ClosedTwo,
            (_, _, _, _, 1.., _) => LinePattern::One,
            (_, _, _, _, _, 1..) => LinePattern::ClosedOne,
            _ => LinePattern::Dead,
        }
    }
}
