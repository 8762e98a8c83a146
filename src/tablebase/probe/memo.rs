//! Rebuilt values at hand, without locks: a word for each place holds the value and all of its key
//! that the place does not say, so that it is written and read whole.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::tablebase::format::{symbol_of, wdl_of};
use crate::tablebase::value::Entry;

/// Bits of a key: of the number of a table, and of a spot in it.
const KEY_BITS: u32 = 50;
/// Places, as a power of two.
const PLACE_BITS: u32 = 17;
/// The bits of a key that a word holds.
const REST_BITS: u32 = KEY_BITS - PLACE_BITS;
// With 33 bits of the key and two of the result, a word uses 59 of its 64 bits: the highest is free for the mark.
const ORDER_BITS: u32 = 10;
const DISTANCE_BITS: u32 = 14;
/// Set in the word of every value.
const IS_THERE: u64 = 1 << 63;

/// The values last rebuilt: one of all whose keys fall into a place. Its 1 MiB is taken when the first
/// value is put.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    places: OnceLock<Box<[AtomicU64]>>,
}

impl Memo {
    /// The value of a key.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let (place, rest) = split(key)?;
        let word = self.places.get()?[place].load(Relaxed);
        let is_it = word & IS_THERE != 0 && word & low_bits(REST_BITS) == rest;
        is_it.then(|| unpacked(word >> REST_BITS)).flatten()
    }

    /// Keeps the value of a key in place of what was there; keys from 2⁵⁰ on are not kept.
    #[inline]
    pub(crate) fn put(&self, key: u64, value: Entry) {
        let (Some((place, rest)), Some(data)) = (split(key), packed(value)) else { return };
        let places = self.places.get_or_init(|| {
            std::iter::repeat_with(AtomicU64::default).take(1 << PLACE_BITS).collect()
        });
        // One word holds everything, so that no reader sees the key of one value with the content of
        // another.
        places[place].store(IS_THERE | data << REST_BITS | rest, Relaxed);
    }

    /// Forgets all values.
    pub(crate) fn clear(&self) {
        self.places.get().into_iter().flatten().for_each(|word| word.store(0, Relaxed));
    }
}

const fn low_bits(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The place of a key, and the rest of it: the high and the low bits of its product with an odd number,
/// which no other key has.
const fn split(key: u64) -> Option<(usize, u64)> {
    if key >> KEY_BITS != 0 {
        return None;
    }
    // Multiplying by an odd number is one to one modulo a power of two: place and rest together are the key
    // again.
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) & low_bits(KEY_BITS);
    Some(((product >> REST_BITS) as usize, product & low_bits(REST_BITS)))
}

fn packed(value: Entry) -> Option<u64> {
    let order = u64::from(value.order);
    let distance = u64::from(value.distance);
    let fits = order >> ORDER_BITS == 0 && distance >> DISTANCE_BITS == 0;
    let wdl = u64::from(symbol_of(value.wdl));
    fits.then_some((wdl << ORDER_BITS | order) << DISTANCE_BITS | distance)
}

fn unpacked(data: u64) -> Option<Entry> {
    let wdl = wdl_of((data >> (ORDER_BITS + DISTANCE_BITS) & 3) as u16)?;
    let order = (data >> DISTANCE_BITS & low_bits(ORDER_BITS)) as u16;
    Some(Entry { wdl, order, distance: (data & low_bits(DISTANCE_BITS)) as u16 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The place of a key.
    fn place(key: u64) -> Option<usize> {
        split(key).map(|(place, _)| place)
    }

    #[test]
    fn the_last_value_of_a_key_is_found_and_no_other() {
        let memo = Memo::default();
        assert_eq!(memo.get(0), None);
        for value in [Entry::win(0, 1), Entry::loss(999, 0x3ffe), Entry::DRAW] {
            memo.put(0, value);
            assert_eq!((memo.get(0), memo.get(1)), (Some(value), None));
        }
        let other = (1..).find(|&key| place(key) == place(0)).unwrap();
        memo.put(other, Entry::win(2, 3));
        assert_eq!((memo.get(0), memo.get(other)), (None, Some(Entry::win(2, 3))));
        memo.clear();
        assert_eq!((memo.get(0), memo.get(other)), (None, None));
        for (key, value) in
            [(1 << KEY_BITS, Entry::DRAW), (0, Entry::win(1024, 1)), (0, Entry::win(1, u16::MAX))]
        {
            memo.put(key, value);
            assert_eq!(memo.get(key), None);
        }
    }

    proptest! {
        #[test]
        fn keys_are_their_place_and_their_rest(a in 0..1u64 << KEY_BITS, b in 0..1u64 << KEY_BITS) {
            prop_assert_eq!(split(a) == split(b), a == b);
            prop_assert!(split(a) != split(a ^ 1) && split(a) != split(a ^ 1 << (KEY_BITS - 1)));
        }

        #[test]
        fn values_are_packed_without_loss(order in 0u16..1 << ORDER_BITS, distance in 0u16..1 << DISTANCE_BITS) {
            for value in [Entry::win(order, distance), Entry::loss(order, distance), Entry::DRAW] {
                prop_assert_eq!(packed(value).and_then(unpacked), Some(value));
            }
        }
    }
}
