//! Decoded blocks at hand: a set-associative cache with a lock for each set.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Independently locked sets.
const SETS: usize = 256;
/// Blocks of at most 32 KiB in each set.
const WAYS: usize = 8;

/// At most 64 MiB of decoded blocks, shared by all threads. Of a set, the block least recently used
/// goes first.
#[derive(Debug)]
pub(super) struct BlockCache {
    sets: Vec<LockedSet>,
}

/// A set in a cache line of its own: threads that ask for different sets do not share anything.
#[derive(Debug, Default)]
#[repr(align(64))]
struct LockedSet(Mutex<Set>);

/// The blocks whose keys fall into a set, the most recently used first.
#[derive(Debug, Default)]
struct Set {
    blocks: Vec<(u64, Box<[u8]>)>,
}

impl BlockCache {
    pub(super) fn new() -> Self {
        Self { sets: (0..SETS).map(|_| LockedSet::default()).collect() }
    }

    fn set(&self, key: u64) -> MutexGuard<'_, Set> {
        // Fibonacci hashing.
        let place = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        self.sets[place as usize % SETS].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the block to `read` if it is there.
    #[inline]
    pub(super) fn read<T>(&self, key: u64, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let mut set = self.set(key);
        let place = set.blocks.iter().position(|&(other, _)| other == key)?;
        set.blocks[..=place].rotate_right(1);
        Some(read(&set.blocks[0].1))
    }

    pub(super) fn put(&self, key: u64, block: Box<[u8]>) {
        let mut set = self.set(key);
        if set.blocks.iter().any(|&(other, _)| other == key) {
            return;
        }
        set.blocks.truncate(WAYS - 1);
        set.blocks.insert(0, (key, block));
    }

    /// Forgets all blocks.
    pub(super) fn clear(&self) {
        for set in &self.sets {
            set.0.lock().unwrap_or_else(PoisonError::into_inner).blocks.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_block_goes_first() {
        let cache = BlockCache::new();
        let key = |i: u64| (0..).filter(|&k| same_set(k)).nth(i as usize).unwrap();
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

    fn same_set(key: u64) -> bool {
        key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56 == 0
    }
}
