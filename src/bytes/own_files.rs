//! Files and folders that this program makes beside a user's file, under a name of its own making.
//!
//! Anything may have such a name: a link, a file of the user, something of another user. So it is checked
//! before it is used or removed, and never by a name that may lead elsewhere meanwhile.

use crate::message::message;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

#[cfg(unix)]
use super::paths::folder_of;
use super::visible::ShowPath;

/// Returns true if `path`, with these metadata, is a regular file, no link, of the user this process runs
/// for.
#[must_use]
pub fn is_own_file(path: &Path, about: &Metadata) -> bool {
    about.is_file() && is_own(path, about)
}

/// Returns true if at `path` there is a regular file, no link, of the user this process runs for.
#[must_use]
pub fn is_own_file_at(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| is_own_file(path, &about))
}

/// Checks that `path` is a folder of the user this process runs for, and no link to one.
///
/// # Errors
///
/// [`io::ErrorKind::NotFound`] if nothing is there; [`io::ErrorKind::AlreadyExists`], which names the path
/// and a remedy, for anything else.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let about = path.symlink_metadata()?;
    let what = if !about.is_dir() {
        kind_of(path, &about)
    } else if is_own(path, &about) {
        return Ok(());
    } else {
        "a folder of another user"
    };
    Err(refusal(path, what, "a folder for what an interrupted build has read"))
}

/// Opens a regular file of this user for reading; links are not followed.
///
/// # Errors
///
/// Those of opening; [`io::ErrorKind::AlreadyExists`] for anything else.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    no_follow(&mut options);
    let file = options.open(path)?;
    let about = file.metadata()?;
    if is_own_file(path, &about) {
        return Ok(file);
    }
    Err(refusal(path, kind_of(path, &about), "a file of this program"))
}

/// Opens a regular file of this user for reading and writing, or makes one; links are not followed.
///
/// # Errors
///
/// As with [`open`].
pub fn open_or_make(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true);
    no_follow(&mut options);
    let file = match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            options.open(path).map_err(|error| match path.symlink_metadata() {
                Ok(about) if about.is_symlink() => {
                    refusal(path, kind_of(path, &about), "a file of this program")
                }
                _ => error,
            })?
        }
        made => made?,
    };
    let about = file.metadata()?;
    if is_own_file(path, &about) {
        return Ok(file);
    }
    Err(refusal(path, kind_of(path, &about), "a file of this program"))
}

/// Removes the files in `folder` whose names `is_made` accepts, if they are regular files of this user, and
/// the folder itself if it is empty then. A link to a folder stays, and so does its target.
pub fn clear_folder(folder: &Path, is_made: impl Fn(&str) -> bool) {
    if let Ok(members) = Members::of(folder) {
        for name in members.names.iter().filter(|name| is_made(name)) {
            let removed = members.remove(name);
            tracing::trace!(folder = %folder.shown(), ?name, ?removed, "made beside a file");
        }
        let removed = std::fs::remove_dir(folder);
        tracing::trace!(folder = %folder.shown(), ?removed, "made beside a file");
    }
}

/// Removes `folder` if it holds nothing but files that [`clear_folder`] removes.
pub fn remove_folder(folder: &Path, is_made: impl Fn(&str) -> bool) {
    let all_made = Members::of(folder)
        .is_ok_and(|members| members.is_complete && members.names.iter().all(|name| is_made(name)));
    if all_made {
        clear_folder(folder, is_made);
    }
}

/// An error that names what is found at a path where this program would put something of its own.
pub(crate) fn refusal(path: &Path, what: &str, wanted: &str) -> io::Error {
    let text = message!(
        "{} is {what}, where {wanted} would be; it was left as it is: move it away, then run this again",
        path.shown()
    );
    io::Error::new(io::ErrorKind::AlreadyExists, text)
}

/// Names the kind of thing at `path`.
pub(crate) fn kind_of(path: &Path, about: &Metadata) -> &'static str {
    let kind = about.file_type();
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if !kind.is_file() {
        "no regular file"
    } else if !is_own(path, about) {
        "a file of another user"
    } else {
        "a file"
    }
}

/// Makes opening fail at a link, or open the link itself (Windows), instead of following it, and not wait for a
/// FIFO's other end.
pub(crate) fn no_follow(options: &mut std::fs::OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    #[cfg(windows)]
    {
        const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(options, FILE_FLAG_OPEN_REPARSE_POINT);
    }
    #[cfg(not(any(unix, windows)))]
    let _ = options;
}

#[cfg(unix)]
fn is_own(path: &Path, about: &Metadata) -> bool {
    is_user(folder_of(path), std::os::unix::fs::MetadataExt::uid(about))
}

/// Returns true if files that belong to `user` in `folder` are this user's. Some file systems have no owners,
/// or map this user to another: there it is the owner of a file that this process makes.
#[cfg(unix)]
fn is_user(folder: &Path, user: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    user == rustix::process::geteuid().as_raw()
        || tempfile::tempfile_in(folder)
            .and_then(|file| file.metadata())
            .is_ok_and(|about| about.uid() == user)
}

#[cfg(not(unix))]
fn is_own(_path: &Path, _about: &Metadata) -> bool {
    true
}

/// Returns true if two open files are one.
#[cfg(unix)]
pub(crate) fn are_same(a: &File, b: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let a = a.metadata()?;
    let b = b.metadata()?;
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Returns true if two open files are one.
#[cfg(windows)]
pub(crate) fn are_same(a: &File, b: &File) -> io::Result<bool> {
    use winapi_util::file::information;
    let a = information(a)?;
    let b = information(b)?;
    Ok((a.volume_serial_number(), a.file_index()) == (b.volume_serial_number(), b.file_index()))
}

/// Returns true if two open files are one, as far as their stamps show.
#[cfg(not(any(unix, windows)))]
pub(crate) fn are_same(_a: &File, _b: &File) -> io::Result<bool> {
    Ok(true)
}

/// The open folder and the regular files of this user in it.
#[cfg(unix)]
struct Members {
    folder: std::os::fd::OwnedFd,
    names: Vec<String>,
    /// True if the folder holds nothing else.
    is_complete: bool,
}

#[cfg(unix)]
impl Members {
    fn of(path: &Path) -> io::Result<Self> {
        use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, statat};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = open(path, flags, Mode::empty())?;
        let mut members = Self { folder, names: Vec::new(), is_complete: true };
        // Asked of the open folder: another one may have got the name meanwhile.
        let user = rustix::fs::fstat(&members.folder)?.st_uid;
        if !is_user(folder_of(path), user) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        for entry in Dir::read_from(&members.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let about = statat(&members.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let is_file = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
            match name.to_str() {
                Ok(name) if is_file && about.st_uid == user => members.names.push(name.to_owned()),
                _ => members.is_complete = false,
            }
        }
        Ok(members)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let removed = rustix::fs::unlinkat(&self.folder, name, rustix::fs::AtFlags::empty());
        removed.map_err(io::Error::from)
    }
}

/// The regular files in a folder that is no link.
#[cfg(not(unix))]
struct Members {
    folder: std::path::PathBuf,
    names: Vec<String>,
    /// True if the folder holds nothing else.
    is_complete: bool,
}

#[cfg(not(unix))]
impl Members {
    fn of(path: &Path) -> io::Result<Self> {
        check_folder(path)?;
        let mut members = Self { folder: path.to_owned(), names: Vec::new(), is_complete: true };
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            match entry.file_name().into_string() {
                Ok(name) if entry.file_type()?.is_file() => members.names.push(name),
                _ => members.is_complete = false,
            }
        }
        Ok(members)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.folder.join(name))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn folders_are_cleared_of_what_was_made_only() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        for name in ["real", "mixed"] {
            std::fs::create_dir(place.join(name)).unwrap();
            std::fs::write(place.join(name).join("1"), "x").unwrap();
        }
        std::fs::write(place.join("victim"), "x").unwrap();
        symlink(place.join("victim"), place.join("mixed/2")).unwrap();
        symlink(place.join("real"), place.join("link")).unwrap();
        clear_folder(&place.join("link"), |_| true);
        assert!(place.join("real/1").exists(), "links are not followed");
        let error = check_folder(&place.join("link")).unwrap_err();
        assert!(error.to_string().contains("symbolic link"));
        assert!(open(&place.join("mixed/2")).is_err() && open(&place.join("mixed/1")).is_ok());
        remove_folder(&place.join("mixed"), |_| true);
        assert!(place.join("mixed/1").exists(), "something else is in it");
        clear_folder(&place.join("mixed"), |_| true);
        assert!(!place.join("mixed/1").exists());
        assert!(place.join("mixed/2").is_symlink() && place.join("victim").exists());
        remove_folder(&place.join("real"), |name| name == "2");
        assert!(place.join("real/1").exists());
        remove_folder(&place.join("real"), |name| name == "1");
        assert!(!place.join("real").exists());
    }
}
