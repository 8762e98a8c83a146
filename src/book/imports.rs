//! Books of other programs opened as they are: each is made one of this program once, in a folder of the user's.
//!
//! A copy is named by the content of its book, so that a book that was moved or renamed is not imported again. Copies that
//! were not used for longest are removed when new ones make the folder too large.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use crate::book::interop::{ImportOptions, InteropError, Reach, StepProgress, import};
use crate::bytes::{StopFlag, open};

/// The folder of the copies.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Raised when imports of the same file give another book.
const VERSION: u32 = 1;

/// Bytes of all copies, about.
const MOST_BYTES: u64 = 4 << 30;

/// The ending of a copy.
const ENDING: &str = "book";

/// The interval at which a copy is looked for that another process makes.
const POLL: Duration = Duration::from_millis(200);

/// Lets [`Book::open`](crate::book::Book::open) open books of other programs, for the rest of the process: they are imported
/// once, to copies in `folder`. Otherwise they are refused. The first call counts.
pub fn keep_imports_in(folder: PathBuf) {
    // A later folder would leave copies in both.
    let _known = FOLDER.set(folder);
}

/// The copy of the foreign book at `path`, made if there is none; `None` if no folder for copies is set.
///
/// # Errors
///
/// Those of an import.
pub(crate) fn copy_of(path: &Path, stop: &StopFlag) -> Result<Option<PathBuf>, InteropError> {
    let Some(folder) = FOLDER.get() else { return Ok(None) };
    let at = |source: io::Error| InteropError::Io { path: path.to_owned(), source };
    let copy = folder.join(name_of(path).map_err(at)?);
    while !copy.is_file() {
        if stop.is_set() {
            return Err(InteropError::Interrupted { path: path.to_owned() });
        }
        fs::create_dir_all(folder).map_err(at)?;
        let reach =
            Reach { stop: stop.clone(), progress: StepProgress::default(), ..Reach::default() };
        match import(path, &copy, &ImportOptions { reach, ..ImportOptions::default() }) {
            Ok(_) => sweep(folder, &copy),
            // Another process makes it, or has just made it.
            Err(InteropError::Busy(_)) => std::thread::sleep(POLL),
            Err(_) if copy.is_file() => {}
            Err(error) => return Err(error),
        }
    }
    touch(&copy);
    Ok(Some(copy))
}

/// The name of the copy: the hash of the book's content, and the version.
fn name_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open::regular(path)?)?;
    let hash = hasher.finalize().to_hex();
    Ok(format!("{}-{VERSION}.{ENDING}", &hash[..24]))
}

/// Notes that a copy was used. Where that fails, it looks older than it is.
fn touch(copy: &Path) {
    let opened = fs::File::options().append(true).open(copy);
    let _result = opened.and_then(|file| file.set_modified(SystemTime::now()));
}

/// Removes the copies that were not used for longest, as long as all of them are too large. What was not made here, and the
/// copy just made, stay.
fn sweep(folder: &Path, kept: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut copies: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(about) = entry.metadata() else { continue };
        if about.is_file() && is_copy(&path) && path != kept {
            let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            copies.push((used, about.len(), path));
        }
    }
    copies.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = kept.metadata().map_or(0, |about| about.len());
    for (_, len, path) in copies {
        sum = sum.saturating_add(len);
        if sum > MOST_BYTES {
            tracing::info!(path = %path.display(), "a copy of a foreign book is removed");
            let _result = fs::remove_file(&path);
        }
    }
}

/// Returns true if the name is one of a copy of any version.
fn is_copy(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((hash, rest)) = name.split_once('-') else { return false };
    let version = rest.strip_suffix(ENDING).and_then(|rest| rest.strip_suffix('.'));
    hash.len() == 24
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && version.is_some_and(|version| version.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names() {
        let copy = "0123456789abcdef01234567-1.book";
        assert!(is_copy(Path::new(copy)) && is_copy(Path::new(&copy.replace("-1", "-12"))));
        for other in [
            "my.book",
            "0123456789abcdef01234567-1.book.lock",
            "0123456789abcdef-1.book",
            "0123456789abcdef01234567-x.book",
        ] {
            assert!(!is_copy(Path::new(other)), "{other}");
        }
    }
}
