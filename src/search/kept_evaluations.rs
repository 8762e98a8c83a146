//! Evaluations that a thread keeps of positions it has seen.

use crate::bytes::memory;
use crate::game::{Evaluator, Heuristics};
use crate::hash::Key;

/// Number of evaluations kept; a power of two. With fewer than 2¹⁶ the whole key would no longer be compared.
const LEN: usize = 1 << 16;
const BITS: u32 = LEN.trailing_zeros();
/// Stands for no evaluation; none is so low.
const NONE: i16 = i16::MIN;

/// The evaluations of the positions that a thread has evaluated last. The transposition table has those of nodes
/// that were searched to the end only: a position whose node was cut before its first move comes again at the next
/// depth. An evaluation depends on its position alone, so that what is kept changes nothing but time.
#[derive(Debug)]
pub(crate) struct KeptEvaluations {
    /// By the lowest bits of the position's key: its other bits, and 16 bits of evaluation below them. Empty for games
    /// whose evaluations are cheap.
    slots: Vec<u64>,
}

impl KeptEvaluations {
    /// No evaluation; `None` if there is no memory for them.
    pub(crate) fn new<G: Heuristics>() -> Option<Self> {
        let len = if G::KEEPS_EVALUATIONS { LEN } else { 0 };
        let mut slots = Vec::new();
        slots.try_reserve_exact(len).ok()?;
        slots.resize(len, u64::from(NONE.cast_unsigned()));
        Some(Self { slots })
    }

    /// Prefetches the place of the position with this key, which will be evaluated soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: Key) {
        if let Some(slot) = self.slots.get(key.0 as usize & (LEN - 1)) {
            memory::prefetch(slot);
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(u64::from(NONE.cast_unsigned()));
    }

    /// The evaluation of a position, `ply` plies after the root, from the kept ones if it is there.
    #[inline]
    pub(crate) fn evaluate<G: Heuristics>(
        &mut self,
        position: &G,
        ply: usize,
        evaluator: &mut G::Evaluator,
    ) -> i32 {
        let key = position.key().0;
        let Some(slot) = self.slots.get_mut(key as usize & (LEN - 1)) else {
            return evaluator.evaluate(position, ply);
        };
        // The place of the slot is the low 16 bits of the key, and the slot holds the other 48: all of the key
        // is compared.
        let kept = (*slot as u16).cast_signed();
        if *slot >> 16 == key >> BITS && kept != NONE {
            return i32::from(kept);
        }
        let value = evaluator.evaluate(position, ply);
        // An evaluation beyond 16 bits is against the contract; it is not kept then.
        let low = i16::try_from(value).unwrap_or(NONE);
        *slot = key >> BITS << 16 | u64::from(low.cast_unsigned());
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, MoveList};
    use crate::gomoku::Board;
    use crate::search::eval::xiangqi::Evaluation;
    use crate::xiangqi::Position;

    #[test]
    fn kept_as_computed() {
        let mut kept = KeptEvaluations::new::<Position>().unwrap();
        let mut position = Position::start();
        for i in 0..60 {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            for &mv in &moves {
                let undo = position.make(mv);
                for _ in 0..2 {
                    let value = kept.evaluate(&position, i, &mut Evaluation::Classical);
                    assert_eq!(value, position.evaluate());
                }
                position.unmake(mv, undo);
            }
            position.make(moves[i * 7 % moves.len()]);
        }
    }

    #[test]
    fn cheap_evaluations_are_not_kept() {
        let kept = KeptEvaluations::new::<Board>().unwrap();
        assert!(kept.slots.is_empty());
    }
}
