//! Steps that Windows refuses while another program has a file open.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::versions::{ASIDE, PART, leftovers};

/// The number of attempts at a step.
const TRIES: u32 = 40;

/// The time between two attempts: with [`TRIES`] two seconds in all.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Takes a step that Windows refuses while another program has the file open, or a file in the folder: scanners and indexers
/// do for a moment, just when a file is complete. There it is tried for two seconds; elsewhere once.
///
/// # Errors
///
/// Those of the last attempt.
pub(crate) fn patiently<T>(mut step: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..TRIES {
        match step() {
            Err(error) if may_be_held(&error) => std::thread::sleep(RETRY_INTERVAL),
            done => return done,
        }
    }
    // The last attempt, whose error counts, whatever it is.
    step()
}

/// The number of attempts to open a file that is being replaced.
const OPEN_TRIES: u32 = 100;

/// The time between two attempts to open it: with [`OPEN_TRIES`] a second in all.
const OPEN_INTERVAL: Duration = Duration::from_millis(10);

/// Opens the file at `path`, which may just be replaced. Where the system does not do that in one step (Windows before 10,
/// network drives, Wine), no file has the name for a moment; then a new or an old version stands beside it, and the file is
/// waited for, a second at most. Elsewhere `open` is called once.
///
/// # Errors
///
/// Those of the last attempt.
pub(crate) fn opened<T>(path: &Path, mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..OPEN_TRIES {
        match open() {
            Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::NotFound => {}
            done => return done,
        }
        if [PART, ASIDE].iter().all(|infix| leftovers(path, infix).is_empty()) {
            break;
        }
        std::thread::sleep(OPEN_INTERVAL);
    }
    // Without another version, too: it may have got the name in between.
    open()
}

/// Returns true if another program that has the file open may be the reason (Windows).
pub(crate) fn may_be_held(error: &io::Error) -> bool {
    cfg!(windows) && (error.kind() == io::ErrorKind::PermissionDenied || is_shared_otherwise(error))
}

/// Returns true if the file is open elsewhere in a way that does not go with what was asked for (Windows).
#[cfg(windows)]
pub(crate) fn is_shared_otherwise(error: &io::Error) -> bool {
    use windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION;
    error.raw_os_error() == Some(ERROR_SHARING_VIOLATION.cast_signed())
}

#[cfg(not(windows))]
const fn is_shared_otherwise(_error: &io::Error) -> bool {
    false
}
