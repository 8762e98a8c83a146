//! UCCI sessions: text in, text out.

use std::time::{Duration, Instant};

use juzhong::protocol::Dialect;

use crate::support::books::small_book;
use crate::support::session::{self, Live, best_moves};

fn answers_to(input: impl Into<Vec<u8>>) -> String {
    session::answers_to(Dialect::Ucci, input)
}

/// Two rooks against an advisor: Red is far better.
const WON: &str = "3ak4/9/9/9/9/9/9/9/R8/3K1R3";
/// Red mates with the rooks.
const MATE: &str = "4k4/9/9/9/9/9/9/R8/1R7/3K5";
const MATED: &str = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b";

#[test]
fn introduces_itself() {
    let output = answers_to("ucci\nquit\n");
    for what in ["name juzhong", "version ", "copyright ", "author ", "user "] {
        assert!(output.lines().any(|line| line.starts_with(&format!("id {what}"))), "{what}");
    }
    for option in [
        "usemillisec type check default false",
        "batch type check default false",
        "debug type check default false",
        "ponder type check default false",
        "usebook type check default true",
        "useegtb type check default true",
        "bookfiles type string",
        "egtbpaths type string",
        "evalapi type string",
        "hashsize type spin min 0 max 32768 default 1",
        "threads type spin min 0 max 256 default 1",
        "idle type combo var none var small var medium var large default none",
        "promotion type check default false",
        "pruning type combo var large var none var small var medium default large",
        "knowledge type combo var large var none var small var medium default large",
        "randomness type combo var none var small var medium var large default none",
        "style type combo var normal var solid var risky default normal",
        "newgame type button",
        "limitstrength type check default false",
        "scoretype type combo var Raw var Elo var PawnValueNormalized default Raw",
    ] {
        assert!(output.lines().any(|line| line == format!("option {option}")), "{option}");
    }
    assert!(!output.contains("option name"), "{output}");
    assert!(output.ends_with("\nucciok\nbye\n"), "{output}");
}

#[test]
fn every_move_comes_with_a_score() {
    for position in ["startpos", &format!("fen {WON} w - - 0 1")] {
        for go in ["go nodes 1", "go nodes 20", "go time 1 increment 0", "go infinite\nstop"] {
            let output = answers_to(format!("position {position}\n{go}\n"));
            let lines: Vec<&str> = output.lines().collect();
            let at = lines.iter().position(|line| line.starts_with("bestmove ")).unwrap();
            let told = lines[..at].iter().rfind(|line| line.starts_with("info depth "));
            let told = told.unwrap_or_else(|| panic!("{go}: {output}"));
            assert!(told.contains(" score ") && told.contains(" pv "), "{go}: {output}");
        }
    }
}

#[test]
fn reports_in_the_words_of_the_protocol() {
    let output = answers_to("position startpos moves h2e2\ngo depth 3\n");
    assert!(output.lines().any(|line| line.starts_with("info time ")), "{output}");
    let info = output.lines().rfind(|line| line.starts_with("info depth 3 score ")).unwrap();
    let words: Vec<&str> = info.split(' ').collect();
    assert!(words[4].parse::<i32>().is_ok() && words[5] == "pv", "{info}");
    assert_eq!(best_moves(&output)[0].split(' ').next(), Some(words[6]));
    let mate = answers_to(format!("position fen {MATE} w - - 0 1\ngo depth 4\n"));
    assert!(mate.contains(" score 9997 "), "{mate}");
}

#[test]
fn a_rating_and_another_scale_can_be_set() {
    let plain = answers_to("go nodes 30000\n");
    let weak = answers_to("setoption limitstrength true\nsetoption elo 800\ngo nodes 30000\n");
    let nodes = |output: &str| -> u64 {
        let told = output.lines().rfind(|line| line.starts_with("info time ")).unwrap();
        told.split(' ').next_back().unwrap().parse().unwrap()
    };
    assert!(nodes(&weak) < nodes(&plain), "{plain}{weak}");
    let position = "position startpos moves h2e2 h9g7 e2e6\n";
    let score = |scale: &str| {
        let output = answers_to(format!("setoption scoretype {scale}\n{position}go depth 6\n"));
        let told = output.lines().rfind(|line| line.starts_with("info depth 6 score "));
        told.unwrap().split(' ').nth(4).unwrap().parse::<i32>().unwrap()
    };
    assert_ne!(score("Raw"), score("Elo"));
}

#[test]
fn where_there_is_nothing_to_say_it_says_so() {
    assert_eq!(answers_to("stop\nisready\nstop\n"), "nobestmove\nreadyok\nnobestmove\n");
    let mated = format!("position fen {MATED} - - 0 1\ngo depth 4\n");
    assert_eq!(answers_to(mated), "nobestmove\n");
    let output = answers_to("go depth 0\n");
    assert!(output.starts_with("info depth 0 score ") && output.ends_with("\nnobestmove\n"));
    assert_eq!(output.lines().count(), 2, "{output}");
}

#[test]
fn what_it_does_not_know_is_ignored() {
    let unknown = "setoption loadbook\nsetoption nonsense 3\nsetoption\nxyzzy\nsetoption idle large\n\
                   setoption selectivity large\nsetoption evalapi EVALUATE.DLL\ngo nonsense depth 1\n";
    let output = answers_to(unknown);
    assert!(!output.contains("message unknown") && !output.contains("ignored"), "{output}");
    assert_eq!(best_moves(&output).len(), 1);
    let output = answers_to(format!("setoption debug true\n{unknown}"));
    assert!(output.contains("info message received: xyzzy\n"), "{output}");
    assert!(output.contains("info message unknown option: nonsense 3\n"), "{output}");
    assert!(output.contains("info message seldepth "), "{output}");
    let output = answers_to("setoption promotion true\nsetoption style odd\n");
    assert_eq!(output.lines().count(), 2, "{output}");
}

#[test]
fn banned_moves_are_not_played_in_this_position() {
    let fen = format!("{WON} w - - 0 1");
    let best = |banned: &[String]| {
        let ban = format!("banmoves {}\n", banned.join(" "));
        let output = answers_to(format!("position fen {fen}\n{ban}go depth 2\n"));
        best_moves(&output).first().map(|best| best.split(' ').next().unwrap().to_owned())
    };
    let mut banned = Vec::new();
    while let Some(mv) = best(&banned) {
        assert!(!banned.contains(&mv), "{mv}");
        banned.push(mv);
    }
    assert!(banned.len() > 20, "{banned:?}");
    // No move is left, until the next position.
    let all = banned.join(" ");
    let output = answers_to(format!(
        "position fen {fen}\nbanmoves {all}\ngo depth 2\nposition fen {fen}\ngo depth 2\n\
         banmoves a0a1 xyzzy\ngo depth 1\n"
    ));
    assert_eq!(best_moves(&output).len(), 2, "{output}");
    assert_eq!(output.matches("nobestmove").count(), 1);
    assert!(output.contains("banmoves: 2 moves left out"), "{output}");
}

#[test]
fn bans_hold_for_books_too() {
    let folder = tempfile::tempdir().unwrap();
    let book = small_book(folder.path());
    let start = format!("setoption bookfiles {}\nposition startpos\n", book.display());
    let from_book = |more: &str| {
        let output = answers_to(format!("{start}{more}go depth 1\n"));
        output.contains("from the book")
    };
    assert!(from_book(""));
    assert!(!from_book("banmoves h2e2\n"));
    assert!(!from_book("setoption usebook false\n"));
    assert!(from_book("setoption usebook false\nsetoption usebook true\n"));
    assert!(!from_book("setoption bookfiles\n"));
}

#[test]
fn clocks_count_seconds_until_told_otherwise() {
    let live = Live::start(Dialect::Ucci);
    live.say("setoption usemillisec true\ngo time 300 movestogo 1 opptime 900\n");
    live.wait_for("bestmove", 1);
    let began = Instant::now();
    live.say("setoption usemillisec false\ngo time 30 movestogo 1\n");
    std::thread::sleep(Duration::from_millis(150));
    assert_eq!(best_moves(&live.heard()).len(), 1);
    live.say("stop\n");
    live.wait_for("bestmove", 2);
    assert!(began.elapsed() < Duration::from_secs(20));
    live.say("quit\n");
    assert!(live.end().ends_with("bye\n"));
}

#[test]
fn an_offered_draw_is_accepted_by_those_who_are_not_better() {
    let draws = |fen: &str, more: &str| {
        let output = answers_to(format!("position fen {fen}\n{more}"));
        best_moves(&output)[0].ends_with(" draw")
    };
    let (winner, loser) = (format!("{WON} w - - 0 1"), format!("{WON} b - - 0 1"));
    assert!(!draws(&winner, "go draw depth 2\n"));
    assert!(draws(&loser, "go draw depth 2\n"));
    assert!(!draws(&loser, "go depth 2\n"));
    assert!(draws(&loser, "go ponder depth 2\nponderhit draw\n"));
    assert!(!draws(&loser, "go ponder depth 2\nponderhit\n"));
    // Nobody is better; those who like risks play on.
    let even = "3k5/9/9/9/9/9/9/9/4A4/5K3 w - - 0 1";
    assert!(draws(even, "go draw depth 2\n"));
    assert!(!draws(even, "setoption style risky\ngo draw depth 2\n"));
    assert!(draws(even, "setoption style solid\ngo draw depth 2\n"));
}

#[test]
fn tells_what_the_transposition_table_knows() {
    let live = Live::start(Dialect::Ucci);
    live.say("probe startpos\ngo depth 4\n");
    live.wait_for("bestmove", 1);
    live.say("probe startpos\nprobe fen x\n");
    let output = live.end();
    let told: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix("pophash")).collect();
    assert_eq!((told[0], told[2]), ("", ""));
    let words: Vec<&str> = told[1].split_whitespace().collect();
    assert_eq!(words[0], "bestmove", "{output}");
    assert!(words.contains(&"lowerbound") && words.contains(&"upperbound"), "{output}");
    assert_eq!(words[words.len() - 2..], ["depth", "4"]);
}

#[test]
fn answers_probes_while_it_searches() {
    let live = Live::start(Dialect::Ucci);
    live.say("go infinite\n");
    live.wait_for("info depth 3", 1);
    live.say("probe startpos\nprobe startpos moves h2e2\nprobe fen 4k4/9/9/9/9/9/9/9/9/3K5\n");
    live.wait_for("pophash", 3);
    assert!(best_moves(&live.heard()).is_empty());
    live.say("stop\nprobe startpos\n");
    live.wait_for("pophash bestmove ", 1);
    live.wait_for("pophash", 4);
    live.wait_for("bestmove", 1);
    live.end();
}

#[test]
fn in_batch_mode_every_command_waits() {
    let commands =
        "position startpos\ngo depth 5\nposition startpos moves h2e2\ngo depth 5\nquit\n";
    let output = answers_to(format!("setoption batch true\n{commands}"));
    assert_eq!(best_moves(&output).len(), 2, "{output}");
    assert_eq!(output.matches("info depth 5 score").count(), 2, "{output}");
    assert!(output.ends_with("bye\n"), "{output}");
}

#[test]
fn an_endless_search_ends_with_a_mate() {
    let live = Live::start(Dialect::Ucci);
    live.say(&format!("position fen {MATE} w - - 0 1\ngo infinite\n"));
    live.wait_for("bestmove", 1);
    live.say("position startpos\ngo depth infinite\n");
    live.wait_for("info depth 4 ", 1);
    assert_eq!(best_moves(&live.heard()).len(), 1);
    live.say("stop\n");
    live.wait_for("bestmove", 2);
    live.end();
}

#[test]
fn ponders_until_told() {
    let live = Live::start(Dialect::Ucci);
    live.say("setoption usemillisec true\ngo ponder time 500 increment 0\n");
    live.wait_for("info depth 2", 1);
    std::thread::sleep(Duration::from_millis(50));
    assert!(best_moves(&live.heard()).is_empty());
    live.say("ponderhit\n");
    live.wait_for("bestmove", 1);
    live.say("go ponder time 500\n");
    live.wait_for("info depth 2", 2);
    live.say("stop\n");
    live.wait_for("bestmove", 2);
    live.end();
}

#[test]
fn randomness_varies_the_moves() {
    let moves = |options: &str| {
        let output =
            answers_to(format!("{options}\n{}", "position startpos\ngo depth 2\n".repeat(12)));
        assert!(!output.contains("multipv"), "{output}");
        let mut moves: Vec<String> =
            best_moves(&output).iter().map(|best| best.split(' ').next().unwrap().into()).collect();
        assert_eq!(moves.len(), 12);
        moves.sort();
        moves.dedup();
        moves
    };
    assert!(moves("setoption randomness large").len() > 1);
    assert_eq!(moves("setoption randomness large"), moves("setoption randomness large"));
}

#[test]
fn less_pruning_looks_at_more() {
    let nodes = |pruning: &str| -> u64 {
        let output = answers_to(format!("setoption pruning {pruning}\ngo depth 5\n"));
        let told = output.lines().rfind(|line| line.starts_with("info time ")).unwrap();
        told.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let [none, small, large] = ["none", "small", "large"].map(nodes);
    assert!(none > small && small > large, "{none} {small} {large}");
}

/// However much waits, `quit` is heard.
#[test]
fn quit_is_heard_in_batch_mode_though_the_queue_is_full() {
    let live = Live::start(Dialect::Ucci);
    let many = "isready\n".repeat(10_050);
    live.say("ucci\nsetoption batch true\nsetoption usemillisec true\ngo time 900 movestogo 1\n");
    live.say(&format!("{many}go infinite\nquit\n"));
    live.wait_for("bye", 1);
    assert!(live.heard().contains("too many commands waiting"));
    live.end();
}
