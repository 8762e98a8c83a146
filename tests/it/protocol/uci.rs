//! UCI sessions: text in, text out.

use std::time::{Duration, Instant};

use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{Game, Notation};
use juzhong::protocol::Dialect;
use juzhong::xiangqi::Position;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::books::small_book;
use crate::support::session::{self, Live, best_moves};

fn answers_to(input: impl Into<Vec<u8>>) -> String {
    session::answers_to(Dialect::Uci, input)
}

#[test]
fn introduces_itself() {
    let output = answers_to("uci\nisready\nquit\n");
    assert!(output.starts_with("id name juzhong "));
    for option in
        ["Hash", "Threads", "MultiPV", "Ponder", "OwnBook", "BookFile", "BookDepth", "Tables"]
    {
        assert!(output.contains(&format!("option name {option} type ")), "{option}\n{output}");
    }
    assert!(output.ends_with("uciok\nreadyok\n"));
}

#[test]
fn plays_legal_moves_and_reports_in_the_usual_form() {
    let output = answers_to("position startpos moves h2e2 h9g7\ngo depth 3\n");
    let best = best_moves(&output)[0].split(' ').next().unwrap();
    let mut position = Position::start();
    for mv in ["h2e2", "h9g7"] {
        position.make(Position::parse_move(mv).unwrap());
    }
    assert!(position.is_legal(Position::parse_move(best).unwrap()));
    let info = output.lines().rfind(|line| line.starts_with("info depth 3 ")).unwrap();
    for word in ["seldepth", "score cp", "nodes", "nps", "hashfull", "tbhits", "time", "pv"] {
        assert!(info.contains(&format!(" {word} ")), "{word}: {info}");
    }
}

#[test]
fn finds_a_mate_and_knows_when_it_is_mated() {
    let mate = "4k4/9/9/9/9/9/9/R8/1R7/3K5 w - - 0 1";
    let output = answers_to(format!("position fen {mate}\ngo depth 4\n"));
    assert!(output.contains("score mate 2"), "{output}");
    let mated = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1";
    let output = answers_to(format!("position fen {mated}\ngo depth 4\ngo infinite\n"));
    assert_eq!(best_moves(&output), ["(none)", "(none)"]);
    let stalemated = "4k4/3P1P3/4P4/9/9/9/9/9/9/4K4 b - - 0 1";
    for lost in [mated, stalemated] {
        for go in ["go depth 4", "go nodes 1", "go movetime 1", "go infinite\nstop", "go mate 3"] {
            let output = answers_to(format!("position fen {lost}\n{go}\n"));
            assert_eq!(output, "info depth 0 score mate 0\nbestmove (none)\n", "{lost}: {go}");
        }
    }
}

/// The line before `bestmove` that has a score, and a line of play that begins with the move.
#[track_caller]
fn has_score(output: &str, context: &str) {
    let mut last = None;
    let mut answers = 0;
    for line in output.lines() {
        if line.starts_with("info depth ") && !line.contains(" multipv 2 ") {
            last = Some(line);
        } else if let Some(answer) = line.strip_prefix("bestmove ") {
            answers += 1;
            let told: &str = last.take().unwrap_or_else(|| panic!("{context}: {output}"));
            let (_, pv) = told.split_once(" pv ").unwrap_or_else(|| panic!("{context}: {output}"));
            assert!(told.contains(" score "), "{context}: {output}");
            let first = |text: &str| text.split(' ').next().map(str::to_owned);
            let is_move = first(pv).is_some_and(|mv| mv.len() == 4);
            assert!(is_move && first(answer).is_some(), "{context}: {output}");
        }
    }
    assert!(answers > 0, "{context}: {output}");
}

#[test]
fn every_move_comes_with_a_score_and_a_line_of_play() {
    let in_check = "position fen 4k4/4R4/9/9/9/9/9/9/9/3K5 b";
    let positions = [
        "position startpos",
        "position startpos moves h2e2 h9g7 h0g2 i9h9",
        "position fen 4k4/9/4b4/9/9/9/9/4C4/4A4/3K5 w - - 118 80",
        in_check,
        // The rules have ended it: it came back twice.
        "position startpos moves a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0 a8a9",
    ];
    for position in positions {
        let nodes: String =
            (1..=46).map(|nodes| format!("{position}\ngo nodes {nodes}\n")).collect();
        has_score(&answers_to(nodes), position);
        for go in [
            "go depth 0",
            "go depth 1",
            "go movetime 1",
            "go movetime 0",
            "go infinite\nstop",
            "go ponder\nstop",
            "go wtime 1 btime 1",
            "go nodes 1 searchmoves a0a1 a9a8 e9d9 d0e0",
            "go mate 2 nodes 3",
        ] {
            let input = format!("{position}\n{go}\n");
            has_score(&answers_to(input.clone()), &input);
            let several = format!("setoption name MultiPV value 3\n{input}");
            has_score(&answers_to(several.clone()), &several);
            let bare = session::answers_to(Dialect::Cyclone, input.clone());
            has_score(&bare, &input);
        }
    }
    let weak =
        "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1\ngo depth 1\n";
    has_score(&answers_to(weak), weak);
}

#[test]
fn a_move_of_the_book_comes_with_a_score() {
    let folder = tempfile::tempdir().unwrap();
    let book = small_book(folder.path());
    let output = answers_to(format!("setoption name Book value {}\ngo depth 9\n", book.display()));
    assert!(output.contains("the move is from the book"), "{output}");
    has_score(&output, "book");
}

#[test]
fn strange_input_is_answered_in_words_only() {
    let output = answers_to(
        "xyzzy\nposition\nposition fen x y z\nposition startpos moves a0a9\n\
         setoption\nsetoption name Nonsense value 3\nsetoption name Hash value -1\n\
         setoption name Rules value chess\nposition fen 9/9 moves\nstop\nponderhit\n\n  \r\n",
    );
    assert_eq!(output.lines().count(), 9, "{output}");
    assert!(output.lines().all(|line| line.starts_with("info string ")), "{output}");
}

#[test]
fn option_names_come_in_any_case() {
    let output = answers_to(
        "setoption name HASH value 2\nsetoption name hashsize value 3\n\
         setoption name threads value 1\nsetoption name rules value CHECK\n\
         setoption name ownbook value FALSE\nsetoption name Ponder value true\nisready\n",
    );
    assert_eq!(output, "readyok\n");
}

#[test]
fn a_missing_book_is_told_once_and_play_goes_on() {
    let output = answers_to(
        "setoption name Book value /nonexistent/a.book\n\
         setoption name Tables value /nonexistent/tables\n\
         isready\ngo depth 1\ngo depth 1\nisready\n",
    );
    assert_eq!(output.matches("/nonexistent/a.book").count(), 1, "{output}");
    assert_eq!(output.matches("/nonexistent/tables").count(), 1, "{output}");
    assert_eq!(best_moves(&output).len(), 2);
}

#[test]
fn half_lines_carriage_returns_and_bad_bytes() {
    let output = answers_to(b"isready\r\nposition startpos\r\n\xff\xfe\ngo depth 1".to_vec());
    assert!(output.starts_with("readyok\ninfo string a line that is neither"), "{output}");
    assert_eq!(best_moves(&output).len(), 1);
    let long = format!("position startpos moves {}\nisready\n", "h2e2 ".repeat(400_000));
    assert!(answers_to(long).ends_with("readyok\n"));
}

#[test]
fn each_go_has_its_answer_in_order() {
    let output = answers_to(
        "go depth 2\nposition startpos moves h2e2\ngo depth 2\ngo infinite\ngo depth 2\n\
         go ponder depth 2\nposition startpos\ngo ponder\n",
    );
    assert_eq!(best_moves(&output).len(), 6, "{output}");
}

#[test]
fn stop_before_it_began_is_obeyed() {
    let output = answers_to("go depth 2\ngo depth 99\ngo infinite\nstop\nisready\nquit\n");
    assert!(best_moves(&output).len() <= 3, "{output}");
}

#[test]
fn answers_while_it_searches() {
    let live = Live::start(Dialect::Uci);
    live.say("go infinite\n");
    live.wait_for("info depth 1", 1);
    live.say("isready\nuci\n");
    live.wait_for("readyok", 1);
    live.wait_for("uciok", 1);
    assert!(best_moves(&live.heard()).is_empty());
    live.say("sto");
    live.say("p\n");
    live.wait_for("bestmove", 1);
    live.say("quit\n");
    live.end();
}

#[test]
fn an_ended_infinite_search_waits_for_stop() {
    let live = Live::start(Dialect::Uci);
    live.say("position fen 4k4/9/9/9/9/9/9/R8/1R7/3K5 w\ngo infinite depth 2\nisready\n");
    live.wait_for("info depth 2", 1);
    std::thread::sleep(Duration::from_millis(50));
    assert!(best_moves(&live.heard()).is_empty());
    live.say("stop\n");
    live.wait_for("bestmove", 1);
    assert_eq!(best_moves(&live.end()).len(), 1);
}

/// The expected move was played: how long the answer takes.
fn hit(live: &Live) -> Duration {
    let before = Instant::now();
    live.say("ponderhit\n");
    live.wait_for("bestmove", 1);
    before.elapsed()
}

#[test]
fn ponderhit_starts_the_clock() {
    let live = Live::start(Dialect::Uci);
    live.say("go ponder wtime 2000 btime 2000\n");
    live.wait_for("info depth 1", 1);
    std::thread::sleep(Duration::from_millis(50));
    assert!(best_moves(&live.heard()).is_empty());
    assert!(hit(&live) < Duration::from_secs(10));
    live.end();
}

/// Time spent pondering counts: a second of it is more than a clock of half a second
/// allows, but only a part of a time for the move.
#[test]
fn time_pondered_counts() {
    for (clock, is_at_once) in [("wtime 500 btime 500", true), ("movetime 3000", false)] {
        let live = Live::start(Dialect::Uci);
        live.say(&format!("go ponder {clock}\n"));
        live.wait_for("info depth 1", 1);
        std::thread::sleep(Duration::from_millis(1000));
        assert!(best_moves(&live.heard()).is_empty());
        let took = hit(&live);
        assert_eq!(took < Duration::from_millis(800), is_at_once, "{clock}: {took:?}");
        live.end();
    }
}

#[test]
fn the_only_move_needs_no_time_once_the_opponent_has_moved() {
    let live = Live::start(Dialect::Uci);
    live.say("position fen 3ak4/4a4/4R4/9/9/9/9/9/4r4/3K5 w\n");
    live.say("go ponder wtime 7200000 btime 7200000\n");
    live.wait_for("info depth 2", 1);
    assert!(hit(&live) < Duration::from_secs(20));
    live.end();
}

#[test]
fn counting_has_a_greatest_depth() {
    for depth in ["65", "1000", "4294967295"] {
        let live = Live::start(Dialect::Uci);
        live.say(&format!("go perft {depth}\n"));
        live.wait_for("info string go perft: 64 plies", 1);
        live.say("stop\nisready\n");
        live.wait_for("readyok", 1);
        live.end();
    }
}

/// Options take effect while nobody waits, so that the clock of the first move is not used for them.
#[test]
fn options_take_effect_before_the_clock_runs() {
    let live = Live::start(Dialect::Uci);
    live.say("setoption name Tables value /no/such/folder\n");
    live.wait_for("info string playing without endgame", 1);
    live.end();
}

#[test]
fn other_numbers_of_lines_keep_what_was_found() {
    let text = "go depth 8\nsetoption name MultiPV value 2\ngo depth 1\n\
                setoption name MultiPV value 1\ngo depth 8\n";
    let output = answers_to(text);
    let nodes = |line: &str| -> Option<u64> {
        let mut words = line.split_whitespace().skip_while(|&word| word != "nodes").skip(1);
        words.next()?.parse().ok()
    };
    let deepest = output.lines().filter(|line| line.starts_with("info depth 8 "));
    let nodes: Vec<_> = deepest.filter_map(nodes).collect();
    assert_eq!(nodes.len(), 2, "{output}");
    assert!(nodes[1] < nodes[0], "{nodes:?}");
}

#[test]
fn lines_too_long_are_not_obeyed() {
    let long =
        format!("position startpos moves {}\nd\nquit\n", "h2e2 h9g7 e2h2 g7h9 ".repeat(20_000));
    let output = answers_to(long);
    assert!(output.contains("bytes is not obeyed"), "{output}");
}

/// `go` without a limit is endless: only `stop`, another `go` or the end of the input ends it.
#[test]
fn ponderhit_without_a_clock_can_be_stopped() {
    for (go, more) in [
        ("go ponder\nponderhit\n", ""),
        ("go infinite\nponderhit\n", ""),
        ("go ponder\nponderhit\n", "go depth 1\n"),
        ("go infinite\nponderhit\n", "go depth 1\n"),
        ("go ponder infinite wtime 1 btime 1\nponderhit\n", "stop\n"),
    ] {
        let live = Live::start(Dialect::Uci);
        live.say(go);
        live.wait_for("info depth 2", 1);
        assert!(best_moves(&live.heard()).is_empty(), "{go}");
        live.say(more);
        let expected = 1 + usize::from(more.starts_with("go"));
        assert_eq!(best_moves(&live.end()).len(), expected, "{go}{more}");
    }
}

#[test]
fn ponderhit_reaches_a_search_that_waits() {
    let live = Live::start(Dialect::Uci);
    live.say("go depth 5\ngo ponder depth 3\nponderhit\n");
    live.wait_for("bestmove", 2);
    live.end();
}

#[test]
fn an_endless_search_that_waits_gives_way_too() {
    let live = Live::start(Dialect::Uci);
    live.say("go infinite\ngo infinite\ngo ponder\ngo depth 1\n");
    live.wait_for("bestmove", 4);
    live.end();
}

#[test]
fn a_fixed_time_is_used() {
    let live = Live::start(Dialect::Uci);
    let before = Instant::now();
    live.say("go movetime 400\n");
    live.wait_for("bestmove", 1);
    assert!(before.elapsed() >= Duration::from_millis(360));
    live.end();
}

#[test]
fn a_long_search_tells_the_move_that_it_searches() {
    let live = Live::start(Dialect::Uci);
    let before = Instant::now();
    live.say("setoption name MultiPV value 2\ngo movetime 5000\n");
    live.wait_for("bestmove", 1);
    assert!(before.elapsed() >= Duration::from_secs(3));
    let output = live.end();
    let told = output.lines().find(|line| line.contains(" currmove ")).unwrap();
    let words: Vec<&str> = told.split(' ').collect();
    let ["info", "depth", depth, "currmove", mv, "currmovenumber", number] = words[..] else {
        panic!("{told}");
    };
    assert!(depth.parse::<u32>().unwrap() > 1 && number.parse::<u32>().unwrap() >= 1, "{told}");
    assert!(Position::start().is_legal(Position::parse_move(mv).unwrap()), "{told}");
    assert!(!answers_to("go depth 9\n").contains("currmove"));
}

/// Nodes of the last iteration that was reported.
fn nodes_of(output: &str) -> u64 {
    let info = output.lines().rfind(|line| line.contains(" nodes ")).unwrap();
    let mut words = info.split(' ').skip_while(|&word| word != "nodes");
    words.nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_rating_holds_the_engine_back_in_place_of_the_level() {
    let output = answers_to("uci\n");
    let option = "option name UCI_Elo type spin default 1500 min ";
    let told = output.lines().find(|line| line.starts_with(option)).unwrap();
    let bounds: Vec<u32> = told.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [1_500, min, max] = bounds[..] else { panic!("{told}") };
    assert!(output.contains("option name UCI_LimitStrength type check default false\n"));
    let go = |options: &str| nodes_of(&answers_to(format!("{options}go nodes 30000\n")));
    let elo = |elo: u32| format!("setoption name UCI_Elo value {elo}\n");
    let limited = "setoption name UCI_LimitStrength value true\n";
    let level = "setoption name Level value 1\n";
    assert!(go(&elo(min)) > 10_000, "the rating counts only where strength is limited");
    let weak = go(&format!("{limited}{}", elo(min)));
    let strong = go(&format!("{level}{limited}{}", elo(max)));
    assert!(weak <= 800 && strong > 10_000, "{weak} {strong}");
    assert!(go(level) <= 800);
    for elo in [min - 1, max + 1] {
        let refused = answers_to(format!("setoption name UCI_Elo value {elo}\n"));
        assert_eq!(
            refused,
            format!("info string option UCI_Elo: \"{elo}\" is not from {min} to {max}\n")
        );
    }
}

#[test]
fn what_is_told_last_begins_with_the_move_played() {
    for nodes in (100..3_000).step_by(97) {
        let output = answers_to(format!("position startpos moves h2e2\ngo nodes {nodes}\n"));
        let told = output.lines().rfind(|line| line.starts_with("info depth ")).unwrap();
        let (_, pv) = told.split_once(" pv ").unwrap();
        assert_eq!(
            pv.split(' ').next(),
            best_moves(&output).first().and_then(|best| best.split(' ').next()),
            "{output}"
        );
    }
}

#[test]
fn xiangqi_has_two_evaluations() {
    let go = "position startpos moves h2e2 h9g7\ngo depth 6\n";
    let set = |evaluation: &str| format!("setoption name Evaluation value {evaluation}\n");
    let last = |session: String| {
        let output = answers_to(session);
        let info = output.lines().rfind(|line| line.starts_with("info depth 6 ")).unwrap();
        info.split(' ').take_while(|&word| word != "nps").collect::<Vec<_>>().join(" ")
    };
    let score = |evaluation: &str| last(set(evaluation) + go);
    assert_ne!(score("network"), score("classical"));
    // The name in any case, and the usual one where it is none.
    assert_eq!(score("Classical"), score("classical"));
    assert_eq!(score("none"), score("network"));
    // Nothing of the one is left for the other.
    assert_eq!(last(format!("{go}{}{go}", set("classical"))), score("classical"));
    let announced = "option name Evaluation type combo default network var network var classical";
    assert!(answers_to("uci\nquit\n").lines().any(|line| line == announced));
}

#[test]
fn scores_have_the_scale_that_is_wanted() {
    let position = "position startpos moves h2e2 h9g7 e2e6\n";
    let score = |scale: &str| {
        let output =
            answers_to(format!("setoption name ScoreType value {scale}\n{position}go depth 6\n"));
        let info = output.lines().rfind(|line| line.starts_with("info depth 6 ")).unwrap();
        let mut words = info.split(' ').skip_while(|&word| word != "cp");
        words.nth(1).unwrap().parse::<i32>().unwrap()
    };
    let [raw, elo, normal] = ["Raw", "elo", "PawnValueNormalized"].map(score);
    assert!(raw != 0 && raw.signum() == elo.signum() && raw.signum() == normal.signum());
    assert!(raw != elo && raw != normal && elo != normal, "{raw} {elo} {normal}");
    let output = answers_to(format!("{position}go depth 6\n"));
    assert!(output.contains(&format!(" score cp {raw} ")), "{output}");
}

#[test]
fn options_of_other_engines_with_one_value_here_say_so() {
    let known = "setoption name Rule60MaxPly value 120\nsetoption name Draw Rule value None\n\
                 setoption name LU_Output value false\nsetoption name Repetition Rule value AsianRule\n";
    assert_eq!(answers_to(known), "");
    let refused = answers_to(
        "setoption name Rule60MaxPly value 60\nsetoption name Draw Rule value DrawAsRedWin\n",
    );
    assert_eq!(
        refused,
        "info string option Rule60MaxPly: \"60\" is not 120\n\
         info string option Draw Rule: \"DrawAsRedWin\" is not None\n"
    );
    assert!(!answers_to("uci\n").contains("Rule60MaxPly"));
}

#[test]
fn numbers_that_are_none_are_told_and_the_rest_is_searched() {
    let output = answers_to("go depth x nodes 50\ngo depth 99999999999 nodes 50\n");
    assert!(output.contains("info string go: ignored depth x\n"), "{output}");
    assert_eq!(best_moves(&output).len(), 2);
}

#[test]
fn stop_at_any_moment_gives_one_answer() {
    let live = Live::start(Dialect::Uci);
    for round in 1..=40_u64 {
        live.say("go infinite\n");
        std::thread::sleep(Duration::from_micros(round * round * 5));
        live.say("stop\n");
        live.wait_for("bestmove", usize::try_from(round).unwrap());
    }
    assert_eq!(best_moves(&live.end()).len(), 40);
}

#[test]
fn the_end_of_input_ends_an_endless_search() {
    let live = Live::start(Dialect::Uci);
    live.say("go infinite\n");
    live.wait_for("info depth 1", 1);
    assert_eq!(best_moves(&live.end()).len(), 1);
}

#[test]
fn quit_ends_a_search_at_once() {
    let live = Live::start(Dialect::Uci);
    live.say("go depth 100\n");
    live.wait_for("info depth 1", 1);
    live.say("go depth 100\nquit\n");
    assert_eq!(best_moves(&live.end()).len(), 1);
}

fn random_command(random: &mut impl Rng) -> String {
    const WORDS: [&str; 24] = [
        "go",
        "depth",
        "1",
        "2",
        "stop",
        "isready",
        "position",
        "startpos",
        "moves",
        "h2e2",
        "fen",
        "nodes",
        "100",
        "setoption",
        "name",
        "Hash",
        "value",
        "ponder",
        "ponderhit",
        "ucinewgame",
        "infinite",
        "-1",
        "\u{0}",
        "棋",
    ];
    const LINES: [&str; 10] = [
        "go depth 1",
        "go nodes 50",
        "go infinite",
        "stop",
        "isready",
        "ucinewgame",
        "position startpos moves h2e2 h9g7 e2e6",
        "position fen 3k5/9/9/9/9/9/9/9/9/4K4 w",
        "setoption name Rules value check",
        "go ponder depth 1",
    ];
    if random.random_ratio(1, 2) {
        return LINES[random.random_range(0..LINES.len())].to_owned();
    }
    let count = random.random_range(0..6);
    let words = (0..count).map(|_| WORDS[random.random_range(0..WORDS.len())]);
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn ten_thousand_random_commands() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut input = String::new();
    for _ in 0..10_000 {
        input.push_str(&random_command(&mut random));
        input.push_str(if random.random_ratio(1, 10) { "\r\n" } else { "\n" });
    }
    let output = answers_to(format!("{input}\nstop\nisready\n"));
    assert!(!best_moves(&output).is_empty());
    for line in output.lines() {
        let known = ["info ", "bestmove ", "readyok", "id ", "option ", "uciok"];
        assert!(known.iter().any(|start| line.starts_with(start)), "{line}");
    }
}

#[test]
fn the_book_answers_but_does_not_end_an_analysis() {
    let folder = tempfile::tempdir().unwrap();
    let book = small_book(folder.path());
    let start = format!("setoption name Book value {}\n", book.display());
    let from_book = |more: &str| answers_to(format!("{start}{more}")).contains("from the book");
    assert!(from_book("go depth 1\n"));
    assert!(!from_book("go infinite\nstop\n"));
    assert!(!from_book("setoption name OwnBook value false\ngo depth 1\n"));
    assert!(!from_book("setoption name UCI_AnalyseMode value true\ngo depth 1\n"));
    assert!(!from_book("go depth 1 searchmoves a0a1\n"));
    assert!(!from_book("setoption name BookMinGames value 2\ngo depth 1\n"));
    let deeper = "setoption name BookDepth value 1\nposition startpos moves h2e2\ngo depth 1\n";
    assert!(!from_book(deeper));
    for (side, other) in [("Red", false), ("Black", true)] {
        // Red's book does not serve Black, who moves here.
        let only = format!(
            "setoption name Book value <empty>\nsetoption name Book{side} value {}\n\
             setoption name Best Book Move value true\nsetoption name BookPolicy value softmax\n\
             setoption name BookTemperature value 30\nposition startpos moves h2e2\ngo depth 1\n",
            book.display()
        );
        assert_eq!(from_book(&only), other, "{side}");
        assert!(!answers_to(only).contains("option"));
    }
}

#[test]
fn odd_limits_end() {
    let output = answers_to(
        "go depth 0\ngo nodes 0\ngo movetime 0\ngo wtime 0 btime 0\ngo wtime 1\ngo btime 5\n\
         go movestogo 0 wtime 100 btime 100\ngo depth 4294967295 nodes 10\ngo mate 3 depth 2\n",
    );
    assert_eq!(best_moves(&output).len(), 9, "{output}");
    assert!(!output.contains("(none)"), "{output}");
}

#[test]
fn chances_are_told_on_request() {
    let wdl = |options: &str| {
        let output = answers_to(format!("{options}go depth 2\n"));
        output.lines().filter(|line| line.contains(" wdl ")).count()
    };
    assert_eq!(wdl(""), 0);
    assert!(wdl("setoption name UCI_ShowWDL value true\n") >= 2);
    let output = answers_to("setoption name UCI_ShowWDL value true\ngo depth 1\n");
    let told = output.lines().find(|line| line.contains(" wdl ")).unwrap();
    let words: Vec<&str> = told.split(' ').skip_while(|&word| word != "wdl").collect();
    let sum: u32 = words[1..4].iter().map(|word| word.parse::<u32>().unwrap()).sum();
    assert_eq!(sum, 1000, "{told}");
}

#[test]
fn a_search_for_a_mate_ends_with_it() {
    let mate = "position fen 4k4/9/9/9/9/9/9/R8/1R7/3K5 w - - 0 1\n";
    let live = Live::start(Dialect::Uci);
    live.say(&format!("{mate}go mate 2\n"));
    live.wait_for("bestmove", 1);
    assert!(live.heard().contains("score mate 2"));
    // There is none so short: it gives up.
    live.say("go mate 1\n");
    live.wait_for("bestmove", 2);
    live.say("go mate 2 infinite\n");
    live.wait_for("bestmove", 3);
    live.end();
}

#[test]
fn a_search_for_a_mate_finds_stalemates_and_leaves_out_nothing() {
    for fen in ["4k1Pn1/7P1/3P5/9/4n4/9/9/9/9/4K4 w", "cP2k1Pn1/P6P1/3P5/9/4n4/9/9/9/9/4K4 w"] {
        for go in ["go mate 1", "go mate 3", "go mate 1 nodes 100", "go mate 1 depth 1"] {
            let output = answers_to(format!("position fen {fen}\n{go}\n"));
            assert!(output.contains("score mate 1 "), "{go}: {output}");
            assert_eq!(best_moves(&output), ["d7d8"], "{go}: {output}");
        }
    }
    // None in one move: the move is searched for as ever.
    let output = answers_to("position startpos\ngo mate 1 depth 3\ngo mate 2 nodes 2000\n");
    assert_eq!(best_moves(&output).len(), 2, "{output}");
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let output = answers_to(
        "go depth 3 searchmoves a0a1 i0i1\nsetoption name MultiPV value 5\n\
         go depth 2 searchmoves a0a1 i0i1 i0i1 a0a9\ngo depth 2\n",
    );
    let best = best_moves(&output);
    assert!(best[0].starts_with("a0a1") || best[0].starts_with("i0i1"), "{output}");
    assert!(output.contains("searchmoves: 2 moves left out"), "{output}");
    assert_eq!(output.matches("info depth 2 ").count(), 1 + 2 + 5, "{output}");
}

#[test]
fn leaves_are_counted() {
    let output = answers_to("position startpos moves h2e2\ngo perft 2\ngo perft 0\n");
    assert!(output.lines().filter(|line| line.contains(": ")).count() > 40);
    let totals: Vec<&str> =
        output.lines().filter_map(|line| line.strip_prefix("Nodes searched: ")).collect();
    let count = juzhong::game::perft(&mut after_h2e2(), 2).to_string();
    assert_eq!(totals, [count.as_str(), "1"]);
    let live = Live::start(Dialect::Uci);
    live.say("go perft 30\nisready\n");
    live.wait_for("readyok", 1);
    live.say("stop\n");
    live.wait_for("info string go perft: stopped", 1);
    assert!(best_moves(&live.end()).is_empty());
}

fn after_h2e2() -> Position {
    let mut position = Position::start();
    position.make(Position::parse_move("h2e2").unwrap());
    position
}

#[test]
fn the_limit_of_moves_can_be_left_out_of_account() {
    let score = |options: &str| -> i32 {
        let fen = "5k3/9/9/9/9/9/9/9/R8/3K5 w - - 119 80";
        let output = answers_to(format!("{options}position fen {fen}\ngo depth 1\n"));
        let told = output.lines().rfind(|line| line.contains(" score ")).unwrap();
        told.split(' ').skip_while(|&word| word != "cp").nth(1).unwrap().parse().unwrap()
    };
    assert_eq!(score(""), 0);
    assert!(score("setoption name Sixty Move Rule value false\n") > 300);
    assert!(score("setoption name Rules value none\n") > 300);
    assert_eq!(score("setoption name Repetition Rule value ChineseRule\n"), 0);
    let moves = "h0g2 h9g7 g2h0 g7h9 ".repeat(30);
    let output = answers_to(format!(
        "setoption name Sixty Move Rule value false\nposition startpos moves {moves}\ngo depth 2\n"
    ));
    assert_eq!(best_moves(&output).len(), 1);
}

#[test]
fn debugging_tells_what_was_heard() {
    let output = answers_to("debug on\nisready\ngo movetime 20\ndebug off\nisready\ndebug x\n");
    assert_eq!(output.matches("received: isready").count(), 1, "{output}");
    assert!(output.contains("info string received: go movetime 20\n"), "{output}");
    assert!(output.contains("info string debug wants"), "{output}");
}

#[test]
fn the_first_handshake_decides() {
    for (input, ok) in [
        ("uci\nucci\nucicyclone\n", "uciok"),
        ("ucci\nuci\nucicyclone\n", "ucciok"),
        ("ucicyclone\nuci\nucci\n", "uciok"),
    ] {
        let output = answers_to(input);
        let oks: Vec<&str> = output.lines().filter(|line| line.ends_with("ciok")).collect();
        assert_eq!(oks, [ok], "{input}");
    }
    // A GUI may ask again.
    assert_eq!(answers_to("uci\nuci\n").matches("uciok").count(), 2);
}

#[test]
fn forgetting_what_was_searched_makes_a_search_the_first_again() {
    let nodes = |between: &str| -> Vec<String> {
        let output = answers_to(format!("go depth 4\n{between}go depth 4\n"));
        let last = output.lines().filter(|line| line.starts_with("info depth 4 "));
        last.map(|line| line.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap().into())
            .collect()
    };
    for (between, same) in [
        ("", false),
        ("setoption name Clear Hash\n", true),
        ("ucinewgame\n", true),
        ("setoption newgame\n", true),
    ] {
        let nodes = nodes(between);
        assert_eq!(nodes[0] == nodes[1], same, "{between}{nodes:?}");
    }
}

/// Notes what is there whenever it is flushed.
#[derive(Default)]
struct Flushed {
    text: Vec<u8>,
    seen: Vec<String>,
}

impl std::io::Write for Flushed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.seen.push(String::from_utf8_lossy(&self.text).into_owned());
        Ok(())
    }
}

/// A command that waited may take long: a large hash table, for example.
#[test]
fn an_answer_is_not_held_back_by_what_waits() {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options).unwrap();
    let mut output = Flushed::default();
    let input = std::io::Cursor::new("go infinite\nd\ngo depth 1\n");
    juzhong::protocol::serve(input, &mut output, engine, Dialect::Uci).unwrap();
    let text = String::from_utf8(output.text).unwrap();
    let end = text.find("bestmove").unwrap();
    let end = end + text[end..].find('\n').unwrap() + 1;
    assert!(text[end..].starts_with("info string rnbakabnr"), "{text}");
    assert!(output.seen.iter().any(|seen| seen.len() == end), "{text}");
}
