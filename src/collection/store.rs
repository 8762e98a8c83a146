//! The SQLite file of an index: its schema, opening it, refusing other files.

use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::book::open_working;
use crate::bytes::StopFlag;
use crate::bytes::kept_open::{KeptOpen, NotedFile};
use crate::bytes::own_files;
use crate::bytes::paths::folder_of;
use crate::collection::error::{IndexError, QueryResult};
use crate::game::Game;
use crate::message::{Message, message};

/// Tells SQLite files of this kind from others.
const APPLICATION_ID: i64 = 0x6a7a_6978;

/// Raised when the tables, or what stands in them, change: an older index is made anew.
const VERSION: i64 = 4;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Bytes of the header of a SQLite file, and the place of the application's number in it.
const HEAD: usize = 100;
const ID_AT: usize = 68;

const NO_SQLITE: &str = "it is no SQLite file";
const OTHER: &str = "it is a SQLite file of another program";

/// The ending of the files.
const ENDING: &str = "games";

/// Steps of SQLite's machine between two looks at the stop flag.
const STEPS: i32 = 1 << 13;

/// The tables. `time` is that of the last change in nanoseconds since 1970. `state` of a file is 0 until it is read
/// through, 1 then, 2 if it cannot be read; `seen` counts its games and bad ones so far, `games` the former. A game's
/// `seq` is its number among the games of the file, `place` its number among these and the bad ones.
const SCHEMA: &str = "
CREATE TABLE about(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, shown TEXT NOT NULL,
 name TEXT NOT NULL, words TEXT NOT NULL, len INTEGER NOT NULL, time INTEGER NOT NULL, link INTEGER NOT NULL, rank INTEGER NOT NULL,
 first INTEGER NOT NULL, seen INTEGER NOT NULL, games INTEGER NOT NULL, state INTEGER NOT NULL);
CREATE TABLE lines(id INTEGER PRIMARY KEY AUTOINCREMENT, hash INTEGER NOT NULL UNIQUE, start TEXT,
 moves BLOB NOT NULL);
CREATE TABLE texts(id INTEGER PRIMARY KEY AUTOINCREMENT, shown TEXT NOT NULL UNIQUE, words TEXT NOT NULL,
 sort TEXT NOT NULL);
CREATE TABLE games(id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, seq INTEGER NOT NULL,
 place INTEGER NOT NULL, key INTEGER NOT NULL, line INTEGER NOT NULL, year INTEGER, elo1 INTEGER, elo2 INTEGER,
 result INTEGER NOT NULL, plies INTEGER NOT NULL, broken INTEGER NOT NULL, code INTEGER, opening INTEGER,
 first INTEGER, second INTEGER, event INTEGER, date INTEGER);
CREATE UNIQUE INDEX games_place ON games(file, seq);
CREATE INDEX games_key ON games(key);
CREATE INDEX games_line ON games(line, file, seq);
CREATE INDEX games_first ON games(first);
CREATE INDEX games_second ON games(second);
CREATE TABLE bodies(game INTEGER PRIMARY KEY, body BLOB, fault TEXT, note INTEGER, words INTEGER NOT NULL);
CREATE TABLE comments(game INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE positions(bucket INTEGER NOT NULL, segment INTEGER NOT NULL, data BLOB NOT NULL,
 PRIMARY KEY(bucket, segment)) WITHOUT ROWID;
";

/// KiB of the file that are kept in memory: usually, and while games are taken over in one transaction, which touches pages of
/// three indexes in any order. A page that is changed again after it had to leave memory is written again.
pub(crate) const USUAL_CACHE: i64 = 32 << 10;
pub(crate) const LARGE_CACHE: i64 = 512 << 10;

/// The way in which the file is written. Readers go on while it is; after a crash of the machine the last of it may be
/// missing, and is read again.
const PRAGMAS: &str =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
PRAGMA journal_size_limit = 67108864;";

/// An index that is open. Several may be open at the same time, one of them to be brought up to its files.
#[derive(Debug)]
pub struct GameIndex {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) stop: StopFlag,
    /// Behind the connection, so that it is dropped after it.
    _noted: NotedFile,
}

/// The place of the index for the games of `G` in these files and folders, in a folder of indexes: a name made of the
/// paths, in any order.
///
/// # Errors
///
/// Those of looking for the files and folders.
pub fn index_path<G: Game>(folder: &Path, inputs: &[PathBuf]) -> io::Result<PathBuf> {
    let mut paths =
        inputs.iter().map(|path| path.canonicalize()).collect::<io::Result<Vec<_>>>()?;
    paths.sort_unstable();
    paths.dedup();
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        // No path has a zero byte: it keeps the end of one apart from the beginning of the next.
        hasher.update(path.as_os_str().as_encoded_bytes()).update(&[0]);
    }
    let name = &hasher.finalize().to_hex()[..24];
    Ok(folder.join(format!("{}-{name}.{ENDING}", G::NAME)))
}

/// The indexes for the games of `G` in a folder of indexes, by name.
///
/// # Errors
///
/// Those of reading the folder.
pub fn indexes_in<G: Game>(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let of_game = format!("{}-", G::NAME);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(std::ffi::OsStr::to_str);
        let is_of_game = name.is_some_and(|name| name.starts_with(&of_game));
        if is_of_game && path.extension().is_some_and(|ending| ending == ENDING) {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

impl GameIndex {
    /// Opens the index of the games of `G` at `path`, or makes an empty one, and its folder. One that is damaged, or of
    /// another version of the program, is replaced by an empty one.
    ///
    /// Queries end with [`IndexError::Interrupted`] soon after `stop` was set.
    ///
    /// # Errors
    ///
    /// [`IndexError`]; [`IndexError::Foreign`] for what is no index, or one of another game, which stays.
    pub fn open<G: Game>(path: &Path, stop: &StopFlag) -> Result<Self, IndexError> {
        match Self::try_open::<G>(path, stop) {
            Err(error) if error.is_damage() => {
                tracing::info!("{error}: it is made anew");
                Self::remove(path)?;
                Self::try_open::<G>(path, stop)
            }
            opened => opened,
        }
    }

    /// Opens an index of the games of `G` that another process made, to take games over from it: it is neither made nor
    /// replaced.
    ///
    /// # Errors
    ///
    /// [`IndexError::Other`] if it is none, damaged, of another version of the program, or cannot be read.
    pub fn open_made<G: Game>(path: &Path, stop: &StopFlag) -> Result<Self, IndexError> {
        Self::try_open_made::<G>(path, stop).map_err(IndexError::of_other)
    }

    fn try_open_made<G: Game>(path: &Path, stop: &StopFlag) -> Result<Self, IndexError> {
        let index = Self::connect_checked(path, stop, || {
            let mut file = own_files::open(path).map_err(IndexError::at(path))?;
            check_head(&mut file, path)
        })?;
        index.check_numbers()?;
        index.check::<G>()?;
        Ok(index)
    }

    /// Removes the index at `path`, so that it is made anew. What is no regular file of this user stays.
    ///
    /// # Errors
    ///
    /// Those of removing.
    pub fn remove(path: &Path) -> Result<(), IndexError> {
        // The file goes last: a log that is left without it could be applied to the next one.
        for suffix in ["-wal", "-shm", ""] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            let file = PathBuf::from(name);
            if own_files::is_own_file_at(&file) {
                std::fs::remove_file(&file).map_err(IndexError::at(&file))?;
            }
        }
        Ok(())
    }

    fn try_open<G: Game>(path: &Path, stop: &StopFlag) -> Result<Self, IndexError> {
        let io = IndexError::at(path);
        std::fs::create_dir_all(folder_of(path)).map_err(&io)?;
        let index = Self::connect_checked(path, stop, || {
            let mut file = own_files::open_or_make(path).map_err(&io)?;
            let is_empty = file.metadata().map_err(&io)?.len() == 0;
            if is_empty { Ok(()) } else { check_head(&mut file, path) }
        })?;
        let objects: i64 = index
            .connection
            .query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))
            .in_index(path)?;
        if (index.numbers()?, objects) == ((0, 0), 0) {
            index.make::<G>()?;
        } else {
            index.check_numbers()?;
        }
        index.check::<G>()?;
        // Only now: this writes to the file.
        index.connection.execute_batch(PRAGMAS).in_index(path)?;
        index.set_cache(USUAL_CACHE)?;
        Ok(index)
    }

    /// The numbers of the application and of the version in the file.
    fn numbers(&self) -> Result<(i64, i64), IndexError> {
        Ok((self.pragma("application_id")?, self.pragma("user_version")?))
    }

    /// The number in the file under the name of a pragma.
    fn pragma(&self, name: &str) -> Result<i64, IndexError> {
        let value = self.connection.pragma_query_value(None, name, |row| row.get(0));
        value.in_index(&self.path)
    }

    /// Checks that the file is an index of this version.
    fn check_numbers(&self) -> Result<(), IndexError> {
        let (id, version) = self.numbers()?;
        if id != APPLICATION_ID {
            let path = self.path.clone();
            return Err(IndexError::Foreign { path, what: OTHER.into() });
        }
        if version != VERSION {
            return Err(self.damaged("of another version of the program"));
        }
        Ok(())
    }

    /// Opens a file that is an index, or an empty one, after `check` has looked at it without SQLite. A file on which this
    /// process has a connection already is not looked at.
    fn connect_checked(
        path: &Path,
        stop: &StopFlag,
        check: impl FnOnce() -> Result<(), IndexError>,
    ) -> Result<Self, IndexError> {
        let mut open = KeptOpen::lock();
        // Links are not followed, so that the look at one opens nothing.
        if path.is_symlink() || !open.holds(path) {
            check()?;
            return Self::connect_noted(path, stop, &mut open);
        }
        let index = Self::connect_noted(path, stop, &mut open)?;
        // Reading waits for others, and an index that goes leaves the list.
        drop(open);
        // Overwritten in place since it was checked, it is another program's file, and not to be made anew.
        let first: rusqlite::Result<i64> =
            index.connection.pragma_query_value(None, "application_id", |row| row.get(0));
        match first {
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
                let path = path.to_owned();
                Err(IndexError::Foreign { path, what: NO_SQLITE.into() })
            }
            _ => Ok(index),
        }
    }

    /// Opens a file that is an index without a look at it; so does each thread that reads one beside others.
    pub(crate) fn connect(path: &Path, stop: &StopFlag) -> Result<Self, IndexError> {
        Self::connect_noted(path, stop, &mut KeptOpen::lock())
    }

    fn connect_noted(
        path: &Path,
        stop: &StopFlag,
        open: &mut KeptOpen,
    ) -> Result<Self, IndexError> {
        let mut connection = open_working(path, "PRAGMA busy_timeout = 10000;").in_index(path)?;
        let watched = stop.clone();
        connection.progress_handler(STEPS, Some(move || watched.is_set())).in_index(path)?;
        let noted = open.note(path);
        Ok(Self { connection, path: path.to_owned(), stop: stop.clone(), _noted: noted })
    }

    /// Makes the tables of an empty file, unless another process does.
    fn make<G: Game>(&self) -> Result<(), IndexError> {
        let about = format!(
            "BEGIN IMMEDIATE; {SCHEMA}
             INSERT INTO about VALUES ('game', '{}'); INSERT INTO about VALUES ('stale', '0');
             PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;",
            G::NAME
        );
        self.connection.execute_batch(&about).in_index(&self.path)
    }

    /// Checks that the file has these tables and no others, and is of the game.
    fn check<G: Game>(&self) -> Result<(), IndexError> {
        let mut expected: Vec<String> = statements(SCHEMA).map(squeezed).collect();
        expected.sort_unstable();
        let sql =
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'";
        let mut found: Vec<String> = self
            .rows(sql, |row| row.get::<_, String>(0))?
            .iter()
            .map(|sql| squeezed(sql))
            .collect();
        found.sort_unstable();
        if found != expected {
            return Err(self.damaged("its tables are not those of an index"));
        }
        let game = self.about("game")?;
        if game != G::NAME {
            let what = message!("it is one of {game}");
            return Err(IndexError::Foreign { path: self.path.clone(), what });
        }
        Ok(())
    }

    /// Looks through the whole file.
    ///
    /// # Errors
    ///
    /// [`IndexError::Damaged`] if something in it cannot be.
    pub fn verify(&self) -> Result<(), IndexError> {
        match self.rows("PRAGMA quick_check(1)", |row| row.get::<_, String>(0))?.as_slice() {
            [ok] if ok == "ok" => Ok(()),
            faults => {
                Err(self.damaged(faults.first().map_or("it is empty", String::as_str).to_owned()))
            }
        }
    }

    /// Sets the memory for pages of the file, in KiB.
    pub(crate) fn set_cache(&self, kib: i64) -> Result<(), IndexError> {
        // SQLite takes a negative number for KiB, and a positive one for pages.
        let set = self.connection.pragma_update(None, "cache_size", -kib);
        set.in_index(&self.path)
    }

    pub(crate) fn about(&self, name: &str) -> Result<String, IndexError> {
        let sql = "SELECT value FROM about WHERE name = ?";
        self.connection.query_row(sql, [name], |row| row.get(0)).in_index(&self.path)
    }

    /// The rows of a query without parameters.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        let mut statement = self.connection.prepare(sql).in_index(&self.path)?;
        let rows = statement.query_map((), row).in_index(&self.path)?;
        rows.collect::<rusqlite::Result<_>>().in_index(&self.path)
    }

    pub(crate) fn damaged(&self, what: impl Into<Message>) -> IndexError {
        IndexError::Damaged { path: self.path.clone(), what: what.into() }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Refuses what is no SQLite file, or one of another program, and takes the beginning of one for a damaged index.
fn check_head(file: &mut std::fs::File, path: &Path) -> Result<(), IndexError> {
    let io = IndexError::at(path);
    let mut head = Vec::new();
    file.rewind().map_err(&io)?;
    file.take(HEAD as u64).read_to_end(&mut head).map_err(&io)?;
    let foreign =
        |what: &'static str| IndexError::Foreign { path: path.to_owned(), what: what.into() };
    if head.len() == HEAD && head.starts_with(MAGIC) {
        // Zero while the file is made.
        let id = head[ID_AT..].first_chunk().map_or(0, |&id| i64::from(u32::from_be_bytes(id)));
        return if [0, APPLICATION_ID].contains(&id) { Ok(()) } else { Err(foreign(OTHER)) };
    }
    if head.starts_with(MAGIC) || MAGIC.starts_with(&head) || head.iter().all(|&byte| byte == 0) {
        let what = "its beginning is missing".into();
        return Err(IndexError::Damaged { path: path.to_owned(), what });
    }
    Err(foreign(NO_SQLITE))
}

/// The statements of a text without semicolons within them.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|statement| !statement.is_empty())
}

/// A text with a single blank for each stretch of blanks.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::collections::BTreeSet;
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::xiangqi::Position;

    /// This process's locks on a file, as the system lists them: by the last byte of its device and by its number there.
    fn locks_on(path: &Path) -> BTreeSet<String> {
        let about = path.metadata().unwrap();
        let process = format!(" {} ", std::process::id());
        let place = format!("{:02x}:{} ", about.dev() & 0xff, about.ino());
        let mut found = BTreeSet::new();
        // The list is read in pieces: while other locks come and go, a line may be missed or come twice.
        for _ in 0..40 {
            let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
            let own = locks.lines().filter(|line| line.contains(&place) && line.contains(&process));
            // After the number of the line.
            found.extend(own.filter_map(|line| Some(line.split_once(": ")?.1.to_owned())));
        }
        found
    }

    #[test]
    fn a_second_connection_takes_no_lock_from_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let stop = StopFlag::default();
        let first = GameIndex::open::<Position>(&path, &stop).unwrap();
        // From its first read on a connection keeps a lock.
        first.verify().unwrap();
        let locks = locks_on(&path);
        if locks.is_empty() {
            eprintln!("/proc/locks does not show the locks on this file system: not compared");
        }
        drop(GameIndex::open::<Position>(&path, &stop).unwrap());
        drop(GameIndex::open_made::<Position>(&path, &stop).unwrap());
        // A folder of games in which the index lies is looked through.
        std::fs::write(folder.path().join("games.pgn"), "1. h2e2 h9g7 *\n").unwrap();
        let found = crate::book::find_games::<Position>(&[folder.path().to_owned()]).unwrap();
        assert_eq!(found.files, [folder.path().join("games.pgn")]);
        assert!(crate::bytes::open::regular(&path).is_err());
        assert_eq!(locks_on(&path), locks);
        drop(first);
        assert_eq!(locks_on(&path), BTreeSet::new());
    }

    #[test]
    fn what_is_written_over_an_open_index_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let stop = StopFlag::default();
        let first = GameIndex::open::<Position>(&path, &stop).unwrap();
        let other = "something else entirely ".repeat(4_000);
        std::fs::write(&path, &other).unwrap();
        for _ in 0..2 {
            let refused = GameIndex::open::<Position>(&path, &stop);
            assert!(matches!(refused, Err(IndexError::Foreign { .. })), "{refused:?}");
        }
        assert!(crate::bytes::open::regular(&path).is_err());
        std::mem::forget(first);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
    }
}
