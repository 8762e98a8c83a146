//! Openings that the engine proposes under swap2: three stones after which neither side is much better, for the
//! opponent chooses the side.

use crate::game::Game;
use crate::gomoku::{Board, Point};
use crate::search::Score;

/// Black's, White's and Black's stone from a corner of the board, by column and row: far from each other, or near
/// the edge, where three stones are worth less.
const PATTERNS: [[(u8, u8); 3]; 7] = [
    [(1, 1), (5, 2), (2, 6)],
    [(2, 2), (4, 4), (8, 1)],
    [(0, 0), (2, 2), (4, 1)],
    [(0, 4), (3, 4), (4, 0)],
    [(3, 3), (5, 4), (1, 7)],
    [(2, 3), (3, 3), (6, 1)],
    [(1, 5), (4, 4), (5, 1)],
];

/// White's stone and Black's second one from Black's first one in the middle, by column and row: the 26 openings of
/// renju are those of the first beside it and the second within two points of the middle.
const SECOND: [(u8, u8); 2] = [(0, 1), (1, 1)];
const REACH: u8 = 2;

/// Openings of which the most balanced is looked for.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// Those that are not searched yet, with their positions; the last one is next.
    open: Vec<([Point; 3], Board)>,
    /// The most balanced so far, and the score of the side to move without its sign.
    best: Option<(i32, [Point; 3])>,
    shares: u32,
}

/// The point of a column and a row.
const fn at((column, row): (u8, u8)) -> Option<Point> {
    Point::new(column, row)
}

impl Proposal {
    /// The openings for an empty board; `None` if it has no room for any.
    pub(crate) fn new(empty: &Board) -> Option<Self> {
        let open: Vec<_> = PATTERNS
            .into_iter()
            .filter_map(|[first, second, third]| Some([at(first)?, at(second)?, at(third)?]))
            .filter_map(|stones| Some((stones, after(empty, stones)?)))
            .collect();
        Self::of(open)
    }

    /// The 26 openings of renju; `None` if the board has no room for them.
    pub(crate) fn of_renju(empty: &Board) -> Option<Self> {
        let middle = (empty.width() / 2, empty.height() / 2);
        let corner = (middle.0.checked_sub(REACH)?, middle.1.checked_sub(REACH)?);
        let first = Point::new(middle.0, middle.1)?;
        let around = 0..=2 * REACH;
        let mut open = Vec::new();
        for (right, up) in SECOND {
            let second = Point::new(middle.0 + right, middle.1 + up)?;
            for (column, row) in around.clone().flat_map(|c| around.clone().map(move |r| (c, r))) {
                let Some(third) = Point::new(corner.0 + column, corner.1 + row) else { continue };
                // One of each pair of mirror images: about the line through the first two stones.
                let is_image = if right == 0 { column < REACH } else { column > row };
                let stones = [first, second, third];
                let position = after(empty, stones).filter(|_| !is_image);
                open.extend(position.map(|position| (stones, position)));
            }
        }
        Self::of(open)
    }

    fn of(open: Vec<([Point; 3], Board)>) -> Option<Self> {
        let shares = u32::try_from(open.len()).ok().filter(|&shares| shares > 0)?;
        Some(Self { open, best: None, shares })
    }

    /// The position to be searched; `None` after the last.
    pub(crate) fn position(&self) -> Option<&Board> {
        self.open.last().map(|(_, position)| position)
    }

    /// The number of parts that the time for a move is divided into.
    pub(crate) const fn shares(&self) -> u32 {
        self.shares
    }

    /// Counts the result of the search, and goes to the next position.
    pub(crate) fn judge(&mut self, score: Option<Score>) {
        let score = score.map_or(i32::MAX, |score| score.value().saturating_abs());
        if let Some((stones, _)) = self.open.pop()
            && self.best.is_none_or(|(best, _)| score < best)
        {
            self.best = Some((score, stones));
        }
    }

    /// The stones of the most balanced.
    pub(crate) fn best(&self) -> Option<[Point; 3]> {
        self.best.map(|(_, stones)| stones)
    }
}

/// The position after these moves, if they can be made.
fn after(empty: &Board, stones: [Point; 3]) -> Option<Board> {
    stones.into_iter().try_fold(empty.clone(), |board, point| board.play(point).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    #[test]
    fn the_most_balanced_opening_is_proposed() {
        let mut proposal = Proposal::new(&Board::start()).unwrap();
        let mut scores = [50, -200, 7, -6, 90, 300, 12].into_iter();
        let mut seen = Vec::new();
        while let Some(position) = proposal.position() {
            seen.push(position.to_fen());
            proposal.judge(scores.next().map(Score::from_eval));
        }
        assert_eq!((seen.len(), proposal.shares()), (7, 7));
        let best = proposal.best().unwrap();
        assert_eq!(after(&Board::start(), best).unwrap().to_fen(), seen[3]);
        let small = Board::new(5, 5, 5).unwrap();
        assert!(Proposal::new(&small).is_some());
        for board in [Board::start(), small, Board::new(20, 20, 5).unwrap()] {
            assert_eq!(Proposal::of_renju(&board).unwrap().shares(), 26, "{}", board.to_fen());
        }
    }
}
