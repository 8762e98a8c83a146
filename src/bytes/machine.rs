//! Free memory and disk space of the machine, only for refusing early what cannot fit, its cores, and the console. No
//! result depends on them.

use std::io;
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Number of cores, 1 where that is not known.
#[must_use]
pub fn cores() -> NonZero<usize> {
    available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// A pool of this number of threads; of one for each core if it is not given.
pub(crate) fn pool(threads: Option<NonZero<usize>>) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZero::get)).build()
}

/// Bytes of memory available without swapping: the kernel's figure (Linux, Windows), at most the limit of the
/// process's control group (Linux). `None` where that is not known.
#[must_use]
pub fn available_memory() -> Option<u64> {
    #[cfg(windows)]
    return super::windows::available_memory();
    #[cfg(not(windows))]
    available_to_group()
}

/// The memory that Linux has for the control group of this process.
#[cfg(not(windows))]
fn available_to_group() -> Option<u64> {
    let machine = available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    // The word `max`, for no limit, is no number.
    let limit = group.and_then(|text| text.trim().parse().ok());
    Some(limit.map_or(machine, |limit: u64| limit.min(machine)))
}

/// The available memory of a text like `/proc/meminfo`, in bytes.
#[cfg(any(not(windows), test))]
fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes that an ordinary user may still write in the file system of a folder, which need not exist
/// yet: its nearest ancestor counts then. `None` where that is not known.
///
/// # Errors
///
/// Those of the file system.
pub fn free_space(dir: &Path) -> io::Result<Option<u64>> {
    let dir = std::path::absolute(dir)?;
    let existing = dir.ancestors().find(|path| path.is_dir());
    existing.map_or(Ok(None), free_at)
}

#[cfg(unix)]
fn free_at(path: &Path) -> io::Result<Option<u64>> {
    let status = rustix::fs::statvfs(path)?;
    Ok(status.f_bavail.checked_mul(status.f_frsize))
}

#[cfg(windows)]
fn free_at(path: &Path) -> io::Result<Option<u64>> {
    Ok(super::windows::free_space(path))
}

#[cfg(not(any(unix, windows)))]
fn free_at(_path: &Path) -> io::Result<Option<u64>> {
    Ok(None)
}

/// Returns true if this process alone has a console (Windows): it was started by a double click rather than from a
/// command line, and the console goes when it ends.
#[must_use]
pub fn has_own_console() -> bool {
    #[cfg(windows)]
    return super::windows::processes_at_console() == 1;
    #[cfg(not(windows))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        let text = "MemTotal:       24689764 kB\nMemAvailable:   24000000 kB\n";
        assert_eq!(available_in(text), Some(24_000_000 * 1024));
        for wrong in ["", "MemAvailable: many kB", "MemAvailable: 5 MB"] {
            assert_eq!(available_in(wrong), None, "{wrong}");
        }
    }

    #[cfg(any(target_os = "linux", windows))]
    #[test]
    fn the_machine_has_memory() {
        assert!(available_memory().is_some_and(|free| free > 0));
    }

    #[cfg(any(unix, windows))]
    #[test]
    fn folders_yet_to_be_made_have_the_space_of_their_ancestor() {
        let folder = tempfile::tempdir().unwrap();
        let free = free_space(&folder.path().join("a/b")).unwrap();
        assert!(free.is_some_and(|free| free > 0));
    }
}
