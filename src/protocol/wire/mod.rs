//! Lines in and out, in every dialect: no engine, no thread.

pub(crate) mod announced;
pub(crate) mod command;
pub(crate) mod dialect;
pub(crate) mod format;
pub(crate) mod go;
pub(crate) mod gomocup;
pub(crate) mod info;
pub(crate) mod options;
pub(crate) mod ranks;
pub(crate) mod scale;
