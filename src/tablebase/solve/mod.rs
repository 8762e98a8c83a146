//! Retrograde analysis: results, distances, and the rounds of the repetition rules.

pub(super) mod chase;
pub(super) mod chase_graph;
#[cfg(test)]
pub(super) mod chase_parity_game;
pub(super) mod chase_play;
pub(super) mod content;
pub(super) mod game_graph;
#[cfg(test)]
pub(super) mod joint_game;
#[cfg(test)]
pub(super) mod parity_game;
pub(super) mod perpetual_check;
#[cfg(test)]
pub(super) mod random_graph;
pub(super) mod snapshot;
pub(super) mod solver;
pub(super) mod sub_values;
pub(super) mod table;
