//! Game records: one [`Record`] model, and a reader and writer per file format.

mod model;

pub use model::{Record, Tree, Variation};
