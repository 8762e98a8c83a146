//! Files that appear under their final name whole or not at all.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir, TempPath};

use super::held::{may_be_held, patiently};
use super::own_files;
use super::paths::{folder_of, resolve};
use super::versions::{ASIDE, PART, leftovers, prefix_of};
use super::visible::ShowPath;
use crate::message::message;

/// A file being written beside its final place. Dropping it without [`commit`](Self::commit) removes it; a
/// file that already has the final name stays untouched until then.
///
/// On Unix it has the mode of the file that it replaces from the beginning, and its owner and group as far as
/// this user may give them away; without such a file, those of any new one. On Windows it has the permissions of the
/// folder.
#[derive(Debug)]
pub struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
    replaces: bool,
}

impl AtomicFile {
    /// Starts a temporary file in the folder of `target`. Where `target` is a link, the file that
    /// it leads to is meant.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`] and of creating a file in that folder; [`io::ErrorKind::InvalidInput`]
    /// if there is a device, a pipe, a socket or a folder, which a file must not replace;
    /// [`io::ErrorKind::PermissionDenied`] if there is a file with the attribute read-only of Windows.
    pub fn create(target: &Path) -> io::Result<Self> {
        let target = resolve(target)?;
        // First of all, for what comes back here is the file whose metadata are asked for.
        if cfg!(windows) {
            restore(&target);
        }
        let about = target.symlink_metadata().ok();
        if about.as_ref().is_some_and(|about| !about.is_file()) {
            let text = "not a regular file, which none may replace; choose another name, or - for \
                        standard output where the command writes there";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if cfg!(windows) && about.is_some_and(|about| about.permissions().readonly()) {
            let text = "it is read-only; take that attribute from it, or choose another name";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        let file = temporary(&target)?;
        Ok(Self { file, target, replaces: true })
    }

    /// Starts a temporary file for a path at which there is nothing yet. If there is something by the time
    /// the file is complete, that stays.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`] and of creating a file in that folder; [`io::ErrorKind::AlreadyExists`] if
    /// anything is there, a dangling link included.
    pub fn create_new(target: &Path) -> io::Result<Self> {
        if target.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let target = resolve(target)?;
        Ok(Self { file: temporary(&target)?, target, replaces: false })
    }

    /// The path of the temporary file until [`commit`](Self::commit); for writers that need a path.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.file.path()
    }

    /// The file itself, for writers that seek.
    pub fn file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Flushes to the disk and moves the file to its final name, replacing an existing file there, or none if
    /// it was made by [`create_new`](Self::create_new): an atomic step of the system.
    ///
    /// # Errors
    ///
    /// Those of syncing and renaming; [`io::ErrorKind::AlreadyExists`] if something must not be
    /// replaced. The temporary file is removed then.
    pub fn commit(self) -> io::Result<()> {
        // Before the rename: otherwise a crash could leave the new name with none of the content.
        self.file.as_file().sync_all()?;
        let file = self.file.into_temp_path();
        let moved = match self.replaces {
            true => replace(file, &self.target),
            false => place(file, &self.target),
        };
        moved.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => error,
        })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file_mut().flush()
    }
}

/// Moves a file to a place where nothing may stand; removes it if that fails.
fn place(file: TempPath, target: &Path) -> io::Result<()> {
    // An attempt consumes the file; where it fails, the error hands it back for the next one.
    let mut file = Some(file);
    patiently(|| match file.take().map(|file| file.persist_noclobber(target)) {
        Some(Err(refused)) => {
            file = Some(refused.path);
            Err(refused.error)
        }
        _ => Ok(()),
    })
}

/// Moves a file to its place, over the one that is there; removes it if that fails.
#[cfg(not(windows))]
fn replace(file: TempPath, target: &Path) -> io::Result<()> {
    file.persist(target).map_err(|e| e.error)
}

/// Moves a file to its place, over the one that is there. Where that is open elsewhere and the system replaces no open
/// file (Windows before 10, FAT, network drives), it is moved aside first, as who opened it may allow: programs in Rust
/// do. Removes the file if it cannot be moved.
#[cfg(windows)]
fn replace(file: TempPath, target: &Path) -> io::Result<()> {
    let moved = patiently(|| {
        std::fs::rename(&file, target).or_else(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => exchange(&file, target),
            _ => Err(error),
        })
    });
    match moved {
        Ok(()) => {
            // The temporary name is free: when dropped, the path would remove what has it next.
            drop(file.keep());
            Ok(())
        }
        Err(error) if may_be_held(&error) => {
            let text = "it cannot be replaced: another program has it open, such as a GUI's engine, or it may not be \
                        written; close it there, then run this again";
            Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
        }
        Err(error) => Err(error),
    }
}

/// Moves the file at `target` aside and another into its place. Whatever happens, one of them is there afterwards, or
/// comes back when `target` is written next ([`restore`]).
#[cfg(windows)]
fn exchange(file: &Path, target: &Path) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix_of(target, ASIDE);
    // Nothing may remove the old file but the last step.
    builder.prefix(&prefix).disable_cleanup(true);
    let aside = builder.make_in(folder_of(target), |aside| match aside.symlink_metadata() {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => std::fs::rename(target, aside),
    })?;
    let aside = aside.path();
    if let Err(error) = std::fs::rename(file, target) {
        return Err(match std::fs::rename(aside, target) {
            Ok(()) => error,
            Err(_) => {
                let text = message!("{error}; the old version is now {}", aside.shown());
                io::Error::new(io::ErrorKind::Other, text)
            }
        });
    }
    // Who has it open keeps it until it is closed; the name goes then.
    let removed = std::fs::remove_file(aside);
    tracing::debug!(?removed, "moved aside");
    Ok(())
}

/// Gives the old version of a file its name back, if a process was killed between moving it aside and moving the new one
/// into its place (Windows). Where a file has the name, old versions stay.
pub(crate) fn restore(target: &Path) {
    if target.symlink_metadata().is_ok() {
        return;
    }
    if let Some(aside) =
        leftovers(target, ASIDE).iter().find(|path| own_files::is_own_file_at(path))
    {
        let restored = std::fs::rename(aside, target);
        tracing::debug!(path = %aside.shown(), ?restored, "moved aside");
    }
}

/// A temporary file `.NAME.part-…` beside the file `NAME`, removed when it is dropped. If the process
/// is killed, [`FileLock::sweep`](super::lock::FileLock::sweep) removes it.
///
/// # Errors
///
/// Those of [`resolve`] and of creating a file in that folder.
pub fn beside(target: &Path) -> io::Result<NamedTempFile> {
    temporary(&resolve(target)?)
}

fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    let prefix = prefix_of(target, PART);
    let like = target.symlink_metadata().ok().filter(Metadata::is_file);
    // Not private like temporary files, and with plain errors, to which tempfile would add the path.
    tempfile::Builder::new()
        .prefix(&prefix)
        .make_in(folder_of(target), |path: &Path| create_like(path, like.as_ref()))
}

/// A folder `.NAME.part-…` beside the folder `NAME`, with the modes of any new folder, removed when it is
/// dropped. If the process is killed,
/// [`FileLock::sweep_folders`](super::lock::FileLock::sweep_folders) removes it.
///
/// # Errors
///
/// Those of [`resolve`] and of creating a folder there.
pub fn folder_beside(target: &Path) -> io::Result<TempDir> {
    let target = resolve(target)?;
    let prefix = prefix_of(&target, PART);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    // The process's mask takes away what new folders here do not have; tempfile alone would make a private
    // one.
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(folder_of(&target))
}

/// Moves a folder that [`folder_beside`] made to its place, where at most an empty folder stands.
///
/// # Errors
///
/// Those of moving. The folder is removed then, unless another program that has a file in it open is the reason (Windows):
/// it stays, and the error names it.
pub fn place_folder(folder: TempDir, target: &Path) -> io::Result<()> {
    match patiently(|| std::fs::rename(folder.path(), target)) {
        Ok(()) => {
            let _moved = folder.keep();
            Ok(())
        }
        Err(error) if may_be_held(&error) => {
            let text = message!(
                "{error}; the folder is complete, but another program has a file in it open: give {} the name yourself",
                folder.keep().shown()
            );
            Err(io::Error::new(error.kind(), text))
        }
        Err(error) => Err(error),
    }
}

/// The error for a path at which something stands that must not be replaced.
pub(crate) fn exists() -> io::Error {
    let text = "it already exists; move it away or choose another name";
    io::Error::new(io::ErrorKind::AlreadyExists, text)
}

/// Creates a file that at no time grants anybody more access than the file `like` does.
#[cfg(unix)]
fn create_like(path: &Path, like: Option<&Metadata>) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    let Some(like) = like else { return options.open(path) };
    let mode = like.mode() & 0o777;
    // The owner's bits alone until the group is known to be right: nobody may open the file in between who
    // could not open the old one.
    let file = options.mode(mode & 0o700).open(path)?;
    let made = file.metadata()?;
    let user = like.uid();
    let group = like.gid();
    let mut is_group_kept = made.gid() == group;
    if made.uid() != user || !is_group_kept {
        let given = fchown(&file, Some(user), Some(group));
        // Only root may give a file away, but its owner may give it to any group that he is in.
        is_group_kept |= given.is_ok() || fchown(&file, None, Some(group)).is_ok();
        tracing::debug!(?given, is_group_kept, "owner and group of the file that is replaced");
    }
    // A group that could not be kept gets the permissions of others.
    let mode = if is_group_kept { mode } else { mode & !0o070 | mode & (mode << 3) & 0o070 };
    file.set_permissions(std::fs::Permissions::from_mode(mode))?;
    Ok(file)
}

#[cfg(not(unix))]
fn create_like(path: &Path, _like: Option<&Metadata>) -> io::Result<File> {
    File::options().read(true).write(true).create_new(true).open(path)
}

/// Writes `bytes` to `target` atomically.
///
/// # Errors
///
/// Those of creating, writing, syncing and renaming.
pub fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(target)?;
    file.write_all(bytes)?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_on_commit() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.bin");
        write(&target, b"old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        write(&target, b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_modes_are_the_usual() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [link, plain] = ["link", "plain"].map(|name| folder.path().join(name));
        let target = folder.path().join("far/target");
        std::fs::create_dir(folder.path().join("far")).unwrap();
        std::fs::write(&plain, "").unwrap();
        write(&target, b"old").unwrap();
        symlink(&target, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        let [new, usual] = [&target, &plain].map(|path| path.metadata().unwrap().permissions());
        assert_eq!(new.mode(), usual.mode());
        let other_path = folder.path().join("./far/target");
        assert_eq!(resolve(&link).unwrap(), resolve(&other_path).unwrap());
        let dangling = folder.path().join("dangling");
        symlink(folder.path().join("gone"), &dangling).unwrap();
        assert!(write(&dangling, b"").unwrap_err().to_string().contains("remove the link"));
    }

    /// Between the check and the move anything may appear there.
    #[test]
    fn what_must_not_be_replaced_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let mut file = AtomicFile::create_new(&target).unwrap();
        file.write_all(b"new").unwrap();
        std::fs::write(&target, "came meanwhile").unwrap();
        assert_eq!(file.commit().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&target).unwrap(), b"came meanwhile");
        assert!(AtomicFile::create_new(&target).is_err());
        std::fs::remove_file(&target).unwrap();
        AtomicFile::create_new(&target).unwrap().commit().unwrap();
        assert!(target.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            let file = AtomicFile::create_new(&link).unwrap();
            std::os::unix::fs::symlink(&target, &link).unwrap();
            assert!(file.commit().is_err() && link.is_symlink());
        }
    }

    #[cfg(unix)]
    #[test]
    fn copies_have_the_mode_of_what_they_replace() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        std::fs::write(&target, "old").unwrap();
        for mode in [0o600, 0o640, 0o666, 0o644, 0o400] {
            std::fs::set_permissions(&target, std::fs::Permissions::from_mode(mode)).unwrap();
            let file = AtomicFile::create(&target).unwrap();
            let copy = beside(&target).unwrap();
            for path in [file.temporary_path(), copy.path()] {
                assert_eq!(path.metadata().unwrap().mode() & 0o777, mode);
            }
            file.commit().unwrap();
            assert_eq!(target.metadata().unwrap().mode() & 0o777, mode);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let refused = AtomicFile::create(&socket).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        assert!(AtomicFile::create(folder.path()).is_err());
        assert!(!socket.symlink_metadata().unwrap().is_file());
    }

    #[test]
    fn missing_folder_is_an_error() {
        assert!(write(Path::new("/nonexistent-folder/x"), b"").is_err());
        assert!(AtomicFile::create(Path::new("/")).is_err());
    }
}
