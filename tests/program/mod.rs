//! The program run from the outside, and a folder to run it in.

use std::process::{Command, Output};

/// Runs the program to its end.
pub(crate) fn juzhong(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_juzhong")).args(args).output().unwrap()
}

/// Runs, expects the exit code and every part in what goes to standard error.
#[track_caller]
pub(crate) fn fails(args: &[&str], code: i32, parts: &[&str]) {
    let output = juzhong(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {errors}");
    for part in parts {
        assert!(errors.contains(part), "{args:?}: no `{part}` in: {errors}");
    }
}

/// A folder that is removed in the end.
pub(crate) struct Place(pub(crate) tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The path of a name in it.
    pub(crate) fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}
