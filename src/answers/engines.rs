//! The answers about engines of other programs: those of the settings, and what a short trial shows of one.

use serde::Serialize;

/// The engines of the settings: schema `juzhong.engine.list/1`.
#[derive(Debug, Serialize)]
pub struct EnginesAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The settings file; null if there is to be none.
    pub file: Option<String>,
    /// In the order of the file.
    pub engines: Vec<EngineAnswer>,
}

impl EnginesAnswer {
    /// The schema.
    pub const SCHEMA: &'static str = "juzhong.engine.list/1";
}

/// An engine of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineAnswer {
    /// Its name in the settings.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its protocol; null to find out.
    pub protocol: Option<&'static str>,
    /// The game that it plays: `xiangqi` or `gomoku`; null where that is not known.
    pub game: Option<&'static str>,
    /// The options that it is given.
    pub options: Vec<EngineOptionValue>,
    /// Threads of a search; null for its own default.
    pub threads: Option<usize>,
    /// Size of its transposition table in MiB; null for its own default.
    pub hash: Option<usize>,
    /// Processes of it that may run at the same time.
    pub at_once: usize,
}

/// The value that an option of an engine is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineOptionValue {
    /// The option.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A short trial of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineTrial {
    /// The name that it gives itself.
    pub name: String,
    /// The protocol that it speaks.
    pub protocol: &'static str,
    /// The number of the first rank in its moves.
    pub first_rank: u8,
    /// The options that it has announced.
    pub options: Vec<AnnouncedOption>,
    /// Its move at the start of a game.
    pub best: Option<String>,
    /// Plies of that search.
    pub depth: u32,
    /// Milliseconds from its start until it was ready.
    pub start_ms: u64,
    /// Milliseconds until it was ready for a game.
    pub ready_ms: u64,
    /// Milliseconds of the search.
    pub search_ms: u64,
    /// Milliseconds until it had ended.
    pub end_ms: u64,
    /// Its messages.
    pub warnings: Vec<String>,
}

/// An option of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnnouncedOption {
    /// Its name.
    pub name: String,
    /// The rest of its announcement, from the word `type` on.
    pub announced: String,
}

/// The answer of a trial: schema `juzhong.engine.test/1`.
#[derive(Debug, Serialize)]
pub struct EngineTestAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The engine as it was started.
    pub engine: EngineAnswer,
    /// The trial.
    pub trial: EngineTrial,
}

impl EngineTestAnswer {
    /// The schema.
    pub const SCHEMA: &'static str = "juzhong.engine.test/1";
}

/// The answer to a change of the settings: schema `juzhong.engine.change/1`.
#[derive(Debug, Serialize)]
pub struct EngineChangeAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The settings file.
    pub file: String,
    /// The engine that was added.
    pub added: Option<EngineAnswer>,
    /// The engine that was removed, or that another one of its name has replaced.
    pub removed: Option<EngineAnswer>,
    /// The trial of the engine that was added; null if there was none.
    pub trial: Option<EngineTrial>,
}

impl EngineChangeAnswer {
    /// The schema.
    pub const SCHEMA: &'static str = "juzhong.engine.change/1";
}
