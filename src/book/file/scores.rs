//! The tables `scores` and `backed`: the scores that sources give to positions, and the values that result
//! for the moves that lead there.

use std::cmp::Reverse;
use std::collections::HashMap;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::book::model::move_stats::MoveStats;
use crate::book::model::value::{Bounds, Evaluation, SourceScore, Value};
use crate::game::{Bound, Side};

/// The query for whether a book has any score.
pub(crate) const EXIST: &str =
    "SELECT EXISTS(SELECT 1 FROM scores) OR EXISTS(SELECT 1 FROM backed)";

/// Sources of one position that are read, at most.
const MAX_SOURCES: usize = 256;

/// The longest name of a source, in bytes.
pub const MAX_SOURCE: usize = 200;

/// A score that one source gives to a position, or to the move that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// The engine's name, or that of the tablebase and its rules.
    pub source: String,
    /// The source's answer; the move in the canonical frame, packed.
    pub evaluation: Evaluation<u16>,
}

impl Score {
    /// The rank beside other scores of the same position: tablebases count before engines; of engines the one
    /// that is sure of its score, then that of more plies, then of more positions.
    fn rank(&self) -> impl Ord + '_ {
        let Evaluation { score, bound, depth, nodes, .. } = self.evaluation;
        (score.is_proof(), bound == Bound::Exact, depth, nodes, Reverse(&self.source))
    }

    /// The same of the move that leads to the position, for the side that makes it; the move that
    /// the source would play is the answer then.
    pub(crate) fn before(self) -> Self {
        let Evaluation { score, bound, .. } = self.evaluation;
        let evaluation = Evaluation { score: score.before(), bound: -bound, ..self.evaluation };
        Self { evaluation, ..self }
    }

    /// The one of several for the same position that counts.
    #[must_use]
    pub fn that_counts(scores: Vec<Self>) -> Option<Self> {
        scores.into_iter().max_by(|a, b| a.rank().cmp(&b.rank()))
    }
}

/// The values of a move in a book, for the side that makes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoveScore {
    /// The score of the best source for the position after it.
    pub engine: Option<Score>,
    /// The value derived from all scores behind it.
    pub backed: Option<Bounds>,
    /// The value that the results of its games suggest: the difference in playing strength that would explain
    /// them, in Elo, each counted as a centipawn here; a win and a loss are added to the games, so that few
    /// of them do not count for much.
    pub played: Option<Value>,
}

impl MoveScore {
    /// The value by the games alone.
    pub(crate) fn of_games(stats: &MoveStats, mover: Side) -> Self {
        let decided = stats.decided();
        let points = stats.wins(mover) as f64 + stats.draws as f64 / 2.0 + 1.0;
        let share = points / (decided as f64 + 2.0);
        // Solved for the difference: share = 1 / (1 + 10^(-elo / 400)).
        let elo = 400.0 * (share / (1.0 - share)).log10();
        let played = (decided > 0).then(|| Value::from_centipawns(elo.round() as i32));
        Self { engine: None, backed: None, played }
    }

    /// The assured value: from all scores behind it, else from the source, but no more than the scores behind
    /// it leave possible.
    #[must_use]
    pub fn assured(&self) -> Option<Value> {
        let backed = self.backed.unwrap_or(Bounds::UNKNOWN);
        backed.assured().or_else(|| self.assured_by_source().map(|worth| worth.min(backed.high())))
    }

    /// The value that the best source assures by itself.
    fn assured_by_source(&self) -> Option<Value> {
        self.engine.as_ref()?.evaluation.span().assured()
    }

    /// Returns true if a tablebase, or a proof as good as one, shows that the move loses.
    #[must_use]
    pub fn is_proven_loss(&self) -> bool {
        let score = self.engine.as_ref().map(|score| score.evaluation.score);
        score.is_some_and(|score| score.is_proof() && score.value() < Value::DRAW)
    }
}

const COLUMNS: &str = "source, kind, value, bound, depth, nodes, best";

fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Score> {
    let score = SourceScore::from_columns(row.get(at + 1)?, row.get(at + 2)?);
    let bound = Bound::ALL.get(usize::from(row.get::<_, u8>(at + 3)?));
    let evaluation = Evaluation {
        score: score.ok_or_else(|| bad_column(at + 1, "scores"))?,
        bound: *bound.ok_or_else(|| bad_column(at + 3, "scores"))?,
        depth: row.get(at + 4)?,
        nodes: row.get::<_, i64>(at + 5)?.cast_unsigned(),
        best: row.get(at + 6)?,
    };
    Ok(Score { source: row.get(at)?, evaluation })
}

/// The error of a column whose number is out of range.
fn bad_column(column: usize, name: &str) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, name.to_owned(), Type::Integer)
}

/// Every score of a position, by the name of the source.
pub(crate) fn of_key(c: &Connection, key: i64) -> rusqlite::Result<Vec<Score>> {
    let sql = format!("SELECT {COLUMNS} FROM scores WHERE key = ?1 ORDER BY source");
    let mut statement = c.prepare_cached(&sql)?;
    statement.query_map([key], |row| read(row, 0))?.take(MAX_SOURCES).collect()
}

/// Calls `visit` with every score, in the order of keys and sources.
pub(crate) fn for_each(c: &Connection, mut visit: impl FnMut(i64, Score)) -> rusqlite::Result<()> {
    let sql = format!("SELECT key, {COLUMNS} FROM scores ORDER BY key, source");
    let mut statement = c.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        visit(row.get(0)?, read(row, 1)?);
    }
    Ok(())
}

/// The score that counts for each position that has one.
pub(crate) fn counting(c: &Connection) -> rusqlite::Result<HashMap<i64, Score>> {
    let mut found: HashMap<i64, Score> = HashMap::new();
    for_each(c, |key, score| {
        let counts = found.get(&key).is_none_or(|old| old.rank() < score.rank());
        if counts {
            found.insert(key, score);
        }
    })?;
    Ok(found)
}

/// Keeps a score, in place of an earlier one of the same source, unless that one counts for more.
pub(crate) fn put(c: &Connection, key: i64, score: &Score) -> rusqlite::Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM scores WHERE key = ?1 AND source = ?2");
    let mut statement = c.prepare_cached(&sql)?;
    let known = statement.query_row(params![key, score.source], |row| read(row, 0)).optional()?;
    if known.is_some_and(|known| known.rank() > score.rank()) {
        return Ok(());
    }
    let Score { source, evaluation } = score;
    let Evaluation { score, bound, depth, nodes, best } = *evaluation;
    let (kind, value) = score.columns();
    let bound = Bound::ALL.iter().position(|&b| b == bound).unwrap_or_default() as u8;
    c.prepare_cached("INSERT OR REPLACE INTO scores VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
        .execute(params![
            key,
            source,
            kind,
            value,
            bound,
            depth,
            i64::try_from(nodes).unwrap_or(i64::MAX),
            best
        ])?;
    Ok(())
}

/// The values derived from scores for the moves of a position.
pub(crate) fn backed_of_key(c: &Connection, key: i64) -> rusqlite::Result<HashMap<u16, Bounds>> {
    let sql = "SELECT move, low, high FROM backed WHERE key = ?1";
    let mut statement = c.prepare_cached(sql)?;
    let rows = statement.query_map([key], |row| Ok((row.get(0)?, read_span(row, 1)?)))?;
    rows.take(crate::game::MAX_MOVES).collect()
}

fn read_span(row: &Row<'_>, at: usize) -> rusqlite::Result<Bounds> {
    let end =
        |column| Value::from_value(row.get(column)?).ok_or_else(|| bad_column(column, "backed"));
    Bounds::new(end(at)?, end(at + 1)?).ok_or_else(|| bad_column(at, "backed"))
}

/// Replaces all values derived from scores.
pub(crate) fn put_backed(
    c: &Connection,
    moves: impl Iterator<Item = (i64, u16, Bounds)>,
) -> rusqlite::Result<()> {
    forget_backed(c)?;
    let mut insert = c.prepare("INSERT INTO backed VALUES(?1, ?2, ?3, ?4)")?;
    for (key, mv, span) in moves {
        insert.execute(params![key, mv, span.low().value(), span.high().value()])?;
    }
    Ok(())
}

/// Removes the values derived from scores, because there are other moves now.
pub(crate) fn forget_backed(c: &Connection) -> rusqlite::Result<()> {
    c.execute("DELETE FROM backed", []).map(drop)
}

/// Returns true if there are values derived from scores.
pub(crate) fn is_backed(c: &Connection) -> rusqlite::Result<bool> {
    c.query_row("SELECT EXISTS(SELECT 1 FROM backed)", [], |row| row.get(0))
}

/// Removes all scores, or those of one source, and the values derived from scores.
pub(crate) fn clear(c: &Connection, source: Option<&str>) -> rusqlite::Result<usize> {
    forget_backed(c)?;
    match source {
        None => c.execute("DELETE FROM scores", []),
        Some(source) => c.execute("DELETE FROM scores WHERE source = ?1", [source]),
    }
}

/// The number of scores of each source.
pub(crate) fn sources(c: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement =
        c.prepare("SELECT source, count(*) FROM scores GROUP BY source ORDER BY source")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
    rows.map(|row| row.map(|(source, count)| (source, count.cast_unsigned()))).collect()
}
