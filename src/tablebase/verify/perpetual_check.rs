//! The verifier's own computation of the results by the repetition rule, from the legal moves of
//! positions. It shares no code with the generator's [`crate::tablebase::solve::perpetual_check`].
//!
//! # The facts that a round needs
//!
//! Round k (defined in [`crate::tablebase::solve::perpetual_check`]) begins with the values of orders below k
//! known, and the captures that win or lose in order k. A position is *open* in it if neither says
//! anything about it: if the table calls it a draw or gives it an order of at least k, and, where
//! that is a win of order k, no capture does it. So a position is open in the rounds up to some
//! last one, `until`: none where the order is 0, all where it is a draw.
//!
//! A move of the checker that is neither a check nor keeps the position open for ever becomes known
//! to lose in one round and stays so: a quiet move when the position it leads to is a win that is
//! not open any more, a losing capture of order j in round j. Let `since` be the last of these
//! rounds. Then L of round k is sought among the positions with `since` <= k <= `until` and some
//! check that leads to an open position, and all such checks must lead into W; other checks are
//! known to lose by then. These numbers and moves do not depend on k: they are collected once, and
//! every round works on the same lists.
//!
//! # Why that proves a table
//!
//! Take the first (order, distance) at which a table differs from the true values. All that a round
//! of that order uses is right then: the values of lower orders, and which positions have them. So
//! the round finds the true L and W with the true distances, and all else of that order follows
//! from them, from captures and from values of less distance by one ply of moves, which the
//! verifier compares for every slot; the difference is noticed. A draw that should be none differs
//! at the order and distance that it should have; that is why a last round follows those of the
//! orders that occur, here and in the smaller tables, and has to find nothing. What is reported
//! beyond the first difference may be its consequence.
//!
//! # Drops and distances
//!
//! The greatest L and W, and the attractor of the evasions without check, are found with lists of
//! work and counters: each move is looked at a few times a round, however long the chains are.

use crate::tablebase::value::Entry;

/// `until` of positions that stay open in every round.
pub(crate) const ALWAYS: u16 = u16::MAX;

/// A position that may be of L or W in the rounds `since..=until`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundNode {
    pub(crate) slot: u32,
    pub(crate) since: u16,
    pub(crate) until: u16,
    pub(crate) in_check: bool,
    /// Number of its moves; positions have less than 256.
    moves: u8,
}

impl RoundNode {
    pub(crate) const fn new(slot: u32, since: u16, until: u16, in_check: bool) -> Self {
        Self { slot, since, until, in_check, moves: 0 }
    }

    const fn is_in_round(&self, round: u16) -> bool {
        self.since <= round && round <= self.until
    }
}

/// Nodes in the order of their slots, with the moves of each one after another.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    nodes: Vec<RoundNode>,
    /// The targets of the moves: slots, or places in another list.
    moves: Vec<u32>,
}

impl Nodes {
    /// Adds a node with its moves.
    pub(crate) fn push(&mut self, node: RoundNode, moves: &[u32]) {
        self.nodes.push(RoundNode { moves: moves.len() as u8, ..node });
        self.moves.extend_from_slice(moves);
    }

    /// Joins lists.
    pub(crate) fn concat(parts: Vec<Self>) -> Self {
        let mut all = Self {
            nodes: Vec::with_capacity(parts.iter().map(|part| part.nodes.len()).sum()),
            moves: Vec::with_capacity(parts.iter().map(|part| part.moves.len()).sum()),
        };
        for part in parts {
            all.nodes.extend(part.nodes);
            all.moves.extend(part.moves);
        }
        all
    }

    /// Frees memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.moves.shrink_to_fit();
    }

    pub(crate) fn get(&self, place: u32) -> RoundNode {
        self.nodes[place as usize]
    }

    /// All nodes with their moves.
    fn iter(&self) -> impl Iterator<Item = (RoundNode, &[u32])> {
        let mut rest = self.moves.as_slice();
        self.nodes.iter().map(move |&node| {
            let (moves, after) = rest.split_at(node.moves.into());
            rest = after;
            (node, moves)
        })
    }

    /// The place of each node by its slot.
    pub(crate) fn places(&self, slots: u32) -> Places {
        Places::new(slots, self.nodes.iter().map(|node| node.slot))
    }

    /// Leaves out the moves that `keep` maps to nothing and changes the others, then leaves out
    /// nodes that are in no round any more. Returns the new places of the nodes.
    fn thin_out(&mut self, mut keep: impl FnMut(&mut RoundNode, u32) -> Option<u32>) -> Places {
        let mut nodes = 0;
        let mut moves = 0;
        let mut start = 0;
        let mut kept = Vec::new();
        for i in 0..self.nodes.len() {
            let mut node = self.nodes[i];
            let end = start + usize::from(node.moves);
            let first = moves;
            for j in start..end {
                if let Some(to) = keep(&mut node, self.moves[j]) {
                    self.moves[moves] = to;
                    moves += 1;
                }
            }
            start = end;
            if node.since <= node.until {
                node.moves = (moves - first) as u8;
                self.nodes[nodes] = node;
                nodes += 1;
                kept.push(i as u32);
            } else {
                // Moves kept for a node that is left out after all are overwritten by those of the next.
                moves = first;
            }
        }
        let before = self.nodes.len() as u32;
        self.nodes.truncate(nodes);
        self.moves.truncate(moves);
        self.shrink();
        Places::new(before, kept.into_iter())
    }
}

/// From slots to places in a list: a bit for each slot, and the number of bits set before each word.
#[derive(Debug)]
pub(crate) struct Places {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Places {
    /// `members` ascend and are less than `size`.
    fn new(size: u32, members: impl Iterator<Item = u32>) -> Self {
        let mut bits = vec![0u64; size as usize / 64 + 1];
        for member in members {
            bits[member as usize / 64] |= 1 << (member % 64);
        }
        let mut count = 0;
        let before = bits.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        Self { before: before.collect(), bits }
    }

    /// The place of a member.
    #[inline]
    pub(crate) fn find(&self, slot: u32) -> Option<u32> {
        let word = slot as usize / 64;
        let bit = slot % 64;
        let set = self.bits[word];
        let lower = set & ((1 << bit) - 1);
        // Rank in a bit set, as in the files' foldings: 12 bytes for 64 slots, where a list of places would take 256.
        (set >> bit & 1 == 1).then(|| self.before[word] + lower.count_ones())
    }
}

/// The moves of a list the other way round.
struct Backward {
    starts: Vec<usize>,
    from: Vec<u32>,
}

impl Backward {
    /// `targets`: the number of places that the moves of `nodes` lead to.
    fn new(nodes: &Nodes, targets: usize) -> Self {
        let mut starts = vec![0; targets + 1];
        for &to in &nodes.moves {
            // A counting sort: counts, then sums, then each move goes to its place.
            starts[to as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // Filled from the end, each start moves down to where its list begins.
        let mut from = vec![0; nodes.moves.len()];
        let mut rest = nodes.moves.as_slice();
        for (place, node) in nodes.nodes.iter().enumerate().rev() {
            let (before, moves) = rest.split_at(rest.len() - usize::from(node.moves));
            rest = before;
            for &to in moves {
                starts[to as usize] -= 1;
                from[starts[to as usize]] = place as u32;
            }
        }
        Self { starts, from }
    }

    fn of(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.from[self.starts[place]..self.starts[place + 1]]
    }
}

/// Decided in a round: the slot and its value.
pub(crate) type Verdict = (u32, Entry);

/// Play in which one colour checks without end, as far as any round can decide it.
pub(crate) struct Loops {
    /// Candidates of L; their moves are the checks that lead to open positions.
    checkers: Nodes,
    /// Candidates of W; their moves are the evasions into candidates of L.
    victims: Nodes,
    before_checkers: Backward,
    before_victims: Backward,
    alive_checkers: Vec<bool>,
    alive_victims: Vec<bool>,
    /// Moves of a victim that stay; of a checker that do not yet lead to where the victim has a
    /// distance.
    count_checkers: Vec<u16>,
    count_victims: Vec<u16>,
    /// 0 until known.
    distance_checkers: Vec<u16>,
    distance_victims: Vec<u16>,
    /// Greater distances are too great.
    horizon: u16,
}

impl Loops {
    /// `victims` lead to places in `checkers`, these to slots; `until` gives the last round in which a
    /// slot with the victim to move is open.
    pub(crate) fn new(
        mut checkers: Nodes,
        mut victims: Nodes,
        slots: u32,
        horizon: u16,
        until: impl Fn(u32) -> u16,
    ) -> Self {
        let places = victims.places(slots);
        let kept = checkers.thin_out(|node, slot| {
            let place = places.find(slot);
            if place.is_none() {
                // Never of W: no L as long as it is open.
                node.since = node.since.max(until(slot).saturating_add(1));
            }
            place
        });
        victims.thin_out(|_, place| kept.find(place));
        let c = checkers.nodes.len();
        let v = victims.nodes.len();
        Self {
            before_victims: Backward::new(&checkers, v),
            before_checkers: Backward::new(&victims, c),
            alive_checkers: vec![false; c],
            alive_victims: vec![false; v],
            count_checkers: vec![0; c],
            count_victims: vec![0; v],
            distance_checkers: vec![0; c],
            distance_victims: vec![0; v],
            horizon,
            checkers,
            victims,
        }
    }

    /// Computes the results of a round: losses of the checker and wins of the victim.
    pub(crate) fn decide(&mut self, round: u16, lost: &mut Vec<Verdict>, won: &mut Vec<Verdict>) {
        let dropped = self.begin(round);
        self.cascade(Vec::new(), dropped);
        loop {
            self.reach();
            let checkers = unreached(&self.alive_checkers, &self.distance_checkers);
            let victims = unreached(&self.alive_victims, &self.distance_victims);
            if checkers.is_empty() && victims.is_empty() {
                break;
            }
            checkers.iter().for_each(|&i| self.alive_checkers[i as usize] = false);
            victims.iter().for_each(|&i| self.alive_victims[i as usize] = false);
            self.cascade(checkers, victims);
        }
        for (node, &distance) in self.checkers.nodes.iter().zip(&self.distance_checkers) {
            if distance > 0 {
                lost.push((node.slot, Entry::loss(round, distance)));
            }
        }
        for (node, &distance) in self.victims.nodes.iter().zip(&self.distance_victims) {
            if distance > 0 {
                won.push((node.slot, Entry::win(round, distance)));
            }
        }
    }

    /// The candidates of a round; those of W without a move into one of L are returned as dropped.
    fn begin(&mut self, round: u16) -> Vec<u32> {
        for (alive, node) in self.alive_victims.iter_mut().zip(&self.victims.nodes) {
            *alive = node.is_in_round(round);
        }
        for (alive, (node, moves)) in self.alive_checkers.iter_mut().zip(self.checkers.iter()) {
            *alive = node.is_in_round(round)
                && moves.iter().any(|&to: &u32| self.alive_victims[to as usize]);
        }
        let mut dropped = Vec::new();
        for (i, (_, moves)) in self.victims.iter().enumerate() {
            self.count_victims[i] =
                moves.iter().filter(|&&to: &&u32| self.alive_checkers[to as usize]).count() as u16;
            if self.count_victims[i] == 0 && std::mem::replace(&mut self.alive_victims[i], false) {
                dropped.push(i as u32);
            }
        }
        dropped
    }

    /// Drops the nodes that fail the conditions after these were dropped: all before a victim, and
    /// the victims without a move left.
    fn cascade(&mut self, mut checkers: Vec<u32>, mut victims: Vec<u32>) {
        loop {
            if let Some(place) = victims.pop() {
                for &before in self.before_victims.of(place) {
                    if std::mem::replace(&mut self.alive_checkers[before as usize], false) {
                        checkers.push(before);
                    }
                }
            } else if let Some(place) = checkers.pop() {
                for &before in self.before_checkers.of(place) {
                    let count = &mut self.count_victims[before as usize];
                    *count -= 1;
                    // The count is lowered for dead victims as well; marking them dead a second time does
                    // nothing.
                    if *count == 0
                        && std::mem::replace(&mut self.alive_victims[before as usize], false)
                    {
                        victims.push(before);
                    }
                }
            } else {
                return;
            }
        }
    }

    /// The distances: 1 for an evasion without check, then outwards; 0 where the victim cannot force
    /// one within the horizon.
    fn reach(&mut self) {
        self.distance_checkers.fill(0);
        self.distance_victims.fill(0);
        for (i, (_, moves)) in self.checkers.iter().enumerate() {
            self.count_checkers[i] =
                moves.iter().filter(|&&to: &&u32| self.alive_victims[to as usize]).count() as u16;
        }
        let mut level = Vec::new();
        for (i, (_, moves)) in self.victims.iter().enumerate() {
            if self.alive_victims[i]
                && moves.iter().any(|&to: &u32| {
                    self.alive_checkers[to as usize] && !self.checkers.get(to).in_check
                })
            {
                self.distance_victims[i] = 1;
                level.push(i as u32);
            }
        }
        let mut distance = 1u16;
        while !level.is_empty() {
            distance = distance.saturating_add(1);
            if distance > self.horizon {
                return;
            }
            let losing = self.losing(&level, distance);
            distance = distance.saturating_add(1);
            if distance > self.horizon {
                return;
            }
            level = self.winning(&losing, distance);
        }
    }

    /// The checkers all of whose moves lead to victims with a distance, the last of them these.
    fn losing(&mut self, victims: &[u32], distance: u16) -> Vec<u32> {
        let mut level = Vec::new();
        for &place in victims {
            for &before in self.before_victims.of(place) {
                let i = before as usize;
                if self.alive_checkers[i] {
                    self.count_checkers[i] -= 1;
                    if self.count_checkers[i] == 0 {
                        self.distance_checkers[i] = distance;
                        level.push(before);
                    }
                }
            }
        }
        level
    }

    /// The victims without a distance that have a move to one of these checkers.
    fn winning(&mut self, checkers: &[u32], distance: u16) -> Vec<u32> {
        let mut level = Vec::new();
        for &place in checkers {
            for &before in self.before_checkers.of(place) {
                let i = before as usize;
                if self.alive_victims[i] && self.distance_victims[i] == 0 {
                    self.distance_victims[i] = distance;
                    level.push(before);
                }
            }
        }
        level
    }
}

/// The nodes that are alive and have no distance.
fn unreached(alive: &[bool], distance: &[u16]) -> Vec<u32> {
    (0..alive.len() as u32).filter(|&i| alive[i as usize] && distance[i as usize] == 0).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A side of a random graph: `since`, `until`, whether in check, and the moves.
    type Side = Vec<(u16, u16, bool, Vec<u32>)>;

    /// Slots of the victim beyond its nodes: positions that are never of W.
    const STRANGERS: u32 = 3;

    fn graph() -> impl Strategy<Value = (Side, Side)> {
        (1..12u32, 1..12u32).prop_flat_map(|(c, v)| (side(c, 2, v + STRANGERS), side(v, 3, c)))
    }

    /// A side of `own` nodes, each with at most `moves` moves to the first `to` places.
    fn side(own: u32, moves: usize, to: u32) -> impl Strategy<Value = Side> {
        let moves = proptest::collection::vec(0..to, 1..=moves);
        let until = prop_oneof![1..4u16, Just(ALWAYS)];
        let node = (1..3u16, until, any::<bool>(), moves);
        proptest::collection::vec(node, own as usize)
    }

    fn nodes(side: &Side) -> Nodes {
        let mut nodes = Nodes::default();
        for (slot, (since, until, in_check, moves)) in side.iter().enumerate() {
            nodes.push(RoundNode::new(slot as u32, *since, *until, *in_check), moves);
        }
        nodes
    }

    /// The last round in which a slot with the victim to move is open.
    fn until(v: &Side, slot: u32) -> u16 {
        v.get(slot as usize).map_or(ALWAYS, |node| node.1)
    }

    /// Returns true if a slot with the victim to move is open in a round.
    fn is_open(v: &Side, slot: u32, round: u16) -> bool {
        round <= until(v, slot)
    }

    /// Returns true if a node may be of L or W in a round.
    fn is_in(node: &(u16, u16, bool, Vec<u32>), round: u16) -> bool {
        node.0 <= round && round <= node.1
    }

    /// The slots and distances of decided positions.
    fn plain(list: Vec<Verdict>) -> Vec<(u32, u16)> {
        list.into_iter().map(|(slot, entry)| (slot, entry.distance)).collect()
    }

    /// The definition, word for word, by sweeps: slots and distances of L and W.
    fn by_definition(c: &Side, v: &Side, round: u16, horizon: u16) -> [Vec<(u32, u16)>; 2] {
        let mut l: Vec<bool> = c.iter().map(|node| is_in(node, round)).collect();
        let mut w: Vec<bool> = v.iter().map(|node| is_in(node, round)).collect();
        loop {
            let before = (l.clone(), w.clone());
            for (i, node) in c.iter().enumerate() {
                let mut checks = node.3.iter().filter(|&&to| is_open(v, to, round)).peekable();
                l[i] &= checks.peek().is_some();
                l[i] &= checks.all(|&to| w.get(to as usize) == Some(&true));
            }
            for (i, node) in v.iter().enumerate() {
                w[i] &= node.3.iter().any(|&to| l[to as usize]);
            }
            if before != (l.clone(), w.clone()) {
                continue;
            }
            let distances = distances(c, v, &l, &w, round).map(|side| {
                side.into_iter().map(|d| if d > horizon { 0 } else { d }).collect::<Vec<_>>()
            });
            let [dl, dw] = &distances;
            l.iter_mut().zip(dl).for_each(|(l, &d)| *l &= d > 0);
            w.iter_mut().zip(dw).for_each(|(w, &d)| *w &= d > 0);
            if before == (l.clone(), w.clone()) {
                return distances.map(|side| {
                    let named = side.into_iter().enumerate().filter(|d| d.1 > 0);
                    named.map(|(i, d)| (i as u32, d)).collect()
                });
            }
        }
    }

    fn distances(c: &Side, v: &Side, l: &[bool], w: &[bool], round: u16) -> [Vec<u16>; 2] {
        let (mut dl, mut dw) = (vec![0u16; c.len()], vec![0u16; v.len()]);
        for distance in 1..2 * (c.len() + v.len()) as u16 + 2 {
            for (i, node) in v.iter().enumerate().filter(|&(i, _)| w[i]) {
                let mut targets = node.3.iter().map(|&to| to as usize).filter(|&to| l[to]);
                let is_won = targets.any(|to| {
                    let evades = distance == 1 && !c[to].2;
                    evades || dl[to] > 0 && dl[to] + 1 == distance
                });
                if dw[i] == 0 && is_won {
                    dw[i] = distance;
                }
            }
            for (i, node) in c.iter().enumerate().filter(|&(i, _)| l[i]) {
                let checks = node.3.iter().filter(|&&to| is_open(v, to, round));
                let mut known = checks.map(|&to| dw[to as usize]);
                if dl[i] == 0 && known.all(|known| known > 0 && known < distance) {
                    dl[i] = distance;
                }
            }
        }
        [dl, dw]
    }

    proptest! {
        #[test]
        fn rounds_follow_the_definition((c, v) in graph(), horizon in prop_oneof![1..12u16, Just(u16::MAX)]) {
            let slots = 64;
            // As collected: no moves to positions that were decided before.
            let mut victims: Side = v.clone();
            for node in &mut victims {
                node.0 = 1;
                node.3.retain(|&to| c[to as usize].0 <= node.1);
            }
            let mut loops = Loops::new(nodes(&c), nodes(&victims), slots, horizon, |slot| until(&v, slot));
            for round in 1..5 {
                let (mut lost, mut won) = (Vec::new(), Vec::new());
                loops.decide(round, &mut lost, &mut won);
                prop_assert_eq!([plain(lost), plain(won)], by_definition(&c, &victims, round, horizon));
            }
        }
    }
}
