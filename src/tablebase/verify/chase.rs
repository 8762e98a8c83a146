//! The verifier's own computation of the results by perpetual chase, with the perpetual checks in it,
//! from the legal moves of positions. It shares no code with the generator's `chase`, `chase_graph`
//! and `chase_play`: pieces are followed by their squares, and the sets are found by plain sweeps.
//!
//! The positions in question do not depend on the round: those in which every move of the chaser
//! newly chases one piece or becomes known to lose by some round `since`, while the position is still
//! open (up to round `until`). They are collected once; every round works on the same lists.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::game::{Game, MoveList};
use crate::tablebase::solve::table::{Table, locate_position, position_of};
use crate::tablebase::value::{Entry, Wdl};
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Move, Position, Role, Square};

/// Slots and distances, by slot.
type Distances = Vec<(u32, u16)>;
/// A slot, and the square of the chased piece in the position that the slot stands for.
type ChaseState = (u32, Square);

/// The value of a capture for the side that makes it; `None` if it is missing.
pub(crate) trait CaptureValue: Fn(&Position, Move) -> Option<Entry> + Sync {}
impl<F: Fn(&Position, Move) -> Option<Entry> + Sync> CaptureValue for F {}

/// Beyond every round.
const NEVER: u32 = u32::MAX;

/// A position with the chaser to move and a piece of the other side.
#[derive(Debug)]
struct ChaserState {
    state: ChaseState,
    /// The rounds in which it is open and all moves that do not chase the piece are known to lose.
    since: u32,
    until: u32,
    /// The targets of the chases of the piece, each with the round from which on it is known to lose.
    chases: Vec<(ChaseState, u32)>,
}

impl ChaserState {
    /// The targets of the chases that are not known to lose in a round.
    fn open_chases(&self, order: u32) -> Vec<ChaseState> {
        let open = self.chases.iter().filter(|&&(_, known_from)| order < known_from);
        open.map(|&(state, _)| state).collect()
    }
}

/// A position with the victim to move and its piece.
#[derive(Debug)]
struct VictimState {
    state: ChaseState,
    /// The last round in which it is open.
    until: u32,
    in_check: bool,
    /// Quiet moves to positions of the chaser's states.
    evasions: Vec<Evasion>,
}

/// A quiet move of the victim.
#[derive(Debug, Clone, Copy)]
struct Evasion {
    to: ChaseState,
    checks: bool,
    /// It newly chases something.
    chases: bool,
}

impl Evasion {
    const fn is_idle(&self) -> bool {
        !self.checks && !self.chases
    }

    const fn is_no_check(&self) -> bool {
        !self.checks
    }
}

/// All that chase rounds look at, by chaser.
#[derive(Debug)]
pub(crate) struct Chases {
    by_chaser: Vec<(Vec<ChaserState>, Vec<VictimState>)>,
    /// Greater distances are too great.
    horizon: u16,
}

impl Chases {
    /// Collects from a table whose illegal positions are marked; `horizon` is the greatest distance
    /// of a result.
    pub(crate) fn collect(table: &Table, horizon: u16, capture: impl CaptureValue) -> Self {
        let sides = table.words.len();
        let collector = Collector { table, horizon, capture };
        Self {
            by_chaser: (0..sides)
                .map(|chaser| {
                    let victim = sides - 1 - chaser;
                    let chaser_states = collector.chaser_states(chaser, victim);
                    let victim_states = collector.victim_states(victim, &chaser_states);
                    (chaser_states, victim_states)
                })
                .collect(),
            horizon,
        }
    }

    /// Number of sides to move that have slots.
    pub(crate) const fn sides(&self) -> usize {
        self.by_chaser.len()
    }

    /// Computes the results of a round: the slots lost for the chaser, and those won for the other
    /// side.
    pub(crate) fn decide(&self, order: u16, chaser: usize) -> (Distances, Distances) {
        let (chaser_states, victim_states) = &self.by_chaser[chaser];
        let order = u32::from(order);
        let mut play = Play {
            horizon: self.horizon,
            chaser_states: chaser_states
                .iter()
                .filter(|node: &&ChaserState| node.since <= order && order <= node.until)
                .map(|n| (n.state, n.open_chases(order)))
                .collect(),
            victim_states: victim_states
                .iter()
                .filter(|node: &&VictimState| order <= node.until)
                .map(|n| (n.state, (n.in_check, n.evasions.clone())))
                .collect(),
        };
        let reached = play.solve();
        (least(&reached.chaser_states), least(&reached.victim_states))
    }
}

struct Collector<'a, C> {
    table: &'a Table,
    horizon: u16,
    capture: C,
}

/// A quiet move, and from which round on it is known to lose.
struct Quiet {
    mv: Move,
    after: Position,
    slot: u32,
    known_from: u32,
    /// It leads to a win at the horizon: from that round on it loses nothing.
    is_late: bool,
}

impl<C: CaptureValue> Collector<'_, C> {
    fn entry(&self, side: usize, slot: u32) -> Option<Entry> {
        self.table.meaning(self.table.words[side][slot as usize])
    }

    fn chaser_states(&self, chaser: usize, victim: usize) -> Vec<ChaserState> {
        (0..self.table.index.slots)
            .into_par_iter()
            .flat_map_iter(|slot| self.chaser_states_of(chaser, victim, slot).unwrap_or_default())
            .collect()
    }

    /// The chaser's states of one position, one for each piece; `None` or nothing if there are none.
    fn chaser_states_of(
        &self,
        chaser: usize,
        victim: usize,
        slot: u32,
    ) -> Option<Vec<ChaserState>> {
        let entry = self.entry(chaser, slot)?;
        let mut until = match entry.wdl {
            Wdl::Draw => NEVER - 1,
            _ if entry.order == 0 => return None,
            _ => u32::from(entry.order),
        };
        let position = position_of(&self.table.index, chaser, slot)?;
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut since = 0;
        let mut quiet = Vec::new();
        for &mv in &moves {
            if position.piece_at(mv.to()).is_some() {
                let value = (self.capture)(&position, mv)?;
                if value.wdl != Wdl::Loss {
                    return None;
                }
                since = since.max(u32::from(value.order));
                continue;
            }
            let step = self.quiet(&position, mv, victim)?;
            if step.is_late {
                until = until.min(step.known_from.saturating_sub(1));
            }
            if step.known_from > until && !attacks_any(&step.after) {
                return None;
            }
            quiet.push(step);
        }
        let chased_by: Vec<_> = quiet.iter().map(|step| chased(&position, step.mv)).collect();
        let all = chased_by.iter().copied().reduce(|a, b| a | b)?;
        Some(
            all.into_iter()
                .map(|man: Square| {
                    let (chases, others): (Vec<_>, Vec<_>) =
                        quiet.iter().zip(&chased_by).partition(|(_, pieces)| pieces.has(man));
                    let since =
                        others.iter().map(|(step, _)| step.known_from).fold(since, u32::max);
                    let chases = chases
                        .into_iter()
                        .map(|(step, _)| {
                            ((step.slot, self.seen(&step.after, step.slot, man)), step.known_from)
                        })
                        .collect();
                    ChaserState { state: (slot, man), since, until, chases }
                })
                .filter(|node| node.since <= node.until)
                .collect(),
        )
    }

    fn quiet(&self, position: &Position, mv: Move, other: usize) -> Option<Quiet> {
        let mut after = position.clone();
        after.make(mv);
        let (_, slot) = locate_position(&self.table.index, &after, false)?;
        let entry = self.entry(other, slot)?;
        let known_from = match (entry.wdl, entry.order) {
            (Wdl::Win, 0) => 0,
            (Wdl::Win, order) => u32::from(order) + u32::from(!self.wins_by_capture(&after, order)),
            _ => NEVER,
        };
        let is_late = entry.wdl == Wdl::Win && entry.distance >= self.horizon;
        Some(Quiet { mv, after, slot, known_from, is_late })
    }

    fn wins_by_capture(&self, position: &Position, order: u16) -> bool {
        let mut moves = MoveList::new();
        position.append_captures(&mut moves);
        moves.iter().any(|&mv| {
            let value = (self.capture)(position, mv);
            value.is_some_and(|value| value.wdl == Wdl::Win && value.order <= order)
        })
    }

    fn victim_states(&self, victim: usize, chaser_states: &[ChaserState]) -> Vec<VictimState> {
        let slots: Vec<u32> =
            chaser_states.iter().map(|chaser_state| chaser_state.state.0).collect();
        let chases = chaser_states.iter().flat_map(|chaser_state| &chaser_state.chases);
        let mut states: Vec<(ChaseState, u32)> = chases.copied().collect();
        states.sort_unstable();
        states.dedup();
        states
            .into_par_iter()
            .filter_map(|(state, known_from)| self.victim_state(victim, state, known_from, &slots))
            .collect()
    }

    fn victim_state(
        &self,
        victim: usize,
        state: ChaseState,
        known_from: u32,
        hunting: &[u32],
    ) -> Option<VictimState> {
        let position = position_of(&self.table.index, victim, state.0)?;
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut evasions = Vec::new();
        for mv in moves.into_iter().filter(|mv| position.piece_at(mv.to()).is_none()) {
            let mut after = position.clone();
            after.make(mv);
            let (_, slot) = locate_position(&self.table.index, &after, false)?;
            if hunting.binary_search(&slot).is_ok() {
                let man = if mv.from() == state.1 { mv.to() } else { state.1 };
                evasions.push(Evasion {
                    to: (slot, self.seen(&after, slot, man)),
                    checks: after.in_check(),
                    chases: !chased(&position, mv).is_empty(),
                });
            }
        }
        let until = match self.entry(victim, state.0)? {
            Entry { wdl: Wdl::Loss, order, .. } => u32::from(order),
            _ => known_from - u32::from(known_from > 0),
        };
        Some(VictimState { state, until, in_check: position.in_check(), evasions })
    }

    /// A square of a position as its slot shows it: from the other side if sides are exchanged, and
    /// perhaps in the mirror.
    fn seen(&self, position: &Position, slot: u32, square: Square) -> Square {
        let index = &self.table.index;
        let swaps = index.is_symmetric() && position.turn().index() == 1;
        let shown = index.squares(&index.digits(slot));
        // The slot shows either the position or its mirror image: one piece elsewhere tells which.
        let is_straight = (0..shown.len()).all(|man| {
            let is_second = (man >= index.first_men) != swaps;
            let found = position.piece_at(turned(shown[man], swaps));
            found.is_some_and(|piece| {
                piece.role() == index.men[man].piece.role()
                    && (piece.side().index() == 1) == is_second
            })
        });
        let square = turned(square, swaps);
        if is_straight { square } else { square.mirrored() }
    }
}

/// A square, seen from the other side if sides are exchanged.
const fn turned(square: Square, swaps: bool) -> Square {
    if swaps { square.flipped() } else { square }
}

/// Returns true if the side that has just moved attacks any piece with one that may chase.
fn attacks_any(after: &Position) -> bool {
    let chaser = !after.turn();
    let harmless = after.role(Role::King) | after.role(Role::Pawn);
    let prey = after.side(after.turn()) - after.role(Role::King);
    prey.into_iter().any(|man| !(after.attackers(chaser, man) - harmless).is_empty())
}

/// The states of chaser and victim that have not been dropped in a round.
struct Play {
    horizon: u16,
    chaser_states: BTreeMap<ChaseState, Vec<ChaseState>>,
    /// With true for those in check.
    victim_states: BTreeMap<ChaseState, (bool, Vec<Evasion>)>,
}

/// Plies from the states that the victim wins to the move that decides.
#[derive(Default)]
struct Reached {
    chaser_states: BTreeMap<ChaseState, u16>,
    victim_states: BTreeMap<ChaseState, u16>,
}

impl Reached {
    fn len(&self) -> usize {
        self.chaser_states.len() + self.victim_states.len()
    }

    /// The least distance of a state of the chaser that is none here and beyond all others.
    fn beyond(&self) -> u16 {
        let greatest = self.chaser_states.values().chain(self.victim_states.values()).max();
        // Distances of the chaser are even, those of the victim odd.
        greatest.copied().unwrap_or(0).next_multiple_of(2)
    }

    /// The moves of the chaser that lead to no state here.
    fn unreached(&self, moves: &[ChaseState]) -> Vec<ChaseState> {
        let states = moves.iter().copied();
        states.filter(|state| !self.victim_states.contains_key(state)).collect()
    }

    /// Adds states that are none here, their distances counted on beyond all others.
    fn append_beyond(&mut self, later: Self) {
        let beyond = self.beyond();
        for (state, distance) in later.chaser_states {
            self.chaser_states.insert(state, beyond.saturating_add(distance));
        }
        for (state, distance) in later.victim_states {
            self.victim_states.insert(state, beyond.saturating_add(distance));
        }
    }
}

impl Play {
    /// Drops the states that the victim does not win; returns the distances of the rest.
    fn solve(&mut self) -> Reached {
        self.settle(|play| {
            let mut reached = play.forced(Evasion::is_idle);
            play.add_won_by_check(&mut reached);
            reached
        })
    }

    /// Drops states until `reach` gives a distance to all that are left; returns the distances.
    fn settle(&mut self, reach: impl Fn(&Self) -> Reached) -> Reached {
        loop {
            while self.sweep() {}
            let mut reached = reach(self);
            reached.chaser_states.retain(|_, distance| *distance <= self.horizon);
            reached.victim_states.retain(|_, distance| *distance <= self.horizon);
            if reached.len() == self.chaser_states.len() + self.victim_states.len() {
                return reached;
            }
            self.chaser_states.retain(|state, _| reached.chaser_states.contains_key(state));
            self.victim_states.retain(|state, _| reached.victim_states.contains_key(state));
        }
    }

    /// Drops states that have lost their moves; returns true if there were any.
    fn sweep(&mut self) -> bool {
        let before = self.chaser_states.len() + self.victim_states.len();
        let Self { chaser_states, victim_states, .. } = self;
        victim_states
            .retain(|_, (_, moves)| moves.iter().any(|mv| chaser_states.contains_key(&mv.to)));
        chaser_states.retain(|_, moves| {
            !moves.is_empty() && moves.iter().all(|state| victim_states.contains_key(state))
        });
        before != chaser_states.len() + victim_states.len()
    }

    /// Plies to the next evasion of a kind, where the victim forces one.
    fn forced(&self, is_wanted: impl Fn(&Evasion) -> bool) -> Reached {
        let mut reached = Reached::default();
        let victim_states = self.victim_states.iter().filter(|(_, (_, moves))| {
            moves
                .iter()
                .any(|mv: &Evasion| is_wanted(mv) && self.chaser_states.contains_key(&mv.to))
        });
        reached.victim_states.extend(victim_states.map(|(&state, _)| (state, 1)));
        self.attract(&mut reached, 0);
        reached
    }

    /// Adds the states from which the victim forces a visit to those reached, at distances beyond
    /// this one.
    fn attract(&self, reached: &mut Reached, mut distance: u16) {
        loop {
            let before = reached.len();
            for (&state, (_, moves)) in &self.victim_states {
                if moves.iter().any(|mv| reached.chaser_states.contains_key(&mv.to)) {
                    reached.victim_states.entry(state).or_insert(distance.saturating_add(1));
                }
            }
            for (&state, moves) in &self.chaser_states {
                if moves.iter().all(|next| reached.victim_states.contains_key(next)) {
                    reached.chaser_states.entry(state).or_insert(distance.saturating_add(2));
                }
            }
            distance = distance.saturating_add(2);
            if before == reached.len() {
                return;
            }
        }
    }

    /// Adds the states in which the victim forces no idle move, but wins by perpetual check as long as
    /// the chaser allows none, beyond all others.
    fn add_won_by_check(&self, reached: &mut Reached) {
        loop {
            let rest = self.without(reached);
            let mut checking = Self {
                horizon: u16::MAX,
                chaser_states: rest.chaser_states.clone(),
                victim_states: rest.victim_states.clone(),
            };
            checking.victim_states.retain(|_, (in_check, _)| *in_check);
            let mut won = checking.settle(|play| play.forced(Evasion::is_no_check));
            if won.len() == 0 {
                return;
            }
            let last = won.beyond();
            rest.attract(&mut won, last);
            reached.append_beyond(won);
        }
    }

    /// The states that are not reached, and the moves between them.
    fn without(&self, reached: &Reached) -> Self {
        let chaser_states = self
            .chaser_states
            .iter()
            .filter(|(state, _)| !reached.chaser_states.contains_key(state));
        let victim_states = self
            .victim_states
            .iter()
            .filter(|(state, _)| !reached.victim_states.contains_key(state));
        Self {
            horizon: u16::MAX,
            chaser_states: chaser_states
                .map(|(&state, moves)| (state, reached.unreached(moves)))
                .collect(),
            victim_states: victim_states
                .map(|(&state, victim_state)| (state, victim_state.clone()))
                .collect(),
        }
    }
}

/// The least distance of each slot with any piece, by slot.
fn least(distances: &BTreeMap<ChaseState, u16>) -> Distances {
    let mut slots = BTreeMap::new();
    for (&(slot, _), &distance) in distances {
        let least = slots.entry(slot).or_insert(distance);
        *least = distance.min(*least);
    }
    slots.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tablebase::solve::chase_play::{ChasePlay, Lists};

    fn state(place: usize) -> ChaseState {
        (place as u32, Square::from_index(0))
    }

    /// By state of the victim, whether it is in check and its moves, each with true if it chases; by that of the
    /// chaser, whether it is in check and its moves.
    type Sketch = (Vec<(bool, Vec<(usize, bool)>)>, Vec<(bool, Vec<usize>)>);

    fn sketch() -> impl Strategy<Value = Sketch> {
        (2usize..12, 2usize..12).prop_flat_map(|(victim_states, chaser_states)| {
            let victim_state =
                prop::collection::vec((0..chaser_states, prop::bool::weighted(0.7)), 0..4);
            let chaser_state = prop::collection::vec(0..victim_states, 1..3);
            (
                prop::collection::vec((prop::bool::weighted(0.6), victim_state), victim_states),
                prop::collection::vec((prop::bool::weighted(0.4), chaser_state), chaser_states),
            )
        })
    }

    fn of_solver((victim_states, chaser_states): &Sketch) -> [Vec<(ChaseState, u16)>; 2] {
        let mut play = ChasePlay {
            chaser_checked: chaser_states.iter().map(|chaser_state| chaser_state.0).collect(),
            victim_checked: victim_states.iter().map(|victim_state| victim_state.0).collect(),
            ..ChasePlay::default()
        };
        let mut chases = Lists::default();
        chaser_states.iter().for_each(|(_, moves)| chases.push(moves.iter().map(|&to| to as u32)));
        play.chases = chases;
        for (_, moves) in victim_states {
            let escapes = moves.iter().filter(|&&(to, chases)| !chases && !chaser_states[to].0);
            play.evasions.push(moves.iter().map(|&(to, _)| to as u32));
            play.escapes.push(escapes.map(|&(to, _)| to as u32));
        }
        let distances = play.solve();
        [distances.chaser_states, distances.victim_states].map(|distances| {
            let won = distances.into_iter().enumerate().filter(|&(_, distance)| distance > 0);
            won.map(|(place, distance)| (state(place), distance)).collect()
        })
    }

    fn of_verifier((victim_states, chaser_states): &Sketch) -> [Vec<(ChaseState, u16)>; 2] {
        let mut play = Play {
            chaser_states: BTreeMap::new(),
            victim_states: BTreeMap::new(),
            horizon: u16::MAX,
        };
        for (place, (_, moves)) in chaser_states.iter().enumerate() {
            let chases = moves.iter().map(|&to| state(to)).collect();
            play.chaser_states.insert(state(place), chases);
        }
        for (place, (in_check, moves)) in victim_states.iter().enumerate() {
            let evasions = moves.iter().map(|&(to, chases)| {
                let checks = chaser_states[to].0;
                Evasion { to: state(to), checks, chases }
            });
            play.victim_states.insert(state(place), (*in_check, evasions.collect()));
        }
        let reached = play.solve();
        [reached.chaser_states, reached.victim_states]
            .map(|distances| distances.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_solver_and_the_verifier_find_the_same(sketch in sketch()) {
            prop_assert_eq!(of_solver(&sketch), of_verifier(&sketch));
        }
    }

    /// The test above meets plays that are won by the checks in a chase.
    #[test]
    fn checks_in_a_chase_decide() {
        // In check, state 0 of the victim goes to 0 and chases; from 0 the chaser may check again, or not:
        // then its state 1 has an idle move.
        let sketch: Sketch =
            (vec![(true, vec![(0, true)]), (false, vec![(0, false)])], vec![(false, vec![0, 1])]);
        let chaser_states = vec![(state(0), 4)];
        assert_eq!(of_verifier(&sketch), [chaser_states, vec![(state(0), 3), (state(1), 1)]]);
        assert_eq!(of_solver(&sketch), of_verifier(&sketch));
    }
}
