//! Advisory locks between processes. The kernel releases those of a process that dies.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::atomic::{folder_of, resolve};

/// Whose turn it is.
#[derive(Debug)]
pub enum Turn {
    /// This process's, until the file is dropped.
    Ours(File),
    /// That of another process, perhaps with its number.
    Others(Option<u32>),
    /// The file system has no locks.
    Unknown,
}

/// Locks the file at `path`, which is made if need be, and writes this process's number into it.
/// Does not wait.
///
/// # Errors
///
/// Those of opening, locking and writing.
pub fn claim(path: &Path) -> io::Result<Turn> {
    let mut file = open(path)?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0)?;
            write!(file, "{}", std::process::id())?;
            Ok(Turn::Ours(file))
        }
        Err(TryLockError::WouldBlock) => {
            let text = std::fs::read_to_string(path).ok();
            Ok(Turn::Others(text.and_then(|text| text.trim().parse().ok())))
        }
        Err(TryLockError::Error(error)) if has_no_locks(&error) => Ok(Turn::Unknown),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens a lock's file, or makes it.
///
/// # Errors
///
/// Those of opening.
pub fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Whether an error means that the file system has no locks.
#[must_use]
pub fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

/// The right to replace a file, held by one process at a time until it is dropped: a lock on
/// `.NAME.lock` beside the file, which is removed in the end.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    file: Option<File>,
}

impl FileLock {
    /// Takes the right to replace `target`. Does not wait.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if another process has it, and those of [`resolve`] and of
    /// writing beside the file.
    pub fn take(target: &Path) -> io::Result<Self> {
        let target = resolve(target)?;
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(".lock");
        let path = folder_of(&target).join(name);
        loop {
            match claim(&path)? {
                Turn::Unknown => return Ok(Self { path, file: None }),
                Turn::Others(id) => return Err(is_taken(id)),
                // Who had it before may have removed the file since it was opened here.
                Turn::Ours(file) if is_at(&file, &path) => {
                    return Ok(Self { path, file: Some(file) });
                }
                Turn::Ours(_) => {}
            }
        }
    }
}

fn is_taken(id: Option<u32>) -> io::Error {
    let who = id.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
    let what = format!("{who} is changing it; wait until that has ended, then run this again");
    io::Error::new(io::ErrorKind::WouldBlock, what)
}

/// Whether the open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Elsewhere locks stay when they are released.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

impl Drop for FileLock {
    /// Removes the file while it is still locked.
    fn drop(&mut self) {
        if cfg!(unix) && self.file.is_some() {
            let removed = std::fs::remove_file(&self.path);
            tracing::debug!(?removed, "lock");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.book");
        let lock = FileLock::take(&target).unwrap();
        let error = FileLock::take(&folder.path().join("./a.book")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
        FileLock::take(&folder.path().join("b.book")).unwrap();
        drop(lock);
        drop(FileLock::take(&target).unwrap());
        #[cfg(unix)]
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn never_two_at_a_time() {
        use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.book");
        let (taken, count) = (AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Ok(_lock) = FileLock::take(&target) else { continue };
                        assert!(!taken.swap(true, Ordering::SeqCst));
                        count.fetch_add(1, Ordering::SeqCst);
                        taken.store(false, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(count.into_inner() > 0);
    }
}
