//! The verifier's own computation of what the repetition rule decides, from the legal moves of
//! positions. It shares no code with the generator's [`super::rules`].
//!
//! # What a round has to know
//!
//! Round k (defined in [`super::rules`]) begins with the values of orders below k
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

use super::value::Entry;

/// `until` of positions that stay open in every round.
pub(super) const ALWAYS: u16 = u16::MAX;

/// A position that may be of L or W in the rounds `since..=until`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) slot: u32,
    pub(super) since: u16,
    pub(super) until: u16,
    pub(super) in_check: bool,
}

/// Nodes in the order of their slots, with the moves of each one after another.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// Where the moves of each node end.
    ends: Vec<usize>,
    /// Where the moves lead: slots or places in another list.
    moves: Vec<u32>,
}

impl Nodes {
    /// Adds a node with its moves.
    pub(super) fn push(&mut self, node: Node, moves: &[u32]) {
        self.nodes.push(node);
        self.moves.extend_from_slice(moves);
        self.ends.push(self.moves.len());
    }

    /// Joins lists.
    pub(super) fn concat(parts: Vec<Self>) -> Self {
        let mut all = Self {
            nodes: Vec::with_capacity(parts.iter().map(|part| part.nodes.len()).sum()),
            ends: Vec::with_capacity(parts.iter().map(|part| part.ends.len()).sum()),
            moves: Vec::with_capacity(parts.iter().map(|part| part.moves.len()).sum()),
        };
        for part in parts {
            let base = all.moves.len();
            all.nodes.extend(part.nodes);
            all.moves.extend(part.moves);
            all.ends.extend(part.ends.iter().map(|end| base + end));
        }
        all
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn get(&self, place: u32) -> Node {
        self.nodes[place as usize]
    }

    fn moves_of(&self, place: usize) -> &[u32] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.moves[start..self.ends[place]]
    }

    /// The place of each node by its slot.
    pub(super) fn places(&self, slots: u32) -> Places {
        let mut places = Places {
            bits: vec![0; slots as usize / 64 + 1],
            before: Vec::with_capacity(slots as usize / 64 + 1),
        };
        for node in &self.nodes {
            places.bits[node.slot as usize / 64] |= 1 << (node.slot % 64);
        }
        let mut count = 0;
        for word in &places.bits {
            places.before.push(count);
            count += word.count_ones();
        }
        places
    }

    fn is_in_round(&self, place: usize, round: u16) -> bool {
        let node = self.nodes[place];
        node.since <= round && round <= node.until
    }
}

/// From slots to places in a list: a bit for each slot, and how many are set before each word.
#[derive(Debug)]
pub(super) struct Places {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Places {
    #[inline]
    pub(super) fn find(&self, slot: u32) -> Option<u32> {
        let (word, bit) = (slot as usize / 64, slot % 64);
        let set = self.bits[word];
        let lower = set & ((1 << bit) - 1);
        (set >> bit & 1 == 1).then(|| self.before[word] + lower.count_ones())
    }
}

/// The moves of a list the other way round.
struct Backward {
    starts: Vec<usize>,
    from: Vec<u32>,
}

impl Backward {
    /// `targets`: how many places the moves of `nodes` lead to.
    fn new(nodes: &Nodes, targets: usize) -> Self {
        let mut starts = vec![0; targets + 1];
        for &to in &nodes.moves {
            starts[to as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // Filled from the end, each start moves down to where its list begins.
        let mut from = vec![0; nodes.moves.len()];
        for place in (0..nodes.nodes.len()).rev() {
            for &to in nodes.moves_of(place) {
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
pub(super) type Verdict = (u32, Entry);

/// Play in which one colour checks without end, as far as any round can decide it.
pub(super) struct Loops {
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
}

impl Loops {
    /// `until` tells the last round in which a slot with the victim to move is open.
    pub(super) fn new(
        mut checkers: Nodes,
        victims: Nodes,
        slots: u32,
        until: impl Fn(u32) -> u16,
    ) -> Self {
        let places = victims.places(slots);
        let mut moves = Vec::with_capacity(checkers.moves.len());
        let mut start = 0;
        for (node, end) in checkers.nodes.iter_mut().zip(&mut checkers.ends) {
            for &slot in &checkers.moves[start..*end] {
                match places.find(slot) {
                    Some(place) => moves.push(place),
                    // Never of W: no L as long as it is open.
                    None => node.since = node.since.max(until(slot).saturating_add(1)),
                }
            }
            start = std::mem::replace(end, moves.len());
        }
        checkers.moves = moves;
        let (c, v) = (checkers.nodes.len(), victims.nodes.len());
        Self {
            before_victims: Backward::new(&checkers, v),
            before_checkers: Backward::new(&victims, c),
            alive_checkers: vec![false; c],
            alive_victims: vec![false; v],
            count_checkers: vec![0; c],
            count_victims: vec![0; v],
            distance_checkers: vec![0; c],
            distance_victims: vec![0; v],
            checkers,
            victims,
        }
    }

    /// What a round decides: losses of the checker and wins of the victim.
    pub(super) fn decide(&mut self, round: u16, lost: &mut Vec<Verdict>, won: &mut Vec<Verdict>) {
        let dropped = self.begin(round);
        self.cascade(Vec::new(), dropped);
        loop {
            self.reach();
            let unreached = |alive: &[bool], distance: &[u16]| -> Vec<u32> {
                (0..alive.len() as u32)
                    .filter(|&i| alive[i as usize] && distance[i as usize] == 0)
                    .collect()
            };
            let checkers = unreached(&self.alive_checkers, &self.distance_checkers);
            let victims = unreached(&self.alive_victims, &self.distance_victims);
            if checkers.is_empty() && victims.is_empty() {
                break;
            }
            checkers.iter().for_each(|&i| self.alive_checkers[i as usize] = false);
            victims.iter().for_each(|&i| self.alive_victims[i as usize] = false);
            self.cascade(checkers, victims);
        }
        for (i, node) in self.checkers.nodes.iter().enumerate().filter(|i| self.alive_checkers[i.0])
        {
            lost.push((node.slot, Entry::loss(round, self.distance_checkers[i])));
        }
        for (i, node) in self.victims.nodes.iter().enumerate().filter(|i| self.alive_victims[i.0]) {
            won.push((node.slot, Entry::win(round, self.distance_victims[i])));
        }
    }

    /// The candidates of a round; those of W without a move into one of L are returned as dropped.
    fn begin(&mut self, round: u16) -> Vec<u32> {
        for i in 0..self.alive_victims.len() {
            self.alive_victims[i] = self.victims.is_in_round(i, round);
        }
        for i in 0..self.alive_checkers.len() {
            let is_open = |&to: &u32| self.alive_victims[to as usize];
            self.alive_checkers[i] = self.checkers.is_in_round(i, round)
                && self.checkers.moves_of(i).iter().any(is_open);
        }
        let mut dropped = Vec::new();
        for i in 0..self.alive_victims.len() {
            let stays = |&&to: &&u32| self.alive_checkers[to as usize];
            let count = self.victims.moves_of(i).iter().filter(stays).count();
            self.count_victims[i] = count as u16;
            if count == 0 && std::mem::replace(&mut self.alive_victims[i], false) {
                dropped.push(i as u32);
            }
        }
        dropped
    }

    /// Drops what fails the conditions after these were dropped: all before a victim, and the
    /// victims without a move left.
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
    /// one.
    fn reach(&mut self) {
        self.distance_checkers.fill(0);
        self.distance_victims.fill(0);
        for i in (0..self.alive_checkers.len()).filter(|&i| self.alive_checkers[i]) {
            let is_open = |&&to: &&u32| self.alive_victims[to as usize];
            self.count_checkers[i] =
                self.checkers.moves_of(i).iter().filter(is_open).count() as u16;
        }
        let mut level = Vec::new();
        for i in (0..self.alive_victims.len()).filter(|&i| self.alive_victims[i]) {
            let evades =
                |&to: &u32| self.alive_checkers[to as usize] && !self.checkers.get(to).in_check;
            if self.victims.moves_of(i).iter().any(evades) {
                self.distance_victims[i] = 1;
                level.push(i as u32);
            }
        }
        let mut distance = 1u16;
        while !level.is_empty() {
            distance = distance.saturating_add(1);
            let losing = self.losing(&level, distance);
            distance = distance.saturating_add(1);
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
