//! One writer at a time for a file.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::atomic::{folder_of, resolve};

/// How often a lock is tried that others remove meanwhile.
const TRIES: usize = 100;

/// The right to write a file, until it is dropped: an exclusive lock on `.NAME.lock` beside the
/// file `NAME`. The kernel releases it if the process dies, and the next one takes it over; it is
/// removed when it is dropped.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    file: Option<File>,
}

/// Who writes a file: this process, or another, perhaps with its number.
#[derive(Debug)]
pub enum Claim {
    /// This one.
    Ours(FileLock),
    /// Another one, or another part of this one.
    Others(Option<u32>),
}

impl FileLock {
    /// Claims the right to write `target`, be there such a file or not. Where it is a link, the
    /// file that it leads to is meant.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`] and of making a file beside `target`.
    pub fn claim(target: &Path) -> io::Result<Claim> {
        let path = beside(target, ".lock")?;
        for _ in 0..TRIES {
            let mut file =
                File::options().read(true).write(true).create(true).truncate(false).open(&path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    file.set_len(0)?;
                    write!(file, "{}", std::process::id())?;
                    return Ok(Claim::Ours(Self { path, file: Some(file) }));
                }
                Ok(()) => {} // its owner has just removed it
                Err(TryLockError::WouldBlock) => {
                    let text = std::fs::read_to_string(&path).ok();
                    return Ok(Claim::Others(text.and_then(|text| text.trim().parse().ok())));
                }
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {
                    drop(std::fs::remove_file(&path));
                    return Ok(Claim::Ours(Self { path, file: None }));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(Claim::Others(None))
    }

    /// Removes what killed writers left of the file or folder: every `.NAME.part-…` beside it that
    /// [`AtomicFile`](super::atomic::AtomicFile) would make, and folders named like that.
    pub fn sweep(&self) {
        let Some(name) = self.path.file_name().and_then(|name| name.to_str()) else { return };
        let Some(prefix) = name.strip_suffix(".lock").map(|name| format!("{name}.part-")) else {
            return;
        };
        for entry in std::fs::read_dir(folder_of(&self.path)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(&prefix));
            if self.file.is_some() && rest.is_some_and(is_random) {
                let path = entry.path();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let removed = match is_folder {
                    true => std::fs::remove_dir_all(path),
                    false => std::fs::remove_file(path),
                };
                tracing::debug!(?name, ?removed, "left behind");
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Removed while it is still held, so that nobody's lock but this one's goes.
        if self.file.is_some() && cfg!(unix) {
            let removed = std::fs::remove_file(&self.path);
            tracing::trace!(?removed, "lock");
        }
    }
}

/// The path of `.NAME` and a suffix beside the file `NAME`.
///
/// # Errors
///
/// Those of [`resolve`].
pub fn beside(target: &Path, suffix: &str) -> io::Result<PathBuf> {
    let target = resolve(target)?;
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(suffix);
    Ok(folder_of(&target).join(name))
}

/// What `tempfile` puts at the end of a name, and `SQLite` at the end of a book's.
fn is_random(text: &str) -> bool {
    let text = ["-journal", "-wal", "-shm"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
        .unwrap_or(text);
    text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether the open file is the one that has that name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |about: std::fs::Metadata| (about.dev(), about.ino());
    file.metadata().map(id).ok() == std::fs::metadata(path).map(id).ok()
}

/// Elsewhere open files cannot be removed, and locks stay.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.book");
        let first = FileLock::claim(&target).unwrap();
        assert!(matches!(first, Claim::Ours(_)));
        let own = std::process::id();
        let second = FileLock::claim(&target).unwrap();
        assert!(matches!(second, Claim::Others(Some(id)) if id == own));
        let other = FileLock::claim(&folder.path().join("b.book")).unwrap();
        assert!(matches!(other, Claim::Ours(_)));
        drop((first, other));
        assert_eq!(names(folder.path()), [""; 0]);
        // One that a killed process left is taken over.
        std::fs::write(folder.path().join(".a.book.lock"), "1234567").unwrap();
        assert!(matches!(FileLock::claim(&target).unwrap(), Claim::Ours(_)));
        assert!(FileLock::claim(&folder.path().join("none/a.book")).is_err());
    }

    #[test]
    fn sweeps_its_own_only() {
        let folder = tempfile::tempdir().unwrap();
        let leave = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        for name in [".a.part-x1Y2z3", ".a.part-1.part-x1Y2z3", ".ab.part-x1Y2z3", "a.part-x1Y2z3"]
        {
            leave(name);
        }
        leave(".a.part-x1Y2z3-journal");
        std::fs::create_dir(folder.path().join(".a.part-Folder")).unwrap();
        leave(".a.part-Folder/content");
        let Claim::Ours(lock) = FileLock::claim(&folder.path().join("a")).unwrap() else {
            panic!()
        };
        lock.sweep();
        drop(lock);
        assert_eq!(
            names(folder.path()),
            [".a.part-1.part-x1Y2z3", ".ab.part-x1Y2z3", "a.part-x1Y2z3"]
        );
    }

    #[test]
    fn many_threads_take_turns() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        let turns = std::sync::atomic::AtomicUsize::new(0);
        let order = std::sync::atomic::Ordering::SeqCst;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        if let Claim::Ours(lock) = FileLock::claim(&target).unwrap() {
                            assert_eq!(inside.fetch_add(1, order), 0);
                            turns.fetch_add(1, order);
                            inside.fetch_sub(1, order);
                            drop(lock);
                        }
                    }
                });
            }
        });
        assert!(turns.into_inner() > 0);
    }
}
