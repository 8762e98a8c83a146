//! The sources that games come from: input files, bare or packed, and the members of archives.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::book::model::error::BuildError;
use crate::bytes::StopFlag;
use crate::bytes::open::is_refused;
use crate::message::{Message, ToMessage, message};
use crate::record;
use crate::record::{
    ChangedError, Chunk, Digest, FileWindow, Formats, GameFile, Member, Packed, TRUNCATED_MARK,
    UnpackError, Unpacked, Window, Windows, tell_skipped,
};

/// A source and its name by content.
#[derive(Debug, Clone)]
pub(crate) struct Hashed {
    /// The input file.
    file: PathBuf,
    /// The number of the source in it.
    member: usize,
    /// The input file's path, with that in the archive behind it.
    pub(crate) path: PathBuf,
    /// BLAKE3 of the content, unpacked: a file and its packed copies are one source.
    pub(crate) hash: [u8; 32],
    /// Bytes of the content.
    pub(crate) len: u64,
    /// The reason why it cannot be read, if any.
    fault: Option<Message>,
    /// The fault at its end, if any.
    pub(crate) loss: Option<Message>,
}

/// A chunk of a window, and the fault at its end, if the source ends there too early.
pub(crate) type CutChunk<'a> = (&'a Chunk, Option<&'a Message>);

/// A reason why a source has no content.
#[derive(Debug)]
pub(crate) enum SourceFault {
    /// It is damaged, or unpacks to too much.
    Bad(Message),
    /// It could not be unpacked to a temporary file.
    Io(io::Error),
}

/// The sources in files, in their order and that of archives, and the number of members of archives that are
/// none. Packed content is copied to files without names in `folder`, one after the other. `check` ends the
/// work by an error, which it gives once `stop` is set.
pub(crate) fn find<G: Formats>(
    files: &[PathBuf],
    folder: &Path,
    stop: &StopFlag,
    check: &(dyn Fn() -> Result<(), BuildError> + Sync),
) -> Result<(Vec<Hashed>, u64), BuildError> {
    let skipped = AtomicU64::new(0);
    let finder = Finder { folder, stop, check, skipped: &skipped };
    let found = files.par_iter().map(|path| {
        check()?;
        finder.find_in::<G>(path)
    });
    let found = found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    Ok((found, skipped.into_inner()))
}

/// The reason why a path found in a folder cannot be read. It is one bad source then.
fn unreadable(path: &Path, error: &io::Error) -> Message {
    match std::fs::read_dir(path) {
        Err(error) if path.is_dir() => message!("the folder cannot be read: {error}"),
        _ => message!("cannot be read: {error}"),
    }
}

/// Finds the sources in files.
struct Finder<'a> {
    folder: &'a Path,
    stop: &'a StopFlag,
    check: &'a (dyn Fn() -> Result<(), BuildError> + Sync),
    skipped: &'a AtomicU64,
}

impl Finder<'_> {
    fn skip(&self, path: &Path, name: &str, why: &Message) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
        tell_skipped(path, name, why);
    }

    /// The sources in a file. Members of archives that begin like no games are no sources, unless
    /// their names promise games.
    fn find_in<G: Formats>(&self, path: &Path) -> Result<Vec<Hashed>, BuildError> {
        let file = match GameFile::open::<G>(path, self.folder) {
            Err(error) if is_refused(&error) => {
                let hash = blake3::hash(path.as_os_str().as_encoded_bytes()).into();
                return Ok(vec![Hashed::new(path, None, 0, hash, Err(unreadable(path, &error)))]);
            }
            file => file.map_err(|error| input_error(path, error))?,
        };
        let Some(bytes) = file.bytes() else {
            let hash = hash(&file, path, self.check)?;
            return Ok(vec![Hashed::new(path, None, 0, hash, Ok(file.len()))]);
        };
        let packed = match Packed::open::<G>(bytes, self.folder, self.stop) {
            Ok(packed) => packed,
            Err(error) => {
                (self.check)()?;
                let hash = hash(&file, path, self.check)?;
                return Ok(vec![Hashed::new(path, None, 0, hash, Err(error.message()))]);
            }
        };
        for (name, why) in packed.skipped() {
            self.skip(path, name, why);
        }
        let sources = packed.members().par_iter().enumerate();
        let sources = sources.filter_map(|(index, member)| {
            if packed.is_bare() {
                let hash = hash(&file, path, self.check);
                return Some(hash.map(|hash| Hashed::new(path, None, index, hash, Ok(file.len()))));
            }
            self.member::<G>(path, &packed, (index, member)).transpose()
        });
        sources.collect()
    }

    /// The source of a member of an archive, or of content packed alone.
    fn member<G: Formats>(
        &self,
        path: &Path,
        packed: &Packed<'_>,
        (index, member): (usize, &Member),
    ) -> Result<Option<Hashed>, BuildError> {
        (self.check)()?;
        if let Err(why) = packed.admit::<G>(member) {
            self.skip(path, member.name().unwrap_or_default(), &why);
            return Ok(None);
        }
        match packed.digest::<G>(member) {
            Ok(Digest { hash, len, loss, .. }) => {
                Ok(Some(Hashed { loss, ..Hashed::new(path, member.name(), index, hash, Ok(len)) }))
            }
            Err(error) => {
                (self.check)()?;
                Ok(Some(Hashed::new(
                    path,
                    member.name(),
                    index,
                    packed.packed_hash(member),
                    Err(error.message()),
                )))
            }
        }
    }
}

fn open<G: Formats>(path: &Path, folder: &Path) -> Result<GameFile, BuildError> {
    GameFile::open::<G>(path, folder).map_err(|error| input_error(path, error))
}

fn input_error(path: &Path, source: io::Error) -> BuildError {
    let path = path.to_owned();
    if ChangedError::is_in(&source) {
        return BuildError::Changed { path };
    }
    BuildError::Input { path, source }
}

/// BLAKE3 of a file as it is.
fn hash(
    file: &GameFile,
    path: &Path,
    check: &dyn Fn() -> Result<(), BuildError>,
) -> Result<[u8; 32], BuildError> {
    /// The cause that ended the reading.
    enum End {
        Io(io::Error),
        Build(BuildError),
    }
    impl From<io::Error> for End {
        fn from(error: io::Error) -> Self {
            Self::Io(error)
        }
    }
    let mut hasher = blake3::Hasher::new();
    let read = file.stretches(|stretch| {
        check().map_err(End::Build)?;
        hasher.update(stretch);
        Ok(())
    });
    match read {
        Ok(()) => Ok(hasher.finalize().into()),
        Err(End::Io(error)) => Err(input_error(path, error)),
        Err(End::Build(error)) => Err(error),
    }
}

/// Calls `read` with the index and the content of each source, in parallel, and returns its results, in
/// order. The sources of one archive must be next to each other: it is opened once. Large content is unpacked
/// to files without names in `folder`.
pub(crate) fn open_each<G: Formats, T: Send>(
    sources: &[&Hashed],
    folder: &Path,
    stop: &StopFlag,
    read: impl Fn(usize, Result<Bytes<'_>, SourceFault>) -> Result<T, BuildError> + Sync,
) -> Result<Vec<T>, BuildError> {
    let mut archives: Vec<(usize, &[&Hashed])> = Vec::new();
    let mut first = 0;
    for group in sources.chunk_by(|a, b| a.file == b.file) {
        archives.push((first, group));
        first += group.len();
    }
    let done = archives.par_iter().map(|(first, group)| {
        let Some(one) = group.iter().find(|source| source.fault.is_none()) else {
            let bad = group.iter().enumerate().map(|(index, source)| {
                read(first + index, Err(SourceFault::Bad(source.fault.clone().unwrap_or_default())))
            });
            return bad.collect();
        };
        let file = open::<G>(&one.file, folder)?;
        let packed = match file.bytes().map(|bytes| Packed::open::<G>(bytes, folder, stop)) {
            Some(Err(error)) => return Ok(vec![read(*first, Err(SourceFault::Io(error.into())))?]),
            packed => packed.and_then(Result::ok),
        };
        let read = group.par_iter().enumerate().map(|(index, source)| {
            read(first + index, source.content(packed.as_ref(), &file, folder)?)
        });
        read.collect::<Result<Vec<_>, _>>()
    });
    Ok(done.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

impl Hashed {
    /// A source and its length in bytes, or the reason why it cannot be read. `name` is that of a member of
    /// an archive.
    fn new(
        file: &Path,
        name: Option<&str>,
        member: usize,
        hash: [u8; 32],
        found: Result<u64, Message>,
    ) -> Self {
        // The name is no path of this system: a slash at its beginning means nothing.
        let path = name.map_or_else(|| file.to_owned(), |n| file.join(n.trim_start_matches('/')));
        let len = found.as_ref().copied().unwrap_or(0);
        Self { file: file.to_owned(), member, path, hash, len, fault: found.err(), loss: None }
    }

    /// The bytes of the source, or why it has none.
    fn content<'a>(
        &self,
        packed: Option<&'a Packed<'_>>,
        file: &'a GameFile,
        folder: &Path,
    ) -> Result<Result<Bytes<'a>, SourceFault>, BuildError> {
        if let Some(fault) = &self.fault {
            return Ok(Err(SourceFault::Bad(fault.clone())));
        }
        let Some(packed) = packed else {
            // It is of another kind than it was if its bytes are held.
            return file.bytes().map_or(Ok(Ok(Bytes::File(file))), |_| Err(self.changed()));
        };
        let member = packed.members().get(self.member).ok_or_else(|| self.changed())?;
        if packed.is_bare() {
            return Ok(Ok(Bytes::File(file)));
        }
        match packed.content(member, folder) {
            Ok(Unpacked { content, .. }) => Ok(Ok(Bytes::Unpacked(content))),
            // It could be unpacked when it was hashed.
            Err(UnpackError::Bad(_)) => Err(self.changed()),
            Err(UnpackError::Io(error)) => Ok(Err(SourceFault::Io(error))),
            Err(UnpackError::Interrupted) => {
                Ok(Err(SourceFault::Io(io::ErrorKind::Interrupted.into())))
            }
        }
    }

    fn changed(&self) -> BuildError {
        BuildError::Changed { path: self.file.clone() }
    }

    /// Calls `read` with the bytes and the parts (of about `chunk` bytes) of each window of the source. In
    /// the end, the bytes read must have the hash of the source: otherwise it was changed meanwhile, and it
    /// is unknown which games were counted. That is an error.
    pub(crate) fn windows<G: Formats>(
        &self,
        bytes: &Bytes<'_>,
        chunk: usize,
        folder: &Path,
        mut read: impl FnMut(&[u8], &[CutChunk<'_>]) -> Result<(), BuildError> + Send,
    ) -> Result<(), BuildError> {
        let mut hasher = blake3::Hasher::new();
        let mut both = |own: &[u8], window: &[u8], chunks: &[Chunk], is_last: bool| {
            let last = chunks.len().saturating_sub(1);
            // Only the last part of the last window is where a cut source ends.
            let parts: Vec<CutChunk<'_>> = chunks
                .iter()
                .enumerate()
                .map(|(i, chunk)| (chunk, self.loss.as_ref().filter(|_| is_last && i == last)))
                .collect();
            // Hashing and reading at the same time: neither waits for the other, and the bytes are in the
            // cache for both.
            rayon::join(|| hasher.update(own).count(), || read(window, &parts)).1
        };
        if let Some(in_memory) = bytes.in_memory() {
            for Window { start, end, chunks } in Windows::new::<G>(in_memory, chunk) {
                let window = &in_memory[start..end];
                let is_last = end == in_memory.len();
                // Windows overlap where a game is cut: each byte is hashed once.
                let own = chunks.last().filter(|_| !is_last).map_or(window.len(), |c| c.bytes.end);
                both(&window[..own], window, &chunks, is_last)?;
                // Pages that were read are given back, or a large file would push everything else out of
                // memory.
                bytes.release(end);
            }
        } else if let Bytes::File(file) = bytes {
            for window in file.windows::<G>(chunk, folder) {
                let window: FileWindow = window.map_err(|e| input_error(&self.file, e))?;
                both(window.own(), &window.bytes, &window.chunks, false)?;
            }
        }
        if self.loss.is_some() {
            hasher.update(TRUNCATED_MARK);
        }
        if <[u8; 32]>::from(hasher.finalize()) == self.hash { Ok(()) } else { Err(self.changed()) }
    }
}

/// The bytes of a source.
#[derive(Debug)]
pub(crate) enum Bytes<'a> {
    /// A file as it is.
    File(&'a GameFile),
    /// Unpacked.
    Unpacked(record::Content<'a>),
}

impl Bytes<'_> {
    /// All of them, unless they are read in windows.
    fn in_memory(&self) -> Option<&[u8]> {
        match self {
            Self::File(file) => file.bytes(),
            Self::Unpacked(content) => Some(content),
        }
    }

    /// Lets go of the memory of the first `len` bytes.
    fn release(&self, len: usize) {
        match self {
            Self::File(file) => file.release(len),
            Self::Unpacked(record::Content::Mapped(map)) => map.release(len),
            Self::Unpacked(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    /// Finds the source in a file, and reads it; `change` is called in between, and with `true` when
    /// its first window was read.
    fn read(path: &Path, change: &(dyn Fn(bool) + Sync)) -> Result<Vec<usize>, BuildError> {
        let (stop, folder) = (StopFlag::default(), path.parent().unwrap());
        let found = find::<Position>(&[path.to_owned()], folder, &stop, &|| Ok(())).unwrap().0;
        change(false);
        let sources: Vec<&Hashed> = found.iter().collect();
        open_each::<Position, _>(&sources, folder, &stop, |number, content| {
            let (bytes, mut games) = (content.unwrap(), 0);
            sources[number].windows::<Position>(&bytes, 1 << 16, folder, |window, chunks| {
                let is_first = games == 0;
                for (chunk, _) in chunks {
                    let summary = record::read_chunk("", window, chunk, &mut |_| {});
                    games += (summary.games + summary.bad) as usize;
                }
                change(is_first);
                Ok(())
            })?;
            Ok(games)
        })
    }

    #[test]
    fn a_file_that_is_changed_meanwhile_is_an_error() {
        use std::io::Write;
        let comment = "x".repeat(4000);
        let game = format!("[Event \"a\"]\n\n1. h2e2 {{{comment}}} *\n\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        for games in [10, 1000, 9000] {
            let write = || std::fs::write(&path, game.repeat(games)).unwrap();
            let open = || std::fs::File::options().write(true).open(&path).unwrap();
            write();
            assert_eq!(read(&path, &|_| {}).unwrap(), [games]);
            let packed = folder.path().join("a.pgn.zst");
            std::fs::write(&packed, zstd::encode_all(game.repeat(games).as_bytes(), 1).unwrap())
                .unwrap();
            assert_eq!(read(&packed, &|_| {}).unwrap(), [games]);
            // Each state is sound, and so is its length and its time.
            let time = path.metadata().unwrap().modified().unwrap();
            let overwrite = |is_first: bool, when: bool| {
                if is_first == when {
                    let mut file = open();
                    file.write_all(b"[Event \"b\"]").unwrap();
                    file.set_modified(time).unwrap();
                }
            };
            assert!(matches!(
                read(&path, &|first| overwrite(first, false)),
                Err(BuildError::Changed { .. })
            ));
            for len in [0, 100] {
                write();
                let cut = read(&path, &|is_first| {
                    if !is_first {
                        open().set_len(len).unwrap();
                    }
                });
                assert!(matches!(cut, Err(BuildError::Changed { .. })));
            }
            write();
            let grown = read(&path, &|_| {
                let mut file = std::fs::File::options().append(true).open(&path).unwrap();
                file.write_all(game.as_bytes()).unwrap();
            });
            assert!(matches!(grown, Err(BuildError::Changed { .. })));
        }
    }
}
