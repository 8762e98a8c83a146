//! A book from game files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Admission, Batch, BuildError, BuildOptions, Builder, Metadata, Source};
use crate::bytes::map::MappedFile;
use crate::record::{self, BadGameReason, Chunk};
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
    /// Records that are not in the statistics, in the order of files and records.
    pub rejects: Vec<Reject>,
}

/// A record that is not in the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// The file.
    pub source: PathBuf,
    /// The line of the fault, or where the record begins; from 1.
    pub line: u64,
    /// The number of the record in the file, from 1.
    pub game: u64,
    /// Why.
    pub reason: RejectReason,
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, line, game, reason } = self;
        write!(f, "{}:{line}: game {game}: {reason}", source.display())
    }
}

/// Why a record is not in the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RejectReason {
    /// It cannot be read, or a move is illegal.
    Bad(BadGameReason),
    /// It has no moves.
    NoMoves,
    /// It begins elsewhere than games usually do.
    OtherStart,
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(reason) => reason.fmt(f),
            Self::NoMoves => f.write_str("no moves"),
            Self::OtherStart => f.write_str("starts from another position"),
        }
    }
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
/// core). A bad game is left out and listed; with `strict` it ends the build.
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
) -> Result<BuildReport, BuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        BuildError::Create { path: output.to_owned(), what: format!("no threads: {e}") }
    })?;
    pool.install(|| run(files, output, options, strict, progress))
}

fn run(
    files: &[PathBuf],
    output: &Path,
    options: BuildOptions,
    strict: bool,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<BuildReport, BuildError> {
    refuse_input_as_output(files, output)?;
    let builder = Builder::<Position>::new(output, options)?;
    let hashed = hash_files(files)?;
    progress(Progress::Total(hashed.iter().map(|file| file.len).sum()));
    let mut known = BTreeSet::new();
    let different: Vec<&Hashed> = hashed.iter().filter(|f| known.insert(f.hash)).collect();
    let read: Vec<FileReport> = different
        .par_iter()
        .map(|file| read_file(&builder, file, progress))
        .collect::<Result<_, _>>()?;
    let bad: u64 = read.iter().map(|r| r.bad).sum();
    let mut sources = sources(&hashed, &different, &read);
    sources.retain(|source| source.games > 0);
    let rejects: Vec<Reject> = read.into_iter().flat_map(|r| r.rejects).collect();
    if strict && bad > 0 {
        let first = first_bad(&rejects).map_or_else(String::new, Reject::to_string);
        return Err(BuildError::Strict { first, count: bad });
    }
    progress(Progress::Packing);
    let metadata = builder.finish(sources).map_err(|error| match error {
        BuildError::NoGames { reason, .. } => {
            let first = first_bad(&rejects).map_or_else(String::new, |bad| format!("; {bad}"));
            BuildError::NoGames { files: files.len(), reason: reason + &first }
        }
        error => error,
    })?;
    let same_files = hashed.len() - different.len();
    Ok(BuildReport { metadata, files: files.len(), same_files, rejects })
}

/// The output must not replace what is read.
fn refuse_input_as_output(files: &[PathBuf], output: &Path) -> Result<(), BuildError> {
    let Ok(place) = output.canonicalize() else { return Ok(()) };
    if files.iter().any(|file| file.canonicalize().is_ok_and(|f| f == place)) {
        let what = "it is also an input; choose another name".to_owned();
        return Err(BuildError::Create { path: output.to_owned(), what });
    }
    Ok(())
}

/// The first record that cannot be read, and where and why.
fn first_bad(rejects: &[Reject]) -> Option<&Reject> {
    rejects.iter().find(|r| matches!(r.reason, RejectReason::Bad(_)))
}

/// An input file and its name by content.
struct Hashed {
    path: PathBuf,
    hash: [u8; 32],
    len: u64,
}

fn hash_files(files: &[PathBuf]) -> Result<Vec<Hashed>, BuildError> {
    files
        .par_iter()
        .map(|path| {
            let bytes = Content::read(path)?;
            let hash = blake3::hash(&bytes).into();
            Ok(Hashed { path: path.clone(), hash, len: bytes.len() as u64 })
        })
        .collect()
}

/// Every file with its base name, so that of equal files the least name can be kept.
fn sources(hashed: &[Hashed], different: &[&Hashed], read: &[FileReport]) -> Vec<Source> {
    let games: BTreeMap<[u8; 32], u64> =
        different.iter().zip(read).map(|(file, report)| (file.hash, report.games)).collect();
    hashed
        .iter()
        .map(|file| Source {
            hash: file.hash,
            name: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            games: games.get(&file.hash).copied().unwrap_or(0),
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
#[derive(Default)]
struct FileReport {
    games: u64,
    bad: u64,
    rejects: Vec<Reject>,
}

fn read_file(
    builder: &Builder<Position>,
    file: &Hashed,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<FileReport, BuildError> {
    let bytes = Content::read(&file.path)?;
    let chunks = record::split_games(&bytes, CHUNK);
    let parts: Vec<FileReport> = chunks
        .par_iter()
        .map(|chunk| {
            let part = read_part(builder, &file.path, &bytes, chunk)?;
            progress(Progress::Read(chunk.bytes.len() as u64));
            Ok(part)
        })
        .collect::<Result<_, _>>()?;
    let mut whole = FileReport::default();
    for part in parts {
        whole.games += part.games;
        whole.bad += part.bad;
        whole.rejects.extend(part.rejects);
    }
    Ok(whole)
}

fn read_part(
    builder: &Builder<Position>,
    path: &Path,
    bytes: &[u8],
    chunk: &Chunk,
) -> Result<FileReport, BuildError> {
    let mut batch = Batch::default();
    let mut report = FileReport::default();
    let reject = |line, game, reason| Reject { source: path.to_owned(), line, game, reason };
    record::read_chunk("", bytes, chunk, &mut |game| match game {
        Ok(found) => {
            report.games += 1;
            let reason = match builder.note(&found.record, &mut batch) {
                Admission::Counted | Admission::Filtered => return,
                Admission::OtherStart => RejectReason::OtherStart,
                Admission::NoMoves => RejectReason::NoMoves,
            };
            report.rejects.push(reject(found.line, found.game, reason));
        }
        Err(bad) => {
            report.games += 1;
            report.bad += 1;
            report.rejects.push(reject(bad.line, bad.game, RejectReason::Bad(bad.reason)));
        }
    });
    builder.note_bad(report.bad);
    builder.push(batch)?;
    Ok(report)
}
