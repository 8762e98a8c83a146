//! The xiangqi key table: `14 × 90` piece-square words (pieces in the order of
//! `xiangqi::Piece`, squares by rank from Red's back rank, files a to i), one word for Black to
//! move, and `14 × 5` material words, one for each further piece of a kind.

use super::{KeyTable, SEED, assert_len, word};

/// The committed file.
pub const FILE: &[u8] = include_bytes!("../../books/keys/xiangqi.keys");

/// Number of words.
pub const LEN: usize = BLACK_TO_MOVE + 1 + 14 * 5;

/// Index of the word for Black to move.
pub const BLACK_TO_MOVE: usize = 14 * 90;

/// The embedded table, decoded at compile time.
#[derive(Debug)]
pub struct Keys {
    /// `[piece][square]`.
    pub piece_square: [[u64; 90]; 14],
    /// Present when Black is to move.
    pub black_to_move: u64,
    /// `[piece][n]`: present when there are more than `n` of that piece.
    pub material: [[u64; 5]; 14],
}

/// The stored keys.
pub static KEYS: Keys = decode(FILE);

/// Draws the table again; equal to the stored one.
#[must_use]
pub fn draw() -> KeyTable {
    KeyTable::draw("xiangqi", SEED, 0, LEN)
}

const fn decode(file: &[u8]) -> Keys {
    assert_len(file, LEN);
    let mut keys = Keys {
        piece_square: [[0; 90]; 14],
        black_to_move: word(file, BLACK_TO_MOVE),
        material: [[0; 5]; 14],
    };
    let mut piece = 0;
    while piece < 14 {
        let mut square = 0;
        while square < 90 {
            keys.piece_square[piece][square] = word(file, piece * 90 + square);
            square += 1;
        }
        let mut n = 0;
        while n < 5 {
            keys.material[piece][n] = word(file, BLACK_TO_MOVE + 1 + piece * 5 + n);
            n += 1;
        }
        piece += 1;
    }
    keys
}
