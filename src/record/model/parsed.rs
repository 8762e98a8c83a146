//! The output of readers: games read, games refused with the reasons, and sums of both.

use std::fmt;

use crate::bytes::visible::Visible;
use crate::game::{Game, Outcome};
use crate::message::{Message, ToMessage, message};
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;
use crate::xiangqi::notation::MoveError;
use crate::xiangqi::{FenError, Position};

/// The greatest depth to which variations may nest.
pub const MAX_VARIATION_DEPTH: usize = 100;

/// The most variations, comments and tags that a game may have together. A game of 4 MiB could have a
/// million, each of which needs a hundred bytes of memory; the largest known ones have thousands.
pub const MAX_PARTS: usize = 100_000;

/// A game that could not be read, and where and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGame {
    /// The source, as the caller names it.
    pub source: String,
    /// The place of the fault.
    pub place: Place,
    /// The number of the game in the source, from 1.
    pub game: u64,
    /// The reason for refusing the game.
    pub reason: BadGameReason,
}

impl ToMessage for BadGame {
    fn message(&self) -> Message {
        let reason = self.reason.message().visible();
        // Of a file of another kind no byte is at fault, and the number of a move says more than a byte of a binary file.
        let is_other =
            matches!(self.reason, BadGameReason::UnknownFormat(_) | BadGameReason::Unsupported(_));
        match self.place {
            Place::Offset(0) if is_other => {
                message!("{}: {reason}", Visible(&self.source))
            }
            Place::Offset(_) if self.reason.bad_ply().is_some() => {
                message!("{}: game {}: {reason}", Visible(&self.source), self.game)
            }
            place => {
                let place = Visible(place.within(&self.source));
                message!("{place}: game {}: {reason}", self.game)
            }
        }
    }
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// The reason stands in the message, and is no source beside it.
impl std::error::Error for BadGame {}

/// The reason for refusing a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum BadGameReason {
    /// No game boundary within [`MAX_GAME_BYTES`].
    #[error("a game of {0} bytes; at most {MAX_GAME_BYTES} are read")]
    TooLong(usize),
    /// More UTF-16 than is read.
    #[error("more than 64 MiB of text in UTF-16; convert it to UTF-8")]
    Utf16,
    /// The content is of no format of game records: what it begins with.
    #[error("no format of game records is known that begins with {0}")]
    UnknownFormat(Message),
    /// A known format, but something in it that is not read: what, and what to do.
    #[error("{0}")]
    Unsupported(Message),
    /// The bytes contradict the format: what is wrong.
    #[error("{0}")]
    Malformed(Message),
    /// The bytes end too early: within what.
    #[error("truncated: the file ends within {0}")]
    Truncated(Message),
    /// Text without tags that does not begin with a move either.
    #[error("no PGN: no tags, and the text begins with \"{0}\"")]
    NotPgn(String),
    /// The start position is not legal.
    #[error("start position: {0}")]
    Start(FenError),
    /// A move of the main line.
    #[error("ply {ply}: {error}")]
    Move {
        /// From 1.
        ply: usize,
        /// The fault of the move.
        error: MoveError,
    },
    /// A move of the main line of a game whose readers say in words what is wrong.
    #[error("ply {ply}: {what}")]
    Unplayable {
        /// From 1.
        ply: usize,
        /// The fault of the move.
        what: Message,
    },
    /// A tag between moves.
    #[error("tag \"{0}\" between moves")]
    LateTag(String),
    /// A move after the result.
    #[error("move \"{0}\" after the result; begin each game with a tag")]
    LateMove(String),
    /// `{` without `}`.
    #[error("a comment is never closed")]
    OpenComment,
    /// `(` without `)`.
    #[error("a variation is never closed")]
    OpenVariation,
    /// `)` without `(`.
    #[error("')' closes no variation")]
    NoVariation,
    /// More than [`MAX_VARIATION_DEPTH`].
    #[error("variations nest more than {MAX_VARIATION_DEPTH} deep")]
    TooDeep,
    /// More than [`MAX_PARTS`].
    #[error("more than {MAX_PARTS} variations, comments and tags")]
    TooManyParts,
}

impl BadGameReason {
    /// The number of the move that is the fault, from 1, if it is one.
    #[must_use]
    pub const fn bad_ply(&self) -> Option<usize> {
        match self {
            Self::Move { ply, .. } | Self::Unplayable { ply, .. } => Some(*ply),
            _ => None,
        }
    }
}

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
        Self { end: position.end(), record, place, game, note: None, cut: None, words: None }
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
    pub kept: u64,
    /// Moves that two pieces could make, decided by the rest of the game, or else by a rule of thumb.
    pub guessed: u64,
    /// Words and signs of value between moves that are no moves, and were passed over.
    pub words: u64,
}

impl std::ops::AddAssign for ReadSummary {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.bad += other.bad;
        self.cut_variations += other.cut_variations;
        self.noted += other.noted;
        self.skipped += other.skipped;
        self.undecoded += other.undecoded;
        self.kept += other.kept;
        self.guessed += other.guessed;
        self.words += other.words;
    }
}
