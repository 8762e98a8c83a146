//! The options of imports that read a whole file.

use std::path::Path;

use crate::book::interop::error::InteropError;
use crate::book::interop::progress::StepProgress;
use crate::bytes::StopFlag;

/// The options of an import that reads a whole file.
#[derive(Debug, Clone)]
pub struct FileImportOptions {
    /// Bytes of memory; a larger file is refused. Default 1 GiB.
    pub memory: usize,
    /// Ends the import.
    pub stop: StopFlag,
    /// Receives progress reports.
    pub progress: StepProgress,
}

impl Default for FileImportOptions {
    fn default() -> Self {
        Self { memory: 1 << 30, stop: StopFlag::default(), progress: StepProgress::default() }
    }
}

impl FileImportOptions {
    /// An error if the import of the file at `path` is to end.
    pub(super) fn expect_going(&self, path: &Path) -> Result<(), InteropError> {
        if self.stop.is_set() {
            return Err(InteropError::Interrupted { path: path.to_owned() });
        }
        Ok(())
    }
}
