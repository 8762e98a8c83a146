//! One position with its labels, in 32 bytes.
//!
//! ```text
//! offset  size  field
//!      0    12  occupied squares, a bit each: square s is bit s mod 8 of byte s / 8; bit 95 is set if Black is to move
//!     12    16  pieces of the occupied squares in ascending order, four bits each, the low half of a byte first
//!     28     2  score of the search for the side to move, in centipawns, signed
//!     30     1  result of the game for the side to move: 0 lost, 1 drawn, 2 won; or, with bit 2 set, the value that endgame
//!               tables have for the position
//!     31     1  plies since the game's first position that was searched, at most 255
//! ```

use juzhong::game::{Game, Outcome, Side};
use juzhong::tablebase::Wdl;
use juzhong::xiangqi::{Piece, Position, Setup, Square};

/// A position with its labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    bytes: [u8; Self::LEN],
}

/// The byte and the bit that are set where Black is to move.
const BLACK_TO_MOVE: (usize, u8) = (11, 0x80);
/// The first byte of the pieces.
const PIECES: usize = 12;
/// The first byte of the score.
const SCORE: usize = 28;
/// The byte of the result.
const RESULT: usize = 30;
/// The bit of the result that says that it is exact.
const EXACT: u8 = 4;
/// The byte of the plies.
const PLIES: usize = 31;

impl Sample {
    /// Bytes of a sample.
    pub(crate) const LEN: usize = 32;

    /// A position that a search has scored for the side to move; its game counts as drawn until the
    /// [result](Self::set_outcome) is known.
    pub(crate) fn new(position: &Position, score: i16, plies: u8) -> Self {
        let mut bytes = [0; Self::LEN];
        let mut men = 0;
        for square in Square::all() {
            let Some(piece) = position.piece_at(square) else { continue };
            bytes[square.index() / 8] |= 1 << (square.index() % 8);
            bytes[PIECES + men / 2] |= (piece.index() as u8) << (4 * (men % 2));
            men += 1;
        }
        if position.turn() == Side::Second {
            bytes[BLACK_TO_MOVE.0] |= BLACK_TO_MOVE.1;
        }
        bytes[SCORE..RESULT].copy_from_slice(&score.to_le_bytes());
        bytes[RESULT] = 1;
        bytes[PLIES] = plies;
        Self { bytes }
    }

    /// Sets the exact result, which the result of the game does not change.
    pub(crate) const fn set_exact(&mut self, value: Wdl) {
        let result = match value {
            Wdl::Loss => 0,
            Wdl::Draw => 1,
            Wdl::Win => 2,
        };
        self.bytes[RESULT] = result | EXACT;
    }

    /// Sets the result of the game.
    pub(crate) fn set_outcome(&mut self, outcome: Outcome) {
        if self.is_exact() {
            return;
        }
        self.bytes[RESULT] = match outcome {
            Outcome::Draw => 1,
            Outcome::Win(side) => 2 * u8::from(side == self.turn()),
        };
    }

    /// The side to move.
    pub(crate) const fn turn(&self) -> Side {
        if self.bytes[BLACK_TO_MOVE.0] & BLACK_TO_MOVE.1 == 0 { Side::First } else { Side::Second }
    }

    /// The sample of its bytes; `None` if their position is not legal.
    pub(crate) fn from_bytes(bytes: [u8; Self::LEN]) -> Option<Self> {
        let sample = Self { bytes };
        let setup = sample.setup()?;
        (sample.result() <= 2).then_some(())?;
        Position::from_setup(&setup).ok().map(|_| sample)
    }

    /// The board and the side to move; `None` if they are not those of any position.
    fn setup(&self) -> Option<Setup> {
        let mut setup = Setup::empty();
        setup.turn = self.turn();
        let is_there =
            |square: &Square| self.bytes[square.index() / 8] >> (square.index() % 8) & 1 == 1;
        for (man, square) in Square::all().filter(is_there).enumerate() {
            let both = *self.bytes[PIECES..SCORE].get(man / 2)?;
            let piece = both >> (4 * (man % 2)) & 15;
            setup.board[square.index()] = Some(*Piece::ALL.get(usize::from(piece))?);
        }
        Some(setup)
    }

    /// The position.
    pub(crate) fn position(&self) -> Position {
        self.setup().map_or_else(Position::start, |setup| Position::from_setup_unchecked(&setup))
    }

    /// The score for the side to move, in centipawns.
    pub(crate) const fn score(&self) -> i16 {
        i16::from_le_bytes([self.bytes[SCORE], self.bytes[SCORE + 1]])
    }

    /// The result for the side to move: 0 lost, 1 drawn, 2 won.
    pub(crate) const fn result(&self) -> u8 {
        self.bytes[RESULT] & !EXACT
    }

    /// Returns true if the result is that of endgame tables.
    pub(crate) const fn is_exact(&self) -> bool {
        self.bytes[RESULT] & EXACT != 0
    }

    /// The sample as it is stored.
    pub(crate) const fn bytes(&self) -> &[u8; Self::LEN] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_documented_one() {
        let position = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/4K4 b").unwrap();
        let mut sample = Sample::new(&position, -300, 7);
        sample.set_outcome(Outcome::Win(Side::First));
        let squares: Vec<usize> =
            (0..90).filter(|s| sample.bytes()[s / 8] >> (s % 8) & 1 == 1).collect();
        let at = |text: &str| Square::parse(text).unwrap().index();
        assert_eq!(squares, [at("e0"), at("e1"), at("d9")]);
        assert_eq!(sample.bytes()[PIECES..14], [0x10, 0x07], "king, rook, black king");
        assert_eq!(sample.bytes()[11] & 0x80, 0x80);
        assert_eq!(sample.turn(), Side::Second);
        assert_eq!(sample.bytes()[SCORE..PLIES], [0xd4, 0xfe, 0], "-300, lost");
        assert_eq!(sample.bytes()[PLIES], 7);
        let again = Sample::from_bytes(*sample.bytes()).unwrap();
        assert_eq!((again.position(), again.score(), again.result()), (position, -300, 0));
    }

    #[test]
    fn bytes_that_are_no_position_are_refused() {
        let bytes = *Sample::new(&Position::start(), 0, 0).bytes();
        for (at, byte) in [(0, 0), (PIECES, 0xff), (RESULT, 3), (9, 0xff)] {
            let mut other = bytes;
            other[at] = byte;
            assert_eq!(Sample::from_bytes(other), None, "byte {at}");
        }
    }

    #[test]
    fn results_are_those_of_the_side_to_move() {
        let mut sample = Sample::new(&Position::start(), 0, 0);
        assert_eq!(sample.bytes()[RESULT], 1);
        sample.set_outcome(Outcome::Win(Side::First));
        assert_eq!(sample.bytes()[RESULT], 2);
        sample.set_outcome(Outcome::Draw);
        assert_eq!(sample.bytes()[RESULT], 1);
        sample.set_exact(Wdl::Loss);
        sample.set_outcome(Outcome::Draw);
        assert_eq!((sample.result(), sample.is_exact()), (0, true));
    }
}
