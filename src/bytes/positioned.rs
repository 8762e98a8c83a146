//! Reading at stated places of an open file, without a memory map.

use std::fs::File;
use std::io;
use std::path::Path;

/// A file that is read at stated places, by any number of threads at once.
///
/// Unlike a [map](super::map), it cannot end the process: where the file was truncated meanwhile, or
/// its disk fails, reading is an error. A file that is replaced by renaming, or deleted, stays
/// readable as it was. A read costs a system call and copies its bytes.
#[derive(Debug)]
pub struct PositionedFile {
    file: File,
    len: u64,
}

impl PositionedFile {
    /// Opens the regular file at `path`, without waiting where it is anything else.
    ///
    /// # Errors
    ///
    /// Those of [`open::regular`](super::open::regular), and of asking for the length.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(super::open::regular(path)?)
    }

    /// Wraps an open file.
    ///
    /// # Errors
    ///
    /// Those of asking for the length.
    pub fn of(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }

    /// The open file.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// The file's present metadata.
    ///
    /// # Errors
    ///
    /// Those of asking for them.
    pub fn about(&self) -> io::Result<std::fs::Metadata> {
        self.file.metadata()
    }

    /// Bytes that the file had when it was opened.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.len
    }

    /// Fills `out` with the bytes from offset `at` on.
    ///
    /// # Errors
    ///
    /// Those of reading; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
    #[cfg(unix)]
    pub fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, at)
    }

    /// Fills `out` with the bytes from offset `at` on.
    ///
    /// # Errors
    ///
    /// Those of reading; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
    #[cfg(windows)]
    pub fn read_at(&self, mut at: u64, mut out: &mut [u8]) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !out.is_empty() {
            match self.file.seek_read(out, at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    out = &mut out[n..];
                    at += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Fills `out` with the bytes from offset `at` on.
    ///
    /// # Errors
    ///
    /// Those of reading; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
    #[cfg(not(any(unix, windows)))]
    pub fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        // A handle has one place at which it reads, and others may read at the same time.
        static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let guard = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(at))?;
        let read = file.read_exact(out);
        drop(guard);
        read
    }

    /// `len` bytes from offset `at` on.
    ///
    /// # Errors
    ///
    /// As [`read_at`](Self::read_at); [`io::ErrorKind::UnexpectedEof`], before anything is allocated,
    /// where the file was too short from the beginning.
    pub fn read(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let fits = at.checked_add(len).is_some_and(|end| end <= self.len);
        let len = usize::try_from(len).ok().filter(|_| fits);
        let mut bytes = vec![0; len.ok_or(io::ErrorKind::UnexpectedEof)?];
        self.read_at(at, &mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 100]).unwrap();
        let file = PositionedFile::open(&path).unwrap();
        assert_eq!(file.read(90, 10).unwrap(), [7; 10]);
        assert!(file.read(90, 11).is_err());
        assert!(file.read(u64::MAX, 1).is_err());
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(50).unwrap();
        let error = file.read(40, 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(file.read(40, 10).unwrap(), [7; 10]);
        assert_eq!(file.bytes(), 100);
    }
}
