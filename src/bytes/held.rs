//! Steps that Windows refuses while another program has a file open.

use std::io;
use std::time::Duration;

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
    step()
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
