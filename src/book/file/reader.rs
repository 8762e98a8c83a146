//! An open book: its rows by position, its totals, and the checks of its content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Statement};

use crate::book::file::connect::{FileKind, Guard};
use crate::book::file::digest::Header;
use crate::book::file::key_tables::key_file;
use crate::book::file::scores::{MoveScore, Score};
use crate::book::file::store::{
    APPLICATION_ID, BookTable, ContentHasher, SAMPLE_TABLES, SAMPLES_VERSION, TABLES, VERSION,
};
use crate::book::file::{annotation_rows, connect, digest, pages, scores};
use crate::book::model::annotation::{Annotation, Flags, text_up_to};
use crate::book::model::error::BookError;
use crate::book::model::metadata::{MAX_SHARE, MAX_SOURCE_NAME, Metadata, Source};
use crate::book::model::move_stats::{MoveRow, MoveStats, RowKey};
use crate::book::model::weight::Weight;
use crate::bytes::{StopFlag, open, own_files};
use crate::game::{Canonical, Game, MAX_MOVES, Packed, Symmetric};
use crate::hash::{Key, KeyTable};
use crate::message::{Message, ToMessage, message};

/// An opening book, open for reading. It can be sent to another thread, but not shared by threads:
/// each opens its own.
///
/// ```
/// use juzhong::book::{Book, BuildOptions, ReadOptions, build};
/// use juzhong::xiangqi::Position;
///
/// let folder = tempfile::tempdir()?;
/// let (games, path) = (folder.path().join("games.pgn"), folder.path().join("my.book"));
/// std::fs::write(&games, "[Result \"1-0\"]\n\n1. C2=5 H8+7 1-0\n")?;
/// build::<Position>(&[games], &path, BuildOptions::default(), ReadOptions::default())?;
///
/// let moves = Book::open(&path)?.probe(&Position::start())?;
/// assert_eq!(moves[0].mv.to_string(), "h2e2");
/// assert_eq!(moves[0].weight, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    /// The path by which it was opened, if this is a copy of it.
    named: Option<PathBuf>,
    /// The same file, to detect writes to it.
    file: File,
    stamp: Stamp,
    connection: Connection,
    guard: Arc<Guard>,
    metadata: Metadata,
    /// The book's own keys, if they are not the stored ones of its game.
    foreign_keys: Option<KeyTable>,
    /// True if there are marks or groups at all.
    has_marks: bool,
    /// The settings of probing: as the metadata state, or as set for this opening.
    min_share: u64,
    weight: Weight,
    has_scores: bool,
}

/// The properties that a write to a file changes: its length and the time of the last change.
type Stamp = (u64, Option<std::time::SystemTime>);

fn stamp_of(file: &File) -> io::Result<Stamp> {
    let about = file.metadata()?;
    Ok((about.len(), about.modified().ok()))
}

/// A file as it was when a book was opened.
#[derive(Debug)]
pub(crate) struct Identity {
    file: File,
    stamp: Stamp,
}

/// A move that a book has for a position, in the position's own frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookMove<M> {
    /// The move; legal.
    pub mv: M,
    /// The games in which it was played.
    pub stats: MoveStats,
    /// The weight of the move in selection: set by hand, or by the formula [`Metadata::weight`].
    pub weight: u64,
    /// True if the weight was set, by an edit or the format that the book was imported from, and does not follow from
    /// games. A weight of 0 that was set means a move that is not played.
    pub weight_is_set: bool,
    /// Selection prefers the highest; 0 unless one was set.
    pub priority: i64,
    /// True if selection leaves it out.
    pub disabled: bool,
    /// True if it loses by the repetition rules.
    pub banned: bool,
    /// True if the tablebase proves that it loses.
    pub lost: bool,
    /// True if edits leave it alone.
    pub locked: bool,
    /// True if it was added by hand: then it counts as having games enough.
    pub added: bool,
    /// A remark for people.
    pub comment: Option<String>,
    /// The line groups that it belongs to, in order.
    pub groups: Vec<String>,
    /// The values of it that engines and tablebases give.
    pub score: MoveScore,
    /// The number of the merged book that this comes from, see [`Book::origins`].
    pub origin: Option<u32>,
}

impl<M> BookMove<M> {
    /// A move without marks.
    #[must_use]
    pub const fn new(mv: M, stats: MoveStats, weight: u64) -> Self {
        Self {
            mv,
            stats,
            weight,
            weight_is_set: false,
            priority: 0,
            disabled: false,
            banned: false,
            lost: false,
            locked: false,
            added: false,
            comment: None,
            groups: Vec::new(),
            score: MoveScore { engine: None, backed: None, played: None },
            origin: None,
        }
    }

    fn with_mark(self, mark: Annotation) -> Self {
        let Annotation { priority, flags, comment, groups, origin, .. } = mark;
        Self {
            priority,
            disabled: flags.has(Flags::DISABLED),
            banned: flags.has(Flags::BANNED),
            lost: flags.has(Flags::LOST),
            locked: flags.has(Flags::LOCKED),
            added: flags.has(Flags::ADDED),
            comment,
            groups: groups.into_iter().collect(),
            origin,
            ..self
        }
    }
}

/// A move that a book has, in the canonical frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookEntry {
    /// The canonical key as SQLite holds it.
    pub key: i64,
    /// The move in the canonical frame, packed.
    pub mv: u16,
    /// The games in which it was played; none if it was added by hand.
    pub stats: MoveStats,
    /// The weight that was set by an edit, or when the book was made. A move added by hand has 1
    /// unless another was set.
    pub weight: Option<u64>,
    /// The mark of the move.
    pub mark: Annotation,
}

impl BookEntry {
    /// The entry of a row and a mark; `None` if the book does not have the move.
    pub(crate) fn new(key: i64, mv: u16, row: Option<MoveRow>, mark: Annotation) -> Option<Self> {
        let is_added = mark.flags.has(Flags::ADDED);
        if mark.flags.has(Flags::DELETED) || row.is_none() && !is_added {
            return None;
        }
        let set = mark.weight.or(row.and_then(|row| row.weight));
        let weight = if row.is_none() { set.or(Some(1)) } else { set };
        let stats = row.map_or_else(MoveStats::default, |row| row.stats);
        Some(Self { key, mv, stats, weight, mark })
    }

    /// Returns true if it has at least `min_games` games or was added by hand.
    #[must_use]
    pub const fn has_games(&self, min_games: u64) -> bool {
        self.mark.flags.has(Flags::ADDED) || self.stats.games >= min_games
    }

    /// Returns true if it was played in at least this share of `games`, in hundredths of a percent, or was
    /// added by hand.
    #[must_use]
    pub const fn has_share(&self, min_share: u64, games: u128) -> bool {
        // A product of two numbers of 64 bits always fits; that of a sum of games may not.
        let own = self.stats.games as u128 * MAX_SHARE as u128;
        self.mark.flags.has(Flags::ADDED) || own >= games.saturating_mul(min_share as u128)
    }
}

impl Book {
    /// Opens a book. A book of another program is [`BookError::NotABook`] here.
    pub(crate) fn open_file(path: &Path, stop: &StopFlag) -> Result<Self, BookError> {
        let file = check_header(path)?;
        let stamp =
            stamp_of(&file).map_err(|source| BookError::Io { path: path.to_owned(), source })?;
        let (connection, guard) = connect::open_file(path, stamp.0, FileKind::Own, stop)
            .map_err(|e| sqlite_error(path, &e))?;
        let loaded = load(path, &connection)
            .map_err(|error| if guard.is_stopped() { interrupted(path) } else { error })?;
        let Loaded { metadata, foreign_keys, has_marks, has_scores } = loaded;
        Ok(Self {
            path: path.to_owned(),
            named: None,
            stamp,
            file,
            connection,
            guard,
            min_share: metadata.min_share,
            weight: metadata.weight.clone(),
            metadata,
            foreign_keys,
            has_marks,
            has_scores,
        })
    }

    /// Sets the formula for moves for which no weight is set, in place of the book's own.
    pub fn set_weight(&mut self, weight: Weight) {
        self.weight = weight;
    }

    /// Sets the least share of a move in its position's games (in hundredths of a percent) for probing, in
    /// place of the book's own.
    pub const fn set_min_share(&mut self, min_share: u64) {
        self.min_share = min_share;
    }

    /// The identity of the open file, to distinguish it from another one that replaces it.
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        Ok(Identity { file: self.file.try_clone()?, stamp: self.stamp })
    }

    /// Returns true if this is that file, unchanged since then, and still has its path.
    pub(crate) fn is_of(&self, identity: &Identity) -> io::Result<bool> {
        // Both files: the path may lead to another one by now, and this book may be a later one.
        let now = open::regular(&self.path)?;
        Ok(stamp_of(&now)? == identity.stamp
            && own_files::are_same(&now, &identity.file)?
            && own_files::are_same(&self.file, &identity.file)?)
    }

    /// The path by which the book was opened; that of the foreign book if a copy of one was.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.named.as_deref().unwrap_or(&self.path)
    }

    /// The book under the path of the one whose copy it is.
    pub(crate) fn named(self, path: &Path) -> Self {
        Self { named: Some(path.to_owned()), ..self }
    }

    /// The metadata of the book.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The book's own key table, if it was made with other keys than the stored ones.
    #[must_use]
    pub const fn foreign_keys(&self) -> Option<&KeyTable> {
        self.foreign_keys.as_ref()
    }

    /// The canonical key under which the book has `position`.
    #[must_use]
    pub fn key_of<G: Symmetric>(&self, position: &G) -> Key {
        position.canonical_with(self.foreign_keys()).key
    }

    /// The moves that the book has for `position`: legal ones, in the position's own frame, those
    /// of most games first, moves of fewer games than [`Metadata::min_games`] or of a smaller share
    /// than [`Metadata::min_share`] left out. The share is that of the games of all the position's
    /// moves, those left out included. In a
    /// symmetric position equivalent moves are one, shown as the greatest of them (in xiangqi the
    /// one on the right: `h2e2`, not `b2e2`).
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], and [`BookError::Damaged`] where a row was changed or the file
    /// cannot be read as a database.
    pub fn probe<G: Symmetric>(&self, position: &G) -> Result<Vec<BookMove<G::Move>>, BookError> {
        self.probe_with(position, self.metadata.min_games)
    }

    /// [`probe`](Self::probe) with another least number of games.
    ///
    /// # Errors
    ///
    /// As [`probe`](Self::probe).
    pub fn probe_with<G: Symmetric>(
        &self,
        position: &G,
        min_games: u64,
    ) -> Result<Vec<BookMove<G::Move>>, BookError> {
        self.found(position, min_games, |key| self.entries_of(key))
    }

    /// What [`probe_with`](Self::probe_with) finds, `entries` being the moves of the book under a key.
    pub(crate) fn found<G: Symmetric>(
        &self,
        position: &G,
        min_games: u64,
        entries: impl FnOnce(i64) -> Result<Vec<BookEntry>, BookError>,
    ) -> Result<Vec<BookMove<G::Move>>, BookError> {
        self.expect_game::<G>()?;
        let canonical = position.canonical_with(self.foreign_keys());
        let key = canonical.key.to_i64();
        let mover = position.turn();
        let entries = entries(key)?;
        let mut moves = Vec::with_capacity(entries.len());
        let games: u128 = entries.iter().map(|entry| u128::from(entry.stats.games)).sum();
        for entry in entries {
            let BookEntry { mv: bits, stats, .. } = entry;
            let image = G::Move::unpack(bits).ok_or_else(|| self.damaged_row(key, bits))?;
            let mv = shown_move(position, canonical, image);
            if position.is_legal(mv)
                && entry.has_games(min_games)
                && entry.has_share(self.min_share, games)
            {
                let weight_is_set = entry.weight.is_some();
                let weight = entry.weight.unwrap_or_else(|| self.weight.of(&stats, mover));
                let score = MoveScore::of_games(&stats, mover);
                moves.push(
                    BookMove { score, weight_is_set, ..BookMove::new(mv, stats, weight) }
                        .with_mark(entry.mark),
                );
            }
        }
        moves.sort_by(|a, b| b.stats.games.cmp(&a.stats.games).then(a.mv.cmp(&b.mv)));
        if self.has_scores {
            self.add_scores(position, &mut moves)?;
        }
        Ok(moves)
    }

    /// Returns true if the book has any score.
    #[must_use]
    pub const fn has_scores(&self) -> bool {
        self.has_scores
    }

    fn add_scores<G: Symmetric>(
        &self,
        position: &G,
        moves: &mut [BookMove<G::Move>],
    ) -> Result<(), BookError> {
        let canonical = position.canonical_with(self.foreign_keys());
        let backed = self.query(|c| scores::backed_of_key(c, canonical.key.to_i64()))?;
        let mut after = position.clone();
        for found in moves {
            let undo = after.make(found.mv);
            let key = self.key_of(&after).to_i64();
            after.unmake(found.mv, undo);
            let engine = Score::that_counts(self.query(|c| scores::of_key(c, key))?);
            let bits = position.canonical_move(canonical, found.mv).pack();
            found.score.engine = engine.map(Score::before);
            found.score.backed = backed.get(&bits).copied();
        }
        Ok(())
    }

    /// The files that the book was made from.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn sources(&self) -> Result<Vec<Source>, BookError> {
        self.query(|c| {
            let mut statement = c.prepare("SELECT hash, name, games FROM sources ORDER BY hash")?;
            let rows = statement.query_map([], |row| {
                Ok(Source {
                    hash: row.get(0)?,
                    name: text_up_to(row, 1, MAX_SOURCE_NAME)?,
                    games: row.get::<_, i64>(2)?.cast_unsigned(),
                })
            })?;
            rows.collect()
        })
    }

    /// Returns true if the book counts the game of that id.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn has_game(
        &self,
        id: crate::book::model::counted_game::GameId,
    ) -> Result<bool, BookError> {
        self.query(|c| c.prepare_cached("SELECT 1 FROM games WHERE id = ?1")?.exists([&id.0[..]]))
    }

    /// Calls `visit` with every move of the book in the order of keys: key, packed move, content.
    /// Deleted moves are left out; those added by hand have no games.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn for_each_row(&self, mut visit: impl FnMut(i64, u16, &MoveRow)) -> Result<(), BookError> {
        if self.has_marks {
            return self.for_each_entry(|entry| {
                let row = MoveRow { stats: entry.stats, weight: entry.weight };
                visit(entry.key, entry.mv, &row);
            });
        }
        self.for_each_blob(|key, bits, blob| {
            MoveRow::take(key, bits, blob).inspect(|row| visit(key, bits, row)).is_some()
        })
    }

    /// Calls `visit` with every move of the book and its mark, in the order of keys and packed moves. Deleted
    /// moves are left out.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn for_each_entry(&self, mut visit: impl FnMut(BookEntry)) -> Result<(), BookError> {
        self.for_each_place(|place, row, mark| {
            if let Some(entry) = BookEntry::new(place.0, place.1, row, mark) {
                visit(entry);
            }
            Ok(())
        })
    }

    /// Calls `visit` with every place that has a row or a mark, deleted moves and all.
    pub(crate) fn for_each_place(
        &self,
        visit: impl FnMut(RowKey, Option<MoveRow>, Annotation) -> rusqlite::Result<()>,
    ) -> Result<(), BookError> {
        self.query(|c| annotation_rows::for_each_place(c, visit))
    }

    /// Reads the whole file and compares it with the digest that it carries. Fast: some gigabytes a
    /// second.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`] if any byte differs, [`BookError::Io`].
    pub fn check_file(&self) -> Result<(), BookError> {
        let intact = open::regular(&self.path)
            .and_then(|mut file| digest::is_intact(&mut file, self.guard.stop()));
        match intact {
            Ok(true) => Ok(()),
            Ok(false) => Err(damaged(&self.path, "the digest of the file does not match")),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(damaged(&self.path, "the file is too short to hold its digest"))
            }
            Err(source) => Err(BookError::Io { path: self.path.clone(), source }),
        }
    }

    /// Checks that each page of the file belongs to one place of one table, so that a copy of its tables is not
    /// much longer than the file. Reads the whole file.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`], [`BookError::Io`].
    pub(crate) fn check_pages(&self) -> Result<(), BookError> {
        let roots: Vec<u32> = self.query(|c| {
            let mut statement = c.prepare("SELECT rootpage FROM sqlite_schema")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })?;
        let mut file = self.file.try_clone().map_err(|source| io_error(&self.path, source))?;
        pages::check(&mut file, &roots, self.guard.stop()).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => damaged(&self.path, error.message()),
            _ => io_error(&self.path, error),
        })
    }

    /// Compares the open file with its digest again if it was written to since it was opened or last checked.
    /// Cheap if not: one system call. A book that was replaced by renaming, or deleted, stays as it was
    /// opened.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`] if any byte differs, [`BookError::Io`].
    pub fn check_if_changed(&mut self) -> Result<(), BookError> {
        let stamp = stamp_of(&self.file).map_err(|source| io_error(&self.path, source))?;
        if stamp == self.stamp {
            return Ok(());
        }
        match digest::is_intact(&mut self.file, self.guard.stop()) {
            Ok(true) => self.stamp = stamp,
            Ok(false) => return Err(damaged(&self.path, "it was changed while it was open")),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(damaged(&self.path, "it was changed while it was open"));
            }
            Err(source) => return Err(io_error(&self.path, source)),
        }
        Ok(())
    }

    /// Checks everything: the digest of the file, the structure of the database, every row, and the
    /// counts and the digest of the rows.
    ///
    /// # Errors
    ///
    /// The first fault found.
    pub fn verify(&self) -> Result<(), BookError> {
        self.check_file()?;
        let verdict: String =
            self.query(|c| c.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        if verdict != "ok" {
            return Err(damaged(&self.path, message!("the database is inconsistent: {verdict}")));
        }
        self.check_rows()
    }

    /// Compares rows and ids of games with the numbers that the book states, and with the digest of the rows.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`] at the first difference.
    pub(crate) fn check_rows(&self) -> Result<(), BookError> {
        let mut content = ContentHasher::default();
        let mut rows = 0;
        let mut positions = 0;
        let mut last = None;
        self.for_each_blob(|key, bits, blob| {
            content.add(key, bits, blob);
            rows += 1;
            positions += u64::from(last.replace(key) != Some(key));
            MoveRow::take(key, bits, blob).is_some()
        })?;
        // A plain count would not check the stop flag underway.
        let sql = "SELECT count(length(id)) FROM games";
        let games: i64 = self.query(|c| c.query_row(sql, [], |row| row.get(0)))?;
        let stated = &self.metadata;
        if (rows, positions) != (stated.rows, stated.positions)
            || games.cast_unsigned() != stated.stored_games()
        {
            return Err(damaged(&self.path, "there are not as many rows as it states"));
        }
        if content.finish() != stated.content {
            return Err(damaged(&self.path, "the digest of the rows does not match"));
        }
        Ok(())
    }

    fn for_each_blob(
        &self,
        mut visit: impl FnMut(i64, u16, &[u8]) -> bool,
    ) -> Result<(), BookError> {
        let fault = self.query(|c| {
            let mut statement =
                c.prepare("SELECT key, move, stats FROM moves ORDER BY key, move")?;
            let mut rows = statement.query([])?;
            let mut before = None;
            while let Some(row) = rows.next()? {
                let key = row.get(0)?;
                let bits = row.get(1)?;
                annotation_rows::expect_after(&mut before, (key, bits))?;
                if !visit(key, bits, row.get_ref(2)?.as_blob()?) {
                    return Ok(Some((key, bits)));
                }
            }
            Ok(None)
        })?;
        fault.map_or(Ok(()), |(key, bits)| Err(self.damaged_row(key, bits)))
    }

    /// The moves that the book has under a key, in the order of packed moves.
    fn entries_of(&self, key: i64) -> Result<Vec<BookEntry>, BookError> {
        let rows = self.rows_of(key)?;
        if !self.has_marks {
            return Ok(rows
                .into_iter()
                .filter_map(|(mv, row)| BookEntry::new(key, mv, Some(row), Annotation::default()))
                .collect());
        }
        let mut marks = self.query(|c| annotation_rows::of_key(c, key))?;
        let mut entries = Vec::with_capacity(rows.len());
        for (mv, row) in rows {
            entries.extend(BookEntry::new(
                key,
                mv,
                Some(row),
                marks.remove(&mv).unwrap_or_default(),
            ));
        }
        entries
            .extend(marks.into_iter().filter_map(|(mv, mark)| BookEntry::new(key, mv, None, mark)));
        entries.sort_unstable_by_key(|entry| entry.mv);
        Ok(entries)
    }

    /// The rows under a key, deleted moves and all.
    pub(crate) fn rows_of(&self, key: i64) -> Result<Vec<(u16, MoveRow)>, BookError> {
        let found = self.query(|c| {
            let mut statement =
                c.prepare_cached("SELECT move, stats FROM moves WHERE key = ?1 ORDER BY move")?;
            let mut rows = statement.query([key])?;
            let mut found = Vec::new();
            // No position has more moves; a forged book could have any number of rows.
            while found.len() < MAX_MOVES
                && let Some(row) = rows.next()?
            {
                let bits: u16 = row.get(0)?;
                found.push((bits, MoveRow::take(key, bits, row.get_ref(1)?.as_blob()?)));
            }
            Ok(found)
        })?;
        found
            .into_iter()
            .map(|(bits, row)| Ok((bits, row.ok_or_else(|| self.damaged_row(key, bits))?)))
            .collect()
    }

    /// Refuses a book of another game.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`].
    pub fn expect_game<G: Game>(&self) -> Result<(), BookError> {
        if self.metadata.game == G::NAME {
            return Ok(());
        }
        Err(BookError::OtherGame {
            path: self.path.clone(),
            found: self.metadata.game.clone(),
            expected: G::NAME,
        })
    }

    /// The row and the mark at a place.
    pub(crate) fn row_and_mark(
        &self,
        place: RowKey,
    ) -> Result<(Option<MoveRow>, Annotation), BookError> {
        let rows = self.rows_of(place.0)?;
        let row = rows.iter().find(|(mv, _)| *mv == place.1).map(|(_, row)| *row);
        Ok((row, self.query(|c| annotation_rows::get(c, place))?))
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement<'_>, BookError> {
        self.query(|_| Ok(()))?;
        self.connection.prepare(sql).map_err(|e| self.store_error(&e))
    }

    pub(crate) fn store_error(&self, error: &rusqlite::Error) -> BookError {
        if self.guard.is_stopped() {
            return interrupted(&self.path);
        }
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
            return damaged(&self.path, self.guard.fault(error));
        }
        sqlite_error(&self.path, error)
    }

    /// Returns true if the stop flag is set.
    pub(crate) fn is_stopped(&self) -> bool {
        self.guard.is_stopped()
    }

    pub(crate) fn query<T>(
        &self,
        run: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, BookError> {
        self.guard.restart();
        run(&self.connection).map_err(|e| self.store_error(&e))
    }

    pub(crate) fn damaged_row(&self, key: i64, bits: u16) -> BookError {
        damaged(&self.path, message!("move {bits} of position {} was changed", Key::from_i64(key)))
    }
}

/// The error of reading or writing the file of a book.
fn io_error(path: &Path, source: io::Error) -> BookError {
    BookError::Io { path: path.to_owned(), source }
}

/// A move of the canonical frame in the position's own: of equivalent moves the greatest.
#[must_use]
pub fn shown_move<G: Symmetric>(position: &G, canonical: Canonical, image: G::Move) -> G::Move {
    (0..position.symmetries())
        .filter(|s| canonical.by >> s & 1 == 1)
        .map(|s| position.unmap_move(image, s))
        .max()
        .unwrap_or(image)
}

/// Looks at the file before SQLite does: its errors say less. Returns it, open.
fn check_header(path: &Path) -> Result<File, BookError> {
    let mut file = open::regular(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => not_a_book(path, error.message()),
        _ => io_error(path, error),
    })?;
    let have = file.metadata().map_err(|source| io_error(path, source))?.len();
    if have == 0 {
        return Err(not_a_book(path, "an empty file"));
    }
    if have < Header::LEN as u64 {
        let need = Header::LEN as u64;
        // A file that ends even within the magic is a truncated one, not one of another program.
        return Err(match open::read(path, need).map_err(|source| io_error(path, source))? {
            bytes if bytes.starts_with(&digest::SQLITE_MAGIC[..bytes.len().min(16)]) => {
                BookError::Truncated { path: path.to_owned(), have, need }
            }
            _ => not_a_book(path, "not a SQLite database"),
        });
    }
    let header = Header::read(&mut file)
        .map_err(|source| io_error(path, source))?
        .ok_or_else(|| not_a_book(path, "not a SQLite database"))?;
    if header.application_id != APPLICATION_ID {
        return Err(not_a_book(path, "another program's SQLite database"));
    }
    if header.has_log {
        return Err(damaged(path, "another program switched it to a write-ahead log"));
    }
    let need = header.pages * header.page_size;
    match have.cmp(&need) {
        std::cmp::Ordering::Less => Err(BookError::Truncated { path: path.to_owned(), have, need }),
        std::cmp::Ordering::Equal => Ok(file),
        std::cmp::Ordering::Greater => {
            Err(damaged(path, message!("{have} bytes where its header states {need}")))
        }
    }
}

/// The error of a file that is no book.
fn not_a_book(path: &Path, what: impl Into<Message>) -> BookError {
    BookError::NotABook { path: path.to_owned(), what: what.into() }
}

/// Entries of the metadata that are read: more than there are.
const MAX_PAIRS: usize = 100;

/// The contents that are read at opening.
struct Loaded {
    metadata: Metadata,
    foreign_keys: Option<KeyTable>,
    has_marks: bool,
    has_scores: bool,
}

fn load(path: &Path, connection: &Connection) -> Result<Loaded, BookError> {
    let version = check_version(path, connection)?;
    check_tables(path, connection, version)?;
    let pairs =
        read_pairs(connection, "SELECT name, value FROM meta WHERE octet_length(value) <= 65536")
            .map_err(|e: rusqlite::Error| sqlite_error(path, &e))?;
    let metadata = Metadata::from_pairs(&pairs)
        .map_err(|name| damaged(path, message!("its metadata lacks a sound `{name}`")))?;
    if (metadata.samples > 0) != (version == SAMPLES_VERSION) {
        return Err(damaged(path, "its metadata lacks a sound `samples`"));
    }
    let table: Vec<u8> = connection
        .query_row(
            "SELECT file FROM key_table WHERE fingerprint = ?1",
            [&metadata.key_table],
            |r| r.get(0),
        )
        .map_err(|e: rusqlite::Error| sqlite_error(path, &e))?;
    let has_marks = connection
        .query_row(annotation_rows::EXIST, [], |row| row.get(0))
        .map_err(|e: rusqlite::Error| sqlite_error(path, &e))?;
    let has_scores = connection
        .query_row(scores::EXIST, [], |row| row.get(0))
        .map_err(|e: rusqlite::Error| sqlite_error(path, &e))?;
    let foreign_keys = foreign_keys(path, &metadata, &table)?;
    Ok(Loaded { metadata, foreign_keys, has_marks, has_scores })
}

fn check_version(path: &Path, connection: &Connection) -> Result<i64, BookError> {
    let found: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|e| sqlite_error(path, &e))?;
    match found {
        VERSION | SAMPLES_VERSION => Ok(found),
        n if n > SAMPLES_VERSION => {
            Err(BookError::Newer { path: path.to_owned(), found, supported: SAMPLES_VERSION })
        }
        1 => Err(BookError::Older { path: path.to_owned(), found, supported: VERSION }),
        _ => Err(damaged(path, message!("version {found} never existed"))),
    }
}

/// Checks that a book has exactly its tables, one after the other and nothing else, each in pages of its own:
/// so nothing added from outside is run, and writing to one table changes no other.
fn check_tables(path: &Path, connection: &Connection, version: i64) -> Result<(), BookError> {
    let samples = if version == SAMPLES_VERSION { SAMPLE_TABLES } else { &[] };
    if has_tables(connection, samples).map_err(|e| sqlite_error(path, &e))? {
        return Ok(());
    }
    Err(damaged(path, "its tables are not those of a book"))
}

/// Returns true if the schema states the tables of a book, `samples` after the others, and nothing else.
fn has_tables(connection: &Connection, samples: &[BookTable]) -> rusqlite::Result<bool> {
    // More rows than a book has: of a forged schema, however long, one row too many is enough.
    let sql =
        "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema ORDER BY rowid LIMIT 100";
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([])?;
    let mut tables = TABLES.iter().chain(samples);
    // Page 1 is that of the schema itself.
    let mut pages = BTreeSet::from([1]);
    while let Some(row) = found.next()? {
        let Some(table) = tables.next() else { return Ok(false) };
        let expected = ["table", table.name, table.name, table.sql];
        for (column, expected) in expected.into_iter().enumerate() {
            if row.get_ref(column)? != ValueRef::Text(expected.as_bytes()) {
                return Ok(false);
            }
        }
        let page = row.get_ref(4)?.as_i64().unwrap_or(0);
        if page < 1 || !pages.insert(page) {
            return Ok(false);
        }
    }
    Ok(tables.next().is_none())
}

/// The rows of a query for two texts.
fn read_pairs(connection: &Connection, sql: &str) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.take(MAX_PAIRS).collect()
}

/// The book's key table if it is not its game's stored one.
fn foreign_keys(
    path: &Path,
    metadata: &Metadata,
    table: &[u8],
) -> Result<Option<KeyTable>, BookError> {
    let stored = key_file(&metadata.game).ok_or_else(|| BookError::NotABook {
        path: path.to_owned(),
        what: message!("a book of an unknown game ({})", metadata.game),
    })?;
    if table == stored {
        return Ok(None);
    }
    let table =
        KeyTable::from_bytes(table).map_err(|e| damaged_key_table(path, message!("{}", e)))?;
    let stored =
        KeyTable::from_bytes(stored).map_err(|e| damaged_key_table(path, message!("{}", e)))?;
    if table.game() != metadata.game || table.words().len() != stored.words().len() {
        return Err(damaged_key_table(path, "it is not one of this game"));
    }
    if table.fingerprint() != metadata.key_table {
        return Err(damaged_key_table(path, "its fingerprint is another"));
    }
    Ok(Some(table))
}

/// The error of a book whose key table is not sound.
fn damaged_key_table(path: &Path, what: impl Into<Message>) -> BookError {
    let what = what.into();
    damaged(path, message!("its key table: {what}"))
}

fn interrupted(path: &Path) -> BookError {
    BookError::Io { path: path.to_owned(), source: io::ErrorKind::Interrupted.into() }
}

fn damaged(path: &Path, what: impl Into<Message>) -> BookError {
    BookError::Damaged { path: path.to_owned(), what: what.into() }
}

/// Only failures of the file system are not the book's fault.
fn sqlite_error(path: &Path, error: &rusqlite::Error) -> BookError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory,
        ) => BookError::Io { path: path.to_owned(), source: io::Error::other(error.to_string()) },
        _ => damaged(path, error.to_string()),
    }
}
