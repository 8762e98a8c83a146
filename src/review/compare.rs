//! The second look at a move that seems to be a fault: the move and the best of the others are searched side by side,
//! deeper and deeper, until the loss is beyond doubt or the effort is spent.
//!
//! The best of many values that err is too high by their errors. Where a mark is at stake, the best of the other moves is
//! therefore searched once more by itself, as the move played is, and the lower of its values counts. Searches of different
//! depth err in different directions: the mean of their losses is nearer to what much longer searches find than the loss of
//! the deepest of them.

use super::analyst::{Analyst, Finding, Question};
use super::marks::{Mark, Valuation, loss_between};
use crate::bytes::StopFlag;
use crate::engine::Playable;
use crate::game::{Line, MoveList, WinModel};
use crate::message::Message;
use crate::search::{Limits, MAX_PLY};

/// The most moves of a line that are kept.
pub(crate) const MAX_LINE: usize = 12;

/// A move that seems to be a fault.
#[derive(Debug)]
pub struct Suspect<'a, G: Playable> {
    /// The game up to the move.
    pub line: &'a Line<G>,
    /// The move.
    pub played: G::Move,
    /// The limits of the search of a position, which each round multiplies.
    pub limits: Limits,
    /// The effort that it may take: [`rounds`].
    pub effort: u32,
}

/// The result of a second look. Valuations are for the side that made the move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondLook<M> {
    /// Of the best of the other moves, by the last round.
    pub other: Valuation,
    /// Of the move played, by the last round.
    pub played: Valuation,
    /// The mean of the losses of all rounds, each of which counts twice as much as the one before, in ten-thousandths of
    /// the expected score.
    pub mean_loss: u16,
    /// The play expected after the best of the other moves, that move first.
    pub line: Vec<M>,
    /// The moves of this line, from the first on, that the last two rounds had in common; at least 1.
    pub stable_plies: usize,
    /// Rounds, in each of which both moves were searched.
    pub rounds: u32,
    /// True if the loss is beyond doubt: too small for a mark, or larger than the least mark by twice the usual error.
    pub is_stable: bool,
    /// Positions searched in all rounds together.
    pub nodes: u64,
}

impl<M> SecondLook<M> {
    /// The loss of expected score by the last round, 0 to 1.
    #[must_use]
    pub fn loss(&self, phase: i32, model: &WinModel) -> f64 {
        loss_between(self.other, self.played, phase, model)
    }

    /// The mean of the losses of all rounds, each of which counts twice as much as the one before, 0 to 1.
    #[must_use]
    pub fn mean_loss(&self) -> f64 {
        f64::from(self.mean_loss) / PARTS
    }

    /// The loss that is beyond the usual error: the lesser of the mean and the loss of the last round, less the error.
    /// What a mate, the rules or tables decide has no error.
    ///
    /// The error is 0.028 with 1,800,000 nodes, which are two rounds of the default, less by the fourth root of their
    /// multiple with more and larger with fewer, up to 0.05. It is measured: of 97 moves that seemed to be faults, at most
    /// four rounds marked 18 in this way; by two rounds with 16 and 32 times the nodes of the first, 16 of these have a
    /// mark, less the error of those.
    #[must_use]
    pub fn certain_loss(&self, phase: i32, model: &WinModel) -> f64 {
        let loss = self.loss(phase, model);
        match is_decided([self.other, self.played]) {
            true => loss,
            false => (loss.min(self.mean_loss()) - usual_error(self.nodes)).max(0.0),
        }
    }
}

/// Returns true if a mate, the rules or tables decide what is lost between two moves.
fn is_decided(values: [Valuation; 2]) -> bool {
    values.iter().any(|value| value.score.is_proved())
}

/// The parts of the expected score in which a mean loss is kept.
const PARTS: f64 = 10_000.0;

/// The usual error of a loss that searches with `nodes` nodes together have found, of 1.
fn usual_error(nodes: u64) -> f64 {
    const MEASURED: f64 = 0.028;
    const MEASURED_AT: f64 = 1_800_000.0;
    const AT_MOST: f64 = 0.05;
    // Two square roots: they are rounded alike on every machine, as powers are not.
    (MEASURED * (MEASURED_AT / (nodes as f64).max(1.0)).sqrt().sqrt()).min(AT_MOST)
}

/// The rounds that an effort pays for. Each of the three searches of the first round has twice the nodes of a position,
/// those of each later one twice the nodes of the round before; the effort is the number of positions' nodes that all of
/// them may take together: 6 for one round, 18 for two, 42 for three.
///
/// ```
/// use juzhong::review::rounds;
///
/// assert_eq!([0, 5, 6, 17, 18, 41, 42, 89, 90].map(rounds), [0, 0, 1, 1, 2, 2, 3, 3, 4]);
/// ```
#[must_use]
pub const fn rounds(effort: u32) -> u32 {
    let mut rounds = 0;
    let mut spent = 6_u64;
    while spent <= effort as u64 {
        rounds += 1;
        spent = 2 * spent + 6;
    }
    rounds
}

/// The loss below which the first round alone clears a move of the suspicion.
const CLEAR: f64 = 0.02;

/// The limits of a round, the first of which is 1: twice as many nodes and twice the time each round, or a ply more.
fn limits_of_round(limits: &Limits, round: u32) -> Limits {
    let factor = 1_u32 << round;
    Limits {
        depth: limits.depth.map(|depth| depth.saturating_add(round).min(MAX_PLY as u32 - 1)),
        nodes: limits.nodes.map(|nodes| nodes.saturating_mul(factor.into())),
        soft_time: limits.soft_time.map(|time| time.saturating_mul(factor)),
        hard_time: limits.hard_time.map(|time| time.saturating_mul(factor)),
    }
}

/// The findings about the best of the other moves and the move played, with the loss between them.
struct Round<M> {
    other: Finding<M>,
    played: Finding<M>,
    loss: f64,
    /// Positions searched.
    nodes: u64,
}

/// Looks at a move for a second time. `None` where there is no other move, nothing to spend, or where it was stopped.
///
/// # Errors
///
/// Those of the engine.
pub fn compare<G: Playable>(
    analyst: &mut dyn Analyst<G>,
    suspect: &Suspect<'_, G>,
    stop: &StopFlag,
) -> Result<Option<SecondLook<G::Move>>, Message> {
    let others = other_moves(suspect.line.position(), suspect.played);
    if others.is_empty() {
        return Ok(None);
    }
    analyst.forget()?;
    let mut rounds_made: Vec<Round<G::Move>> = Vec::new();
    for number in 1..=rounds(suspect.effort) {
        let limits = limits_of_round(&suspect.limits, number);
        let Some(round) = round_of(analyst, suspect, &others, &limits, stop)? else {
            return Ok(None);
        };
        tracing::debug!(ply = suspect.line.len(), round = number, loss = round.loss, "second look");
        let is_clear = number == 1 && round.loss < CLEAR;
        rounds_made.push(round);
        if is_clear || is_beyond_doubt(&rounds_made) {
            break;
        }
    }
    Ok(outcome(&rounds_made))
}

/// The legal moves but one.
fn other_moves<G: Playable>(position: &G, played: G::Move) -> Vec<G::Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.into_iter().filter(|&mv| mv != played).collect()
}

/// Searches the move played and the best of the others, the latter by itself, too, if there is a loss that has a mark.
/// `None` if there is nothing to compare.
fn round_of<G: Playable>(
    analyst: &mut dyn Analyst<G>,
    suspect: &Suspect<'_, G>,
    others: &[G::Move],
    limits: &Limits,
    stop: &StopFlag,
) -> Result<Option<Round<G::Move>>, Message> {
    let Suspect { line, played: mv, .. } = *suspect;
    let Some(played) = analyst.search_move(line, mv, limits, stop)? else { return Ok(None) };
    let question = Question::of_some(others, *limits);
    let found = analyst.search(line, &question, stop)?;
    // Depth 0: the search did not look at any of them, for the rules leave the move played alone.
    let Some(mut other) = found.filter(|found| found.depth > 0 || found.nodes > 0) else {
        return Ok(None);
    };
    if stop.is_set() {
        return Ok(None);
    }
    if other.line.first() == Some(&mv) {
        // An engine that cannot leave moves out prefers the one played.
        other.valuation = played.valuation;
    }
    let mut round =
        Round { nodes: played.nodes.saturating_add(other.nodes), loss: 0.0, other, played };
    round.loss = loss_in(line, &round);
    if Mark::of_loss(round.loss).is_none() {
        return Ok(Some(round));
    }
    let Some(&best) = round.other.line.first() else { return Ok(Some(round)) };
    let Some(alone) = analyst.search_move(line, best, limits, stop)? else { return Ok(None) };
    if stop.is_set() {
        return Ok(None);
    }
    round.nodes = round.nodes.saturating_add(alone.nodes);
    let [by_itself, among_others] = [alone.valuation, round.other.valuation]
        .map(|of| of.expected(line.position().phase(), &G::WIN_MODEL));
    if by_itself < among_others {
        round.other = alone;
        round.loss = loss_in(line, &round);
    }
    Ok(Some(round))
}

/// The loss between the moves of a round.
fn loss_in<G: Playable>(line: &Line<G>, round: &Round<G::Move>) -> f64 {
    let [other, played] = [&round.other, &round.played].map(|of| of.valuation);
    loss_between(other, played, line.position().phase(), &G::WIN_MODEL)
}

/// The mean of the losses of one round or more, each of which counts twice as much as the one before.
fn mean_loss<M>(rounds: &[Round<M>]) -> f64 {
    let mut sum = 0.0;
    let mut weights = 0.0;
    let mut weight = 1.0;
    for round in rounds {
        sum += weight * round.loss;
        weights += weight;
        weight *= 2.0;
    }
    sum / weights
}

/// The positions that rounds have searched together.
fn nodes_of<M>(rounds: &[Round<M>]) -> u64 {
    rounds.iter().fold(0, |sum, round| sum.saturating_add(round.nodes))
}

/// Rounds without which no mark is beyond doubt: what two searches agree on is refuted by the third often enough.
const LEAST_ROUNDS: usize = 3;

/// Returns true if the rounds leave no doubt whether the loss has a mark. Two are enough if both are decided and have one,
/// if the mean of their losses is too small, or if the loss of the last is and the mean not much larger; else the mean and
/// the loss of the last have to be larger by twice the usual error after [`LEAST_ROUNDS`].
fn is_beyond_doubt<M>(rounds: &[Round<M>]) -> bool {
    let [.., before, last] = rounds else { return false };
    let least = Mark::Inaccuracy.least_loss();
    if has_decided_loss(before) && has_decided_loss(last) {
        return true;
    }
    let large = least + 2.0 * usual_error(nodes_of(rounds));
    let mean = mean_loss(rounds);
    let is_small = mean < least || last.loss < least && mean <= large;
    is_small || rounds.len() >= LEAST_ROUNDS && mean.min(last.loss) > large
}

/// Returns true if the loss of a round is decided and has a mark.
fn has_decided_loss<M>(round: &Round<M>) -> bool {
    is_decided([round.other.valuation, round.played.valuation])
        && round.loss >= Mark::Inaccuracy.least_loss()
}

/// The outcome of rounds; `None` if there was none.
fn outcome<M: Copy + PartialEq>(rounds: &[Round<M>]) -> Option<SecondLook<M>> {
    let last = rounds.last()?;
    let before = rounds.len().checked_sub(2).map(|at| &rounds[at]);
    let line: Vec<M> = last.other.line.iter().copied().take(MAX_LINE).collect();
    let common = before.map_or(0, |before| {
        line.iter().zip(&before.other.line).take_while(|(one, two)| one == two).count()
    });
    Some(SecondLook {
        other: last.other.valuation,
        played: last.played.valuation,
        mean_loss: (mean_loss(rounds) * PARTS).round() as u16,
        stable_plies: common.clamp(1, line.len().max(1)),
        line,
        rounds: rounds.len() as u32,
        is_stable: is_beyond_doubt(rounds),
        nodes: nodes_of(rounds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Heuristics, PHASES};
    use crate::search::Score;
    use crate::xiangqi::{Move, Position};

    /// An engine whose scores are written down: for each round that of the other moves and that of the move played.
    #[derive(Debug)]
    struct Scripted {
        rounds: Vec<(Score, Score)>,
        /// The scores of the other move by itself, where they differ.
        alone: Vec<Score>,
        asked: Vec<u64>,
        searched: usize,
        forgot: usize,
        line: &'static str,
    }

    impl Scripted {
        fn new(losses: &[(i32, i32)]) -> Self {
            let rounds = losses
                .iter()
                .map(|&(other, played)| (Score::from_eval(other), Score::from_eval(played)))
                .collect();
            Self {
                rounds,
                alone: Vec::new(),
                asked: Vec::new(),
                searched: 0,
                forgot: 0,
                line: "h0g2 h9g7 i0h0",
            }
        }

        fn finding(&self, score: Score, line: &str) -> Option<Finding<Move>> {
            let line = line.split(' ').map(|text| Move::parse(text).unwrap()).collect();
            Some(Finding { valuation: score.into(), line, depth: 3, nodes: 10 })
        }
    }

    impl Analyst<Position> for Scripted {
        fn forget(&mut self) -> Result<(), Message> {
            self.forgot += 1;
            Ok(())
        }

        fn search(
            &mut self,
            _line: &Line<Position>,
            question: &Question<'_, Move>,
            _stop: &StopFlag,
        ) -> Result<Option<Finding<Move>>, Message> {
            let played = Move::parse("a3a4").unwrap();
            assert!(question.among.is_some_and(|moves| !moves.contains(&played)));
            self.asked.extend(question.limits.nodes);
            self.searched += 1;
            Ok(self.finding(self.rounds[self.searched - 1].0, self.line))
        }

        fn search_move(
            &mut self,
            _line: &Line<Position>,
            mv: Move,
            limits: &Limits,
            _stop: &StopFlag,
        ) -> Result<Option<Finding<Move>>, Message> {
            self.asked.extend(limits.nodes);
            if mv == Move::parse("a3a4").unwrap() {
                return Ok(self.finding(self.rounds[self.searched].1, "a3a4"));
            }
            let round = self.searched - 1;
            let score = self.alone.get(round).copied().unwrap_or(self.rounds[round].0);
            Ok(self.finding(score, self.line))
        }
    }

    fn look(analyst: &mut Scripted, effort: u32) -> Option<SecondLook<Move>> {
        let line = Line::new(Position::start(), 0);
        let played = Move::parse("a3a4").unwrap();
        let suspect = Suspect { line: &line, played, limits: Limits::nodes(100), effort };
        compare(analyst, &suspect, &StopFlag::default()).unwrap()
    }

    fn mark(look: &SecondLook<Move>) -> Option<Mark> {
        Mark::of_loss(loss(look))
    }

    fn certain_mark(look: &SecondLook<Move>) -> Option<Mark> {
        Mark::of_loss(certain(look))
    }

    #[test]
    fn a_stable_mistake_stays() {
        let mut analyst = Scripted::new(&[(0, -700), (0, -700), (0, -650), (0, 0)]);
        let look = look(&mut analyst, 90).unwrap();
        assert_eq!((mark(&look), look.is_stable), (Some(Mark::Blunder), true));
        // Three rounds, the better move by itself in each; the fourth is not needed.
        assert_eq!(analyst.asked, [200, 200, 200, 400, 400, 400, 800, 800, 800]);
        assert_eq!((look.rounds, look.nodes, analyst.forgot), (3, 90, 1));
        assert_eq!((look.line.len(), look.stable_plies), (3, 3));
        assert_eq!(look.played.score, Score::from_eval(-650));
    }

    #[test]
    fn a_mark_on_noise_is_withdrawn() {
        let mut quiet = Scripted::new(&[(40, 10), (35, 10), (0, -900)]);
        let found = look(&mut quiet, 42).unwrap();
        assert_eq!((mark(&found), found.is_stable, found.rounds), (None, true, 2));
        // Without any loss one round is enough.
        let found = look(&mut Scripted::new(&[(10, 10), (0, -900)]), 42).unwrap();
        assert_eq!((mark(&found), found.is_stable, found.rounds), (None, false, 1));
        // Two rounds that do not agree are not enough, and a mark that the third one refutes is none.
        let expected = [None, Some(Mark::Blunder)];
        for (rounds, mark) in [[(0, -700), (0, -30)], [(0, -30), (0, -700)]].iter().zip(expected) {
            let found = look(&mut Scripted::new(rounds), 18).unwrap();
            assert_eq!((certain_mark(&found), found.is_stable), (mark, false), "{rounds:?}");
        }
        let found = look(&mut Scripted::new(&[(0, -700), (0, -700), (0, -30)]), 42).unwrap();
        assert_eq!((certain_mark(&found), found.rounds, found.is_stable), (None, 3, false));
    }

    #[test]
    fn a_mate_of_two_rounds_is_beyond_doubt() {
        let mut analyst = Scripted::new(&[(0, -700), (0, -700)]);
        analyst.rounds = vec![(Score::from_eval(0), Score::mated_in(6)); 2];
        let found = look(&mut analyst, 90).unwrap();
        assert_eq!((found.rounds, found.is_stable), (2, true));
    }

    /// The loss of a move of that value where another is worth nothing.
    fn loss_to(played: i32) -> f64 {
        let [from, to] = [0, played].map(|value| Score::from_eval(value).into());
        loss_between(from, to, PHASES, &Position::WIN_MODEL)
    }

    #[test]
    fn the_mean_of_the_rounds_counts() {
        let found = look(&mut Scripted::new(&[(0, -300), (0, -200), (0, -250)]), 42).unwrap();
        let mean = (loss_to(-300) + 2.0 * loss_to(-200) + 4.0 * loss_to(-250)) / 7.0;
        assert_eq!(found.rounds, 3);
        assert!((f64::from(found.mean_loss) / 10_000.0 - mean).abs() < 1e-4);
    }

    #[test]
    fn the_better_move_has_the_lower_of_its_values() {
        let mut analyst = Scripted::new(&[(700, 0), (700, 0)]);
        analyst.alone = [30, 30].map(Score::from_eval).to_vec();
        let found = look(&mut analyst, 42).unwrap();
        assert_eq!((mark(&found), found.is_stable, found.rounds), (None, true, 2));
        // A higher one does not count.
        analyst = Scripted::new(&[(700, 0), (700, 0)]);
        analyst.alone = [900, 900].map(Score::from_eval).to_vec();
        assert_eq!(look(&mut analyst, 18).unwrap().other.score, Score::from_eval(700));
    }

    /// A second look at a move where another is worth a pawn.
    fn second_look(nodes: u64, played: Score) -> SecondLook<Move> {
        SecondLook {
            other: Score::from_eval(100).into(),
            played: played.into(),
            mean_loss: 10_000,
            line: Vec::new(),
            stable_plies: 1,
            rounds: 2,
            is_stable: true,
            nodes,
        }
    }

    fn certain(look: &SecondLook<Move>) -> f64 {
        look.certain_loss(PHASES, &Position::WIN_MODEL)
    }

    fn loss(look: &SecondLook<Move>) -> f64 {
        look.loss(PHASES, &Position::WIN_MODEL)
    }

    #[test]
    fn a_loss_is_certain_beyond_the_usual_error() {
        let searched = second_look(1_800_000, Score::from_eval(-100));
        assert!((loss(&searched) - certain(&searched) - 0.028).abs() < 1e-12);
        let few = second_look(9, Score::from_eval(-100));
        assert!((loss(&few) - certain(&few) - 0.05).abs() < 1e-12);
        let deeper = second_look(28_800_000, Score::from_eval(-100));
        assert!((loss(&deeper) - certain(&deeper) - 0.014).abs() < 1e-12);
        // The mean counts if it is less than the loss of the last round.
        let noisy = SecondLook { mean_loss: 900, ..searched };
        assert!((certain(&noisy) - (0.09 - 0.028)).abs() < 1e-12);
        assert_eq!(certain(&second_look(9, Score::from_eval(99))), 0.0);
        let mated = second_look(9, Score::mated_in(4));
        assert_eq!(certain(&mated), loss(&mated));
    }

    #[test]
    fn the_effort_ends() {
        let mut analyst = Scripted::new(&[(0, -900), (0, -60), (0, -60), (0, -900)]);
        let found = look(&mut analyst, 42).unwrap();
        assert_eq!((found.rounds, found.is_stable), (3, false));
        assert_eq!(analyst.asked.iter().sum::<u64>(), 4_200);
        assert_eq!(found.played.score, Score::from_eval(-60));
        assert_eq!(look(&mut Scripted::new(&[(0, -900)]), 5), None);
        let one = look(&mut Scripted::new(&[(0, -900)]), 6).unwrap();
        assert_eq!((one.is_stable, one.stable_plies), (false, 1));
    }

    #[test]
    fn early_verdicts_and_the_move_itself_are_no_loss() {
        let mut early = Scripted::new(&[]);
        early.rounds = vec![(Score::early_win(5), Score::from_eval(-900)); 2];
        let found = look(&mut early, 18).unwrap();
        assert_eq!((mark(&found), found.is_stable), (None, false));
        // An engine that cannot leave moves out.
        let mut all = Scripted::new(&[(0, -900), (0, -900)]);
        all.line = "a3a4";
        assert_eq!(mark(&look(&mut all, 18).unwrap()), None);
    }

    #[test]
    fn lines_are_stable_as_far_as_they_agree() {
        #[derive(Debug)]
        struct Wavering(Scripted);
        impl Analyst<Position> for Wavering {
            fn forget(&mut self) -> Result<(), Message> {
                Ok(())
            }
            fn search(
                &mut self,
                line: &Line<Position>,
                question: &Question<'_, Move>,
                stop: &StopFlag,
            ) -> Result<Option<Finding<Move>>, Message> {
                let found = self.0.search(line, question, stop);
                self.0.line = "h0g2 h9g7 b0c2";
                found
            }
            fn search_move(
                &mut self,
                line: &Line<Position>,
                mv: Move,
                limits: &Limits,
                stop: &StopFlag,
            ) -> Result<Option<Finding<Move>>, Message> {
                self.0.search_move(line, mv, limits, stop)
            }
        }
        let line = Line::new(Position::start(), 0);
        let played = Move::parse("a3a4").unwrap();
        let suspect = Suspect { line: &line, played, limits: Limits::depth(3), effort: 18 };
        let mut analyst = Wavering(Scripted::new(&[(0, -700), (0, -700)]));
        // Without a limit of nodes the script does not go on.
        let look = compare(&mut analyst, &suspect, &StopFlag::default()).unwrap().unwrap();
        assert_eq!((look.stable_plies, look.line.len()), (2, 3));
    }

    #[test]
    fn rounds_have_more_of_each_limit() {
        use std::time::Duration;
        let limits = Limits { depth: Some(5), ..Limits::move_time(Duration::from_millis(10)) };
        let second = limits_of_round(&limits, 2);
        assert_eq!((second.depth, second.hard_time), (Some(7), Some(Duration::from_millis(40))));
        assert_eq!(limits_of_round(&Limits::nodes(u64::MAX), 3).nodes, Some(u64::MAX));
        assert_eq!(limits_of_round(&Limits::depth(999), 1).depth, Some(MAX_PLY as u32 - 1));
    }
}
