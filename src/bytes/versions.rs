//! Versions of a file that stand beside it: unfinished ones, and old ones on their way out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::paths::folder_of;

/// The infix after the name of a file in those of its unfinished versions.
pub(crate) const PART: &str = ".part-";

/// The infix after the name of a file in that of its old version while it is replaced, where the system replaces no open
/// file.
pub(crate) const ASIDE: &str = ".old-";

/// The beginning of the names of unfinished or old versions of a file or folder.
pub(super) fn prefix_of(target: &Path, infix: &str) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(infix);
    prefix
}

/// Returns true if `text` is a random suffix as `tempfile` puts at the end of a name, apart from the endings
/// that `SQLite` adds for a book.
fn is_random(text: &str) -> bool {
    let text = ["-journal", "-wal", "-shm"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
        .unwrap_or(text);
    // `tempfile` adds six characters unless it is asked for another number.
    text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The paths beside a file whose names consist of its own, an infix such as [`PART`] and a random suffix.
pub(crate) fn leftovers(target: &Path, infix: &str) -> Vec<PathBuf> {
    let Some(prefix) = prefix_of(target, infix).into_string().ok() else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder_of(target)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str().and_then(|name| name.strip_prefix(&prefix)).is_some_and(is_random)
        })
        .map(|entry| entry.path())
        .collect();
    // The system lists files in any order.
    paths.sort_unstable();
    paths
}
