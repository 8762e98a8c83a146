//! Read-only memory maps.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// A whole file mapped read-only; dereferences to its bytes. The file must not be written to in
/// place while it is mapped.
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
}

impl MappedFile {
    /// Maps the regular file at `path`. An empty file maps to an empty slice.
    ///
    /// # Errors
    ///
    /// Those of opening and mapping.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(&super::open::regular(path)?)
    }

    /// Maps an open file, which may have no name.
    ///
    /// # Errors
    ///
    /// Those of mapping.
    #[expect(unsafe_code, reason = "memory maps are unsafe by nature; this is the one place")]
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the map is read-only and private to this struct, and nobody may write to the file
        // while it is mapped. For files of this program's making that holds: they are replaced by
        // renaming, so an open map keeps the old file alive. For other files, such as collections
        // of games, nothing enforces it: a process that changes one meanwhile changes these bytes,
        // and one that truncates it raises a bus error, which ends this program.
        let map = unsafe { Mmap::map(file)? };
        Ok(Self { map })
    }

    /// Lets go of the memory that holds the first `len` bytes, where the system can do that. They
    /// are read again from the file when they are looked at.
    #[expect(unsafe_code, reason = "memory maps are unsafe by nature; this is the one place")]
    pub fn release(&self, len: usize) {
        #[cfg(unix)]
        {
            let len = len.min(self.map.len());
            // SAFETY: the map is shared with the file and never written to, so the pages that are
            // dropped are in the file as they were: later looks find the same bytes.
            let released = unsafe {
                self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, 0, len)
            };
            // Without success the pages stay, as they would without the call.
            released.unwrap_or(());
        }
        #[cfg(not(unix))]
        let _ = len;
    }
}

impl Deref for MappedFile {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.map
    }
}
