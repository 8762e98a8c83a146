//! Books of other programs, tables and games opened as they are: each is made one of this program once, in a folder of the user's.
//!
//! A copy is named by the content of its book, so that a book that was moved or renamed is not imported again. Copies that
//! were not used for longest are removed when new ones make the folder too large.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use crate::book::analysis::scoring::propagate;
use crate::book::interop::{
    FileImportOptions, ForeignKind, ImportOptions, InteropError, Reach, StepProgress, import,
    import_gomoku, import_lines, import_table,
};
use crate::bytes::lock::{FileLock, LockError};
use crate::bytes::{StopFlag, open};
use crate::game::Game;
use crate::gomoku::Board;
use crate::xiangqi::Position;

/// The folder of the copies, and who is told of imports.
static IMPORTS: OnceLock<Imports> = OnceLock::new();

/// Raised when imports of the same file give another book.
const VERSION: u32 = 2;

/// Bytes of all copies, about.
const MOST_BYTES: u64 = 4 << 30;

/// The ending of a copy, and of one that is being made.
const ENDINGS: [&str; 2] = ["book", "new"];

/// The interval at which a copy is looked for that another process makes.
const POLL: Duration = Duration::from_millis(200);

/// Begins to show the import of a file.
type ShowImport = fn(&Path) -> StepProgress;

#[derive(Debug)]
struct Imports {
    folder: PathBuf,
    show: ShowImport,
}

/// Lets [`Book::open`](crate::book::Book::open) open books of other programs, tables of moves and files of games, for the
/// rest of the process: they are imported once, to copies in `folder`. Otherwise they are refused. `show` is called when an
/// import begins and returns the receiver of its progress. The first call counts.
pub fn keep_imports_in(folder: PathBuf, show: ShowImport) {
    // A later folder would leave copies in both.
    let _known = IMPORTS.set(Imports { folder, show });
}

/// The copy of the foreign book at `path`, made if there is none; `None` if no folder for copies is set.
///
/// # Errors
///
/// Those of an import.
pub(crate) fn copy_of(
    path: &Path,
    kind: ForeignKind,
    stop: &StopFlag,
) -> Result<Option<PathBuf>, InteropError> {
    let Some(Imports { folder, show }) = IMPORTS.get() else { return Ok(None) };
    let copy = folder.join(name_of(path, kind).map_err(|e| InteropError::io(path, e))?);
    while !copy.is_file() {
        if stop.is_set() {
            return Err(InteropError::Interrupted { path: path.to_owned() });
        }
        fs::create_dir_all(folder).map_err(|e| InteropError::io(path, e))?;
        match FileLock::take(&copy) {
            // The last holder of the lock has made it.
            Ok(_lock) if copy.is_file() => {}
            Ok(_lock) => {
                make(path, kind, &copy, stop, show(path))?;
                sweep(folder, &copy);
            }
            // Another process makes it.
            Err(LockError::Busy(_)) => std::thread::sleep(POLL),
            Err(LockError::File { source, .. }) => return Err(InteropError::io(path, source)),
        }
    }
    touch(&copy);
    Ok(Some(copy))
}

/// Makes a copy, whose lock is held. It has its name only when it is whole.
fn make(
    path: &Path,
    kind: ForeignKind,
    copy: &Path,
    stop: &StopFlag,
    progress: StepProgress,
) -> Result<(), InteropError> {
    let new = copy.with_extension(ENDINGS[1]);
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(InteropError::io(copy, error));
        }
        _ => {}
    }
    let reach = Reach { stop: stop.clone(), progress: progress.clone(), ..Reach::default() };
    let of_book = ImportOptions { reach, ..ImportOptions::default() };
    let of_file =
        FileImportOptions { stop: stop.clone(), progress, ..FileImportOptions::default() };
    match kind {
        ForeignKind::Book(_) => drop(import(path, &new, &of_book)?),
        ForeignKind::Table(Board::NAME) => drop(import_table::<Board>(path, &new, &of_file)?),
        ForeignKind::Table(_) => drop(import_table::<Position>(path, &new, &of_file)?),
        ForeignKind::Games => drop(import_lines::<Position>(path, &new, &of_file)?),
        ForeignKind::Gomoku => {
            if import_gomoku(path, &new, &of_file)?.scores > 0 {
                propagate::<Board>(&new, 1, stop)?;
            }
        }
    }
    fs::rename(&new, copy).map_err(|e| InteropError::io(copy, e))
}

/// The name of the copy: the hash of the book's kind and content, and the version.
fn name_of(path: &Path, kind: ForeignKind) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.name().as_bytes());
    hasher.update_reader(open::regular(path)?)?;
    let hash = hasher.finalize().to_hex();
    Ok(format!("{}-{VERSION}.{}", &hash[..24], ENDINGS[0]))
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
    let Some((version, ending)) = rest.split_once('.') else { return false };
    hash.len() == 24
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && version.parse::<u32>().is_ok()
        && ENDINGS.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names() {
        let copy = "0123456789abcdef01234567-1.book";
        for copy in [copy.to_owned(), copy.replace("-1", "-12"), copy.replace("book", "new")] {
            assert!(is_copy(Path::new(&copy)), "{copy}");
        }
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
