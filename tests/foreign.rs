//! Another xiangqi program, written by others, as a second opinion and as an opponent:
//! Fairy-Stockfish, which Debian has as a package. Skipped where it is not installed.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may stop and say why")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use juzhong::arena::{
    Dialect, EngineCommand, Entrant, Match, Openings, Pace, Patience, Referee, Standing,
    built_in_openings,
};
use juzhong::game::{Game, MoveList, perft};
use juzhong::xiangqi::Position;

/// The program, by `JUZHONG_FAIRY_STOCKFISH` or where packages put it.
fn program() -> Option<String> {
    let named = std::env::var_os("JUZHONG_FAIRY_STOCKFISH").map(PathBuf::from);
    let usual = || {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<_> = std::env::split_paths(&folders).collect();
        folders.push(Path::new("/usr/games").to_owned());
        folders.into_iter().map(|dir| dir.join("fairy-stockfish")).find(|path| path.is_file())
    };
    let found = named.or_else(usual).map(|path| path.display().to_string());
    if found.is_none() {
        println!("skipped: no Fairy-Stockfish (set JUZHONG_FAIRY_STOCKFISH)");
    }
    found
}

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
    let Some(program) = program() else { return };
    let mut counter = Counter::start(&program);
    for mut position in positions_by_chance(12, 150) {
        let fen = position.to_fen();
        assert_eq!(perft(&mut position, 2), counter.perft(&fen, 2), "{fen}");
    }
}

#[test]
fn games_against_it_in_both_protocols_and_behind_the_proxy() {
    let Some(program) = program() else { return };
    let own = || Entrant {
        command: None,
        protocol: None,
        options: vec![("Hash".to_owned(), "1".to_owned())],
        name: None,
        restart: false,
    };
    for protocol in [None, Some(Dialect::Uci), Some(Dialect::Ucci)] {
        for proxied in [false, true] {
            let mut command = EngineCommand { program: program.clone(), args: Vec::new() };
            if proxied {
                let option = "UCI_Variant=xiangqi";
                let args = ["proxy", "--engine", &program, "--engine-option", option];
                command.program = env!("CARGO_BIN_EXE_juzhong").to_owned();
                command.args = args.map(str::to_owned).to_vec();
            }
            let contest = Match {
                entrants: [Entrant { command: Some(command), protocol, ..own() }, own()],
                pace: Pace {
                    nodes: Some(1_000),
                    margin: Duration::from_millis(100),
                    ..Pace::default()
                },
                referee: Referee { max_plies: 120, ..Referee::default() },
                openings: Openings::new(built_in_openings(), 8, 1, 2),
                games: 2,
                concurrency: 1,
                sprt: None,
                patience: Patience::default(),
            };
            let mut standing = Standing::default();
            let mut moves = 0;
            let stop = AtomicBool::new(false);
            let played = contest.play(&mut standing, &stop, &mut |game, _| {
                moves += game.effort[0].moves;
                Ok(())
            });
            played.unwrap();
            assert!(!standing.has_faults(), "{protocol:?} {proxied}");
            assert!(moves > 20, "{protocol:?} {proxied}: {moves}");
        }
    }
}
