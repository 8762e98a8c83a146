//! `juzhong book merge` and `book prune` from the outside.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, ended, fails, json, ok, stdout};

/// A book of games given by their results and moves.
fn book(folder: &Folder, name: &str, games: &[(&str, &str)], more: &[&str]) -> String {
    let mut text = String::new();
    for (result, moves) in games {
        write!(text, "[Result \"{result}\"]\n\n{moves} {result}\n\n").unwrap();
    }
    let source = folder.at(&format!("{name}.pgn"));
    std::fs::write(&source, text).unwrap();
    let book = folder.at(&format!("{name}.book"));
    ok(&[&["book", "build", &source, "-o", &book], more].concat());
    book
}

const SOME: &[(&str, &str)] =
    &[("1-0", "h2e2 h9g7 h0g2 b9c7"), ("0-1", "h2e2 h9g7 h0g2 i9h9"), ("1-0", "g3g4 g6g5")];
const MORE: &[(&str, &str)] =
    &[("1/2-1/2", "b2e2 b9c7 b0c2 h9g7"), ("1-0", "g3g4 c6c5"), ("*", "i3i4")];

#[test]
fn rows_are_summed_as_if_built_from_all_games() {
    let folder = Folder::new();
    let (a, b) = (book(&folder, "a", SOME, &[]), book(&folder, "b", MORE, &[]));
    let all = folder.at("all.book");
    let sources = [folder.at("a.pgn"), folder.at("b.pgn")];
    ok(&["book", "build", &sources[0], &sources[1], "-o", &all]);
    let merged = folder.at("merged.book");
    let answer = json(&["book", "merge", &a, &b, "-o", &merged]);
    assert_eq!((&answer["schema"], &answer["games"]), (&"juzhong.book.merge/1".into(), &6.into()));
    let [stats, expected] = [&merged, &all].map(|book| json(&["book", "stats", book, "--sources"]));
    for name in ["content", "games", "red", "draws", "black", "sources", "moves", "records"] {
        assert_eq!(stats[name], expected[name], "{name}");
    }
    assert_eq!(stats["books"].as_array().unwrap().len(), 2);
    // The order in which books are named does not matter, and merging goes on from merged books.
    let other = folder.at("other.book");
    ok(&["book", "merge", &b, &a, "-o", &other, "--memory", "1"]);
    assert!(std::fs::read(&merged).unwrap() == std::fs::read(&other).unwrap());
    let third = book(&folder, "c", &[("1-0", "a3a4 c6c5")], &[]);
    let three = folder.at("three.book");
    ok(&["book", "merge", &third, &merged, "-o", &three]);
    let stats = json(&["book", "stats", &three]);
    let names: Vec<&str> =
        stats["books"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    ok(&["book", "build", &sources[0], &sources[1], &folder.at("c.pgn"), "-o", &all]);
    assert_eq!(stats["content"], json(&["book", "stats", &all])["content"]);
}

#[test]
fn no_game_counts_twice() {
    let folder = Folder::new();
    let a = book(&folder, "a", SOME, &[]);
    let b = book(&folder, "b", &[SOME[0], MORE[0]], &[]);
    let merged = folder.at("merged.book");
    fails(
        &["book", "merge", &a, &b, "-o", &merged],
        65,
        &["a.book", "b.book", "count 1 of the same"],
    );
    assert!(!std::path::Path::new(&merged).exists());
    // Where one book counts all games of the other, that one adds its marks.
    let part = book(&folder, "part", &SOME[1..2], &[]);
    ok(&["book", "edit", &part, "--move", "h2e2", "--comment", "from the part"]);
    let answer = json(&["book", "merge", &part, &a, "-o", &merged]);
    assert_eq!(answer["books"][0]["contained"], true);
    assert_eq!((&answer["games"], &answer["marks"]), (&3.into(), &1.into()));
    assert_eq!(answer["content"], json(&["book", "stats", &a])["content"]);
    // A deeper book of fewer games is not contained.
    let flat = book(&folder, "flat", SOME, &["--max-ply", "2"]);
    fails(&["book", "merge", &part, &flat, "-o", &folder.at("x.book")], 65, &["same games"]);
    // A book and an edited copy of it: the same rows, the marks of both.
    let copy = folder.at("copy.book");
    std::fs::copy(&a, &copy).unwrap();
    ok(&["book", "edit", &copy, "--move", "g3g4", "--priority", "4"]);
    let answer = json(&["book", "merge", &a, &copy, "-o", &merged]);
    assert_eq!((&answer["games"], &answer["marks"]), (&3.into(), &1.into()));
    json(&["book", "stats", &merged]);
}

#[test]
fn marks_are_united_by_the_stated_rule() {
    let folder = Folder::new();
    let (a, b) = (book(&folder, "a", SOME, &[]), book(&folder, "b", MORE, &[]));
    let edit = |book: &str, args: &[&str]| ok(&[&["book", "edit", book], args].concat());
    edit(
        &a,
        &["--move", "h2e2", "--comment", "x", "--priority", "-1", "--weight", "3", "--group", "p"],
    );
    edit(
        &b,
        &["--move", "h2e2", "--comment", "a", "--priority", "-5", "--disable", "--group", "q"],
    );
    edit(&a, &["--move", "g3g4", "--comment", "mine", "--lock"]);
    edit(&b, &["--move", "g3g4", "--comment", "yours", "--weight", "9"]);
    edit(&b, &["--add-line", "a0a1 a9a8"]);
    edit(&a, &["--moves", "h2e2 h9g7 h0g2", "--move", "i9h9", "--delete"]);
    let merged = folder.at("merged.book");
    let answer = json(&["book", "merge", &b, &a, "-o", &merged]);
    assert_eq!(answer["conflicts"], 2);
    let found = json(&["book", "query", &merged]);
    let mv = |name: &str| {
        let moves = found["moves"].as_array().unwrap();
        moves.iter().find(|m| m["move"] == name).unwrap().clone()
    };
    let both = mv("h2e2");
    assert_eq!((&both["comment"], &both["priority"]), (&"a\nx".into(), &(-1).into()));
    assert_eq!((&both["weight"], &both["games"]), (&3.into(), &3.into()));
    assert_eq!(both["groups"], serde_json::json!(["p", "q"]));
    assert_eq!(both["flags"], serde_json::json!(["disabled"]));
    let locked = mv("g3g4");
    assert_eq!((&locked["comment"], &locked["weight"]), (&"mine".into(), &4.into()));
    assert_eq!(locked["origin"], "a.book");
    assert_eq!(mv("i0i1")["origin"], "b.book");
    assert_eq!(mv("i0i1")["flags"], serde_json::json!(["added"]));
    let after = json(&["book", "query", &merged, "--moves", "h2e2 h9g7 h0g2"]);
    assert!(after["moves"].as_array().unwrap().iter().all(|m| m["move"] != "i9h9"));
    let history = json(&["book", "edit", &merged, "--history"]);
    assert_eq!(
        history["history"],
        serde_json::json!([]),
        "edits are undone in the books they were made in"
    );
}

#[test]
fn depths_and_bad_books() {
    let folder = Folder::new();
    let a = book(&folder, "a", SOME, &["--max-ply", "2", "--min-games", "3"]);
    let b = book(&folder, "b", MORE, &["--min-games", "2"]);
    let merged = folder.at("merged.book");
    let answer = json(&["book", "merge", &a, &b, "-o", &merged]);
    assert_eq!((&answer["max_ply"], &answer["min_games"]), (&60.into(), &2.into()));
    assert_eq!(answer["depths_differ"], true);
    let text = stdout(&["book", "merge", &a, &b, "-o", &merged]);
    assert!(text.contains("the books differ"), "{text}");
    fails(&["book", "merge", &a, "-o", &merged], 2, &["2 values required"]);
    fails(&["book", "merge", &a, &folder.at("none"), "-o", &merged], 66, &["none"]);
    let mut bytes = std::fs::read(&a).unwrap();
    let at = bytes.len() - 5;
    bytes[at] ^= 1;
    std::fs::write(&a, bytes).unwrap();
    let before = std::fs::read(&merged).unwrap();
    fails(&["book", "merge", &a, &b, "-o", &merged], 65, &["a.book", "damaged"]);
    assert!(std::fs::read(&merged).unwrap() == before);
    fails(&["book", "merge", &b, &b, "-o", &folder.at("b.pgn")], 73, &["no book stands there"]);
}

#[test]
fn pruning_drops_what_is_rare_and_says_so() {
    let folder = Folder::new();
    let all: Vec<(&str, &str)> = SOME.iter().chain(MORE).copied().collect();
    let book = book(&folder, "a", &all, &[]);
    ok(&["book", "edit", &book, "--move", "i3i4", "--comment", "keep me"]);
    let small = folder.at("small.book");
    let answer = json(&["book", "prune", &book, "-o", &small, "--min-games", "2"]);
    assert_eq!(
        (&answer["schema"], &answer["pruned"]),
        (&"juzhong.book.prune/1".into(), &true.into())
    );
    let stats = json(&["book", "stats", &small]);
    assert_eq!((&stats["pruned"], &stats["games"]), (&true.into(), &6.into()));
    let rows = json(&["book", "stats", &book])["moves"].as_u64().unwrap();
    assert_eq!(answer["dropped"].as_u64().unwrap() + answer["moves"].as_u64().unwrap(), rows);
    assert_eq!(answer["few_games"], answer["dropped"]);
    let first = |book: &str| -> Vec<String> {
        let found = json(&["book", "query", book]);
        let moves = found["moves"].as_array().unwrap();
        moves.iter().map(|m| m["move"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(first(&small), ["h2e2", "g3g4"]);
    let answer =
        json(&["book", "prune", &book, "-o", &small, "--min-share", "20%", "--keep-marked"]);
    assert_eq!(first(&small), ["h2e2", "g3g4", "i3i4"]);
    assert_eq!(answer["dropped"], 0);
    assert_eq!(json(&["book", "stats", &small])["pruned"], false);
    let answer = json(&["book", "prune", &book, "-o", &small, "--min-share", "0.4"]);
    assert_eq!(first(&small), ["h2e2"]);
    assert_eq!(
        (&answer["small_share"], answer["cut_off"].as_u64().unwrap() > 0),
        (&3.into(), true)
    );
    assert_eq!(json(&["book", "stats", &small])["unreached"], 0);
    let answer = json(&["book", "prune", &book, "-o", &small, "--max-ply", "2"]);
    let stats = json(&["book", "stats", &small]);
    assert_eq!((stats["depth"].as_array().unwrap().len(), &stats["max_ply"]), (2, &2.into()));
    assert_eq!(answer["moves"], stats["moves"]);
    fails(
        &["book", "prune", &book, "-o", &small, "--min-games", "9"],
        65,
        &["no move would be left"],
    );
    fails(&["book", "prune", &book, "-o", &small], 2, &["--min-games"]);
    // Locked moves stay, deleted ones go.
    ok(&["book", "edit", &book, "--move", "i3i4", "--lock"]);
    ok(&["book", "edit", &book, "--moves", "g3g4", "--move", "c6c5", "--delete"]);
    let answer = json(&["book", "prune", &book, "-o", &small, "--min-games", "3"]);
    assert_eq!(first(&small), ["h2e2", "i3i4"]);
    assert_eq!(answer["deleted"], 1);
}

#[test]
fn pruning_by_share_keeps_what_was_added_by_hand() {
    let folder = Folder::new();
    let all: Vec<(&str, &str)> = SOME.iter().chain(MORE).copied().collect();
    for book in [book(&folder, "a", SOME, &[]), book(&folder, "b", &all, &[])] {
        ok(&["book", "edit", &book, "--add-line", "i3i4"]);
        let small = folder.at("small.book");
        ok(&["book", "prune", &book, "-o", &small, "--min-share", "50%", "--min-games", "2"]);
        let found = json(&["book", "query", &small, "--min-games", "0"]);
        let moves = found["moves"].as_array().unwrap();
        assert!(moves.iter().any(|m| m["move"] == "i3i4"), "{found}");
    }
}

#[test]
fn stats_tell_of_coverage_lines_and_differences() {
    let folder = Folder::new();
    let mut games = Vec::new();
    // Black answers h9g7 mostly, and loses; b9c7 does better.
    for i in 0..60 {
        let tail = ["a9a8", "i9i8", "c6c5", "g6g5", "a6a5", "i6i5"][i % 6];
        let other =
            ["c3c4", "g3g4", "a3a4", "i3i4", "a0a1", "i0i1", "b2d2", "c0a2", "g0i2", "d0e1"][i / 6];
        games.push(("1-0", format!("h2e2 h9g7 h0g2 {tail} {other}")));
    }
    for i in 0..30 {
        let tail = ["a9a8", "i9i8", "c6c5", "g6g5", "a6a5", "i6i5"][i % 6];
        let other = ["c3c4", "g3g4", "a3a4", "i3i4", "a0a1"][i / 6];
        games.push(("0-1", format!("h2e2 b9c7 h0g2 {tail} {other}")));
    }
    let games: Vec<(&str, &str)> = games.iter().map(|(r, m)| (*r, m.as_str())).collect();
    let book = book(&folder, "a", &games, &[]);
    let stats = json(&["book", "stats", &book, "--lines", "2", "--line-depth", "3"]);
    assert_eq!(stats["coverage"][0], serde_json::json!({"ply": 0, "games": 90, "share": 1.0}));
    assert_eq!(stats["coverage"].as_array().unwrap().len(), 5);
    let lines = stats["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["line"], &lines[0]["games"]), (&"h2e2 h9g7 h0g2".into(), &60.into()));
    assert_eq!((&lines[1]["line"], &lines[1]["score"]), (&"h2e2 b9c7 h0g2".into(), &0.0.into()));
    let difference = &stats["differences"][0];
    assert_eq!(
        (&difference["played"]["move"], &difference["better"]["move"]),
        (&"h9g7".into(), &"b9c7".into())
    );
    assert_eq!((&difference["difference"], &difference["ply"]), (&1.0.into(), &1.into()));
    assert_eq!(stats["differences"].as_array().unwrap().len(), 1);
    assert_eq!(stats["openings"]["games"], 90);
    let letters = stats["openings"]["letters"].as_object().unwrap();
    assert_eq!(letters.values().map(|games| games.as_u64().unwrap()).sum::<u64>(), 90);
    assert!(stats["openings"]["most_frequent"][0]["games"].as_u64().unwrap() > 0);
    let few = json(&["book", "stats", &book, "--min-games", "50"]);
    assert_eq!(few["coverage"][1]["games"], 60);
    let text = stdout(&["book", "stats", &book]);
    assert!(text.contains("h9g7 0.0% of 60, but b9c7 100.0% of 30"), "{text}");
}

#[cfg(unix)]
#[test]
fn on_a_full_disk_nothing_is_lost() {
    let folder = Folder::new();
    let (a, b) = (book(&folder, "a", SOME, &[]), book(&folder, "b", MORE, &[]));
    let out = folder.at("out.book");
    std::fs::copy(&a, &out).unwrap();
    let before = std::fs::read(&out).unwrap();
    for args in [
        &["book", "merge", &a, &b, "-o", &out][..],
        &["book", "prune", &a, "-o", &out, "--min-games", "2"],
    ] {
        let output = Command::new("sh")
            .args(["-c", "ulimit -f 40; exec \"$0\" \"$@\"", PROGRAM])
            .args(args)
            .output()
            .unwrap();
        ended(&output, 74, &["is the disk full?"]);
        assert!(std::fs::read(&out).unwrap() == before);
    }
    assert_eq!(folder.hidden(), [""; 0]);
}
