//! Endless play decided by the rules of perpetual check and perpetual chase together, after perpetual
//! check alone decides nothing more. See "Check and chase together" in `docs/design/repetition.md`
//! for the game.
//!
//! A state is a position and one piece of the victim's side, the one that is chased. L holds states
//! with the chaser to move whose every move is known to lose or newly chases that piece into W; W
//! holds those that such moves lead to and that have a quiet move of the victim into L. Both are
//! the greatest such sets. From what remains, states are dropped where the victim can neither force
//! a further move that neither checks nor newly chases anything, nor win by perpetual check as
//! long as the chaser keeps it from that (`chase_play`), and everything again until nothing is
//! dropped. Positions that are left in L with any piece are lost for the chaser. Few positions come
//! into question, so that their graph is built explicitly.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::tablebase::solve::chase_graph::{ChaseGraph, Followed, ManNumber, MenSet, QuietMove};
use crate::tablebase::solve::chase_play::{ChasePlay, Distances, Lists};
use crate::tablebase::solve::perpetual_check::Verdict;
use crate::tablebase::solve::solver::{
    CHECKED, COUNTER, DRAWS, ILLEGAL, LATER, SolveError, Solver, UNDECIDED, Watch,
};

/// A position's slot and a piece of the victim's side.
type ChaseState = (u32, ManNumber);

/// Decides for either colour as the chaser, by a function that gives the states that the victim wins.
/// Changes no word.
pub(crate) fn judge<A: ChaseGraph>(
    solver: &Solver<'_, A>,
    solve: fn(&ChasePlay) -> Distances,
    watch: &impl Watch,
) -> Result<Vec<Verdict>, SolveError> {
    let sides = solver.graph.sides();
    let chasers = (0..sides).filter(|&side| solver.graph.can_chase(side));
    chasers
        .map(|chaser| {
            let round = Round { solver, chaser, victim: solver.graph.other(chaser) };
            let graph = Graph::new(&round);
            if watch.is_cancelled() {
                Err(SolveError::Cancelled)
            } else {
                Ok(graph.verdict(chaser, &solve(&graph.play)))
            }
        })
        .collect()
}

struct Round<'s, 'a, A> {
    solver: &'s Solver<'a, A>,
    chaser: usize,
    victim: usize,
}

/// A position in which every move of the chaser is known to lose or chases some piece.
struct Candidate {
    slot: u32,
    /// Those that all of them chase.
    chased: MenSet,
    moves: Vec<QuietMove>,
}

impl<A: ChaseGraph> Round<'_, '_, A> {
    fn candidates(&self) -> Vec<Candidate> {
        let slots = self.solver.select(self.chaser, |cursor, word, slot| {
            word & LATER == 0
                && !matches!(word & COUNTER, 0 | DRAWS)
                && self.may_only_chase(cursor, slot)
        });
        slots.par_iter().filter_map(|&slot| self.candidate(slot)).collect()
    }

    /// A quick look at whether every move is known to lose or may chase.
    fn may_only_chase(&self, cursor: &mut A::Cursor<'_>, slot: u32) -> bool {
        self.solver.graph.successors(cursor, self.chaser, slot, |next| {
            self.is_lost(next)
                || self.is_open(next) && self.solver.graph.may_have_chased(self.chaser, next)
        })
    }

    fn is_lost(&self, next: u32) -> bool {
        let word = self.solver.word(self.victim, next);
        word == ILLEGAL || self.solver.is_won_in_time(word)
    }

    fn is_open(&self, next: u32) -> bool {
        self.solver.word(self.victim, next) & UNDECIDED != 0
    }

    fn is_checked(&self, side: usize, slot: u32) -> bool {
        self.solver.word(side, slot) & CHECKED != 0
    }

    /// By state: whether the side to move is in check.
    fn checked(&self, side: usize, states: &[ChaseState]) -> Vec<bool> {
        states.iter().map(|state| self.is_checked(side, state.0)).collect()
    }

    fn candidate(&self, slot: u32) -> Option<Candidate> {
        let graph = self.solver.graph;
        let moves =
            graph.quiet_moves(self.chaser, slot, Followed::Waiter, |next| !self.is_lost(next));
        let chased = moves.iter().fold(MenSet::MAX, |all, mv| all & mv.chased);
        (!moves.is_empty() && chased != 0).then_some(Candidate { slot, chased, moves })
    }
}

/// The states in question and the game on them, which knows them by their places in the lists.
struct Graph {
    /// Chaser to move, ascending.
    chaser_states: Vec<ChaseState>,
    /// Victim to move, ascending.
    victim_states: Vec<ChaseState>,
    play: ChasePlay,
}

impl Graph {
    fn new<A: ChaseGraph>(round: &Round<'_, '_, A>) -> Self {
        let candidates = round.candidates();
        let mut chaser_states = Vec::new();
        let mut targets = Vec::new();
        for candidate in &candidates {
            for man in men(candidate.chased) {
                chaser_states.push((candidate.slot, man));
                targets.extend(candidate.moves.iter().map(|mv| after(mv, man)));
            }
        }
        let mut victim_states = targets.clone();
        victim_states.par_sort_unstable();
        victim_states.dedup();
        let places: Vec<u32> = targets
            .par_iter()
            .map(|state| victim_states.binary_search(state).unwrap_or_default() as u32)
            .collect();
        let mut chases = Lists::default();
        let mut rest = places.as_slice();
        for candidate in &candidates {
            for _ in men(candidate.chased) {
                let (own, others) = rest.split_at(candidate.moves.len());
                chases.push(own.iter().copied());
                rest = others;
            }
        }
        let slots: Vec<u32> = candidates.iter().map(|candidate| candidate.slot).collect();
        let play = ChasePlay {
            chaser_checked: round.checked(round.chaser, &chaser_states),
            victim_checked: round.checked(round.victim, &victim_states),
            chases,
            horizon: Some(round.solver.horizon),
            ..ChasePlay::default()
        };
        let mut graph = Self { chaser_states, victim_states, play };
        graph.add_evasions(round, &slots);
        graph
    }

    fn add_evasions<A: ChaseGraph>(&mut self, round: &Round<'_, '_, A>, hunting: &[u32]) {
        let groups: Vec<&[ChaseState]> = self.victim_states.chunk_by(|a, b| a.0 == b.0).collect();
        let all_moves: Vec<Vec<QuietMove>> = groups
            .par_iter()
            .map(|states: &&[ChaseState]| {
                let side = round.victim;
                let slot = states[0].0;
                round.solver.graph.quiet_moves(side, slot, Followed::Mover, |next| {
                    hunting.binary_search(&next).is_ok()
                })
            })
            .collect();
        for (states, moves) in groups.into_iter().zip(&all_moves) {
            for &(_, man) in states {
                // A move may lead to a position in question in which the chaser does not chase this piece.
                let place = |mv: &QuietMove| {
                    self.chaser_states.binary_search(&after(mv, man)).ok().map(|place| place as u32)
                };
                let escapes = moves
                    .iter()
                    .filter(|mv| mv.chased == 0 && !round.is_checked(round.chaser, mv.next));
                self.play.evasions.push(moves.iter().filter_map(place));
                self.play.escapes.push(escapes.filter_map(place));
            }
        }
    }

    /// The states that have a distance, by position.
    fn verdict(&self, chaser: usize, distances: &Distances) -> Verdict {
        Verdict {
            checker: chaser,
            lost: by_distance(&self.chaser_states, &distances.chaser_states),
            won: by_distance(&self.victim_states, &distances.victim_states),
        }
    }
}

/// The numbers in a set.
fn men(set: MenSet) -> impl Iterator<Item = ManNumber> {
    (0..MenSet::BITS as ManNumber).filter(move |man| set >> man & 1 == 1)
}

/// The state that a move leads to with a piece followed.
const fn after(mv: &QuietMove, man: ManNumber) -> ChaseState {
    (mv.next, mv.renumbered[man as usize])
}

/// The slots that have a distance with any piece, by the least of these.
fn by_distance(states: &[ChaseState], distances: &[u16]) -> Vec<(u16, Vec<u32>)> {
    let mut levels = BTreeMap::<u16, Vec<u32>>::new();
    let mut rest = distances;
    for group in states.chunk_by(|a, b| a.0 == b.0) {
        let (own, others) = rest.split_at(group.len());
        rest = others;
        if let Some(&distance) = own.iter().filter(|&&distance| distance > 0).min() {
            levels.entry(distance).or_default().push(group[0].0);
        }
    }
    levels.into_iter().collect()
}
