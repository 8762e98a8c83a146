//! The openings of games by year.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::collection::error::{IndexError, QueryResult};
use crate::collection::query::Conditions;
use crate::collection::rows::{count_at, result_of};
use crate::collection::store::GameIndex;
use crate::game::Outcome;

/// Games of an opening, a year and a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningCount {
    /// The code of the opening; `None` for games without one.
    pub code: Option<String>,
    /// Its Chinese name.
    pub name: Option<String>,
    /// The year.
    pub year: u16,
    /// The result that is stated.
    pub result: Option<Outcome>,
    /// Games.
    pub games: u64,
}

impl GameIndex {
    /// The games under the conditions that state a year, counted by opening, year and result. Copies of a game are one.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn opening_counts(&self, conditions: &Conditions) -> Result<Vec<OpeningCount>, IndexError> {
        self.within(conditions, &[], |index, among| {
            index.count_openings(conditions, among).in_index(&index.path)
        })
    }

    fn count_openings(
        &self,
        conditions: &Conditions,
        among: &str,
    ) -> rusqlite::Result<Vec<OpeningCount>> {
        let sql = conditions.sql();
        let (tables, condition) = (sql.tables(), sql.condition());
        // Of copies the first by its place counts, as in lists.
        let query = format!(
            "{tables} SELECT c.shown, max(n.shown), year, result, count(*) FROM
             (SELECT g.code AS code, g.opening AS opening, g.year AS year, g.result AS result, min(f.rank << 32 | g.seq)
              FROM games g JOIN files f ON f.id = g.file {among}
              WHERE {condition} AND g.year IS NOT NULL GROUP BY g.line)
             LEFT JOIN texts c ON c.id = code LEFT JOIN texts n ON n.id = opening
             GROUP BY c.shown, year, result ORDER BY c.shown IS NULL, c.shown, year, result"
        );
        let values: Vec<&Value> = sql.tables_values().chain(sql.conditions_values()).collect();
        let mut statement = self.connection.prepare(&query)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            Ok(OpeningCount {
                code: row.get(0)?,
                name: row.get(1)?,
                year: row.get(2)?,
                result: result_of(row.get(3)?),
                games: count_at(row, 4)?,
            })
        })?;
        rows.collect()
    }
}
