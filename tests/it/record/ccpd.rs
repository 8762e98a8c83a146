//! The whole CCPD collection (58,468 games, Big5) against the expected legal and unique games.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use juzhong::record::{BadGame, ParsedGame, ReadSummary, read_chunk, read_games, split_games};
use juzhong::xiangqi::{FenError, Position, START_FEN};

use crate::support::files::shared;

fn unpacked(path: &Path) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap()
}

/// The expected games include this many whose start position is impossible: six lack a king, two
/// have a man where it can never stand. They are refused here.
const ILLEGAL_STARTS: usize = 8;

/// Start FEN and moves: what makes two games the same.
type Identity = (String, String);

fn identity(game: &ParsedGame) -> Identity {
    let start = game.record.start.clone().unwrap_or_else(Position::start).to_fen();
    let moves: Vec<String> = game.record.tree.moves.iter().map(ToString::to_string).collect();
    (start, moves.join(" "))
}

fn result(game: &ParsedGame) -> String {
    game.record.result.map_or("*".to_owned(), |outcome| outcome.to_string())
}

/// The expected games with their results.
fn expected(folder: &Path) -> BTreeMap<Identity, String> {
    let bytes = unpacked(&folder.join("games/ccpd_unique.jsonl.zst"));
    let lines = std::str::from_utf8(&bytes).unwrap().lines();
    lines
        .map(|line| {
            let game: serde_json::Value = serde_json::from_str(line).unwrap();
            let start = game["startfen"].as_str().unwrap_or(START_FEN);
            let start = Position::from_fen(start).map_or(start.to_owned(), |p| p.to_fen());
            let moves = game["moves"].as_str().unwrap_or_default().to_owned();
            ((start, moves), game["result"].as_str().unwrap().to_owned())
        })
        .collect()
}

#[test]
#[ignore = "cargo test --release --test it record::ccpd -- --ignored --nocapture"]
fn ccpd_gives_the_expected_unique_games() {
    let Some(folder) = shared("games") else { return };
    let bytes = unpacked(&folder.join("games/raw/ccpd_all_big5.pgn.zst"));
    let mut found: BTreeMap<Identity, BTreeSet<String>> = BTreeMap::new();
    let mut without_moves = 0;
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    let begun = std::time::Instant::now();
    let mut games = Vec::new();
    let summary = read_games("ccpd", &bytes, &mut |game| games.push(game));
    println!("{summary:?} in {:?}", begun.elapsed());
    for game in &games {
        match game {
            Ok(game) => {
                without_moves += u32::from(game.record.tree.moves.is_empty());
                found.entry(identity(game)).or_default().insert(result(game));
            }
            Err(bad) => {
                println!("{bad}");
                let reason = bad.reason.to_string();
                *refused.entry(reason.split(": ").last().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    println!("{without_moves} without moves, {} unique; refused: {refused:#?}", found.len());
    let expected = expected(&folder);
    assert_eq!(expected.len(), 31_055);
    let surplus: Vec<_> = found.keys().filter(|game| !expected.contains_key(game)).collect();
    assert!(surplus.is_empty(), "{surplus:#?}");
    let missing: Vec<_> = expected.keys().filter(|game| !found.contains_key(game)).collect();
    assert_eq!(missing.len(), ILLEGAL_STARTS, "{missing:#?}");
    for (start, _) in missing {
        assert!(matches!(Position::from_fen(start), Err(FenError::Illegal(_))), "{start}");
    }
    for (game, results) in &found {
        assert!(results.contains(&expected[game]), "{game:?}: {results:?}, not {}", expected[game]);
    }
    assert_eq!(summary.games + summary.bad, 58_468);
    assert_eq!(found.len() + ILLEGAL_STARTS, 31_055);
}

#[test]
#[ignore = "cargo test --release --test it record::ccpd -- --ignored --nocapture"]
fn chunks_give_what_the_whole_gives() {
    let Some(folder) = shared("games") else { return };
    let bytes = unpacked(&folder.join("games/raw/ccpd_all_big5.pgn.zst"));
    let digest = |game: Result<ParsedGame, BadGame>| match game {
        Ok(game) => (game.game, game.place, identity(&game)),
        Err(bad) => (bad.game, bad.place, (bad.to_string(), String::new())),
    };
    let mut whole = Vec::new();
    let expected = read_games("ccpd", &bytes, &mut |game| whole.push(digest(game)));
    let mut parts = Vec::new();
    let mut summary = ReadSummary::default();
    for chunk in split_games(&bytes, 300_000) {
        summary += read_chunk("ccpd", &bytes, &chunk, &mut |game| parts.push(digest(game)));
    }
    assert_eq!(summary, expected);
    assert!(whole == parts);
}
