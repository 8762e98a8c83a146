//! Random graphs whose moves chase, and the literal parity games of check and of chase on them: positions
//! × the piece that the victim names, solved once for each colour, the two in turn until nothing
//! more is decided. That is less than the joint game (`joint_game`), and part of it.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::tablebase::solve::chase_graph::{ChaseGraph, Followed, ManNumber, QuietMove};
use crate::tablebase::solve::chase_play::{ChasePlay, Distances};
use crate::tablebase::solve::snapshot::KeepNothing;
use crate::tablebase::solve::solver::{Captures, Examined, GameGraph, solve_with};
use crate::tablebase::solve::tests::parity_game::{ParityGame, Silent, result_of_word};
use crate::tablebase::solve::tests::random_graph::{Capture, RandomGraph};
use crate::tablebase::value::{Rules, Wdl};

/// Pieces of each side in a random graph, kings included.
pub(crate) const MEN: ManNumber = 3;

/// The checks and chases of a random move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoopMove {
    /// The pieces of the other side that it newly chases.
    pub(crate) chased: u16,
    /// By side: pieces 1 and 2 exchange their numbers.
    pub(crate) exchanged: [bool; 2],
}

impl LoopMove {
    fn number_after(self, side: usize, man: ManNumber) -> ManNumber {
        if self.exchanged[side] && (1..MEN).contains(&man) { MEN - man } else { man }
    }
}

/// A random graph with a loop_move for each move.
#[derive(Debug, Clone)]
pub(crate) struct RandomChaseGraph {
    pub(crate) graph: RandomGraph,
    loop_moves: [Vec<Vec<LoopMove>>; 2],
}

impl RandomChaseGraph {
    /// Any small graph.
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        Self::with([[4, 2, 1, 3]; 2])
    }

    /// Any small graph in which most moves of one side chase both pieces.
    pub(crate) fn any_with_a_chaser() -> impl Strategy<Value = Self> {
        Self::with([[20, 1, 1, 1], [3, 1, 1, 3]])
    }

    /// By side, the weights of moves that chase both pieces, the first, the second, none.
    fn with(weights: [[u32; 4]; 2]) -> impl Strategy<Value = Self> {
        RandomGraph::any_smaller_than(7).prop_flat_map(move |graph| {
            let moves_of =
                |side: usize| (0..graph.size()).map(|slot| graph.next(side, slot).len()).sum();
            let moves: [usize; 2] = [moves_of(0), moves_of(1)];
            let loop_moves = [0, 1].map(|side| {
                let [both, first, second, none] = weights[side];
                let chased = prop_oneof![
                    both => Just(6u16),
                    first => Just(2),
                    second => Just(4),
                    none => Just(0),
                ];
                let exchanged = [prop::bool::weighted(0.2), prop::bool::weighted(0.2)];
                let loop_move = (chased, exchanged)
                    .prop_map(|(chased, exchanged)| LoopMove { chased, exchanged });
                prop::collection::vec(loop_move, moves[side])
            });
            loop_moves.prop_map(move |loop_moves| {
                let mut side = 0;
                let loop_moves = loop_moves.map(|moves| {
                    let mut moves = moves.into_iter();
                    let lists = (0..graph.size())
                        .map(|slot| moves.by_ref().take(graph.next(side, slot).len()).collect())
                        .collect::<Vec<Vec<LoopMove>>>();
                    side += 1;
                    lists
                });
                Self { graph: graph.clone(), loop_moves }
            })
        })
    }

    pub(crate) fn loop_moves_of(&self, side: usize, slot: usize) -> &[LoopMove] {
        &self.loop_moves[side][slot]
    }
}

impl GameGraph for RandomChaseGraph {
    type Cursor<'a> = ();
    fn sides(&self) -> usize {
        2
    }
    fn slots(&self) -> usize {
        self.graph.slots()
    }
    fn last_order(&self) -> u16 {
        self.graph.last_order()
    }
    fn cursor(&self) {}
    fn examine(&self, cursor: &mut (), slot: u32) -> [Option<Examined>; 2] {
        self.graph.examine(cursor, slot)
    }
    fn count_quiet(&self, cursor: &mut (), side: usize, slot: u32) -> u16 {
        self.graph.count_quiet(cursor, side, slot)
    }
    fn captures(&self, cursor: &mut (), side: usize, slot: u32, horizon: u16) -> Captures {
        self.graph.captures(cursor, side, slot, horizon)
    }
    fn successors(
        &self,
        cursor: &mut (),
        side: usize,
        slot: u32,
        visit: impl FnMut(u32) -> bool,
    ) -> bool {
        self.graph.successors(cursor, side, slot, visit)
    }
    fn predecessors(&self, cursor: &mut (), side: usize, slot: u32, visit: impl FnMut(u32)) {
        self.graph.predecessors(cursor, side, slot, visit);
    }
}

impl ChaseGraph for RandomChaseGraph {
    fn can_chase(&self, _side: usize) -> bool {
        true
    }

    fn may_have_chased(&self, _side: usize, _next: u32) -> bool {
        true
    }

    fn quiet_moves(
        &self,
        side: usize,
        slot: u32,
        followed: Followed,
        wanted: impl Fn(u32) -> bool,
    ) -> Vec<QuietMove> {
        let followed = if followed == Followed::Mover { side } else { 1 - side };
        let moves = self.graph.next(side, slot as usize).iter().copied();
        moves
            .zip(&self.loop_moves[side][slot as usize])
            .filter(|&(next, _)| wanted(next))
            .map(|(next, loop_move)| QuietMove {
                next,
                chased: loop_move.chased,
                renumbered: std::array::from_fn(|man| {
                    loop_move.number_after(followed, man as ManNumber)
                }),
            })
            .collect()
    }
}

/// A vertex of the chase game: side to move, slot, the piece named, and the priority of the move that
/// led there.
type Vertex = (usize, usize, ManNumber, u8);

/// The game in which `victim` (the even player) wins if that is known, or if from some point on all
/// moves of the other side newly chase the piece named while moves of its own that neither check
/// nor chase never end. It may name another piece with any move, but not for ever.
struct Literal<'a> {
    chase_graph: &'a RandomChaseGraph,
    known: &'a [Wdl],
    victim: usize,
    numbers: HashMap<Vertex, usize>,
    game: ParityGame,
    open: Vec<Vertex>,
}

impl<'a> Literal<'a> {
    fn new(chase_graph: &'a RandomChaseGraph, known: &'a [Wdl], victim: usize) -> Self {
        // 0 the victim wins, 1 it does not.
        let game =
            ParityGame { owner: vec![0; 2], priority: vec![2, 3], next: vec![vec![0], vec![1]] };
        Self { chase_graph, known, victim, numbers: HashMap::new(), game, open: Vec::new() }
    }

    fn number(&mut self, vertex: Vertex) -> usize {
        let (side, slot, _, priority) = vertex;
        let wdl = self.known[side * self.chase_graph.graph.size() + slot];
        if wdl != Wdl::Draw {
            return usize::from((wdl == Wdl::Win) != (side == self.victim));
        }
        let count = self.game.owner.len();
        let number = *self.numbers.entry(vertex).or_insert(count);
        if number == count {
            self.game.owner.push(usize::from(side != self.victim));
            self.game.priority.push(priority);
            self.game.next.push(Vec::new());
            self.open.push(vertex);
        }
        number
    }

    fn expand(&mut self, vertex: Vertex) {
        let (side, slot, man, _) = vertex;
        let graph = &self.chase_graph.graph;
        let mut next = Vec::new();
        for (&to, loop_move) in
            graph.next(side, slot).iter().zip(&self.chase_graph.loop_moves[side][slot])
        {
            let to = to as usize;
            let named = loop_move.number_after(self.victim, man);
            if side == self.victim {
                let is_idle = loop_move.chased == 0 && !graph.is_checked(1 - side, to);
                for other in 1..MEN {
                    let priority = if other != named { 3 } else { 1 + u8::from(is_idle) };
                    next.push(self.number((1 - side, to, other, priority)));
                }
            } else {
                let priority = if loop_move.chased >> man & 1 == 1 { 1 } else { 3 };
                next.push(self.number((1 - side, to, named, priority)));
            }
        }
        for capture in graph.captures_of(side, slot) {
            next.push(usize::from(!wins_capture(*capture, side == self.victim)));
        }
        if next.is_empty() {
            next.push(usize::from(side == self.victim));
        }
        let number = self.number(vertex);
        self.game.next[number] = next;
    }

    /// The positions that the victim wins.
    fn solve(mut self) -> Vec<bool> {
        let size = self.chase_graph.graph.size();
        let starts: Vec<usize> =
            (0..2 * size).map(|i| self.number((i / size, i % size, 1, 3))).collect();
        while let Some(vertex) = self.open.pop() {
            self.expand(vertex);
        }
        let [won, _] = self.game.solve(&vec![true; self.game.owner.len()]);
        starts.into_iter().map(|start| won[start]).collect()
    }
}

pub(crate) const fn wins_capture(capture: Capture, is_victims: bool) -> bool {
    match capture {
        Capture::Draws => false,
        Capture::Wins(_) => is_victims,
        Capture::Loses(_) => !is_victims,
    }
}

/// The same game for checks: they are chases of no piece in particular.
fn as_checks(chase_graph: &RandomChaseGraph) -> RandomChaseGraph {
    let graph = chase_graph.graph.clone();
    let loop_moves =
        [0, 1].map(|side| (0..graph.size()).map(|slot| checks_of(&graph, side, slot)).collect());
    RandomChaseGraph { graph, loop_moves }
}

/// The moves of a position, a check as a chase of both pieces.
fn checks_of(graph: &RandomGraph, side: usize, slot: usize) -> Vec<LoopMove> {
    let checks = graph.next(side, slot).iter().map(|&to| graph.is_checked(1 - side, to as usize));
    checks
        .map(|is_check| LoopMove { chased: if is_check { 6 } else { 0 }, exchanged: [false; 2] })
        .collect()
}

/// Check and chase in turn, until neither decides anything.
pub(crate) fn in_turn_results(chase_graph: &RandomChaseGraph) -> Vec<Wdl> {
    let checks = as_checks(chase_graph);
    let mut known = vec![Wdl::Draw; 2 * chase_graph.graph.size()];
    loop {
        let before = known.clone();
        for game in [&checks, chase_graph] {
            let won = [0, 1].map(|victim| Literal::new(game, &known, victim).solve());
            for (i, wdl) in known.iter_mut().enumerate() {
                let side = i / chase_graph.graph.size();
                assert!(!(won[0][i] && won[1][i]), "both sides cannot win");
                if won[side][i] {
                    *wdl = Wdl::Win;
                } else if won[1 - side][i] {
                    *wdl = Wdl::Loss;
                }
            }
        }
        if known == before {
            return known;
        }
    }
}

/// The solver's results.
pub(crate) fn solver_results(chase_graph: &RandomChaseGraph, rules: Rules) -> Vec<Wdl> {
    results_with(chase_graph, rules, ChasePlay::solve)
}

fn results_with(
    chase_graph: &RandomChaseGraph,
    rules: Rules,
    chases: fn(&ChasePlay) -> Distances,
) -> Vec<Wdl> {
    let solution = solve_with(chase_graph, rules, chases, &Silent, &KeepNothing);
    let solution = solution.unwrap_or_else(|_| panic!("not solved"));
    solution.words.iter().flatten().map(|&word| result_of_word(word).0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rounds_solve_the_games_of_check_and_chase_in_turn(
        chase_graph in RandomChaseGraph::any()
    ) {
        let apart = results_with(&chase_graph, Rules::Asian, ChasePlay::solve_apart);
        prop_assert_eq!(apart, in_turn_results(&chase_graph));
    }

    #[test]
    fn chase_takes_nothing_back(chase_graph in RandomChaseGraph::any()) {
        let without = solver_results(&chase_graph, Rules::Check);
        for (without, with) in without.into_iter().zip(solver_results(&chase_graph, Rules::Asian)) {
            prop_assert!(without == Wdl::Draw || without == with);
        }
    }
}

/// The game is not an empty one.
#[test]
fn some_random_graphs_are_decided_by_chase() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = RandomChaseGraph::any();
    let differs = (0..2_000).filter(|_| {
        let chase_graph = strategy.new_tree(&mut runner).expect("a random graph").current();
        solver_results(&chase_graph, Rules::Check) != solver_results(&chase_graph, Rules::Asian)
    });
    assert!(differs.count() > 0);
}
