//! A book of a real collection against an independent count of the same games.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use juzhong::book::{Book, BuildOptions, GameId, ReadOptions, Reject, RejectReason, build};
use juzhong::game::{Game, Outcome, Packed, Side, Symmetric};
use juzhong::xiangqi::{Move, Position, START_FEN};
use serde_json::Value;

use crate::support::files::shared;

/// A line of the list of expected games.
#[derive(Default)]
struct Expected {
    /// Moves and result of the games from the usual start.
    games: Vec<(String, Option<Outcome>)>,
    no_moves: u64,
    /// Of them, those whose start position is illegal.
    other_starts: (u64, u64),
    first_moves: BTreeMap<String, u64>,
}

fn expected() -> Option<Expected> {
    let file = std::fs::File::open(shared("games/ccpd_unique.jsonl.zst")?).unwrap();
    let mut expected = Expected::default();
    for line in BufReader::new(zstd::Decoder::new(file).unwrap()).lines() {
        let game: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let moves = game["moves"].as_str().unwrap_or("");
        let start = game["startfen"].as_str().unwrap_or(START_FEN);
        if start != START_FEN {
            expected.other_starts.0 += 1;
            expected.other_starts.1 += u64::from(Position::from_fen(start).is_err());
        } else if moves.is_empty() {
            expected.no_moves += 1;
        } else {
            let result = match game["result"].as_str() {
                Some("1-0") => Some(Outcome::Win(Side::First)),
                Some("0-1") => Some(Outcome::Win(Side::Second)),
                Some("1/2-1/2") => Some(Outcome::Draw),
                _ => None,
            };
            let first = Move::parse(&moves[..4]).unwrap();
            let folded = first.max(first.mirrored()).to_string();
            *expected.first_moves.entry(folded).or_default() += 1;
            expected.games.push((moves.to_owned(), result));
        }
    }
    Some(expected)
}

fn unpack(folder: &Path) -> Option<PathBuf> {
    let packed = shared("games/raw/ccpd_all_big5.pgn.zst")?;
    let games = folder.join("all.pgn");
    let mut out = std::fs::File::create(&games).unwrap();
    zstd::stream::copy_decode(std::fs::File::open(packed).unwrap(), &mut out).unwrap();
    Some(games)
}

/// The book of the whole collection, and what it should hold.
fn build_collection(folder: &Path) -> Option<(Book, Expected)> {
    let (Some(expected), Some(games)) = (expected(), unpack(folder)) else {
        return None;
    };
    let path = folder.join("ccpd.book");
    let mut rejects = [0; 4];
    let count = |r: &Reject| match r.reason {
        RejectReason::Bad(_) => rejects[0] += 1,
        RejectReason::NoMoves => rejects[1] += 1,
        RejectReason::OtherStart => rejects[2] += 1,
        RejectReason::Cut(_) => rejects[3] += 1,
    };
    let report = build::<Position>(
        &[games],
        &path,
        BuildOptions::default(),
        ReadOptions { rejected: Box::new(count), ..ReadOptions::default() },
    )
    .unwrap();
    let book = Book::open(&path).unwrap();
    assert_eq!(book.metadata(), &report.metadata);
    let counts = report.metadata.counts;
    assert_eq!(rejects, [counts.bad, counts.no_move_records, counts.other_start_records, 0]);
    Some((book, expected))
}

#[test]
fn a_real_collection_is_counted_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let Some((book, expected)) = build_collection(folder.path()) else { return };
    let counts = book.metadata().counts;
    let (others, illegal) = expected.other_starts;
    assert_eq!(counts.records, 58_468);
    assert_eq!(counts.games, expected.games.len() as u64);
    assert_eq!(counts.no_moves, expected.no_moves);
    assert_eq!(counts.other_starts, others - illegal);
    // The expected games count eight whose start position lacks a king or has a man where it
    // cannot stand; they are refused here.
    assert_eq!(counts.games + counts.no_moves + counts.other_starts + illegal, 31_055);
    assert_eq!((illegal, counts.bad), (8, 14));
    assert_eq!(
        counts.records,
        counts.games
            + counts.duplicates
            + counts.other_start_records
            + counts.no_move_records
            + counts.bad
    );
    check_first_moves(&book, &expected);
    check_results(&book, &expected);
}

fn check_first_moves(book: &Book, expected: &Expected) {
    let found = book.probe(&Position::start()).unwrap();
    let first_moves: BTreeMap<String, u64> =
        found.iter().map(|m| (m.mv.to_string(), m.stats.games)).collect();
    assert_eq!(first_moves, expected.first_moves);
    assert_eq!(first_moves["h2e2"], 17_982);
}

fn check_results(book: &Book, expected: &Expected) {
    // Results differ only in games whose copies disagree.
    let mut stated: HashMap<Option<Outcome>, u64> = HashMap::new();
    for (_, result) in &expected.games {
        *stated.entry(*result).or_default() += 1;
    }
    let counts = book.metadata().counts;
    let differences: u64 = [
        (Some(Outcome::Win(Side::First)), counts.first),
        (Some(Outcome::Draw), counts.draws),
        (Some(Outcome::Win(Side::Second)), counts.second),
        (None, counts.unknown()),
    ]
    .iter()
    .map(|(result, count)| stated[result].abs_diff(*count))
    .sum();
    assert!(counts.disputed <= 196, "{} disputed", counts.disputed);
    assert!(differences <= 2 * counts.disputed, "{differences} differences");
}

/// Replays the expected games one by one and compares ids and the number of games of every row.
#[test]
#[ignore = "half a minute: cargo test --release --test it book::collection -- --ignored"]
fn every_row_of_a_real_collection() {
    let folder = tempfile::tempdir().unwrap();
    let Some((book, expected)) = build_collection(folder.path()) else { return };
    book.verify().unwrap();
    let mut rows: HashMap<(i64, u16), u64> = HashMap::new();
    for (moves, _) in &expected.games {
        let moves: Vec<Move> = moves.split(' ').map(|m| Move::parse(m).unwrap()).collect();
        assert!(book.has_game(GameId::new::<Position>(START_FEN, &moves)).unwrap());
        let mut position = Position::start();
        let mut seen = HashSet::new();
        for &mv in moves.iter().take(60) {
            let canonical = position.canonical();
            let row = (canonical.key.to_i64(), position.canonical_move(canonical, mv).pack());
            if seen.insert(row) {
                *rows.entry(row).or_default() += 1;
            }
            position.make(mv);
        }
    }
    assert_eq!(book.metadata().rows, rows.len() as u64);
    book.for_each_row(|key, mv, row| {
        assert_eq!(rows.get(&(key, mv)), Some(&row.stats.games));
    })
    .unwrap();
}
