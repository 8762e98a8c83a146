//! Retrograde analysis: results, distances, and the rounds of the repetition rules.

pub(crate) mod chase;
pub(crate) mod chase_graph;
#[cfg(test)]
pub(crate) mod chase_parity_game;
pub(crate) mod chase_play;
pub(crate) mod content;
pub(crate) mod game_graph;
#[cfg(test)]
pub(crate) mod joint_game;
#[cfg(test)]
pub(crate) mod parity_game;
pub(crate) mod perpetual_check;
#[cfg(test)]
pub(crate) mod random_graph;
pub(crate) mod snapshot;
pub(crate) mod solver;
pub(crate) mod sub_values;
pub(crate) mod table;
