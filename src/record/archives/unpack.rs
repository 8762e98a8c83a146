//! The packing of single streams, and unpacking them within bounds of size and memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::bytes::StopFlag;
use crate::bytes::map::MappedFile;
use crate::message::{Message, message};
use crate::record::archives::content::{Content, UnpackError};
use crate::record::model::limits::MAX_RATIO;

/// The most bytes that are unpacked to memory; contents larger than that are unpacked to a file.
pub(crate) const MEMORY_BYTES: usize = 4 << 20;

/// The largest window of zstd that is accepted, as its binary logarithm in bytes: 128 MiB, as the
/// program `zstd` has it.
const MAX_WINDOW_LOG: u32 = 27;

/// The memory that a decoder of xz or 7z may allocate, in KiB: dictionaries of 128 MiB (`xz -9` has 64), and
/// the rest that it needs.
pub(crate) const DICTIONARY_KIB: u32 = (1 << (MAX_WINDOW_LOG - 10)) + (1 << 10);

/// The message for sources that lack their end.
pub(crate) const TRUNCATED: &str = "truncated: the packed bytes end too early; what can be read \
                                    before this place is read";

/// A way to pack a single stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Gzip,
    Xz,
    Bzip2,
}

impl Coding {
    /// The coding of bytes that begin like that.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
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
    pub(crate) fn open<'a>(self, packed: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Self::Zstd => {
                let mut decoder = zstd::Decoder::new(packed)?;
                decoder.window_log_max(MAX_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(packed)),
            Self::Xz => {
                let packed = BufReader::new(packed);
                // Streams may stand one behind the other, as those of gzip may.
                Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, DICTIONARY_KIB))
            }
            Self::Bzip2 => Box::new(Bzip2Streams::new(packed)),
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

/// A stream of bzip2 without content.
const EMPTY_BZIP2: [u8; 14] = *b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0";

/// The contents of streams of bzip2 that stand one behind the other. Those without content are passed over
/// where they stand: a decoder takes some megabytes of memory for each.
struct Bzip2Streams<R> {
    packed: BufReader<R>,
    /// The decoder of the stream that is being read.
    decoder: Option<bzip2::Decompress>,
    /// The beginning of a stream, and the number of its bytes that were read and decoded.
    head: [u8; EMPTY_BZIP2.len()],
    read: usize,
    decoded: usize,
}

impl<R: Read> Bzip2Streams<R> {
    fn new(packed: R) -> Self {
        let head = [0; EMPTY_BZIP2.len()];
        Self { packed: BufReader::new(packed), decoder: None, head, read: 0, decoded: 0 }
    }

    /// Goes to the next stream with content; returns false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            while self.read < self.head.len() {
                match self.packed.read(&mut self.head[self.read..])? {
                    0 => break,
                    count => self.read += count,
                }
            }
            let is_empty = self.head[..3] == EMPTY_BZIP2[..3]
                && matches!(self.head[3], b'1'..=b'9')
                && self.head[4..] == EMPTY_BZIP2[4..];
            if self.read < self.head.len() || !is_empty {
                return Ok(self.read > 0);
            }
            self.read = 0;
        }
    }

    /// Unpacks a piece of the stream; returns its length and whether the stream ends there.
    fn piece(
        &mut self,
        decoder: &mut bzip2::Decompress,
        buffer: &mut [u8],
    ) -> io::Result<(usize, bool)> {
        let head = &self.head[self.decoded..self.read];
        let input = if head.is_empty() { self.packed.fill_buf()? } else { head };
        let before_in = decoder.total_in();
        let before_out = decoder.total_out();
        let status = decoder
            .decompress(input, buffer)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let is_at_end = input.is_empty();
        let taken = (decoder.total_in() - before_in) as usize;
        let count = (decoder.total_out() - before_out) as usize;
        if head.is_empty() {
            self.packed.consume(taken);
        } else {
            self.decoded += taken;
        }
        match status {
            bzip2::Status::StreamEnd => Ok((count, true)),
            bzip2::Status::MemNeeded => Err(io::ErrorKind::OutOfMemory.into()),
            // Without further input the decoder first gives what it still holds.
            _ if is_at_end && count == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok((count, false)),
        }
    }
}

impl<R: Read> Read for Bzip2Streams<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            let mut decoder = match self.decoder.take() {
                Some(decoder) => decoder,
                None if self.begin()? => bzip2::Decompress::new(false),
                None => break,
            };
            let piece = self.piece(&mut decoder, buffer);
            if matches!(piece, Ok((_, true))) {
                // No stream is shorter than its head.
                (self.read, self.decoded) = (0, 0);
            } else {
                self.decoder = Some(decoder);
            }
            let (count, _) = piece?;
            if count > 0 {
                return Ok(count);
            }
        }
        Ok(0)
    }
}

/// Packed bytes that give an error once the caller asks to stop: a decoder may read much of them before it
/// gives anything.
#[derive(Debug)]
pub(crate) struct Stoppable<'a, R> {
    pub(crate) packed: R,
    pub(crate) stop: &'a StopFlag,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            // Not `Interrupted`: after that readers try again.
            return Err(io::Error::other("stopped"));
        }
        self.packed.read(buffer)
    }
}

impl<R: Seek> Seek for Stoppable<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.packed.seek(to)
    }
}

/// Hands over what `input` gives in parts, at most `limit` bytes; returns the number of bytes and whether
/// they ended too early. An error of `take` is one of writing.
///
/// # Errors
///
/// [`UnpackError::Bad`] for damage and for more than `limit` bytes.
pub(crate) fn pump(
    input: &mut dyn Read,
    limit: u64,
    stop: &StopFlag,
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<(u64, bool), UnpackError> {
    let mut buffer = vec![0; 64 << 10];
    let mut len = 0;
    loop {
        if stop.is_set() {
            return Err(UnpackError::Interrupted);
        }
        let count = match input.read(&mut buffer) {
            Ok(0) => return Ok((len, false)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // What `Stoppable` says has come through a decoder, which may have made another error of it.
            Err(_) if stop.is_set() => return Err(UnpackError::Interrupted),
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
pub(crate) fn read_up_to(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
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

pub(crate) fn too_much(limit: u64) -> Message {
    message!(
        "unpacks to more than {limit} bytes, {MAX_RATIO} times its size and more; no collection of \
         games packs so well: unpack it yourself if it is sound"
    )
}

/// The message for damaged packed bytes.
pub(crate) fn damage(error: &io::Error) -> Message {
    let text = error.to_string();
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "truncated: the packed bytes end too early".into(),
        io::ErrorKind::OutOfMemory => too_large_window(),
        // zstd says so in words only.
        _ if text.contains("too much memory") => too_large_window(),
        _ => message!("cannot be unpacked: {text}"),
    }
}

pub(crate) fn too_large_window() -> Message {
    message!(
        "packed with a window or dictionary of more than {} MiB; pack it again with a smaller one, \
         or unpack it",
        1 << (MAX_WINDOW_LOG - 20)
    )
}

/// Bytes that are being unpacked: in memory while they are few, then in a file without a name.
#[derive(Debug)]
pub(crate) struct Spool<'a> {
    folder: &'a Path,
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

impl<'a> Spool<'a> {
    /// Files are made in `folder`.
    pub(crate) const fn new(folder: &'a Path) -> Self {
        Self { folder, memory: Vec::new(), file: None, len: 0 }
    }

    /// The number of bytes so far.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn push(&mut self, part: &[u8]) -> io::Result<()> {
        self.len += part.len() as u64;
        // Small parts are collected here also when there is a file.
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

    pub(crate) fn finish(self) -> io::Result<Content<'static>> {
        let Some(mut file) = self.file else { return Ok(Content::Memory(self.memory)) };
        file.write_all(&self.memory)?;
        MappedFile::of(&file).map(Content::Mapped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bzip2(bytes: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// The bytes of a reader, and the kind of the error at which it ends.
    fn outcome(mut input: impl Read) -> (Vec<u8>, Option<io::ErrorKind>) {
        let mut bytes = Vec::new();
        let end = input.read_to_end(&mut bytes).err();
        (bytes, end.map(|error| error.kind()))
    }

    #[test]
    fn streams_of_bzip2_are_read_as_the_crate_reads_them() {
        let noise: Vec<u8> =
            (0..3000_u32).flat_map(|n| *blake3::hash(&n.to_le_bytes()).as_bytes()).collect();
        let streams = [
            bzip2(b"", 1),
            bzip2(b"a", 9),
            bzip2(b"", 9),
            bzip2(b"", 5),
            bzip2(b"bc", 1),
            bzip2(&noise, 1),
            bzip2(b"", 3),
        ];
        let all = streams.concat();
        for from in [0, 1, 4, 14] {
            let step = if from == 0 { 1009 } else { all.len() };
            let ends = (from..all.len().min(from + 140)).chain((from..all.len()).step_by(step));
            for end in ends.chain(all.len() - 30..=all.len()) {
                let part = &all[from..end];
                let expected = outcome(bzip2::read::MultiBzDecoder::new(part));
                if part.is_empty() {
                    continue; // The crate reports nothing as truncated.
                }
                assert!(outcome(Bzip2Streams::new(part)) == expected, "{from}..{end}");
            }
        }
        for tail in [&b"B"[..], b"BZh", b"BZh0", b"behind the end", &[0; 40]] {
            let part = [&streams[1][..], tail].concat();
            let expected = outcome(bzip2::read::MultiBzDecoder::new(&part[..]));
            assert!(outcome(Bzip2Streams::new(&part[..])) == expected, "{tail:?}");
        }
    }

    /// Asks to stop after some bytes.
    struct StopAfter<'a> {
        bytes: &'a [u8],
        left: usize,
        stop: &'a StopFlag,
    }

    impl Read for StopAfter<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.bytes.read(buffer)?;
            self.left = self.left.saturating_sub(count);
            if self.left == 0 {
                self.stop.set();
            }
            Ok(count)
        }
    }

    #[test]
    fn streams_without_content_do_not_outlast_an_interrupt() {
        let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let xz = lzma_rust2::XzOptions::with_preset(0);
        let xz = lzma_rust2::XzWriter::new(Vec::new(), xz).unwrap();
        for (coding, empty) in [
            (Coding::Zstd, zstd::encode_all(&[][..], 1).unwrap()),
            (Coding::Gzip, gzip.finish().unwrap()),
            (Coding::Xz, xz.finish().unwrap()),
            (Coding::Bzip2, EMPTY_BZIP2.to_vec()),
        ] {
            let bytes = empty.repeat((4 << 20) / empty.len());
            let stop = StopFlag::default();
            let packed = StopAfter { bytes: &bytes, left: 1 << 20, stop: &stop };
            let mut input = coding.open(Stoppable { packed, stop: &stop }).unwrap();
            let result = pump(&mut *input, 1, &stop, &mut |_| Ok(()));
            assert!(matches!(result, Err(UnpackError::Interrupted)), "{coding:?}");
        }
    }
}
