//! The choice between the evaluations of xiangqi: by options, by the settings, and whom it does not concern.

use serde_json::Value;

use crate::support::books::book_of;
use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, command, ended, fails, json, ok};
use juzhong::book::BuildOptions;

const GAME: &str = "[Result \"*\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 b9c7 *\n";

const CLASSICAL: [&str; 2] = ["--evaluation", "classical"];

/// The answer of a command with these settings, but for its time.
fn answer(file: &str, args: &[&str]) -> Value {
    let output = command(args).arg("--json").env("JUZHONG_CONFIG", file).output().unwrap();
    ended(&output, 0, &[]);
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer.as_object_mut().unwrap().remove("time_ms");
    answer
}

#[test]
fn the_setting_is_the_option_and_the_command_line_counts_more() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let settings = folder.write("config.toml", "[engine]\nevaluation = \"classical\"\n");
    let analyse: &[&str] = &["analyse", "--moves", "h2e2 h9g7", "--nodes", "3000"];
    let review: &[&str] = &["review", &games, "--nodes", "300"];
    for args in [analyse, review] {
        let usual = answer("none", args);
        let classical = answer("none", &[args, &CLASSICAL].concat());
        assert_ne!(usual, classical);
        assert_eq!(answer(&settings, args), classical);
        assert_eq!(answer(&settings, &[args, &["--evaluation", "network"]].concat()), usual);
    }
    let scored = |file: &str| {
        let book = book_of(folder.path(), "b.book", GAME, BuildOptions::default());
        let args =
            ["book", "score", &book.display().to_string(), "--nodes", "300"].map(str::to_owned);
        ended(&command(&args).env("JUZHONG_CONFIG", file).output().unwrap(), 0, &[]);
        std::fs::read(book).unwrap()
    };
    assert!(scored("none") != scored(&settings));
    let wrong = folder.write("wrong.toml", "[engine]\nevaluation = \"best\"\n");
    let refused = command(&["position"]).env("JUZHONG_CONFIG", wrong).output().unwrap();
    ended(&refused, 2, &["wrong.toml: engine.evaluation", "best"]);
}

#[test]
fn an_evaluation_is_of_the_own_engine() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let book = book_of(folder.path(), "a.book", GAME, BuildOptions::default());
    let book = book.display().to_string();
    let commands: [&[&str]; 5] = [
        &["analyse", "--nodes", "9"],
        &["play"],
        &["review", &games],
        &["book", "score", &book],
        &["book", "expand", &book, "--analyse"],
    ];
    for args in commands {
        let args = [args, &["--engine", PROGRAM], &CLASSICAL].concat();
        fails(&args, 2, &["--evaluation is of this program's own engine"]);
    }
    // What the settings say of the own engine does not concern others.
    let settings = folder.write("config.toml", "[engine]\nevaluation = \"classical\"\n");
    let engine = format!("\"{PROGRAM}\" --config none uci");
    let asked = ["analyse", "--nodes", "300", "--engine", &engine];
    let sizes = ["--threads", "1", "--hash", "16"];
    let other = answer(&settings, &[&asked[..], &sizes].concat());
    assert_eq!(other, answer("none", &[&asked[..], &sizes].concat()));
}

#[test]
fn scores_of_books_name_their_evaluation() {
    let folder = Folder::new();
    let book = book_of(folder.path(), "a.book", GAME, BuildOptions::default());
    let book = book.display().to_string();
    ok(&["book", "score", &book, "--nodes", "300", "--evaluation", "classical"]);
    let moves = "h2e2 h9g7 h0g2 i9h9 i0h0";
    let leaf = json(&["book", "query", &book, "--moves", moves]);
    let source = concat!("juzhong ", env!("CARGO_PKG_VERSION"), " classical");
    assert_eq!(leaf["moves"][0]["engine"]["source"], source);
    ok(&["book", "score", &book, "--clear", source]);
}
