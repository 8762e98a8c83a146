//! Locks that readers and writers who do not ask for them do not notice (`flock`).

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use super::{Attempt, TRIES, check, holder, open_to_read, unusable};
use crate::bytes::own_files;
use crate::bytes::visible::ShowPath;
use crate::message::message;

/// Locks the file at `path` for this process alone, or creates it. Links are not followed.
///
/// # Errors
///
/// Those of `open` and of locking.
pub(super) fn hold(path: &Path) -> io::Result<Attempt> {
    for _ in 0..TRIES {
        let mut file = match open(path)? {
            Opened::File(file) => file,
            Opened::Locked(process) => return Ok(Attempt::Others(process)),
        };
        match file.try_lock() {
            // Between opening and locking, the owner may have removed the file and another process made
            // a new one of that name: a lock on the old one protects nothing.
            Ok(()) if is_at(&file, path) => return Ok(Attempt::Ours(file)),
            Ok(()) => {} // its owner has just removed it
            Err(TryLockError::WouldBlock) => return Ok(Attempt::Others(holder(&mut file))),
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                if is_at(&file, path) {
                    // Without locks nobody could take this file over; left there, it would only be
                    // litter.
                    drop(std::fs::remove_file(path));
                }
                return Ok(Attempt::NoLocks);
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(Attempt::Others(None))
}

/// A share of a folder in which several processes make files at the same time: a shared lock on a file there, which
/// stays. Who gets it exclusively is alone in the folder, so that unfinished files and locks were left by killed runs.
#[derive(Debug)]
pub struct FolderLock {
    /// `None` where the file system has no locks.
    file: Option<File>,
}

impl FolderLock {
    /// Enters the folder of the lock file at `path`. If no other process is there, `tidy` runs before one can come.
    ///
    /// # Errors
    ///
    /// Those of making and locking the file, and [`io::ErrorKind::PermissionDenied`], which names the path and a
    /// remedy, if another user is there and does not share the lock.
    pub fn enter(path: &Path, tidy: impl FnOnce()) -> io::Result<Self> {
        let file = match open(path)? {
            Opened::File(file) => file,
            Opened::Locked(_) => return Err(closed(path)),
        };
        match file.try_lock() {
            Ok(()) => tidy(),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                return Ok(Self { file: None });
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Nothing of this process is in the folder yet: it does not matter which process comes in between.
        // An exclusive lock cannot be turned into a shared one in one step everywhere.
        file.unlock()?;
        file.lock_shared()?;
        Ok(Self { file: Some(file) })
    }

    /// True if other processes can see that this one is in the folder.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.file.is_some()
    }

    /// Gives up the share. Returns true if no other process is in the folder, and none can enter before this is
    /// dropped.
    #[must_use]
    pub fn is_last(&mut self) -> bool {
        self.file.as_ref().is_some_and(|file| file.unlock().is_ok() && file.try_lock().is_ok())
    }
}

/// Another user's process is alone in the folder, and its lock cannot be shared.
fn closed(path: &Path) -> io::Error {
    let text = message!(
        "{} is another user's, who is building there, and this one may not write it; wait for the end, or \
         choose another folder",
        path.shown()
    );
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

/// A lock file that was opened, not locked yet.
enum Opened {
    /// One that is empty or holds the number of a process.
    File(File),
    /// Another user's, which only they can open for writing, and which a process holds.
    Locked(Option<u32>),
}

/// Opens the lock file at `path`, or creates it. Links are not followed, and the contents stay as they are.
///
/// # Errors
///
/// Those of making a file there; [`io::ErrorKind::AlreadyExists`], which names the path and a remedy, for
/// anything but a regular file with one name that is empty or holds the number of a process, and for another
/// user's lock file that is not held but cannot be used.
fn open(path: &Path) -> io::Result<Opened> {
    for _ in 0..TRIES {
        let mut options = File::options();
        options.read(true).write(true);
        own_files::no_follow(&mut options);
        // Not `create` alone, which some systems refuse for files of others in shared folders.
        match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(Opened::File),
        }
        match options.open(path) {
            Ok(mut file) => {
                check(&mut file, path)?;
                return Ok(Opened::File(file));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {} // just removed
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return others(path, error);
            }
            Err(error) => {
                let about = path.symlink_metadata();
                let Some(about) = about.ok().filter(|about| !about.is_file()) else {
                    return Err(error);
                };
                return Err(own_files::refusal(
                    path,
                    own_files::kind_of(path, &about),
                    "a lock file",
                ));
            }
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Handles a lock file that this user may not write: it is held, or an error that names the remedy.
fn others(path: &Path, error: io::Error) -> io::Result<Opened> {
    let Ok(about) = path.symlink_metadata() else { return Err(error) };
    let opened = open_to_read(path);
    let process = match opened.ok().filter(|_| about.is_file()) {
        Some(mut file) => {
            check(&mut file, path)?;
            let process = holder(&mut file);
            if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                return Ok(Opened::Locked(process));
            }
            process
        }
        None => None,
    };
    Err(unusable(path, &about, process))
}

/// The number of names of an open file.
#[cfg(unix)]
pub(super) fn link_count(file: &File) -> io::Result<u64> {
    file.metadata().map(|about| std::os::unix::fs::MetadataExt::nlink(&about))
}

#[cfg(not(unix))]
pub(super) fn link_count(_file: &File) -> io::Result<u64> {
    Ok(1)
}

/// Returns true if the open file is the one at that path.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |about: std::fs::Metadata| (about.dev(), about.ino());
    file.metadata().map(id).ok() == path.symlink_metadata().map(id).ok()
}

/// Elsewhere it is taken for granted.
#[cfg(not(unix))]
pub(super) fn is_at(_file: &File, _path: &Path) -> bool {
    true
}
