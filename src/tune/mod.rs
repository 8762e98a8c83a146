//! Tuning of the evaluation by the results of games (Österlund, "Texel's tuning method", 2014):
//! [`sample()`] selects quiet positions with the results of their games, [`fit()`] finds the weights that
//! predict the results best, [`source()`] writes them as Rust.

mod fit;
mod sample;
mod source;

pub use fit::{Fit, FitOptions, Loss, fit};
pub use sample::{Samples, Sampling, sample};
pub use source::source;

/// Weights of the middle game and the ending, in centipawns, in the order of the parameters.
pub type Weights = Vec<[f64; 2]>;

/// The weights in use.
#[must_use]
pub fn current() -> Weights {
    let weights = crate::search::eval::xiangqi::weights();
    weights.iter().map(|&(middle, ending)| [f64::from(middle), f64::from(ending)]).collect()
}
