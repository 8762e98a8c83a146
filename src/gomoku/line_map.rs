//! Fours and completions of a board, worked out from its lines with bit operations: what the solvers of threats ask.

use super::lines::Axis;
use super::{Board, Point};
use crate::game::{Game, Side};
use crate::hash::gomoku::{KEYS, STRIDE};

/// Number of lines along the longest axis.
const LINES: usize = 2 * STRIDE - 1;

/// The points on which one side completes a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completions {
    /// There is none.
    None,
    /// There is one.
    One(Point),
    /// There are two or more, two of which are named.
    Several(Point, Point),
}

impl Completions {
    const fn add(&mut self, point: Point) {
        *self = match *self {
            Self::None => Self::One(point),
            Self::One(one) if one.index() != point.index() => Self::Several(one, point),
            other => other,
        };
    }
}

/// A move that makes a four, with the points that complete it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Four {
    /// The move.
    pub(crate) point: Point,
    /// The points that complete a row after it: never [`Completions::None`].
    pub(crate) completions: Completions,
}

/// The stones of a board as one word for each line and side, with the rules that decide what a row is.
#[derive(Debug, Clone)]
pub(crate) struct LineMap {
    row: u8,
    exact: [bool; 2],
    /// Cells of the board without a stone.
    free: [[u32; LINES]; 4],
    stones: [[[u32; LINES]; 4]; 2],
    /// The key of the stones and the geometry with the first player to move.
    key: u64,
}

impl LineMap {
    /// The lines of `board`.
    pub(crate) fn of(board: &Board) -> Self {
        let turn = if board.turn() == Side::Second { KEYS.second_to_move } else { 0 };
        let mut map = Self {
            row: board.row(),
            exact: Side::ALL.map(|side| board.variant().is_exact(side)),
            free: [[0; LINES]; 4],
            stones: [[[0; LINES]; 4]; 2],
            key: board.key().0 ^ turn,
        };
        for point in board.points() {
            let owner = board.stone(point);
            for axis in Axis::ALL {
                let (line, at) = axis.locate(point);
                let word = match owner {
                    None => &mut map.free[axis as usize][line],
                    Some(side) => &mut map.stones[side.index()][axis as usize][line],
                };
                *word |= 1 << at;
            }
        }
        map
    }

    /// The key of the position in which `side` is to move.
    pub(crate) const fn key(&self, side: Side) -> u64 {
        match side {
            Side::First => self.key,
            Side::Second => self.key ^ KEYS.second_to_move,
        }
    }

    /// Puts a stone on an empty point, or takes it away again.
    pub(crate) fn toggle(&mut self, side: Side, point: Point) {
        self.key ^= KEYS.stones[side.index()][point.index()];
        for axis in Axis::ALL {
            let (line, at) = axis.locate(point);
            self.free[axis as usize][line] ^= 1 << at;
            self.stones[side.index()][axis as usize][line] ^= 1 << at;
        }
    }

    /// Calls `visit` with the empty cells of every stretch of a line that `side` fills with `missing` stones more
    /// and that is a row then.
    fn stretches(
        &self,
        side: Side,
        (axis, line): (Axis, usize),
        missing: u32,
        mut visit: impl FnMut(u32),
    ) {
        let own = self.stones[side.index()][axis as usize][line];
        let row = u32::from(self.row);
        if own.count_ones() + missing < row {
            return;
        }
        let mut starts = self.starts(side, (axis, line));
        while starts != 0 {
            let start = starts.trailing_zeros();
            // Takes the lowest bit away.
            starts &= starts - 1;
            let gaps = ((1 << row) - 1) << start & !own;
            // Shifted up first: a stretch at the beginning of the line has no cell before it.
            let flanks = 1 << start >> 1 | 1 << (start + row);
            let is_longer = self.exact[side.index()] && own & flanks != 0;
            if gaps.count_ones() == missing && !is_longer {
                visit(gaps);
            }
        }
    }

    /// The first cells of the stretches of a line that `side` may still fill.
    fn starts(&self, side: Side, (axis, line): (Axis, usize)) -> u32 {
        let open = self.stones[side.index()][axis as usize][line] | self.free[axis as usize][line];
        // A bit stays only if the following cells are open too: all stretches of the line at once.
        (1..u32::from(self.row)).fold(open, |starts, shift| starts & open >> shift)
    }

    /// The points on which `side` completes a row.
    pub(crate) fn completions(&self, side: Side) -> Completions {
        let mut found = Completions::None;
        for axis in Axis::ALL {
            for line in 0..LINES {
                self.stretches(side, (axis, line), 1, |gap| add_gap(&mut found, axis, line, gap));
            }
        }
        found
    }

    /// The points on which `side` completes a row along a line through `point`.
    pub(crate) fn completions_through(&self, side: Side, point: Point) -> Completions {
        let mut found = Completions::None;
        for axis in Axis::ALL {
            let (line, _) = axis.locate(point);
            self.stretches(side, (axis, line), 1, |gap| add_gap(&mut found, axis, line, gap));
        }
        found
    }

    /// The moves with which `side` makes fours, by point. There must be no completion yet.
    pub(crate) fn fours(&self, side: Side) -> Vec<Four> {
        let mut pairs: Vec<(Point, Point)> = Vec::new();
        for axis in Axis::ALL {
            for line in 0..LINES {
                self.stretches(side, (axis, line), 2, |gaps| {
                    let low = gaps.trailing_zeros();
                    let high = gaps.ilog2();
                    if let (Some(low), Some(high)) =
                        (point_on(axis, line, low), point_on(axis, line, high))
                    {
                        pairs.extend([(low, high), (high, low)]);
                    }
                });
            }
        }
        // By point, so that the completions of one move come one after the other.
        pairs.sort_unstable();
        let mut fours: Vec<Four> = Vec::new();
        for (point, completion) in pairs {
            match fours.last_mut() {
                Some(four) if four.point == point => four.completions.add(completion),
                _ => fours.push(Four { point, completions: Completions::One(completion) }),
            }
        }
        fours
    }

    /// The empty points of the stretches that `side` fills with at most `missing` stones more, though the row may be
    /// too long then: each point once, in order.
    pub(crate) fn extensions(&self, side: Side, missing: u32) -> Vec<Point> {
        let row = u32::from(self.row);
        let mut points = Vec::new();
        for axis in Axis::ALL {
            for line in 0..LINES {
                let own = self.stones[side.index()][axis as usize][line];
                if own.count_ones() + missing < row {
                    continue;
                }
                let windows = bits(self.starts(side, (axis, line)))
                    .map(|start| ((1 << row) - 1) << start & !own);
                let cells = windows
                    .filter(|gaps| gaps.count_ones() <= missing)
                    .fold(0, |cells, gaps| cells | gaps);
                points.extend(bits(cells).filter_map(|at| point_on(axis, line, at)));
            }
        }
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The empty points of each stretch that `side` may still fill, though the row may be too long then.
    pub(crate) fn open_lines(&self, side: Side) -> Vec<Vec<Point>> {
        let mut lines = Vec::new();
        for axis in Axis::ALL {
            for line in 0..LINES {
                let own = self.stones[side.index()][axis as usize][line];
                for start in bits(self.starts(side, (axis, line))) {
                    let gaps = ((1 << self.row) - 1) << start & !own;
                    lines.push(bits(gaps).filter_map(|at| point_on(axis, line, at)).collect());
                }
            }
        }
        lines
    }

    /// Returns true if `side` may still fill some stretch, though the row may be too long then.
    pub(crate) fn can_make_row(&self, side: Side) -> bool {
        Axis::ALL
            .into_iter()
            .any(|axis| (0..LINES).any(|line| self.starts(side, (axis, line)) != 0))
    }
}

fn add_gap(found: &mut Completions, axis: Axis, line: usize, gap: u32) {
    if let Some(point) = point_on(axis, line, gap.trailing_zeros()) {
        found.add(point);
    }
}

/// The places of the bits that are set.
fn bits(mut word: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = (word != 0).then(|| word.trailing_zeros());
        // Clears the lowest bit; the subtraction wraps for 0, which stays 0.
        word &= word.wrapping_sub(1);
        at
    })
}

/// The point at a place of a line: the inverse of [`Axis::locate`].
fn point_on(axis: Axis, line: usize, at: u32) -> Option<Point> {
    let line = u8::try_from(line).ok()?;
    let at = u8::try_from(at).ok()?;
    match axis {
        Axis::Horizontal => Point::new(at, line),
        Axis::Vertical => Point::new(line, at),
        Axis::Rising => Point::new(at, (at + STRIDE as u8 - 1).checked_sub(line)?),
        Axis::Falling => Point::new(at, line.checked_sub(at)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    #[test]
    fn places_on_lines_and_points_are_inverse() {
        for axis in Axis::ALL {
            for point in Board::new(20, 20, 5).unwrap().points() {
                let (line, at) = axis.locate(point);
                assert_eq!(point_on(axis, line, at.cast_unsigned()), Some(point));
            }
        }
    }

    fn point_of(text: &str) -> Point {
        Point::parse(text).unwrap()
    }

    fn four(point: &str, completions: &[&str]) -> Four {
        let completions = match completions {
            [one] => Completions::One(point_of(one)),
            [one, other] => Completions::Several(point_of(one), point_of(other)),
            _ => unreachable!(),
        };
        Four { point: point_of(point), completions }
    }

    #[test]
    fn fours_of_three_stones() {
        let board = Board::from_fen("oo5/7/7/1xxx3/7/o6/7 x 5").unwrap();
        let map = LineMap::of(&board);
        assert_eq!(
            map.fours(Side::First),
            [four("a4", &["e4"]), four("e4", &["a4", "f4"]), four("f4", &["e4"])]
        );
        assert!(map.fours(Side::Second).is_empty());
        assert_eq!(map.completions(Side::First), Completions::None);
    }

    #[test]
    fn toggling_twice_changes_nothing_and_keys_are_those_of_the_board() {
        let mut board = Board::start();
        let mut map = LineMap::of(&board);
        let point = Point::parse("h8").unwrap();
        map.toggle(Side::First, point);
        board.make(point);
        assert_eq!(map.key(Side::Second), board.key().0);
        assert_eq!(map.free, LineMap::of(&board).free);
        map.toggle(Side::First, point);
        assert_eq!(map.key(Side::First), Board::start().key().0);
    }
}
