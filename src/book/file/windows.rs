//! Books on Windows: files that SQLite has open may be replaced, as on other systems.
//!
//! SQLite opens a file so that nobody can rename or remove it meanwhile. Books are opened as immutable and are replaced by
//! renaming, so that is more than they need: its call of the system is one that allows both. Readers keep the old file.

#![expect(
    unsafe_code,
    reason = "a function that SQLite calls, by the interface that it has for that"
)]

use std::ffi::{OsString, c_void};
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Once;

use rusqlite::ffi;
use windows_sys::Win32::Foundation::{GENERIC_WRITE, HANDLE, INVALID_HANDLE_VALUE, SetLastError};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem::{CreateFileW, FILE_SHARE_DELETE};

use crate::bytes::held::opened;

/// `CreateFileW`, but what is opened for reading alone may be renamed and removed by others.
unsafe extern "system" fn create_file(
    name: *const u16,
    access: u32,
    share: u32,
    security: *const SECURITY_ATTRIBUTES,
    disposition: u32,
    flags: u32,
    template: HANDLE,
) -> HANDLE {
    let is_reader = access & GENERIC_WRITE == 0;
    let share = if is_reader { share | FILE_SHARE_DELETE } else { share };
    let open = || {
        // SAFETY: the arguments are those that SQLite calls the function of the system with.
        match unsafe { CreateFileW(name, access, share, security, disposition, flags, template) } {
            INVALID_HANDLE_VALUE => Err(io::Error::last_os_error()),
            handle => Ok(handle),
        }
    };
    // SAFETY: SQLite's names end with a null.
    let found = if is_reader { opened(&unsafe { path_of(name) }, open) } else { open() };
    found.unwrap_or_else(|error| {
        // SQLite asks for it, and other calls may have come in between.
        // SAFETY: the function has no conditions.
        unsafe { SetLastError(error.raw_os_error().unwrap_or_default().cast_unsigned()) };
        INVALID_HANDLE_VALUE
    })
}

/// The path that a name of the system stands for.
///
/// # Safety
///
/// The name ends with a null.
unsafe fn path_of(name: *const u16) -> PathBuf {
    // SAFETY: all units before the null belong to the name.
    let length = (0..).take_while(|&at| unsafe { *name.add(at) } != 0).count();
    // SAFETY: as above.
    let units = unsafe { std::slice::from_raw_parts(name, length) };
    OsString::from_wide(units).into()
}

/// Makes SQLite open files so that they can be replaced; the first call counts. Without success they cannot, and who
/// replaces one is told so.
pub(crate) fn share_open_files() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: SQLite returns its file system, which lives as long as the process, or null.
        let Some(system) = (unsafe { ffi::sqlite3_vfs_find(std::ptr::null()).as_mut() }) else {
            return;
        };
        let Some(set) = system.xSetSystemCall else { return };
        let function = create_file as *const c_void;
        // SAFETY: all pointers to functions are alike for SQLite, which calls each by the type of the function that it
        // stands for.
        let function =
            unsafe { std::mem::transmute::<*const c_void, ffi::sqlite3_syscall_ptr>(function) };
        // SAFETY: the name ends with a null, and the function has the form of the one that it stands for.
        let code = unsafe { set(system, c"CreateFileW".as_ptr(), function) };
        tracing::debug!(code, "open books can be replaced");
    });
}
