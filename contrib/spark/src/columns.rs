//! The rows of shards as columns of integers and bytes.

use juzhong::book::{
    GameId, GameKind, GameRow, GroupMember, MoveStats, MoveSum, ShardRow, Source, SourceCounts,
    Years,
};

/// The greatest sum that is read.
const MAX_SUM: i64 = 1 << 48;

/// The type of a column as it is written. Either integer is read where one is expected, and NULL as 0 or as
/// absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Int32,
    Int64,
    Bytes,
    Text,
}

impl ColumnType {
    pub(crate) const fn is_number(self) -> bool {
        matches!(self, Self::Int32 | Self::Int64)
    }
}

/// Rows with columns.
pub(crate) trait Columns: ShardRow {
    /// Names and types.
    const COLUMNS: &'static [(&'static str, ColumnType)];
    /// Columns that may be missing, as if they held NULL.
    const OPTIONAL: &'static [&'static str] = &[];
    /// Gives all numbers and all texts, each in the order of the columns.
    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8]));
    /// The inverse of `values`; `None` if they make no sense.
    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self>;
}

fn sum(number: i64) -> Option<u64> {
    (0..=MAX_SUM).contains(&number).then_some(number.cast_unsigned())
}

/// A number of 16 bits; 0 stands for none.
fn known(number: i64) -> Option<Option<u16>> {
    u16::try_from(number).ok().map(|n| Some(n).filter(|&n| n > 0))
}

impl Columns for SourceCounts {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &[
        ("hash", ColumnType::Bytes),
        ("name", ColumnType::Text),
        ("records", ColumnType::Int64),
        ("filtered", ColumnType::Int64),
        ("bad", ColumnType::Int64),
    ];

    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8])) {
        for n in [self.source.games, self.filtered, self.bad] {
            number(n.cast_signed());
        }
        bytes(&self.source.hash);
        bytes(self.source.name.as_bytes());
    }

    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self> {
        let (&[games, filtered, bad], &[hash, name]) = (numbers, bytes) else { return None };
        let name = str::from_utf8(name).ok()?.to_owned();
        Some(Self {
            source: Source { hash: hash.try_into().ok()?, name, games: sum(games)? },
            filtered: sum(filtered)?,
            bad: sum(bad)?,
        })
    }
}

impl Columns for GameRow {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &[
        ("source", ColumnType::Int64),
        ("id_high", ColumnType::Int64),
        ("id_low", ColumnType::Int64),
        ("kind", ColumnType::Int32),
        ("unknown", ColumnType::Int64),
        ("first", ColumnType::Int64),
        ("draws", ColumnType::Int64),
        ("second", ColumnType::Int64),
        ("year", ColumnType::Int32),
        ("first_rating", ColumnType::Int32),
        ("second_rating", ColumnType::Int32),
        ("moves", ColumnType::Bytes),
        ("line_groups", ColumnType::Text),
    ];
    const OPTIONAL: &'static [&'static str] = &["source", "moves", "line_groups"];

    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8])) {
        let kind = u64::from(self.start) << 8 | self.kind as u64;
        let id = u128::from_be_bytes(self.id.0);
        for n in [self.file, (id >> 64) as u64, id as u64, kind].into_iter().chain(self.votes) {
            number(n.cast_signed());
        }
        for n in [self.year, self.ratings[0], self.ratings[1]] {
            number(n.unwrap_or(0).into());
        }
        let packed: Vec<u8> = self.moves.iter().flat_map(|mv| mv.to_le_bytes()).collect();
        bytes(&packed);
        bytes(self.groups.join("\n").as_bytes());
    }

    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self> {
        let &[file, high, low, kind, u, f, d, s, year, first, second] = numbers else {
            return None;
        };
        let &[moves, groups] = bytes else { return None };
        let (pairs, rest) = moves.as_chunks();
        let id = u128::from(high.cast_unsigned()) << 64 | u128::from(low.cast_unsigned());
        rest.is_empty().then_some(Self {
            id: GameId(id.to_be_bytes()),
            file: file.cast_unsigned(),
            kind: GameKind::from_number(u8::try_from(kind & 0xff).ok()?)?,
            start: u8::try_from(kind >> 8).ok()?,
            votes: [sum(u)?, sum(f)?, sum(d)?, sum(s)?],
            year: known(year)?,
            ratings: [known(first)?, known(second)?],
            moves: pairs.iter().map(|&pair| u16::from_le_bytes(pair)).collect(),
            groups: str::from_utf8(groups).ok()?.lines().map(str::to_owned).collect(),
        })
    }
}

impl Columns for MoveSum {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &[
        ("key", ColumnType::Int64),
        ("move", ColumnType::Int32),
        ("games", ColumnType::Int64),
        ("first", ColumnType::Int64),
        ("draws", ColumnType::Int64),
        ("second", ColumnType::Int64),
        ("rating_sum", ColumnType::Int64),
        ("rating_count", ColumnType::Int64),
        ("year_min", ColumnType::Int32),
        ("year_max", ColumnType::Int32),
    ];

    fn values(&self, number: &mut dyn FnMut(i64), _bytes: &mut dyn FnMut(&[u8])) {
        let Self { key, mv, stats: t } = self;
        number(*key);
        number((*mv).into());
        for n in [t.games, t.first, t.draws, t.second, t.rating_sum, t.rating_count] {
            number(n.cast_signed());
        }
        let (min, max) = t.years.map_or((0, 0), |y| (y.min, y.max));
        number(min.into());
        number(max.into());
    }

    fn from_values(numbers: &[i64], _bytes: &[&[u8]]) -> Option<Self> {
        let &[key, mv, games, first, draws, second, ratings, rated, min, max] = numbers else {
            return None;
        };
        let years = match (known(min)?, known(max)?) {
            (Some(min), Some(max)) => Some(Years { min, max }),
            (None, None) => None,
            _ => return None,
        };
        let stats = MoveStats {
            games: sum(games)?,
            first: sum(first)?,
            draws: sum(draws)?,
            second: sum(second)?,
            rating_sum: sum(ratings)?,
            rating_count: sum(rated)?,
            years,
        };
        Some(Self { key, mv: u16::try_from(mv).ok()?, stats })
    }
}

impl Columns for GroupMember {
    const COLUMNS: &'static [(&'static str, ColumnType)] =
        &[("key", ColumnType::Int64), ("move", ColumnType::Int32), ("name", ColumnType::Text)];

    fn values(&self, number: &mut dyn FnMut(i64), bytes: &mut dyn FnMut(&[u8])) {
        number(self.key);
        number(self.mv.into());
        bytes(self.group.as_bytes());
    }

    fn from_values(numbers: &[i64], bytes: &[&[u8]]) -> Option<Self> {
        let (&[key, mv], &[group]) = (numbers, bytes) else { return None };
        let group = str::from_utf8(group).ok()?.into();
        Some(Self { key, mv: u16::try_from(mv).ok()?, group })
    }
}
