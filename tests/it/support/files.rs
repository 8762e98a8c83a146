//! Files of the project, and of the collection of test material that is not part of it.

use std::path::{Path, PathBuf};

/// A file or folder of the project.
pub(crate) fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A file or folder of the sample games for books, as an argument.
pub(crate) fn sample_games(name: &str) -> String {
    in_repository("tests/data/book").join(name).to_str().unwrap().to_owned()
}

/// A file or folder of the collection of test material, which `JUZHONG_SHARED` names; `None`, and a word about
/// it, where that is not at hand.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("JUZHONG_SHARED")
        .map_or_else(|| in_repository("../shared"), PathBuf::from);
    let path = folder.join(path);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}
