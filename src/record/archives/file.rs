//! Game files of others, which may change while they are read.
//!
//! Nothing that others can write to is mapped: a file that is truncated while it is mapped ends the
//! process. Small files are read whole. Large ones that can be cut between games are read a window after
//! the other; a file that ends too early is an error then. All else (packed files, archives, formats
//! that must be looked at whole) is copied to a file without a name, which nobody else can reach, and
//! that one is mapped.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::bytes::StopFlag;
use crate::bytes::map::MappedFile;
use crate::bytes::open::regular;
use crate::bytes::positioned::PositionedFile;
use crate::message::message;
use crate::record::archives::admit::is_packed;
use crate::record::archives::changed::{ChangedError, copy, read};
use crate::record::archives::packed::{NO_GAME, NamedSink, read_packed_with, tell_skipped};
use crate::record::archives::windows::{FileWindow, FileWindows, Split, WINDOW, can_be_cut};
use crate::record::formats::Formats;
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::options::ReadOptions;
use crate::record::model::parsed::ReadSummary;

/// Files below this size are read whole.
const WHOLE_BYTES: u64 = 1 << 20;

/// The number of bytes at the beginning of a large file from which it is decided whether it can be cut
/// between games.
const HEAD_BYTES: usize = MAX_GAME_BYTES + 1;

/// Times of files are counted in ticks of at most this length. What is written to a file within the
/// tick of an earlier change shows no later time.
const TICK: Duration = Duration::from_millis(20);

/// Bytes between two looks at whether to go on.
const STEP: usize = 1 << 20;

/// The most bytes that are taken from a program's output, such as standard input: such an input may have no
/// end, and a copy of it is written to the disk.
pub const MAX_INPUT: u64 = 16 << 30;

/// Bytes of such an input that are read at once.
const SPOOL_STEP: usize = 64 << 10;

/// A game file that is open.
#[derive(Debug)]
pub struct GameFile {
    file: PositionedFile,
    stamp: Stamp,
    held: Held,
}

/// The place that holds a file's bytes while it is read.
#[derive(Debug)]
enum Held {
    Memory(Vec<u8>),
    /// In a copy that nobody else can reach.
    Copied(MappedFile),
    /// In the file itself.
    InPlace,
}

/// The length of a file and the times of its last change, of content and of attributes. The latter
/// cannot be set back; it also changes with the number of the file's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    changed: (i64, i64),
    names: u64,
}

impl Stamp {
    fn of(file: &PositionedFile) -> io::Result<Self> {
        let about = file.about()?;
        #[cfg(unix)]
        let (changed, names) = {
            use std::os::unix::fs::MetadataExt;
            ((about.ctime(), about.ctime_nsec()), about.nlink())
        };
        #[cfg(not(unix))]
        let (changed, names) = ((0, 0), 1);
        Ok(Self { len: about.len(), modified: about.modified().ok(), changed, names })
    }

    /// Returns true if the file is as it was, as far as can be seen. One that was replaced by another of its
    /// name counts as unchanged.
    fn is_of_same_state(&self, other: &Self) -> bool {
        (self.len, self.modified) == (other.len, other.modified)
            && (self.changed == other.changed || self.names != other.names)
    }

    /// Waits until a further change would show, if the file was changed just now.
    fn settle(&self) {
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        if let Some(rest) = age.and_then(|age| TICK.checked_sub(age)) {
            std::thread::sleep(rest);
        }
    }
}

impl GameFile {
    /// Opens the regular file at `path`, which is to hold games of `G`. A copy, if one is needed, is a file without a name in `folder`.
    ///
    /// # Errors
    ///
    /// Those of opening, reading and copying; [`ChangedError`] where the file was changed meanwhile.
    pub fn open<G: Formats>(path: &Path, folder: &Path) -> io::Result<Self> {
        let file = PositionedFile::of(regular(path)?)?;
        let stamp = Stamp::of(&file)?;
        stamp.settle();
        let held = Self::hold(&file, stamp.len, folder, G::split_games)?;
        let file = Self { file, stamp, held };
        if !matches!(file.held, Held::InPlace) {
            file.check()?; // what is held is of one state
        }
        Ok(file)
    }

    fn hold(file: &PositionedFile, len: u64, folder: &Path, split: Split) -> io::Result<Held> {
        if len < WHOLE_BYTES {
            return read(file, 0, len).map(Held::Memory);
        }
        let head = read(file, 0, len.min(HEAD_BYTES as u64))?;
        if !is_packed(&head) && can_be_cut(split, &head) {
            return Ok(Held::InPlace);
        }
        copy(file, folder).map(Held::Copied)
    }

    /// The input of a program, such as standard input, in a file without a name in `folder`.
    ///
    /// # Errors
    ///
    /// Those of reading and of writing the file; [`io::ErrorKind::FileTooLarge`] beyond [`MAX_INPUT`];
    /// [`io::ErrorKind::Interrupted`] soon after `stop` was set, if `input` does not wait then.
    pub fn spool(input: &mut dyn Read, folder: &Path, stop: &StopFlag) -> io::Result<Self> {
        Self::spool_up_to(MAX_INPUT, input, folder, stop)
    }

    fn spool_up_to(
        most: u64,
        input: &mut dyn Read,
        folder: &Path,
        stop: &StopFlag,
    ) -> io::Result<Self> {
        let mut file = tempfile::tempfile_in(folder)?;
        let mut buffer = vec![0; SPOOL_STEP];
        let mut len = 0;
        loop {
            let read = input.read(&mut buffer);
            if stop.is_set() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let count = match read {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            len += count as u64;
            if len > most {
                let text = message!("an input of more than {most} bytes; give it as a file");
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
            }
            file.write_all(&buffer[..count])?;
        }
        let held =
            if len == 0 { Held::Memory(Vec::new()) } else { Held::Copied(MappedFile::of(&file)?) };
        let file = PositionedFile::of(file)?;
        Ok(Self { stamp: Stamp::of(&file)?, file, held })
    }

    /// Its length in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.stamp.len
    }

    /// Returns true if the file is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All its bytes; `None` if they are read in windows. Such a file is not packed.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.held {
            Held::Memory(bytes) => Some(bytes),
            Held::Copied(map) => Some(map),
            Held::InPlace => None,
        }
    }

    /// Lets go of the memory of the first `len` bytes.
    pub(crate) fn release(&self, len: usize) {
        if let Held::Copied(map) = &self.held {
            map.release(len);
        }
    }

    /// The windows of a file whose bytes are not held, in chunks of about `chunk` bytes.
    pub(crate) fn windows<'a, G: Formats>(
        &'a self,
        chunk: usize,
        folder: &'a Path,
    ) -> FileWindows<'a> {
        FileWindows::new(&self.file, self.len(), (G::split_games, chunk), folder)
    }

    /// Hands over all bytes in order, in stretches of bounded length.
    ///
    /// # Errors
    ///
    /// Those of reading and of `take`; [`ChangedError`] where the file has become shorter.
    pub(crate) fn stretches<E: From<io::Error>>(
        &self,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut at = 0;
        while at < self.len() {
            let end = self.len().min(at + WINDOW as u64);
            match self.bytes() {
                Some(bytes) => {
                    take(&bytes[at as usize..end as usize])?;
                    self.release(end as usize);
                }
                None => take(&read(&self.file, at, end - at)?)?,
            }
            at = end;
        }
        Ok(())
    }

    /// Compares the file with what it was when it was opened.
    ///
    /// # Errors
    ///
    /// [`ChangedError`] if it was changed.
    pub fn check(&self) -> io::Result<()> {
        if self.stamp.is_of_same_state(&Stamp::of(&self.file)?) {
            Ok(())
        } else {
            Err(ChangedError.into())
        }
    }
}

/// Reads the games of a file as [`read_packed`](crate::record::archives::packed::read_packed) does, with choices. A source that is not blank and has neither games nor bad ones counts
/// as passed over.
///
/// # Errors
///
/// Those of reading, and of writing temporary files to `folder`; [`io::ErrorKind::Interrupted`] soon
/// after `stop` was set; [`ChangedError`] where the file was changed while it was read: what `sink` got
/// is of no use then.
pub fn read_game_file<G: Formats>(
    source: &str,
    file: &GameFile,
    folder: &Path,
    stop: &StopFlag,
    options: ReadOptions,
    sink: &mut NamedSink<'_, G>,
) -> io::Result<ReadSummary> {
    if let Some(bytes) = file.bytes() {
        return read_packed_with(source, bytes, folder, stop, options, sink);
    }
    let mut summary = ReadSummary::default();
    let mut flow = ControlFlow::Continue(());
    let mut is_blank = true;
    for window in file.windows::<G>(STEP, folder) {
        let FileWindow { bytes, chunks, .. } = window?;
        is_blank = is_blank && bytes.trim_ascii().is_empty();
        for mut chunk in chunks {
            chunk.options = options;
            if stop.is_set() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            summary += G::read_chunk(source, &bytes, &chunk, &mut |game| {
                if flow.is_continue() {
                    flow = sink(source, game);
                }
            });
            if flow.is_break() {
                return Ok(summary);
            }
        }
    }
    file.check()?;
    if summary.games + summary.bad == 0 && !is_blank {
        summary.skipped += 1;
        tell_skipped(Path::new(source), "", NO_GAME);
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;
    use std::fs::File;

    const GAME: &str = "[Event \"a\"]\n\n1. h2e2 h9g7 *\n\n";

    /// A file of `count` games and its folder.
    fn games(count: usize) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, GAME.repeat(count)).unwrap();
        (folder, path)
    }

    fn read_all(
        file: &GameFile,
        folder: &Path,
        mut each: impl FnMut(u64),
    ) -> io::Result<ReadSummary> {
        let mut count = 0;
        read_game_file::<Position>(
            "a",
            file,
            folder,
            &StopFlag::default(),
            ReadOptions::default(),
            &mut |_, game| {
                assert!(game.is_ok());
                count += 1;
                each(count);
                ControlFlow::Continue(())
            },
        )
    }

    #[test]
    fn small_large_and_packed_files_give_the_same_games() {
        let (folder, path) = games(10);
        let small = GameFile::open::<Position>(&path, folder.path()).unwrap();
        assert!(matches!(small.held, Held::Memory(_)));
        assert_eq!(read_all(&small, folder.path(), |_| {}).unwrap().games, 10);
        let (folder, path) = games(100_000);
        let large = GameFile::open::<Position>(&path, folder.path()).unwrap();
        assert!(matches!(large.held, Held::InPlace));
        assert_eq!(read_all(&large, folder.path(), |_| {}).unwrap().games, 100_000);
        let mut packed = zstd::encode_all(GAME.repeat(100_000).as_bytes(), 1).unwrap();
        packed.extend_from_slice(b"\x50\x2a\x4d\x18\0\0\x20\0"); // a frame to be skipped
        packed.resize(packed.len() + (2 << 20), 0);
        std::fs::write(&path, &packed).unwrap();
        let packed = GameFile::open::<Position>(&path, folder.path()).unwrap();
        assert!(matches!(packed.held, Held::Copied(_)));
        assert_eq!(read_all(&packed, folder.path(), |_| {}).unwrap().games, 100_000);
        // Elsewhere temporary files have names while they are open.
        if cfg!(unix) {
            assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        }
    }

    #[test]
    fn changes_are_found() {
        let (folder, path) = games(WINDOW * 2 / GAME.len());
        let open = || File::options().write(true).open(&path).unwrap();
        type Change<'a> = &'a dyn Fn();
        let changes: [Change<'_>; 3] = [
            &|| open().write_all(b"[Event \"b\"]").unwrap(),
            &|| File::options().append(true).open(&path).unwrap().write_all(b"\n").unwrap(),
            &|| open().set_len(10).unwrap(),
        ];
        for change in changes {
            let file = GameFile::open::<Position>(&path, folder.path()).unwrap();
            let read = read_all(&file, folder.path(), |game| {
                if game == 1 {
                    change();
                }
            });
            assert!(ChangedError::is_in(&read.unwrap_err()));
        }
        // One that is replaced by renaming stays as it was.
        let (folder, path) = games(100_000);
        let file = GameFile::open::<Position>(&path, folder.path()).unwrap();
        std::fs::write(folder.path().join("b"), GAME).unwrap();
        std::fs::rename(folder.path().join("b"), &path).unwrap();
        assert_eq!(read_all(&file, folder.path(), |_| {}).unwrap().games, 100_000);
    }

    #[test]
    fn a_copy_does_not_follow_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cbl");
        let mut bytes = b"CCBridgeLibrary\0".to_vec();
        bytes.resize(2 << 20, 7);
        std::fs::write(&path, &bytes).unwrap();
        let file = GameFile::open::<Position>(&path, folder.path()).unwrap();
        assert!(matches!(file.held, Held::Copied(_)));
        File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        assert_eq!(file.bytes(), Some(&bytes[..]));
    }

    #[test]
    fn an_input_is_taken_up_to_a_bound_and_an_interrupt() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = GAME.repeat(5000);
        let stop = StopFlag::default();
        let len = bytes.len() as u64;
        let spool = |most| GameFile::spool_up_to(most, &mut bytes.as_bytes(), folder.path(), &stop);
        assert_eq!(spool(len).unwrap().bytes(), Some(bytes.as_bytes()));
        assert_eq!(spool(len - 1).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        // One that has no end.
        let endless = GameFile::spool_up_to(1 << 20, &mut io::repeat(0), folder.path(), &stop);
        assert_eq!(endless.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        stop.set();
        assert_eq!(spool(len).unwrap_err().kind(), io::ErrorKind::Interrupted);
        let nothing = GameFile::spool(&mut io::empty(), folder.path(), &StopFlag::default());
        assert!(nothing.unwrap().is_empty());
    }
}
