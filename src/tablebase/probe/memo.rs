//! Rebuilt values at hand, without locks: each place has a word of data and the exclusive or of key
//! and data, so that two halves of different writers match no key (R. Hyatt and T. Mann, "A lockless
//! transposition-table implementation for parallel search", ICGA Journal 25, 2002).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::tablebase::value::{Entry, Wdl};

/// Places, as a power of two.
const BITS: u32 = 16;
/// Set in the data of every value: a place never written matches no key.
const IS_THERE: u64 = 1 << 63;

/// The values last rebuilt: one of all whose keys fall into a place. Its 1 MiB is taken when the first
/// value is put.
#[derive(Debug, Default)]
pub(in crate::tablebase) struct Memo {
    places: OnceLock<Box<[[AtomicU64; 2]]>>,
}

impl Memo {
    /// The value of a key.
    #[inline]
    pub(in crate::tablebase) fn get(&self, key: u64) -> Option<Entry> {
        let [check, data] = &self.places.get()?[place(key)];
        let data = data.load(Relaxed);
        (check.load(Relaxed) ^ data == key && data & IS_THERE != 0).then(|| unpacked(data))
    }

    /// Keeps the value of a key in place of what was there.
    #[inline]
    pub(in crate::tablebase) fn put(&self, key: u64, value: Entry) {
        let places = self.places.get_or_init(|| {
            (0..1 << BITS).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect()
        });
        let [check, data] = &places[place(key)];
        let packed = packed(value);
        check.store(key ^ packed, Relaxed);
        data.store(packed, Relaxed);
    }

    /// Forgets all values.
    pub(in crate::tablebase) fn clear(&self) {
        for word in self.places.get().into_iter().flatten().flatten() {
            word.store(0, Relaxed);
        }
    }
}

/// The place of a key, by Fibonacci hashing.
const fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}

fn packed(value: Entry) -> u64 {
    let wdl = match value.wdl {
        Wdl::Loss => 0,
        Wdl::Draw => 1,
        Wdl::Win => 2,
    };
    IS_THERE | wdl << 32 | u64::from(value.order) << 16 | u64::from(value.distance)
}

fn unpacked(data: u64) -> Entry {
    let wdl = match data >> 32 & 3 {
        0 => Wdl::Loss,
        1 => Wdl::Draw,
        _ => Wdl::Win,
    };
    Entry { wdl, order: (data >> 16) as u16, distance: data as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_is_found_and_no_other() {
        let memo = Memo::default();
        assert_eq!(memo.get(0), None);
        for value in [Entry::win(0, 1), Entry::loss(999, u16::MAX), Entry::DRAW] {
            memo.put(0, value);
            assert_eq!((memo.get(0), memo.get(1)), (Some(value), None));
        }
        let other = (1..).find(|&key| place(key) == place(0)).unwrap();
        memo.put(other, Entry::win(2, 3));
        assert_eq!((memo.get(0), memo.get(other)), (None, Some(Entry::win(2, 3))));
        memo.clear();
        assert_eq!((memo.get(0), memo.get(other)), (None, None));
    }

    /// Threads that write into one place never make a value of another key.
    #[test]
    fn halves_of_two_writers_match_no_key() {
        let memo = Memo::default();
        let keys: Vec<u64> = (0..).filter(|&key| place(key) == 0).take(4).collect();
        std::thread::scope(|scope| {
            for (number, &key) in keys.iter().enumerate() {
                let memo = &memo;
                scope.spawn(move || {
                    for distance in 0..20_000 {
                        memo.put(key, Entry::win(number as u16, distance));
                        let found = memo.get(key);
                        assert!(found.is_none_or(|value| usize::from(value.order) == number));
                    }
                });
            }
        });
    }
}
