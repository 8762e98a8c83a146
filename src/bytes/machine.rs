//! Free memory and disk space of the machine, only for refusing early what cannot fit, and its cores. No result
//! depends on them.

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

/// Bytes of memory available without swapping: the kernel's figure (Linux), at most the limit of the
/// process's control group. `None` where that is not known.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let machine = available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = group.and_then(|text| text.trim().parse().ok());
    Some(limit.map_or(machine, |limit: u64| limit.min(machine)))
}

/// The available memory of a text like `/proc/meminfo`, in bytes.
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
    let existing = dir.ancestors().find(|path| path.exists());
    existing.map_or(Ok(None), free_at)
}

#[cfg(unix)]
fn free_at(path: &Path) -> io::Result<Option<u64>> {
    let status = rustix::fs::statvfs(path)?;
    Ok(status.f_bavail.checked_mul(status.f_frsize))
}

#[cfg(not(unix))]
fn free_at(_path: &Path) -> io::Result<Option<u64>> {
    Ok(None)
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

    #[cfg(unix)]
    #[test]
    fn folders_yet_to_be_made_have_the_space_of_their_ancestor() {
        let folder = tempfile::tempdir().unwrap();
        let free = free_space(&folder.path().join("a/b")).unwrap();
        assert!(free.is_some_and(|free| free > 0));
    }
}
