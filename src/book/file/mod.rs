//! The file of a book: its store, opening and reading it, putting it in its place as a whole.

pub(super) mod annotation_rows;
pub(super) mod connect;
pub(super) mod digest;
pub(super) mod in_memory;
pub(super) mod key_tables;
pub(super) mod origins;
pub(super) mod paged;
pub(super) mod pages;
pub(super) mod reader;
pub(super) mod records;
pub(super) mod rehash;
pub(super) mod samples;
pub(super) mod scores;
pub(super) mod store;
pub(super) mod transaction;
pub(super) mod walk;
