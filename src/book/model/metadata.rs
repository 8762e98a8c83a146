//! The statements of a book about itself: options, totals, sources.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::book::model::filter::Filter;
use crate::book::model::sample::MAX_SAMPLES;
use crate::book::model::weight::Weight;

/// All of a position's games, in hundredths of a percent.
pub const MAX_SHARE: u64 = 10_000;

/// The metadata that a book contains about itself. Nothing here depends on time, threads or the order of
/// inputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The game's name.
    pub game: String,
    /// Fingerprint of the key table.
    pub key_table: String,
    /// BLAKE3 over all rows, hexadecimal.
    pub content: String,
    /// Moves of a game that are kept, at most.
    pub max_ply: u64,
    /// Moves of fewer games are not shown unless asked for.
    pub min_games: u64,
    /// Moves of a smaller share of their position's games are not shown unless asked for, in
    /// hundredths of a percent.
    pub min_share: u64,
    /// The records that count, and which of their moves.
    pub filter: Filter,
    /// The formula for the weight of a move that has none of its own.
    pub weight: Weight,
    /// Games of each move that are kept as samples, at most; 0 in books without.
    pub samples: u16,
    /// Positions with moves.
    pub positions: u64,
    /// Moves, over all positions.
    pub rows: u64,
    /// True if moves were dropped from it, so that sums over its rows are no longer those of its games.
    /// Nothing can be counted into such a book.
    pub pruned: bool,
    /// The numbers of games and records.
    pub counts: Counts,
}

/// The numbers of games and records, by kind. Serialized without the games that each side won: the sides have other
/// names in each game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Different games counted in the book.
    pub games: u64,
    /// Those won by the first side.
    #[serde(skip)]
    pub first: u64,
    /// Those drawn.
    pub draws: u64,
    /// Those won by the second side. The rest of [`games`](Self::games) has no known result.
    #[serde(skip)]
    pub second: u64,
    /// Counted games whose copies state different results. The majority decides.
    pub disputed: u64,
    /// Those of them in which no result has most votes: counted as unknown.
    pub tied: u64,
    /// Records in the sources, good and bad.
    pub records: u64,
    /// Records that could not be read or hold an illegal move.
    pub bad: u64,
    /// Records left out by the filters.
    pub filtered: u64,
    /// Records that are further copies of counted games.
    pub duplicates: u64,
    /// Different games that begin elsewhere; not in the statistics.
    pub other_starts: u64,
    /// Their records.
    pub other_start_records: u64,
    /// Different games without moves (one at most); not in the statistics.
    pub no_moves: u64,
    /// Their records.
    pub no_move_records: u64,
}

impl Counts {
    /// Games without a known result.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.games.saturating_sub(self.first).saturating_sub(self.draws).saturating_sub(self.second)
    }

    /// Adds the counts of other games.
    pub(crate) fn absorb(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.games, other.games),
            (&mut self.first, other.first),
            (&mut self.draws, other.draws),
            (&mut self.second, other.second),
            (&mut self.disputed, other.disputed),
            (&mut self.tied, other.tied),
            (&mut self.records, other.records),
            (&mut self.bad, other.bad),
            (&mut self.filtered, other.filtered),
            (&mut self.duplicates, other.duplicates),
            (&mut self.other_starts, other.other_starts),
            (&mut self.other_start_records, other.other_start_records),
            (&mut self.no_moves, other.no_moves),
            (&mut self.no_move_records, other.no_move_records),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    /// Returns true if the numbers of games are consistent.
    fn is_sound(&self) -> bool {
        let decided =
            self.first.checked_add(self.draws).and_then(|sum| sum.checked_add(self.second));
        decided.is_some_and(|decided| decided <= self.games)
            && self.tied <= self.disputed
            && self.disputed <= self.games
    }
}

macro_rules! pairs {
    ($self:ident: $($name:literal => $($field:ident).+,)*) => {
        [$(($name, $self.$($field).+.to_string()),)*]
    };
}

impl Metadata {
    /// The number of ids of counted games in the book.
    pub(crate) const fn stored_games(&self) -> u64 {
        if self.filter.every_record { 0 } else { self.counts.games }
    }

    /// Names and values as the table `meta` holds them.
    pub(crate) fn to_pairs(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        pairs! { self:
            "game" => game,
            "key_table" => key_table,
            "content" => content,
            "max_ply" => max_ply,
            "min_games" => min_games,
            "min_share" => min_share,
            "filter" => filter,
            "weight" => weight,
            "positions" => positions,
            "rows" => rows,
            "pruned" => pruned,
            "games" => counts.games,
            "first_wins" => counts.first,
            "draws" => counts.draws,
            "second_wins" => counts.second,
            "disputed" => counts.disputed,
            "tied" => counts.tied,
            "records" => counts.records,
            "bad" => counts.bad,
            "filtered" => counts.filtered,
            "duplicates" => counts.duplicates,
            "other_starts" => counts.other_starts,
            "other_start_records" => counts.other_start_records,
            "no_moves" => counts.no_moves,
            "no_move_records" => counts.no_move_records,
        }
        .into_iter()
        .chain((self.samples > 0).then(|| ("samples", self.samples.to_string())))
    }

    /// The inverse of [`to_pairs`](Self::to_pairs); the name of the first value that is missing, no
    /// number, or at odds with others otherwise.
    pub(crate) fn from_pairs(pairs: &BTreeMap<String, String>) -> Result<Self, &'static str> {
        let counts = Counts {
            games: number(pairs, "games")?,
            first: number(pairs, "first_wins")?,
            draws: number(pairs, "draws")?,
            second: number(pairs, "second_wins")?,
            disputed: number(pairs, "disputed")?,
            tied: number(pairs, "tied")?,
            records: number(pairs, "records")?,
            bad: number(pairs, "bad")?,
            filtered: number(pairs, "filtered")?,
            duplicates: number(pairs, "duplicates")?,
            other_starts: number(pairs, "other_starts")?,
            other_start_records: number(pairs, "other_start_records")?,
            no_moves: number(pairs, "no_moves")?,
            no_move_records: number(pairs, "no_move_records")?,
        };
        if !counts.is_sound() {
            return Err("games");
        }
        Ok(Self {
            game: text(pairs, "game")?,
            key_table: text(pairs, "key_table")?,
            content: text(pairs, "content")?,
            max_ply: number(pairs, "max_ply")?,
            min_games: number(pairs, "min_games")?,
            min_share: number(pairs, "min_share")
                .ok()
                .filter(|n| *n <= MAX_SHARE)
                .ok_or("min_share")?,
            filter: text(pairs, "filter")?.parse().map_err(|_| "filter")?,
            weight: text(pairs, "weight")?.parse().map_err(|_| "weight")?,
            positions: number(pairs, "positions")?,
            rows: number(pairs, "rows")?,
            pruned: text(pairs, "pruned")?.parse().map_err(|_| "pruned")?,
            samples: match pairs.get("samples") {
                None => 0,
                Some(text) => {
                    let samples = text.parse().ok();
                    samples.filter(|n| (1..=MAX_SAMPLES).contains(n)).ok_or("samples")?
                }
            },
            counts,
        })
    }
}

/// The value of that name; the name if there is none.
fn text(pairs: &BTreeMap<String, String>, name: &'static str) -> Result<String, &'static str> {
    pairs.get(name).cloned().ok_or(name)
}

/// The number of that name; the name if there is none.
fn number(pairs: &BTreeMap<String, String>, name: &'static str) -> Result<u64, &'static str> {
    text(pairs, name)?.parse().map_err(|_| name)
}

/// Bytes of the name of a source, at most: what file systems allow, each byte that is no character shown by three.
pub(crate) const MAX_SOURCE_NAME: usize = 1 << 10;

/// A file that games came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// BLAKE3 of its content.
    pub hash: [u8; 32],
    /// Its base name.
    pub name: String,
    /// Records in it.
    pub games: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_round_trip() {
        let counts = Counts { games: 9, first: 1, no_moves: 1, ..Counts::default() };
        let game = "xiangqi".to_owned();
        let metadata = Metadata { game, rows: 7, samples: 4, counts, ..Metadata::default() };
        let mut pairs: BTreeMap<_, _> =
            metadata.to_pairs().map(|(n, v)| (n.to_owned(), v)).collect();
        assert_eq!(Metadata::from_pairs(&pairs), Ok(metadata));
        pairs.insert("rows".into(), "many".into());
        assert_eq!(Metadata::from_pairs(&pairs), Err("rows"));
        pairs.insert("second_wins".into(), u64::MAX.to_string());
        assert_eq!(Metadata::from_pairs(&pairs), Err("games"));
        pairs.clear();
        assert!(Metadata::from_pairs(&pairs).is_err());
    }
}
