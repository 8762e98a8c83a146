//! The evaluations that can be tuned.

use super::{Trace, Tunable, Weights};
use juzhong::game::{Game, Heuristics, Side};
use juzhong::gomoku::{Board, CLASSES, LinePattern, Point, PointClass};
use juzhong::search::eval::{gomoku, xiangqi};
use juzhong::xiangqi::Position;

impl Tunable for Position {
    fn trace(&self) -> Trace {
        let trace = xiangqi::trace(self);
        Trace {
            counts: trace.counts,
            middle: trace.phase as f32 / xiangqi::Explanation::FULL_PHASE as f32,
            scale: [trace.scale.first, trace.scale.second].map(|scale| scale as f32 / 64.0),
        }
    }

    fn weights() -> Weights {
        let pair = |&(middle, ending)| [f64::from(middle), f64::from(ending)];
        xiangqi::weights().iter().map(pair).collect()
    }

    fn groups() -> Vec<(&'static str, usize)> {
        xiangqi::GROUPS.iter().map(|group| (group.name, group.len)).collect()
    }

    const UNITS: &'static str = "middle game and ending, in centipawns";

    const SOURCE_HEAD: &'static str = "
use crate::search::eval::xiangqi::features::COUNT;

/// The groups of `features.rs`, in order.
#[rustfmt::skip]
pub(crate) static WEIGHTS: [(i16, i16); COUNT] = [
";
}

/// The evaluation of gomoku has no phases: its weights are those of the middle game, and the position is all middle
/// game.
impl Tunable for Board {
    fn trace(&self) -> Trace {
        let sign = if self.turn() == Side::First { 1 } else { -1 };
        let counts = gomoku::counted(self)
            .into_iter()
            .map(|(parameter, count)| (parameter, sign * count))
            .collect();
        Trace { counts, middle: 1.0, scale: [1.0; 2] }
    }

    fn weights() -> Weights {
        gomoku::weights().map(|weight| [weight, 0.0]).collect()
    }

    const PARTS: f64 = gomoku::PARTS;

    fn is_decided(&self) -> bool {
        self.forced_win().is_some()
    }

    fn groups() -> Vec<(&'static str, usize)> {
        gomoku::GROUPS.to_vec()
    }

    const HAS_PHASES: bool = false;

    const UNITS: &'static str = "in tenths of a centipawn";

    const SOURCE_HEAD: &'static str = "
use super::threat::WEIGHT_COUNT;

/// The groups of `search::eval::gomoku`, in order.
#[rustfmt::skip]
pub(crate) static WEIGHTS: [i16; WEIGHT_COUNT] = [
";

    const ORDER_WEIGHTS: usize = 2 * CLASSES;

    const ORDER_PARTS: f64 = 5_300.0;

    const ORDER_HEAD: &'static str = "
use crate::gomoku::CLASSES;

/// By class of the point for the side to move, then for the other side.
#[rustfmt::skip]
pub(crate) static ORDER: [i16; 2 * CLASSES] = [
";

    fn order_terms(&self, mv: Point) -> [u16; 2] {
        gomoku::class_parameters(self, mv).map(|parameter| parameter as u16)
    }

    /// A class that no game had is worth what the most similar one is that some game had. A row that is too long
    /// wins nothing.
    fn complete_order(weights: &mut [f64], seen: &[bool]) {
        let patterns: Vec<[usize; 4]> = PointClass::arrangements()
            .map(|patterns| {
                let mut numbers = patterns.map(|pattern| match pattern {
                    LinePattern::Overline => LinePattern::Dead as usize,
                    other => other as usize,
                });
                numbers.sort_unstable();
                numbers
            })
            .collect();
        for (weights, seen) in weights.chunks_mut(CLASSES).zip(seen.chunks(CLASSES)) {
            let known: Vec<usize> = (0..CLASSES).filter(|&class| seen[class]).collect();
            for class in (0..CLASSES).filter(|&class| !seen[class]) {
                let distance = |&other: &usize| -> usize {
                    patterns[class].iter().zip(patterns[other]).map(|(&a, b)| a.abs_diff(b)).sum()
                };
                if let Some(&nearest) = known.iter().min_by_key(|&other| distance(other)) {
                    weights[class] = weights[nearest];
                }
            }
        }
    }

    fn order_groups() -> Vec<(&'static str, usize)> {
        gomoku::GROUPS[..2].to_vec()
    }
}
