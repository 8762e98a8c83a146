//! The members of a tar archive. Headers and their extensions are read by the crate `tar`; long names are
//! read here, within bounds, for the crate would read names of any length into memory.

use std::io::Cursor;
use std::ops::Range;

use crate::message::{Message, message};
use crate::record::model::texts::Texts;

/// Headers, sizes and contents fill blocks of that many bytes.
const BLOCK: usize = 512;

/// The longest name, and the longest extension of a header, that are read.
const MAX_NAME: usize = 64 << 10;
const MAX_EXTENSION: usize = 1 << 20;

/// A file in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TarEntry {
    /// Its path within the archive.
    pub(crate) name: String,
    /// Its bytes within the archive.
    pub(crate) data: Range<usize>,
    pub(crate) kind: TarKind,
    /// True if the archive ends within it.
    pub(crate) is_cut: bool,
}

/// The kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TarKind {
    File,
    /// A link, a device or the like.
    Other,
    /// A file of which the archive leaves out the holes.
    Sparse,
}

/// The entries of an archive, and the fault at its end, if there is one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<TarEntry>,
    pub(crate) loss: Option<Message>,
}

/// Returns true if bytes that begin like that are a tar archive.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar") || is_old_header(head)
}

/// A header without a mark: its checksum is right.
fn is_old_header(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else { return false };
    let header = tar::Header::from_byte_slice(block);
    // The checksum counts its own eight bytes as blanks.
    let found = sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..]);
    block[0] != 0 && header.cksum().is_ok_and(|stated| stated == found) && header.size().is_ok()
}

/// The sum of bytes.
fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&b| u32::from(b)).sum()
}

/// The properties that extensions state of the member after them.
#[derive(Debug, Default)]
struct Extension {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
}

/// The files of the archive, at most `most`, in its order, folders left out.
pub(crate) fn entries(bytes: &[u8], most: usize) -> Listing {
    let mut listing = Listing::default();
    let mut end = 0;
    let listed = list(bytes, most, &mut listing.entries, &mut end);
    // Blocks of zeros mark the end.
    let next = bytes.get(end..).and_then(|rest| rest.get(..BLOCK));
    if next.is_none() || listed.is_ok() && next != Some(&[0; BLOCK]) {
        let what = "truncated: the archive ends without its mark of the end; what follows is lost";
        listing.loss = Some(what.to_owned().into());
    } else {
        listing.loss = listed.err();
    }
    listing
}

fn damaged(at: usize) -> Message {
    message!("the archive is damaged at byte {at}; what follows there is lost")
}

/// Lists the files; `end` is where the last member ends.
fn list(
    bytes: &[u8],
    most: usize,
    entries: &mut Vec<TarEntry>,
    end: &mut usize,
) -> Result<(), Message> {
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let found = archive.entries_with_seek().map_err(|_| damaged(0))?;
    let mut extension = Extension::default();
    for (number, entry) in found.raw(true).enumerate() {
        let entry = entry.map_err(|_| damaged(*end))?;
        if number >= most {
            return Err(message!("an archive of more than {most} members; split it"));
        }
        let start = usize::try_from(entry.raw_file_position());
        let (Ok(start), Ok(len)) = (start, usize::try_from(entry.size())) else {
            return Err(damaged(*end));
        };
        let stated = start.checked_add(len).ok_or_else(|| damaged(*end))?;
        // As far as it is there: an archive that is cut off ends within a member.
        let data = start.min(bytes.len())..stated.min(bytes.len());
        let content = &bytes[data.clone()];
        *end = stated.checked_next_multiple_of(BLOCK).ok_or_else(|| damaged(start))?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() {
            extension.name = Some(long_name(content)?);
        } else if kind.is_pax_local_extensions() {
            extension.read(content)?;
        } else if !(kind.is_gnu_longlink() || kind.is_pax_global_extensions() || kind.is_dir()) {
            let Extension { name, size, is_sparse } = std::mem::take(&mut extension);
            if size.is_some_and(|size| size != len as u64) {
                return Err("a member of more than 8 GiB; give it by itself. What follows it is \
                            lost"
                    .into());
            }
            let name = name.unwrap_or_else(|| entry.path_bytes().into_owned());
            let kind = match kind {
                _ if is_sparse || kind.is_gnu_sparse() => TarKind::Sparse,
                _ if kind.is_file() || kind.is_contiguous() => TarKind::File,
                _ => TarKind::Other,
            };
            let name = Texts::default().detected(&name);
            entries.push(TarEntry { name, data, kind, is_cut: stated > bytes.len() });
        } else if kind.is_dir() {
            extension = Extension::default();
        }
    }
    Ok(())
}

fn long_name(content: &[u8]) -> Result<Vec<u8>, Message> {
    let name = content.split(|&b| b == 0).next().unwrap_or_default();
    if name.len() > MAX_NAME {
        return Err(message!("a name of more than {MAX_NAME} bytes; what follows it is lost"));
    }
    Ok(name.to_owned())
}

impl Extension {
    fn read(&mut self, content: &[u8]) -> Result<(), Message> {
        if content.len() > MAX_EXTENSION {
            return Err(message!(
                "a header of more than {MAX_EXTENSION} bytes; what follows it is lost"
            ));
        }
        for record in tar::PaxExtensions::new(content).flatten() {
            match record.key_bytes() {
                b"path" => self.name = Some(long_name(record.value_bytes())?),
                b"size" => self.size = record.value().ok().and_then(|size| size.parse().ok()),
                key => self.is_sparse |= key.starts_with(b"GNU.sparse"),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::entries as list_of;
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn long_names_are_read_within_bounds() {
        let long = format!("{}/a.pgn", "x".repeat(90)).repeat(3);
        let bytes = archive(&[(&long, b"1"), ("b.pgn", b"2")]);
        let Listing { entries, loss } = list_of(&bytes, 10);
        assert_eq!((entries[0].name.as_str(), entries[1].name.as_str()), (long.as_str(), "b.pgn"));
        assert_eq!((&bytes[entries[1].data.clone()], loss), (&b"2"[..], None));
        let longer = "y/".repeat(MAX_NAME / 2 + 1);
        let Listing { entries, loss } = list_of(&archive(&[(&longer, b"1")]), 10);
        assert!(entries.is_empty() && loss.unwrap().to_string().contains("name of more than"));
    }

    #[test]
    fn what_stands_before_the_break_is_listed() {
        let bytes = archive(&[("a.pgn", b"1"), ("b.pgn", &[b'2'; 700])]);
        assert!(is_tar(&bytes));
        let cut = |len: usize| {
            let Listing { entries, loss } = list_of(&bytes[..len], 10);
            let lens: Vec<_> = entries.iter().map(|e| (e.data.len(), e.is_cut)).collect();
            (lens, loss.is_some())
        };
        assert_eq!(cut(bytes.len()), (vec![(1, false), (700, false)], false));
        assert_eq!(cut(2560), (vec![(1, false), (700, false)], true));
        assert_eq!(cut(1600), (vec![(1, false), (64, true)], true));
        assert_eq!(cut(1024), (vec![(1, false)], true));
        assert_eq!(list_of(&bytes, 1).entries.len(), 1);
        let mut damaged = bytes.clone();
        damaged[1024] ^= 1;
        let Listing { entries, loss } = list_of(&damaged, 10);
        assert!(entries.len() == 1 && loss.unwrap().to_string().contains("damaged at byte 1024"));
    }
}
