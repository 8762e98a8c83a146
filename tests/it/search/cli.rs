//! `analyse` and `bench` as programs: answers, messages, exit codes.

use serde_json::Value;

use crate::support::program::{fails, json, json_with_code, stdout};

const MATE: &str = "4k4/3P2P2/b2N2R2/7r1/2b6/9/9/3n5/4p3r/2R2K3 w - - 0 1";

#[test]
fn analyse_answers_in_json() {
    let answer = json(&["analyse", "--fen", MATE, "--depth", "8"]);
    assert_eq!(answer["schema"], "juzhong.analyse/1");
    assert_eq!(answer["fen"], MATE);
    assert_eq!(answer["best"], "g7e7");
    assert_eq!(answer["mate"], 3);
    assert_eq!(answer["score_cp"], Value::Null);
    assert_eq!(answer["pv"][0], "g7e7");
    let args = ["analyse", "--moves", "h2e2 h9g7", "h0g2", "--nodes", "5000"];
    let answer = json(&[&args[..], &["--multipv", "3"]].concat());
    assert!(answer["score_cp"].is_i64() && answer["mate"].is_null());
    assert_eq!(answer["nodes"], 5000);
    assert_eq!(answer["lines"].as_array().unwrap().len(), 3);
}

#[test]
fn analyse_proves_mates_and_that_there_is_none() {
    let stalemate = "4k1Pn1/7P1/3P5/9/4n4/9/9/9/9/4K4 w";
    let answer = json(&["analyse", "--fen", stalemate, "--mate", "1"]);
    assert_eq!((&answer["best"], &answer["mate"]), (&"d7d8".into(), &1.into()));
    assert!(answer["no_mate_in"].is_null());
    let answer = json(&["analyse", "--mate", "2", "--depth", "2"]);
    assert_eq!(answer["no_mate_in"], 2);
    let text = stdout(&["analyse", "--mate", "2", "--depth", "2"]);
    assert!(text.contains("no mate in 2 can be forced"), "{text}");
    fails(&["analyse", "--mate", "0"], 2, &[]);
}

#[test]
fn analyse_says_what_is_wrong() {
    fails(&["analyse", "--fen", "9/9 w"], 65, &["2 ranks, not 10"]);
    fails(&["analyse", "--moves", "h2e2", "h2e2"], 65, &["move 2: "]);
    fails(&["analyse", "--tables", "/nonexistent"], 66, &["/nonex"]);
    fails(&["analyse", "--rules", "dojo"], 2, &["dojo"]);
    fails(&["analyse", "--depth", "0"], 2, &[]);
    fails(&["analyse", "--hash", "99999999"], 2, &[]);
}

#[test]
fn analyse_reads_every_notation_and_describes_an_illegal_position() {
    let answer = json(&["analyse", "--depth", "1", "--moves", "炮二平五 H8+7"]);
    let fen = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";
    assert_eq!(answer["fen"], fen);
    let answer = json_with_code(&["analyse", "--fen", "4k4/9/9/9/9/9/9/9/9/4K4 w"], 65);
    assert_eq!(answer["status"], "illegal");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let fen = "3k1R3/5R3/9/9/9/9/9/9/9/4K4 b - - 0 1";
    let answer = json(&["analyse", "--fen", fen]);
    assert!(answer["best"].is_null());
    assert_eq!(answer["mate"], 0);
}

#[test]
fn bench_has_one_signature() {
    let signature = || json(&["bench", "--depth", "5"])["signature"].clone();
    let first = signature();
    assert!(first.as_u64().unwrap() > 0);
    assert_eq!(first, signature());
}
