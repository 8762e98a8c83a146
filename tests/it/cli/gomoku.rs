//! Gomoku through commands whose tests are of xiangqi.

use crate::support::folder::Folder;
use crate::support::program::{fails, json, ok, stdout, text, with_input};

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
