//! Texts about a number of things, and about sizes.

use std::fmt;

/// Chooses the text for one thing, or that for any other number of things. Both are whole sentences or
/// phrases, so that each can be translated.
///
/// ```
/// use juzhong::bytes::by_count;
///
/// let text = |games: u64| by_count(games, "1 game".to_owned(), format!("{games} games"));
/// assert_eq!([0, 1, 2].map(text), ["0 games", "1 game", "2 games"]);
/// ```
pub fn by_count<T>(count: u64, one: T, other: T) -> T {
    if count == 1 { one } else { other }
}

/// A number of bytes for people, rounded up: in KiB below 10 MiB, else in MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinarySize(pub u64);

impl fmt::Display for BinarySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ 0..0xa0_0000 => write!(f, "{} KiB", bytes.div_ceil(1 << 10)),
            bytes => write!(f, "{} MiB", bytes.div_ceil(1 << 20)),
        }
    }
}
