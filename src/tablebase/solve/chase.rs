//! Endless play decided by the rule of perpetual chase, after the rule of perpetual check decides
//! nothing more. See "Perpetual chase in tables" in `docs/design/repetition.md` for the game.
//!
//! A state is a position and one piece of the victim's side, the one that is chased. L holds states
//! with the chaser to move whose every move is known to lose or newly chases that piece into W; W
//! holds those that such moves lead to and that have a quiet move of the victim into L. Both are
//! the greatest such sets. From what remains, states are dropped where the victim cannot force a
//! further move that neither checks nor newly chases anything (a Büchi condition), and everything
//! again until nothing is dropped. Positions that are left in L with any piece are lost for the
//! chaser. Few positions come into question, so that their graph is built explicitly.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::tablebase::solve::chase_graph::{ChaseGraph, Followed, ManNumber, MenSet, QuietMove};
use crate::tablebase::solve::perpetual_check::Verdict;
use crate::tablebase::solve::solver::{
    CHECKED, COUNTER, DRAWS, ILLEGAL, LATER, SolveError, Solver, UNDECIDED, Watch,
};

/// A position's slot and a piece of the victim's side.
type ChaseState = (u32, ManNumber);

/// Decides for either colour as the chaser. Changes no word.
pub(in crate::tablebase) fn judge<A: ChaseGraph>(
    solver: &Solver<'_, A>,
    watch: &impl Watch,
) -> Result<Vec<Verdict>, SolveError> {
    let sides = solver.graph.sides();
    let chasers = (0..sides).filter(|&side| solver.graph.can_chase(side));
    let judge_one = |chaser| {
        let round = Round { solver, chaser, victim: solver.graph.other(chaser) };
        let graph = Graph::new(&round);
        if watch.is_cancelled() {
            Err(SolveError::Cancelled)
        } else {
            Ok(graph.solve(chaser, solver.horizon))
        }
    };
    chasers.map(judge_one).collect()
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

    fn candidate(&self, slot: u32) -> Option<Candidate> {
        let graph = self.solver.graph;
        let moves =
            graph.quiet_moves(self.chaser, slot, Followed::Waiter, |next| !self.is_lost(next));
        let chased = moves.iter().fold(MenSet::MAX, |all, mv| all & mv.chased);
        (!moves.is_empty() && chased != 0).then_some(Candidate { slot, chased, moves })
    }
}

/// Lists of numbers, one after the other.
#[derive(Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.starts.push(self.items.len() as u32);
        self.items.extend(list);
    }

    fn of(&self, i: usize) -> &[u32] {
        let end = self.starts.get(i + 1).map_or(self.items.len(), |&end| end as usize);
        &self.items[self.starts[i] as usize..end]
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    /// The edges turned around, `len` places being led to.
    fn inverted(&self, len: usize) -> Self {
        let mut starts = vec![0u32; len + 1];
        for &to in &self.items {
            starts[to as usize + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut at = starts.clone();
        starts.pop();
        let mut items = vec![0; self.items.len()];
        for from in 0..self.len() {
            for &to in self.of(from) {
                items[at[to as usize] as usize] = from as u32;
                at[to as usize] += 1;
            }
        }
        Self { starts, items }
    }
}

/// The states in question and the moves among them, by their places in the lists of states.
struct Graph {
    /// Chaser to move, ascending.
    hunters: Vec<ChaseState>,
    /// Victim to move, ascending.
    evaders: Vec<ChaseState>,
    /// The moves of `hunters` that are not known to lose; all of them chase the piece.
    chases: Lists,
    /// The quiet moves of `evaders` that lead to `hunters`.
    evasions: Lists,
    /// Those of them that neither check nor newly chase anything.
    escapes: Lists,
}

impl Graph {
    fn new<A: ChaseGraph>(round: &Round<'_, '_, A>) -> Self {
        let candidates = round.candidates();
        let mut hunters = Vec::new();
        let mut targets = Vec::new();
        for candidate in &candidates {
            for man in men(candidate.chased) {
                hunters.push((candidate.slot, man));
                targets.extend(candidate.moves.iter().map(|mv| after(mv, man)));
            }
        }
        let mut evaders = targets.clone();
        evaders.par_sort_unstable();
        evaders.dedup();
        let place = |state: &ChaseState| evaders.binary_search(state).unwrap_or_default() as u32;
        let places: Vec<u32> = targets.par_iter().map(place).collect();
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
        let mut graph = Self {
            hunters,
            evaders,
            chases,
            evasions: Lists::default(),
            escapes: Lists::default(),
        };
        graph.add_evasions(round, &slots);
        graph
    }

    fn add_evasions<A: ChaseGraph>(&mut self, round: &Round<'_, '_, A>, hunting: &[u32]) {
        let groups: Vec<&[ChaseState]> = self.evaders.chunk_by(|a, b| a.0 == b.0).collect();
        let moves_of = |states: &&[ChaseState]| {
            let is_hunting = |next| hunting.binary_search(&next).is_ok();
            let (side, slot) = (round.victim, states[0].0);
            round.solver.graph.quiet_moves(side, slot, Followed::Mover, is_hunting)
        };
        let all_moves: Vec<Vec<QuietMove>> = groups.par_iter().map(moves_of).collect();
        for (states, moves) in groups.into_iter().zip(&all_moves) {
            for &(_, man) in states {
                let place = |mv: &QuietMove| {
                    self.hunters.binary_search(&after(mv, man)).ok().map(|place| place as u32)
                };
                let escapes = |mv: &&QuietMove| {
                    mv.chased == 0 && round.solver.word(round.chaser, mv.next) & CHECKED == 0
                };
                self.evasions.push(moves.iter().filter_map(place));
                self.escapes.push(moves.iter().filter(escapes).filter_map(place));
            }
        }
    }

    /// Drops states until nothing more is dropped; returns the rest, by position. What lies beyond the
    /// horizon is dropped.
    fn solve(&self, chaser: usize, horizon: u16) -> Verdict {
        let mut play = Play::new(self);
        loop {
            play.cascade();
            let distances = play.reach(horizon);
            if !play.drop_unreached(&distances) {
                return Verdict {
                    checker: chaser,
                    lost: by_distance(&self.hunters, &distances.hunters),
                    won: by_distance(&self.evaders, &distances.evaders),
                };
            }
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

/// For each state the plies to the next escape that the victim forces; 0 where it forces none.
struct Distances {
    hunters: Vec<u16>,
    evaders: Vec<u16>,
}

/// The states of a graph that have not been dropped.
struct Play<'g> {
    graph: &'g Graph,
    /// The reverse of the chases: for each evader the hunters that lead to it.
    hunted_by: Lists,
    evaded_by: Lists,
    hunters: Vec<bool>,
    evaders: Vec<bool>,
    /// For each of the evaders the number of its evasions to states not dropped.
    evasions_left: Vec<u32>,
    /// Dropped states whose predecessors are still to be looked at.
    dropped_hunters: Vec<u32>,
    dropped_evaders: Vec<u32>,
}

impl<'g> Play<'g> {
    fn new(graph: &'g Graph) -> Self {
        let count = |i: usize| graph.evasions.of(i).len() as u32;
        let evasions_left: Vec<u32> = (0..graph.evaders.len()).map(count).collect();
        let evaders: Vec<bool> = evasions_left.iter().map(|&left| left > 0).collect();
        Self {
            graph,
            hunted_by: graph.chases.inverted(graph.evaders.len()),
            evaded_by: graph.evasions.inverted(graph.hunters.len()),
            hunters: vec![true; graph.hunters.len()],
            dropped_hunters: Vec::new(),
            dropped_evaders: places(&evaders, false),
            evaders,
            evasions_left,
        }
    }

    /// Drops hunters that can no longer only chase, and evaders that cannot evade, after others
    /// were dropped.
    fn cascade(&mut self) {
        while !self.dropped_hunters.is_empty() || !self.dropped_evaders.is_empty() {
            for evader in std::mem::take(&mut self.dropped_evaders) {
                for &hunter in self.hunted_by.of(evader as usize) {
                    if std::mem::take(&mut self.hunters[hunter as usize]) {
                        self.dropped_hunters.push(hunter);
                    }
                }
            }
            for hunter in std::mem::take(&mut self.dropped_hunters) {
                for &evader in self.evaded_by.of(hunter as usize) {
                    let left = &mut self.evasions_left[evader as usize];
                    *left -= 1;
                    if *left == 0 && std::mem::take(&mut self.evaders[evader as usize]) {
                        self.dropped_evaders.push(evader);
                    }
                }
            }
        }
    }

    /// The distances from where the victim forces an escape, up to the horizon.
    fn reach(&self, horizon: u16) -> Distances {
        let mut distances = Distances {
            hunters: vec![0; self.hunters.len()],
            evaders: vec![0; self.evaders.len()],
        };
        let escapes = |&evader: &u32| {
            let mut escapes = self.graph.escapes.of(evader as usize).iter();
            escapes.any(|&hunter| self.hunters[hunter as usize])
        };
        let mut level: Vec<u32> = places(&self.evaders, true).into_iter().filter(escapes).collect();
        let count = |i: usize| self.graph.chases.of(i).len() as u32;
        let mut chases_left: Vec<u32> = (0..self.hunters.len()).map(count).collect();
        let mut distance = 1u16;
        level.iter().for_each(|&evader| distances.evaders[evader as usize] = distance);
        while !level.is_empty() && distance < horizon {
            let mut next = Vec::new();
            for &hunter in level.iter().flat_map(|&evader| self.hunted_by.of(evader as usize)) {
                let left = &mut chases_left[hunter as usize];
                *left -= 1;
                if *left == 0 && self.hunters[hunter as usize] {
                    distances.hunters[hunter as usize] = distance.saturating_add(1);
                    next.push(hunter);
                }
            }
            distance = distance.saturating_add(2);
            level.clear();
            if distance > horizon {
                break;
            }
            for &evader in next.iter().flat_map(|&hunter| self.evaded_by.of(hunter as usize)) {
                if self.evaders[evader as usize] && distances.evaders[evader as usize] == 0 {
                    distances.evaders[evader as usize] = distance;
                    level.push(evader);
                }
            }
        }
        distances
    }

    /// Drops the states without a distance; returns true if there were any.
    fn drop_unreached(&mut self, distances: &Distances) -> bool {
        self.dropped_hunters = drop_without(&mut self.hunters, &distances.hunters);
        self.dropped_evaders = drop_without(&mut self.evaders, &distances.evaders);
        !self.dropped_hunters.is_empty() || !self.dropped_evaders.is_empty()
    }
}

/// The places of a value.
fn places(flags: &[bool], value: bool) -> Vec<u32> {
    (0..flags.len() as u32).filter(|&i| flags[i as usize] == value).collect()
}

/// Drops the places without a distance; returns them.
fn drop_without(left: &mut [bool], distances: &[u16]) -> Vec<u32> {
    let is_unreached = |&i: &u32| left[i as usize] && distances[i as usize] == 0;
    let dropped: Vec<u32> = (0..left.len() as u32).filter(is_unreached).collect();
    dropped.iter().for_each(|&i| left[i as usize] = false);
    dropped
}
