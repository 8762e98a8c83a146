//! Endless play decided by the rule of perpetual check.
//!
//! On the positions that are still undecided the game is infinite. The side that from some point on
//! only checks loses if the other side goes on making moves that are no checks. That is a parity
//! game with three priorities (the checker's non-checks 3, the victim's non-checks 2, anything else
//! 1), and this is a direct solution of it for one colour as the checker:
//!
//! L holds positions with the checker to move whose every move is known to lose or a check into W;
//! W holds positions with the victim in check and an evasion into L. Both are the greatest such
//! sets. From what remains, positions are dropped where the victim cannot force a further evasion
//! that is not a check itself (a Büchi condition, by the usual attractor), and everything again
//! until nothing is dropped. The remaining positions of L are lost for the checker.

use rayon::prelude::*;

use crate::tablebase::solve::solver::{
    CHECKED, COUNTER, DORMANT, DRAWS, GameGraph, ILLEGAL, IN_L, IN_W, LATER, LISTED, NOT_L,
    REACHED_L, REACHED_W, Solver, UNDECIDED, Watch,
};

/// Slots by distance, ascending.
type Levels = Vec<(u16, Vec<u32>)>;

/// The results of the rule with one colour as the checker.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) checker: usize,
    /// Checker to move: the greatest distance of the evasions, plus 1.
    pub(crate) lost: Levels,
    /// Victim to move: 1 with an evasion that is no check, else 1 more than the least distance of
    /// the checking evasions.
    pub(crate) won: Levels,
}

/// Decides for one colour as the checker. Leaves no marks behind, unless it is `None`: cancelled.
pub(crate) fn judge<A: GameGraph>(
    solver: &Solver<'_, A>,
    checker: usize,
    watch: &impl Watch,
) -> Option<Verdict> {
    let round = Round { solver, checker, victim: solver.graph.other(checker) };
    if watch.is_cancelled() {
        return None;
    }
    if !solver.any_checked(round.victim) {
        return Some(Verdict { checker, lost: Vec::new(), won: Vec::new() });
    }
    let (mut members, candidates) = round.begin();
    loop {
        if watch.is_cancelled() {
            return None;
        }
        let verdict = round.reach(&members.victims);
        let (from_l, from_w) = round.drop_unreached(&members);
        if from_l.is_empty() && from_w.is_empty() {
            round.clear(&members, &candidates);
            return Some(verdict);
        }
        round.cascade(from_l, from_w);
        members = round.still(members);
    }
}

/// The slots of L and W.
struct Members {
    checkers: Vec<u32>,
    victims: Vec<u32>,
}

struct Round<'s, 'a, A> {
    solver: &'s Solver<'a, A>,
    checker: usize,
    victim: usize,
}

impl<A: GameGraph> Round<'_, '_, A> {
    /// Marks the greatest L and W that satisfy the conditions on single moves. Also the slots that
    /// were considered for L.
    fn begin(&self) -> (Members, Vec<u32>) {
        let fresh = self.solver.select_open(self.checker, |cursor, word, slot| {
            word & UNDECIDED != 0
                // A capture of a later order may still turn out to be better, or be known to lose: until
                // then nothing is said.
                && word & (LATER | NOT_L) == 0
                && !matches!(word & COUNTER, 0 | DRAWS)
                && self.may_be_in_l(cursor, slot)
        });
        let (candidates, victims) = self.wake(fresh);
        let dropped =
            self.filter(&candidates, |cursor, slot| !self.only_checks(cursor, slot, IN_W));
        dropped.par_iter().for_each(|&slot| {
            self.solver.unmark(self.checker, slot, IN_L);
        });
        self.cascade(dropped, Vec::new());
        let checkers =
            candidates.iter().copied().filter(|&slot| self.has(self.checker, slot, IN_L));
        let checkers = checkers.collect();
        (self.still(Members { checkers, victims }), candidates)
    }

    /// All candidates for L and W, marked as members, from those for L about which something changed
    /// since the last round. Of what the last round dropped, only that can be in L now from which
    /// some such position can be reached within L and W: all the rest would have stayed before.
    fn wake(&self, fresh: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        fresh.par_iter().for_each(|&slot| {
            self.solver.mark(self.checker, slot, IN_L);
        });
        let mut candidates = fresh.clone();
        let mut victims = Vec::new();
        let mut frontier = fresh;
        while !frontier.is_empty() {
            // Predecessors of positions with the checker to move are those of the victim, and the other way
            // about.
            let evading = self.before(self.checker, &frontier, |_, before, out| {
                if self.has(self.victim, before, CHECKED)
                    // Marking is what decides between threads that meet the same position: one of them gets
                    // true and lists it.
                    && self.solver.mark(self.victim, before, IN_W)
                {
                    out.push(before);
                }
            });
            frontier = self.before(self.victim, &evading, |_, before, out| {
                let word = self.solver.word(self.checker, before);
                if word & UNDECIDED != 0
                    && word & DORMANT == DORMANT
                    && self.solver.mark(self.checker, before, IN_L)
                {
                    self.solver.unmark(self.checker, before, DORMANT);
                    out.push(before);
                }
            });
            victims.extend(evading);
            candidates.extend_from_slice(&frontier);
        }
        // The order in which threads found them is chance; sorted, they are visited in the order of memory
        // as well.
        candidates.par_sort_unstable();
        victims.par_sort_unstable();
        (candidates, victims)
    }

    /// Those that have not been dropped.
    fn still(&self, mut members: Members) -> Members {
        members.checkers.retain(|&slot| self.has(self.checker, slot, IN_L));
        members.victims.retain(|&slot| self.has(self.victim, slot, IN_W));
        members
    }

    /// Returns true if every move of the checker is known to lose or a check. If not, that stays so
    /// until one more of its moves is known to lose, and is noted.
    fn may_be_in_l(&self, cursor: &mut A::Cursor<'_>, slot: u32) -> bool {
        let may_be = self.only_checks(cursor, slot, CHECKED);
        if !may_be {
            self.solver.mark(self.checker, slot, NOT_L);
        }
        may_be
    }

    /// Returns true if every move of the checker is known to lose or leads to an undecided position
    /// whose word has one of `marks`, and there is one of the latter.
    fn only_checks(&self, cursor: &mut A::Cursor<'_>, slot: u32, marks: u16) -> bool {
        let mut checks = false;
        let all = self.solver.graph.successors(cursor, self.checker, slot, |next| {
            let word = self.solver.word(self.victim, next);
            if word & UNDECIDED == 0 {
                // A move that is won for the other side too late for the limit is no loss: it draws, and
                // such a checker need not check.
                return word == ILLEGAL || self.solver.is_won_in_time(word);
            }
            checks = true;
            word & marks != 0
        });
        all && checks
    }

    /// Returns true if some evasion leads to an undecided position whose word has all of `with` and
    /// none of `without`.
    fn evades_into(&self, cursor: &mut A::Cursor<'_>, slot: u32, with: u16, without: u16) -> bool {
        let wanted = UNDECIDED | with;
        !self.solver.graph.successors(cursor, self.victim, slot, |next| {
            let word = self.solver.word(self.checker, next);
            word & wanted != wanted || word & without != 0
        })
    }

    /// Drops the positions that no longer satisfy the conditions after these were dropped from L and W.
    fn cascade(&self, mut from_l: Vec<u32>, mut from_w: Vec<u32>) {
        while !from_l.is_empty() || !from_w.is_empty() {
            let next_w = self.before(self.checker, &from_l, |cursor, before, out| {
                if self.has(self.victim, before, IN_W)
                    // Removing the mark comes last: of several threads one gets true and lists the slot.
                    && !self.evades_into(cursor, before, IN_L, 0)
                    && self.solver.unmark(self.victim, before, IN_W)
                {
                    out.push(before);
                }
            });
            let next_l = self.before(self.victim, &from_w, |_, before, out| {
                if self.has(self.checker, before, IN_L)
                    && self.solver.unmark(self.checker, before, IN_L)
                {
                    out.push(before);
                }
            });
            from_l = next_l;
            from_w = next_w;
        }
    }

    /// Marks from where the victim forces an evasion that is no check, within the horizon; by
    /// distance.
    fn reach(&self, victims: &[u32]) -> Verdict {
        let mut verdict = Verdict { checker: self.checker, lost: Vec::new(), won: Vec::new() };
        let mut level =
            self.filter(victims, |cursor, slot| self.evades_into(cursor, slot, IN_L, CHECKED));
        level.par_iter().for_each(|&slot| {
            self.solver.mark(self.victim, slot, REACHED_W);
        });
        let mut distance = 1;
        let horizon = self.solver.horizon;
        while !level.is_empty() {
            // A result at the horizon is known, but a move before it would be beyond.
            let spread = if distance < horizon { level.as_slice() } else { &[] };
            let losing = self.before(self.victim, spread, |cursor, before, out| {
                let word = self.solver.word(self.checker, before);
                if word & UNDECIDED != 0
                    && word & (IN_L | REACHED_L) == IN_L
                    && self.only_checks(cursor, before, REACHED_W)
                    && self.solver.mark(self.checker, before, REACHED_L)
                {
                    out.push(before);
                }
            });
            let spread = if distance + 1 < horizon { losing.as_slice() } else { &[] };
            let winning = self.before(self.checker, spread, |_, before, out| {
                let word = self.solver.word(self.victim, before);
                if word & UNDECIDED != 0
                    && word & (IN_W | REACHED_W) == IN_W
                    && self.solver.mark(self.victim, before, REACHED_W)
                {
                    out.push(before);
                }
            });
            verdict.won.push((distance, level));
            verdict.lost.push((distance + 1, losing));
            level = winning;
            distance += 2;
        }
        verdict
    }

    /// Drops from L and W the positions not reached, and removes the marks of reaching.
    fn drop_unreached(&self, members: &Members) -> (Vec<u32>, Vec<u32>) {
        (
            self.drop_of_side(self.checker, &members.checkers, IN_L, REACHED_L),
            self.drop_of_side(self.victim, &members.victims, IN_W, REACHED_W),
        )
    }

    /// Removes the mark `reached` of members, and `member` of those without it, which are returned.
    fn drop_of_side(&self, side: usize, slots: &[u32], member: u16, reached: u16) -> Vec<u32> {
        slots
            .par_iter()
            .copied()
            .filter(|&slot: &u32| {
                let is_reached = self.solver.unmark(side, slot, reached);
                !is_reached && self.solver.unmark(side, slot, member)
            })
            .collect()
    }

    /// Removes the marks, and notes which candidates were dropped.
    fn clear(&self, members: &Members, candidates: &[u32]) {
        candidates.par_iter().for_each(|&slot| {
            if !self.solver.unmark(self.checker, slot, IN_L) {
                self.solver.mark(self.checker, slot, DORMANT);
            }
        });
        members.victims.par_iter().for_each(|&slot| {
            self.solver.unmark(self.victim, slot, IN_W);
        });
    }

    fn has(&self, side: usize, slot: u32, mark: u16) -> bool {
        let word = self.solver.word(side, slot);
        word & UNDECIDED != 0 && word & mark != 0
    }

    /// Visits the positions before those of `side` in `slots`, collecting what `visit` pushes; it has
    /// a cursor of its own.
    fn before(
        &self,
        side: usize,
        slots: &[u32],
        visit: impl Fn(&mut A::Cursor<'_>, u32, &mut Vec<u32>) + Sync,
    ) -> Vec<u32> {
        slots
            .par_chunks(LISTED)
            .flat_map_iter(|slots: &[u32]| {
                let graph = self.solver.graph;
                let mut cursor = graph.cursor();
                let mut own = graph.cursor();
                let mut out = Vec::new();
                for &slot in slots {
                    graph.predecessors(&mut cursor, side, slot, |before| {
                        visit(&mut own, before, &mut out);
                    });
                }
                out
            })
            .collect()
    }

    /// Those of `slots` that satisfy `keep`, in order.
    fn filter(
        &self,
        slots: &[u32],
        keep: impl Fn(&mut A::Cursor<'_>, u32) -> bool + Sync,
    ) -> Vec<u32> {
        slots
            .par_chunks(LISTED)
            .flat_map_iter(|slots: &[u32]| {
                let mut cursor = self.solver.graph.cursor();
                let kept = slots.iter().copied().filter(|&slot| keep(&mut cursor, slot));
                kept.collect::<Vec<_>>()
            })
            .collect()
    }
}
