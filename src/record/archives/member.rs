//! One source in a file, and the way to its bytes.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::ops::Range;

use crate::bytes::StopFlag;
use crate::message::Message;
use crate::record::archives::content::UnpackError;
use crate::record::archives::unpack::{Coding, Stoppable, TRUNCATED, damage, pump, read_up_to};
use crate::record::model::limits::{FREE_BYTES, MAX_RATIO};

/// The bytes that a member of an archive that is packed once more may unpack to, beside [`MAX_RATIO`] times
/// its size.
pub const FREE_MEMBER_BYTES: u64 = 64 << 10;

/// The most that any file may unpack to, in bytes; of an archive, all members together.
pub const MAX_UNPACKED: u64 = 1 << 38;

/// One source in a file.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its path in the archive; `None` if the file is no archive.
    pub(crate) name: Option<String>,
    /// The store that has its bytes: the file, 0, or one of the contents unpacked from it.
    pub(crate) store: usize,
    pub(crate) data: Range<usize>,
    pub(crate) packing: Packing,
    /// The reason why it is not unpacked.
    pub(crate) fault: Option<Message>,
    /// Set if its bytes end too early.
    pub(crate) is_cut: bool,
    /// To how many times its size it may unpack.
    pub(crate) ratio: u64,
}

/// The way in which the bytes of a member are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Bare,
    Coded(Coding),
    /// In a zip archive, with what its directory states.
    Zip {
        method: u16,
        crc: u32,
        size: u64,
    },
}

impl Member {
    /// A member without a name, of bare bytes.
    pub(crate) const fn whole(store: usize, data: Range<usize>) -> Self {
        let name = None;
        let packing = Packing::Bare;
        let fault = None;
        Self { name, store, data, packing, fault, is_cut: false, ratio: MAX_RATIO }
    }

    /// The member as one that is not read.
    pub(crate) fn with_fault(self, what: impl Into<Message>) -> Self {
        Self { fault: Some(what.into()), ..self }
    }

    /// Its path in the archive; `None` if the file is no archive.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn loss(&self) -> Option<Message> {
        self.is_cut.then(|| TRUNCATED.into())
    }

    /// Hands over the content in parts; returns its length and what is wrong with its end. An error of `take`
    /// is one of writing.
    pub(crate) fn unpack(
        &self,
        bytes: &[u8],
        stop: &StopFlag,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(u64, Option<Message>), UnpackError> {
        if let Some(fault) = &self.fault {
            return Err(UnpackError::Bad(fault.clone()));
        }
        let (mut input, limit) = match self.open(bytes, stop) {
            Ok(opened) => opened,
            Err(_) if stop.is_set() => return Err(UnpackError::Interrupted),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok((0, Some(TRUNCATED.into())));
            }
            Err(error) => {
                return Err(UnpackError::Bad(damage(&error)));
            }
        };
        let (len, is_cut) = pump(&mut *input, limit, stop, take)?;
        let loss = if is_cut { Some(TRUNCATED.into()) } else { self.loss() };
        Ok((len, loss))
    }

    /// The unpacked bytes, through two layers at most, and how many there may be.
    pub(crate) fn open<'a>(
        &self,
        bytes: &'a [u8],
        stop: &'a StopFlag,
    ) -> io::Result<(Box<dyn Read + 'a>, u64)> {
        let (outer, limit) = self.open_layer(bytes, stop)?;
        if self.packing == Packing::Bare {
            return Ok((outer, limit));
        }
        let mut outer = BufReader::new(outer);
        // The longest mark is that of bzip2.
        let mut head = [0; 10];
        let len = read_up_to(&mut outer, &mut head)?;
        let outer = io::Cursor::new(head).take(len as u64).chain(outer);
        let inner: Box<dyn Read + 'a> = match Coding::of(&head[..len]) {
            Some(coding) => coding.open(outer)?,
            None => Box::new(outer),
        };
        Ok((inner, limit))
    }

    /// The bytes without the outer packing, and how many there may be.
    pub(crate) fn open_layer<'a>(
        &self,
        bytes: &'a [u8],
        stop: &'a StopFlag,
    ) -> io::Result<(Box<dyn Read + 'a>, u64)> {
        let free = if self.name.is_some() { FREE_MEMBER_BYTES } else { FREE_BYTES };
        let packed = bytes.len() as u64;
        let limit = free.saturating_add(packed.saturating_mul(self.ratio)).min(MAX_UNPACKED);
        let input = Stoppable { packed: bytes, stop };
        Ok(match self.packing {
            Packing::Bare => (Box::new(input), packed),
            Packing::Coded(coding) => (coding.open(input)?, limit),
            Packing::Zip { method, crc, size } => {
                let input: Box<dyn Read + 'a> = match method {
                    0 => Box::new(input),
                    8 => Box::new(flate2::read::DeflateDecoder::new(input)),
                    _ => Coding::Zstd.open(input)?,
                };
                if self.is_cut {
                    return Ok((input, limit.max(size.min(MAX_UNPACKED))));
                }
                let hasher = crc32fast::Hasher::new();
                (Box::new(Checked { input, left: size, crc, hasher }), limit.max(size))
            }
        })
    }
}

/// A reader that compares the content with what an archive's directory states of it.
struct Checked<R> {
    input: R,
    left: u64,
    crc: u32,
    hasher: crc32fast::Hasher,
}

impl<R> fmt::Debug for Checked<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked").field("left", &self.left).finish_non_exhaustive()
    }
}

/// The error of content that is not what the directory states.
fn contradiction(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| contradiction("it is longer than the archive's directory says"))?;
        // No bytes are the end, unless there is no room for any.
        if count == 0 && !buffer.is_empty() {
            if self.left > 0 {
                return Err(contradiction("it is shorter than the archive's directory says"));
            }
            let sound = cfg!(fuzzing) || self.hasher.clone().finalize() == self.crc;
            sound.then_some(()).ok_or_else(|| contradiction("its checksum is wrong"))?;
        }
        Ok(count)
    }
}
