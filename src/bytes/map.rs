//! Read-only memory maps.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;

/// A whole file mapped read-only; dereferences to its bytes.
///
/// Only for files that no other process can write to, such as temporary files without a name: if a file is
/// truncated while it is mapped, an access to the missing part ends the process. Files of others are read, or
/// copied first.
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
}

impl MappedFile {
    /// Maps an open file that has no name. An empty file maps to an empty slice.
    ///
    /// # Errors
    ///
    /// Those of mapping.
    #[expect(unsafe_code, reason = "memory maps are unsafe by nature; this is the one place")]
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the map is read-only and private to this struct, and the file must not be written while it
        // is mapped. All callers map temporary files of their own that have no name, so that no other process
        // can open them.
        let map = unsafe { Mmap::map(file)? };
        Ok(Self { map })
    }

    /// Lets go of the memory that holds the first `len` bytes, where the system can do that. They
    /// are read again from the file when they are accessed.
    #[cfg_attr(
        unix,
        expect(unsafe_code, reason = "memory maps are unsafe by nature; this is the one place")
    )]
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
