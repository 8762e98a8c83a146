//! The games of a player in an index.

use std::collections::{BTreeMap, HashMap};

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::collection::error::{IndexError, QueryResult};
use crate::collection::novelties::Years;
use crate::collection::query::Conditions;
use crate::collection::rows::{count_at, result_of};
use crate::collection::store::GameIndex;
use crate::collection::text::words;
use crate::game::{Outcome, Side};
use crate::hash::Key;

/// A name in the games of an index, and the number of games with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerName {
    /// The name as the records have it.
    pub name: String,
    /// Games, on either side.
    pub games: u64,
    /// Its number in the index.
    id: i64,
}

/// A game of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerGame {
    /// Its number in the collection.
    pub number: u64,
    /// The player's side.
    pub side: Side,
    /// The name of the other player.
    pub opponent: Option<String>,
    /// The ratings, the first side's first.
    pub ratings: [Option<u16>; 2],
    /// The result that is stated.
    pub result: Option<Outcome>,
    /// The year.
    pub year: Option<u16>,
    /// The date, as the record has it.
    pub date: Option<String>,
    /// The code of the opening.
    pub code: Option<String>,
    /// The Chinese name of the opening.
    pub opening: Option<String>,
    /// Plies.
    pub plies: u32,
    /// Names the line of moves: games with the same start and moves share it.
    pub line: i64,
}

/// The lines that visit a position, by the first year of each line's games.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visits {
    all: LineYears,
    /// By the move made there in the canonical frame, packed.
    by_move: HashMap<u16, LineYears>,
}

/// The first years of lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LineYears {
    /// Lines without a year.
    undated: usize,
    /// The years of the others, ascending.
    years: Vec<u16>,
}

impl Visits {
    /// The lines that visited the position before a year.
    #[must_use]
    pub fn before(&self, year: u16) -> usize {
        self.all.years.partition_point(|&of| of < year)
    }

    /// The lines in which a move, packed, was made in that year or earlier, those without a year among them.
    #[must_use]
    pub fn until(&self, mv: u16, year: u16) -> usize {
        let of_move = self.by_move.get(&mv);
        of_move.map_or(0, |of| of.undated + of.years.partition_point(|&of| of <= year))
    }

    fn add(&mut self, year: Option<u16>, next: Option<u16>) {
        self.all.add(year);
        if let Some(next) = next {
            self.by_move.entry(next).or_default().add(year);
        }
    }

    fn sort(&mut self) {
        self.all.years.sort_unstable();
        self.by_move.values_mut().for_each(|of| of.years.sort_unstable());
    }
}

impl LineYears {
    fn add(&mut self, year: Option<u16>) {
        match year {
            Some(year) => self.years.push(year),
            None => self.undated += 1,
        }
    }
}

impl GameIndex {
    /// The names that contain all words of `name`, in any script and width or in pinyin without tones, the most frequent
    /// first.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn player_names(&self, name: &str) -> Result<Vec<PlayerName>, IndexError> {
        let words = words(name);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let condition = vec!["instr(t.words, ?) > 0"; words.len()].join(" AND ");
        let sql = format!(
            "SELECT t.id, t.shown, (SELECT count(*) FROM games WHERE first = t.id)
             + (SELECT count(*) FROM games WHERE second = t.id AND first IS NOT second) AS n
             FROM texts t WHERE {condition} AND n > 0 ORDER BY n DESC, t.shown"
        );
        let mut statement = self.connection.prepare(&sql).in_index(&self.path)?;
        let rows = statement.query_map(params_from_iter(words), |row| {
            Ok(PlayerName { id: row.get(0)?, name: row.get(1)?, games: count_at(row, 2)? })
        });
        rows.in_index(&self.path)?.collect::<rusqlite::Result<_>>().in_index(&self.path)
    }

    /// The games of a player with any of these names, by date, then by place. Copies of a game are one, and one in which
    /// the names stand on both sides is left out.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn player_games(
        &self,
        names: &[PlayerName],
        conditions: &Conditions,
    ) -> Result<Vec<PlayerGame>, IndexError> {
        self.set_names(names).in_index(&self.path)?;
        self.within(conditions, &[], |index, among| {
            index.games_of_names(conditions, among).in_index(&index.path)
        })
    }

    fn set_names(&self, names: &[PlayerName]) -> rusqlite::Result<()> {
        self.connection.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS names(id INTEGER PRIMARY KEY); DELETE FROM temp.names;",
        )?;
        let mut insert =
            self.connection.prepare_cached("INSERT OR IGNORE INTO temp.names VALUES (?)")?;
        names.iter().try_for_each(|name| insert.execute([name.id]).map(drop))
    }

    fn games_of_names(
        &self,
        conditions: &Conditions,
        among: &str,
    ) -> rusqlite::Result<Vec<PlayerGame>> {
        let sql = conditions.sql();
        let tables = sql.tables();
        let condition = sql.condition();
        let query = format!(
            "{tables} SELECT * FROM ({} UNION ALL {}) ORDER BY year IS NULL, year, day, place",
            games_on_side(["first", "second"], among, &condition),
            games_on_side(["second", "first"], among, &condition)
        );
        // The condition stands in the query twice, and so do its parameters.
        let values: Vec<&Value> = sql
            .tables_values()
            .chain(sql.conditions_values())
            .chain(sql.conditions_values())
            .collect();
        let mut statement = self.connection.prepare(&query)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let side: String = row.get(1)?;
            let [number, plies] = [count_at(row, 0)?, count_at(row, 10)?];
            Ok(PlayerGame {
                number,
                side: if side == "first" { Side::First } else { Side::Second },
                opponent: row.get(2)?,
                ratings: [row.get(3)?, row.get(4)?],
                result: result_of(row.get(5)?),
                year: row.get(6)?,
                date: row.get(7)?,
                code: row.get(8)?,
                opening: row.get(9)?,
                plies: u32::try_from(plies).unwrap_or(u32::MAX),
                line: row.get(11)?,
            })
        })?;
        rows.collect()
    }

    /// The visits of all lines to each of these positions.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn visits(&self, keys: &[Key]) -> Result<BTreeMap<Key, Visits>, IndexError> {
        let mut visits = BTreeMap::<Key, Visits>::new();
        let years = Years::of(self)?;
        let names: HashMap<u64, Key> =
            keys.iter().map(|&key| (crate::collection::postings::kept(key), key)).collect();
        self.each_posting(keys, |posting| {
            let (Some(&key), Some(year)) =
                (names.get(&posting.key()), years.of_line(posting.line_number()))
            else {
                return;
            };
            visits.entry(key).or_default().add(year, posting.next());
        })?;
        visits.values_mut().for_each(Visits::sort);
        Ok(visits)
    }
}

/// The query for the games in which one of the names stands in `column`, and none of them in `other`.
fn games_on_side([column, other]: [&str; 2], among: &str, condition: &str) -> String {
    // Of copies the one with the least place counts: SQLite fills the other columns from it.
    format!(
        "SELECT f.first + g.seq, '{column}', o.shown, g.elo1, g.elo2, g.result, g.year AS year, d.shown AS day,
                 c.shown, n.shown, g.plies, g.line, min(f.rank << 32 | g.seq) AS place
                 FROM games g JOIN files f ON f.id = g.file {among}
                 JOIN temp.names p ON p.id = g.{column} LEFT JOIN texts o ON o.id = g.{other}
                 LEFT JOIN texts d ON d.id = g.date LEFT JOIN texts c ON c.id = g.code
                 LEFT JOIN texts n ON n.id = g.opening
                 WHERE {condition} AND (g.{other} IS NULL OR g.{other} NOT IN (SELECT id FROM temp.names))
                 GROUP BY g.line"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn visits_are_counted_as_one_by_one(
            all in proptest::collection::vec(
                (proptest::option::of(1990_u16..2000), proptest::option::of(0_u16..4)), 0..40,
            ),
            year in 1988_u16..2002,
            mv in 0_u16..5,
        ) {
            let mut visits = Visits::default();
            for &(year, next) in &all {
                visits.add(year, next);
            }
            visits.sort();
            let before = all.iter().filter(|(of, _)| of.is_some_and(|of| of < year));
            prop_assert_eq!(visits.before(year), before.count());
            let until = all
                .iter()
                .filter(|(of, next)| *next == Some(mv) && of.is_none_or(|of| of <= year));
            prop_assert_eq!(visits.until(mv, year), until.count());
        }
    }
}
