//! Bytes from outside: little-endian fields and varints ([`varint`]), the sealed bincode container
//! ([`sealed`]), files that appear whole or not at all ([`atomic`]), their writers ([`lock`]), files that
//! this program makes beside them ([`own`]), foreign text shown without harm ([`visible`]), opening regular
//! files only ([`open`]), memory maps ([`map`]), hints about memory ([`memory`]), files read at given offsets
//! ([`positioned`]), lines of text ([`read_line`]), requests to stop ([`StopFlag`]), and the machine's free memory and disk space
//! ([`machine`]).

pub mod atomic;
pub(crate) mod external_sort;
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

pub(crate) use flag::SetAtEnd;
pub use flag::StopFlag;
pub use line::{LineError, RawLine, read_line, readable};
