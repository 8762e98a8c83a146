//! `juzhong play`, `uci` and `selfplay` with piped input.

use std::fs;
use std::process::Output;

use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, ended, text, with_input};

/// The output of a run that ended well.
#[track_caller]
fn said(output: &Output) -> String {
    ended(output, 0, &[]);
    text(&output.stdout)
}

const FAST: [&str; 4] = ["--nodes", "300", "--hash", "1"];

fn play(more: &[&str], input: &str) -> Output {
    with_input(&[&["play"], &FAST[..], more].concat(), input)
}

#[test]
fn a_move_is_answered() {
    let text = said(&play(&[], "h2e2\nquit\n"));
    assert!(text.contains("engine: ") && text.contains("(search: depth"), "{text}");
    assert_eq!(text.matches("Red to move").count(), 2);
}

#[test]
fn every_notation_is_understood_and_written() {
    for (name, typed) in
        [("uci", "h2e2"), ("iccs", "H2-E2"), ("wxf", "C2=5"), ("chinese", "炮二平五")]
    {
        let text = said(&play(&["--notation", name], &format!("{typed}\nfen\n")));
        assert!(text.contains("1C2C4"), "{text}");
    }
}

#[test]
fn undo_hint_moves_resign_and_nonsense() {
    let text = said(&play(&[], "undo\nhint\nmoves\nh2h8\nxyz\nh2e2\nundo\nfen\nresign\n"));
    assert!(text.contains("no move of yours"), "{text}");
    assert!(text.contains("hint: "));
    assert!(text.contains("a0a1 a0a2"));
    assert_eq!(text.matches("type help").count(), 2, "{text}");
    assert!(text.contains("w - - 0 1"), "{text}");
    assert!(text.contains("you resign: Black wins"));
}

#[test]
fn the_engine_begins_when_asked_to() {
    let text = said(&play(&["--side", "black"], "undo\n"));
    assert!(text.contains("engine: "), "{text}");
    assert!(text.contains("no move of yours") && text.contains("end of input"));
}

#[test]
fn a_game_ends_with_its_result() {
    let fen = "4k4/1R7/9/9/9/9/9/9/R8/3K5 w - - 0 1";
    let text = said(&play(&["--fen", fen], "a1a9\n"));
    assert!(text.contains("checkmate: Red wins"), "{text}");
}

#[test]
fn gomoku_is_played_too() {
    let args = [&["--game", "gomoku", "play"], &FAST[..]].concat();
    let text = said(&with_input(&args, "h8\nh8\nquit\n"));
    assert!(text.contains("engine: ") && text.contains("(x)") | text.contains("(o)"), "{text}");
    assert!(text.contains("taken"), "{text}");
}

#[test]
fn bad_arguments_say_what_is_wrong() {
    let folder = Folder::new();
    let (dir, in_a_file) = (folder.at(""), folder.write("file", "") + "/none");
    for (args, code, word) in [
        (&["play", "--side", "green"][..], 2, "red or black"),
        (&["play", "--fen", "x"], 65, "ranks"),
        (&["play", "--notation", "morse"], 2, "wxf"),
        (&["play", "--rules", "none of them"], 2, "asian"),
        (&["play", "--hash", "0"], 2, "hash"),
        (&["play", "--depth", "0"], 2, "--depth"),
        (&["play", "--nodes", "0"], 2, "--nodes"),
        (&["play", "--movetime", "0"], 2, "--movetime"),
        (&["play", "--json"], 2, "--json"),
        (&["uci", "--rules", "x"], 2, "asian"),
        (&["uci", "--hash", "0"], 2, "search: hash size of 0 MiB; choose 1 to 32768\n"),
        (&["uci", "--threads", "0"], 2, "0 search threads"),
        (&["demo", "--game", "gomoku"], 2, "only xiangqi"),
        (&["bench", "--game", "gomoku"], 2, "only xiangqi"),
        (&["selfplay", "--game", "gomoku", "--openings", "x", "-o", "x"], 2, "only xiangqi"),
        (&["selfplay", "--openings", "/nonexistent", "-o", "x.pgn"], 66, "/nonexistent"),
        (&["demo", "--books", "/nonexistent", "--dir", &dir], 66, "/nonexistent"),
        (&["demo", "--dir", &in_a_file], 73, "--dir"),
    ] {
        let output = with_input(args, "");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
        assert!(message.contains(word), "{args:?}: {message}");
        assert!(output.stdout.is_empty() || args[0] == "demo", "{args:?}");
    }
}

#[test]
fn a_missing_book_is_told_and_play_goes_on() {
    let output = play(&["--book", "/nonexistent/a.book"], "h2e2\nquit\n");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(message.matches("/nonexistent/a.book").count(), 1, "{message}");
    assert!(said(&output).contains("engine: "));
}

#[test]
fn another_engine_is_played_against() {
    let program = format!("'{PROGRAM}' uci --hash 1");
    let play = |engine: &str, input| {
        with_input(&["play", "--engine", engine, "--option", "Hash=2", "--nodes", "300"], input)
    };
    let text = said(&play(&program, "h2e2\nhint\nquit\n"));
    assert!(text.contains("engine: ") && text.contains("hint: "), "{text}");
    assert!(text.contains("  (depth "), "{text}");
    for (engine, code, word) in
        [("/nonexistent/engine", 69, "/nonexistent/engine"), ("x 'y", 2, "quote")]
    {
        let output = play(engine, "h2e2\n");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains(word), "{message}");
    }
    let output = with_input(&["play", "--engine", &program, "--book", "x"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn uci_over_pipes() {
    let text = said(&with_input(&["uci", "--hash", "1"], "uci\nisready\ngo depth 3\nquit\n"));
    assert!(text.contains("uciok\n") && text.contains("readyok\n") && text.contains("bestmove "));
}

#[test]
fn self_play_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let openings = folder.path().join("lines.pgn");
    let line = "[Opening \"中炮\"]\n[ECCO \"B00\"]\n\n1. h2e2 h9g7 *\n\n";
    fs::write(&openings, line).unwrap();
    let games = |threads: &str| {
        let file = folder.path().join(threads);
        let args = ["selfplay", "--games", "4", "--nodes", "100", "--hash", "1", "--openings"];
        let more = [openings.to_str().unwrap(), "--threads", threads, "-o"];
        said(&with_input(&[&args[..], &more, &[file.to_str().unwrap()]].concat(), ""));
        fs::read_to_string(file).unwrap()
    };
    let text = games("1");
    assert_eq!(text, games("3"));
    assert_eq!(text.matches("[Event ").count(), 4);
    assert_eq!(text.matches("[Opening \"中炮\"]").count(), 4);
    assert!(!text.contains("[Result \"*\"]"));
}

/// The engines are shell scripts.
#[cfg(unix)]
#[test]
fn an_engine_without_a_legal_move_is_at_fault() {
    for (answer, fault) in
        [("bestmove (none)", "says that there is no move"), ("bestmove a0a9", "illegal move a0a9")]
    {
        let fake = format!(
            "sh -c 'while read -r x; do case $x in uci) echo uciok;; isready) echo readyok;; \
             go*) echo \"{answer}\";; esac; done'"
        );
        ended(&with_input(&["play", "--engine", &fake], "h2e2\n"), 69, &[fault]);
    }
}

#[test]
fn each_dialect_is_spoken_to_the_end_of_a_game() {
    for dialect in ["uci", "ucci", "cyclone"] {
        let own = format!("'{PROGRAM}' uci --hash 1");
        let args = ["play", "--engine", &own, "--protocol", dialect, "--nodes", "100"];
        let output = with_input(&args, "h2e2\nb2d2\nquit\n");
        assert_eq!(said(&output).matches("engine: ").count(), 2, "{dialect}");
        let mate = ["--fen", "3k5/7R1/9/9/9/9/9/9/8R/4K4 w - - 0 1", "--side", "black"];
        let text = said(&with_input(&[&args[..], &mate].concat(), ""));
        assert!(text.contains("mates in 1 move") && text.contains("checkmate"), "{text}");
    }
}

/// A move of the book at the start of a game, by a process of its own.
fn book_move(book: &str, more: &[&str]) -> String {
    let args = [&["uci", "--hash", "1", "--book", book], more].concat();
    let text = said(&with_input(&args, "position startpos\ngo nodes 1\n"));
    assert!(text.contains("the move is from the book"), "{text}");
    text.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap()[..4].to_owned()
}

#[test]
fn processes_choose_otherwise_unless_a_seed_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let (games, book) = (folder.path().join("games.txt"), folder.path().join("a.book"));
    let game =
        |moves: &str| format!("[Game \"Chinese Chess\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n");
    fs::write(&games, game("1. h2e2 h9g7") + &game("1. b0c2 h9g7") + &game("1. c3c4 h9g7"))
        .unwrap();
    let (games, book) = (games.display().to_string(), book.display().to_string());
    said(&with_input(&["book", "build", &games, "-o", &book], ""));
    for policy in ["weighted", "softmax", "uniform", "group"] {
        let drawn = || book_move(&book, &["--policy", policy]);
        // One of 3^20 runs of a sound choice has no two different moves.
        let first = drawn();
        assert!((0..20).any(|_| drawn() != first), "{policy}: always {first}");
        let seeded = |seed| book_move(&book, &["--policy", policy, "--seed", seed]);
        assert_eq!(seeded("7"), seeded("7"), "{policy}");
        let seeds = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
        assert!(seeds.into_iter().any(|seed| seeded(seed) != seeded("7")), "{policy}");
    }
    let best = || book_move(&book, &["--policy", "best"]);
    assert_eq!(best(), best());
}

#[test]
fn the_seed_can_be_set_and_taken_back_in_a_session() {
    let options = said(&with_input(&["uci", "--hash", "1"], "uci\n"));
    assert!(options.contains("option name Seed type string default <empty>"), "{options}");
    let options = said(&with_input(&["uci", "--hash", "1", "--seed", "5"], "uci\n"));
    assert!(options.contains("option name Seed type string default 5"), "{options}");
    let options = "setoption name Seed value <empty>\nsetoption name Seed value\n\
        setoption name Seed value 9\nsetoption name Seed value x\nisready\n";
    let answers = said(&with_input(&["uci", "--hash", "1"], options));
    assert_eq!(answers.matches("option Seed").count(), 1, "{answers}");
}
