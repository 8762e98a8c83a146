//! `.xqb`: the SQLite books of xqbook, table `book`, whose keys are boards and can be read backwards.
//!
//! A board is seen by the side to move, Red at the bottom: with Black to move it is turned round and the
//! colours are exchanged. Of it and its mirror image the one is used whose left half has the greater code at
//! the first of the squares, in the order of FENs, that differs from its mirror square. Then the squares
//! follow in bits, the highest first: 0 for an empty one, 1 and four bits of a code for a piece; zeros fill
//! the last byte. The move is four digits of four bits: row and file from, row and file to, rows from the
//! top.

use crate::book::interop::BookFormat;
use crate::book::interop::hash_scheme::{other_colour, turned};
use crate::book::interop::sqlite::Layout;
use crate::game::{Game, Side};
use crate::xiangqi::{Move, Piece, Position, Role, Setup, Square};

/// The tables of version 1.
pub(crate) const LAYOUT: Layout = Layout {
    format: BookFormat::Xqb,
    table: "book",
    columns: ["key", "move", "score", "win", "draw", "lost", "valid", "memo"],
    create: "CREATE TABLE \"book\"(\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"key\" BLOB, \
             \"move\" INTEGER, \"score\" INTEGER, \"win\" INTEGER, \"draw\" INTEGER, \
             \"lost\" INTEGER, \"valid\" INTEGER, \"memo\" TEXT); \
             CREATE TABLE \"information\"(\"name\" TEXT, \"value\" TEXT); \
             INSERT INTO \"information\" VALUES('version', '1'), ('type', 'xiangqi')",
    create_index: "CREATE INDEX \"idxkey\" ON \"book\"(\"key\")",
};

/// The longest key: 90 bits for the squares and four for each of 32 pieces.
pub(crate) const LONGEST_KEY: usize = (90 + 4 * 32usize).div_ceil(8);

/// The order of the roles in codes; Red's begin at 1, Black's at 9.
const ROLES: [Role; 7] =
    [Role::Rook, Role::Horse, Role::Elephant, Role::Advisor, Role::King, Role::Cannon, Role::Pawn];

fn code(piece: Piece) -> u8 {
    let number = ROLES.iter().position(|&role| role == piece.role()).unwrap_or(0) as u8;
    1 + number + if piece.side() == Side::Second { 8 } else { 0 }
}

fn piece(code: u8) -> Option<Piece> {
    let side = Side::ALL[usize::from(code >> 3 & 1)];
    let role = ROLES.get(usize::from(code & 7).checked_sub(1)?)?;
    Some(Piece::new(side, *role))
}

/// A board as keys have it: codes in the order of FENs, 0 for an empty square.
type Cells = [u8; 90];

/// The transformations of a position on the way to its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turned {
    /// Black was to move.
    pub(crate) round: bool,
    /// The mirror image was used.
    pub(crate) mirrored: bool,
}

impl Turned {
    /// A move of the position as the book writes it, or the reverse.
    const fn map(self, mv: Move) -> Move {
        let mv = if self.round { turned(mv) } else { mv };
        if self.mirrored { mv.mirrored() } else { mv }
    }
}

fn cells(position: &Position) -> (Cells, Turned) {
    let round = position.turn() == Side::Second;
    let mut cells = [0; 90];
    for square in position.occupied() {
        let Some(piece) = position.piece_at(square) else { continue };
        let at = super::words::fen_index(square);
        if round {
            cells[89 - at] = code(other_colour(piece));
        } else {
            cells[at] = code(piece);
        }
    }
    let mirrored = right_is_greater(&cells);
    if mirrored {
        for row in cells.chunks_mut(9) {
            row.reverse();
        }
    }
    (cells, Turned { round, mirrored })
}

/// Returns true if the first square that differs from its mirror square has the smaller code.
fn right_is_greater(cells: &Cells) -> bool {
    // Codes are positive, so 0 is below them as -1 would be.
    let pairs = cells.chunks(9).flat_map(|row| (0..4).map(|file| (row[file], row[8 - file])));
    pairs.into_iter().find(|(left, right)| left != right).is_some_and(|(left, right)| right > left)
}

/// A key. Keys are in the order of their bytes: those not used are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    bytes: [u8; LONGEST_KEY],
    len: u8,
}

impl Key {
    /// The bytes as a row has them.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// The key of a position, and its transformations.
pub(crate) fn encode(position: &Position) -> (Key, Turned) {
    let (cells, turned) = cells(position);
    let mut bytes = [0; LONGEST_KEY];
    // The bits that do not fill a byte yet, the last one lowest, and their number.
    let mut len = 0;
    let mut bits = 0u16;
    let mut bit_count = 0;
    for code in cells {
        let width = if code == 0 { 1 } else { 5 };
        let empty_or_piece = if code == 0 { 0 } else { 0x10 | u16::from(code) };
        // At most seven bits wait for five more, so 16 suffice; those written are shifted out.
        bits = bits << width | empty_or_piece;
        bit_count += width;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes[len] = (bits >> bit_count) as u8;
            len += 1;
        }
    }
    if bit_count > 0 {
        bytes[len] = (bits << (8 - bit_count)) as u8;
        len += 1;
    }
    (Key { bytes, len: len as u8 }, turned)
}

/// The board of a key, the side to move being Red; `None` if the bytes are none.
pub(crate) fn decode(key: &[u8]) -> Option<Setup> {
    if key.len() > LONGEST_KEY {
        return None;
    }
    let mut bits = key.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let mut setup = Setup::empty();
    for at in 0..90u8 {
        if bits.next()? == 1 {
            let mut code = 0;
            for _ in 0..4 {
                code = code << 1 | bits.next()?;
            }
            setup.board[Square::at(at % 9, 9 - at / 9).index()] = Some(piece(code)?);
        }
    }
    // The rest of the last byte is zeros.
    let mut rest = 0;
    for bit in bits {
        rest += 1;
        if bit != 0 {
            return None;
        }
    }
    (rest < 8).then_some(setup)
}

/// The move of a row, in the frame of its key.
pub(crate) fn decode_move(stored: i64) -> Option<Move> {
    let stored = u16::try_from(stored).ok()?;
    let from = square_at(stored >> 12, stored >> 8 & 15)?;
    let to = square_at(stored >> 4 & 15, stored & 15)?;
    (from != to).then(|| Move::new(from, to))
}

/// The square of a row, counted from above, and a file; `None` beyond the board.
fn square_at(row: u16, file: u16) -> Option<Square> {
    (row < 10 && file < 9).then(|| Square::at(file as u8, 9 - row as u8))
}

/// The inverse of [`decode_move`], of a move as it is played.
pub(crate) fn encode_move(mv: Move, turned: Turned) -> u16 {
    let mv = turned.map(mv);
    digits_of(mv.from()) << 8 | digits_of(mv.to())
}

/// The row, counted from above, and the file of a square, four bits each.
fn digits_of(square: Square) -> u16 {
    u16::from(9 - square.rank()) << 4 | u16::from(square.file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_those_of_the_vectors() {
        let upright = Turned { round: false, mirrored: false };
        let mv = Move::parse("h2e2").unwrap();
        assert_eq!(encode_move(mv, upright), 0x7774);
        assert_eq!(decode_move(0x7774), Some(mv));
        // After h2e2 and after b2e2 the book has the same row.
        for (first, reply) in [("h2e2", "h9g7"), ("b2e2", "b9c7")] {
            let mut position = Position::start();
            position.make(Move::parse(first).unwrap());
            let (_, turned) = encode(&position);
            assert_eq!(encode_move(Move::parse(reply).unwrap(), turned), 0x9776);
        }
        for bad in [-1, 0x10000, 0xa000, 0x0900, 0x1212] {
            assert_eq!(decode_move(bad), None, "{bad:x}");
        }
    }

    #[test]
    fn malformed_keys_are_refused() {
        let key = encode(&Position::start()).0.as_bytes().to_vec();
        assert!(decode(&key).is_some());
        assert!(decode(&key[..27]).is_none());
        assert!(decode(&[&key[..], &[0]].concat()).is_none());
        assert!(decode(&[0x84; 28]).is_none(), "code 0");
        assert!(decode(&[]).is_none());
        let mut padded = key;
        padded[27] |= 1;
        // The start position fills 218 of 224 bits.
        assert!(decode(&padded).is_none());
    }
}
