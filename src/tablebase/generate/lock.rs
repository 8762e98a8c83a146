//! Several processes on one folder: the right to build a table, and the removal of what killed runs
//! left.
//!
//! Every process that builds holds a *shared* lock on `.juzhong.lock` in the folder, and an
//! *exclusive* one on `.TABLE.lock` while it builds that table. A process that gets the first lock
//! exclusively is alone there, so that the unfinished files and locks it finds were left by killed
//! runs. The kernel releases the locks of a process that dies. `.juzhong.lock` itself stays.
//!
//! The checkpoint of a table (`.TABLE.checkpoint`) belongs to who holds that table's lock, and stays
//! after a kill until the table is there.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::atomic::folder_of;
use crate::bytes::lock::{self, Opened};
use crate::bytes::own_files;
use crate::bytes::visible::ShowPath;
use crate::message::message;
use crate::tablebase::format::is_unreadably_old;

/// The lock that all processes at work in a folder share.
const GATE: &str = ".juzhong.lock";
/// The suffix of a table's name in the name of its lock.
const LOCK: &str = ".lock";
/// The infix after a file's name in the names of its unfinished versions.
const PART: &str = ".part-";
/// The suffix of a table's name in the name of its checkpoint.
const CHECKPOINT: &str = ".checkpoint";
/// The suffix of the name of a table's file.
const TABLE: &str = ".jzt";

/// A folder in which this process builds tables.
#[derive(Debug)]
pub(crate) struct Site {
    dir: PathBuf,
    /// `None` where the file system has no locks: then nothing is cleared up.
    gate: Option<File>,
}

/// The right to build one table, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    _lock: Option<File>,
}

/// The builder of a table: this process, or another, perhaps with its number.
#[derive(Debug)]
pub(crate) enum Turn {
    Ours(Claim),
    Others(Option<u32>),
}

impl Site {
    /// Makes the folder if need be, and removes the files that killed runs left if no other process
    /// is there.
    pub(crate) fn enter(dir: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let gate = match lock::open(&dir.join(GATE))? {
            Opened::File(gate) => gate,
            Opened::Held(_) => return Err(closed(dir)),
        };
        let site = |gate| Self { dir: dir.to_owned(), gate };
        match gate.try_lock() {
            Ok(()) => {
                let site = site(Some(gate));
                site.sweep(is_left);
                site.share()?;
                Ok(site)
            }
            Err(TryLockError::WouldBlock) => {
                let site = site(Some(gate));
                site.share()?;
                Ok(site)
            }
            Err(TryLockError::Error(error)) if has_no_locks(&error) => Ok(site(None)),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes the files that killed runs left in a folder where nothing is to be built, if there
    /// is anything and no other process is there. What cannot be removed stays.
    pub(crate) fn tidy(dir: &Path) {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name());
        let is_old = |name: &str| is_lock(name) || is_part(name) || is_outdated(dir, name);
        if names.any(|name| name.to_str().is_some_and(is_old)) {
            let tidied = Self::enter(dir).map(drop);
            tracing::debug!(?tidied, "left behind");
        }
    }

    /// Exchanges the lock of the folder, of whatever kind, for a shared one. Nothing of this
    /// process is in the folder yet, so that it does not matter which process comes in between.
    fn share(&self) -> io::Result<()> {
        let Some(gate) = &self.gate else { return Ok(()) };
        gate.unlock()?;
        gate.lock_shared()
    }

    /// Claims the table of a file name, unless another process builds it. Removes the files that
    /// killed runs left of it.
    pub(crate) fn claim(&self, file_name: &str) -> io::Result<Turn> {
        if self.gate.is_none() {
            return Ok(Turn::Ours(Claim { _lock: None }));
        }
        let path = self.dir.join(format!(".{file_name}{LOCK}"));
        let mut lock = match lock::open(&path)? {
            Opened::File(lock) => lock,
            Opened::Held(process) => return Ok(Turn::Others(process)),
        };
        match lock.try_lock() {
            Ok(()) => {
                lock::sign(&mut lock)?;
                let prefixes =
                    [format!(".{file_name}{PART}"), format!("..{file_name}{CHECKPOINT}{PART}")];
                self.sweep(|path, name| {
                    prefixes.iter().any(|prefix| name.starts_with(prefix)) && is_left(path, name)
                });
                Ok(Turn::Ours(Claim { _lock: Some(lock) }))
            }
            Err(TryLockError::WouldBlock) => Ok(Turn::Others(lock::holder(&mut lock))),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes the files of a kind. What cannot be removed stays.
    fn sweep(&self, is_left: impl Fn(&Path, &str) -> bool) {
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if name.to_str().is_some_and(|name| is_left(&path, name)) {
                let removed = std::fs::remove_file(&path);
                tracing::debug!(path = %path.shown(), ?removed, "left behind");
            }
        }
    }
}

impl Drop for Site {
    /// The last to leave removes the locks of tables.
    fn drop(&mut self) {
        let Some(gate) = &self.gate else { return };
        if gate.unlock().is_ok() && gate.try_lock().is_ok() {
            self.sweep(|path, name| is_lock(name) && lock::is_lock(path));
        }
    }
}

/// Another user's process is alone in the folder, and its lock cannot be shared.
fn closed(dir: &Path) -> io::Error {
    let text = message!(
        "{} is another user's, who is building there, and this one may not write it; wait for the end, or \
         choose another folder",
        dir.join(GATE).shown()
    );
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

/// Returns true if a killed run of this user left the file: no link, nor anything of another kind.
fn is_left(path: &Path, name: &str) -> bool {
    let is_own = || path.symlink_metadata().is_ok_and(|about| own_files::is_own_file(path, &about));
    is_lock(name) && lock::is_lock(path)
        || (is_part(name) || is_outdated(folder_of(path), name)) && is_own()
}

/// The path of the checkpoint of the table at a path.
pub(crate) fn checkpoint_path(table: &Path) -> PathBuf {
    let name = table.file_name().unwrap_or_default().display();
    table.with_file_name(format!(".{name}{CHECKPOINT}"))
}

/// Returns true if a file is named like the checkpoint of a table that is there, and need not be built
/// again.
fn is_outdated(dir: &Path, name: &str) -> bool {
    let table = name.strip_prefix('.').and_then(|name| name.strip_suffix(CHECKPOINT));
    let table = table.filter(|table| table.ends_with(TABLE)).map(|table| dir.join(table));
    table.is_some_and(|table| table.exists() && !is_unreadably_old(&table))
}

/// Returns true if a file is named like the lock of a table.
fn is_lock(name: &str) -> bool {
    name.starts_with('.') && name.strip_suffix(LOCK).is_some_and(|name| name.ends_with(TABLE))
}

/// Returns true if a file is named like an unfinished version of a table or of a checkpoint.
fn is_part(name: &str) -> bool {
    let of = |name: &str| name.strip_suffix(CHECKPOINT).unwrap_or(name).ends_with(TABLE);
    name.starts_with('.') && name.split_once(PART).is_some_and(|(name, _)| of(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::lock::tests::is_this_process;

    const NAME: &str = "KNvK.check.dtm.jzt";

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn one_builds_a_table_and_others_hear_who() {
        let folder = tempfile::tempdir().unwrap();
        let first = Site::enter(folder.path()).unwrap();
        let second = Site::enter(folder.path()).unwrap();
        let turn = first.claim(NAME).unwrap();
        assert!(matches!(turn, Turn::Ours(_)));
        let turn_of_second = second.claim(NAME).unwrap();
        assert!(matches!(turn_of_second, Turn::Others(holder) if is_this_process(holder)));
        assert!(matches!(second.claim("KRvK.check.dtm.jzt").unwrap(), Turn::Ours(_)));
        drop(turn);
        assert!(matches!(second.claim(NAME).unwrap(), Turn::Ours(_)));
        drop(first);
        assert_eq!(names(folder.path()).len(), 3);
        drop(second);
        assert_eq!(names(folder.path()), [GATE]);
    }

    #[test]
    fn what_killed_runs_left_is_removed_only_by_who_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let leave = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        let first = Site::enter(folder.path()).unwrap();
        leave(".KNvK.check.dtm.jzt.part-abc");
        leave(".KRvK.check.dtm.jzt.part-abc");
        leave(".KRvK.check.dtm.jzt.lock");
        leave("notes.part-1");
        leave(".KRvK.check.dtm.jzt.checkpoint");
        leave("..KRvK.check.dtm.jzt.checkpoint.part-abc");
        let second = Site::enter(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), 7);
        drop(second.claim(NAME).unwrap());
        assert!(
            !names(folder.path()).iter().any(|name| name.starts_with(".KNvK.check.dtm.jzt.part"))
        );
        drop((first, second));
        drop(Site::enter(folder.path()).unwrap());
        let checkpoint = ".KRvK.check.dtm.jzt.checkpoint";
        assert_eq!(names(folder.path()), [checkpoint, GATE, "notes.part-1"]);
        // A table of version 1 is built again.
        std::fs::write(
            folder.path().join("KRvK.check.dtm.jzt"),
            b"JZTABLE\0\x01\0\0\0 and so on, and on",
        )
        .unwrap();
        drop(Site::enter(folder.path()).unwrap());
        assert!(folder.path().join(checkpoint).exists());
        leave("KRvK.check.dtm.jzt");
        Site::tidy(folder.path());
        assert_eq!(names(folder.path()), [GATE, "KRvK.check.dtm.jzt", "notes.part-1"]);
    }

    #[test]
    fn a_file_is_no_folder() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Site::enter(file.path()).is_err());
        assert!(Site::enter(&file.path().join("inside")).is_err());
    }
}
