//! The evaluation and move ordering that search needs for gomoku.
//!
//! The static evaluation looks at the shapes that both sides can make with one stone. Positions
//! that the rules of threats decide at once are scored as decided: a row that can be completed, two
//! completions of the opponent, an open four that cannot be met in time. Otherwise it compares the
//! points' values, added up over the board.

mod point_values;

pub use point_values::Urgency;

use crate::game::{Game, Heuristics, MoveList};
use crate::gomoku::{Board, Notice, Point, Undo};
use crate::hash::gomoku::POINTS;

/// Completes a row with the next stone.
const FIVE: i32 = 19_000;

/// Faces two completions and has none.
const TWO_FIVES: i32 = 18_000;

/// Makes two completions with the next stone, and the opponent has nothing that comes first.
const OPEN_FOUR: i32 = 17_000;

/// Bound of the scores that rest on values alone.
const VALUE_LIMIT: i32 = 15_000;

/// The worth of having the move.
const TEMPO: i32 = 80;

/// Point values that make a centipawn. A stone amid empty points is worth about 150, an open three
/// some 250 more.
const SCALE: i32 = 32;

/// Boards of up to this many points are searched without leaving out a point.
const SMALL_BOARD: u16 = 36;

impl Heuristics for Board {
    /// A stone more is never a burden, but a pass in front of a threat loses at once, and the game
    /// consists of threats.
    const NULL_MOVE: bool = false;
    const EXTENDS_THREATS: bool = true;
    const HISTORY_LEN: usize = 2 * POINTS;

    fn evaluate(&self) -> i32 {
        let own = self.notice(self.turn());
        let other = self.notice(!self.turn());
        if own.fives > 0 {
            FIVE
        } else if other.fives > 1 {
            -TWO_FIVES
        } else if other.fives == 0 && own.wins > 0 && other.wins == 0 && other.fours == 0 {
            OPEN_FOUR
        } else {
            balance(own, other)
        }
    }

    /// Returns true if the opponent would complete a row, or the game is over: nothing may be
    /// concluded from the evaluation then.
    fn in_check(&self) -> bool {
        let own = self.notice(self.turn());
        let other = self.notice(!self.turn());
        self.outcome().is_some() || own.fives == 0 && other.fives > 0
    }

    /// All moves but three kinds. Where a row can be completed, nothing else is tried; where the
    /// opponent's must be stopped, only that: both lose nothing. On larger boards points farther
    /// than two columns or rows from every stone are left out, too far to complete or stop any three;
    /// the first stone goes to the middle.
    fn plausible_moves(&self, moves: &mut MoveList<Point>) {
        let own = self.notice(self.turn());
        let other = self.notice(!self.turn());
        if self.outcome().is_some() {
            return;
        }
        if own.fives > 0 || other.fives > 0 {
            self.noisy_moves(moves);
        } else if self.area() <= SMALL_BOARD {
            self.legal_moves(moves);
        } else if self.stones() == 0 {
            moves.extend(self.empty_points().min_by_key(|&point| self.eccentricity(point)));
        } else {
            moves.extend(self.empty_points_near_stones());
        }
    }

    /// A stone that completes a row, else one that stops the opponent's row, else those that make
    /// an open four or two fours.
    fn noisy_moves(&self, moves: &mut MoveList<Point>) {
        let own = self.notice(self.turn());
        let other = self.notice(!self.turn());
        let least = if own.fives > 0 {
            Urgency::Five
        } else if other.fives > 0 {
            Urgency::Blocks
        } else if own.wins > 0 {
            Urgency::OpenFour
        } else {
            return;
        };
        if self.outcome().is_none() {
            moves.extend(self.empty_points().filter(|&point| self.urgency(point) == least));
        }
    }

    fn is_plausible(&self, mv: Point) -> bool {
        let mut moves = MoveList::new();
        self.plausible_moves(&mut moves);
        moves.contains(&mv)
    }

    fn is_noisy(&self, mv: Point) -> bool {
        self.urgency(mv) != Urgency::Quiet
    }

    fn creates_threat(&self, mv: Point) -> bool {
        Self::creates_threat(self, mv)
    }

    fn noisy_value(&self, mv: Point) -> i32 {
        self.urgency(mv) as i32
    }

    /// Nothing is exchanged, but no move that wins may seem hopeless.
    fn exchange_value(&self, mv: Point) -> i32 {
        match self.urgency(mv) {
            Urgency::Five | Urgency::OpenFour => FIVE,
            Urgency::Quiet | Urgency::Four | Urgency::Prevents | Urgency::Blocks => 0,
        }
    }

    fn quiet_values(&self) -> impl Fn(Point) -> i32 {
        |mv| self.kept_value(mv) - self.eccentricity(mv) / 4
    }

    fn history_index(&self, mv: Point) -> usize {
        self.turn().index() * POINTS + mv.index()
    }

    fn allows_null_move(&self) -> bool {
        false
    }

    fn pass(&mut self) -> Undo {
        self.switch_turn();
        Undo
    }

    fn unpass(&mut self, _undo: Undo) {
        self.switch_turn();
    }
}

/// The difference of the prospects, for the side to move.
fn balance(own: Notice, other: Notice) -> i32 {
    let difference = (own.prospects - other.prospects) / SCALE;
    (difference + TEMPO).clamp(-VALUE_LIMIT, VALUE_LIMIT)
}
