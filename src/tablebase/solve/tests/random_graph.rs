//! Random game graphs for tests of the solver.

use proptest::prelude::*;

use crate::tablebase::solve::chase_graph::{ChaseGraph, Followed, QuietMove};
use crate::tablebase::solve::solver::{Captures, Examined, GameGraph, UNCOUNTED};

/// A move out of the graph; the numbers are order and distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Draws,
    Wins((u16, u16)),
    Loses((u16, u16)),
}

impl Capture {
    /// The order of its result; 0 for a draw.
    const fn order(self) -> u16 {
        match self {
            Self::Draws => 0,
            Self::Wins((order, _)) | Self::Loses((order, _)) => order,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Vertex {
    next: Vec<u32>,
    captures: Vec<Capture>,
    is_checked: bool,
}

/// As many positions with either side to move; moves are arbitrary.
#[derive(Debug, Clone)]
pub(crate) struct RandomGraph {
    vertices: [Vec<Vertex>; 2],
    before: [Vec<Vec<u32>>; 2],
    /// Moves are counted when the first of them is known to lose.
    counts_late: bool,
}

impl RandomGraph {
    /// Any small graph.
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        (2usize..12).prop_flat_map(|size| Self::of_size(size, 3))
    }

    /// Any graph of fewer positions for each side.
    pub(crate) fn any_smaller_than(limit: usize) -> impl Strategy<Value = Self> {
        (2..limit).prop_flat_map(|size| Self::of_size(size, 3))
    }

    /// Any small graph whose captures have order 0.
    pub(crate) fn any_of_order_0() -> impl Strategy<Value = Self> {
        (2usize..12).prop_flat_map(|size| Self::of_size(size, 0))
    }

    fn of_size(size: usize, last_order: u16) -> impl Strategy<Value = Self> {
        let rank = (0..=last_order, 1u16..9);
        let capture = prop_oneof![
            Just(Capture::Draws),
            rank.clone().prop_map(Capture::Wins),
            rank.prop_map(Capture::Loses),
        ];
        let captures = prop_oneof![
            5 => Just(Vec::new()),
            1 => prop::collection::vec(capture, 1..3),
        ];
        let next = prop::collection::vec(0..size as u32, 0..4);
        let vertex = (next, captures, prop::bool::weighted(0.6))
            .prop_map(|(next, captures, is_checked)| Vertex { next, captures, is_checked });
        prop::collection::vec(vertex, 2 * size).prop_map(move |mut vertices| {
            let second = vertices.split_off(size);
            Self::new([vertices, second])
        })
    }

    /// Each position has one move, to the one before it; the first has none.
    pub(crate) fn chain(size: u32) -> Self {
        let side: Vec<Vertex> = (0..size)
            .map(|slot: u32| Vertex {
                next: slot.checked_sub(1).into_iter().collect(),
                ..Vertex::default()
            })
            .collect();
        Self::new([side.clone(), side])
    }

    /// Two positions with `moves` moves each.
    pub(crate) fn crowded(moves: usize) -> Self {
        let side = vec![Vertex { next: vec![1; moves], ..Vertex::default() }; 2];
        Self::new([side.clone(), side])
    }

    fn new(vertices: [Vec<Vertex>; 2]) -> Self {
        let size = vertices[0].len();
        let mut before = [vec![Vec::new(); size], vec![Vec::new(); size]];
        for side in 0..2 {
            for (slot, vertex) in vertices[side].iter().enumerate() {
                for &to in &vertex.next {
                    before[1 - side][to as usize].push(slot as u32);
                }
            }
        }
        Self { vertices, before, counts_late: false }
    }

    /// The same graph, the moves of which are counted when the first of them is known to lose.
    pub(crate) fn counting_late(&self) -> Self {
        Self { counts_late: true, ..self.clone() }
    }

    pub(crate) fn size(&self) -> usize {
        self.vertices[0].len()
    }

    pub(crate) fn next(&self, side: usize, slot: usize) -> &[u32] {
        &self.vertices[side][slot].next
    }

    pub(crate) fn captures_of(&self, side: usize, slot: usize) -> &[Capture] {
        &self.vertices[side][slot].captures
    }

    pub(crate) fn is_checked(&self, side: usize, slot: usize) -> bool {
        self.vertices[side][slot].is_checked
    }
}

impl GameGraph for RandomGraph {
    type Cursor<'a> = ();

    fn cursor(&self) {}

    fn sides(&self) -> usize {
        2
    }

    fn slots(&self) -> usize {
        self.size()
    }

    fn last_order(&self) -> u16 {
        let captures = self.vertices.iter().flatten().flat_map(|vertex| &vertex.captures);
        captures.map(|capture| capture.order()).max().unwrap_or(0)
    }

    fn examine(&self, (): &mut (), slot: u32) -> [Option<Examined>; 2] {
        [0, 1].map(|side: usize| {
            let vertex = &self.vertices[side][slot as usize];
            Some(Examined {
                quiet: match vertex.next.len() as u16 {
                    1.. if self.counts_late => UNCOUNTED,
                    moves => moves,
                },
                in_check: vertex.is_checked,
                captures: self.captures(&mut (), side, slot, 0),
                good_capture: false,
            })
        })
    }

    fn count_quiet(&self, (): &mut (), side: usize, slot: u32) -> u16 {
        self.next(side, slot as usize).len() as u16
    }

    fn captures(&self, (): &mut (), side: usize, slot: u32, horizon: u16) -> Captures {
        let mut captures = Captures::default();
        for &capture in self.captures_of(side, slot as usize) {
            match capture {
                Capture::Draws => captures.draws = true,
                Capture::Wins(rank) => captures.add_win(rank, horizon),
                Capture::Loses(rank) => captures.add_loss(rank, horizon),
            }
        }
        captures
    }

    fn successors(
        &self,
        (): &mut (),
        side: usize,
        slot: u32,
        visit: impl FnMut(u32) -> bool,
    ) -> bool {
        self.next(side, slot as usize).iter().copied().all(visit)
    }

    fn predecessors(&self, (): &mut (), side: usize, slot: u32, visit: impl FnMut(u32)) {
        self.before[side][slot as usize].iter().copied().for_each(visit);
    }
}

impl ChaseGraph for RandomGraph {
    fn can_chase(&self, _side: usize) -> bool {
        false
    }
    fn may_have_chased(&self, _side: usize, _next: u32) -> bool {
        false
    }
    fn quiet_moves(
        &self,
        _: usize,
        _: u32,
        _: Followed,
        _: impl Fn(u32) -> bool,
    ) -> Vec<QuietMove> {
        Vec::new()
    }
}
