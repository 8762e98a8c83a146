//! What is unpacked, and the errors of it.

use std::io;
use std::ops::Deref;

use crate::bytes::map::MappedFile;
use crate::message::Message;

/// An error of unpacking.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
pub enum UnpackError {
    /// It is damaged, unpacks to too much, or is packed in an unknown way.
    #[error("{0}")]
    Bad(Message),
    /// The temporary file cannot be written.
    #[error("cannot write a temporary file")]
    Io(#[source] io::Error),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl From<UnpackError> for io::Error {
    fn from(error: UnpackError) -> Self {
        match error {
            UnpackError::Bad(_) => Self::new(io::ErrorKind::InvalidData, error),
            UnpackError::Io(source) => source,
            UnpackError::Interrupted => io::ErrorKind::Interrupted.into(),
        }
    }
}

/// The bytes of a source.
#[derive(Debug)]
pub enum Content<'a> {
    /// Those of the file itself.
    Bare(&'a [u8]),
    /// Unpacked to memory.
    Memory(Vec<u8>),
    /// Unpacked to a file.
    Mapped(MappedFile),
}

impl Deref for Content<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Bare(bytes) => bytes,
            Self::Memory(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}
