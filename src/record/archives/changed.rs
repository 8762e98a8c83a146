//! Reading files that others may change meanwhile.

use std::io::{self, Seek};
use std::path::Path;

use crate::bytes::map::MappedFile;
use crate::bytes::positioned::PositionedFile;
use crate::bytes::visible::ShowPath;
use crate::message::message;

/// A file was changed while it was read, so that what was read is of no single state of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("the file was changed while it was read; wait until it is whole, then run this again")]
pub struct ChangedError;

impl ChangedError {
    /// Returns true if an error is this one.
    #[must_use]
    pub fn is_in(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Self>)
    }
}

impl From<ChangedError> for io::Error {
    fn from(error: ChangedError) -> Self {
        Self::other(error)
    }
}

/// Reads a stretch of a file; where that has become shorter, [`ChangedError`].
pub(crate) fn read(file: &PositionedFile, at: u64, len: u64) -> io::Result<Vec<u8>> {
    file.read(at, len).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ChangedError.into(),
        _ => error,
    })
}

/// Maps a copy of a file that nobody else can reach.
pub(crate) fn copy(file: &PositionedFile, folder: &Path) -> io::Result<MappedFile> {
    let mut copy = tempfile::tempfile_in(folder).map_err(|error| no_copy(&error, folder))?;
    let mut from = file.file();
    from.rewind()?;
    let copied = io::copy(&mut from, &mut copy).map_err(|error| no_copy(&error, folder))?;
    if copied < file.bytes() {
        return Err(ChangedError.into());
    }
    MappedFile::of(&copy)
}

/// The error of a copy that cannot be written.
fn no_copy(error: &io::Error, folder: &Path) -> io::Error {
    let text = message!("cannot write a temporary copy in {}: {error}", folder.shown());
    io::Error::new(error.kind(), text)
}
