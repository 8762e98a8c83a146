//! The index brought up to its files.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use rayon::prelude::*;
use rusqlite::{Transaction, TransactionBehavior, params};

use crate::book::{BuildError, find_games};
use crate::bytes::StopFlag;
use crate::bytes::lock::FileLock;
use crate::bytes::paths::{base_name, lasting};
use crate::collection::entry::{Entry, postings_of};
use crate::collection::error::{IndexError, QueryResult, expect_going};
use crate::collection::game::Collected;
use crate::collection::postings::{self, Posting};
use crate::collection::rows::{count_at, insert_game, insert_line, insert_segment};
use crate::collection::store::{GameIndex, LARGE_CACHE, USUAL_CACHE};
use crate::collection::take_over::{Merger, SharedFile};
use crate::collection::text::searched;
use crate::record::{
    ChangedError, Formats, GameFile, Keep, ParsedGame, ReadOptions, read_game_file,
};

/// Games, positions, and bytes of games and comments that are written in one step.
const MOST_GAMES: usize = 8_192;
const MOST_POSTINGS: usize = 1 << 20;
const MOST_BYTES: usize = 64 << 20;

/// Removes the texts of no game.
const UNUSED_TEXTS: &str = "DELETE FROM texts WHERE id NOT IN (SELECT first FROM games WHERE first IS NOT NULL
 UNION SELECT second FROM games WHERE second IS NOT NULL UNION SELECT event FROM games WHERE event IS NOT NULL
 UNION SELECT date FROM games WHERE date IS NOT NULL UNION SELECT code FROM games WHERE code IS NOT NULL
 UNION SELECT opening FROM games WHERE opening IS NOT NULL)";

/// The time between two reports of progress while games are taken over.
const SHOW_TIME: Duration = Duration::from_millis(250);

/// Games, and bytes that they take roughly, that are made entries of together.
const MOST_WAITING: usize = 1_024;
const MOST_WAITING_SIZE: usize = 4 << 20;

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
    /// Files whose games were taken over from another index instead.
    pub taken: usize,
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
        self.update_from::<G>(inputs, &[], progress)
    }

    /// Brings the index up to its files as [`update`](Self::update) does, but takes over the games of new and changed files
    /// from other indexes of games of `G`, which no process may write to meanwhile, instead of reading a file that one of them
    /// has read: path, length and time of the last change decide. Answers are the same as after reading, but for the choice
    /// among several lines of one year that made a move first. Starts and moves are checked against the hashes of lines;
    /// the positions of lines are believed.
    ///
    /// All that is taken from one index appears at once; after an interruption it is taken from the beginning. Memory is
    /// needed for 16 bytes a line of one of them, and as much for each number of a line that is free, besides up to 512 MiB.
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update); [`IndexError::Other`] for another index that is none, damaged, or of another version
    /// of the program: it stays as it is.
    pub fn update_from<G: Collected>(
        &mut self,
        inputs: &[PathBuf],
        others: &[PathBuf],
        progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<IndexReport, IndexError> {
        let path = self.path.clone();
        let claim = FileLock::claim(&path).map_err(IndexError::at(&path))?;
        let lock = claim.or_busy(&path).map_err(IndexError::Busy)?;
        let report = Updater::new(self, progress).run::<G>(inputs, others);
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
    /// The files and folders that can be looked for.
    present: Vec<PathBuf>,
    /// Others cannot, on a drive that is away perhaps: what is known of them stays.
    has_absent: bool,
}

/// Games of a file that are not written yet.
#[derive(Default)]
struct Step {
    entries: Vec<NewGame>,
    postings: usize,
    /// Bytes of games and comments.
    bytes: usize,
}

/// Games that were read, and wait for others: entries are made on all cores.
struct Waiting<G: Collected> {
    games: Vec<WaitingGame<G>>,
    /// The bytes that they take, roughly.
    size: usize,
}

/// A game that was read: the name of its source, its place in the file, and the game.
type WaitingGame<G> = (Arc<str>, u64, ParsedGame<G>);

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
        Self { index, progress, state, report, segment: 0, present: Vec::new(), has_absent: false }
    }

    fn run<G: Collected>(
        mut self,
        inputs: &[PathBuf],
        others: &[PathBuf],
    ) -> Result<IndexReport, IndexError> {
        let files = self.files::<G>(inputs);
        self.refresh(&files)?;
        self.segment = 1 + self.number("SELECT coalesce(max(segment), 0) FROM positions")?;
        self.state.files = files.len();
        for other in others {
            self.index.set_cache(LARGE_CACHE)?;
            let taken = self.take_from::<G>(other);
            // Before the error is handed on: the index may stay open after it.
            self.index.set_cache(USUAL_CACHE)?;
            taken?;
        }
        self.state.games = self.number("SELECT count(*) FROM games")? as u64;
        let known = known(self.index)?;
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

    /// Takes over the games of files that another index has read as they are now.
    fn take_from<G: Collected>(&mut self, other: &Path) -> Result<(), IndexError> {
        let stop = self.index.stop.clone();
        let other = &GameIndex::open_made::<G>(other, &stop)?;
        // What is read of it is of one moment, whatever another process does with it.
        let reading = other.connection.unchecked_transaction().in_other(other.path())?;
        let shared = self.shared_files(other)?;
        if shared.is_empty() {
            return Ok(());
        }
        let path = self.index.path.clone();
        let state = IndexProgress {
            bytes: shared.iter().map(|file| file.len).sum(),
            games: self.number("SELECT count(*) FROM games")? as u64,
            ..self.state
        };
        let all = shared.iter().fold(0, |sum: u64, file| sum.saturating_add(file.games));
        let progress = &mut *self.progress;
        progress(state);
        let mut shown_at = Instant::now();
        // Half of the work are the games, half the positions.
        let mut show = |games: u64, half: u8, done: u64, of: u64| {
            if shown_at.elapsed() >= SHOW_TIME {
                // A product of bytes and games may exceed 64 bits.
                let [done, of] = [done, of.max(1)].map(u128::from);
                let done = u128::from(half) * of + done;
                let bytes_done = (u128::from(state.bytes) * done / (2 * of)) as u64;
                progress(IndexProgress { bytes_done, games: state.games + games, ..state });
                shown_at = Instant::now();
            }
        };
        let tx = begin(self.index)?;
        let mut merger = Merger::<G>::new(&tx, other, &path, &stop)?;
        let mut taken = 0;
        for file in &shared {
            clear_file(&tx, file.id).in_index(&path)?;
            merger.take_games(*file, &mut |games| show(taken + games, 0, taken + games, all))?;
            let counts = (file.seen.cast_signed(), file.games.cast_signed(), DONE, file.id);
            let sql = "UPDATE files SET seen = ?, games = ?, state = ? WHERE id = ?";
            tx.execute(sql, counts).in_index(&path)?;
            taken += file.games;
        }
        let done = &mut |buckets| show(taken, 1, buckets, postings::BUCKETS);
        let segment = merger.take_postings(self.segment, done)?;
        drop(merger);
        tx.commit().in_index(&path)?;
        reading.finish().in_other(other.path())?;
        self.segment = segment;
        self.report.taken += shared.len();
        self.renumber()
    }

    /// The files that are to be read here and that another index has read as they are now.
    fn shared_files(&self, other: &GameIndex) -> Result<Vec<SharedFile>, IndexError> {
        let theirs = known(other).map_err(IndexError::of_other)?;
        let mut shared = Vec::new();
        for (path, file) in known(self.index)? {
            let Some(theirs) = theirs.get(&path) else { continue };
            if file.state == DONE || theirs.state != DONE || theirs.stamp != file.stamp {
                continue;
            }
            let KnownFile { id: other_id, seen, games, .. } = *theirs;
            // Without a length nothing is known of the file.
            if let Ok(len) = u64::try_from(file.stamp.len) {
                shared.push(SharedFile { id: file.id, other_id, seen, games, len });
            }
        }
        // Numbers do not depend on the order of a hash map.
        shared.sort_unstable_by_key(|file| file.id);
        Ok(shared)
    }

    /// The files, sorted.
    fn files<G: Formats>(&mut self, inputs: &[PathBuf]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        // One path at a time: the fault of one leaves the others.
        for path in inputs.iter().map(|path| lasting(path)) {
            match find_games::<G>(std::slice::from_ref(&path)) {
                Ok(found) => {
                    files.extend(found.files);
                    self.present.push(path);
                }
                Err(error) => {
                    self.report.unreadable += 1;
                    match error {
                        BuildError::NoFiles { .. } => self.present.push(path),
                        _ => self.has_absent = true,
                    }
                }
            }
        }
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Drops what is gone or changed, and notes the files that are to be read.
    fn refresh(&mut self, files: &[PathBuf]) -> Result<(), IndexError> {
        let mut known = known(self.index)?;
        let path = self.index.path.clone();
        let tx = begin(self.index)?;
        for (rank, file) in files.iter().enumerate() {
            let rank = (rank as u64).cast_signed();
            let stamp = FileStamp::of(file);
            match (known.remove(path_key(file)), stamp) {
                (Some(known), Some(stamp)) if known.stamp == stamp => {
                    let sql = "UPDATE files SET rank = ? WHERE id = ?";
                    tx.prepare_cached(sql)
                        .and_then(|mut s| s.execute((rank, known.id)))
                        .in_index(&path)?;
                }
                (before, stamp) => {
                    if let Some(before) = before {
                        drop_file(&tx, before.id).in_index(&path)?;
                        self.report.dropped += 1;
                    }
                    add_file(&tx, file, stamp, rank).in_index(&path)?;
                }
            }
        }
        for (key, gone) in &known {
            // A drive that is away may have been known by links that cannot be followed now.
            if self.has_absent && !self.present.iter().any(|input| is_below(key, input)) {
                continue;
            }
            drop_file(&tx, gone.id).in_index(&path)?;
            self.report.dropped += 1;
        }
        tx.commit().in_index(&path)?;
        self.renumber()
    }

    /// Numbers the games of all files: those of a file follow those of the files before it.
    fn renumber(&self) -> Result<(), IndexError> {
        let sql = "UPDATE files SET first = sums.first FROM (SELECT id, sum(games) OVER
             (ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - games AS first FROM files) AS sums
             WHERE files.id = sums.id AND files.first <> sums.first";
        self.index.connection.execute(sql, ()).in_index(&self.index.path).map(drop)
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
        set.in_index(&self.index.path).map(drop)
    }

    /// Forgets what was read of a file that was changed meanwhile; the next update reads it again.
    fn forget(&mut self, file: &KnownFile) -> Result<(), IndexError> {
        let path = self.index.path.clone();
        let tx = begin(self.index)?;
        clear_file(&tx, file.id).in_index(&path)?;
        // No file has that length: the next update takes this one for changed.
        let sql = "UPDATE files SET state = ?, len = -1 WHERE id = ?";
        tx.execute(sql, (UNREADABLE, file.id)).in_index(&path)?;
        tx.commit().in_index(&path)
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
        let mut waiting = Waiting::<G>::new();
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
                // An earlier update, which was interrupted, has written these.
                if seen <= file.seen {
                    return ControlFlow::Continue(());
                }
                waiting.add(source, seen - 1, game.ok());
                let is_time = since.elapsed() >= STEP_TIME;
                if !waiting.is_full() && !is_time {
                    return ControlFlow::Continue(());
                }
                waiting.flush(&mut step);
                if !step.is_full() && !is_time {
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
            (None, Ok(_)) => {
                waiting.flush(&mut step);
                self.write(&mut step, file, seen, &stop).map(Ok)
            }
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
        expect_going(stop)?;
        let count = step.entries.len() as u64;
        let path = self.index.path.clone();
        let tx = begin(self.index)?;
        write_step(&tx, step, file, self.segment).in_index(&path)?;
        let sql = "UPDATE files SET seen = ?, games = ? WHERE id = ?";
        tx.execute(sql, (seen.cast_signed(), (file.games + count).cast_signed(), file.id))
            .in_index(&path)?;
        tx.commit().in_index(&path)?;
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
        let sql =
            "DELETE FROM lines WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.line = lines.id)";
        let gone = self.index.connection.execute(sql, ()).in_index(&self.index.path)? as u64;
        self.index.connection.execute(UNUSED_TEXTS, ()).in_index(&self.index.path)?;
        let before: u64 = self.index.about("stale")?.parse().unwrap_or(0);
        let stale = before + gone;
        let live = self.number("SELECT count(*) FROM lines")? as u64;
        // Positions of removed lines stay in the segments: only a new index is without them.
        if stale > FEW_STALE + 2 * live {
            return Err(self.index.damaged("most of it is about games that are gone"));
        }
        let sql = "UPDATE about SET value = ? WHERE name = 'stale'";
        self.index.connection.execute(sql, [stale.to_string()]).in_index(&self.index.path).map(drop)
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
        number.in_index(&self.index.path)
    }
}

impl<G: Collected> Waiting<G> {
    const fn new() -> Self {
        Self { games: Vec::new(), size: 0 }
    }

    /// Adds a game, and nothing for one that cannot be read.
    fn add(&mut self, source: &str, place: u64, game: Option<ParsedGame<G>>) {
        let Some(game) = game else { return };
        self.size += game.record.rough_size();
        // Games of one source follow each other, and share its name.
        let last = self.games.last().map(|(name, _, _)| name).filter(|name| ***name == *source);
        let name = last.map_or_else(|| source.into(), Arc::clone);
        self.games.push((name, place, game));
    }

    const fn is_full(&self) -> bool {
        self.games.len() >= MOST_WAITING || self.size >= MOST_WAITING_SIZE
    }

    /// Hands the games on to a step.
    fn flush(&mut self, step: &mut Step) {
        self.size = 0;
        let games = std::mem::take(&mut self.games);
        let made = games.into_par_iter().filter_map(|(source, place, game)| {
            // A game that cannot be written as JSON is none that can be opened.
            let entry = Entry::of(&source, &game).ok()?;
            Some(NewGame { place, entry, postings: postings_of(&game.record, 0) })
        });
        // On all cores, but collected in the order of the games, by which they are numbered.
        for game in made.collect::<Vec<NewGame>>() {
            step.postings += game.postings.len();
            step.bytes += game.entry.body.as_ref().map_or(0, Vec::len) + game.entry.comments.len();
            step.entries.push(game);
        }
    }
}

impl Step {
    const fn is_full(&self) -> bool {
        self.entries.len() >= MOST_GAMES
            || self.postings >= MOST_POSTINGS
            || self.bytes >= MOST_BYTES
    }
}

fn begin(index: &mut GameIndex) -> Result<Transaction<'_>, IndexError> {
    let path = index.path.clone();
    let begun = index.connection.transaction_with_behavior(TransactionBehavior::Immediate);
    begun.in_index(&path)
}

/// The files that an index knows, by their paths.
fn known(index: &GameIndex) -> Result<HashMap<Vec<u8>, KnownFile>, IndexError> {
    let sql = "SELECT path, id, len, time, link, seen, games, state FROM files";
    let rows = index.rows(sql, |row| {
        let stamp = FileStamp { len: row.get(2)?, time: row.get(3)?, is_link: row.get(4)? };
        let [seen, games] = [count_at(row, 5)?, count_at(row, 6)?];
        let file = KnownFile { id: row.get(1)?, stamp, seen, games, state: row.get(7)? };
        Ok((row.get::<_, Vec<u8>>(0)?, file))
    })?;
    Ok(rows.into_iter().collect())
}

/// Returns true if a path is that of the file or folder, or lies below it.
fn is_below(path: &[u8], folder: &Path) -> bool {
    let folder = path_key(folder);
    path.strip_prefix(folder).is_some_and(|rest| {
        rest.first().copied().is_none_or(is_separator)
            || folder.last().copied().is_some_and(is_separator)
    })
}

/// Returns true if a byte of a path separates the names in it.
fn is_separator(byte: u8) -> bool {
    std::path::is_separator(byte.into())
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
        let (line, is_new) = insert_line(tx, entry.line, entry.start.as_deref(), &entry.moves)?;
        if is_new {
            postings.extend(of_game.iter().map(|posting| posting.of_line(line as u64)));
        }
        insert_game(tx, entry, (file.id, file.games + at as u64, place), line)?;
    }
    step.postings = 0;
    step.bytes = 0;
    insert_segment(tx, segment, &mut postings)
}
