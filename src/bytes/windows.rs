//! Facts of Windows about the machine and the console, where the standard library does not ask.
//!
//! Each call fills values of this process that live until it returns; the documentation of the functions says that they
//! have no other conditions.

#![expect(unsafe_code, reason = "functions of the system")]

use std::os::windows::ffi::OsStrExt;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
use windows_sys::Win32::System::Console::GetConsoleProcessList;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

use super::paths::canonical;

/// Bytes of memory that are free, and that the system may promise to this process.
pub(crate) fn available_memory() -> Option<u64> {
    let length = u32::try_from(size_of::<MEMORYSTATUSEX>()).ok()?;
    let mut status = MEMORYSTATUSEX { dwLength: length, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure is a value of this function, and says how long it is.
    let is_known = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
    // Wine answers with zeros alone where another thread of the process is asking for the first time.
    let is_known = is_known && status.ullTotalPhys > 0;
    is_known.then(|| status.ullAvailPhys.min(status.ullAvailPageFile))
}

/// Bytes that this user may still write in the file system of an existing folder; `None` where the system does not tell.
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    // In its long form, which has no limit of length, and with a separator at its end, without which shares of a network
    // are not found.
    let folder = canonical(folder).ok()?.join("");
    let name: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with a null, the number is a value of this function, and the figures that are not asked for
    // may be null.
    let is_known = unsafe {
        let unasked = std::ptr::null_mut();
        GetDiskFreeSpaceExW(name.as_ptr(), &raw mut free, unasked, unasked)
    };
    (is_known != 0).then_some(free)
}

/// The number of processes that share the console of this one; 0 where it has none.
pub(crate) fn processes_at_console() -> u32 {
    // Two suffice to tell one from more.
    let mut ids = [0; 2];
    // SAFETY: the function writes at most as many numbers as it is told that there is room for.
    unsafe { GetConsoleProcessList(ids.as_mut_ptr(), 2) }
}
