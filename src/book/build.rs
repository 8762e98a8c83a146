//! A book from game files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::rejects::Listed;
use super::sort::Sorter;
use super::sources::{self, Fault, Hashed};
use super::{
    Admission, Batch, BuildError, BuildOptions, Builder, Metadata, Reject, RejectReason, Source,
};
use crate::bytes::atomic::resolve;
use crate::record::{self, Chunk, ParsedGame, Place};
use crate::xiangqi::Position;

/// Bytes of a file that one task reads.
const CHUNK: usize = 512 << 10;

/// What a build found and made.
#[derive(Debug, Clone)]
pub struct BuildReport {
    /// What the book says about itself.
    pub metadata: Metadata,
    /// Number of files read, those in archives and those with the content of another one included.
    pub files: usize,
    /// Number of files left out because another one has the same content, packed or not.
    pub same_files: usize,
    /// Files without a single record.
    pub empty_files: Vec<PathBuf>,
    /// Records that state another result than the mate or stalemate at the end of their main line.
    /// What is stated counts: see [`disputes`](super::disputes()).
    pub contradicted: u64,
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
    let hashed = hash_files(&builder, files)?;
    progress(Progress::Total(hashed.iter().map(|file| file.len).sum()));
    let mut known = BTreeSet::new();
    let different: Vec<&Hashed> = hashed.iter().filter(|f| known.insert(f.hash)).collect();
    let reading = Reading { builder: &builder, rejects: builder.sorter(), progress };
    let read: Vec<FileReport> = reading.files(&different)?;
    let first_bad = tell(reading, &different, rejected)?;
    let bad: u64 = read.iter().map(|r| r.bad).sum();
    if strict && bad > 0 {
        return Err(BuildError::Strict { first: first_bad.unwrap_or_default(), count: bad });
    }
    progress(Progress::Packing);
    let mut sources = sources(&hashed, &different, &read);
    sources.retain(|source| source.games > 0);
    let metadata = builder.finish(sources).map_err(|error| match error {
        BuildError::NoGames { reason, .. } => no_games(files, reason, first_bad),
        error => error,
    })?;
    let same_files = hashed.len() - different.len();
    let without = different.iter().zip(&read).filter(|(_, report)| report.games == 0);
    let empty_files = without.map(|(file, _)| file.path.clone()).collect();
    let contradicted = read.iter().map(|report| report.contradicted).sum();
    Ok(BuildReport { metadata, files: hashed.len(), same_files, empty_files, contradicted })
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
        let Listed { number: [file, ..], place, game, reason } =
            listed.map_err(|e| builder.write_error(e))?;
        let source = files[file as usize].path.clone();
        let reject = Reject { source, place, game, reason };
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

fn hash_files(builder: &Builder<Position>, files: &[PathBuf]) -> Result<Vec<Hashed>, BuildError> {
    sources::find(files, &|| builder.check_stop())
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

/// What was found in a file or a part of one.
#[derive(Debug, Default)]
struct FileReport {
    games: u64,
    bad: u64,
    contradicted: u64,
}

/// The first half of a build: every record of every file goes to the builder or to the rejects.
struct Reading<'a> {
    builder: &'a Builder<Position>,
    rejects: Sorter<Listed>,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl Reading<'_> {
    /// Reads all sources.
    fn files(&self, sources: &[&Hashed]) -> Result<Vec<FileReport>, BuildError> {
        let folder = self.builder.folder();
        sources::open_each(sources, folder, |number, content| match content {
            Ok(bytes) => self.source(number, &bytes),
            Err(Fault::Bad(what)) => self.refuse(number, &what),
            Err(Fault::Io(error)) => Err(self.builder.write_error(error)),
        })
    }

    /// A source that cannot be read counts as one bad record.
    fn refuse(&self, number: usize, what: &str) -> Result<FileReport, BuildError> {
        let reason = RejectReason::bad(&what);
        let number = [number as u64, 0, 1];
        let listed = Listed { number, place: Place::Offset(0), game: 1, reason };
        self.builder.note_bad(1);
        self.rejects.push(vec![listed]).map_err(|e| self.builder.write_error(e))?;
        Ok(FileReport { games: 1, bad: 1, ..FileReport::default() })
    }

    fn source(&self, number: usize, bytes: &[u8]) -> Result<FileReport, BuildError> {
        let chunks = record::split_games(bytes, CHUNK);
        let parts: Vec<FileReport> = chunks
            .par_iter()
            .enumerate()
            .map(|(part, chunk)| {
                let report = self.part([number as u64, part as u64], bytes, chunk)?;
                (self.progress)(Progress::Read(chunk.bytes.len() as u64));
                Ok(report)
            })
            .collect::<Result<_, _>>()?;
        Ok(FileReport {
            games: parts.iter().map(|part| part.games).sum(),
            bad: parts.iter().map(|part| part.bad).sum(),
            contradicted: parts.iter().map(|part| part.contradicted).sum(),
        })
    }

    fn part(
        &self,
        [file, part]: [u64; 2],
        bytes: &[u8],
        chunk: &Chunk,
    ) -> Result<FileReport, BuildError> {
        let mut batch = Batch::default();
        let mut rejects = Vec::new();
        let mut report = FileReport::default();
        record::read_chunk("", bytes, chunk, &mut |game| {
            report.games += 1;
            report.contradicted += u64::from(game.as_ref().is_ok_and(ParsedGame::is_contradicted));
            let (place, game, reason) = match game {
                Ok(found) => match self.builder.note(&found.record, &mut batch) {
                    Admission::Counted | Admission::Filtered => return,
                    Admission::OtherStart => (found.place, found.game, RejectReason::OtherStart),
                    Admission::NoMoves => (found.place, found.game, RejectReason::NoMoves),
                },
                Err(bad) => {
                    report.bad += 1;
                    (bad.place, bad.game, RejectReason::bad(&bad.reason))
                }
            };
            let number = [file, part, report.games];
            rejects.push(Listed { number, place, game, reason });
        });
        self.builder.note_bad(report.bad);
        self.builder.push(batch)?;
        self.rejects.push(rejects).map_err(|e| self.builder.write_error(e))?;
        Ok(report)
    }
}
