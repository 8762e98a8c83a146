//! Pairs of points with which a defender holds: one pair for every line that the attacker could still fill.

use crate::game::Side;
use crate::gomoku::{Board, LineMap, Point};

/// Disjoint pairs of empty points, such that every line that `attacker` could still fill has both points of one; `None`
/// if there are none. Empty if no line is left.
pub(crate) fn pairing(board: &Board, map: &LineMap, attacker: Side) -> Option<Vec<(Point, Point)>> {
    let lines = map.open_lines(attacker);
    if lines.is_empty() {
        return Some(Vec::new());
    }
    let empty = usize::from(board.area() - board.stones());
    // Where points are forbidden to the first player, an answer might not be legal.
    if 2 * lines.len() > empty || board.variant().forbids(Side::First) {
        return None;
    }
    let mut matching = Matching { lines: &lines, owners: vec![None; crate::hash::gomoku::POINTS] };
    for place in 0..2 * lines.len() {
        let mut tried = vec![false; crate::hash::gomoku::POINTS];
        if !matching.give(place, &mut tried) {
            return None;
        }
    }
    (0..lines.len())
        .map(|line| matching.point_of(2 * line).zip(matching.point_of(2 * line + 1)))
        .collect()
}

/// A matching of points to places: each line has two.
struct Matching<'a> {
    lines: &'a [Vec<Point>],
    /// The place that has each point.
    owners: Vec<Option<usize>>,
}

impl Matching<'_> {
    /// The point that a place has.
    fn point_of(&self, place: usize) -> Option<Point> {
        let mut points = self.lines[place / 2].iter();
        points.find(|point| self.owners[point.index()] == Some(place)).copied()
    }

    /// Gives a place one of its line's points, and those who had it another. The recursion tries each point once.
    fn give(&mut self, place: usize, tried: &mut [bool]) -> bool {
        for &point in &self.lines[place / 2] {
            if std::mem::replace(&mut tried[point.index()], true) {
                continue;
            }
            let is_free = match self.owners[point.index()] {
                None => true,
                Some(owner) => self.give(owner, tried),
            };
            if is_free {
                self.owners[point.index()] = Some(place);
                return true;
            }
        }
        false
    }
}
