//! A literal proof of what chase decides in a set too large for an explicit graph, given what is
//! decided without it. For each colour as the victim:
//!
//! - The positions that it is said to win by chase are a game of their own: each move of the chaser
//!   leads to one of them, or to one that the victim wins without chase, and moves of the victim that
//!   leave them are left out, which takes something away from it. It must win the literal game on
//!   them.
//! - A position that is said to be drawn has no move to one that the mover wins. So the victim cannot
//!   leave the drawn positions to win, and the chaser need not. Where the chaser has a *free* move
//!   that keeps the draw, one that captures or neither checks nor chases, let it make that move: a
//!   play with free moves for ever is not won by the victim, and captures end in smaller sets, of
//!   which chase decides nothing. So the victim could only win a play that from some point on keeps
//!   to *cornered* positions, those without a free move, and it must not win the literal game on them
//!   and on what their moves lead to, moves of the victim to other positions left out.

use std::collections::HashSet;
use std::thread;

use juzhong::game::{BySide, Game as _, MoveList, Side};
use juzhong::xiangqi::repetition::chased;
use juzhong::xiangqi::{Move, Position};

use super::{Graph, Material, Wdl, chase, code, decode};

/// The results of any position of the set, for the side to move.
pub(crate) trait Results: Fn(&Position) -> Wdl + Sync {}
impl<F: Fn(&Position) -> Wdl + Sync> Results for F {}

/// Numbers of positions, by victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Certified {
    /// Won or lost by chase.
    pub(crate) by_chase: BySide<usize>,
    /// Drawn, the chaser to move without a free move.
    pub(crate) cornered: BySide<usize>,
}

/// Proves the results under `asian` from those under `check`; panics where they are wrong.
pub(crate) fn certify(material: &str, check: impl Results, asian: impl Results) -> Certified {
    let looks = Looks { check, asian };
    let found = looks.at_all(&Material::parse(material));
    for victim in Side::ALL {
        looks.prove_won(victim, &found.by_chase[victim]);
        looks.prove_not_won(victim, &found.cornered[victim]);
    }
    let count = |codes: &Vec<u64>| codes.len();
    Certified {
        by_chase: found.by_chase.as_ref().map(count),
        cornered: found.cornered.as_ref().map(count),
    }
}

/// Codes of positions, by victim.
#[derive(Default)]
struct Found {
    by_chase: BySide<Vec<u64>>,
    cornered: BySide<Vec<u64>>,
}

struct Looks<C, A> {
    check: C,
    asian: A,
}

/// Placements of a thread's turn.
const TURN: usize = 4096;

impl<C: Results, A: Results> Looks<C, A> {
    /// Looks at every position of a set, with all processors.
    fn at_all(&self, material: &Material) -> Found {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let parts: Vec<Found> = thread::scope(|scope| {
            let start = |thread| scope.spawn(move || self.at_some(material, thread, threads));
            let running: Vec<_> = (0..threads).map(start).collect();
            running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let mut found = Found::default();
        for part in parts {
            for side in Side::ALL {
                found.by_chase[side].extend(&part.by_chase[side]);
                found.cornered[side].extend(&part.cornered[side]);
            }
        }
        found
    }

    fn at_some(&self, material: &Material, thread: usize, threads: usize) -> Found {
        let mut found = Found::default();
        let mut number = 0;
        material.for_each_placement(&mut |setup| {
            number += 1;
            if number / TURN % threads != thread {
                return;
            }
            for side in Side::ALL {
                setup.turn = side;
                if let Ok(position) = Position::from_setup(setup) {
                    self.at(&position, &mut found);
                }
            }
        });
        found
    }

    fn at(&self, position: &Position, found: &mut Found) {
        let (turn, value) = (position.turn(), (self.asian)(position));
        if value == Wdl::Draw {
            if self.is_cornered(position) {
                found.cornered[!turn].push(code(position));
            }
        } else {
            let without = (self.check)(position);
            assert!(without == Wdl::Draw || without == value, "{}", position.to_fen());
            if without == Wdl::Draw {
                let winner = if value == Wdl::Win { turn } else { !turn };
                found.by_chase[winner].push(code(position));
            }
        }
    }

    /// Returns true if a drawn position has no free move. Panics if it has a move that wins.
    fn is_cornered(&self, position: &Position) -> bool {
        let mut is_cornered = true;
        for (mv, after) in moves(position) {
            let value = (self.asian)(&after);
            assert!(value != Wdl::Loss, "{} is not drawn", position.to_fen());
            if value == Wdl::Draw && is_cornered {
                let is_capture = position.piece_at(mv.to()).is_some();
                is_cornered = !is_capture && (after.in_check() || !chased(position, mv).is_empty());
            }
        }
        is_cornered
    }

    /// The victim wins these positions, though it may not leave them.
    fn prove_won(&self, victim: Side, codes: &[u64]) {
        let graph = Graph::of_positions(codes);
        for &code_of_lost in codes {
            let position = decode(code_of_lost);
            for (_, after) in moves(&position).filter(|_| position.turn() != victim) {
                let is_known = graph.ids.contains_key(&code(&after));
                assert!(is_known || (self.check)(&after) == Wdl::Win, "{}", position.to_fen());
            }
        }
        let won = chase::won_by_rule(&graph, victim, &vec![true; codes.len()]);
        assert_eq!(won.len(), codes.len(), "won by chase");
    }

    /// The victim does not win these positions, if all others are drawn.
    fn prove_not_won(&self, victim: Side, cornered: &[u64]) {
        let mut codes: HashSet<u64> = cornered.iter().copied().collect();
        for &of_chaser in cornered {
            for (_, after) in moves(&decode(of_chaser)) {
                if (self.asian)(&after) == Wdl::Draw {
                    codes.insert(code(&after));
                }
            }
        }
        let mut codes: Vec<u64> = codes.into_iter().collect();
        codes.sort_unstable();
        let graph = Graph::of_positions(&codes);
        let won = chase::won_by_rule(&graph, victim, &vec![true; codes.len()]);
        let fen = won.first().map(|&node| decode(codes[node]).to_fen());
        assert_eq!(fen, None, "a position is not drawn");
    }
}

/// The legal moves, with the positions that they lead to.
fn moves(position: &Position) -> impl Iterator<Item = (Move, Position)> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.into_iter().map(|mv| {
        let mut after = position.clone();
        after.make(mv);
        (mv, after)
    })
}
