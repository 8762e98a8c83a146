//! The positions of games as sorted lists of bytes.
//!
//! A position of a line is a [`Posting`]: its key, the line, the ply at which it was first on the board, and the move made
//! there. The postings of many lines are sorted and written as one segment: a list of bytes for each [`bucket`], which is
//! the upper part of the key. Keys have [`KEY_BITS`] bits there, the upper ones of the canonical key: two positions
//! share them once in some million collections.

use std::collections::HashSet;

use crate::bytes::varint;
use crate::hash::Key;

/// Bits of a key that are kept, and those of them that number the buckets.
const KEY_BITS: u32 = 52;
const BUCKET_BITS: u32 = 12;

/// The number of buckets.
pub(crate) const BUCKETS: u64 = 1 << BUCKET_BITS;

/// The number that stands for no move.
const NO_MOVE: u16 = u16::MAX;

/// A position of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    // Lists are sorted by the fields in this order.
    /// The kept bits of the canonical key.
    key: u64,
    pub(crate) line: u64,
    /// Moves before it.
    pub(crate) ply: u32,
    /// The move made there, packed, in the canonical frame.
    next: u16,
}

impl Posting {
    pub(crate) fn new(key: Key, line: u64, ply: u32, next: Option<u16>) -> Self {
        Self { key: kept(key), line, ply, next: next.unwrap_or(NO_MOVE) }
    }

    /// The number of the line as the rows of the file have it.
    pub(crate) const fn line_number(&self) -> i64 {
        self.line.cast_signed()
    }

    /// The same of a line of that number.
    pub(crate) const fn of_line(self, line: u64) -> Self {
        Self { line, ..self }
    }

    /// The kept bits of the canonical key.
    pub(crate) const fn key(&self) -> u64 {
        self.key
    }

    /// The move made there, packed, in the canonical frame.
    pub(crate) fn next(&self) -> Option<u16> {
        (self.next != NO_MOVE).then_some(self.next)
    }

    /// Returns true if `other` is the same position of the same line.
    pub(crate) const fn is_same_position(&self, other: &Self) -> bool {
        self.key == other.key && self.line == other.line
    }

    /// The bucket that it belongs to.
    const fn bucket(&self) -> u64 {
        self.key >> (KEY_BITS - BUCKET_BITS)
    }
}

/// The bits of a key that are kept.
pub(crate) const fn kept(key: Key) -> u64 {
    key.0 >> (u64::BITS - KEY_BITS)
}

/// The bucket of a key.
pub(crate) const fn bucket(key: Key) -> u64 {
    kept(key) >> (KEY_BITS - BUCKET_BITS)
}

/// Hands over the bucket and the bytes of each stretch of sorted postings that share a bucket.
pub(crate) fn buckets<E>(
    postings: &mut [Posting],
    mut take: impl FnMut(u64, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    postings.sort_unstable();
    let mut bytes = Vec::new();
    for stretch in postings.chunk_by(|a, b| a.bucket() == b.bucket()) {
        bytes.clear();
        put(&mut bytes, stretch);
        take(stretch[0].bucket(), &bytes)?;
    }
    Ok(())
}

/// Writes sorted postings of one bucket.
fn put(out: &mut Vec<u8>, postings: &[Posting]) {
    let mut key = postings[0].bucket() << (KEY_BITS - BUCKET_BITS);
    let mut line = 0;
    // Keys ascend, and lines within a key: the differences are small and not negative.
    for posting in postings {
        varint::put(out, posting.key - key);
        if posting.key != key {
            line = 0;
        }
        varint::put(out, posting.line - line);
        varint::put(out, posting.ply.into());
        out.extend_from_slice(&posting.next.to_le_bytes());
        (key, line) = (posting.key, posting.line);
    }
}

/// Adds the postings of a key among the bytes of its bucket; `None` if these are no postings.
pub(crate) fn collect(key: Key, bytes: &[u8], found: &mut Vec<Posting>) -> Option<()> {
    read(bucket(key), bytes, |posting| {
        if posting.key == kept(key) {
            found.push(posting);
        }
        posting.key <= kept(key)
    })
}

/// Hands over the postings of several keys, their kept bits that is, among the bytes of their bucket; `None` if these are no postings.
pub(crate) fn collect_any(
    keys: &HashSet<u64>,
    bucket: u64,
    bytes: &[u8],
    take: &mut impl FnMut(&Posting),
) -> Option<()> {
    read(bucket, bytes, |posting| {
        if keys.contains(&posting.key) {
            take(&posting);
        }
        true
    })
}

/// Adds all postings among the bytes of a bucket; `None` if these are no postings.
pub(crate) fn collect_all(bucket: u64, bytes: &[u8], found: &mut Vec<Posting>) -> Option<()> {
    read(bucket, bytes, |posting| {
        found.push(posting);
        true
    })
}

/// Reads the postings of a bucket as long as `take` wants more; `None` if the bytes are none.
fn read(bucket: u64, mut bytes: &[u8], mut take: impl FnMut(Posting) -> bool) -> Option<()> {
    let mut at = bucket << (KEY_BITS - BUCKET_BITS);
    let mut line = 0_u64;
    while !bytes.is_empty() {
        let step = varint::take(&mut bytes)?;
        // A step may be any number in a damaged file: a key of another bucket is no posting.
        at = at.checked_add(step).filter(|at| at >> (KEY_BITS - BUCKET_BITS) == bucket)?;
        if step > 0 {
            line = 0;
        }
        line = line.checked_add(varint::take(&mut bytes)?)?;
        let ply = u32::try_from(varint::take(&mut bytes)?).ok()?;
        let next = u16::from_le_bytes(*bytes.split_off(..2)?.first_chunk()?);
        if !take(Posting { key: at, line, ply, next }) {
            break;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_posting_is_found_again(
            keys in prop::collection::vec(any::<u64>(), 1..40),
            picks in prop::collection::vec((any::<prop::sample::Index>(), 0u64..1 << 40, any::<u32>(), any::<u16>()), 1..80),
        ) {
            let mut postings: Vec<_> = picks.iter()
                .map(|(key, line, ply, next)| {
                    Posting::new(Key(*key.get(&keys)), *line, *ply, Some(*next))
                })
                .collect();
            let mut expected = postings.clone();
            expected.sort_unstable();
            let mut segments = std::collections::BTreeMap::new();
            buckets(&mut postings, |bucket, bytes| {
                segments.insert(bucket, bytes.to_vec());
                Ok::<(), ()>(())
            }).unwrap();
            let mut distinct: Vec<Key> = keys.iter().copied().map(Key).collect();
            distinct.sort_unstable_by_key(|&key| kept(key));
            distinct.dedup_by_key(|key| kept(*key));
            let mut found = Vec::new();
            for key in distinct {
                if let Some(bytes) = segments.get(&bucket(key)) {
                    collect(key, bytes, &mut found).unwrap();
                }
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn any_bytes_are_postings_or_none(key: u64, bytes: Vec<u8>) {
            collect(Key(key), &bytes, &mut Vec::new());
        }
    }
}
