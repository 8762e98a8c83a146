//! Engine protocols: a session reads commands from a `BufRead` and writes answers to a `Write`.
//! Whatever comes in, a session answers or ignores it; it never panics and never exits the
//! program.

#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::todo)]

pub mod uci;
