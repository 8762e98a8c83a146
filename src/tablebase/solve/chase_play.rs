//! The infinite game of a chase on an explicit graph: the part of the joint game of check and chase
//! in which every move of the chaser that is not known to lose chases one piece. See "Check and
//! chase together" in `docs/design/repetition.md`.
//!
//! The victim wins a play in which its escapes, moves that neither check nor chase anything, never
//! end; and a play without that in which from some point on the chaser only checks, while moves of
//! the victim that are no checks never end. So it is a parity game: escapes have priority 4, moves
//! of the chaser that are no checks 3, other moves of the victim that are no checks 2, checks 1.

/// Lists of numbers, one after the other.
#[derive(Default)]
pub(crate) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.starts.push(self.items.len() as u32);
        self.items.extend(list);
    }

    pub(crate) fn of(&self, i: usize) -> &[u32] {
        let end = self.starts.get(i + 1).map_or(self.items.len(), |&end| end as usize);
        &self.items[self.starts[i] as usize..end]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The number of items of each list.
    fn lengths(&self) -> Vec<u32> {
        (0..self.len()).map(|i| self.of(i).len() as u32).collect()
    }

    /// The edges turned around, `len` places being led to.
    fn inverted(&self, len: usize) -> Self {
        // A counting sort: the sums say where each list begins, `at` where its next item goes.
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

    /// The lists of `from`, with the items among `to`, both ascending, by their places there. `len`
    /// places are led to here.
    fn among(&self, from: &[u32], to: &[u32], len: usize) -> Self {
        let mut place_of = vec![None; len];
        for (place, &item) in to.iter().enumerate() {
            place_of[item as usize] = Some(place as u32);
        }
        let mut lists = Self::default();
        for &i in from {
            lists.push(self.of(i as usize).iter().filter_map(|&item| place_of[item as usize]));
        }
        lists
    }
}

/// The game: states with the chaser to move (`chaser_states`) and with the victim to move (`victim_states`), by
/// their places in two lists.
#[derive(Default)]
pub(crate) struct ChasePlay {
    /// By state of the chaser: whether the move that leads there checks.
    pub(crate) chaser_checked: Vec<bool>,
    /// By state of the victim: likewise.
    pub(crate) victim_checked: Vec<bool>,
    /// The victim's states that the moves of each of the chaser's lead to, one at least.
    pub(crate) chases: Lists,
    /// The chaser's states that the moves of each of the victim's lead to.
    pub(crate) evasions: Lists,
    /// Those of them that are escapes.
    pub(crate) escapes: Lists,
    /// The greatest distance with which the victim wins a state, if there is one.
    pub(crate) horizon: Option<u16>,
}

impl ChasePlay {
    /// The states that the victim wins: those from which it can stay in the graph for ever, and win
    /// these plays.
    pub(crate) fn solve(&self) -> Distances {
        Subgame::new(self).settle(Subgame::add_won_by_check)
    }

    /// Those that it wins by escapes only: chase judged apart from check.
    #[cfg(test)]
    pub(crate) fn solve_apart(&self) -> Distances {
        Subgame::new(self).settle(|_, _| ())
    }

    /// The number of states in which the chaser can never do but chase on, whatever the victim answers.
    #[cfg(test)]
    pub(crate) fn count_endless(&self) -> usize {
        let mut subgame = Subgame::new(self);
        subgame.cascade();
        subgame.chaser_states.iter().filter(|&&is_left| is_left).count()
    }

    /// The game of perpetual check among some of the states: escapes are the moves that are no checks,
    /// and only states of the victim in check remain.
    fn checks_among(&self, states: &States) -> Self {
        let chaser_checked = picked(&states.chaser_states, &self.chaser_checked);
        let victim_checked = picked(&states.victim_states, &self.victim_checked);
        let chases =
            self.chases.among(&states.chaser_states, &states.victim_states, self.evasions.len());
        let evasions =
            self.evasions.among(&states.victim_states, &states.chaser_states, self.chases.len());
        let mut escapes = Lists::default();
        for victim_state in 0..evasions.len() {
            let to = evasions.of(victim_state).iter().copied();
            escapes.push(to.filter(|&chaser_state| !chaser_checked[chaser_state as usize]));
        }
        Self { chaser_checked, victim_checked, chases, evasions, escapes, horizon: None }
    }

    /// The states that the victim wins by perpetual check of the chaser in one loop, and those from
    /// which it forces a visit to these.
    fn won_by_check(&self) -> Distances {
        let mut checking = Subgame::new(self);
        checking.drop_unchecked();
        let mut distances = checking.settle(|_, _| ());
        if distances.is_any() {
            Subgame::new(self).attract(&mut distances);
        }
        distances
    }
}

/// Some of the states, by their places, ascending.
struct States {
    chaser_states: Vec<u32>,
    victim_states: Vec<u32>,
}

fn picked(places: &[u32], of: &[bool]) -> Vec<bool> {
    places.iter().map(|&place| of[place as usize]).collect()
}

/// For each state the plies to the move of the victim that decides; 0 where the victim does not win.
pub(crate) struct Distances {
    pub(crate) chaser_states: Vec<u16>,
    pub(crate) victim_states: Vec<u16>,
}

impl Distances {
    fn none(play: &ChasePlay) -> Self {
        Self {
            chaser_states: vec![0; play.chases.len()],
            victim_states: vec![0; play.evasions.len()],
        }
    }

    fn is_any(&self) -> bool {
        self.chaser_states.iter().any(|&distance| distance > 0)
    }

    /// The least distance of a state of the chaser beyond all others.
    fn beyond(&self) -> u16 {
        let greatest =
            self.chaser_states.iter().chain(&self.victim_states).max().copied().unwrap_or(0);
        greatest.next_multiple_of(2)
    }

    /// Drops the distances beyond a horizon.
    fn drop_beyond(&mut self, horizon: Option<u16>) {
        let Some(horizon) = horizon else { return };
        let all = self.chaser_states.iter_mut().chain(&mut self.victim_states);
        all.filter(|distance| **distance > horizon).for_each(|distance| *distance = 0);
    }

    /// Adds the distances of some of the states, counted on from the greatest here.
    fn add(&mut self, states: &States, distances: &Self) {
        let base = self.beyond();
        enter(&states.chaser_states, &distances.chaser_states, &mut self.chaser_states, base);
        enter(&states.victim_states, &distances.victim_states, &mut self.victim_states, base);
    }
}

/// Adds the distances of states to those at their places, counted on from `base`.
fn enter(places: &[u32], of: &[u16], into: &mut [u16], base: u16) {
    for (&place, &distance) in places.iter().zip(of).filter(|(_, distance)| **distance > 0) {
        into[place as usize] = base.saturating_add(distance);
    }
}

/// The states of a game that have not been dropped.
struct Subgame<'g> {
    play: &'g ChasePlay,
    /// The reverse of the chases: for each of the victim's states the chaser's states that lead to it.
    chased_by: Lists,
    evaded_by: Lists,
    chaser_states: Vec<bool>,
    victim_states: Vec<bool>,
    /// For each of the victim's states the number of its evasions to states not dropped.
    evasions_left: Vec<u32>,
    /// Dropped states whose predecessors are still to be looked at.
    dropped_chaser_states: Vec<u32>,
    dropped_victim_states: Vec<u32>,
}

impl<'g> Subgame<'g> {
    fn new(play: &'g ChasePlay) -> Self {
        let evasions_left = play.evasions.lengths();
        let victim_states: Vec<bool> = evasions_left.iter().map(|&left| left > 0).collect();
        Self {
            play,
            chased_by: play.chases.inverted(play.evasions.len()),
            evaded_by: play.evasions.inverted(play.chases.len()),
            chaser_states: vec![true; play.chases.len()],
            dropped_chaser_states: Vec::new(),
            dropped_victim_states: places(&victim_states, false),
            victim_states,
            evasions_left,
        }
    }

    /// Drops states until nothing more is dropped; returns the distances of the rest. `add` gives
    /// distances to states besides those where the victim forces an escape.
    fn settle(mut self, add: impl Fn(&Self, &mut Distances)) -> Distances {
        loop {
            self.cascade();
            let mut distances = self.reach();
            add(&self, &mut distances);
            distances.drop_beyond(self.play.horizon);
            if !self.drop_unreached(&distances) {
                return distances;
            }
        }
    }

    fn drop_unchecked(&mut self) {
        for (victim_state, is_left) in self.victim_states.iter_mut().enumerate() {
            if !self.play.victim_checked[victim_state] && std::mem::take(is_left) {
                self.dropped_victim_states.push(victim_state as u32);
            }
        }
    }

    /// Drops the chaser's states that can no longer only chase, and the victim's that cannot evade, after others
    /// were dropped.
    fn cascade(&mut self) {
        while !self.dropped_chaser_states.is_empty() || !self.dropped_victim_states.is_empty() {
            for victim_state in std::mem::take(&mut self.dropped_victim_states) {
                for &chaser_state in self.chased_by.of(victim_state as usize) {
                    if std::mem::take(&mut self.chaser_states[chaser_state as usize]) {
                        self.dropped_chaser_states.push(chaser_state);
                    }
                }
            }
            for chaser_state in std::mem::take(&mut self.dropped_chaser_states) {
                for &victim_state in self.evaded_by.of(chaser_state as usize) {
                    let left = &mut self.evasions_left[victim_state as usize];
                    *left -= 1;
                    if *left == 0 && std::mem::take(&mut self.victim_states[victim_state as usize])
                    {
                        self.dropped_victim_states.push(victim_state);
                    }
                }
            }
        }
    }

    /// The distances from where the victim forces an escape.
    fn reach(&self) -> Distances {
        let mut distances = Distances::none(self.play);
        let mut level = places(&self.victim_states, true);
        level.retain(|&victim_state| self.can_escape(victim_state));
        level.iter().for_each(|&victim_state| distances.victim_states[victim_state as usize] = 1);
        self.spread(&mut distances, Vec::new(), level, 0);
        distances
    }

    /// Returns true if a state of the victim has an escape to a state that has not been dropped.
    fn can_escape(&self, victim_state: u32) -> bool {
        let mut escapes = self.play.escapes.of(victim_state as usize).iter();
        escapes.any(|&chaser_state| self.chaser_states[chaser_state as usize])
    }

    /// Adds the states from which the victim forces a visit to those that have a distance, beyond
    /// them.
    fn attract(&self, distances: &mut Distances) {
        let chaser_states = reached(&distances.chaser_states);
        let victim_states = reached(&distances.victim_states);
        let beyond = distances.beyond();
        self.spread(distances, chaser_states, victim_states, beyond);
    }

    /// Gives distances to the states from which the victim forces a visit to these states of both,
    /// the chaser's being at a distance.
    fn spread(
        &self,
        distances: &mut Distances,
        mut chaser_states: Vec<u32>,
        mut victim_states: Vec<u32>,
        mut distance: u16,
    ) {
        let mut chases_left = self.play.chases.lengths();
        loop {
            for &victim_state in chaser_states
                .iter()
                .flat_map(|&chaser_state| self.evaded_by.of(chaser_state as usize))
            {
                if self.victim_states[victim_state as usize]
                    && distances.victim_states[victim_state as usize] == 0
                {
                    distances.victim_states[victim_state as usize] = distance.saturating_add(1);
                    victim_states.push(victim_state);
                }
            }
            if victim_states.is_empty() {
                return;
            }
            distance = distance.saturating_add(2);
            chaser_states.clear();
            for &chaser_state in victim_states
                .iter()
                .flat_map(|&victim_state| self.chased_by.of(victim_state as usize))
            {
                // Each of the victim's states comes here once, so that each chase is counted down once.
                let left = &mut chases_left[chaser_state as usize];
                *left -= 1;
                let is_open = self.chaser_states[chaser_state as usize]
                    && distances.chaser_states[chaser_state as usize] == 0;
                if *left == 0 && is_open {
                    distances.chaser_states[chaser_state as usize] = distance;
                    chaser_states.push(chaser_state);
                }
            }
            victim_states.clear();
        }
    }

    /// Gives distances to the states in which the victim cannot force an escape, but wins by
    /// perpetual check as long as the chaser allows none.
    fn add_won_by_check(&self, distances: &mut Distances) {
        loop {
            let rest = self.without(distances);
            if !rest
                .victim_states
                .iter()
                .any(|&victim_state: &u32| self.play.victim_checked[victim_state as usize])
            {
                return;
            }
            let won = self.play.checks_among(&rest).won_by_check();
            if !won.is_any() {
                return;
            }
            distances.add(&rest, &won);
        }
    }

    /// The states left that have no distance.
    fn without(&self, distances: &Distances) -> States {
        States {
            chaser_states: unreached(&self.chaser_states, &distances.chaser_states),
            victim_states: unreached(&self.victim_states, &distances.victim_states),
        }
    }

    /// Drops the states without a distance; returns true if there were any.
    fn drop_unreached(&mut self, distances: &Distances) -> bool {
        self.dropped_chaser_states =
            drop_without(&mut self.chaser_states, &distances.chaser_states);
        self.dropped_victim_states =
            drop_without(&mut self.victim_states, &distances.victim_states);
        !self.dropped_chaser_states.is_empty() || !self.dropped_victim_states.is_empty()
    }
}

/// The states that are left and have no distance.
fn unreached(left: &[bool], of: &[u16]) -> Vec<u32> {
    (0..left.len() as u32).filter(|&i| left[i as usize] && of[i as usize] == 0).collect()
}

/// The states that have a distance.
fn reached(of: &[u16]) -> Vec<u32> {
    (0..of.len() as u32).filter(|&i| of[i as usize] > 0).collect()
}

/// The places of a value.
fn places(flags: &[bool], value: bool) -> Vec<u32> {
    (0..flags.len() as u32).filter(|&i| flags[i as usize] == value).collect()
}

/// Drops the places without a distance; returns them.
fn drop_without(left: &mut [bool], distances: &[u16]) -> Vec<u32> {
    let dropped = unreached(left, distances);
    dropped.iter().for_each(|&i| left[i as usize] = false);
    dropped
}
