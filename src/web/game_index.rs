//! The library of the server: an index of its games for each game, brought up to the files in the background.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::locked::locked;
use super::problem::Problem;
use crate::game_name::{GameName, with_game};
use crate::language::error_messages::in_full;
use juzhong::bytes::StopFlag;
use juzhong::collection::{
    Collected, GameIndex, IndexError, IndexProgress, IndexReport, index_path,
};
use juzhong::message::{Message, ToMessage};
use juzhong::record::{Formats, GameFile, Keep, ParsedGame, ReadOptions, read_game_file};

/// The least time between two looks at the files, by itself and as a multiple of the time that the last look took.
const REST: Duration = Duration::from_secs(5);
const REST_FACTOR: u32 = 20;

/// The interval at which the end of the server is looked for, and a wait for other processes.
const POLL: Duration = Duration::from_millis(200);

/// The time after which another process is looked for again that brings the index up to the files.
const BUSY: Duration = Duration::from_secs(2);

/// The number of attempts at an index that turns out to be damaged.
const TRIES: usize = 3;

/// Connections that are kept for later requests.
const IDLE: usize = 8;

/// The games of the files and folders that the server was given.
#[derive(Default)]
pub(crate) struct Library {
    xiangqi: OnceLock<Arc<Shelf>>,
    gomoku: OnceLock<Arc<Shelf>>,
}

/// The games of one game.
#[derive(Default)]
pub(crate) struct Shelf {
    state: Mutex<State>,
    changed: Condvar,
    idle: Mutex<Idle>,
}

/// Connections that are not in use, to the file as it was made last.
#[derive(Default)]
struct Idle {
    connections: Vec<GameIndex>,
    /// The number of times that the file was made anew.
    generation: u64,
}

/// The state of an index.
#[derive(Default)]
struct State {
    /// The file, once it is there.
    path: Option<PathBuf>,
    progress: IndexProgress,
    /// The outcome of the last look at the files.
    report: Option<IndexReport>,
    /// Games were asked for since the last look.
    is_asked: bool,
    is_at_work: bool,
    /// The reason why there is no index.
    fault: Option<Message>,
}

impl State {
    /// Returns true while games are read, not only files looked at.
    const fn is_reading(&self) -> bool {
        let is_incomplete = self.progress.files_done < self.progress.files;
        self.report.is_none() || self.is_at_work && is_incomplete
    }
}

/// The counts and the progress of the whole index.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct About {
    /// The progress, while files are read.
    pub(crate) progress: Option<IndexProgress>,
    pub(crate) report: IndexReport,
}

impl Library {
    /// The games of `game` in the files and folders, of which an index is made in `folder`.
    pub(crate) fn shelf(
        &self,
        game: GameName,
        (folder, paths): (Option<&Path>, &[PathBuf]),
        stop: &StopFlag,
    ) -> &Arc<Shelf> {
        let shelf = match game {
            GameName::Xiangqi => &self.xiangqi,
            GameName::Gomoku => &self.gomoku,
        };
        shelf.get_or_init(|| {
            let shelf = Arc::new(Shelf::default());
            let (kept, paths) = (Arc::clone(&shelf), paths.to_vec());
            let (folder, stop) = (folder.map(Path::to_owned), stop.clone());
            let work =
                move || with_game!(game, G => kept.keep::<G>(folder.as_deref(), &paths, &stop));
            let started = std::thread::Builder::new().name("library".to_owned()).spawn(work);
            if let Err(error) = started {
                locked(&shelf.state).fault = Some(error.message());
            }
            shelf
        })
    }
}

impl Shelf {
    /// Keeps the index up to the files until the server ends.
    fn keep<G: Collected>(&self, folder: Option<&Path>, paths: &[PathBuf], stop: &StopFlag) {
        let mut place = folder.and_then(|folder| index_path::<G>(folder, paths).ok());
        // Where the folder cannot be used, the index lasts as long as the server.
        let mut temporary = None;
        while !stop.is_set() {
            let path = match &place {
                Some(path) => path.clone(),
                None => match tempfile::tempdir() {
                    Ok(folder) => {
                        let path = folder.path().join("library.games");
                        temporary = Some(folder);
                        place.insert(path).clone()
                    }
                    Err(error) => return self.give_up(error.message()),
                },
            };
            let since = Instant::now();
            match self.pass::<G>(&path, paths, stop) {
                Ok(()) => self.wait_for_questions(REST.max(since.elapsed() * REST_FACTOR), stop),
                Err(IndexError::Busy(_)) => self.wait_for_questions(BUSY, stop),
                Err(IndexError::Interrupted) => return,
                Err(error) if temporary.is_some() => return self.give_up(in_full(&error)),
                Err(error) => {
                    tracing::warn!("{error}: the index of the library is made elsewhere");
                    place = None;
                }
            }
        }
    }

    /// Brings the index up to the files.
    fn pass<G: Collected>(
        &self,
        path: &Path,
        paths: &[PathBuf],
        stop: &StopFlag,
    ) -> Result<(), IndexError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.try_pass::<G>(path, paths, stop) {
                Err(error) if error.is_damage() && tries < TRIES => {
                    let mut idle = locked(&self.idle);
                    // Those that are kept would go on reading the file that is removed.
                    idle.connections.clear();
                    idle.generation += 1;
                    drop(idle);
                    GameIndex::remove(path)?;
                }
                outcome => return outcome,
            }
        }
    }

    fn try_pass<G: Collected>(
        &self,
        path: &Path,
        paths: &[PathBuf],
        stop: &StopFlag,
    ) -> Result<(), IndexError> {
        let mut index = GameIndex::open::<G>(path, stop)?;
        let mut is_checked = false;
        self.tell(|state| {
            is_checked = state.report.is_some();
            state.path = Some(path.to_owned());
            state.is_asked = false;
            state.is_at_work = true;
        });
        if !is_checked {
            index.verify()?;
        }
        // While another process does it, what is there is shown.
        let report = index.update::<G>(paths, &mut |progress| {
            self.tell(|state| state.progress = progress);
        })?;
        self.tell(|state| {
            state.is_at_work = false;
            state.report = Some(report);
        });
        Ok(())
    }

    fn give_up(&self, fault: Message) {
        self.tell(|state| state.fault = Some(fault));
    }

    fn tell(&self, change: impl FnOnce(&mut State)) {
        change(&mut locked(&self.state));
        self.changed.notify_all();
    }

    /// Waits until games are asked for, but at least for that time.
    fn wait_for_questions(&self, rest: Duration, stop: &StopFlag) {
        let since = Instant::now();
        let mut state = locked(&self.state);
        // Without a report the files were not looked at yet, or the index was damaged: the next look comes unasked.
        while !stop.is_set()
            && (since.elapsed() < rest || !state.is_asked && state.report.is_some())
        {
            state =
                self.changed.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Asks the index: at once if `is_partial`, though files may still be read, else when all are.
    pub(crate) fn ask<G: Formats, T>(
        &self,
        is_partial: bool,
        stop: &StopFlag,
        work: impl FnOnce(&GameIndex, &About) -> Result<T, IndexError>,
    ) -> Result<T, Problem> {
        let (path, about) = self.wait(is_partial, stop)?;
        let (known, generation) = {
            let mut idle = locked(&self.idle);
            (idle.connections.pop(), idle.generation)
        };
        let asked = known.map_or_else(|| GameIndex::open::<G>(&path, stop), Ok).and_then(|index| {
            let answer = work(&index, &about)?;
            let mut idle = locked(&self.idle);
            // A connection to a file that was made anew meanwhile is not kept.
            if idle.generation == generation && idle.connections.len() < IDLE {
                idle.connections.push(index);
            }
            Ok(answer)
        });
        asked.map_err(|error| {
            if error.is_damage() {
                // The next look at the files looks through the index, too.
                self.tell(|state| state.report = None);
            }
            not_asked(error)
        })
    }

    /// Waits until there is an index, and unless `is_partial` until all files are read.
    fn wait(&self, is_partial: bool, stop: &StopFlag) -> Result<(PathBuf, About), Problem> {
        let mut state = locked(&self.state);
        state.is_asked = true;
        loop {
            if let Some(fault) = &state.fault {
                return Err(Problem::unavailable(fault.clone()));
            }
            if let Some(path) = state.path.clone()
                && (is_partial || state.report.is_some())
            {
                let progress = Some(state.progress).filter(|_| state.is_reading());
                return Ok((path, About { progress, report: state.report.unwrap_or_default() }));
            }
            if stop.is_set() {
                return Err(Problem::unavailable("the server ends"));
            }
            state =
                self.changed.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The reason why an index is not asked.
fn not_asked(error: IndexError) -> Problem {
    match error {
        IndexError::Interrupted => Problem::unavailable("the server ends"),
        error => Problem::damaged(in_full(&error)),
    }
}

/// The game of that number in a file, from 0, bad ones counted too.
pub(crate) fn read_from_file<G: Formats>(file: &Path, number: u64) -> Option<ParsedGame<G>> {
    let folder = std::env::temp_dir();
    let opened = GameFile::open::<G>(file, &folder).ok()?;
    let source = file.file_name()?.to_string_lossy();
    let mut at = 0;
    let mut found = None;
    let options = ReadOptions::keeping(Keep::Opened);
    let mut take = |_: &str, game: Result<ParsedGame<G>, _>| {
        at += 1;
        if at <= number {
            return ControlFlow::Continue(());
        }
        found = game.ok();
        ControlFlow::Break(())
    };
    read_game_file::<G>(&source, &opened, &folder, &StopFlag::default(), options, &mut take)
        .ok()?;
    found
}
