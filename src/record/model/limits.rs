//! Bounds on what is read.

/// The longest game accepted, in bytes; a longer stretch without a game boundary is refused unread.
pub const MAX_GAME_BYTES: usize = 4 << 20;

/// A file may unpack to this many times its size, and [`FREE_BYTES`] more. Collections of games
/// pack to between a fifth and a fiftieth.
pub const MAX_RATIO: u64 = 400;

/// The bytes that any file may unpack to, whatever its size.
pub const FREE_BYTES: u64 = 64 << 20;
