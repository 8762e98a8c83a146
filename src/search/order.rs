//! The order in which a node tries its moves, found in stages so that a cutoff spares the later ones.

use arrayvec::ArrayVec;

use crate::game::{Heuristics, MAX_MOVES, MoveList, Tunables};
use crate::search::history::{Before, History};

#[derive(Clone, Copy)]
struct Ranked<M> {
    mv: M,
    /// True if it is quiet and makes a threat.
    threatens: bool,
    rank: i32,
}

/// The moves worth trying early at a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hints<M> {
    /// From the transposition table.
    pub(crate) tt_move: Option<M>,
    /// Quiet moves that cut off sister nodes.
    pub(crate) killers: [Option<M>; 2],
    /// The moves before.
    pub(crate) before: Before,
}

/// A move that was handed out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picked<M> {
    pub(crate) mv: M,
    /// True if it makes a threat, where that is known already.
    pub(crate) threatens: Option<bool>,
}

impl<M> Picked<M> {
    const fn unexamined(mv: M) -> Self {
        Self { mv, threatens: None }
    }
}

/// Hands out the plausible moves of a position, the most promising first, and does no work for
/// moves that are never wanted: the move of the transposition table, noisy moves that do not lose
/// material, killers, quiet moves by history, noisy moves that lose.
pub(crate) struct Picker<'a, M> {
    tunables: &'a Tunables,
    hints: Hints<M>,
    stage: Stage,
    /// Losing noisy moves up to `losing`, and the moves still to be handed out from `next` on.
    moves: ArrayVec<Ranked<M>, MAX_MOVES>,
    losing: usize,
    next: usize,
    /// Of the quiet moves, only those that make a threat are handed out.
    threats_only: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    GenerateForcing,
    Forcing,
    Killer(usize),
    GenerateQuiets,
    Quiets,
    Losing,
}

impl<'a, M: Copy + Eq> Picker<'a, M> {
    #[inline]
    pub(crate) fn new(tunables: &'a Tunables, hints: Hints<M>) -> Self {
        let moves = ArrayVec::new();
        Self {
            tunables,
            hints,
            stage: Stage::Table,
            moves,
            losing: 0,
            next: 0,
            threats_only: false,
        }
    }

    /// From now on hands out only those quiet moves that make a threat.
    pub(crate) fn skip_quiets(&mut self) {
        let before = std::mem::replace(&mut self.threats_only, true);
        if !before && self.stage == Stage::Quiets {
            let mut kept = self.next;
            for i in self.next..self.moves.len() {
                if self.moves[i].threatens {
                    self.moves.swap(kept, i);
                    kept += 1;
                }
            }
            self.moves.truncate(kept);
        }
    }

    /// The next move of `position`, which must be the same position in every call.
    pub(crate) fn next<G: Heuristics<Move = M>>(
        &mut self,
        position: &G,
        history: &History,
    ) -> Option<Picked<M>> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::GenerateForcing;
                    // Two positions may have one key: the move may be one of the other.
                    self.hints.tt_move = self.hints.tt_move.filter(|&mv| position.is_legal(mv));
                    if let Some(mv) = self.hints.tt_move {
                        return Some(Picked::unexamined(mv));
                    }
                }
                Stage::GenerateForcing => {
                    self.stage = Stage::Forcing;
                    self.generate_noisy(position, history);
                }
                Stage::Forcing => {
                    let Some(best) = self.best() else {
                        self.stage = Stage::Killer(0);
                        continue;
                    };
                    if position.exchange_reaches(best.mv, 0) {
                        return Some(Picked::unexamined(best.mv));
                    }
                    // In front of the list, over moves that were handed out: `losing` never passes `next`.
                    self.moves[self.losing] = best;
                    self.losing += 1;
                }
                Stage::Killer(i) => {
                    self.stage = if i == 0 { Stage::Killer(1) } else { Stage::GenerateQuiets };
                    if let Some(killer) = self.killer(position, i) {
                        return Some(Picked::unexamined(killer));
                    }
                }
                Stage::GenerateQuiets => {
                    self.stage = Stage::Quiets;
                    self.generate_quiets(position, history);
                }
                Stage::Quiets => {
                    if let Some(Ranked { mv, threatens, .. }) = self.best() {
                        return Some(Picked { mv, threatens: Some(threatens) });
                    }
                    self.stage = Stage::Losing;
                    self.moves.truncate(self.losing);
                    self.next = 0;
                }
                Stage::Losing => {
                    let losing = self.moves.get(self.next)?;
                    self.next += 1;
                    return Some(Picked::unexamined(losing.mv));
                }
            }
        }
    }

    #[inline(never)]
    fn generate_noisy<G: Heuristics<Move = M>>(&mut self, position: &G, history: &History) {
        let mut moves = MoveList::new();
        position.plausible_noisy(&mut moves);
        for &mv in &moves {
            if Some(mv) != self.hints.tt_move {
                let rank = noisy_rank(self.tunables, position, history, mv);
                self.moves.push(Ranked { mv, threatens: false, rank });
            }
        }
    }

    /// A killer that is a quiet move here and was not handed out yet; it then stays away from the
    /// other quiet moves.
    fn killer<G: Heuristics<Move = M>>(&mut self, position: &G, i: usize) -> Option<M> {
        // One that is not handed out now is forgotten, so that it is not left out of the quiet moves.
        self.hints.killers[i] = self.hints.killers[i].filter(|&mv: &M| {
            Some(mv) != self.hints.tt_move
                && !position.is_noisy(mv)
                && position.is_plausible(mv)
                && (!self.threats_only || position.creates_threat(mv))
        });
        self.hints.killers[i]
    }

    #[inline(never)]
    fn generate_quiets<G: Heuristics<Move = M>>(&mut self, position: &G, history: &History) {
        let mut moves = MoveList::new();
        position.plausible_quiets(&mut moves);
        let Hints { tt_move, killers, before } = self.hints;
        let experience = history.experience(position.turn(), before);
        let value = position.quiet_values();
        let makes_threat = position.threat_test();
        for &mv in &moves {
            experience.prefetch(position.history_index(mv));
        }
        for &mv in &moves {
            let threatens = makes_threat(mv);
            let wanted = threatens || !self.threats_only;
            if wanted && ![tt_move, killers[0], killers[1]].contains(&Some(mv)) {
                let mut rank = experience.of(position.history_index(mv)) + value(mv);
                if threatens && position.exchange_reaches(mv, -self.tunables.threat_risk) {
                    rank += self.tunables.threat_bonus;
                }
                self.moves.push(Ranked { mv, threatens, rank });
            }
        }
    }

    /// Removes the highest-ranked of the remaining moves, the earliest among equals.
    fn best(&mut self) -> Option<Ranked<M>> {
        // Selection one by one costs less than sorting, for most nodes cut off after a few moves.
        let rest = &mut self.moves[self.next..];
        let mut best = 0;
        let mut most = rest.first()?.rank;
        for (i, ranked) in rest.iter().enumerate().skip(1) {
            if ranked.rank > most {
                most = ranked.rank;
                best = i;
            }
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// The rank of a noisy move: by its gain, then by history.
pub(crate) fn noisy_rank<G: Heuristics>(
    tunables: &Tunables,
    position: &G,
    history: &History,
    mv: G::Move,
) -> i32 {
    let experience = history.noisy(noisy_slot(position, mv));
    position.noisy_value(mv) + experience * tunables.noisy_history / 256
}

/// The slot of the history of a noisy move; out of range where none is kept.
#[inline]
pub(crate) fn noisy_slot<G: Heuristics>(position: &G, mv: G::Move) -> usize {
    if G::GAINS == 0 {
        return usize::MAX;
    }
    position.history_index(mv) * G::GAINS + position.gain_index(mv)
}
