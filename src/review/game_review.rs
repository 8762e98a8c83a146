//! The review of a game: its moves with their losses, and the sums of both sides.

use super::books::{BookFinding, BookShare};
use super::compare::SecondLook;
use super::marks::{
    Certainty, Mark, Valuation, counted_centipawns, loss_between, mean_accuracy, move_accuracy,
};
use super::phases::GamePhase;
use super::values::{Ending, GameMoves, PositionValue, TableFacts, ending, line_to};
use crate::engine::{Endgames, MoveSource, Playable};
use crate::game::{BySide, Game, Outcome, Side};
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
    /// The move that decided the game.
    pub turning_point: Option<TurningPoint>,
}

/// The move after which the side that stands better at the end always stood better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurningPoint {
    /// Plies before the move.
    pub ply: usize,
    /// The side that stands better from there on.
    pub winner: Side,
    /// The expected score of that side before the move, 0 to 1.
    pub before: f64,
    /// Its expected score after the move.
    pub after: f64,
}

/// A move of a game, with what it gave away. Scores and values are for the side that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedMove<M> {
    /// The move.
    pub mv: M,
    /// The side that made it.
    pub side: Side,
    /// The phase of the game.
    pub phase: GamePhase,
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
    /// The certainty of the mark, or that there is none any more.
    pub certainty: Option<Certainty>,
    /// True if every other move would have been a blunder.
    pub is_only: bool,
    /// True if the move ended the game by the rules on repetition or the limit of moves.
    pub is_end_by_rule: bool,
    /// The expected score of the first side after the move, 0 to 1, by the value of the next position alone.
    pub outlook: f64,
    /// The values by tables and rules, where both are known.
    pub truth: Option<TableTruth>,
    /// The name of the endgame, as `KRvKN`, where tables know it.
    pub endgame: Option<String>,
    /// The second look, where the move seemed to be a fault.
    pub look: Option<SecondLook<M>>,
    /// The best moves found from the position before, this one or better; after a second look that found a loss, those of
    /// the best other move.
    pub line: Vec<M>,
    /// The moves of the line, from the first on, that did not change any more.
    pub stable_plies: usize,
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

    /// The better line, of a move that was marked and was not the best one found: its moves that did not change any more.
    #[must_use]
    pub fn better_line(&self) -> Option<&[M]> {
        let differs = self.line.first().is_some_and(|&best| best != self.mv);
        let stable = self.stable_plies.min(self.line.len());
        (self.mark.is_some() && differs).then_some(&self.line[..stable])
    }

    /// The score of the better line, for the side that moves.
    #[must_use]
    pub fn better_score(&self) -> Score {
        self.look
            .as_ref()
            .filter(|_| self.truth.is_none())
            .map_or(self.before, |look| look.other.score)
    }

    /// Returns true if a book knows the move so well that no search marks it.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.book.is_some_and(|share| share.is_known)
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
    /// The sum of their losses of expected score: points.
    pub lost: f64,
    /// The moves of each phase, in the order of [`GamePhase::ALL`].
    pub phases: [PhaseSummary; 3],
}

/// The sums of a side in a phase of the game.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PhaseSummary {
    /// Moves.
    pub moves: usize,
    /// The mean of their accuracies; `None` without moves.
    pub accuracy: Option<f64>,
    /// The sum of their losses of expected score: points.
    pub lost: f64,
}

/// Reviews a game by the values of its positions, as [`Evaluators::evaluate`](super::Evaluators::evaluate) returns
/// them, and what the books say about each move, if there are books. `rules` judge repetitions.
///
/// ```
/// use juzhong::bytes::StopFlag;
/// use juzhong::engine::TableOptions;
/// use juzhong::game::EvaluationKind;
/// use juzhong::review::{Evaluators, GameMoves, ReviewOptions, review};
/// use juzhong::search::Limits;
/// use juzhong::xiangqi::{Move, Position, RuleSet};
///
/// let rules = RuleSet::default();
/// let limits = Limits::depth(2);
/// let tables = TableOptions::default();
/// let options = ReviewOptions {
///     limits,
///     effort: 12,
///     hash_mib: 1,
///     evaluation: EvaluationKind::default(),
///     threads: 1,
///     tables,
///     rules,
///     engine: None,
/// };
/// let start = Position::start();
/// let moves = ["h2e2", "h9g7"].map(|text| Move::parse(text).unwrap());
/// let game = GameMoves { start: &start, start_clock: 0, moves: &moves, known: &[] };
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
    let in_books = books.iter().take_while(|found| found.played.is_some()).count();
    let is_from_start = game.start.key() == G::start().key();
    let mut moves = Vec::with_capacity(game.moves.len());
    for_each_step(game, values, rules, &mut |ply, step| {
        let material = step.before.phase();
        let phase = GamePhase::of(ply, is_from_start, in_books, material);
        moves.push(step.reviewed(books.get(ply), phase));
    });
    let sides = BySide::new_with(|side| summary(&moves, side));
    let turning_point = values.first().and_then(|first| turning_point(game.start, first, &moves));
    GameReview { book_exit: book_exit(books), moves, sides, turning_point }
}

/// The plies of a game after which a move was made that seems to be a fault, and is worth a second look.
pub(crate) fn suspects<G: Playable>(
    game: GameMoves<'_, G>,
    values: &[PositionValue<G::Move>],
    rules: G::Rules,
) -> Vec<usize> {
    let mut plies = Vec::new();
    for_each_step(game, values, rules, &mut |ply, step| {
        if !game.is_known(ply) && step.is_suspect() {
            plies.push(ply);
        }
    });
    plies
}

/// Goes through the moves of a game that have a value.
fn for_each_step<G: Playable>(
    game: GameMoves<'_, G>,
    values: &[PositionValue<G::Move>],
    rules: G::Rules,
    each: &mut dyn FnMut(usize, &Step<'_, G>),
) {
    let mut line = line_to(game, 0);
    for (ply, (&mv, value)) in game.moves.iter().zip(values).enumerate() {
        let before = line.position().clone();
        line.push(mv);
        let next = values.get(ply + 1);
        let end = ending(&line, rules);
        let after = match end {
            Some(end) => score_of(end.outcome, before.turn()).into(),
            None => next.map_or_else(Valuation::default, |next| -next.valuation()),
        };
        each(ply, &Step { before: &before, mv, value, next, after, end });
    }
}

/// A finished game as a score for a side.
fn score_of(outcome: Outcome, side: Side) -> Score {
    match outcome.winner() {
        None => Score::DRAW,
        Some(winner) if winner == side => Score::mate_in(0),
        Some(_) => Score::mated_in(0),
    }
}

/// The loss from which on a move that was not the best one found is worth a second look: a little less than a mark has,
/// for the first look errs in both directions.
const SUSPICIOUS: f64 = 0.04;
/// The same for the best move found, whose loss shows in the next position only: much of it is the noise of one search.
const SUSPICIOUS_BEST: f64 = 0.08;

/// A move on its way to be reviewed.
struct Step<'a, G: Game> {
    before: &'a G,
    mv: G::Move,
    value: &'a PositionValue<G::Move>,
    /// The value of the next position.
    next: Option<&'a PositionValue<G::Move>>,
    after: Valuation,
    /// The end, if the move ends the game.
    end: Option<Ending>,
}

/// The verdict on a move: what it is compared with, what it keeps, and how that is known.
struct Judged {
    from: Valuation,
    to: Valuation,
    certainty: Certainty,
    /// The part of the loss beyond the usual error of its search, by which the mark goes; `None` if that is all of it.
    certain_loss: Option<f64>,
}

impl Judged {
    /// Nothing is lost.
    const fn sound(from: Valuation) -> Self {
        Self { from, to: from, certainty: Certainty::Likely, certain_loss: None }
    }

    /// The loss is known without a search, or by one that nothing was compared with.
    const fn by_itself(from: Valuation, to: Valuation, certainty: Certainty) -> Self {
        Self { from, to, certainty, certain_loss: None }
    }
}

impl<G: Playable> Step<'_, G> {
    fn reviewed(
        &self,
        found: Option<&BookFinding<G::Move>>,
        phase: GamePhase,
    ) -> ReviewedMove<G::Move> {
        let PositionValue { score, depth, nodes, table, look, .. } = self.value;
        let side = self.before.turn();
        let truth = table.and_then(|facts| self.truth(facts));
        let is_known = found.is_some_and(BookFinding::is_known);
        let Judged { from, to, certainty, certain_loss } = self.judged(truth, is_known);
        let [expected_before, expected] = [from, to].map(|of| self.expected(of));
        let expected_after = expected.min(expected_before);
        let loss = expected_before - expected_after;
        let lost = counted_centipawns(from.score) - counted_centipawns(to.score);
        let mark = Mark::of_loss(certain_loss.unwrap_or(loss));
        let is_withdrawn =
            mark.is_none() && look.is_some() && Mark::of_loss(self.first_loss()).is_some();
        let book = found.and_then(|found| found.played);
        let source = match (&book, table) {
            (Some(_), _) => MoveSource::Book,
            (None, Some(_)) => MoveSource::Table,
            (None, None) => MoveSource::Search,
        };
        let (line, stable_plies) = self.line(truth, loss);
        let outlook = self.expected(self.after);
        ReviewedMove {
            mv: self.mv,
            side,
            phase,
            source,
            book,
            before: *score,
            after: self.after.score,
            expected_before,
            expected_after,
            centipawn_loss: lost.max(0).unsigned_abs(),
            accuracy: move_accuracy(loss),
            mark,
            certainty: mark
                .map(|_| certainty)
                .or((is_withdrawn && !is_known).then_some(Certainty::Withdrawn)),
            is_only: self.is_only_found() || self.is_only_kept(),
            is_end_by_rule: self.end.is_some_and(|end| end.is_by_rule),
            outlook: if side == Side::First { outlook } else { 1.0 - outlook },
            truth,
            endgame: table.and_then(|_| G::Tables::name_of(self.before)),
            look: look.clone(),
            line,
            stable_plies,
            depth: *depth,
            nodes: *nodes,
        }
    }

    /// The expected score of a valuation in this position.
    fn expected(&self, of: Valuation) -> f64 {
        of.expected(self.before.phase(), &G::WIN_MODEL)
    }

    /// The verdict: by the truth, by the end of the game, by the book, by the second look, and last by the first one.
    fn judged(&self, truth: Option<TableTruth>, is_known: bool) -> Judged {
        let from = self.value.valuation();
        let is_early = from.score.is_early() || self.after.score.is_early();
        if let Some(TableTruth { before, after }) = truth {
            let [from, to] = [before, after].map(|value| score_of_wdl(value.wdl).into());
            return Judged::by_itself(from, to, Certainty::Proved);
        }
        // Of the best move found, what a later search knows better is no loss against another move. An early verdict
        // is no ground for a mark: the loser may still leave the loop.
        let is_sound = is_early || self.is_best();
        if self.end.is_some() {
            let proved = Judged::by_itself(from, self.after, Certainty::Proved);
            return if is_sound { Judged::sound(from) } else { proved };
        }
        match &self.value.look {
            _ if is_known => Judged::sound(from),
            Some(look) => self.judged_by(look),
            None if is_sound => Judged::sound(from),
            None => Judged::by_itself(from, self.after, Certainty::Likely),
        }
    }

    /// The verdict by a second look.
    fn judged_by(&self, look: &SecondLook<G::Move>) -> Judged {
        let SecondLook { other, played, is_stable, .. } = *look;
        let phase = self.before.phase();
        if look.loss(phase, &G::WIN_MODEL) == 0.0 {
            return Judged::sound(played);
        }
        let certain_loss = Some(look.certain_loss(phase, &G::WIN_MODEL));
        let is_proved = played.score.is_proved() && played.score.is_lost();
        let certainty = match is_stable {
            true if is_proved => Certainty::Proved,
            true => Certainty::Stable,
            false => Certainty::Likely,
        };
        Judged { from: other, to: played, certainty, certain_loss }
    }

    /// The loss by the first look alone, whether the move was the best one found or not.
    fn first_loss(&self) -> f64 {
        let from = self.value.valuation();
        loss_between(from, self.after, self.before.phase(), &G::WIN_MODEL)
    }

    /// Returns true if the search preferred the move.
    fn is_best(&self) -> bool {
        self.value.line.first() == Some(&self.mv)
    }

    /// Returns true if the move seems to be a fault and nothing certain is known of it.
    fn is_suspect(&self) -> bool {
        let is_certain =
            self.end.is_some() || self.value.table.is_some_and(|facts| self.truth(facts).is_some());
        let least = if self.is_best() { SUSPICIOUS_BEST } else { SUSPICIOUS };
        !is_certain && self.first_loss() >= least && self.before.count_legal_moves() > 1
    }

    /// The best moves instead, and how many of them did not change any more.
    fn line(&self, truth: Option<TableTruth>, loss: f64) -> (Vec<G::Move>, usize) {
        match &self.value.look {
            Some(look) if truth.is_none() && loss > 0.0 => (look.line.clone(), look.stable_plies),
            _ => (self.value.line.clone(), self.value.line.len()),
        }
    }

    /// Returns true if searches found every other move to be a blunder.
    fn is_only_found(&self) -> bool {
        let (best, second) = match (&self.value.look, self.value.second) {
            (Some(look), _) => (look.played, look.other),
            (None, Some(second)) if self.is_best() => (self.value.valuation(), second),
            (None, _) => return false,
        };
        let loss = loss_between(best, second, self.before.phase(), &G::WIN_MODEL);
        loss >= Mark::Blunder.least_loss()
    }

    /// Returns true if the tables know the move as the only one that keeps the value.
    fn is_only_kept(&self) -> bool {
        self.value.table.is_some_and(|facts| {
            facts.is_only && facts.played.is_some_and(|played| played.wdl == facts.best.wdl)
        })
    }

    /// The values before and after the move. What ends the game counts more than the tables, which do not know its
    /// past; nor do they tell where that matters in the next position.
    fn truth(&self, facts: TableFacts) -> Option<TableTruth> {
        let next = self.next.and_then(|next| next.table).map(|facts| -facts.best.wdl);
        let played = facts.played.filter(|played| Some(played.wdl) == next);
        let after = self
            .end
            .map(|end| match end.outcome.winner() {
                None => Entry::DRAW,
                Some(winner) if winner == self.before.turn() => Entry::win(0, 1),
                Some(_) => Entry::loss(0, 0),
            })
            .or(played)?;
        Some(TableTruth { before: facts.best, after })
    }
}

/// The expected score from which on a side stands better.
const BETTER: f64 = 0.6;

/// The move after which the side that stands better at the end always stood better. `None` where nobody does, or one
/// side did from the start.
fn turning_point<G: Playable>(
    start: &G,
    first: &PositionValue<G::Move>,
    moves: &[ReviewedMove<G::Move>],
) -> Option<TurningPoint> {
    let last = moves.last()?;
    let winner = Side::ALL.into_iter().find(|&side| outlook_of(side, last) >= BETTER)?;
    let expected = first.valuation().expected(start.phase(), &G::WIN_MODEL);
    let at_start = if start.turn() == winner { expected } else { 1.0 - expected };
    let better = moves.iter().rev().take_while(|m| outlook_of(winner, m) >= BETTER).count();
    let ply = moves.len() - better;
    let before = match ply.checked_sub(1) {
        Some(earlier) => outlook_of(winner, &moves[earlier]),
        None => at_start,
    };
    let after = outlook_of(winner, &moves[ply]);
    (before < BETTER).then_some(TurningPoint { ply, winner, before, after })
}

/// The expected score of a side after a move, whichever side made it.
fn outlook_of<M>(side: Side, reviewed: &ReviewedMove<M>) -> f64 {
    match side {
        Side::First => reviewed.outlook,
        Side::Second => 1.0 - reviewed.outlook,
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

fn summary<M: Copy + PartialEq>(moves: &[ReviewedMove<M>], side: Side) -> SideSummary {
    let own: Vec<&ReviewedMove<M>> = moves.iter().filter(|m| m.side == side).collect();
    let accuracies: Vec<f64> = own.iter().map(|m| m.accuracy).collect();
    let lost: u64 = own.iter().map(|m| u64::from(m.centipawn_loss)).sum();
    SideSummary {
        moves: own.len(),
        accuracy: mean_accuracy(&accuracies),
        centipawn_loss: (!own.is_empty()).then(|| lost as f64 / own.len() as f64),
        marks: Mark::ALL.map(|mark: Mark| own.iter().filter(|m| m.mark == Some(mark)).count()),
        lost: own.iter().fold(0.0, |sum, m| sum + m.loss()),
        phases: GamePhase::ALL.map(|phase| phase_summary(&own, phase)),
    }
}

fn phase_summary<M: Copy + PartialEq>(own: &[&ReviewedMove<M>], phase: GamePhase) -> PhaseSummary {
    let own = own.iter().filter(|m| m.phase == phase);
    let accuracies: Vec<f64> = own.clone().map(|m| m.accuracy).collect();
    PhaseSummary {
        moves: accuracies.len(),
        accuracy: mean_accuracy(&accuracies),
        lost: own.fold(0.0, |sum, m| sum + m.loss()),
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
        PositionValue {
            depth: 5,
            nodes: 9,
            ..PositionValue::of_search(Score::from_eval(score), vec![mv(best)])
        }
    }

    fn reviewed(moves: &[&str], values: &[PositionValue<Move>]) -> GameReview<Move> {
        let moves: Vec<Move> = moves.iter().map(|text| mv(text)).collect();
        let start = Position::start();
        let game = GameMoves { start: &start, start_clock: 0, moves: &moves, known: &[] };
        review(game, values, &[], RuleSet::default())
    }

    fn facts(best: Entry, played: Option<Entry>) -> TableFacts {
        TableFacts { best, played, is_only: false }
    }

    /// A move of value `played` where the best one has value `best`, by the facts of both positions.
    fn moved(best: Entry, played: Entry, next: Option<TableFacts>) -> ReviewedMove<Move> {
        let values = [
            PositionValue { table: Some(facts(best, Some(played))), ..value(500, "a3a4") },
            PositionValue { table: next, ..value(-500, "h9g7") },
        ];
        reviewed(&["h2e2"], &values).moves.remove(0)
    }

    /// The same where the tables know the next position as well.
    fn known(best: Entry, played: Entry) -> ReviewedMove<Move> {
        let next = Entry { wdl: -played.wdl, ..played };
        moved(best, played, Some(facts(next, None)))
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
        let thrown = known(Entry::win(0, 9), Entry::DRAW);
        assert_eq!(thrown.truth.unwrap().loss(), Some(TableLoss::WinLetGo));
        assert_eq!((thrown.mark, thrown.source), (Some(Mark::Blunder), MoveSource::Table));
        assert_eq!(thrown.loss(), 0.5);
        let lost = known(Entry::DRAW, Entry::loss(0, 4));
        assert_eq!(lost.truth.unwrap().loss(), Some(TableLoss::DrawLost));
        let slow = known(Entry::win(0, 9), Entry::win(0, 15));
        assert_eq!(slow.truth.unwrap().loss(), Some(TableLoss::LongerWin(6)));
        assert_eq!((slow.mark, slow.centipawn_loss), (None, 0));
        let quick = known(Entry::loss(0, 10), Entry::loss(0, 4));
        assert_eq!(quick.truth.unwrap().loss(), Some(TableLoss::SoonerLoss(6)));
        let good = known(Entry::win(0, 9), Entry::win(0, 9));
        assert_eq!(good.truth.unwrap().loss(), None);
        // Where the past of the game matters after the move, the tables do not tell.
        assert_eq!(moved(Entry::win(0, 9), Entry::win(0, 9), None).truth, None);
        let other = facts(Entry::win(0, 3), None);
        assert_eq!(moved(Entry::win(0, 9), Entry::win(0, 9), Some(other)).truth, None);
    }

    #[test]
    fn the_rules_end_games() {
        // A perpetual check, which loses.
        let start = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/5K3 w").unwrap();
        let moves: Vec<Move> =
            ["e1d1", "d9e9", "d1e1", "e9d9"].repeat(3).iter().map(|t| mv(t)).collect();
        let game = GameMoves { start: &start, start_clock: 0, moves: &moves, known: &[] };
        let values: Vec<_> = moves.iter().map(|_| value(400, "e1e8")).collect();
        let review = review(game, &values, &[], RuleSet::Check);
        let lost = review.moves.iter().find(|m| m.after == Score::mated_in(0)).unwrap();
        assert_eq!((lost.side, lost.mark), (Side::First, Some(Mark::Blunder)));
    }

    /// The one move of a game, after which the first look sees a loss, with a second look at it.
    fn looked_at(other: Score, played: Score, is_stable: bool) -> ReviewedMove<Move> {
        let look = SecondLook {
            other: other.into(),
            played: played.into(),
            mean_loss: 10_000,
            line: vec![mv("h0g2"), mv("h9g7"), mv("i0h0")],
            stable_plies: 2,
            rounds: 2,
            is_stable,
            nodes: 9,
        };
        let values = [PositionValue { look: Some(look), ..value(20, "h2e2") }, value(300, "h9g7")];
        reviewed(&["a3a4"], &values).moves.remove(0)
    }

    #[test]
    fn second_looks_decide() {
        let eval = Score::from_eval;
        let stays = looked_at(eval(30), eval(-290), true);
        assert_eq!((stays.mark, stays.certainty), (Some(Mark::Blunder), Some(Certainty::Stable)));
        assert_eq!(stays.better_line(), Some(&[mv("h0g2"), mv("h9g7")][..]));
        assert_eq!((stays.better_score(), stays.before), (eval(30), eval(20)));
        assert_eq!(looked_at(eval(30), eval(-290), false).certainty, Some(Certainty::Likely));
        let mated = looked_at(eval(30), Score::mated_in(6), true);
        assert_eq!(
            (mated.certainty, mated.loss()),
            (Some(Certainty::Proved), mated.expected_before)
        );
        let noise = looked_at(eval(30), eval(25), true);
        assert_eq!((noise.mark, noise.certainty), (None, Some(Certainty::Withdrawn)));
        assert!(noise.loss() < 0.05 && noise.better_line().is_none());
        // The last round alone sees a loss.
        let mut look = looked_at(eval(30), eval(-290), false).look.unwrap();
        look.mean_loss = 600;
        let values = [PositionValue { look: Some(look), ..value(20, "h2e2") }, value(300, "h9g7")];
        let spike = reviewed(&["a3a4"], &values).moves.remove(0);
        assert_eq!((spike.mark, spike.certainty), (None, Some(Certainty::Withdrawn)));
        assert!(spike.loss() > 0.2);
        // The move played turns out to be the only one.
        let only = looked_at(eval(-500), eval(30), true);
        assert_eq!((only.mark, only.loss(), only.is_only), (None, 0.0, true));
    }

    #[test]
    fn only_what_is_uncertain_is_suspect() {
        let values = [value(20, "h2e2"), value(300, "h9g7"), value(-310, "h0g2")];
        let moves = [mv("a3a4"), mv("h9g7")];
        let start = Position::start();
        let of = |values: &[PositionValue<Move>], known: &[bool]| {
            let game = GameMoves { start: &start, start_clock: 0, moves: &moves, known };
            suspects(game, values, RuleSet::default())
        };
        assert_eq!(of(&values, &[]), [0]);
        assert_eq!(of(&values, &[true]), [0; 0]);
        // The best move found, too, if the next position looks much worse.
        let best = [value(20, "a3a4"), value(300, "h9g7"), value(-310, "h0g2")];
        assert_eq!(of(&best, &[]), [0]);
        let little = [value(20, "a3a4"), value(20, "h9g7"), value(-310, "h0g2")];
        assert_eq!(of(&little, &[]), [0; 0]);
        let mut certain = values;
        certain[0].table = Some(facts(Entry::DRAW, Some(Entry::DRAW)));
        certain[1].table = Some(facts(Entry::DRAW, None));
        assert_eq!(of(&certain, &[]), [0; 0]);
    }

    #[test]
    fn known_moves_have_no_mark_unless_tables_contradict() {
        let share = BookShare { games: 60, share: 0.5, score: None, is_known: true };
        let known = [BookFinding { played: Some(share), choice: None }];
        let start = Position::start();
        let moves = [mv("a3a4")];
        let game = GameMoves { start: &start, start_clock: 0, moves: &moves, known: &[true] };
        let review_of =
            |values: &[PositionValue<Move>]| review(game, values, &known, RuleSet::default());
        let values = [value(20, "h2e2"), value(300, "h9g7")];
        let found = review_of(&values);
        let red = &found.moves[0];
        assert_eq!((red.mark, red.certainty, red.loss()), (None, None, 0.0));
        assert!(red.is_known() && red.book == Some(share));
        let mut lost = values;
        lost[0].table = Some(facts(Entry::DRAW, Some(Entry::loss(0, 4))));
        lost[1].table = Some(facts(Entry::win(0, 3), None));
        let found = review_of(&lost);
        let red = &found.moves[0];
        assert_eq!((red.mark, red.certainty), (Some(Mark::Blunder), Some(Certainty::Proved)));
    }

    #[test]
    fn the_turning_point_is_where_the_game_stayed_decided() {
        // Better for Red, even, better for Red, and so to the end.
        let scores = [0, -600, 0, -600, 700, -800];
        let bests = ["h2e2", "h9g7", "h0g2", "b9c7", "b0c2", "a6a5"];
        let values: Vec<_> =
            scores.iter().zip(bests).map(|(&score, best)| value(score, best)).collect();
        let moves = ["a3a4", "a6a5", "i3i4", "i6i5", "c3c4"];
        let point = reviewed(&moves, &values).turning_point.unwrap();
        assert_eq!((point.ply, point.winner), (2, Side::First));
        assert!(point.before < 0.6 && point.after > 0.6, "{point:?}");
        let even: Vec<_> = bests.iter().map(|best| value(0, best)).collect();
        assert_eq!(reviewed(&moves, &even).turning_point, None);
        assert_eq!(reviewed(&[], &[]).turning_point, None);
        let phases = reviewed(&moves, &even).sides.first.phases;
        assert_eq!(phases.map(|phase| phase.moves), [3, 0, 0]);
    }

    #[test]
    fn chances_that_an_engine_states_count_more_than_its_score() {
        let with =
            |chances, of: PositionValue<Move>| PositionValue { chances: Some(chances), ..of };
        let values =
            [with([200, 700, 100], value(20, "h2e2")), with([100, 700, 200], value(900, "h9g7"))];
        let review = reviewed(&["a3a4"], &values);
        let red = &review.moves[0];
        assert_eq!((red.mark, red.expected_before, red.expected_after), (None, 0.55, 0.55));
    }

    #[test]
    fn games_leave_books_once() {
        let share = BookShare { games: 3, share: 0.5, score: None, is_known: false };
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
