//! The sources that games come from: input files, bare or packed, and the members of archives.

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

use rayon::prelude::*;

use super::BuildError;
use crate::bytes::{map::MappedFile, open};
use crate::record::{self, Digest, Member, Packed, UnpackError, Unpacked, WINDOW, tell_skipped};

/// Files from this size on are mapped, others read.
const MAP_FROM: u64 = 1 << 20;

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
    /// What is wrong with its end, if anything.
    pub(super) loss: Option<String>,
    /// What the system said of the file when it was hashed.
    stamp: Stamp,
}

/// The length of a file, and when it was changed last.
type Stamp = Option<(u64, SystemTime)>;

fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?))
}

/// Why a source has no content.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is damaged, or unpacks to too much.
    Bad(String),
    /// It could not be unpacked to a temporary file.
    Io(io::Error),
}

/// The sources in files, in their order and that of archives, and how many members of archives are
/// none. `check` ends the work by an error, which it gives once `stop` is set. What is large is unpacked
/// to files without names in `folder`.
pub(super) fn find(
    files: &[PathBuf],
    folder: &Path,
    stop: &Arc<AtomicBool>,
    check: &(dyn Fn() -> Result<(), BuildError> + Sync),
) -> Result<(Vec<Hashed>, u64), BuildError> {
    let skipped = AtomicU64::new(0);
    let finder = Finder { folder, stop, check, skipped: &skipped };
    let found = files.par_iter().map(|path| {
        check()?;
        finder.find_in(path)
    });
    let found = found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    Ok((found, skipped.into_inner()))
}

/// Why a path that was found in a folder cannot be read. It is one bad source then.
fn unreadable(path: &Path, error: &io::Error) -> String {
    match std::fs::read_dir(path) {
        Err(error) if path.is_dir() => format!("the folder cannot be read: {error}"),
        _ => format!("cannot be read: {error}"),
    }
}

/// Finds the sources in files.
struct Finder<'a> {
    folder: &'a Path,
    stop: &'a Arc<AtomicBool>,
    check: &'a (dyn Fn() -> Result<(), BuildError> + Sync),
    skipped: &'a AtomicU64,
}

impl Finder<'_> {
    fn skip(&self, path: &Path, name: &str, why: &str) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
        tell_skipped(path, name, why);
    }

    /// The sources in a file. Members of archives that begin like no games are no sources, unless
    /// their names promise games.
    fn find_in(&self, path: &Path) -> Result<Vec<Hashed>, BuildError> {
        let Self { folder, stop, check, .. } = self;
        let stamp = stamp(path);
        let bytes = match FileBytes::read(path) {
            Err(BuildError::Input { source, .. }) if open::is_refused(&source) => {
                let hash = blake3::hash(path.as_os_str().as_encoded_bytes()).into();
                let (file, path) = (path.to_owned(), path.to_owned());
                let fault = Some(unreadable(&path, &source));
                return Ok(vec![Hashed {
                    file,
                    member: 0,
                    path,
                    hash,
                    len: 0,
                    fault,
                    loss: None,
                    stamp,
                }]);
            }
            bytes => bytes?,
        };
        let len = bytes.len() as u64;
        let source =
            |member: usize, name: Option<&str>, hash: [u8; 32], found: Result<u64, String>| {
                // The name is no path of this system: a slash at its beginning means nothing.
                let inner = name.map(|name| path.join(name.trim_start_matches('/')));
                let len = found.as_ref().copied().unwrap_or(0);
                let (file, path) = (path.to_owned(), inner.unwrap_or_else(|| path.to_owned()));
                Hashed { file, member, path, hash, len, fault: found.err(), loss: None, stamp }
            };
        let packed = match Packed::open(&bytes, folder, stop) {
            Ok(packed) => packed,
            Err(error) => {
                check()?;
                let hash = blake3::hash(&bytes).into();
                return Ok(vec![source(0, None, hash, Err(error.to_string()))]);
            }
        };
        for (name, why) in packed.skipped() {
            self.skip(path, name, why);
        }
        let hash = |(index, member): (usize, &Member)| {
            if let Err(error) = check() {
                return Some(Err(error));
            }
            if packed.is_bare() {
                let found = bytes.hash(check).map(|hash| source(index, None, hash, Ok(len)));
                return Some(found);
            }
            if let Err(why) = packed.admit(member) {
                self.skip(path, member.name().unwrap_or_default(), &why);
                return None;
            }
            match packed.digest(member) {
                Ok(Digest { hash, len, loss, .. }) => {
                    Some(Ok(Hashed { loss, ..source(index, member.name(), hash, Ok(len)) }))
                }
                Err(error) => {
                    if let Err(error) = check() {
                        return Some(Err(error));
                    }
                    let hash = packed.packed_hash(member);
                    Some(Ok(source(index, member.name(), hash, Err(error.to_string()))))
                }
            }
        };
        packed.members().par_iter().enumerate().filter_map(hash).collect()
    }
}

/// Calls `read` with the index and the content of each source, in parallel, and returns what it
/// returns, in order. The sources of one archive must be next to each other: it is opened once.
/// What is large is unpacked to files without names in `folder`. A file that is not as it was when it
/// was hashed is an error.
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
        let Some(one) = group.iter().find(|source| source.fault.is_none()) else {
            let bad = |(index, source): (usize, &&Hashed)| {
                read(first + index, Err(Fault::Bad(source.fault.clone().unwrap_or_default())))
            };
            return group.iter().enumerate().map(bad).collect();
        };
        let file = FileBytes::read(&one.file)?;
        let packed = match Packed::open(&file, folder, stop) {
            Ok(packed) => packed,
            Err(error) => return Ok(vec![read(*first, Err(Fault::Io(error.into())))?]),
        };
        let read = group
            .par_iter()
            .enumerate()
            .map(|(index, source)| read(first + index, source.content(&packed, &file, folder)));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        if stamp(&one.file) != one.stamp {
            return Err(BuildError::Changed { path: one.file.clone() });
        }
        Ok(read)
    });
    Ok(done.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

impl Hashed {
    fn content<'a>(
        &self,
        packed: &'a Packed<'_>,
        file: &'a FileBytes,
        folder: &Path,
    ) -> Result<Bytes<'a>, Fault> {
        if let Some(fault) = &self.fault {
            return Err(Fault::Bad(fault.clone()));
        }
        let Some(member) = packed.members().get(self.member) else {
            return Err(Fault::Bad("the file was changed meanwhile".to_owned()));
        };
        if packed.is_bare() {
            return Ok(Bytes::File(file));
        }
        match packed.content(member, folder) {
            Ok(Unpacked { content, .. }) => Ok(Bytes::Unpacked(content)),
            Err(UnpackError::Bad(what)) => Err(Fault::Bad(what)),
            Err(UnpackError::Io(error)) => Err(Fault::Io(error)),
            Err(UnpackError::Interrupted) => Err(Fault::Io(io::ErrorKind::Interrupted.into())),
        }
    }
}

/// The bytes of a source.
#[derive(Debug)]
pub(super) enum Bytes<'a> {
    /// A file as it is.
    File(&'a FileBytes),
    /// Unpacked.
    Unpacked(record::Content<'a>),
}

impl Bytes<'_> {
    /// Lets go of the memory of the first `len` bytes.
    pub(super) fn release(&self, len: usize) {
        match self {
            Self::File(FileBytes::Mapped(map)) | Self::Unpacked(record::Content::Mapped(map)) => {
                map.release(len);
            }
            Self::File(FileBytes::Read(_)) | Self::Unpacked(_) => {}
        }
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::File(bytes) => bytes,
            Self::Unpacked(content) => content,
        }
    }
}

/// The bytes of a file.
#[derive(Debug)]
pub(super) enum FileBytes {
    Mapped(MappedFile),
    Read(Vec<u8>),
}

impl FileBytes {
    fn read(path: &Path) -> Result<Self, BuildError> {
        let read = || {
            let mut file = open::regular(path)?;
            if file.metadata()?.len() >= MAP_FROM {
                return MappedFile::of(&file).map(Self::Mapped);
            }
            let mut bytes = Vec::new();
            io::Read::read_to_end(&mut file, &mut bytes)?;
            Ok(Self::Read(bytes))
        };
        read().map_err(|source| BuildError::Input { path: path.to_owned(), source })
    }

    /// BLAKE3 of the whole, a stretch at a time, so that little of a mapped file stays in memory.
    fn hash(&self, check: &dyn Fn() -> Result<(), BuildError>) -> Result<[u8; 32], BuildError> {
        let mut hasher = blake3::Hasher::new();
        for stretch in self.chunks(WINDOW) {
            check()?;
            hasher.update(stretch);
            if let Self::Mapped(map) = self {
                map.release(usize::try_from(hasher.count()).unwrap_or(usize::MAX));
            }
        }
        Ok(hasher.finalize().into())
    }
}

impl Deref for FileBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_changed_meanwhile_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, "1. h2e2 *").unwrap();
        let stop = Arc::default();
        let read = |found: &[Hashed]| {
            let sources: Vec<&Hashed> = found.iter().collect();
            open_each(&sources, folder.path(), &stop, |_, content| match content {
                Ok(bytes) => Ok(bytes.len()),
                Err(fault) => panic!("{fault:?}"),
            })
        };
        let found = find(std::slice::from_ref(&path), folder.path(), &stop, &|| Ok(())).unwrap().0;
        assert_eq!(read(&found).unwrap(), [9]);
        std::fs::write(&path, "1. h2e2 h9g7 *").unwrap();
        assert!(matches!(read(&found), Err(BuildError::Changed { .. })));
    }
}
