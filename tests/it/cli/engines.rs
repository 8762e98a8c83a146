//! Engines by name: `juzhong engine`, and every command that takes one. The engines are shell scripts.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::books::small_book;
use crate::support::fake_engines::{FakeEngine, GOOD, GOOD_UCCI, all_gone, heard};
use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, ended, json_with_code, text, with_input};

/// The time within which a command ends, whatever an engine does.
const SOON: Duration = Duration::from_secs(40);

/// Runs with the settings file of a folder.
fn with_settings(folder: &Folder, args: &[&str]) -> Output {
    let file = folder.at("config.toml");
    let began = Instant::now();
    let output = with_input(&[args, &["--config", &file]].concat(), "");
    assert!(began.elapsed() < SOON, "{args:?} took {:?}", began.elapsed());
    output
}

#[track_caller]
fn answer(output: &Output) -> Value {
    ended(output, 0, &[]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with a settings file of these engines, each with its command and further lines.
fn with_engines(engines: &[(&str, &str, &str)]) -> Folder {
    let folder = Folder::new();
    add_engines(&folder, engines);
    folder
}

fn add_engines(folder: &Folder, engines: &[(&str, &str, &str)]) {
    let table = |&(name, command, more): &(&str, &str, &str)| {
        format!("[engines.\"{name}\"]\ncommand = \"{command}\"\n{more}\n")
    };
    folder.write("config.toml", engines.iter().map(table).collect::<String>());
}

#[test]
fn an_engine_is_added_used_and_removed() {
    let folder = Folder::new();
    let settings = "# mine\nrules = \"asian\"\n\n[engine]\nhash = 16 # small\n# last\n";
    let file = folder.write("config.toml", settings);
    fs::create_dir(folder.at("我的 引擎")).unwrap();
    let shell = folder.at("我的 引擎/壳 sh");
    symlink("/bin/sh", &shell).unwrap();
    let script = GOOD.write(&folder, "good");
    let run = |args: &[&str]| with_settings(&folder, args);
    let added = answer(&run(&[
        "engine",
        "add",
        "鱼",
        &shell,
        &script,
        "--hash",
        "8",
        "--option",
        "Eval File=a b",
        "--json",
    ]));
    assert_eq!(added["trial"]["name"], "Fake");
    assert_eq!(added["trial"]["protocol"], "uci");
    assert_eq!(added["trial"]["best"], "b0c2");
    assert_eq!(added["trial"]["options"][0]["name"], "Hash");
    assert!(heard(&folder, "good").contains(&"setoption name Eval File value a b".to_owned()));
    let now = fs::read_to_string(&file).unwrap();
    assert!(now.starts_with(settings), "{now}");
    let listed = answer(&run(&["engine", "list", "--json"]));
    assert_eq!(listed["engines"][0]["name"], "鱼");
    assert_eq!(listed["engines"][0]["command"][0], shell.as_str());
    assert!(text(&run(&["engine", "list"]).stdout).contains("hash 8, Eval File=a b"));
    // Names are taken once, and compared as they are.
    ended(&run(&["engine", "add", "鱼", &shell, &script]), 2, &["--replace"]);
    answer(&run(&["engine", "add", "鱼二", &shell, &script, "--no-test", "--json"]));
    ended(&run(&["engine", "remove", "鱼二"]), 0, &[]);
    // Every command knows it.
    let book = small_book(folder.path()).display().to_string();
    let analysis = answer(&run(&["analyse", "--engine", "鱼", "--nodes", "5", "--json"]));
    assert_eq!(analysis["best"], "b0c2");
    assert_eq!(analysis["engine"], "Fake");
    let played = with_input(
        &["play", "--engine", "鱼", "--side", "black", "--nodes", "5", "--config", &file],
        "quit\n",
    );
    assert!(text(&played.stdout).contains("engine: b0c2"), "{}", text(&played.stdout));
    for command in ["score", "expand"] {
        let analyse: &[&str] = if command == "expand" { &["--analyse"] } else { &[] };
        let args = [&["book", command, &book, "--engine", "鱼"], analyse].concat();
        ended(&run(&args), 0, &[]);
    }
    let sides =
        ["match", "--engine-a", "鱼", "--engine-b", "self", "--nodes", "50", "--games", "2"];
    let output = run(&[&sides[..], &["--max-plies", "4", "--json"]].concat());
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["engines"][0]["command"], "鱼");
    let proxied = with_input(
        &["proxy", "--engine", "鱼", "--config", &file],
        "uci\nposition startpos\ngo depth 1\n",
    );
    assert!(text(&proxied.stdout).contains("bestmove b0c2"), "{}", text(&proxied.stdout));
    // Each start of it has been given what the settings say.
    let heard = heard(&folder, "good");
    let count = |line: &str| heard.iter().filter(|heard| *heard == line).count();
    assert_eq!(count("setoption name Hash value 8"), count("uci"));
    let removed = answer(&run(&["engine", "remove", "鱼", "--json"]));
    assert_eq!(removed["removed"]["name"], "鱼");
    assert_eq!(fs::read(&file).unwrap(), settings.as_bytes());
    ended(&run(&["engine", "remove", "鱼"]), 66, &["no engine 鱼"]);
    ended(&run(&["analyse", "--engine", "鱼"]), 69, &["no engine of the settings is called 鱼"]);
    assert_eq!(folder.hidden(), [] as [String; 0]);
    all_gone(&folder);
}

#[test]
fn the_file_is_made_and_links_are_followed() {
    let folder = Folder::new();
    let script = GOOD_UCCI.write(&folder, "alt");
    let add = |file: &str| {
        let args = ["engine", "add", "alt", "sh", &script, "--config", file, "--json"];
        answer(&with_input(&args, ""))
    };
    let file = folder.at("new/config.toml");
    ended(&with_input(&["engine", "list", "--config", &file], ""), 66, &["config.toml"]);
    assert_eq!(add(&file)["trial"]["protocol"], "ucci");
    let link = folder.at("link.toml");
    folder.write("target.toml", "lang = \"en\"");
    symlink(folder.at("target.toml"), &link).unwrap();
    add(&link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(folder.at("target.toml")).unwrap().contains("[engines.alt]"));
    let none = with_input(&["engine", "add", "alt", "sh", "--config", "none"], "");
    ended(&none, 2, &["no settings file"]);
    all_gone(&folder);
}

#[test]
fn a_usual_file_that_is_missing_is_made() {
    let folder = Folder::new();
    let script = GOOD.write(&folder, "good");
    let mut command = std::process::Command::new(PROGRAM);
    command.args(["engine", "add", "good", "sh", &script]).env_remove("JUZHONG_CONFIG");
    let output =
        command.env("XDG_CONFIG_HOME", folder.at("set")).env("JUZHONG_LANG", "en").output();
    ended(&output.unwrap(), 0, &[]);
    let text = fs::read_to_string(folder.at("set/juzhong/config.toml")).unwrap();
    assert!(text.starts_with("[engines.good]\ncommand = \"sh "), "{text}");
}

#[test]
fn what_does_not_start_is_said_in_words() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "# as it was");
    fs::create_dir(folder.at("a folder")).unwrap();
    let mut elf = vec![0_u8; 64];
    elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    elf[16] = 2;
    elf[18] = if cfg!(target_arch = "aarch64") { 0x3e } else { 0xb7 };
    let mut pe = vec![0_u8; 128];
    pe[..2].copy_from_slice(b"MZ");
    for (program, words) in [
        (folder.at("no such"), "there is no such file"),
        ("nosuchengine".to_owned(), "folders of PATH"),
        (folder.at("a folder"), "it is a folder"),
        (folder.write("引擎", "#!/bin/sh\n"), "not executable"),
        (folder.write_program("text", "hello\n"), "it is a text"),
        (folder.write_program("empty", ""), "is empty"),
        (folder.write_program("elf", &elf), "another processor"),
        (folder.write_program("pe", &pe), "for windows"),
        (folder.write_program("script", "#!/no/such/shell\n"), "which is not there"),
    ] {
        let output = with_settings(&folder, &["engine", "add", "x", &program]);
        ended(&output, 69, &["cannot be started", words]);
        let command = format!("\"{program}\"");
        ended(&with_settings(&folder, &["engine", "test", &command]), 69, &[words]);
        ended(&with_settings(&folder, &["analyse", "--engine", &command]), 69, &[words]);
    }
    for name in ["self", "own", "a b", "", "a/b", "-x"] {
        let output = with_settings(&folder, &["engine", "add", "--", name, "sh"]);
        ended(&output, 2, &[]);
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "# as it was");
}

/// Engines that start and then misbehave, each with the words about it.
const WRONG: [(&str, FakeEngine<'_>, &str); 11] = [
    ("silent", FakeEngine { first: "sleep 600", ..GOOD }, "no answer within"),
    ("strange", FakeEngine { hello: "uci) echo hello there;;", ..GOOD }, "it says: hello there"),
    ("illegal", FakeEngine { go: "echo bestmove a0a9", ..GOOD }, "illegal move a0a9"),
    ("none", FakeEngine { go: "echo 'bestmove (none)'", ..GOOD }, "there is no move"),
    ("hanging", FakeEngine { go: "sleep 600", ..GOOD }, "no answer within"),
    ("open", FakeEngine { go: "printf 'bestmove b0c2'", ..GOOD }, "no answer within"),
    ("newgame", FakeEngine { new_game: "echo boom >&2; exit 3", ..GOOD }, "exit status: 3"),
    ("unready", FakeEngine { ready: "sleep 600", ..GOOD }, "while getting ready"),
    ("illegalins", FakeEngine { first: "kill -ILL $$", ..GOOD }, "built for another processor"),
    (
        "net",
        FakeEngine {
            go: "echo info string ERROR: the network file pika.nnue was not loaded; exit 1",
            ..GOOD
        },
        "its network file is missing",
    ),
    ("killed", FakeEngine { go: "kill -9 $$", ..GOOD }, "signal: 9"),
];

#[test]
fn engines_that_misbehave_are_ended_and_said() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "# none\n");
    for (name, engine, words) in WRONG {
        let command = engine.command(&folder, name);
        let args = ["engine", "add", "x", &command, "--patience", "1"];
        let output = with_settings(&folder, &args);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(69), "{name}: {text}");
        assert!(text.contains(words), "{name}: {text}");
    }
    let command = GOOD.command(&folder, "good");
    ended(&with_settings(&folder, &["engine", "test", &command]), 0, &[]);
    assert_eq!(fs::read_to_string(file).unwrap(), "# none\n");
    all_gone(&folder);
}

#[test]
fn a_move_without_a_score_is_told_apart_from_an_even_one() {
    let folder = Folder::new();
    folder.write("config.toml", "");
    let mute = FakeEngine { go: "echo bestmove b0c2", ..GOOD }.command(&folder, "mute");
    for args in [&["engine", "test", &mute][..], &["analyse", "--engine", &mute, "--nodes", "5"]] {
        let output = with_settings(&folder, args);
        let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(all.contains("it states no score for its move"), "{all}");
    }
    all_gone(&folder);
}

#[test]
fn the_last_line_needs_no_end() {
    let folder = Folder::new();
    let engine = FakeEngine { go: "printf 'bestmove b0c2'; exit", ..GOOD };
    let command = engine.command(&folder, "brief");
    let answer = json_with_code(&["analyse", "--engine", &command, "--nodes", "5"], 0);
    assert_eq!(answer["best"], "b0c2");
    all_gone(&folder);
}

#[test]
fn options_it_does_not_have_are_faults_and_sizes_are_not() {
    let folder = Folder::new();
    let bare = FakeEngine { hello: "uci) echo id name Bare; echo uciok;;", ..GOOD };
    let bare = format!("sh {}", bare.write(&folder, "bare"));
    let good = format!("sh {}", GOOD.write(&folder, "good"));
    add_engines(
        &folder,
        &[
            ("bare", &bare, "hash = 32\nthreads = 2"),
            ("wrong", &bare, "options = { Speed = 3 }"),
            ("big", &good, "hash = 100"),
            ("good", &good, "hash = 32\nthreads = 2"),
        ],
    );
    let analyse = |name: &str, more: &[&str]| {
        let args = [&["analyse", "--engine", name, "--nodes", "5"], more].concat();
        with_settings(&folder, &args)
    };
    ended(&analyse("bare", &[]), 0, &["no option Threads", "no option Hash"]);
    ended(&analyse("wrong", &[]), 69, &["has no option Speed"]);
    ended(&analyse("big", &[]), 69, &["Hash", "1 to 64"]);
    ended(&analyse("good", &["--hash", "4", "--multipv", "2"]), 0, &[]);
    let heard = heard(&folder, "good");
    let has = |line: &str| heard.iter().any(|heard| heard == line);
    assert!(
        has("setoption name Hash value 4") && has("setoption name Threads value 2"),
        "{heard:?}"
    );
    assert!(has("setoption name MultiPV value 2"), "{heard:?}");
    all_gone(&folder);
}

#[test]
fn lines_are_shown_as_those_of_the_own_engine() {
    let folder = Folder::new();
    let command = GOOD.command(&folder, "good");
    let args = ["analyse", "--engine", &command, "--nodes", "5", "--multipv", "2"];
    let answer = json_with_code(&args, 0);
    // Without the move that is not legal.
    assert_eq!(answer["lines"][0]["pv"], serde_json::json!(["b0c2", "b9c7"]));
    assert_eq!(answer["lines"][0]["score_cp"], 33);
    assert_eq!(answer["lines"][1]["mate"], 3);
    let shown = with_input(&[&args[..], &["--notation", "chinese"]].concat(), "");
    let shown = text(&shown.stdout);
    assert!(shown.contains("1. depth 7, ") && shown.contains("2. depth 7, "), "{shown}");
    assert!(shown.contains("engine Fake"), "{shown}");
    ended(&with_input(&["analyse", "--engine", &command, "--mate", "3"], ""), 2, &["--mate"]);
    all_gone(&folder);
}

#[test]
fn a_flood_of_lines_neither_fills_memory_nor_delays_the_end() {
    let folder = Folder::new();
    let line = "info depth 9 score cp 5 nodes 9 time 2 pv b0c2 b9c7 h2e2 h9g7 h0g2 i9h9 a0b0 a9b9";
    let flood = format!(
        "yes '{line}' | head -c 10000000; head -c 3000000 /dev/zero | tr '\\0' x; echo; \
         echo info depth 10 score cp 6 pv b0c2; echo bestmove b0c2"
    );
    let engine = FakeEngine { go: &flood, ..GOOD };
    let command = engine.command(&folder, "flood");
    let began = Instant::now();
    let args = ["analyse", "--engine", &command, "--nodes", "5"];
    let output = with_input(&args, "");
    ended(&output, 0, &[]);
    let shown = text(&output.stdout);
    assert!(shown.contains("depth 10, "), "the last line");
    assert!(shown.lines().count() < 5000, "{} lines", shown.lines().count());
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    all_gone(&folder);
}

#[test]
fn books_stand_in_front_of_any_engine() {
    let folder = Folder::new();
    let command = GOOD.command(&folder, "good");
    let book = small_book(folder.path()).display().to_string();
    let play = |more: &[&str]| {
        let args =
            ["play", "--engine", &command, "--side", "black", "--nodes", "5", "--book", &book];
        text(&with_input(&[&args[..], more].concat(), "quit\n").stdout)
    };
    assert!(play(&[]).contains("engine: h2e2  (book)"), "{}", play(&[]));
    assert!(play(&["--no-front"]).contains("engine: b0c2"));
    let analyse = |more: &[&str]| {
        let args = ["analyse", "--engine", &command, "--nodes", "5", "--book", &book];
        json_with_code(&[&args[..], more].concat(), 0)
    };
    assert_eq!(analyse(&[])["known"]["move"], "h2e2");
    assert_eq!(analyse(&[])["best"], "b0c2");
    assert_eq!(analyse(&["--no-front"])["known"], Value::Null);
    let own = ["analyse", "--depth", "1", "--book", &book, "--no-front"];
    assert_eq!(json_with_code(&own, 0)["known"], Value::Null);
    all_gone(&folder);
}

#[test]
fn two_names_may_mean_one_engine() {
    let folder = Folder::new();
    let command = format!("sh {}", GOOD.write(&folder, "good"));
    add_engines(
        &folder,
        &[("a", &command, ""), ("A", &command, "threads = 2"), ("sh", &command, "")],
    );
    for name in ["a", "A", "sh"] {
        let args = ["analyse", "--engine", name, "--nodes", "5", "--json"];
        assert_eq!(answer(&with_settings(&folder, &args))["engine"], "Fake");
    }
    let listed = answer(&with_settings(&folder, &["engine", "list", "--json"]));
    assert_eq!(listed["engines"].as_array().unwrap().len(), 3);
    ended(&with_settings(&folder, &["proxy"]), 2, &["--engine"]);
    drop(with_engines(&[]));
}

#[test]
fn this_program_is_an_engine_of_every_protocol() {
    for (protocol, args) in [
        ("uci", &["uci"][..]),
        ("ucci", &["ucci"]),
        ("cyclone", &["uci"]),
        ("gomocup", &["gomocup"]),
    ] {
        let command = format!("'{PROGRAM}' {} --hash 1", args[0]);
        let command = if protocol == "gomocup" { format!("'{PROGRAM}' gomocup") } else { command };
        let folder = with_engines(&[]);
        let add = ["engine", "add", "own2", &command, "--protocol", protocol, "--json"];
        let added = answer(&with_settings(&folder, &add));
        assert_eq!(added["trial"]["protocol"], protocol);
        assert!(added["trial"]["best"].is_string(), "{added}");
        let game = if protocol == "gomocup" { "gomoku" } else { "xiangqi" };
        assert_eq!(added["added"]["game"], game);
        let args = ["analyse", "--engine", "own2", "--movetime", "300", "--json", "--game", game];
        assert!(answer(&with_settings(&folder, &args))["best"].is_string());
    }
}

#[test]
fn an_engine_of_gomoku_that_speaks_uci_is_known_as_such() {
    let command = format!("'{PROGRAM}' uci --game gomoku --hash 1");
    let folder = with_engines(&[]);
    let add = ["engine", "add", "five", &command, "--game", "gomoku"];
    ended(&with_settings(&folder, &add), 0, &[]);
    let listed = answer(&with_settings(&folder, &["engine", "list", "--json"]));
    assert_eq!(listed["engines"][0]["game"], "gomoku");
    let shown = with_settings(&folder, &["engine", "list"]);
    assert!(text(&shown.stdout).contains("(uci, gomoku)"), "{}", text(&shown.stdout));
    let untried = ["engine", "add", "other", &command, "--no-test"];
    ended(&with_settings(&folder, &untried), 0, &[]);
    let listed = answer(&with_settings(&folder, &["engine", "list", "--json"]));
    assert_eq!(listed["engines"][1]["game"], Value::Null);
}

/// A game in which Red's fourth move loses a chariot.
const BLUNDER: &str = "1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 b9c7 4. h0h7 h9h7 0-1\n";

#[test]
fn an_engine_of_the_settings_reviews() {
    let own = format!("'{PROGRAM}' --config none uci");
    let folder = with_engines(&[("另一", &own, "at-once = 2")]);
    let games = folder.write("game.pgn", BLUNDER);
    let review = ["review", &games, "--nodes", "500", "--json"];
    let found = answer(&with_settings(&folder, &[&review[..], &["--engine", "另一"]].concat()));
    let own = answer(&with_settings(&folder, &review));
    let marks = |game: &Value| {
        game["moves"].as_array().unwrap().iter().map(|mv| mv["mark"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(found["moves"].as_array().unwrap().len(), 8);
    assert_eq!(marks(&found)[6], "blunder");
    assert_eq!(marks(&own)[6], "blunder");
    assert!(found["moves"][6]["nodes"].as_u64().is_some_and(|nodes| nodes > 0));
}

#[test]
fn reviews_end_with_engines_that_misbehave() {
    let folder = with_engines(&[]);
    let games = folder.write("game.pgn", BLUNDER);
    for (name, go, words) in [
        ("liar", "echo info depth 1 score cp 5; echo bestmove a0a9", "a0a9"),
        ("mute", "echo bestmove h2e2", "no score"),
        ("crash", "echo boom >&2; exit 3", "boom"),
    ] {
        let command = FakeEngine { go, ..GOOD }.command(&folder, name);
        let args = ["review", &games, "--nodes", "100", "--engine", &command, "--threads", "1"];
        let output = with_settings(&folder, &args);
        ended(&output, 69, &[words]);
    }
    all_gone(&folder);
}

#[test]
fn engines_of_the_other_game_are_refused() {
    let engines = [
        ("five", "no-such-program", "game = \"gomoku\""),
        ("horse", "no-such-program", "protocol = \"ucci\""),
    ];
    let folder = with_engines(&engines);
    let games = folder.write("games.pgn", "1. h2e2 h9g7 *\n");
    let book = small_book(folder.path());
    let book = book.to_str().unwrap();
    let wrong =
        "five is an engine for gomoku, not for xiangqi; name another one, or add --game gomoku";
    for command in [
        &["analyse", "--engine", "five"][..],
        &["play", "--engine", "five"],
        &["proxy", "--engine", "five"],
        &["review", "--engine", "five", &games],
        &["book", "score", "--engine", "five", book],
        &["match", "--engine", "self", "--engine", "five", "--games", "2"],
    ] {
        ended(&with_settings(&folder, command), 2, &[wrong]);
    }
    let wrong =
        "horse is an engine for xiangqi, not for gomoku; name another one, or add --game xiangqi";
    ended(
        &with_settings(&folder, &["analyse", "--game", "gomoku", "--engine", "horse"]),
        2,
        &[wrong],
    );
}
