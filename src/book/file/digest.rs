//! The digest over a whole book file, so that any changed byte can be noticed.
//!
//! Page 2 of a book is the table `seal`, whose single row ends with a blob of 32 bytes; SQLite puts it at the
//! very end of the page. The blob is the BLAKE3 hash of the file in which these 32 bytes are zeros. Every
//! change of a book seals it again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::bytes::StopFlag;

/// Bytes of the digest.
pub(crate) const LEN: usize = 32;

/// First bytes of every SQLite file.
pub(crate) const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The SQLite version number that every book states (header offset 96), so that its bytes do not
/// depend on the library's version. Readers ignore it.
const STATED_SQLITE_VERSION: u32 = 3_045_000;

/// The parts of a SQLite header that matter here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) page_size: u64,
    pub(crate) pages: u64,
    pub(crate) application_id: u32,
    /// True if changes go to a write-ahead log first; never in a finished book.
    pub(crate) has_log: bool,
}

impl Header {
    /// Bytes of a SQLite header.
    pub(crate) const LEN: usize = 100;

    /// `None` if this is not the header of a SQLite file.
    pub(crate) fn parse(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let page_size = match u16::from_be_bytes([bytes[16], bytes[17]]) {
            1 => 65_536,
            n if n >= 512 && n.is_power_of_two() => u64::from(n),
            _ => return None,
        };
        bytes.starts_with(SQLITE_MAGIC).then(|| Self {
            page_size,
            pages: u32_at(bytes, 28).into(),
            application_id: u32_at(bytes, 68),
            has_log: bytes[18..20] != [1, 1],
        })
    }

    pub(crate) fn read(file: &mut File) -> io::Result<Option<Self>> {
        let mut bytes = [0; Self::LEN];
        file.rewind()?;
        file.read_exact(&mut bytes)?;
        Ok(Self::parse(&bytes))
    }

    const fn digest_at(&self) -> u64 {
        2 * self.page_size - LEN as u64
    }
}

/// Four bytes as a number, the highest first.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Makes the header independent of history and library version, then writes the digest; an error of
/// [`io::ErrorKind::Interrupted`] once `stop` is set.
pub(crate) fn seal(file: &mut File, stop: &StopFlag) -> io::Result<()> {
    write_at(file, 24, &1u32.to_be_bytes())?; // file change counter
    write_at(file, 92, &1u32.to_be_bytes())?; // the change counter for which the version is valid
    write_at(file, 96, &STATED_SQLITE_VERSION.to_be_bytes())?;
    let header = Header::read(file)?
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a SQLite file"))?;
    let digest = digest(file, &header, stop)?;
    write_at(file, header.digest_at(), &digest)
}

/// Returns true if the file is as it was when it was sealed; an error of [`io::ErrorKind::Interrupted`] once
/// `stop` is set.
pub(crate) fn is_intact(file: &mut File, stop: &StopFlag) -> io::Result<bool> {
    let Some(header) = Header::read(file)? else { return Ok(false) };
    let mut stated = [0; LEN];
    file.seek(SeekFrom::Start(header.digest_at()))?;
    file.read_exact(&mut stated)?;
    Ok(digest(file, &header, stop)? == stated)
}

fn digest(file: &mut File, header: &Header, stop: &StopFlag) -> io::Result<[u8; LEN]> {
    let mut hasher = blake3::Hasher::new();
    file.rewind()?;
    let mut head = vec![0; (2 * header.page_size) as usize];
    file.read_exact(&mut head)?;
    let at = header.digest_at() as usize;
    head[at..].fill(0);
    hasher.update(&head);
    let mut block = vec![0; 1 << 20];
    loop {
        if stop.is_set() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut block)? {
            0 => return Ok(hasher.finalize().into()),
            n => hasher.update(&block[..n]),
        };
    }
}

fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}
