//! The solver against literal games on random graphs.

mod chase_parity_game;
mod joint_game;
pub(crate) mod parity_game;
pub(crate) mod random_graph;
