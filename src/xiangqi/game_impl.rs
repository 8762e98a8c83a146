//! Xiangqi fulfils the contract of [`crate::game`].

use super::{FenError, Move, Position, Undo};
use crate::game::{Game, MoveList, Notation, Outcome, Packed, Side, Symmetric};
use crate::hash::{Key, KeyTable};

impl Packed for Move {
    fn pack(self) -> u16 {
        self.bits()
    }
    fn unpack(bits: u16) -> Option<Self> {
        Self::from_bits(bits)
    }
}

impl Game for Position {
    type Move = Move;
    type Undo = Undo;

    const NAME: &'static str = "xiangqi";

    fn side_to_move(&self) -> Side {
        self.turn()
    }

    fn key(&self) -> Key {
        self.zobrist()
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        self.append_legal(moves);
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.is_legal_move(mv)
    }

    fn make(&mut self, mv: Move) -> Undo {
        self.play_unchecked(mv)
    }

    fn unmake(&mut self, mv: Move, undo: Undo) {
        self.undo(mv, undo);
    }

    /// Mate and stalemate alike: the side without a legal move loses.
    fn outcome(&self) -> Option<Outcome> {
        (!self.has_legal_move()).then(|| Outcome::Win(!self.turn()))
    }

    fn count_legal_moves(&self) -> u64 {
        self.legal_count()
    }
}

impl Notation for Position {
    type PositionError = FenError;

    fn start() -> Self {
        Self::start()
    }

    fn parse_position(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }

    fn position_text(&self) -> String {
        self.to_fen()
    }

    fn parse_move(text: &str) -> Option<Move> {
        Move::parse(text)
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
    }
}

impl Symmetric for Position {
    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_key(&self, symmetry: u8, table: Option<&KeyTable>) -> Key {
        match (symmetry, table) {
            (0, None) => self.zobrist(),
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
