//! The evaluations that can be tuned.

use super::{Trace, Tunable, Weights};
use crate::game::{Game, Heuristics, Side};
use crate::gomoku::{Board, CLASSES, Point};
use crate::search::eval::{gomoku, xiangqi};
use crate::xiangqi::Position;

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
pub(super) static WEIGHTS: [(i16, i16); COUNT] = [
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
use super::values::WEIGHT_COUNT;

/// The groups of `search::eval::gomoku`, in order.
#[rustfmt::skip]
pub(crate) static WEIGHTS: [i16; WEIGHT_COUNT] = [
";

    const ORDER_WEIGHTS: usize = 2 * CLASSES;

    const ORDER_PARTS: f64 = 3_500.0;

    const ORDER_HEAD: &'static str = "
use crate::gomoku::CLASSES;

/// By class of the point for the side to move, then for the other side.
#[rustfmt::skip]
pub(super) static ORDER: [i16; 2 * CLASSES] = [
";

    fn order_terms(&self, mv: Point) -> [u16; 2] {
        let class = |side| self.point_class(side, mv).index();
        [class(self.turn()) as u16, (CLASSES + class(!self.turn())) as u16]
    }

    fn order_groups() -> Vec<(&'static str, usize)> {
        gomoku::GROUPS[..2].to_vec()
    }
}
