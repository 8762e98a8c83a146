//! Sample games: the games behind a move of a book, by which people see how it was played.
//!
//! A book keeps the first of the games of each move in the order of their [`SampleId`]s, which begin with a rank:
//! higher ratings come first, then later years. Which games these are depends on the games alone, so the sums are
//! associative and commutative.

use std::cmp::{Ordering, Reverse};

use crate::book::model::counted_game::{CountedGame, FIRST_YEAR, GameId};
use crate::book::model::move_stats::{RowKey, result_number, result_of};
use crate::bytes::external_sort::Reduce;
use crate::bytes::varint;
use crate::game::{Notation, Outcome, Packed};
use crate::record::Record;

/// The most sample games of a move.
pub const MAX_SAMPLES: u16 = 100;

/// The longest text of a sample game, in characters; longer ones are cut.
const MAX_TEXT: usize = 60;

/// Bytes of such a text, at most.
pub(crate) const MAX_TEXT_BYTES: usize = 4 * MAX_TEXT;

/// Moves of a sample game that are kept, at most: more than people play.
pub(crate) const MAX_MOVES: usize = 1000;

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
        let inverted = |n: u16| 0xfff - u32::from(n.min(0xfff));
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

/// The details of a game that only samples show, as one of its copies states them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct GameDetails {
    /// By side; empty if not known.
    pub(crate) players: [Box<str>; 2],
    pub(crate) event: Box<str>,
    /// The first bytes of the hash of the file; zeros where the game came from none.
    pub(crate) source: [u8; 8],
    /// The number of the game in it, from 1.
    pub(crate) number: u64,
    /// The main line as played, packed.
    pub(crate) moves: Box<[u16]>,
}

impl GameDetails {
    /// The details of a record, which is that number of a source.
    pub(crate) fn of<G: Notation>(record: &Record<G>, source: [u8; 8], number: u64) -> Self {
        let tag = |names: &[&str]| {
            names.iter().find_map(|name| record.tag(name).and_then(known)).unwrap_or_default()
        };
        let [first, second]: [&[&str]; 2] = match G::BLACK {
            crate::game::Side::First => [&["Black"], &["White"]],
            crate::game::Side::Second => [&["Red", "White"], &["Black"]],
        };
        let moves = record.tree.moves.iter().take(MAX_MOVES).map(|mv| mv.pack()).collect();
        Self { players: [tag(first), tag(second)], event: tag(&["Event"]), source, number, moves }
    }

    /// The place among the details of the copies of a game: the first are those that state most.
    fn order(&self) -> (Reverse<usize>, &Self) {
        let texts = self.players.iter().chain([&self.event]);
        (Reverse(texts.filter(|text| !text.is_empty()).count()), self)
    }

    /// The details of two copies: those of the one that states more.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.order() < self.order() { other } else { self }
    }

    /// Memory that it needs, in bytes.
    pub(crate) fn size(&self) -> usize {
        let [first, second] = &self.players;
        let texts = first.len() + second.len() + self.event.len();
        size_of::<Self>() + texts + 2 * self.moves.len() + 64
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        for text in self.players.iter().chain([&self.event]) {
            varint::put(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        out.extend_from_slice(&self.source);
        varint::put(out, self.number);
        varint::put(out, self.moves.len() as u64);
        out.extend(self.moves.iter().flat_map(|mv| mv.to_le_bytes()));
    }

    pub(crate) fn take(input: &mut &[u8]) -> Option<Self> {
        let mut text = || -> Option<Box<str>> {
            let len = usize::try_from(varint::take(input)?).ok()?;
            let text = str::from_utf8(input.split_off(..len.min(MAX_TEXT_BYTES + 1))?).ok()?;
            (text.is_empty() || known(text).as_deref() == Some(text)).then(|| text.into())
        };
        let (players, event) = ([text()?, text()?], text()?);
        let source = *input.split_off(..8)?.first_chunk()?;
        let number = varint::take(input)?;
        let len = usize::try_from(varint::take(input)?).ok().filter(|&len| len <= MAX_MOVES)?;
        let bytes = input.split_off(..2 * len)?;
        let moves = bytes.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
        Some(Self { players, event, source, number, moves })
    }
}

/// A text in one line, cut where it is too long; `None` if it is empty or stands for an unknown one.
fn known(value: &str) -> Option<Box<str>> {
    let shown: String = value.trim().chars().filter(|c| !c.is_control()).collect();
    let cut: String = shown.chars().take(MAX_TEXT).collect();
    let text = cut.trim();
    (!text.is_empty() && !text.chars().all(|c| matches!(c, '?' | '-' | '.'))).then(|| text.into())
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
}

impl Reduce for SampleGame {
    type Item = Self;

    fn item_order(a: &Self, b: &Self) -> Ordering {
        a.order(b)
    }

    fn item_size(item: &Self) -> usize {
        size_of::<Self>() + item.details.size()
    }

    fn begin(item: Self) -> Self {
        item
    }

    fn order(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }

    /// Of two games with one id, which there hardly are, the one with the better details.
    fn absorb(&mut self, other: Self) {
        let number = |game: &Self| (result_number(game.result), game.year, game.ratings);
        if (other.details.order(), number(&other)) < (self.details.order(), number(self)) {
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

impl Reduce for PartOfSamples {
    type Item = Self;

    fn item_order(a: &Self, b: &Self) -> Ordering {
        a.order(b)
    }

    fn item_size(item: &Self) -> usize {
        size_of::<Self>() + 10 * item.0.ids.len() + 16
    }

    fn begin(item: Self) -> Self {
        item
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

impl Reduce for UsedGame {
    type Item = Self;

    fn item_order(a: &Self, b: &Self) -> Ordering {
        a.cmp(b)
    }

    fn item_size(_item: &Self) -> usize {
        size_of::<Self>()
    }

    fn begin(item: Self) -> Self {
        item
    }

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
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_details() -> impl Strategy<Value = GameDetails> {
        let text = || "[a-c胡]{0,3}".prop_map(Box::from);
        let moves = prop::collection::vec(any::<u16>(), 0..5).prop_map(Box::from);
        (text(), text(), text(), any::<[u8; 8]>(), 0..4u64, moves).prop_map(
            |(first, second, event, source, number, moves)| GameDetails {
                players: [first, second],
                event,
                source,
                number,
                moves,
            },
        )
    }

    fn any_samples() -> impl Strategy<Value = Samples> {
        prop::collection::btree_set(any::<[u8; 10]>(), 1..6).prop_map(|ids| {
            let ids = ids.into_iter().map(SampleId).take(3).collect();
            Samples { place: (-7, 9), most: 3, ids }
        })
    }

    #[test]
    fn higher_ratings_come_first_then_later_years() {
        let id = |rating, year, first| SampleId::new(GameId([first; 16]), [None, rating], year);
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

    #[test]
    fn texts_are_one_line() {
        assert_eq!(known(" 胡荣华\u{7} "), Some("胡荣华".into()));
        assert_eq!([known("?"), known("????.??.??"), known(" ")], [None, None, None]);
        assert_eq!(known(&"炮".repeat(100)).unwrap().chars().count(), MAX_TEXT);
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
            game.put(&mut bytes);
            samples.put(&mut bytes);
            UsedGame(SampleId(id)).put(&mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(SampleGame::take(&mut rest), Some(game));
            prop_assert_eq!(Samples::take(&mut rest), Some(samples));
            prop_assert_eq!(UsedGame::take(&mut rest), Some(UsedGame(SampleId(id))));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn samples_may_come_in_any_order(
            a in any_samples(), b in any_samples(), c in any_samples(),
        ) {
            let sum = |mut x: Samples, y: &Samples| { x.absorb(y.clone()); x };
            let one = sum(sum(a.clone(), &b), &c);
            prop_assert_eq!(&one, &sum(c, &sum(b, &a)));
            prop_assert_eq!(&sum(one.clone(), &one), &one);
        }

        #[test]
        fn copies_may_come_in_any_order(
            a in any_details(), b in any_details(), c in any_details(),
        ) {
            let one = a.clone().better(b.clone()).better(c.clone());
            prop_assert_eq!(one, c.better(b.better(a)));
        }
    }
}
