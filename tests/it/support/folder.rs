//! A temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;

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

    /// Writes a program; its path, as an argument. Another process writes it: whatever this one starts meanwhile would
    /// have the file open for writing as well for a moment, in which the system runs no program of it.
    #[cfg(unix)]
    pub(crate) fn write_program(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let copied = self.write(&format!("{name}.copied"), bytes);
        self.copy_program(copied.as_ref(), name)
    }

    /// [`write_program`](Self::write_program) with what another file has.
    #[cfg(unix)]
    pub(crate) fn copy_program(&self, from: &Path, name: &str) -> String {
        let path = self.at(name);
        let copy = "cp \"$0\" \"$1\" && chmod 755 \"$1\"";
        let status = Command::new("sh").args(["-c", copy]).arg(from).arg(&path).status().unwrap();
        assert!(status.success(), "{status}");
        path
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
