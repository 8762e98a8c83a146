//! What a file of games is packed in: `.zst`, `.gz` or `.zip`, told from its content.
//!
//! Readers take a source as one slice. What is packed is unpacked to memory if it is small, else to
//! a temporary file without a name that is mapped: so large collections take no memory that the
//! system could not take back, and are split and read by many threads like any other file. Members
//! of a zip archive may be packed by zstd or gzip once more; archives within archives are bad sources.
//!
//! A file that unpacks to many times what is plausible is refused: see [`MAX_RATIO`]. All
//! bounds depend on the file alone, not on what else is read at the time.

use std::fmt;
use std::io::{self, BufReader, Read, Write};
use std::ops::{ControlFlow, Deref, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::zip::{self, Entry};
use super::{
    BadGame, BadGameReason, Format, ParsedGame, Place, ReadSummary, Window, Windows, read_chunk,
};
use crate::bytes::map::MappedFile;

/// A file may unpack to this many times its size, and [`FREE_BYTES`] more. Collections of games
/// pack to between a fifth and a fiftieth.
pub const MAX_RATIO: u64 = 400;

/// What any file may unpack to, in bytes.
pub const FREE_BYTES: u64 = 64 << 20;

/// What a member of an archive that is packed once more may unpack to, beside [`MAX_RATIO`] times
/// its size, in bytes.
pub const FREE_MEMBER_BYTES: u64 = 64 << 10;

/// The most that any file may unpack to, in bytes; of an archive, all members together.
pub const MAX_UNPACKED: u64 = 1 << 38;

/// The most members that an archive may have.
pub const MAX_MEMBERS: usize = 1 << 20;

/// What unpacks to more than this many bytes is unpacked to a file.
const MEMORY_BYTES: usize = 4 << 20;

/// How much of a source is kept to tell its format.
const HEAD_BYTES: usize = 1 << 20;

/// The largest window of zstd that is accepted, as its binary logarithm in bytes: 128 MiB, as the
/// program `zstd` has it.
const MAX_WINDOW_LOG: u32 = 27;

const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
const GZIP: &[u8] = b"\x1f\x8b";

/// Why something cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// It is damaged, unpacks to too much, or is packed in an unknown way.
    #[error("{0}")]
    Bad(String),
    /// The temporary file cannot be written.
    #[error("cannot write a temporary file")]
    Io(#[source] io::Error),
    /// Someone asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl From<UnpackError> for io::Error {
    fn from(error: UnpackError) -> Self {
        match error {
            UnpackError::Bad(_) => Self::new(io::ErrorKind::InvalidData, error),
            UnpackError::Io(source) => source,
            UnpackError::Interrupted => io::ErrorKind::Interrupted.into(),
        }
    }
}

/// A file as it is: one source of games, packed perhaps, or an archive of many.
#[derive(Debug)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    members: Vec<Member>,
    /// Ends unpacking soon after it was set.
    stop: Arc<AtomicBool>,
}

/// One source in a file.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its path in the archive; `None` if the file is no archive.
    name: Option<String>,
    data: Range<usize>,
    packing: Packing,
    /// Why it is not unpacked.
    fault: Option<String>,
}

/// How the bytes of a member are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Bare,
    Zstd,
    Gzip,
    /// In an archive, with what its directory states.
    Zip {
        method: u16,
        crc: u32,
        size: u64,
    },
}

/// A source's name by content, its length, and its format as told from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// BLAKE3 of the bytes.
    pub hash: [u8; 32],
    /// How many they are.
    pub len: u64,
    /// What they are.
    pub format: Result<Format, BadGameReason>,
}

/// The bytes of a source.
#[derive(Debug)]
pub enum Content<'a> {
    /// Those of the file itself.
    Bare(&'a [u8]),
    /// Unpacked to memory.
    Memory(Vec<u8>),
    /// Unpacked to a file.
    Mapped(MappedFile),
}

impl Deref for Content<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Bare(bytes) => bytes,
            Self::Memory(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}

impl<'a> Packed<'a> {
    /// Looks what a file is.
    ///
    /// # Errors
    ///
    /// [`UnpackError::Bad`] if the directory of an archive is damaged.
    pub fn open(bytes: &'a [u8]) -> Result<Self, UnpackError> {
        let whole =
            |packing| vec![Member { name: None, data: 0..bytes.len(), packing, fault: None }];
        let members = if bytes.starts_with(ZSTD) {
            whole(Packing::Zstd)
        } else if bytes.starts_with(GZIP) {
            whole(Packing::Gzip)
        } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            members(zip::entries(bytes, MAX_MEMBERS).map_err(UnpackError::Bad)?, bytes.len() as u64)
        } else {
            whole(Packing::Bare)
        };
        Ok(Self { bytes, members, stop: Arc::default() })
    }

    /// Ends unpacking with [`UnpackError::Interrupted`] soon after `stop` was set.
    #[must_use]
    pub fn stopped_by(self, stop: &Arc<AtomicBool>) -> Self {
        Self { stop: Arc::clone(stop), ..self }
    }

    /// The sources in it that are likely to hold games, in the order of the archive: see
    /// [`Format::is_game_file`].
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether nothing has to be unpacked.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        matches!(self.members.as_slice(), [Member { packing: Packing::Bare, .. }])
    }

    /// The format of a source as told from its beginning.
    ///
    /// # Errors
    ///
    /// Why it is in no known format, or cannot be unpacked.
    pub fn sniff(&self, member: &Member) -> Result<Format, BadGameReason> {
        let bytes = self.bytes.get(member.data.clone()).unwrap_or_default();
        if member.packing == Packing::Bare {
            return Format::sniff(bytes);
        }
        let mut head = Vec::new();
        let read = member
            .open(bytes)
            .and_then(|(input, _)| input.take(HEAD_BYTES as u64).read_to_end(&mut head));
        read.map_err(|error| BadGameReason::Unsupported(damage(&error)))?;
        Format::sniff(&head)
    }

    /// A name by the packed content, for a source that cannot be unpacked.
    #[must_use]
    pub fn packed_hash(&self, member: &Member) -> [u8; 32] {
        blake3::hash(self.bytes.get(member.data.clone()).unwrap_or_default()).into()
    }

    /// Reads a source through. Nothing is kept but its beginning.
    ///
    /// # Errors
    ///
    /// [`UnpackError::Bad`].
    pub fn digest(&self, member: &Member) -> Result<Digest, UnpackError> {
        let bytes = self.bytes.get(member.data.clone()).unwrap_or_default();
        if member.packing == Packing::Bare {
            let (hash, format) = (blake3::hash(bytes).into(), Format::sniff(bytes));
            return Ok(Digest { hash, len: bytes.len() as u64, format });
        }
        let mut hasher = blake3::Hasher::new();
        let mut head = Vec::new();
        let len = member.unpack(bytes, &self.stop, |part| {
            let room = HEAD_BYTES - head.len();
            head.extend_from_slice(&part[..part.len().min(room)]);
            hasher.update(part);
            Ok(())
        })?;
        Ok(Digest { hash: hasher.finalize().into(), len, format: Format::sniff(&head) })
    }

    /// The bytes of a source. What is large is unpacked to a file without a name in `folder`.
    ///
    /// # Errors
    ///
    /// [`UnpackError`].
    pub fn content(&self, member: &Member, folder: &Path) -> Result<Content<'a>, UnpackError> {
        let bytes = self.bytes.get(member.data.clone()).unwrap_or_default();
        if member.packing == Packing::Bare {
            return Ok(Content::Bare(bytes));
        }
        let mut memory = Vec::new();
        let mut file = None;
        member.unpack(bytes, &self.stop, |part| {
            if memory.len() + part.len() <= MEMORY_BYTES {
                memory.extend_from_slice(part);
                return Ok(());
            }
            if file.is_none() {
                file = Some(tempfile::tempfile_in(folder)?);
            }
            let Some(file) = &mut file else { return Ok(()) };
            file.write_all(&memory)?;
            memory.clear();
            file.write_all(part)
        })?;
        let Some(mut file) = file else { return Ok(Content::Memory(memory)) };
        file.write_all(&memory)
            .and_then(|()| MappedFile::of(&file))
            .map(Content::Mapped)
            .map_err(UnpackError::Io)
    }
}

impl Member {
    /// Its path in the archive; `None` if the file is no archive.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether a file of this name holds games for certain, and is a bad one if it does not.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        let is_certain = |name: &String| Format::is_game_file(name) == Some(true);
        self.fault.is_some() || self.name.as_ref().is_none_or(is_certain)
    }

    /// Hands over the content in parts and returns its length. An error of `take` is one of
    /// writing.
    fn unpack(
        &self,
        bytes: &[u8],
        stop: &AtomicBool,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<u64, UnpackError> {
        if let Some(fault) = &self.fault {
            return Err(UnpackError::Bad(fault.clone()));
        }
        let bad = |error: &io::Error| UnpackError::Bad(damage(error));
        let (mut input, limit) = self.open(bytes).map_err(|e| bad(&e))?;
        let mut buffer = vec![0; 64 << 10];
        let mut len = 0;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(UnpackError::Interrupted);
            }
            let count = match input.read(&mut buffer) {
                Ok(0) => return Ok(len),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(bad(&error)),
            };
            len += count as u64;
            if len > limit {
                return Err(UnpackError::Bad(too_much(limit)));
            }
            take(&buffer[..count]).map_err(UnpackError::Io)?;
        }
    }

    /// The unpacked bytes, through two layers at most, and how many there may be.
    fn open<'a>(&self, bytes: &'a [u8]) -> io::Result<(Box<dyn Read + 'a>, u64)> {
        let free = if self.name.is_some() { FREE_MEMBER_BYTES } else { FREE_BYTES };
        let packed = bytes.len() as u64;
        let limit = free.saturating_add(packed.saturating_mul(MAX_RATIO)).min(MAX_UNPACKED);
        let (outer, limit): (Box<dyn Read + 'a>, u64) = match self.packing {
            Packing::Bare => return Ok((Box::new(bytes), packed)),
            Packing::Zstd => (Box::new(unzstd(bytes)?), limit),
            Packing::Gzip => (Box::new(flate2::read::MultiGzDecoder::new(bytes)), limit),
            Packing::Zip { method, crc, size } => {
                let input: Box<dyn Read + 'a> = match method {
                    0 => Box::new(bytes),
                    8 => Box::new(flate2::read::DeflateDecoder::new(bytes)),
                    _ => Box::new(unzstd(bytes)?),
                };
                (
                    Box::new(Checked { input, left: size, crc, hasher: crc32fast::Hasher::new() }),
                    limit.max(size),
                )
            }
        };
        let mut outer = BufReader::new(outer);
        let mut head = [0; 4];
        let len = read_up_to(&mut outer, &mut head)?;
        let outer = io::Cursor::new(head).take(len as u64).chain(outer);
        let inner: Box<dyn Read + 'a> = if head.starts_with(ZSTD) {
            Box::new(unzstd(outer)?)
        } else if head.starts_with(GZIP) {
            Box::new(flate2::read::MultiGzDecoder::new(outer))
        } else {
            Box::new(outer)
        };
        Ok((inner, limit))
    }
}

fn unzstd<'a>(packed: impl Read + 'a) -> io::Result<impl Read + 'a> {
    let mut decoder = zstd::Decoder::new(packed)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

/// The members that are likely to hold games. What is stated of them bounds them all together.
fn members(entries: Vec<Entry>, len: u64) -> Vec<Member> {
    let limit = FREE_BYTES.saturating_add(len.saturating_mul(MAX_RATIO)).min(MAX_UNPACKED);
    let (mut unpacked, mut packed) = (0_u64, 0_u64);
    let mut members = Vec::new();
    for entry in entries {
        let Entry { name, data, method, is_encrypted, crc, size } = entry;
        let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
        if base.starts_with('.')
            || name.starts_with("__MACOSX/")
            || Format::is_game_file(base).is_none() && !Format::is_archive(base)
        {
            continue;
        }
        let with_this = unpacked.saturating_add(size);
        packed = packed.saturating_add(data.len() as u64);
        let fault = if is_encrypted {
            Some("encrypted; unpack the archive with its password first".to_owned())
        } else if Format::is_archive(base) {
            Some("an archive within an archive; unpack it and give what is in it".to_owned())
        } else if !matches!(method, 0 | 8 | 93) {
            Some(format!(
                "packed by method {method} of zip; only 0, 8 and 93 are read: pack it again"
            ))
        } else if with_this > limit {
            Some(too_much(limit))
        } else if packed > len {
            Some("members of the archive overlap".to_owned())
        } else {
            unpacked = with_this;
            None
        };
        let packing = Packing::Zip { method, crc, size };
        members.push(Member { name: Some(name), data, packing, fault });
    }
    members
}

fn too_much(limit: u64) -> String {
    format!(
        "unpacks to more than {limit} bytes, {MAX_RATIO} times its size and more; no collection of \
         games packs so well: unpack it yourself if it is sound"
    )
}

/// What is wrong with packed bytes.
fn damage(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "truncated: the packed bytes end too early".to_owned(),
        _ if error.to_string().contains("too much memory") => format!(
            "packed with a window of more than {} MiB; pack it again without --long, or unpack it",
            1 << (MAX_WINDOW_LOG - 20)
        ),
        _ => format!("cannot be unpacked: {error}"),
    }
}

fn read_up_to(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match input.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(count) => len += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

/// Compares the content with what an archive's directory says of it.
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

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bad = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let count = self.input.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| bad("it is longer than the archive's directory says"))?;
        if count == 0 && !buffer.is_empty() {
            if self.left > 0 {
                return Err(bad("it is shorter than the archive's directory says"));
            }
            let sound = cfg!(fuzzing) || self.hasher.clone().finalize() == self.crc;
            sound.then_some(()).ok_or_else(|| bad("its checksum is wrong"))?;
        }
        Ok(count)
    }
}

/// Takes each game with the name of its source, and says whether to go on.
pub type NamedSink<'a> = dyn FnMut(&str, Result<ParsedGame, BadGame>) -> ControlFlow<()> + 'a;

/// Bytes of a source between two looks at whether to go on.
const STEP: usize = 1 << 20;

/// Reads the games of a file in order, whatever it is packed in, until `sink` breaks off. `sink` gets
/// each game with the name of its source: `source`, or in archives `source/path`. A member that
/// cannot be unpacked is one bad game. Otherwise as [`read_games`](super::read_games).
///
/// # Errors
///
/// Those of writing temporary files to `folder`; [`io::ErrorKind::Interrupted`] soon after `stop` was
/// set.
pub fn read_packed(
    source: &str,
    bytes: &[u8],
    folder: &Path,
    stop: &Arc<AtomicBool>,
    sink: &mut NamedSink<'_>,
) -> io::Result<ReadSummary> {
    read_packed_with(source, bytes, folder, stop, false, sink)
}

/// As [`read_packed`]; keeps the moves before an illegal one if that is asked for.
pub(super) fn read_packed_with(
    source: &str,
    bytes: &[u8],
    folder: &Path,
    stop: &Arc<AtomicBool>,
    keep_legal_part: bool,
    sink: &mut NamedSink<'_>,
) -> io::Result<ReadSummary> {
    let mut summary = ReadSummary::default();
    let packed = match Packed::open(bytes) {
        Ok(packed) => packed.stopped_by(stop),
        Err(error) => {
            let _over = sink(source, Err(refusal(source, error.to_string())));
            return Ok(ReadSummary { bad: 1, ..summary });
        }
    };
    for member in packed.members() {
        let name =
            member.name().map_or_else(|| source.to_owned(), |name| format!("{source}/{name}"));
        let flow = match packed.content(member, folder) {
            Ok(content) if !member.is_certain() && Format::sniff(&content).is_err() => continue,
            Ok(content) => {
                read_content(&name, &content, stop, keep_legal_part, sink, &mut summary)?
            }
            Err(UnpackError::Bad(what)) => {
                summary.bad += 1;
                sink(&name, Err(refusal(&name, what)))
            }
            Err(error @ (UnpackError::Io(_) | UnpackError::Interrupted)) => {
                return Err(error.into());
            }
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(summary)
}

/// Reads a source, a window after the other.
fn read_content(
    name: &str,
    content: &Content<'_>,
    stop: &AtomicBool,
    keep_legal_part: bool,
    sink: &mut NamedSink<'_>,
    summary: &mut ReadSummary,
) -> io::Result<ControlFlow<()>> {
    let mut flow = ControlFlow::Continue(());
    for Window { start, end, chunks } in Windows::new(content, STEP) {
        for mut chunk in chunks {
            chunk.keep_legal_part = keep_legal_part;
            if stop.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            *summary += read_chunk(name, &content[start..end], &chunk, &mut |game| {
                if flow.is_continue() {
                    flow = sink(name, game);
                }
            });
            if flow.is_break() {
                return Ok(flow);
            }
        }
        if let Content::Mapped(map) = content {
            map.release(end);
        }
    }
    Ok(flow)
}

fn refusal(source: &str, what: String) -> BadGame {
    let reason = BadGameReason::Unsupported(what);
    BadGame { source: source.to_owned(), place: Place::Offset(0), game: 1, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PGN: &[u8] = b"[Red \"a\"]\n\n1. h2e2 h9g7 1-0\n\n[Red \"b\"]\n\n1. c3c4 *\n";

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 3).unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// A member as an archive states it.
    struct Stated<'a> {
        name: &'a str,
        flags: u16,
        method: u16,
        size: usize,
        crc: u32,
        data: Vec<u8>,
    }

    fn member<'a>(name: &'a str, method: u16, content: &[u8]) -> Stated<'a> {
        let data = match method {
            8 => deflated(content),
            93 => zstd(content),
            _ => content.to_vec(),
        };
        Stated {
            name,
            flags: 0x800,
            method,
            size: content.len(),
            crc: crc32fast::hash(content),
            data,
        }
    }

    fn zip(members: &[Stated<'_>]) -> Vec<u8> {
        let (mut file, mut directory) = (Vec::new(), Vec::new());
        for Stated { name, flags, method, size, crc, data } in members {
            let offset = file.len() as u32;
            let mut shared = Vec::new();
            for n in [20, *flags, *method, 0, 0] {
                shared.extend_from_slice(&n.to_le_bytes());
            }
            for n in [*crc, data.len() as u32, *size as u32] {
                shared.extend_from_slice(&n.to_le_bytes());
            }
            shared.extend_from_slice(&(name.len() as u16).to_le_bytes());
            shared.extend_from_slice(&[0, 0]);
            file.extend_from_slice(b"PK\x03\x04");
            file.extend_from_slice(&shared);
            file.extend_from_slice(name.as_bytes());
            file.extend_from_slice(data);
            directory.extend_from_slice(b"PK\x01\x02\x14\0");
            directory.extend_from_slice(&shared);
            directory.extend_from_slice(&[0; 10]);
            directory.extend_from_slice(&offset.to_le_bytes());
            directory.extend_from_slice(name.as_bytes());
        }
        let (offset, count) = (file.len() as u32, members.len() as u16);
        file.extend_from_slice(&directory);
        file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        file.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
        file.extend_from_slice(&(directory.len() as u32).to_le_bytes());
        file.extend_from_slice(&offset.to_le_bytes());
        file.extend_from_slice(&[0, 0]);
        file
    }

    /// What is found, a line for each game.
    fn read(bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        let folder = std::env::temp_dir();
        let summary = read_packed("f", bytes, &folder, &Arc::default(), &mut |source, game| {
            lines.push(match game {
                Ok(game) => format!("{source} {}", game.record.tree.moves.len()),
                Err(bad) => bad.to_string(),
            });
            ControlFlow::Continue(())
        });
        let summary = summary.unwrap();
        assert_eq!(summary.games + summary.bad, lines.len() as u64);
        lines
    }

    #[test]
    fn every_packing_gives_the_same_games() {
        for bytes in [PGN.to_vec(), zstd(PGN), gzip(PGN), gzip(&zstd(PGN))] {
            assert_eq!(read(&bytes), ["f 2", "f 1"]);
            let packed = Packed::open(&bytes).unwrap();
            let digest = packed.digest(&packed.members()[0]).unwrap();
            assert_eq!(digest.hash, *blake3::hash(PGN).as_bytes());
            assert_eq!((digest.len, digest.format), (PGN.len() as u64, Ok(Format::Pgn)));
        }
        let two_frames = [zstd(&PGN[..30]), zstd(&PGN[30..])].concat();
        assert_eq!(read(&two_frames), ["f 2", "f 1"]);
    }

    #[test]
    fn archives_hold_many_sources() {
        let bytes = zip(&[
            member("a/", 0, b""),
            member("a/x.pgn", 0, PGN),
            member("a/y.PGN", 8, PGN),
            member("a/z.pgn.gz", 0, &gzip(PGN)),
            member("w.jsonl", 93, b"{\"moves\":\"h2e2\"}"),
            member("read me.txt", 8, b"Read me."),
            member("moves.txt", 8, b"h2e2 h9g7"),
            member("picture.png", 8, b"h2e2"),
            member("__MACOSX/a/._x.pgn", 8, b"x"),
        ]);
        let expected = [
            "f/a/x.pgn 2",
            "f/a/x.pgn 1",
            "f/a/y.PGN 2",
            "f/a/y.PGN 1",
            "f/a/z.pgn.gz 2",
            "f/a/z.pgn.gz 1",
            "f/w.jsonl 1",
            "f/moves.txt 2",
        ];
        assert_eq!(read(&bytes), expected);
        let with_preface = [b"#!/bin/sh\n", &bytes[..]].concat();
        assert_eq!(read(&with_preface).len(), 1);
    }

    #[test]
    fn bad_members_do_not_hide_the_others() {
        let with = |change: fn(&mut Stated<'_>)| {
            let mut bad = member("bad.pgn", 8, PGN);
            change(&mut bad);
            let lines = read(&zip(&[member("a.pgn", 8, PGN), bad, member("z.pgn", 8, PGN)]));
            assert_eq!((lines.len(), lines[4].as_str()), (5, "f/z.pgn 1"), "{lines:?}");
            lines[2].clone()
        };
        assert!(with(|bad| bad.flags |= 1).contains("encrypted"));
        assert!(with(|bad| bad.method = 12).contains("method 12"));
        assert!(with(|bad| bad.size += 1).contains("shorter"));
        assert!(with(|bad| bad.size -= 1).contains("longer"));
        assert!(with(|bad| bad.crc ^= 1).contains("checksum"));
        assert!(with(|bad| bad.data[4] ^= 0x55).contains("bad.pgn"));
        assert!(with(|bad| bad.size = 3 << 30).contains("unpacks to more"));
        assert!(with(|bad| (bad.method, bad.data) = (0, zip(&[]))).contains("bad.pgn"));
    }

    #[test]
    fn bombs_are_refused() {
        let zeros = vec![0; (FREE_BYTES + (16 << 20)) as usize];
        for bomb in [zstd(&zeros), gzip(&zstd(&zeros))] {
            let lines = read(&bomb);
            assert!(lines.len() == 1 && lines[0].contains("unpacks to more"), "{lines:?}");
        }
        // Once more packed in an archive, much less is enough.
        let inner = zstd(&zeros[..8 << 20]);
        let lines = read(&zip(&[member("a.pgn.zst", 8, &inner), member("z.pgn", 0, PGN)]));
        assert!(lines.len() == 3 && lines[0].contains("unpacks to more"), "{lines:?}");
        // Members that share their data.
        let mut archive = zip(&[member("a.pgn", 0, &PGN.repeat(40)), member("b.pgn", 0, PGN)]);
        let entry = archive.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        let second = entry + ENTRY + 5;
        let (size, offset) = ((PGN.len() as u32 * 40).to_le_bytes(), [0; 4]);
        archive[second + 20..second + 24].copy_from_slice(&size);
        archive[second + 24..second + 28].copy_from_slice(&size);
        archive[second + 42..second + 46].copy_from_slice(&offset);
        let lines = read(&archive);
        assert!(lines.last().unwrap().contains("overlap"), "{lines:?}");
    }

    /// Bytes of an entry of a zip archive's directory before its name.
    const ENTRY: usize = 46;

    #[test]
    fn what_is_large_comes_by_a_file() {
        let text = PGN.repeat(2 * MEMORY_BYTES / PGN.len());
        let packed = zstd(&text);
        let packed = Packed::open(&packed).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let content = packed.content(&packed.members()[0], folder.path()).unwrap();
        assert!(matches!(content, Content::Mapped(_)) && *content == *text);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        let nowhere = packed.content(&packed.members()[0], Path::new("/nowhere"));
        assert!(matches!(nowhere, Err(UnpackError::Io(_))));
    }

    #[test]
    fn truncated_files_are_refused() {
        for bytes in [zstd(PGN), gzip(PGN), zip(&[member("a.pgn", 8, PGN)])] {
            for len in 6..bytes.len() {
                let lines = read(&bytes[..len]);
                assert!(lines.len() == 1 && lines[0].starts_with("f"), "{len}: {lines:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn damaged_files_do_no_harm(
            at in any::<prop::sample::Index>(), bits in 1..=255_u8, which in 0..3,
        ) {
            let mut bytes = match which {
                0 => zstd(PGN),
                1 => gzip(PGN),
                _ => zip(&[member("a.pgn", 8, PGN), member("b.pgn.zst", 0, &zstd(PGN))]),
            };
            let at = at.index(bytes.len());
            bytes[at] ^= bits;
            read(&bytes);
        }
    }

    #[test]
    fn unpacking_can_be_interrupted() {
        let folder = std::env::temp_dir();
        let stop = Arc::new(AtomicBool::new(true));
        let packed = zstd(PGN);
        let open = Packed::open(&packed).unwrap().stopped_by(&stop);
        let member = &open.members()[0];
        assert!(matches!(open.content(member, &folder), Err(UnpackError::Interrupted)));
        assert!(matches!(open.digest(member), Err(UnpackError::Interrupted)));
        for bytes in [PGN, &packed] {
            let read =
                read_packed("f", bytes, &folder, &stop, &mut |_, _| ControlFlow::Continue(()));
            assert_eq!(read.unwrap_err().kind(), io::ErrorKind::Interrupted);
        }
    }
}
