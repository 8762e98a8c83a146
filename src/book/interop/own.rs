//! One of the program's own books, written from moves that come in the order of keys.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;

use super::InteropError;
use super::write::refuse_existing;
use crate::book::builder::Errors;
use crate::book::store::Writer;
use crate::book::{
    BuildError, Entry, GameId, Mark, Metadata, Place, Row, Source, key_file, remake, seal,
};
use crate::bytes::atomic::{AtomicFile, folder_of};
use crate::bytes::lock::FileLock;
use crate::game::Game;
use crate::hash::KeyTable;
use crate::xiangqi::Position;

/// A book being written.
#[derive(Debug)]
pub(super) struct OwnWriter {
    output: PathBuf,
    file: AtomicFile,
    writer: Writer,
    /// Keeps others from changing what stands at the output's place.
    _lock: FileLock,
}

impl OwnWriter {
    /// Starts a book. Nothing is replaced.
    pub(super) fn create(output: &Path) -> Result<Self, InteropError> {
        refuse_existing(output)?;
        let lock = remake::lock(output).map_err(|e| create_error(output, &e))?;
        let file = AtomicFile::create(output).map_err(|e| create_error(output, &e))?;
        let writer = Errors { output }.writer(folder_of(output))?;
        Ok(Self { output: output.to_owned(), file, writer, _lock: lock })
    }

    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), InteropError> {
        add_entry(&mut self.writer, entry).map_err(|e| store_error(&self.output, e))
    }

    /// Says something of a move that has no row.
    pub(super) fn put_mark(&self, place: Place, mark: &Mark) -> Result<(), InteropError> {
        self.writer.add_mark(place, mark).map_err(|e| store_error(&self.output, e))
    }

    /// Adds a row of another table.
    pub(super) fn put_values(&self, table: &str, row: Vec<Value>) -> Result<(), InteropError> {
        self.writer.put_values(table, row).map_err(|e| store_error(&self.output, e))
    }

    /// Adds the ids of counted games, in ascending order.
    pub(super) fn add_games(&self, ids: Vec<[u8; 16]>) -> Result<(), InteropError> {
        ids.into_iter()
            .try_for_each(|id| self.writer.add_game(GameId(id)))
            .map_err(|e| store_error(&self.output, e))
    }

    /// Closes a book that no games are counted in.
    pub(super) fn finish(self, sources: &[Source]) -> Result<Metadata, InteropError> {
        let table_file = key_file(Position::NAME).unwrap_or_default();
        let table = KeyTable::from_bytes(table_file)
            .map_err(|e| write_error(&self.output, io::Error::other(e)))?;
        let metadata = Metadata {
            game: Position::NAME.to_owned(),
            key_table: table.fingerprint(),
            min_games: 1,
            pruned: true,
            ..Metadata::default()
        };
        self.finish_with(metadata, table_file, sources)
    }

    /// Closes a book and moves it to its place.
    pub(super) fn finish_with(
        self,
        mut metadata: Metadata,
        table_file: &[u8],
        sources: &[Source],
    ) -> Result<Metadata, InteropError> {
        let Self { output, mut file, writer, _lock } = self;
        writer
            .finish(file.temporary_path(), &mut metadata, table_file, sources)
            .map_err(|e| store_error(&output, e))?;
        seal::seal(file.file_mut()).map_err(|e| write_error(&output, e))?;
        refuse_existing(&output)?; // someone may have put a file there meanwhile
        file.commit().map_err(|e| create_error(&output, &e))?;
        Ok(metadata)
    }
}

fn add_entry(writer: &mut Writer, entry: &Entry) -> rusqlite::Result<()> {
    let Entry { key, mv, tally, weight, ref mark } = *entry;
    writer.add_row((key, mv), &Row { tally, weight })?;
    writer.add_mark((key, mv), mark)
}

fn create_error(output: &Path, error: &io::Error) -> InteropError {
    BuildError::Create { path: output.to_owned(), what: error.to_string() }.into()
}

fn store_error(output: &Path, source: rusqlite::Error) -> InteropError {
    BuildError::Store { path: output.to_owned(), source }.into()
}

fn write_error(output: &Path, source: io::Error) -> InteropError {
    BuildError::Write { path: output.to_owned(), source }.into()
}
