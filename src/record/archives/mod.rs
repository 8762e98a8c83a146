//! Files as they come: packed, in archives, in folders, too large for the memory, changed while they are read.

pub(crate) mod admit;
pub(crate) mod archive;
pub(crate) mod changed;
pub(crate) mod content;
pub(crate) mod file;
pub(crate) mod member;
pub(crate) mod packed;
#[cfg_attr(all(target_family = "wasm", target_os = "unknown"), path = "without_sevenz.rs")]
pub(crate) mod sevenz;
pub(crate) mod tar;
pub(crate) mod unpack;
pub(crate) mod windows;
pub(crate) mod zip;
