//! Files that appear under their final name whole or not at all.

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
    /// Starts a temporary file in the folder of `target`.
    ///
    /// # Errors
    ///
    /// Those of creating a file in that folder.
    pub fn create(target: &Path) -> io::Result<Self> {
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = target.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file")
        })?;
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".part-");
        let file = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder)?;
        Ok(Self { file, target: target.to_owned() })
    }

    /// Where the bytes lie until [`commit`](Self::commit); for writers that need a path.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.file.path()
    }

    /// The file itself, for writers that seek.
    pub fn file_mut(&mut self) -> &mut std::fs::File {
        self.file.as_file_mut()
    }

    /// Flushes to the disk and moves the file to its final name, replacing what was there.
    ///
    /// # Errors
    ///
    /// Those of syncing and renaming; the temporary file is removed then.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        set_usual_permissions(self.file.path())?;
        self.file.persist(&self.target).map_err(|e| e.error)?;
        Ok(())
    }
}

/// Temporary files are private (mode 0600); a finished output is readable like any other.
#[cfg(unix)]
fn set_usual_permissions(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_usual_permissions(_path: &Path) -> io::Result<()> {
    Ok(())
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
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

    #[test]
    fn missing_folder_is_an_error() {
        assert!(write(Path::new("/nonexistent-folder/x"), b"").is_err());
        assert!(AtomicFile::create(Path::new("/")).is_err());
    }
}
