//! The keys that versions 11 to 18 derive from the header. All arithmetic is modulo 256 unless a
//! wider type is named.

use crate::record::programs::xqf::PLAIN_VERSION;

/// The text that the stream of keys is masked from.
const PHRASE: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";
/// From this version on the pieces stand in shifted places.
const SHIFTED_MEN_VERSION: u8 = 12;

/// The keys of one file; all zero up to version 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys {
    /// Added to the squares of pieces.
    pub(crate) board: u8,
    /// The number of places by which the pieces are rotated.
    pub(crate) rotation: usize,
    /// Added to the squares that moves begin and end on.
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// Added to the lengths of comments.
    pub(crate) comment: u32,
    /// Added to the bytes of the tree, by their place modulo 32.
    pub(crate) stream: [u8; 32],
}

impl Keys {
    /// The keys of a file with that version and those first 16 bytes.
    pub(crate) fn of(header: &[u8; 16]) -> Self {
        let [_, _, version, mask, ..] = *header;
        if version <= PLAIN_VERSION {
            return Self { board: 0, rotation: 0, from: 0, to: 0, comment: 0, stream: [0; 32] };
        }
        let board = mixed(header[13]).wrapping_mul(header[13]);
        let from = mixed(header[14]).wrapping_mul(board);
        let to = mixed(header[15]).wrapping_mul(from);
        let seed = u32::from(header[12]) * 256 + u32::from(header[13]);
        let mut stream = *PHRASE;
        for (i, byte) in stream.iter_mut().enumerate() {
            *byte &= (header[12 + i % 4] & mask) | header[8 + i % 4];
        }
        let rotation = if version >= SHIFTED_MEN_VERSION { usize::from(board) + 1 } else { 0 };
        Self { board, rotation, from, to, comment: seed % 32000 + 767, stream }
    }

    /// The place among the 32 pieces of the `i`-th square of the header.
    pub(crate) const fn man(&self, i: usize) -> usize {
        (self.rotation + i) % 32
    }
}

/// 54 k² + 221
const fn mixed(k: u8) -> u8 {
    k.wrapping_mul(k).wrapping_mul(54).wrapping_add(221)
}
