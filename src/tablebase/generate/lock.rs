//! Several processes on one folder: the right to build a table, and the removal of what killed runs
//! left.
//!
//! Every process that builds holds a share of the folder ([`FolderLock`]), the file `.juzhong.lock`, and the right to
//! write a table ([`FileLock`]), the file `.TABLE.lock`, while it builds that table. The kernel releases the locks of
//! a process that dies. `.juzhong.lock` itself stays.
//!
//! The checkpoint of a table (`.TABLE.checkpoint`) belongs to who holds that table's lock, and stays
//! after a kill until the table is there.

use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::lock::{self, Claim, FileLock, FolderLock};
use crate::bytes::own_files;
use crate::bytes::paths::folder_of;
use crate::bytes::versions::{ASIDE, PART};
use crate::bytes::visible::ShowPath;
use crate::tablebase::format::is_unreadably_old;

/// The lock that all processes at work in a folder share.
const GATE: &str = ".juzhong.lock";
/// The suffix of a table's name in the name of its lock.
const LOCK: &str = ".lock";
/// The suffix of a table's name in the name of its checkpoint.
const CHECKPOINT: &str = ".checkpoint";
/// The suffix of the name of a table's file.
const TABLE: &str = ".jzt";

/// A folder in which this process builds tables.
#[derive(Debug)]
pub(crate) struct Site {
    dir: PathBuf,
    /// Without it nothing is cleared up.
    share: FolderLock,
}

impl Site {
    /// Makes the folder if need be, and removes the files that killed runs left if no other process
    /// is there.
    pub(crate) fn enter(dir: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(dir)?;
        // Whoever is alone in the folder knows that all unfinished files there were left by killed runs.
        let share = FolderLock::enter(&dir.join(GATE), || sweep(dir, is_left))?;
        Ok(Self { dir: dir.to_owned(), share })
    }

    /// Removes the files that killed runs left in a folder where nothing is to be built, if there
    /// is anything and no other process is there. What cannot be removed stays.
    pub(crate) fn tidy(dir: &Path) {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name());
        if names.any(|name| {
            name.to_str()
                .is_some_and(|name: &str| is_lock(name) || is_part(name) || is_outdated(dir, name))
        }) {
            let tidied = Self::enter(dir).map(drop);
            tracing::debug!(?tidied, "left behind");
        }
    }

    /// Claims the table of a file name, unless another process builds it. Removes the files that
    /// killed runs left of it.
    pub(crate) fn claim(&self, file_name: &str) -> io::Result<Claim> {
        let claim = FileLock::claim_at(self.dir.join(format!(".{file_name}{LOCK}")))?;
        // On a file system without locks another process may be at work on the very same files.
        if self.share.is_held() && matches!(claim, Claim::Ours(_)) {
            let prefixes = [PART, ASIDE].map(|infix| {
                [format!(".{file_name}{infix}"), format!("..{file_name}{CHECKPOINT}{infix}")]
            });
            sweep(&self.dir, |path, name| {
                prefixes.iter().flatten().any(|prefix| name.starts_with(prefix))
                    && is_left(path, name)
            });
        }
        Ok(claim)
    }
}

impl Drop for Site {
    /// The last to leave removes the locks of tables that are still there.
    fn drop(&mut self) {
        if self.share.is_last() {
            sweep(&self.dir, |path, name| is_lock(name) && lock::is_lock(path));
        }
    }
}

/// Removes the files of a kind in a folder. What cannot be removed stays.
fn sweep(dir: &Path, is_left: impl Fn(&Path, &str) -> bool) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_str().is_some_and(|name| is_left(&path, name)) {
            let removed = std::fs::remove_file(&path);
            tracing::debug!(path = %path.shown(), ?removed, "left behind");
        }
    }
}

/// Returns true if a killed run of this user left the file: no link, nor anything of another kind.
fn is_left(path: &Path, name: &str) -> bool {
    is_lock(name) && lock::is_lock(path)
        || (is_part(name) || is_outdated(folder_of(path), name)) && own_files::is_own_file_at(path)
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
    // A table that was moved aside is built again.
    name.starts_with('.')
        && name
            .split_once(PART)
            .or_else(|| name.split_once(ASIDE))
            .is_some_and(|(name, _)| name.strip_suffix(CHECKPOINT).unwrap_or(name).ends_with(TABLE))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(matches!(turn, Claim::Ours(_)));
        let turn_of_second = second.claim(NAME).unwrap();
        assert!(matches!(turn_of_second, Claim::Others(Some(id)) if id == std::process::id()));
        assert!(matches!(second.claim("KRvK.check.dtm.jzt").unwrap(), Claim::Ours(_)));
        drop(turn);
        assert!(matches!(second.claim(NAME).unwrap(), Claim::Ours(_)));
        drop((first, second));
        assert_eq!(names(folder.path()), [GATE]);
    }

    #[test]
    fn what_killed_runs_left_is_removed_only_by_who_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = Site::enter(folder.path()).unwrap();
        for name in [
            ".KNvK.check.dtm.jzt.part-abc",
            ".KRvK.check.dtm.jzt.part-abc",
            ".KRvK.check.dtm.jzt.lock",
            "notes.part-1",
            ".KRvK.check.dtm.jzt.checkpoint",
            "..KRvK.check.dtm.jzt.checkpoint.part-abc",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
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
        std::fs::write(folder.path().join("KRvK.check.dtm.jzt"), "").unwrap();
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
