//! The statistics of one move in a book, and their encoding.

use crate::bytes::varint;
use crate::game::{Outcome, Side};

/// A row of a book: its key and its packed move.
pub type RowKey = (i64, u16);

/// A row of `moves`: key, packed move, content.
pub(crate) type KeyedRow = (i64, u16, MoveRow);

/// Larger sums than this are forged.
pub(crate) const MAX_SUM: u64 = 1 << 50;

/// Sums over the games in which a move was played. All fields are plain sums or extremes, so
/// [`absorb`](Self::absorb) is associative and commutative and any order of adding gives the same.
///
/// ```
/// use juzhong::book::MoveStats;
/// use juzhong::game::Side;
///
/// let mut stats = MoveStats { games: 3, first: 2, second: 1, ..MoveStats::default() };
/// stats.absorb(&MoveStats { games: 1, draws: 1, ..MoveStats::default() });
/// assert_eq!((stats.games, stats.decided()), (4, 4));
/// assert_eq!(stats.score(Side::First), Some(0.625));
/// assert_eq!(stats.default_weight(Side::Second), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoveStats {
    /// Games in which the move was played in this position; a game counts once.
    pub games: u64,
    /// Those won by the first side (Red in xiangqi).
    pub first: u64,
    /// Those drawn.
    pub draws: u64,
    /// Those won by the second side. Games beyond the sum of the three have no known result.
    pub second: u64,
    /// Sum of the known ratings of the players who made the move.
    pub rating_sum: u64,
    /// Number of those ratings.
    pub rating_count: u64,
    /// First and last year of the games whose year is known.
    pub years: Option<Years>,
}

/// A span of years, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Years {
    /// The first.
    pub min: u16,
    /// The last.
    pub max: u16,
}

impl Years {
    /// The smallest span that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

impl MoveStats {
    /// Adds `other`'s games. Sums that do not fit stay at the greatest number, which no sound book
    /// has.
    pub fn absorb(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.games, other.games),
            (&mut self.first, other.first),
            (&mut self.draws, other.draws),
            (&mut self.second, other.second),
            (&mut self.rating_sum, other.rating_sum),
            (&mut self.rating_count, other.rating_count),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.years = match (self.years, other.years) {
            (Some(a), Some(b)) => Some(a.union(b)),
            (a, b) => a.or(b),
        };
    }

    /// Returns true if each sum is at least that of `other`.
    pub(crate) const fn has(&self, other: &Self) -> bool {
        self.games >= other.games
            && self.first >= other.first
            && self.draws >= other.draws
            && self.second >= other.second
            && self.rating_sum >= other.rating_sum
            && self.rating_count >= other.rating_count
    }

    /// Returns true if a collection of games can have these sums, so that they and the sums of a thousand
    /// such fit.
    pub(crate) fn is_plausible(&self) -> bool {
        let sums = [self.games, self.first, self.draws, self.second];
        sums.into_iter().all(fits)
            && fits(self.rating_sum)
            && fits(self.rating_count)
            && self.decided() <= self.games
    }

    /// Games with a known result.
    #[must_use]
    pub const fn decided(&self) -> u64 {
        self.first + self.draws + self.second
    }

    /// Games without a known result.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.games.saturating_sub(self.decided())
    }

    /// Games won by `side`.
    #[must_use]
    pub const fn wins(&self, side: Side) -> u64 {
        match side {
            Side::First => self.first,
            Side::Second => self.second,
        }
    }

    /// Share of the points that `mover` made, 0 to 1: `(wins + draws / 2) / decided`. `None`
    /// without a decided game.
    #[must_use]
    pub fn score(&self, mover: Side) -> Option<f64> {
        let decided = self.decided();
        (decided > 0)
            .then(|| (2.0 * self.wins(mover) as f64 + self.draws as f64) / (2.0 * decided as f64))
    }

    /// The weight of a move unless another is set: two points for a win of the mover, one
    /// for a draw or an unknown result.
    #[must_use]
    pub const fn default_weight(&self, mover: Side) -> u64 {
        let halves = self.draws.saturating_add(self.unknown());
        self.wins(mover).saturating_mul(2).saturating_add(halves)
    }

    /// The result where all decided games ended alike.
    const fn sole_result(&self) -> Option<Outcome> {
        match (self.first, self.draws, self.second) {
            (1.., 0, 0) => Some(Outcome::Win(Side::First)),
            (0, 1.., 0) => Some(Outcome::Draw),
            (0, 0, 1..) => Some(Outcome::Win(Side::Second)),
            _ => None,
        }
    }

    /// Mean of the known ratings, rounded down.
    #[must_use]
    pub const fn mean_rating(&self) -> Option<u64> {
        self.rating_sum.checked_div(self.rating_count)
    }
}

/// Returns true if a sum is one that a collection of games can have.
const fn fits(n: u64) -> bool {
    n <= MAX_SUM
}

/// A result as two bits: 0 unknown, 1 won by the first side, 2 drawn, 3 won by the second.
pub(crate) const fn result_number(result: Option<Outcome>) -> u8 {
    match result {
        None => 0,
        Some(Outcome::Win(Side::First)) => 1,
        Some(Outcome::Draw) => 2,
        Some(Outcome::Win(Side::Second)) => 3,
    }
}

/// The inverse of [`result_number`]; uses the two lowest bits alone.
pub(crate) const fn result_of(number: u8) -> Option<Outcome> {
    match number & 3 {
        1 => Some(Outcome::Win(Side::First)),
        2 => Some(Outcome::Draw),
        3 => Some(Outcome::Win(Side::Second)),
        _ => None,
    }
}

/// The `stats` blob of a row.
///
/// ```text
/// flags    1 byte
///            0x01  one game, its result in bits 0x30 (0 unknown, 1 first side won, 2 drawn, 3 second)
///            0x02  ratings follow
///            0x04  years follow
///            0x08  a weight follows
/// counts   unless 0x01: four varints: first side's wins, draws, second side's wins, unknown results
/// ratings  varint sum; unless 0x01: varint count (1 with 0x01)
/// years    varint zigzag(min - 1990); unless 0x01: varint (max - min) (0 with 0x01)
/// weight   varint
/// check    2 bytes: both halves of CRC32(key LE64, move LE16, the bytes above) xor-ed, LE16
/// ```
///
/// # Stability
///
/// These bytes are in every book. Any change needs a new [`VERSION`](crate::book::file::store::VERSION).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveRow {
    /// The sums.
    pub stats: MoveStats,
    /// The weight, if one was set.
    pub weight: Option<u64>,
}

const ONE_GAME: u8 = 0x01;
const RATINGS: u8 = 0x02;
const YEARS: u8 = 0x04;
const WEIGHT: u8 = 0x08;
const RESULT_SHIFT: u32 = 4;
const KNOWN_FLAGS: u8 = 0x3f;
// The differences of the years 1926 to 2053 from it take one byte each.
const YEAR_BASE: i64 = 1990;

impl MoveRow {
    /// Appends the blob of the row `(key, mv)`.
    pub fn put(&self, key: i64, mv: u16, out: &mut Vec<u8>) {
        let start = out.len();
        let t = &self.stats;
        let one = t.games == 1
            && t.rating_count <= 1
            && t.decided() <= 1
            && t.years.is_none_or(|y| y.min == y.max);
        let mut flags = 0;
        if one {
            flags |= ONE_GAME | result_number(t.sole_result()) << RESULT_SHIFT;
        }
        flags |= if t.rating_count > 0 { RATINGS } else { 0 };
        flags |= if t.years.is_some() { YEARS } else { 0 };
        flags |= if self.weight.is_some() { WEIGHT } else { 0 };
        out.push(flags);
        if !one {
            for n in [t.first, t.draws, t.second, t.games - t.decided()] {
                varint::put(out, n);
            }
        }
        if t.rating_count > 0 {
            varint::put(out, t.rating_sum);
            if !one {
                varint::put(out, t.rating_count);
            }
        }
        if let Some(years) = t.years {
            varint::put(out, varint::zigzag(i64::from(years.min) - YEAR_BASE));
            if !one {
                varint::put(out, u64::from(years.max - years.min));
            }
        }
        if let Some(weight) = self.weight {
            varint::put(out, weight);
        }
        let check = check(key, mv, &out[start..]);
        out.extend_from_slice(&check.to_le_bytes());
    }

    /// Reads the blob of the row `(key, mv)`. `None` if a bit of row or blob was changed, or if it
    /// is malformed.
    #[must_use]
    pub fn take(key: i64, mv: u16, blob: &[u8]) -> Option<Self> {
        let (body, stated) = blob.split_last_chunk::<2>()?;
        if u16::from_le_bytes(*stated) != check(key, mv, body) {
            return None;
        }
        let (&flags, mut rest) = body.split_first()?;
        if flags & !KNOWN_FLAGS != 0 {
            return None;
        }
        let row = Self::take_fields(flags, &mut rest)?;
        rest.is_empty().then_some(row)
    }

    fn take_fields(flags: u8, rest: &mut &[u8]) -> Option<Self> {
        let one = flags & ONE_GAME != 0;
        let mut stats = if one {
            tally_of(result_of(flags >> RESULT_SHIFT), None, None)
        } else {
            let [first, draws, second, unknown] = take_counts(rest)?;
            let games = first.checked_add(draws)?.checked_add(second)?.checked_add(unknown)?;
            MoveStats { games, first, draws, second, ..MoveStats::default() }
        };
        if flags & RATINGS != 0 {
            stats.rating_sum = varint::take(rest)?;
            stats.rating_count = if one { 1 } else { varint::take(rest)? };
        }
        if flags & YEARS != 0 {
            let min = varint::unzigzag(varint::take(rest)?).checked_add(YEAR_BASE)?;
            let min = u16::try_from(min).ok()?;
            let span = if one { 0 } else { u16::try_from(varint::take(rest)?).ok()? };
            stats.years = Some(Years { min, max: min.checked_add(span)? });
        }
        let weight = if flags & WEIGHT != 0 { Some(varint::take(rest)?) } else { None };
        Some(Self { stats, weight })
    }
}

fn take_counts(rest: &mut &[u8]) -> Option<[u64; 4]> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = varint::take(rest)?;
    }
    Some(counts)
}

fn check(key: i64, mv: u16, body: &[u8]) -> u16 {
    let mut hasher = crc32fast::Hasher::new();
    let mut head = [0; 10];
    head[..8].copy_from_slice(&key.to_le_bytes());
    head[8..].copy_from_slice(&mv.to_le_bytes());
    hasher.update(&head);
    hasher.update(body);
    let crc = hasher.finalize();
    (crc ^ crc >> 16) as u16
}

/// The sums of one game with this result.
#[must_use]
pub(crate) fn tally_of(
    result: Option<Outcome>,
    rating: Option<u16>,
    year: Option<u16>,
) -> MoveStats {
    MoveStats {
        games: 1,
        first: u64::from(result == Some(Outcome::Win(Side::First))),
        draws: u64::from(result == Some(Outcome::Draw)),
        second: u64::from(result == Some(Outcome::Win(Side::Second))),
        rating_sum: rating.map_or(0, u64::from),
        rating_count: u64::from(rating.is_some()),
        years: year.map(|y| Years { min: y, max: y }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A count that is small or, more seldom, large.
    fn any_count() -> impl Strategy<Value = u64> {
        prop_oneof![3 => 0..3u64, 1 => 0..1u64 << 40]
    }

    pub(crate) fn any_tally() -> impl Strategy<Value = MoveStats> {
        let counts = (any_count(), any_count(), any_count(), any_count(), any_count());
        let years = prop::option::of((1800..2036u16, 0..200u16));
        (counts, 0..1u64 << 40, years).prop_map(
            |((first, draws, second, unknown, rating_count), sum, years)| MoveStats {
                games: first + draws + second + unknown,
                first,
                draws,
                second,
                rating_sum: if rating_count == 0 { 0 } else { sum },
                rating_count,
                years: years.map(|(min, span)| Years { min, max: min + span }),
            },
        )
    }

    fn sum(parts: &[&MoveStats]) -> MoveStats {
        let mut sum = MoveStats::default();
        for part in parts {
            sum.absorb(part);
        }
        sum
    }

    fn any_row() -> impl Strategy<Value = MoveRow> {
        (any_tally(), prop::option::of(any::<u64>()))
            .prop_map(|(stats, weight)| MoveRow { stats, weight })
    }

    proptest! {
        #[test]
        fn put_then_take_is_identity(row in any_row(), key: i64, mv: u16) {
            let mut blob = Vec::new();
            row.put(key, mv, &mut blob);
            prop_assert_eq!(MoveRow::take(key, mv, &blob), Some(row));
        }

        #[test]
        fn any_changed_byte_is_noticed(
            row in any_row(), key: i64, mv: u16, at: prop::sample::Index, flip in 1..=255u8,
        ) {
            let mut bytes = key.to_le_bytes().to_vec();
            bytes.extend_from_slice(&mv.to_le_bytes());
            row.put(key, mv, &mut bytes);
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            let key = i64::from_le_bytes(bytes[..8].try_into().unwrap());
            let mv = u16::from_le_bytes(bytes[8..10].try_into().unwrap());
            prop_assert_eq!(MoveRow::take(key, mv, &bytes[10..]), None);
        }

        #[test]
        fn garbage_never_panics(blob: Vec<u8>, key: i64, mv: u16) {
            let mut framed = blob.clone();
            framed.extend_from_slice(&check(key, mv, &blob).to_le_bytes());
            let _unused = MoveRow::take(key, mv, &framed);
            prop_assert!(MoveRow::take(key, mv, &blob).is_none() || blob.len() > 2);
        }

        #[test]
        fn absorbing_is_associative_and_commutative(
            a in any_tally(), b in any_tally(), c in any_tally(),
        ) {
            prop_assert_eq!(sum(&[&a, &sum(&[&b, &c])]), sum(&[&sum(&[&c, &a]), &b]));
        }
    }

    #[test]
    fn golden_bytes_and_sizes() {
        let mut blob = Vec::new();
        let one = tally_of(Some(Outcome::Draw), None, Some(1978));
        MoveRow { stats: one, weight: None }.put(-5, 2353, &mut blob);
        assert_eq!(blob.len(), 4, "a move of a single game takes four bytes");
        assert_eq!(blob[..2], [0x25, 0x17]);
        let many = MoveStats {
            games: 300,
            first: 120,
            draws: 100,
            second: 70,
            rating_sum: 4_600,
            rating_count: 2,
            years: Some(Years { min: 1988, max: 2004 }),
        };
        blob.clear();
        MoveRow { stats: many, weight: Some(7) }.put(1, 2, &mut blob);
        assert_eq!(blob[..blob.len() - 2], [0x0e, 120, 100, 70, 10, 0xf8, 0x23, 2, 3, 16, 7]);
    }

    #[test]
    fn results_are_numbered() {
        for number in 0..4 {
            let result = result_of(number);
            assert_eq!(result_number(result), number);
            assert_eq!(tally_of(result, None, None).sole_result(), result);
        }
    }

    #[test]
    fn forged_counts_do_not_overflow() {
        let stats = MoveStats { games: u64::MAX, first: u64::MAX, ..MoveStats::default() };
        assert_eq!(stats.default_weight(Side::First), u64::MAX);
    }

    #[test]
    fn scores_are_the_movers() {
        let stats = MoveStats { games: 5, first: 2, draws: 1, second: 1, ..MoveStats::default() };
        assert_eq!(stats.score(Side::First), Some(0.625));
        assert_eq!(stats.score(Side::Second), Some(0.375));
        assert_eq!(stats.default_weight(Side::First), 6);
        assert_eq!(MoveStats::default().score(Side::First), None);
    }
}
