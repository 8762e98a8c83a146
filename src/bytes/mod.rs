//! Bytes from outside: little-endian fields and varints ([`varint`]), the sealed bincode container
//! ([`sealed`]), files that appear whole or not at all ([`atomic`]), memory maps ([`map`]),
//! and lines of text ([`read_line`]).

pub mod atomic;
mod line;
pub mod map;
pub mod sealed;
pub mod varint;

pub use line::read_line;
