//! Finding the positions of a book whose keys cannot be read backwards: by playing its moves from
//! the start, and up to two others in between.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::path::{Path, PathBuf};

use arrayvec::ArrayVec;
use rayon::prelude::*;

use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::{Frame, Scheme};
use crate::book::interop::index::{Index, REACHED};
use crate::book::interop::progress::{Step, StepProgress};
use crate::bytes::StopFlag;
use crate::game::{Game, MAX_MOVES, MoveList, Side, Symmetric};
use crate::hash::KeyHasher;
use crate::xiangqi::{Move, Piece, Position, Setup, Square};

/// The limits of a walk.
#[derive(Debug, Clone)]
pub struct Reach {
    /// Plies in a row that need not be in the book: 0 to 2. Default 2; one at most where rows stand
    /// for positions after the move (`.xob`) or keys have 32 bits (`BOOK.DAT`), but for the first plies of a
    /// game.
    pub plies: u8,
    /// The most positions examined for such plies. Default 40 million: some ten seconds.
    pub positions: u64,
    /// Ends the walk with [`InteropError::Interrupted`] soon after it was set.
    pub stop: StopFlag,
    /// Receives the progress of the walk and of the work around it.
    pub progress: StepProgress,
}

impl Default for Reach {
    fn default() -> Self {
        let stop = StopFlag::default();
        let progress = StepProgress::default();
        Self { plies: 2, positions: 40_000_000, stop, progress }
    }
}

impl Reach {
    pub(crate) fn check_stop(&self, path: &Path) -> Result<(), InteropError> {
        if self.stop.is_set() {
            return Err(InteropError::Interrupted { path: path.to_owned() });
        }
        Ok(())
    }
}

/// A row that a position has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Its number in the index.
    pub(crate) row: usize,
    /// The move as it is played here; legal.
    pub(crate) mv: Move,
    /// The form of the position under which the row stands.
    pub(crate) frame: Frame,
    /// The place of the row in the file.
    pub(crate) place: i64,
}

/// The counts of a walk.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Walked {
    /// Different positions with legal moves in the book.
    pub(crate) positions: u64,
    /// True if it ended before every position was examined.
    pub(crate) is_cut: bool,
}

/// A position in 46 bytes: four bits for each square, and the side to move.
#[derive(Debug, Clone, Copy)]
struct Compact([u8; 46]);

impl Compact {
    fn new(position: &Position) -> Self {
        let mut bytes = [0; 46];
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                // Pieces count from 1, because 0 is an empty square.
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
        // It was a position when it was packed.
        Position::from_setup_unchecked(&setup)
    }
}

/// A callback for a position and its rows.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&Position, &[Hit]) -> Result<(), InteropError>;

/// Walks through a book from the start of a game. Calls `visit`
/// once for every position that has legal moves in it, mirror images being one, and marks the rows in
/// `index`.
pub(crate) fn walk(
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
        seen: HashSet::default(),
        reached: Vec::new(),
        expanded: 0,
        stepped: [0; 2],
        is_far: false,
        looked: 0,
        walked: Walked::default(),
    };
    walker.enter(&Position::start());
    walker.run(visit)?;
    Ok(walker.walked)
}

/// Positions looked up at a time, and the fewest for which threads are worth it.
const BATCH: usize = 1 << 12;
const FEW: usize = 1 << 6;

struct Walker<'a> {
    path: PathBuf,
    scheme: &'a Scheme,
    index: &'a mut Index,
    reach: &'a Reach,
    plies: u8,
    /// Canonical keys of the positions reached.
    seen: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    reached: Vec<Compact>,
    /// The number of them that were looked up.
    expanded: usize,
    /// The number of them from which one other ply was tried, and two.
    stepped: [usize; 2],
    /// True once two other plies were tried from the start, where that is done only if nothing else is
    /// reached.
    is_far: bool,
    looked: u64,
    walked: Walked,
}

impl Walker<'_> {
    fn run(&mut self, visit: Visit<'_>) -> Result<(), InteropError> {
        loop {
            while self.expanded < self.reached.len() {
                self.check_stop()?;
                self.expand_some(visit)?;
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
        self.enter_place(&WalkPosition::of(position));
    }

    fn enter_place(&mut self, place: &WalkPosition) {
        // Mirror images and transpositions are one position.
        if self.seen.insert(place.key) {
            self.reached.push(place.compact);
        }
    }

    /// Looks the next positions up and enters the positions after their book moves. What the index has of them
    /// is found by many threads, and taken in their order.
    fn expand_some(&mut self, visit: Visit<'_>) -> Result<(), InteropError> {
        let end = self.reached.len().min(self.expanded + BATCH);
        let positions = &self.reached[self.expanded..end];
        self.expanded = end;
        let scheme = self.scheme;
        let index = &*self.index;
        let looked: Vec<Option<Looked>> = if positions.len() < FEW {
            positions
                .iter()
                .map(|compact: &Compact| look(scheme, index, compact.position()))
                .collect()
        } else {
            positions
                .par_iter()
                .with_min_len(FEW / 4)
                .map(|compact: &Compact| look(scheme, index, compact.position()))
                .collect()
        };
        for Looked { position, found } in looked.into_iter().flatten() {
            let (hits, after) = self.take(found);
            if hits.is_empty() {
                continue;
            }
            self.walked.positions += 1;
            visit(&position, &hits)?;
            after.iter().for_each(|place| self.enter_place(place));
        }
        let reached = self.index.reached() as u64;
        let rows = self.index.rows().len() as u64;
        self.reach.progress.report(Step::Walking, reached, rows);
        Ok(())
    }

    /// Marks the rows of a position. Returns those with legal moves, and where these lead.
    fn take(&mut self, found: Vec<IndexedRow>) -> (Vec<Hit>, Vec<WalkPosition>) {
        let mut hits = Vec::new();
        let mut places = Vec::new();
        for IndexedRow { row, frame, legal, reverse } in found {
            let mut legal = legal;
            // A row that was reached before stays as it was then.
            if legal.is_none() && reverse.is_some() && !self.index.row(row).has(REACHED) {
                self.index.swap_move(row);
                legal = reverse;
            }
            self.index.mark(row, legal.is_some());
            if let Some((mv, place)) = legal {
                hits.push(Hit { row, mv, frame, place: self.index.row(row).place });
                places.push(place);
            }
        }
        (hits, places)
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
        // A book may begin at a later ply.
        if self.walked.positions == 0 && self.plies < self.reach.plies.min(2) && !self.is_far {
            self.is_far = true;
            let before = self.reached.len();
            self.try_moves(&mut Position::start(), 2);
            return Ok(self.reached.len() > before);
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
        !self.scheme.is_short()
            || self.scheme.keys(position).into_iter().flatten().any(|(key, frame)| {
                let mut rows = self.index.of(key);
                !rows.is_empty() && rows.all(|row| self.is_legal(position, row, frame))
            })
    }

    /// Returns true if the move of a row is legal in the position that has the row in that frame.
    fn is_legal(&self, position: &Position, row: usize, frame: Frame) -> bool {
        self.index.row(row).mv().is_some_and(|mv| position.is_legal(frame.map(mv)))
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

/// A position on the way into the walk.
#[derive(Debug)]
struct WalkPosition {
    /// Its canonical key.
    key: u64,
    compact: Compact,
}

impl WalkPosition {
    fn of(position: &Position) -> Self {
        Self { key: position.canonical().key.0, compact: Compact::new(position) }
    }
}

/// A row that the index has for a position.
struct IndexedRow {
    row: usize,
    frame: Frame,
    /// Its move as it is played here if it is legal, and where that leads.
    legal: Option<(Move, WalkPosition)>,
    /// The same with origin and destination exchanged, where only that is legal.
    reverse: Option<(Move, WalkPosition)>,
}

/// A position and its rows.
struct Looked {
    position: Position,
    found: Vec<IndexedRow>,
}

/// The rows of a position; `None` if there are none. Rows of a short key count only if some of their moves are
/// legal, for else they are likely those of another position.
fn look(scheme: &Scheme, index: &Index, mut position: Position) -> Option<Looked> {
    let found = if scheme.is_after() {
        look_after(scheme, index, &mut position)
    } else {
        look_at(scheme, index, &mut position)
    };
    (!found.is_empty()).then_some(Looked { position, found })
}

/// The rows of a position whose moves are legal, and the moves; for tests.
#[cfg(test)]
pub(crate) fn hits(scheme: &Scheme, index: &Index, position: Position) -> Vec<(usize, Move)> {
    let found = look(scheme, index, position).map_or_else(Vec::new, |looked| looked.found);
    found.into_iter().filter_map(|found| Some((found.row, found.legal?.0))).collect()
}

fn look_at(scheme: &Scheme, index: &Index, position: &mut Position) -> Vec<IndexedRow> {
    let mut all = Vec::new();
    for (key, frame) in scheme.keys(position).into_iter().flatten() {
        let before = all.len();
        for row in index.of(key) {
            let mv = index.row(row).mv().map(|mv| frame.map(mv));
            let legal = played(position, mv);
            let mut reverse = None;
            if legal.is_none() && index.may_be_swapped {
                reverse = played(position, mv.map(|mv| Move::new(mv.to(), mv.from())));
            }
            all.push(IndexedRow { row, frame, legal, reverse });
        }
        if scheme.is_short() && all[before..].iter().all(|found| found.legal.is_none()) {
            all.truncate(before);
        }
    }
    all
}

/// A move and the position that it leads to, if it is legal.
fn played(position: &mut Position, mv: Option<Move>) -> Option<(Move, WalkPosition)> {
    let mv = mv.filter(|&mv| position.is_legal(mv))?;
    Some((mv, after(position, mv)))
}

/// The position that a legal move leads to.
fn after(position: &mut Position, mv: Move) -> WalkPosition {
    let undo = position.make(mv);
    let place = WalkPosition::of(position);
    position.unmake(mv, undo);
    place
}

/// Rows stand for positions after the move, so every move is tried.
fn look_after(scheme: &Scheme, index: &Index, position: &mut Position) -> Vec<IndexedRow> {
    let mut all = Vec::new();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let before = scheme.full_keys(position);
    let keys: ArrayVec<(Move, [u64; 2]), MAX_MOVES> =
        moves.into_iter().map(|mv| (mv, scheme.keys_after(position, before, mv))).collect();
    // First the keys of all moves, so that the processor need not wait for each.
    let known: ArrayVec<[bool; 2], MAX_MOVES> =
        keys.iter().map(|(_, keys)| keys.map(|key| index.may_have(key))).collect();
    for ((mv, keys), known) in keys.into_iter().zip(known) {
        if known == [false; 2] {
            continue;
        }
        for (key, frame) in Scheme::framed(keys).into_iter().flatten() {
            for row in index.of(key) {
                let legal = Some((mv, after(position, mv)));
                all.push(IndexedRow { row, frame, legal, reverse: None });
            }
        }
    }
    all
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
