//! `.bin`: books in `PolyGlot`'s form as `XBoard` keeps them for xiangqi.
//!
//! Records of 16 bytes, big-endian, in the order of their keys: key (8), move (2, `90 from + to` in the
//! program's own numbers of squares: rank 0 is Red's), weight (2), and four of learning, which is not used
//! here. A piece's word is one of [`crate::hash::foreign::POLYGLOT`], rotated by a number of bits that
//! depends on the piece and the square.

use std::path::Path;

use crate::book::interop::error::InteropError;
use crate::book::interop::flat;
use crate::book::interop::flat::field;
use crate::book::interop::words::{Words, words_of};
use crate::game::Side;
use crate::hash::foreign::POLYGLOT;
use crate::xiangqi::{Move, Role, Square};

/// Bytes of a record.
pub(crate) const RECORD: usize = 16;

/// Present when Red is to move.
pub(crate) const SIDE: [u64; 2] = [POLYGLOT[780], 0];

/// `XBoard`'s number of a role.
const fn number(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Horse => 1,
        Role::Rook => 3,
        Role::Advisor => 6,
        Role::Elephant => 7,
        Role::King => 10,
        Role::Cannon => 12,
    }
}

pub(crate) fn words() -> Box<Words> {
    words_of(|piece, square| {
        let man = 2 * number(piece.role()) + usize::from(piece.side() == Side::First);
        // The table has words for twelve pieces on 64 squares. Beyond them the same words are
        // rotated: by 16 bits for each twelve pieces, and by 8 for the squares from 64 on.
        let word = POLYGLOT[64 * (man % 12) + square.index() % 64];
        let word = word.rotate_left(16 * (man / 12) as u32);
        if square.index() >= 64 { word.rotate_left(8) } else { word }
    })
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record {
    pub(crate) key: u64,
    pub(crate) mv: u16,
    pub(crate) weight: u16,
    /// Count and points of learning.
    pub(crate) learning: u32,
}

impl Record {
    pub(crate) fn take(bytes: &[u8; RECORD]) -> Self {
        Self {
            key: u64::from_be_bytes(field(bytes, 0)),
            mv: u16::from_be_bytes(field(bytes, 8)),
            weight: u16::from_be_bytes(field(bytes, 10)),
            learning: u32::from_be_bytes(field(bytes, 12)),
        }
    }

    pub(crate) fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.to_be_bytes());
        out.extend_from_slice(&self.mv.to_be_bytes());
        out.extend_from_slice(&self.weight.to_be_bytes());
        out.extend_from_slice(&self.learning.to_be_bytes());
    }
}

/// The move of a record.
pub(crate) fn decode_move(stored: u16) -> Option<Move> {
    let from = Square::new(u8::try_from(stored / 90).ok()?)?;
    let to = Square::new((stored % 90) as u8)?;
    (from != to).then(|| Move::new(from, to))
}

/// The inverse of [`decode_move`].
pub(crate) const fn encode_move(mv: Move) -> u16 {
    mv.from().index() as u16 * 90 + mv.to().index() as u16
}

/// Reads all whole records.
pub(crate) fn for_each(
    path: &Path,
    visit: &mut dyn FnMut(u64, Record) -> Result<(), InteropError>,
) -> Result<(), InteropError> {
    flat::for_each(path, 0, u64::MAX, &mut |number, bytes| visit(number, Record::take(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_those_of_the_vectors() {
        let mv = Move::parse("h2e2").unwrap();
        assert_eq!(encode_move(mv), 2272);
        assert_eq!(decode_move(2272), Some(mv));
        assert_eq!(decode_move(8100), None);
        assert_eq!(decode_move(91), None);
    }

    #[test]
    fn records_round_trip() {
        let record = Record { key: 0xf0ab_a4ff_a5f2_74f5, mv: 2272, weight: 7, learning: 3 };
        let mut bytes = Vec::new();
        record.put(&mut bytes);
        assert_eq!(bytes[..10], [0xf0, 0xab, 0xa4, 0xff, 0xa5, 0xf2, 0x74, 0xf5, 8, 0xe0]);
        assert_eq!(Record::take(&field(&bytes, 0)), record);
    }
}
