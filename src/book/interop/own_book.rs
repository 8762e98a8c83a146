//! One of the program's own books, written from moves that come in the order of keys.

use std::io;
use std::path::Path;

use rusqlite::types::Value;

use crate::book::file::key_tables::key_file;
use crate::book::file::reader::BookEntry;
use crate::book::file::store::Writer;
use crate::book::file::transaction::Output;
use crate::book::interop::error::InteropError;
use crate::book::model::annotation::Annotation;
use crate::book::model::counted_game::{GameId, IdTable};
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::bytes::StopFlag;
use crate::game::Game;
use crate::hash::KeyTable;

/// A book being written.
#[derive(Debug)]
pub(crate) struct OwnWriter {
    output: Output,
    writer: Writer,
}

impl OwnWriter {
    /// Starts a book. Nothing is replaced.
    pub(crate) fn create(output: &Path, stop: &StopFlag) -> Result<Self, InteropError> {
        let output = Output::claim_new(output, stop)?;
        let writer = output.writer()?;
        Ok(Self { output, writer })
    }

    /// Makes it a book with sample games; before anything is added.
    pub(crate) fn begin_samples(&self) -> Result<(), InteropError> {
        self.writer.begin_samples().map_err(|e| self.output.at().store(e).into())
    }

    pub(crate) fn add(&mut self, entry: &BookEntry) -> Result<(), InteropError> {
        add_entry(&mut self.writer, entry).map_err(|e| self.output.at().store(e).into())
    }

    /// Adds the mark of a move that has no row.
    pub(crate) fn put_mark(&self, place: RowKey, mark: &Annotation) -> Result<(), InteropError> {
        self.writer.add_mark(place, mark).map_err(|e| self.output.at().store(e).into())
    }

    /// Adds a row of another table.
    pub(crate) fn put_values(&self, table: &str, row: Vec<Value>) -> Result<(), InteropError> {
        self.writer.put_values(table, row).map_err(|e| self.output.at().store(e).into())
    }

    /// Adds the ids of counted games, in ascending order.
    pub(crate) fn add_games(&self, ids: Vec<[u8; 16]>) -> Result<(), InteropError> {
        self.add_ids(IdTable::Games, ids)
    }

    /// Adds the ids of games that begin elsewhere, in ascending order.
    pub(crate) fn add_elsewhere(&self, ids: Vec<[u8; 16]>) -> Result<(), InteropError> {
        self.add_ids(IdTable::Elsewhere, ids)
    }

    fn add_ids(&self, table: IdTable, ids: Vec<[u8; 16]>) -> Result<(), InteropError> {
        ids.into_iter()
            .try_for_each(|id| self.writer.add_id(table, GameId(id)))
            .map_err(|e| self.output.at().store(e).into())
    }

    /// Closes a book that no games are counted in.
    pub(crate) fn finish<G: Game>(self, sources: &[Source]) -> Result<Metadata, InteropError> {
        let table_file = key_file(G::NAME).unwrap_or_default();
        let table = KeyTable::from_bytes(table_file)
            .map_err(|e| self.output.at().io(io::Error::other(e)))?;
        let metadata = Metadata {
            game: G::NAME.to_owned(),
            key_table: table.fingerprint(),
            min_games: 1,
            // The rows are not the sums of games that it counts, so that none can be added to them.
            pruned: true,
            ..Metadata::default()
        };
        self.finish_with(metadata, table_file, sources)
    }

    /// Closes a book and moves it to its place.
    pub(crate) fn finish_with(
        self,
        mut metadata: Metadata,
        table_file: &[u8],
        sources: &[Source],
    ) -> Result<Metadata, InteropError> {
        self.output.finish(self.writer, &mut metadata, table_file, sources)?;
        Ok(metadata)
    }
}

/// Makes a book without moves, to which other things than games can be added.
///
/// # Errors
///
/// If it cannot be made. Nothing is replaced.
pub fn create_empty<G: Game>(output: &Path, stop: &StopFlag) -> Result<Metadata, InteropError> {
    OwnWriter::create(output, stop)?.finish::<G>(&[])
}

fn add_entry(writer: &mut Writer, entry: &BookEntry) -> rusqlite::Result<()> {
    let BookEntry { key, mv, stats, weight, ref mark } = *entry;
    writer.add_row((key, mv), &MoveRow { stats, weight })?;
    writer.add_mark((key, mv), mark)
}
