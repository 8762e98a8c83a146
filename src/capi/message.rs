//! The version of the interface, and texts for statuses.

use std::ffi::{CStr, c_char};

use super::arguments::TextBuffer;
use super::status::{JzStatus, text_of, with_last_message};

/// The version of the interface in `juzhong.h`. Functions, structures and numbers of one version stay what they are;
/// additions leave the version as it is, anything else raises it.
pub const JZ_ABI_VERSION: u32 = 1;

/// Returns the version of the interface of the library in use, to be compared with `JZ_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn jz_version() -> u32 {
    JZ_ABI_VERSION
}

/// Returns the version of the library as text, such as `0.1.0`. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn jz_version_text() -> *const c_char {
    const TEXT: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a version has no NUL"),
        };
    TEXT.as_ptr()
}

/// Returns a short English text for a status; for a number that is none, too. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn jz_status_text(status: JzStatus) -> *const c_char {
    text_of(status).as_ptr()
}

/// Writes the English message of the last call that failed in this thread, empty if none has, and returns its length
/// in bytes without the NUL. If it does not fit into `capacity` bytes, it is cut at the end of a character. `buffer`
/// may be null if `capacity` is 0.
///
/// # Safety
///
/// `buffer` points to `capacity` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_error_message(buffer: *mut c_char, capacity: usize) -> usize {
    // SAFETY: `buffer` points to `capacity` writable bytes, as the caller promises.
    let buffer = unsafe { TextBuffer::new(buffer, capacity) };
    with_last_message(|message| {
        if let Ok(buffer) = buffer {
            buffer.write_cut(message);
        }
        message.len()
    })
}
