//! Staying in a loop that is won by perpetual chase: as with checks, membership in the loop is not
//! stored, but recovered by following chases and answers a few plies deep.

use crate::game::Game;
use crate::tablebase::probe::tables::{LOOP_DEPTH, ProbeError, Tables, stays};
use crate::tablebase::value::Entry;
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Move, Position, Role, Square};

impl Tables {
    /// At distance 1 of a win by chase the position itself is in the deciding loop: there a move that
    /// neither checks nor newly chases and stays in the loop comes before every other, and has the
    /// position's value. `in_loops` has the values of the same moves inside a loop. Only the loops of one
    /// piece are preferred: they all follow the same.
    pub(crate) fn prefer_chases(
        &self,
        position: &mut Position,
        values: &mut [(Move, Entry)],
        in_loops: &[(Move, Entry)],
        own: Entry,
    ) -> Result<(), ProbeError> {
        let prey = Role::ALL.into_iter().filter(|&role| role != Role::King);
        let men: Vec<Square> =
            prey.flat_map(|role| position.pieces(position.turn(), role)).collect();
        for man in men {
            let mut found = false;
            for ((mv, value), &(_, unlimited)) in values.iter_mut().zip(in_loops) {
                let is_quiet = stays(position, *mv, unlimited, own.order)
                    && !position.gives_check(*mv)
                    && chased(position, *mv).is_empty();
                if is_quiet && self.keeps_chased(position, *mv, man, own.order, LOOP_DEPTH)? {
                    *value = own;
                    found = true;
                }
            }
            if found {
                break;
            }
        }
        Ok(())
    }

    /// Returns true if a move of the victim leads to a position of the loop in which the piece is
    /// chased.
    fn keeps_chased(
        &self,
        position: &mut Position,
        mv: Move,
        man: Square,
        order: u16,
        depth: u32,
    ) -> Result<bool, ProbeError> {
        let man = if mv.from() == man { mv.to() } else { man };
        let undo = position.make(mv);
        let is_chased = self.must_chase(position, man, order, depth);
        position.unmake(mv, undo);
        is_chased
    }

    /// Returns true if a position lost in `order` belongs to a loop in which the piece is chased: every
    /// move but those that lose in a lower order, or by a capture, newly chases it, and each of these
    /// has a quiet answer that leads back into the loop. Answers are followed `depth` times.
    fn must_chase(
        &self,
        position: &mut Position,
        man: Square,
        order: u16,
        depth: u32,
    ) -> Result<bool, ProbeError> {
        let mut any = false;
        for (mv, value) in self.loop_children(position)? {
            if value.order < order || position.piece_at(mv.to()).is_some() {
                continue;
            }
            if !chased(position, mv).has(man) {
                return Ok(false);
            }
            any = true;
            if depth > 0 {
                let undo = position.make(mv);
                let answered = self.has_evasion(position, man, order, depth - 1);
                position.unmake(mv, undo);
                if !answered? {
                    return Ok(false);
                }
            }
        }
        Ok(any)
    }

    fn has_evasion(
        &self,
        position: &mut Position,
        man: Square,
        order: u16,
        depth: u32,
    ) -> Result<bool, ProbeError> {
        for (mv, value) in self.loop_children(position)? {
            if stays(position, mv, value, order)
                && self.keeps_chased(position, mv, man, order, depth)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
