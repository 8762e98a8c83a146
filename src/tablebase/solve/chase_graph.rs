//! The facts that chase rounds need beyond a game graph: the pieces that a move newly chases, and
//! their numbers after it. One definition of a chase serves play and tables: [`chased`].

use crate::game::Side;
use crate::tablebase::index::numbering::{Index, MAX_MEN};
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::solver::GameGraph;
use crate::tablebase::solve::table::position_of;
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{
    Bitboard, Move, Role, Square, advisor_attacks, between, elephant_attacks, horse_attackers,
};

/// Pieces of one side, by their numbers there (bit 0 the king).
pub(crate) type MenSet = u16;
/// A piece's number within its side.
pub(crate) type ManNumber = u8;

/// The side whose pieces are followed through a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    /// Those of the side that moves.
    Mover,
    /// Those of the other side.
    Waiter,
}

/// A quiet move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuietMove {
    /// The slot it leads to.
    pub(crate) next: u32,
    /// The pieces of the other side that it newly chases, by their numbers before it.
    pub(crate) chased: MenSet,
    /// For each piece of the followed side its number after the move: identical pieces are numbered by
    /// their squares.
    pub(crate) renumbered: [ManNumber; MAX_MEN],
}

/// A game graph whose moves may chase.
pub(crate) trait ChaseGraph: GameGraph {
    /// Returns true if `side` has pieces that can chase and the other side pieces that can be chased.
    fn can_chase(&self, side: usize) -> bool;

    /// Returns true if, in a slot that a move of `side` leads to, its pieces attack any piece:
    /// quick, and true of every move that chases.
    fn may_have_chased(&self, side: usize, next: u32) -> bool;

    /// The legal quiet moves that lead to a slot which `wanted` accepts.
    fn quiet_moves(
        &self,
        side: usize,
        slot: u32,
        followed: Followed,
        wanted: impl Fn(u32) -> bool,
    ) -> Vec<QuietMove>;
}

const fn is_chaser(role: Role) -> bool {
    !matches!(role, Role::King | Role::Pawn)
}

const fn is_prey(role: Role) -> bool {
    !matches!(role, Role::King)
}

impl ChaseGraph for TableGraph {
    fn can_chase(&self, side: usize) -> bool {
        let index = self.index();
        let side = Side::ALL[side];
        men_of_kind(index, side, is_chaser).next().is_some()
            && men_of_kind(index, !side, is_prey).next().is_some()
    }

    fn may_have_chased(&self, side: usize, next: u32) -> bool {
        let index = self.index();
        let squares = index.squares(&index.digits(next));
        let occupied: Bitboard = squares.iter().copied().collect();
        let prey_side = Side::ALL[self.other(side)];
        men_of_kind(index, !prey_side, is_chaser).any(|man| {
            let role = index.men[man].piece.role();
            let mut prey = men_of_kind(index, prey_side, is_prey);
            prey.any(|prey| attacks(role, squares[man], squares[prey], occupied))
        })
    }

    fn quiet_moves(
        &self,
        side: usize,
        slot: u32,
        followed: Followed,
        wanted: impl Fn(u32) -> bool,
    ) -> Vec<QuietMove> {
        let index = self.index();
        let mover = Side::ALL[side];
        let Some(position) = position_of(index, side, slot) else { return Vec::new() };
        let before = index.squares(&index.digits(slot));
        let mut moves = Vec::new();
        position.for_each_legal(!position.occupied(), |from, targets| {
            for to in targets {
                let mut squares = before.clone();
                for square in squares.iter_mut().filter(|square| **square == from) {
                    *square = to;
                }
                let Some(next) = next_slot(index, &squares) else { continue };
                if !wanted(next.0) {
                    continue;
                }
                let victims = chased(&position, Move::new(from, to));
                let waiters = index.men_of(!mover);
                let first = waiters.start;
                let chased = waiters
                    .filter(|man: &usize| victims.has(before[*man]))
                    .map(|man| 1 << (man - first))
                    .sum();
                let side = if followed == Followed::Mover { mover } else { !mover };
                let renumbered = renumber(index, side, &squares, next);
                moves.push(QuietMove { next: next.0, chased, renumbered });
            }
        });
        moves
    }
}

/// The pieces of a side whose role is of a kind.
fn men_of_kind(
    index: &Index,
    side: Side,
    is_of_kind: fn(Role) -> bool,
) -> impl Iterator<Item = usize> {
    index.men_of(side).filter(move |&man| is_of_kind(index.men[man].piece.role()))
}

/// Returns true if a piece attacks the square of another.
fn attacks(role: Role, from: Square, to: Square, occupied: Bitboard) -> bool {
    let in_line = from.file() == to.file() || from.rank() == to.rank();
    match role {
        Role::Rook => in_line && !between(from, to).meets(occupied),
        Role::Cannon => in_line && (between(from, to) & occupied).len() == 1,
        Role::Horse => horse_attackers(to, occupied).has(from),
        Role::Advisor => advisor_attacks(from).has(to),
        Role::Elephant => elephant_attacks(from, occupied).has(to),
        Role::King | Role::Pawn => false,
    }
}

/// The slot, seen by the side that moves next, of pieces on squares, and true if it stands for the
/// mirror image.
fn next_slot(index: &Index, squares: &[Square]) -> Option<(u32, bool)> {
    let digits = index.digits_of(squares)?;
    let digits = if index.is_symmetric() { index.swapped(&digits) } else { digits };
    let slot = index.slot(&digits);
    Some((slot, !index.is_stored(&digits)))
}

/// The numbers in `slot` of the pieces of `side`, which stand on `squares`. Only identical pieces are
/// numbered otherwise, as one of them has moved or the slot stands for the mirror image.
fn renumber(
    index: &Index,
    side: Side,
    squares: &[Square],
    (slot, is_mirrored): (u32, bool),
) -> [ManNumber; MAX_MEN] {
    let after = index.squares(&index.digits(slot));
    let men = index.men_of(side);
    let seen_men = index.men_of(if index.is_symmetric() { !side } else { side });
    let mut numbers = std::array::from_fn(|number| number as ManNumber);
    for man in men.clone() {
        // A symmetric material has values with the first side to move only: after a move the sides change
        // places.
        let square = if index.is_symmetric() { squares[man].flipped() } else { squares[man] };
        let square = if is_mirrored { square.mirrored() } else { square };
        let role = index.men[man].piece.role();
        let mut others = seen_men.clone();
        let found = others.find(|&man| index.men[man].piece.role() == role && after[man] == square);
        if let Some(other) = found {
            numbers[man - men.start] = (other - seen_men.start) as ManNumber;
        }
    }
    numbers
}
