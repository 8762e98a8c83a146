//! The books that a book was merged of.

use std::collections::BTreeSet;

use serde::Serialize;

/// A book that was merged into another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Origin {
    /// Digest of its rows.
    pub content: String,
    /// Its base name.
    pub name: String,
    /// Its counted games.
    pub games: u64,
    /// Its rows.
    pub moves: u64,
}

/// The origins of a book's sources and marks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// The books that were merged. Their numbers, which [`Annotation::origin`](crate::book::model::annotation::Annotation::origin)
    /// states, begin with 1.
    pub books: Vec<Origin>,
    /// Numbers of books, and hashes of sources that came with them.
    pub sources: BTreeSet<(u32, [u8; 32])>,
}
