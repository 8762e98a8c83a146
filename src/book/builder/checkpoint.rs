//! The checkpoint of an interrupted build: the games it has read, kept for the next one.
//!
//! Reading and checking games takes most of a build's time. A task reads a stretch of a file; the results of
//! tasks are collected in memory, and when that is full, or some time has passed, they are written as a
//! *part* to the folder `.BOOK.parts` beside the book: a sorted run of games, one of rejects, and last a list
//! of the tasks that they hold, whole. A build that finds parts of the same files, read in the same way, uses
//! them and skips their tasks. Any others are removed, and all are when a build ends.
//!
//! ```text
//! N.games, N.rejects   runs, as temporary files hold them
//! N.part               the sealed list: what is built, the tasks, BLAKE3 of both runs
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::book::builder::counts::FileReport;
use crate::book::builder::rejects::Listed;
use crate::book::model::counted_game::CountedGame;
use crate::bytes::external_sort::Sorter;
use crate::bytes::held::patiently;
use crate::bytes::lock::beside;
use crate::bytes::own_files;
use crate::bytes::sealed::{self, SealedKind};

/// The lists of parts.
const KIND: SealedKind = SealedKind { magic: *b"JZPART\0\0", version: 3, limit: 256 << 20 };

/// The time that collecting must have taken for it to be kept when a build is interrupted.
const WORTH: Duration = Duration::from_secs(2);

/// A finished task and its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FinishedTask {
    /// The numbers of the file and of the stretch of it.
    pub(crate) place: [u64; 2],
    /// The beginning of the BLAKE3 of the bytes that were read: the report holds for no others.
    pub(crate) bytes: [u8; 16],
    pub(crate) report: FileReport,
}

/// The name by content of a stretch that a task reads.
pub(crate) fn name_of(bytes: &[u8]) -> [u8; 16] {
    blake3::hash(bytes).as_bytes().first_chunk().copied().unwrap_or_default()
}

/// The list of a part.
#[derive(Debug, Serialize, Deserialize)]
struct List {
    /// The fingerprint of the build: its options and files.
    fingerprint: [u8; 32],
    /// Serial numbers in the part are below this one.
    serial: u64,
    tasks: Vec<FinishedTask>,
    /// BLAKE3 of the runs.
    games: [u8; 32],
    rejects: [u8; 32],
}

/// The destinations of the results of tasks.
#[derive(Debug)]
pub(crate) struct Sinks<'a> {
    pub(crate) games: &'a Sorter<CountedGame>,
    pub(crate) rejects: &'a Sorter<Listed>,
}

/// Collects the results of tasks, and keeps them in parts.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
    fingerprint: [u8; 32],
    every: Duration,
    /// Bytes that are collected before a part is written.
    budget: usize,
    done: BTreeMap<[u64; 2], FinishedTask>,
    state: Mutex<CheckpointState>,
}

#[derive(Debug)]
struct CheckpointState {
    pending: Pending,
    /// The time when the last part was written, or this build began.
    since: Instant,
    /// The number of the next part.
    number: u64,
}

#[derive(Debug, Default)]
struct Pending {
    tasks: Vec<FinishedTask>,
    games: Vec<Vec<CountedGame>>,
    rejects: Vec<Vec<Listed>>,
    bytes: usize,
}

/// A part of an earlier build.
struct CheckpointPart {
    list: List,
    games: File,
    rejects: File,
}

impl Checkpoint {
    /// Hands the parts beside `output` that have this fingerprint to the sinks, and removes all others. The
    /// caller must hold the right to write `output`.
    pub(crate) fn open(
        output: &Path,
        fingerprint: [u8; 32],
        every: Duration,
        budget: usize,
        sinks: &Sinks<'_>,
    ) -> io::Result<(Self, u64)> {
        let folder = beside(output, ".parts")?;
        check(&folder)?;
        let mut done = BTreeMap::new();
        let mut serial = 0;
        let mut number = 0;
        for (n, path) in lists(&folder) {
            number = number.max(n + 1);
            let part = CheckpointPart::open(&folder, n, &path, &fingerprint);
            let Some(part) =
                // A task that two parts report would be counted twice.
                part.filter(|p| p.list.tasks.iter().all(|t| !done.contains_key(&t.place)))
            else {
                continue;
            };
            done.extend(part.list.tasks.iter().map(|task| (task.place, *task)));
            serial = serial.max(part.list.serial);
            sinks.games.add_run(part.games)?;
            sinks.rejects.add_run(part.rejects)?;
        }
        if done.is_empty() {
            own_files::clear_folder(&folder, is_of_parts);
            number = 0;
        }
        let state = CheckpointState { pending: Pending::default(), since: Instant::now(), number };
        let state = Mutex::new(state);
        Ok((Self { folder, fingerprint, every, budget, done, state }, serial))
    }

    /// The report of an earlier build on this task.
    pub(crate) fn done(&self, place: [u64; 2]) -> Option<FinishedTask> {
        self.done.get(&place).copied()
    }

    /// All tasks of earlier builds.
    pub(crate) fn all_done(&self) -> impl Iterator<Item = &FinishedTask> {
        self.done.values()
    }

    /// Collects the results of a task. `serial` is above all serial numbers in it. No lock is held while a
    /// part is written.
    pub(crate) fn add(
        &self,
        task: FinishedTask,
        games: Vec<CountedGame>,
        rejects: Vec<Listed>,
        serial: impl Fn() -> u64,
        sinks: &Sinks<'_>,
    ) -> io::Result<()> {
        let (pending, number) = {
            let mut state = self.lock();
            let pending = &mut state.pending;
            pending.bytes += Sorter::<CountedGame>::size(&games) + Sorter::<Listed>::size(&rejects);
            pending.tasks.push(task);
            pending.games.push(games);
            pending.rejects.push(rejects);
            if pending.bytes < self.budget && state.since.elapsed() < self.every {
                return Ok(());
            }
            state.take()
        };
        self.keep(pending, number, serial(), sinks)
    }

    /// Writes a part and hands it to the sinks.
    fn keep(&self, pending: Pending, number: u64, serial: u64, to: &Sinks<'_>) -> io::Result<()> {
        let (games, rejects) = self.write(pending, number, serial)?;
        to.games.add_run(games)?;
        to.rejects.add_run(rejects)
    }

    fn write(&self, pending: Pending, number: u64, serial: u64) -> io::Result<(File, File)> {
        make_folder(&self.folder)?;
        let games = create(&self.at(number, "games"))?;
        let mut games = Sorter::<CountedGame>::write_to(games, pending.games)?;
        let rejects = create(&self.at(number, "rejects"))?;
        let mut rejects = Sorter::<Listed>::write_to(rejects, pending.rejects)?;
        let list = List {
            fingerprint: self.fingerprint,
            serial,
            tasks: pending.tasks,
            games: hash(&mut games)?,
            rejects: hash(&mut rejects)?,
        };
        let bytes = sealed::seal(KIND, &list).map_err(io::Error::other)?;
        let unfinished = self.at(number, "new");
        create(&unfinished)?.write_all(&bytes)?;
        // The list comes last and under its name at once: a part without a list does not exist, whatever
        // else of it lies there.
        patiently(|| fs::rename(&unfinished, self.at(number, "part")))?;
        Ok((games, rejects))
    }

    /// Hands over the results that are not in any part, at the end. If there are parts, these results become
    /// one, so that all games read are kept while the book is packed.
    pub(crate) fn settle(&self, serial: u64, sinks: &Sinks<'_>) -> io::Result<()> {
        let (pending, number) = self.lock().take();
        if number > 0 && !pending.tasks.is_empty() {
            return self.keep(pending, number, serial, sinks);
        }
        pending.games.into_iter().try_for_each(|games| sinks.games.push(games))?;
        pending.rejects.into_iter().try_for_each(|rejects| sinks.rejects.push(rejects))
    }

    /// Keeps the collected results, if it is worth it, because the build ends early.
    pub(crate) fn save(&self, serial: u64) {
        let (pending, number) = {
            let mut state = self.lock();
            if state.pending.tasks.is_empty() || state.since.elapsed() < self.every.min(WORTH) {
                return;
            }
            state.take()
        };
        let saved = self.write(pending, number, serial);
        tracing::debug!(saved = saved.is_ok(), "parts of an interrupted build");
    }

    /// Removes all parts.
    pub(crate) fn discard(&self) {
        own_files::clear_folder(&self.folder, is_of_parts);
    }

    fn at(&self, number: u64, ending: &str) -> PathBuf {
        file_of(&self.folder, number, ending)
    }

    fn lock(&self) -> MutexGuard<'_, CheckpointState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CheckpointState {
    /// The collected results, and the number of the part that they can become.
    fn take(&mut self) -> (Pending, u64) {
        self.since = Instant::now();
        self.number += 1;
        (std::mem::take(&mut self.pending), self.number - 1)
    }
}

impl CheckpointPart {
    /// The part of that number, if it is whole and of that fingerprint. Removes it otherwise.
    fn open(folder: &Path, number: u64, path: &Path, fingerprint: &[u8; 32]) -> Option<Self> {
        let part = Self::read(folder, number, path, fingerprint);
        if part.is_none() {
            let names = ["part", "games", "rejects"].map(|ending| format!("{number}.{ending}"));
            own_files::clear_folder(folder, |name| names.iter().any(|of_part| name == of_part));
        }
        part
    }

    /// Does what [`open`](Self::open) does, but removes nothing.
    fn read(folder: &Path, number: u64, path: &Path, fingerprint: &[u8; 32]) -> Option<Self> {
        let mut list = Vec::new();
        // One byte more than is allowed, so that a longer file is noticed.
        own_files::open(path).ok()?.take(KIND.limit + 1).read_to_end(&mut list).ok()?;
        if list.len() as u64 > KIND.limit {
            return None;
        }
        let list: List = sealed::unseal(KIND, &list).ok()?;
        let mut games = own_files::open(&file_of(folder, number, "games")).ok()?;
        let mut rejects = own_files::open(&file_of(folder, number, "rejects")).ok()?;
        let is_whole = list.fingerprint == *fingerprint
            && hash(&mut games).ok()? == list.games
            && hash(&mut rejects).ok()? == list.rejects;
        is_whole.then_some(Self { list, games, rejects })
    }
}

/// The path of a file of the part of that number.
fn file_of(folder: &Path, number: u64, ending: &str) -> PathBuf {
    folder.join(format!("{number}.{ending}"))
}

/// The lists in the folder, by numbers.
fn lists(folder: &Path) -> BTreeMap<u64, PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((number_of(entry.file_name().to_str()?)?, entry.path())))
        .collect()
}

/// The number in the name of a list.
fn number_of(name: &str) -> Option<u64> {
    name.strip_suffix(".part")?.parse().ok()
}

/// Returns true if a file of that name belongs to parts, whole or not.
fn is_of_parts(name: &str) -> bool {
    name.split_once('.').is_some_and(|(number, ending)| {
        number.bytes().all(|byte| byte.is_ascii_digit())
            && matches!(ending, "games" | "rejects" | "part" | "new")
    })
}

/// Refuses a link, a file, and a folder of another user in the place of parts.
fn check(folder: &Path) -> io::Result<()> {
    match own_files::check_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        checked => checked,
    }
}

/// Makes the folder of parts if there is none. Users who may not read the book beside it may not read the
/// folder either.
fn make_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    let builder = closed_like_the_book(folder);
    #[cfg(not(unix))]
    let builder = fs::DirBuilder::new();
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            own_files::check_folder(folder)
        }
        made => made,
    }
}

/// A builder of the folder of parts, with the mode that follows from the book's.
#[cfg(unix)]
fn closed_like_the_book(folder: &Path) -> fs::DirBuilder {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let mut builder = fs::DirBuilder::new();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let book = name.strip_prefix('.').and_then(|name| name.strip_suffix(".parts"));
    if let Some(Ok(about)) = book.map(|book| folder.with_file_name(book).metadata()) {
        let read = about.mode() & 0o444;
        // Whoever may read the book may list and enter the folder: the right to read is bit 2 of each
        // three, that to enter bit 0.
        builder.mode(0o700 | read | read >> 2);
    }
    builder
}

/// Makes a file, in place of one that a killed build left there: never writes into an existing file of that
/// name, which may be a link.
fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::options().read(true).write(true).create_new(true).open(path),
    }
}

/// BLAKE3 of a file, whose position is its start then.
fn hash(file: &mut File) -> io::Result<[u8; 32]> {
    file.rewind()?;
    let hash = blake3::Hasher::new().update_reader(&*file)?.finalize().into();
    file.rewind()?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::rejects::RejectReason;
    use crate::book::model::counted_game::GameId;
    use crate::bytes::StopFlag;

    struct Place(tempfile::TempDir);

    impl Place {
        fn sinks(&self) -> (Sorter<CountedGame>, Sorter<Listed>) {
            let stop = StopFlag::default();
            (Sorter::new(self.0.path(), 1 << 20, &stop), Sorter::new(self.0.path(), 1 << 20, &stop))
        }

        /// Opens, lets `work` work, and returns the contents of the sinks: ids and numbers of rejects.
        fn run(
            &self,
            fingerprint: u8,
            work: impl Fn(&Checkpoint, &Sinks<'_>),
        ) -> (Vec<u8>, Vec<u64>) {
            let (games, rejects) = self.sinks();
            let sinks = Sinks { games: &games, rejects: &rejects };
            let (checkpoint, _) = self.open(fingerprint, &sinks);
            work(&checkpoint, &sinks);
            let ids = games.finish().unwrap().map(|game| game.unwrap().id.0[0]).collect();
            let numbers = rejects.finish().unwrap().map(|r| r.unwrap().number[2]).collect();
            (ids, numbers)
        }

        fn open(&self, fingerprint: u8, sinks: &Sinks<'_>) -> (Checkpoint, u64) {
            let output = self.0.path().join("b");
            Checkpoint::open(&output, [fingerprint; 32], Duration::ZERO, 1 << 20, sinks).unwrap()
        }

        fn names(&self) -> Vec<String> {
            let folder = self.0.path().join(".b.parts");
            let mut names: Vec<String> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    fn add(checkpoint: &Checkpoint, sinks: &Sinks<'_>, n: u8) {
        let place = [0, n.into()];
        let task = FinishedTask { place, bytes: [0; 16], report: FileReport::default() };
        let reject = Listed {
            number: [0, n.into(), 1],
            place: crate::record::Place::Line(1),
            game: 1,
            reason: RejectReason::NoMoves,
        };
        let game = CountedGame::empty(GameId([n; 16]));
        checkpoint.add(task, vec![game], vec![reject], || u64::from(n) + 5, sinks).unwrap();
    }

    fn add_two(checkpoint: &Checkpoint, sinks: &Sinks<'_>) {
        add(checkpoint, sinks, 1);
        add(checkpoint, sinks, 2);
    }

    #[test]
    fn what_was_kept_is_taken_over() {
        let place = Place(tempfile::tempdir().unwrap());
        let both = place.run(1, add_two);
        assert_eq!(both, (vec![1, 2], vec![1, 1]));
        assert_eq!(place.names().len(), 6);
        let (games, rejects) = place.sinks();
        let sinks = Sinks { games: &games, rejects: &rejects };
        let (checkpoint, serial) = place.open(1, &sinks);
        assert_eq!(serial, 7);
        assert_eq!(checkpoint.all_done().count(), 2);
        assert!(checkpoint.done([0, 1]).is_some() && checkpoint.done([0, 3]).is_none());
        add(&checkpoint, &sinks, 3);
        drop(checkpoint);
        let three = place.run(1, |checkpoint, _| assert!(checkpoint.done([0, 3]).is_some()));
        assert_eq!(three.0, [1, 2, 3]);
        let none = place.run(1, |checkpoint, _| checkpoint.discard());
        assert_eq!(none.0, [1, 2, 3], "files that are open stay readable");
        assert!(!place.0.path().join(".b.parts").exists());
    }

    #[test]
    fn damaged_and_other_parts_are_removed() {
        let place = Place(tempfile::tempdir().unwrap());
        place.run(1, add_two);
        let folder = place.0.path().join(".b.parts");
        let mut run = fs::read(folder.join("0.games")).unwrap();
        *run.last_mut().unwrap() ^= 1;
        fs::write(folder.join("0.games"), run).unwrap();
        fs::write(folder.join("7.games"), "left behind").unwrap();
        assert_eq!(place.run(1, |_, _| {}).0, [2]);
        fs::write(folder.join("1.part"), "no list").unwrap();
        assert_eq!(place.run(1, |_, _| {}).0, [0u8; 0]);
        assert!(!folder.exists());
        place.run(1, add_two);
        assert_eq!(place.run(2, |_, _| {}).0, [0u8; 0]);
        assert!(!folder.exists());
        // Files that do not belong to parts stay.
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("notes.txt"), "").unwrap();
        place.run(1, |checkpoint, _| checkpoint.discard());
        assert_eq!(place.names(), ["notes.txt"]);
    }

    /// Neither the folder nor its contents lead anywhere else.
    #[cfg(unix)]
    #[test]
    fn links_are_neither_followed_nor_written() {
        use std::os::unix::fs::symlink;
        let place = Place(tempfile::tempdir().unwrap());
        let at = |name: &str| place.0.path().join(name);
        fs::create_dir(at("far")).unwrap();
        fs::write(at("far/0.games"), "mine").unwrap();
        symlink(at("far"), at(".b.parts")).unwrap();
        let (games, rejects) = place.sinks();
        let sinks = Sinks { games: &games, rejects: &rejects };
        let error =
            Checkpoint::open(&at("b"), [1; 32], Duration::ZERO, 1 << 20, &sinks).unwrap_err();
        assert!(error.to_string().contains(".b.parts is a symbolic link"), "{error}");
        fs::remove_file(at(".b.parts")).unwrap();
        fs::create_dir(at(".b.parts")).unwrap();
        for name in ["0.games", "0.rejects", "0.new", "1.part"] {
            symlink(at("far/0.games"), at(".b.parts").join(name)).unwrap();
        }
        fs::hard_link(at("far/0.games"), at(".b.parts/1.games")).unwrap();
        place.run(1, add_two);
        assert_eq!(place.run(1, |_, _| {}).0, [1, 2]);
        assert_eq!(fs::read(at("far/0.games")).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn parts_of_a_private_book_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let place = Place(tempfile::tempdir().unwrap());
        let book = place.0.path().join("b");
        fs::write(&book, "").unwrap();
        fs::set_permissions(&book, fs::Permissions::from_mode(0o600)).unwrap();
        place.run(1, |checkpoint, sinks| {
            add(checkpoint, sinks, 1);
            let mode = place.0.path().join(".b.parts").metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        });
    }

    #[test]
    fn little_is_not_worth_keeping() {
        let place = Place(tempfile::tempdir().unwrap());
        let (games, rejects) = place.sinks();
        let sinks = Sinks { games: &games, rejects: &rejects };
        let output = place.0.path().join("b");
        let hour = Duration::from_secs(3600);
        let (checkpoint, _) = Checkpoint::open(&output, [1; 32], hour, 1 << 20, &sinks).unwrap();
        add(&checkpoint, &sinks, 1);
        checkpoint.save(9);
        assert!(place.names().is_empty());
        checkpoint.settle(9, &sinks).unwrap();
        assert_eq!(games.finish().unwrap().count(), 1);
    }
}
