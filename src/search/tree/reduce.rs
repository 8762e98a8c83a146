//! Late move reductions (LMR): moves far down the order are searched less deep at first, by a number of plies from
//! the depth, their place in the order, and what is known of the node and of the move.

use crate::game::Heuristics;
use crate::search::tree::facts::{Candidate, Node, NodeKind};
use crate::search::tunables::{
    LMR_CUTOFFS, LMR_DEPTH, LMR_MANY_CUTOFFS, LMR_NOISY, LMR_NOISY_HISTORY, LMR_TT_NOISY,
};

/// The reduction by depth and place in the order alone, in 256ths of a ply.
pub(crate) fn base_reduction<G: Heuristics>(depth: i32, number: i32) -> i32 {
    G::TUNABLES.lmr_base + log2_256(depth) * log2_256(number) / G::TUNABLES.lmr_divisor
}

/// The depth at which a quiet move would be searched at first.
pub(crate) fn expected_depth<M>(node: &Node<M>, candidate: &Candidate<M>) -> i32 {
    (node.depth - candidate.reduction / 256).max(0)
}

/// Late move reduction: the number of plies by which a move is searched less deep at first.
/// `cutoffs` counts the moves of this node that were refuted already.
pub(crate) fn late_move_reduction<N: NodeKind, G: Heuristics>(
    node: &Node<G::Move>,
    candidate: &Candidate<G::Move>,
    cutoffs: u8,
) -> i32 {
    if node.depth < LMR_DEPTH || candidate.number <= 1 + i32::from(N::PV) {
        return 0;
    }
    let mut reduction = candidate.reduction;
    reduction += G::TUNABLES.lmr_cut * i32::from(node.cut);
    reduction += G::TUNABLES.lmr_not_improving * i32::from(!node.improving);
    reduction += LMR_MANY_CUTOFFS * i32::from(cutoffs > LMR_CUTOFFS);
    reduction -= G::TUNABLES.lmr_pv * (i32::from(N::PV) + i32::from(node.was_pv)) / 2;
    reduction -= G::TUNABLES.lmr_check * i32::from(candidate.threatening);
    reduction -= G::TUNABLES.lmr_evasion * i32::from(node.in_check);
    if candidate.noisy {
        reduction -= LMR_NOISY + 256 * candidate.history / LMR_NOISY_HISTORY;
    } else {
        reduction += LMR_TT_NOISY * i32::from(node.tt_noisy);
        reduction -= 256 * candidate.history / G::TUNABLES.lmr_history;
    }
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
