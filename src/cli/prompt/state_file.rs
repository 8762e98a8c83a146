//! Files in the user's state folder.
//!
//! Nothing that stands there is trusted: only regular files of this user are read, replaced or removed, and no
//! link is followed.

use std::fs::{self, DirBuilder};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::cli::user_folders;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::own_files;
use juzhong::bytes::paths::folder_of;
use juzhong::bytes::visible::ShowPath;
use juzhong::message::message;

/// The longest file that is read, in bytes.
pub(crate) const MAX_BYTES: u64 = 1 << 20;

/// A file of that kind.
#[derive(Debug)]
pub(crate) struct StateFile(PathBuf);

impl StateFile {
    /// The file of that name; `None` where the user has no such folder.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(Self(user_folders::state()?.join(name)))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The whole file as text; `None` if there is none.
    pub(crate) fn read(&self) -> io::Result<Option<String>> {
        let file = match own_files::open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut text = String::new();
        // One byte more than the bound tells a file that is too large from one that has just that size.
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if read as u64 > MAX_BYTES {
            return Err(too_large());
        }
        Ok(Some(text))
    }

    /// The last lines of the file, of a file that is too large only those in its last part; what is no text is
    /// left out.
    pub(crate) fn last_lines(&self) -> io::Result<Vec<String>> {
        let mut file = own_files::open(&self.0)?;
        let before = file.metadata()?.len().saturating_sub(MAX_BYTES);
        // With the byte before, to see whether a line begins there.
        file.seek(SeekFrom::Start(before.saturating_sub(1)))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        // The first part is the end of a line that begins earlier; it is empty if a line begins at `before`.
        let is_cut = usize::from(before > 0);
        let lines = bytes.split(|&byte| byte == b'\n').skip(is_cut);
        Ok(lines.filter_map(|line| Some(str::from_utf8(line).ok()?.to_owned())).collect())
    }

    /// Makes the folder, for this user alone.
    pub(crate) fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder_of(&self.0))
    }

    /// Checks that nothing, or a file of this user, stands there.
    fn check(&self) -> io::Result<()> {
        match self.0.symlink_metadata() {
            Ok(about) if !own_files::is_own_file(&self.0, &about) => {
                let text = message!("{}: not a file of this user; remove it", self.0.shown());
                Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes the whole file, readable for this user alone.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        self.make_folder()?;
        self.check()?;
        let mut file = AtomicFile::create(&self.0)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Before the content is written, so that others cannot read any of it.
            file.file_mut().set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        if self.0.symlink_metadata().is_err() {
            return Ok(());
        }
        self.check()?;
        fs::remove_file(&self.0)
    }
}

pub(crate) fn too_large() -> io::Error {
    let text = message!("more than {MAX_BYTES} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}
