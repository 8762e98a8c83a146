//! One writer at a time for a file, and several processes at work in one folder.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::atomic::{folder_of, resolve};
use super::own_files;
use super::visible::ShowPath;
use crate::message::message;

/// The number of attempts at a lock file that others keep removing.
const TRIES: usize = 100;

/// The length limit of a lock file in bytes: it holds at most the number of a process.
const MAX_LEN: u64 = 20;

/// The right to write a file, until it is dropped: an exclusive lock on `.NAME.lock` beside the
/// file `NAME`. The kernel releases it if the process dies, and the next one takes it over; it is
/// removed when it is dropped.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    file: Option<File>,
}

/// The writer of a file: this process, or another, perhaps with its number.
#[derive(Debug)]
pub enum Claim {
    /// This one.
    Ours(FileLock),
    /// Another one, or another part of this one.
    Others(Option<u32>),
}

/// The error of a file that another process, or another part of this one, writes.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[error(
    "{}: another process{} writes it; wait for its end, or choose another file",
    path.shown(), in_brackets(*process)
)]
pub struct Busy {
    /// The file.
    pub path: PathBuf,
    /// The number of the process, if it is known.
    pub process: Option<u32>,
}

/// The number of a process after a word.
fn in_brackets(process: Option<u32>) -> String {
    process.map_or_else(String::new, |id| format!(" ({id})"))
}

impl Claim {
    /// The right to write the file at `path`.
    ///
    /// # Errors
    ///
    /// [`Busy`] if another process has it.
    pub fn or_busy(self, path: &Path) -> Result<FileLock, Busy> {
        match self {
            Self::Ours(lock) => Ok(lock),
            Self::Others(process) => Err(Busy { path: path.to_owned(), process }),
        }
    }
}

impl FileLock {
    /// Claims the right to write `target`, be there such a file or not. Where it is a link, the
    /// file that it leads to is meant.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`], of making a file beside `target`, and of `open`.
    pub fn claim(target: &Path) -> io::Result<Claim> {
        Self::claim_at(beside(target, ".lock")?)
    }

    /// Claims the lock at `path`.
    pub(crate) fn claim_at(path: PathBuf) -> io::Result<Claim> {
        for _ in 0..TRIES {
            let mut file = match open(&path)? {
                Opened::File(file) => file,
                Opened::Locked(process) => return Ok(Claim::Others(process)),
            };
            match file.try_lock() {
                // Between opening and locking, the owner may have removed the file and another process made
                // a new one of that name: a lock on the old one protects nothing.
                Ok(()) if is_at(&file, &path) => {
                    sign(&mut file)?;
                    return Ok(Claim::Ours(Self { path, file: Some(file) }));
                }
                Ok(()) => {} // its owner has just removed it
                Err(TryLockError::WouldBlock) => return Ok(Claim::Others(holder(&mut file))),
                Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                    if is_at(&file, &path) {
                        // Without locks nobody could take this file over; left there, it would only be
                        // litter.
                        drop(std::fs::remove_file(&path));
                    }
                    return Ok(Claim::Ours(Self { path, file: None }));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(Claim::Others(None))
    }

    /// Removes the unfinished versions of the file that killed writers left: every `.NAME.part-…` beside it
    /// that [`AtomicFile`](super::atomic::AtomicFile) would make, if it is a regular file of this user.
    pub fn sweep(&self) {
        for path in self.left_behind() {
            if own_files::is_own_file_at(&path) {
                let removed = std::fs::remove_file(&path);
                tracing::debug!(path = %path.shown(), ?removed, "left behind");
            }
        }
    }

    /// Removes the folders `.NAME.part-…` that killed writers of the folder `NAME` left: those of this user,
    /// and no links, in which there are only regular files of this user whose names `is_made` accepts.
    pub fn sweep_folders(&self, is_made: impl Fn(&str) -> bool) {
        for path in self.left_behind() {
            own_files::remove_folder(&path, &is_made);
        }
    }

    /// The paths beside the file that are named like an unfinished version of it.
    fn left_behind(&self) -> Vec<PathBuf> {
        let name = self.path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(".lock")) else {
            return Vec::new();
        };
        if self.file.is_none() {
            return Vec::new(); // others may be at work
        }
        let prefix = format!("{name}.part-");
        let entries = std::fs::read_dir(folder_of(&self.path)).into_iter().flatten().flatten();
        let is_left = |name: &std::ffi::OsStr| {
            name.to_str().and_then(|name| name.strip_prefix(&prefix)).is_some_and(is_random)
        };
        entries.filter(|entry| is_left(&entry.file_name())).map(|entry| entry.path()).collect()
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Removed while it is still held, so that only this process's own lock is removed.
        if self.file.as_ref().is_some_and(|file| is_at(file, &self.path)) && cfg!(unix) {
            let removed = std::fs::remove_file(&self.path);
            tracing::trace!(?removed, "lock");
        }
    }
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
    /// Those of `open`, and [`io::ErrorKind::PermissionDenied`], which names the path and a remedy, if another
    /// user is there and does not share the lock.
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
    pub fn is_last(&self) -> bool {
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
#[derive(Debug)]
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

/// Writes the number of this process to a lock that it holds.
///
/// # Errors
///
/// Those of writing.
fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

/// The number of the process that holds a lock, if its file contains one.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(MAX_LEN).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Returns true if the file at `path`, found under the name of a lock, is a lock file.
#[must_use]
pub fn is_lock(path: &Path) -> bool {
    let mut options = File::options();
    options.read(true);
    own_files::no_follow(&mut options);
    options.open(path).is_ok_and(|mut file| {
        file.metadata().is_ok_and(|about| own_files::is_own_file(path, &about))
            && check(&mut file, path).is_ok()
    })
}

/// Checks that an open file can be a lock file: it holds no one's data.
fn check(file: &mut File, path: &Path) -> io::Result<()> {
    let about = file.metadata()?;
    let mut text = Vec::new();
    let what = if !about.is_file() {
        own_files::kind_of(path, &about)
    } else if link_count(&about) > 1 {
        "a file with several names (hard links)"
    } else {
        file.rewind()?;
        match file.take(MAX_LEN + 1).read_to_end(&mut text) {
            Err(error) if is_locked(&error) => return Ok(()), // another process holds it
            read => read?,
        };
        let is_short = text.len() as u64 <= MAX_LEN;
        if is_short
            && str::from_utf8(&text)
                .is_ok_and(|text| text.trim().bytes().all(|byte| byte.is_ascii_digit()))
        {
            return Ok(());
        }
        "a file with something in it"
    };
    Err(own_files::refusal(path, what, "a lock file"))
}

/// Handles a lock file that this user may not write: it is held, or an error that names the remedy.
fn others(path: &Path, error: io::Error) -> io::Result<Opened> {
    let mut options = File::options();
    options.read(true);
    own_files::no_follow(&mut options);
    let Ok(about) = path.symlink_metadata() else { return Err(error) };
    let opened = options.open(path);
    let is_file = about.is_file();
    let process = match opened.ok().filter(|_| is_file) {
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
    let left = process.map(|id| message!(" (left by process {id})")).unwrap_or_default();
    let text = message!(
        "{} is {}{left} that this user may not write; if nobody uses it any more, remove it or let its \
         owner do so, then run this again",
        path.shown(),
        if is_file { "a lock file of another user" } else { own_files::kind_of(path, &about) },
    );
    Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
}

#[cfg(unix)]
fn link_count(about: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(about)
}

#[cfg(not(unix))]
const fn link_count(_about: &std::fs::Metadata) -> u64 {
    1
}

/// Returns true if a file could not be read because another process has locked it: on Windows no lock is advisory.
fn is_locked(error: &io::Error) -> bool {
    const ERROR_LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_LOCK_VIOLATION)
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

/// Returns true if `text` is a random suffix as `tempfile` puts at the end of a name, apart from the endings
/// that `SQLite` adds for a book.
fn is_random(text: &str) -> bool {
    let text = ["-journal", "-wal", "-shm"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
        .unwrap_or(text);
    text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns true if the open file is the one at that path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |about: std::fs::Metadata| (about.dev(), about.ino());
    file.metadata().map(id).ok() == path.symlink_metadata().map(id).ok()
}

/// Elsewhere open files cannot be removed, and locks stay.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The names of the files and folders in a folder, sorted; without those of lock files where these stay.
    pub(crate) fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| cfg!(unix) || !(name.starts_with('.') && name.ends_with(".lock")));
        names.sort();
        names
    }

    /// Returns true if the number of the process that holds a lock is this one's, or unknown where a locked file
    /// cannot be read.
    pub(crate) fn is_this_process(holder: Option<u32>) -> bool {
        holder.map_or(cfg!(windows), |id| id == std::process::id())
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.book");
        let first = FileLock::claim(&target).unwrap();
        assert!(matches!(first, Claim::Ours(_)));
        let second = FileLock::claim(&target).unwrap();
        assert!(matches!(second, Claim::Others(holder) if is_this_process(holder)));
        let other = FileLock::claim(&folder.path().join("b.book")).unwrap();
        assert!(matches!(other, Claim::Ours(_)));
        drop((first, other));
        assert_eq!(names(folder.path()), [""; 0]);
        // A lock file that a killed process left is claimed again.
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
        let at = |name: &str| folder.path().join(name);
        for name in [".a.part-Folder", ".a.part-Other1"] {
            std::fs::create_dir(at(name)).unwrap();
            leave(&format!("{name}/content"));
        }
        leave(".a.part-Other1/notes");
        let Claim::Ours(lock) = FileLock::claim(&folder.path().join("a")).unwrap() else {
            panic!()
        };
        lock.sweep();
        lock.sweep_folders(|name| name == "content");
        drop(lock);
        assert_eq!(
            names(folder.path()),
            [".a.part-1.part-x1Y2z3", ".a.part-Other1", ".ab.part-x1Y2z3", "a.part-x1Y2z3"]
        );
        assert_eq!(names(&at(".a.part-Other1")), ["content", "notes"]);
    }

    /// Anything with the name of a lock is left as it is, unless it is one.
    #[cfg(unix)]
    #[test]
    fn nothing_else_is_taken_for_a_lock() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("victim"), "1").unwrap();
        symlink(at("victim"), at(".link.lock")).unwrap();
        symlink(at("gone"), at(".dangling.lock")).unwrap();
        std::fs::hard_link(at("victim"), at(".names.lock")).unwrap();
        std::fs::write(at(".notes.lock"), "my notes").unwrap();
        std::fs::write(at(".long.lock"), "1".repeat(100)).unwrap();
        std::fs::create_dir(at(".folder.lock")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at(".fifo.lock")).status().unwrap();
        assert!(made.success());
        for (name, what) in [
            ("link", "symbolic link"),
            ("dangling", "symbolic link"),
            ("names", "hard links"),
            ("notes", "something in it"),
            ("long", "something in it"),
            ("folder", "a folder"),
            ("fifo", "no regular file"),
        ] {
            let error = FileLock::claim(&at(name)).unwrap_err().to_string();
            let lock = format!(".{name}.lock");
            assert!(error.contains(what) && error.contains(&lock), "{error}");
            assert!(at(&lock).symlink_metadata().is_ok() && !is_lock(&at(&lock)));
        }
        assert_eq!(std::fs::read(at("victim")).unwrap(), b"1");
        assert_eq!(std::fs::read(at(".notes.lock")).unwrap(), b"my notes");
        assert!(!at("gone").exists());
        // A file that replaces a held lock is not removed with it.
        let Claim::Ours(lock) = FileLock::claim(&at("a")).unwrap() else { panic!() };
        std::fs::rename(at("victim"), at(".a.lock")).unwrap();
        drop(lock);
        assert_eq!(std::fs::read(at(".a.lock")).unwrap(), b"1");
    }

    #[cfg(unix)]
    #[test]
    fn links_named_like_leftovers_stay() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("far")).unwrap();
        std::fs::write(at("far/content"), "x").unwrap();
        symlink(at("far"), at(".a.part-abcdef")).unwrap();
        symlink(at("far/content"), at(".a.part-ABCDEF")).unwrap();
        let Claim::Ours(lock) = FileLock::claim(&at("a")).unwrap() else { panic!() };
        lock.sweep();
        lock.sweep_folders(|_| true);
        drop(lock);
        assert_eq!(names(folder.path()), [".a.part-ABCDEF", ".a.part-abcdef", "far"]);
        assert_eq!(names(&at("far")), ["content"]);
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
