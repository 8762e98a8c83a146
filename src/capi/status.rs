//! Statuses, and the border that turns failures and panics into them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::book::BookError;
use crate::tablebase::TableError;
use crate::xiangqi::FenError;
use crate::xiangqi::notation::MoveError;

/// The outcome of a call: `JZ_OK` or one of `JZ_ERROR_…`. After an error nothing was written to the places of results,
/// but for `JZ_ERROR_BUFFER`.
pub type JzStatus = i32;

/// The call did what it should.
pub const JZ_OK: JzStatus = 0;
/// A pointer is null, or not aligned for its type.
pub const JZ_ERROR_POINTER: JzStatus = 1;
/// A text is not UTF-8, or longer than any text of its kind.
pub const JZ_ERROR_TEXT: JzStatus = 2;
/// A number is out of its range.
pub const JZ_ERROR_NUMBER: JzStatus = 3;
/// Not a handle of this kind.
pub const JZ_ERROR_HANDLE: JzStatus = 4;
/// The handle has been closed.
pub const JZ_ERROR_CLOSED: JzStatus = 5;
/// The caller's array or buffer is too small; it holds the first entries, and the count is that of all. A text buffer
/// is left as it was.
pub const JZ_ERROR_BUFFER: JzStatus = 6;
/// The text is no FEN.
pub const JZ_ERROR_FEN: JzStatus = 7;
/// The position is not legal.
pub const JZ_ERROR_POSITION: JzStatus = 8;
/// The text is no move, or the move is not legal here.
pub const JZ_ERROR_MOVE: JzStatus = 9;
/// A file, a folder or the table of a position is not there.
pub const JZ_ERROR_MISSING: JzStatus = 10;
/// The system could not read a file or folder.
pub const JZ_ERROR_READ: JzStatus = 11;
/// A file is damaged.
pub const JZ_ERROR_DAMAGED: JzStatus = 12;
/// A file is of another kind, version or game.
pub const JZ_ERROR_FORMAT: JzStatus = 13;
/// There is no move to choose or to take back.
pub const JZ_ERROR_NO_MOVE: JzStatus = 14;
/// More handles of a kind are open than there can be, 4096.
pub const JZ_ERROR_TOO_MANY: JzStatus = 15;
/// A fault of the library; please report it. What a game or book handle stands for must be opened anew.
pub const JZ_ERROR_INTERNAL: JzStatus = 16;

/// The text of a status, or of a number that is none.
pub(crate) const fn text_of(status: JzStatus) -> &'static CStr {
    match status {
        JZ_OK => c"no error",
        JZ_ERROR_POINTER => c"a pointer is null or not aligned",
        JZ_ERROR_TEXT => c"a text is not UTF-8, or too long",
        JZ_ERROR_NUMBER => c"a number is out of its range",
        JZ_ERROR_HANDLE => c"not a handle of this kind",
        JZ_ERROR_CLOSED => c"the handle has been closed",
        JZ_ERROR_BUFFER => c"the array or buffer is too small",
        JZ_ERROR_FEN => c"the text is no FEN",
        JZ_ERROR_POSITION => c"the position is not legal",
        JZ_ERROR_MOVE => c"no move, or not a legal one",
        JZ_ERROR_MISSING => c"no such file, folder or table",
        JZ_ERROR_READ => c"a file or folder cannot be read",
        JZ_ERROR_DAMAGED => c"a file is damaged",
        JZ_ERROR_FORMAT => c"a file of another kind, version or game",
        JZ_ERROR_NO_MOVE => c"there is no move",
        JZ_ERROR_TOO_MANY => c"too many handles are open",
        JZ_ERROR_INTERNAL => c"a fault of the library",
        _ => c"no such status",
    }
}

thread_local! {
    static LAST_MESSAGE: RefCell<Cow<'static, str>> = const { RefCell::new(Cow::Borrowed("")) };
}

/// Hands the message of the last call that failed in this thread to `read`; empty if none has.
pub(crate) fn with_last_message<T>(read: impl FnOnce(&str) -> T) -> T {
    // A thread that ends has no last message any more.
    let message = LAST_MESSAGE.try_with(|last| last.borrow().clone()).unwrap_or_default();
    read(&message)
}

/// The reason for which a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: JzStatus,
    message: Cow<'static, str>,
}

impl Failure {
    /// A failure whose message is the text of its status. Allocates nothing.
    pub(crate) const fn of(status: JzStatus) -> Self {
        let message = match text_of(status).to_str() {
            Ok(text) => text,
            Err(_) => "",
        };
        Self::new(status, message)
    }

    /// A failure with a message of its own.
    pub(crate) const fn new(status: JzStatus, message: &'static str) -> Self {
        Self { status, message: Cow::Borrowed(message) }
    }

    fn by(status: JzStatus, error: &impl ToString) -> Self {
        Self { status, message: Cow::Owned(error.to_string()) }
    }
}

impl From<FenError> for Failure {
    fn from(error: FenError) -> Self {
        let is_illegal = matches!(error, FenError::Illegal(_));
        Self::by(if is_illegal { JZ_ERROR_POSITION } else { JZ_ERROR_FEN }, &error)
    }
}

impl From<MoveError> for Failure {
    fn from(error: MoveError) -> Self {
        Self::by(JZ_ERROR_MOVE, &error)
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        let status = match &error {
            _ if error.is_missing() => JZ_ERROR_MISSING,
            TableError::Read { .. } | TableError::Write { .. } => JZ_ERROR_READ,
            _ if error.is_other_version() => JZ_ERROR_FORMAT,
            _ => JZ_ERROR_DAMAGED,
        };
        Self::by(status, &error)
    }
}

impl From<BookError> for Failure {
    fn from(error: BookError) -> Self {
        let status = match &error {
            BookError::Io { source, .. } => {
                let is_missing = source.kind() == std::io::ErrorKind::NotFound;
                let status = if is_missing { JZ_ERROR_MISSING } else { JZ_ERROR_READ };
                return Self::by(status, &format!("{error}: {source}"));
            }
            BookError::Truncated { .. } | BookError::Damaged { .. } => JZ_ERROR_DAMAGED,
            _ => JZ_ERROR_FORMAT,
        };
        Self::by(status, &error)
    }
}

/// Runs the body of a function of the interface: keeps the message of a failure, and lets no panic through.
pub(crate) fn guarded(body: impl FnOnce() -> Result<(), Failure>) -> JzStatus {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return JZ_OK,
        Ok(Err(failure)) => failure,
        Err(payload) => {
            // Dropping what a panic carries might panic again.
            std::mem::forget(payload);
            Failure::of(JZ_ERROR_INTERNAL)
        }
    };
    // A thread that ends has no last message any more.
    let _kept = LAST_MESSAGE.try_with(|last| last.replace(failure.message)).is_ok();
    failure.status
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_status_has_a_text_of_its_own() {
        let texts: BTreeSet<&CStr> = (JZ_OK..=JZ_ERROR_INTERNAL + 1).map(text_of).collect();
        assert_eq!(texts.len(), JZ_ERROR_INTERNAL as usize + 2);
        assert_eq!(text_of(-1), text_of(JZ_ERROR_INTERNAL + 1));
    }

    #[test]
    fn panics_and_failures_become_statuses() {
        assert_eq!(guarded(|| panic!("a fault")), JZ_ERROR_INTERNAL);
        with_last_message(|message| assert_eq!(message, "a fault of the library"));
        assert_eq!(guarded(|| Err(Failure::new(JZ_ERROR_NUMBER, "too high"))), JZ_ERROR_NUMBER);
        assert_eq!(guarded(|| Ok(())), JZ_OK);
        with_last_message(|message| assert_eq!(message, "too high"));
        let other = std::thread::spawn(|| with_last_message(str::is_empty));
        assert!(other.join().unwrap());
    }
}
