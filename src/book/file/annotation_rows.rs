//! The tables `marks` and `line_groups`: reading them beside `moves`, and changing them.

use std::collections::BTreeMap;

use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, OptionalExtension, params};

use crate::book::file::connect::row_fault;
use crate::book::model::annotation::{Annotation, MAX_GROUP, text_up_to};
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::game::MAX_MOVES;
use crate::message::message;

/// The query for whether a book has a mark of any move.
pub(crate) const EXIST: &str =
    "SELECT EXISTS(SELECT 1 FROM marks) OR EXISTS(SELECT 1 FROM line_groups)";

/// Groups of one position that are read, at most.
const MAX_GROUPS: usize = 64 * MAX_MOVES;

/// Bytes of all comments of one position that are read, at most: many times more than people write.
const MAX_COMMENTS: usize = 64 << 20;

/// Reads the marks of the moves of a position.
pub(crate) fn of_key(c: &Connection, key: i64) -> rusqlite::Result<BTreeMap<u16, Annotation>> {
    let mut found = BTreeMap::new();
    let mut comments = 0;
    let sql = "SELECT move, priority, flags, weight, comment, origin FROM marks WHERE key = ?1";
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query([key])?;
    // A forged book could have any number of rows.
    while found.len() < MAX_MOVES
        && let Some(row) = rows.next()?
    {
        let mark = Annotation::from_row(row, 1)?;
        comments += mark.comment.as_ref().map_or(0, String::len);
        if comments > MAX_COMMENTS {
            return Err(too_much());
        }
        found.insert(row.get(0)?, mark);
    }
    let mut statement = c.prepare_cached("SELECT move, name FROM line_groups WHERE key = ?1")?;
    let mut rows = statement.query([key])?;
    for _ in 0..MAX_GROUPS {
        let Some(row) = rows.next()? else { break };
        found.entry(row.get(0)?).or_default().groups.insert(group_name(row, 1)?);
    }
    Ok(found)
}

/// Reads the mark of one move.
pub(crate) fn get(c: &Connection, (key, mv): RowKey) -> rusqlite::Result<Annotation> {
    let sql = "SELECT priority, flags, weight, comment, origin FROM marks \
               WHERE key = ?1 AND move = ?2";
    let mut statement = c.prepare_cached(sql)?;
    let mark = statement.query_row((key, mv), |row| Annotation::from_row(row, 0)).optional()?;
    let mut mark = mark.unwrap_or_default();
    let sql = "SELECT name FROM line_groups WHERE key = ?1 AND move = ?2";
    let mut statement = c.prepare_cached(sql)?;
    for name in statement.query_map((key, mv), |row| group_name(row, 0))?.take(MAX_GROUPS) {
        mark.groups.insert(name?);
    }
    Ok(mark)
}

/// Sets the mark of a move, in place of the previous one.
pub(crate) fn set(c: &Connection, (key, mv): RowKey, mark: &Annotation) -> rusqlite::Result<()> {
    c.prepare_cached("DELETE FROM marks WHERE key = ?1 AND move = ?2")?.execute((key, mv))?;
    c.prepare_cached("DELETE FROM line_groups WHERE key = ?1 AND move = ?2")?.execute((key, mv))?;
    put(c, (key, mv), mark)
}

/// Writes the mark of a move that has none yet.
pub(crate) fn put(c: &Connection, (key, mv): RowKey, mark: &Annotation) -> rusqlite::Result<()> {
    if !mark.is_blank() {
        c.prepare_cached("INSERT INTO marks VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute(
            params![
                key,
                mv,
                mark.priority,
                mark.flags.bits(),
                mark.weight.map(u64::cast_signed),
                mark.comment,
                mark.origin
            ],
        )?;
    }
    let mut insert = c.prepare_cached("INSERT INTO line_groups VALUES(?1, ?2, ?3)")?;
    for group in &mark.groups {
        insert.execute(params![key, mv, group])?;
    }
    Ok(())
}

/// Calls `visit` with every place that has a row or a mark, in order. Groups alone make no place.
pub(crate) fn for_each_place(
    c: &Connection,
    mut visit: impl FnMut(RowKey, Option<MoveRow>, Annotation) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut moves = c.prepare("SELECT key, move, stats FROM moves ORDER BY key, move")?;
    let mut marks = c.prepare(
        "SELECT key, move, priority, flags, weight, comment, origin FROM marks ORDER BY key, move",
    )?;
    let mut groups = c.prepare("SELECT key, move, name FROM line_groups ORDER BY key, move")?;
    let mut moves = Ahead::new(moves.query([])?, false, |row| {
        let (key, mv) = place(row)?;
        let blob = row.get_ref(2)?.as_blob()?;
        MoveRow::take(key, mv, blob).ok_or_else(|| bad_row(key, mv))
    })?;
    let mut marks = Ahead::new(marks.query([])?, false, |row| Annotation::from_row(row, 2))?;
    let mut groups = Ahead::new(groups.query([])?, true, |row| group_name(row, 2))?;
    while let Some(place) = [moves.place(), marks.place()].into_iter().flatten().min() {
        let row = moves.take_at(place)?;
        let mut mark = marks.take_at(place)?.unwrap_or_default();
        while groups.place().is_some_and(|next| next < place) {
            groups.advance()?;
        }
        while let Some(name) = groups.take_at(place)? {
            // Each name once: else rows that come again would never end.
            if !mark.groups.insert(name) {
                return Err(disordered());
            }
        }
        visit(place, row, mark)?;
    }
    Ok(())
}

fn place(row: &rusqlite::Row<'_>) -> rusqlite::Result<RowKey> {
    Ok((row.get(0)?, row.get(1)?))
}

/// The name of a line group in a column.
fn group_name(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<String> {
    text_up_to(row, column, MAX_GROUP)
}

/// Rows of a table come in the order of its key; where they do not, the file was changed, and they
/// might never end.
pub(crate) fn expect_after<T: PartialOrd>(before: &mut Option<T>, next: T) -> rusqlite::Result<()> {
    if before.as_ref().is_some_and(|before| *before >= next) {
        return Err(disordered());
    }
    *before = Some(next);
    Ok(())
}

fn too_much() -> rusqlite::Error {
    row_fault("longer comments than anybody writes")
}

pub(crate) fn disordered() -> rusqlite::Error {
    row_fault("rows out of order")
}

/// A row of `moves` that is not as it was written.
fn bad_row(key: i64, mv: u16) -> rusqlite::Error {
    let what = message!("move {mv} of position {} was changed", crate::hash::Key::from_i64(key));
    rusqlite::Error::FromSqlConversionFailure(
        2,
        Type::Blob,
        Box::new(FromSqlError::Other(what.into())),
    )
}

/// Rows with a preview of the next one.
struct Ahead<'s, T, F> {
    rows: rusqlite::Rows<'s>,
    read: F,
    /// True if a place can have several rows.
    repeats: bool,
    next: Option<(RowKey, T)>,
}

impl<'s, T, F: FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>> Ahead<'s, T, F> {
    fn new(rows: rusqlite::Rows<'s>, repeats: bool, read: F) -> rusqlite::Result<Self> {
        let mut ahead = Self { rows, read, repeats, next: None };
        ahead.advance()?;
        Ok(ahead)
    }

    fn place(&self) -> Option<RowKey> {
        self.next.as_ref().map(|(place, _)| *place)
    }

    /// Advances to the next row, and returns the one before.
    fn advance(&mut self) -> rusqlite::Result<Option<(RowKey, T)>> {
        let next = match self.rows.next()? {
            Some(row) => Some((place(row)?, (self.read)(row)?)),
            None => None,
        };
        if let (Some((last, _)), Some((next, _))) = (&self.next, &next)
            && (next < last || next == last && !self.repeats)
        {
            return Err(disordered());
        }
        Ok(std::mem::replace(&mut self.next, next))
    }

    /// Returns the next row and advances, if that row is of this place.
    fn take_at(&mut self, place: RowKey) -> rusqlite::Result<Option<T>> {
        if self.place() != Some(place) {
            return Ok(None);
        }
        Ok(self.advance()?.map(|(_, content)| content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_rows_are_told_in_the_words_of_this_program() {
        let error = expect_after(&mut Some(2), 1).unwrap_err();
        assert_eq!(error.to_string(), "rows out of order");
        assert_eq!(too_much().to_string(), "longer comments than anybody writes");
    }
}
