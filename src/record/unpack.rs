//! The packing of single streams, and unpacking them within bounds of size and memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Content;
use super::packed::{MAX_RATIO, UnpackError};
use crate::bytes::map::MappedFile;

/// The most bytes that are unpacked to memory; contents larger than that are unpacked to a file.
pub(super) const MEMORY_BYTES: usize = 4 << 20;

/// The largest window of zstd that is accepted, as its binary logarithm in bytes: 128 MiB, as the
/// program `zstd` has it.
const MAX_WINDOW_LOG: u32 = 27;

/// The memory that a decoder of xz or 7z may allocate, in KiB: dictionaries of 128 MiB (`xz -9` has 64), and
/// the rest that it needs.
pub(super) const DICTIONARY_KIB: u32 = (1 << (MAX_WINDOW_LOG - 10)) + (1 << 10);

/// The message for sources that lack their end.
pub(super) const TRUNCATED: &str = "truncated: the packed bytes end too early; what can be read \
                                    before this place is read";

/// A way to pack a single stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Zstd,
    Gzip,
    Xz,
    Bzip2,
}

impl Coding {
    /// The coding of bytes that begin like that.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"\x28\xb5\x2f\xfd") {
            Some(Self::Zstd)
        } else if head.starts_with(b"\x1f\x8b") {
            Some(Self::Gzip)
        } else if head.starts_with(b"\xfd7zXZ\0") {
            Some(Self::Xz)
        } else {
            is_bzip2(head).then_some(Self::Bzip2)
        }
    }

    /// The unpacked bytes.
    pub(super) fn open<'a>(self, packed: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Self::Zstd => {
                let mut decoder = zstd::Decoder::new(packed)?;
                decoder.window_log_max(MAX_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(packed)),
            Self::Xz => {
                let packed = BufReader::new(packed);
                Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, DICTIONARY_KIB))
            }
            Self::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(packed)),
        })
    }
}

/// `BZh`, the size of blocks, and the mark of a block or of the end, as far as the bytes go.
fn is_bzip2(head: &[u8]) -> bool {
    let Some(rest) = head.strip_prefix(b"BZh") else { return false };
    let Some((b'1'..=b'9', rest)) = rest.split_first() else { return false };
    let marks = [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"];
    marks.iter().any(|mark| rest.starts_with(&mark[..rest.len().min(mark.len())]))
}

/// Hands over what `input` gives in parts, at most `limit` bytes; returns the number of bytes and whether
/// they ended too early. An error of `take` is one of writing.
///
/// # Errors
///
/// [`UnpackError::Bad`] for damage and for more than `limit` bytes.
pub(super) fn pump(
    input: &mut dyn Read,
    limit: u64,
    stop: &AtomicBool,
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<(u64, bool), UnpackError> {
    let mut buffer = vec![0; 64 << 10];
    let mut len = 0;
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(UnpackError::Interrupted);
        }
        let count = match input.read(&mut buffer) {
            Ok(0) => return Ok((len, false)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok((len, true)),
            Err(error) => return Err(UnpackError::Bad(damage(&error))),
        };
        len += count as u64;
        if len > limit {
            return Err(UnpackError::Bad(too_much(limit)));
        }
        take(&buffer[..count]).map_err(UnpackError::Io)?;
    }
}

/// Reads until the buffer is full or the input ends; what came before an error counts.
pub(super) fn read_up_to(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match input.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(count) => len += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if len > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

pub(super) fn too_much(limit: u64) -> String {
    format!(
        "unpacks to more than {limit} bytes, {MAX_RATIO} times its size and more; no collection of \
         games packs so well: unpack it yourself if it is sound"
    )
}

/// The message for damaged packed bytes.
pub(super) fn damage(error: &io::Error) -> String {
    let text = error.to_string();
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "truncated: the packed bytes end too early".to_owned(),
        io::ErrorKind::OutOfMemory => too_large_window(),
        _ if text.contains("too much memory") => too_large_window(),
        _ => format!("cannot be unpacked: {text}"),
    }
}

pub(super) fn too_large_window() -> String {
    format!(
        "packed with a window or dictionary of more than {} MiB; pack it again with a smaller one, \
         or unpack it",
        1 << (MAX_WINDOW_LOG - 20)
    )
}

/// Bytes that are being unpacked: in memory while they are few, then in a file without a name.
#[derive(Debug)]
pub(super) struct Spool<'a> {
    folder: &'a Path,
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

impl<'a> Spool<'a> {
    /// Files are made in `folder`.
    pub(super) const fn new(folder: &'a Path) -> Self {
        Self { folder, memory: Vec::new(), file: None, len: 0 }
    }

    /// The number of bytes so far.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn push(&mut self, part: &[u8]) -> io::Result<()> {
        self.len += part.len() as u64;
        if self.memory.len() + part.len() <= MEMORY_BYTES {
            self.memory.extend_from_slice(part);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(self.folder)?),
        };
        file.write_all(&self.memory)?;
        self.memory.clear();
        file.write_all(part)
    }

    pub(super) fn finish(self) -> io::Result<Content<'static>> {
        let Some(mut file) = self.file else { return Ok(Content::Memory(self.memory)) };
        file.write_all(&self.memory)?;
        MappedFile::of(&file).map(Content::Mapped)
    }
}
