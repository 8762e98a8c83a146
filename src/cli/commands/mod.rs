//! A file or a folder for each command; `play` has a folder of its own above.

pub(crate) mod analyse;
pub(crate) mod bench;
pub(crate) mod bench_mates;
pub(crate) mod book;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod gomocup;
pub(crate) mod man;
pub(crate) mod r#match;
pub(crate) mod perft;
pub(crate) mod position;
pub(crate) mod proxy;
pub(crate) mod review;
#[cfg(feature = "web")]
pub(crate) mod serve;
pub(crate) mod solve;
pub(crate) mod tablebase;
pub(crate) mod uci;
