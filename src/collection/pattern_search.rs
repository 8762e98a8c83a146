//! Patterns looked for in lines of moves, on boards of letters: what stands on the points, and no rules. Playing a line
//! through on them takes a tenth of the time that positions take.

use std::marker::PhantomData;

use crate::collection::game::{BoardChange, Collected, moves_in};
use crate::collection::pattern::{BoardPattern, LONGEST, MOST_POINTS, WantedPoint};
use crate::game::Side;

/// Stands for an empty point.
const EMPTY: u8 = b'.';

/// Contents of the points of a board: letters, as in FEN, or [`EMPTY`]. By [`index`].
type Letters = [u8; MOST_POINTS];

/// A pattern to be looked for in lines that begin with the same position.
pub(crate) struct PatternSearch<G> {
    size: [u8; 2],
    start: Letters,
    turn: Side,
    /// The images of the pattern: the points that they want, and the letters there.
    images: Vec<Vec<(usize, u8)>>,
    /// For each point, the images that want something there, a bit each.
    wanting: [u8; MOST_POINTS],
    is_at_start: bool,
    game: PhantomData<fn() -> G>,
}

impl<G: Collected> PatternSearch<G> {
    pub(crate) fn new(pattern: &BoardPattern, start: &G) -> Self {
        let images = pattern.images(start);
        let is_at_start = images.matches(start);
        let size = start.size();
        let mut letters = [EMPTY; MOST_POINTS];
        for row in 0..size[1] {
            for column in 0..size[0] {
                letters[index([column, row])] = letter_byte(start.letter(column, row));
            }
        }
        let images: Vec<Vec<(usize, u8)>> = images
            .points()
            .map(|points: &[WantedPoint]| points.iter().map(|point| point.wanted()).collect())
            .collect();
        debug_assert!(images.len() <= 8, "a bit for each");
        let mut wanting = [0; MOST_POINTS];
        for (number, points) in images.iter().enumerate() {
            for &(point, _) in points {
                wanting[point] |= 1 << number;
            }
        }
        let turn = start.turn();
        Self { size, start: letters, turn, images, wanting, is_at_start, game: PhantomData }
    }

    /// Returns true if the pattern is on the board before the first of these packed moves, or after any of them. They are
    /// taken for legal ones; of others the answer means nothing.
    pub(crate) fn is_in(&self, moves: &[u8]) -> bool {
        if self.is_at_start || self.images.is_empty() {
            return self.is_at_start;
        }
        let mut letters = self.start;
        let mut side = self.turn;
        for mv in moves_in::<G::Move>(moves) {
            let changed = mv.and_then(|mv| self.make(G::change(mv, side), &mut letters));
            let Some(changed) = changed else { return false };
            // No image was on the board before: one that is now wants something on a changed point.
            if changed != 0 && self.is_on(&letters, changed) {
                return true;
            }
            side = !side;
        }
        false
    }

    /// Makes a change. Returns the images that want something on the points changed, a bit each; `None` beyond the board.
    fn make(&self, change: BoardChange, letters: &mut Letters) -> Option<u8> {
        match change {
            BoardChange::Moved { from, to } => {
                let from = self.index_on_board(from)?;
                let to = self.index_on_board(to)?;
                letters[to] = std::mem::replace(&mut letters[from], EMPTY);
                Some(self.wanting[from] | self.wanting[to])
            }
            BoardChange::Placed { letter, at } => {
                let at = self.index_on_board(at)?;
                letters[at] = letter_byte(Some(letter));
                Some(self.wanting[at])
            }
        }
    }

    /// The number of a point; `None` if the board has no such point.
    fn index_on_board(&self, point: [u8; 2]) -> Option<usize> {
        let [column, row] = point;
        let [columns, rows] = self.size;
        (column < columns && row < rows).then(|| index(point))
    }

    /// Returns true if one of the images with these bits is on the board.
    fn is_on(&self, letters: &Letters, images: u8) -> bool {
        self.images.iter().enumerate().any(|(number, points)| {
            images & 1 << number != 0
                && points.iter().all(|&(point, letter)| letters[point] == letter)
        })
    }
}

impl WantedPoint {
    /// The number of the point, and the byte that is wanted there.
    const fn wanted(self) -> (usize, u8) {
        (index([self.column, self.row]), letter_byte(self.letter))
    }
}

/// The number of a point on boards of any size.
const fn index([column, row]: [u8; 2]) -> usize {
    row as usize * LONGEST + column as usize
}

/// The byte of a letter: all of them are ASCII.
const fn letter_byte(letter: Option<char>) -> u8 {
    match letter {
        Some(letter) => letter as u8,
        None => EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collection::game::bytes_of;
    use crate::game::{MoveList, Notation};
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    /// Plays a line by numbers that choose among the legal moves: its positions and its packed moves.
    fn line<G: Collected>(choices: &[usize]) -> (Vec<G>, Vec<u8>) {
        let mut positions = vec![G::start()];
        let mut moves = Vec::new();
        for &choice in choices {
            let mut position = positions[positions.len() - 1].clone();
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let Some(&mv) = legal.get(choice % legal.len().max(1)) else { break };
            position.make(mv);
            moves.extend(bytes_of(&[mv]));
            positions.push(position);
        }
        (positions, moves)
    }

    /// A pattern of what is on some points of a position, and whether a search finds it where playing through does.
    fn agrees<G: Collected>(choices: &[usize], at: usize, points: &[[u8; 2]]) -> bool {
        let (positions, moves) = line::<G>(choices);
        let wanted = &positions[at % positions.len()];
        let [width, height] = wanted.size();
        let parts: Vec<String> = points
            .iter()
            .map(|&[column, row]| [column % width, row % height])
            .map(|[column, row]| {
                let letter = wanted.letter(column, row).unwrap_or('.');
                let from = if G::NAME == "gomoku" { 1 } else { 0 };
                format!("{letter}{}{}", char::from(b'a' + column), row + from)
            })
            .collect();
        let pattern = BoardPattern::read::<G>(&parts.join(",")).unwrap();
        let search = PatternSearch::new(&pattern, &G::start());
        // A part of the line as well: the pattern may come up later.
        (0..=moves.len() / 2).all(|plies| {
            let images = pattern.images(&positions[0]);
            let is_there = positions[..=plies].iter().any(|position| images.matches(position));
            search.is_in(&moves[..2 * plies]) == is_there
        })
    }

    proptest! {
        #[test]
        fn patterns_are_found_as_on_positions(
            choices in proptest::collection::vec(0_usize..200, 0..40),
            at in 0_usize..40,
            points in proptest::collection::vec([0_u8..20, 0_u8..20], 1..6),
        ) {
            prop_assert!(agrees::<Position>(&choices, at, &points));
            prop_assert!(agrees::<Board>(&choices, at, &points));
        }

        #[test]
        fn any_bytes_are_a_line(bytes: Vec<u8>) {
            let pattern = BoardPattern::read::<Position>("Re5").unwrap();
            let _is_there = PatternSearch::new(&pattern, &Position::start()).is_in(&bytes);
            let pattern = BoardPattern::read::<Board>("xh8,oh9").unwrap();
            let _is_there = PatternSearch::new(&pattern, &Board::start()).is_in(&bytes);
        }
    }
}
