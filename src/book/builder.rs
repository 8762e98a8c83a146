//! From records to a book: `map` notes every game, `reduce` sums games and then moves, `pack`
//! writes the book in key order.

use std::collections::BTreeMap;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::groups::{GroupNames, Member};
use super::into::{Base, IdTable, add_rows};
use super::observation::{Glimpse, Observation};
use super::played::{Facts, Kind, Played};
use super::sort::{Reduce, Sorter};
use super::store::Writer;
use super::{Book, BuildError, Counts, Filter, GameId, Metadata, Row, Weight, key_file, seal};
use crate::bytes::atomic::{AtomicFile, folder_of};
use crate::bytes::lock::FileLock;
use crate::game::{Notation, Outcome, Packed, Side, Symmetric};
use crate::hash::KeyTable;
use crate::record::Record;

/// Games replayed between two looks at the merge.
const BATCH: usize = 8192;

/// Games replayed by one task.
const TASK: usize = 256;

/// How a book is built.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// Moves of a game that are kept, at most. Default 60.
    pub max_ply: usize,
    /// Written into the book: queries leave out moves of fewer games. Default 1.
    pub min_games: u64,
    /// Written into the book: queries leave out moves of a smaller share of their position's games,
    /// in hundredths of a percent. Default 0.
    pub min_share: u64,
    /// Written into the book: what moves weigh.
    pub weight: Weight,
    /// Which records count, and which of their moves.
    pub filter: Filter,
    /// A book that is added to: all it holds is in the new one, which can stand in its place. The
    /// options above and the keys must be those that it was built with; [`BuildOptions::like`] are.
    pub base: Option<PathBuf>,
    /// Bytes for sorting; beyond that, temporary files are written beside the book. Default
    /// 512 MiB.
    pub memory: usize,
    /// Other keys than the stored ones, for books that go with other programs.
    pub key_table: Option<KeyTable>,
    /// What was read from files is kept that often, so that an interrupted build of the same files
    /// goes on from there. Default 30 seconds.
    pub keep_every: Duration,
    /// Ends the build with [`BuildError::Interrupted`] soon after it was set.
    pub stop: Arc<AtomicBool>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            max_ply: 60,
            min_games: 1,
            min_share: 0,
            weight: Weight::default(),
            filter: Filter::default(),
            base: None,
            memory: 512 << 20,
            key_table: None,
            keep_every: Duration::from_secs(30),
            stop: Arc::default(),
        }
    }
}

impl BuildOptions {
    /// The options that `base` was built with, for adding to it.
    #[must_use]
    pub fn like(base: &Book) -> Self {
        let about = base.metadata();
        Self {
            max_ply: usize::try_from(about.max_ply).unwrap_or(usize::MAX),
            min_games: about.min_games,
            min_share: about.min_share,
            weight: about.weight.clone(),
            filter: about.filter.clone(),
            base: Some(base.path().to_owned()),
            key_table: base.foreign_keys().cloned(),
            ..Self::default()
        }
    }
}

/// A file that games came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// BLAKE3 of its content.
    pub hash: [u8; 32],
    /// Its base name.
    pub name: String,
    /// Records in it.
    pub games: u64,
}

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is counted, unless the book has the game already.
    Counted,
    /// It begins elsewhere than games usually do.
    OtherStart,
    /// It has no moves.
    NoMoves,
    /// It does not pass the filter.
    Filtered,
}

/// Collects games from any number of threads, then writes the book.
#[derive(Debug)]
pub struct Builder<G> {
    output: PathBuf,
    folder: PathBuf,
    file: AtomicFile,
    lock: Arc<FileLock>,
    options: BuildOptions,
    base: Option<Base>,
    start_text: String,
    played: Sorter<Played>,
    /// The number of the next record, where copies are not brought together.
    serial: AtomicU64,
    records: AtomicU64,
    filtered: AtomicU64,
    bad: AtomicU64,
    game: PhantomData<fn() -> G>,
}

/// Games noted by one thread, on the way to a [`Builder`].
#[derive(Debug, Default)]
pub struct Batch(pub(super) Vec<Played>);

impl<G: Symmetric + Notation> Builder<G> {
    /// Starts a book that will stand at `output`.
    ///
    /// # Errors
    ///
    /// [`BuildError::Create`] if no book can be written there, if something else stands there, or if
    /// another process builds it; what speaks against adding to the base.
    pub fn new(output: &Path, options: BuildOptions) -> Result<Self, BuildError> {
        let folder = check_output(output)?;
        let lock = claim(output)?;
        let options = BuildOptions { filter: options.filter.folded(), ..options };
        let base = Base::of::<G>(&options)?;
        let file = AtomicFile::create(output).map_err(|error| create_error(output, &error))?;
        Ok(Self {
            output: output.to_owned(),
            played: Sorter::new(&folder, budget(&options), &options.stop),
            folder,
            file,
            lock: Arc::new(lock),
            options,
            base,
            start_text: G::start().position_text(),
            serial: AtomicU64::new(1),
            records: AtomicU64::new(0),
            filtered: AtomicU64::new(0),
            bad: AtomicU64::new(0),
            game: PhantomData,
        })
    }

    /// Notes a record.
    pub fn note(&self, record: &Record<G>, batch: &mut Batch) -> Admission {
        self.records.fetch_add(1, Ordering::Relaxed);
        let facts = Facts::of(record);
        if !self.options.filter.admits_record(record, &facts) {
            self.filtered.fetch_add(1, Ordering::Relaxed);
            return Admission::Filtered;
        }
        let mut played = Played::new(record, &facts, &self.start_text, self.options.max_ply);
        if self.options.filter.every_record && played.kind == Kind::Usual {
            played.serial = self.serial.fetch_add(1, Ordering::Relaxed);
        }
        if self.options.filter.no_groups {
            played.groups = GroupNames::default();
        }
        let admission = match played.kind {
            Kind::Usual => Admission::Counted,
            Kind::OtherStart => Admission::OtherStart,
            Kind::NoMoves => Admission::NoMoves,
        };
        batch.0.push(played);
        admission
    }

    /// Counts records that could not be read.
    pub fn note_bad(&self, records: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bad.fetch_add(records, Ordering::Relaxed);
    }

    /// Counts records that an earlier run noted, in which serial numbers below `serial` were given.
    pub(super) fn note_kept(&self, records: u64, bad: u64, filtered: u64, serial: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bad.fetch_add(bad, Ordering::Relaxed);
        self.filtered.fetch_add(filtered, Ordering::Relaxed);
        self.serial.fetch_max(serial, Ordering::Relaxed);
    }

    /// Serial numbers given from now on are not below this one.
    pub(super) fn serial(&self) -> u64 {
        self.serial.load(Ordering::Relaxed)
    }

    /// Where noted games are collected.
    pub(super) const fn played(&self) -> &Sorter<Played> {
        &self.played
    }

    pub(super) fn output(&self) -> &Path {
        &self.output
    }

    pub(super) const fn options(&self) -> &BuildOptions {
        &self.options
    }

    /// The book that is added to.
    pub(super) const fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// The right to write the output. What killed builds left of it is removed.
fn claim(output: &Path) -> Result<FileLock, BuildError> {
    let lock = FileLock::take(output).map_err(|error| create_error(output, &error))?;
    AtomicFile::sweep(output, "part");
    Ok(lock)
}

/// The folder of the output, if a book may be written there.
pub(super) fn check_output(output: &Path) -> Result<PathBuf, BuildError> {
    let create = |what: String| BuildError::Create { path: output.to_owned(), what };
    let folder = folder_of(output);
    if !folder.is_dir() {
        return Err(create(format!("there is no folder {}; make it first", folder.display())));
    }
    if output.is_dir() {
        return Err(create("this is a folder; name a file in it".to_owned()));
    }
    if output.exists() && !is_book(output) {
        return Err(create(
            "a file that is no book stands there; move it away or choose another name".to_owned(),
        ));
    }
    Ok(folder.to_owned())
}

/// Whether the file is a book, damaged perhaps, and may be replaced by one.
fn is_book(path: &Path) -> bool {
    if !path.is_file() {
        return false; // opening a pipe would wait
    }
    let header = std::fs::File::open(path).and_then(|mut file| seal::Header::read(&mut file));
    matches!(header, Ok(Some(header)) if header.application_id == super::APPLICATION_ID)
}

pub(super) fn create_error(output: &Path, error: &io::Error) -> BuildError {
    BuildError::Create { path: output.to_owned(), what: error.to_string() }
}
