//! The verifier's own computation of the results by perpetual chase, from the legal moves of
//! positions. It shares no code with the generator's `chase` and `chase_graph`: pieces are followed by
//! their squares, and the sets are found by plain sweeps.
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
pub(in crate::tablebase) trait CaptureValue:
    Fn(&Position, Move) -> Option<Entry> + Sync
{
}
impl<F: Fn(&Position, Move) -> Option<Entry> + Sync> CaptureValue for F {}

/// Beyond every round.
const NEVER: u32 = u32::MAX;

/// A position with the chaser to move and a piece of the other side.
#[derive(Debug)]
struct Hunter {
    state: ChaseState,
    /// The rounds in which it is open and all moves that do not chase the piece are known to lose.
    since: u32,
    until: u32,
    /// The targets of the chases of the piece, each with the round from which on it is known to lose.
    chases: Vec<(ChaseState, u32)>,
}

/// A position with the victim to move and its piece.
#[derive(Debug)]
struct Evader {
    state: ChaseState,
    /// The last round in which it is open.
    until: u32,
    /// Quiet moves to positions of hunters, with true for those that neither check nor chase.
    evasions: Vec<(ChaseState, bool)>,
}

/// All that chase rounds look at, by chaser.
#[derive(Debug)]
pub(in crate::tablebase) struct Chases {
    by_chaser: Vec<(Vec<Hunter>, Vec<Evader>)>,
    /// Greater distances are too great.
    horizon: u16,
}

impl Chases {
    /// Collects from a table whose illegal positions are marked; `horizon` is the greatest distance
    /// of a result.
    pub(in crate::tablebase) fn collect(
        table: &Table,
        horizon: u16,
        capture: impl CaptureValue,
    ) -> Self {
        let sides = table.words.len();
        let collector = Collector { table, horizon, capture };
        let collect = |chaser| {
            let victim = sides - 1 - chaser;
            let hunters = collector.hunters(chaser, victim);
            let evaders = collector.evaders(victim, &hunters);
            (hunters, evaders)
        };
        Self { by_chaser: (0..sides).map(collect).collect(), horizon }
    }

    /// Number of sides to move that have slots.
    pub(in crate::tablebase) const fn sides(&self) -> usize {
        self.by_chaser.len()
    }

    /// Computes the results of a round: the slots lost for the chaser, and those won for the other
    /// side.
    pub(in crate::tablebase) fn decide(&self, order: u16, chaser: usize) -> (Distances, Distances) {
        let (hunters, evaders) = &self.by_chaser[chaser];
        let order = u32::from(order);
        let is_in_round = |node: &&Hunter| node.since <= order && order <= node.until;
        let required = |node: &Hunter| {
            let open = node.chases.iter().filter(|&&(_, known_from)| order < known_from);
            open.map(|&(state, _)| state).collect()
        };
        let is_open = |node: &&Evader| order <= node.until;
        let mut play = Play {
            horizon: self.horizon,
            hunters: hunters.iter().filter(is_in_round).map(|n| (n.state, required(n))).collect(),
            evaders: evaders
                .iter()
                .filter(is_open)
                .map(|n| (n.state, n.evasions.clone()))
                .collect(),
        };
        play.settle()
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

    fn hunters(&self, chaser: usize, victim: usize) -> Vec<Hunter> {
        (0..self.table.index.slots)
            .into_par_iter()
            .flat_map_iter(|slot| self.hunters_of(chaser, victim, slot).unwrap_or_default())
            .collect()
    }

    /// The hunters of one position, one for each piece; `None` or nothing if there are none.
    fn hunters_of(&self, chaser: usize, victim: usize, slot: u32) -> Option<Vec<Hunter>> {
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
        let hunter = |man: Square| {
            let (chases, others): (Vec<_>, Vec<_>) =
                quiet.iter().zip(&chased_by).partition(|(_, pieces)| pieces.has(man));
            let since = others.iter().map(|(step, _)| step.known_from).fold(since, u32::max);
            let chases = chases
                .into_iter()
                .map(|(step, _)| {
                    ((step.slot, self.seen(&step.after, step.slot, man)), step.known_from)
                })
                .collect();
            Hunter { state: (slot, man), since, until, chases }
        };
        Some(all.into_iter().map(hunter).filter(|node| node.since <= node.until).collect())
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

    fn evaders(&self, victim: usize, hunters: &[Hunter]) -> Vec<Evader> {
        let slots: Vec<u32> = hunters.iter().map(|hunter| hunter.state.0).collect();
        let chases = hunters.iter().flat_map(|hunter| &hunter.chases);
        let mut states: Vec<(ChaseState, u32)> = chases.copied().collect();
        states.sort_unstable();
        states.dedup();
        states
            .into_par_iter()
            .filter_map(|(state, known_from)| self.evader(victim, state, known_from, &slots))
            .collect()
    }

    fn evader(
        &self,
        victim: usize,
        state: ChaseState,
        known_from: u32,
        hunting: &[u32],
    ) -> Option<Evader> {
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
                let is_idle = !after.in_check() && chased(&position, mv).is_empty();
                evasions.push(((slot, self.seen(&after, slot, man)), is_idle));
            }
        }
        let until = match self.entry(victim, state.0)? {
            Entry { wdl: Wdl::Loss, order, .. } => u32::from(order),
            _ => known_from - u32::from(known_from > 0),
        };
        Some(Evader { state, until, evasions })
    }

    /// A square of a position as its slot shows it: from the other side if sides are exchanged, and
    /// perhaps in the mirror.
    fn seen(&self, position: &Position, slot: u32, square: Square) -> Square {
        let swaps = self.table.index.is_symmetric() && position.turn().index() == 1;
        let turned = |square: Square| if swaps { square.flipped() } else { square };
        let shown = self.table.index.squares(&self.table.index.digits(slot));
        let side = |man: usize| {
            if swaps { man < self.table.index.first_men } else { man >= self.table.index.first_men }
        };
        let is_straight = (0..shown.len()).all(|man| {
            let found = position.piece_at(turned(shown[man]));
            found.is_some_and(|piece| {
                piece.role() == self.table.index.men[man].piece.role()
                    && (piece.side().index() == 1) == side(man)
            })
        });
        if is_straight { turned(square) } else { turned(square).mirrored() }
    }
}

/// Returns true if the side that has just moved attacks any piece with one that may chase.
fn attacks_any(after: &Position) -> bool {
    let chaser = !after.turn();
    let harmless = after.role(Role::King) | after.role(Role::Pawn);
    let prey = after.side(after.turn()) - after.role(Role::King);
    prey.into_iter().any(|man| !(after.attackers(chaser, man) - harmless).is_empty())
}

/// The hunters and evaders that have not been dropped in a round.
struct Play {
    horizon: u16,
    hunters: BTreeMap<ChaseState, Vec<ChaseState>>,
    evaders: BTreeMap<ChaseState, Vec<(ChaseState, bool)>>,
}

impl Play {
    /// Drops states until nothing more is dropped.
    fn settle(&mut self) -> (Distances, Distances) {
        loop {
            while self.sweep() {}
            let (hunters, evaders) = self.distances();
            let before = self.hunters.len() + self.evaders.len();
            self.hunters.retain(|state, _| hunters.contains_key(state));
            self.evaders.retain(|state, _| evaders.contains_key(state));
            if before == self.hunters.len() + self.evaders.len() {
                return (least(&hunters), least(&evaders));
            }
        }
    }

    /// Drops states that have lost their moves; returns true if there were any.
    fn sweep(&mut self) -> bool {
        let before = self.hunters.len() + self.evaders.len();
        let Self { hunters, evaders, .. } = self;
        evaders.retain(|_, moves| moves.iter().any(|(state, _)| hunters.contains_key(state)));
        hunters.retain(|_, moves| {
            !moves.is_empty() && moves.iter().all(|state| evaders.contains_key(state))
        });
        before != hunters.len() + evaders.len()
    }

    /// Plies to the next move of the victim that neither checks nor chases, where it forces one within
    /// the horizon.
    fn distances(&self) -> (BTreeMap<ChaseState, u16>, BTreeMap<ChaseState, u16>) {
        let escapes = |moves: &[(ChaseState, bool)]| {
            moves.iter().any(|(state, is_idle)| *is_idle && self.hunters.contains_key(state))
        };
        let mut evaders: BTreeMap<ChaseState, u16> = BTreeMap::new();
        let mut hunters: BTreeMap<ChaseState, u16> = BTreeMap::new();
        evaders.extend(self.evaders.iter().filter(|(_, m)| escapes(m)).map(|(&s, _)| (s, 1)));
        let mut distance = 1;
        loop {
            let before = hunters.len();
            for (&state, moves) in self.hunters.iter().filter(|_| distance < self.horizon) {
                if moves.iter().all(|next| evaders.contains_key(next)) {
                    hunters.entry(state).or_insert(distance + 1);
                }
            }
            let deeper = self.horizon.checked_sub(2).is_some_and(|most| distance <= most);
            for (&state, moves) in self.evaders.iter().filter(|_| deeper) {
                if moves.iter().any(|(next, _)| hunters.contains_key(next)) {
                    evaders.entry(state).or_insert(distance + 2);
                }
            }
            distance += 2;
            if before == hunters.len() {
                return (hunters, evaders);
            }
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
