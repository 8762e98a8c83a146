//! Bytes from outside: little-endian fields and varints ([`varint`]), the sealed bincode container
//! ([`sealed`]), the paths of outputs ([`paths`]), files that appear whole or not at all ([`atomic`]), steps that are
//! tried again while others have a file open (`held`), their writers ([`lock`]), files from which
//! interrupted work goes on (`journal`), files that this program makes beside them ([`own_files`]), foreign text
//! shown without harm ([`visible`]), opening regular files only ([`open`]), but none that SQLite keeps open (`kept_open`), memory maps ([`map`]), hints about memory
//! ([`memory`]), files read at given offsets ([`positioned`]), those of tables (`shelf`), the clock of searches
//! (`clock`), lines of text ([`read_line`]), texts about numbers of things ([`by_count`], [`BinarySize`]), requests to stop ([`StopFlag`]), and the machine's free memory and disk
//! space ([`machine`]).

#[cfg(feature = "files")]
pub mod atomic;
#[cfg(feature = "search")]
pub mod clock;
mod counted;
#[cfg(feature = "book")]
pub(crate) mod external_sort;
mod flag;
#[cfg(feature = "files")]
pub(crate) mod held;
#[cfg(feature = "engine")]
pub mod journal;
#[cfg(feature = "files")]
pub(crate) mod kept_open;
#[cfg(feature = "files")]
mod line;
#[cfg(feature = "files")]
pub mod lock;
#[cfg(feature = "files")]
pub mod machine;
#[cfg(feature = "files")]
pub mod map;
#[cfg(feature = "files")]
pub mod memory;
#[cfg(feature = "files")]
pub mod open;
#[cfg(feature = "files")]
pub mod own_files;
#[cfg(feature = "files")]
pub mod paths;
#[cfg(feature = "files")]
pub mod positioned;
pub mod sealed;
#[cfg(feature = "files")]
pub mod shelf;
pub mod varint;
#[cfg(feature = "files")]
pub(crate) mod versions;
pub mod visible;
#[cfg(all(windows, feature = "files"))]
mod windows;

pub use counted::{BinarySize, by_count};
#[cfg(feature = "search")]
pub(crate) use flag::SetAtEnd;
pub use flag::StopFlag;
#[cfg(feature = "files")]
pub use line::{LineError, RawLine, read_line, readable};
