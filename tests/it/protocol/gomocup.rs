//! The Gomocup protocol: dialogues with this program's session, and engines that speak it in matches.

use std::fs;
use std::io::{BufRead, BufReader, Write, pipe};
use std::process::Stdio;
use std::time::{Duration, Instant};

use juzhong::engine::{Engine, EngineOptions};
use juzhong::gomoku::Board;
use juzhong::protocol::serve_gomocup;
use serde_json::json;

use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, command, fails, json, with_input};

/// Returns true if a line is what is expected: `?` stands for a number, `*` for the rest of the line.
fn is_like(line: &str, expected: &str) -> bool {
    let (mut line, mut expected) = (line, expected);
    loop {
        let Some(sign) = expected.chars().next() else { return line.is_empty() };
        match sign {
            '*' => return true,
            '?' => {
                let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
                if rest.len() == line.len() {
                    return false;
                }
                line = rest;
            }
            sign => match line.strip_prefix(sign) {
                Some(rest) => line = rest,
                None => return false,
            },
        }
        expected = &expected[sign.len_utf8()..];
    }
}

/// A dialogue: what is said after `>`, what is answered after `<`. Reports of searches are passed over.
#[track_caller]
fn dialogue(text: &str) {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Board>::new(options.clone()).unwrap();
    let ((input, mut say), (hear, mut output)) = (pipe().unwrap(), pipe().unwrap());
    let session = std::thread::spawn(move || serve_gomocup(input, &mut output, engine, options));
    let mut answers = BufReader::new(hear)
        .lines()
        .map(Result::unwrap)
        .filter(|l| !l.starts_with("MESSAGE depth"));
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.split_at(1) {
            (">", said) => say.write_all(format!("{}\r\n", said.trim_start()).as_bytes()).unwrap(),
            (_, expected) => {
                let answer = answers.next().unwrap_or_default();
                assert!(is_like(&answer, expected.trim_start()), "{answer:?} is not {line:?}");
            }
        }
    }
    drop(say);
    assert_eq!(answers.next(), None);
    session.join().unwrap().unwrap();
}

#[test]
fn a_game_is_played() {
    dialogue(
        "> ABOUT
         < name=\"juzhong\", version=\"*
         > TURN 7,7
         < ERROR no board; send START n first
         > INFO timeout_turn 100
         > INFO max_node 200
         > INFO game_type 2
         > INFO folder /tmp/no such
         > INFO something new
         > start 15
         < OK
         > BEGIN
         < 7,7
         > TURN 0,0
         < ?,?
         > BEGIN
         < ERROR BEGIN: there are stones on the board
         > TURN 7,7
         < ERROR TURN: 7,7 is occupied
         > TURN 15,0
         < ERROR TURN: 15,0 is off the board
         > TURN 99999999999999999999,0
         < ERROR TURN wants: TURN x,y and not \"99999999999999999999,0\"
         > TURN
         < ERROR TURN wants: TURN x,y and not \"\"
         > HELLO world
         < UNKNOWN HELLO
         > TAKEBACK 7,7
         < ERROR TAKEBACK: 7,7 is not the last move
         > RESTART
         < OK
         > PLAY 3,4
         < 3,4
         > TAKEBACK 3,4
         < OK
         > RECTSTART 20,10
         < OK
         > TURN 19,9
         < ?,?
         > START 21
         < ERROR a board has 5 to 20 columns and rows
         > START x
         < ERROR START wants*",
    );
}

#[test]
fn boards_count_whole_or_not_at_all() {
    dialogue(
        "> START 15
         < OK
         > INFO timeout_turn 50
         > BOARD
         > 7,6,2
         > 7,7,1
         > 0,0,1
         > 14,14,2
         > DONE
         < ?,?
         > BOARD
         > 7,7,1
         > DONE
         < ERROR BOARD: 1 own stones and 0 of the opponent: players move in turn
         > BOARD
         > 7,7,2
         > 7,x
         > DONE
         < ERROR BOARD: \"7,x\" is no point*
         > BOARD
         > 7,7,2
         > WHAT
         < UNKNOWN WHAT
         > START 15
         < ERROR BOARD: no DONE
         < OK
         > DONE
         < ERROR DONE without BOARD
         > 7,7,1
         < ERROR a point without BOARD before it
         > YXBOARD
         > 0,0,1
         > 7,7,2
         > 1,0,1
         > 8,8,2
         > 2,0,1
         > 9,9,2
         > 3,0,1
         > 0,14,2
         > DONE
         > YXNBEST 2
         < 4,0
         > RESTART
         < OK
         > YXBLOCK
         > 7,7
         > DONE
         > INFO max_node 100
         > BEGIN
         < ?,?
         > YXBLOCKRESET
         > YXHASHCLEAR
         < MESSAGE the transposition table is empty
         > YXSTOP
         > YXSHOWINFO
         < MESSAGE INFO MAX_THREAD_NUM *
         < MESSAGE INFO MAX_HASH_SIZE *",
    );
}

#[test]
fn rules_are_those_of_the_manager() {
    dialogue(
        "> INFO rule 3
         < ERROR INFO rule 3 is not played: 0 is freestyle, 1 exactly five, 2 or 4 renju
         > INFO rule 8
         < ERROR INFO rule 8 is not played*
         > INFO rule 4
         > START 15
         < OK
         > INFO timeout_turn 50
         > YXBOARD
         > 7,7,1
         > 0,0,2
         > 8,7,1
         > 0,2,2
         > 6,8,1
         > 0,4,2
         > 6,9,1
         > 0,6,2
         > DONE
         > YXSHOWFORBID
         < FORBID 0607.
         > PLAY 6,7
         < ERROR PLAY: 6,7 is forbidden
         > INFO rule 0
         > YXSHOWFORBID
         < FORBID .
         > PLAY 6,7
         < 6,7",
    );
}

/// What Yixin Board says when it starts, when its user makes moves under the rules of renju, and when its engine has
/// answered. Rows come first in its points.
#[test]
fn yixin_board_plays_renju() {
    dialogue(
        "> info show_detail 1
         > yxshowinfo
         < MESSAGE INFO MAX_THREAD_NUM *
         < MESSAGE INFO MAX_HASH_SIZE *
         > INFO rule 2
         > INFO timeout_turn 30000
         > INFO timeout_match 2000000
         > INFO time_left 2000000
         > INFO max_node 500
         > INFO max_depth 225
         > INFO time_increment 0
         > INFO caution_factor 0
         > INFO thread_num 1
         > INFO thread_split_depth 8
         > INFO hash_size 1024
         > INFO pondering 0
         > INFO vcthread 0
         > info usedatabase 1
         > yxquerydatabaseall
         > done
         < MESSAGE DATABASE REFRESH
         < MESSAGE DATABASE DONE
         > start 15 15
         < OK
         > yxboard
         > 7,7,1
         > 0,0,2
         > 7,8,1
         > 2,0,2
         > 8,6,1
         > 4,0,2
         > 9,6,1
         > 6,0,2
         > done
         > yxshowforbid
         < FORBID 0706.
         > INFO time_left 2000000
         > yxhashclear
         < MESSAGE the transposition table is empty
         > start 15 15
         < OK
         > board
         > 7,7,2
         > done
         < ?,?
         > yxblockreset
         > yxblockpathreset
         > yxquerydatabaseall
         > 7,7
         > 6,6
         > done
         < MESSAGE DATABASE REFRESH
         < MESSAGE DATABASE DONE
         > INFO time_left 1999000
         > turn 14,14
         < ?,?
         > start 15 15
         < OK
         > yxboard
         > done
         > yxshowforbid
         < FORBID .
         > info nbestsym 0
         > yxnbest 2
         < 7,7
         > yxbalanceone 0
         < ?,?
         > yxstop
         > END",
    );
}

/// A point is called by row and column on a board that is wider than high, and blocked points stay blocked.
#[test]
fn yixin_board_names_rows_first() {
    dialogue(
        "> start 20 10
         < OK
         > INFO timeout_turn 30000
         > INFO max_node 2000
         > yxblock
         > 4,10
         > done
         > start 20 10
         < OK
         > board
         > 4,11,1
         > 0,0,2
         > 4,12,1
         > 0,2,2
         > 4,13,1
         > 9,19,2
         > 4,14,1
         > 9,17,2
         > done
         < 4,15
         > turn 10,0
         < ERROR TURN: 10,0 is off the board
         > start 20 21
         < ERROR a board has 5 to 20 columns and rows
         > start 15 15 15
         < ERROR START wants*",
    );
}

/// The steps of swap2 and of Soosõrv's opening, in which the engine is asked before any board is set up.
#[test]
fn yixin_board_plays_openings_in_steps() {
    dialogue(
        "> INFO timeout_turn 60000
         > INFO max_node 500
         > INFO rule 1
         > yxswap2step1
         < MESSAGE SWAP2 MOVE1 ? ?
         < MESSAGE SWAP2 MOVE2 ? ?
         < MESSAGE SWAP2 MOVE3 ? ?
         > yxswap2step3
         < ERROR YXSWAP2STEP3: 5 stones come before it by YXBOARD, not 3
         > start 15 15
         < OK
         > yxboard
         > 7,7,2
         > 0,0,1
         > 8,8,2
         > done
         > yxswap2step2
         < MESSAGE SWAP2 SWAP1 YES
         > start 15 15
         < OK
         > yxboard
         > 0,0,2
         > 7,7,1
         > 0,14,2
         > 8,7,1
         > 14,14,2
         > done
         > yxswap2step3
         < MESSAGE SWAP2 SWAP2 NO",
    );
}

#[test]
fn yixin_board_plays_the_opening_of_renju_in_steps() {
    dialogue(
        "> INFO timeout_turn 60000
         > INFO max_node 500
         > INFO rule 2
         > yxsoosorvstep1
         < MESSAGE SOOSORV MOVE1 7 7
         < MESSAGE SOOSORV MOVE2 ? ?
         < MESSAGE SOOSORV MOVE3 ? ?
         > yxsoosorvstep2
         > 7,7
         > 6,7
         > 0,0
         > done
         < MESSAGE SOOSORV SWAP1 NO
         > yxsoosorvstep3
         > 7,7
         > 6,7
         > 6,8
         > done
         < MESSAGE SOOSORV MOVE4 ? ? ?
         > yxsoosorvstep4 1
         > 7,7
         > 6,7
         > 6,8
         > 0,0
         > done
         < MESSAGE SOOSORV SWAP2 NO
         > yxsoosorvstep5 2
         > 7,7
         > 6,7
         > 6,8
         > 8,6
         > done
         < MESSAGE SOOSORV MOVE5 REFRESH
         < MESSAGE SOOSORV MOVE5 ? ?
         < MESSAGE SOOSORV MOVE5 ? ?
         < MESSAGE SOOSORV MOVE5 DONE
         > yxsoosorvstep6
         > 7,7
         > 6,7
         > 6,8
         > 0,14
         > 5,9
         > 14,14
         > done
         < MESSAGE SOOSORV MOVE5C 14 14
         > yxsoosorvstep5 9
         > 7,7
         > 6,7
         > 6,8
         > 8,6
         > done
         < ERROR YXSOOSORVSTEP5: there are 1 to 8 fifth moves
         > yxsoosorvstep5
         < ERROR YXSOOSORVSTEP5 wants*
         > yxsoosorvstep2
         > 7,7
         > done
         < ERROR YXSOOSORVSTEP2: it has 3 stones, not 1
         > yxsoosorvstep6
         > 7,7
         > 6,7
         > 6,8
         > 8,6
         > done
         < ERROR YXSOOSORVSTEP6: it has 4 stones and the fifth moves, not 4",
    );
}

/// Words of the board's command line that are refused: their lists and file names are no commands, and nothing hangs.
#[test]
fn what_yixin_board_asks_in_vain_does_no_harm() {
    let lists = [
        "yxsetbestmovedatabase",
        "yxclearbestmovedatabase",
        "yxeditlabeldatabase a label",
        "yxedittvddatabase 1 97 0 0",
        "yxquerydatabaseone",
        "yxdeletedatabaseone",
        "yxdeletedatabaseall nonwl",
        "yxblockpath",
        "yxblockpathundo",
    ];
    let refused = |line: &str, more: &str| {
        let word = line.split(' ').next().unwrap_or_default().to_uppercase();
        format!("> {line}\n{more}< ERROR {word}: *\n")
    };
    let list = |line: &str| refused(line, "> 7,7\n> 8,8\n> done\n");
    let file = |line: &str| refused(line, "> TURN 3,3\n");
    let files =
        ["yxhashdump", "yxhashload", "yxsetdatabase", "yxdbtopos", "yxdbtotxt", "yxtxttodb"];
    let words = [
        "yxdraw",
        "yxresign",
        "yxdbcheck",
        "yxdbfix",
        "yxprintfeature",
        "yxshowhashusage",
        "yxforbid add 7 7 1",
        "yxbalancetwo 0",
        "yxsearchdefend",
    ];
    let text = [
        "> start 15 15\n< OK\n> INFO timeout_turn 30000\n> INFO max_node 500\n".to_owned(),
        lists.map(list).concat(),
        files.map(file).concat(),
        words.map(|word| refused(word, "")).concat(),
        "> yxnewword\n< UNKNOWN yxnewword\n> 7,7\n> done\n".to_owned(),
        "> 7,7\n< ERROR a point without BOARD before it\n> turn 7,7\n< ?,?\n".to_owned(),
    ]
    .concat();
    dialogue(&text);
}

/// The board gives a search up by setting up another position. It passes over one move then, which has to come; the
/// clock goes on.
#[test]
fn yixin_board_gives_a_search_up() {
    let mut child = command(&["gomocup"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut say = child.stdin.take().unwrap();
    let mut hear = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut hear = || hear.find(|line| !line.starts_with("MESSAGE")).unwrap();
    let began = Instant::now();
    writeln!(say, "INFO timeout_turn 60000\nINFO hash_size 1024\nstart 15 15").unwrap();
    assert_eq!(hear(), "OK");
    for _ in 0..3 {
        writeln!(say, "board\n7,7,2\n8,8,1\n7,8,2\ndone\nyxquerydatabaseall\n7,7\ndone").unwrap();
        std::thread::sleep(Duration::from_millis(300));
        writeln!(say, "start 15 15\nyxboard\n7,7,1\n8,8,2\ndone\nyxshowforbid\nyxstop").unwrap();
        assert!(is_like(&hear(), "?,?"));
        assert_eq!(hear(), "OK");
        assert_eq!(hear(), "FORBID .");
    }
    // An opening that is given up: the move that is passed over comes, and no answer to the question.
    writeln!(say, "start 15 15\nyxboard\n7,7,2\n8,8,1\n7,8,2\ndone\nyxswap2step2").unwrap();
    assert_eq!(hear(), "OK");
    std::thread::sleep(Duration::from_millis(300));
    writeln!(say, "start 15 15").unwrap();
    assert!(is_like(&hear(), "?,?"));
    assert_eq!(hear(), "OK");
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    writeln!(say, "END").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn sides_of_openings_are_chosen() {
    dialogue(
        "> START 15
         < OK
         > INFO timeout_turn 200
         > SWAP2BOARD
         > DONE
         < ?,? ?,? ?,?
         > SWAP2BOARD
         > 7,7
         > 0,0
         > 8,8
         > DONE
         < SWAP
         > SWAP2BOARD
         > 0,0
         > 7,7
         > 14,14
         > DONE
         < ?,?
         > SWAP2BOARD
         > 0,0
         > 7,7
         > DONE
         < ERROR SWAP2BOARD: an opening has 0, 3 or 5 stones
         > SWAP2BOARD
         > 0,0
         > 0,0
         > 1,1
         > DONE
         < ERROR SWAP2BOARD: 0,0 is occupied",
    );
}

/// `START` is answered at once whatever the memory; a search is stopped by `YXSTOP`, and by a new game, whose board
/// it does not touch.
#[test]
fn nothing_is_late() {
    let mut child = command(&["gomocup"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut say = child.stdin.take().unwrap();
    let mut hear = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut hear = || hear.find(|line| !line.starts_with("MESSAGE")).unwrap();
    writeln!(say, "START 20").unwrap();
    assert_eq!(hear(), "OK");
    writeln!(say, "INFO max_memory 0\nINFO hash_size 131072\nINFO timeout_turn 60000").unwrap();
    let began = Instant::now();
    writeln!(say, "START 20").unwrap();
    assert_eq!(hear(), "OK");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    writeln!(say, "BOARD\n10,10,1\n10,11,2\n5,5,1\n12,13,2\nDONE").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    writeln!(say, "YXSTOP").unwrap();
    assert!(is_like(&hear(), "?,?"));
    writeln!(say, "TURN 0,0").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    writeln!(say, "ABOUT").unwrap();
    assert!(hear().starts_with("name="));
    writeln!(say, "RESTART\nTURN 0,0\nYXSTOP").unwrap();
    assert_eq!(hear(), "OK");
    assert!(is_like(&hear(), "?,?"));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    writeln!(say, "TURN 1,1\nEND").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn hostile_lines_do_no_harm() {
    let long = "9".repeat(1 << 20);
    let stones: String = (0..3000).map(|n| format!("{},{},1\n", n % 20, n / 20)).collect();
    let lines = format!(
        "START 15\r{long}\nTURN {long},1\nINFO {long} 1\nINFO timeout_turn {long}\nINFO max_memory -{long}\n\
         INFO\nINFO rule\nINFO time_left x\nBOARD\n{stones}DONE\nBOARD\n\u{0}\u{1}\nDONE\n\u{7f}\n,,,\n-\n+\n\
         SWAP2BOARD\n{stones}\nDONE\nYXBLOCK\n{stones}DONE\nABOUT\n"
    );
    let mut bytes = lines.into_bytes();
    bytes.extend_from_slice(b"\xff\xfe\xff\nTURN \xff,1\nABOUT\nEND\n");
    let output = with_input(&["gomocup"], bytes);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.starts_with("OK\n"), "{text}");
    assert_eq!(text.matches("name=\"juzhong\"").count(), 2, "{text}");
    assert!(text.lines().all(|line| line.len() < 200), "{text}");
    for part in ["too many points", "of more than", "INFO rule wants a number", "UNKNOWN ,,,"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

/// As managers start it: by a file whose name begins with `pbrain-`, without arguments.
#[test]
#[cfg(unix)]
fn the_name_of_the_program_is_enough() {
    let folder = Folder::new();
    let brain = folder.at("pbrain-juzhong");
    std::os::unix::fs::symlink(PROGRAM, &brain).unwrap();
    let mut child = std::process::Command::new(&brain);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).env("JUZHONG_CONFIG", "none");
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"START 15\nEND\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "OK\n");
    // Under another name the first word decides.
    let output = with_input(&[], "START 15\nEND\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "OK\n");
    let out = folder.at("games.jsonl");
    let own = format!("'{PROGRAM}' gomocup --hash 1");
    let args = ["match", "--game", "gomoku", "--engine-a", &brain, "--engine-b", &own];
    let more = ["--protocol-b", "gomocup", "--nodes", "200", "--games", "4", "-o", &out];
    let answer = json(&[&args[..], &more].concat());
    let no_faults = json!({ "crash": 0, "hang": 0, "illegal": 0, "time": 0 });
    assert_eq!((&answer["games"], &answer["engines"][0]["faults"]), (&json!(4), &no_faults));
    assert_eq!(answer["pairs"], json!([0, 0, 2, 0, 0]));
    assert!(answer["engines"][1]["depth"].as_f64().unwrap() > 0.0);
    let games = fs::read_to_string(&out).unwrap();
    assert!(games.contains("\"Black\":\"juzhong a\""), "{games}");
    let timed = ["--movetime", "50", "--games", "2", "--margin", "2000"];
    let answer = json(&[&args[..], &timed].concat());
    assert_eq!(answer["engines"][0]["faults"], no_faults);
    let clock = ["--clock", "2", "--games", "2", "--margin", "2000"];
    let answer = json(&[&args[..], &clock].concat());
    assert_eq!(answer["engines"][0]["faults"], no_faults);
}

/// A brain in a shell script: what it does on `START`, and when it has to move.
fn fake(on_start: &str, on_move: &str) -> String {
    format!(
        "sh -c 'while read -r line; do case \"$line\" in ABOUT) echo \"name=\\\"Fake\\\"\";; \
         START*) {on_start};; RESTART) echo UNKNOWN;; BEGIN|TURN*|DONE) {on_move};; END) exit;; \
         INFO*|BOARD|?*,*) ;; *) echo UNKNOWN command;; esac; done'"
    )
}

fn played(engine: &str, more: &[&str], code: i32) -> (serde_json::Value, String) {
    let folder = Folder::new();
    let out = folder.at("games.jsonl");
    let args = ["match", "--game", "gomoku", "--engine-a", engine, "--games", "2", "-o", &out];
    let limits = ["--timeout", "2", "--option-b", "Hash=1"];
    let args = [&args[..], &limits, more, &["--json"]].concat();
    let output = command(&args).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    (serde_json::from_slice(&output.stdout).unwrap(), fs::read_to_string(&out).unwrap() + &errors)
}

#[test]
#[cfg(unix)]
fn faults_of_brains_lose_games() {
    let nodes = ["--nodes", "100"];
    // Most wait for the patience of the match to end, so that they wait together.
    std::thread::scope(|scope| {
        for (on_move, fault) in [
            ("exit 3", "crash"),
            ("echo 15,15", "illegal"),
            ("echo 7,7", "illegal"),
            ("echo ERROR no", "hang"),
            (":", "hang"),
        ] {
            scope.spawn(move || {
                let (answer, games) = played(&fake("echo OK", on_move), &nodes, 1);
                let faults = &answer["engines"][0]["faults"][fault];
                assert!(faults.as_u64().unwrap() >= 1, "{on_move}: {answer} {games}");
                assert_eq!(answer["total"]["losses"], 2, "{on_move}: {games}");
                assert!(games.contains("\"Fake\""), "{games}");
            });
        }
        scope.spawn(|| {
            let (_, games) = played(&fake("echo OK", "echo ERROR too hard"), &nodes, 1);
            assert!(games.contains("no move, but: ERROR too hard"), "{games}");
        });
        scope.spawn(|| {
            let slow = fake("echo OK", "sleep 3; echo 0,0");
            let (answer, games) = played(&slow, &["--movetime", "100"], 1);
            assert_eq!(answer["engines"][0]["faults"]["time"], 2, "{games}");
        });
    });
}

/// Errors about other things than the move do not end the wait for it, and an engine that answers no greeting but its
/// own is found.
#[test]
#[cfg(unix)]
fn odd_brains_play_on() {
    let none = json!({"illegal": 0, "time": 0, "crash": 0, "hang": 0});
    let complains = fake("echo OK", "echo ERROR what; echo 7,7");
    let is_silent = complains.replace("*) echo UNKNOWN command", "*) ");
    for engine in [complains, is_silent] {
        let args = ["match", "--game", "gomoku", "--engine-a", &engine, "--games", "1"];
        let limits =
            ["--max-plies", "1", "--timeout", "5", "--option-b", "Hash=1", "--nodes", "100"];
        let output = command(&[&args[..], &limits, &["--json"]].concat()).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["engines"][0]["faults"], none, "{answer}");
    }
}

#[test]
fn what_waits_for_a_search_is_obeyed_in_order_or_not_at_all() {
    let think = "> INFO timeout_turn 20000
         > START 15
         < OK
         > BOARD
         > 7,7,1
         > 8,7,2
         > DONE";
    dialogue(&format!(
        "{think}
         > START 99
         < ERROR a board has*
         > TURN 0,0
         > YXBOARD
         > 0,0,1
         > 5;5,2
         > 1,1,2
         > DONE
         > YXSTOP
         < ?,?
         < ?,?
         < ERROR YXBOARD: \"5;5,2\" is no point*"
    ));
    dialogue(&format!(
        "{think}
         > TURN 0,0
         > INFO timeout_turn 50
         > TURN 1,1
         > START 15
         < OK
         > BEGIN
         < 7,7"
    ));
}

#[test]
#[cfg(unix)]
fn brains_that_cannot_play_end_the_match() {
    let refuses = fake("echo ERROR size", "echo 7,7");
    let (answer, games) = played(&refuses, &["--nodes", "100"], 1);
    assert_eq!(answer["total"]["losses"], 2, "{games}");
    assert!(games.contains("ERROR size"), "{games}");
    let args = ["match", "--game", "gomoku", "--engine-a", "true", "--protocol-a", "gomocup"];
    fails(&args, 69, &["ended"]);
    fails(&["proxy", "--engine", "x", "--protocol", "gomocup"], 2, &["uci, ucci or cyclone"]);
}
