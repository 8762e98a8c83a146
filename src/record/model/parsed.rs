//! The output of readers: games read with what was noted of them, and sums.

use std::collections::BTreeMap;
use std::fmt;

use crate::bytes::visible::Visible;
use crate::game::{Game, Outcome};
use crate::message::{Message, ToMessage};
use crate::record::model::bad_game::BadGame;
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;
use crate::xiangqi::Position;

/// A deviation of the game read from what the file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Note {
    /// The position is legal only with the other side to move than the file names.
    OtherSide,
    /// The first node promises moves, but the file counts none and ends there: a position.
    NoMoves,
    /// The file states two different results.
    TwoResults,
    /// The main line has a null move, and was read up to there.
    NullMove,
    /// A text that games of the file share was cut, being longer than any name.
    CutText,
}

impl ToMessage for Note {
    fn message(&self) -> Message {
        Message::from(match self {
            Self::OtherSide => {
                "the position is legal only with the other side to move than the file names; \
                 it was read so"
            }
            Self::NoMoves => {
                "the file promises moves, but counts none and has none; \
                 it was read as a position"
            }
            Self::TwoResults => "the file states two different results; none was kept",
            Self::NullMove => "the game has a null move; it was read up to there",
            Self::CutText => {
                "a name that games of the file share is longer than any name; it was cut"
            }
        })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// Gets each game of a source, good or bad, in the order of the source.
pub type GameSink<'a, G = Position> = dyn FnMut(Result<ParsedGame<G>, BadGame>) + 'a;

/// A game that was read.
#[derive(Debug, Clone)]
pub struct ParsedGame<G: Game = Position> {
    /// The game; every move in it is legal.
    pub record: Record<G>,
    /// The place where it begins.
    pub place: Place,
    /// Its number in the source, from 1.
    pub game: u64,
    /// The result by the rules (xiangqi: mate or stalemate) at the end of the main line, if it ends so. What the file
    /// states, [`Record::result`], can differ.
    pub end: Option<Outcome>,
    /// The deviation of the game read from what the file states, if there is one.
    pub note: Option<Note>,
    /// The fault at which the main line breaks off, if it cannot be played to its end or the bytes end too
    /// early: the game consists of the moves before. Only where such games are requested, see [`Keep`](crate::record::model::options::Keep).
    pub cut: Option<Box<BadGame>>,
    /// The words between moves that are no moves, and were passed over, if there are some.
    pub words: Option<Box<SkippedWords>>,
    /// The first numeric annotation glyph (`$4`) of each move of the main line that has one, by the moves' indices.
    pub nags: BTreeMap<usize, u8>,
}

/// The words and signs of value between the moves of a game that are no moves, and were passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedWords {
    /// Their number.
    pub count: u64,
    /// The first of them with their places, and of long ones the beginning.
    pub first: Vec<(Place, String)>,
}

impl SkippedWords {
    /// The most words that are kept of a game.
    pub const SHOWN: usize = 8;
}

/// Writes to the log which words of a game at that place were passed over.
pub fn tell_words(place: &str, words: &SkippedWords) {
    tracing::info!("{}: words passed over: {}: {words}", Visible(place), words.count);
}

/// The words in quotation marks, with their lines.
impl fmt::Display for SkippedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (place, word)) in self.first.iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(f, "{separator}\"{}\"", Visible(word))?;
            if let Place::Line(line) = place {
                write!(f, " (line {line})")?;
            }
        }
        match self.count - self.first.len() as u64 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl<G: Recorded> ParsedGame<G> {
    /// A game that was read at that place; its main line is replayed to find how it ends.
    #[must_use]
    pub fn new(record: Record<G>, place: Place, game: u64) -> Self {
        let mut position = record.start.clone().unwrap_or_else(G::start);
        for &mv in &record.tree.moves {
            position.make(mv);
        }
        Self {
            end: position.end(),
            record,
            place,
            game,
            note: None,
            cut: None,
            words: None,
            nags: BTreeMap::new(),
        }
    }
}

impl<G: Game> ParsedGame<G> {
    /// Returns true if the file states another result than the mate or stalemate at the end.
    #[must_use]
    pub fn is_contradicted(&self) -> bool {
        self.end.is_some_and(|end| self.record.result.is_some_and(|stated| stated != end))
    }
}

/// The counts of what was in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadSummary {
    /// Games read.
    pub games: u64,
    /// Games refused.
    pub bad: u64,
    /// Variations that were cut at a move that cannot be read or played; the games were kept.
    pub cut_variations: u64,
    /// Games with a [`Note`].
    pub noted: u64,
    /// Sources, members of archives among them, that were passed over, because they hold no games.
    pub skipped: u64,
    /// Games in whose texts bytes stand for no character; they are shown as `\xA4`.
    pub undecoded: u64,
    /// Games of which the moves before an illegal one, or before the end of the bytes, were kept; they are among those read.
    pub cut: u64,
    /// Moves that two pieces could make, decided by the rest of the game, or else by a rule of thumb.
    pub guessed: u64,
    /// Words and signs of value between moves that are no moves, and were passed over.
    pub skipped_words: u64,
}

impl std::ops::AddAssign for ReadSummary {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.bad += other.bad;
        self.cut_variations += other.cut_variations;
        self.noted += other.noted;
        self.skipped += other.skipped;
        self.undecoded += other.undecoded;
        self.cut += other.cut;
        self.guessed += other.guessed;
        self.skipped_words += other.skipped_words;
    }
}
