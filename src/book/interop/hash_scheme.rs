//! The hash schemes of the formats: a format's hash of positions, reduced to one word for each piece on each
//! square.

use std::sync::LazyLock;

use crate::book::interop::words::{Words, words_of};
use crate::book::interop::{BookFormat, eleeye, moonriver, obk, polyglot};
use crate::game::{Game, Side};
use crate::hash::KeyTable;
use crate::hash::xiangqi::{BLACK_TO_MOVE, KEYS};
use crate::xiangqi::{Move, Piece, Position, Square};

/// A position's hash in a format.
#[derive(Debug)]
pub(crate) struct Scheme {
    words: Box<Words>,
    /// By side to move.
    side: [u64; 2],
    /// Lowest bits that the file does not have.
    hidden_bits: u32,
    /// Positions with Black to move are turned round and the colours exchanged.
    turns: bool,
    /// Rows stand for positions after the move.
    after: bool,
}

/// The form in which a position was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    mirrored: bool,
    turned: bool,
}

impl Frame {
    /// The position itself.
    pub(crate) const PLAIN: Self = Self { mirrored: false, turned: false };

    /// A move of the frame as it is played in the position, and the reverse.
    pub(crate) const fn map(self, mv: Move) -> Move {
        let mv = if self.mirrored { mv.mirrored() } else { mv };
        if self.turned { turned(mv) } else { mv }
    }
}

/// The move on the board turned round.
pub(crate) const fn turned(mv: Move) -> Move {
    const fn turn(square: Square) -> Square {
        Square::at(8 - square.file(), 9 - square.rank())
    }
    Move::new(turn(mv.from()), turn(mv.to()))
}

/// The piece of the other colour.
pub(crate) const fn other_colour(piece: Piece) -> Piece {
    // Seven pieces of Red come before the same seven of Black.
    Piece::ALL[(piece.index() + 7) % 14]
}

impl Scheme {
    /// The hash of a format.
    pub(crate) fn new(format: BookFormat) -> Self {
        match format {
            BookFormat::Obk | BookFormat::PfBook => Self::plain(obk::words(), obk::SIDE),
            BookFormat::Xqb => {
                Self { turns: true, ..Self::plain(Box::new(KEYS.piece_square), [0; 2]) }
            }
            BookFormat::ElephantEye => {
                Self { hidden_bits: 32, ..Self::plain(eleeye::words(), eleeye::side()) }
            }
            BookFormat::MoonRiver => {
                Self { after: true, ..Self::plain(moonriver::words(), moonriver::SIDE) }
            }
            BookFormat::Polyglot => Self::plain(polyglot::words(), polyglot::SIDE),
        }
    }

    /// The hash of the program's own books.
    pub(crate) fn own(table: Option<&KeyTable>) -> Self {
        let Some(table) = table else {
            return Self::plain(Box::new(KEYS.piece_square), [0, KEYS.black_to_move]);
        };
        let words = words_of(|piece, square| word_at(table, piece.index() * 90 + square.index()));
        Self::plain(words, [0, word_at(table, BLACK_TO_MOVE)])
    }

    /// A scheme whose rows stand under whole keys of positions as they are.
    const fn plain(words: Box<Words>, side: [u64; 2]) -> Self {
        Self { words, side, hidden_bits: 0, turns: false, after: false }
    }

    /// Returns true if rows stand for positions after the move.
    pub(crate) const fn is_after(&self) -> bool {
        self.after
    }

    /// Returns true if other positions often have the same key.
    pub(crate) const fn is_short(&self) -> bool {
        self.hidden_bits > 0
    }

    /// The key of a position or its mirror image with all its bits.
    pub(crate) fn full_key(&self, position: &Position, mirrored: bool) -> u64 {
        let turned = self.turns && position.turn() == Side::Second;
        let mut key = self.side[position.turn().index()];
        for square in position.occupied() {
            let Some(piece) = position.piece_at(square) else { continue };
            let square = if mirrored { square.mirrored() } else { square };
            key ^= if turned {
                // A board turned round has its 90 squares in the reverse order.
                self.words[other_colour(piece).index()][89 - square.index()]
            } else {
                self.words[piece.index()][square.index()]
            };
        }
        key
    }

    /// The keys of a position and its mirror image with all their bits.
    pub(crate) fn full_keys(&self, position: &Position) -> [u64; 2] {
        [false, true].map(|mirrored| self.full_key(position, mirrored))
    }

    /// The keys as the file has them after a move, from [`full_keys`](Self::full_keys) before it.
    pub(crate) fn keys_after(
        &self,
        position: &mut Position,
        before: [u64; 2],
        mv: Move,
    ) -> [u64; 2] {
        if self.turns {
            let undo = position.make(mv);
            let keys = self.full_keys(position);
            position.unmake(mv, undo);
            return keys.map(|key| key >> self.hidden_bits);
        }
        // One of the two words was that of the side to move, the other one is it now.
        let mut keys = before.map(|key| key ^ self.side[0] ^ self.side[1]);
        for (key, mirrored) in keys.iter_mut().zip([false, true]) {
            let moved = position.piece_at(mv.from());
            let taken = position.piece_at(mv.to());
            *key ^= self.word(moved, mv.from(), mirrored)
                ^ self.word(moved, mv.to(), mirrored)
                ^ self.word(taken, mv.to(), mirrored);
        }
        keys.map(|key| key >> self.hidden_bits)
    }

    /// The word of a piece on a square or its mirror image; 0 without a piece.
    fn word(&self, piece: Option<Piece>, square: Square, mirrored: bool) -> u64 {
        let square = if mirrored { square.mirrored() } else { square };
        piece.map_or(0, |piece| self.words[piece.index()][square.index()])
    }

    /// The key as the file has it.
    pub(crate) fn key(&self, position: &Position, mirrored: bool) -> u64 {
        self.full_key(position, mirrored) >> self.hidden_bits
    }

    /// The forms of a position that such keys stand for, as [`keys`](Self::keys) has them: for schemes that do
    /// not turn positions round.
    pub(crate) fn framed([plain, mirror]: [u64; 2]) -> [Option<(u64, Frame)>; 2] {
        let mirrored = Frame { mirrored: true, turned: false };
        [Some((plain, Frame::PLAIN)), (plain != mirror).then_some((mirror, mirrored))]
    }

    /// The keys of a position and its mirror image and the frames of their moves; one only if the position is
    /// its own mirror image.
    pub(crate) fn keys(&self, position: &Position) -> [Option<(u64, Frame)>; 2] {
        let turned = self.turns && position.turn() == Side::Second;
        let plain = self.full_key(position, false);
        let mirror = self.full_key(position, true);
        let [frame, mirrored] = [false, true].map(|mirrored| Frame { mirrored, turned });
        // Compared before bits are hidden: keys of two positions may agree in those that are left.
        [
            Some((plain >> self.hidden_bits, frame)),
            (plain != mirror).then_some((mirror >> self.hidden_bits, mirrored)),
        ]
    }
}

/// A word of a key table; 0 beyond its end.
fn word_at(table: &KeyTable, number: usize) -> u64 {
    table.words().get(number).copied().unwrap_or(0)
}

/// The schemes are built once.
pub(crate) fn scheme(format: BookFormat) -> &'static Scheme {
    static SCHEMES: LazyLock<Vec<Scheme>> =
        LazyLock::new(|| BookFormat::ALL.into_iter().map(Scheme::new).collect());
    // `BookFormat::ALL` has the order of the variants.
    &SCHEMES[format as usize]
}
