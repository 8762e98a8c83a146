//! Values of a finite game on a graph, with loops.
//!
//! A position may be reached in several ways and may come back, so the moves of a book form a graph with
//! loops. Play on it is endless or ends where a side *leaves*: at a leaf, or by a move that the book lacks.
//! Leaving has a stated value; **endless play is a draw**. Every position then has one value: for each
//! threshold above a draw it is a question of reaching, and below a draw one of avoiding, and such games are
//! decided by moves that depend on the position alone.
//!
//! [`solve`] finds the values backwards, as tablebases are made: the values best for the first side are
//! passed on first, a position of the first side gets the first value that it is offered, one of the second
//! side the last, once all its moves have one (Knuth's generalisation of Dijkstra's algorithm). Then the same
//! for the second side, and the rest is drawn. The time is that of sorting the moves, whatever the loops.

use std::collections::BinaryHeap;

use crate::book::model::value::Value;
use crate::game::Side;

/// A node of another graph, or none.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// The moves of a graph and their targets. Nodes and moves are numbered; the moves of a node are a range.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moves {
    /// The first move of each node, and the number of all moves.
    pub(crate) first: Vec<u32>,
    /// The node that each move leads to; [`NO_NODE`] for one that does not count.
    pub(crate) to: Vec<u32>,
    /// The side to move in each node.
    pub(crate) turn: Vec<Side>,
}

impl Moves {
    pub(crate) fn nodes(&self) -> usize {
        self.turn.len()
    }

    /// The numbers of the moves of a node.
    pub(crate) fn of(&self, node: usize) -> std::ops::Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// The moves that lead to each node, by the node that they are made in.
    fn reversed(&self) -> (Vec<u32>, Vec<u32>) {
        // Counted one place further on: the sums that follow are then the beginnings.
        let mut first = vec![0u32; self.nodes() + 1];
        for &to in self.to.iter().filter(|&&to| to != NO_NODE) {
            first[to as usize + 1] += 1;
        }
        for node in 0..self.nodes() {
            first[node + 1] += first[node];
        }
        // The next free place of each node.
        let mut next = first.clone();
        let mut from = vec![0; first[self.nodes()] as usize];
        for node in 0..self.nodes() {
            for &to in self.to[self.of(node)].iter().filter(|&&to| to != NO_NODE) {
                from[next[to as usize] as usize] = node as u32;
                next[to as usize] += 1;
            }
        }
        (first, from)
    }
}

/// A way in which play can end in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Only the node's moves count. A node without any is drawn.
    Not,
    /// One more choice of the side to move, of this value for it.
    Choice(Value),
    /// Play ends here whatever the moves.
    Forced(Value),
}

/// The value of every node for the side to move there.
pub(crate) fn solve(moves: &Moves, leave: &[Leave]) -> Vec<Value> {
    let reversed = moves.reversed();
    let mut values: Vec<Option<Value>> = vec![None; moves.nodes()];
    for winner in Side::ALL {
        Wave { moves, leave, reversed: &reversed, winner, values: &mut values }.run();
    }
    values.into_iter().map(|value| value.unwrap_or(Value::DRAW)).collect()
}

/// All nodes from which one side wins more than a draw.
struct Wave<'a> {
    moves: &'a Moves,
    leave: &'a [Leave],
    reversed: &'a (Vec<u32>, Vec<u32>),
    winner: Side,
    /// For the side to move.
    values: &'a mut [Option<Value>],
}

impl Wave<'_> {
    fn run(mut self) {
        // Values offered to nodes, the best for the winner first.
        let mut offers: BinaryHeap<(i32, u32)> = BinaryHeap::new();
        // Choices of the other side that are not known to be lost for it.
        let mut open: Vec<u32> = Vec::with_capacity(self.moves.nodes());
        for (node, &leave) in self.leave.iter().enumerate() {
            let value = match leave {
                Leave::Not => None,
                Leave::Choice(value) | Leave::Forced(value) => Some(self.for_winner(node, value)),
            };
            let counted = self.moves.of(node).filter(|&m| self.moves.to[m] != NO_NODE).count();
            open.push(match leave {
                Leave::Not => counted as u32,
                Leave::Choice(_) => counted as u32 + 1,
                Leave::Forced(_) => 1,
            });
            offers.extend(value.filter(|&value| value > 0).map(|value| (value, node as u32)));
        }
        while let Some((value, node)) = offers.pop() {
            let node = node as usize;
            // A node of the loser is decided by the last of its moves: offers come best first, so that this
            // is the least bad one.
            open[node] = open[node].saturating_sub(1);
            let chooses = self.moves.turn[node] == self.winner;
            if self.values[node].is_none() && (chooses || open[node] == 0) {
                self.settle(node, value, &mut offers);
            }
        }
    }

    /// A value for the side to move, as the value for the winner of this wave; and the other way round.
    fn for_winner(&self, node: usize, value: Value) -> i32 {
        if self.moves.turn[node] == self.winner { value.value() } else { -value.value() }
    }

    fn settle(&mut self, node: usize, value: i32, offers: &mut BinaryHeap<(i32, u32)>) {
        let own = if self.moves.turn[node] == self.winner { value } else { -value };
        // Every number here is one of the scale, so this is one too.
        let Some(own) = Value::from_value(own) else { return };
        self.values[node] = Some(own);
        let (first, from) = self.reversed;
        for &before in &from[first[node] as usize..first[node + 1] as usize] {
            let is_open = self.values[before as usize].is_none();
            if is_open && !matches!(self.leave[before as usize], Leave::Forced(_)) {
                let offer = self.for_winner(before as usize, own.before());
                offers.push((offer, before));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(edges: &[Vec<u32>], turn: Vec<Side>) -> Moves {
        let mut first = vec![0];
        let mut to = Vec::new();
        for moves in edges {
            to.extend_from_slice(moves);
            first.push(to.len() as u32);
        }
        Moves { first, to, turn }
    }

    /// The definition: play to the first repetition, which is a draw, trying everything.
    fn by_trying(moves: &Moves, leave: &[Leave], node: usize, path: &mut Vec<usize>) -> Value {
        if path.contains(&node) {
            return Value::DRAW;
        }
        let mut best = match leave[node] {
            Leave::Forced(value) => return value,
            Leave::Choice(value) => Some(value),
            Leave::Not => None,
        };
        path.push(node);
        for to in moves.of(node).map(|m| moves.to[m]).filter(|&to| to != NO_NODE) {
            let after = by_trying(moves, leave, to as usize, path);
            // A move back into the line is a draw as such, not one a ply away.
            best = best.max(Some(after.before()));
        }
        path.pop();
        best.unwrap_or(Value::DRAW)
    }

    /// Another definition: the value of play that ends as a draw after a number of plies, once more plies
    /// change nothing.
    fn by_plies(moves: &Moves, leave: &[Leave]) -> Vec<Value> {
        let mut values = vec![Value::DRAW; moves.nodes()];
        for _ in 0..4 * moves.nodes() + 4 {
            values = (0..moves.nodes())
                .map(|node| {
                    let counted = moves.of(node).filter(|&m| moves.to[m] != NO_NODE);
                    let best = counted.map(|m| values[moves.to[m] as usize].before()).max();
                    match leave[node] {
                        Leave::Forced(value) => value,
                        Leave::Choice(value) => best.max(Some(value)).unwrap_or(value),
                        Leave::Not => best.unwrap_or(Value::DRAW),
                    }
                })
                .collect();
        }
        values
    }

    fn any_worth() -> impl Strategy<Value = Value> {
        prop_oneof![
            (-3..=3).prop_map(Value::from_centipawns),
            (0..3u16).prop_map(Value::mate_in),
            (0..3u16).prop_map(Value::mated_in),
            (1..3u16).prop_map(|order| Value::won_by_rule(order, 2)),
        ]
    }

    fn any_game() -> impl Strategy<Value = (Moves, Vec<Leave>)> {
        (2..8usize).prop_flat_map(|nodes| {
            let target = prop_oneof![9 => 0..nodes as u32, 1 => Just(NO_NODE)];
            let edges = prop::collection::vec(prop::collection::vec(target, 0..4), nodes);
            let turns = prop::collection::vec(prop::sample::select(Side::ALL.to_vec()), nodes);
            let leave = prop_oneof![
                4 => Just(Leave::Not),
                2 => any_worth().prop_map(Leave::Choice),
                1 => any_worth().prop_map(Leave::Forced),
            ];
            let leaves = prop::collection::vec(leave, nodes);
            (edges, turns, leaves).prop_map(|(mut edges, turn, leave)| {
                // The sides alternate.
                for (from, moves) in edges.iter_mut().enumerate() {
                    moves.retain(|&to| to == NO_NODE || turn[to as usize] != turn[from]);
                }
                (graph(&edges, turn), leave)
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]
        #[test]
        fn values_are_those_of_brute_force((moves, leave) in any_game()) {
            let values = solve(&moves, &leave);
            prop_assert_eq!(&values, &by_plies(&moves, &leave));
            for (node, &value) in values.iter().enumerate() {
                prop_assert_eq!(value, by_trying(&moves, &leave, node, &mut Vec::new()), "{}", node);
            }
        }
    }

    #[test]
    fn a_loop_is_a_draw_unless_someone_does_better() {
        let (red, black) = (Side::First, Side::Second);
        let cp = Value::from_centipawns;
        // 0 (Red) <-> 1 (Black), and 0 may go to the leaf 2 (Black).
        let moves = graph(&[vec![1, 2], vec![0], vec![]], vec![red, black, black]);
        let values = |value| solve(&moves, &[Leave::Not, Leave::Not, Leave::Forced(value)]);
        assert_eq!(values(cp(50)), [cp(0), cp(0), cp(50)], "Red keeps going around");
        assert_eq!(values(cp(-50)), [cp(50), cp(-50), cp(-50)], "Red leaves");
        let mated = Value::mated_in(0);
        assert_eq!(values(mated), [Value::mate_in(1), Value::mated_in(2), mated]);
    }
}
