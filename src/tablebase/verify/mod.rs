//! Proving tables by legal moves, apart from the solver.

pub(super) mod chase;
pub(super) mod load;
pub(super) mod perpetual_check;
pub(super) mod verifier;
