//! The table `journal`: the changes of edits, step by step, so that they can be undone.

use rusqlite::{Connection, params};

use crate::book::file::reader::Book;
use crate::book::file::{annotation_rows, scores};
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::error::BookError;
use crate::book::model::move_stats::RowKey;

/// A step of an edit, as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalStep {
    /// Number of the edit, from 1.
    pub edit: u64,
    /// Number of the step in it, from 1.
    pub step: u64,
    /// In words.
    pub what: String,
    /// Canonical key of the position.
    pub key: i64,
    /// The move in the canonical frame, packed.
    pub mv: u16,
    /// The mark of the move before the step.
    pub before: Annotation,
    /// The mark of the move after the step.
    pub after: Annotation,
}

impl JournalStep {
    fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            edit: row.get::<_, i64>(0)?.cast_unsigned(),
            step: row.get::<_, i64>(1)?.cast_unsigned(),
            what: row.get(2)?,
            key: row.get(3)?,
            mv: row.get(4)?,
            before: mark_at(row, 5)?,
            after: mark_at(row, 6)?,
        })
    }
}

/// The mark in a column of a row.
fn mark_at(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Annotation> {
    let bytes: Option<Vec<u8>> = row.get(column)?;
    let bad = rusqlite::Error::InvalidColumnType(
        column,
        "journal".to_owned(),
        rusqlite::types::Type::Blob,
    );
    bytes.map_or_else(|| Ok(Annotation::default()), |bytes| Annotation::take(&bytes).ok_or(bad))
}

/// The columns of the journal, as [`JournalStep::from_row`] reads them.
const STEPS: &str = "SELECT edit, step, what, key, move, before, after FROM journal";

/// The number of the last edit that can be undone; 0 if there is none.
pub(crate) fn last_edit(c: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(max(edit), 0) FROM journal";
    c.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

/// The number of edits that can be undone.
pub(crate) fn count(c: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT count(DISTINCT edit) FROM journal";
    c.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

/// The steps of an edit, the last first.
pub(crate) fn steps_back(c: &Connection, edit: u64) -> rusqlite::Result<Vec<JournalStep>> {
    let mut statement = c.prepare_cached(&format!("{STEPS} WHERE edit = ?1 ORDER BY step DESC"))?;
    statement.query_map([edit.cast_signed()], JournalStep::from_row)?.collect()
}

/// Removes an edit from the journal.
pub(crate) fn forget(c: &Connection, edit: u64) -> rusqlite::Result<()> {
    c.execute("DELETE FROM journal WHERE edit = ?1", [edit.cast_signed()]).map(drop)
}

/// Replaces the mark of a move, and records the previous one as that step of that edit.
pub(crate) fn write(
    c: &Connection,
    (edit, step): (u64, u64),
    place: RowKey,
    what: &str,
    before: &Annotation,
    after: &Annotation,
) -> rusqlite::Result<()> {
    // From now on the mark is one of this book, not of one that was merged into it.
    let after = Annotation { origin: None, ..after.clone() };
    annotation_rows::set(c, place, &after)?;
    forget_what_followed(c, before, &after)?;
    let edit = edit.cast_signed();
    let step = step.cast_signed();
    c.prepare_cached("INSERT INTO journal VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![edit, step, what, place.0, place.1, bytes_of(before), bytes_of(&after)])
        .map(drop)
}

/// The bytes of a mark; `None` for the default, which is not stored.
fn bytes_of(mark: &Annotation) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    mark.put(&mut bytes);
    (*mark != Annotation::default()).then_some(bytes)
}

/// Removes the values derived from scores if a book has other moves, or others that may be played, with one
/// mark than with the other.
pub(crate) fn forget_what_followed(
    c: &Connection,
    before: &Annotation,
    after: &Annotation,
) -> rusqlite::Result<()> {
    let flags = [Flags::ADDED, Flags::DELETED, Flags::BANNED, Flags::LOST];
    if flags.into_iter().any(|flag| before.flags.has(flag) != after.flags.has(flag)) {
        scores::forget_backed(c)?;
    }
    Ok(())
}

impl Book {
    /// The edits that can be undone, the oldest first.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn history(&self) -> Result<Vec<JournalStep>, BookError> {
        self.query(|c| {
            let mut statement = c.prepare(&format!("{STEPS} ORDER BY edit, step"))?;
            statement.query_map([], JournalStep::from_row)?.collect()
        })
    }
}
