//! `juzhong play` and `uci` with piped input.

use std::fs;
use std::process::Output;

use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, ended, ok, sample_book, text, with_input};
use crate::support::tables::small_tables;

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
fn moves_are_taken_back_made_again_and_listed() {
    let text = said(&play(&[], "h2e2\nundo\nlist\nredo\nlist\nredo\nfen\n"));
    assert_eq!(text.matches("   1 h2e2").count(), 2, "{text}");
    assert!(
        text.contains("after 0 of 2 moves") && text.contains("no move to make again"),
        "{text}"
    );
    assert!(text.contains("w - - 2 2"), "{text}");
    let text = said(&play(&["--moves", "h2e2 h9g7 h0g2"], "list\n"));
    assert!(text.contains("   1 h2e2           2 h9g7\n   3 h0g2"), "{text}");
}

#[test]
fn a_game_is_gone_through_and_goes_on_from_any_move() {
    let moves = ["--moves", "h2e2 h9g7 h0g2 i9h9"];
    let input = "goto 1\nfen\nnext\nprev\nend\nnext\ngoto 0\nprev\ngoto 9\ngoto x\nlist\n";
    let text = said(&play(&moves, input));
    for part in [
        "after 1 of 4 moves",
        "b - - 1 1\n",
        "after 2 of 4",
        "after 4 of 4",
        "after 0 of 4",
        "start of the game",
        "the game has 4 moves",
        "write goto N",
        "   1 h2e2",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("engine: "), "{text}");
    // A move of the other side is made without an answer, one of one's own with it.
    let text = said(&play(&moves, "goto 1\nb9c7\nfen\nh0g2\n"));
    assert_eq!(text.matches("engine: ").count(), 1, "{text}");
}

#[test]
fn variations_are_tried_and_the_game_comes_back_as_it_was() {
    let moves = ["--moves", "h2e2 h9g7 h0g2 i9h9"];
    let input = "undo\nfen\nstudy 1\nb9c7\nb0c2\nh7e7\nhint\nlist\nswitch\nresign\nback\n\
                 list\nfen\nback\n";
    let text = said(&play(&moves, input));
    assert!(!text.contains("engine: ") && text.contains("hint: "), "{text}");
    assert!(text.contains("   1 h2e2           2 b9c7\n   3 b0c2           4 h7e7\n"), "{text}");
    assert!(text.contains("   3 h0g2           4 i9h9\nafter 2 of 4 moves"), "{text}");
    assert_eq!(text.matches(" w - - 2 2\n").count(), 2, "{text}");
    assert!(text.contains("not while variations") && text.contains("this is the game"), "{text}");
    assert!(text.contains("study> "), "{text}");
}

#[test]
fn sides_are_changed_and_games_begun_anew() {
    let text = said(&play(&[], "switch\nnew\nfen\n"));
    assert!(text.contains("you play Black now"), "{text}");
    assert_eq!(text.matches("engine: ").count(), 2, "{text}");
}

#[test]
fn positions_are_set_up_with_the_reasons_where_they_are_illegal() {
    let input = "setup clear\nsetup e0=K e9=k\nfen\nsetup e9= d9=k a1=R red\nfen\na1a2\n\
                 setup e0=Z\nsetup\nsetup 4k4/9/9/9/9/9/9/9/9/3K1A3 w\nfen\nsetup x/y\n\
                 setup start\nfen\n";
    let text = said(&play(&[], input));
    for part in [
        "illegal: red has no king",
        "illegal: the kings face each other on an open file",
        "the game stays as it is",
        "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1",
        "engine: ",
        "\"e0=Z\": write e0=K",
        "4k4/9/9/9/9/9/9/9/9/3K1A3 w",
        "ranks",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    assert_eq!(text.matches(start).count(), 2, "{text}");
}

#[test]
fn games_are_saved_and_opened() {
    let folder = Folder::new();
    for name in ["a.pgn", "b.jsonl", "c d.txt", "e.xqf", "f.ubb"] {
        let file = folder.at(name);
        let text =
            said(&play(&["--moves", "h2e2 h9g7"], &format!("save {file}\nh0g2\nsave\nquit\n")));
        assert_eq!(text.matches("saved: ").count(), 2, "{text}");
        let text = said(&play(&[], &format!("open {file}\nend\nlist\nopen {file} 2\n")));
        assert!(text.contains("after 4 of 4 moves") && text.contains("   3 h0g2"), "{text}");
        assert!(text.contains("one game in it"), "{text}");
        // What another session has written is not replaced.
        let before = fs::read(&file).unwrap();
        let text = said(&play(&[], &format!("save {file}\n")));
        assert!(text.contains("already exists"), "{text}");
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    let at = |name| folder.at(name);
    let input = format!("save {}\nsave {}\nopen {}\nsave\n", at("x"), at("y.cbr"), at("z"));
    let text = said(&play(&[], &input));
    for part in ["must end in .pgn", "is read, not written", "No such file", "write save FILE"] {
        assert!(text.contains(part) || part.starts_with("No such"), "{part}: {text}");
    }
    assert!(fs::read_to_string(at("a.pgn")).unwrap().contains("[Black \"juzhong\"]"));
    // What was taken back is not saved, what follows a move that is looked at is.
    let input = format!(
        "undo\nsave {}\nresign\nsave\nopen {}\nsave {}\n",
        at("g.pgn"),
        at("a.pgn"),
        at("h.pgn")
    );
    said(&play(&["--moves", "h2e2 h9g7 h0g2 i9h9", "--notation", "uci"], &input));
    let (undone, whole) = (at("g.pgn"), at("h.pgn"));
    let undone = fs::read_to_string(undone).unwrap();
    assert!(undone.contains("1. h2e2 h9g7 0-1"), "{undone}");
    assert!(fs::read_to_string(whole).unwrap().contains("2. h0g2 "), "{undone}");
}

#[test]
fn names_of_files_may_be_escaped_or_quoted() {
    let folder = Folder::new();
    let at = |name| folder.at(name);
    let input =
        format!("save {}\nsave \"{}\"\nsave {}\n", at("a b.pgn"), at("c d.pgn"), at("it's.pgn"));
    said(&play(&["--moves", "h2e2 h9g7"], &input));
    assert_eq!(folder.names(), ["a b.pgn", "c d.pgn", "it's.pgn"]);
    let input = format!(
        "open '{}' 1\nnext\nopen \"{}\nopen {} 2\n",
        at("a b.pgn"),
        at("c d.pgn"),
        at("it's.pgn")
    );
    let text = said(&play(&[], &input));
    assert_eq!(text.matches("next shows them").count(), 2, "{text}");
    assert!(text.contains("one game in it"), "{text}");
}

#[test]
fn chinese_words_are_understood_in_every_language() {
    let input = "炮二平五\n悔棋\n重走\n跳到1\n下一步\n上一步\n末着\n列表\n试走 1\n返回\n换边\n级别3\n评估\n开局库\n\
                 残局库\n理由\n着法\n局面\n棋盘\n翻转\n提示\n帮助\n认输\n新局\n摆棋 清空 e0=K d9=k a1=R 红\n局面\n退出\n";
    let text = said(&play(&[], input));
    assert!(!text.contains("type help") && !text.contains("illegal"), "{text}");
    for part in
        ["after 1 of", "study> ", "you play Black", "level 3", "balance", "no book", "hint: "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("you resign: Red wins"), "{text}");
    assert!(text.contains("3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1"), "{text}");
    let text = said(&play(&["--lang", "zh"], "帮助\n认输\n"));
    assert!(text.contains("悔棋 undo，重走 redo") && text.contains("你认输了"), "{text}");
}

#[test]
fn the_level_is_shown_and_set() {
    let text = said(&play(&["--level", "2"], "level\nlevel 5\nlevel 10\nlevel 11\nh2e2\n"));
    for part in ["level 2: at most 1500", "level 5: at most 4000", "full strength", "at most 10"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("engine: "), "{text}");
    for level in ["0", "11"] {
        ended(&play(&["--level", level], ""), 2, &["--level"]);
    }
    // The same seed, the same choices.
    let game =
        |seed| said(&play(&["--level", "1", "--seed", seed], "h2e2\nb0c2\na0b0\nb0b4\nlist\n"));
    assert_eq!(game("3"), game("3"));
    let all = ["1", "2", "3", "4", "5", "6", "7", "8"].map(game);
    assert!(all.iter().any(|other| *other != all[0]), "{}", all[0]);
}

#[test]
fn books_tables_values_and_verdicts_are_shown() {
    let folder = Folder::new();
    let (book, tables) = (sample_book(&folder), folder.at("tables"));
    ok(&["tablebase", "generate", "KRvK", "--dir", &tables]);
    let text = said(&play(&["--book", &book], "book\neval\ntable\nwhy\n"));
    for part in ["games", "weight", "balance", "no endgame tables", "no position has occurred"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 w";
    let text = said(&play(&["--tables", &tables, "--fen", fen], "table\nbook\n"));
    assert!(text.contains("win, mate in ") && text.contains("no book"), "{text}");
    let fen = "4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w";
    let moves = "e4e3 c4c3 e3e4 c3c4 e4e3 c4c3 e3e4 c3c4";
    let text = said(&play(&["--fen", fen, "--moves", moves], "why\nh0g2\nundo\nfen\n"));
    for part in ["verdict  black_loses (perpetual chase)", "chases R", "the game is over"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_end_of_a_game_is_not_the_end_of_the_program() {
    let fen = "4k4/1R7/9/9/9/9/9/9/R8/3K5 w - - 0 1";
    let text = said(&play(&["--fen", fen], "a1a9\nhint\na9a8\nundo\nfen\nnew\nlist\n"));
    assert_eq!(text.matches("checkmate: Red wins").count(), 3, "{text}");
    assert!(text.contains("the game is over") && text.contains("R8/3K5 w - - 0 1"), "{text}");
    assert!(text.contains("no move has been made"), "{text}");
    let text = said(&play(&[], "resign\nresign\nh2e2\nundo\nh2e2\n"));
    assert!(text.contains("Red has resigned: Black wins") && text.contains("engine: "), "{text}");
}

#[test]
fn the_board_is_seen_from_both_sides_with_the_numbers_of_its_files() {
    let text = said(&play(&["--notation", "chinese"], "flip\n"));
    assert!(text.contains("\n   1 2 3 4 5 6 7 8 9\n9  r n b"), "{text}");
    assert!(text.contains("0  R N B A K A B N R\n  九八七六五四三二一\n"), "{text}");
    assert!(text.contains("\n  一二三四五六七八九\n0  R N B A K A B N R\n"), "{text}");
    assert!(text.contains("9  r n b a k a b n r\n   9 8 7 6 5 4 3 2 1\n"), "{text}");
    let text = said(&play(&["--flip"], "board\n"));
    assert!(text.contains("9  r n b a k a b n r\n   i h g f e d c b a\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let text = said(&play(&["--notation", "chinese", "--board", "hanzi"], ""));
    assert!(text.contains("\n   １ ２ ３") && text.contains("\n   九 八 七"), "{text}");
}

#[test]
fn what_makes_no_sense_in_gomoku_says_so() {
    let args = [&["--game", "gomoku", "play"], &FAST[..]].concat();
    let input = "h8\nundo\nredo\nlist\neval\nflip\nwhy\nsetup e0=K\nsave a.pgn\nstudy\n\
                 a1\nback\ntable\nbook\n";
    let text = said(&with_input(&args, input));
    for part in [
        "   1 h8",
        "values of the points",
        "looks the same",
        "no rules on repetition",
        "setup FEN",
        "must end in .jsonl",
        "study> ",
        "no endgame tables",
        "no book",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn gomoku_is_played_too() {
    let args = [&["--game", "gomoku", "play"], &FAST[..]].concat();
    let text = said(&with_input(&args, "h8\nh8\nquit\n"));
    assert!(text.contains("engine: ") && text.contains("(x)") | text.contains("(o)"), "{text}");
    assert!(text.contains("taken"), "{text}");
}

#[test]
fn another_game_begins_on_the_same_board() {
    let args = ["--variant", "renju", "--size", "7"];
    let args = [&["--game", "gomoku", "play"], &FAST[..], &args].concat();
    let text = said(&with_input(&args, "4,4\nnew\nfen\nquit\n"));
    assert!(text.contains("\n 4 . . .(x). . .\n"), "{text}");
    assert!(text.contains("7/7/7/7/7/7/7 x 5 renju"), "{text}");
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
        (&["play", "--level", "11"], 2, "--level"),
        (&["play", "--json"], 2, "--json"),
        (&["uci", "--rules", "x"], 2, "asian"),
        (&["uci", "--hash", "0"], 2, "search: hash size of 0 MiB; choose 1 to 32768\n"),
        (&["uci", "--threads", "0"], 2, "0 search threads"),
        (&["demo", "--game", "gomoku", "--dir", &dir], 2, "keeps nothing"),
        (&["proxy", "--game", "gomoku", "--engine", "x"], 2, "only xiangqi"),
        (&["bench", "--game", "gomoku"], 2, "only xiangqi"),
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
    // A book in front of it that is not there is told of.
    let output = with_input(&["play", "--engine", &program, "--book", "/nonexistent/x"], "");
    ended(&output, 0, &["/nonexistent/x"]);
}

#[test]
fn uci_over_pipes() {
    let text = said(&with_input(&["uci", "--hash", "1"], "uci\nisready\ngo depth 3\nquit\n"));
    assert!(text.contains("uciok\n") && text.contains("readyok\n") && text.contains("bestmove "));
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

#[test]
fn a_win_that_is_given_away_is_named_with_the_move_that_kept_it() {
    let tables = small_tables().to_str().unwrap();
    let args =
        ["--tables", tables, "--rules", "check", "--fen", "3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1"];
    let text = said(&play(&args, "a8d8\nquit\n"));
    assert!(text.contains("the win is gone: "), "{text}");
    assert!(text.contains("still won (win, mate in "), "{text}");
    let again = said(&play(&args, "retry\na8d8\nretry\nlist\na8a7\nretry\nquit\n"));
    assert_eq!(again.matches("no move was said to give").count(), 2, "{again}");
    assert_eq!(again.matches("before the move that gave it away").count(), 1, "{again}");
    assert_eq!(again.matches("is gone").count(), 1, "{again}");
    let kept = said(&play(&args, "a8a7\nquit\n"));
    assert!(!kept.contains("is gone"), "{kept}");
    let silent = said(&play(&[&args[..], &["--silent-tables"]].concat(), "a8d8\nquit\n"));
    assert!(!silent.contains("is gone"), "{silent}");
    let chinese = said(&play(&[&args[..], &["--lang", "zh"]].concat(), "a8d8\nquit\n"));
    assert!(chinese.contains("胜势已失"), "{chinese}");
}
