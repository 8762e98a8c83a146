//! The SQLite layout of a book, and the writer that packs one in key order.
//!
//! # Stability
//!
//! [`VERSION`] goes into `PRAGMA user_version`. Readers refuse later versions by name. A change of
//! the tables, of the blob of a [`Row`], of game ids or of the digest needs a new one.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};
use tempfile::TempPath;

use super::sort::ahead;
use super::{GameId, Metadata, Observation, Row, Source};

/// `PRAGMA application_id` of every book: "JZBK".
pub const APPLICATION_ID: u32 = u32::from_be_bytes(*b"JZBK");

/// The version of the layout, in `PRAGMA user_version`.
pub const VERSION: i64 = 1;

/// Bytes of a page.
const PAGE_SIZE: u32 = 8192;

/// The tables, in the order of their creation (`seal` first: see the module of that name).
///
/// - `seal`: the digest over the file;
/// - `meta`: [`Metadata`] by name;
/// - `key_table`: the key file that the book's keys were made with, and its fingerprint;
/// - `sources`: the files that were read, by BLAKE3 of their content, with base name and games;
/// - `games`: the [`GameId`] of every counted game;
/// - `moves`: canonical key, packed move in the canonical frame, blob of a [`Row`];
/// - `marks`: what few moves have: a priority, flags, a comment.
pub(super) const TABLES: [(&str, &str); 7] = [
    ("seal", "CREATE TABLE seal(id INTEGER PRIMARY KEY, digest BLOB)"),
    ("meta", "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"),
    ("key_table", "CREATE TABLE key_table(fingerprint TEXT PRIMARY KEY, file BLOB) WITHOUT ROWID"),
    (
        "sources",
        "CREATE TABLE sources(hash BLOB PRIMARY KEY, name TEXT, games INTEGER) WITHOUT ROWID",
    ),
    ("games", "CREATE TABLE games(id BLOB PRIMARY KEY) WITHOUT ROWID"),
    (
        "moves",
        "CREATE TABLE moves(key INTEGER, move INTEGER, stats BLOB, PRIMARY KEY(key, move)) \
         WITHOUT ROWID",
    ),
    (
        "marks",
        "CREATE TABLE marks(key INTEGER, move INTEGER, priority INTEGER, flags INTEGER, \
         comment TEXT, PRIMARY KEY(key, move)) WITHOUT ROWID",
    ),
];

/// Memory that packing takes beside the rows on their way, in bytes: the caches of the working file
/// and of the book that is made from it.
pub(super) const PACK_MEMORY: usize = (2 * CACHE_KIB) << 10;

/// SQLite's cache, in KiB. Rows are appended, so few pages are in use at a time.
const CACHE_KIB: usize = 8192;

/// Rows that travel from the thread that makes them to the one that stores them.
const LOT: usize = 4096;

/// Writes a new book. Rows come in ascending order; the same calls give the same bytes.
///
/// They go to a working file first, which SQLite fills to two thirds or so; copying that into the
/// book (`VACUUM INTO`) fills every page and orders them.
#[derive(Debug)]
pub(super) struct Writer {
    connection: Connection,
    /// Where an open file cannot be removed.
    working: Option<TempPath>,
    content: ContentHasher,
    last_key: Option<i64>,
    positions: u64,
    rows: u64,
}

/// Rows with their blobs.
#[derive(Debug, Default)]
struct Lot {
    /// Key, move and end of the blob in `blobs`.
    rows: Vec<(i64, u16, usize)>,
    blobs: Vec<u8>,
}

impl Lot {
    fn put(&mut self, Observation { key, mv, tally }: Observation) {
        Row { tally, weight: None }.put(key, mv, &mut self.blobs);
        self.rows.push((key, mv, self.blobs.len()));
    }

    fn iter(&self) -> impl Iterator<Item = (i64, u16, &[u8])> {
        let mut start = 0;
        self.rows.iter().map(move |&(key, mv, end)| {
            let blob = &self.blobs[start..end];
            start = end;
            (key, mv, blob)
        })
    }
}

impl Writer {
    /// Starts a book with an empty working file.
    pub(super) fn create(working: TempPath) -> rusqlite::Result<Self> {
        // No URIs: a file name that looks like one is a file name.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&working, flags)?;
        connection.execute_batch(&format!(
            "PRAGMA page_size = {PAGE_SIZE};
             PRAGMA auto_vacuum = NONE;
             PRAGMA encoding = 'UTF-8';
             PRAGMA journal_mode = OFF;
             PRAGMA synchronous = OFF;
             PRAGMA locking_mode = EXCLUSIVE;
             PRAGMA secure_delete = ON;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -{CACHE_KIB};
             PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {VERSION};"
        ))?;
        connection.execute_batch("BEGIN")?;
        for (_, sql) in TABLES {
            connection.execute_batch(sql)?;
        }
        connection.execute_batch("INSERT INTO seal VALUES(1, zeroblob(32))")?;
        let content = ContentHasher::default();
        // The file stays open; without a name nothing of it is left behind, whatever happens.
        let working = Some(working).filter(|_| !cfg!(unix));
        Ok(Self { connection, working, content, last_key: None, positions: 0, rows: 0 })
    }

    /// Adds a counted game; they come in ascending order.
    pub(super) fn add_game(&self, id: GameId) -> rusqlite::Result<()> {
        self.connection.prepare_cached("INSERT INTO games VALUES(?1)")?.execute([&id.0[..]])?;
        Ok(())
    }

    /// Adds rows, in ascending order; `rows` runs in another thread. `failed` makes an error of the
    /// store one of the caller's.
    pub(super) fn add_rows<E: Send>(
        &mut self,
        rows: impl Iterator<Item = Result<Observation, E>> + Send,
        failed: impl Fn(rusqlite::Error) -> E,
    ) -> Result<(), E> {
        ahead(
            |send| send_lots(rows, send),
            |lots| {
                for lot in lots {
                    self.add_lot(&lot?).map_err(&failed)?;
                }
                Ok(())
            },
        )
    }

    fn add_lot(&mut self, lot: &Lot) -> rusqlite::Result<()> {
        let sql = "INSERT INTO moves VALUES(?1, ?2, ?3)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for (key, mv, blob) in lot.iter() {
            insert.execute((key, mv, blob))?;
            self.content.add(key, mv, blob);
            self.positions += u64::from(self.last_key.replace(key) != Some(key));
        }
        self.rows += lot.rows.len() as u64;
        Ok(())
    }

    /// Adds what is known at the end and writes the book to the empty file at `path`. Fills in what
    /// only the rows tell.
    pub(super) fn finish(
        self,
        path: &Path,
        metadata: &mut Metadata,
        key_table: &[u8],
        sources: &[Source],
    ) -> rusqlite::Result<()> {
        metadata.positions = self.positions;
        metadata.rows = self.rows;
        let Self { connection, working, content, .. } = self;
        metadata.content = content.finish();
        connection.execute(
            "INSERT INTO key_table VALUES(?1, ?2)",
            params![metadata.key_table, key_table],
        )?;
        for source in sources {
            connection.execute(
                "INSERT INTO sources VALUES(?1, ?2, ?3)",
                params![&source.hash[..], source.name, source.games.cast_signed()],
            )?;
        }
        for (name, value) in metadata.to_pairs() {
            connection.execute("INSERT INTO meta VALUES(?1, ?2)", params![name, value])?;
        }
        connection.execute_batch("COMMIT")?;
        // The cast takes the bytes as they are: not every path is UTF-8.
        let path = path.as_os_str().as_encoded_bytes();
        connection.execute("VACUUM INTO CAST(?1 AS TEXT)", [path])?;
        connection.close().map_err(|(_, error)| error)?;
        drop(working);
        Ok(())
    }
}

/// Makes lots of rows. An error is the last that is sent.
fn send_lots<E>(
    rows: impl Iterator<Item = Result<Observation, E>>,
    send: &mut dyn FnMut(Result<Lot, E>) -> bool,
) {
    let mut lot = Lot::default();
    for row in rows {
        match row {
            Ok(row) => lot.put(row),
            Err(error) => {
                send(Err(error));
                return;
            }
        }
        if lot.rows.len() == LOT && !send(Ok(std::mem::take(&mut lot))) {
            return;
        }
    }
    send(Ok(lot));
}

/// BLAKE3 over all rows in order: key LE64, move LE16, length of the blob LE16, blob. Independent of
/// pages and of everything beside the rows.
#[derive(Debug, Default)]
pub(super) struct ContentHasher {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
}

impl ContentHasher {
    pub(super) fn add(&mut self, key: i64, mv: u16, blob: &[u8]) {
        self.buffer.extend_from_slice(&key.to_le_bytes());
        self.buffer.extend_from_slice(&mv.to_le_bytes());
        self.buffer.extend_from_slice(&(blob.len() as u16).to_le_bytes());
        self.buffer.extend_from_slice(blob);
        if self.buffer.len() >= 1 << 16 {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
    }

    /// In hexadecimal.
    pub(super) fn finish(mut self) -> String {
        self.hasher.update(&self.buffer);
        self.hasher.finalize().to_hex().to_string()
    }
}
