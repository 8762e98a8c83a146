//! The moves that a search tries.

use super::SMALL_BOARD;
use crate::game::{Game, MoveList, Side};
use crate::gomoku::{Axis, Board, Point, PointSet, Threat};

impl Board {
    /// The moves that a search tries, as [`plausible_moves`](crate::game::Heuristics::plausible_moves) describes.
    pub(crate) fn candidates(&self) -> PointSet {
        if self.outcome().is_some() {
            return PointSet::EMPTY;
        }
        let own = self.turn();
        let other = !self.turn();
        let mut set = if self.counts(own).of(Threat::Five) > 0 {
            self.points_with(own, Threat::Five).collect()
        } else if self.counts(other).of(Threat::Five) > 0 {
            self.points_with(other, Threat::Five).collect()
        } else if self.counts(own).of(Threat::OpenFour) > 0 && !self.has_fours(other) {
            self.fours(Threat::OpenFour)
        } else if self.counts(other).of(Threat::OpenFour) > 0 {
            let answers = self.defences().union(&self.fours(Threat::Four));
            if answers.is_empty() {
                // Nothing helps, but there is always a move.
                self.points_with(other, Threat::OpenFour).take(1).collect()
            } else {
                answers
            }
        } else {
            self.worth_a_look()
        };
        if self.variant().forbids(own) {
            self.leave_out_forbidden(&mut set);
        }
        set
    }

    /// Removes forbidden points; if no other is left, any legal one is put in their place.
    fn leave_out_forbidden(&self, set: &mut PointSet) {
        for point in set.iter().filter(|&point| self.forbidden(point).is_some()) {
            set.remove(point);
        }
        if set.is_empty() {
            let mut moves = MoveList::new();
            self.legal_moves(&mut moves);
            if let Some(&first) = moves.first() {
                set.insert(first);
            }
        }
    }

    /// Returns true if `side` can make a four.
    pub(crate) fn has_fours(&self, side: Side) -> bool {
        let counts = self.counts(side);
        counts.of(Threat::OpenFour) + counts.simple_fours() > 0
    }

    /// The points where the side to move makes a threat of at least this strength.
    fn fours(&self, least: Threat) -> PointSet {
        self.points_with(self.turn(), least).collect()
    }

    /// The points that may stop every threat of the opponent to make an open four or two fours: those that lie near on
    /// one line with the point of the threat.
    fn defences(&self) -> PointSet {
        let other = !self.turn();
        let mut set = *self.empty_set();
        for point in self.points_with(other, Threat::OpenFour) {
            let mut near = PointSet::EMPTY;
            near.insert(point);
            for axis in Axis::ALL {
                if self.pattern_along(other, point, axis).fours() > 0 {
                    near = near.union(&self.points_along(point, axis, 5).collect());
                }
            }
            set = set.intersection(&near);
        }
        set
    }

    /// The points that are tried where nothing is forced.
    fn worth_a_look(&self) -> PointSet {
        if self.area() <= SMALL_BOARD {
            *self.empty_set()
        } else if self.stones() == 0 {
            self.empty_points()
                .min_by_key(|&point: &Point| self.eccentricity(point))
                .into_iter()
                .collect()
        } else {
            self.near_stones()
        }
    }
}
