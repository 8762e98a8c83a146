//! The errors of reading and writing a table.

use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::sealed::SealError;
use crate::bytes::visible::ShowPath;
use crate::message::{Message, message};
use crate::tablebase::material::Material;
use crate::tablebase::value::{Metric, Rules};

/// The reasons for which a table cannot be read or written.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum TableError {
    /// There is no such table.
    #[error(
        "no table {material} in {}; build it with: juzhong tablebase generate {material} --tables {} --rules {rules} --metric {metric}",
        dir.shown(), dir.shown()
    )]
    Missing {
        /// The material, in its canonical name.
        material: Material,
        /// The folder.
        dir: PathBuf,
        /// The rules wanted.
        rules: Rules,
        /// The metric wanted.
        metric: Metric,
    },
    /// Reading failed.
    #[error("cannot read {} ({})", path.shown(), reading_remedy(path, source))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write {} ({}, or use another --tables)", path.shown(), writing_remedy(source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The header is damaged, of another version, or of another kind of file.
    #[error("{}: {}", path.shown(), header_remedy(fault))]
    Header {
        /// The file.
        path: PathBuf,
        /// The fault of the header.
        fault: SealError,
    },
    /// The header contradicts the file's name or itself.
    #[error("{}: {what}; remove the file and generate it again", path.shown())]
    Contents {
        /// The file.
        path: PathBuf,
        /// The contradiction.
        what: Message,
    },
    /// A block does not have its checksum or cannot be decoded.
    #[error(
        "{}: {section} block {block} at byte {offset} is damaged; remove the file and generate it again",
        path.shown()
    )]
    Block {
        /// The file.
        path: PathBuf,
        /// `WDL` or `distance`.
        section: &'static str,
        /// Number of the block.
        block: usize,
        /// Its first byte in the file.
        offset: u64,
    },
}

impl TableError {
    /// Returns true if the reason is a file or folder that does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::Read { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Returns true if a file could be created, but not written to its end.
    #[must_use]
    pub fn is_out_of_space(&self) -> bool {
        matches!(self, Self::Write { source, .. } if is_out_of_space(source))
    }

    /// Returns true if the file is of another version than this program reads.
    #[must_use]
    pub fn is_other_version(&self) -> bool {
        matches!(self, Self::Header { fault: SealError::Version { .. }, .. })
    }

    /// Returns true if the file is of a format older than this program's.
    pub(crate) fn is_older_format(&self) -> bool {
        matches!(self, Self::Header { fault: SealError::Version { found, supported }, .. }
            if found < supported)
    }
}

/// The remedy where a file or folder cannot be read.
fn reading_remedy(path: &Path, error: &io::Error) -> Message {
    if error.kind() == io::ErrorKind::NotFound {
        let dir = path.shown();
        message!("build tables with: juzhong tablebase generate MATERIAL --tables {dir}")
    } else {
        "check what is there and its permissions, or use another --tables".into()
    }
}

fn is_out_of_space(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The remedy where a file or folder cannot be written.
fn writing_remedy(error: &io::Error) -> &'static str {
    if is_out_of_space(error) {
        "free some space there"
    } else {
        "check what is there and its permissions"
    }
}

/// The fault of a header, and its remedy.
fn header_remedy(fault: &SealError) -> Message {
    match fault {
        SealError::Version { found, supported } if found > supported => message!(
            "version {found}, but this program reads version {supported}; update juzhong, or use another --tables"
        ),
        SealError::Version { found, supported } => message!(
            "version {found}, but this program reads version {supported}; generate it again"
        ),
        _ => message!("{fault}; remove the file and generate it again"),
    }
}
