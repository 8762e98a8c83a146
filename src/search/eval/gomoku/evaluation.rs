//! The evaluation as a sum of values: those of points by class, that of the threats on the board, that of the move.

use crate::game::{Game, Side};
use crate::gomoku::{
    Board, CLASSES, Point, SITUATIONS, Threat, ThreatCounts, WEIGHT_COUNT, WEIGHTS,
};

/// Weights are in parts of a centipawn of this number.
const SCALE: i32 = 10;

/// The same for the tuner.
pub const PARTS: f64 = SCALE as f64;

/// The groups of parameters with their lengths.
pub const GROUPS: [(&str, usize); 4] = [
    ("classes of points for the side to move", CLASSES),
    ("classes of points for the other side", CLASSES),
    ("threats on the board", SITUATIONS),
    ("the right to move", 1),
];

/// The weights in centipawns, in the order of the parameters.
pub fn weights() -> impl Iterator<Item = f64> {
    WEIGHTS.iter().map(|&weight| f64::from(weight) / f64::from(SCALE))
}

/// The worth of having the move.
const TEMPO: i32 = WEIGHTS[WEIGHT_COUNT - 1] as i32;

/// The threats whose presence makes a situation. Those of five are not among them: they decide.
const TOLD_APART: [Threat; 6] = [
    Threat::OpenFour,
    Threat::FourThree,
    Threat::FourAndMore,
    Threat::Four,
    Threat::DoubleThree,
    Threat::ThreeAndMore,
];

const _: () = assert!(SITUATIONS == 1 << (2 * TOLD_APART.len()));

/// The number of the situation: which of the strong threats each side could make with one stone.
fn situation(own: &ThreatCounts, other: &ThreatCounts) -> usize {
    let kinds = |counts: &ThreatCounts| {
        let bits = TOLD_APART.iter().enumerate();
        bits.map(|(bit, &threat)| usize::from(counts.of(threat) > 0) << bit).sum::<usize>()
    };
    kinds(own) | kinds(other) << TOLD_APART.len()
}

fn situation_value(own: &ThreatCounts, other: &ThreatCounts) -> i32 {
    i32::from(WEIGHTS[2 * CLASSES + situation(own, other)])
}

/// The evaluation for the side to move.
pub(crate) fn balance(own: &ThreatCounts, other: &ThreatCounts) -> i32 {
    (own.values[0] + other.values[1] + situation_value(own, other) + TEMPO) / SCALE
}

/// The parameters of an empty point's classes: for the side to move, and for the other. Those of the order of moves have
/// the same numbers.
#[inline]
#[must_use]
pub fn class_parameters(board: &Board, point: Point) -> [usize; 2] {
    [class_of(board, board.turn(), point), CLASSES + class_of(board, !board.turn(), point)]
}

/// The number of the class of a point.
fn class_of(board: &Board, side: Side, point: Point) -> usize {
    board.point_class(side, point).index()
}

/// The counts that the evaluation of a position is a sum of, each with its parameter.
#[must_use]
pub fn counted(board: &Board) -> Vec<(u16, i16)> {
    let mut parameters: Vec<u16> = board
        .empty_points()
        .flat_map(|point| class_parameters(board, point))
        .map(|parameter| parameter as u16)
        .collect();
    let [own, other] = [board.turn(), !board.turn()].map(|side| board.counts(side));
    parameters.push((2 * CLASSES + situation(own, other)) as u16);
    parameters.push((WEIGHT_COUNT - 1) as u16);
    parameters.sort_unstable();
    parameters
        .chunk_by(PartialEq::eq)
        .map(|equal| (equal[0], i16::try_from(equal.len()).unwrap_or(i16::MAX)))
        .collect()
}

/// One term of the evaluation: the points on which a stone makes a threat, all the threats together, or the move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The thing counted.
    pub kind: TermKind,
    /// The number that the side to move has of it, and the other.
    pub counts: [i16; 2],
    /// The part of the evaluation that comes of it for the side to move, by its own and by those of the other, in centipawns.
    pub values: [f64; 2],
}

/// The thing that a [`Term`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// Points on which a stone makes a threat, by the patterns of their lines.
    Threat(Threat),
    /// Kinds of strong threats that are there, valued together; the value counts as the mover's.
    Threats,
    /// The right to move.
    Move,
}

/// The terms of the evaluation; none where the game is over or a threat decides it at once.
#[must_use]
pub fn terms(board: &Board) -> Vec<Term> {
    if board.outcome().is_some() || board.decisive_threat().is_some() {
        return Vec::new();
    }
    let sides = [board.turn(), !board.turn()];
    let mut sums = [[0; 2]; Threat::ALL.len()];
    for point in board.empty_points() {
        for (role, parameter) in class_parameters(board, point).into_iter().enumerate() {
            let threat = board.threat(sides[role], point);
            sums[threat as usize][role] += i32::from(WEIGHTS[parameter]);
        }
    }
    let [own, other] = sides.map(|side| board.counts(side));
    let threats = Threat::ALL.into_iter().zip(sums).map(|(threat, sums)| Term {
        kind: TermKind::Threat(threat),
        counts: [own, other].map(|counts| counts.of(threat)),
        values: sums.map(centipawns),
    });
    let together = Term {
        kind: TermKind::Threats,
        counts: [own, other].map(|counts: &ThreatCounts| {
            TOLD_APART.iter().map(|&threat| i16::from(counts.of(threat) > 0)).sum()
        }),
        values: [centipawns(situation_value(own, other)), 0.0],
    };
    let tempo = Term { kind: TermKind::Move, counts: [1, 0], values: [centipawns(TEMPO), 0.0] };
    threats.chain([together, tempo]).collect()
}

/// A sum in centipawns.
fn centipawns(sum: i32) -> f64 {
    f64::from(sum) / f64::from(SCALE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{Heuristics, Notation};

    proptest! {
        #[test]
        fn what_is_summed_is_what_is_shown_and_fitted(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let mut board = <Board as Notation>::start();
            for choice in choices {
                let empty: Vec<_> = board.near_stones().iter().collect();
                let point = if empty.is_empty() { board.best_point() } else { Some(*choice.get(&empty)) };
                if let Some(point) = point.filter(|_| board.outcome().is_none()) {
                    board.make(point);
                }
                let [own, other] = [board.turn(), !board.turn()].map(|side| *board.counts(side));
                let fitted: i32 = counted(&board)
                    .iter()
                    .map(|&(weight, count)| i32::from(WEIGHTS[usize::from(weight)]) * i32::from(count))
                    .sum();
                prop_assert_eq!(fitted / SCALE, balance(&own, &other));
                let shown = terms(&board);
                if !shown.is_empty() {
                    let shown: f64 = shown.iter().flat_map(|term| term.values).sum();
                    prop_assert!((shown - f64::from(board.evaluate())).abs() < 1.0, "{shown}");
                }
            }
        }
    }
}
