//! Games between engines.

mod selfplay;

pub use selfplay::{MAX_PLIES, SelfPlay, SelfPlayError};
