//! The sources that games come from: input files, bare or packed, and the members of archives.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::BuildError;
use crate::record::{
    self, ChangedError, Chunk, Digest, FileWindow, GameFile, Member, Packed, UnpackError, Window,
    Windows,
};

/// A source and its name by content.
#[derive(Debug, Clone)]
pub(super) struct Hashed {
    /// The input file.
    file: PathBuf,
    /// Which of the sources in it.
    member: usize,
    /// The input file's path, with that in the archive behind it.
    pub(super) path: PathBuf,
    /// BLAKE3 of the content, unpacked: a file and its packed copies are one source.
    pub(super) hash: [u8; 32],
    /// Bytes of the content.
    pub(super) len: u64,
    /// Why it cannot be read.
    fault: Option<String>,
}

/// Why a source has no content.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is damaged, or unpacks to too much.
    Bad(String),
    /// It could not be unpacked to a temporary file.
    Io(io::Error),
}

/// The sources in files, in their order and that of archives. What is packed is copied to files without
/// names in `folder`, one after the other. `check` ends the work by an error, which it gives once `stop`
/// is set.
pub(super) fn find(
    files: &[PathBuf],
    folder: &Path,
    stop: &Arc<AtomicBool>,
    check: &(dyn Fn() -> Result<(), BuildError> + Sync),
) -> Result<Vec<Hashed>, BuildError> {
    let found = files.par_iter().map(|path| {
        check()?;
        find_in(path, folder, stop, check)
    });
    Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The sources in a file. Those in archives whose names promise games but little, and that begin
/// like none, are no sources.
fn find_in(
    path: &Path,
    folder: &Path,
    stop: &Arc<AtomicBool>,
    check: &(dyn Fn() -> Result<(), BuildError> + Sync),
) -> Result<Vec<Hashed>, BuildError> {
    let file = open(path, folder)?;
    let len = file.len();
    let source = |member: usize, name: Option<&str>, hash: [u8; 32], found: Result<u64, String>| {
        // The name is no path of this system: a slash at its beginning means nothing.
        let inner = name.map(|name| path.join(name.trim_start_matches('/')));
        let len = found.as_ref().copied().unwrap_or(0);
        let (file, path) = (path.to_owned(), inner.unwrap_or_else(|| path.to_owned()));
        Hashed { file, member, path, hash, len, fault: found.err() }
    };
    let whole = || hash(&file, path, check);
    let Some(bytes) = file.bytes() else { return Ok(vec![source(0, None, whole()?, Ok(len))]) };
    let packed = match Packed::open(bytes) {
        Ok(packed) => packed.stopped_by(stop),
        Err(error) => {
            let hash = whole()?;
            return Ok(vec![source(0, None, hash, Err(error.to_string()))]);
        }
    };
    let digest = |(index, member): (usize, &Member)| {
        if let Err(error) = check() {
            return Some(Err(error));
        }
        if packed.is_bare() {
            return Some(whole().map(|hash| source(index, None, hash, Ok(len))));
        }
        match packed.digest(member) {
            Ok(Digest { format: Err(_), .. }) if !member.is_certain() => None,
            Ok(Digest { hash, len, .. }) => Some(Ok(source(index, member.name(), hash, Ok(len)))),
            Err(error) => {
                if let Err(error) = check() {
                    return Some(Err(error));
                }
                let hash = packed.packed_hash(member);
                Some(Ok(source(index, member.name(), hash, Err(error.to_string()))))
            }
        }
    };
    packed.members().par_iter().enumerate().filter_map(digest).collect()
}

fn open(path: &Path, folder: &Path) -> Result<GameFile, BuildError> {
    GameFile::open(path, folder).map_err(|error| input_error(path, error))
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
    /// What ends the reading.
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

/// Calls `read` with the index and the content of each source, in parallel, and returns what it
/// returns, in order. The sources of one archive must be next to each other: it is opened once.
/// What is large is unpacked to files without names in `folder`.
pub(super) fn open_each<T: Send>(
    sources: &[&Hashed],
    folder: &Path,
    stop: &Arc<AtomicBool>,
    read: impl Fn(usize, Result<Bytes<'_>, Fault>) -> Result<T, BuildError> + Sync,
) -> Result<Vec<T>, BuildError> {
    let mut archives: Vec<(usize, &[&Hashed])> = Vec::new();
    let mut first = 0;
    for group in sources.chunk_by(|a, b| a.file == b.file) {
        archives.push((first, group));
        first += group.len();
    }
    let done = archives.par_iter().map(|(first, group)| {
        let Some(one) = group.first() else { return Ok(Vec::new()) };
        let file = open(&one.file, folder)?;
        let packed = file.bytes().and_then(|bytes| Packed::open(bytes).ok());
        let packed = packed.map(|packed| packed.stopped_by(stop));
        let read = group.par_iter().enumerate().map(|(index, source)| {
            read(first + index, source.content(packed.as_ref(), &file, folder)?)
        });
        read.collect::<Result<Vec<_>, _>>()
    });
    Ok(done.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

impl Hashed {
    /// The bytes of the source, or why it has none.
    fn content<'a>(
        &self,
        packed: Option<&Packed<'a>>,
        file: &'a GameFile,
        folder: &Path,
    ) -> Result<Result<Bytes<'a>, Fault>, BuildError> {
        if let Some(fault) = &self.fault {
            return Ok(Err(Fault::Bad(fault.clone())));
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
            Ok(content) => Ok(Ok(Bytes::Unpacked(content))),
            // It could be unpacked when it was hashed.
            Err(UnpackError::Bad(_)) => Err(self.changed()),
            Err(UnpackError::Io(error)) => Ok(Err(Fault::Io(error))),
            Err(UnpackError::Interrupted) => Ok(Err(Fault::Io(io::ErrorKind::Interrupted.into()))),
        }
    }

    fn changed(&self) -> BuildError {
        BuildError::Changed { path: self.file.clone() }
    }

    /// Calls `read` with the bytes and the chunks (of about `chunk` bytes) of each window of the source.
    /// In the end, what was read must have the hash that the source is known by: else it was changed
    /// meanwhile, and nobody knows what was counted. That is an error.
    pub(super) fn windows(
        &self,
        bytes: &Bytes<'_>,
        chunk: usize,
        folder: &Path,
        mut read: impl FnMut(&[u8], &[Chunk]) -> Result<(), BuildError> + Send,
    ) -> Result<(), BuildError> {
        let mut hasher = blake3::Hasher::new();
        let mut both = |own: &[u8], window: &[u8], chunks: &[Chunk]| {
            rayon::join(|| hasher.update(own).count(), || read(window, chunks)).1
        };
        if let Some(held) = bytes.held() {
            for Window { start, end, chunks } in Windows::new(held, chunk) {
                let window = &held[start..end];
                let is_last = end == held.len();
                let own = chunks.last().filter(|_| !is_last).map_or(window.len(), |c| c.bytes.end);
                both(&window[..own], window, &chunks)?;
                bytes.release(end);
            }
        } else if let Bytes::File(file) = bytes {
            for window in file.windows(chunk, folder) {
                let window: FileWindow = window.map_err(|e| input_error(&self.file, e))?;
                both(window.own(), &window.bytes, &window.chunks)?;
            }
        }
        if <[u8; 32]>::from(hasher.finalize()) == self.hash { Ok(()) } else { Err(self.changed()) }
    }
}

/// The bytes of a source.
#[derive(Debug)]
pub(super) enum Bytes<'a> {
    /// A file as it is.
    File(&'a GameFile),
    /// Unpacked.
    Unpacked(record::Content<'a>),
}

impl Bytes<'_> {
    /// All of them, unless they are read in windows.
    fn held(&self) -> Option<&[u8]> {
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

    /// Finds the source in a file, and reads it; `change` is called in between, and with `true` when
    /// its first window was read.
    fn read(path: &Path, change: &(dyn Fn(bool) + Sync)) -> Result<Vec<usize>, BuildError> {
        let (stop, folder) = (Arc::default(), path.parent().unwrap());
        let found = find(&[path.to_owned()], folder, &stop, &|| Ok(())).unwrap();
        change(false);
        let sources: Vec<&Hashed> = found.iter().collect();
        open_each(&sources, folder, &stop, |number, content| {
            let (bytes, mut games) = (content.unwrap(), 0);
            sources[number].windows(&bytes, 1 << 16, folder, |window, chunks| {
                let is_first = games == 0;
                for chunk in chunks {
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
                let cut = |is_first: bool| {
                    if !is_first {
                        open().set_len(len).unwrap()
                    }
                };
                assert!(matches!(read(&path, &cut), Err(BuildError::Changed { .. })));
            }
            write();
            let grow = |_| {
                let mut file = std::fs::File::options().append(true).open(&path).unwrap();
                file.write_all(game.as_bytes()).unwrap();
            };
            assert!(matches!(read(&path, &grow), Err(BuildError::Changed { .. })));
        }
    }
}
