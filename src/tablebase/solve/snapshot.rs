//! The state of the solver between two plies as bytes, so that a killed run can go on from it.
//!
//! The arrays of the state follow one another in pieces, each a zstd frame after its length and the
//! CRC32 of its number and bytes. Nothing here says of which set they are: that is for the file's header
//! (`generate/checkpoint`).

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::tablebase::solve::solver::{GameGraph, ORDER_LIMIT, RANK_LIMIT, Solver};

/// The version of the state. It is raised with every change of what words and flags mean, or of what the
/// solver does with them: a state is only gone on from by the same solver.
pub(crate) const STATE_VERSION: u32 = 1;
/// Raw bytes of a piece at most.
const PIECE: usize = 1 << 20;
/// Pieces packed at once.
const BATCH: usize = 64;
/// Fast: words of neighbours are alike.
const LEVEL: i32 = 1;

/// The place of a solver in its work, between two plies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SolverPlace {
    /// Slots that had their first look.
    pub(crate) examined: u64,
    /// The round of the repetition rule.
    pub(crate) order: u16,
    /// The distance to be spread next.
    pub(crate) distance: u16,
    /// The greatest distance pending.
    pub(crate) latest: u32,
    /// The rank of distance 0 for each order so far.
    pub(crate) bases: Vec<u32>,
    /// By side: whether any position is in check.
    pub(crate) any_checked: [bool; 2],
    /// Nothing is left to be decided.
    pub(crate) is_done: bool,
}

impl SolverPlace {
    /// Returns true if a solver of that number of slots can be here.
    fn is_possible(&self, slots: u64) -> bool {
        let has_begun = self.is_done || self.order > 0 || self.distance > 0;
        self.examined <= slots
            // Results are spread only after every slot has had its first look.
            && (self.examined == slots || !has_begun)
            && self.order < ORDER_LIMIT
            && self.bases.len() <= usize::from(self.order) + 1
            && self.bases.first() == Some(&0)
            && self.bases.is_sorted_by(|a, b| a <= b)
            && self.bases.last().is_some_and(|&base| base < RANK_LIMIT)
    }
}

/// Keeps the state of a solver from time to time.
pub(crate) trait Keeper<'a, A: GameGraph>: Sync {
    /// A solver with the state kept last, if there is one.
    fn restore(&self, graph: &'a A) -> Option<Solver<'a, A>>;
    /// Between two plies, when the state may be kept.
    fn pause(&self, solver: &Solver<'a, A>);
}

/// Keeps nothing.
#[cfg(test)]
pub(crate) struct KeepNothing;

#[cfg(test)]
impl<'a, A: GameGraph> Keeper<'a, A> for KeepNothing {
    fn restore(&self, _graph: &'a A) -> Option<Solver<'a, A>> {
        None
    }
    fn pause(&self, _solver: &Solver<'a, A>) {}
}

/// An element of the arrays.
trait Cell: Sync {
    const LEN: usize;
    fn put(&self, out: &mut Vec<u8>);
    fn set(&mut self, bytes: &[u8]);
}

impl Cell for AtomicU16 {
    const LEN: usize = 2;
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.load(Relaxed).to_le_bytes());
    }
    fn set(&mut self, bytes: &[u8]) {
        *self.get_mut() = u16::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    }
}

impl Cell for AtomicU64 {
    const LEN: usize = 8;
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.load(Relaxed).to_le_bytes());
    }
    fn set(&mut self, bytes: &[u8]) {
        *self.get_mut() = u64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    }
}

impl Cell for AtomicBool {
    const LEN: usize = 1;
    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.load(Relaxed).into());
    }
    fn set(&mut self, bytes: &[u8]) {
        *self.get_mut() = bytes[0] != 0;
    }
}

/// Writes pieces one after the other.
struct Pieces<W> {
    out: W,
    number: u64,
}

impl<W: Write> Pieces<W> {
    fn put_all<C: Cell>(&mut self, cells: &[C]) -> io::Result<()> {
        let piece = PIECE / C::LEN;
        for batch in cells.chunks(BATCH * piece) {
            let packed: Vec<Vec<u8>> =
                batch.par_chunks(piece).map(pack).collect::<io::Result<_>>()?;
            for bytes in packed {
                self.out.write_all(&(bytes.len() as u32).to_le_bytes())?;
                self.out.write_all(&checksum(self.number, &bytes).to_le_bytes())?;
                self.out.write_all(&bytes)?;
                self.number += 1;
            }
        }
        Ok(())
    }
}

fn pack<C: Cell>(cells: &[C]) -> io::Result<Vec<u8>> {
    let mut raw = Vec::with_capacity(cells.len() * C::LEN);
    cells.iter().for_each(|cell| cell.put(&mut raw));
    zstd::bulk::compress(&raw, LEVEL)
}

impl<R: Read> Pieces<R> {
    fn set_all<C: Cell>(&mut self, cells: &mut [C]) -> io::Result<()> {
        for cells in cells.chunks_mut(PIECE / C::LEN) {
            let raw = self.next(cells.len() * C::LEN)?;
            for (cell, bytes) in cells.iter_mut().zip(raw.chunks_exact(C::LEN)) {
                cell.set(bytes);
            }
        }
        Ok(())
    }

    /// The next piece, of that number of raw bytes.
    fn next(&mut self, raw_len: usize) -> io::Result<Vec<u8>> {
        let len = self.number_of_four()? as usize;
        let crc = self.number_of_four()?;
        // Refused before memory is allocated for it: no packed piece is longer.
        if len > zstd::zstd_safe::compress_bound(PIECE) {
            return Err(damaged());
        }
        let mut packed = vec![0; len];
        self.out.read_exact(&mut packed)?;
        if checksum(self.number, &packed) != crc {
            return Err(damaged());
        }
        self.number += 1;
        let raw = zstd::bulk::decompress(&packed, raw_len)?;
        if raw.len() == raw_len { Ok(raw) } else { Err(damaged()) }
    }

    fn number_of_four(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.out.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

fn checksum(number: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    // With the number, so that a piece in the place of another is noticed as well.
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged")
}

impl<'a, A: GameGraph> Solver<'a, A> {
    /// The place in the work.
    pub(crate) fn place(&self) -> SolverPlace {
        SolverPlace {
            examined: self.examined as u64,
            order: self.order,
            distance: self.distance,
            latest: self.latest.load(Relaxed),
            bases: self.bases.clone(),
            any_checked: std::array::from_fn(|side| self.any_checked(side)),
            is_done: self.is_done,
        }
    }

    /// Size of the state in bytes, before packing.
    pub(crate) fn state_bytes(&self) -> u64 {
        fn bytes<C: Cell>(sides: &[Vec<C>]) -> usize {
            sides.iter().map(|side| side.len() * C::LEN).sum()
        }
        let flags = bytes(&self.open) + bytes(&self.later);
        (bytes(&self.words) + bytes(&self.pending) + flags + bytes(&self.good_captures)) as u64
    }

    /// Writes the arrays of the state.
    pub(crate) fn write_state(&self, out: impl Write) -> io::Result<()> {
        let mut pieces = Pieces { out, number: 0 };
        for side in 0..self.words.len() {
            pieces.put_all(&self.words[side])?;
            pieces.put_all(&self.pending[side])?;
            pieces.put_all(&self.open[side])?;
            pieces.put_all(&self.later[side])?;
            pieces.put_all(&self.good_captures[side])?;
        }
        Ok(())
    }

    /// A solver at a place, with the arrays that [`write_state`](Self::write_state) wrote; nothing may follow
    /// them.
    pub(crate) fn read_state(graph: &'a A, place: SolverPlace, out: impl Read) -> io::Result<Self> {
        if !place.is_possible(graph.slots() as u64) {
            return Err(damaged());
        }
        let mut solver = Self::new(graph);
        let mut pieces = Pieces { out, number: 0 };
        for side in 0..solver.words.len() {
            pieces.set_all(&mut solver.words[side])?;
            pieces.set_all(&mut solver.pending[side])?;
            pieces.set_all(&mut solver.open[side])?;
            pieces.set_all(&mut solver.later[side])?;
            pieces.set_all(&mut solver.good_captures[side])?;
        }
        if pieces.out.read(&mut [0])? > 0 {
            return Err(damaged());
        }
        solver.examined = place.examined as usize;
        solver.order = place.order;
        solver.distance = place.distance;
        *solver.latest.get_mut() = place.latest;
        solver.bases = place.bases;
        solver.any_checked = place.any_checked.map(AtomicBool::new);
        solver.is_done = place.is_done;
        Ok(solver)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;
    use crate::tablebase::solve::chase_play::ChasePlay;
    use crate::tablebase::solve::solver::{solve, solve_with};
    use crate::tablebase::solve::tests::parity_game::Silent;
    use crate::tablebase::solve::tests::random_graph::RandomGraph;
    use crate::tablebase::value::Rules;

    /// Keeps every state, and restores one.
    #[derive(Default)]
    struct KeepAll {
        kept: Mutex<Vec<(SolverPlace, Vec<u8>)>>,
        restored: Option<(SolverPlace, Vec<u8>)>,
    }

    impl<'a, A: GameGraph> Keeper<'a, A> for KeepAll {
        fn restore(&self, graph: &'a A) -> Option<Solver<'a, A>> {
            let (place, bytes) = self.restored.clone()?;
            Some(Solver::read_state(graph, place, bytes.as_slice()).unwrap())
        }
        fn pause(&self, solver: &Solver<'a, A>) {
            let mut bytes = Vec::new();
            solver.write_state(&mut bytes).unwrap();
            self.kept.lock().unwrap().push((solver.place(), bytes));
        }
    }

    proptest! {
        #[test]
        fn interrupted_between_any_two_plies_the_solution_is_the_same(
            graph in RandomGraph::any(),
            rules in prop::sample::select(&[Rules::None, Rules::Check]),
        ) {
            let whole = solve(&graph, rules, &Silent).ok().unwrap();
            let all = KeepAll::default();
            solve_with(&graph, rules, ChasePlay::solve, &Silent, &all).ok().unwrap();
            let kept = all.kept.into_inner().unwrap();
            prop_assert!(kept.len() > 1);
            for state in kept {
                let again = KeepAll { restored: Some(state), ..KeepAll::default() };
                let resumed = solve_with(&graph, rules, ChasePlay::solve, &Silent, &again).ok().unwrap();
                prop_assert_eq!(&resumed.words, &whole.words);
                prop_assert_eq!(&resumed.bases, &whole.bases);
            }
        }

        #[test]
        fn damaged_states_are_refused(graph in RandomGraph::any(), at: usize, flip in 1u8..) {
            let all = KeepAll::default();
            solve_with(&graph, Rules::Check, ChasePlay::solve, &Silent, &all).ok().unwrap();
            let (place, bytes) = all.kept.into_inner().unwrap().pop().unwrap();
            let cut = bytes[..at % bytes.len()].to_vec();
            let longer = [bytes.as_slice(), &[0]].concat();
            let mut damaged = bytes.clone();
            damaged[at % bytes.len()] ^= flip;
            for (bytes, is_whole) in [(bytes, true), (cut, false), (longer, false), (damaged, false)] {
                let read = Solver::read_state(&graph, place.clone(), bytes.as_slice());
                prop_assert_eq!(read.is_ok(), is_whole);
            }
        }
    }
}
