//! A session of this engine with a GUI: options, clocks, the search in its own thread, answers.

pub(crate) mod answers;
pub(crate) mod engine_handle;
pub(crate) mod options;
pub(crate) mod settings;
pub(crate) mod state;
pub(crate) mod thinking;
pub(crate) mod timing;
pub(crate) mod values;

use std::time::Duration;

/// Idle time after which options are applied, so that no clock runs meanwhile.
pub(crate) const IDLE: Duration = Duration::from_millis(50);

/// The time that a search may go on after the end of the input, when nobody can stop it any more.
pub(crate) const AFTER_END: Duration = Duration::from_secs(600);
