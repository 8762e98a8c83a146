//! `juzhong book import`, `export` and `doctor` from the outside.

use serde_json::Value;

use crate::support::files::shared;
use crate::support::folder::Folder;
use crate::support::program::{command, ended, fails, json, json_with_code, ok, sample_book};

const FORMATS: [&str; 6] = ["obk", "pfbook", "xqb", "eleeye", "moonriver", "polyglot"];

#[test]
fn every_format_there_and_back() {
    let folder = Folder::new();
    let own = sample_book(&folder);
    let moves = json(&["book", "query", &own])["moves"].clone();
    for format in FORMATS {
        // The name says nothing.
        let (foreign, again) =
            (folder.at(&format!("{format}.txt")), folder.at(&format!("{format}.book")));
        let exported = json(&["book", "export", &own, "--to", format, "-o", &foreign]);
        assert_eq!(exported["schema"], "juzhong.book.export/1");
        assert_eq!(exported["unreached"], 0, "{exported}");
        assert!(exported["written"].as_u64().unwrap() > 0);
        let healthy = json(&["book", "doctor", &foreign]);
        assert_eq!(healthy["schema"], "juzhong.book.doctor/1");
        assert_eq!((&healthy["format"], &healthy["healthy"]), (&format.into(), &true.into()));
        let imported = json(&["book", "import", &foreign, "-o", &again]);
        assert_eq!(imported["schema"], "juzhong.book.import/1");
        assert_eq!((&imported["format"], &imported["unreached"]), (&format.into(), &0.into()));
        assert_eq!(json(&["book", "doctor", &again])["format"], "juzhong");
        let found = json(&["book", "query", &again])["moves"].clone();
        assert_eq!(found.as_array().unwrap().len(), moves.as_array().unwrap().len(), "{format}");
        if ["obk", "pfbook", "xqb"].contains(&format) {
            for (a, b) in moves.as_array().unwrap().iter().zip(found.as_array().unwrap()) {
                for field in ["move", "weight"] {
                    assert_eq!(a[field], b[field], "{format}");
                }
            }
        }
    }
}

#[test]
fn options_of_obk() {
    let folder = Folder::new();
    let own = sample_book(&folder);
    let foreign = folder.at("double.obk");
    json(&[
        "book",
        "export",
        &own,
        "--to",
        "obk",
        "--dialect",
        "double",
        "--swapped",
        "-o",
        &foreign,
    ]);
    let sick = json_with_code(&["book", "doctor", &foreign], 1);
    assert_eq!((&sick["dialect"], &sick["swapped_moves"]), (&"double".into(), &true.into()));
    assert_eq!(sick["findings"][0]["name"], "byte_order");
    let clean = folder.at("clean.obk");
    let repaired = json_with_code(&["book", "doctor", &foreign, "--repair", "-o", &clean], 1);
    assert_eq!(repaired["repair"]["written"], sick["rows"]);
    assert_eq!(json(&["book", "doctor", &clean])["dialect"], "double");
    let other = folder.at("int64.obk");
    let to = ["--repair", "--dialect", "int64", "-o", &other];
    json_with_code(&[&["book", "doctor", &foreign], &to[..]].concat(), 1);
    assert_eq!(json(&["book", "doctor", &other])["dialect"], "int64");
    // What was imported from either is the same, but for the names of the sources.
    let contents: Vec<Value> = [&foreign, &clean]
        .iter()
        .map(|file| {
            let again = format!("{file}.book");
            json(&["book", "import", file, "-o", &again])["content"].clone()
        })
        .collect();
    assert_eq!(contents[0], contents[1]);
}

#[test]
fn errors_say_what_to_do() {
    let folder = Folder::new();
    let own = sample_book(&folder);
    let obk = folder.at("a.obk");
    json(&["book", "export", &own, "--to", "obk", "-o", &obk]);
    fails(&["book", "export", &own, "--to", "obk", "-o", &obk], 73, &["already exists"]);
    fails(&["book", "export", &own, "--to", "obk"], 2, &["--output"]);
    fails(&["book", "import", &obk, "-o", &obk], 73, &["already exists"]);
    fails(&["book", "import", &obk, "-o", &own], 73, &["already exists"]);
    fails(&["book", "doctor", &own, "--repair", "-o", &own], 73, &["already exists"]);
    let out = folder.at("out");
    fails(&["book", "import", &folder.at("none"), "-o", &out], 66, &["none"]);
    fails(&["book", "import", &own, "-o", &out], 65, &["already a book of this program"]);
    fails(&["book", "import", &obk, "-o", &out, "--from", "xqb"], 65, &["of the format obk"]);
    fails(&["book", "import", &obk, "-o", &out, "--memory", "1000"], 65, &["--memory"]);
    fails(&["book", "import", &obk, "-o", &folder.at("no/folder")], 73, &["folder"]);
    fails(&["book", "doctor", &folder.at("")], 65, &["not a file"]);
    for content in ["", "no moves\n", "SQLite format 3\0 and no more"] {
        std::fs::write(folder.at("text"), content).unwrap();
        fails(&["book", "import", &folder.at("text"), "-o", &out], 65, &["text"]);
        fails(&["book", "doctor", &folder.at("text")], 65, &["text"]);
    }
    assert_eq!(folder.names().len(), 3, "nothing is left behind");
}

#[test]
fn a_truncated_book_is_read_as_far_as_it_goes() {
    let folder = Folder::new();
    let own = sample_book(&folder);
    for format in ["obk", "moonriver", "eleeye"] {
        let (whole, cut) = (folder.at(format), folder.at(&format!("cut-{format}")));
        json(&["book", "export", &own, "--to", format, "-o", &whole]);
        let bytes = std::fs::read(&whole).unwrap();
        std::fs::write(&cut, &bytes[..bytes.len() - bytes.len() / 3 - 3]).unwrap();
        let sick = json_with_code(&["book", "doctor", &cut, "--from", format], 1);
        assert_eq!(sick["findings"][0]["name"], "file", "{sick}");
    }
}

#[test]
fn a_truncated_own_book_is_rescued() {
    let folder = Folder::new();
    let (own, cut, clean) = (sample_book(&folder), folder.at("cut"), folder.at("clean"));
    let bytes = std::fs::read(&own).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).unwrap();
    fails(&["book", "query", &cut], 65, &["cut"]);
    let report = json_with_code(&["book", "doctor", &cut, "--repair", "-o", &clean], 1);
    assert_eq!(report["findings"][0]["name"], "file", "{report}");
    let (repair, lost) = (&report["repair"], report["repair"]["lost"].to_string());
    assert!(repair["written"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(repair["complete"], false);
    assert!(lost.contains("pages are missing"), "{lost}");
    let stats = json(&["book", "stats", &clean]);
    assert_eq!((&stats["moves"], &stats["pruned"]), (&repair["written"], &true.into()));
}

/// An own book is exported with a weight set by hand that wins every choice.
#[test]
fn weights_are_changed_on_request_only() {
    let folder = Folder::new();
    let own = folder.at("own");
    let games = "[Result \"1-0\"]\n\nh2e2 1-0\n\n[Result \"0-1\"]\n\ng3g4 0-1\n\n[Result \"1-0\"]\n\ng0e2 1-0\n\n";
    let games = folder.write("a.pgn", games);
    json(&["book", "build", &games, "-o", &own]);
    json(&["book", "edit", &own, "--move", "g3g4", "--weight", "5000"]);
    let weight_in = |book: &str| {
        let moves = json(&["book", "query", book])["moves"].clone();
        let found = moves.as_array().unwrap().iter().find(|found| found["move"] == "g3g4").cloned();
        found.unwrap()["weight"].as_u64().unwrap()
    };
    let sick = json_with_code(&["book", "doctor", &own], 1);
    assert_eq!(sick["findings"][0]["name"], "outlier", "{sick}");
    let (same, lower) = (folder.at("same"), folder.at("lower"));
    let repair = ["book", "doctor", &own, "--repair"];
    let kept = json_with_code(&[&repair[..], &["-o", &same]].concat(), 1);
    assert_eq!(
        (&kept["repair"]["changed"], &kept["repair"]["left"][0]),
        (&0.into(), &"outlier".into())
    );
    assert_eq!(weight_in(&same), 5000);
    json_with_code(&[&repair[..], &["--weights", "-o", &lower]].concat(), 1);
    assert_eq!(weight_in(&lower), 0);
    fails(&["book", "doctor", &own, "--weights"], 2, &["--repair"]);
}

#[test]
fn books_without_games_are_listed_by_weight() {
    let folder = Folder::new();
    let (own, foreign, again) = (sample_book(&folder), folder.at("dat"), folder.at("again"));
    json(&["book", "export", &own, "--to", "eleeye", "-o", &foreign]);
    json(&["book", "import", &foreign, "-o", &again]);
    let answer = json(&["book", "query", &again]);
    let moves = answer["moves"].as_array().unwrap();
    let weights: Vec<u64> = moves.iter().map(|found| found["weight"].as_u64().unwrap()).collect();
    assert!(weights.len() > 1 && weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    assert_eq!(answer["total_weight"], weights.iter().sum::<u64>());
    let tree = json(&["book", "query", &again, "--tree", "2"]);
    assert_eq!(tree["moves"][0]["move"], moves[0]["move"]);
    let stats = json(&["book", "stats", &again]);
    assert_eq!(stats["by_weight"], true);
    assert_eq!(stats["coverage"][0]["weight"], weights.iter().sum::<u64>());
    assert_eq!(
        (&stats["coverage"][0]["games"], &stats["coverage"][0]["share"]),
        (&0.into(), &1.0.into())
    );
    let line = stats["lines"][0]["line"].as_str().unwrap();
    assert!(line.starts_with(moves[0]["move"].as_str().unwrap()), "{line}");
    let weights = stats["lines"].as_array().unwrap().iter().map(|line| line["weight"].as_u64());
    assert!(weights.is_sorted_by(|a, b| a >= b));
    assert_eq!(json(&["book", "stats", &own])["by_weight"], false);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_pipes_are_not_opened() {
    let folder = Folder::new();
    let own = sample_book(&folder);
    let obk = folder.at("a.obk");
    json(&["book", "export", &own, "--to", "obk", "-o", &obk]);
    std::os::unix::fs::symlink(&obk, folder.at("link")).unwrap();
    assert_eq!(json(&["book", "doctor", &folder.at("link")])["format"], "obk");
    assert!(
        std::process::Command::new("mkfifo").arg(folder.at("pipe")).status().unwrap().success()
    );
    fails(
        &["book", "import", &folder.at("pipe"), "-o", &folder.at("out")],
        65,
        &["not a regular file"],
    );
    fails(&["book", "doctor", &folder.at("pipe")], 65, &["not a regular file"]);
}

/// `ElephantEye`'s own book, where it is at hand.
#[test]
fn a_real_book() {
    let Some(path) = shared("formats/samples/BOOK.DAT") else { return };
    let folder = Folder::new();
    let own = folder.at("own");
    let path = path.display().to_string();
    let report = json(&["book", "import", &path, "-o", &own, "--plies", "1"]);
    assert_eq!((&report["format"], &report["rows"]), (&"eleeye".into(), &12_081.into()));
    assert!(report["taken"].as_u64().unwrap() >= 7848, "{report}");
    assert_eq!(report["illegal"], 0);
    let moves = json(&["book", "query", &own])["moves"].clone();
    let heaviest = moves.as_array().unwrap().iter().max_by_key(|m| m["weight"].as_u64()).unwrap();
    assert_eq!(heaviest["move"], "h2e2", "{moves}");
}

/// A book of another program, a table and a file of games are read as the books that they are imported to, wherever a book
/// is read; none of them is edited.
#[test]
fn books_of_others_are_read_as_they_are() {
    let folder = Folder::new();
    let cache = folder.at("cache");
    let run = |args: &[&str]| {
        let output = command(args)
            .env("XDG_CACHE_HOME", &cache)
            .env("LOCALAPPDATA", &cache)
            .output()
            .unwrap();
        ended(&output, 0, &[]);
        output.stdout
    };
    let moves_of = |game: &str, book: &str| {
        let answer = run(&["book", "query", book, "--game", game, "--json"]);
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{book}");
        answer["moves"].clone()
    };
    let xiangqi = sample_book(&folder);
    let gomoku = folder.at("gomoku.book");
    folder.write("a.psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n8,9,0\n");
    ok(&[
        "book",
        "build",
        &folder.at("a.psq"),
        "--game",
        "gomoku",
        "--min-games",
        "1",
        "-o",
        &gomoku,
    ]);
    let kinds = [
        ("xiangqi", &xiangqi, "obk"),
        ("xiangqi", &xiangqi, "csv"),
        ("xiangqi", &xiangqi, "pgn"),
        ("gomoku", &gomoku, "csv"),
        ("gomoku", &gomoku, "lib"),
    ];
    for (game, own, format) in kinds {
        let [foreign, imported] = [format!("{game}.{format}"), format!("{game}-{format}.book")]
            .map(|name| folder.at(&name));
        ok(&["book", "export", own, "--game", game, "--to", format, "-o", &foreign]);
        ok(&["book", "import", &foreign, "--game", game, "-o", &imported]);
        assert_eq!(moves_of(game, &foreign), moves_of(game, &imported), "{format}");
        let made = std::fs::read_dir(folder.join("cache/juzhong/books")).unwrap().count();
        // The same content under another name has the same copy.
        let other = folder.at("other");
        std::fs::copy(&foreign, &other).unwrap();
        assert_eq!(moves_of(game, &other), moves_of(game, &imported));
        let now = std::fs::read_dir(folder.join("cache/juzhong/books")).unwrap().count();
        assert_eq!(now, made, "{format}");
        let stats = run(&["book", "stats", &foreign, "--game", game]);
        let name = format!("{game}.{format}");
        assert!(String::from_utf8(stats).unwrap().contains(&name), "{format}");
        let mv = moves_of(game, &foreign)[0]["move"].as_str().unwrap().to_owned();
        let edit = ["book", "edit", &foreign, "--game", game, "--move", &mv, "--weight", "3"];
        fails(&edit, 65, &[&name]);
    }
}
