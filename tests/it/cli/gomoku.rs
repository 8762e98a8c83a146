//! Gomoku through commands whose tests are of xiangqi.

use std::fs;

use crate::support::folder::Folder;
use crate::support::program::{fails, json, ok, stdout, text, with_input};

/// Games of three lines, each with its mirror image.
const GAMES: &str = "\
h8h9g7g8f7f6j6e7i7k5j7h7i6i5h5g4k6h6k8l9j9j8m6l6l7n5i10 1-0
h8h9h10k11g9i11g8f10g7g10f8i8g5g6e7d6d8e8f6h4c9 1-0
h8i9g6h10j8g10i6i10j10i8i11h9f11j9k9k6j7f9g9e10f10a1i7j6e11 1-0
";

#[test]
fn weights_are_fitted_to_games() {
    let folder = Folder::new();
    let games = &folder.write("games.txt", GAMES);
    let source = &folder.at("numbers.rs");
    let args = ["tune", games, "--game", "gomoku", "--steps", "2", "--hold-out", "3"];
    let short = ["--min-plies", "10", "--skip-plies", "4", "--threads", "1", "-o", source];
    let answer = json(&[&args[..], &short].concat());
    assert_eq!((&answer["schema"], &answer["games"]), (&"juzhong.tune/1".into(), &3.into()));
    assert!(answer["positions"].as_u64() > Some(0), "{answer}");
    assert!(fs::read_to_string(source).unwrap().contains("static WEIGHTS"));
    let order = &folder.at("order.rs");
    let args =
        ["tune", games, "--game", "gomoku", "--moves", "--skip-plies", "4", "--hold-out", "3"];
    let answer = json(&[&args[..], &["-o", order]].concat());
    assert_eq!(answer["schema"], "juzhong.tune_moves/1");
    assert!(answer["fitted"]["moves"].as_u64() > Some(0), "{answer}");
    assert!(fs::read_to_string(order).unwrap().contains("static ORDER"));
    fails(&["tune", games, "--moves"], 2, &["xiangqi is not tuned"]);
    fails(&["tune", games], 65, &["no quiet position"]);
}

#[test]
fn commands_without_gomoku_say_so() {
    for args in [&["bench"][..], &["proxy", "--engine", "x"]] {
        fails(&[args, &["--game", "gomoku"]].concat(), 2, &["knows only xiangqi"]);
    }
    // Of a match the board is an option like others, elsewhere a part of the position.
    let commands =
        [(&["position"][..], 65), (&["play"], 65), (&["perft", "1"], 65), (&["match"], 2)];
    for (command, code) in commands {
        for (option, value) in [("--variant", "caro"), ("--size", "99"), ("--size", "x")] {
            let args = [command, &["--game", "gomoku", option, value]].concat();
            fails(&args, code, &[value]);
        }
    }
}

#[test]
fn the_games_in_the_books_folder_are_whole() {
    let folder = Folder::new();
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/books/gomoku/selfplay.txt");
    let args = ["convert", games, "-o", &folder.at("games.jsonl"), "--game", "gomoku"];
    let answer = json(&args);
    assert_eq!((&answer["games"], &answer["bad"]), (&200.into(), &0.into()), "{answer}");
}

#[test]
fn only_gomoku_has_a_player_without_search() {
    fails(&["play", "--level", "0"], 2, &["levels from 1"]);
    let script = "uci\nsetoption name Level value 0\nposition startpos moves h8 i9 h9\ngo movetime 100\nquit\n";
    let told = with_input(&["uci", "--game", "gomoku"], script);
    let told = text(&told.stdout);
    let best = json(&["position", "--game", "gomoku", "--eval", "--moves", "h8 i9 h9"]);
    let best = best["eval"]["best"].as_str().unwrap();
    assert!(told.contains(&format!("bestmove {best}")), "{told}");
}

#[test]
fn every_variant_is_searched_on_every_size() {
    for variant in ["freestyle", "standard", "renju"] {
        for size in ["5", "9x12", "20"] {
            let board = ["--game", "gomoku", "--variant", variant, "--size", size];
            let searched = ["analyse", "--nodes", "300", "--json"];
            let answer: serde_json::Value =
                serde_json::from_str(&stdout(&[&searched[..], &board].concat())).unwrap();
            assert!(answer["best"].is_string(), "{variant} {size}: {answer}");
            let played = ["match", "--nodes", "50", "--games", "2", "--max-plies", "12"];
            ok(&[&played[..], &board].concat());
        }
    }
}
