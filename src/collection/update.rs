//! The index brought up to its files.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::book::{BuildError, find_games};
use crate::bytes::StopFlag;
use crate::bytes::lock::FileLock;
use crate::bytes::paths::base_name;
use crate::collection::entry::{Entry, postings_of};
use crate::collection::error::IndexError;
use crate::collection::game::Collected;
use crate::collection::postings::{self, Posting};
use crate::collection::store::GameIndex;
use crate::collection::text::{searched, sort_key};
use crate::game::{Outcome, Side};
use crate::record::{
    ChangedError, Formats, GameFile, Keep, ParsedGame, ReadOptions, read_game_file,
};

/// Games, and positions, that are written in one step.
const MOST_GAMES: usize = 8_192;
const MOST_POSTINGS: usize = 1 << 20;

/// Removes the texts of no game.
const UNUSED_TEXTS: &str = "DELETE FROM texts WHERE id NOT IN (SELECT first FROM games WHERE first IS NOT NULL
 UNION SELECT second FROM games WHERE second IS NOT NULL UNION SELECT event FROM games WHERE event IS NOT NULL
 UNION SELECT date FROM games WHERE date IS NOT NULL UNION SELECT code FROM games WHERE code IS NOT NULL
 UNION SELECT opening FROM games WHERE opening IS NOT NULL)";

/// The time after which a step is written, however small: searches find what is in it then.
const STEP_TIME: Duration = Duration::from_secs(2);

/// The number of lines no longer played in any game that are left alone, whatever the number of the others.
const FEW_STALE: u64 = 1_000;

/// The states of a file.
const PENDING: i64 = 0;
const DONE: i64 = 1;
const UNREADABLE: i64 = 2;

/// The progress of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Files of the collection.
    pub files: usize,
    /// Files of which no more is to be read.
    pub files_done: usize,
    /// Bytes that are to be read in all, as the files have them, and those of files that were.
    pub bytes: u64,
    /// See [`bytes`](Self::bytes).
    pub bytes_done: u64,
    /// Games in the index.
    pub games: u64,
}

/// The outcome of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexReport {
    /// Files of the collection.
    pub files: usize,
    /// Files that were read.
    pub read: usize,
    /// Files that are gone, or were read again.
    pub dropped: usize,
    /// Games in the index.
    pub games: u64,
    /// Different games: those with the same start and moves are one.
    pub lines: u64,
    /// Games that cannot be read.
    pub bad: u64,
    /// Files and folders that cannot be read.
    pub unreadable: u64,
}

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) len: i64,
    pub(crate) time: i64,
    pub(crate) is_link: bool,
}

impl FileStamp {
    /// The stamp of the file at `path`; `None` if there is none.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        let since = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH);
        Some(Self {
            len: i64::try_from(about.len()).ok()?,
            time: since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)),
            is_link: path.is_symlink(),
        })
    }
}

/// A file as the index knows it.
#[derive(Debug, Clone)]
struct KnownFile {
    id: i64,
    stamp: FileStamp,
    seen: u64,
    games: u64,
    state: i64,
}

impl GameIndex {
    /// Brings the index up to the games of `G` in these files and folders: reads new and changed files, and drops those that
    /// are gone. `progress` is called a few times in a second at most.
    ///
    /// The games that were read before an interruption stay; the next update goes on from there.
    ///
    /// # Errors
    ///
    /// [`IndexError`]; [`IndexError::Busy`] while another process does the same. What cannot be read is no error, but
    /// counted.
    pub fn update<G: Collected>(
        &mut self,
        inputs: &[PathBuf],
        progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<IndexReport, IndexError> {
        let path = self.path.clone();
        let claim = FileLock::claim(&path).map_err(IndexError::at(&path))?;
        let lock = claim.or_busy(&path).map_err(IndexError::Busy)?;
        let report = Updater::new(self, progress).run::<G>(inputs);
        drop(lock);
        report
    }
}

/// An update at work.
struct Updater<'a> {
    index: &'a mut GameIndex,
    progress: &'a mut dyn FnMut(IndexProgress),
    state: IndexProgress,
    report: IndexReport,
    /// The number of the next segment of postings.
    segment: i64,
    /// Files and folders that cannot be looked for, a drive that is away perhaps: what is known of them stays.
    absent: Vec<PathBuf>,
}

/// Games of a file that are not written yet.
#[derive(Default)]
struct Step {
    entries: Vec<NewGame>,
    postings: usize,
}

/// A game that is not written yet.
struct NewGame {
    place: u64,
    entry: Entry,
    /// Postings of a line without a number.
    postings: Vec<Posting>,
}

impl<'a> Updater<'a> {
    fn new(index: &'a mut GameIndex, progress: &'a mut dyn FnMut(IndexProgress)) -> Self {
        let state = IndexProgress::default();
        let report = IndexReport::default();
        Self { index, progress, state, report, segment: 0, absent: Vec::new() }
    }

    fn run<G: Collected>(mut self, inputs: &[PathBuf]) -> Result<IndexReport, IndexError> {
        let files = self.files::<G>(inputs);
        self.refresh(&files)?;
        self.segment = 1 + self.number("SELECT coalesce(max(segment), 0) FROM positions")?;
        self.state.files = files.len();
        self.state.games = self.number("SELECT count(*) FROM games")? as u64;
        let known = self.known()?;
        let mut pending = Vec::new();
        for path in &files {
            let Some(file) = known.get(path_key(path)) else { continue };
            let len = file.stamp.len as u64;
            self.state.bytes += len;
            match file.state {
                PENDING => pending.push((path, file)),
                _ => {
                    self.state.bytes_done += len;
                    self.state.files_done += 1;
                }
            }
        }
        (self.progress)(self.state);
        for (path, file) in pending {
            self.read::<G>(path, file)?;
            self.report.read += 1;
            self.state.files_done += 1;
            self.state.bytes_done += file.stamp.len as u64;
            (self.progress)(self.state);
        }
        self.renumber()?;
        self.sweep()?;
        self.count()
    }

    /// The files, sorted.
    fn files<G: Formats>(&mut self, inputs: &[PathBuf]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        // One path at a time: the fault of one leaves the others.
        for path in inputs {
            match find_games::<G>(std::slice::from_ref(path)) {
                Ok(found) => files.extend(found.files),
                Err(error) => {
                    self.report.unreadable += 1;
                    if !matches!(error, BuildError::NoFiles { .. }) {
                        self.absent.push(path.clone());
                    }
                }
            }
        }
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The files that the index knows, by their paths.
    fn known(&self) -> Result<HashMap<Vec<u8>, KnownFile>, IndexError> {
        let sql = "SELECT path, id, len, time, link, seen, games, state FROM files";
        let rows = self.index.rows(sql, |row| {
            let stamp = FileStamp { len: row.get(2)?, time: row.get(3)?, is_link: row.get(4)? };
            let [seen, games] = [row.get::<_, i64>(5)?, row.get(6)?].map(|n| n.max(0) as u64);
            let file = KnownFile { id: row.get(1)?, stamp, seen, games, state: row.get(7)? };
            Ok((row.get::<_, Vec<u8>>(0)?, file))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// Drops what is gone or changed, and notes the files that are to be read.
    fn refresh(&mut self, files: &[PathBuf]) -> Result<(), IndexError> {
        let mut known = self.known()?;
        let path = self.index.path.clone();
        let fault = |error| IndexError::of(&path, &error);
        let tx = begin(self.index)?;
        for (rank, file) in files.iter().enumerate() {
            let rank = (rank as u64).cast_signed();
            let stamp = FileStamp::of(file);
            match (known.remove(path_key(file)), stamp) {
                (Some(known), Some(stamp)) if known.stamp == stamp => {
                    let sql = "UPDATE files SET rank = ? WHERE id = ?";
                    tx.prepare_cached(sql)
                        .and_then(|mut s| s.execute((rank, known.id)))
                        .map_err(fault)?;
                }
                (before, stamp) => {
                    if let Some(before) = before {
                        drop_file(&tx, before.id).map_err(fault)?;
                        self.report.dropped += 1;
                    }
                    add_file(&tx, file, stamp, rank).map_err(fault)?;
                }
            }
        }
        for (path, gone) in &known {
            if self.absent.iter().any(|absent| path.starts_with(path_key(absent))) {
                continue;
            }
            drop_file(&tx, gone.id).map_err(fault)?;
            self.report.dropped += 1;
        }
        tx.commit().map_err(fault)?;
        self.renumber()
    }

    /// Numbers the games of all files: those of a file follow those of the files before it.
    fn renumber(&self) -> Result<(), IndexError> {
        let sql = "UPDATE files SET first = sums.first FROM (SELECT id, sum(games) OVER
             (ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - games AS first FROM files) AS sums
             WHERE files.id = sums.id AND files.first <> sums.first";
        self.index.connection.execute(sql, ()).map_err(|error| self.index.fault(&error)).map(drop)
    }

    /// Reads a file from where the index has it.
    fn read<G: Collected>(&mut self, path: &Path, file: &KnownFile) -> Result<(), IndexError> {
        let mut file = file.clone();
        let state = match self.read_games::<G>(path, &mut file)? {
            Ok(()) => DONE,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                return Err(IndexError::Interrupted);
            }
            Err(error) if ChangedError::is_in(&error) => return self.forget(&file),
            Err(_) => UNREADABLE,
        };
        let sql = "UPDATE files SET state = ? WHERE id = ?";
        let set = self.index.connection.execute(sql, (state, file.id));
        set.map_err(|error| self.index.fault(&error)).map(drop)
    }

    /// Forgets what was read of a file that was changed meanwhile; the next update reads it again.
    fn forget(&mut self, file: &KnownFile) -> Result<(), IndexError> {
        let path = self.index.path.clone();
        let fault = |error| IndexError::of(&path, &error);
        let tx = begin(self.index)?;
        clear_file(&tx, file.id).map_err(fault)?;
        let sql = "UPDATE files SET state = ?, len = -1 WHERE id = ?";
        tx.execute(sql, (UNREADABLE, file.id)).map_err(fault)?;
        tx.commit().map_err(fault)
    }

    /// Writes the games of a file, a step after the other. The outer fault is one of the index.
    fn read_games<G: Collected>(
        &mut self,
        path: &Path,
        file: &mut KnownFile,
    ) -> Result<std::io::Result<()>, IndexError> {
        let folder = std::env::temp_dir();
        let opened = match GameFile::open::<G>(path, &folder) {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        let name = base_name(path);
        let stop = self.index.stop.clone();
        let mut step = Step::default();
        let mut seen = 0;
        let mut since = Instant::now();
        let mut fault = None;
        let read = read_game_file::<G>(
            &name,
            &opened,
            &folder,
            &stop,
            ReadOptions::keeping(Keep::Opened),
            &mut |source, game| {
                seen += 1;
                if seen <= file.seen {
                    return ControlFlow::Continue(());
                }
                step.add(source, seen - 1, game.ok());
                if !step.is_full() && since.elapsed() < STEP_TIME {
                    return ControlFlow::Continue(());
                }
                since = Instant::now();
                match self.write(&mut step, file, seen, &stop) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        fault = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        match (fault, read) {
            (Some(fault), _) => Err(fault),
            (None, Ok(_)) => self.write(&mut step, file, seen, &stop).map(Ok),
            (None, Err(error)) => Ok(Err(error)),
        }
    }

    /// Writes the games of a step, after which `seen` of the file are read.
    fn write(
        &mut self,
        step: &mut Step,
        file: &mut KnownFile,
        seen: u64,
        stop: &StopFlag,
    ) -> Result<(), IndexError> {
        if stop.is_set() {
            return Err(IndexError::Interrupted);
        }
        let count = step.entries.len() as u64;
        let path = self.index.path.clone();
        let fault = |error| IndexError::of(&path, &error);
        let tx = begin(self.index)?;
        write_step(&tx, step, file, self.segment).map_err(fault)?;
        let sql = "UPDATE files SET seen = ?, games = ? WHERE id = ?";
        tx.execute(sql, (seen.cast_signed(), (file.games + count).cast_signed(), file.id))
            .map_err(fault)?;
        tx.commit().map_err(fault)?;
        self.segment += 1;
        file.seen = seen;
        file.games += count;
        self.state.games += count;
        self.renumber()?;
        (self.progress)(self.state);
        Ok(())
    }

    /// Removes lines that no game has any more; if their positions are most of those there, all games are to be read
    /// again.
    fn sweep(&self) -> Result<(), IndexError> {
        if self.report.dropped == 0 {
            return Ok(());
        }
        let fault = |error| self.index.fault(&error);
        let sql =
            "DELETE FROM lines WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.line = lines.id)";
        let gone = self.index.connection.execute(sql, ()).map_err(fault)? as u64;
        self.index.connection.execute(UNUSED_TEXTS, ()).map_err(fault)?;
        let before: u64 = self.index.about("stale")?.parse().unwrap_or(0);
        let stale = before + gone;
        let live = self.number("SELECT count(*) FROM lines")? as u64;
        if stale > FEW_STALE + 2 * live {
            return Err(self.index.damaged("most of it is about games that are gone"));
        }
        let sql = "UPDATE about SET value = ? WHERE name = 'stale'";
        self.index.connection.execute(sql, [stale.to_string()]).map_err(fault).map(drop)
    }

    fn count(&self) -> Result<IndexReport, IndexError> {
        let unreadable = self.number("SELECT count(*) FROM files WHERE state = 2")? as u64;
        Ok(IndexReport {
            files: self.state.files,
            games: self.number("SELECT count(*) FROM games")? as u64,
            lines: self.number("SELECT count(*) FROM lines")? as u64,
            bad: self.number("SELECT coalesce(sum(seen - games), 0) FROM files")? as u64,
            unreadable: self.report.unreadable + unreadable,
            ..self.report
        })
    }

    fn number(&self, sql: &str) -> Result<i64, IndexError> {
        let number = self.index.connection.query_row(sql, (), |row| row.get(0));
        number.map_err(|error| self.index.fault(&error))
    }
}

impl Step {
    /// Adds a game of a file, and nothing for one that cannot be read.
    fn add<G: Collected>(&mut self, source: &str, place: u64, game: Option<ParsedGame<G>>) {
        let Some(game) = game else { return };
        // A game that cannot be written as JSON is none that can be opened.
        let Ok(entry) = Entry::of(source, &game) else { return };
        let postings = postings_of(&game.record, 0);
        self.postings += postings.len();
        self.entries.push(NewGame { place, entry, postings });
    }

    const fn is_full(&self) -> bool {
        self.entries.len() >= MOST_GAMES || self.postings >= MOST_POSTINGS
    }
}

fn begin(index: &mut GameIndex) -> Result<Transaction<'_>, IndexError> {
    let path = index.path.clone();
    let begun = index.connection.transaction_with_behavior(TransactionBehavior::Immediate);
    begun.map_err(|error| IndexError::of(&path, &error))
}

/// The text of a path by which the index knows it.
fn path_key(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

fn add_file(
    tx: &Transaction<'_>,
    path: &Path,
    stamp: Option<FileStamp>,
    rank: i64,
) -> rusqlite::Result<()> {
    // One that is not there is tried again by the next update.
    let stamp = stamp.unwrap_or(FileStamp { len: -1, time: 0, is_link: false });
    let mut insert = tx.prepare_cached(
        "INSERT INTO files(path, shown, name, words, len, time, link, rank, first, seen, games, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)",
    )?;
    let shown = path.to_string_lossy();
    let name = base_name(path);
    let words = searched([name.as_str()]);
    let FileStamp { len, time, is_link } = stamp;
    insert.execute(params![path_key(path), shown, name, words, len, time, is_link, rank]).map(drop)
}

/// Forgets the games of a file.
fn clear_file(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM bodies WHERE game IN (SELECT id FROM games WHERE file = ?)", [id])?;
    tx.execute("DELETE FROM comments WHERE game IN (SELECT id FROM games WHERE file = ?)", [id])?;
    tx.execute("DELETE FROM games WHERE file = ?", [id])?;
    tx.execute("UPDATE files SET seen = 0, games = 0 WHERE id = ?", [id]).map(drop)
}

/// Forgets a file.
fn drop_file(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    clear_file(tx, id)?;
    tx.execute("DELETE FROM files WHERE id = ?", [id]).map(drop)
}

/// Writes the games of a step, and the positions of those whose lines are new.
fn write_step(
    tx: &Transaction<'_>,
    step: &mut Step,
    file: &KnownFile,
    segment: i64,
) -> rusqlite::Result<()> {
    let mut postings = Vec::new();
    for (at, NewGame { place, entry, postings: of_game }) in step.entries.drain(..).enumerate() {
        let line = match line_of(tx, &entry)? {
            (line, false) => line,
            (line, true) => {
                postings.extend(of_game.iter().map(|posting| posting.of_line(line as u64)));
                line
            }
        };
        insert_game(
            tx,
            &entry,
            (file.id, (file.games + at as u64).cast_signed(), place.cast_signed()),
            line,
        )?;
    }
    step.postings = 0;
    let mut insert =
        tx.prepare_cached("INSERT INTO positions(bucket, segment, data) VALUES (?, ?, ?)")?;
    postings::buckets(&mut postings, |bucket, data| {
        insert.execute((bucket.cast_signed(), segment, data)).map(drop)
    })
}

/// The number of a line, and whether it is new.
fn line_of(tx: &Transaction<'_>, entry: &Entry) -> rusqlite::Result<(i64, bool)> {
    let hash = entry.line;
    let sql = "INSERT OR IGNORE INTO lines(hash, start, moves) VALUES (?, ?, ?)";
    let mut insert = tx.prepare_cached(sql)?;
    if insert.execute(params![hash, entry.start, entry.moves])? > 0 {
        return Ok((tx.last_insert_rowid(), true));
    }
    let mut find = tx.prepare_cached("SELECT id FROM lines WHERE hash = ?")?;
    Ok((find.query_row([hash], |row| row.get(0))?, false))
}

/// The number of a text, which is written if it is new; `None` for none.
fn text_of(tx: &Transaction<'_>, text: Option<&str>) -> rusqlite::Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    let mut find = tx.prepare_cached("SELECT id FROM texts WHERE shown = ?")?;
    if let Some(known) = find.query_row([text], |row| row.get(0)).optional()? {
        return Ok(Some(known));
    }
    let mut insert = tx.prepare_cached("INSERT INTO texts(shown, words, sort) VALUES (?, ?, ?)")?;
    insert.execute((text, searched([text]), sort_key(text)))?;
    Ok(Some(tx.last_insert_rowid()))
}

/// Writes a game at its file, its number there, and its place there.
fn insert_game(
    tx: &Transaction<'_>,
    entry: &Entry,
    (file, seq, place): (i64, i64, i64),
    line: i64,
) -> rusqlite::Result<()> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO games(file, seq, place, key, line, year, elo1, elo2, result, plies, broken, code, opening, first,
         second, event, date)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let [first, second] = &entry.players;
    let of = |text: &Option<String>| text_of(tx, text.as_deref());
    let facts = &entry.facts;
    insert.execute(params![
        file,
        seq,
        place,
        entry.key.0,
        line,
        facts.year,
        facts.ratings[0],
        facts.ratings[1],
        result_number(facts.result),
        (entry.plies as u64).cast_signed(),
        entry.fault.is_some(),
        of(&entry.code)?,
        text_of(tx, entry.opening)?,
        of(first)?,
        of(second)?,
        of(&entry.event)?,
        of(&entry.date)?,
    ])?;
    let game = tx.last_insert_rowid();
    let mut insert = tx.prepare_cached(
        "INSERT INTO bodies(game, body, fault, note, words) VALUES (?, ?, ?, ?, ?)",
    )?;
    insert.execute((game, &entry.body, &entry.fault, entry.note, entry.words.cast_signed()))?;
    if !entry.comments.is_empty() {
        let sql = "INSERT INTO comments(game, text) VALUES (?, ?)";
        tx.prepare_cached(sql)?.execute((game, &entry.comments))?;
    }
    Ok(())
}

/// The number of a result, in the order in which results are sorted.
pub(crate) const fn result_number(result: Option<Outcome>) -> i64 {
    match result {
        Some(Outcome::Win(Side::First)) => 0,
        Some(Outcome::Draw) => 1,
        Some(Outcome::Win(Side::Second)) => 2,
        None => 3,
    }
}

/// The inverse of [`result_number`].
pub(crate) const fn result_of(number: i64) -> Option<Outcome> {
    match number {
        0 => Some(Outcome::Win(Side::First)),
        1 => Some(Outcome::Draw),
        2 => Some(Outcome::Win(Side::Second)),
        _ => None,
    }
}
