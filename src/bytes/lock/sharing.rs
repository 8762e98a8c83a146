//! Locks of Windows: a file that is opened so that nobody else can open it for writing meanwhile. Others can read who
//! holds it, and it can be removed while it is held. The system closes the files of a process that dies.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windows_sys::Win32::Storage::FileSystem::{FILE_SHARE_DELETE, FILE_SHARE_READ};

use super::{Attempt, TRIES, check, holder, open_to_read, unusable};
use crate::bytes::held::is_shared_otherwise;
use crate::bytes::own_files;
use crate::bytes::visible::ShowPath;
use crate::message::message;

/// The time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);
/// The longest time that another process may be alone in a folder.
const ALONE: Duration = Duration::from_secs(30);

/// Opens the file at `path` for this process alone, or creates it. Links are not followed.
///
/// # Errors
///
/// Those of making a file there; [`io::ErrorKind::AlreadyExists`], which names the path and a remedy, for
/// anything but a regular file with one name that is empty or holds the number of a process, and for one that this
/// user may not write.
pub(super) fn hold(path: &Path) -> io::Result<Attempt> {
    let mut options = options();
    options.write(true).create(true).share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE);
    Ok(match open(&options, path)? {
        Some(file) => Attempt::Ours(file),
        None => Attempt::Others(open_to_read(path).ok().and_then(|mut file| holder(&mut file))),
    })
}

fn options() -> OpenOptions {
    let mut options = File::options();
    options.read(true);
    own_files::no_follow(&mut options);
    options
}

/// Opens a lock file with these options; `None` if another process, or another part of this one, holds it.
fn open(options: &OpenOptions, path: &Path) -> io::Result<Option<File>> {
    let mut last = io::Error::from(io::ErrorKind::WouldBlock);
    for _ in 0..TRIES {
        match options.open(path) {
            Ok(mut file) => return check(&mut file, path).map(|()| Some(file)),
            Err(error) if is_shared_otherwise(&error) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let about = path.symlink_metadata();
                if about.is_ok_and(|about| !about.is_file() || about.permissions().readonly()) {
                    break;
                }
                // A file that was removed keeps its name until all who have it open have closed it.
                last = error;
                std::thread::sleep(RETRY_INTERVAL);
            }
            Err(error) => return Err(error),
        }
    }
    Err(path.symlink_metadata().map_or(last, |about| refused(path, &about)))
}

/// The error of what may not be written: a folder, a link, a file of another user or one that is only to be read.
fn refused(path: &Path, about: &std::fs::Metadata) -> io::Error {
    if !about.is_file() {
        return own_files::refusal(path, own_files::kind_of(path, about), "a lock file");
    }
    let opened = open_to_read(path);
    match opened.and_then(|mut file| check(&mut file, path).map(|()| holder(&mut file))) {
        Ok(process) => unusable(path, about, process),
        Err(error) => error,
    }
}

/// A share of a folder in which several processes make files at the same time: a file there that all of them have open
/// and none may write, and which stays. Who gets it for itself is alone in the folder, so that unfinished files and
/// locks were left by killed runs.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    file: Option<File>,
}

impl FolderLock {
    /// Enters the folder of the lock file at `path`. If no other process is there, `tidy` runs before one can come.
    ///
    /// # Errors
    ///
    /// Those of making the file and of opening it; [`io::ErrorKind::ResourceBusy`] if another program keeps it to itself for
    /// half a minute.
    pub fn enter(path: &Path, tidy: impl FnOnce()) -> io::Result<Self> {
        if let Some(file) = open_alone(path)? {
            tidy();
            drop(file);
        }
        // Nothing of this process is in the folder yet: it does not matter which process comes in between.
        let mut options = options();
        options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE);
        let began = Instant::now();
        while began.elapsed() < ALONE {
            match open(&options, path) {
                Ok(Some(file)) => return Ok(Self { path: path.to_owned(), file: Some(file) }),
                // Another process is alone there, and tidies up.
                Ok(None) => std::thread::sleep(RETRY_INTERVAL),
                Err(error) if error.kind() == io::ErrorKind::NotFound => drop(open_alone(path)?),
                Err(error) => return Err(error),
            }
        }
        Err(kept(path))
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
        self.file = None;
        self.file = open_alone(&self.path).ok().flatten();
        self.file.is_some()
    }
}

/// The error of a lock file that another program keeps to itself.
fn kept(path: &Path) -> io::Error {
    let text = message!(
        "{}: another program has it open and lets nobody share it; close that program, then run this again",
        path.shown()
    );
    io::Error::new(io::ErrorKind::ResourceBusy, text)
}

/// Opens the lock file of a folder, or creates it; `None` if another process has it open.
fn open_alone(path: &Path) -> io::Result<Option<File>> {
    let mut options = options();
    options.write(true).create(true).share_mode(FILE_SHARE_DELETE);
    open(&options, path)
}

/// The number of names of an open file.
pub(super) fn link_count(file: &File) -> io::Result<u64> {
    winapi_util::file::information(file).map(|about| about.number_of_links())
}

/// Returns true if the open file is the one at that path, and not another that was put there meanwhile.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    open_to_read(path).and_then(|there| own_files::are_same(file, &there)).unwrap_or(false)
}
