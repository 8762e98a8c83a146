//! The text forms and symmetries of xiangqi, for what is written once for all games.

use crate::game::{Game, Packed, Symmetric};
use crate::hash::{Key, KeyTable};
use crate::xiangqi::position::{Move, Position};

impl Packed for Move {
    fn pack(self) -> u16 {
        self.bits()
    }
    fn unpack(bits: u16) -> Option<Self> {
        Self::from_bits(bits)
    }
}

impl Symmetric for Position {
    const ORIENTED: bool = true;

    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_key(&self, symmetry: u8, table: Option<&KeyTable>) -> Key {
        match (symmetry, table) {
            (0, None) => self.key(),
            (_, None) => self.mirrored_key(),
            (_, Some(table)) => self.key_with(table, symmetry != 0),
        }
    }

    fn map_move(&self, mv: Move, symmetry: u8) -> Move {
        if symmetry == 0 { mv } else { mv.mirrored() }
    }

    fn unmap_move(&self, mv: Move, symmetry: u8) -> Move {
        self.map_move(mv, symmetry)
    }
}
