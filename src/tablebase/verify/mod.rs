//! Proving tables by legal moves, apart from the solver.

pub(crate) mod chase;
pub(crate) mod load;
pub(crate) mod perpetual_check;
pub(crate) mod verifier;
