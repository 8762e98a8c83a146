//! Opening files that others named or made: regular files only, without waiting.

use super::held::opened;
use super::kept_open::is_kept_open;
use crate::message::message;
use std::fs::File;
use std::io;
use std::path::Path;

/// Opens the regular file at `path` for reading. Links are followed.
///
/// A FIFO, a device or a socket of that name neither blocks nor is read: `open` does not wait for a writer,
/// and the check is made on the open file, so nothing can change between check and use.
///
/// # Errors
///
/// The faults of opening; [`io::ErrorKind::InvalidInput`] for anything but a regular file, and for the index of a
/// collection that this process has open.
pub fn regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    open(path, &mut options)
}

/// Opens the regular file at `path` for reading and writing, or creates it. Links are followed, and its
/// contents stay.
///
/// # Errors
///
/// As with [`regular`].
pub fn writable(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    open(path, &mut options)
}

fn open(path: &Path, options: &mut std::fs::OpenOptions) -> io::Result<File> {
    if is_kept_open(path) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, KEPT_OPEN));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without these flags a FIFO would be waited for, and a terminal might become that of the process.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = opened(path, || options.open(path)).map_err(|error| {
        // Windows does not open a folder.
        let is_folder = error.kind() == io::ErrorKind::PermissionDenied && path.is_dir();
        if is_folder { io::Error::new(io::ErrorKind::InvalidInput, FOLDER) } else { error }
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, not_regular(kind)))
}

/// Reads the whole regular file at `path`, at most `max` bytes of it.
///
/// # Errors
///
/// Those of [`regular`] and of reading; [`io::ErrorKind::FileTooLarge`] where there is more, before
/// anything is allocated if the file's length says so.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    use io::Read;
    let file = regular(path)?;
    if file.metadata()?.len() > max {
        return Err(too_large(max));
    }
    let mut bytes = Vec::new();
    // One byte more shows a longer file, also one that has grown since its length was asked.
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large(max)) } else { Ok(bytes) }
}

/// The error of a file that is longer than what is read of it.
fn too_large(max: u64) -> io::Error {
    let text = message!("the file is larger than the {max} bytes that are read of it");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// Returns true if an error of [`regular`] or of listing a folder concerns this path alone, so that others
/// can be read: this user may not read it, or it is not a file.
#[must_use]
pub fn is_refused(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, PermissionDenied};
    matches!(error.kind(), PermissionDenied | InvalidInput | IsADirectory | NotADirectory)
}

/// The fault of a file that SQLite keeps open.
pub(crate) const KEPT_OPEN: &str = "an index that this program has open";

/// The fault of a folder in place of a file.
const FOLDER: &str = "a folder, not a file";

fn not_regular(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() {
        return FOLDER;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO (named pipe), not a regular file; write what it gives to a file first";
        }
    }
    "a device or a socket, not a regular file"
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_waits() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, fifo] = ["file", "link", "fifo"].map(|name| folder.path().join(name));
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        assert!(regular(&file).is_ok() && regular(&link).is_ok());
        for (path, word) in [
            (fifo, "FIFO"),
            (folder.path().to_owned(), "folder"),
            (Path::new("/dev/zero").to_owned(), "device"),
        ] {
            let error = regular(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains(word), "{error}");
        }
        assert_eq!(read(&file, 4).unwrap(), b"text");
        assert_eq!(read(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
