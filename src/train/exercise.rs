//! Exercises: a position in which a move is to be found, and the moves that count as found.

use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use crate::bytes::visible::first_bytes;
use crate::engine::Playable;
use crate::game::{Adjudicate, Game, Line, Notation};
use crate::gomoku::Board;
use crate::message::{Message, message};
use crate::tablebase::{Entry, Wdl};
use crate::xiangqi::Position;

/// The most moves that lead to an exercise.
pub const MAX_PLIES: usize = 1_000;
/// The most moves that are accepted in one.
pub const MAX_ACCEPTED: usize = 64;
/// The most moves of a line that is shown.
pub const MAX_LINE: usize = 30;
/// The longest label of a source, in bytes.
pub const MAX_SOURCE: usize = 300;

/// The origin of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "ExerciseKind"))]
pub enum Kind {
    /// A move of a game that a review has marked.
    Mistake,
    /// A position to solve, as searches of endgame tables find them.
    Position,
    /// A position of a repertoire.
    Repertoire,
}

impl Kind {
    /// `mistake`, `position` or `repertoire`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mistake => "mistake",
            Self::Position => "position",
            Self::Repertoire => "repertoire",
        }
    }
}

/// An exercise as a file has it. Positions and moves are texts, which [`open`](Self::open) reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// Its name, made of what makes it this exercise: see [`Exercise::named`].
    pub id: String,
    /// The name of the game.
    pub game: String,
    /// Its origin.
    pub kind: Kind,
    /// The rules that judge repetitions.
    pub rules: String,
    /// The position where the moves begin, with its counters.
    pub start: String,
    /// The moves that led from there to the position, by their coordinates.
    pub moves: Vec<String>,
    /// The move that was played, and was wrong.
    pub played: Option<String>,
    /// The moves that are right, the best first; at least one.
    pub accepted: Vec<Accepted>,
    /// The place that it comes from.
    pub source: String,
    /// The schedule by which it comes again.
    pub schedule: Schedule,
}

/// A move that is right, and what is known of it. Values are for the side that makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The games of the move in a book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<BookFacts>,
    /// Its value by endgame tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableFacts>,
    /// The score of an engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreFacts>,
    /// The play that is expected, this move first, by coordinates; empty if none is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
}

/// The games of a move in a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct BookFacts {
    /// Games in which it was played.
    pub games: u64,
    /// The points that the mover made in them, in hundredths of a percent; none where no result is known.
    #[serde(default)]
    pub score: Option<u16>,
}

impl BookFacts {
    /// The facts about a move of `games` games, in which the mover made this share of the points, from 0 to 1.
    #[must_use]
    pub fn new(games: u64, score: Option<f64>) -> Self {
        Self { games, score: score.map(|score| (score * 1e4).round() as u16) }
    }
}

/// A value by endgame tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TableFacts {
    /// Win, draw or loss.
    pub wdl: TableResult,
    /// The round of the rules on repetition that decides; 0 if none is needed.
    #[serde(default)]
    pub order: u16,
    /// Plies to the end; none where there is none or it is not known.
    #[serde(default)]
    pub distance: Option<u16>,
}

/// A result by endgame tables, for the side that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub enum TableResult {
    /// The side to move loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// The side to move wins.
    Win,
}

impl TableResult {
    /// `win`, `draw` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }

    /// The result of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Loss, Self::Draw, Self::Win].into_iter().find(|result| result.name() == name)
    }
}

impl From<Wdl> for TableResult {
    fn from(wdl: Wdl) -> Self {
        match wdl {
            Wdl::Loss => Self::Loss,
            Wdl::Draw => Self::Draw,
            Wdl::Win => Self::Win,
        }
    }
}

impl From<Entry> for TableFacts {
    fn from(entry: Entry) -> Self {
        let distance = (entry.wdl != Wdl::Draw).then_some(entry.distance);
        Self { wdl: entry.wdl.into(), order: entry.order, distance }
    }
}

/// A score of an engine: one of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ScoreFacts {
    /// Centipawns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to the mate; negative if the mover is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
}

impl Accepted {
    /// A move of which nothing is known but that it is right.
    #[must_use]
    pub const fn new(mv: String) -> Self {
        Self { mv, book: None, table: None, score: None, line: Vec::new() }
    }
}

/// An exercise whose texts are read.
#[derive(Debug, Clone)]
pub struct Opened<'a, G: Adjudicate> {
    /// The exercise.
    pub exercise: &'a Exercise,
    /// The moves up to the position.
    pub line: Line<G>,
    /// The rules that judge repetitions.
    pub rules: G::Rules,
    /// The move that was wrong.
    pub played: Option<G::Move>,
    /// The moves that are right, in the order of the exercise.
    pub accepted: Vec<G::Move>,
}

impl<G: Playable> Opened<'_, G> {
    /// The place among the accepted moves of a move, or of its image where the position is symmetric.
    #[must_use]
    pub fn place_of(&self, mv: G::Move) -> Option<usize> {
        let position = self.line.position();
        let canonical = position.canonical();
        let image = position.canonical_move(canonical, mv);
        self.accepted
            .iter()
            .position(|&right| right == mv || position.canonical_move(canonical, right) == image)
    }
}

/// A text of at most a number of bytes.
fn abbreviated(text: &str, most: usize) -> String {
    match text.len() > most {
        true => format!("{}…", first_bytes(text, most - '…'.len_utf8())),
        false => text.to_owned(),
    }
}

/// The letters of a name.
const NAME: usize = 16;

impl Exercise {
    /// An exercise at the end of `line`, never answered: the moves lead there from the position that `start` describes.
    #[must_use]
    pub fn named<G: Playable>(
        kind: Kind,
        rules: G::Rules,
        start: String,
        line: &Line<G>,
        source: &str,
    ) -> Self {
        let moves = line.moves().map(G::move_text).collect();
        Self {
            id: String::new(),
            game: G::NAME.to_owned(),
            kind,
            rules: rules.to_string(),
            start,
            moves,
            played: None,
            accepted: Vec::new(),
            source: abbreviated(source, MAX_SOURCE),
            schedule: Schedule::default(),
        }
        .with_name(line.position())
    }

    /// The same with the move that was wrong.
    #[must_use]
    pub fn with_played<G: Playable>(self, played: G::Move, position: &G) -> Self {
        Self { played: Some(G::move_text(played)), ..self }.with_name(position)
    }

    fn with_name<G: Playable>(self, position: &G) -> Self {
        Self { id: self.name(position), ..self }
    }

    /// The name: a hash of the game, the origin, the position without counters and the move that was wrong. The way to
    /// the position and the moves that are right do not count.
    fn name<G: Notation>(&self, position: &G) -> String {
        let played = self.played.as_deref().unwrap_or_default();
        let parts = [G::NAME, self.kind.name(), &position.to_fen(), played];
        blake3::hash(parts.join("\n").as_bytes()).to_hex()[..NAME].to_owned()
    }

    /// Reads the position and the moves.
    ///
    /// # Errors
    ///
    /// The part of it that cannot be: another game, an unreadable position, an illegal move, no move that is right, a name
    /// that is not its own.
    pub fn open<G: Playable>(&self) -> Result<Opened<'_, G>, Message> {
        if self.game != G::NAME {
            return Err(message!("it is of another game: {}", self.game));
        }
        if self.moves.len() > MAX_PLIES || self.accepted.len() > MAX_ACCEPTED {
            return Err("it has too many moves".into());
        }
        let rules = self.rules.parse::<G::Rules>();
        let rules = rules.map_err(|_| message!("there are no such rules: {}", self.rules))?;
        let mut line = G::read_line(&self.start)
            .map_err(|error| message!("the position cannot be read: {}", error.to_string()))?;
        for text in &self.moves {
            line.push(legal(line.position(), text)?);
        }
        let position = line.position();
        let played = self.played.as_ref().map(|text| legal(position, text)).transpose()?;
        let moves = self.accepted.iter().map(|right| legal(position, &right.mv));
        let accepted = moves.collect::<Result<Vec<G::Move>, Message>>()?;
        if accepted.is_empty() {
            return Err("it has no move that is right".into());
        }
        // Under the fuzzer names count as right, so that damage reaches what follows.
        if self.id != self.name(position) && !cfg!(fuzzing) {
            return Err("its id is not that of its position".into());
        }
        Ok(Opened { exercise: self, line, rules, played, accepted })
    }

    /// Checks that the exercise can be opened, whatever its game is, and that its schedule can be one.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub(crate) fn check(&self) -> Result<(), Message> {
        if !self.schedule.is_sound() {
            return Err("its schedule cannot be".into());
        }
        match self.game.as_str() {
            Position::NAME => self.open::<Position>().map(drop),
            Board::NAME => self.open::<Board>().map(drop),
            other => Err(message!("there is no game of that name: {other}")),
        }
    }
}

/// A move that is legal in a position.
pub(crate) fn legal<G: Notation>(position: &G, text: &str) -> Result<G::Move, Message> {
    let mv = G::parse_move(text).filter(|&mv| position.is_legal(mv));
    mv.ok_or_else(|| message!("{text} is no legal move there"))
}

/// The text of a start position, with the plies since the last irreversible move where the game's texts have them.
pub(crate) fn start_text<G: Game + Notation>(start: &G, clock: u32) -> String {
    let text = start.to_fen();
    let parts: Vec<&str> = text.split(' ').collect();
    match parts[..] {
        [board, side, a, b, _, number] if clock > 0 => {
            format!("{board} {side} {a} {b} {clock} {number}")
        }
        _ => text,
    }
}
