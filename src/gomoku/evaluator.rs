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

use super::{Board, Point};
use crate::game::Side;

/// What a stone on a point would do, for the move order of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Nothing at once.
    Quiet,
    /// It makes a four that one stone stops.
    Four,
    /// It takes the point on which the opponent would make an open four or two fours.
    Prevents,
    /// It makes an open four or two fours.
    OpenFour,
    /// It takes the point on which the opponent would complete a row.
    Blocks,
    /// It completes a row.
    Five,
}

impl Board {
    /// The value of an empty point to the side to move: what its own stone would make there and
    /// what it would deny the opponent.
    #[must_use]
    pub fn point_value(&self, point: Point) -> i32 {
        self.exact_shape(self.turn(), point).own_value()
            + self.exact_shape(!self.turn(), point).other_value()
    }

    /// The same from the shapes that the board keeps, which see four cells in each direction:
    /// `21111*` counts as much as `01111*`.
    #[must_use]
    pub(crate) fn kept_value(&self, point: Point) -> i32 {
        self.shape(self.turn(), point).own_value() + self.shape(!self.turn(), point).other_value()
    }

    /// The move of the player without search: the empty point of the highest value; among equals
    /// the one nearest to the middle, then the first in the order of the board. `None` when the game
    /// is over.
    #[must_use]
    pub fn best_point(&self) -> Option<Point> {
        if self.winner().is_some() {
            return None;
        }
        self.empty_points().max_by_key(|&point| {
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

    /// What a stone of the side to move on an empty point would do.
    #[must_use]
    pub fn urgency(&self, point: Point) -> Urgency {
        let own = self.shape(self.turn(), point);
        let other = self.shape(!self.turn(), point);
        if own.fives() > 0 {
            Urgency::Five
        } else if other.fives() > 0 {
            Urgency::Blocks
        } else if own.wins() {
            Urgency::OpenFour
        } else if other.wins() {
            Urgency::Prevents
        } else if own.fours() > 0 {
            Urgency::Four
        } else {
            Urgency::Quiet
        }
    }

    /// Whether `side` would complete a row on `point`.
    #[must_use]
    pub fn completes_row(&self, side: Side, point: Point) -> bool {
        self.is_empty(point) && self.shape(side, point).fives() > 0
    }
}
