//! The weights of patterns and classes of points, and the evaluation as their sum.

use super::numbers::WEIGHTS;
use crate::game::Game;
use crate::gomoku::{Board, CLASSES, Counts, LINE_PATTERNS, LinePattern, Threat};

/// Parameters for one player in one role.
const FOR_ROLE: usize = LINE_PATTERNS + CLASSES;

/// Number of parameters: patterns and classes of the side to move, those of the other side, the right to move.
pub(super) const COUNT: usize = 2 * FOR_ROLE + 1;

/// Weights are in parts of a centipawn of this number.
pub(super) const SCALE: i32 = 10;

/// The same for the tuner.
pub const PARTS: f64 = SCALE as f64;

/// The groups of parameters with their lengths.
pub const GROUPS: [(&str, usize); 5] = [
    ("patterns of the side to move", LINE_PATTERNS),
    ("classes of points for the side to move", CLASSES),
    ("patterns of the other side", LINE_PATTERNS),
    ("classes of points for the other side", CLASSES),
    ("the right to move", 1),
];

/// The weights in centipawns, in the order of the parameters.
pub fn weights() -> impl Iterator<Item = f64> {
    WEIGHTS.iter().map(|&(weight, _)| f64::from(weight) / f64::from(SCALE))
}

/// The weights of one role, as the evaluation reads them.
struct Role {
    patterns: [i16; LINE_PATTERNS + 1],
    classes: [i16; CLASSES],
}

/// The weights of the side to move, and of the other.
static ROLES: [Role; 2] = [role(0), role(FOR_ROLE)];

/// The worth of having the move.
const TEMPO: i32 = WEIGHTS[2 * FOR_ROLE].0 as i32;

const fn role(from: usize) -> Role {
    let mut role = Role { patterns: [0; LINE_PATTERNS + 1], classes: [0; CLASSES] };
    let mut i = 0;
    while i < LINE_PATTERNS {
        role.patterns[i] = WEIGHTS[from + i].0;
        i += 1;
    }
    let mut i = 0;
    while i < CLASSES {
        role.classes[i] = WEIGHTS[from + LINE_PATTERNS + i].0;
        i += 1;
    }
    role
}

/// The evaluation for the side to move.
pub(super) fn balance(own: &Counts, other: &Counts) -> i32 {
    (sum(own, &ROLES[0]) + sum(other, &ROLES[1]) + TEMPO) / SCALE
}

fn sum(counts: &Counts, role: &Role) -> i32 {
    product(&counts.patterns, &role.patterns) + product(&counts.classes, &role.classes)
}

fn product<const N: usize>(counts: &[i16; N], weights: &[i16; N]) -> i32 {
    counts.iter().zip(weights).map(|(&count, &weight)| i32::from(count) * i32::from(weight)).sum()
}

/// The counts that the evaluation of a position is a sum of, each with its parameter.
#[must_use]
pub fn counted(board: &Board) -> Vec<(u16, i16)> {
    let roles = [board.turn(), !board.turn()].map(|side| board.counts(side));
    let counts = roles
        .into_iter()
        .flat_map(|counts| counts.patterns[..LINE_PATTERNS].iter().chain(&counts.classes).copied());
    (0..).zip(counts.chain([1])).filter(|&(_, count)| count != 0).collect()
}

/// By threat: the value for move ordering of a stone that makes it, and of one that prevents it.
#[rustfmt::skip]
pub(super) const MOVE_VALUES: [[i32; 14]; 2] = [
    [0, 0, 100, 300, 200, 500, 900, 1_300, 2_400, 700, 1_200, 5_000, 9_000, 19_000],
    [0, 0, 60, 200, 120, 300, 500, 800, 1_400, 400, 700, 3_000, 6_000, 15_000],
];

/// By pattern: the value for move ordering of one line, own and prevented alike.
const LINE_VALUES: [i32; LINE_PATTERNS] = [0, 2, 10, 15, 40, 50, 60, 50, 90, 100, 60, 0, 0, 0, 0];

/// The value of a move by the single lines.
pub(super) fn line_value(own: [LinePattern; 4], other: [LinePattern; 4]) -> i32 {
    let sum = |patterns: [LinePattern; 4]| {
        patterns.iter().map(|&pattern| LINE_VALUES[pattern as usize]).sum::<i32>()
    };
    sum(own) + sum(other)
}

/// One term of the evaluation: all points that make a threat, with the patterns of their lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// What is counted; `None` for the right to move.
    pub kind: Option<TermKind>,
    /// How often the side to move has it, and the other.
    pub counts: [i16; 2],
    /// What that adds to the evaluation for the side to move, by its own and by those of the other, in centipawns.
    pub values: [f64; 2],
}

/// What a [`Term`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// Lines of points on which a stone makes a pattern.
    Pattern(LinePattern),
    /// Points on which a stone makes a threat.
    Threat(Threat),
}

/// The terms of the evaluation of a position that no threat decides at once.
#[must_use]
pub fn terms(board: &Board) -> Vec<Term> {
    let sides = [board.turn(), !board.turn()].map(|side| board.counts(side));
    let worth = |sum: i32| f64::from(sum) / f64::from(SCALE);
    let patterns = LinePattern::ALL.into_iter().enumerate().map(|(i, pattern)| {
        let counts = sides.map(|counts| counts.patterns[i]);
        let value = |of: usize| i32::from(counts[of]) * i32::from(ROLES[of].patterns[i]);
        let values = [0, 1].map(|of| worth(value(of)));
        Term { kind: Some(TermKind::Pattern(pattern)), counts, values }
    });
    let threats = Threat::ALL.into_iter().map(|threat| {
        let value = |of: usize| {
            let of_threat =
                |class: &usize| crate::gomoku::PointClass::ALL[*class].threat() == threat;
            let value = |class: usize| {
                i32::from(sides[of].classes[class]) * i32::from(ROLES[of].classes[class])
            };
            (0..CLASSES).filter(of_threat).map(value).sum::<i32>()
        };
        let values = [0, 1].map(|of| worth(value(of)));
        Term {
            kind: Some(TermKind::Threat(threat)),
            counts: sides.map(|counts| counts.of(threat)),
            values,
        }
    });
    let tempo = Term { kind: None, counts: [1, 0], values: [worth(TEMPO), 0.0] };
    patterns.chain(threats).chain([tempo]).collect()
}
