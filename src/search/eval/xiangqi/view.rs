//! A position as the terms of one side see it.

use crate::game::{BySide, Game, Side};
use crate::search::eval::xiangqi::reach::Reach;
use crate::xiangqi::{Bitboard, Position, Role};

/// A position from one side.
pub(crate) struct View<'a> {
    pub(crate) position: &'a Position,
    pub(crate) side: Side,
    pub(crate) men: Bitboard,
    pub(crate) occupied: Bitboard,
    pub(crate) own: &'a Reach,
    pub(crate) theirs: &'a Reach,
}

impl<'a> View<'a> {
    pub(crate) fn new(position: &'a Position, side: Side, reach: &'a BySide<Reach>) -> Self {
        Self {
            position,
            side,
            men: position.side(side),
            occupied: position.occupied(),
            own: &reach[side],
            theirs: &reach[!side],
        }
    }

    pub(crate) fn own_men(&self, role: Role) -> Bitboard {
        self.position.role(role) & self.men
    }

    pub(crate) fn to_move(&self) -> bool {
        self.position.turn() == self.side
    }
}
