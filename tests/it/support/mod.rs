//! Helpers of the tests of several rooms.

pub(crate) mod books;
pub(crate) mod brute;
pub(crate) mod effort;
pub(crate) mod fairy_stockfish;
#[cfg(unix)]
pub(crate) mod fake_engines;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod games;
pub(crate) mod program;
pub(crate) mod session;
pub(crate) mod tables;
