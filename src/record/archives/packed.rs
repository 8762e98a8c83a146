//! Packed files of games, recognised by their content: zstd, gzip, xz or bzip2, and archives of many sources,
//! zip, tar (packed in any of these ways, too) and 7z.
//!
//! Readers get a source as one slice. A packed one is unpacked to memory if it is small, else to a temporary
//! file without a name that is mapped: so large collections use no memory that the system could not reclaim,
//! and are split and read by many threads like any other file. Members of an archive may be packed once more,
//! or be archives themselves; archives in these are bad sources.
//!
//! A file that unpacks to many times what is plausible is refused: see [`MAX_RATIO`](crate::record::MAX_RATIO). All
//! bounds depend on the file alone, not on what else is read at the time. Of what lacks its end the
//! part that is there is read, and the rest is one bad game.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::bytes::StopFlag;
use crate::message::Message;
use crate::record::archives::admit::{HEAD_BYTES, base_name};
use crate::record::archives::archive::Found;
use crate::record::archives::content::{Content, UnpackError};
use crate::record::archives::member::{Member, Packing};
use crate::record::archives::unpack::{Spool, read_up_to};
use crate::record::archives::windows::{Window, Windows};
use crate::record::archives::{admit, archive};
use crate::record::formats::Formats;
use crate::record::model::bad_game::{BadGame, BadGameReason};
use crate::record::model::format::Format;
use crate::record::model::options::ReadOptions;
use crate::record::model::parsed::{ParsedGame, ReadSummary};
use crate::record::model::place::Place;
use crate::xiangqi::Position;

/// The mark that is hashed behind the bytes of a source that was cut off, so that it differs from a whole one
/// of the same bytes.
pub(crate) const TRUNCATED_MARK: &[u8] = b"truncated";

/// A file as it is: one source of games, packed perhaps, or an archive of many.
#[derive(Debug)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    found: Found,
    /// Ends unpacking soon after it was set.
    stop: StopFlag,
}

/// A source's name by content, its length, and its format as determined from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// BLAKE3 of the bytes; of a source that lacks its end, of that hash and a mark.
    pub hash: [u8; 32],
    /// The number of bytes.
    pub len: u64,
    /// The format of the source.
    pub format: Result<Format, BadGameReason>,
    /// A description of what is wrong with the end of the source, if anything.
    pub loss: Option<Message>,
}

/// The contents of a source, unpacked.
#[derive(Debug)]
pub struct Unpacked<'a> {
    /// Its bytes, as far as they are there.
    pub content: Content<'a>,
    /// A description of what is wrong with their end, if anything: see [`Formats::read_cut_chunk`].
    pub loss: Option<Message>,
}

impl<'a> Packed<'a> {
    /// Looks what a file is. Packed tar archives, 7z archives and archives in archives are unpacked,
    /// to files without names in `folder` if they are large, until soon after `stop` was set.
    ///
    /// # Errors
    ///
    /// Those of writing; [`UnpackError::Interrupted`]. What is damaged is a member that says so.
    pub fn open<G: Formats>(
        bytes: &'a [u8],
        folder: &Path,
        stop: &StopFlag,
    ) -> Result<Self, UnpackError> {
        let found = archive::find(bytes, folder, stop, admit::admit::<G>)?;
        Ok(Self { bytes, found, stop: stop.clone() })
    }

    /// The sources in it, in the order of the archive, without those that are hidden or links.
    /// [`Packed::admit`] decides which of them hold games.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.found.members
    }

    /// The paths in it that are no members, and why.
    #[must_use]
    pub fn skipped(&self) -> &[(String, Message)] {
        &self.found.skipped
    }

    /// Returns true if nothing has to be unpacked.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        matches!(
            self.members(),
            [Member { name: None, packing: Packing::Bare, fault: None, store: 0, .. }]
        )
    }

    fn bytes_of(&self, member: &Member) -> &[u8] {
        let bytes = match member.store.checked_sub(1) {
            None => self.bytes,
            Some(store) => self.found.stores.get(store).map_or(&[][..], |content| content),
        };
        bytes.get(member.data.clone()).unwrap_or_default()
    }

    /// Judges whether a member of an archive is to be read as games, as a file of that name in a
    /// folder is; what is no archive was given to be read.
    ///
    /// # Errors
    ///
    /// Why it is passed over.
    pub fn admit<G: Formats>(&self, member: &Member) -> Result<(), Message> {
        let Some(name) = &member.name else { return Ok(()) };
        let base = base_name(name);
        if member.fault.is_some() || Format::is_game_file(base, G::FORMATS) == Some(true) {
            return Ok(());
        }
        let mut head = vec![0; HEAD_BYTES];
        let read = member
            .open(self.bytes_of(member), &self.stop)
            .and_then(|(mut input, _)| read_up_to(&mut *input, &mut head));
        // Damage is reported where it is unpacked.
        let Ok(len) = read else { return Ok(()) };
        admit::admit::<G>(base, &head[..len])
    }

    /// A name by the packed content, for a source that cannot be unpacked.
    #[must_use]
    pub fn packed_hash(&self, member: &Member) -> [u8; 32] {
        blake3::hash(self.bytes_of(member)).into()
    }

    /// Reads a source through. Nothing is kept but its beginning.
    ///
    /// # Errors
    ///
    /// [`UnpackError::Bad`].
    pub fn digest<G: Formats>(&self, member: &Member) -> Result<Digest, UnpackError> {
        let mut hasher = blake3::Hasher::new();
        let mut head = Vec::new();
        let (len, loss) = member.unpack(self.bytes_of(member), &self.stop, &mut |part| {
            let room = HEAD_BYTES - head.len();
            head.extend_from_slice(&part[..part.len().min(room)]);
            hasher.update(part);
            Ok(())
        })?;
        if loss.is_some() {
            // A whole file of the same bytes is another source.
            hasher.update(TRUNCATED_MARK);
        }
        Ok(Digest { hash: hasher.finalize().into(), len, format: G::sniff(&head), loss })
    }

    /// The bytes of a source. What is large is unpacked to a file without a name in `folder`.
    ///
    /// # Errors
    ///
    /// [`UnpackError`].
    pub fn content(&self, member: &Member, folder: &Path) -> Result<Unpacked<'_>, UnpackError> {
        let bytes = self.bytes_of(member);
        if member.packing == Packing::Bare && member.fault.is_none() {
            return Ok(Unpacked { content: Content::Bare(bytes), loss: member.loss() });
        }
        let mut spool = Spool::new(folder);
        let (_, loss) = member.unpack(bytes, &self.stop, &mut |part| spool.push(part))?;
        let content = spool.finish().map_err(UnpackError::Io)?;
        Ok(Unpacked { content, loss })
    }
}

/// A sink for each game with the name of its source; its answer decides whether reading goes on.
pub type NamedSink<'a, G = Position> =
    dyn FnMut(&str, Result<ParsedGame<G>, BadGame>) -> ControlFlow<()> + 'a;

/// Bytes of a source between two looks at whether to go on.
const STEP: usize = 1 << 20;

/// Reads the games of a file in order, whatever it is packed in, until `sink` breaks off. `sink` gets
/// each game with the name of its source: `source`, or in archives `source/path`. A member that
/// cannot be unpacked is one bad game, and so is what is lost of one that lacks its end. Otherwise as
/// [`Formats::read_records`].
///
/// # Errors
///
/// Those of writing temporary files to `folder`; [`io::ErrorKind::Interrupted`] soon after `stop` was
/// set.
pub fn read_packed<G: Formats>(
    source: &str,
    bytes: &[u8],
    folder: &Path,
    stop: &StopFlag,
    sink: &mut NamedSink<'_, G>,
) -> io::Result<ReadSummary> {
    read_packed_with(source, bytes, folder, stop, ReadOptions::default(), sink)
}

/// As [`read_packed`]; with choices.
pub(crate) fn read_packed_with<G: Formats>(
    source: &str,
    bytes: &[u8],
    folder: &Path,
    stop: &StopFlag,
    options: ReadOptions,
    sink: &mut NamedSink<'_, G>,
) -> io::Result<ReadSummary> {
    let mut summary = ReadSummary::default();
    let packed = Packed::open::<G>(bytes, folder, stop)?;
    for (name, why) in packed.skipped() {
        summary.skipped += 1;
        tell_skipped(Path::new(source), name, why);
    }
    for member in packed.members() {
        let name =
            member.name().map_or_else(|| source.to_owned(), |name| format!("{source}/{name}"));
        if let Err(why) = packed.admit::<G>(member) {
            summary.skipped += 1;
            tell_skipped(Path::new(source), member.name().unwrap_or_default(), &why);
            continue;
        }
        let flow = match packed.content(member, folder) {
            Ok(content) => read_content(&name, &content, stop, options, sink, &mut summary)?,
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

/// The reason for passing over a source of a known format that has neither games nor bad ones.
pub(crate) const NO_GAME: &str = "no game is found in it";

/// Writes to the log that a path in an archive, or in a folder if `name` is empty, is passed over.
pub(crate) fn tell_skipped(file: &Path, name: &str, why: impl std::fmt::Display) {
    let path = if name.is_empty() { file.to_owned() } else { file.join(name) };
    tracing::info!("passed over {path:?}: {why}");
}

/// Reads a source, a window after the other.
fn read_content<G: Formats>(
    name: &str,
    Unpacked { content, loss }: &Unpacked<'_>,
    stop: &StopFlag,
    options: ReadOptions,
    sink: &mut NamedSink<'_, G>,
    summary: &mut ReadSummary,
) -> io::Result<ControlFlow<()>> {
    let mut flow = ControlFlow::Continue(());
    let before = summary.games + summary.bad;
    for Window { start, end, chunks } in Windows::new::<G>(content, STEP) {
        let last = chunks.len().saturating_sub(1);
        for (index, mut chunk) in chunks.into_iter().enumerate() {
            chunk.options = options;
            if stop.is_set() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let loss = loss.as_ref().filter(|_| index == last && end == content.len());
            *summary += G::read_cut_chunk(name, &content[start..end], &chunk, loss, &mut |game| {
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
    if summary.games + summary.bad == before && !content.trim_ascii().is_empty() {
        summary.skipped += 1;
        tell_skipped(Path::new(name), "", NO_GAME);
    }
    Ok(flow)
}

fn refusal(source: &str, what: Message) -> BadGame {
    let reason = BadGameReason::Unsupported(what);
    BadGame { source: source.to_owned(), place: Place::Offset(0), game: 1, reason }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::record::archives::unpack::MEMORY_BYTES;
    use crate::record::model::limits::FREE_BYTES;

    const PGN: &[u8] = b"[Red \"a\"]\n\n1. h2e2 h9g7 1-0\n\n[Red \"b\"]\n\n1. c3c4 *\n";

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 3).unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        let options = lzma_rust2::XzOptions::with_preset(1);
        let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn sevenz(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = sevenz_rust2::ArchiveWriter::new(io::Cursor::new(Vec::new())).unwrap();
        let options = sevenz_rust2::encoder_options::Lzma2Options::from_level(0);
        writer.set_content_methods(vec![options.into()]);
        for (name, content) in files {
            let entry = sevenz_rust2::ArchiveEntry::new_file(name);
            writer.push_archive_entry(entry, Some(*content)).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn open(bytes: &[u8]) -> Packed<'_> {
        Packed::open::<Position>(bytes, &std::env::temp_dir(), &StopFlag::default()).unwrap()
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
        let mut file = Vec::new();
        let mut directory = Vec::new();
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
        let offset = file.len() as u32;
        let count = members.len() as u16;
        file.extend_from_slice(&directory);
        file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        file.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
        file.extend_from_slice(&(directory.len() as u32).to_le_bytes());
        file.extend_from_slice(&offset.to_le_bytes());
        file.extend_from_slice(&[0, 0]);
        file
    }

    /// The games found, a line for each.
    fn read(bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        let folder = std::env::temp_dir();
        let summary = read_packed::<Position>(
            "f",
            bytes,
            &folder,
            &StopFlag::default(),
            &mut |source, game| {
                lines.push(match game {
                    Ok(game) => format!("{source} {}", game.record.tree.moves.len()),
                    Err(bad) => bad.to_string(),
                });
                ControlFlow::Continue(())
            },
        );
        let summary = summary.unwrap();
        assert_eq!(summary.games + summary.bad, lines.len() as u64);
        lines
    }

    #[test]
    fn every_packing_gives_the_same_games() {
        let twice = [gzip(&zstd(PGN)), xz(&bzip2(PGN))];
        let once = [PGN.to_vec(), zstd(PGN), gzip(PGN), xz(PGN), bzip2(PGN)];
        for bytes in once.into_iter().chain(twice) {
            assert_eq!(read(&bytes), ["f 2", "f 1"]);
            let packed = open(&bytes);
            let digest = packed.digest::<Position>(&packed.members()[0]).unwrap();
            assert_eq!(digest.hash, *blake3::hash(PGN).as_bytes());
            assert_eq!((digest.len, digest.format), (PGN.len() as u64, Ok(Format::Pgn)));
        }
        for pack in [zstd, gzip, xz, bzip2] {
            assert_eq!(read(&[pack(&PGN[..30]), pack(&PGN[30..])].concat()), ["f 2", "f 1"]);
        }
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
            member("picture.png", 8, b"\x89PNG\r\n\x1a\n\0\0"),
            member("no ending", 8, b"h2e2"),
            member("a/.hidden/x.pgn", 8, PGN),
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
            "f/no ending 1",
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
        let size = (PGN.len() as u32 * 40).to_le_bytes();
        let offset = [0; 4];
        archive[second + 20..second + 24].copy_from_slice(&size);
        archive[second + 24..second + 28].copy_from_slice(&size);
        archive[second + 42..second + 46].copy_from_slice(&offset);
        let lines = read(&archive);
        assert!(lines.last().unwrap().contains("overlap"), "{lines:?}");
    }

    /// Bytes of an entry of a zip archive's directory before its name.
    const ENTRY: usize = 46;

    #[test]
    fn archives_of_all_kinds_give_the_same() {
        let gz = gzip(PGN);
        let files: [(&str, &[u8]); 4] =
            [("a/x.pgn", PGN), ("a/y", PGN), ("note.md", b"A note."), ("z.pgn.gz", &gz)];
        let zipped = zip(&files.map(|(name, content)| member(name, 8, content)));
        let tarred = tar(&files);
        let seven = sevenz(&files);
        let names = ["a/x.pgn", "a/y", "z.pgn.gz"];
        let expected = |outer: &str| -> Vec<String> {
            names.iter().flat_map(|name| [2, 1].map(|n| format!("f/{outer}{name} {n}"))).collect()
        };
        let packed = [zstd(&tarred), gzip(&tarred), xz(&tarred), bzip2(&tarred)];
        let all = [zipped, tarred, seven].into_iter().chain(packed);
        for (number, bytes) in all.enumerate() {
            assert_eq!(read(&bytes), expected(""), "{number}");
            let outer = [
                zip(&[member("in", 8, &bytes)]),
                zip(&[member("in", 0, &bytes)]),
                tar(&[("in", &bytes)]),
                gzip(&tar(&[("in", &bytes)])),
                sevenz(&[("in", &bytes)]),
            ];
            for (outer_number, outer) in outer.iter().enumerate() {
                assert_eq!(read(outer), expected("in/"), "{number} in {outer_number}");
                let third = read(&zip(&[member("out.zip", 8, outer)]));
                let is_refused = third.len() == 1 && third[0].contains("within an archive within");
                assert!(is_refused, "{third:?}");
            }
        }
        let rar = read(&zip(&[member("a", 8, b"Rar!\x1a\x07\x01\0")]));
        assert!(rar.len() == 1 && rar[0].contains("unrar"), "{rar:?}");
    }

    #[test]
    fn bombs_in_archives_are_refused() {
        let zeros = vec![0; (FREE_BYTES + (16 << 20)) as usize];
        let tarred = tar(&[("a.pgn", &zeros)]);
        for bomb in [zstd(&tarred), sevenz(&[("a.pgn", &zeros)])] {
            let lines = read(&bomb);
            assert!(lines.len() == 1 && lines[0].contains("unpacks to more"), "{lines:?}");
        }
        let inner = zip(&[member("a.pgn", 8, &zeros[..40 << 20])]);
        let both = [("a.zip", &inner[..]), ("b.zip", &inner), ("c.pgn", PGN)];
        let lines = read(&zip(&both.map(|(name, bytes)| member(name, 8, bytes))));
        assert!(lines.iter().any(|line| line.contains("unpacks to more")), "{lines:?}");
        assert_eq!(lines[lines.len() - 2..], ["f/c.pgn 2", "f/c.pgn 1"]);
    }

    #[test]
    fn too_large_dictionaries_are_refused() {
        // The dictionary stands in the header of the block, under a checksum.
        let mut bytes = xz(PGN);
        let header = 12..12 + (usize::from(bytes[12]) + 1) * 4;
        let at = header.clone().find(|&at| bytes[at..].starts_with(&[0x21, 1])).unwrap() + 2;
        bytes[at] = 40;
        let crc = crc32fast::hash(&bytes[header.start..header.end - 4]).to_le_bytes();
        bytes[header.end - 4..header.end].copy_from_slice(&crc);
        let lines = read(&bytes);
        assert!(lines.len() == 1 && lines[0].contains("dictionary"), "{lines:?}");
    }

    #[test]
    fn what_is_large_comes_by_a_file() {
        let text = PGN.repeat(2 * MEMORY_BYTES / PGN.len());
        let packed = zstd(&text);
        let packed = open(&packed);
        let folder = tempfile::tempdir().unwrap();
        let content = packed.content(&packed.members()[0], folder.path()).unwrap().content;
        assert!(matches!(content, Content::Mapped(_)) && *content == *text);
        // Elsewhere temporary files have names while they are open.
        if cfg!(unix) {
            assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        }
        let nowhere = packed.content(&packed.members()[0], Path::new("/nowhere"));
        assert!(matches!(nowhere, Err(UnpackError::Io(_))));
    }

    /// Checks that of every beginning of these bytes the games before the break are read and the loss is
    /// reported.
    fn check_truncated(bytes: &[u8], whole: &[&str], lens: impl Iterator<Item = usize>) -> usize {
        let mut most = 0;
        for len in lens {
            let mut lines = read(&bytes[..len]);
            let loss = lines.iter().rposition(|line| {
                ["truncated", "without its directory"].iter().any(|word| line.contains(word))
            });
            assert!(loss.is_some(), "{len}: {lines:?}");
            // Games, not faults.
            lines.retain(|line| line.split(' ').count() == 2);
            assert!(lines.iter().zip(whole).all(|(a, b)| a == b), "{len}: {lines:?}");
            most = most.max(lines.len());
        }
        most
    }

    #[test]
    fn of_truncated_files_what_is_there_is_read() {
        for bytes in [zstd(PGN), gzip(PGN), xz(PGN), bzip2(PGN)] {
            let most = check_truncated(&bytes, &["f 2", "f 1"], 10..bytes.len());
            assert!(most <= 1, "the last game may lack its end");
        }
        let long: Vec<u8> = (0..40_000)
            .flat_map(|n| format!("[Red \"{}\"]\n\n1. h2e2 h9g7 *\n\n", n * 7919).into_bytes())
            .collect();
        let games = vec!["f 2"; 40_000];
        for bytes in [zstd(&long), gzip(&long), bzip2(&long), xz(&[&long[..]; 3].concat())] {
            let len = bytes.len() - bytes.len() / 8;
            let most = check_truncated(&bytes, &games.repeat(3), [len].into_iter());
            assert!(most > 1000, "{most}");
        }
        let files = [("a.pgn", PGN), ("b.pgn", PGN)];
        let whole = ["f/a.pgn 2", "f/a.pgn 1", "f/b.pgn 2", "f/b.pgn 1"];
        let mut zipped = zip(&files.map(|(name, content)| member(name, 8, content)));
        assert_eq!(check_truncated(&zipped, &whole, 6..zipped.len()), 4);
        // Lengths that stand behind the data.
        let mut streamed = files.map(|(name, content)| member(name, 8, content));
        streamed.iter_mut().for_each(|member| member.flags |= 8);
        zipped = streamed_zip(&streamed);
        assert_eq!(check_truncated(&zipped, &whole, 6..zipped.len()), 4);
        let tarred = tar(&files);
        assert_eq!(check_truncated(&tarred, &whole, 600..tarred.len() - 1024), 4);
        let tarred = gzip(&tarred);
        assert!(check_truncated(&tarred, &whole, 30..tarred.len()) >= 2);
        let seven = sevenz(&files);
        assert_eq!(check_truncated(&seven, &whole, 8..seven.len()), 0);
    }

    /// A zip archive, without its directory, as one is written to a pipe.
    fn streamed_zip(members: &[Stated<'_>]) -> Vec<u8> {
        let mut file = Vec::new();
        for Stated { name, flags, method, size, crc, data } in members {
            file.extend_from_slice(b"PK\x03\x04");
            for n in [20, *flags, *method, 0, 0] {
                file.extend_from_slice(&n.to_le_bytes());
            }
            file.extend_from_slice(&[0; 12]);
            file.extend_from_slice(&(name.len() as u16).to_le_bytes());
            file.extend_from_slice(&[0, 0]);
            file.extend_from_slice(name.as_bytes());
            file.extend_from_slice(data);
            file.extend_from_slice(b"PK\x07\x08");
            for n in [*crc, data.len() as u32, *size as u32] {
                file.extend_from_slice(&n.to_le_bytes());
            }
        }
        file.extend_from_slice(b"PK\x01\x02");
        file
    }

    proptest! {
        #[test]
        fn damaged_files_do_no_harm(
            at in any::<prop::sample::Index>(), bits in 1..=255_u8, which in 0..8,
        ) {
            let mut bytes = match which {
                0 => zstd(PGN),
                1 => gzip(PGN),
                2 => xz(PGN),
                3 => bzip2(PGN),
                4 => tar(&[("a.pgn", PGN), ("b.pgn.zst", &zstd(PGN))]),
                5 => xz(&tar(&[("a.pgn", PGN)])),
                6 => sevenz(&[("a.pgn", PGN), ("b.pgn", PGN)]),
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
        let stop = StopFlag::default();
        let packed = zstd(PGN);
        let open = Packed::open::<Position>(&packed, &folder, &stop).unwrap();
        stop.set();
        let member = &open.members()[0];
        assert!(matches!(open.content(member, &folder), Err(UnpackError::Interrupted)));
        assert!(matches!(open.digest::<Position>(member), Err(UnpackError::Interrupted)));
        for bytes in [PGN, &packed] {
            let read = read_packed::<Position>("f", bytes, &folder, &stop, &mut |_, _| {
                ControlFlow::Continue(())
            });
            assert_eq!(read.unwrap_err().kind(), io::ErrorKind::Interrupted);
        }
    }
}
