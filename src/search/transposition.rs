//! The transposition table, shared by all threads of a search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::bytes::memory;
use crate::game::Bound;
use crate::hash::Key;
use crate::search::options::{MAX_HASH_MIB, SearchError};
use crate::search::score::Score;
use crate::search::tunables::AGE_PENALTY;

/// Slots in a bucket: one cache line of 64 bytes.
const BUCKET: usize = 4;
/// Ages wrap here: five bits.
const AGES: u8 = 32;
/// Packed in place of "no move"; no game's move has these bits.
const NO_MOVE: u16 = u16::MAX;
/// Packed in place of "no evaluation".
const NO_EVAL: i16 = i16::MIN;

/// An entry of the transposition table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TtEntry {
    /// The best move as 16 bits ([`Packed`](crate::game::Packed)).
    pub(crate) mv: Option<u16>,
    /// As seen from the position itself.
    pub(crate) score: Score,
    /// The static evaluation, if there is one.
    pub(crate) eval: Option<i16>,
    /// Plies searched below the position, 0 for quiescence.
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    /// True if the position was once on a principal variation.
    pub(crate) was_pv: bool,
    /// The search that wrote it, modulo 32.
    pub(crate) age: u8,
}

impl TtEntry {
    /// The same entry with a bound that says nothing, for scores that do not belong to the position.
    pub(crate) fn without_score(self) -> Self {
        Self { score: -Score::INFINITE, depth: 0, bound: Bound::Lower, ..self }
    }

    /// Returns true if the score says anything.
    pub(crate) fn has_score(&self) -> bool {
        self.score != -Score::INFINITE
    }

    /// 64 bits, never 0: move 16, score 16, evaluation 16, depth 8, bound 2, was-PV 1, age 5.
    fn pack(self) -> u64 {
        u64::from(self.mv.unwrap_or(NO_MOVE))
            | u64::from(self.score.bits()) << 16
            | u64::from(self.eval.unwrap_or(NO_EVAL).cast_unsigned()) << 32
            | u64::from(self.depth) << 48
            // No bound has the number 0, so that no entry packs to 0, which is an empty slot.
            | (self.bound as u64) << 56
            | u64::from(self.was_pv) << 58
            | u64::from(self.age % AGES) << 59
    }

    /// The inverse of [`pack`](Self::pack); `None` for an empty slot.
    fn unpack(bits: u64) -> Option<Self> {
        let bound = match bits >> 56 & 3 {
            1 => Bound::Exact,
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => return None,
        };
        let mv = bits as u16;
        let eval = ((bits >> 32) as u16).cast_signed();
        Some(Self {
            mv: (mv != NO_MOVE).then_some(mv),
            score: Score::from_bits((bits >> 16) as u16),
            eval: (eval != NO_EVAL).then_some(eval),
            depth: (bits >> 48) as u8,
            bound,
            was_pv: bits >> 58 & 1 == 1,
            age: (bits >> 59) as u8,
        })
    }
}

/// A key and an entry. Two words written without a lock; the key is stored mixed with the entry,
/// so that a slot torn by two writers matches no key (Hyatt and Mann 2002).
#[derive(Debug, Default)]
struct Slot {
    mixed: AtomicU64,
    entry: AtomicU64,
}

/// The slots that one key may use, in one cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

const _: () = assert!(size_of::<Bucket>() == 64);

impl Slot {
    fn read(&self) -> (u64, u64) {
        let entry = self.entry.load(Relaxed);
        (self.mixed.load(Relaxed) ^ entry, entry)
    }

    fn write(&self, key: u64, entry: u64) {
        // Relaxed suffices: the two words need not become visible in order, because a mixture of two writes
        // fails the comparison with the key.
        self.mixed.store(key ^ entry, Relaxed);
        self.entry.store(entry, Relaxed);
    }
}

/// A table of positions searched before, shared by all threads without locks. The low bits of a
/// key choose the bucket, all 64 verify the entry.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    buckets: Vec<Bucket>,
    /// Number of buckets less one; the number is a power of two.
    mask: usize,
    age: u8,
}

impl TranspositionTable {
    /// A table of at most `mib` MiB, down to the next power of two.
    pub(crate) fn new(mib: usize) -> Result<Self, SearchError> {
        if mib == 0 || mib > MAX_HASH_MIB {
            return Err(SearchError::HashSize { mib });
        }
        let count = 1 << ((mib << 20) / size_of::<Bucket>()).ilog2();
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| SearchError::Memory { mib })?;
        memory::prefer_large_pages(&mut buckets);
        buckets.resize_with(count, Bucket::default);
        Ok(Self { buckets, mask: count - 1, age: 0 })
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.age = 0;
    }

    /// Begins a new search: older entries give way first.
    pub(crate) fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    #[inline]
    fn bucket(&self, key: Key) -> &[Slot; BUCKET] {
        &self.buckets[key.0 as usize & self.mask].0
    }

    /// Prefetches the bucket of this key, which will be probed soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: Key) {
        memory::prefetch(self.bucket(key));
    }

    /// The entry for the position with this key.
    pub(crate) fn probe(&self, key: Key) -> Option<TtEntry> {
        self.bucket(key).iter().find_map(|slot| {
            let (stored, entry) = slot.read();
            if stored == key.0 { TtEntry::unpack(entry) } else { None }
        })
    }

    /// Keeps `entry` (its age is set here), over the same position or the least valuable entry
    /// of the bucket: the shallowest, two plies counted off for each search since.
    pub(crate) fn store(&self, key: Key, mut entry: TtEntry) {
        entry.age = self.age;
        let mut victim = None;
        let mut least = i32::MAX;
        for slot in self.bucket(key) {
            let (stored, old) = slot.read();
            let Some(old) = TtEntry::unpack(old) else {
                // The first empty slot; the others are looked at all the same, for the position may be there.
                if least > i32::MIN {
                    least = i32::MIN;
                    victim = Some(slot);
                }
                continue;
            };
            if stored == key.0 {
                if !self.replaces(entry, old) {
                    return;
                }
                // A node that failed low knows no best move; the one found before is still the best guess.
                entry.mv = entry.mv.or(old.mv);
                slot.write(key.0, entry.pack());
                return;
            }
            let worth = i32::from(old.depth) - AGE_PENALTY * i32::from(self.years_since(old.age));
            if worth < least {
                least = worth;
                victim = Some(slot);
            }
        }
        if let Some(slot) = victim {
            slot.write(key.0, entry.pack());
        }
    }

    /// Returns true if a new entry of the same position is worth more than the old one.
    fn replaces(&self, new: TtEntry, old: TtEntry) -> bool {
        // A slightly shallower result is fresher and fits the window in use; a much shallower one would
        // throw work away.
        new.bound == Bound::Exact || old.age != self.age || new.depth + 3 >= old.depth
    }

    fn years_since(&self, age: u8) -> u8 {
        // Ages wrap: an entry of 32 searches ago counts as new, which costs a worse choice of victim and
        // nothing else.
        (self.age + AGES - age) % AGES
    }

    /// The share of slots written by this search, of 1,000, from a sample.
    pub(crate) fn permille_used(&self) -> u32 {
        let used = |slot: &Slot| {
            TtEntry::unpack(slot.entry.load(Relaxed)).is_some_and(|entry| entry.age == self.age)
        };
        // Keys are spread evenly, so that the first 1,000 slots stand for all of them.
        let sample = self.buckets.iter().take(1_000 / BUCKET);
        sample.flat_map(|bucket| &bucket.0).filter(|slot| used(slot)).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = TtEntry> {
        let bound = prop::sample::select(vec![Bound::Exact, Bound::Lower, Bound::Upper]);
        (
            prop::option::of(0..u16::MAX),
            -30_000..=30_000,
            prop::option::of(-20_000..=20_000_i16),
            any::<u8>(),
            bound,
            any::<bool>(),
            0..AGES,
        )
            .prop_map(|(mv, score, eval, depth, bound, was_pv, age)| TtEntry {
                mv,
                score: Score::DRAW + score,
                eval,
                depth,
                bound,
                was_pv,
                age,
            })
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(entry in entries()) {
            prop_assert_eq!(TtEntry::unpack(entry.pack()), Some(entry));
        }

        #[test]
        fn what_was_just_stored_is_found(entry in entries(), key in any::<u64>()) {
            let table = TranspositionTable::new(1).unwrap();
            table.store(Key(key), entry);
            let found = table.probe(Key(key)).unwrap();
            prop_assert_eq!(found, TtEntry { age: 0, ..entry });
            prop_assert_eq!(table.probe(Key(!key)), None);
        }
    }

    #[test]
    fn bad_sizes_are_refused() {
        assert!(TranspositionTable::new(0).is_err());
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }

    fn entry(depth: u8) -> TtEntry {
        TtEntry {
            mv: None,
            score: Score::DRAW,
            eval: None,
            depth,
            bound: Bound::Lower,
            was_pv: false,
            age: 0,
        }
    }

    /// Keys of one bucket: the low bits, which choose it, are 0.
    fn key(n: u64) -> Key {
        Key(n << 32)
    }

    #[test]
    fn a_full_bucket_gives_up_its_shallowest_entry() {
        let table = TranspositionTable::new(1).unwrap();
        for n in 0..4 {
            table.store(key(n), entry(10 + n as u8));
        }
        table.store(key(9), entry(1));
        assert_eq!(table.probe(key(0)), None);
        assert!((1..4).chain([9]).all(|n| table.probe(key(n)).is_some()));
    }
}
