//! The ideas that leave out work: each is one function. They are unsound but right often enough;
//! none is tried while the side to move is in check, and none may hide a decided result.

use super::node::{Candidate, Kind, Node, Null};
use super::tunables::{
    EXCHANGE_DEPTH, EXCHANGE_FORCING, EXCHANGE_QUIET, FUTILITY_BASE, FUTILITY_DEPTH,
    FUTILITY_MARGIN, LATE_BASE, LATE_DEPTH, LMR_BASE, LMR_DEPTH, LMR_DIVISOR, LMR_HISTORY,
    NULL_DEPTH, NULL_REDUCTION, NULL_REDUCTION_MARGIN, NULL_REDUCTION_STEP,
    NULL_VERIFICATION_DEPTH, RAZOR_DEPTH, RAZOR_MARGIN, REVERSE_FUTILITY_DEPTH,
    REVERSE_FUTILITY_MARGIN,
};
use super::workers::{Interrupted, Worker};
use super::{Oracle, Score};
use crate::game::{Adjudicate, Heuristics};

impl<G: Heuristics + Adjudicate, O: Oracle<G>> Worker<'_, G, O> {
    /// A score for the node without searching its moves, if one of the ideas applies.
    pub(super) fn prune(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        if let Some(score) = reverse_futility(node) {
            return Ok(Some(score));
        }
        if let Some(score) = self.razor(node)? {
            return Ok(Some(score));
        }
        self.null_move(node)
    }

    /// Razoring: so far below alpha near the leaves, only forcing moves can help.
    fn razor(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        let margin = RAZOR_MARGIN * node.depth;
        if node.depth > RAZOR_DEPTH
            || node.window.alpha.is_decisive()
            || node.eval + margin >= node.window.alpha
        {
            return Ok(None);
        }
        let score = self.quiesce::<Null>(node.window, node.ply)?;
        Ok((score <= node.window.alpha).then_some(score))
    }

    /// Null move (Donninger 1993): if even passing keeps the score above beta, some move will too.
    /// Not twice in a row, not with too little material; deep cuts are verified by a search in
    /// which the side may not pass.
    fn null_move(&mut self, node: &Node<G::Move>) -> Result<Option<Score>, Interrupted> {
        let beta = node.window.beta;
        if !G::NULL_MOVE
            || node.depth < NULL_DEPTH
            || node.eval < beta
            || beta.is_decisive()
            || self.passing_forbidden(node.ply)
            || !self.line.position().allows_null_move()
        {
            return Ok(None);
        }
        let above = node.eval.value() - beta.value();
        let saved = NULL_REDUCTION
            + node.depth / NULL_REDUCTION_STEP
            + (above / NULL_REDUCTION_MARGIN).min(3);
        let depth = (node.depth - saved).max(0);
        let window = node.window.null_at_beta();
        self.played[node.ply] = None;
        self.line.push_null();
        let score = -self.search::<Null>(-window, depth, node.ply + 1, !node.cut)?;
        self.line.pop_null();
        if score < beta {
            return Ok(None);
        }
        self.inherit_floor(node.ply);
        let score = if score.is_decisive() { beta } else { score };
        if node.depth < NULL_VERIFICATION_DEPTH {
            return Ok(Some(score));
        }
        let before = self.no_null_before;
        self.no_null_before = node.ply + 1 + (3 * depth as usize) / 4;
        let verified = self.search::<Null>(window, depth, node.ply, true);
        self.no_null_before = before;
        Ok((verified? >= beta).then_some(score))
    }

    fn passing_forbidden(&self, ply: usize) -> bool {
        ply < self.no_null_before || self.line.plies().last().is_none_or(|last| last.mv.is_none())
    }
}

/// Reverse futility: so far above beta near the leaves, the opponent will not come back.
fn reverse_futility<M>(node: &Node<M>) -> Option<Score> {
    let plies = node.depth - i32::from(node.improving);
    let holds = node.depth <= REVERSE_FUTILITY_DEPTH
        && !node.window.beta.is_decisive()
        && node.eval - REVERSE_FUTILITY_MARGIN * plies >= node.window.beta;
    holds.then_some(node.eval)
}

/// Whether a move is left out for one of the reasons below; if so, what the score of the node can
/// be by it at most, as far as the reason says: a fail-soft bound must not be lower.
pub(super) fn skips<G: Heuristics>(
    position: &G,
    node: &Node<G::Move>,
    candidate: &Candidate<G::Move>,
    alpha: Score,
) -> Option<Score> {
    if node.threatened {
        return None;
    }
    if let Some(most) = futile(node, candidate, alpha) {
        return Some(most);
    }
    let skips = is_late(node, candidate) || loses_exchange(position, node, candidate);
    skips.then_some(-Score::INFINITE)
}

/// Late-move pruning: quiet moves this far down the list.
fn is_late<M>(node: &Node<M>, candidate: &Candidate<M>) -> bool {
    let most = (LATE_BASE + node.depth * node.depth) / if node.improving { 1 } else { 2 };
    !candidate.forcing
        && !candidate.threatening
        && node.depth <= LATE_DEPTH
        && candidate.number > most
}

/// Futility: quiet moves that cannot raise the evaluation to alpha, and how far they can.
fn futile<M>(node: &Node<M>, candidate: &Candidate<M>, alpha: Score) -> Option<Score> {
    let margin = FUTILITY_BASE + FUTILITY_MARGIN * node.depth;
    let most = Score::from_eval((node.eval + margin).value());
    let holds = !candidate.forcing
        && !candidate.threatening
        && candidate.number > 1
        && node.depth <= FUTILITY_DEPTH
        && !alpha.is_decisive()
        && most <= alpha;
    holds.then_some(most)
}

/// Moves that lose too much material on their target.
fn loses_exchange<G: Heuristics>(
    position: &G,
    node: &Node<G::Move>,
    candidate: &Candidate<G::Move>,
) -> bool {
    if node.depth > EXCHANGE_DEPTH || candidate.number == 1 {
        return false;
    }
    let allowed = if candidate.forcing || candidate.threatening {
        EXCHANGE_FORCING * node.depth
    } else {
        EXCHANGE_QUIET * node.depth * node.depth
    };
    position.exchange_value(candidate.mv) < -allowed
}

/// Late-move reductions: by how many plies less a move is searched at first.
pub(super) fn late_move_reduction<N: Kind, M>(node: &Node<M>, candidate: &Candidate<M>) -> i32 {
    if node.depth < LMR_DEPTH || candidate.number <= 1 + i32::from(N::PV) || candidate.forcing {
        return 0;
    }
    let mut reduction = LMR_BASE + log2_256(node.depth) * log2_256(candidate.number) / LMR_DIVISOR;
    reduction += 256 * (i32::from(node.cut) + i32::from(!node.improving));
    reduction -=
        256 * (i32::from(N::PV) + i32::from(candidate.threatening) + i32::from(node.threatened));
    reduction -= 256 * candidate.history / LMR_HISTORY;
    reduction / 256
}

/// 256 times the base-2 logarithm, linear between powers of two; 0 below 2. Integers only, so that
/// every machine searches the same tree.
fn log2_256(n: i32) -> i32 {
    if n < 2 {
        return 0;
    }
    let whole = n.ilog2();
    let power = 1 << whole;
    256 * whole.cast_signed() + 256 * (n - power) / power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms() {
        assert_eq!([1, 2, 3, 4, 6, 64].map(log2_256), [0, 256, 384, 512, 640, 1536]);
    }
}
