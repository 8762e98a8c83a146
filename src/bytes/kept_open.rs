//! Files that SQLite keeps open, with locks on them, for as long as a connection lasts.
//!
//! Whoever closes a file under Unix gives up the locks that the process has on it by way of any other opening. So
//! [`open`](super::open) refuses such a file, and those that SQLite keeps beside it, from the first connection on. A file
//! that was opened shortly before, and is closed after it, is not noticed.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tells a file from every other one: its device and its number there.
type FileId = (u64, u64);

/// Each file as often as it is open.
static OPEN: Mutex<Vec<FileId>> = Mutex::new(Vec::new());

/// The endings of the files that SQLite keeps beside another.
#[cfg(unix)]
const BESIDE: [&[u8]; 3] = [b"-wal", b"-shm", b"-journal"];

/// The list of these files, which nobody else changes meanwhile.
pub(crate) struct KeptOpen(MutexGuard<'static, Vec<FileId>>);

impl KeptOpen {
    /// Waits for the list.
    pub(crate) fn lock() -> Self {
        // A thread that panicked has left the list whole: each change of it is one call.
        Self(OPEN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns true if the file at `path` is in the list.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        !self.0.is_empty() && file_id(path).is_some_and(|id| self.0.contains(&id))
    }

    /// Adds the file at `path`, which has just been opened.
    #[cfg(feature = "book")]
    pub(crate) fn note(&mut self, path: &Path) -> NotedFile {
        let id = file_id(path);
        self.0.extend(id);
        NotedFile(id)
    }
}

/// An entry in the list, which goes with it.
#[cfg(feature = "book")]
#[derive(Debug)]
pub(crate) struct NotedFile(Option<FileId>);

#[cfg(feature = "book")]
impl Drop for NotedFile {
    fn drop(&mut self) {
        let mut open = KeptOpen::lock();
        if let Some(at) = open.0.iter().position(|&id| Some(id) == self.0) {
            open.0.swap_remove(at);
        }
    }
}

/// Returns true if the file at `path` is in the list, or is kept beside one that is.
pub(crate) fn is_kept_open(path: &Path) -> bool {
    let open = KeptOpen::lock();
    open.holds(path) || main_file(path).is_some_and(|main| open.holds(main))
}

/// The file beside which SQLite keeps one of that name.
#[cfg(unix)]
fn main_file(path: &Path) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    let name = path.as_os_str().as_bytes();
    let main = BESIDE.iter().find_map(|ending| name.strip_suffix(*ending))?;
    Some(Path::new(std::ffi::OsStr::from_bytes(main)))
}

/// The file at a path.
#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|about| (about.dev(), about.ino()))
}

// Elsewhere closing a file gives up no lock but its own, so the list stays empty.
#[cfg(not(unix))]
fn main_file(_path: &Path) -> Option<&Path> {
    None
}

#[cfg(not(unix))]
fn file_id(_path: &Path) -> Option<FileId> {
    None
}
