//! The words of a hash scheme: one for each piece on each square.

use crate::xiangqi::{Piece, Square};

/// A word for each piece (by [`Piece::index`]) on each square.
pub(crate) type Words = [[u64; 90]; 14];

/// Words from a function of piece and square.
pub(crate) fn words_of(mut word: impl FnMut(Piece, Square) -> u64) -> Box<Words> {
    let mut words = Box::new([[0; 90]; 14]);
    for piece in Piece::ALL {
        for square in Square::all() {
            words[piece.index()][square.index()] = word(piece, square);
        }
    }
    words
}

/// The number of a square in the order of FENs: a9 is 0, i0 is 89.
pub(crate) const fn fen_index(square: Square) -> usize {
    (9 - square.rank() as usize) * 9 + square.file() as usize
}
