//! The files from which endgame tables are read: those of the system. WebAssembly without a system has none; what
//! embeds the library puts them on a shelf in memory for it by `put`.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use super::positioned::PositionedFile as ShelfFile;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use system::{is_folder, names_in};

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use memory::{ShelfFile, is_folder, names_in, put, remove};

/// The folders of the system.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod system {
    use std::io;
    use std::path::Path;

    /// The names of what lies in a folder, as far as they are texts.
    ///
    /// # Errors
    ///
    /// Those of listing it.
    pub fn names_in(folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    /// Returns true if there is a folder of that name.
    #[must_use]
    pub fn is_folder(path: &Path) -> bool {
        path.is_dir()
    }
}

/// The shelf in memory.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod memory {
    use std::collections::BTreeMap;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    static FILES: Mutex<BTreeMap<PathBuf, Arc<[u8]>>> = Mutex::new(BTreeMap::new());

    fn files() -> MutexGuard<'static, BTreeMap<PathBuf, Arc<[u8]>>> {
        FILES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a file on the shelf, in place of one of that name.
    pub fn put(path: &Path, bytes: Vec<u8>) {
        files().insert(path.to_owned(), bytes.into());
    }

    /// Takes a file from the shelf; whoever reads it keeps it. Returns true if it was there.
    pub fn remove(path: &Path) -> bool {
        files().remove(path).is_some()
    }

    /// The names of the files in a folder.
    ///
    /// # Errors
    ///
    /// None: a folder without files has no names.
    pub fn names_in(folder: &Path) -> io::Result<Vec<String>> {
        let files = files();
        let within = files.keys().filter(|path| path.parent() == Some(folder));
        Ok(within.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect())
    }

    /// Returns true if there is a file in a folder of that name.
    #[must_use]
    pub fn is_folder(path: &Path) -> bool {
        files().keys().any(|file| file.parent() == Some(path))
    }

    /// A file that is read at stated places.
    #[derive(Debug)]
    pub struct ShelfFile(Arc<[u8]>);

    impl ShelfFile {
        /// Opens the file of that name.
        ///
        /// # Errors
        ///
        /// [`io::ErrorKind::NotFound`] if there is none.
        pub fn open(path: &Path) -> io::Result<Self> {
            let file = files().get(path).map(Arc::clone);
            file.map(Self).ok_or_else(|| io::ErrorKind::NotFound.into())
        }

        /// The length in bytes.
        #[must_use]
        pub fn bytes(&self) -> u64 {
            self.0.len() as u64
        }

        /// Fills `out` with the bytes from offset `at` on.
        ///
        /// # Errors
        ///
        /// [`io::ErrorKind::UnexpectedEof`] where the file ends before.
        pub fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
            out.copy_from_slice(self.range(at, out.len() as u64)?);
            Ok(())
        }

        /// `len` bytes from offset `at` on.
        ///
        /// # Errors
        ///
        /// [`io::ErrorKind::UnexpectedEof`] where the file ends before.
        pub fn read(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
            Ok(self.range(at, len)?.to_vec())
        }

        fn range(&self, at: u64, len: u64) -> io::Result<&[u8]> {
            let at = usize::try_from(at).ok();
            let rest = at.and_then(|at| self.0.get(at..));
            let found = rest.and_then(|rest| rest.get(..usize::try_from(len).ok()?));
            found.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }
    }
}
