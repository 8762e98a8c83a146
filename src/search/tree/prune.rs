//! The techniques that leave out work: each is one function. They are unsound but right often
//! enough; in check only moves of bad history and moves that lose material are left out, and none
//! may hide a decided result.

use crate::game::{Adjudicate, Bound, Heuristics, MoveList, Tunables};
use crate::search::order::noisy_rank;
use crate::search::score::Score;
use crate::search::tablebase_probe::TablebaseProbe;
use crate::search::tree::facts::{Candidate, Node, NodeKind, Null};
use crate::search::tree::reduce::expected_depth;
use crate::search::tunables::{
    DOUBLE_LIMIT, EXCHANGE_DEPTH, FUTILITY_DEPTH, HISTORY_PRUNING_DEPTH, IIR_DEPTH, LATE_DEPTH,
    NULL_DEPTH, NULL_REDUCTION, NULL_REDUCTION_MORE, NULL_REDUCTION_STEP, NULL_VERIFICATION_DEPTH,
    PROBCUT_DEPTH, PROBCUT_REDUCTION, RAZOR_DEPTH, REVERSE_FUTILITY_DEPTH, SINGULAR_DEPTH,
    SINGULAR_ENTRY, TAKE_FUTILITY_DEPTH,
};
use crate::search::window::Window;
use crate::search::worker::{Interrupted, Worker};

/// The result of a search without a node's transposition table move, about that move.
pub(crate) enum Singular {
    /// It is to be searched deeper by this number of plies, or less deep.
    Extends(i32),
    /// Others reach beta as well: the node has this score.
    Cuts(Score),
}

impl<G: Heuristics + Adjudicate, O: TablebaseProbe<G>> Worker<'_, G, O> {
    /// A score for the node without searching its moves, if one of the techniques applies.
    pub(crate) fn prune(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        if let Some(score) = reverse_futility(self.tunables(), node) {
            return Ok(Some(score));
        }
        if let Some(score) = self.razor(node)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.probcut(node)? {
            return Ok(Some(score));
        }
        Ok(remembered_far_above(self.tunables(), node))
    }

    /// Razoring: near the leaves and far below alpha, only noisy moves can help.
    fn razor(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        if node.depth > RAZOR_DEPTH || node.window.alpha.is_decisive() {
            return Ok(None);
        }
        let Tunables { razor_base, razor_margin, .. } = *self.tunables();
        if node.eval + razor_base + razor_margin * node.depth * node.depth >= node.window.alpha {
            return Ok(None);
        }
        let score = self.quiesce::<Null>(node.window, node.ply)?;
        Ok((score <= node.window.alpha).then_some(score))
    }

    /// Null move (Donninger 1993): if even passing keeps the score above beta, some move will too.
    /// Not where no cut is expected, not twice in a row, not with too little material; deep cuts
    /// are verified by a search in which the side may not pass.
    fn null_move(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        let beta = node.window.beta;
        if !G::NULL_MOVE
            || !node.cut
            || node.depth < NULL_DEPTH
            || node.eval < beta
            || node.corrected + self.tunables().null_eval_margin * node.depth
                - self.tunables().null_eval_base
                < beta
            || beta.is_decisive()
            || self.passing_forbidden(node.ply)
            || !self.line.position().allows_null_move()
        {
            return Ok(None);
        }
        let above = node.eval.value() - beta.value();
        let saved = NULL_REDUCTION
            + node.depth / NULL_REDUCTION_STEP
            + (above / self.tunables().null_reduction_margin).min(NULL_REDUCTION_MORE);
        let depth = (node.depth - saved).max(0);
        let window = node.window.null_at_beta();
        self.pass(node.ply)?;
        let score = -self.search::<Null>(-window, depth, node.ply + 1, !node.cut)?;
        self.line.pop_null();
        if score < beta {
            return Ok(None);
        }
        self.inherit_floor(node.ply);
        // A mate found after a pass is none: the side would have to move.
        let score = if score.is_decisive() { beta } else { score };
        if node.depth < NULL_VERIFICATION_DEPTH {
            return Ok(Some(score));
        }
        let before = self.no_null_before;
        // In the upper three quarters of the verification neither side may pass, so that zugzwang shows.
        self.no_null_before = node.ply + 1 + (3 * depth as usize) / 4;
        let verified = self.search::<Null>(window, depth, node.ply, true);
        self.no_null_before = before;
        Ok((verified? >= beta).then_some(score))
    }

    fn passing_forbidden(&self, ply: usize) -> bool {
        ply < self.no_null_before || self.line.plies().last().is_none_or(|last| last.mv.is_none())
    }

    /// Probcut (Buro 1995): where a capture leads so far above beta that even a much shallower
    /// search shows it, the full one hardly ever fails.
    fn probcut(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        let beta = node.window.beta + self.tunables().probcut_margin;
        let depth = node.depth - PROBCUT_REDUCTION;
        let contradicted = node.tt_entry.is_some_and(|entry| {
            i32::from(entry.depth) >= depth && entry.score.to_global(node.ply) < beta
        });
        if node.depth < PROBCUT_DEPTH || node.window.beta.is_decisive() || contradicted {
            return Ok(None);
        }
        let least = beta.value() - node.corrected.value();
        for mv in self.promising_captures(least) {
            self.prefetch(mv);
            let index = self.line.position().history_index(mv);
            self.play(mv, Some(index), node.ply)?;
            self.played_quiet[node.ply] = false;
            let window = -Window { alpha: beta - 1, beta };
            // The cheap search first: most captures fail there already.
            let mut score = -self.quiesce::<Null>(window, node.ply + 1)?;
            if score >= beta && depth > 1 {
                score = -self.search::<Null>(window, depth, node.ply + 1, !node.cut)?;
            }
            self.line.pop();
            if score >= beta {
                return Ok(Some(if score.is_decisive() {
                    score
                } else {
                    score - self.tunables().probcut_margin
                }));
            }
        }
        Ok(None)
    }

    /// Noisy moves whose exchange gains `least` or more, best first.
    fn promising_captures(&self, least: i32) -> MoveList<G::Move> {
        let position = self.line.position();
        let mut moves = MoveList::new();
        position.plausible_noisy(&mut moves);
        moves.retain(|mv| position.exchange_reaches(*mv, least.max(1)));
        moves.sort_by_cached_key(|&mv| -noisy_rank(self.tunables(), position, self.history, mv));
        moves
    }

    /// Singular extension (Anantharaman, Campbell and Hsu 1988): if every move but the
    /// transposition table's is worse by a margin, that move is searched deeper. If the others
    /// reach beta too, the node is cut at once.
    pub(crate) fn singularity<N: NodeKind>(
        &mut self,
        node: &Node<G::Move>,
        candidate: &Candidate<G::Move>,
    ) -> Result<Singular, Interrupted> {
        self.doubles[node.ply + 1] = self.doubles[node.ply];
        let none = Ok(Singular::Extends(0));
        let Some(entry) = node.tt_entry.filter(|_| candidate.number == 1) else { return none };
        let score = entry.score.to_global(node.ply);
        if N::ROOT
            || !self.shared.features.singular
            || node.depth < SINGULAR_DEPTH
            || node.tt_move != Some(candidate.mv)
            || self.skipped[node.ply].is_some()
            || i32::from(entry.depth) < node.depth - SINGULAR_ENTRY
            || entry.bound == Bound::Upper
            || score.is_decisive()
            // As for other extensions: without an end to them an iteration would have none.
            || node.ply >= 2 * self.iteration as usize
        {
            return none;
        }
        let beta = score - node.depth * self.tunables().singular_margin / 16;
        // The same node is searched again without the move; `skipped` also keeps that search from storing
        // anything.
        self.skipped[node.ply] = Some(candidate.mv);
        let window = Window { alpha: beta - 1, beta };
        let others = self.search::<Null>(window, (node.depth - 1) / 2, node.ply, node.cut);
        self.skipped[node.ply] = None;
        let singular = self.judge_singular::<N>(node, score, beta, others?);
        self.doubles[node.ply + 1] += u8::from(matches!(singular, Singular::Extends(2)));
        Ok(singular)
    }

    fn judge_singular<N: NodeKind>(
        &self,
        node: &Node<G::Move>,
        score: Score,
        beta: Score,
        others: Score,
    ) -> Singular {
        if others < beta {
            let double = !N::PV
                && others + self.tunables().double_margin < beta
                && self.doubles[node.ply] < DOUBLE_LIMIT;
            Singular::Extends(1 + i32::from(double))
        } else if !N::PV && beta >= node.window.beta && !others.is_decisive() {
            Singular::Cuts(beta)
        } else if score >= node.window.beta {
            Singular::Extends(-2)
        } else {
            Singular::Extends(-i32::from(node.cut))
        }
    }
}

/// Internal iterative reduction: where the transposition table has no move, a less deep search
/// finds one for the next iteration.
pub(crate) const fn is_unexplored<M>(node: &Node<M>, depth: i32) -> bool {
    node.tt_move.is_none() && depth >= IIR_DEPTH
}

/// Probcut without a search: the transposition table has, from a little less depth, a score far
/// above beta.
fn remembered_far_above<M>(tunables: &Tunables, node: &Node<M>) -> Option<Score> {
    let beta = node.window.beta + tunables.tt_probcut_margin;
    let entry = node.tt_entry.filter(|entry| {
        entry.bound != Bound::Upper && i32::from(entry.depth) >= node.depth - PROBCUT_REDUCTION
    })?;
    let score = entry.score.to_global(node.ply);
    (score >= beta && !score.is_decisive() && !beta.is_decisive()).then_some(beta)
}

/// Reverse futility: near the leaves and far above beta, the opponent will not come back.
fn reverse_futility<M>(tunables: &Tunables, node: &Node<M>) -> Option<Score> {
    let plies = node.depth - i32::from(node.improving) - i32::from(node.worsening);
    let is_unknown = node.cut && node.tt_move.is_none();
    let margin = tunables.reverse_futility_margin
        - tunables.reverse_futility_unknown * i32::from(is_unknown);
    let doubt = tunables.reverse_futility_correction * node.correction.abs() / 64;
    let beta = node.window.beta;
    let holds = !node.was_pv
        && node.depth <= REVERSE_FUTILITY_DEPTH
        && !beta.is_decisive()
        && node.eval - margin * plies - doubt >= beta;
    holds.then(|| Score::from_eval((node.eval.value() + beta.value()) / 2))
}

/// Returns `Some` if a move is left out for one of the reasons below, with the greatest score of
/// the node by that move, as far as the reason gives one: a fail-soft bound must not be lower.
pub(crate) fn skips<G: Heuristics>(
    tunables: &Tunables,
    position: &G,
    node: &Node<G::Move>,
    candidate: &Candidate<G::Move>,
    alpha: Score,
) -> Option<Score> {
    if candidate.number == 1 {
        return None;
    }
    if let Some(most) = futile(tunables, position, node, candidate, alpha) {
        return Some(most);
    }
    let skips = has_bad_repute(tunables, node, candidate)
        || loses_exchange(tunables, position, node, candidate);
    skips.then_some(-Score::INFINITE)
}

/// Late-move pruning: far down the list, only quiet moves that check are tried.
pub(crate) fn is_late<M>(tunables: &Tunables, node: &Node<M>, number: i32) -> bool {
    let most = (tunables.late_base + node.depth * node.depth) / if node.improving { 1 } else { 2 };
    !node.in_check && node.depth <= LATE_DEPTH && number >= most
}

/// Futility: moves without a threat that cannot raise the evaluation to alpha, with the score that
/// they reach at most. The gain of noisy moves is known in some games only.
fn futile<G: Heuristics>(
    tunables: &Tunables,
    position: &G,
    node: &Node<G::Move>,
    candidate: &Candidate<G::Move>,
    alpha: Score,
) -> Option<Score> {
    let is_vague = candidate.noisy && G::GAINS == 0;
    if node.in_check || candidate.threatening || is_vague || alpha.is_decisive() {
        return None;
    }
    let depth = expected_depth(node, candidate);
    let (deepest, hope) = if candidate.noisy {
        let experience = candidate.history / tunables.take_futility_history;
        let gain = position.immediate_gain(candidate.mv) + experience;
        (
            TAKE_FUTILITY_DEPTH,
            tunables.take_futility_base + tunables.take_futility_margin * depth + gain,
        )
    } else {
        let experience = candidate.history / tunables.futility_history;
        let experience = experience.clamp(-tunables.futility_base, tunables.futility_base);
        (FUTILITY_DEPTH, tunables.futility_base + tunables.futility_margin * depth + experience)
    };
    let most = Score::from_eval((node.eval + hope).value());
    (depth <= deepest && most <= alpha).then_some(most)
}

/// Quiet moves that did badly nearly every time.
fn has_bad_repute<M>(tunables: &Tunables, node: &Node<M>, candidate: &Candidate<M>) -> bool {
    !candidate.noisy
        && !candidate.threatening
        && expected_depth(node, candidate) <= HISTORY_PRUNING_DEPTH
        && candidate.history < -tunables.history_pruning_margin * node.depth
}

/// Moves that lose too much material on their target.
fn loses_exchange<G: Heuristics>(
    tunables: &Tunables,
    position: &G,
    node: &Node<G::Move>,
    candidate: &Candidate<G::Move>,
) -> bool {
    if node.depth > EXCHANGE_DEPTH {
        return false;
    }
    let allowed = if candidate.noisy || candidate.threatening {
        tunables.exchange_noisy * node.depth
    } else {
        let depth = expected_depth(node, candidate);
        tunables.exchange_quiet * depth * depth
    };
    !position.exchange_reaches(candidate.mv, -allowed)
}
