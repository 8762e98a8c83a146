//! Files of samples: a head that says how they were made, the samples, and a check of both.
//!
//! ```text
//! offset  size  field
//!      0     8  magic "JZLABEL\0"
//!      8     4  version, 1
//!     12     4  crc32 of all that follows
//!     16     8  seed
//!     24     8  number of the piece
//!     32     8  digest of the openings and the network
//!     40     4  nodes a move
//!     44     4  games
//!     48     4  most random moves of a game
//!     52     4  number of samples
//!     56        the samples, 32 bytes each
//! ```
//!
//! All numbers are little-endian.

use std::path::Path;

use anyhow::{Context, ensure};
use juzhong::bytes::atomic;
use juzhong::bytes::open;
use juzhong::bytes::visible::ShowPath;

use super::Sample;

const MAGIC: [u8; 8] = *b"JZLABEL\0";
const VERSION: u32 = 1;
/// Bytes before the samples.
const HEAD: usize = 56;
/// The first byte that the check covers.
const CHECKED: usize = 16;
/// Greater files are refused.
const MOST_BYTES: u64 = 1 << 30;

/// The numbers that the samples of a piece follow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceHead {
    pub(crate) seed: u64,
    pub(crate) number: u64,
    /// The first eight bytes of the digest of the openings, and of the network if there is one.
    pub(crate) openings: u64,
    pub(crate) nodes: u32,
    pub(crate) games: u32,
    pub(crate) random_moves: u32,
}

/// A file of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) head: PieceHead,
    pub(crate) samples: Vec<Sample>,
}

impl Piece {
    /// Writes the file, whole or not at all.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let PieceHead { seed, number, openings, nodes, games, random_moves } = self.head;
        let mut body = Vec::with_capacity(HEAD + self.samples.len() * Sample::LEN);
        for word in [seed, number, openings] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        for word in [nodes, games, random_moves, u32::try_from(self.samples.len())?] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        for sample in &self.samples {
            body.extend_from_slice(sample.bytes());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        atomic::write(path, &bytes).with_context(|| path.shown().to_string())
    }

    /// Reads a file, checked.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let name = || path.shown().to_string();
        let bytes = open::read(path, MOST_BYTES).with_context(name)?;
        ensure!(bytes.len() >= HEAD && bytes[..8] == MAGIC, "{}: no file of samples", name());
        ensure!(word(&bytes, 8) == VERSION, "{}: another version of the format", name());
        let count = word(&bytes, 52) as usize;
        let whole = bytes.len() == HEAD + count * Sample::LEN
            && word(&bytes, 12) == crc32fast::hash(&bytes[CHECKED..]);
        ensure!(whole, "{}: damaged; delete it, and it is made again", name());
        let head = PieceHead {
            seed: long(&bytes, 16),
            number: long(&bytes, 24),
            openings: long(&bytes, 32),
            nodes: word(&bytes, 40),
            games: word(&bytes, 44),
            random_moves: word(&bytes, 48),
        };
        let samples = bytes[HEAD..].as_chunks().0.iter();
        let samples: Option<Vec<_>> = samples.map(|&bytes| Sample::from_bytes(bytes)).collect();
        let samples = samples.with_context(|| format!("{}: not all are positions", name()))?;
        Ok(Self { head, samples })
    }
}

/// The four bytes at `at` as a number.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The eight bytes at `at` as a number.
fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at + 4)) << 32 | u64::from(word(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::xiangqi::Position;

    #[test]
    fn a_damaged_or_foreign_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("piece");
        let head = PieceHead {
            seed: 1 << 40,
            number: 2,
            openings: 3 << 50,
            nodes: 4,
            games: 5,
            random_moves: 6,
        };
        let piece = Piece { head, samples: vec![Sample::new(&Position::start(), 12, 3); 2] };
        piece.write(&path).unwrap();
        assert_eq!(Piece::read(&path).unwrap(), piece);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), HEAD + 2 * Sample::LEN);
        for at in [0, 8, 12, 16, 55, 60, bytes.len() - 1] {
            let mut other = bytes.clone();
            other[at] ^= 1;
            std::fs::write(&path, other).unwrap();
            Piece::read(&path).unwrap_err();
        }
        for len in [0, 20, HEAD, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            Piece::read(&path).unwrap_err();
        }
    }
}
