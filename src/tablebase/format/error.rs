//! Why a table cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use super::super::material::Material;
use super::super::value::{Metric, Rules};
use crate::bytes::sealed::SealError;
use crate::bytes::visible::ShowPath;

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// There is no such table.
    #[error(
        "no table {material} in {}; build it with: juzhong tablebase generate {material} --dir {} --rules {rules} --metric {metric}",
        dir.shown(), dir.shown()
    )]
    Missing {
        /// The material, in its canonical name.
        material: Material,
        /// The folder.
        dir: PathBuf,
        /// The rules asked for.
        rules: Rules,
        /// The metric asked for.
        metric: Metric,
    },
    /// Reading failed.
    #[error("cannot read {} ({})", path.shown(), reading_remedy(path, source))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write {} ({}, or use another --dir)", path.shown(), writing_remedy(source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The header is damaged, of another version, or of another kind of file.
    #[error("{}: {}", path.shown(), header_remedy(fault))]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: SealError,
    },
    /// The header contradicts the file's name or itself.
    #[error("{}: {what}; remove the file and generate it again", path.shown())]
    Contents {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
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
        /// Where it begins in the file.
        offset: u64,
    },
}

impl TableError {
    /// Whether the reason is a file or folder that does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::Read { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Whether a file could be created, but not written to its end.
    #[must_use]
    pub fn is_out_of_space(&self) -> bool {
        matches!(self, Self::Write { source, .. } if is_out_of_space(source))
    }

    /// Whether the file is of a format older than this program's.
    pub(in crate::tablebase) fn is_older_format(&self) -> bool {
        matches!(self, Self::Header { fault: SealError::Version { found, supported }, .. }
            if found < supported)
    }
}

/// What to do where a file or folder cannot be read.
fn reading_remedy(path: &Path, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        let dir = path.shown();
        format!("build tables with: juzhong tablebase generate MATERIAL --dir {dir}")
    } else {
        "check what is there and its permissions, or use another --dir".to_owned()
    }
}

fn is_out_of_space(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// What to do where a file or folder cannot be written.
fn writing_remedy(error: &io::Error) -> &'static str {
    if is_out_of_space(error) {
        "free some space there"
    } else {
        "check what is there and its permissions"
    }
}

/// What is wrong with a header, and what to do.
fn header_remedy(fault: &SealError) -> String {
    match fault {
        SealError::Version { found, supported } if found > supported => format!(
            "version {found}, but this program reads version {supported}; update juzhong, or use another --dir"
        ),
        SealError::Version { found, supported } => format!(
            "version {found}, but this program reads version {supported}; generate it again"
        ),
        _ => format!("{fault}; remove the file and generate it again"),
    }
}
