//! Sources of exercises, told apart by what is in them: reviews as JSON lines, positions of endgame tables, games with
//! marked moves, games and books as repertoires.

mod book;
mod games;
mod lines;

use std::io;
use std::path::Path;

use crate::book::BookError;
use crate::bytes::StopFlag;
use crate::engine::Playable;
use crate::game::{Line, Side, position_text};
use crate::message::Message;
use crate::record::Formats;
use crate::train::collection::MAX_EXERCISES;
use crate::train::examiner::Examiner;
use crate::train::exercise::{Exercise, MAX_LINE};

pub use book::{exercises_of_book, is_book};

/// The largest source that is read, in bytes.
pub const MAX_SOURCE_BYTES: u64 = 256 << 20;
/// The deepest repertoire, in plies.
pub const MAX_DEPTH: usize = 200;
/// Places that were passed over, of which the reason is kept.
const MAX_PASSED: usize = 20;

/// The choices for sources.
#[derive(Debug, Clone)]
pub struct SourceOptions<'a, R> {
    /// The rules that judge repetitions.
    pub rules: R,
    /// Only exercises of this side.
    pub side: Option<Side>,
    /// Games are lines of a repertoire.
    pub is_repertoire: bool,
    /// Plies from the start of a game up to which a repertoire is taken.
    pub depth: usize,
    /// Moves of a book that were played in fewer games are left out.
    pub min_games: u64,
    /// A folder for temporary files of archives.
    pub folder: &'a Path,
    /// Ends the work.
    pub stop: &'a StopFlag,
}

/// The exercises of a source.
#[derive(Debug, Default)]
pub struct Found {
    /// The exercises, in the order of the source.
    pub exercises: Vec<Exercise>,
    /// The number of games and positions that give no exercise.
    pub passed: u64,
    /// The first of them: the place and the reason.
    pub reasons: Vec<(String, Message)>,
    /// True if the source has more exercises than a collection can have.
    pub is_cut: bool,
}

impl Found {
    /// Adds an exercise; false if there is no room for more.
    fn push(&mut self, exercise: Exercise) -> bool {
        self.is_cut = self.exercises.len() >= MAX_EXERCISES;
        if !self.is_cut {
            self.exercises.push(exercise);
        }
        !self.is_cut
    }

    /// Notes a place that gives no exercise.
    fn pass(&mut self, place: &str, why: impl Into<Message>) {
        self.passed += 1;
        if self.reasons.len() < MAX_PASSED {
            self.reasons.push((place.to_owned(), why.into()));
        }
    }
}

/// The reason why a source cannot be read.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
pub enum SourceError {
    /// A line of it is not what the others are.
    #[error("{name}:{line}: {what}")]
    Line {
        /// The source.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The fault, and the remedy.
        what: Message,
    },
    /// A book cannot be read.
    #[error(transparent)]
    Book(BookError),
    /// A temporary file cannot be written, or the work was ended.
    #[error(transparent)]
    Io(io::Error),
    /// A repertoire is of one side.
    #[error("{name}: a repertoire is of one side; add --side")]
    NoSide {
        /// The source.
        name: String,
    },
}

/// The exercises of a source that is no book: `name` is its name, `bytes` what is in it.
///
/// # Errors
///
/// A line of it cannot be read, or the work was ended.
pub fn exercises_of<G: Playable + Formats>(
    name: &str,
    bytes: &[u8],
    options: &SourceOptions<'_, G::Rules>,
    examiner: &mut Examiner<G>,
) -> Result<Found, SourceError> {
    match kind_of::<G>(bytes) {
        SourceKind::Lines => lines::read(name, bytes, options, examiner),
        SourceKind::Games => games::read(name, bytes, options, examiner),
    }
}

/// The kinds of sources beside books.
enum SourceKind {
    /// Objects of answers, or positions, one a line.
    Lines,
    Games,
}

/// The kind of a source by its first line that is not empty.
fn kind_of<G: Playable>(bytes: &[u8]) -> SourceKind {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let first = first.strip_prefix("\u{feff}".as_bytes()).unwrap_or(first).trim_ascii();
    match lines::schema_of(first).is_some() || is_position::<G>(first) {
        true => SourceKind::Lines,
        false => SourceKind::Games,
    }
}

/// Returns true if a line is a position.
fn is_position<G: Playable>(line: &[u8]) -> bool {
    // A tag of a game may have a slash, too.
    let text =
        std::str::from_utf8(line).ok().filter(|text| text.contains('/') && !text.starts_with('['));
    text.is_some_and(|text| G::read_line(&position_text(text)).is_ok())
}

/// The beginning of a line of play whose moves can be played, by their coordinates.
fn playable_line<G: Playable>(
    position: &G,
    moves: impl IntoIterator<Item = G::Move>,
) -> Vec<String> {
    let mut line = Line::new(position.clone(), 0);
    let mut texts = Vec::new();
    for mv in moves.into_iter().take(MAX_LINE) {
        if !line.position().is_legal(mv) {
            break;
        }
        texts.push(G::move_text(mv));
        line.push(mv);
    }
    texts
}

/// The error of a line.
fn bad_line(name: &str, line: usize, what: Message) -> SourceError {
    SourceError::Line { name: name.to_owned(), line, what }
}
