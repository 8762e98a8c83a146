//! Late move reductions (LMR): moves far down the order are searched less deep at first, by a number of plies from
//! the depth, their place in the order, and what is known of the node and of the move.

use crate::game::Tunables;
use crate::search::tree::facts::{Candidate, Node, NodeKind};
use crate::search::tunables::{LMR_CUTOFFS, LMR_DEPTH};

/// The reduction by depth and place in the order alone, in 256ths of a ply.
pub(crate) fn base_reduction(tunables: &Tunables, depth: i32, number: i32) -> i32 {
    tunables.lmr_base + log2_256(depth) * log2_256(number) / tunables.lmr_divisor
}

/// The depth at which a quiet move would be searched at first.
pub(crate) fn expected_depth<M>(node: &Node<M>, candidate: &Candidate<M>) -> i32 {
    (node.depth - candidate.reduction / 256).max(0)
}

/// Late move reduction: the number of plies by which a move is searched less deep at first.
/// `cutoffs` counts the moves of this node that were refuted already.
pub(crate) fn late_move_reduction<N: NodeKind, M>(
    tunables: &Tunables,
    node: &Node<M>,
    candidate: &Candidate<M>,
    cutoffs: u8,
) -> i32 {
    if node.depth < LMR_DEPTH || candidate.number <= 1 + i32::from(N::PV) {
        return 0;
    }
    let mut reduction = candidate.reduction;
    reduction += tunables.lmr_cut * i32::from(node.cut);
    reduction += tunables.lmr_not_improving * i32::from(!node.improving);
    reduction += tunables.lmr_many_cutoffs * i32::from(cutoffs > LMR_CUTOFFS);
    reduction -= tunables.lmr_correction * node.correction.abs() / 4;
    reduction -= tunables.lmr_pv * (i32::from(N::PV) + i32::from(node.was_pv)) / 2;
    reduction -= tunables.lmr_check * i32::from(candidate.threatening);
    reduction -= tunables.lmr_evasion * i32::from(node.in_check);
    if candidate.noisy {
        reduction -= tunables.lmr_noisy + 256 * candidate.history / tunables.lmr_noisy_history;
    } else {
        reduction += tunables.lmr_tt_noisy * i32::from(node.tt_noisy);
        reduction -= 256 * candidate.history / tunables.lmr_history;
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
