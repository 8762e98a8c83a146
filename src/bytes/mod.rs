//! Bytes from outside: little-endian fields and varints ([`varint`]), the sealed bincode container
//! ([`sealed`]), files that appear whole or not at all ([`atomic`]), their writers
//! ([`lock`]), what this program makes beside them ([`own`]), text of others shown without harm ([`visible`]), opening what is a regular file only ([`open`]), memory maps ([`map`]), hints about memory ([`memory`]), files read at stated places ([`positioned`]), lines of text ([`read_line`]), and what the machine has free ([`machine`]).

pub mod atomic;
mod flag;
mod line;
pub mod lock;
pub mod machine;
pub mod map;
pub mod memory;
pub mod open;
pub mod own;
pub mod positioned;
pub mod sealed;
pub mod varint;
pub mod visible;

pub(crate) use flag::RaiseAtEnd;
pub use line::{LineError, RawLine, read_line, readable};
