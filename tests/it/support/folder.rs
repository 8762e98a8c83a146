//! A temporary folder.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that is removed in the end.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a name in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The path of a name in it, as an argument.
    pub(crate) fn at(&self, name: &str) -> String {
        self.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and the folders that it lies in; its path, as an argument.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self.at(name)
    }

    /// The names of what lies in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The hidden names in it: temporary files, locks, parts.
    pub(crate) fn hidden(&self) -> Vec<String> {
        let mut names = self.names();
        names.retain(|name| name.starts_with('.'));
        names
    }
}
