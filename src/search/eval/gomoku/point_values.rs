//! The point evaluator: a player without search that puts its stone where it is worth most to both
//! players together.
//!
//! For five in a row the value of a point for one player is the sum over eight directions of the
//! first shape that fits (`*` the point, `1` own, `2` foreign or the edge, `0` empty; the shape's far
//! end first):
//!
//! | shape | value | to the opponent |
//! |---|---:|---:|
//! | `01111*` | 300,000 | 500 less |
//! | `21111*` | 250,000 | 500 less |
//! | `111*1` | 240,000 | 500 less |
//! | `11*11` | 230,000 | 500 less |
//! | `0111*0` | 3,900 | 300 less |
//! | `2111*0` | 750 | |
//! | `0111*2` | 500 | |
//! | `1110*` | 350 | |
//! | `11*1` with both ends, one, none empty | 3,750, 1,300, 600 | |
//! | else, for each five cells in line with the point and without a foreign stone | 15 per own stone | |
//!
//! Two or more open twos `011*0` add 3,000 (100 less to the opponent); a direction with an open two
//! is otherwise valued by its stones. For other row lengths the shapes mean nothing, and a point is
//! valued by its stones alone, in both directions of a line alike.

use std::ops::{Add, AddAssign};

use crate::game::{Game, MoveList, Side};
use crate::gomoku::{Around, Axis, Board, Point, Threat};

/// The effect of a stone on a point, for the move order of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Nothing at once.
    Quiet,
    /// It makes a four that one stone stops.
    Four,
    /// It occupies the point on which the opponent would make an open four or two fours.
    Prevents,
    /// It makes an open four or two fours.
    OpenFour,
    /// It occupies the point on which the opponent would complete a row.
    Blocks,
    /// It completes a row.
    Five,
}

impl Board {
    /// The value of an empty point to the side to move: of the shapes its own stone would make
    /// there and of those it would deny the opponent.
    #[must_use]
    pub fn point_value(&self, point: Point) -> i32 {
        self.shape(self.turn(), point).own_value() + self.shape(!self.turn(), point).other_value()
    }

    /// The move of the player without search: the empty point of the highest value; among equals
    /// the one nearest to the middle, then the first in the order of the board. `None` when the game
    /// is over.
    #[must_use]
    pub fn best_point(&self) -> Option<Point> {
        self.best_point_but(&[])
    }

    /// The same among the points that are not `banned`.
    #[must_use]
    pub fn best_point_but(&self, banned: &[Point]) -> Option<Point> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.into_iter().filter(|point| !banned.contains(point)).max_by_key(|&point| {
            (self.point_value(point), -self.eccentricity(point), std::cmp::Reverse(point))
        })
    }

    /// Twice the distance from the middle of the board, columns and rows added up.
    #[must_use]
    pub(crate) fn eccentricity(&self, point: Point) -> i32 {
        let along =
            |at: u8, length: u8| (2 * i32::from(at) - i32::from(length.saturating_sub(1))).abs();
        along(point.column(), self.width()) + along(point.row(), self.height())
    }

    /// Classifies the effect of a stone of the side to move on an empty point.
    #[must_use]
    pub fn urgency(&self, point: Point) -> Urgency {
        let own = self.threat(self.turn(), point);
        let other = self.threat(!self.turn(), point);
        if own == Threat::Five {
            Urgency::Five
        } else if other == Threat::Five {
            Urgency::Blocks
        } else if own == Threat::OpenFour {
            Urgency::OpenFour
        } else if other == Threat::OpenFour {
            Urgency::Prevents
        } else if own.is_four() {
            Urgency::Four
        } else {
            Urgency::Quiet
        }
    }

    /// Returns true if `side` would complete a row on `point`.
    #[must_use]
    pub fn completes_row(&self, side: Side, point: Point) -> bool {
        self.is_empty(point) && self.threat(side, point) == Threat::Five
    }

    /// The shapes that a stone of `side` on `point` would make, all lines together.
    fn shape(&self, side: Side, point: Point) -> Shape {
        let mut shape = Shape::default();
        for axis in Axis::ALL {
            let around = self.around(side, point, axis);
            if self.row() == 5 {
                shape += value_towards(around, 1) + value_towards(around, -1);
            } else {
                shape += Shape::worth(2 * windows(around, i32::from(self.row())), 0);
            }
        }
        shape
    }
}

/// The shapes that one player's stone would make on a point.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    value: i32,
    /// The part of it that does not count for the opponent.
    discount: i32,
    open_twos: u32,
}

impl Shape {
    const fn worth(value: i32, discount: i32) -> Self {
        Self { value, discount, open_twos: 0 }
    }

    /// The value for the player who would make the shapes.
    const fn own_value(self) -> i32 {
        self.value + if self.open_twos >= 2 { 3_000 } else { 0 }
    }

    /// The value for the opponent, who would prevent them.
    const fn other_value(self) -> i32 {
        self.value - self.discount + if self.open_twos >= 2 { 2_900 } else { 0 }
    }
}

impl Add for Shape {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            discount: self.discount + other.discount,
            open_twos: self.open_twos + other.open_twos,
        }
    }
}

impl AddAssign for Shape {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Every stretch of `row` cells through the point without a foreign stone adds 15 for each own stone.
fn windows(around: Around, row: i32) -> i32 {
    let free = |distance| distance == 0 || around.own(distance) || around.empty(distance);
    let stones = |first: i32| {
        let others = (first..first + row).filter(|&distance| distance != 0);
        others.map(|distance| i32::from(around.own(distance))).sum::<i32>()
    };
    15 * (1 - row..=0)
        .filter(|&first: &i32| (first..first + row).all(free))
        .map(stones)
        .sum::<i32>()
}

/// The value of five in a row towards one end of the line: the first shape that fits. In the comments the
/// shape's far end is on the left and `*` is the point; `1` is an own stone, `2` a foreign stone or the edge,
/// `0` an empty point.
fn value_towards(around: Around, sign: i32) -> Shape {
    let own = |distance: i32| around.own(sign * distance);
    let empty = |distance: i32| around.empty(sign * distance);
    match (own(1), own(2), own(3), own(4)) {
        (true, true, true, true) if empty(5) => Shape::worth(300_000, 500), // 01111*
        (true, true, true, true) => Shape::worth(250_000, 500),             // 21111*
        (true, true, true, false) if own(-1) => Shape::worth(240_000, 500), // 111*1
        (true, true, ..) if own(-1) && own(-2) => Shape::worth(230_000, 500), // 11*11
        (true, true, true, false) => match (empty(-1), empty(4)) {
            (true, true) => Shape::worth(3_900, 300), // 0111*0
            (true, false) => Shape::worth(750, 0),    // 2111*0
            (false, true) => Shape::worth(500, 0),    // 0111*2
            (false, false) => Shape::default(),
        },
        (false, true, true, true) if empty(1) => Shape::worth(350, 0), // 1110*
        (true, true, false, _) if own(-1) => match (empty(3), empty(-2)) {
            (true, true) => Shape::worth(3_750, 0), // 011*10
            (true, false) | (false, true) => Shape::worth(1_300, 0), // 011*12, 211*10
            (false, false) => Shape::worth(600, 0), // 211*12
        },
        (one, two, ..) => {
            let open_two = one && two && empty(3) && empty(-1); // 011*0
            Shape { open_twos: u32::from(open_two), ..Shape::worth(windows(around, 5), 0) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    /// A 15×15 board with stones of the side to move (`x`) and of the other side on row 8, described
    /// from a8 on; `-` is an empty point.
    fn row_eight(text: &str) -> Board {
        let mut board = Board::start();
        let mut stones = [Vec::new(), Vec::new()];
        for (column, letter) in (0..).zip(text.chars()) {
            let point = Point::new(column, 7).unwrap();
            match letter {
                'x' => stones[0].push(point),
                'o' => stones[1].push(point),
                _ => {}
            }
        }
        board.fill(&stones, Side::First);
        board
    }

    fn own(text: &str, point: &str) -> i32 {
        row_eight(text).shape(Side::First, Point::parse(point).unwrap()).own_value()
    }

    /// The same shape with the colours exchanged, worth `value` to the other side.
    fn other(text: &str, point: &str) -> i32 {
        let exchanged: String = text
            .chars()
            .map(|letter| match letter {
                'x' => 'o',
                'o' => 'x',
                other => other,
            })
            .collect();
        row_eight(&exchanged).shape(Side::Second, Point::parse(point).unwrap()).other_value()
    }

    /// The point is h8; a shape is read towards the left, so its far end comes first. The stones on
    /// the right of the point are no shape by themselves towards the right, and count 15 for each
    /// window of five instead.
    #[test]
    fn every_shape_has_its_value() {
        for (text, value, less) in [
            ("--", 0, 0),
            ("---xxxx-", 300_000, 500),
            ("--oxxxx-", 250_000, 500),
            ("--ooxxx-xo", 240_000, 500),
            ("----oxx-xxo", 230_000 * 2, 1_000),
            ("----xxx--", 3_900, 300),
            ("---oxxx--", 750, 0),
            ("----xxx-o", 500, 0),
            ("---oxxx-o", 0, 0),
            ("---xxx--", 350, 0),
            ("-----xx-x--", 3_750, 0),
            ("-----xx-xo", 1_300, 0),
            ("----oxx-x--", 1_300, 0),
            ("----oxx-xo", 600, 0),
        ] {
            let towards_right = 15 * windows_of_both(text);
            assert_eq!(own(text, "h8"), value + towards_right, "{text}");
            assert_eq!(other(text, "h8"), value + towards_right - less, "{text}");
        }
    }

    /// The number of own stones on a cell, and true if no foreign stone or edge is there.
    fn cell(text: &str, at: i32) -> (i32, bool) {
        match usize::try_from(at).ok().and_then(|at| text.as_bytes().get(at)) {
            Some(b'x') => (1, true),
            Some(b'o') => (0, false),
            _ => (0, at >= 0),
        }
    }

    /// Own stones in the windows of five through h8 for the direction to the right, which has a
    /// shape of its own only in the symmetric example.
    fn windows_of_both(text: &str) -> i32 {
        if text.contains("xx-xx") {
            return 0;
        }
        (3..=7)
            .map(|first| (first..first + 5).map(move |at| cell(text, at)))
            .filter(|window| window.clone().all(|(_, free)| free))
            .map(|window| window.map(|(own, _)| own).sum::<i32>())
            .sum()
    }

    #[test]
    fn lone_stones_count_by_windows_in_both_directions() {
        // Next to a stone four windows of five hold it, two points away three, and so on.
        assert_eq!(own("------x-", "h8"), 2 * 15 * 4);
        assert_eq!(own("-----x--", "h8"), 2 * 15 * 3);
        assert_eq!(own("---x----", "h8"), 2 * 15);
        assert_eq!(own("--x-----", "h8"), 0);
        assert_eq!(own("x-------", "b8"), 2 * 15);
        assert_eq!(own("----o-x-o", "h8"), 0);
    }

    #[test]
    fn two_open_twos_are_worth_more() {
        let single = own("-----xx--", "h8");
        assert_eq!(single, 2 * 15 * (4 + 3));
        let both = own("-----xx-xx---", "h8");
        assert_eq!(both, 2 * 230_000, "a row comes first");
        let mut board = row_eight("-----xx--");
        let column = ["h9", "h10"].map(|text| Point::parse(text).unwrap());
        let row = ["f8", "g8"].map(|text| Point::parse(text).unwrap());
        let stones: Vec<Point> = column.into_iter().chain(row).collect();
        board = board.cleared();
        board.fill(&[stones.clone(), Vec::new()], Side::First);
        let h8 = Point::parse("h8").unwrap();
        assert_eq!(board.shape(Side::First, h8).own_value(), 2 * single + 3_000);
        board = board.cleared();
        board.fill(&[Vec::new(), stones], Side::First);
        assert_eq!(board.shape(Side::Second, h8).other_value(), 2 * single + 3_000 - 100);
        assert_eq!(board.point_value(h8), 2 * single + 2_900);
    }

    #[test]
    fn the_player_without_search_begins_in_the_middle_and_sees_rows() {
        let mut board = Board::start();
        assert_eq!(board.best_point().map(Board::move_text).as_deref(), Some("h8"));
        for mv in ["h8", "a1", "i8", "a2", "j8", "a3"] {
            board.make(Point::parse(mv).unwrap());
        }
        let open_four = board.best_point().unwrap();
        assert_eq!(board.urgency(open_four), Urgency::OpenFour);
        board.make(open_four);
        assert_eq!(board.urgency(board.best_point().unwrap()), Urgency::Blocks);
        board.make(Point::parse("o15").unwrap());
        let five = board.best_point().unwrap();
        assert_eq!(board.urgency(five), Urgency::Five);
        board.make(five);
        assert_eq!(board.best_point(), None);
    }
}
