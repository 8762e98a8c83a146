//! Edits of the marks of moves, and their undoing.
//!
//! Rows, and so the digest of the content, stay as they are: an edit changes marks and groups alone, and
//! writes their previous values into the journal.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use crate::book::edit::journal;
use crate::book::edit::journal::JournalStep;
use crate::book::file::annotation_rows;
use crate::book::file::reader::Book;
use crate::book::file::transaction::Revision;
use crate::book::model::annotation::{Annotation, Flags, MAX_COMMENT, MAX_GROUP};
use crate::book::model::error::{BookError, ReplaceError};
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::bytes::StopFlag;
use crate::game::{Notation, Packed, Symmetric};
use crate::message::{Message, ToMessage, message};

/// One change to the mark of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Allows further changes.
    Unlock,
    /// Sets the weight (at most `i64::MAX`), or leaves it to the games.
    Weight(Option<u64>),
    /// Sets the priority.
    Priority(i64),
    /// Sets the comment, or removes it.
    Comment(Option<String>),
    /// Puts the move into a line group, or removes it from one.
    Group(String, bool),
    /// Makes selection leave the move out, or not.
    Disabled(bool),
    /// Marks the move as banned by the repetition rules, or not.
    Banned(bool),
    /// Marks the move as lost by the tablebase, or not.
    Lost(bool),
    /// Removes the move from the book, and keeps it out until it is added again. Its games stay counted.
    Delete,
    /// Refuses further changes.
    Lock,
}

impl Change {
    fn apply(&self, mark: &mut Annotation) {
        match self {
            Self::Unlock => mark.flags.set(Flags::LOCKED, false),
            Self::Weight(weight) => mark.weight = *weight,
            Self::Priority(priority) => mark.priority = *priority,
            Self::Comment(comment) => mark.comment.clone_from(comment),
            Self::Group(name, true) => drop(mark.groups.insert(name.clone())),
            Self::Group(name, false) => drop(mark.groups.remove(name)),
            Self::Disabled(on) => mark.flags.set(Flags::DISABLED, *on),
            Self::Banned(on) => mark.flags.set(Flags::BANNED, *on),
            Self::Lost(on) => mark.flags.set(Flags::LOST, *on),
            Self::Delete => {
                mark.flags.set(Flags::ADDED, false);
                mark.flags.set(Flags::DELETED, true);
            }
            Self::Lock => mark.flags.set(Flags::LOCKED, true),
        }
    }

    fn check(&self) -> Result<(), EditError> {
        let limits = match self {
            Self::Weight(Some(weight)) => i64::try_from(*weight).is_ok(),
            Self::Comment(Some(comment)) => comment.len() <= MAX_COMMENT,
            Self::Group(name, _) => !name.is_empty() && name.len() <= MAX_GROUP,
            _ => true,
        };
        if limits { Ok(()) } else { Err(EditError::TooLong { what: self.message() }) }
    }
}

impl ToMessage for Change {
    fn message(&self) -> Message {
        match self {
            Self::Unlock => "unlock".into(),
            Self::Weight(Some(weight)) => message!("weight {weight}"),
            Self::Weight(None) => "no weight".into(),
            Self::Priority(priority) => message!("priority {priority}"),
            Self::Comment(Some(comment)) => message!("comment {comment:?}"),
            Self::Comment(None) => "no comment".into(),
            Self::Group(name, true) => message!("group {name:?}"),
            Self::Group(name, false) => message!("no group {name:?}"),
            Self::Disabled(true) => "disable".into(),
            Self::Disabled(false) => "enable".into(),
            Self::Banned(true) => "ban".into(),
            Self::Banned(false) => "no ban".into(),
            Self::Lost(true) => "lost".into(),
            Self::Lost(false) => "not lost".into(),
            Self::Delete => "delete".into(),
            Self::Lock => "lock".into(),
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.message().fmt(f)
    }
}

/// An error of editing. The book is unchanged then.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum EditError {
    /// The book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The book may not be changed, another process is changing it, or writing failed.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The book does not have the move.
    #[error("the book does not have {mv} in {position}; add it as a line first")]
    NoSuchMove {
        /// The move.
        mv: String,
        /// The position.
        position: String,
    },
    /// An illegal move.
    #[error("{mv} is illegal in {position}")]
    Illegal {
        /// The move.
        mv: String,
        /// The position.
        position: String,
    },
    /// The mark is locked.
    #[error("{mv} in {position} is locked; unlock it first")]
    Locked {
        /// The move.
        mv: String,
        /// The position.
        position: String,
    },
    /// More text or a greater number than a book holds.
    #[error(
        "{what}: beyond what a book holds (weights to 2^63 - 1, comments to {MAX_COMMENT} bytes, names of groups 1 to {MAX_GROUP})"
    )]
    TooLong {
        /// The change.
        what: Message,
    },
    /// There are no edits.
    #[error("there is no edit to undo")]
    NoEdit,
    /// There are fewer edits.
    #[error("there are only {have} edits to undo")]
    NoSuchEdit {
        /// The number of edits.
        have: u64,
    },
    /// A later change concerns what the edit had changed.
    #[error("edit {edit}, step {step} cannot be undone: its move was changed otherwise since then")]
    Overtaken {
        /// The edit.
        edit: u64,
        /// Its step.
        step: u64,
    },
}

/// A book being changed: one edit, which is done or undone as a whole.
///
/// ```
/// use juzhong::book::{Book, Change, Editor};
/// use juzhong::bytes::StopFlag;
/// use juzhong::xiangqi::{Move, Position};
/// # use juzhong::book::{BuildOptions, ReadOptions, build};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("my.book");
/// # let games = folder.path().join("games.txt");
/// # std::fs::write(&games, "炮二平五 马8进7\n")?;
/// # build::<Position>(&[games], &path, BuildOptions::default(), ReadOptions::default())?;
/// let start = Position::start();
/// let mut editor = Editor::open(&path, &StopFlag::default())?;
/// let changes = [Change::Weight(Some(7)), Change::Comment(Some("my choice".to_owned()))];
/// editor.change(&start, Move::parse("h2e2").unwrap(), &changes)?;
/// editor.commit()?;
/// assert_eq!(Book::open(&path)?.probe(&start)?[0].weight, 7);
///
/// // The journal in the book knows what was there before.
/// let mut editor = Editor::open(&path, &StopFlag::default())?;
/// editor.undo(1)?;
/// editor.commit()?;
/// assert_ne!(Book::open(&path)?.probe(&start)?[0].weight, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Editor {
    revision: Revision,
    /// Number of this edit, and of its steps so far.
    edit: u64,
    steps: u64,
    is_changed: bool,
}

impl Editor {
    /// Makes a copy of the book to work on, and keeps others from editing the book. Once `stop` is set,
    /// everything ends with [`ReplaceError::Interrupted`].
    ///
    /// # Errors
    ///
    /// [`EditError::Replace`] if it is no sound book, if it may not be written, or if another process is
    /// changing it.
    pub fn open(path: &Path, stop: &StopFlag) -> Result<Self, EditError> {
        let revision = Revision::open(path, stop)?;
        let mut editor = Self { revision, edit: 0, steps: 0, is_changed: false };
        editor.edit = 1 + editor.last_edit()?;
        Ok(editor)
    }

    /// The book as it was before.
    #[must_use]
    pub const fn book(&self) -> &Book {
        self.revision.book()
    }

    /// Makes all `changes` to a move of the book. Returns whether that changed anything.
    ///
    /// # Errors
    ///
    /// [`EditError::Illegal`], [`EditError::NoSuchMove`]; [`EditError::Locked`] unless one of the
    /// changes unlocks the move; [`EditError::TooLong`]; [`EditError::Replace`].
    pub fn change<G: Symmetric + Notation>(
        &mut self,
        position: &G,
        mv: G::Move,
        changes: &[Change],
    ) -> Result<bool, EditError> {
        let place = self.place(position, mv)?;
        let before = self.mark_at(place)?;
        let is_locked = before.flags.has(Flags::LOCKED);
        // A deleted move can be unlocked, to be added again.
        let is_open = is_locked && changes == [Change::Unlock];
        if !self.has(place, &before)? && !is_open {
            return Err(EditError::NoSuchMove {
                mv: G::move_text(mv),
                position: position.to_fen(),
            });
        }
        if is_locked && !changes.contains(&Change::Unlock) {
            return Err(locked(position, mv));
        }
        let mut after = before.clone();
        for change in changes {
            change.check()?;
            change.apply(&mut after);
        }
        let words: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let what = format!("{} for {}", words.join(", "), in_words(position, mv));
        self.write_step(place, &what, &before, &after)
    }

    /// Adds a line of moves from `start`, so that the book has them, with or without games: each is put into
    /// the `groups`, and the last one gets the `changes`. Locked moves that the book has stay as they are,
    /// unless the changes unlock the last one. Returns how many moves were changed.
    ///
    /// # Errors
    ///
    /// As [`change`](Self::change).
    pub fn add_line<G: Symmetric + Notation>(
        &mut self,
        start: &G,
        line: &[G::Move],
        groups: &[String],
        changes: &[Change],
    ) -> Result<u64, EditError> {
        let groups: Vec<Change> = groups.iter().map(|g| Change::Group(g.clone(), true)).collect();
        let mut position = start.clone();
        let mut changed = 0;
        for (i, &mv) in line.iter().enumerate() {
            let place = self.place(&position, mv)?;
            let before = self.mark_at(place)?;
            // The moves before the last one only lead there.
            let more = if i + 1 == line.len() { changes } else { &[] };
            if before.flags.has(Flags::LOCKED) && !more.contains(&Change::Unlock) {
                if !self.has(place, &before)? || !more.is_empty() {
                    return Err(locked(&position, mv));
                }
            } else {
                let mut after = before.clone();
                // Adding a move is how a deleted one comes back.
                after.flags.set(Flags::DELETED, false);
                after.flags.set(Flags::ADDED, true);
                for change in groups.iter().chain(more) {
                    change.check()?;
                    change.apply(&mut after);
                }
                let words: Vec<String> =
                    groups.iter().chain(more).map(|change| format!(", {change}")).collect();
                let what = format!("add {}{}", in_words(&position, mv), words.concat());
                changed += u64::from(self.write_step(place, &what, &before, &after)?);
            }
            position.make(mv);
        }
        Ok(changed)
    }

    /// Undoes the last `count` edits. Returns their steps, the last first.
    ///
    /// # Errors
    ///
    /// [`EditError::NoEdit`], [`EditError::NoSuchEdit`], [`EditError::Overtaken`], [`EditError::Replace`].
    pub fn undo(&mut self, count: u64) -> Result<Vec<JournalStep>, EditError> {
        let have = self.query(journal::count)?;
        if have < count {
            return Err(if have == 0 { EditError::NoEdit } else { EditError::NoSuchEdit { have } });
        }
        let mut undone = Vec::new();
        for _ in 0..count {
            let last = self.last_edit()?;
            let steps = self.query(|c| journal::steps_back(c, last))?;
            for step in steps {
                self.undo_step(&step)?;
                undone.push(step);
            }
            self.query(|c| journal::forget(c, last))?;
        }
        // The numbers of undone edits are free again.
        self.edit = 1 + self.last_edit()?;
        self.steps = 0;
        self.is_changed |= !undone.is_empty();
        Ok(undone)
    }

    /// Puts the changed book in the place of the old one; without any change the book stays as it
    /// is.
    ///
    /// # Errors
    ///
    /// [`EditError::Replace`].
    pub fn commit(self) -> Result<(), EditError> {
        if self.is_changed { Ok(self.revision.commit()?) } else { Ok(()) }
    }

    /// Undoes the changes of the step. Other changes to the move since then stay.
    fn undo_step(&self, step: &JournalStep) -> Result<(), EditError> {
        let place = (step.key, step.mv);
        let overtaken = EditError::Overtaken { edit: step.edit, step: step.step };
        let restored = restored(step, self.mark_at(place)?).ok_or(overtaken)?;
        self.query(|c| {
            annotation_rows::set(c, place, &restored)?;
            journal::forget_what_followed(c, &step.before, &step.after)
        })
    }

    fn write_step(
        &mut self,
        place: RowKey,
        what: &str,
        before: &Annotation,
        after: &Annotation,
    ) -> Result<bool, EditError> {
        if before == after {
            return Ok(false);
        }
        self.is_changed = true;
        self.steps += 1;
        let number = (self.edit, self.steps);
        self.query(|c| journal::write(c, number, place, what, before, after))?;
        Ok(true)
    }

    fn last_edit(&self) -> Result<u64, EditError> {
        self.query(journal::last_edit)
    }

    /// The place of a legal move in the book.
    fn place<G: Symmetric + Notation>(
        &self,
        position: &G,
        mv: G::Move,
    ) -> Result<RowKey, EditError> {
        self.book().expect_game::<G>()?;
        if !position.is_legal(mv) {
            let mv = G::move_text(mv);
            let position = position.to_fen();
            return Err(EditError::Illegal { mv, position });
        }
        let canonical = position.canonical_with(self.book().foreign_keys());
        Ok((canonical.key.to_i64(), position.canonical_move(canonical, mv).pack()))
    }

    fn mark_at(&self, place: RowKey) -> Result<Annotation, EditError> {
        self.query(|c| annotation_rows::get(c, place))
    }

    fn row_at(&self, (key, mv): RowKey) -> Result<Option<MoveRow>, EditError> {
        let sql = "SELECT stats FROM moves WHERE key = ?1 AND move = ?2";
        let blob: Option<Vec<u8>> = self
            .query(|c| c.prepare_cached(sql)?.query_row((key, mv), |row| row.get(0)).optional())?;
        blob.map(|blob| {
            MoveRow::take(key, mv, &blob).ok_or_else(|| self.book().damaged_row(key, mv).into())
        })
        .transpose()
    }

    /// Returns true if the book has a move with the mark `mark`.
    fn has(&self, place: RowKey, mark: &Annotation) -> Result<bool, EditError> {
        let flags = mark.flags;
        Ok(!flags.has(Flags::DELETED) && (flags.has(Flags::ADDED) || self.row_at(place)?.is_some()))
    }

    fn query<T>(
        &self,
        run: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, EditError> {
        Ok(self.revision.run(run)?)
    }
}

/// The mark without the changes of the step; `None` if those were changed again since then.
fn restored(step: &JournalStep, mut mark: Annotation) -> Option<Annotation> {
    let JournalStep { before, after, .. } = step;
    if mark == *after {
        return Some(before.clone());
    }
    undo_field(&mut mark.priority, &before.priority, &after.priority)?;
    undo_field(&mut mark.weight, &before.weight, &after.weight)?;
    undo_field(&mut mark.comment, &before.comment, &after.comment)?;
    for (flag, _) in Flags::ALL {
        let mut on = mark.flags.has(flag);
        undo_field(&mut on, &before.flags.has(flag), &after.flags.has(flag))?;
        mark.flags.set(flag, on);
    }
    for group in after.groups.difference(&before.groups) {
        if !mark.groups.remove(group) {
            return None;
        }
    }
    for group in before.groups.difference(&after.groups) {
        if !mark.groups.insert(group.clone()) {
            return None;
        }
    }
    Some(mark)
}

/// Goes back to `before` if the step changed the value and it has not changed since then.
fn undo_field<T: PartialEq + Clone>(now: &mut T, before: &T, after: &T) -> Option<()> {
    if before != after {
        if now != after {
            return None;
        }
        now.clone_from(before);
    }
    Some(())
}

fn in_words<G: Notation>(position: &G, mv: G::Move) -> String {
    format!("{} in {}", G::move_text(mv), position.to_fen())
}

fn locked<G: Notation>(position: &G, mv: G::Move) -> EditError {
    EditError::Locked { mv: G::move_text(mv), position: position.to_fen() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::options::BuildOptions;
    use crate::book::tests::{after, build_some};
    use crate::bytes::lock::tests::names;
    use crate::game::{Game, MoveList};
    use crate::xiangqi::{Move, Position};
    use proptest::prelude::*;
    use rusqlite::types::Value;

    /// Every row of every table but the digest of the file.
    fn dump(path: &Path) -> Vec<(String, Vec<Value>)> {
        let connection = Connection::open(path).unwrap();
        let mut dump = Vec::new();
        let tables = crate::book::file::store::TABLES.iter().map(|table| table.name);
        for table in tables.filter(|name| *name != "seal") {
            let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| (0..columns).map(|i| row.get(i)).collect());
            dump.extend(rows.unwrap().map(|row| (table.to_owned(), row.unwrap())));
        }
        dump
    }

    fn change(path: &Path, moves: &str, mv: &str, changes: &[Change]) -> Result<bool, EditError> {
        let mut editor = Editor::open(path, &StopFlag::default())?;
        let changed = editor.change(&after(moves), Move::parse(mv).unwrap(), changes)?;
        editor.commit()?;
        Ok(changed)
    }

    fn found(
        path: &Path,
        moves: &str,
        mv: &str,
    ) -> Option<crate::book::file::reader::BookMove<Move>> {
        let book = Book::open(path).unwrap();
        book.verify().unwrap();
        book.probe(&after(moves)).unwrap().into_iter().find(|m| m.mv.to_string() == mv)
    }

    #[test]
    fn edits_are_shown_and_undone() {
        let (_folder, book) = build_some(BuildOptions::default());
        let (path, content) = (book.path().to_owned(), book.metadata().content.clone());
        drop(book);
        let before = dump(&path);
        let all = [
            Change::Weight(Some(77)),
            Change::Priority(-3),
            Change::Comment(Some("中炮".to_owned())),
            Change::Group("a".to_owned(), true),
            Change::Disabled(true),
        ];
        assert!(change(&path, "h2e2", "h9g7", &all).unwrap());
        assert!(!change(&path, "b2e2", "b9c7", &all).unwrap(), "the mirror image has it, too");
        let edited = found(&path, "h2e2", "h9g7").unwrap();
        assert_eq!((edited.weight, edited.priority, edited.disabled), (77, -3, true));
        assert_eq!(
            (edited.comment.as_deref(), edited.groups),
            (Some("中炮"), vec!["a".to_owned()])
        );
        assert!(change(&path, "", "h2e2", &[Change::Delete]).unwrap());
        assert_eq!(found(&path, "", "h2e2"), None);
        assert!(found(&path, "", "g3g4").is_some());
        assert!(matches!(
            change(&path, "", "h2e2", &[Change::Lock]),
            Err(EditError::NoSuchMove { .. })
        ));
        let book = Book::open(&path).unwrap();
        assert_eq!(book.metadata().content, content);
        let history = book.history().unwrap();
        assert_eq!(history.iter().map(|step| step.edit).collect::<Vec<_>>(), [1, 2]);
        assert!(history[0].what.starts_with("weight 77, priority -3"), "{}", history[0].what);
        drop(book);
        let mut editor = Editor::open(&path, &StopFlag::default()).unwrap();
        assert!(matches!(editor.undo(3), Err(EditError::NoSuchEdit { have: 2 })));
        assert_eq!(editor.undo(2).unwrap().len(), 2);
        editor.commit().unwrap();
        assert_eq!(dump(&path), before);
        let mut editor = Editor::open(&path, &StopFlag::default()).unwrap();
        assert!(matches!(editor.undo(1), Err(EditError::NoEdit)));
    }

    #[test]
    fn locked_moves_stay_as_they_are() {
        let (_folder, book) = build_some(BuildOptions::default());
        let path = book.path().to_owned();
        drop(book);
        change(&path, "", "h2e2", &[Change::Priority(1), Change::Lock]).unwrap();
        for refused in [Change::Priority(2), Change::Delete, Change::Lock] {
            let error = change(&path, "", "h2e2", &[refused]).unwrap_err();
            assert!(matches!(error, EditError::Locked { .. }), "{error}");
        }
        let mut editor = Editor::open(&path, &StopFlag::default()).unwrap();
        let line = ["h2e2", "a9a8"].map(|mv| Move::parse(mv).unwrap());
        let group = ["g".to_owned()];
        assert_eq!(editor.add_line(&Position::start(), &line, &group, &[]).unwrap(), 1);
        editor.commit().unwrap();
        assert_eq!(found(&path, "", "h2e2").unwrap().groups, [""; 0]);
        assert_eq!(found(&path, "h2e2", "a9a8").unwrap().groups, ["g"]);
        change(&path, "", "h2e2", &[Change::Unlock, Change::Priority(2)]).unwrap();
        assert_eq!(found(&path, "", "h2e2").unwrap().priority, 2);
    }

    #[test]
    fn undoing_leaves_what_others_said() {
        let (_folder, book) = build_some(BuildOptions::default());
        let path = book.path().to_owned();
        // Windows replaces no open file.
        let open = cfg!(unix).then_some(book);
        change(&path, "", "h2e2", &[Change::Priority(1), Change::Lost(true)]).unwrap();
        // As a program without a journal does it.
        let sql = "UPDATE marks SET flags = flags | 2; \
                   INSERT INTO line_groups SELECT key, move, 'g' FROM marks";
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let steps = open.map_or_else(Vec::new, |book| book.history().unwrap_or_default());
        assert!(steps.is_empty(), "an open book stays as it was");
        let book = Book::open(&path).unwrap();
        let steps = book.history().unwrap();
        let place = (steps[0].key, steps[0].mv);
        let now = annotation_rows::get(&Connection::open(&path).unwrap(), place).unwrap();
        let mark = restored(&steps[0], now.clone()).unwrap();
        assert_eq!((mark.priority, mark.flags), (0, Flags::BANNED));
        assert!(mark.groups.contains("g"));
        assert_eq!(restored(&steps[0], Annotation { priority: 5, ..now }), None);
    }

    #[test]
    fn added_lines_are_in_the_book_without_games() {
        let options = BuildOptions { min_games: 2, ..BuildOptions::default() };
        let (_folder, book) = build_some(options);
        let path = book.path().to_owned();
        drop(book);
        assert_eq!(found(&path, "", "i3i4").map(|m| m.stats.games), Some(2));
        assert_eq!(found(&path, "", "h0i2"), None);
        let line = ["h0i2", "e9e8", "i2h0"].map(|mv| Move::parse(mv).unwrap());
        let mut editor = Editor::open(&path, &StopFlag::default()).unwrap();
        let comment = [Change::Comment(Some("odd".to_owned()))];
        assert_eq!(editor.add_line(&Position::start(), &line, &[], &comment).unwrap(), 3);
        editor.commit().unwrap();
        assert_eq!(found(&path, "", "h0i2").map(|m| m.stats.games), Some(1));
        let added = found(&path, "h0i2 e9e8", "i2h0").unwrap();
        assert_eq!((added.stats.games, added.weight, added.added), (0, 1, true));
        assert_eq!(added.comment.as_deref(), Some("odd"));
        let book = Book::open(&path).unwrap();
        let walk = book.walk::<Position>().unwrap();
        assert_eq!(walk.unreached, 0);
        assert_eq!(walk.depths.iter().map(|d| d.moves).sum::<u64>(), book.metadata().rows + 2);
        drop((walk, book));
        // A deleted move without games is recorded as deleted.
        change(&path, "h0i2 e9e8", "i2h0", &[Change::Delete]).unwrap();
        assert_eq!(found(&path, "h0i2 e9e8", "i2h0"), None);
        let deleted = Book::open(&path).unwrap().deleted_moves().unwrap();
        assert_eq!(deleted.len(), 1);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (_folder, book) = build_some(BuildOptions::default());
        let path = book.path().to_owned();
        let before = std::fs::read(&path).unwrap();
        let long = Change::Comment(Some("x".repeat(MAX_COMMENT + 1)));
        for (mv, refused) in [
            ("h2e2", long),
            ("h2e2", Change::Weight(Some(u64::MAX))),
            ("h2e2", Change::Group(String::new(), true)),
            ("a0a9", Change::Lock),
            ("a0a1", Change::Lock),
        ] {
            assert!(change(&path, "", mv, &[refused]).is_err());
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let mut damaged = before;
        let at = damaged.len() - 9000;
        damaged[at] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let error = Editor::open(&path, &StopFlag::default()).unwrap_err();
        let EditError::Replace(ReplaceError::Book(error)) = error else { panic!("{error}") };
        assert!(matches!(error, BookError::Damaged { .. }), "{error}");
        assert_eq!(names(path.parent().unwrap()), ["test.book"]);
    }

    fn any_change() -> impl Strategy<Value = Change> {
        prop_oneof![
            prop::option::of(0..9u64).prop_map(Change::Weight),
            (-2..3i64).prop_map(Change::Priority),
            prop::option::of("[a-c中]{0,2}").prop_map(Change::Comment),
            ("[a-b]", any::<bool>()).prop_map(|(name, on)| Change::Group(name, on)),
            any::<bool>().prop_map(Change::Disabled),
            any::<bool>().prop_map(Change::Banned),
            any::<bool>().prop_map(Change::Lost),
            Just(Change::Delete),
            Just(Change::Lock),
            Just(Change::Unlock),
        ]
    }

    /// A walk of up to four plies by the numbers, then a change there or a line from there.
    #[derive(Debug, Clone)]
    struct AnyEdit {
        walk: Vec<u8>,
        changes: Vec<Change>,
        adds: bool,
    }

    fn make(path: &Path, edit: &AnyEdit) -> Result<(), EditError> {
        let mut position = Position::start();
        let mut line = Vec::new();
        for &n in &edit.walk {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.get(usize::from(n) % moves.len().max(1)) else { break };
            line.push(mv);
            position.make(mv);
        }
        let mut editor = Editor::open(path, &StopFlag::default())?;
        if edit.adds {
            editor.add_line(&Position::start(), &line, &["l".to_owned()], &[])?;
        } else {
            let found = editor.book().probe(&Position::start())?;
            let Some(found) = found.first() else { return Ok(()) };
            editor.change(&Position::start(), found.mv, &edit.changes)?;
        }
        editor.commit()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn undoing_everything_restores_everything(
            edits in prop::collection::vec(
                (prop::collection::vec(0..44u8, 1..4), prop::collection::vec(any_change(), 1..4), any::<bool>())
                    .prop_map(|(walk, changes, adds)| AnyEdit { walk, changes, adds }),
                1..7,
            ),
        ) {
            let (_folder, book) = build_some(BuildOptions::default());
            let path = book.path().to_owned();
            let content = book.metadata().content.clone();
            drop(book);
            let before = dump(&path);
            for edit in &edits {
                let state = dump(&path);
                if make(&path, edit).is_err() {
                    prop_assert_eq!(dump(&path), state);
                }
            }
            let book = Book::open(&path).unwrap();
            book.verify().unwrap();
            let history = book.history().unwrap();
            let count = history.last().map_or(0, |step| step.edit);
            drop(book);
            let mut editor = Editor::open(&path, &StopFlag::default()).unwrap();
            editor.undo(count).unwrap();
            editor.commit().unwrap();
            let book = Book::open(&path).unwrap();
            book.verify().unwrap();
            prop_assert_eq!(&book.metadata().content, &content);
            prop_assert_eq!(dump(&path), before);
        }
    }
}
