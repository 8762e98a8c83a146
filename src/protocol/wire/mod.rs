//! Lines in and out, in every dialect: no engine, no thread.

pub(super) mod announced;
pub(super) mod command;
pub(super) mod dialect;
pub(super) mod format;
pub(super) mod go;
pub(super) mod gomocup;
pub(super) mod info;
pub(super) mod options;
pub(super) mod ranks;
pub(crate) mod scale;
