//! A whole table in memory, as the generator leaves it and the verifier reads it.

use std::sync::Arc;

use rayon::prelude::*;

use crate::game::{Game, Side};
use crate::tablebase::index::board::SlotBoard;
use crate::tablebase::index::numbering::{Digits, Index, Squares};
use crate::tablebase::material::Material;
use crate::tablebase::solve::solver::{ILLEGAL, Solution, UNDECIDED};
use crate::tablebase::value::{Entry, Wdl};
use crate::xiangqi::{Piece, Position, Setup};

/// The word of a draw.
pub(crate) const DRAW: u16 = UNDECIDED;

/// All values of a material. A word is [`ILLEGAL`], [`DRAW`], or twice the place of its
/// (order, distance) in `ranks` plus 1 for wins and 2 for losses.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) index: Arc<Index>,
    /// By side to move; one side only for symmetric materials.
    pub(crate) words: Vec<Vec<u16>>,
    /// The (order, distance) pairs that occur, ascending.
    pub(crate) ranks: Vec<(u16, u16)>,
}

impl Table {
    /// Keeps of the solver's ranks those that occur.
    pub(crate) fn from_solution(index: Arc<Index>, solution: Solution) -> Self {
        let Solution { mut words, bases, .. } = solution;
        let used = used_words(&words);
        let mut map = vec![0u16; usize::from(UNDECIDED) + 1];
        map[usize::from(DRAW)] = DRAW;
        let mut ranks = Vec::new();
        for rank in 0..usize::from(UNDECIDED) / 2 - 1 {
            let win = 2 * rank + 1;
            let loss = 2 * rank + 2;
            if used[win] || used[loss] {
                map[win] = (2 * ranks.len() + 1) as u16;
                map[loss] = (2 * ranks.len() + 2) as u16;
                ranks.push(order_and_distance(&bases, rank as u32));
            }
        }
        for side in &mut words {
            side.par_iter_mut().for_each(|word| *word = map[usize::from(*word)]);
        }
        Self { index, words, ranks }
    }

    /// A table of which nothing was read; `None` if it has too many slots.
    pub(crate) fn without_values(material: Material) -> Option<Self> {
        let index = Index::new(material).ok()?;
        let words = vec![Vec::new(); index.sides()];
        Some(Self { index: Arc::new(index), words, ranks: Vec::new() })
    }

    /// The value that a word stands for; `None` for illegal positions.
    #[inline]
    pub(crate) fn meaning(&self, word: u16) -> Option<Entry> {
        meaning(&self.ranks, word)
    }

    /// The value that a word stands for, for any word.
    pub(crate) fn checked_meaning(&self, word: u16) -> Option<Entry> {
        let is_known = word == DRAW || usize::from(word) <= 2 * self.ranks.len();
        if is_known { self.meaning(word) } else { None }
    }

    /// The highest order that occurs.
    pub(crate) fn last_order(&self) -> u16 {
        self.ranks.last().map_or(0, |&(order, _)| order)
    }
}

/// The value that a word stands for in a table with these (order, distance) pairs; `None` for illegal
/// positions.
#[inline]
pub(crate) fn meaning(ranks: &[(u16, u16)], word: u16) -> Option<Entry> {
    match word {
        ILLEGAL => None,
        DRAW => Some(Entry::DRAW),
        _ => {
            let (order, distance) = ranks[usize::from(word - 1) / 2];
            let wdl = if word & 1 == 1 { Wdl::Win } else { Wdl::Loss };
            Some(Entry { wdl, order, distance })
        }
    }
}

/// The cost of a move that leads to a word: a number that is lower the better the word is for the side
/// that moved. Costs are compared without looking up what words mean.
pub(crate) type Cost = i32;

/// The cost of a move to a word; [`Cost::MAX`] for illegal positions.
#[inline]
pub(crate) fn cost(word: u16) -> Cost {
    match word {
        ILLEGAL => Cost::MAX,
        DRAW => 0,
        // Wins of the other side, the later the better; its losses, the sooner the better.
        _ if word & 1 == 1 => Cost::from(DRAW) - Cost::from(word),
        _ => Cost::from(word) - Cost::from(DRAW),
    }
}

/// The word of a cost; `None` if there is no move.
#[inline]
pub(crate) fn word_of_cost(cost: Cost) -> Option<u16> {
    match cost {
        Cost::MAX => None,
        0 => Some(DRAW),
        1.. => Some((Cost::from(DRAW) - cost) as u16),
        _ => Some((Cost::from(DRAW) + cost) as u16),
    }
}

/// By word: whether it occurs; false for draws.
fn used_words(words: &[Vec<u16>]) -> Vec<bool> {
    words
        .par_iter()
        .flat_map(|side| side.par_chunks(1 << 20))
        .map(|words: &[u16]| {
            let mut used = vec![false; usize::from(UNDECIDED)];
            for &word in words.iter().filter(|&&word| word != DRAW) {
                used[usize::from(word)] = true;
            }
            used
        })
        .reduce(
            || vec![false; usize::from(UNDECIDED)],
            |a: Vec<bool>, b: Vec<bool>| a.iter().zip(&b).map(|(a, b)| a | b).collect(),
        )
}

fn order_and_distance(bases: &[u32], rank: u32) -> (u16, u16) {
    // An order without results has the same base as the next one: of equal bases the last belongs to the rank.
    let order = bases.partition_point(|&base| base <= rank).saturating_sub(1);
    (order as u16, (rank - bases[order]) as u16)
}

/// The place of the value of a placement: the side and slot.
#[inline]
pub(crate) fn locate(index: &Index, side: Side, digits: &Digits) -> (usize, u32) {
    if index.is_symmetric() && side == Side::Second {
        (0, index.slot(&index.swapped(digits)))
    } else {
        (side.index(), index.slot(digits))
    }
}

/// The place of the value of a position; `swap` if Black is the first side of the material. `None`
/// if the position is none of this index.
pub(crate) fn locate_position(
    index: &Index,
    position: &Position,
    swap: bool,
) -> Option<(usize, u32)> {
    let mut squares = Squares::new();
    for group in &index.groups {
        let mut man = group.men.start;
        while man < group.men.end {
            let piece = index.men[man].piece;
            let side = if swap { !piece.side() } else { piece.side() };
            // All pieces of a kind at once: the index does not tell them apart.
            for square in position.pieces(side, piece.role()) {
                squares.try_push(if swap { square.flipped() } else { square }).ok()?;
            }
            man += usize::from(index.material.count(piece.side(), piece.role()));
        }
    }
    if squares.len() != index.men.len() {
        return None;
    }
    let digits = index.digits_of(&squares)?;
    let turn = if swap { !position.turn() } else { position.turn() };
    Some(locate(index, turn, &digits))
}

/// The position of a slot with `side` (of the index) to move; `None` if its pieces share a square, the
/// kings face each other or pawns are doubled. The side not to move may be in check.
pub(crate) fn position_of(index: &Index, side: usize, slot: u32) -> Option<Position> {
    let board = SlotBoard::new(index, slot)?;
    let mut setup = Setup::empty();
    for (man, square) in index.men.iter().zip(board.squares()) {
        setup.board[square.index()] = Some(man.piece);
    }
    setup.turn = Side::ALL[side];
    Some(Position::from_setup_unchecked(&setup))
}

/// The position with the colours exchanged and the board turned.
pub(crate) fn exchanged(position: &Position) -> Position {
    let mut setup = Setup::empty();
    for square in position.occupied() {
        if let Some(piece) = position.piece_at(square) {
            let piece = Piece::new(!piece.side(), piece.role());
            setup.board[square.flipped().index()] = Some(piece);
        }
    }
    setup.turn = !position.turn();
    Position::from_setup_unchecked(&setup)
}
