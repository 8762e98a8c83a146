//! The memory and the threads that a manager allows.

use crate::bytes::machine::available_memory;
use crate::protocol::session::engine_handle::MachineOptions;
use crate::search::{MAX_HASH_MIB, MAX_THREADS};

/// The memory of the program without its transposition table, in MiB: what the manager allows is less this.
const PROGRAM_MIB: u64 = 24;
/// The memory of each thread besides the first, in MiB.
const THREAD_MIB: u64 = 4;
/// The largest transposition table that a limit of memory leads to, in MiB.
const LARGEST_MIB: u64 = 1024;

/// The size of the transposition table and the number of threads, as `INFO` lines lead to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The size of the transposition table without a limit of memory, in MiB.
    usual_hash: usize,
    /// The one that is wanted.
    pub(crate) hash: usize,
    /// Bytes that the whole program may have; 0 without a limit.
    limit: i64,
    /// Threads that were asked for.
    asked: usize,
    /// Those that are wanted.
    pub(crate) threads: usize,
}

impl Memory {
    /// The values before the manager says anything.
    pub(crate) const fn new(hash_mib: usize, threads: usize) -> Self {
        Self { usual_hash: hash_mib, hash: hash_mib, limit: 0, asked: threads, threads }
    }

    /// `INFO max_memory`: the bytes that the whole program may have.
    pub(crate) fn set_limit(&mut self, bytes: i64) {
        self.limit = bytes;
        self.hash = self.usual_hash;
        self.fit();
    }

    /// `INFO hash_size`: the KiB of the transposition table.
    pub(crate) fn set_hash(&mut self, kib: i64) {
        self.hash = hash_of_kib(kib);
    }

    /// `INFO thread_num`.
    pub(crate) fn set_threads(&mut self, count: i64) {
        self.asked = threads(count);
        self.fit();
    }

    /// Wants no more than the engine could have.
    pub(crate) const fn keep(&mut self, kept: MachineOptions) {
        self.hash = kept.hash_mib;
        self.threads = kept.threads;
    }

    /// As many threads as were asked for, and a transposition table, as far as the memory allows.
    fn fit(&mut self) {
        self.threads = self.asked;
        if let Some(fitting) = within_memory(self.limit, self.asked) {
            self.keep(fitting);
        }
    }
}

/// The size of the transposition table and the number of threads, of those wanted, where the whole program may have
/// `bytes`; `None` without a limit. A table is never larger than half of the free memory, and threads besides the
/// first have at most half of what is allowed.
fn within_memory(bytes: i64, threads: usize) -> Option<MachineOptions> {
    let allowed = u64::try_from(bytes).ok().filter(|&bytes| bytes > 0)? >> 20;
    let room = allowed.saturating_sub(PROGRAM_MIB);
    let helpers = (threads as u64).saturating_sub(1).min(room / 2 / THREAD_MIB);
    let free = available_memory().map_or(LARGEST_MIB, |free| free >> 21);
    let mib = ((room - helpers * THREAD_MIB) * 3 / 4).min(free).clamp(1, LARGEST_MIB);
    let hash_mib = usize::try_from(mib).ok()?;
    Some(MachineOptions { hash_mib, threads: usize::try_from(helpers).ok()? + 1 })
}

/// The size of the transposition table in MiB that a number of KiB means.
fn hash_of_kib(kib: i64) -> usize {
    usize::try_from(kib >> 10).unwrap_or(1).clamp(1, MAX_HASH_MIB)
}

/// The number of threads that a value of `thread_num` means.
fn threads(value: i64) -> usize {
    usize::try_from(value).unwrap_or(1).clamp(1, MAX_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in MiB and the threads within that number of bytes.
    fn within(bytes: i64, threads: usize) -> Option<(usize, usize)> {
        within_memory(bytes, threads)
            .map(|MachineOptions { hash_mib, threads }| (hash_mib, threads))
    }

    #[test]
    fn memory_leaves_room_for_the_program() {
        assert_eq!(within(0, 1), None);
        assert_eq!(within(-1, 1), None);
        assert_eq!(within(1, 9), Some((1, 1)));
        assert_eq!(within(83_886_080, 1), Some((42, 1)));
        assert_eq!(within(83_886_080, 8), Some((21, 8)));
        assert_eq!(within(83_886_080, 256), Some((21, 8)));
        let (hash, threads) = within(i64::MAX, 256).unwrap();
        assert!(hash <= LARGEST_MIB as usize && threads == 256);
        assert_eq!([-1, 0, 2048, i64::MAX].map(hash_of_kib), [1, 1, 2, MAX_HASH_MIB]);
        assert_eq!([-1, 0, 2, i64::MAX].map(super::threads), [1, 1, 2, MAX_THREADS]);
    }

    #[test]
    fn without_a_limit_all_is_as_usual_again() {
        let mut memory = Memory::new(16, 1);
        memory.set_threads(8);
        memory.set_limit(83_886_080);
        assert_eq!((memory.hash, memory.threads), (21, 8));
        memory.set_limit(0);
        assert_eq!((memory.hash, memory.threads), (16, 8));
    }
}
