//! Search: mates are found and hold, pruning aside the result is that of plain minimax, and one
//! thread always searches the same tree.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use juzhong::game::{
    Adjudicate, EvaluationKind, Evaluator, Game, Heuristics, Horizon, Line, MoveList, ScoreKind,
    Side, Verdict,
};
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::search::{
    Control, Features, Iteration, Limits, Score, SearchOptions, SearchResult, Searcher, TableValue,
    TablebaseProbe, tt_key,
};
use juzhong::xiangqi::{Move, Piece, Position, Role, RuleSet, Setup};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::files::shared;

type Rules = <Position as Adjudicate>::Rules;

fn searcher(multipv: usize, threads: usize) -> Searcher<Position> {
    Searcher::new(SearchOptions { hash_mib: 4, threads, multipv, ..SearchOptions::default() })
        .unwrap()
}

fn line(fen: &str) -> Line<Position> {
    Line::new(Position::from_fen(fen).unwrap(), 0)
}

fn search(fen: &str, limits: &Limits) -> SearchResult<Move> {
    searcher(1, 1).run(&line(fen), Rules::default(), limits, &(), &())
}

/// Composed mates: position, moves to mate.
const MATES: [(&str, u32); 4] = [
    ("4k4/3P2P2/b2N2R2/7r1/2b6/9/9/3n5/4p3r/2R2K3 w - - 0 1", 3),
    ("C3ka3/4aP1r1/nR2c4/p8/6b2/9/9/2C6/3p1p3/c1rAK4 w - - 0 1", 5),
    ("3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1", 2),
    ("3k5/9/9/9/9/9/9/9/9/3AKR3 w - - 0 1", 3),
];

#[test]
fn mates_are_found_and_the_line_plays_to_mate() {
    for (fen, moves) in MATES {
        let found = search(fen, &Limits::depth(14));
        let ScoreKind::MateIn(plies) = found.score.kind() else { panic!("{fen}: {found:?}") };
        assert!(plies.div_ceil(2) <= moves, "{fen}: {found:?}");
        assert_eq!(found.best, found.pv.first().copied());
        let mut line = line(fen);
        for &mv in &found.pv {
            assert!(line.position().is_legal(mv), "{fen}: {mv} in {:?}", found.pv);
            line.push(mv);
        }
        if found.pv.len() == plies as usize {
            assert!(line.position().outcome().is_some(), "{fen}: {found:?}");
        }
    }
}

#[test]
fn nothing_is_searched_where_the_game_is_over() {
    // Mate, and a stalemate, which loses as well.
    for fen in ["3k1R3/5R3/9/9/9/9/9/9/9/4K4 b - - 0 1", "3k5/8R/9/9/9/9/9/9/9/4K4 b - - 0 1"] {
        let found = search(fen, &Limits::default());
        assert_eq!((found.best, found.nodes), (None, 0));
        assert_eq!(found.score.kind(), ScoreKind::MatedIn(0));
    }
}

/// Minimax with nothing left out but what quiescence leaves out by definition.
fn minimax(
    line: &mut Line<Position>,
    root: usize,
    depth: u32,
    [mut alpha, beta]: [i32; 2],
    evaluation: &mut Evaluation,
) -> i32 {
    let ply = line.len() - root;
    let turn = line.position().turn();
    if ply > 0 {
        match Position::judge(line, Rules::default(), Horizon::Search { root }).verdict {
            Verdict::None => {}
            Verdict::Draw => return 0,
            Verdict::Loses(side) if side == turn => return Score::mated_in(ply).value(),
            Verdict::Loses(_) => return Score::mate_in(ply).value(),
        }
    }
    if depth == 0 {
        return settle(line, root, [alpha, beta], true, evaluation);
    }
    let mut moves = MoveList::new();
    line.position().legal_moves(&mut moves);
    let mut best = Score::mated_in(ply).value();
    for mv in moves {
        line.push(mv);
        best = best.max(-minimax(line, root, depth - 1, [-beta, -alpha], evaluation));
        line.pop();
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Quiescence: takes that do not lose, at its first ply checks that do not, or any move out of check.
fn settle(
    line: &mut Line<Position>,
    root: usize,
    [mut alpha, beta]: [i32; 2],
    first: bool,
    evaluation: &mut Evaluation,
) -> i32 {
    let position = line.position();
    let in_check = position.in_check();
    let mut moves = MoveList::new();
    let mut best = Score::mated_in(line.len() - root).value();
    if !position.has_legal_move() {
        return best;
    }
    if in_check {
        position.legal_moves(&mut moves);
    } else {
        best = evaluation.evaluate(position, line.len() - root);
        position.noisy_moves(&mut moves);
        if first {
            position.quiet_threats(&mut moves);
        }
        moves.retain(|mv| position.exchange_value(*mv) >= 0);
    }
    for mv in moves {
        if best >= beta {
            break;
        }
        alpha = alpha.max(best);
        line.push(mv);
        best = best.max(-settle(line, root, [-beta, -alpha], false, evaluation));
        line.pop();
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn without_pruning_the_value_is_that_of_minimax(
        choices in prop::collection::vec(any::<u16>(), 0..100),
        depth in 1..=3_u32,
    ) {
        let mut line = Line::new(Position::start(), 0);
        for choice in choices {
            let mut moves = MoveList::new();
            line.position().legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            line.push(moves[choice as usize % moves.len()]);
        }
        let root = line.len();
        // Captures without pruning go on for longer than the stack of a test's thread has room for.
        let search = move || {
            EvaluationKind::ALL.map(|kind| {
                let mut evaluation = Evaluation::of_kind(kind);
                let mut searcher =
                    searcher(1, 1).with_features(Features::FULL_WIDTH).with_evaluator(&evaluation);
                let bounds = [-32_000, 32_000];
                let expected = minimax(&mut line.clone(), root, depth, bounds, &mut evaluation);
                let found = searcher.run(&line, Rules::default(), &Limits::depth(depth), &(), &());
                (found.score.value(), expected)
            })
        };
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(search).unwrap();
        for (found, expected) in thread.join().unwrap() {
            prop_assert_eq!(found, expected);
        }
    }
}

/// Collects what is reported.
#[derive(Default)]
struct Reports(Mutex<Vec<Iteration<Move>>>);

impl Control<Move> for Reports {
    fn should_stop(&self) -> bool {
        false
    }
    fn report(&self, iteration: &Iteration<Move>) {
        self.0.lock().unwrap().push(iteration.clone());
    }
}

const MIDDLE_GAME: &str =
    "r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 1";

#[test]
fn one_thread_always_searches_the_same_tree() {
    for limits in [Limits::depth(8), Limits::nodes(20_000)] {
        let found = search(MIDDLE_GAME, &limits);
        assert_eq!(found, search(MIDDLE_GAME, &limits));
        let mut again = searcher(1, 1);
        let line = line(MIDDLE_GAME);
        again.run(&line, Rules::default(), &Limits::depth(6), &(), &());
        again.new_game();
        assert_eq!(again.run(&line, Rules::default(), &limits, &(), &()), found);
    }
    assert_eq!(search(MIDDLE_GAME, &Limits::nodes(20_000)).nodes, 20_000);
    assert_eq!(search(MIDDLE_GAME, &Limits::nodes(0)).nodes, 0);
    assert!(search(MIDDLE_GAME, &Limits::nodes(0)).best.is_some());
}

#[test]
fn several_lines_come_best_first_and_differ() {
    let reports = Reports::default();
    let found =
        searcher(4, 1).run(&line(MIDDLE_GAME), Rules::default(), &Limits::depth(7), &(), &reports);
    let reports = reports.0.into_inner().unwrap();
    let last = &reports[reports.len() - 4..];
    assert!(last.iter().map(|line| line.multipv).eq(1..=4));
    assert!(last.is_sorted_by(|a, b| a.score >= b.score));
    assert_eq!(found.best, Some(last[0].pv[0]));
    let firsts: std::collections::HashSet<_> = last.iter().map(|line| line.pv[0]).collect();
    assert_eq!(firsts.len(), 4);
}

#[test]
fn what_is_reported_last_begins_with_the_move_that_is_played() {
    for threads in [1, 4] {
        let mut searcher = searcher(1, threads);
        for nodes in (0..60).map(|i| 5_000 + 371 * i) {
            let reports = Reports::default();
            let limits = Limits::nodes(nodes);
            let found = searcher.run(&line(MIDDLE_GAME), Rules::default(), &limits, &(), &reports);
            searcher.new_game();
            let reports = reports.0.into_inner().unwrap();
            // Helpers may use the nodes up before the first thread has finished an iteration.
            let Some(last) = reports.last() else {
                assert!(threads > 1);
                continue;
            };
            assert_eq!(found.best, Some(last.pv[0]), "{threads} threads, {nodes} nodes");
        }
    }
}

#[test]
fn time_limits_hold_and_helpers_end() {
    let start = Instant::now();
    let limits = Limits::move_time(Duration::from_millis(100));
    let found = searcher(1, 3).run(&line(MIDDLE_GAME), Rules::default(), &limits, &(), &());
    assert!(found.best.is_some() && found.depth > 1);
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Says stop at once.
struct Stop;

impl Control<Move> for Stop {
    fn should_stop(&self) -> bool {
        true
    }
    fn report(&self, _iteration: &Iteration<Move>) {}
}

#[test]
fn a_stopped_search_still_has_a_move() {
    let found =
        searcher(1, 2).run(&line(MIDDLE_GAME), Rules::default(), &Limits::default(), &(), &Stop);
    assert!(found.best.is_some());
}

/// The report of the first iteration never returns.
struct Breaks;

impl Control<Move> for Breaks {
    fn should_stop(&self) -> bool {
        false
    }
    fn report(&self, _iteration: &Iteration<Move>) {
        std::panic::resume_unwind(Box::new("broken")); // says nothing
    }
}

#[test]
fn helpers_end_where_the_first_thread_panics() {
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let run = || {
            let (line, limits) = (line(MIDDLE_GAME), Limits::default());
            searcher(1, 3).run(&line, Rules::default(), &limits, &(), &Breaks)
        };
        sender.send(std::panic::catch_unwind(run).is_err()).unwrap();
    });
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(true));
}

/// Reads each answer from a slow disk.
#[derive(Default)]
struct SlowDisk(Mutex<Vec<usize>>);

impl TablebaseProbe<Position> for SlowDisk {
    const PRESENT: bool = true;
    fn probe(&self, _line: &Line<Position>, _depth: i32) -> Option<TableValue> {
        std::thread::sleep(Duration::from_millis(8));
        None
    }
    fn enter(&self, worker: usize) {
        self.0.lock().unwrap().push(worker);
    }
    fn was_slow(&self) -> bool {
        true
    }
}

#[test]
fn tables_on_a_slow_disk_cost_no_time_that_is_not_there() {
    for threads in [1, 3] {
        let limits = Limits::move_time(Duration::from_millis(60));
        let (line, tablebase) = (line(MIDDLE_GAME), SlowDisk::default());
        let mut searcher = searcher(1, threads);
        let start = Instant::now();
        let found = searcher.run(&line, Rules::default(), &limits, &tablebase, &());
        assert!(start.elapsed() < Duration::from_millis(700), "{:?}", start.elapsed());
        assert!(found.best.is_some());
        let mut workers = tablebase.0.into_inner().unwrap();
        workers.sort_unstable();
        assert!(workers.into_iter().eq(0..threads));
    }
}

/// Knows that every position with a pair of rooks less is lost, and counts the questions.
#[derive(Default)]
struct NoRooks(AtomicU64);

impl TablebaseProbe<Position> for NoRooks {
    const PRESENT: bool = true;
    fn probe(&self, line: &Line<Position>, _depth: i32) -> Option<TableValue> {
        let position = line.position();
        self.0.fetch_add(1, Ordering::Relaxed);
        let own = position.pieces(position.turn(), Role::Rook).is_empty();
        let theirs = position.pieces(!position.turn(), Role::Rook).is_empty();
        match (own, theirs) {
            (true, false) => Some(TableValue::Loss(0)),
            (false, true) => Some(TableValue::Win(0)),
            _ => None,
        }
    }
}

#[test]
fn tables_are_asked_and_believed() {
    // The red rook can take the only black one, which is guarded: an even trade.
    let fen = "3k5/9/4b4/9/2r6/9/9/2R6/9/4K4 w - - 0 1";
    let tablebase = NoRooks::default();
    let found =
        searcher(1, 1).run(&line(fen), Rules::default(), &Limits::depth(4), &tablebase, &());
    assert_eq!(found.best, Move::parse("c2c5"));
    assert!(matches!(found.score.kind(), ScoreKind::TableWin(_) | ScoreKind::MateIn(_)));
    assert!(tablebase.0.load(Ordering::Relaxed) > 0);
}

/// Knows that Red wins in 80 plies where so many are left to the limit of moves; nothing after captures.
struct FarWin;

impl TablebaseProbe<Position> for FarWin {
    const PRESENT: bool = true;
    fn probe(&self, line: &Line<Position>, _depth: i32) -> Option<TableValue> {
        let is_red = line.position().turn() == Side::First;
        let value = if is_red { TableValue::Mate(80) } else { TableValue::Mated(80) };
        (20..=40).contains(&line.clock()).then_some(value)
    }
}

/// A win that is known with more plies left is not believed with fewer, but is as long as it counts.
#[test]
fn a_far_win_of_the_tables_is_not_remembered_into_the_limit() {
    let before = line("3k5/4a4/4b4/9/9/9/9/9/4R4/4K4 b - - 0 1").position().clone();
    let mut searcher = searcher(1, 1);
    let mut score = |position: &Position, clock, depth| {
        let line = Line::new(position.clone(), clock);
        let rules = Rules::default();
        searcher.run(&line, rules, &Limits::depth(depth), &FarWin, &()).score
    };
    let mut replies = MoveList::new();
    before.legal_moves(&mut replies);
    for reply in replies {
        let mut after = before.clone();
        after.make(reply);
        assert!(score(&after, 30, 6).is_decisive());
    }
    assert!(!score(&before, 49, 3).is_decisive());
    assert!(score(&before, 30, 3).is_decisive());
}

#[test]
fn a_mate_known_by_the_tables_is_a_mate() {
    struct Mated;
    impl TablebaseProbe<Position> for Mated {
        const PRESENT: bool = true;
        fn probe(&self, line: &Line<Position>, _depth: i32) -> Option<TableValue> {
            let is_red = line.position().turn() == Side::First;
            Some(if is_red { TableValue::Mate(9) } else { TableValue::Mated(8) })
        }
    }
    let found = searcher(1, 1).run(
        &line("3k5/4a4/4b4/9/9/9/9/9/4R4/4K4 w - - 0 1"),
        Rules::default(),
        &Limits::depth(2),
        &Mated,
        &(),
    );
    assert_eq!(found.score, Score::mate_in(9));
}

/// Near the limit of moves the table is of use as elsewhere: it tells the ends of lines, and is told of.
#[test]
fn what_the_table_knows_is_found_near_the_limit() {
    for (fen, _) in MATES {
        let mut searcher = searcher(1, 1);
        let line = Line::new(line(fen).position().clone(), 90);
        let rules = Rules::default();
        let found = searcher.run(&line, rules, &Limits::depth(14), &(), &());
        assert!(plays_to_mate(fen, &found), "{found:?}");
        assert!(searcher.probe(tt_key(&line, rules)).is_some());
    }
}

#[test]
fn a_mate_is_seen_from_both_sides() {
    let (fen, _) = MATES[0];
    let found = search(fen, &Limits::depth(8));
    let mut after = line(fen);
    after.push(found.best.unwrap());
    let rules = Rules::default();
    let answer = searcher(1, 1).run(&after, rules, &Limits::depth(8), &(), &());
    let ScoreKind::MateIn(plies) = found.score.kind() else { panic!("{found:?}") };
    assert_eq!(answer.score.kind(), ScoreKind::MatedIn(plies - 1));
}

#[test]
fn the_line_of_every_iteration_is_legal() {
    for (fen, _) in MATES.into_iter().chain([(MIDDLE_GAME, 0)]) {
        let reports = Reports::default();
        let line = line(fen);
        searcher(2, 1).run(&line, Rules::default(), &Limits::depth(9), &(), &reports);
        for iteration in reports.0.into_inner().unwrap() {
            assert_eq!(iteration.wdl.into_iter().sum::<u16>(), 1_000);
            let mut line = line.clone();
            for mv in iteration.pv {
                assert!(line.position().is_legal(mv), "{fen}, depth {}", iteration.depth);
                line.push(mv);
            }
        }
    }
}

#[test]
fn a_search_broken_off_anywhere_has_a_legal_move() {
    let line = line(MIDDLE_GAME);
    for nodes in (0..4_000).step_by(97) {
        let limits = Limits::nodes(nodes);
        let found = searcher(1, 1).run(&line, Rules::default(), &limits, &(), &());
        assert!(found.best.is_some_and(|mv| line.position().is_legal(mv)), "{nodes}");
        assert_eq!(found.nodes, nodes);
        assert!(found.quiescence_nodes <= nodes);
    }
}

#[test]
fn several_threads_find_legal_moves_and_mates() {
    for (fen, moves) in MATES {
        let line = line(fen);
        let found = searcher(1, 4).run(&line, Rules::default(), &Limits::depth(14), &(), &());
        assert!(found.best.is_some_and(|mv| line.position().is_legal(mv)), "{fen}");
        let ScoreKind::MateIn(plies) = found.score.kind() else { panic!("{fen}: {found:?}") };
        assert!(plies.div_ceil(2) <= moves, "{fen}: {found:?}");
    }
}

/// The opponent thinks for some time.
struct Ponder(Instant, Duration);

impl Control<Move> for Ponder {
    fn should_stop(&self) -> bool {
        false
    }
    fn is_pondering(&self) -> bool {
        self.0.elapsed() < self.1
    }
    fn report(&self, _iteration: &Iteration<Move>) {}
}

#[test]
fn no_clock_ends_a_search_that_ponders() {
    let wait = Duration::from_millis(300);
    let short = Some(Duration::from_millis(20));
    for limits in [
        Limits { hard_time: short, ..Limits::default() },
        Limits { soft_time: short, hard_time: Some(20 * wait), ..Limits::default() },
    ] {
        let start = Instant::now();
        let control = Ponder(start, wait);
        searcher(1, 1).run(&line(MIDDLE_GAME), Rules::default(), &limits, &(), &control);
        let taken = start.elapsed();
        assert!(taken >= wait && taken < 10 * wait, "{taken:?}");
    }
}

/// Returns true if the line found plays to the mate that its score promises.
fn plays_to_mate(fen: &str, found: &SearchResult<Move>) -> bool {
    let ScoreKind::MateIn(plies) = found.score.kind() else { return false };
    let mut line = line(fen);
    for &mv in &found.pv {
        if !line.position().is_legal(mv) {
            return false;
        }
        line.push(mv);
    }
    found.pv.len() == plies as usize && line.position().outcome().is_some()
}

/// The composed mates of the shared facts: most are solved within a second each.
#[test]
#[ignore = "cargo test --release --test it search::xiangqi -- --ignored --nocapture (two minutes)"]
fn most_composed_mates_are_solved() {
    let Some(path) = shared("facts/mates.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let (mut total, mut solved, mut optimal, mut won) = (0, 0, 0, 0);
    let limits = Limits::move_time(Duration::from_secs(1));
    for row in text.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        let fen = row["fen"].as_str().unwrap();
        let options = SearchOptions { hash_mib: 64, ..SearchOptions::default() };
        let mut searcher = Searcher::new(options).unwrap();
        let found = searcher.run(&line(fen), Rules::default(), &limits, &(), &());
        let moves = row["mate_in"].as_u64().unwrap();
        let plays = plays_to_mate(fen, &found);
        total += 1;
        solved += usize::from(plays);
        won += usize::from(plays || found.score.is_early() && found.score > Score::DRAW);
        let quick = matches!(found.score.kind(),
            ScoreKind::MateIn(plies) if u64::from(plies.div_ceil(2)) <= moves);
        optimal += usize::from(plays && quick);
    }
    println!(
        "{solved} of {total} solved, {optimal} in the moves promised or fewer; {won} with those whose defender can only \
         check for ever"
    );
    assert!(solved * 10 >= total * 6, "{solved} of {total}");
}

/// Won by a stalemate: position and move.
const STALEMATES: [(&str, &str); 2] = [
    ("4k1Pn1/7P1/3P5/9/4n4/9/9/9/9/4K4 w - - 0 1", "d7d8"),
    ("cP2k1Pn1/P6P1/3P5/9/4n4/9/9/9/9/4K4 w - - 0 1", "d7d8"),
];

#[test]
fn a_stalemate_is_seen_as_soon_as_a_mate() {
    for (fen, mv) in STALEMATES {
        for depth in 1..=8 {
            let found = search(fen, &Limits::depth(depth));
            assert_eq!(found.best.map(|mv| mv.to_string()).as_deref(), Some(mv), "{fen}");
            assert_eq!(found.score, Score::mate_in(1), "{fen}, depth {depth}");
        }
        let rules = Rules::default();
        let limits = Limits::default();
        let proof = searcher(1, 1).find_mate(&line(fen), rules, 1, &limits, &());
        assert!(proof.found.is_some_and(|found| plays_to_mate(fen, &found)), "{fen}");
    }
}

/// Returns true if the quick answer to the question for a stalemate is right.
fn tells_stalemates(position: &Position) -> bool {
    position.in_check() || position.is_stalemated() != position.has_legal_move()
}

#[test]
fn stalemates_are_told_in_random_games() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..300 {
        let mut position = Position::start();
        for _ in 0..200 {
            assert!(tells_stalemates(&position), "{}", position.to_fen());
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.random_range(0..moves.len())]);
        }
    }
}

/// Kings, two to four men that attack, and up to four others, at random.
fn sparse_position(random: &mut ChaCha8Rng) -> Position {
    const ATTACKERS: [Role; 4] = [Role::Rook, Role::Horse, Role::Cannon, Role::Pawn];
    loop {
        let mut setup = Setup::empty();
        let turn = Side::ALL[random.random_range(0..2)];
        setup.turn = turn;
        let mut put = |random: &mut ChaCha8Rng, side, role| {
            setup.board[random.random_range(0..90)] = Some(Piece::new(side, role));
        };
        for side in Side::ALL {
            put(random, side, Role::King);
        }
        for _ in 0..random.random_range(2..=4) {
            let role = ATTACKERS[random.random_range(0..4)];
            put(random, turn, role);
        }
        for _ in 0..random.random_range(0..=4) {
            let role = Role::ALL[random.random_range(1..7)];
            let side = Side::ALL[random.random_range(0..2)];
            put(random, side, role);
        }
        let Ok(position) = Position::from_setup(&setup) else { continue };
        assert!(tells_stalemates(&position), "{}", position.to_fen());
        if position.has_legal_move() {
            return position;
        }
    }
}

/// The fewest moves, up to `most`, in which the side to move forces a mate or stalemate.
fn shortest_mate(position: &mut Position, most: u32) -> Option<u32> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    (1..=most).find(|&n| {
        moves.iter().any(|&mv| {
            let undo = position.make(mv);
            let mates = !position.has_legal_move() || n > 1 && all_lose(position, n - 1);
            position.unmake(mv, undo);
            mates
        })
    })
}

/// Returns true if every move of the side to move allows a mate in at most `n` moves.
fn all_lose(position: &mut Position, n: u32) -> bool {
    let mut replies = MoveList::new();
    position.legal_moves(&mut replies);
    replies.into_iter().all(|reply| {
        let undo = position.make(reply);
        let loses = shortest_mate(position, n).is_some();
        position.unmake(reply, undo);
        loses
    })
}

/// Every mate and stalemate in two moves, and for some positions in three, and no others.
#[test]
fn every_mate_in_sparse_positions_is_found() {
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let (mut mates, mut stalemates) = ([0; 4], 0);
    let mut searcher = searcher(1, 1);
    for number in 0..1_000 {
        let mut position = sparse_position(&mut random);
        let most = if number % 20 == 0 { 3 } else { 2 };
        let expected = shortest_mate(&mut position, most);
        let fen = position.to_fen();
        let line = Line::new(position, 0);
        let limits = Limits::default();
        let proof = searcher.find_mate(&line, RuleSet::None, most, &limits, &());
        assert!(proof.is_complete, "{fen}");
        let Some(found) = proof.found else {
            assert_eq!(expected, None, "{fen}");
            continue;
        };
        let ScoreKind::MateIn(plies) = found.score.kind() else { panic!("{fen}: {found:?}") };
        assert_eq!(Some(plies.div_ceil(2)), expected, "{fen}");
        assert!(plays_to_mate(&fen, &found), "{fen}: {found:?}");
        mates[plies.div_ceil(2) as usize] += 1;
        let mut end = line;
        found.pv.iter().for_each(|&mv| end.push(mv));
        stalemates += usize::from(!end.position().in_check());
    }
    println!("{} mates in one move, {} in two, {stalemates} stalemates", mates[1], mates[2]);
    assert!(mates[1] > 20 && mates[2] > 5 && stalemates > 20);
}
