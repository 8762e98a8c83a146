//! The rounds of check and chase against the joint game, literally: the winner of a play is a
//! property of the set of kinds of moves that occur in it for ever (a Muller condition), and the
//! game is solved by the recursion of McNaughton and Zielonka over these sets. Nothing names a
//! piece, no rule goes before another, and each colour is solved once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use proptest::prelude::*;

use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::solve::chase_play::{ChasePlay, Distances};
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::snapshot::KeepNothing;
use crate::tablebase::solve::solver::{UNDECIDED, solve, solve_with};
use crate::tablebase::solve::sub_values::SubValues;
use crate::tablebase::solve::table::Table;
use crate::tablebase::solve::tests::chase_parity_game::{
    MEN, RandomChaseGraph, in_turn_results, solver_results, wins_capture,
};
use crate::tablebase::solve::tests::parity_game::{Silent, result_of_wins};
use crate::tablebase::value::{Metric, Rules, Wdl};
use crate::xiangqi::Piece;

/// A set of kinds of moves, a bit for each.
type Kinds = u16;

/// Kinds of the chaser's moves: whether they check (1), and which of the pieces they newly chase (2
/// and 4, by the numbers of the pieces at the start).
const CHASERS: u32 = 8;
/// Kinds of the victim's moves.
const IDLE: u32 = CHASERS;
const CHASES_ONLY: u32 = CHASERS + 1;
const CHECKS: u32 = CHASERS + 2;
/// The play has ended: the victim has won, or not.
const WON: u32 = CHASERS + 3;
const NOT_WON: u32 = CHASERS + 4;

/// Returns true if the victim wins a play in which these kinds occur for ever.
fn victim_wins(kinds: Kinds) -> bool {
    if has(kinds, WON) || has(kinds, NOT_WON) {
        return has(kinds, WON);
    }
    let by_check = all_of_chaser(kinds, 1) && (has(kinds, IDLE) || has(kinds, CHASES_ONLY));
    let by_chase = (all_of_chaser(kinds, 2) || all_of_chaser(kinds, 4)) && has(kinds, IDLE);
    by_check || by_chase
}

/// Returns true if a kind is one of a set.
const fn has(kinds: Kinds, kind: u32) -> bool {
    kinds >> kind & 1 == 1
}

/// Returns true if all kinds of the chaser's moves have a bit: they check, or chase a piece.
fn all_of_chaser(kinds: Kinds, bit: u32) -> bool {
    (0..CHASERS).all(|kind| kind & bit != 0 || !has(kinds, kind))
}

/// The greatest subsets of a set of kinds whose plays go to the other player than its own.
fn turning_points(kinds: Kinds) -> Vec<Kinds> {
    static KNOWN: LazyLock<Mutex<HashMap<Kinds, Vec<Kinds>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().expect("no test panics here");
    known.entry(kinds).or_insert_with(|| find_turning_points(kinds)).clone()
}

fn find_turning_points(kinds: Kinds) -> Vec<Kinds> {
    let subsets = (0..kinds).filter(|part| part & !kinds == 0);
    let mut parts: Vec<Kinds> =
        subsets.filter(|&part| victim_wins(part) != victim_wins(kinds)).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.count_ones()));
    let mut greatest: Vec<Kinds> = Vec::new();
    for part in parts {
        if greatest.iter().all(|&other| part & !other != 0) {
            greatest.push(part);
        }
    }
    greatest
}

/// Side to move, slot, whether the pieces of the victim have exchanged their numbers, and the kind of
/// the move that led there.
type Vertex = (usize, usize, bool, u32);

struct JointGame<'a> {
    graph: &'a RandomChaseGraph,
    victim: usize,
    numbers: HashMap<Vertex, usize>,
    vertices: Vec<Vertex>,
    next: Vec<Vec<usize>>,
}

impl<'a> JointGame<'a> {
    fn new(graph: &'a RandomChaseGraph, victim: usize) -> Self {
        let (numbers, vertices, next) = (HashMap::new(), Vec::new(), Vec::new());
        Self { graph, victim, numbers, vertices, next }
    }

    fn number(&mut self, vertex: Vertex) -> usize {
        let count = self.vertices.len();
        let number = *self.numbers.entry(vertex).or_insert(count);
        if number == count {
            self.vertices.push(vertex);
        }
        number
    }

    fn end(&mut self, is_won: bool) -> usize {
        self.number((0, usize::MAX, false, if is_won { WON } else { NOT_WON }))
    }

    fn expand(&mut self, (side, slot, exchanged, kind): Vertex) -> Vec<usize> {
        if kind >= WON {
            return vec![self.end(kind == WON)];
        }
        let graph = self.graph;
        let mut next = Vec::new();
        for (&to, mv) in graph.graph.next(side, slot).iter().zip(graph.loop_moves_of(side, slot)) {
            let checks = graph.graph.is_checked(1 - side, to as usize);
            let kind = if side != self.victim {
                let numbers = if exchanged { [MEN - 1, MEN - 2] } else { [1, 2] };
                let [first, second] = numbers.map(|number| u32::from(mv.chased >> number & 1));
                u32::from(checks) | first << 1 | second << 2
            } else if checks {
                CHECKS
            } else if mv.chased != 0 {
                CHASES_ONLY
            } else {
                IDLE
            };
            let exchanged = exchanged != mv.exchanged[self.victim];
            next.push(self.number((1 - side, to as usize, exchanged, kind)));
        }
        for capture in graph.graph.captures_of(side, slot) {
            next.push(self.end(wins_capture(*capture, side == self.victim)));
        }
        if next.is_empty() {
            next.push(self.end(side != self.victim));
        }
        next
    }

    /// The positions that the victim wins.
    fn solve(mut self) -> Vec<bool> {
        let size = self.graph.graph.size();
        let starts: Vec<usize> =
            (0..2 * size).map(|i| self.number((i / size, i % size, false, CHECKS))).collect();
        while self.next.len() < self.vertices.len() {
            let next = self.expand(self.vertices[self.next.len()]);
            self.next.push(next);
        }
        let won = self.won(vec![true; self.vertices.len()]);
        starts.into_iter().map(|start| won[start]).collect()
    }

    /// The vertices of `alive` from which the victim wins.
    fn won(&self, mut alive: Vec<bool>) -> Vec<bool> {
        let mut won = vec![false; alive.len()];
        loop {
            let members = (0..alive.len()).filter(|&v| alive[v]);
            let kinds = members.fold(0, |kinds, v| kinds | 1 << self.vertices[v].3);
            let by_victim = victim_wins(kinds);
            let Some(others) = self.won_by_other(&alive, kinds, by_victim) else {
                if by_victim {
                    won.iter_mut().zip(&alive).for_each(|(won, &alive)| *won |= alive);
                }
                return won;
            };
            for v in self.attractor(&alive, !by_victim, others) {
                alive[v] = false;
                won[v] = !by_victim;
            }
        }
    }

    /// Some vertices that the player wins who would lose if all kinds occurred for ever.
    fn won_by_other(&self, alive: &[bool], kinds: Kinds, by_victim: bool) -> Option<Vec<usize>> {
        turning_points(kinds).into_iter().find_map(|part| {
            let members = (0..alive.len()).filter(|&v| alive[v]);
            let outside = members.filter(|&v| !has(part, self.vertices[v].3)).collect();
            let mut rest = alive.to_vec();
            self.attractor(alive, by_victim, outside).into_iter().for_each(|v| rest[v] = false);
            let won = self.won(rest.clone());
            let others: Vec<usize> =
                (0..rest.len()).filter(|&v| rest[v] && won[v] != by_victim).collect();
            (!others.is_empty()).then_some(others)
        })
    }

    /// The vertices of `alive` from which a player can force a visit to `targets`.
    fn attractor(&self, alive: &[bool], by_victim: bool, mut targets: Vec<usize>) -> Vec<usize> {
        let mut attracted = vec![false; alive.len()];
        targets.iter().for_each(|&v| attracted[v] = true);
        loop {
            let before = targets.len();
            for v in (0..alive.len()).filter(|&v| alive[v]) {
                let mut next = self.next[v].iter().filter(|&&to| alive[to]);
                let is_forced = if (self.vertices[v].0 == self.victim) == by_victim {
                    next.any(|&to| attracted[to])
                } else {
                    next.all(|&to| attracted[to])
                };
                if is_forced && !attracted[v] {
                    attracted[v] = true;
                    targets.push(v);
                }
            }
            if targets.len() == before {
                return targets;
            }
        }
    }
}

/// The result of each position in the joint game: by side to move and slot.
fn joint_results(graph: &RandomChaseGraph) -> Vec<Wdl> {
    let won = [0, 1].map(|victim| JointGame::new(graph, victim).solve());
    let size = graph.graph.size();
    (0..2 * size).map(|i| result_of_wins(won[i / size][i], won[1 - i / size][i])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rounds_solve_the_joint_game(graph in RandomChaseGraph::any()) {
        prop_assert_eq!(solver_results(&graph, Rules::Asian), joint_results(&graph));
    }

    #[test]
    fn the_rounds_solve_the_joint_game_of_a_chaser(graph in RandomChaseGraph::any_with_a_chaser()) {
        prop_assert_eq!(solver_results(&graph, Rules::Asian), joint_results(&graph));
    }

    #[test]
    fn the_joint_game_takes_nothing_back(graph in RandomChaseGraph::any_with_a_chaser()) {
        let joint = solver_results(&graph, Rules::Asian);
        for (in_turn, joint) in in_turn_results(&graph).into_iter().zip(joint) {
            prop_assert!(in_turn == Wdl::Draw || in_turn == joint);
        }
    }
}

/// The joint game is another than that of check and that of chase in turn.
#[test]
fn some_random_graphs_need_check_and_chase_together() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = RandomChaseGraph::any_with_a_chaser();
    let differs = (0..6_000).filter(|_| {
        let graph = strategy.new_tree(&mut runner).expect("a random graph").current();
        in_turn_results(&graph) != joint_results(&graph)
    });
    let count = differs.count();
    println!("{count} of 6000 graphs");
    assert!(count > 0);
}

/// The graph of a set, with the tables that its captures lead to.
fn graph_of(material: Material, tables: &mut HashMap<Material, Arc<SubValues>>) -> TableGraph {
    let index = Index::new(material).expect("a set of a few men");
    let pieces: Vec<Piece> = index.men.iter().map(|man| man.piece).collect();
    for piece in pieces {
        let Some((left, _)) = material.without(piece.side(), piece.role()) else { continue };
        if !tables.contains_key(&left) {
            let graph = graph_of(left, tables);
            let solution =
                solve(&graph, Rules::Asian, &Silent).unwrap_or_else(|_| panic!("{left}"));
            let table = Table::from_solution(Arc::clone(graph.index()), solution);
            tables.insert(left, Arc::new(SubValues::from(table)));
        }
    }
    TableGraph::new(index, Metric::Dtm, |left| tables.get(&left).cloned()).expect("all tables")
}

/// The slots with an undecided word, by side to move.
fn drawn(graph: &TableGraph, chases: fn(&ChasePlay) -> Distances) -> Vec<usize> {
    let solution = solve_with(graph, Rules::Asian, chases, &Silent, &KeepNothing);
    let words = solution.unwrap_or_else(|_| panic!("not solved")).words;
    words.iter().map(|side| side.iter().filter(|&&word| word & UNDECIDED != 0).count()).collect()
}

/// By call of [`solve_and_count`]: the states in which the chaser can only chase on.
static ENDLESS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn solve_and_count(play: &ChasePlay) -> Distances {
    ENDLESS.lock().expect("no test panics here").push(play.count_endless());
    play.solve()
}

/// What is decided in turn is decided by the joint game, so that equal numbers of draws say that the
/// joint game decides nothing else.
#[test]
#[ignore = "cargo test --release --lib tablebase::solve::tests::joint_game -- --ignored --nocapture: three minutes on two cores"]
fn the_joint_game_decides_no_more_in_sets_of_five_men() {
    let mut tables = HashMap::new();
    for name in ["KRCvKR", "KRNvKR", "KRvKNC", "KRCvKN", "KRvKCP"] {
        let graph = graph_of(name.parse().expect("a set"), &mut tables);
        let apart = drawn(&graph, ChasePlay::solve_apart);
        ENDLESS.lock().expect("no test panics here").clear();
        let joint = drawn(&graph, solve_and_count);
        let endless = ENDLESS.lock().expect("no test panics here");
        let last = &endless[endless.len() - 2..];
        println!(
            "{name}: {apart:?} slots drawn in turn, {joint:?} together; {last:?} endless states left"
        );
        assert_eq!(apart, joint, "{name}");
    }
}
