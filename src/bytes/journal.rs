//! Files from which interrupted work goes on: records are added at the end, each by one write. Should that be cut off,
//! the piece is removed before the work goes on, so that the file holds whole records only.
//!
//! The records are texts of the owner's format, or *frames*:
//!
//! ```text
//! u32      bytes of the sealed value, little-endian
//! value    as bytes::sealed has it
//! ```

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::lock::{Busy, LockError};
use super::sealed::{HEADER_LEN, SealedKind, seal};
use super::visible::ShowPath;
use crate::message::Message;

/// The bytes of a frame's length.
const LENGTH_LEN: usize = 4;

/// The reason why work cannot go on from a journal, or be kept in one.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum JournalError {
    /// It cannot be read, made or written.
    #[error("{}", path.shown())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Other work is written to it.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// Something else stands in its place.
    #[error(transparent)]
    Occupied(io::Error),
    /// It is no journal of such work; the text names the file, the fault and the remedy.
    #[error("{0}")]
    Foreign(Message),
    /// It is of other work, or of the same with other settings; the text names the file and the remedy.
    #[error("{0}")]
    Changed(Message),
}

impl From<LockError> for JournalError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy(busy) => Self::Busy(busy),
            LockError::File { path, source } => Self::File { path, source },
        }
    }
}

impl JournalError {
    /// Names the file in an error of reading or writing it.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}

/// A file to which records are added.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes of whole records.
    length: u64,
}

impl Journal {
    /// The journal in an open file. Its owner finds out how much of it is whole, and calls [`cut`](Self::cut).
    pub(crate) fn new(path: &Path, file: File) -> Self {
        Self { path: path.to_owned(), file, length: 0 }
    }

    /// The file's path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All bytes, or the first ones.
    pub(crate) fn read(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.rewind()?;
        (&mut self.file).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Removes what comes after the whole records, which have this number of bytes.
    pub(crate) fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// Adds a record by one write, and returns the offset at which it begins. A part that was written is removed
    /// again if that can be done.
    pub(crate) fn add(&mut self, record: &[u8]) -> io::Result<u64> {
        let at = self.length;
        let written = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.write_all(record));
        if let Err(error) = written {
            let cut = self.file.set_len(at);
            tracing::debug!(path = %self.path.shown(), ?cut, "a record cut off");
            return Err(error);
        }
        self.length += record.len() as u64;
        Ok(at)
    }

    /// The sealed bytes of the frame that begins at an offset, and where the next one begins; `None` at the end, and
    /// where the rest is no whole frame.
    pub(crate) fn frame(
        &mut self,
        kind: SealedKind,
        at: u64,
    ) -> io::Result<Option<(Vec<u8>, u64)>> {
        self.file.seek(SeekFrom::Start(at))?;
        let mut head = Vec::new();
        (&mut self.file).take(LENGTH_LEN as u64).read_to_end(&mut head)?;
        let Some(&length) = head.first_chunk::<LENGTH_LEN>() else { return Ok(None) };
        let length = u64::from(u32::from_le_bytes(length));
        let mut bytes = Vec::new();
        // A longer one is of something else, and not read.
        (&mut self.file).take(length.min(kind.limit + MAX_HEADER)).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() as u64 == length;
        Ok(is_whole.then_some((bytes, at + LENGTH_LEN as u64 + length)))
    }
}

/// The bytes that a frame may have beside its payload.
const MAX_HEADER: u64 = 64;
const _: () = assert!(HEADER_LEN as u64 <= MAX_HEADER);

/// A value as a frame.
pub(crate) fn framed(kind: SealedKind, value: &impl Serialize) -> io::Result<Vec<u8>> {
    let bytes = seal(kind, value).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    // In one piece, for a record is added by one write.
    Ok([&length.to_le_bytes()[..], &bytes].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::own_files;
    use crate::bytes::sealed::unseal;

    const KIND: SealedKind = SealedKind { magic: *b"JZTEST\0\0", version: 1, limit: 1 << 10 };

    fn open(path: &Path) -> Journal {
        Journal::new(path, own_files::open_or_make(path).unwrap())
    }

    /// The values of the whole frames, and where they end.
    fn values(journal: &mut Journal) -> (Vec<u32>, u64) {
        let mut values = Vec::new();
        let mut at = 0;
        while let Some((bytes, next)) = journal.frame(KIND, at).unwrap() {
            values.push(unseal(KIND, &bytes).unwrap());
            at = next;
        }
        (values, at)
    }

    #[test]
    fn frames_come_back_however_the_file_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = open(&path);
        let offsets: Vec<u64> =
            (0..3u32).map(|value| journal.add(&framed(KIND, &value).unwrap()).unwrap()).collect();
        let whole = journal.read(u64::MAX).unwrap();
        assert_eq!(journal.read(4).unwrap(), whole[..4]);
        for end in 0..=whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let mut journal = open(&path);
            let (found, length) = values(&mut journal);
            let begun = offsets.iter().filter(|&&at| at < end as u64).count();
            let is_whole = length == end as u64;
            assert_eq!(found.len(), if is_whole { begun } else { begun - 1 }, "{end}");
            journal.cut(length).unwrap();
            let at = journal.add(&framed(KIND, &9u32).unwrap()).unwrap();
            assert_eq!(at, length);
            assert_eq!(values(&mut journal).0.last(), Some(&9));
        }
    }

    #[test]
    fn what_is_no_frame_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for text in ["", "abc", "notes of mine, long enough for a length"] {
            std::fs::write(&path, text).unwrap();
            assert!(open(&path).frame(KIND, 0).unwrap().is_none(), "{text}");
        }
    }
}
