//! The shared search on gomoku: exact values of small boards, wins by threats, the first moves.

use juzhong::game::{Game, Line, Notation};
use juzhong::gomoku::{Board, FreeRules, Point, Urgency};
use juzhong::search::{Found, Limits, Score, ScoreKind, SearchOptions, Searcher};

fn search(line: &Line<Board>, limits: &Limits) -> Found<Point> {
    let options = SearchOptions { hash_mib: 16, threads: 1, multipv: 1 };
    Searcher::new(options).unwrap().run(line, FreeRules, limits, &(), &())
}

/// Searches an empty board deeper than any game on it can last.
fn value(width: u8, height: u8, row: u8) -> Found<Point> {
    let board = Board::new(width, height, row).unwrap();
    let depth = 3 * u32::from(board.area());
    search(&Line::new(board, 0), &Limits::depth(depth.min(60)))
}

fn line_of(moves: &str) -> Line<Board> {
    let mut line = Line::new(Board::start(), 0);
    for text in moves.split_whitespace() {
        let mv = Board::parse_move(text).unwrap();
        assert!(line.position().is_legal(mv), "{text}");
        line.push(mv);
    }
    line
}

#[test]
fn tic_tac_toe_is_a_draw() {
    assert_eq!(value(3, 3, 3).score, Score::DRAW);
}

#[test]
fn three_in_a_row_on_four_by_three_is_won() {
    for (width, height) in [(4, 3), (3, 4)] {
        let found = value(width, height, 3);
        assert!(matches!(found.score.kind(), ScoreKind::MateIn(_)), "{:?}", found.score);
    }
}

#[test]
fn other_small_boards_have_their_known_values() {
    assert!(matches!(value(3, 3, 2).score.kind(), ScoreKind::MateIn(3)));
    assert_eq!(value(4, 3, 4).score, Score::DRAW);
    assert!(matches!(value(4, 4, 3).score.kind(), ScoreKind::MateIn(_)));
}

#[test]
fn the_first_stone_goes_to_the_middle() {
    let found = search(&line_of(""), &Limits::nodes(20_000));
    assert_eq!(found.best.map(Board::move_text).as_deref(), Some("h8"));
}

#[test]
fn rows_are_completed_and_fours_are_blocked() {
    // Four from h8 to k8: the first player completes it, the second must be on the free side.
    let line = line_of("h8 h9 i8 i9 j8 j9 k8 l8");
    let found = search(&line, &Limits::depth(3));
    assert_eq!(found.best.map(Board::move_text).as_deref(), Some("g8"));
    assert_eq!(found.score.kind(), ScoreKind::MateIn(1));
    let line = line_of("h8 l8 i8 a1 j8 a3 k8");
    let found = search(&line, &Limits::depth(3));
    assert_eq!(found.best.map(Board::move_text).as_deref(), Some("g8"));
}

#[test]
fn an_open_three_is_carried_to_the_end() {
    let mut line = line_of("h8 a1 i8 a3 j8 a5");
    let found = search(&line, &Limits::depth(4));
    let best = found.best.unwrap();
    assert_eq!(line.position().urgency(best), Urgency::OpenFour);
    assert!(matches!(found.score.kind(), ScoreKind::MateIn(3)), "{:?}", found.score);
    // One move earlier the opponent has to do something about it.
    line.pop();
    let found = search(&line, &Limits::depth(5));
    line.push(found.best.unwrap());
    assert_ne!(line.position().urgency(best), Urgency::OpenFour);
}
