//! A book's positions as a graph: those reached from the start position by its moves.

use std::collections::{HashMap, HashSet};

use crate::book::analysis::minimax::{Moves, NO_NODE};
use crate::book::file::reader::{Book, BookEntry};
use crate::book::model::error::BookError;
use crate::book::model::move_stats::RowKey;
use crate::game::{Adjudicate, Line, Notation, Outcome, Packed, Side, Symmetric};
use crate::hash::{Key, KeyTable};

/// No move, or no number.
const NONE: u32 = u32::MAX;

/// The positions that book moves reach from the start position, mirror images folded, and these moves.
/// Positions are numbered: first all that have moves in the book, in the order of their keys, then the leaves
/// in the order in which a walk depth first meets them. Needs some 60 bytes of memory for a move.
#[derive(Debug)]
pub struct Graph<G> {
    /// By node.
    keys: Vec<i64>,
    /// Nodes with moves.
    inner: usize,
    pub(crate) moves: Moves,
    /// By move.
    about: Vec<About>,
    /// By node: the move by which the shortest way from the start comes in; [`NONE`] for the start and for
    /// nodes that are not reached.
    came: Vec<u32>,
    /// By node: the length of that way; [`NONE`] for nodes that are not reached.
    depth: Vec<u32>,
    /// By node: the result, where the game is over there.
    ended: Vec<Option<Outcome>>,
    /// The usual starts that the book has moves for, in the order of the game.
    starts: Vec<(GraphNode, G)>,
    /// Moves that were deleted by hand.
    deleted: HashSet<RowKey>,
    /// The book's own keys, if they are not the stored ones.
    foreign_keys: Option<KeyTable>,
}

/// The facts that the graph keeps of a move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    /// Packed, in the canonical frame.
    pub(crate) bits: u16,
    pub(crate) games: u64,
}

/// A position of a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphNode(pub(crate) u32);

impl GraphNode {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Book {
    /// The graph of all moves of at least `min_games` games, and of those that were added by hand; `counts`
    /// can leave more out.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn graph<G: Symmetric + Notation>(
        &self,
        min_games: u64,
        mut counts: impl FnMut(&BookEntry) -> bool,
    ) -> Result<Graph<G>, BookError> {
        self.expect_game::<G>()?;
        let mut graph = Graph {
            keys: Vec::new(),
            inner: 0,
            moves: Moves::default(),
            about: Vec::new(),
            came: Vec::new(),
            depth: Vec::new(),
            ended: Vec::new(),
            deleted: self.deleted_moves()?,
            starts: Vec::new(),
            foreign_keys: self.foreign_keys().cloned(),
        };
        self.for_each_entry(|entry| {
            if entry.has_games(min_games) && counts(&entry) {
                graph.add(&entry);
            }
        })?;
        graph.inner = graph.keys.len();
        graph.walk();
        Ok(graph)
    }
}

impl<G> Graph<G> {
    fn add(&mut self, entry: &BookEntry) {
        // Entries come by key: those of a position are neighbours.
        if self.keys.last() != Some(&entry.key) {
            self.moves.first.push(self.about.len() as u32);
            self.keys.push(entry.key);
        }
        self.about.push(About { bits: entry.mv, games: entry.stats.games });
    }

    /// All positions reached from the start, in the order of their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = GraphNode> + '_ {
        (0..self.keys.len() as u32).map(GraphNode).filter(|node| self.depth[node.index()] != NONE)
    }

    /// The first start position that the book has moves for.
    #[must_use]
    pub fn start(&self) -> Option<GraphNode> {
        self.starts().next()
    }

    /// All start positions that the book has moves for.
    pub fn starts(&self) -> impl Iterator<Item = GraphNode> + '_ {
        self.starts.iter().map(|(node, _)| *node)
    }

    /// The reached positions in which the book ends, except where the game does.
    pub fn leaves(&self) -> impl Iterator<Item = GraphNode> + '_ {
        self.nodes().filter(|&node| self.is_leaf(node) && !self.is_over(node))
    }

    /// Returns true if no move of the book counts there.
    #[must_use]
    pub fn is_leaf(&self, node: GraphNode) -> bool {
        self.moves.of(node.index()).all(|m| self.moves.to[m] == NO_NODE)
    }

    /// Returns true if the game is over there.
    #[must_use]
    pub fn is_over(&self, node: GraphNode) -> bool {
        self.outcome(node).is_some()
    }

    pub(crate) fn outcome(&self, node: GraphNode) -> Option<Outcome> {
        self.ended[node.index()]
    }

    /// The canonical key of a position.
    #[must_use]
    pub fn key(&self, node: GraphNode) -> Key {
        Key::from_i64(self.keys[node.index()])
    }

    /// Plies of the shortest way to it from the start.
    #[must_use]
    pub fn depth(&self, node: GraphNode) -> u32 {
        self.depth[node.index()]
    }

    /// The side whose turn it is.
    #[must_use]
    pub fn turn(&self, node: GraphNode) -> Side {
        self.moves.turn[node.index()]
    }

    pub(crate) fn about(&self, number: usize) -> About {
        self.about[number]
    }

    /// The key of the position that a move leads to.
    pub(crate) fn target_key(&self, number: usize) -> Option<i64> {
        let to = self.moves.to[number];
        (to != NO_NODE).then(|| self.keys[to as usize])
    }

    pub(crate) fn is_deleted(&self, node: GraphNode, bits: u16) -> bool {
        self.deleted.contains(&(self.keys[node.index()], bits))
    }

    /// Number of moves, those of positions that are not reached and illegal ones with them.
    pub(crate) const fn moves_len(&self) -> usize {
        self.about.len()
    }

    /// Number of moves of positions that the start does not reach.
    pub(crate) fn unreached_moves(&self) -> u64 {
        let unreached = (0..self.inner).filter(|&node| self.depth[node] == NONE);
        unreached.map(|node| self.moves.of(node).len() as u64).sum()
    }

    /// The position in which a move is made.
    pub(crate) fn maker(&self, number: usize) -> usize {
        // Moves are numbered by position, so that the position follows from the number.
        self.moves.first[..self.inner].partition_point(|&first| first as usize <= number) - 1
    }
}

/// The state of a depth-first walk in a position.
struct WalkStep<G: Symmetric> {
    node: usize,
    /// The next of its moves to try.
    next: usize,
    /// The move that led here, and what is needed to undo it.
    back: Option<(G::Move, G::Undo)>,
}

impl<G: Symmetric + Notation> Graph<G> {
    /// Finds where every move leads by playing through the book, each move once.
    fn walk(&mut self) {
        self.moves.first.push(self.about.len() as u32);
        self.moves.to = vec![NO_NODE; self.about.len()];
        self.moves.turn = vec![Side::First; self.inner];
        self.ended = vec![None; self.inner];
        let starts: Vec<_> = G::starts()
            .into_iter()
            .filter_map(|start: G| {
                // The keys ascend, as rows do in the book.
                let node = self.keys.binary_search(&self.key_of(&start)).ok()?;
                Some((GraphNode(node as u32), start))
            })
            .collect();
        let mut leaves = HashMap::new();
        let mut entered = vec![false; self.inner];
        for (node, start) in &starts {
            self.walk_from((node.index(), start.clone()), &mut leaves, &mut entered);
        }
        // Leaves have no moves.
        // An empty range for each of them, and the end of the last.
        self.moves.first.resize(self.keys.len() + 1, self.about.len() as u32);
        self.came = vec![NONE; self.keys.len()];
        self.depth = vec![NONE; self.keys.len()];
        self.starts = starts;
        self.measure();
    }

    fn walk_from(
        &mut self,
        (start, mut position): (usize, G),
        leaves: &mut HashMap<i64, usize>,
        entered: &mut [bool],
    ) {
        // A stack of its own: lines of a book can be thousands of moves long by way of transpositions.
        let mut stack = vec![self.enter(start, &position, None, entered)];
        while let Some(step) = stack.last_mut() {
            let node = step.node;
            let number = step.next;
            if number == self.moves.first[node + 1] as usize {
                if let Some((mv, undo)) = stack.pop().and_then(|step| step.back) {
                    position.unmake(mv, undo);
                }
                continue;
            }
            step.next += 1;
            let Some(mv) = self.played(&position, number) else { continue };
            let undo = position.make(mv);
            // Each move is played once, from whatever line comes to its position first; later ways end
            // here.
            let to = self.number_of(&position, leaves);
            self.moves.to[number] = to as u32;
            if to < self.inner && !entered[to] {
                stack.push(self.enter(to, &position, Some((mv, undo)), entered));
            } else {
                position.unmake(mv, undo);
            }
        }
    }

    fn enter(
        &mut self,
        node: usize,
        position: &G,
        back: Option<(G::Move, G::Undo)>,
        entered: &mut [bool],
    ) -> WalkStep<G> {
        entered[node] = true;
        self.moves.turn[node] = position.turn();
        WalkStep { node, next: self.moves.first[node] as usize, back }
    }

    /// The node of a position, a new one for a leaf that was not met before.
    fn number_of(&mut self, position: &G, leaves: &mut HashMap<i64, usize>) -> usize {
        let key = self.key_of(position);
        self.keys[..self.inner].binary_search(&key).unwrap_or_else(|_| {
            *leaves.entry(key).or_insert_with(|| {
                self.keys.push(key);
                self.moves.turn.push(position.turn());
                self.ended.push(position.outcome());
                self.keys.len() - 1
            })
        })
    }

    fn key_of(&self, position: &G) -> i64 {
        position.canonical_with(self.foreign_keys.as_ref()).key.to_i64()
    }

    /// A move in the canonical frame, packed.
    pub(crate) fn packed(&self, position: &G, mv: G::Move) -> u16 {
        let canonical = position.canonical_with(self.foreign_keys.as_ref());
        position.canonical_move(canonical, mv).pack()
    }

    /// The inverse of [`packed`](Self::packed), of several images the greatest as in
    /// [`Book::probe`]; `None` if the move is not legal.
    pub(crate) fn unpacked(&self, position: &G, bits: u16) -> Option<G::Move> {
        let image = G::Move::unpack(bits)?;
        let by = position.canonical_with(self.foreign_keys.as_ref()).by;
        let played = (0..position.symmetries())
            .filter(|s| by >> s & 1 == 1)
            .map(|s| position.unmap_move(image, s))
            // Of several images of one move any would do; the greatest is what queries show.
            .max();
        played.filter(|&mv| position.is_legal(mv))
    }

    /// The number of a position's move, if the book has it.
    pub(crate) fn number_of_move(&self, node: GraphNode, bits: u16) -> Option<usize> {
        self.moves
            .of(node.index())
            .find(|&m: &usize| self.about[m].bits == bits && self.moves.to[m] != NO_NODE)
    }

    /// Calls `visit` once with every position that is reached, in one of its frames.
    pub fn for_each_position(&self, mut visit: impl FnMut(GraphNode, &G)) {
        for (start, position) in &self.starts {
            self.visit_from(*start, position.clone(), &mut visit);
        }
    }

    fn visit_from(&self, start: GraphNode, mut position: G, visit: &mut impl FnMut(GraphNode, &G)) {
        visit(start, &position);
        // The moves left to try, and the one that led here with what is needed to undo it.
        let mut stack = vec![(self.moves.of(start.index()), None)];
        while let Some((moves, _)) = stack.last_mut() {
            let Some(number) = moves.next() else {
                if let Some((_, Some((mv, undo)))) = stack.pop() {
                    position.unmake(mv, undo);
                }
                continue;
            };
            let to = self.moves.to[number];
            // Each position from the one move on the shortest way to it.
            if to == NO_NODE || self.came[to as usize] != number as u32 {
                continue;
            }
            if let Some(mv) = self.played(&position, number) {
                let undo = position.make(mv);
                visit(GraphNode(to), &position);
                stack.push((self.moves.of(to as usize), Some((mv, undo))));
            }
        }
    }

    /// Calls `visit` with every move that is reached: where it is made, its number, the position
    /// before it in one of its frames, the move, and the position after it.
    pub(crate) fn for_each_move(&self, mut visit: impl FnMut(GraphNode, usize, &G, G::Move, &G)) {
        self.for_each_position(|node, position| {
            for number in self.moves.of(node.index()) {
                if let Some(mv) = self.played(position, number) {
                    let mut after = position.clone();
                    after.make(mv);
                    visit(node, number, position, mv, &after);
                }
            }
        });
    }

    /// A move of the book as it is played in a position of its key.
    pub(crate) fn played(&self, position: &G, number: usize) -> Option<G::Move> {
        self.unpacked(position, self.about[number].bits)
    }

    /// Finds the shortest ways from the starts, breadth first; of equal ones the first.
    fn measure(&mut self) {
        let mut queue: std::collections::VecDeque<usize> =
            self.starts().map(GraphNode::index).collect();
        for &start in &queue {
            self.depth[start] = 0;
        }
        while let Some(node) = queue.pop_front() {
            for number in self.moves.of(node) {
                let to = self.moves.to[number] as usize;
                if to != NO_NODE as usize && self.depth[to] == NONE {
                    self.depth[to] = self.depth[node] + 1;
                    self.came[to] = number as u32;
                    queue.push_back(to);
                }
            }
        }
    }

    /// The moves of the shortest way to a position, and the start that it begins with.
    pub(crate) fn way_to(&self, node: GraphNode) -> (GraphNode, Vec<usize>) {
        let mut way = Vec::new();
        let mut at = node.index();
        while self.came[at] != NONE {
            let number = self.came[at] as usize;
            way.push(number);
            at = self.maker(number);
        }
        way.reverse();
        (GraphNode(at as u32), way)
    }
}

impl<G: Symmetric + Notation + Adjudicate> Graph<G> {
    /// The shortest way to a position from a start.
    #[must_use]
    pub fn line_to(&self, node: GraphNode) -> Line<G> {
        let (from, way) = self.way_to(node);
        let start = self.starts.iter().find(|(start, _)| *start == from);
        let mut line = Line::new(start.map_or_else(G::start, |(_, start)| start.clone()), 0);
        for number in way {
            if let Some(mv) = self.played(line.position(), number) {
                line.push(mv);
            }
        }
        line
    }
}
