//! The weights of patterns and threats.

use crate::game::Game;
use crate::gomoku::{Board, Counts, LINE_PATTERNS, LinePattern, THREATS, Threat};

/// The worth of having the move.
const TEMPO: i32 = 60;

/// By pattern: a point on a line for the side to move, and for the other.
#[rustfmt::skip]
const PATTERN_WEIGHTS: [[i32; LINE_PATTERNS]; 2] = [
    [0, 0, 2, 4, 12, 16, 20, 20, 60, 75, 60, 0, 0, 0, 0],
    [0, 0, 2, 3, 10, 13, 16, 14, 40, 50, 40, 0, 0, 0, 0],
];

/// By threat: a point for the side to move, and for the other.
#[rustfmt::skip]
const THREAT_WEIGHTS: [[i32; THREATS]; 2] = [
    [0, 0, 0, 10, 0, 10, 0, 30, 80, 0, 30, 600, 900, 0],
    [0, 0, 0, 6, 0, 6, 0, 15, 40, 0, 15, 150, 300, 0],
];

/// By threat: the value for move ordering of a stone that makes it, and of one that prevents it.
#[rustfmt::skip]
pub(super) const MOVE_VALUES: [[i32; THREATS]; 2] = [
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

/// Weights are in parts of a centipawn of this number.
const SCALE: i32 = 4;

/// The evaluation for the side to move.
pub(super) fn balance(own: &Counts, other: &Counts) -> i32 {
    let worth = |counts: &Counts, of: usize| {
        let patterns = counts.patterns.iter().zip(PATTERN_WEIGHTS[of]);
        let threats = counts.threats.iter().zip(THREAT_WEIGHTS[of]);
        let sum = |(&count, weight): (&u16, i32)| i32::from(count) * weight;
        patterns.map(sum).sum::<i32>() + threats.map(sum).sum::<i32>()
    };
    (worth(own, 0) - worth(other, 1)) / SCALE + TEMPO
}

/// One term of the evaluation: a pattern, a threat, or the right to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The pattern that is counted.
    pub pattern: Option<LinePattern>,
    /// The threat that is counted.
    pub threat: Option<Threat>,
    /// How often the side to move has it, and the other.
    pub counts: [u16; 2],
    /// What that adds for the side to move, and for the other, in centipawns, rounded towards 0.
    pub values: [i32; 2],
}

/// The terms of the evaluation of a position that no threat decides at once.
#[must_use]
pub fn terms(board: &Board) -> Vec<Term> {
    let sides = [board.turn(), !board.turn()].map(|side| board.counts(side));
    let term = |pattern, threat, counts: [u16; 2], weights: [i32; 2]| {
        let value = |of: usize| i32::from(counts[of]) * weights[of] / SCALE;
        Term { pattern, threat, counts, values: [value(0), value(1)] }
    };
    let patterns = LinePattern::ALL.into_iter().enumerate().map(|(i, pattern)| {
        let counts = sides.map(|counts| counts.patterns[i]);
        term(Some(pattern), None, counts, PATTERN_WEIGHTS.map(|weights| weights[i]))
    });
    let threats = Threat::ALL.into_iter().enumerate().map(|(i, threat)| {
        let counts = sides.map(|counts| counts.threats[i]);
        term(None, Some(threat), counts, THREAT_WEIGHTS.map(|weights| weights[i]))
    });
    let tempo = Term { pattern: None, threat: None, counts: [1, 0], values: [TEMPO, 0] };
    patterns.chain(threats).chain([tempo]).collect()
}
