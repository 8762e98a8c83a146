//! One writer at a time for a file, and several processes at work in one folder.
//!
//! A lock differs by system. On Unix it is advisory (`flock`), on an open file that anybody may read
//! (`advisory`). On Windows a lock on a part of a file keeps others from reading that part, so there the file itself is
//! opened for nobody else to write, which others notice when they try (`sharing`).

#[cfg_attr(not(windows), path = "advisory.rs")]
#[cfg_attr(windows, path = "sharing.rs")]
mod system;
#[cfg(test)]
pub(crate) mod tests;

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::atomic;
use super::own_files;
use super::paths::{folder_of, resolve};
use super::versions::{ASIDE, PART, leftovers};
use super::visible::ShowPath;
use crate::message::message;

pub use system::FolderLock;

/// The number of attempts at a lock file that others keep removing.
const TRIES: usize = 100;

/// The time between two attempts at a lock that another process has.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

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

/// The reason why the right to write a file cannot be had.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
pub enum LockError {
    /// Another process has it.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The lock cannot be made.
    #[error("{}", path.shown())]
    File {
        /// The file that was to be written.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
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
    /// Those of [`resolve`], of making a file beside `target`, and of locking it.
    pub fn claim(target: &Path) -> io::Result<Claim> {
        Self::claim_at(beside(target, ".lock")?)
    }

    /// Takes the right to write `target`, and removes what writers that were killed left beside it ([`sweep`](Self::sweep)).
    ///
    /// # Errors
    ///
    /// [`LockError::Busy`] if another process has it; otherwise those of [`claim`](Self::claim).
    pub fn take(target: &Path) -> Result<Self, LockError> {
        Self::take_within(target, Duration::ZERO)
    }

    /// As [`take`](Self::take), but waits for another process that has the right, at most for that time.
    ///
    /// # Errors
    ///
    /// As with [`take`](Self::take).
    pub fn take_within(target: &Path, wait: Duration) -> Result<Self, LockError> {
        let failed = |source| LockError::File { path: target.to_owned(), source };
        let mut attempts = wait.as_millis() / RETRY_INTERVAL.as_millis();
        let lock = loop {
            match Self::claim(target).map_err(failed)? {
                Claim::Others(_) if attempts > 0 => std::thread::sleep(RETRY_INTERVAL),
                claim => break claim.or_busy(target)?,
            }
            attempts -= 1;
        };
        // Under the lock: nobody else writes this file now, so that every unfinished version was left by a killed process.
        lock.sweep();
        Ok(lock)
    }

    /// As [`take`](Self::take), for an output that may replace a regular file. Anything else there gets no lock beside it,
    /// for such an output is refused anyway.
    ///
    /// # Errors
    ///
    /// As with [`take`](Self::take).
    pub fn take_for_file(target: &Path) -> Result<Option<Self>, LockError> {
        let is_free = target.metadata().map_or(true, |about| about.is_file());
        is_free.then(|| Self::take(target)).transpose()
    }

    /// Claims the lock at `path`.
    pub(crate) fn claim_at(path: PathBuf) -> io::Result<Claim> {
        let file = match system::hold(&path)? {
            Attempt::Ours(mut file) => {
                sign(&mut file)?;
                Some(file)
            }
            Attempt::Others(process) => return Ok(Claim::Others(process)),
            Attempt::NoLocks => None,
        };
        Ok(Claim::Ours(Self { path, file }))
    }

    /// Removes the unfinished versions of the file that killed writers left: every `.NAME.part-…` beside it
    /// that [`AtomicFile`](super::atomic::AtomicFile) would make, if it is a regular file of this user. Where a writer
    /// was killed between moving the old version aside and putting the new one into its place (Windows), the old one
    /// comes back.
    pub fn sweep(&self) {
        let Some(target) = self.target() else { return };
        atomic::restore(&target);
        for infix in [PART, ASIDE] {
            for path in leftovers(&target, infix) {
                if own_files::is_own_file_at(&path) {
                    let removed = std::fs::remove_file(&path);
                    tracing::debug!(path = %path.shown(), ?removed, "left behind");
                }
            }
        }
    }

    /// Removes the folders `.NAME.part-…` that killed writers of the folder `NAME` left: those of this user,
    /// and no links, in which there are only regular files of this user whose names `is_made` accepts.
    pub fn sweep_folders(&self, is_made: impl Fn(&str) -> bool) {
        let Some(target) = self.target() else { return };
        for path in leftovers(&target, PART) {
            own_files::remove_folder(&path, &is_made);
        }
    }

    /// The path of the file that is locked; `None` where there are no locks, and others may be at work.
    fn target(&self) -> Option<PathBuf> {
        self.file.as_ref()?;
        let name = self.path.file_name()?.to_str()?;
        Some(self.path.with_file_name(name.strip_prefix('.')?.strip_suffix(".lock")?))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Removed while it is still held, so that only this process's own lock is removed.
        if self.file.as_ref().is_some_and(|file| system::is_at(file, &self.path)) {
            let removed = std::fs::remove_file(&self.path);
            tracing::trace!(?removed, "lock");
        }
    }
}

/// The outcome of an attempt at a lock file.
enum Attempt {
    /// This process holds it, as long as the file is open.
    Ours(File),
    /// Another process holds it, or another part of this one.
    Others(Option<u32>),
    /// The file system has no locks.
    #[cfg_attr(windows, expect(dead_code, reason = "all of them have on Windows"))]
    NoLocks,
}

/// Writes the number of this process to a lock that it holds.
///
/// # Errors
///
/// Those of writing.
fn sign(file: &mut File) -> io::Result<()> {
    // A process that was killed may have left a longer number.
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
    open_to_read(path).is_ok_and(|mut file| {
        file.metadata().is_ok_and(|about| own_files::is_own_file(path, &about))
            && check(&mut file, path).is_ok()
    })
}

/// Opens what stands at the path of a lock file for reading; links are not followed.
fn open_to_read(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    own_files::no_follow(&mut options);
    options.open(path)
}

/// Checks that an open file can be a lock file: it holds no one's data.
fn check(file: &mut File, path: &Path) -> io::Result<()> {
    let about = file.metadata()?;
    let mut text = Vec::new();
    let what = if !about.is_file() {
        own_files::kind_of(path, &about)
    } else if system::link_count(file)? > 1 {
        "a file with several names (hard links)"
    } else {
        file.rewind()?;
        // One byte more shows that there is more.
        file.take(MAX_LEN + 1).read_to_end(&mut text)?;
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

/// The error of a lock file that this user may not write, and that perhaps the process of that number left: it names
/// the remedy.
fn unusable(path: &Path, about: &std::fs::Metadata, process: Option<u32>) -> io::Error {
    let left = process.map(|id| message!(" (left by process {id})")).unwrap_or_default();
    let text = message!(
        "{} is {}{left} that this user may not write; if nobody uses it any more, remove it or let its \
         owner do so, then run this again",
        path.shown(),
        if about.is_file() {
            "a lock file of another user"
        } else {
            own_files::kind_of(path, about)
        },
    );
    io::Error::new(io::ErrorKind::AlreadyExists, text)
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
