//! The items that `map` emits and `reduce` sums: one move of one game, and the same move of many games.

use std::cmp::Ordering;

use crate::book::model::move_stats::{MoveStats, Years, result_number, result_of, tally_of};
use crate::bytes::external_sort::{Reduce, Summand};
use crate::bytes::varint;
use crate::game::Outcome;

/// One move of one game, in 16 bytes; 0 stands for an unknown rating or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Observation {
    /// The canonical key as SQLite holds it.
    pub(crate) key: i64,
    /// The move in the canonical frame.
    pub(crate) mv: u16,
    rating: u16,
    year: u16,
    result: u8,
}

const _: () = assert!(size_of::<Observation>() == 16);

impl Observation {
    pub(crate) fn new(
        key: i64,
        mv: u16,
        result: Option<Outcome>,
        rating: Option<u16>,
        year: Option<u16>,
    ) -> Self {
        let rating = rating.unwrap_or(0);
        let year = year.unwrap_or(0);
        Self { key, mv, rating, year, result: result_number(result) }
    }

    fn stats(self) -> MoveStats {
        tally_of(result_of(self.result), known(self.rating), known(self.year))
    }
}

/// A number of which 0 means that it is not known.
fn known(n: u16) -> Option<u16> {
    (n > 0).then_some(n)
}

/// A move of a position, summed over games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveSum {
    /// The canonical key as SQLite holds it; observations are ordered by it, as signed integers.
    pub key: i64,
    /// The move in the canonical frame, packed.
    pub mv: u16,
    /// The sums.
    pub stats: MoveStats,
}

/// The order of keys, as signed integers, then moves, in one number: compared without branches.
const fn rank(key: i64, mv: u16) -> u128 {
    ((key.cast_unsigned() ^ 1 << 63) as u128) << 16 | mv as u128
}

impl Reduce for MoveSum {
    type Item = Observation;

    fn item_order(a: &Observation, b: &Observation) -> Ordering {
        rank(a.key, a.mv).cmp(&rank(b.key, b.mv))
    }

    fn item_size(_item: &Observation) -> usize {
        size_of::<Observation>()
    }

    fn begin(item: Observation) -> Self {
        Self { key: item.key, mv: item.mv, stats: item.stats() }
    }

    fn order(&self, other: &Self) -> Ordering {
        rank(self.key, self.mv).cmp(&rank(other.key, other.mv))
    }

    fn absorb(&mut self, other: Self) {
        self.stats.absorb(&other.stats);
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.mv.to_le_bytes());
        let t = &self.stats;
        let (min, max) = t.years.map_or((0, 0), |y| (y.min, y.max));
        for n in [t.games, t.first, t.draws, t.second, t.rating_sum, t.rating_count] {
            varint::put(out, n);
        }
        varint::put(out, min.into());
        varint::put(out, max.into());
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let key = i64::from_le_bytes(*input.split_off(..8)?.first_chunk()?);
        let mv = u16::from_le_bytes(*input.split_off(..2)?.first_chunk()?);
        let mut n = [0; 6];
        for n in &mut n {
            *n = varint::take(input)?;
        }
        let [games, first, draws, second, rating_sum, rating_count] = n;
        let min = u16::try_from(varint::take(input)?).ok()?;
        let max = u16::try_from(varint::take(input)?).ok()?;
        let years = (max > 0).then_some(Years { min, max });
        let stats = MoveStats { games, first, draws, second, rating_sum, rating_count, years };
        Some(Self { key, mv, stats })
    }
}

/// An [`MoveSum`] that is itself summed further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Summed(pub(crate) MoveSum);

impl Summand for Summed {
    fn order(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }

    fn absorb(&mut self, other: Self) {
        self.0.absorb(other.0);
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        MoveSum::take(input).map(Self).filter(Self::is_sound)
    }
}

impl Summed {
    /// Returns true if the sums are consistent.
    pub(crate) fn is_sound(&self) -> bool {
        let t = &self.0.stats;
        let decided = t.first.checked_add(t.draws).and_then(|sum| sum.checked_add(t.second));
        decided.is_some_and(|decided| decided <= t.games)
            && t.rating_count <= t.games
            && t.years.is_none_or(|years| years.min <= years.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::model::move_stats::tests::any_tally;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn put_then_take_is_identity(key: i64, mv: u16, stats in any_tally()) {
            let observation = MoveSum { key, mv, stats };
            let mut bytes = Vec::new();
            observation.put(&mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(MoveSum::take(&mut rest), Some(observation));
            prop_assert!(rest.is_empty());
        }
    }
}
