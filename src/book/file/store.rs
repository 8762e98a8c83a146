//! The SQLite layout of a book, and the writer that packs one in key order.
//!
//! # Stability
//!
//! [`VERSION`] goes into `PRAGMA user_version`. Readers refuse later versions by name. A change of
//! the tables, of the blob of a [`MoveRow`], of game ids or of the digest needs a new one.

use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, params};
use tempfile::TempPath;

use crate::book::file::annotation_rows;
use crate::book::file::connect::open_working;
use crate::book::model::annotation::Annotation;
use crate::book::model::counted_game::{GameId, IdTable};
use crate::book::model::groups::GroupMember;
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::{KeyedRow, MoveRow, RowKey};
use crate::book::model::origins::Origins;
use crate::bytes::external_sort::ahead;

/// `PRAGMA application_id` of every book: "JZBK".
pub const APPLICATION_ID: u32 = u32::from_be_bytes(*b"JZBK");

/// The version of the layout, in `PRAGMA user_version`.
pub const VERSION: i64 = 2;

/// The version of books with sample games, which have tables of their own.
pub const SAMPLES_VERSION: i64 = 3;

/// Bytes of a page.
const PAGE_SIZE: u32 = 8192;

/// A table of a book.
#[derive(Debug)]
pub(crate) struct BookTable {
    pub(crate) name: &'static str,
    pub(crate) part: BookPart,
    /// The SQL that creates it.
    pub(crate) sql: &'static str,
}

/// The parts of a book's content. Making a book of others decides for each whether it is carried over as it
/// is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BookPart {
    /// The tables that every book is given when it is finished.
    Frame,
    /// Ids of games.
    Games,
    /// Rows.
    Moves,
    /// The marks of moves.
    Marks,
    /// The line groups of moves.
    Groups,
    /// The changes of edits.
    Journal,
    /// The books that were merged.
    Origins,
    /// The scores of engines and tablebases.
    Scores,
    /// The values derived from scores, for the present moves.
    Propagated,
    /// Sample games.
    Samples,
}

/// The tables, in the order of their creation (`seal` first: see the module `digest`).
///
/// - `seal`: the digest over the file;
/// - `meta`: [`Metadata`] by name;
/// - `key_table`: the key file that the book's keys were made with, and its fingerprint;
/// - `sources`: the files that were read, by BLAKE3 of their content, with base name and games;
/// - `games`: the [`GameId`] of every counted game;
/// - `elsewhere`: that of every game that begins elsewhere, so that it is known again;
/// - `moves`: canonical key, packed move in the canonical frame, blob of a [`MoveRow`];
/// - `marks`: the [`Annotation`] of each move that has one;
/// - `line_groups`: the line groups that moves belong to;
/// - `journal`: the changes of edits, to undo them;
/// - `books`, `provenance`: the books that were merged, and which source came with which;
/// - `scores`: the scores that engines and tablebases give to positions, a [`Score`](crate::book::file::scores::Score) each;
/// - `backed`: the values that result for the moves that lead there, a [`Bounds`](crate::book::model::value::Bounds) each.
pub(crate) const TABLES: &[BookTable] = &[
    BookTable {
        name: "seal",
        part: BookPart::Frame,
        sql: "CREATE TABLE seal(id INTEGER PRIMARY KEY, digest BLOB)",
    },
    BookTable {
        name: "meta",
        part: BookPart::Frame,
        sql: "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    },
    BookTable {
        name: "key_table",
        part: BookPart::Frame,
        sql: "CREATE TABLE key_table(fingerprint TEXT PRIMARY KEY, file BLOB) WITHOUT ROWID",
    },
    BookTable {
        name: "sources",
        part: BookPart::Frame,
        sql: "CREATE TABLE sources(hash BLOB PRIMARY KEY, name TEXT, games INTEGER) WITHOUT ROWID",
    },
    BookTable {
        name: "games",
        part: BookPart::Games,
        sql: "CREATE TABLE games(id BLOB PRIMARY KEY) WITHOUT ROWID",
    },
    BookTable {
        name: "elsewhere",
        part: BookPart::Games,
        sql: "CREATE TABLE elsewhere(id BLOB PRIMARY KEY) WITHOUT ROWID",
    },
    BookTable {
        name: "moves",
        part: BookPart::Moves,
        sql: "CREATE TABLE moves(key INTEGER, move INTEGER, stats BLOB, PRIMARY KEY(key, move)) \
         WITHOUT ROWID",
    },
    BookTable {
        name: "marks",
        part: BookPart::Marks,
        sql: "CREATE TABLE marks(key INTEGER, move INTEGER, priority INTEGER, flags INTEGER, \
         weight INTEGER, comment TEXT, origin INTEGER, PRIMARY KEY(key, move)) WITHOUT ROWID",
    },
    BookTable {
        name: "line_groups",
        part: BookPart::Groups,
        sql: "CREATE TABLE line_groups(key INTEGER, move INTEGER, name TEXT, PRIMARY KEY(key, move, name)) \
         WITHOUT ROWID",
    },
    BookTable {
        name: "journal",
        part: BookPart::Journal,
        sql: "CREATE TABLE journal(edit INTEGER, step INTEGER, what TEXT, key INTEGER, move INTEGER, \
         before BLOB, after BLOB, PRIMARY KEY(edit, step)) WITHOUT ROWID",
    },
    BookTable {
        name: "books",
        part: BookPart::Origins,
        sql: "CREATE TABLE books(number INTEGER PRIMARY KEY, content TEXT, name TEXT, games INTEGER, \
         moves INTEGER)",
    },
    BookTable {
        name: "provenance",
        part: BookPart::Origins,
        sql: "CREATE TABLE provenance(book INTEGER, source BLOB, PRIMARY KEY(book, source)) \
         WITHOUT ROWID",
    },
    BookTable {
        name: "scores",
        part: BookPart::Scores,
        sql: "CREATE TABLE scores(key INTEGER, source TEXT, kind INTEGER, value INTEGER, \
         bound INTEGER, depth INTEGER, nodes INTEGER, best INTEGER, PRIMARY KEY(key, source)) \
         WITHOUT ROWID",
    },
    BookTable {
        name: "backed",
        part: BookPart::Propagated,
        sql: "CREATE TABLE backed(key INTEGER, move INTEGER, low INTEGER, high INTEGER, \
         PRIMARY KEY(key, move)) WITHOUT ROWID",
    },
];

/// The tables that follow in a book with sample games:
///
/// - `samples`: the place of a move, and the ids of its sample games;
/// - `sample_games`: what is kept of each game that is a sample of some move.
pub(crate) const SAMPLE_TABLES: &[BookTable] = &[
    BookTable {
        name: "samples",
        part: BookPart::Samples,
        sql: "CREATE TABLE samples(place BLOB PRIMARY KEY, games BLOB) WITHOUT ROWID",
    },
    BookTable {
        name: "sample_games",
        part: BookPart::Samples,
        sql: "CREATE TABLE sample_games(id BLOB PRIMARY KEY, first TEXT, second TEXT, event TEXT, \
         result INTEGER, year INTEGER, first_rating INTEGER, second_rating INTEGER, source BLOB, \
         number INTEGER, moves BLOB) WITHOUT ROWID",
    },
];

/// Memory that packing needs beside the rows on their way, in bytes: the caches of the working file and of
/// the book that is made from it.
pub(crate) const PACK_MEMORY: usize = (2 * CACHE_KIB) << 10;

/// SQLite's cache, in KiB. Rows are appended, so few pages are in use at a time.
const CACHE_KIB: usize = 8192;

/// Rows that travel from the thread that makes them to the one that stores them.
const BATCH_ROWS: usize = 4096;

/// Writes a new book. Rows come in ascending order; the same calls give the same bytes.
///
/// They go to a working file first, which SQLite fills to two thirds or so; copying that into the
/// book (`VACUUM INTO`) fills every page and orders them.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Connection,
    /// The path of the working file, on systems where an open file cannot be removed.
    working: Option<TempPath>,
    content: ContentHasher,
    last_key: Option<i64>,
    positions: u64,
    rows: u64,
}

/// Rows with their blobs.
#[derive(Debug, Default)]
struct Batch {
    /// Key, move and end of the blob in `blobs`.
    rows: Vec<(i64, u16, usize)>,
    blobs: Vec<u8>,
}

impl Batch {
    fn put(&mut self, (key, mv, row): KeyedRow) {
        row.put(key, mv, &mut self.blobs);
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
    pub(crate) fn create(working: TempPath) -> rusqlite::Result<Self> {
        let pragmas = format!(
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
        );
        // No journal and no syncing: a working file that is not finished is dropped, so that there is
        // nothing to roll back to. Deleted content is overwritten, or bytes of it would differ from run to
        // run.
        let connection = open_working(&working, &pragmas)?;
        // One transaction for everything: each statement would otherwise be one of its own.
        connection.execute_batch("BEGIN")?;
        for table in TABLES {
            connection.execute_batch(table.sql)?;
        }
        // The place of the digest, which is filled in when all other bytes are known.
        connection.execute_batch("INSERT INTO seal VALUES(1, zeroblob(32))")?;
        let content = ContentHasher::default();
        // The file stays open; without a name nothing of it is left behind, whatever happens.
        let working = Some(working).filter(|_| !cfg!(unix));
        Ok(Self { connection, working, content, last_key: None, positions: 0, rows: 0 })
    }

    /// Makes it a book with sample games; before anything is added.
    pub(crate) fn begin_samples(&self) -> rusqlite::Result<()> {
        for table in SAMPLE_TABLES {
            self.connection.execute_batch(table.sql)?;
        }
        self.connection.execute_batch(&format!("PRAGMA user_version = {SAMPLES_VERSION}"))
    }

    /// A statement that adds to a table.
    pub(crate) fn statement(&self, sql: &str) -> rusqlite::Result<rusqlite::CachedStatement<'_>> {
        self.connection.prepare_cached(sql)
    }

    /// The working file.
    pub(crate) const fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Adds the id of a game to a table; they come in ascending order.
    pub(crate) fn add_id(&self, table: IdTable, id: GameId) -> rusqlite::Result<()> {
        let sql = match table {
            IdTable::Games => "INSERT INTO games VALUES(?1)",
            IdTable::Elsewhere => "INSERT INTO elsewhere VALUES(?1)",
        };
        self.connection.prepare_cached(sql)?.execute([&id.0[..]])?;
        Ok(())
    }

    /// Adds the members of line groups, in ascending order.
    pub(crate) fn add_member(&self, member: &GroupMember) -> rusqlite::Result<()> {
        let GroupMember { key, mv, group } = member;
        self.connection
            .prepare_cached("INSERT INTO line_groups VALUES(?1, ?2, ?3)")?
            .execute(params![key, mv, group])?;
        Ok(())
    }

    /// Adds the rows of some tables of another book, except those whose keys are there already.
    pub(crate) fn add_tables(
        &self,
        from: &Connection,
        is_carried: impl Fn(BookPart) -> bool,
    ) -> rusqlite::Result<()> {
        let mut tables = TABLES.iter().filter(|table| is_carried(table.part));
        tables.try_for_each(|table| self.add_table(table.name, from))
    }

    fn add_table(&self, table: &str, from: &Connection) -> rusqlite::Result<()> {
        let mut select = from.prepare(&format!("SELECT * FROM {table}"))?;
        let width = select.column_count();
        let values = vec!["?"; width].join(", ");
        let insert = format!("INSERT OR IGNORE INTO {table} VALUES({values})");
        let mut insert = self.connection.prepare(&insert)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..width {
                let value = ToSqlOutput::Borrowed(row.get_ref(column)?);
                // Values go over as they are, without being copied or read as any type.
                insert.raw_bind_parameter(column + 1, value)?;
            }
            insert.raw_execute()?;
        }
        Ok(())
    }

    /// Adds rows, in ascending order; `rows` runs in another thread. `failed` makes an error of the
    /// store one of the caller's.
    pub(crate) fn add_rows<E: Send>(
        &mut self,
        rows: impl Iterator<Item = Result<KeyedRow, E>> + Send,
        failed: impl Fn(rusqlite::Error) -> E,
    ) -> Result<(), E> {
        ahead(
            |send| send_batches(rows, send),
            |batches| {
                for batch in batches {
                    self.add_batch(&batch?).map_err(&failed)?;
                }
                Ok(())
            },
        )
    }

    fn add_batch(&mut self, batch: &Batch) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached("INSERT INTO moves VALUES(?1, ?2, ?3)")?;
        for (key, mv, blob) in batch.iter() {
            insert.execute((key, mv, blob))?;
            self.content.add(key, mv, blob);
            // Rows ascend, so that the rows of a position are neighbours.
            self.positions += u64::from(self.last_key.replace(key) != Some(key));
        }
        self.rows += batch.rows.len() as u64;
        Ok(())
    }

    /// Adds a row; in ascending order.
    pub(crate) fn add_row(&mut self, (key, mv): RowKey, row: &MoveRow) -> rusqlite::Result<()> {
        let mut batch = Batch::default();
        batch.put((key, mv, *row));
        self.add_batch(&batch)
    }

    /// Adds the mark of a move.
    pub(crate) fn add_mark(&self, place: RowKey, mark: &Annotation) -> rusqlite::Result<()> {
        annotation_rows::put(&self.connection, place, mark)
    }

    /// Adds the books that were merged, in the order of their numbers from 1, and which source came
    /// with which.
    pub(crate) fn add_origins(&self, origins: &Origins) -> rusqlite::Result<()> {
        let sql = "INSERT INTO books VALUES(?1, ?2, ?3, ?4, ?5)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for (number, book) in (1u32..).zip(&origins.books) {
            let games = book.games.cast_signed();
            let moves = book.moves.cast_signed();
            insert.execute(params![number, book.content, book.name, games, moves])?;
        }
        let mut insert = self.connection.prepare_cached("INSERT INTO provenance VALUES(?1, ?2)")?;
        for (number, source) in &origins.sources {
            insert.execute(params![number, &source[..]])?;
        }
        Ok(())
    }

    /// Adds a row as it is to one of the other tables.
    pub(crate) fn put_values(&self, table: &str, row: Vec<Value>) -> rusqlite::Result<()> {
        let places = vec!["?"; row.len()].join(", ");
        let sql = format!("INSERT INTO {table} VALUES({places})");
        let mut insert = self.connection.prepare_cached(&sql)?;
        insert.execute(rusqlite::params_from_iter(row)).map(|_| ())
    }

    /// Adds the tables that are known at the end and writes the book to the empty file at `path`. Fills in
    /// the metadata that derive from the rows.
    pub(crate) fn finish(
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
        vacuum_into(&connection, path)?;
        connection.close().map_err(|(_, error)| error)?;
        drop(working);
        Ok(())
    }
}

/// Collects rows into batches. An error is the last that is sent.
fn send_batches<E>(
    rows: impl Iterator<Item = Result<KeyedRow, E>>,
    send: &mut dyn FnMut(Result<Batch, E>) -> bool,
) {
    let mut batch = Batch::default();
    for row in rows {
        match row {
            Ok(row) => batch.put(row),
            Err(error) => {
                send(Err(error));
                return;
            }
        }
        // Nobody takes batches any more: the store has failed, and its error is the one that counts.
        if batch.rows.len() == BATCH_ROWS && !send(Ok(std::mem::take(&mut batch))) {
            return;
        }
    }
    send(Ok(batch));
}

/// BLAKE3 over all rows in order: key LE64, move LE16, length of the blob LE16, blob. Independent of
/// pages and of everything beside the rows.
#[derive(Debug, Default)]
pub(crate) struct ContentHasher {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
}

impl ContentHasher {
    pub(crate) fn add(&mut self, key: i64, mv: u16, blob: &[u8]) {
        self.buffer.extend_from_slice(&key.to_le_bytes());
        self.buffer.extend_from_slice(&mv.to_le_bytes());
        self.buffer.extend_from_slice(&(blob.len() as u16).to_le_bytes());
        self.buffer.extend_from_slice(blob);
        // BLAKE3 hashes many blocks at a time with vector instructions, but only of what it is given at
        // once.
        if self.buffer.len() >= 1 << 16 {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
    }

    /// In hexadecimal.
    pub(crate) fn finish(mut self) -> String {
        self.hasher.update(&self.buffer);
        self.hasher.finalize().to_hex().to_string()
    }
}
/// Writes all of a database to the empty file at `path`, every page filled and in order.
pub(crate) fn vacuum_into(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    // The cast leaves the bytes as they are: not every path is UTF-8.
    let path = path.as_os_str().as_encoded_bytes();
    connection.execute("VACUUM INTO CAST(?1 AS TEXT)", [path]).map(drop)
}
