//! Retrograde analysis: results, distances, and the rounds of the repetition rules.

pub(crate) mod chase;
pub(crate) mod chase_graph;
pub(crate) mod chase_play;
pub(crate) mod content;
pub(crate) mod game_graph;
pub(crate) mod perpetual_check;
pub(crate) mod snapshot;
pub(crate) mod solver;
pub(crate) mod sub_values;
pub(crate) mod table;
#[cfg(test)]
pub(crate) mod tests;
