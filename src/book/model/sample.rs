//! Sample games: the games behind a move of a book, by which people see how it was played.
//!
//! A book keeps the first of the games of each move in the order of their [`SampleId`]s, which begin with a rank:
//! higher ratings come first, then later years. Which games these are depends on the games alone, so the sums are
//! associative and commutative.

use std::cmp::Ordering;

use crate::book::model::counted_game::{CountedGame, FIRST_YEAR, GameId};
use crate::book::model::details::GameDetails;
use crate::book::model::move_stats::{RowKey, result_number, result_of};
use crate::bytes::external_sort::{Reduce, Summand};
use crate::bytes::varint;
use crate::game::Outcome;

/// The most sample games of a move.
pub const MAX_SAMPLES: u16 = 100;

/// Names a sample game: 3 bytes of rank, and the first 7 of its [`GameId`]. The least come first.
///
/// # Stability
///
/// These are in books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleId(pub [u8; 10]);

impl SampleId {
    /// The id of a game: 12 bits of the highest known rating of a player, inverted, then 12 bits of the year less
    /// 1800, inverted, then the beginning of the game's id.
    pub(crate) fn new(id: GameId, ratings: [Option<u16>; 2], year: Option<u16>) -> Self {
        let rating = ratings.into_iter().flatten().max().unwrap_or(0);
        // 0 stands for an unknown year.
        let year = year.map_or(0, |year| year.saturating_sub(FIRST_YEAR) + 1);
        let rank = (inverted(rating) << 12 | inverted(year)).to_be_bytes();
        let mut bytes = [0; 10];
        bytes[..3].copy_from_slice(&rank[1..]);
        bytes[3..].copy_from_slice(&id.0[..7]);
        Self(bytes)
    }
}

/// Twelve bits that are the smaller the greater the number is.
fn inverted(n: u16) -> u32 {
    0xfff - u32::from(n.min(0xfff))
}

/// A game of which a book keeps more than its moves' statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SampleGame {
    pub(crate) id: SampleId,
    pub(crate) result: Option<Outcome>,
    pub(crate) year: Option<u16>,
    /// By side.
    pub(crate) ratings: [Option<u16>; 2],
    pub(crate) details: GameDetails,
}

impl SampleGame {
    /// `None` where no details of the game were kept.
    pub(crate) fn of(game: &CountedGame) -> Option<Self> {
        let CountedGame { id, year, ratings, details, .. } = game;
        let details = (**details.as_ref()?).clone();
        let id = SampleId::new(*id, *ratings, *year);
        Some(Self { id, result: game.result(), year: *year, ratings: *ratings, details })
    }

    /// The facts beside the details, for comparison.
    const fn facts(&self) -> (u8, Option<u16>, [Option<u16>; 2]) {
        (result_number(self.result), self.year, self.ratings)
    }
}

impl Summand for SampleGame {
    fn size(&self) -> usize {
        size_of::<Self>() + self.details.size()
    }

    fn order(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }

    /// Of two games with one id, which there hardly are, the one with the better details.
    fn absorb(&mut self, other: Self) {
        if (other.details.order(), other.facts()) < (self.details.order(), self.facts()) {
            *self = other;
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        out.push(result_number(self.result));
        for n in [self.year, self.ratings[0], self.ratings[1]] {
            varint::put(out, n.unwrap_or(0).into());
        }
        self.details.put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let id = SampleId(*input.split_off(..10)?.first_chunk()?);
        let result = Some(*input.split_off_first()?).filter(|&n| n < 4).map(result_of)?;
        let mut numbers = [None; 3];
        for n in &mut numbers {
            *n = Some(u16::try_from(varint::take(input)?).ok()?).filter(|&n| n > 0);
        }
        let [year, first, second] = numbers;
        let details = GameDetails::take(input)?;
        Some(Self { id, result, year, ratings: [first, second], details })
    }
}

/// A game in which a move was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sampled {
    pub(crate) place: RowKey,
    pub(crate) id: SampleId,
    /// Sample games of a move that are kept.
    pub(crate) most: u16,
}

/// The sample games of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Samples {
    pub(crate) place: RowKey,
    most: u16,
    /// In ascending order, each once.
    pub(crate) ids: Vec<SampleId>,
}

impl Reduce for Samples {
    type Item = Sampled;

    fn item_order(a: &Sampled, b: &Sampled) -> Ordering {
        (a.place, a.id).cmp(&(b.place, b.id))
    }

    fn item_size(_item: &Sampled) -> usize {
        size_of::<Sampled>()
    }

    fn begin(item: Sampled) -> Self {
        Self { place: item.place, most: item.most, ids: vec![item.id] }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }

    fn absorb(&mut self, other: Self) {
        match *other.ids {
            // Most come one at a time, in order.
            [id] if self.ids.last().is_some_and(|last| *last < id) => {
                if self.ids.len() < usize::from(self.most) {
                    self.ids.push(id);
                }
            }
            _ => {
                self.ids.extend(other.ids);
                self.ids.sort_unstable();
                self.ids.dedup();
                self.ids.truncate(self.most.into());
            }
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.place.0.to_le_bytes());
        out.extend_from_slice(&self.place.1.to_le_bytes());
        varint::put(out, self.most.into());
        varint::put(out, self.ids.len() as u64);
        out.extend(self.ids.iter().flat_map(|id| id.0));
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let key = i64::from_le_bytes(*input.split_off(..8)?.first_chunk()?);
        let mv = u16::from_le_bytes(*input.split_off(..2)?.first_chunk()?);
        let most = u16::try_from(varint::take(input)?).ok().filter(|&n| n <= MAX_SAMPLES)?;
        let count = varint::take(input).filter(|&count| 0 < count && count <= most.into())?;
        let bytes = input.split_off(..10 * count as usize)?;
        let ids: Vec<SampleId> = bytes.as_chunks().0.iter().map(|&id| SampleId(id)).collect();
        ids.is_sorted_by(|a, b| a < b).then_some(Self { place: (key, mv), most, ids })
    }
}

/// The [`Samples`] of a move, of a part of its games, that are summed further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartOfSamples(pub(crate) Samples);

impl Summand for PartOfSamples {
    fn size(&self) -> usize {
        size_of::<Self>() + 10 * self.0.ids.len() + 16
    }

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
        Samples::take(input).map(Self)
    }
}

/// A game that some move has as a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UsedGame(pub(crate) SampleId);

impl Summand for UsedGame {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn absorb(&mut self, _equal: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.0);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Some(Self(SampleId(*input.split_off(..10)?.first_chunk()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::model::details::tests::any_details;
    use proptest::prelude::*;

    fn any_samples() -> impl Strategy<Value = Samples> {
        prop::collection::btree_set(any::<[u8; 10]>(), 1..6).prop_map(|ids| {
            let ids = ids.into_iter().map(SampleId).take(3).collect();
            Samples { place: (-7, 9), most: 3, ids }
        })
    }

    fn id(rating: Option<u16>, year: Option<u16>, first: u8) -> SampleId {
        SampleId::new(GameId([first; 16]), [None, rating], year)
    }

    fn sum(mut one: Samples, other: &Samples) -> Samples {
        one.absorb(other.clone());
        one
    }

    #[test]
    fn higher_ratings_come_first_then_later_years() {
        let ordered = [
            id(Some(2600), Some(1990), 9),
            id(Some(2500), Some(2020), 0),
            id(Some(2500), None, 0),
            id(None, Some(2021), 3),
            id(None, Some(2021), 4),
            id(None, Some(1800), 0),
            id(None, None, 0),
        ];
        assert!(ordered.is_sorted_by(|a, b| a < b), "{ordered:?}");
    }

    proptest! {
        #[test]
        fn put_then_take_is_identity(
            details in any_details(), samples in any_samples(), id: [u8; 10],
        ) {
            let game = SampleGame {
                id: SampleId(id), result: None, year: Some(1960), ratings: [None, Some(2400)], details,
            };
            let mut bytes = Vec::new();
            Summand::put(&game, &mut bytes);
            samples.put(&mut bytes);
            Summand::put(&UsedGame(SampleId(id)), &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(<SampleGame as Summand>::take(&mut rest), Some(game));
            prop_assert_eq!(Samples::take(&mut rest), Some(samples));
            prop_assert_eq!(<UsedGame as Summand>::take(&mut rest), Some(UsedGame(SampleId(id))));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn samples_may_come_in_any_order(
            a in any_samples(), b in any_samples(), c in any_samples(),
        ) {
            let one = sum(sum(a.clone(), &b), &c);
            prop_assert_eq!(&one, &sum(c, &sum(b, &a)));
            prop_assert_eq!(&sum(one.clone(), &one), &one);
        }
    }
}
