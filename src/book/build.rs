//! A book from game files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::rejects::Listed;
use super::shard::SourceCounts;
use super::sort::Sorter;
use super::windows::{Window, Windows};
use super::{
    Admission, Batch, BuildError, BuildOptions, Builder, Metadata, Reject, RejectReason, Source,
};
use crate::bytes::atomic::resolve;
use crate::bytes::map::MappedFile;
use crate::record::{self, Chunk};
use crate::xiangqi::Position;

/// Bytes of a file that one task reads.
const CHUNK: usize = 512 << 10;

/// Files from this size on are mapped, others read.
const MAP_FROM: u64 = 1 << 20;

/// What a build found and made.
#[derive(Debug, Clone)]
pub struct BuildReport {
    /// What the book says about itself.
    pub metadata: Metadata,
    /// Number of files read, those with the content of another one included.
    pub files: usize,
    /// Number of files left out because another one has the same content.
    pub same_files: usize,
    /// Files without a single record.
    pub empty_files: Vec<PathBuf>,
}

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many bytes of input there are.
    Total(u64),
    /// So many more were read.
    Read(u64),
    /// All were read; games are summed and written.
    Packing,
}

/// Builds a book of xiangqi at `output` from `files` with `threads` threads (0: one for each
/// core). A bad game is left out; with `strict` it ends the build. When all files are read, before
/// the build can end for want of games or by `strict`, `rejected` is called with every record that
/// is not in the statistics, in the order of files and records.
///
/// # Errors
///
/// See [`BuildError`]. Nothing is left behind then, and what stood at `output` stays.
pub fn build(
    files: &[PathBuf],
    output: &Path,
    options: BuildOptions,
    strict: bool,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
    rejected: &mut (dyn FnMut(&Reject) + Send),
) -> Result<BuildReport, BuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        BuildError::Create { path: output.to_owned(), what: format!("no threads: {e}") }
    })?;
    pool.install(|| {
        refuse_input_as_output(files, output)?;
        let builder = Builder::new(output, options)?;
        run(builder, files, strict, progress, rejected)
    })
}

fn run(
    builder: Builder<Position>,
    files: &[PathBuf],
    strict: bool,
    progress: &(dyn Fn(Progress) + Sync),
    rejected: &mut dyn FnMut(&Reject),
) -> Result<BuildReport, BuildError> {
    let read = read_all(&builder, files, strict, progress, rejected)?;
    let sources =
        read.sources.into_iter().map(|read| read.source).filter(|s| s.games > 0).collect();
    let metadata = builder.finish(sources).map_err(|error| match error {
        BuildError::NoGames { reason, .. } => no_games(files, reason, read.first_bad),
        error => error,
    })?;
    let (same_files, empty_files) = (read.same_files, read.empty_files);
    Ok(BuildReport { metadata, files: files.len(), same_files, empty_files })
}

/// What was found in the files; their games went to a builder.
pub(super) struct ReadFiles {
    /// Every file with its base name: of those with the same content, the least name is kept later.
    pub(super) sources: Vec<SourceCounts>,
    pub(super) same_files: usize,
    pub(super) empty_files: Vec<PathBuf>,
    first_bad: Option<String>,
}

/// Reads all files, each content once.
pub(super) fn read_all(
    builder: &Builder<Position>,
    files: &[PathBuf],
    strict: bool,
    progress: &(dyn Fn(Progress) + Sync),
    rejected: &mut dyn FnMut(&Reject),
) -> Result<ReadFiles, BuildError> {
    let hashed = hash_files(builder, files)?;
    progress(Progress::Total(hashed.iter().map(|file| file.len).sum()));
    let mut known = BTreeSet::new();
    let different: Vec<&Hashed> = hashed.iter().filter(|f| known.insert(f.hash)).collect();
    let reading = Reading { builder, rejects: builder.sorter(), progress };
    let read: Vec<FileReport> = different
        .par_iter()
        .enumerate()
        .map(|(number, file)| reading.file(number, file))
        .collect::<Result<_, _>>()?;
    let first_bad = tell(reading, &different, rejected)?;
    let bad: u64 = read.iter().map(|r| r.bad).sum();
    if strict && bad > 0 {
        return Err(BuildError::Strict { first: first_bad.unwrap_or_default(), count: bad });
    }
    progress(Progress::Packing);
    let without = different.iter().zip(&read).filter(|(_, report)| report.games == 0);
    Ok(ReadFiles {
        sources: sources(&hashed, &different, &read),
        same_files: hashed.len() - different.len(),
        empty_files: without.map(|(file, _)| file.path.clone()).collect(),
        first_bad,
    })
}

/// Tells of all rejects in order and returns the first bad game, in words.
fn tell(
    reading: Reading<'_>,
    files: &[&Hashed],
    rejected: &mut dyn FnMut(&Reject),
) -> Result<Option<String>, BuildError> {
    let Reading { builder, rejects, .. } = reading;
    let mut first_bad = None;
    for listed in rejects.finish().map_err(|e| builder.write_error(e))? {
        builder.check_stop()?;
        let Listed { place: [file, ..], line, game, reason } =
            listed.map_err(|e| builder.write_error(e))?;
        let source = files[file as usize].path.clone();
        let reject = Reject { source, line, game, reason };
        if first_bad.is_none() && matches!(reject.reason, RejectReason::Bad(_)) {
            first_bad = Some(reject.to_string());
        }
        rejected(&reject);
    }
    Ok(first_bad)
}

fn no_games(files: &[PathBuf], reason: String, first_bad: Option<String>) -> BuildError {
    let others = if files.len() > 1 { " and others" } else { "" };
    let first = files.first().map_or_else(String::new, |f| format!(" ({}{others})", f.display()));
    let bad = first_bad.map_or_else(String::new, |bad| format!("; {bad}"));
    BuildError::NoGames { files: files.len(), first, reason: reason + &bad }
}

/// The output must not replace what is read.
fn refuse_input_as_output(files: &[PathBuf], output: &Path) -> Result<(), BuildError> {
    let Ok(place) = resolve(output) else { return Ok(()) };
    if files.iter().any(|file| resolve(file).is_ok_and(|f| f == place)) {
        let what = "it is also an input; choose another name".to_owned();
        return Err(BuildError::Create { path: output.to_owned(), what });
    }
    Ok(())
}

/// An input file and its name by content.
struct Hashed {
    path: PathBuf,
    hash: [u8; 32],
    len: u64,
}

fn hash_files(builder: &Builder<Position>, files: &[PathBuf]) -> Result<Vec<Hashed>, BuildError> {
    files
        .par_iter()
        .map(|path| {
            builder.check_stop()?;
            let mut hasher = blake3::Hasher::new();
            let hashed = File::open(path).and_then(|file| hasher.update_reader(file).map(|_| ()));
            hashed.map_err(|source| BuildError::Input { path: path.clone(), source })?;
            let hash = hasher.finalize().into();
            Ok(Hashed { path: path.clone(), hash, len: hasher.count() })
        })
        .collect()
}

/// Every file with its base name and what was found in its content.
fn sources(hashed: &[Hashed], different: &[&Hashed], read: &[FileReport]) -> Vec<SourceCounts> {
    let reports: BTreeMap<[u8; 32], &FileReport> =
        different.iter().zip(read).map(|(file, report)| (file.hash, report)).collect();
    hashed
        .iter()
        .map(|file| {
            let report = reports.get(&file.hash);
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let games = report.map_or(0, |r| r.games);
            SourceCounts {
                source: Source { hash: file.hash, name, games },
                filtered: report.map_or(0, |r| r.filtered),
                bad: report.map_or(0, |r| r.bad),
            }
        })
        .collect()
}

/// The bytes of a file.
enum Content {
    Mapped(MappedFile),
    Read(Vec<u8>),
}

impl Content {
    fn read(path: &Path) -> Result<Self, BuildError> {
        let read = || {
            if std::fs::metadata(path)?.len() < MAP_FROM {
                std::fs::read(path).map(Self::Read)
            } else {
                MappedFile::open(path).map(Self::Mapped)
            }
        };
        read().map_err(|source| BuildError::Input { path: path.to_owned(), source })
    }

    /// Lets go of the memory of the first `len` bytes.
    fn release(&self, len: usize) {
        if let Self::Mapped(map) = self {
            map.release(len);
        }
    }
}

impl Deref for Content {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

/// What was found in a file or a part of one.
#[derive(Debug, Default)]
struct FileReport {
    games: u64,
    filtered: u64,
    bad: u64,
}

/// The first half of a build: every record of every file goes to the builder or to the rejects.
struct Reading<'a> {
    builder: &'a Builder<Position>,
    rejects: Sorter<Listed>,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl Reading<'_> {
    fn file(&self, number: usize, file: &Hashed) -> Result<FileReport, BuildError> {
        let bytes = Content::read(&file.path)?;
        let mut parts: Vec<FileReport> = Vec::new();
        for Window { start, end, chunks } in Windows::new(&bytes, CHUNK) {
            let (first, window) = (parts.len(), &bytes[start..end]);
            let read: Vec<FileReport> = chunks
                .par_iter()
                .enumerate()
                .map(|(part, chunk)| {
                    let place = [number as u64, (first + part) as u64];
                    let mut batch = self.builder.batch(&file.hash);
                    let report = self.part(place, window, chunk, &mut batch)?;
                    self.builder.push(batch)?;
                    (self.progress)(Progress::Read(chunk.bytes.len() as u64));
                    Ok(report)
                })
                .collect::<Result<_, _>>()?;
            parts.extend(read);
            bytes.release(end);
        }
        Ok(FileReport {
            games: parts.iter().map(|part| part.games).sum(),
            filtered: parts.iter().map(|part| part.filtered).sum(),
            bad: parts.iter().map(|part| part.bad).sum(),
        })
    }

    fn part(
        &self,
        [file, part]: [u64; 2],
        bytes: &[u8],
        chunk: &Chunk,
        batch: &mut Batch,
    ) -> Result<FileReport, BuildError> {
        let mut rejects = Vec::new();
        let mut report = FileReport::default();
        record::read_chunk("", bytes, chunk, &mut |game| {
            report.games += 1;
            let (line, game, reason) = match game {
                Ok(found) => match self.builder.note(&found.record, batch) {
                    Admission::Counted => return,
                    Admission::Filtered => {
                        report.filtered += 1;
                        return;
                    }
                    Admission::OtherStart => (found.line, found.game, RejectReason::OtherStart),
                    Admission::NoMoves => (found.line, found.game, RejectReason::NoMoves),
                },
                Err(bad) => {
                    report.bad += 1;
                    (bad.line, bad.game, RejectReason::bad(&bad.reason))
                }
            };
            rejects.push(Listed { place: [file, part, report.games], line, game, reason });
        });
        self.builder.note_bad(report.bad);
        self.rejects.push(rejects).map_err(|e| self.builder.write_error(e))?;
        Ok(report)
    }
}
