//! Tuning of the evaluation by the results of games (Österlund, "Texel's tuning method", 2014):
//! [`sample()`] selects quiet positions with the results of their games, [`fit()`] finds the weights that
//! predict the results best, [`source()`] writes them as Rust. [`fit_order()`] does the same for the order of moves.

mod fit;
mod games;
mod order;
mod sample;
mod source;

pub(crate) use fit::{Fit, FitOptions, fit, logistic};
pub(crate) use order::{Foretold, OrderFit, OrderOptions, fit_order};
pub(crate) use sample::{Samples, Sampling, sample};
pub(crate) use source::{order_source, source};

use juzhong::contest::Contested;

/// Weights of the middle game and the ending, in centipawns, in the order of the parameters.
pub(crate) type Weights = Vec<[f64; 2]>;

/// A position as a product with the weights of the evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trace {
    /// The counts of the evaluation's terms: parameter, and count for the first side less count for the second.
    pub(crate) counts: Vec<(u16, i16)>,
    /// The weight of the middle game, 0 to 1.
    pub(crate) middle: f32,
    /// The factors of the first and the second side's advantage, 0 to 1.
    pub(crate) scale: [f32; 2],
}

/// A game whose evaluation can be tuned: a sum of weights, each for the middle game and the ending.
pub(crate) trait Tunable: Contested {
    /// The terms of the evaluation of this position.
    fn trace(&self) -> Trace;

    /// The weights in use, in centipawns.
    fn weights() -> Weights;

    /// The source file has weights in parts of a centipawn of this number.
    const PARTS: f64 = 1.0;

    /// True if there are weights for the middle game and for the ending; otherwise all is middle game.
    const HAS_PHASES: bool = true;

    /// The kinds of numbers in the source file and their unit, for its head.
    const UNITS: &'static str;

    /// Returns true if the value of the position is decided by what the evaluation does not count.
    fn is_decided(&self) -> bool {
        false
    }

    /// The parameters in groups of a row of the source each, with their names.
    fn groups() -> Vec<(&'static str, usize)>;

    /// The head of the source file of the weights up to the numbers, without the remark on how they were made.
    const SOURCE_HEAD: &'static str;

    /// Number of weights of the order of quiet moves; 0 where it is not tuned.
    const ORDER_WEIGHTS: usize = 0;

    /// The source file has these weights in parts of a natural logarithm of odds of this number.
    const ORDER_PARTS: f64 = 1.0;

    /// The head of the source file of the order's weights, as [`SOURCE_HEAD`](Self::SOURCE_HEAD).
    const ORDER_HEAD: &'static str = "";

    /// The two weights whose sum is the value of a quiet move.
    fn order_terms(&self, mv: Self::Move) -> [u16; 2] {
        let _ = mv;
        [0; 2]
    }

    /// Sets the weights of terms that no move of the games had (`seen` is false).
    fn complete_order(weights: &mut [f64], seen: &[bool]) {
        let _ = (weights, seen);
    }

    /// The weights of the order in groups, as [`groups`](Self::groups).
    fn order_groups() -> Vec<(&'static str, usize)> {
        Vec::new()
    }
}
