//! Collections of exercises: a text file with one exercise a line, behind a line that names format and version.
//!
//! A change reads the file, makes it and writes the file anew while it holds the file's lock, so that of two sessions none
//! loses the other's answers. The file is there whole or not at all.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::day::Day;
use super::exercise::{Exercise, MAX_ACCEPTED};
use super::schedule::{Grade, Schedule};
use crate::bytes::lock::{Busy, FileLock, LockError};
use crate::bytes::visible::{ShowPath, first_chars};
use crate::bytes::{atomic, open};
use crate::message::{Message, message};

/// The first member of the first line.
const FORMAT: &str = "juzhong.train";
/// The version that is written and read.
const VERSION: u32 = 1;
/// The largest file, in bytes.
pub const MAX_FILE: u64 = 64 << 20;
/// The most exercises of a file.
pub const MAX_EXERCISES: usize = 50_000;

/// The time that a change waits for that of another session.
const QUEUE_TIME: Duration = Duration::from_secs(5);

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// The reason why a collection cannot be had or changed.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
pub enum TrainError {
    /// There is no such file.
    #[error("{}: no such file; create it with --add", path.shown())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("{}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a collection.
    #[error("{}: not a file of exercises; name another file", path.shown())]
    NoCollection {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version of this program.
    #[error("{}: version {version} of the format is not known; use a newer juzhong", path.shown())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A line of the file is damaged.
    #[error("{}:{line}: {what}; remove the line, or restore the file from a backup", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        what: Message,
    },
    /// Another process changes the file, and goes on doing so.
    #[error(transparent)]
    Busy(Busy),
    /// The file is read-only.
    #[error("{}: this file is read-only; make it writable or choose another name", path.shown())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file would become too large.
    #[error(
        "{}: it would have more than {} exercises or {} bytes; begin another file",
        path.shown(), MAX_EXERCISES, MAX_FILE
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// There is no exercise of that name.
    #[error("there is no exercise {id}")]
    Unknown {
        /// The name.
        id: String,
    },
}

impl TrainError {
    /// The error of the system at a file.
    fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<LockError> for TrainError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy(busy) => Self::Busy(busy),
            LockError::File { path, source } => Self::Io { path, source },
        }
    }
}

/// The effect of an exercise that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is new.
    New,
    /// One of its name was there, and got further moves.
    Extended,
    /// All of it was there.
    Known,
}

/// The exercises of a file, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collection {
    exercises: Vec<Exercise>,
    /// The places of exercises by their names.
    places: HashMap<String, usize>,
}

impl Collection {
    /// The exercises, in the order of the file.
    #[must_use]
    pub fn exercises(&self) -> &[Exercise] {
        &self.exercises
    }

    /// The exercise of that name.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Exercise> {
        self.places.get(id).map(|&place| &self.exercises[place])
    }

    /// Adds an exercise at the end. If one of its name is there, that only gets the moves that are right by the new one
    /// and not known yet.
    pub fn add(&mut self, exercise: Exercise) -> Added {
        let Some(&place) = self.places.get(&exercise.id) else {
            self.places.insert(exercise.id.clone(), self.exercises.len());
            self.exercises.push(exercise);
            return Added::New;
        };
        let accepted = &mut self.exercises[place].accepted;
        let before = accepted.len();
        for right in exercise.accepted {
            if accepted.len() < MAX_ACCEPTED && accepted.iter().all(|known| known.mv != right.mv) {
                accepted.push(right);
            }
        }
        if accepted.len() > before { Added::Extended } else { Added::Known }
    }

    /// The exercises of a game that are due on a day: those that were answered before, the longest due first, then the new
    /// ones; of equal ones those first that the file has first.
    #[must_use]
    pub fn due(&self, game: &str, day: Day) -> Vec<&Exercise> {
        let of_game = self.exercises.iter().filter(|exercise| exercise.game == game);
        let mut due: Vec<&Exercise> =
            of_game.filter(|exercise| exercise.schedule.is_due(day)).collect();
        // A stable sort: equal ones stay in the order of the file.
        due.sort_by_key(|exercise| (exercise.schedule.is_new(), exercise.schedule.due));
        due
    }

    /// Notes the answer to an exercise.
    ///
    /// # Errors
    ///
    /// [`TrainError::Unknown`] if there is no such exercise.
    pub fn answer(&mut self, id: &str, grade: Grade, day: Day) -> Result<&Schedule, TrainError> {
        let place = self.places.get(id);
        let place =
            *place.ok_or_else(|| TrainError::Unknown { id: first_chars(id, 40).to_owned() })?;
        let schedule = &mut self.exercises[place].schedule;
        schedule.answer(grade, day);
        Ok(schedule)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The file is not there, cannot be read, or is damaged; the line and the fault.
    pub fn read(path: &Path) -> Result<Self, TrainError> {
        let bytes = open::read(path, MAX_FILE).map_err(|source| match source.kind() {
            ErrorKind::NotFound => TrainError::Absent { path: path.to_owned() },
            _ => TrainError::io(path, source),
        })?;
        Self::from_bytes(path, &bytes)
    }

    /// Reads the content of a file, which errors name.
    ///
    /// # Errors
    ///
    /// It is damaged; the line and the fault.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, TrainError> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let mut lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
        let first = lines.next().map(|(_, line)| line).unwrap_or_default();
        let head = serde_json::from_slice::<Head>(first).ok().filter(|head| head.format == FORMAT);
        let Some(head) = head else {
            return Err(TrainError::NoCollection { path: path.to_owned() });
        };
        if head.version != VERSION {
            return Err(TrainError::Version { path: path.to_owned(), version: head.version });
        }
        let mut collection = Self::default();
        for (line, text) in lines.filter(|(_, text)| !text.trim_ascii().is_empty()) {
            let added = read_line(text).and_then(|exercise| match collection.add(exercise) {
                Added::New => Ok(()),
                Added::Extended | Added::Known => Err("duplicate exercise".into()),
            });
            added.map_err(|what| TrainError::Damaged { path: path.to_owned(), line, what })?;
            if collection.exercises.len() > MAX_EXERCISES {
                return Err(TrainError::Full { path: path.to_owned() });
            }
        }
        Ok(collection)
    }

    /// The content of a file.
    ///
    /// # Errors
    ///
    /// If it cannot be put into words, which no collection that was read brings about.
    pub fn to_text(&self) -> io::Result<String> {
        let head = Head { format: FORMAT.to_owned(), version: VERSION };
        let mut text = serde_json::to_string(&head)? + "\n";
        for exercise in &self.exercises {
            text += &serde_json::to_string(exercise)?;
            text.push('\n');
        }
        Ok(text)
    }

    fn write(&self, path: &Path) -> Result<(), TrainError> {
        let text = self.to_text().map_err(|source| TrainError::io(path, source))?;
        if self.exercises.len() > MAX_EXERCISES || text.len() as u64 > MAX_FILE {
            return Err(TrainError::Full { path: path.to_owned() });
        }
        atomic::write(path, text.as_bytes()).map_err(|source| TrainError::io(path, source))
    }

    /// Reads a file, changes it and writes it anew if `change` has made it another, while no other process does so. With
    /// `create`, a file that is not there is one without exercises.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), of `change`, and of writing; then the file stays as it was.
    pub fn update<T>(
        path: &Path,
        create: bool,
        change: impl FnOnce(&mut Self) -> Result<T, TrainError>,
    ) -> Result<T, TrainError> {
        // The file is replaced by another, which its own permissions would not prevent.
        if path.metadata().is_ok_and(|about| about.permissions().readonly()) {
            return Err(TrainError::ReadOnly { path: path.to_owned() });
        }
        let _lock = FileLock::take_within(path, QUEUE_TIME)?;
        let (before, is_there) = match Self::read(path) {
            Err(TrainError::Absent { .. }) if create => (Self::default(), false),
            read => (read?, true),
        };
        let mut after = before.clone();
        let answer = change(&mut after)?;
        if after != before || !is_there {
            after.write(path)?;
        }
        Ok(answer)
    }
}

/// Reads the line of an exercise.
fn read_line(text: &[u8]) -> Result<Exercise, Message> {
    let exercise: Exercise = serde_json::from_slice(text)
        .map_err(|error| message!("not an exercise: {}", error.to_string()))?;
    exercise.check()?;
    Ok(exercise)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{Game, Line, MoveList, Notation};
    use crate::train::exercise::{Accepted, Kind};
    use crate::xiangqi::{Move, Position, RuleSet};

    /// A legal move, chosen by a number; `None` if there is none.
    fn chosen(position: &Position, choice: u8) -> Option<Move> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        (!moves.is_empty()).then(|| moves[usize::from(choice) % moves.len()])
    }

    /// An exercise after some moves, chosen by numbers.
    fn exercise(choices: &[u8], kind: Kind) -> Exercise {
        let mut line = Line::new(Position::start(), 0);
        for &choice in choices {
            let Some(mv) = chosen(line.position(), choice) else { break };
            line.push(mv);
        }
        while line.position().outcome().is_some() {
            line.pop();
        }
        let right = chosen(line.position(), choices.len() as u8).unwrap();
        let start = Position::start().to_fen();
        let exercise = Exercise::named(kind, RuleSet::default(), start, &line, "a \"b\"\u{1b}\n棋");
        Exercise { accepted: vec![Accepted::new(Position::move_text(right))], ..exercise }
    }

    fn exercises() -> impl Strategy<Value = Vec<Exercise>> {
        let kind = prop_oneof![Just(Kind::Mistake), Just(Kind::Position), Just(Kind::Repertoire)];
        let choices = proptest::collection::vec(any::<u8>(), 0..12);
        let one = (choices, kind).prop_map(|(choices, kind)| exercise(&choices, kind));
        proptest::collection::vec(one, 0..12)
    }

    fn answers() -> impl Strategy<Value = Vec<(usize, u8, u32)>> {
        proptest::collection::vec((0_usize..12, 0_u8..3, 0_u32..30), 0..30)
    }

    /// The exercises added one after the other.
    fn collected(exercises: &[Exercise]) -> Collection {
        let mut collection = Collection::default();
        for exercise in exercises {
            collection.add(exercise.clone());
        }
        collection
    }

    /// Adds an exercise after some moves to a file.
    fn add(path: &Path, choices: &[u8]) -> Result<Added, TrainError> {
        let one = exercise(choices, Kind::Mistake);
        Collection::update(path, true, |all| Ok(all.add(one)))
    }

    /// The names of the exercises that are due, in order.
    fn due_ids(of: &Collection, day: Day) -> Vec<String> {
        of.due(Position::NAME, day).iter().map(|due| due.id.clone()).collect()
    }

    #[test]
    fn a_read_only_file_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.train");
        add(&path, &[1, 2]).unwrap();
        let before = std::fs::read(&path).unwrap();
        let mut permissions = path.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let error = add(&path, &[3]).unwrap_err();
        assert!(error.to_string().contains("this file is read-only"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(Collection::read(&path).unwrap().exercises().len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_answered_and_written_is_read_back(exercises in exercises(), answers in answers()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.train");
            let mut expected = collected(&exercises);
            let begin = Day::new(2026, 1, 1).unwrap();
            Collection::update(&path, true, |new| { *new = expected.clone(); Ok(()) }).unwrap();
            prop_assert_eq!(Collection::read(&path).unwrap(), expected.clone());
            for (place, grade, days) in answers {
                let Some(exercise) = expected.exercises().get(place) else { continue };
                let (id, day) = (exercise.id.clone(), begin.after(days));
                let grade = [Grade::Right, Grade::Hinted, Grade::Wrong][usize::from(grade)];
                expected.answer(&id, grade, day).unwrap();
                Collection::update(&path, false, |of| of.answer(&id, grade, day).map(drop)).unwrap();
                let read = Collection::read(&path).unwrap();
                prop_assert_eq!(&read, &expected);
                prop_assert_eq!(due_ids(&read, day), due_ids(&expected, day));
            }
        }

        #[test]
        fn adding_what_is_there_changes_nothing(one in exercises(), other in exercises()) {
            let mut collection = collected(&one);
            for exercise in &other {
                collection.add(exercise.clone());
            }
            let before = collection.clone();
            for exercise in one.iter().chain(&other) {
                prop_assert_eq!(collection.add(exercise.clone()), Added::Known);
            }
            prop_assert_eq!(collection, before);
        }

        #[test]
        fn due_exercises_are_sorted_and_none_is_missing(exercises in exercises(), answers in answers()) {
            let mut collection = collected(&exercises);
            let begin = Day::new(2026, 1, 1).unwrap();
            for (place, grade, days) in answers {
                let Some(exercise) = collection.exercises().get(place) else { continue };
                let grade = [Grade::Right, Grade::Hinted, Grade::Wrong][usize::from(grade)];
                let id = exercise.id.clone();
                collection.answer(&id, grade, begin.after(days)).unwrap();
            }
            let day = begin.after(15);
            let due = collection.due(Position::NAME, day);
            let keys: Vec<_> = due.iter().map(|e| (e.schedule.is_new(), e.schedule.due)).collect();
            prop_assert!(keys.is_sorted());
            let count = collection.exercises().iter().filter(|e| e.schedule.is_due(day)).count();
            prop_assert_eq!(due.len(), count);
        }

        #[test]
        fn no_text_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0_usize..400) {
            let path = Path::new("x");
            let _refused = Collection::from_bytes(path, &bytes);
            let text = collected(&[exercise(&[1, 2], Kind::Mistake)]).to_text().unwrap();
            let mut damaged = text.into_bytes();
            damaged.truncate(cut);
            damaged.extend(bytes);
            let _refused = Collection::from_bytes(path, &damaged);
        }
    }
}
