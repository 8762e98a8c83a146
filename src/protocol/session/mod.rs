//! A session of this engine with a GUI: options, clocks, the search in its own thread, answers.

pub(crate) mod answers;
pub(crate) mod options;
pub(crate) mod settings;
pub(crate) mod state;
pub(crate) mod thinking;
pub(crate) mod timing;
pub(crate) mod values;
