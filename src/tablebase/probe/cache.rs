//! Decoded blocks at hand: a set-associative cache with a lock for each set, in several lanes.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts of the cache. Threads are given one in turn unless they [choose](use_lane), so that a few
/// of them never wait for each other, not even for the cache line of a lock: most probes fall into
/// a few blocks.
const LANES: usize = 4;
/// Independently locked sets of a lane.
const SETS: usize = 128;
/// Blocks of at most 32 KiB in each set.
const WAYS: usize = 8;

static NEXT_LANE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static LANE: Cell<usize> = Cell::new(NEXT_LANE.fetch_add(1, Ordering::Relaxed) % LANES);
    static HAS_LOADED: Cell<bool> = const { Cell::new(false) };
}

/// Lets the calling thread use the lane of the worker with this number from now on. Threads that do
/// the same work one after the other find the blocks that the last of them has read.
pub(crate) fn use_lane(worker: usize) {
    LANE.set(worker % LANES);
}

/// Returns true if the calling thread has put a block into a cache since the last call: then a
/// probe has read from the disk.
pub(crate) fn take_loaded() -> bool {
    HAS_LOADED.replace(false)
}

/// At most 128 MiB of decoded blocks, of which a thread uses the 32 MiB of its lane. Of a set, the
/// block least recently used goes first.
#[derive(Debug)]
pub(crate) struct BlockCache {
    sets: Vec<LockedSet>,
}

/// A set in a cache line of its own: threads that use different sets do not share anything.
#[derive(Debug, Default)]
#[repr(align(64))]
struct LockedSet(Mutex<Set>);

/// The blocks whose keys fall into a set, the most recently used first.
#[derive(Debug, Default)]
struct Set {
    blocks: Vec<(u64, Box<[u8]>)>,
}

impl BlockCache {
    pub(crate) fn new() -> Self {
        Self { sets: (0..LANES * SETS).map(|_| LockedSet::default()).collect() }
    }

    fn set(&self, key: u64) -> MutexGuard<'_, Set> {
        let place = LANE.get() * SETS + place(key);
        self.sets[place].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the block to `read` if it is there.
    #[inline]
    pub(crate) fn read<T>(&self, key: u64, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let mut set = self.set(key);
        let place = set.blocks.iter().position(|&(other, _)| other == key)?;
        // Eight ways at most: moving them is cheaper than keeping times of use.
        set.blocks[..=place].rotate_right(1);
        Some(read(&set.blocks[0].1))
    }

    pub(crate) fn put(&self, key: u64, block: Box<[u8]>) {
        HAS_LOADED.set(true);
        let mut set = self.set(key);
        // Two threads of a lane may have decoded the same block at the same time.
        if set.blocks.iter().any(|&(other, _)| other == key) {
            return;
        }
        set.blocks.truncate(WAYS - 1);
        set.blocks.insert(0, (key, block));
    }

    /// Forgets all blocks.
    pub(crate) fn clear(&self) {
        for set in &self.sets {
            set.0.lock().unwrap_or_else(PoisonError::into_inner).blocks.clear();
        }
    }
}

/// The set of a key within a lane, by Fibonacci hashing.
const fn place(key: u64) -> usize {
    // The highest bits of the product depend on all of the key; its own low ones are nearly the same for
    // neighbours.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SETS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key of the first set, another one for each number.
    fn key(i: u64) -> u64 {
        (0..).filter(|&k| place(k) == 0).nth(i as usize).unwrap()
    }

    /// Reads a block in a new thread of a worker, which first puts it there if `put`; returns what was read and two
    /// answers of [`take_loaded`].
    fn read_as_worker(cache: &BlockCache, worker: usize, put: bool) -> (Option<u8>, bool, bool) {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                use_lane(worker);
                if put {
                    cache.put(7, Box::from([1]));
                }
                (cache.read(7, |block| block[0]), take_loaded(), take_loaded())
            });
            thread.join().unwrap()
        })
    }

    #[test]
    fn the_least_recently_used_block_goes_first() {
        let cache = BlockCache::new();
        for i in 0..WAYS as u64 {
            cache.put(key(i), Box::from([i as u8]));
        }
        assert_eq!(cache.read(key(0), |block| block[0]), Some(0));
        cache.put(key(WAYS as u64), Box::from([99]));
        assert_eq!(cache.read(key(0), |block| block[0]), Some(0));
        assert_eq!(cache.read(key(1), |block| block[0]), None);
        assert_eq!(cache.read(key(WAYS as u64), |block| block[0]), Some(99));
        cache.clear();
        assert_eq!(cache.read(key(0), |block| block[0]), None);
    }

    #[test]
    fn a_worker_finds_what_an_earlier_thread_of_its_number_has_read() {
        let cache = BlockCache::new();
        assert_eq!(read_as_worker(&cache, 0, true), (Some(1), true, false));
        for _ in 0..LANES {
            assert_eq!(read_as_worker(&cache, 0, false), (Some(1), false, false));
        }
        assert_eq!(read_as_worker(&cache, 1, false), (None, false, false));
    }
}
