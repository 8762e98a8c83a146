//! The file of a book: its store, opening and reading it, putting it in its place as a whole.

pub(crate) mod annotation_rows;
pub(crate) mod connect;
pub(crate) mod digest;
pub(crate) mod in_memory;
pub(crate) mod key_tables;
pub(crate) mod origins;
pub(crate) mod paged;
pub(crate) mod pages;
pub(crate) mod reader;
pub(crate) mod records;
pub(crate) mod rehash;
pub(crate) mod samples;
pub(crate) mod scores;
pub(crate) mod store;
pub(crate) mod transaction;
pub(crate) mod walk;
#[cfg(windows)]
pub(crate) mod windows;
