//! The answers about exercises: a collection and what is due of it, what was added, and the verdict on a move.

use serde::Serialize;

use crate::answers::book::figures::rounded;
use crate::answers::described::Described;
use crate::answers::line::line_text;
use crate::answers::sides::side_name;
use crate::engine::Playable;
use crate::game::Line;
use crate::message::Message;
use crate::train::{
    Accepted, BookFacts, Compared, Day, Examined, Exercise, Kind, Opened, Schedule, ScoreFacts,
    TableFacts,
};
use crate::xiangqi::notation::MoveNotation;

/// The answer about a collection: schema `juzhong.train/1`.
#[derive(Debug, Serialize)]
pub struct TrainAnswer<E> {
    /// The schema.
    pub schema: &'static str,
    /// The file.
    pub file: String,
    /// The day for which it is answered.
    pub day: String,
    /// Exercises of the game.
    pub total: usize,
    /// Exercises that are due on that day.
    pub due: usize,
    /// Exercises due that were never answered.
    pub new: usize,
    /// The first later day on which one is due.
    pub next: Option<String>,
    /// The exercises that are listed.
    pub exercises: Vec<E>,
}

impl<E> TrainAnswer<E> {
    /// The answer about the exercises of a game, with those that are listed.
    #[must_use]
    pub fn of<'a>(
        file: String,
        day: Day,
        of_game: impl Iterator<Item = &'a Exercise> + Clone,
        exercises: Vec<E>,
    ) -> Self {
        let due = of_game.clone().filter(|exercise| exercise.schedule.is_due(day));
        let days = of_game.clone().filter_map(|exercise| exercise.schedule.due);
        Self {
            schema: "juzhong.train/1",
            file,
            day: day.to_string(),
            total: of_game.count(),
            due: due.clone().count(),
            new: due.filter(|exercise| exercise.schedule.is_new()).count(),
            next: days.filter(|&due| due > day).min().map(|day| day.to_string()),
            exercises,
        }
    }
}

/// An exercise without its answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct DueExercise {
    /// Its name.
    pub id: String,
    /// Its origin.
    pub kind: Kind,
    /// The position with its counters.
    pub fen: String,
    /// The position where the moves before it begin.
    pub start: String,
    /// The moves that led from there to the position, by their coordinates.
    pub moves: Vec<String>,
    /// The side that finds a move.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["red", "black", "white"])))]
    pub side: &'static str,
    /// The move that was wrong; null where none was made.
    pub played: Option<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played_text: Option<String>,
    /// The result that the right moves keep by endgame tables; null where they do not know it.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "draw", "loss", null])))]
    pub goal: Option<&'static str>,
    /// The place that it comes from.
    pub source: String,
    /// The rules that judge repetitions.
    pub rules: String,
    /// The day from which on it is due; null if it was never answered.
    pub due: Option<String>,
    /// Right answers so far.
    pub right: u32,
    /// Wrong answers so far.
    pub wrong: u32,
}

impl DueExercise {
    /// The exercise, with texts of moves in `notation`, if one was asked for.
    #[must_use]
    pub fn of<G: Described + Playable>(
        opened: &Opened<'_, G>,
        notation: Option<MoveNotation>,
    ) -> Self {
        let Exercise { id, kind, start, moves, played, source, rules, schedule, accepted, .. } =
            opened.exercise;
        let position = opened.line.position();
        let fullmoves = G::read_start(start).map_or(1, |start| start.fullmoves);
        let table = accepted.first().and_then(|right| right.table);
        Self {
            id: id.clone(),
            kind: *kind,
            fen: G::line_text(&opened.line, fullmoves),
            start: start.clone(),
            moves: moves.clone(),
            side: side_name::<G>(position.turn()),
            played: played.clone(),
            played_text: opened
                .played
                .zip(notation)
                .map(|(mv, notation)| position.write_move(mv, notation)),
            goal: table.map(|table| table.wdl.name()),
            source: source.clone(),
            rules: rules.clone(),
            due: schedule.due.map(|day| day.to_string()),
            right: schedule.right,
            wrong: schedule.wrong,
        }
    }
}

/// An exercise with its answer.
#[derive(Debug, Clone, Serialize)]
pub struct ListedExercise {
    /// The exercise.
    #[serde(flatten)]
    pub exercise: DueExercise,
    /// The moves that are right.
    pub accepted: Vec<AcceptedMove>,
    /// The day of the last answer.
    pub last: Option<String>,
    /// Days from the last answer that counted to the day on which it is due.
    pub interval: u32,
    /// Right answers that counted since the last wrong one.
    pub streak: u32,
    /// The factor by which intervals grow.
    pub ease: f64,
}

impl ListedExercise {
    /// The exercise, with texts of moves in `notation`, if one was asked for.
    #[must_use]
    pub fn of<G: Described + Playable>(
        opened: &Opened<'_, G>,
        notation: Option<MoveNotation>,
    ) -> Self {
        let Schedule { last, interval, streak, ease, .. } = opened.exercise.schedule;
        Self {
            exercise: DueExercise::of(opened, notation),
            accepted: AcceptedMove::all(opened, notation),
            last: last.map(|day| day.to_string()),
            interval,
            streak,
            ease: f64::from(ease) / 100.0,
        }
    }
}

/// A move that is right. Values are for the side that makes it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct AcceptedMove {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its games in a book.
    pub book: Option<ShareOfMove>,
    /// Its value by endgame tables.
    pub table: Option<TableFacts>,
    /// The score of an engine.
    pub score: Option<ScoreOfMove>,
    /// The play that is expected, this move first.
    pub line: Vec<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_text: Option<String>,
}

impl AcceptedMove {
    /// The moves that are right in an exercise.
    fn all<G: Described + Playable>(
        opened: &Opened<'_, G>,
        notation: Option<MoveNotation>,
    ) -> Vec<Self> {
        let moves = opened.accepted.iter().zip(&opened.exercise.accepted);
        moves.map(|(&mv, facts)| Self::of(opened.line.position(), mv, facts, notation)).collect()
    }

    fn of<G: Described>(
        position: &G,
        mv: G::Move,
        facts: &Accepted,
        notation: Option<MoveNotation>,
    ) -> Self {
        let line = expected_line(position, &facts.line);
        Self {
            mv: facts.mv.clone(),
            text: notation.map(|notation| position.write_move(mv, notation)),
            book: facts.book.map(ShareOfMove::from),
            table: facts.table,
            score: facts.score.map(ScoreOfMove::from),
            line: line.iter().map(|&mv| G::move_text(mv)).collect(),
            line_text: line_text(position, &line, notation),
        }
    }
}

/// The moves of a line up to the first that cannot be played.
fn expected_line<G: Described>(position: &G, texts: &[String]) -> Vec<G::Move> {
    let mut line = Line::new(position.clone(), 0);
    for text in texts {
        let mv = G::parse_move(text).filter(|&mv| line.position().is_legal(mv));
        let Some(mv) = mv else { break };
        line.push(mv);
    }
    line.moves().collect()
}

/// The games of a move in a book.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ShareOfMove {
    /// Games in which it was played.
    pub games: u64,
    /// The share of the points that the mover made in them, 0 to 1; null where no result is known.
    pub score: Option<f64>,
}

impl From<BookFacts> for ShareOfMove {
    fn from(facts: BookFacts) -> Self {
        Self { games: facts.games, score: facts.score.map(|score| f64::from(score) / 1e4) }
    }
}

/// The score of a move: centipawns or moves to mate; the other one is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ScoreOfMove {
    /// Moves to the mate; negative if the mover is mated.
    pub mate: Option<i32>,
    /// Centipawns.
    pub score_cp: Option<i32>,
}

impl From<ScoreFacts> for ScoreOfMove {
    fn from(facts: ScoreFacts) -> Self {
        Self { mate: facts.mate, score_cp: facts.cp }
    }
}

/// The result of adding sources: schema `juzhong.train.add/1`.
#[derive(Debug, Clone, Serialize)]
pub struct AddedExercises {
    /// The schema.
    pub schema: &'static str,
    /// The file.
    pub file: String,
    /// Exercises that are new.
    pub added: usize,
    /// Exercises that were there and got further right moves.
    pub extended: usize,
    /// Exercises that were there as they are.
    pub known: usize,
    /// Games and positions that give no exercise.
    pub passed: u64,
    /// The first of them, with the reasons.
    pub reasons: Vec<PassedOver>,
    /// True if a source has more than is taken of one.
    pub cut: bool,
    /// Exercises of the file.
    pub total: usize,
}

/// A place that gives no exercise.
#[derive(Debug, Clone, Serialize)]
pub struct PassedOver {
    /// The place.
    pub place: String,
    /// The reason.
    pub reason: Message,
}

impl AddedExercises {
    /// The result for a file, before anything is added.
    #[must_use]
    pub const fn to(file: String) -> Self {
        Self {
            schema: "juzhong.train.add/1",
            file,
            added: 0,
            extended: 0,
            known: 0,
            passed: 0,
            reasons: Vec::new(),
            cut: false,
            total: 0,
        }
    }
}

/// The verdict on a move in an exercise, and its answer: schema `juzhong.train.answer/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TrainVerdict {
    /// The schema.
    pub schema: &'static str,
    /// The name of the exercise.
    pub id: String,
    /// The move; null if the exercise was given up.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The move is right.
    pub right: bool,
    /// The ground on which it is right or wrong; null if the exercise was given up.
    #[cfg_attr(
        feature = "schemas",
        schemars(extend("enum" = ["accepted", "end", "table", "search", "repertoire", null]))
    )]
    pub ground: Option<&'static str>,
    /// The games of the move in a book.
    pub book: Option<ShareOfMove>,
    /// Its value by endgame tables or by the end of the game.
    pub table: Option<TableFacts>,
    /// The scores by a search.
    pub search: Option<ComparedScores>,
    /// The moves that are right.
    pub accepted: Vec<AcceptedMove>,
    /// The day from which on the exercise is due again.
    pub due: Option<String>,
    /// Days up to then.
    pub days: u32,
}

/// The scores of a move and of the one that is right.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ComparedScores {
    /// Of the move.
    #[serde(rename = "move")]
    pub mv: ScoreOfMove,
    /// Of the first of the moves that are right.
    pub right: ScoreOfMove,
    /// The loss of expected score, 0 to 1.
    pub loss: f64,
}

impl From<Compared> for ComparedScores {
    fn from(compared: Compared) -> Self {
        Self {
            mv: ScoreFacts::from(compared.mv).into(),
            right: ScoreFacts::from(compared.right).into(),
            loss: rounded(compared.loss),
        }
    }
}

impl TrainVerdict {
    /// The verdict on a move, or on giving up; `schedule` is that after the answer, `day` its day.
    #[must_use]
    pub fn of<G: Described + Playable>(
        opened: &Opened<'_, G>,
        answer: Option<(G::Move, &Examined)>,
        schedule: &Schedule,
        day: Day,
        notation: Option<MoveNotation>,
    ) -> Self {
        let position = opened.line.position();
        let (mv, examined) = (answer.map(|(mv, _)| mv), answer.map(|(_, examined)| examined));
        Self {
            schema: "juzhong.train.answer/1",
            id: opened.exercise.id.clone(),
            mv: mv.map(G::move_text),
            text: mv.zip(notation).map(|(mv, notation)| position.write_move(mv, notation)),
            right: examined.is_some_and(|examined| examined.is_right),
            ground: examined.map(|examined| examined.ground.name()),
            book: examined.and_then(|examined| examined.book).map(ShareOfMove::from),
            table: examined.and_then(|examined| examined.table),
            search: examined.and_then(|examined| examined.search).map(ComparedScores::from),
            accepted: AcceptedMove::all(opened, notation),
            due: schedule.due.map(|day| day.to_string()),
            days: schedule.due.map_or(0, |due| due.days_since(day)),
        }
    }
}
