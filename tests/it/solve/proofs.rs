//! Proofs and their files: what the provers write is accepted, and what was changed is refused or still holds.

use std::fs;
use std::path::Path;

use juzhong::book::{BuildOptions, Builder};
use juzhong::bytes::sealed::HEADER_LEN;
use juzhong::engine::{Endgames, ProvedTables};
use juzhong::game::{Game, MoveList, Notation, Outcome, Side};
use juzhong::gomoku::{Board, Point, Variant};
use juzhong::record::{Record, Tree};
use juzhong::solve::{
    Budget, CheckError, Goal, Proof, ProofClaim, ProofKind, ProofNode, ProvedPositions, Prover,
    ProverOptions, Solution, SolutionStore, StoreError, Value as SolveValue, check,
};
use juzhong::tablebase::Entry;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{exits, fails, json, text};

/// Black wins by a four and an open three on h8, then an open four.
const FOUR_AND_THREE: &str = "o13o/15/15/15/15/15/15/3oxxx8/7x7/7x7/15/15/15/15/o13o x 5";

/// Black wins by two open threes on h8.
const TWO_THREES: &str = "o13o/15/15/15/15/15/15/5xx8/7x7/7x7/15/15/15/15/o13o x 5";

/// White's four on h3 is met on h7 only, where Black would make six in a row.
const FORBIDDEN_ANSWER: &str = "o13o/15/15/15/15/15/15/7x7/4xxx1xx5/7o7/7o7/7o7/15/7x7/o14 o 5";

fn point(text: &str) -> Point {
    Point::parse(text).unwrap()
}

/// The positions that a random position may take: some would take hours.
const NODES: u64 = 50_000;

fn solve(board: &Board, kinds: &[ProofKind]) -> Solution {
    let budget = Budget { memory: 4 << 20, nodes: NODES, ..Budget::default() };
    Prover::new(ProverOptions { kinds: kinds.to_vec() }).solve(board, &budget)
}

#[test]
fn continuous_threats_win_where_fours_do_not() {
    let board = Board::from_fen(TWO_THREES).unwrap();
    let found = solve(&board, &[ProofKind::Vcf, ProofKind::Threats]);
    assert_eq!((found.value, found.kind), (SolveValue::Win, Some(ProofKind::Threats)));
    let proof = found.proof.unwrap();
    assert!(check(&proof, &Budget::default()).is_ok());
    assert_eq!(Proof::from_bytes(&proof.to_bytes().unwrap()).unwrap(), proof);
}

/// A position somewhere in a game on a small board, for every variant.
fn positions() -> impl Strategy<Value = Board> {
    let geometry =
        prop::sample::select(vec![(6, 6, 4), (5, 5, 4), (7, 7, 5), (9, 9, 5), (5, 5, 3)]);
    let variant = prop::sample::select(Variant::ALL.to_vec());
    (geometry, variant, prop::collection::vec(any::<Index>(), 4..24)).prop_map(
        |((width, height, row), variant, choices)| {
            let mut position = Board::with_variant(width, height, row, variant).unwrap();
            for choice in choices {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                moves.retain(|mv| position.play(*mv).unwrap().outcome().is_none());
                moves.sort_by_key(|mv| {
                    (mv.column().abs_diff(width / 2) + mv.row().abs_diff(height / 2), *mv)
                });
                moves.truncate(12);
                if moves.is_empty() {
                    break;
                }
                position.make(moves[choice.index(moves.len())]);
            }
            position
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// The rules of every variant: the checker knows only the board.
    #[test]
    fn proofs_hold_under_all_rules(board in positions()) {
        for kinds in [[ProofKind::Five, ProofKind::Vcf], [ProofKind::Threats, ProofKind::Threats]] {
            let found = solve(&board, &kinds);
            if let Some(proof) = found.proof {
                let checked = check(&proof, &Budget::default());
                prop_assert!(checked.is_ok(), "{board:?}: {checked:?} {proof:?}");
                let read = Proof::from_bytes(&proof.to_bytes().unwrap()).unwrap();
                prop_assert_eq!(read, proof);
            }
        }
    }

    /// A proof that was changed does not hold, unless the change is one without effect.
    #[test]
    fn changed_proofs_are_refused_or_hold(board in positions(), at: Index, how in 0..6_u8, other: Index) {
        let found = solve(&board, &[ProofKind::Five, ProofKind::Vcf, ProofKind::Threats]);
        let Some(mut proof) = found.proof else { return Ok(()) };
        let nodes = proof.nodes.len();
        let points: Vec<Point> = board.points().collect();
        let id = at.index(nodes);
        match (how, &mut proof.nodes[id]) {
            (0, node) => *node = ProofNode::End,
            (1, ProofNode::Move(point, _)) => *point = points[other.index(points.len())],
            (2, ProofNode::Move(_, child)) => *child = other.index(nodes) as u32,
            (3, ProofNode::Answers { answers, .. }) => { answers.pop(); }
            (4, ProofNode::Answers { rest, .. }) => *rest = Some(other.index(nodes) as u32),
            (5, _) => proof.value = if proof.value == SolveValue::Win { SolveValue::Loss } else { SolveValue::Win },
            _ => return Ok(()),
        }
        if check(&proof, &Budget::default()).is_ok() {
            // It holds: the side wins indeed, and in no fewer plies than the other proof needs.
            prop_assert_eq!(proof.value, found.value);
        }
    }

    /// Any byte that changes is noticed by the container; below it the decoder refuses what it cannot be.
    #[test]
    fn damaged_files_are_refused(at: Index, bit in 0..8_u8) {
        let board = Board::from_fen(FOUR_AND_THREE).unwrap();
        let bytes = solve(&board, &ProofKind::ALL).proof.unwrap().to_bytes().unwrap();
        let mut damaged = bytes.clone();
        damaged[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(Proof::from_bytes(&damaged).is_err());
        prop_assert!(Proof::from_bytes(&bytes[..at.index(bytes.len())]).is_err());
    }
}

fn proof_of(board: Board, claims: Vec<ProofClaim>, nodes: Vec<ProofNode>) -> Proof {
    let (value, kind) = (SolveValue::Win, ProofKind::Pns);
    Proof { board, value, kind, distance: Some(1), claims, nodes }
}

#[test]
fn a_false_proof_says_where_it_fails() {
    let board = Board::from_fen(FOUR_AND_THREE).unwrap();
    let claim = ProofClaim { side: Side::First, goal: Goal::Win, root: 1 };
    let nodes = vec![ProofNode::End, ProofNode::Move(point("b1"), 0)];
    let error =
        check(&proof_of(board.clone(), vec![claim], nodes), &Budget::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node 0 is wrong after b1: the game does not end there as claimed"
    );
    let nodes = vec![ProofNode::End, ProofNode::Move(point("g8"), 0)];
    let error =
        check(&proof_of(board.clone(), vec![claim], nodes), &Budget::default()).unwrap_err();
    assert!(error.to_string().contains("g8 is not legal"), "{error}");
    // A node below itself would never end.
    let nodes = vec![ProofNode::End, ProofNode::Move(point("b1"), 1)];
    let error =
        check(&proof_of(board.clone(), vec![claim], nodes), &Budget::default()).unwrap_err();
    assert!(error.to_string().contains("does not come before"), "{error}");
    let nodes = vec![ProofNode::Pairs(Vec::new())];
    let held = ProofClaim { side: Side::First, goal: Goal::Hold, root: 0 };
    let other = ProofClaim { side: Side::Second, ..held };
    let mut proof = proof_of(board.clone(), vec![held, other], nodes);
    proof.value = SolveValue::Draw;
    let error = check(&proof, &Budget::default()).unwrap_err();
    assert!(error.to_string().contains("can still make a row"), "{error}");
    let error = check(&proof_of(board, Vec::new(), Vec::new()), &Budget::default()).unwrap_err();
    assert_eq!(error, CheckError::Claims);
}

/// A chain of nodes that double: as many paths as 2 to the power of its length.
#[test]
fn hostile_sharing_ends_with_the_budget() {
    let board = Board::start();
    let mut nodes = vec![ProofNode::End];
    for id in 0..60_u32 {
        let answers = (0..15).map(|column| (Point::new(column, (id % 15) as u8).unwrap(), id));
        let answers = answers.collect();
        nodes.push(if id % 2 == 1 {
            ProofNode::Answers { answers, rest: Some(id) }
        } else {
            ProofNode::Move(Point::new((id % 15) as u8, 14).unwrap(), id)
        });
    }
    let claim = ProofClaim { side: Side::First, goal: Goal::Win, root: 59 };
    let budget = Budget {
        deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(2)),
        ..Budget::default()
    };
    assert!(check(&proof_of(board, vec![claim], nodes), &budget).is_err());
}

/// Black may not take the point that stops White's four: an overline.
#[test]
fn forbidden_points_win_for_white() {
    let free = Board::from_fen(FORBIDDEN_ANSWER).unwrap();
    let renju = Board::from_fen(&format!("{FORBIDDEN_ANSWER} renju")).unwrap();
    let kinds = [ProofKind::Five, ProofKind::Vcf];
    assert_eq!(solve(&free, &kinds).value, SolveValue::Unknown);
    let found = solve(&renju, &kinds);
    assert_eq!(
        (found.value, found.distance, found.line[0]),
        (SolveValue::Win, Some(3), point("h3"))
    );
    assert!(check(&found.proof.unwrap(), &Budget::default()).is_ok());
}

/// The program from the outside: an answer, a proof, its check, and a check of a damaged one.
#[test]
fn the_program_solves_writes_and_checks() {
    let folder = Folder::new();
    let name = folder.at("four.proof");
    let solve = ["solve", "--game", "gomoku", "--fen", FOUR_AND_THREE];
    let answer = json(&[&solve[..], &["--proof", &name]].concat());
    assert_eq!(answer["schema"], "juzhong.solve/1");
    assert_eq!((&answer["value"], &answer["proof"]), (&"win".into(), &"vcf".into()));
    assert_eq!(answer["distance"], 5);
    assert_eq!(answer["line"].as_array().unwrap().len(), 5);
    let checked = json(&["solve", "--check", &name]);
    assert_eq!((&checked["valid"], &checked["value"]), (&true.into(), &"win".into()));
    let mut bytes = fs::read(&name).unwrap();
    bytes[HEADER_LEN + 4] ^= 1;
    fs::write(&name, bytes).unwrap();
    fails(&["solve", "--check", &name], 65, &["not a readable proof", "damaged"]);
    fails(&["solve"], 2, &["knows only gomoku"]);
}

/// Positions and moves, one that is neither, and what was answered before.
#[test]
fn batches_go_on_where_they_were_ended() {
    let folder = Folder::new();
    let lines = format!("{FOUR_AND_THREE}\nh8h9\nxyz\n{TWO_THREES}\n");
    let (fens, output) = (folder.write("fens", &lines), folder.at("answers"));
    let args = ["solve", "--game", "gomoku", "--nodes", "20000", "--fens", &fens];
    let all = text(&exits(&args, 65).stdout);
    let values = |text: &str| -> Vec<String> {
        let value = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
        text.lines().map(|line| value(line)["value"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(values(&all), ["win", "unknown", "unknown", "win"]);
    // A line and a half, as an interruption may leave them.
    let first = all.lines().next().unwrap();
    fs::write(&output, format!("{first}\n{{\"schema\"")).unwrap();
    exits(&[&args[..], &["--output", &output]].concat(), 65);
    let written = fs::read_to_string(&output).unwrap();
    assert!(written.starts_with(first));
    assert_eq!(values(&written), ["win", "unknown", "unknown", "win"]);
    // A run that has nothing left to do ends as the one that did it.
    exits(&[&args[..], &["--output", &output]].concat(), 65);
    assert_eq!(fs::read_to_string(&output).unwrap(), written);
    // Answers to other positions are no beginning of these.
    fs::write(&fens, format!("{TWO_THREES}\n")).unwrap();
    fails(&[&args[..], &["--output", &output]].concat(), 65, &["answers another position"]);
}

/// With a limit in positions alone the answer is always the same, and the limit holds.
#[test]
fn answers_depend_on_the_limit_alone() {
    let open = ["solve", "--game", "gomoku", "--moves", "h8", "i9", "--nodes", "3000", "--json"];
    let first = text(&exits(&open, 0).stdout);
    assert_eq!(text(&exits(&open, 0).stdout), first);
    let answer: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(answer["value"], "unknown");
    assert!(answer["nodes"].as_u64().unwrap() < 8_000, "{answer}");
}

/// A batch makes the book that it adds to, and what is answered is in it.
#[test]
fn batches_fill_a_new_book() {
    let folder = Folder::new();
    let fens = folder.write("fens", format!("{FOUR_AND_THREE}\n{TWO_THREES}\n"));
    let book = folder.at("proved.book");
    let args = ["solve", "--game", "gomoku", "--fens", &fens, "--store", &book];
    exits(&args, 0);
    for fen in [FOUR_AND_THREE, TWO_THREES] {
        let proved = ProvedPositions::open(Path::new(&book)).unwrap();
        assert_eq!(proved.probe(&Board::from_fen(fen).unwrap()).unwrap().value, SolveValue::Win);
    }
    // The same again changes nothing.
    let before = fs::read(&book).unwrap();
    exits(&args, 0);
    assert_eq!(fs::read(&book).unwrap(), before);
}

#[test]
fn the_outcome_of_finished_games_is_their_value() {
    let over = Board::from_fen("xxx/oo1/3 o 3").unwrap();
    assert_eq!(over.outcome(), Some(Outcome::Win(Side::First)));
    let found = solve(&over, &ProofKind::ALL);
    assert_eq!((found.value, found.distance), (SolveValue::Loss, Some(0)));
    let full = Board::from_fen("xox/xoo/oxx o 3").unwrap();
    let found = solve(&full, &ProofKind::ALL);
    assert_eq!((found.value, found.distance), (SolveValue::Draw, None));
    assert!(check(&found.proof.unwrap(), &Budget::default()).is_ok());
}

/// A book of gomoku with one game.
fn book_of_one_game(path: &Path) {
    let tree = Tree { moves: ["h8", "i9", "g7"].map(point).to_vec(), ..Tree::default() };
    let tags = vec![("Date".to_owned(), "2020.01.01".to_owned())];
    let record =
        Record::<Board> { tags, start: None, start_clock: 0, result: Some(Outcome::Draw), tree };
    let builder = Builder::new(path, BuildOptions::default()).unwrap();
    builder.add([&record]).unwrap();
    builder.finish(Vec::new()).unwrap();
}

/// What is stored of a position is found for all its images, with a move that wins there too.
#[test]
fn proved_positions_are_kept_in_a_book_and_probed() {
    let folder = Folder::new();
    let path = folder.join("proved.book");
    book_of_one_game(&path);
    assert!(matches!(ProvedPositions::open(&path), Err(StoreError::Empty)));
    let board = Board::from_fen(FOUR_AND_THREE).unwrap();
    let solution = solve(&board, &ProofKind::ALL);
    let mut store = SolutionStore::open(&path).unwrap();
    store.add(&board, &solution);
    assert!(store.save().unwrap() > 3);
    let proved = ProvedPositions::open(&path).unwrap();
    let found = proved.probe(&board).unwrap();
    assert_eq!((found.value, found.distance), (SolveValue::Win, 5));
    assert_eq!((found.kind, found.best), (ProofKind::Vcf, Some(point("h8"))));
    let mirrored = "o13o/15/15/15/15/15/15/8xxxo3/7x7/7x7/15/15/15/15/o13o x 5";
    let mirrored = Board::from_fen(mirrored).unwrap();
    assert_eq!(proved.probe(&mirrored).unwrap(), found);
    assert_eq!(proved.probe(&Board::start()), None);
    // The defence that the proof lists is lost, and the engine's ranking wins with the first move.
    let after = board.play(point("h8")).unwrap();
    assert_eq!(proved.probe(&after).map(|found| found.value), Some(SolveValue::Loss));
    let tables = ProvedTables::open(&path.clone().into(), Default::default()).unwrap();
    let ranked = tables.ranked_moves(&board).unwrap();
    assert_eq!((ranked[0].mv, ranked[0].entry), (point("h8"), Entry::win(0, 5)));
    assert!(tables.covers(&board) && !tables.covers(&Board::start()));
    // Again, by the program: nothing changes.
    let before = fs::read(&path).unwrap();
    let name = path.to_str().unwrap();
    json(&["solve", "--game", "gomoku", "--fen", FOUR_AND_THREE, "--store", name]);
    assert!(fs::read(&path).unwrap() == before);
    let answer = json(&[
        "analyse",
        "--game",
        "gomoku",
        "--fen",
        FOUR_AND_THREE,
        "--tables",
        name,
        "--depth",
        "2",
    ]);
    assert_eq!(answer["best"], "h8", "{answer}");
}
