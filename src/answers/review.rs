//! The answer of a review: a game with the source, the evaluation and the loss of every move.

use std::time::Duration;

use serde::Serialize;

use crate::answers::book::OpeningName;
use crate::answers::book::figures::{rounded, rounded_down};
use crate::answers::described::Described;
use crate::answers::line::{line_text, move_texts};
use crate::answers::score::ScoreWithExpectation;
use crate::answers::sides::{NamedSides, side_name};
use crate::book::opening::{Named, Opening};
use crate::engine::Playable;
use crate::game::{BySide, Game, Side};
use crate::record::Record;
use crate::review::{
    BookExit, BookShare, Certainty, GameReview, Mark, PhaseSummary, ReviewedMove, SecondLook,
    SideSummary, TableLoss, TableTruth, TurningPoint, Valuation, times_used,
};
use crate::tablebase::Entry;
use crate::xiangqi::notation::MoveNotation;

/// A game that was reviewed, with its tags.
#[derive(Debug)]
pub struct ReviewedGame<'a, G: Game> {
    /// The file, and the line or byte in it.
    pub place: &'a str,
    /// Its number in the source, from 1.
    pub number: u64,
    /// The game.
    pub record: &'a Record<G>,
    /// The position where it begins.
    pub start: &'a G,
    /// The review.
    pub review: &'a GameReview<G::Move>,
    /// Its opening, if it has a name.
    pub opening: Option<Opening>,
}

/// The answer: schema `juzhong.review/1`.
#[derive(Debug, Serialize)]
pub struct ReviewAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The file, and the line or byte in it.
    pub place: String,
    /// The number of the game in its source, from 1.
    pub game: u64,
    /// The players.
    #[serde(flatten)]
    pub players: NamedPlayers,
    /// The event.
    pub event: Option<String>,
    /// The date.
    pub date: Option<String>,
    /// The result as the file states it.
    pub result: Option<String>,
    /// The position where the game begins.
    pub fen: String,
    /// The opening.
    #[serde(flatten)]
    pub opening: OpeningName,
    /// The place where the game left the books.
    pub left_book: Option<LeftBook>,
    /// The moves, or those of them that have a mark.
    pub moves: Vec<MoveReview>,
    /// The move after which the side that stands better at the end always stood better; null where there is none.
    pub turning_point: Option<TurningPointAnswer>,
    /// The sums of both sides.
    #[serde(flatten)]
    pub sides: NamedSides<SideReview>,
}

/// The move that decided a game. Expected scores, 0 to 1, are those of the side that stands better from there on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TurningPointAnswer {
    /// The number of the move, from 1.
    pub ply: usize,
    /// The side that stands better from there on.
    pub side: &'static str,
    /// Before the move.
    pub before: f64,
    /// After the move.
    pub after: f64,
}

/// The players by their sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NamedPlayers {
    /// Of xiangqi.
    RedAndBlack {
        /// The second side's.
        black_player: Option<String>,
        /// The first side's.
        red_player: Option<String>,
    },
    /// Of gomoku.
    BlackAndWhite {
        /// The first side's.
        black_player: Option<String>,
        /// The second side's.
        white_player: Option<String>,
    },
}

/// The place where a game left the books.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct LeftBook {
    /// The number of the first move that no book has, from 1.
    pub ply: usize,
    /// That move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move that a book would have played; null where the books end.
    pub book_move: Option<String>,
    /// The games of the book's move.
    pub book: Option<ShareInBook>,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The book's move in that notation; null where the books end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book_text: Option<Option<String>>,
}

/// The games of a book's move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ShareInBook {
    /// Games in which it was played.
    pub games: u64,
    /// The share of these games in those of all moves there, 0 to 1.
    pub share: f64,
    /// The share of the points that the mover made in them, 0 to 1; null where no result is known.
    pub score: Option<f64>,
    /// True if the book knows the move so well that no search marks it.
    pub known: bool,
}

/// A move that was reviewed. Scores are for the side that made it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct MoveReview {
    /// Its number, from 1.
    pub ply: usize,
    /// The side that made it.
    pub side: &'static str,
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// `opening`, `middle_game` or `ending`.
    pub phase: &'static str,
    /// `book`, `table` or `search`.
    pub source: &'static str,
    /// The games of the move in the book.
    pub book: Option<ShareInBook>,
    /// The values by tables and rules, where both are known.
    pub table: Option<ValuesByTables>,
    /// The score before the move.
    pub before: ScoreWithExpectation,
    /// The score after it.
    pub after: ScoreWithExpectation,
    /// The loss of expected score, 0 to 1.
    pub loss: f64,
    /// The loss in centipawns.
    pub loss_cp: u32,
    /// The accuracy, 0 to 100.
    pub accuracy: f64,
    /// The mark, if it has one.
    pub mark: Option<&'static str>,
    /// The certainty of the mark: `proved`, `stable` or `likely`; `withdrawn` where a second look has found that the move
    /// deserves none.
    pub certainty: Option<&'static str>,
    /// The expected score of the first side after the move, 0 to 1.
    pub outlook: f64,
    /// The second look at the move, if it seemed to be a fault.
    pub second_look: Option<SecondLookAnswer>,
    /// The better line of a marked move, as far as it did not change any more.
    pub better: Vec<String>,
    /// The seconds that the move took, where the record has clocks.
    pub time_used: Option<f64>,
    /// True if every other move would have been a blunder.
    pub only_move: bool,
    /// The best moves found from the position before, by their coordinates.
    pub line: Vec<String>,
    /// Plies searched from there.
    pub depth: u32,
    /// Positions searched from there.
    pub nodes: u64,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The line in that notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_text: Option<String>,
    /// The better line in that notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better_text: Option<String>,
}

/// A second look at a move. Scores are for the side that made it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SecondLookAnswer {
    /// Rounds, in each of which both moves were searched.
    pub rounds: u32,
    /// Positions searched in all of them together.
    pub nodes: u64,
    /// The score of the best of the other moves.
    pub other: ScoreWithExpectation,
    /// The score of the move played.
    pub played: ScoreWithExpectation,
    /// The mean of the losses of expected score of all rounds, each of which counts twice as much as the one before, 0 to 1.
    pub mean_loss: f64,
    /// The loss by which the mark goes, unless the book knows the move: the lesser of `mean_loss` and the loss of the last
    /// round, less the usual error of searches with that number of positions; where a mate, the rules or tables decide, the
    /// loss of the last round. Rounded down.
    pub certain_loss: f64,
}

/// The values before and after a move, by tables and rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ValuesByTables {
    /// The name of the endgame, as `KRvKN`.
    pub endgame: Option<String>,
    /// Before the move.
    pub before: ValueByTables,
    /// With the move.
    pub after: ValueByTables,
    /// The kind of the loss, if there is one.
    pub loss: Option<&'static str>,
}

/// A value by tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ValueByTables {
    /// `win`, `draw` or `loss`.
    pub value: &'static str,
    /// The round of the rules on repetition that decides; 0 if none is needed.
    pub order: u16,
    /// Plies to the end.
    pub distance: u16,
}

/// The sums of a side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SideReview {
    /// Moves.
    pub moves: usize,
    /// The mean of their accuracies, 0 to 100; null without moves.
    pub accuracy: Option<f64>,
    /// The mean of their losses in centipawns.
    pub mean_loss_cp: Option<f64>,
    /// Moves with that mark.
    pub inaccuracies: usize,
    /// Moves with that mark.
    pub mistakes: usize,
    /// Moves with that mark.
    pub blunders: usize,
    /// The sum of their losses of expected score: points.
    pub lost: f64,
    /// The sums of each phase.
    pub phases: ByPhase<PhaseReview>,
    /// The seconds that the moves took, as far as the record has clocks; null where it has none.
    pub time_used: Option<f64>,
}

/// A value for each phase of the game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ByPhase<T> {
    /// Of the opening.
    pub opening: T,
    /// Of the middle game.
    pub middle_game: T,
    /// Of the ending.
    pub ending: T,
}

impl<T> ByPhase<T> {
    /// The sums of an array in the order of [`GamePhase::ALL`](crate::review::GamePhase::ALL).
    pub fn of<S>([opening, middle_game, ending]: [S; 3]) -> Self
    where
        T: From<S>,
    {
        Self { opening: opening.into(), middle_game: middle_game.into(), ending: ending.into() }
    }
}

/// The sums of a side in a phase of the game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct PhaseReview {
    /// Moves.
    pub moves: usize,
    /// The mean of their accuracies, 0 to 100; null without moves.
    pub accuracy: Option<f64>,
    /// The sum of their losses of expected score: points.
    pub lost: f64,
}

/// Two digits after the point.
pub(super) fn of_hundred(value: f64) -> f64 {
    (value * 1e2).round() / 1e2
}

impl ReviewAnswer {
    /// The answer about a game, with texts of moves in `notation`, if one was asked for; with `only_marked`, of its moves
    /// those that have a mark.
    ///
    /// ```
    /// use juzhong::answers::{ReviewAnswer, ReviewedGame};
    /// use juzhong::bytes::StopFlag;
    /// use juzhong::engine::TableOptions;
    /// use juzhong::game::{EvaluationKind, Game};
    /// use juzhong::record::Formats;
    /// use juzhong::review::{Evaluators, GameMoves, ReviewOptions, review};
    /// use juzhong::search::Limits;
    /// use juzhong::xiangqi::{Position, RuleSet};
    ///
    /// let mut games = Vec::new();
    /// let pgn = b"[Event \"a\"]\n\n1. h2e2 h9g7 *\n";
    /// Position::read_records("a.pgn", pgn, &mut |game| games.extend(game.ok()));
    /// let record = &games[0].record;
    /// let start = &Position::start();
    /// let moves = &record.tree.moves;
    /// let game = GameMoves { start, start_clock: 0, moves, known: &[] };
    /// let options = ReviewOptions {
    ///     limits: Limits::nodes(100),
    ///     effort: 12,
    ///     engine: None,
    ///     hash_mib: 1,
    ///     evaluation: EvaluationKind::default(),
    ///     threads: 1,
    ///     tables: TableOptions::default(),
    ///     rules: RuleSet::default(),
    /// };
    /// let mut evaluators = Evaluators::new(&options)?;
    /// let values = evaluators.evaluate(&[game], &StopFlag::default(), &mut || {})?;
    /// let values = values[0].as_ref().expect("nobody stops it");
    /// let review = &review(game, values, &[], options.rules);
    /// let place = "a.pgn:1";
    /// let game = ReviewedGame { place, number: 1, record, start, review, opening: None };
    /// let answer = ReviewAnswer::of(&game, None, false);
    /// assert_eq!((answer.moves.len(), answer.moves[0].side), (2, "red"));
    /// assert_eq!(answer.event.as_deref(), Some("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of<G: Described + Named + Playable>(
        game: &ReviewedGame<'_, G>,
        notation: Option<MoveNotation>,
        only_marked: bool,
    ) -> Self {
        let ReviewedGame { record, review, opening, .. } = game;
        let mut position = game.start.clone();
        let mut moves = Vec::new();
        let mut left_book = None;
        let times: Vec<Option<f64>> = times_used(record).into_iter().map(seconds).collect();
        for (ply, reviewed) in review.moves.iter().enumerate() {
            if let Some(exit) = review.book_exit.as_ref().filter(|exit| exit.ply == ply) {
                left_book = Some(LeftBook::of(exit, reviewed.mv, &position, notation));
            }
            if !only_marked || reviewed.mark.is_some() {
                moves.push(MoveReview {
                    time_used: times.get(ply).copied().flatten(),
                    ..MoveReview::of(ply, reviewed, &position, notation)
                });
            }
            position.make(reviewed.mv);
        }
        Self {
            schema: "juzhong.review/1",
            place: game.place.to_owned(),
            game: game.number,
            players: NamedPlayers::of(record),
            event: tag_text(record, "Event"),
            date: tag_text(record, "Date"),
            result: record.result.map(|result| result.to_string()),
            fen: game.start.to_fen(),
            opening: OpeningName::of::<G>(*opening),
            left_book,
            moves,
            turning_point: review.turning_point.map(TurningPointAnswer::of::<G>),
            sides: NamedSides::of::<G>(BySide::new_with(|side| SideReview {
                time_used: time_of(side, game.start.turn(), &times),
                ..review.sides[side].into()
            })),
        }
    }
}

/// A time in seconds, to the millisecond.
fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| (time.as_secs_f64() * 1e3).round() / 1e3)
}

/// The seconds of a side's moves, where any are known. The first move is that of `first`.
fn time_of(side: Side, first: Side, times: &[Option<f64>]) -> Option<f64> {
    let own = times.iter().skip((side != first).into()).step_by(2).copied();
    // In whole milliseconds: sums of fractions would have more digits than the times.
    own.flatten().map(|time| (time * 1e3).round()).reduce(|sum, time| sum + time).map(|ms| ms / 1e3)
}

impl TurningPointAnswer {
    fn of<G: Game>(point: TurningPoint) -> Self {
        let TurningPoint { ply, winner, before, after } = point;
        let side = side_name::<G>(winner);
        Self { ply: ply + 1, side, before: rounded(before), after: rounded(after) }
    }
}

/// The value of a tag, if it says something.
fn tag_text<G: Game>(record: &Record<G>, tag: &str) -> Option<String> {
    record.tag(tag).filter(|value| !value.is_empty()).map(str::to_owned)
}

impl NamedPlayers {
    fn of<G: Game>(record: &Record<G>) -> Self {
        let black_player = tag_text(record, "black");
        match G::BLACK {
            Side::First => {
                Self::BlackAndWhite { black_player, white_player: tag_text(record, "white") }
            }
            Side::Second => Self::RedAndBlack { black_player, red_player: tag_text(record, "red") },
        }
    }
}

impl LeftBook {
    fn of<G: Described>(
        exit: &BookExit<G::Move>,
        played: G::Move,
        position: &G,
        notation: Option<MoveNotation>,
    ) -> Self {
        let chosen = exit.choice.map(|(mv, _)| mv);
        Self {
            ply: exit.ply + 1,
            mv: G::move_text(played),
            book_move: chosen.map(G::move_text),
            book: exit.choice.map(|(_, share)| share.into()),
            text: notation.map(|notation| position.write_move(played, notation)),
            book_text: notation.map(|notation| chosen.map(|mv| position.write_move(mv, notation))),
        }
    }
}

impl MoveReview {
    fn of<G: Described + Playable>(
        ply: usize,
        reviewed: &ReviewedMove<G::Move>,
        position: &G,
        notation: Option<MoveNotation>,
    ) -> Self {
        let better = reviewed.better_line().unwrap_or_default();
        let table = reviewed.truth.map(ValuesByTables::from);
        Self {
            ply: ply + 1,
            side: side_name::<G>(reviewed.side),
            mv: G::move_text(reviewed.mv),
            phase: reviewed.phase.name(),
            source: reviewed.source.name(),
            book: reviewed.book.map(ShareInBook::from),
            table: table.map(|table| ValuesByTables { endgame: reviewed.endgame.clone(), ..table }),
            before: ScoreWithExpectation::new(reviewed.before, rounded(reviewed.expected_before)),
            after: ScoreWithExpectation::new(reviewed.after, rounded(reviewed.expected_after)),
            loss: rounded(reviewed.loss()),
            loss_cp: reviewed.centipawn_loss,
            accuracy: of_hundred(reviewed.accuracy),
            mark: reviewed.mark.map(Mark::name),
            certainty: reviewed.certainty.map(Certainty::name),
            outlook: rounded(reviewed.outlook),
            second_look: reviewed.look.as_ref().map(|look| second_look(look, position)),
            better: move_texts::<G>(better),
            time_used: None,
            only_move: reviewed.is_only,
            line: move_texts::<G>(&reviewed.line),
            depth: reviewed.depth,
            nodes: reviewed.nodes,
            text: notation.map(|notation| position.write_move(reviewed.mv, notation)),
            line_text: line_text(position, &reviewed.line, notation),
            better_text: line_text(position, better, notation),
        }
    }
}

/// A second look at a move of `position`.
fn second_look<G: Playable>(look: &SecondLook<G::Move>, position: &G) -> SecondLookAnswer {
    let phase = position.phase();
    let score = |of: Valuation| {
        ScoreWithExpectation::new(of.score, rounded(of.expected(phase, &G::WIN_MODEL)))
    };
    let SecondLook { rounds, nodes, other, played, .. } = *look;
    SecondLookAnswer {
        rounds,
        nodes,
        other: score(other),
        played: score(played),
        mean_loss: rounded(look.mean_loss()),
        // Down: a loss that is too small for a mark does not look like one that is not.
        certain_loss: rounded_down(look.certain_loss(phase, &G::WIN_MODEL)),
    }
}

impl From<BookShare> for ShareInBook {
    fn from(share: BookShare) -> Self {
        let BookShare { games, share, score, is_known: known } = share;
        Self { games, share: rounded(share), score: score.map(rounded), known }
    }
}

impl From<TableTruth> for ValuesByTables {
    fn from(truth: TableTruth) -> Self {
        let loss = truth.loss().map(TableLoss::name);
        Self { endgame: None, before: truth.before.into(), after: truth.after.into(), loss }
    }
}

impl From<Entry> for ValueByTables {
    fn from(entry: Entry) -> Self {
        let Entry { wdl, order, distance } = entry;
        Self { value: wdl.name(), order, distance }
    }
}

impl From<SideSummary> for SideReview {
    fn from(side: SideSummary) -> Self {
        let [inaccuracies, mistakes, blunders] = side.marks;
        Self {
            moves: side.moves,
            accuracy: side.accuracy.map(of_hundred),
            mean_loss_cp: side.centipawn_loss.map(rounded),
            inaccuracies,
            mistakes,
            blunders,
            lost: rounded(side.lost),
            phases: ByPhase::of(side.phases),
            time_used: None,
        }
    }
}

impl From<PhaseSummary> for PhaseReview {
    fn from(phase: PhaseSummary) -> Self {
        let PhaseSummary { moves, accuracy, lost } = phase;
        Self { moves, accuracy: accuracy.map(of_hundred), lost: rounded(lost) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    #[derive(Serialize)]
    struct Answer {
        #[serde(flatten)]
        sides: NamedSides<u8>,
    }

    #[test]
    fn members_have_the_names_of_the_sides() {
        let values = BySide { first: 1, second: 2 };
        let of_xiangqi = Answer { sides: NamedSides::of::<Position>(values) };
        assert_eq!(serde_json::to_value(of_xiangqi).unwrap(), json!({"red": 1, "black": 2}));
        let of_gomoku = Answer { sides: NamedSides::of::<Board>(values) };
        assert_eq!(serde_json::to_value(of_gomoku).unwrap(), json!({"black": 1, "white": 2}));
    }
}
