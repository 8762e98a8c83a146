//! The contents of a book: moves and their statistics, values, annotations, filters, metadata, and the errors of
//! books. No files.

pub(super) mod annotation;
pub(super) mod counted_game;
pub(super) mod error;
pub(super) mod filter;
pub(super) mod groups;
pub(super) mod metadata;
pub(super) mod move_stats;
pub(super) mod observation;
pub(super) mod origins;
pub(super) mod sample;
pub(super) mod value;
pub(super) mod weight;
