//! The lines of `books/ecco.tsv` against other sources: the names, our own opening lines, games.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;

use juzhong::book::opening::{Code, Openings};
use juzhong::game::Game;
use juzhong::record::read_games;
use juzhong::xiangqi::{Move, Position};
use serde_json::Value;

use crate::support::files::{in_repository, shared};
use crate::support::folder::Folder;
use crate::support::program::{fails, json, ok, stdout};

#[test]
fn the_names_are_those_of_the_encyclopedia() {
    let Some(path) = shared("facts/ecco_names.json") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    let names: BTreeMap<String, String> = serde_json::from_str(&text).expect("names by code");
    let ours: BTreeMap<String, String> = Openings::built_in()
        .lines()
        .map(|(code, name)| (code.to_string(), name.to_owned()))
        .collect();
    assert_eq!(ours, names);
}

#[test]
fn our_own_lines_get_the_codes_that_they_state() {
    let mut others = Vec::new();
    let mut lines = 0;
    let mut files: Vec<PathBuf> = std::fs::read_dir(in_repository("books/openings"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).expect("readable");
        read_games(&file.display().to_string(), &bytes, &mut |game| {
            let record = game.expect("legal").record;
            lines += 1;
            let stated = record.tag("ECCO").and_then(Code::parse).expect("a code");
            let found = Openings::built_in().name_game(&record.tree.moves).expect("a name").code;
            if found != stated {
                let name = record.tag("Opening").unwrap_or_default();
                others.push(format!("{name}: {stated}, found {found}"));
            }
        });
    }
    assert!(lines >= 150, "{lines} lines");
    assert_eq!(others, [] as [&str; 0]);
}

/// Shares of games with the stated letter and code, and how many there are.
#[derive(Default)]
struct Agreement {
    games: u32,
    letters: u32,
    codes: u32,
}

impl Agreement {
    fn add(&mut self, stated: Code, found: Option<Code>) {
        self.games += 1;
        self.letters += u32::from(found.is_some_and(|code| code.letter() == stated.letter()));
        self.codes += u32::from(found == Some(stated));
    }

    fn shares(&self) -> [f64; 2] {
        [self.letters, self.codes].map(|part| f64::from(part) / f64::from(self.games))
    }
}

#[test]
#[ignore = "replays 29,000 games; cargo test --release --test it book::ecco -- --ignored --nocapture"]
fn games_get_the_codes_that_they_state() {
    let Some(path) = shared("games/ccpd_unique.jsonl.zst") else { return };
    let file = std::fs::File::open(path).expect("readable");
    let input = std::io::BufReader::new(zstd::Decoder::new(file).expect("zstd"));
    let mut parts = [Agreement::default(), Agreement::default()];
    let mut without_past = Agreement::default();
    for line in input.lines() {
        let game: Value = serde_json::from_str(&line.expect("text")).expect("a game");
        let Some(stated) = game["ecco"].as_str().and_then(Code::parse) else { continue };
        let moves: Vec<Move> = game["moves"]
            .as_str()
            .expect("moves")
            .split(' ')
            .map(|text| Move::parse(text).expect("a move"))
            .collect();
        let opening = Openings::built_in().name_game(&moves);
        let found = opening.map(|opening| opening.code);
        if let Some(opening) = opening {
            let mut position = Position::start();
            for &mv in &moves[..opening.ply as usize] {
                position.make(mv);
            }
            let named = Openings::built_in().name_position(&position);
            without_past.add(opening.code, named.map(|named| named.code));
        }
        // 256 leaves 1 modulo 5, so the sum of the bytes will do, whatever their order.
        let hash = blake3::hash(game["path"].as_str().expect("a path").as_bytes());
        let sum: u32 = hash.as_bytes().iter().map(|&byte| u32::from(byte)).sum();
        parts[usize::from(sum.is_multiple_of(5))].add(stated, found);
    }
    for (name, part) in ["four fifths", "held back"].iter().zip(&parts) {
        let [letters, codes] = part.shares();
        println!("{name}: {} games, letter {letters:.4}, code {codes:.4}", part.games);
        assert!(letters >= 0.95 && codes >= 0.85, "{name}");
    }
    // The position in which a game got its name, asked about without the game.
    let [letters, codes] = without_past.shares();
    println!("without the past: letter {letters:.4}, code {codes:.4}");
    assert!(letters >= 0.95 && codes >= 0.85);
}

#[test]
fn classify_names_moves_and_positions() {
    let answer = json(&["book", "classify", "--moves", "h2e2 h9g7 h0g2 i9h9"]);
    assert_eq!(answer["schema"], "juzhong.book.classify/1");
    assert_eq!((&answer["ecco"], &answer["ply"]), (&"B05".into(), &2.into()));
    let fen = "rnbakabnr/9/1c2c4/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";
    let answer = json(&["book", "classify", "--fen", fen]);
    assert_eq!((&answer["ecco"], &answer["name"]), (&"D00".into(), &"顺炮缓开车对其他".into()));
    ok(&["book", "classify", "--moves", "h2e2"]);
    fails(&["book", "classify", "--moves", "h2e9"], 65, &[]);
    fails(&["book", "classify", "--fen", "nonsense"], 65, &[]);
    fails(&["book", "classify"], 2, &[]);
    fails(&["book", "classify", "no such file.pgn"], 66, &[]);
}

#[test]
fn classify_counts_the_games_of_a_collection() {
    let answer = json(&["book", "classify", "--compare", "books/openings"]);
    let codes = answer["codes"].as_array().expect("codes");
    let games: u64 = codes.iter().map(|code| code["games"].as_u64().expect("a count")).sum();
    assert_eq!(answer["games"], games);
    assert_eq!(answer["compare"]["same_code"], games);
    assert_eq!(answer["compare"]["code_share"], 1.0);
    let file = "books/openings/same-direction-cannons.pgn";
    let text = stdout(&["book", "classify", "--json", "--list", file]);
    let list: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let (sums, games) = list.split_last().expect("objects");
    assert_eq!((games.len(), &sums["games"]), (15, &15.into()));
    assert!(games.iter().all(|game| game["ecco"] == game["stated"] && game["file"] == file));
    let folder = Folder::new();
    let empty = folder.write("nothing.pgn", "");
    fails(&["book", "classify", &empty], 65, &[]);
}
