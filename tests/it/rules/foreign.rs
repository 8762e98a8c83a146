//! Another xiangqi program, written by others, as a second opinion. Skipped where it is not installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use juzhong::game::{Game, MoveList, perft};
use juzhong::xiangqi::Position;

use crate::support::fairy_stockfish;

/// A running program that counts positions.
struct Counter {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Counter {
    fn start(program: &str) -> Self {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        writeln!(input, "uci\nsetoption name UCI_Variant value xiangqi").unwrap();
        Self { child, input, output }
    }

    fn perft(&mut self, fen: &str, depth: u32) -> u64 {
        writeln!(self.input, "position fen {fen}\ngo perft {depth}").unwrap();
        let mut lines = self.output.by_ref().lines().map(Result::unwrap);
        lines.find_map(|line| line.strip_prefix("Nodes searched: ")?.parse().ok()).unwrap()
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        writeln!(self.input, "quit").ok();
        self.child.wait().ok();
    }
}

/// The positions of games played by chance.
fn positions_by_chance(games: u64, plies: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    for seed in 1..=games {
        let mut state = seed;
        let mut position = Position::start();
        for _ in 0..plies {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            position.make(moves[(state >> 33) as usize % moves.len()]);
            positions.push(position.clone());
        }
    }
    positions
}

#[test]
fn both_count_the_same_moves() {
    let Some(program) = fairy_stockfish::program() else { return };
    let mut counter = Counter::start(&program);
    for mut position in positions_by_chance(12, 150) {
        let fen = position.to_fen();
        assert_eq!(perft(&mut position, 2), counter.perft(&fen, 2), "{fen}");
    }
}
