//! Finding the positions of a book whose keys cannot be read backwards: by playing its moves from
//! the start, and up to two others in between.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::{Frame, Scheme};
use crate::book::interop::index::{Index, REACHED};
use crate::bytes::StopFlag;
use crate::game::{Game, MoveList, Side, Symmetric};
use crate::xiangqi::{Move, Piece, Position, Setup, Square};

/// The limits of a walk.
#[derive(Debug, Clone)]
pub struct Reach {
    /// Plies in a row that need not be in the book: 0 to 2. Default 2; one at most where rows stand
    /// for positions after the move (`.xob`) or keys have 32 bits (`BOOK.DAT`).
    pub plies: u8,
    /// The most positions examined for such plies. Default 40 million: some ten seconds.
    pub positions: u64,
    /// Ends the walk with [`InteropError::Interrupted`] soon after it was set.
    pub stop: StopFlag,
}

impl Default for Reach {
    fn default() -> Self {
        Self { plies: 2, positions: 40_000_000, stop: StopFlag::default() }
    }
}

impl Reach {
    pub(super) fn check_stop(&self, path: &Path) -> Result<(), InteropError> {
        if self.stop.is_set() {
            return Err(InteropError::Interrupted { path: path.to_owned() });
        }
        Ok(())
    }
}

/// A row that a position has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// Its number in the index.
    pub(super) row: usize,
    /// The move as it is played here; legal.
    pub(super) mv: Move,
    /// The form of the position under which the row stands.
    pub(super) frame: Frame,
}

/// The counts of a walk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Walked {
    /// Different positions with legal moves in the book.
    pub(super) positions: u64,
    /// True if it ended before every position was examined.
    pub(super) is_cut: bool,
}

/// A position in 46 bytes: four bits for each square, and the side to move.
#[derive(Debug, Clone, Copy)]
struct Compact([u8; 46]);

impl Compact {
    fn new(position: &Position) -> Self {
        let mut bytes = [0; 46];
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                bytes[square.index() / 2] |=
                    (piece.index() as u8 + 1) << (4 * (square.index() % 2));
            }
        }
        bytes[45] = position.turn().index() as u8;
        Self(bytes)
    }

    fn position(&self) -> Position {
        let mut setup = Setup::empty();
        setup.turn = Side::ALL[usize::from(self.0[45] & 1)];
        for square in Square::all() {
            let bits = self.0[square.index() / 2] >> (4 * (square.index() % 2)) & 15;
            let piece = usize::from(bits).checked_sub(1).and_then(|i| Piece::ALL.get(i));
            setup.board[square.index()] = piece.copied();
        }
        Position::from_setup_unchecked(&setup)
    }
}

/// A callback for a position and its rows.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&Position, &[Hit]) -> Result<(), InteropError>;

/// Walks through a book from the start of a game. Calls `visit`
/// once for every position that has legal moves in it, mirror images being one, and marks the rows in
/// `index`.
pub(super) fn walk(
    path: &Path,
    scheme: &Scheme,
    index: &mut Index,
    reach: &Reach,
    visit: Visit<'_>,
) -> Result<Walked, InteropError> {
    let mut walker = Walker {
        path: path.to_owned(),
        scheme,
        index,
        reach,
        // Where rows stand for positions after the move, those of one side need no more. Of millions
        // of positions two plies away dozens have a key of 32 bits by chance.
        plies: if scheme.is_after() || scheme.is_short() {
            reach.plies.min(1)
        } else {
            reach.plies
        },
        seen: HashSet::new(),
        reached: Vec::new(),
        expanded: 0,
        stepped: [0; 2],
        looked: 0,
        walked: Walked::default(),
    };
    walker.enter(&Position::start());
    walker.run(visit)?;
    Ok(walker.walked)
}

struct Walker<'a> {
    path: PathBuf,
    scheme: &'a Scheme,
    index: &'a mut Index,
    reach: &'a Reach,
    plies: u8,
    /// Canonical keys of the positions reached.
    seen: HashSet<u64>,
    reached: Vec<Compact>,
    /// The number of them that were looked up.
    expanded: usize,
    /// The number of them from which one other ply was tried, and two.
    stepped: [usize; 2],
    looked: u64,
    walked: Walked,
}

impl Walker<'_> {
    fn run(&mut self, visit: Visit<'_>) -> Result<(), InteropError> {
        loop {
            while self.expanded < self.reached.len() {
                self.check_stop()?;
                let position = self.reached[self.expanded].position();
                self.expanded += 1;
                self.expand(position, visit)?;
            }
            if self.index.is_exhausted() || !self.step()? {
                return Ok(());
            }
        }
    }

    fn check_stop(&self) -> Result<(), InteropError> {
        self.reach.check_stop(&self.path)
    }

    fn enter(&mut self, position: &Position) {
        if self.seen.insert(position.canonical().key.0) {
            self.reached.push(Compact::new(position));
        }
    }

    /// Looks a position up and enters the positions after its book moves.
    fn expand(&mut self, mut position: Position, visit: Visit<'_>) -> Result<(), InteropError> {
        let hits = probe(self.scheme, self.index, &mut position);
        if hits.is_empty() {
            return Ok(());
        }
        self.walked.positions += 1;
        visit(&position, &hits)?;
        for hit in hits {
            let undo = position.make(hit.mv);
            self.enter(&position);
            position.unmake(hit.mv, undo);
        }
        Ok(())
    }

    /// Tries other plies from the next position for which that was not done yet: one ply from all, then two.
    /// `false` if there is nothing left to try.
    fn step(&mut self) -> Result<bool, InteropError> {
        for plies in 1..=self.plies.min(2) {
            while self.stepped[usize::from(plies) - 1] < self.reached.len() {
                if self.looked >= self.reach.positions {
                    self.walked.is_cut = true;
                    return Ok(false);
                }
                self.check_stop()?;
                let number = &mut self.stepped[usize::from(plies) - 1];
                let mut position = self.reached[*number].position();
                *number += 1;
                let before = self.reached.len();
                self.try_moves(&mut position, plies);
                if self.reached.len() > before {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Enters the positions `plies` plies further on that have rows not reached yet.
    fn try_moves(&mut self, position: &mut Position, plies: u8) {
        if plies == 1 && !self.scheme.is_after() {
            return self.look_around(position);
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            let undo = position.make(mv);
            if plies > 1 {
                self.try_moves(position, plies - 1);
            } else if self.has_moves(position) {
                self.enter(position);
            }
            position.unmake(mv, undo);
        }
    }

    /// Enters the positions after all moves that have rows to reach.
    fn look_around(&mut self, position: &mut Position) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let before = self.scheme.full_keys(position);
        self.looked += moves.len() as u64;
        for mv in moves {
            let keys = self.scheme.keys_after(position, before, mv);
            if keys.into_iter().any(|key| self.index.has_unreached(key)) {
                let undo = position.make(mv);
                if self.is_meant(position) {
                    self.enter(position);
                }
                position.unmake(mv, undo);
            }
        }
    }

    /// Returns true if the rows under the keys of a position are its own. A short key alone does not prove
    /// that: all of their moves must be legal.
    fn is_meant(&self, position: &Position) -> bool {
        let is_legal = |row: usize, frame: Frame| {
            self.index.row(row).mv().is_some_and(|mv| position.is_legal(frame.map(mv)))
        };
        !self.scheme.is_short()
            || self.scheme.keys(position).into_iter().flatten().any(|(key, frame)| {
                let mut rows = self.index.of(key);
                !rows.is_empty() && rows.all(|row| is_legal(row, frame))
            })
    }

    /// Returns true if a move leads to a row not reached yet, where rows stand for positions after the move.
    fn has_moves(&mut self, position: &mut Position) -> bool {
        self.looked += 1;
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let before = self.scheme.full_keys(position);
        moves.into_iter().any(|mv| {
            let keys = self.scheme.keys_after(position, before, mv);
            keys.into_iter().any(|key| self.index.has_unreached(key))
        })
    }
}

/// The rows of a position whose moves are legal in it. Rows whose moves are not are marked as illegal.
pub(super) fn probe(scheme: &Scheme, index: &mut Index, position: &mut Position) -> Vec<Hit> {
    if scheme.is_after() {
        probe_after(scheme, index, position)
    } else {
        probe_at(scheme, index, position)
    }
}

fn probe_at(scheme: &Scheme, index: &mut Index, position: &Position) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (key, frame) in scheme.keys(position).into_iter().flatten() {
        for row in index.of(key) {
            let mv = index.row(row).mv().map(|mv| frame.map(mv));
            let mut legal = mv.filter(|&mv| position.is_legal(mv));
            // A row that was reached before stays as it was then.
            if legal.is_none() && index.may_be_swapped && !index.row(row).has(REACHED) {
                let reverse = mv.map(|mv| Move::new(mv.to(), mv.from()));
                legal = reverse.filter(|&mv| position.is_legal(mv));
                if legal.is_some() {
                    index.swap_move(row);
                }
            }
            index.mark(row, legal.is_some());
            hits.extend(legal.map(|mv| Hit { row, mv, frame }));
        }
    }
    hits
}

/// Rows stand for positions after the move, so every move is tried.
fn probe_after(scheme: &Scheme, index: &mut Index, position: &mut Position) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for mv in moves {
        let undo = position.make(mv);
        for (key, frame) in scheme.keys(position).into_iter().flatten() {
            for row in index.of(key) {
                index.mark(row, true);
                hits.push(Hit { row, mv, frame });
            }
        }
        position.unmake(mv, undo);
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_positions_are_the_same() {
        let mut position = Position::start();
        let mut moves = MoveList::new();
        for ply in 0..80 {
            assert_eq!(Compact::new(&position).position(), position);
            moves.clear();
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.get(ply * 7 % moves.len().max(1)) else { return };
            position.make(mv);
        }
    }
}
