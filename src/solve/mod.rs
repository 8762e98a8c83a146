//! Exact results of gomoku, with proofs: continuous fours, continuous threats, proof-number search, exhaustive search
//! and complete tables of small boards.
//!
//! With the feature `book`, `SolutionStore` keeps proved positions in a book, and `ProvedPositions` finds them there.
//!
//! [`Prover`] tries them in this order and answers with a [`Solution`], which has a [`Proof`]: an AND/OR tree that
//! [`check()`] verifies with the rules alone. `proof` holds the tree and its file; `check` shares nothing with the
//! provers but that.

mod check;
mod exhaustive;
mod expand;
mod pairing;
mod pns;
mod proof;
mod prover;
#[cfg(feature = "book")]
mod store;
mod table;
mod tree;
mod value;

pub use check::{CheckError, NodeFault, check};
pub use proof::{Goal, NodeId, Proof, ProofClaim, ProofError, ProofNode};
pub use prover::{Prover, ProverOptions, Solution};
#[cfg(feature = "book")]
pub use store::{Proved, ProvedPositions, SolutionStore, StoreError};
pub use table::{CompleteTable, CompleteTableError, TableCounts};
pub use value::{Budget, ProofKind, Value};
