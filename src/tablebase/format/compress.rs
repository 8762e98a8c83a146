//! Blocks: at most 32 KiB of raw bytes each, compressed with zstd on their own, so that a probe
//! decodes one block.
//!
//! A packed block is a zstd frame (RFC 8878) without content size, checksum and dictionary, and
//! without its first six bytes, which are the same for all: the magic number, a descriptor of zero,
//! and a window descriptor of 32 KiB. A block of equal bytes is not compressed at all but named in
//! the block table.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, compress_bound};

/// Raw bytes of a block; the last of a stream may be shorter.
pub(crate) const BLOCK_LEN: usize = 1 << 15;

/// The level for comparing ways to lay out values.
const SAMPLE_LEVEL: i32 = 6;
/// The level for files: 16 needs a third more time and gives 0.1 % less, 17 and up yet more time for 1 %.
const FULL_LEVEL: i32 = 15;

/// The beginning of every frame: magic, frame header descriptor, window descriptor (32 KiB).
const FRAME_START: [u8; 6] = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x28];

/// The effort of compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Fast, for comparing ways to lay out values.
    Sample,
    /// For the file.
    Full,
}

/// A compressed block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Packed {
    /// All its raw bytes are this one.
    Constant(u8),
    /// A frame without its start.
    Frame(Vec<u8>),
}

impl Packed {
    /// Bytes in the file, those of the block table included, roughly.
    pub(crate) fn cost(&self) -> usize {
        match self {
            Self::Constant(_) => 2,
            Self::Frame(bytes) => bytes.len() + 6,
        }
    }
}

/// Compresses raw blocks one after the other.
pub(crate) struct Packer {
    zstd: Compressor<'static>,
    frame: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(effort: Effort) -> io::Result<Self> {
        let level = match effort {
            Effort::Sample => SAMPLE_LEVEL,
            Effort::Full => FULL_LEVEL,
        };
        let mut zstd = Compressor::new(level)?;
        zstd.set_parameter(CParameter::ContentSizeFlag(false))?;
        zstd.set_parameter(CParameter::ChecksumFlag(false))?;
        zstd.set_parameter(CParameter::DictIdFlag(false))?;
        Ok(Self { zstd, frame: Vec::with_capacity(compress_bound(BLOCK_LEN)) })
    }

    pub(crate) fn pack(&mut self, raw: &[u8]) -> io::Result<Packed> {
        if let [first, rest @ ..] = raw
            && rest.iter().all(|byte| byte == first)
        {
            return Ok(Packed::Constant(*first));
        }
        self.frame.clear();
        self.zstd.compress_to_buffer(raw, &mut self.frame)?;
        // A frame of a short block may state a smaller window; decoded with this one it gives the same.
        let [start @ .., _window] = FRAME_START;
        match self.frame.split_at_checked(FRAME_START.len()) {
            Some((head, rest)) if head.starts_with(&start) => Ok(Packed::Frame(rest.to_vec())),
            _ => Err(io::Error::other("zstd began a frame in another way")),
        }
    }
}

/// The state for decoding, one for each thread.
struct Unpacker {
    zstd: Decompressor<'static>,
    frame: Vec<u8>,
}

thread_local! {
    static UNPACKER: RefCell<Option<Unpacker>> = const { RefCell::new(None) };
}

/// Decodes a frame of `raw_len` bytes into `raw`, replacing its contents; `None` if the bytes are
/// damaged.
pub(crate) fn unpack(packed: &[u8], raw_len: usize, raw: &mut Vec<u8>) -> Option<()> {
    UNPACKER.with_borrow_mut(|unpacker| {
        if unpacker.is_none() {
            *unpacker = Some(Unpacker { zstd: Decompressor::new().ok()?, frame: Vec::new() });
        }
        let Unpacker { zstd, frame } = unpacker.as_mut()?;
        frame.clear();
        frame.extend_from_slice(&FRAME_START);
        frame.extend_from_slice(packed);
        raw.clear();
        raw.reserve_exact(raw_len);
        let len = zstd.decompress_to_buffer(frame, raw).ok()?;
        (len == raw_len && raw.len() == raw_len).then_some(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unpacking_restores(raw in prop::collection::vec(0u8..4, 2..5000)) {
            for effort in [Effort::Sample, Effort::Full] {
                let Packed::Frame(packed) = Packer::new(effort).unwrap().pack(&raw).unwrap() else {
                    prop_assert!(raw.iter().all(|byte| *byte == raw[0]));
                    continue;
                };
                let mut out = vec![1; 7];
                prop_assert_eq!(unpack(&packed, raw.len(), &mut out), Some(()));
                prop_assert_eq!(&out, &raw);
                prop_assert_eq!(unpack(&packed, raw.len() - 1, &mut out), None);
                prop_assert_eq!(unpack(&packed[1..], raw.len(), &mut out), None);
            }
        }

        #[test]
        fn garbage_never_panics(packed: Vec<u8>, len in 0..BLOCK_LEN) {
            unpack(&packed, len, &mut Vec::new());
        }
    }
}
