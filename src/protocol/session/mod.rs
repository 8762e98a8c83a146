//! A session of this engine with a GUI: options, clocks, the search in its own thread, answers.

pub(super) mod answers;
pub(super) mod settings;
pub(super) mod state;
pub(super) mod thinking;
pub(super) mod timing;
