//! What a proxy begins with, and the reasons why it cannot begin or go on.

use std::io;

use crate::engine::{EngineError, EngineOptions};
use crate::protocol::client::{ClientError, EngineCommand, EngineSizes, Timeouts};
use crate::protocol::{Dialect, Ranks};
use crate::xiangqi::RuleSet;

/// The engine, and the books and tablebases in front of it.
#[derive(Debug, Clone)]
pub struct ProxyOptions {
    /// The command that starts the engine.
    pub command: EngineCommand,
    /// Its protocol; `None` to find out.
    pub protocol: Option<Dialect>,
    /// The way in which it counts ranks; `None` for 0 to 9 unless it has the option `UCI_Variant`.
    pub ranks: Option<Ranks>,
    /// Its sizes, set at each start where it has options for them.
    pub sizes: EngineSizes,
    /// Options set in it at each start, names in any dialect.
    pub options: Vec<(String, String)>,
    /// Our books, tablebases and rules, and the options with which we play on if the engine fails.
    pub own: EngineOptions<RuleSet>,
    /// The times that the engine may take. `search` is the time that it may be silent in a search that has no
    /// limit in time and is not endless.
    pub timeouts: Timeouts,
}

/// The reason why a proxy cannot begin, or go on.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum ProxyError {
    /// The engine cannot be started at all.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Our own part cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The GUI cannot be written to.
    #[error(transparent)]
    Io(#[from] io::Error),
}
