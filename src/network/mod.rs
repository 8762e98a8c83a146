//! The network: an evaluation of xiangqi by sums of learned weights, kept from one position to the next.
//!
//! Each side sees the board as if it were the first: its own men and the other's, each kind on each square, is a
//! *feature*. A *view* sums the rows of the features that are there, so that a move changes a few rows of it. Half of a
//! row belongs to the mirror image of the board, and both halves count alike: the network knows no wing, and as both
//! sides see with the same weights, no colour. All numbers are integers, and no sum overflows whatever the weights are,
//! so that every processor computes the same (`docs/design/network.md`).

mod evaluator;
mod units;
mod weights;

pub use evaluator::NetworkEvaluator;
#[cfg(test)]
pub(crate) use evaluator::tests::network_and_correction;
pub use weights::{Network, NetworkError};
