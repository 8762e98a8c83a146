//! Files that appear under their final name whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written beside its final place. Dropping it without [`commit`](Self::commit)
/// removes it; what stood under the final name before stays untouched until then.
#[derive(Debug)]
pub struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a temporary file in the folder of `target`. Where `target` is a link, the file that
    /// it leads to is meant.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`] and of creating a file in that folder; [`io::ErrorKind::InvalidInput`]
    /// if there is a device, a pipe, a socket or a folder, which a file must not replace.
    pub fn create(target: &Path) -> io::Result<Self> {
        let target = resolve(target)?;
        if target.symlink_metadata().is_ok_and(|about| !about.is_file()) {
            let text = "not a regular file, which none may replace; choose another name, or - for \
                        standard output where the command writes there";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let file = temporary(&target)?;
        Ok(Self { file, target })
    }

    /// Where the bytes lie until [`commit`](Self::commit); for writers that need a path.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.file.path()
    }

    /// The file itself, for writers that seek.
    pub fn file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Flushes to the disk and moves the file to its final name, replacing what was there.
    ///
    /// # Errors
    ///
    /// Those of syncing and renaming; the temporary file is removed then.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map_err(|e| e.error)?;
        Ok(())
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
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".part-");
    // With the modes of any new file, not private like temporary files; and with plain errors, to
    // which tempfile would add the path.
    let open = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix(&prefix).make_in(folder_of(target), open)
}

/// The folder that a file of that path lies in, `.` for a bare name.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Where a file of that path lies or would lie: absolute, without links. Two paths that resolve to
/// the same name the same file.
///
/// # Errors
///
/// If the path does not name a file, if its folder is missing, and for links that lead nowhere.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file")
    })?;
    if path.is_symlink() {
        return path.canonicalize().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(e.kind(), "a link to a file that does not exist; remove the link")
            }
            _ => e,
        });
    }
    Ok(folder_of(path).canonicalize()?.join(name))
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
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("far")).unwrap();
        std::fs::write(at("plain"), "").unwrap();
        write(&at("far/target"), b"old").unwrap();
        symlink(at("far/target"), at("link")).unwrap();
        write(&at("link"), b"new").unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(std::fs::read(at("far/target")).unwrap(), b"new");
        let mode = |name: &str| at(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode("far/target"), mode("plain"));
        assert_eq!(resolve(&at("link")).unwrap(), resolve(&at("./far/target")).unwrap());
        symlink(at("gone"), at("dangling")).unwrap();
        assert!(write(&at("dangling"), b"").unwrap_err().to_string().contains("remove the link"));
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
        assert_eq!(folder_of(Path::new("x")), Path::new("."));
    }
}
