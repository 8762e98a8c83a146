//! The shared search on gomoku: exact values of small boards, wins by threats, the first moves.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use juzhong::game::{Game, Line, MoveList, Notation, Outcome, ScoreKind, Side};
use juzhong::gomoku::{Board, FreeRules, Point};
use juzhong::search::eval::gomoku::Urgency;
use juzhong::search::{
    Control, Features, Iteration, Limits, Score, SearchOptions, SearchResult, Searcher,
};

use crate::support::files::shared;

fn search(line: &Line<Board>, limits: &Limits) -> SearchResult<Point> {
    let options = SearchOptions { hash_mib: 16, ..SearchOptions::default() };
    Searcher::new(options).expect("possible options").run(line, FreeRules, limits, &(), &())
}

/// Ends a search as soon as it knows of a win.
#[derive(Default)]
struct UntilWon(AtomicBool);

impl Control<Point> for UntilWon {
    fn should_stop(&self) -> bool {
        self.0.load(Relaxed)
    }
    fn report(&self, iteration: &Iteration<Point>) {
        self.0.fetch_or(is_win(iteration.score), Relaxed);
    }
}

/// The value of an empty board by a search that leaves nothing out and ends with the game: a proof.
fn proved_value(width: u8, height: u8, row: u8) -> Score {
    let board = Board::new(width, height, row).expect("a possible geometry");
    let limits = Limits::depth(u32::from(board.area()) + 1);
    let techniques = Features { pruning: false, reductions: false, ..Features::ALL };
    let options = SearchOptions { hash_mib: 16, ..SearchOptions::default() };
    let searcher = Searcher::new(options).expect("possible options");
    let line = Line::new(board, 0);
    let control = UntilWon::default();
    searcher.with_features(techniques).run(&line, FreeRules, &limits, &(), &control).score
}

/// The value that the search as it plays arrives at, deeper than any game on the board can last.
fn played_value(width: u8, height: u8, row: u8) -> Score {
    let board = Board::new(width, height, row).expect("a possible geometry");
    let limits = Limits::depth((3 * u32::from(board.area())).min(60));
    let options = SearchOptions { hash_mib: 16, ..SearchOptions::default() };
    let mut searcher = Searcher::new(options).expect("possible options");
    let control = UntilWon::default();
    searcher.run(&Line::new(board, 0), FreeRules, &limits, &(), &control).score
}

fn is_win(score: Score) -> bool {
    matches!(score.kind(), ScoreKind::MateIn(_))
}

fn line_of(moves: &str) -> Line<Board> {
    let mut line = Line::new(Board::start(), 0);
    for text in moves.split_whitespace() {
        let mv = Board::parse_move(text).expect("a move");
        assert!(line.position().is_legal(mv), "{text}");
        line.push(mv);
    }
    line
}

#[test]
fn tic_tac_toe_is_a_draw() {
    assert_eq!(proved_value(3, 3, 3), Score::DRAW);
    assert_eq!(played_value(3, 3, 3), Score::DRAW);
}

#[test]
fn three_in_a_row_on_four_by_three_is_won() {
    for (width, height) in [(4, 3), (3, 4)] {
        assert!(is_win(proved_value(width, height, 3)));
        assert!(is_win(played_value(width, height, 3)));
    }
}

#[test]
fn other_small_boards_have_their_known_values() {
    assert_eq!(proved_value(3, 3, 2).kind(), ScoreKind::MateIn(3));
    assert_eq!(proved_value(4, 3, 4), Score::DRAW);
    assert!(is_win(proved_value(4, 4, 3)));
    assert_eq!(played_value(3, 3, 2).kind(), ScoreKind::MateIn(3));
    assert_eq!(played_value(4, 3, 4), Score::DRAW);
    assert!(is_win(played_value(4, 4, 3)));
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
    let mut points = MoveList::new();
    line.position().legal_moves(&mut points);
    for point in points {
        assert_ne!(
            line.position().urgency(point),
            Urgency::OpenFour,
            "{}",
            Board::move_text(point)
        );
    }
}

/// A game of the search, `nodes` a move, against the player without search.
fn game_against_points(searches: Side, opening: &str, nodes: u64) -> Option<Outcome> {
    let mut line = line_of(opening);
    while line.position().outcome().is_none() {
        let mv = if line.position().turn() == searches {
            search(&line, &Limits::nodes(nodes)).best
        } else {
            line.position().best_point()
        };
        line.push(mv?);
    }
    line.position().outcome()
}

/// Openings of scattered stones, from which whoever looks ahead wins with either side, but for a few
/// that are won before the search can see it.
#[test]
fn search_beats_the_player_without_search() {
    let openings = [
        "h8 i9 g7",
        "h8 h9 j8",
        "d4 l12 h8",
        "a1 o15 c3",
        "h8 i8 k11",
        "g7 i9 f10",
        "e5 k5 h11",
        "h8 g9 h6",
        "c8 m8 h3",
        "f6 j10 j6",
        "h8 o1 a15",
        "b2 n14 n2",
    ];
    let games = openings.iter().flat_map(|&opening| Side::ALL.map(|side| (opening, side)));
    let lost: Vec<_> = games
        .filter(|&(opening, side)| {
            game_against_points(side, opening, 4_000) != Some(Outcome::Win(side))
        })
        .collect();
    assert!(lost.len() <= 4, "of {} games: {lost:?}", 2 * openings.len());
}

#[test]
fn results_depend_on_nothing_but_position_and_limits() {
    let line = line_of("h8 i9 i8 g8 h7 h9");
    let limits = Limits::nodes(30_000);
    assert_eq!(search(&line, &limits), search(&line, &limits));
}

/// `h8i9j10` as `h8 i9 j10`.
fn spaced(moves: &str) -> String {
    let mut text = String::new();
    for letter in moves.chars() {
        if letter.is_ascii_alphabetic() {
            text.push(' ');
        }
        text.push(letter);
    }
    text
}

#[test]
fn wins_by_continuous_fours_are_found() {
    let Some(path) = shared("gomoku/vcf_puzzles.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut unsolved = Vec::new();
    let puzzles: Vec<serde_json::Value> =
        text.lines().take(60).map(|line| serde_json::from_str(line).unwrap()).collect();
    for puzzle in &puzzles {
        let line = line_of(&spaced(puzzle["moves"].as_str().unwrap()));
        let found = search(&line, &Limits::nodes(20_000));
        if !matches!(found.score.kind(), ScoreKind::MateIn(_)) {
            unsolved.push(puzzle["id"].to_string());
        }
    }
    assert!(unsolved.len() * 20 <= puzzles.len(), "not solved: {unsolved:?}");
}

#[test]
fn real_games_replay_to_their_results() {
    let Some(path) = shared("gomoku/games_506_freestyle15.txt") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut finished = 0;
    for game in text.lines() {
        let (moves, result) = game.rsplit_once(' ').unwrap();
        let line = line_of(&spaced(moves));
        let expected = match result {
            "W" => Some(Side::First),
            "L" => Some(Side::Second),
            _ => None,
        };
        // Some games were given up or lost on time.
        if let Some(outcome) = line.position().outcome() {
            assert_eq!(outcome.winner(), expected, "{game}");
            finished += 1;
        }
    }
    assert_eq!(finished, 482);
}
