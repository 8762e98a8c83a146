//! Perpetual check and chase together, literally: the parity game of one side as the victim on
//! positions × the piece that it names as chased, or none, for what neither mates nor checks alone
//! decide. The greatest priority that occurs for ever must be even for the victim to win:
//!
//! - 5: a move of the chaser that does not newly chase the piece named, or, if none is named, is no
//!   check; a move of the victim by which it names another piece or none;
//! - 4: a move of the victim, a piece being named, that neither checks nor newly chases anything;
//! - 3: a move of the chaser that newly chases the piece named and is no check;
//! - 2: a move of the victim that is no check, but chases, or no piece is named;
//! - 1: any other move: checks of the victim, and checks of the chaser that chase the piece named,
//!   if one is.
//!
//! What a move newly chases is the rules' own definition,
//! [`chased`](juzhong::xiangqi::repetition::chased).

use std::collections::HashMap;

use juzhong::game::{Game as _, MoveList, Side};
use juzhong::xiangqi::repetition::chased;
use juzhong::xiangqi::{Move, Position, Role, Square};

use super::{Graph, code, decode};

/// A position by its number, the man named, and the priority of the move that led here.
type Vertex = (u32, Option<Square>, u8);

/// Follows a position without moves in the part of a graph that is played on; the victim has not won.
const END: Vertex = (u32::MAX, None, 5);

struct Game<'a> {
    graph: &'a Graph,
    victim: Side,
    drawn: &'a [bool],
    numbers: HashMap<Vertex, u32>,
    vertices: Vec<Vertex>,
    next: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
}

/// The drawn positions that the victim wins by the rules of perpetual check and chase. Captures of
/// drawn positions are moves among them.
pub(crate) fn won_by_rule(graph: &Graph, victim: Side, drawn: &[bool]) -> Vec<usize> {
    let mut game = Game {
        graph,
        victim,
        drawn,
        numbers: HashMap::new(),
        vertices: Vec::new(),
        next: Vec::new(),
        before: Vec::new(),
    };
    let positions: Vec<usize> = (0..drawn.len()).filter(|&node| drawn[node]).collect();
    let starts: Vec<u32> =
        positions.iter().map(|&node| game.number((node as u32, None, 3))).collect();
    game.expand_all();
    let won = game.won(vec![true; game.vertices.len()]);
    positions
        .into_iter()
        .zip(starts)
        .filter(|&(_, start)| won[start as usize])
        .map(|p| p.0)
        .collect()
}

impl Game<'_> {
    fn number(&mut self, vertex: Vertex) -> u32 {
        let count = self.vertices.len() as u32;
        let number = *self.numbers.entry(vertex).or_insert(count);
        if number == count {
            self.vertices.push(vertex);
        }
        number
    }

    fn expand_all(&mut self) {
        let mut done = 0;
        while done < self.vertices.len() {
            let next = self.moves_from(self.vertices[done]);
            self.next.push(next);
            done += 1;
        }
        self.before = vec![Vec::new(); done];
        for (from, next) in self.next.iter().enumerate() {
            for &to in next {
                self.before[to as usize].push(from as u32);
            }
        }
    }

    fn moves_from(&mut self, (node, man, priority): Vertex) -> Vec<u32> {
        if (node, man, priority) == END {
            return vec![self.number(END)];
        }
        let position = decode(self.graph.nodes[node as usize].code);
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut next = Vec::new();
        for &mv in &moves {
            let mut after = position.clone();
            after.make(mv);
            let to = self.graph.ids.get(&code(&after)).copied();
            let Some(to) = to.filter(|&to| self.drawn[to as usize]) else { continue };
            let named = man.and_then(|man| self.follow(&after, man, mv));
            let checks = after.in_check();
            if position.turn() == self.victim {
                let chases = !chased(&position, mv).is_empty();
                let victims = after.side(self.victim) - after.role(Role::King);
                for other in victims.into_iter().map(Some).chain([None]) {
                    let priority = match other == named {
                        false => 5,
                        true if checks => 1,
                        true if chases || named.is_none() => 2,
                        true => 4,
                    };
                    next.push(self.number((to, other, priority)));
                }
            } else {
                let goes_on = man.map_or(checks, |man| chased(&position, mv).has(man));
                let priority = match (goes_on, checks) {
                    (false, _) => 5,
                    (true, false) => 3,
                    (true, true) => 1,
                };
                next.push(self.number((to, named, priority)));
            }
        }
        if next.is_empty() {
            next.push(self.number(END));
        }
        next
    }

    /// The square of the man after a move, if it was not captured.
    fn follow(&self, after: &Position, man: Square, mv: Move) -> Option<Square> {
        let man = if mv.from() == man { mv.to() } else { man };
        after.side(self.victim).has(man).then_some(man)
    }

    fn is_victims(&self, vertex: usize) -> bool {
        let (node, ..) = self.vertices[vertex];
        self.graph.nodes.get(node as usize).is_some_and(|node| node.turn == self.victim)
    }

    /// Zielonka's recursive algorithm: the vertices of `alive` from which the victim wins.
    fn won(&self, mut alive: Vec<bool>) -> Vec<bool> {
        let mut won = vec![false; alive.len()];
        loop {
            let members: Vec<usize> = (0..alive.len()).filter(|&v| alive[v]).collect();
            let Some(top) = members.iter().map(|&v| self.vertices[v].2).max() else { return won };
            let even = top % 2 == 0;
            let greatest = members.iter().copied().filter(|&v| self.vertices[v].2 == top).collect();
            let attracted = self.attractor(&alive, even, greatest);
            let rest: Vec<bool> = (0..alive.len()).map(|v| alive[v] && !attracted[v]).collect();
            let inner = self.won(rest.clone());
            let others: Vec<usize> =
                members.iter().copied().filter(|&v| rest[v] && inner[v] != even).collect();
            if others.is_empty() {
                members.into_iter().filter(|_| even).for_each(|v| won[v] = true);
                return won;
            }
            let taken = self.attractor(&alive, !even, others);
            for v in members.into_iter().filter(|&v| taken[v]) {
                won[v] |= !even;
                alive[v] = false;
            }
        }
    }

    fn attractor(&self, alive: &[bool], by_victim: bool, targets: Vec<usize>) -> Vec<bool> {
        let mut attracted = vec![false; alive.len()];
        targets.iter().for_each(|&v| attracted[v] = true);
        let mut queue = targets;
        while let Some(v) = queue.pop() {
            for before in self.before[v].iter().map(|&before| before as usize) {
                let mut next = self.next[before].iter().map(|&next| next as usize);
                let escapes = self.is_victims(before) != by_victim
                    && next.any(|next| alive[next] && !attracted[next]);
                if alive[before] && !attracted[before] && !escapes {
                    attracted[before] = true;
                    queue.push(before);
                }
            }
        }
        attracted
    }
}
