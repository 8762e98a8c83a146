//! The contents of a book: moves and their statistics, values, annotations, filters, metadata, and the errors of
//! books. No files.

pub(crate) mod annotation;
pub(crate) mod counted_game;
pub(crate) mod details;
pub(crate) mod error;
pub(crate) mod filter;
pub(crate) mod groups;
pub(crate) mod metadata;
pub(crate) mod move_stats;
pub(crate) mod observation;
pub(crate) mod origins;
pub(crate) mod sample;
pub(crate) mod value;
pub(crate) mod weight;
