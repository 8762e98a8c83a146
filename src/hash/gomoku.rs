//! The gomoku key table: `2 × 400` stone words (first and second player; points by row of a
//! 20-wide board, whatever the board in play), one word for the second player to move, and three
//! times 21 words for the width, the height and the row length that wins. No board has a length of 0: the word for
//! height 0 stands for renju, that for row length 0 for exact rows.

use super::{KeyTable, SEED, assert_len, word};

/// The committed file.
pub const FILE: &[u8] = include_bytes!("../../books/keys/gomoku.keys");

/// Width of the largest board, and distance between rows in the table.
pub const STRIDE: usize = 20;

/// Points of the largest board.
pub const POINTS: usize = STRIDE * STRIDE;

/// Number of words.
pub const LEN: usize = SECOND_TO_MOVE + 1 + 3 * 21;

/// Index of the word for the second player to move.
pub const SECOND_TO_MOVE: usize = 2 * POINTS;

/// The embedded table, decoded at compile time.
#[derive(Debug)]
pub struct Keys {
    /// `[player][row * STRIDE + column]`.
    pub stones: [[u64; POINTS]; 2],
    /// Present when the second player is to move.
    pub second_to_move: u64,
    /// `[0]` by width, `[1]` by height, `[2]` by row length.
    pub geometry: [[u64; 21]; 3],
}

impl Keys {
    /// The word for a width, a height or a row length, by its number in the table; 0 for other words.
    #[must_use]
    pub const fn geometry_word(&self, index: usize) -> u64 {
        // The three kinds lie one after the other behind the word for the side to move.
        let Some(at) = index.checked_sub(SECOND_TO_MOVE + 1) else { return 0 };
        if at < 3 * 21 { self.geometry[at / 21][at % 21] } else { 0 }
    }
}

/// The stored keys.
pub static KEYS: Keys = decode(FILE);

/// Draws the table again; equal to the stored one.
#[must_use]
pub fn draw() -> KeyTable {
    KeyTable::draw("gomoku", SEED, 1, LEN)
}

const fn decode(file: &[u8]) -> Keys {
    assert_len(file, LEN);
    let mut keys = Keys {
        stones: [[0; POINTS]; 2],
        second_to_move: word(file, SECOND_TO_MOVE),
        geometry: [[0; 21]; 3],
    };
    let mut i = 0;
    while i < 2 * POINTS {
        keys.stones[i / POINTS][i % POINTS] = word(file, i);
        i += 1;
    }
    let mut i = 0;
    while i < 3 * 21 {
        keys.geometry[i / 21][i % 21] = word(file, SECOND_TO_MOVE + 1 + i);
        i += 1;
    }
    keys
}
