//! The whole CCPD collection (58,468 games, Big5) against the expected legal and unique games.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use juzhong::record::{BadGame, ParsedGame, ReadSummary, read_chunk, read_games, split_games};
use juzhong::xiangqi::Position;

/// Where the shared data lie, if they are there.
fn shared() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("JUZHONG_SHARED").map_or(default, PathBuf::from);
    folder.join("games/raw/ccpd_all_big5.pgn.zst").exists().then_some(folder)
}

fn unpacked(path: &Path) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap()
}

/// Start FEN and moves: what makes two games the same.
type Identity = (String, String);

fn identity(game: &ParsedGame) -> Identity {
    let start = game.record.start.clone().unwrap_or_else(Position::start).to_fen();
    let moves: Vec<String> = game.record.tree.moves.iter().map(ToString::to_string).collect();
    (start, moves.join(" "))
}

fn expected(folder: &Path) -> BTreeSet<Identity> {
    let bytes = unpacked(&folder.join("games/ccpd_unique.jsonl.zst"));
    let lines = std::str::from_utf8(&bytes).unwrap().lines();
    lines
        .map(|line| {
            let game: serde_json::Value = serde_json::from_str(line).unwrap();
            let start = game["startfen"].as_str().unwrap();
            let start = Position::from_fen(start).map_or(start.to_owned(), |p| p.to_fen());
            (start, game["moves"].as_str().unwrap().to_owned())
        })
        .collect()
}

#[test]
#[ignore = "cargo test --release --test record_ccpd -- --ignored --nocapture"]
fn ccpd_gives_the_expected_unique_games() {
    let Some(folder) = shared() else {
        println!("skipped: no shared data (set JUZHONG_SHARED)");
        return;
    };
    let bytes = unpacked(&folder.join("games/raw/ccpd_all_big5.pgn.zst"));
    let mut found = BTreeSet::new();
    let mut without_moves = 0;
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    let begun = std::time::Instant::now();
    let mut games = Vec::new();
    let summary = read_games("ccpd", &bytes, &mut |game| games.push(game));
    println!("{summary:?} in {:?}", begun.elapsed());
    for game in &games {
        match game {
            Ok(game) if game.record.tree.moves.is_empty() => without_moves += 1,
            Ok(game) => {
                found.insert(identity(game));
            }
            Err(bad) => {
                println!("{bad}");
                let reason = bad.reason.to_string();
                *refused.entry(reason.split(": ").last().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    let expected = expected(&folder);
    for (start, moves) in expected.difference(&found).take(20) {
        println!("missing: {start} | {moves}");
    }
    for (start, moves) in found.difference(&expected).take(20) {
        println!("surplus: {start} | {moves}");
    }
    println!("{without_moves} without moves, {} unique; refused: {refused:#?}", found.len());
    assert_eq!(summary.games + summary.bad, 58_468);
    assert_eq!(found.len(), 31_055);
    assert!(found == expected);
}

#[test]
#[ignore = "cargo test --release --test record_ccpd -- --ignored --nocapture"]
fn chunks_give_what_the_whole_gives() {
    let Some(folder) = shared() else {
        println!("skipped: no shared data (set JUZHONG_SHARED)");
        return;
    };
    let bytes = unpacked(&folder.join("games/raw/ccpd_all_big5.pgn.zst"));
    let digest = |game: Result<ParsedGame, BadGame>| match game {
        Ok(game) => (game.game, game.line, identity(&game)),
        Err(bad) => (bad.game, bad.line, (bad.to_string(), String::new())),
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
