//! Files as they come: packed, in archives, in folders, too large for the memory, changed while they are read.

pub(super) mod admit;
pub(super) mod archive;
pub(super) mod changed;
pub(super) mod content;
pub(super) mod file;
pub(super) mod member;
pub(super) mod packed;
pub(super) mod sevenz;
pub(super) mod tar;
pub(super) mod unpack;
pub(super) mod windows;
pub(super) mod zip;
