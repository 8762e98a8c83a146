//! The files of endgame tables.
//!
#![doc = include_str!("FORMAT.md")]

pub(crate) mod compress;
mod encoder;
mod error;
mod header;
mod layout;
mod order;
mod reader;
mod symbols;
mod value_counts;
mod writer;

use crate::tablebase::material::Material;
use crate::tablebase::value::{Metric, Rules};

pub use error::TableError;
pub(crate) use header::{Label, Section};
pub(crate) use layout::{FoldedDigits, prepare};
pub(crate) use reader::{Spot, Stored, TableFile, is_unreadably_old};
pub(crate) use symbols::{LOOP_MARK, NO_MARK, symbol_of, wdl_of};
pub use value_counts::{HistogramRow, SideCounts};
pub(crate) use writer::{TOOL, write};

/// The name of a table's file.
pub(crate) fn file_name(material: Material, rules: Rules, metric: Metric) -> String {
    format!("{material}.{rules}.{metric}.jzt")
}

/// The rules and metric that a file name stands for, if it is one of a table.
pub(crate) fn kind_of_file(name: &str) -> Option<(Rules, Metric)> {
    let mut parts = name.split('.').skip(1);
    let kind = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    material_of_file(name, kind.0, kind.1).map(|_| kind)
}

/// The material that a file name stands for, if it is one of a table with these rules and metric.
pub(crate) fn material_of_file(name: &str, rules: Rules, metric: Metric) -> Option<Material> {
    let stem = name.strip_suffix(&format!(".{rules}.{metric}.jzt"))?;
    stem.parse().ok().filter(|material: &Material| material.to_string() == stem)
}
