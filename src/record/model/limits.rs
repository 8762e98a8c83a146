//! Bounds on what is read.

/// The longest game accepted, in bytes; a longer stretch without a game boundary is refused unread.
pub const MAX_GAME_BYTES: usize = 4 << 20;

/// A file may unpack to this many times its size, and [`FREE_BYTES`] more. Collections of games
/// pack to between a fifth and a fiftieth.
pub const MAX_RATIO: u64 = 400;

/// The bytes that any file may unpack to, whatever its size.
pub const FREE_BYTES: u64 = 64 << 20;

/// The longest text that games of a file may share, in bytes: the name of a player or of a tournament to which
/// they refer by number. Each of them gets it, so what is longer is cut.
pub const MAX_SHARED_TEXT: usize = 1 << 10;

/// The texts that games share may come to this many times the bytes of their file, and [`FREE_SHARED`] more.
/// Databases of games have fewer bytes of names than of moves.
pub const MAX_SHARED_RATIO: usize = 8;

/// The bytes that the shared texts of any file may come to, whatever its size.
pub const FREE_SHARED: usize = 1 << 20;

/// The greatest depth to which variations may nest.
pub const MAX_VARIATION_DEPTH: usize = 100;

/// The most variations, comments and tags that a game may have together. A game of 4 MiB could have a
/// million, each of which needs a hundred bytes of memory; the largest known ones have thousands.
pub const MAX_PARTS: usize = 100_000;
