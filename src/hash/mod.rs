//! Zobrist keys (Zobrist 1970) from fixed **stored** tables.
//!
//! The tables were drawn once from a `ChaCha8` stream with a published [`SEED`] (xiangqi stream 0,
//! gomoku stream 1; `juzhong keys` writes them again), lie in `books/keys/`, are embedded at
//! compile time and read by `const fn`. The program never draws keys at start.
//!
//! # Stability
//!
//! These tables are part of every book and of every published position key. If one bit of them
//! changed, every existing book would have to be probed through the copy of the old table that it
//! carries, keys quoted in documents and by other programs would no longer match, and transposition
//! tables saved elsewhere would be void. So the files never change; a new layout would get a new
//! version beside the old one. The tests pin the files' CRC32.

use std::fmt;
#[cfg(any(feature = "book", feature = "tablebase"))]
use std::hash::Hasher;
use std::ops::{BitXor, BitXorAssign};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::bytes::sealed::{self, SealError, SealedKind};

pub mod foreign;
pub mod gomoku;
pub mod xiangqi;

/// The published seed of all stored tables.
pub const SEED: [u8; 32] = *b"juzhong: fixed zobrist keys v001";

/// The sealed format of key tables on disk.
pub const KIND: SealedKind = SealedKind { magic: *b"JZKEYS\0\0", version: 1, limit: 1 << 20 };

/// Offset of the first word in a key file: header, game name, seed, word count.
const WORDS_AT: usize = sealed::HEADER_LEN + 16 + 32 + 8;

/// A 64-bit Zobrist key of a position, its side to move included.
///
/// ```
/// use juzhong::game::{Game, Symmetric};
/// use juzhong::xiangqi::{Move, Position};
///
/// let after = |text| Position::start().play(Move::parse(text).unwrap()).unwrap();
/// let (right, left) = (after("h2e2"), after("b2e2"));
/// assert_ne!(right.key(), left.key());
/// // Mirror images have one canonical key.
/// assert_eq!(right.canonical().key, left.canonical().key);
/// assert_eq!(right.key().to_string().len(), 16);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Key(pub u64);

impl Key {
    /// The same bits as SQLite's signed integers hold them.
    #[must_use]
    pub const fn to_i64(self) -> i64 {
        self.0.cast_signed()
    }

    /// The inverse of [`to_i64`](Self::to_i64).
    #[must_use]
    pub const fn from_i64(bits: i64) -> Self {
        Self(bits.cast_unsigned())
    }
}

impl BitXor for Key {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Key {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:016x})", self.0)
    }
}

/// The hash of keys, which are random numbers already, in maps in memory. Nothing stored depends on it.
#[cfg(any(feature = "book", feature = "tablebase"))]
#[derive(Debug, Default)]
pub(crate) struct KeyHasher(u64);

#[cfg(any(feature = "book", feature = "tablebase"))]
impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    // Keys come as `u64`; the trait asks for this one, too.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 ^= key;
    }
}

/// A key table as it lies on disk and inside books. Its meaning (which word is which) is the
/// game's: see [`xiangqi`] and [`gomoku`].
///
/// ```
/// use juzhong::hash::{KeyTable, SEED, xiangqi};
///
/// let table = xiangqi::draw();
/// assert_eq!(table.game(), "xiangqi");
/// // The bytes of a file give the same table back.
/// assert_eq!(KeyTable::from_bytes(&table.to_bytes()?)?, table);
/// // Another stream of the same seed is another table.
/// let other = KeyTable::draw("xiangqi", SEED, 9, table.words().len());
/// assert_ne!(other.fingerprint(), table.fingerprint());
/// # Ok::<(), juzhong::bytes::sealed::SealError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyTable {
    game: [u8; 16],
    seed: [u8; 32],
    words: Vec<u64>,
}

impl KeyTable {
    /// Draws the table of `game` with `len` words from stream `stream` of [`SEED`]. Only for
    /// writing the stored files again, and for tests of books with other keys.
    #[must_use]
    pub fn draw(game: &str, seed: [u8; 32], stream: u64, len: usize) -> Self {
        let mut rng = ChaCha8Rng::from_seed(seed);
        rng.set_stream(stream);
        let mut name = [0; 16];
        // The rest stays 0, which ends the name; a longer one would be cut off.
        for (to, from) in name.iter_mut().zip(game.bytes()) {
            *to = from;
        }
        Self { game: name, seed, words: (0..len).map(|_| rng.next_u64()).collect() }
    }

    /// The game that the table belongs to.
    #[must_use]
    pub fn game(&self) -> &str {
        let end = self.game.iter().position(|&b| b == 0).unwrap_or(16);
        std::str::from_utf8(&self.game[..end]).unwrap_or("")
    }

    /// All words in file order.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bytes of a key file.
    ///
    /// # Errors
    ///
    /// [`SealError::Payload`] if the table is larger than a key file may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SealError> {
        sealed::seal(KIND, self)
    }

    /// Reads a key file.
    ///
    /// # Errors
    ///
    /// Every damage is an error, see [`SealError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SealError> {
        sealed::unseal(KIND, bytes)
    }

    /// Names the table: the first 16 hexadecimal digits of the BLAKE3 hash of its words.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for word in &self.words {
            hasher.update(&word.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// Word `index` of an embedded key file.
const fn word(file: &[u8], index: usize) -> u64 {
    let at = WORDS_AT + 8 * index;
    let mut value = 0;
    let mut i = 0;
    while i < 8 {
        // Little-endian, as bincode writes the words of the table.
        value |= (file[at + i] as u64) << (8 * i);
        i += 1;
    }
    value
}

/// Fails compilation if an embedded key file does not have `words` words.
const fn assert_len(file: &[u8], words: usize) {
    assert!(file.len() == WORDS_AT + 8 * words, "a key file has the wrong length");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_stored(file: &[u8], file_crc: u32, drawn: &KeyTable) {
        let stored = KeyTable::from_bytes(file).unwrap();
        assert_eq!(&stored, drawn);
        assert_eq!(stored.to_bytes().unwrap(), file);
        assert_eq!(crc32fast::hash(file), file_crc);
        for (i, &w) in stored.words().iter().enumerate() {
            assert_eq!(word(file, i), w);
        }
        let distinct: std::collections::HashSet<_> = stored.words().iter().collect();
        assert_eq!(distinct.len(), stored.words().len());
    }

    #[test]
    fn stored_tables_are_the_published_ones() {
        check_stored(xiangqi::FILE, 0xe6ad_5d0d, &xiangqi::draw());
        check_stored(gomoku::FILE, 0x1cd5_bf04, &gomoku::draw());
    }

    #[test]
    fn keys_survive_sqlite() {
        for bits in [0, 1, u64::MAX, 1 << 63] {
            assert_eq!(Key::from_i64(Key(bits).to_i64()), Key(bits));
        }
    }
}
