//! The solver against a literal parity game: random graphs, solved by Zielonka's recursive algorithm
//! (Zielonka 1998) once for each colour as the checker.

use proptest::prelude::*;

use crate::tablebase::solve::solver::{
    DRAWS, GameGraph, SolveError, UNDECIDED, Watch, is_win, solve,
};
use crate::tablebase::solve::tests::random_graph::{Capture, RandomGraph};
use crate::tablebase::value::{Rules, Wdl};

pub(crate) struct Silent;

impl Watch for Silent {
    fn examined(&self, _done: u64, _total: u64) {}
    fn ply(&self, _order: u16, _distance: u16) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A parity game: the even player wins a play whose greatest infinitely repeated priority is even.
pub(crate) struct ParityGame {
    pub(crate) owner: Vec<usize>,
    pub(crate) priority: Vec<u8>,
    pub(crate) next: Vec<Vec<usize>>,
}

impl ParityGame {
    /// The vertices of `among` from which the player 0 (even) or 1 (odd) wins.
    pub(crate) fn solve(&self, among: &[bool]) -> [Vec<bool>; 2] {
        let nothing = vec![false; among.len()];
        let members: Vec<usize> = (0..among.len()).filter(|&v| among[v]).collect();
        let Some(top) = members.iter().map(|&v| self.priority[v]).max() else {
            return [nothing.clone(), nothing];
        };
        let player = usize::from(top % 2);
        let best: Vec<bool> =
            (0..among.len()).map(|v| among[v] && self.priority[v] == top).collect();
        let attracted = self.attract(player, best, among);
        let rest: Vec<bool> = (0..among.len()).map(|v| among[v] && !attracted[v]).collect();
        let mut inner = self.solve(&rest);
        if members.iter().all(|&v| !inner[1 - player][v]) {
            let mut regions = [nothing.clone(), nothing];
            regions[player] = among.to_vec();
            return regions;
        }
        let lost = self.attract(1 - player, std::mem::take(&mut inner[1 - player]), among);
        let rest: Vec<bool> = (0..among.len()).map(|v| among[v] && !lost[v]).collect();
        let mut regions = self.solve(&rest);
        for v in members {
            regions[1 - player][v] |= lost[v];
        }
        regions
    }

    /// The vertices of `among` from which the player can force a visit to `target`.
    fn attract(&self, player: usize, mut target: Vec<bool>, among: &[bool]) -> Vec<bool> {
        loop {
            let mut changed = false;
            for v in (0..among.len()).filter(|&v| among[v]) {
                let mut next = self.next[v].iter().filter(|&&to| among[to]);
                let is_forced = if self.owner[v] == player {
                    next.any(|&to| target[to])
                } else {
                    next.all(|&to| target[to])
                };
                changed |= is_forced && !target[v];
                target[v] |= is_forced;
            }
            if !changed {
                return target;
            }
        }
    }
}

/// The game in which `victim` (the even player) wins if it wins over the board or by the rule.
fn literal_game(graph: &RandomGraph, victim: usize) -> ParityGame {
    // Two vertices for the outcomes that end the game: 0 the victim wins, 1 it does not. Those of the slots
    // follow, side by side.
    let size = graph.size();
    let mut game =
        ParityGame { owner: vec![0; 2], priority: vec![2, 3], next: vec![vec![0], vec![1]] };
    for side in 0..2 {
        for slot in 0..size {
            // The priority of the move that leads here.
            let mover_is_victim = side != victim;
            let priority = match (graph.is_checked(side, slot), mover_is_victim) {
                (true, _) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            let first = 2 + (1 - side) * size;
            let mut next: Vec<usize> =
                graph.next(side, slot).iter().map(|&to| first + to as usize).collect();
            for capture in graph.captures_of(side, slot) {
                let victim_wins = match capture {
                    Capture::Draws => false,
                    Capture::Wins(_) => side == victim,
                    Capture::Loses(_) => side != victim,
                };
                next.push(usize::from(!victim_wins));
            }
            if next.is_empty() {
                next.push(usize::from(side == victim));
            }
            game.owner.push(usize::from(side != victim));
            game.priority.push(priority);
            game.next.push(next);
        }
    }
    game
}

/// The result of each position: by side to move and slot.
fn literal_results(graph: &RandomGraph) -> Vec<Wdl> {
    let wins: Vec<Vec<bool>> = (0..2)
        .map(|victim| {
            let game = literal_game(graph, victim);
            let [won, _] = game.solve(&vec![true; game.owner.len()]);
            won
        })
        .collect();
    let results = (0..2 * graph.size()).map(|i| {
        let side = i / graph.size();
        result_of_wins(wins[side][i + 2], wins[1 - side][i + 2])
    });
    results.collect()
}

/// The result of a position that the side to move wins or not, and the other side or not.
pub(crate) fn result_of_wins(own: bool, other: bool) -> Wdl {
    match (own, other) {
        (true, false) => Wdl::Win,
        (false, true) => Wdl::Loss,
        (false, false) => Wdl::Draw,
        (true, true) => unreachable!("both sides cannot win"),
    }
}

/// The result and the rank that a word stands for.
pub(crate) fn result_of_word(word: u16) -> (Wdl, u32) {
    match word {
        _ if word & UNDECIDED != 0 => (Wdl::Draw, 0),
        _ if is_win(word) => (Wdl::Win, u32::from(word - 1) / 2),
        _ => (Wdl::Loss, u32::from(word - 2) / 2),
    }
}

fn solver_results(graph: &RandomGraph, rules: Rules) -> Vec<(Wdl, u32)> {
    let solution = solve(graph, rules, &Silent).unwrap_or_else(|_| panic!("not solved"));
    let base = solution.bases.get(1).copied().unwrap_or(u32::MAX);
    let words = solution.words.iter().flatten();
    // Ranks of order 1 and up are not compared.
    words.map(|&word| result_of_word(word)).map(|(wdl, rank)| (wdl, rank.min(base))).collect()
}

#[test]
fn long_lines_are_followed_to_their_end() {
    for rules in Rules::ALL {
        let results = solver_results(&RandomGraph::chain(1500), rules);
        for (i, &(wdl, distance)) in results.iter().enumerate() {
            let plies = i as u32 % 1500;
            let expected = if plies.is_multiple_of(2) { Wdl::Loss } else { Wdl::Win };
            assert_eq!((wdl, distance), (expected, plies), "{rules}");
        }
    }
}

#[test]
fn more_moves_than_words_count_are_refused() {
    let too_many = Err(SolveError::TooManyMoves);
    for (moves, expected) in [(DRAWS - 1, Ok(())), (DRAWS, too_many)] {
        let graph = RandomGraph::crowded(moves.into());
        assert_eq!(solve(&graph, Rules::Check, &Silent).map(|_| ()), expected);
    }
}

/// Gives up after this number of calls.
struct CancelAfter(std::sync::atomic::AtomicI32);

impl Watch for CancelAfter {
    fn examined(&self, _done: u64, _total: u64) {}
    fn ply(&self, _order: u16, _distance: u16) {}
    fn is_cancelled(&self) -> bool {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) <= 0
    }
}

#[test]
fn the_solver_can_be_cancelled_at_any_time() {
    // Asked once for the block, once for each ply (one, and the end), and then by the rule rounds.
    let graph = RandomGraph::crowded(3);
    for calls in 0..3 {
        let solved = solve(&graph, Rules::Check, &CancelAfter(calls.into())).map(|_| ());
        assert_eq!(solved, Err(SolveError::Cancelled), "{calls}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rounds_solve_the_parity_game(graph in RandomGraph::any()) {
        let found: Vec<Wdl> =
            solver_results(&graph, Rules::Check).into_iter().map(|(wdl, _)| wdl).collect();
        prop_assert_eq!(found, literal_results(&graph));
    }

    #[test]
    fn moves_may_be_counted_when_the_first_of_them_is_known_to_lose(
        graph in RandomGraph::any(),
        rules in prop::sample::select(&[Rules::None, Rules::Check]),
    ) {
        prop_assert_eq!(solver_results(&graph.counting_late(), rules), solver_results(&graph, rules));
    }

    #[test]
    fn without_the_rule_only_order_0_is_left(graph in RandomGraph::any_of_order_0()) {
        let plain = solver_results(&graph, Rules::None);
        let ruled = solver_results(&graph, Rules::Check);
        prop_assert!(graph.last_order() == 0);
        for (plain, ruled) in plain.into_iter().zip(ruled) {
            if plain.0 != Wdl::Draw {
                prop_assert_eq!(plain, ruled);
            }
        }
    }
}
