//! Small endgame tables, built once for all tests that only read them.

use std::path::Path;
use std::sync::OnceLock;

use juzhong::tablebase::{GenerateOptions, NoProgress, generate_all};

use super::folder::Folder;

/// A folder with the tables of KRvKN and of what captures leave of it.
pub(crate) fn small_tables() -> &'static Path {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    let build = || {
        let folder = Folder::new();
        let materials = ["KRvKN".parse().unwrap()];
        generate_all(folder.path(), &materials, &GenerateOptions::default(), &NoProgress).unwrap();
        folder
    };
    FOLDER.get_or_init(build).path()
}

/// A copy of that folder, to be changed.
pub(crate) fn copy_of_small_tables() -> Folder {
    let copy = Folder::new();
    for entry in std::fs::read_dir(small_tables()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}
