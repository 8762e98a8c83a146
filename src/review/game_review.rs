//! The review of a game: its moves with their losses, and the sums of both sides.

use super::books::{BookFinding, BookShare};
use super::evaluate::{GameMoves, PositionValue, TableFacts, line_to};
use super::figures::{Mark, counted_centipawns, expected_score, mean_accuracy, move_accuracy};
use crate::engine::{MoveSource, Playable};
use crate::game::{BySide, Game, Heuristics, Horizon, Line, Outcome, Side, Verdict};
use crate::search::Score;
use crate::tablebase::{Entry, Wdl};

/// A game that was reviewed.
#[derive(Debug, Clone, PartialEq)]
pub struct GameReview<M> {
    /// The moves of the main line.
    pub moves: Vec<ReviewedMove<M>>,
    /// The place where the game left the books; `None` where it began outside of them or never left them.
    pub book_exit: Option<BookExit<M>>,
    /// The sums of each side.
    pub sides: BySide<SideSummary>,
}

/// A move of a game, with what it gave away. Scores and values are for the side that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedMove<M> {
    /// The move.
    pub mv: M,
    /// The side that made it.
    pub side: Side,
    /// A book that has the move, else the tables if they know the position, else the search.
    pub source: MoveSource,
    /// The games of the move in the book.
    pub book: Option<BookShare>,
    /// The score of the position before the move.
    pub before: Score,
    /// The score after the move: of the next position, or of the end of the game.
    pub after: Score,
    /// The expected score before the move, 0 to 1.
    pub expected_before: f64,
    /// The expected score after the move, 0 to 1; no more than before it.
    pub expected_after: f64,
    /// The loss in centipawns, where more than ten pawns count as ten.
    pub centipawn_loss: u32,
    /// The accuracy, 0 to 100.
    pub accuracy: f64,
    /// The mark that the loss of expected score has.
    pub mark: Option<Mark>,
    /// True if every other move would have been a blunder.
    pub is_only: bool,
    /// The values by tables and rules, where both are known.
    pub truth: Option<TableTruth>,
    /// The best moves found from the position before, this one or better.
    pub line: Vec<M>,
    /// Plies searched from the position before.
    pub depth: u32,
    /// Positions searched from there.
    pub nodes: u64,
}

impl<M: Copy + PartialEq> ReviewedMove<M> {
    /// The loss of expected score, 0 to 1.
    #[must_use]
    pub fn loss(&self) -> f64 {
        (self.expected_before - self.expected_after).max(0.0)
    }

    /// The better line, of a move that was marked and was not the best one found.
    #[must_use]
    pub fn better_line(&self) -> Option<&[M]> {
        let differs = self.line.first().is_some_and(|&best| best != self.mv);
        (self.mark.is_some() && differs).then_some(self.line.as_slice())
    }
}

/// The certain values before and after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableTruth {
    /// Before the move, by the tables.
    pub before: Entry,
    /// With the move; by the rules on repetition where these end the game with it, then without a distance.
    pub after: Entry,
}

/// A loss by the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableLoss {
    /// A win became a draw or a loss.
    WinLetGo,
    /// A draw became a loss.
    DrawLost,
    /// A win takes longer by this number of plies, or needs rules on repetition that it did not need.
    LongerWin(u16),
    /// A loss comes sooner by this number of plies.
    SoonerLoss(u16),
}

impl TableLoss {
    /// `win_let_go`, `draw_lost`, `longer_win` or `sooner_loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WinLetGo => "win_let_go",
            Self::DrawLost => "draw_lost",
            Self::LongerWin(_) => "longer_win",
            Self::SoonerLoss(_) => "sooner_loss",
        }
    }
}

impl TableTruth {
    /// The loss of the move; `None` if it keeps the value and wastes nothing.
    #[must_use]
    pub fn loss(self) -> Option<TableLoss> {
        let Self { before, after } = self;
        match (before.wdl, after.wdl) {
            (Wdl::Win, Wdl::Draw | Wdl::Loss) => Some(TableLoss::WinLetGo),
            (Wdl::Draw, Wdl::Loss) => Some(TableLoss::DrawLost),
            _ if after >= before => None,
            (Wdl::Win, _) => {
                Some(TableLoss::LongerWin(after.distance.saturating_sub(before.distance)))
            }
            _ => Some(TableLoss::SoonerLoss(before.distance.saturating_sub(after.distance))),
        }
    }
}

/// The end of a game's way through the books.
#[derive(Debug, Clone, PartialEq)]
pub struct BookExit<M> {
    /// The number of plies before the first move that no book has.
    pub ply: usize,
    /// The move that a book would have played there; `None` where the books end.
    pub choice: Option<(M, BookShare)>,
}

/// The sums of a side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SideSummary {
    /// Moves.
    pub moves: usize,
    /// The mean of their accuracies; `None` without moves.
    pub accuracy: Option<f64>,
    /// The mean of their losses in centipawns.
    pub centipawn_loss: Option<f64>,
    /// Moves with each mark, in the order of [`Mark::ALL`].
    pub marks: [usize; 3],
}

/// Reviews a game by the values of its positions, as [`Evaluators::evaluate`](super::Evaluators::evaluate) returns
/// them, and what the books say about each move, if there are books. `rules` judge repetitions.
///
/// ```
/// use juzhong::bytes::StopFlag;
/// use juzhong::engine::TableOptions;
/// use juzhong::review::{Evaluators, GameMoves, ReviewOptions, review};
/// use juzhong::search::Limits;
/// use juzhong::xiangqi::{Move, Position, RuleSet};
///
/// let rules = RuleSet::default();
/// let limits = Limits::depth(2);
/// let tables = TableOptions::default();
/// let options = ReviewOptions { limits, hash_mib: 1, threads: 1, tables, rules };
/// let start = Position::start();
/// let moves = ["h2e2", "h9g7"].map(|text| Move::parse(text).unwrap());
/// let game = GameMoves { start: &start, start_clock: 0, moves: &moves };
///
/// let values = Evaluators::<Position>::new(&options)?.evaluate(&[game], &StopFlag::default(), &mut || ())?;
/// let review = review(game, values[0].as_ref().unwrap(), &[], rules);
/// assert_eq!(review.moves.len(), 2);
/// assert!((0.0..=100.0).contains(&review.moves[0].accuracy));
/// assert_eq!(review.sides.first.moves, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn review<G: Playable>(
    game: GameMoves<'_, G>,
    values: &[PositionValue<G::Move>],
    books: &[BookFinding<G::Move>],
    rules: G::Rules,
) -> GameReview<G::Move> {
    let mut line = line_to(game, 0);
    let mut moves = Vec::with_capacity(game.moves.len());
    for (ply, (&mv, value)) in game.moves.iter().zip(values).enumerate() {
        let before = line.position().clone();
        line.push(mv);
        let end = ending(&line, rules);
        let after = end.map_or_else(
            || values.get(ply + 1).map_or(Score::DRAW, |next| -next.score),
            |outcome| score_of(outcome, before.turn()),
        );
        let step = Step { before: &before, mv, value, next: values.get(ply + 1), after, end };
        moves.push(step.reviewed(books.get(ply)));
    }
    let sides = BySide::new_with(|side| summary(&moves, side));
    GameReview { book_exit: book_exit(books), moves, sides }
}

/// The result if the game is over at the end of `line`.
fn ending<G: Playable>(line: &Line<G>, rules: G::Rules) -> Option<Outcome> {
    line.position().outcome().or_else(|| match G::judge(line, rules, Horizon::Game).verdict {
        Verdict::None => None,
        verdict => verdict.outcome(),
    })
}

/// A finished game as a score for a side.
fn score_of(outcome: Outcome, side: Side) -> Score {
    match outcome.winner() {
        None => Score::DRAW,
        Some(winner) if winner == side => Score::mate_in(0),
        Some(_) => Score::mated_in(0),
    }
}

/// A move on its way to be reviewed.
struct Step<'a, G: Game> {
    before: &'a G,
    mv: G::Move,
    value: &'a PositionValue<G::Move>,
    /// The value of the next position.
    next: Option<&'a PositionValue<G::Move>>,
    after: Score,
    /// The result, if the move ends the game.
    end: Option<Outcome>,
}

impl<G: Game + Heuristics> Step<'_, G> {
    fn reviewed(&self, found: Option<&BookFinding<G::Move>>) -> ReviewedMove<G::Move> {
        let PositionValue { score, line, depth, nodes, second, table } = self.value;
        let side = self.before.turn();
        let phase = self.before.phase();
        let truth = table.and_then(|facts| self.truth(facts));
        let is_best = line.first() == Some(&self.mv);
        let (before, after) = match truth {
            Some(TableTruth { before, after }) => {
                (score_of_wdl(before.wdl), score_of_wdl(after.wdl))
            }
            // Of the best move found, what a later search knows better is no loss against another move.
            None if is_best => (*score, *score),
            // An early verdict is no ground for a mark: the loser may still leave the loop.
            None if score.is_early() || self.after.is_early() => (*score, *score),
            None => (*score, self.after),
        };
        let [expected_before, expected] =
            [before, after].map(|score| expected_score(score, phase, &G::WIN_MODEL));
        let expected_after = expected.min(expected_before);
        let loss = expected_before - expected_after;
        let lost = counted_centipawns(before) - counted_centipawns(after);
        let is_only_found = second.is_some_and(|second| {
            !score.is_early()
                && !second.is_early()
                && expected_before - expected_score(second, phase, &G::WIN_MODEL)
                    >= Mark::Blunder.least_loss()
        });
        let is_only_kept = table.is_some_and(|facts| {
            facts.is_only && facts.played.is_some_and(|played| played.wdl == facts.best.wdl)
        });
        let book = found.and_then(|found| found.played);
        let source = match (&book, table) {
            (Some(_), _) => MoveSource::Book,
            (None, Some(_)) => MoveSource::Table,
            (None, None) => MoveSource::Search,
        };
        ReviewedMove {
            mv: self.mv,
            side,
            source,
            book,
            before: *score,
            after: self.after,
            expected_before,
            expected_after,
            centipawn_loss: lost.max(0).unsigned_abs(),
            accuracy: move_accuracy(loss),
            mark: Mark::of_loss(loss),
            is_only: is_best && is_only_found || is_only_kept,
            truth,
            line: line.clone(),
            depth: *depth,
            nodes: *nodes,
        }
    }

    /// The values before and after the move. What ends the game counts more than the tables, which do not know its
    /// past; nor do they tell where that matters in the next position.
    fn truth(&self, facts: TableFacts) -> Option<TableTruth> {
        let next = self.next.and_then(|next| next.table).map(|facts| -facts.best.wdl);
        let played = facts.played.filter(|played| Some(played.wdl) == next);
        let after = self
            .end
            .map(|outcome: Outcome| match outcome.winner() {
                None => Entry::DRAW,
                Some(winner) if winner == self.before.turn() => Entry::win(0, 1),
                Some(_) => Entry::loss(0, 0),
            })
            .or(played)?;
        Some(TableTruth { before: facts.best, after })
    }
}

/// A proven result as a score that is certain.
fn score_of_wdl(wdl: Wdl) -> Score {
    match wdl {
        Wdl::Win => Score::table_win(0),
        Wdl::Draw => Score::DRAW,
        Wdl::Loss => Score::table_loss(0),
    }
}

/// The first move that no book has, unless that is all that is known of the books.
fn book_exit<M: Copy>(books: &[BookFinding<M>]) -> Option<BookExit<M>> {
    let ply = books.iter().position(|found| found.played.is_none())?;
    let choice = books[ply].choice;
    (ply > 0 || choice.is_some()).then_some(BookExit { ply, choice })
}

fn summary<M>(moves: &[ReviewedMove<M>], side: Side) -> SideSummary {
    let own: Vec<&ReviewedMove<M>> = moves.iter().filter(|m| m.side == side).collect();
    let accuracies: Vec<f64> = own.iter().map(|m| m.accuracy).collect();
    let lost: u64 = own.iter().map(|m| u64::from(m.centipawn_loss)).sum();
    SideSummary {
        moves: own.len(),
        accuracy: mean_accuracy(&accuracies),
        centipawn_loss: (!own.is_empty()).then(|| lost as f64 / own.len() as f64),
        marks: Mark::ALL.map(|mark: Mark| own.iter().filter(|m| m.mark == Some(mark)).count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::{Move, Position, RuleSet};

    fn mv(text: &str) -> Move {
        Move::parse(text).unwrap()
    }

    fn value(score: i32, best: &str) -> PositionValue<Move> {
        let score = Score::from_eval(score);
        PositionValue { score, line: vec![mv(best)], depth: 5, nodes: 9, second: None, table: None }
    }

    fn reviewed(moves: &[&str], values: &[PositionValue<Move>]) -> GameReview<Move> {
        let moves: Vec<Move> = moves.iter().map(|text| mv(text)).collect();
        let start = Position::start();
        let game = GameMoves { start: &start, start_clock: 0, moves: &moves };
        review(game, values, &[], RuleSet::default())
    }

    #[test]
    fn the_next_position_negated_is_the_value_of_a_move() {
        let values = [value(20, "h2e2"), value(300, "h9g7"), value(-310, "h0g2")];
        let review = reviewed(&["a3a4", "h9g7"], &values);
        let [red, black] = &review.moves[..] else { panic!() };
        assert_eq!((red.before.value(), red.after.value()), (20, -300));
        assert_eq!((red.mark, red.centipawn_loss), (Some(Mark::Blunder), 320));
        assert_eq!(red.better_line(), Some(&[mv("h2e2")][..]));
        assert_eq!((black.mark, black.centipawn_loss, black.loss()), (None, 0, 0.0));
        assert_eq!(review.sides.first.marks, [0, 0, 1]);
        assert_eq!(review.sides.second.accuracy, Some(move_accuracy(0.0)));
    }

    #[test]
    fn an_early_verdict_marks_no_move() {
        for (before, after) in [
            (Score::early_win(3), Score::from_eval(900)),
            (Score::from_eval(900), Score::early_win(4)),
        ] {
            let values = [(before, "h2e2"), (after, "h9g7")]
                .map(|(score, best)| PositionValue { score, ..value(0, best) });
            let review = reviewed(&["a3a4"], &values);
            let red = &review.moves[0];
            assert_eq!((red.mark, red.centipawn_loss, red.loss()), (None, 0, 0.0));
            assert!(!red.is_only);
        }
    }

    #[test]
    fn the_best_move_found_gives_nothing_away() {
        let values = [value(20, "h2e2"), value(300, "h9g7")];
        let review = reviewed(&["h2e2"], &values);
        assert_eq!((review.moves[0].mark, review.moves[0].centipawn_loss), (None, 0));
        assert_eq!(review.moves[0].after.value(), -300);
    }

    #[test]
    fn tables_count_more_than_scores() {
        let facts = |best, played| Some(TableFacts { best, played, is_only: false });
        let after = |played: Entry| Entry { wdl: -played.wdl, ..played };
        let with_next = |best, played, next| {
            let values = [
                PositionValue { table: facts(best, Some(played)), ..value(500, "a3a4") },
                PositionValue { table: next, ..value(-500, "h9g7") },
            ];
            reviewed(&["h2e2"], &values).moves.remove(0)
        };
        let with = |best, played| with_next(best, played, facts(after(played), None));
        let thrown = with(Entry::win(0, 9), Entry::DRAW);
        assert_eq!(thrown.truth.unwrap().loss(), Some(TableLoss::WinLetGo));
        assert_eq!((thrown.mark, thrown.source), (Some(Mark::Blunder), MoveSource::Table));
        assert_eq!(thrown.loss(), 0.5);
        let lost = with(Entry::DRAW, Entry::loss(0, 4));
        assert_eq!(lost.truth.unwrap().loss(), Some(TableLoss::DrawLost));
        let slow = with(Entry::win(0, 9), Entry::win(0, 15));
        assert_eq!(slow.truth.unwrap().loss(), Some(TableLoss::LongerWin(6)));
        assert_eq!((slow.mark, slow.centipawn_loss), (None, 0));
        let quick = with(Entry::loss(0, 10), Entry::loss(0, 4));
        assert_eq!(quick.truth.unwrap().loss(), Some(TableLoss::SoonerLoss(6)));
        let good = with(Entry::win(0, 9), Entry::win(0, 9));
        assert_eq!(good.truth.unwrap().loss(), None);
        // Where the past of the game matters after the move, the tables do not tell.
        assert_eq!(with_next(Entry::win(0, 9), Entry::win(0, 9), None).truth, None);
        let other = facts(Entry::win(0, 3), None);
        assert_eq!(with_next(Entry::win(0, 9), Entry::win(0, 9), other).truth, None);
    }

    #[test]
    fn the_rules_end_games() {
        // A perpetual check, which loses.
        let start = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/5K3 w").unwrap();
        let moves: Vec<Move> =
            ["e1d1", "d9e9", "d1e1", "e9d9"].repeat(3).iter().map(|t| mv(t)).collect();
        let game = GameMoves { start: &start, start_clock: 0, moves: &moves };
        let values: Vec<_> = moves.iter().map(|_| value(400, "e1e8")).collect();
        let review = review(game, &values, &[], RuleSet::Check);
        let lost = review.moves.iter().find(|m| m.after == Score::mated_in(0)).unwrap();
        assert_eq!((lost.side, lost.mark), (Side::First, Some(Mark::Blunder)));
    }

    #[test]
    fn games_leave_books_once() {
        let share = BookShare { games: 3, share: 0.5, score: None };
        let known = BookFinding { played: Some(share), choice: Some((1_u16, share)) };
        let other = BookFinding { played: None, choice: Some((2, share)) };
        let unknown = BookFinding { played: None, choice: None };
        let exit =
            |books: &[BookFinding<u16>]| book_exit(books).map(|exit| (exit.ply, exit.choice));
        assert_eq!(exit(&[]), None);
        assert_eq!(exit(&[known.clone(), known.clone()]), None);
        assert_eq!(
            exit(&[known.clone(), other.clone(), known.clone()]),
            Some((1, Some((2, share))))
        );
        assert_eq!(exit(&[known, unknown.clone()]), Some((1, None)));
        assert_eq!(exit(&[unknown]), None);
        assert_eq!(exit(&[other]), Some((0, Some((2, share)))));
    }
}
