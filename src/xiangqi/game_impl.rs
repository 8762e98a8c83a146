//! The text forms and symmetries of xiangqi, for what is written once for all games.

use crate::game::{Game, Notation, Packed, Symmetric};
use crate::hash::{Key, KeyTable};
use crate::xiangqi::fen::FenError;
use crate::xiangqi::notation;
use crate::xiangqi::position::{Move, Position};

impl Packed for Move {
    fn pack(self) -> u16 {
        self.bits()
    }
    fn unpack(bits: u16) -> Option<Self> {
        Self::from_bits(bits)
    }
}

impl Notation for Position {
    type PositionError = FenError;

    const RANKS_FROM_ZERO: bool = true;

    fn start() -> Self {
        Self::start()
    }

    fn from_fen(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }

    fn to_fen(&self) -> String {
        self.to_fen()
    }

    fn parse_move(text: &str) -> Option<Move> {
        Move::parse(text)
    }

    fn read_legal_move(&self, text: &str) -> Option<Move> {
        notation::parse_move(self, text).ok()
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
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
