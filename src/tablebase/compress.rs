//! Blocks: at most 32 KiB of raw bytes each, compressed with zstd on their own, so that a probe
//! decodes one block.

use std::io;

use serde::{Deserialize, Serialize};

/// Raw bytes of a block; the last of a side may be shorter.
pub(super) const BLOCK_LEN: usize = 1 << 15;

/// Levels above give little more for these blocks and take much longer.
const LEVEL: i32 = 9;

/// Where a compressed block ends and what its bytes must sum up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BlockRef {
    /// Compressed bytes.
    pub(super) len: u32,
    /// CRC32 of the compressed bytes.
    pub(super) crc: u32,
}

/// Compresses raw blocks one after the other.
pub(super) struct Packer {
    zstd: zstd::bulk::Compressor<'static>,
}

impl Packer {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { zstd: zstd::bulk::Compressor::new(LEVEL)? })
    }

    pub(super) fn pack(&mut self, raw: &[u8]) -> io::Result<(BlockRef, Vec<u8>)> {
        let packed = self.zstd.compress(raw)?;
        let crc = crc32fast::hash(&packed);
        Ok((BlockRef { len: packed.len() as u32, crc }, packed))
    }
}

/// Decodes a block of `raw_len` bytes; `None` if the bytes are damaged.
pub(super) fn unpack(block: BlockRef, packed: &[u8], raw_len: usize) -> Option<Vec<u8>> {
    // A fuzzer does not find checksums.
    let is_whole = cfg!(fuzzing) || crc32fast::hash(packed) == block.crc;
    if packed.len() != block.len as usize || !is_whole {
        return None;
    }
    let raw = zstd::bulk::decompress(packed, raw_len).ok()?;
    (raw.len() == raw_len).then_some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unpacking_restores(raw in prop::collection::vec(0u8..4, 1..5000)) {
            let (block, packed) = Packer::new().unwrap().pack(&raw).unwrap();
            prop_assert_eq!(unpack(block, &packed, raw.len()), Some(raw.clone()));
            prop_assert_eq!(unpack(block, &packed, raw.len() + 1), None);
            let mut damaged = packed;
            damaged[0] ^= 1;
            prop_assert_eq!(unpack(block, &damaged, raw.len()), None);
        }
    }
}
