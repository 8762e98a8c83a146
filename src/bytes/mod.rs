//! Bytes on disk: little-endian fields and varints ([`varint`]), the sealed bincode container
//! ([`sealed`]), files that appear whole or not at all ([`atomic`]), and memory maps ([`map`]).

pub mod atomic;
pub mod map;
pub mod sealed;
pub mod varint;
