//! The settings of a server.

use std::net::IpAddr;
use std::path::PathBuf;

use juzhong::answers::AnswerError;
use juzhong::answers::tablebase::open_tables;
use juzhong::game::EvaluationKind;
use juzhong::protocol::client::{EngineEntry, EngineSizes};
use juzhong::tablebase::{Metric, Tables};
use juzhong::train::Day;

/// The settings of a server.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The address to listen at.
    pub(crate) host: IpAddr,
    /// The port; 0 for any that is free.
    pub(crate) port: u16,
    /// Names by which the server may be addressed besides IP addresses and `localhost`.
    pub(crate) allowed_hosts: Vec<String>,
    /// Opening books of any game.
    pub(crate) books: Vec<PathBuf>,
    /// The folder of endgame tables.
    pub(crate) tables: Option<PathBuf>,
    /// Files and folders of games.
    pub(crate) library: Vec<PathBuf>,
    /// The folder of the indexes of the library; `None` keeps none.
    pub(crate) indexes: Option<PathBuf>,
    /// The folder of the games that were played on the page, if they are kept.
    pub(crate) autosave: Option<PathBuf>,
    /// The engines of other programs that requests may name.
    pub(crate) engines: Vec<EngineEntry>,
    /// The engine of requests that name none; `None` for the own one.
    pub(crate) engine: Option<EngineEntry>,
    /// Books and tables are asked before engines, where requests do not say otherwise.
    pub(crate) has_front: bool,
    /// The file of exercises, if there is one.
    pub(crate) train: Option<PathBuf>,
    /// The day for which exercises are due; `None` for the present one.
    pub(crate) today: Option<Day>,
    /// Size of the transposition table of each search, in MiB.
    pub(crate) hash_mib: usize,
    /// Threads of each search.
    pub(crate) threads: usize,
    /// The evaluation of the own engine where requests do not say otherwise, in games that have more than one.
    pub(crate) evaluation: EvaluationKind,
    /// Writes a line for each request to standard error.
    pub(crate) log: bool,
}

impl Config {
    /// The sizes of the own engine.
    pub(crate) const fn sizes(&self) -> EngineSizes {
        EngineSizes { threads: Some(self.threads), hash_mib: Some(self.hash_mib) }
    }

    /// Opens the tables, if there are any.
    pub(crate) fn open_tables(&self) -> Result<Option<Tables>, AnswerError> {
        let Some(dir) = &self.tables else { return Ok(None) };
        Ok(Some(open_tables(dir, None, Metric::default())?))
    }
}
