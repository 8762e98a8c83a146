//! The answer of a review: a game with the source, the evaluation and the loss of every move.

use serde::Serialize;

use crate::answers::book::OpeningName;
use crate::answers::described::Described;
use crate::answers::line::{line_texts, move_texts};
use crate::answers::score::ScoreWithExpectation;
use crate::answers::sides::{NamedSides, side_name};
use crate::book::opening::{Named, Opening};
use crate::engine::Playable;
use crate::game::{Game, Side};
use crate::record::Record;
use crate::review::{
    BookExit, BookShare, GameReview, Mark, ReviewedMove, SideSummary, TableLoss, TableTruth,
};
use crate::tablebase::Entry;
use crate::xiangqi::notation::MoveNotation;

/// A game that was reviewed, with what is told of it.
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
    /// The sums of both sides.
    #[serde(flatten)]
    pub sides: NamedSides<SideReview>,
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
pub struct ShareInBook {
    /// Games in which it was played.
    pub games: u64,
    /// The share of these games in those of all moves there, 0 to 1.
    pub share: f64,
    /// The share of the points that the mover made in them, 0 to 1; null where no result is known.
    pub score: Option<f64>,
}

/// A move that was reviewed. Scores are for the side that made it.
#[derive(Debug, Serialize)]
pub struct MoveReview {
    /// Its number, from 1.
    pub ply: usize,
    /// The side that made it.
    pub side: &'static str,
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
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
}

/// The values before and after a move, by tables and rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ValuesByTables {
    /// Before the move.
    pub before: ValueByTables,
    /// With the move.
    pub after: ValueByTables,
    /// The kind of the loss, if there is one.
    pub loss: Option<&'static str>,
}

/// A value by tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
}

/// Four digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Two digits after the point.
fn of_hundred(value: f64) -> f64 {
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
    /// use juzhong::game::Game;
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
    /// let game = GameMoves { start, start_clock: 0, moves: &record.tree.moves };
    /// let options = ReviewOptions {
    ///     limits: Limits::nodes(100),
    ///     hash_mib: 1,
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
        for (ply, reviewed) in review.moves.iter().enumerate() {
            if let Some(exit) = review.book_exit.as_ref().filter(|exit| exit.ply == ply) {
                left_book = Some(LeftBook::of(exit, reviewed.mv, &position, notation));
            }
            if !only_marked || reviewed.mark.is_some() {
                moves.push(MoveReview::of(ply, reviewed, &position, notation));
            }
            position.make(reviewed.mv);
        }
        Self {
            schema: "juzhong.review/1",
            place: game.place.to_owned(),
            game: game.number,
            players: NamedPlayers::of(record),
            event: told(record, "Event"),
            date: told(record, "Date"),
            result: record.result.map(|result| result.to_string()),
            fen: game.start.to_fen(),
            opening: OpeningName::of::<G>(*opening),
            left_book,
            moves,
            sides: NamedSides::of::<G>(review.sides.map(SideReview::from)),
        }
    }
}

/// The value of a tag, if it says something.
fn told<G: Game>(record: &Record<G>, tag: &str) -> Option<String> {
    record.tag(tag).filter(|value| !value.is_empty()).map(str::to_owned)
}

impl NamedPlayers {
    fn of<G: Game>(record: &Record<G>) -> Self {
        let black_player = told(record, "black");
        match G::BLACK {
            Side::First => {
                Self::BlackAndWhite { black_player, white_player: told(record, "white") }
            }
            Side::Second => Self::RedAndBlack { black_player, red_player: told(record, "red") },
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
        let text = |mv: G::Move| notation.map(|notation| position.write_move(mv, notation));
        Self {
            ply: exit.ply + 1,
            mv: G::move_text(played),
            book_move: chosen.map(G::move_text),
            book: exit.choice.map(|(_, share)| share.into()),
            text: text(played),
            book_text: notation.map(|_| chosen.and_then(text)),
        }
    }
}

impl MoveReview {
    fn of<G: Described>(
        ply: usize,
        reviewed: &ReviewedMove<G::Move>,
        position: &G,
        notation: Option<MoveNotation>,
    ) -> Self {
        let score = |score, expected| ScoreWithExpectation::new(score, rounded(expected));
        let line = reviewed.line.iter().copied();
        let line_text = |notation| line_texts(position, line, notation).join(" ");
        Self {
            ply: ply + 1,
            side: side_name::<G>(reviewed.side),
            mv: G::move_text(reviewed.mv),
            source: reviewed.source.name(),
            book: reviewed.book.map(ShareInBook::from),
            table: reviewed.truth.map(ValuesByTables::from),
            before: score(reviewed.before, reviewed.expected_before),
            after: score(reviewed.after, reviewed.expected_after),
            loss: rounded(reviewed.loss()),
            loss_cp: reviewed.centipawn_loss,
            accuracy: of_hundred(reviewed.accuracy),
            mark: reviewed.mark.map(Mark::name),
            only_move: reviewed.is_only,
            line: move_texts::<G>(&reviewed.line),
            depth: reviewed.depth,
            nodes: reviewed.nodes,
            text: notation.map(|notation| position.write_move(reviewed.mv, notation)),
            line_text: notation.map(line_text),
        }
    }
}

impl From<BookShare> for ShareInBook {
    fn from(share: BookShare) -> Self {
        let BookShare { games, share, score } = share;
        Self { games, share: rounded(share), score: score.map(rounded) }
    }
}

impl From<TableTruth> for ValuesByTables {
    fn from(truth: TableTruth) -> Self {
        let loss = truth.loss().map(TableLoss::name);
        Self { before: truth.before.into(), after: truth.after.into(), loss }
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
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::game::BySide;
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
