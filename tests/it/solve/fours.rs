//! Continuous fours: puzzles of others, and every position of games on small boards against a search of all moves.

use std::fs;
use std::time::{Duration, Instant};

use juzhong::game::{Game, MoveList, Notation, Outcome};
use juzhong::gomoku::{Board, FourSearch, FourSolver, FourWin, Point};
use serde_json::Value;

use crate::support::files::shared;

/// Moves as letters and numbers without separators.
fn moves(text: &str) -> Vec<Point> {
    let starts: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&at, end)| Point::parse(&text[at..end]).unwrap()).collect()
}

/// Plays the win against every answer: the attacker's row must be complete in time.
fn wins(board: &Board, win: &FourWin) -> bool {
    let mut position = board.clone();
    for &(four, answer) in &win.forced {
        position = position.play(four).unwrap();
        assert_eq!(must_answer(&position), [answer]);
        position = position.play(answer).unwrap();
    }
    position = position.play(win.last).unwrap();
    position.outcome() == Some(Outcome::Win(board.turn())) || must_answer(&position).is_empty()
}

/// The answers after which the opponent does not complete a row at once.
fn must_answer(position: &Board) -> Vec<Point> {
    let completes = |after: &Board| {
        let mut moves = MoveList::new();
        after.legal_moves(&mut moves);
        moves
            .iter()
            .any(|&mv| after.play(mv).unwrap().outcome() == Some(Outcome::Win(after.turn())))
    };
    let mut answers = MoveList::new();
    position.legal_moves(&mut answers);
    answers.retain(|mv| {
        let after = position.play(*mv).unwrap();
        after.outcome() == Some(Outcome::Win(position.turn())) || !completes(&after)
    });
    answers.to_vec()
}

#[test]
fn every_puzzle_is_solved_in_no_more_moves_than_its_author_needs() {
    let Some(path) = shared("gomoku/vcf_puzzles.jsonl") else { return };
    let mut solver = FourSolver::default();
    let (mut total, mut worst) = (Duration::ZERO, Duration::ZERO);
    let mut count = 0;
    for line in fs::read_to_string(path).unwrap().lines() {
        let puzzle: Value = serde_json::from_str(line).unwrap();
        let mut board = Board::start();
        for mv in moves(puzzle["moves"].as_str().unwrap()) {
            board = board.play(mv).unwrap();
        }
        let begun = Instant::now();
        let found = solver.search(&board, u64::MAX);
        let taken = begun.elapsed();
        (total, worst, count) = (total + taken, worst.max(taken), count + 1);
        let FourSearch::Win(win) = found else { panic!("puzzle {}: {found:?}", puzzle["id"]) };
        let most = puzzle["vcf_attacker_moves"].as_u64().unwrap();
        assert!(win.attacker_moves() as u64 <= most, "puzzle {}: {win:?}", puzzle["id"]);
        assert!(wins(&board, &win), "puzzle {}", puzzle["id"]);
    }
    println!("{count} puzzles: {total:?}, at most {worst:?}, {} nodes", solver.nodes());
}
