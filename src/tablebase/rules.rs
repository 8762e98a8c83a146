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
//! until nothing is dropped. What is left of L is lost for the checker.

use rayon::prelude::*;

use super::solve::{
    Arena, CHECKED, COUNTER, DRAWS, IN_L, IN_W, LATER, NOT_L, REACHED_L, REACHED_W, Solver,
    UNDECIDED, is_win,
};

/// Slots by distance, ascending.
type Levels = Vec<(u16, Vec<u32>)>;

/// What the rule decides with one colour as the checker.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) checker: usize,
    /// Checker to move: the greatest distance of the evasions, plus 1.
    pub(super) lost: Levels,
    /// Victim to move: 1 with an evasion that is no check, else 1 more than the least distance of
    /// the checking evasions.
    pub(super) won: Levels,
}

/// Decides for one colour as the checker. Leaves no marks behind.
pub(super) fn judge<A: Arena>(solver: &Solver<'_, A>, checker: usize) -> Verdict {
    let round = Round { solver, checker, victim: solver.arena.other(checker) };
    round.begin();
    loop {
        let (verdict, reached) = round.reach();
        let dropped = round.drop_unreached();
        if dropped.0.is_empty() && dropped.1.is_empty() {
            round.clear();
            debug_assert_eq!(reached, verdict.len());
            return verdict;
        }
        round.cascade(dropped.0, dropped.1);
    }
}

impl Verdict {
    fn len(&self) -> usize {
        self.lost.iter().chain(&self.won).map(|(_, slots)| slots.len()).sum()
    }
}

struct Round<'s, 'a, A> {
    solver: &'s Solver<'a, A>,
    checker: usize,
    victim: usize,
}

impl<A: Arena> Round<'_, '_, A> {
    /// Marks the greatest L and W that satisfy the conditions on single moves.
    fn begin(&self) {
        let candidates = self.solver.select(self.checker, |word, slot| {
            word & UNDECIDED != 0
                && word & (LATER | NOT_L) == 0
                && !matches!(word & COUNTER, 0 | DRAWS)
                && self.may_be_in_l(slot)
        });
        candidates.par_iter().for_each(|&slot| {
            self.solver.mark(self.checker, slot, IN_L);
        });
        let victims = self.solver.select(self.victim, |word, slot| {
            word & UNDECIDED != 0 && word & CHECKED != 0 && self.evades_into(slot, IN_L, 0)
        });
        victims.par_iter().for_each(|&slot| {
            self.solver.mark(self.victim, slot, IN_W);
        });
        let dropped = candidates
            .into_par_iter()
            .filter(|&slot| !self.only_checks(slot, IN_W))
            .collect::<Vec<_>>();
        dropped.par_iter().for_each(|&slot| {
            self.solver.unmark(self.checker, slot, IN_L);
        });
        self.cascade(dropped, Vec::new());
    }

    /// Whether every move of the checker is known to lose or a check. If not, that stays so until
    /// one more of its moves is known to lose, and is noted.
    fn may_be_in_l(&self, slot: u32) -> bool {
        let may_be = self.only_checks(slot, CHECKED);
        if !may_be {
            self.solver.mark(self.checker, slot, NOT_L);
        }
        may_be
    }

    /// Whether every move of the checker is known to lose or leads to an undecided position whose
    /// word has one of `marks`, and there is one of the latter.
    fn only_checks(&self, slot: u32, marks: u16) -> bool {
        let mut checks = false;
        let all = self.solver.arena.successors(self.checker, slot, |next| {
            let word = self.solver.word(self.victim, next);
            if word & UNDECIDED == 0 {
                return word == super::solve::ILLEGAL || is_win(word);
            }
            checks = true;
            word & marks != 0
        });
        all && checks
    }

    /// Whether some evasion leads to an undecided position whose word has all of `with` and none of
    /// `without`.
    fn evades_into(&self, slot: u32, with: u16, without: u16) -> bool {
        let wanted = UNDECIDED | with;
        !self.solver.arena.successors(self.victim, slot, |next| {
            let word = self.solver.word(self.checker, next);
            word & wanted != wanted || word & without != 0
        })
    }

    /// Drops what no longer satisfies the conditions after these were dropped from L and W.
    fn cascade(&self, mut from_l: Vec<u32>, mut from_w: Vec<u32>) {
        while !from_l.is_empty() || !from_w.is_empty() {
            let next_w = self.before(self.checker, &from_l, |before, out| {
                if self.has(self.victim, before, IN_W)
                    && !self.evades_into(before, IN_L, 0)
                    && self.solver.unmark(self.victim, before, IN_W)
                {
                    out.push(before);
                }
            });
            let next_l = self.before(self.victim, &from_w, |before, out| {
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

    /// Marks from where the victim forces an evasion that is no check; by distance. Also how many
    /// positions that are.
    fn reach(&self) -> (Verdict, usize) {
        let mut verdict = Verdict { checker: self.checker, lost: Vec::new(), won: Vec::new() };
        let mut level = self.solver.select(self.victim, |word, slot| {
            word & UNDECIDED != 0 && word & IN_W != 0 && self.evades_into(slot, IN_L, CHECKED)
        });
        level.par_iter().for_each(|&slot| {
            self.solver.mark(self.victim, slot, REACHED_W);
        });
        let mut reached = 0;
        let mut distance = 1;
        while !level.is_empty() {
            let losing = self.before(self.victim, &level, |before, out| {
                let word = self.solver.word(self.checker, before);
                if word & UNDECIDED != 0
                    && word & (IN_L | REACHED_L) == IN_L
                    && self.only_checks(before, REACHED_W)
                    && self.solver.mark(self.checker, before, REACHED_L)
                {
                    out.push(before);
                }
            });
            let winning = self.before(self.checker, &losing, |before, out| {
                let word = self.solver.word(self.victim, before);
                if word & UNDECIDED != 0
                    && word & (IN_W | REACHED_W) == IN_W
                    && self.solver.mark(self.victim, before, REACHED_W)
                {
                    out.push(before);
                }
            });
            reached += level.len() + losing.len();
            verdict.won.push((distance, level));
            verdict.lost.push((distance + 1, losing));
            level = winning;
            distance += 2;
        }
        (verdict, reached)
    }

    /// Drops from L and W what was not reached, and removes the marks of reaching.
    fn drop_unreached(&self) -> (Vec<u32>, Vec<u32>) {
        let drop = |side: usize, member: u16, reached: u16| {
            let unreached = self.solver.select(side, |word, _| {
                word & UNDECIDED != 0 && word & (member | reached) == member
            });
            unreached.par_iter().for_each(|&slot| {
                self.solver.unmark(side, slot, member);
            });
            let marked = |word: u16, _| word & UNDECIDED != 0 && word & reached != 0;
            self.solver.select(side, marked).par_iter().for_each(|&slot| {
                self.solver.unmark(side, slot, reached);
            });
            unreached
        };
        (drop(self.checker, IN_L, REACHED_L), drop(self.victim, IN_W, REACHED_W))
    }

    fn clear(&self) {
        for (side, member) in [(self.checker, IN_L), (self.victim, IN_W)] {
            let marked = |word: u16, _| word & UNDECIDED != 0 && word & member != 0;
            self.solver.select(side, marked).par_iter().for_each(|&slot| {
                self.solver.unmark(side, slot, member);
            });
        }
    }

    fn has(&self, side: usize, slot: u32, mark: u16) -> bool {
        let word = self.solver.word(side, slot);
        word & UNDECIDED != 0 && word & mark != 0
    }

    /// Visits the positions before those of `side` in `slots`, collecting what `visit` pushes.
    fn before(
        &self,
        side: usize,
        slots: &[u32],
        visit: impl Fn(u32, &mut Vec<u32>) + Sync,
    ) -> Vec<u32> {
        let collect = |mut out: Vec<u32>, &slot: &u32| {
            self.solver.arena.predecessors(side, slot, |before| visit(before, &mut out));
            out
        };
        let join = |mut a: Vec<u32>, mut b: Vec<u32>| {
            a.append(&mut b);
            a
        };
        slots.par_iter().fold(Vec::new, collect).reduce(Vec::new, join)
    }
}
