//! Loops of book moves that the repetition rules decide.
//!
//! Where book moves lead around in a loop, and the rules make the side lose that goes on with it
//! (perpetual check, perpetual chase), the book must not go on. Of each such loop one move of that
//! side is *banned*: its last one before the position comes back in which the shortest way from the
//! start enters the loop. Then the book has no such loop any more, and all other moves stay.

use crate::book::analysis::graph::{Graph, GraphNode};
use crate::book::analysis::minimax::NO_NODE;
use crate::game::{Adjudicate, Horizon, Line, Notation, Side, Symmetric, Verdict};

/// Longest loop that is looked for, in plies of the folded graph. Loops in games have four, rarely
/// six or eight.
pub const MAX_LOOP: usize = 12;

/// Moves tried from one entry, at most; a book that has more loops there was not made of games.
const MAX_TRIED: u32 = 200_000;

/// A move that goes on with a loop that the rules decide against its maker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban<M> {
    /// The position in which the move is made.
    pub node: GraphNode,
    /// In the canonical frame, packed.
    pub bits: u16,
    /// The way to the loop from the start, and once around it; the banned move is among the last.
    pub line: Vec<M>,
    /// The reason why it loses, in the rules' terms.
    pub reason: &'static str,
}

/// The bans of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bans<M> {
    /// In the order in which they were found.
    pub moves: Vec<Ban<M>>,
    /// Positions from which there are too many ways to examine all of them.
    pub unfinished: usize,
}

impl<G: Symmetric + Notation + Adjudicate> Graph<G> {
    /// The moves that repetition rules ban, in loops of up to [`MAX_LOOP`] plies.
    #[must_use]
    pub fn bans(&self, rules: G::Rules) -> Bans<G::Move> {
        let component = self.components();
        let mut bans = Bans { moves: Vec::new(), unfinished: 0 };
        let mut banned = vec![false; self.moves_len()];
        let mut entries: Vec<GraphNode> =
            self.nodes().filter(|node| component[node.index()].is_some()).collect();
        entries.sort_by_key(|&node| self.rank(node.index()));
        for entry in entries {
            let mut search = LoopSearch {
                graph: self,
                component: &component,
                banned: &mut banned,
                rules,
                line: self.line_to(entry),
                entry: entry.index(),
                tried: 0,
            };
            while let Some((number, ban)) = search.next() {
                search.banned[number] = true;
                bans.moves.push(ban);
            }
            bans.unfinished += usize::from(search.tried >= MAX_TRIED);
        }
        bans
    }

    /// The rank of a node as the entry of a loop: the nearest to the start comes first, then the lowest
    /// number.
    fn rank(&self, node: usize) -> (u32, usize) {
        (self.depth(GraphNode(node as u32)), node)
    }

    /// By node, the number of its strongly connected component; `None` where no loop goes through it.
    /// Tarjan's algorithm.
    fn components(&self) -> Vec<Option<u32>> {
        let nodes = self.moves.nodes();
        let mut tarjan = Tarjan {
            index: vec![u32::MAX; nodes],
            low: vec![0; nodes],
            on_stack: vec![false; nodes],
            stack: Vec::new(),
            next: 0,
            component: vec![None; nodes],
        };
        for root in self.nodes() {
            if tarjan.index[root.index()] == u32::MAX {
                tarjan.visit(self, root.index());
            }
        }
        tarjan.component
    }
}

struct Tarjan {
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: u32,
    component: Vec<Option<u32>>,
}

impl Tarjan {
    fn visit<G>(&mut self, graph: &Graph<G>, root: usize) {
        // A stack on the heap: a line of a book may be too long for recursion.
        let mut calls = vec![(root, graph.moves.of(root))];
        self.enter(root);
        while let Some((node, moves)) = calls.last_mut() {
            let node = *node;
            match moves.next().map(|m| graph.moves.to[m]) {
                Some(NO_NODE) => {}
                Some(to) if self.index[to as usize] == u32::MAX => {
                    self.enter(to as usize);
                    calls.push((to as usize, graph.moves.of(to as usize)));
                }
                Some(to) => {
                    if self.on_stack[to as usize] {
                        self.low[node] = self.low[node].min(self.index[to as usize]);
                    }
                }
                None => {
                    calls.pop();
                    if let Some(&(parent, _)) = calls.last() {
                        self.low[parent] = self.low[parent].min(self.low[node]);
                    }
                    self.close(node);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    /// Pops a component off the stack if `node` is its root. The sides alternate, so one of a single position
    /// has no loop.
    fn close(&mut self, node: usize) {
        if self.low[node] != self.index[node] {
            return;
        }
        let is_single = self.stack.last() == Some(&node);
        while let Some(member) = self.stack.pop() {
            self.on_stack[member] = false;
            self.component[member] = (!is_single).then_some(self.index[node]);
            if member == node {
                break;
            }
        }
    }
}

/// The search for loops that are entered in one position.
struct LoopSearch<'a, G: Adjudicate> {
    graph: &'a Graph<G>,
    component: &'a [Option<u32>],
    banned: &'a mut Vec<bool>,
    rules: G::Rules,
    /// From the start to the entry.
    line: Line<G>,
    entry: usize,
    tried: u32,
}

impl<G: Symmetric + Notation + Adjudicate> LoopSearch<'_, G> {
    /// The next loop without banned moves that the rules decide: the move to ban, and why.
    fn next(&mut self) -> Option<(usize, Ban<G::Move>)> {
        let mut path: Vec<usize> = Vec::new();
        let mut ahead = vec![self.graph.moves.of(self.entry)];
        while let Some(moves) = ahead.last_mut() {
            let Some(number) = moves.next() else {
                ahead.pop();
                path.pop();
                continue;
            };
            self.tried += 1;
            if self.tried >= MAX_TRIED {
                return None;
            }
            let to = self.graph.moves.to[number] as usize;
            if self.banned[number] || to == NO_NODE as usize {
                continue;
            }
            path.push(number);
            if to == self.entry {
                if let Some(found) = self.judge(&path) {
                    return Some(found);
                }
            } else if self.may_visit(to, &path) {
                ahead.push(self.graph.moves.of(to));
                continue;
            }
            path.pop();
        }
        None
    }

    /// Loops through positions of smaller rank are found from there.
    fn may_visit(&self, to: usize, path: &[usize]) -> bool {
        path.len() < MAX_LOOP
            && self.component[to] == self.component[self.entry]
            && self.graph.rank(to) > self.graph.rank(self.entry)
            && path[..path.len() - 1].iter().all(|&m| self.graph.moves.to[m] as usize != to)
    }

    /// Plays a loop until the very same position is back (the first time it may be a mirror image), and
    /// applies the rules.
    fn judge(&self, path: &[usize]) -> Option<(usize, Ban<G::Move>)> {
        let start = self.line.position();
        let mut line = Line::new(start.clone(), 0);
        for _ in 0..start.symmetries() {
            for &number in path {
                line.push(self.graph.played(line.position(), number)?);
            }
            let judgement = G::judge(&line, self.rules, Horizon::Search { root: 0 });
            if let Verdict::Loses(loser) = judgement.verdict {
                let number = *path.iter().rev().find(|&&m| self.mover(m) == loser)?;
                let ban = Ban {
                    node: GraphNode(self.graph.maker(number) as u32),
                    bits: self.graph.about(number).bits,
                    line: self.line.moves().chain(line.moves().take(path.len())).collect(),
                    reason: judgement.reason.unwrap_or("repetition"),
                };
                return Some((number, ban));
            }
            if line.position().key() == start.key() {
                return None;
            }
        }
        None
    }

    fn mover(&self, number: usize) -> Side {
        self.graph.turn(GraphNode(self.graph.maker(number) as u32))
    }
}
