//! The verifier's own computation of what the repetition rule decides: plain sweeps over explicit
//! lists, from the legal moves of positions.

use rayon::prelude::*;

use super::value::{Entry, Rules, Wdl};
use super::verify::{Prover, Step};
use super::verify_chase::Chases;
use crate::xiangqi::Position;

/// Slots and distances, by slot.
type Distances = Vec<(u32, u16)>;

/// What one round decides.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) order: u16,
    /// By side to move: slots and distances, by slot.
    lost: Vec<Distances>,
    won: Vec<Distances>,
}

impl Decided {
    pub(super) fn lost(&self, side: usize, slot: u32) -> Option<u16> {
        find(&self.lost[side], slot)
    }

    pub(super) fn won(&self, side: usize, slot: u32) -> Option<u16> {
        find(&self.won[side], slot)
    }
}

fn find(list: &[(u32, u16)], slot: u32) -> Option<u16> {
    list.binary_search_by_key(&slot, |&(slot, _)| slot).ok().map(|i| list[i].1)
}

/// All rounds up to the one after the highest order of the table, which must decide nothing: what
/// it decides differs from the draws of the table.
pub(super) fn decide_all(prover: &Prover, rules: Rules) -> Vec<Decided> {
    let chases = (rules == Rules::Asian)
        .then(|| Chases::collect(&prover.table, |position, mv| prover.capture(position, mv)));
    let decide = |order| {
        let by_check = decide(prover, order);
        match &chases {
            Some(chases) if by_check.lost.iter().all(Vec::is_empty) => decide_chase(chases, order),
            _ => by_check,
        }
    };
    (1..=prover.table.last_order().saturating_add(1)).map(decide).collect()
}

fn decide_chase(chases: &Chases, order: u16) -> Decided {
    let sides = chases.sides();
    let mut decided =
        Decided { order, lost: vec![Vec::new(); sides], won: vec![Vec::new(); sides] };
    for chaser in 0..sides {
        let (lost, won) = chases.decide(order, chaser);
        decided.lost[chaser] = lost;
        decided.won[sides - 1 - chaser] = won;
    }
    decided
}

fn decide(prover: &Prover, order: u16) -> Decided {
    let sides = prover.table.words.len();
    let mut decided =
        Decided { order, lost: vec![Vec::new(); sides], won: vec![Vec::new(); sides] };
    for checker in 0..sides {
        let victim = sides - 1 - checker;
        let (lost, won) = Loops::new(prover, order, checker, victim).solve();
        decided.lost[checker].extend(lost);
        decided.won[victim].extend(won);
    }
    decided.lost.iter_mut().chain(&mut decided.won).for_each(|list| list.sort_unstable());
    decided
}

/// A position of a loop: its moves within it, as places in the other list.
#[derive(Debug)]
struct Node {
    slot: u32,
    /// Where it can go, and whether that gives check.
    next: Vec<(u32, bool)>,
    alive: bool,
    /// 0 until the victim is known to force a further evasion without check.
    distance: u16,
}

/// Positions in which the checker must check, and those in which the victim evades.
struct Loops {
    checkers: Vec<Node>,
    victims: Vec<Node>,
}

impl Loops {
    /// The candidates of a round.
    fn new(prover: &Prover, order: u16, checker: usize, victim: usize) -> Self {
        let mut checkers = nodes(prover, checker, |slot| {
            let position = prover.position(checker, slot)?;
            let mut next = Vec::new();
            let all = prover.steps(&position, |step| {
                if is_known_loss(prover, order, step, victim) {
                    return true;
                }
                let is_loop = !step.is_capture && step.is_check;
                next.push((step.slot, true));
                is_loop
            });
            (is_open(prover, order, checker, slot) && all == Some(true) && !next.is_empty())
                .then_some(next)
        });
        let slots: Vec<u32> = checkers.iter().map(|node| node.slot).collect();
        let victims = nodes(prover, victim, |slot| {
            let position = prover.position(victim, slot).filter(Position::in_check)?;
            let mut next = Vec::new();
            prover.steps(&position, |step| {
                let place = slots.binary_search(&step.slot).ok().filter(|_| !step.is_capture);
                next.extend(place.map(|place| (place as u32, step.is_check)));
                true
            })?;
            (is_open(prover, order, victim, slot) && !next.is_empty()).then_some(next)
        });
        let slots: Vec<u32> = victims.iter().map(|node| node.slot).collect();
        for node in &mut checkers {
            let count = node.next.len();
            node.next = node
                .next
                .iter()
                .filter_map(|&(slot, check)| Some((slots.binary_search(&slot).ok()? as u32, check)))
                .collect();
            node.alive = node.next.len() == count;
        }
        Self { checkers, victims }
    }

    /// Drops until nothing is dropped; the slots and distances of what is left.
    fn solve(mut self) -> (Distances, Distances) {
        loop {
            while self.sweep() {}
            self.reach();
            let mut dropped = false;
            for node in self.checkers.iter_mut().chain(&mut self.victims) {
                dropped |= node.alive && node.distance == 0;
                node.alive &= node.distance > 0;
            }
            if !dropped {
                let left = |nodes: Vec<Node>| {
                    let alive = nodes.into_iter().filter(|node| node.alive);
                    alive.map(|node| (node.slot, node.distance)).collect()
                };
                return (left(self.checkers), left(self.victims));
            }
        }
    }

    /// Drops what has lost its moves; whether anything was.
    fn sweep(&mut self) -> bool {
        let mut dropped = false;
        for node in self.victims.iter_mut().filter(|node| node.alive) {
            node.alive = node.next.iter().any(|&(i, _)| self.checkers[i as usize].alive);
            dropped |= !node.alive;
        }
        for node in self.checkers.iter_mut().filter(|node| node.alive) {
            node.alive = node.next.iter().all(|&(i, _)| self.victims[i as usize].alive);
            dropped |= !node.alive;
        }
        dropped
    }

    /// The distances: 1 for an evasion without check, then outwards.
    fn reach(&mut self) {
        for node in self.checkers.iter_mut().chain(&mut self.victims) {
            node.distance = 0;
        }
        let checkers = &self.checkers;
        for node in self.victims.iter_mut().filter(|node| node.alive) {
            let evades = |&(i, check): &(u32, bool)| !check && checkers[i as usize].alive;
            node.distance = u16::from(node.next.iter().any(evades));
        }
        let mut changed = true;
        let mut distance = 1;
        while changed {
            changed = false;
            distance += 1;
            for node in self.checkers.iter_mut().filter(|n| n.alive && n.distance == 0) {
                let reached = |&(i, _): &(u32, bool)| self.victims[i as usize].distance > 0;
                if node.next.iter().all(reached) {
                    node.distance = distance;
                    changed = true;
                }
            }
            distance += 1;
            for node in self.victims.iter_mut().filter(|n| n.alive && n.distance == 0) {
                let reached = |&(i, _): &(u32, bool)| self.checkers[i as usize].distance > 0;
                if node.next.iter().any(reached) {
                    node.distance = distance;
                    changed = true;
                }
            }
        }
    }
}

/// The slots of a side for which `look` gives moves, ascending.
fn nodes(
    prover: &Prover,
    side: usize,
    look: impl Fn(u32) -> Option<Vec<(u32, bool)>> + Sync,
) -> Vec<Node> {
    (0..prover.table.index.slots)
        .into_par_iter()
        .filter(|&slot| {
            prover.entry(side, slot).is_some_and(|entry| entry.order > 0 || entry.wdl == Wdl::Draw)
        })
        .filter_map(|slot| Some(Node { slot, next: look(slot)?, alive: true, distance: 0 }))
        .collect()
}

/// Whether a value is known before a round is decided.
fn is_known(entry: Entry, order: u16) -> bool {
    entry.wdl != Wdl::Draw && entry.order < order
}

/// Whether a position is undecided when a round begins: its value is not of a lower order, and no
/// capture wins in this order.
fn is_open(prover: &Prover, order: u16, side: usize, slot: u32) -> bool {
    let Some(entry) = prover.entry(side, slot) else { return false };
    !is_known(entry, order) && !wins_by_capture(prover, order, side, slot)
}

fn wins_by_capture(prover: &Prover, order: u16, side: usize, slot: u32) -> bool {
    let Some(position) = prover.position(side, slot) else { return false };
    let none = prover.steps(&position, |step| {
        !(step.is_capture && step.value.wdl == Wdl::Win && step.value.order <= order)
    });
    none == Some(false)
}

/// Whether a move is known to lose when a round begins: captures of this order are known.
fn is_known_loss(prover: &Prover, order: u16, step: &Step, victim: usize) -> bool {
    if step.is_capture {
        return step.value.wdl == Wdl::Loss && step.value.order <= order;
    }
    step.value.wdl == Wdl::Loss && step.value.order < order
        || wins_by_capture(prover, order, victim, step.slot)
}
