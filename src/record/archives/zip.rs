//! The directory of a zip archive. What is read is the central directory at the end, with the
//! 64-bit extension; what stands before the members' data is only skipped. Of an archive that lacks
//! its end the members are found by what stands before their data. Layout: APPNOTE.TXT 6.3 of
//! PKWARE, sections 4.3 and 4.5.3.
//!
//! Not by the crate `zip`: it reads the whole directory into memory, some hundred bytes and more for each of
//! as many entries as the file states, before a caller can bound their number; it looks for the end record
//! through the whole file; it gives nothing of an archive without a directory; and it does not report members
//! that overlap. Unpacking, the most of such a crate, is not done here.

use std::ops::Range;

use crate::bytes::StopFlag;
use crate::message::{Message, message};
use crate::record::model::texts::Texts;

/// A file in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ZipEntry {
    /// Its path within the archive.
    pub(crate) name: String,
    /// The packed bytes within the archive.
    pub(crate) data: Range<usize>,
    /// The method by which they are packed: 0 stored, 8 deflated, 93 zstd.
    pub(crate) method: u16,
    pub(crate) is_encrypted: bool,
    /// True if it is a link or a device, of Unix.
    pub(crate) is_other: bool,
    /// CRC32 and length of the content, as stated.
    pub(crate) crc: u32,
    pub(crate) size: u64,
    /// True if the archive ends within its data.
    pub(crate) is_cut: bool,
}

/// The longest comment that an archive can end with, and the record before it.
const MAX_TAIL: usize = 0xffff + END_LEN;
const END_LEN: usize = 22;
const ENTRY_LEN: usize = 46;

/// The files of the archive, at most `most`, in the order of its directory, folders left out.
///
/// # Errors
///
/// What is wrong with the directory.
pub(crate) fn entries(bytes: &[u8], most: usize) -> Result<Vec<ZipEntry>, Message> {
    let directory = directory(bytes)
        .ok_or("a zip archive without its directory at the end; it is truncated or damaged")?;
    let mut rest = bytes.get(directory).ok_or("the directory lies outside the archive")?;
    let mut entries = Vec::new();
    while rest.starts_with(b"PK\x01\x02") {
        let (entry, len) = entry(bytes, rest).ok_or_else(|| {
            message!("entry {} of the archive's directory is damaged", entries.len() + 1)
        })?;
        rest = &rest[len..];
        if entries.len() == most {
            return Err(message!("an archive of more than {most} files; split it"));
        }
        if !entry.name.ends_with('/') {
            entries.push(entry);
        }
    }
    if rest.is_empty() { Ok(entries) } else { Err("the archive's directory is damaged".into()) }
}

/// The range of the directory.
fn directory(bytes: &[u8]) -> Option<Range<usize>> {
    let tail = bytes.len().saturating_sub(MAX_TAIL);
    let last = bytes.len().checked_sub(END_LEN)?;
    // From the end back, for the data of members may contain the mark, too.
    let end = (tail..=last).rev().find(|&at| {
        bytes[at..].starts_with(b"PK\x05\x06")
            && u16_at(bytes, at + 20)
                .is_some_and(|len| at + END_LEN + usize::from(len) <= bytes.len())
    })?;
    let mut size = u32_at(bytes, end + 12)?.into();
    let mut offset = u32_at(bytes, end + 16)?.into();
    // All ones stand for what is in the record of 64 bits.
    if size == u64::from(u32::MAX) || offset == u64::from(u32::MAX) {
        let locator = end.checked_sub(20)?;
        let at =
            bytes[locator..].starts_with(b"PK\x06\x07").then(|| u64_at(bytes, locator + 8))??;
        let at = usize::try_from(at).ok()?;
        if !bytes.get(at..)?.starts_with(b"PK\x06\x06") {
            return None;
        }
        (size, offset) = (u64_at(bytes, at.checked_add(40)?)?, u64_at(bytes, at.checked_add(48)?)?);
    }
    let size = usize::try_from(size).ok()?;
    let offset = usize::try_from(offset).ok()?;
    Some(offset..offset.checked_add(size)?)
}

/// The entry that `rest` begins with, and its length in the directory.
fn entry(bytes: &[u8], rest: &[u8]) -> Option<(ZipEntry, usize)> {
    let lengths = [28, 30, 32].map(|at| u16_at(rest, at).map(usize::from));
    let [name_len, extra_len, comment_len] = [lengths[0]?, lengths[1]?, lengths[2]?];
    let name = rest.get(ENTRY_LEN..ENTRY_LEN + name_len)?;
    let extra = rest.get(ENTRY_LEN + name_len..ENTRY_LEN + name_len + extra_len)?;
    let len = ENTRY_LEN + name_len + extra_len + comment_len;
    rest.get(..len)?;
    // Size, packed size and offset of the member; those that are all ones stand in the extra field.
    let mut fields: [u64; 3] =
        [u32_at(rest, 24)?.into(), u32_at(rest, 20)?.into(), u32_at(rest, 42)?.into()];
    let mut long = long_fields(extra);
    for field in fields.iter_mut().filter(|field| **field == u64::from(u32::MAX)) {
        *field = u64_at(long, 0)?;
        long = &long[8..];
    }
    let [size, packed, offset] = fields;
    let data = data(bytes, usize::try_from(offset).ok()?, usize::try_from(packed).ok()?)?;
    let name = Texts::default().detected(name);
    let method = u16_at(rest, 10)?;
    let crc = u32_at(rest, 16)?;
    let is_encrypted = u16_at(rest, 8)? & 1 != 0;
    // The upper half of the attributes is that of Unix if byte 5 says so.
    let kind = (u32_at(rest, 38)? >> 16) & 0o170_000;
    let is_other = rest[5] == 3 && !matches!(kind, 0 | 0o100_000);
    Some((ZipEntry { name, data, method, is_encrypted, is_other, crc, size, is_cut: false }, len))
}

/// The files of an archive without a directory, at most `most`, as far as they can be found one
/// after the other from its beginning. Unpacks members whose length is stated behind them, at most
/// `limit` bytes in all, to find where they end.
pub(crate) fn recovered(bytes: &[u8], most: usize, limit: u64, stop: &StopFlag) -> Vec<ZipEntry> {
    let mut at = 0;
    let mut left = limit;
    let mut entries = Vec::new();
    while entries.len() < most && !stop.is_set() {
        let Some((entry, next)) = local(bytes, at, &mut left, stop) else { break };
        at = next;
        if !entry.name.ends_with('/') {
            entries.push(entry);
        }
    }
    entries
}

/// The member whose header stands there, and where it ends.
fn local(bytes: &[u8], at: usize, left: &mut u64, stop: &StopFlag) -> Option<(ZipEntry, usize)> {
    let header = bytes.get(at..)?;
    if !header.starts_with(b"PK\x03\x04") {
        return None;
    }
    let [name_len, extra_len] = [26, 28].map(|at| u16_at(header, at).map(usize::from));
    let name_len = name_len?;
    let extra_len = extra_len?;
    let name = header.get(30..30 + name_len)?;
    let extra = header.get(30 + name_len..30 + name_len + extra_len)?;
    let start = at + 30 + name_len + extra_len;
    let flags = u16_at(header, 6)?;
    let method = u16_at(header, 8)?;
    let mut crc = u32_at(header, 14)?;
    let mut size = u64::from(u32_at(header, 22)?);
    let mut packed = u64::from(u32_at(header, 18)?);
    if packed == u64::from(u32::MAX) || size == u64::from(u32::MAX) {
        let long = long_fields(extra);
        (size, packed) = (u64_at(long, 0)?, u64_at(long, 8)?);
    }
    let is_cut;
    let mut next;
    let data;
    if flags & 8 != 0 && packed == 0 {
        // The length stands behind the data.
        let found = (method == 8).then(|| measure(&bytes[start..], left, stop))??;
        data = start..start + found.packed;
        (is_cut, crc, size) = (!found.is_whole, found.crc, found.size);
        next = data.end + if bytes[data.end..].starts_with(b"PK\x07\x08") { 16 } else { 12 };
        // Lengths of 64 bits are longer by eight bytes.
        if !bytes.get(next..).is_some_and(|rest| rest.starts_with(b"PK")) {
            next += 8;
        }
    } else {
        let stated = start.checked_add(usize::try_from(packed).ok()?)?;
        data = start.min(bytes.len())..stated.min(bytes.len());
        (is_cut, next) = (stated > bytes.len(), stated);
    }
    let name = Texts::default().detected(name);
    let is_encrypted = flags & 1 != 0;
    Some((ZipEntry { name, data, method, is_encrypted, is_other: false, crc, size, is_cut }, next))
}

/// The measures of deflated data without a stated length.
struct Measured {
    packed: usize,
    size: u64,
    crc: u32,
    is_whole: bool,
}

/// Unpacks deflated data to find where they end; nothing is found beyond `left` bytes.
fn measure(bytes: &[u8], left: &mut u64, stop: &StopFlag) -> Option<Measured> {
    let mut inflater = flate2::Decompress::new(false);
    let mut buffer = vec![0; 64 << 10];
    let mut crc = crc32fast::Hasher::new();
    loop {
        let read = inflater.total_in();
        let given = inflater.total_out();
        let rest = bytes.get(usize::try_from(read).ok()?..)?;
        let status = inflater.decompress(rest, &mut buffer, flate2::FlushDecompress::None).ok()?;
        let count = usize::try_from(inflater.total_out() - given).ok()?;
        crc.update(&buffer[..count]);
        *left = left.checked_sub(count as u64)?;
        let is_whole = status == flate2::Status::StreamEnd;
        // All bytes were given: without progress they end too early.
        let is_stuck = count == 0 && inflater.total_in() == read;
        if stop.is_set() {
            return None;
        }
        if is_whole || is_stuck {
            let packed = usize::try_from(inflater.total_in()).ok()?;
            let size = inflater.total_out();
            let crc = crc.finalize();
            return Some(Measured { packed, size, crc, is_whole });
        }
    }
}

/// The data of a member, behind its local header.
fn data(bytes: &[u8], header: usize, packed: usize) -> Option<Range<usize>> {
    if !bytes.get(header..)?.starts_with(b"PK\x03\x04") {
        return None;
    }
    // The lengths of name and extra field, which may differ from those in the directory.
    let skipped = [26, 28].map(|at| u16_at(bytes, header + at).map(usize::from));
    let start = header + 30 + skipped[0]? + skipped[1]?;
    let end = start.checked_add(packed)?;
    (end <= bytes.len()).then_some(start..end)
}

/// The fields of the 64-bit extension.
fn long_fields(mut extra: &[u8]) -> &[u8] {
    while let (Some(id), Some(len)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let Some(field) = extra.get(4..4 + usize::from(len)) else { break };
        if id == 1 {
            return field;
        }
        extra = &extra[4 + field.len()..];
    }
    &[]
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
