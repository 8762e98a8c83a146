//! The evaluations that can be tuned.

use super::{Trace, Tunable, Weights};
use crate::game::{Game, Heuristics, Side};
use crate::gomoku::Board;
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

    const SOURCE_HEAD: &'static str = "
use super::weights::COUNT;

/// The groups of `weights.rs`, in order; only the first of each pair counts.
#[rustfmt::skip]
pub(super) static WEIGHTS: [(i16, i16); COUNT] = [
";
}
