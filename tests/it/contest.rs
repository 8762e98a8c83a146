//! Matches: engines that play, engines that misbehave, and going on after an interruption.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use juzhong::bytes::StopFlag;
use juzhong::contest::{
    EngineFault, Match, MatchGame, MatchOpenings, MatchTotals, Participant, Referee, Sprt,
    TimeControl, built_in_openings, read_positions,
};
use juzhong::game::{Outcome, Side};
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{EngineCommand, Timeouts};
use juzhong::xiangqi::Position;
use serde_json::Value;

use crate::support::fairy_stockfish;
use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, command, exits, fails, json, ok, signal, text};

const TIMEOUTS: Timeouts = Timeouts {
    start: Duration::from_secs(20),
    search: Duration::from_millis(1500),
    stop: Duration::from_millis(2500),
};

fn own() -> Participant {
    let options = vec![("Hash".to_owned(), "1".to_owned())];
    Participant { command: None, protocol: None, options, name: None, restart: false }
}

fn nodes(nodes: u64) -> TimeControl {
    TimeControl { nodes: Some(nodes), margin: Duration::from_millis(100), ..TimeControl::default() }
}

fn own_match() -> Match {
    Match {
        participants: [own(), own()],
        time_control: nodes(200),
        referee: Referee { max_plies: 40, ..Referee::default() },
        openings: MatchOpenings::new(built_in_openings(&Position::start()), 8, 1, 2),
        games: 6,
        concurrency: 1,
        sprt: None,
        timeouts: TIMEOUTS,
    }
}

fn play(contest: &Match) -> (MatchTotals, Vec<MatchGame>) {
    let (mut totals, mut games) = (MatchTotals::default(), Vec::new());
    let stop = StopFlag::default();
    let played = contest.play(&mut totals, &stop, &mut |game, _| {
        games.push(game.clone());
        Ok(())
    });
    played.unwrap();
    (totals, games)
}

fn moves(games: &[MatchGame]) -> Vec<String> {
    let text = |game: &MatchGame| {
        format!("{:?} {:?} {:?}", game.record.tree.moves, game.record.tree.comments, game.outcome)
    };
    games.iter().map(text).collect()
}

#[test]
fn games_do_not_depend_on_how_many_are_played_at_a_time() {
    let (totals, one) = play(&own_match());
    let (same, three) = play(&Match { concurrency: 3, ..own_match() });
    assert_eq!(one.len(), 6);
    assert_eq!(moves(&one), moves(&three));
    assert_eq!(totals.results, same.results);
    assert!(!totals.has_faults());
    // Both copies play alike: what one wins with an opening, so does the other.
    assert_eq!(totals.results.pairs, [0, 0, 3, 0, 0]);
    assert_eq!(one[0].record.tree.moves, one[1].record.tree.moves);
    assert!(one[0].record.tag("Red").unwrap().ends_with(" a"));
    assert!(one[1].record.tag("Red").unwrap().ends_with(" b"));
}

/// Red mates with `i1i9`.
const MATE: &str = "3k5/7R1/9/9/9/9/9/9/8R/4K4 w - - 0 1";

/// A fake against the own engine, from [`MATE`]: two games.
fn against(on_go: &str, time_control: TimeControl) -> Match {
    let script = format!(
        "while read -r line; do case \"$line\" in \
         uci) echo id name Fake; echo uciok;; isready) echo readyok;; quit) exit;; \
         go*) {on_go};; esac; done"
    );
    let command = EngineCommand { program: "sh".to_owned(), args: vec!["-c".to_owned(), script] };
    let fake = Participant { command: Some(command), options: Vec::new(), ..own() };
    let positions = read_positions(MATE, &Position::start()).unwrap().unwrap();
    Match {
        participants: [fake, own()],
        time_control,
        openings: MatchOpenings::new(positions, 0, 1, 0),
        games: 2,
        ..own_match()
    }
}

const FAST: TimeControl = TimeControl {
    depth: None,
    nodes: None,
    move_time: Some(Duration::from_millis(300)),
    clock: None,
    margin: Duration::from_millis(1200),
};

#[track_caller]
fn loses_by(fault: EngineFault, on_go: &str, time_control: TimeControl) {
    let began = Instant::now();
    let (totals, games) = play(&against(on_go, time_control));
    assert_eq!(games[0].fault, Some((0, fault)), "{:?}", games[0].record.tags);
    assert_eq!(games[0].outcome, Outcome::Win(Side::Second));
    // Its opponent mates in the other game.
    assert_eq!((games[1].fault, games[1].outcome), (None, Outcome::Win(Side::First)));
    assert_eq!(totals.results.total().losses, 2);
    assert_eq!(totals.faults[0][fault as usize], 1);
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn crashes_lose_and_the_match_goes_on() {
    loses_by(EngineFault::Crash, "exit 3", nodes(200));
    loses_by(EngineFault::Crash, "kill -9 $$", FAST);
    loses_by(EngineFault::Crash, "echo info depth 1 score cp 5; echo boom >&2; exec true", FAST);
}

#[test]
fn illegal_moves_lose() {
    for mv in ["a0a5", "i1i10", "nonsense", "(none)", ""] {
        loses_by(EngineFault::Illegal, &format!("echo bestmove '{mv}'"), nodes(200));
    }
}

#[test]
fn silence_and_noise_without_end_lose() {
    // Each waits for the referee's patience to end, so that they wait together.
    std::thread::scope(|scope| {
        for (on_go, limits) in [
            (":", nodes(200)),
            ("sleep 60", FAST),
            ("while :; do echo garbage; done", FAST),
            ("cat /dev/zero", FAST),
        ] {
            scope.spawn(move || loses_by(EngineFault::Hang, on_go, limits));
        }
    });
}

#[test]
fn slowness_loses_on_time() {
    loses_by(EngineFault::Time, "sleep 3; echo bestmove i1i9", FAST);
    let clock = Some("0.3+0".parse().unwrap());
    loses_by(
        EngineFault::Time,
        "sleep 3; echo bestmove i1i9",
        TimeControl { move_time: None, clock, ..FAST },
    );
}

#[test]
fn odd_manners_do_no_harm() {
    for on_go in [
        "echo; echo garbage; printf 'info depth x score\\r\\n'; echo bestmove i1i9",
        "head -c 300000 /dev/zero | tr '\\0' x; echo; echo bestmove i1i9",
        "head -c 300000 /dev/zero >&2; echo bestmove i1i9 ponder d9d8",
        "printf 'bestmove i1i9'; exit",
    ] {
        let (totals, games) = play(&against(on_go, nodes(200)));
        assert!(!totals.has_faults(), "{on_go}: {:?}", games[0].record.tags);
        assert_eq!(totals.results.pairs, [0, 0, 1, 0, 0], "{on_go}");
        assert_eq!(games[0].record.tag("Termination"), Some("checkmate"));
    }
}

#[test]
fn engines_of_ucci_play_resign_and_agree() {
    let ucci = |answer: &str| {
        let mut contest = against(&format!("echo bestmove i1i9 {answer}"), nodes(200));
        let command = contest.participants[0].command.as_mut().unwrap();
        command.args[1] = command.args[1]
            .replace("uci) echo id name Fake; echo uciok;;", "uci) exit;; ucci) echo ucciok;;");
        play(&contest)
    };
    let (totals, games) = ucci("");
    assert_eq!((totals.results.pairs, totals.has_faults()), ([0, 0, 1, 0, 0], false));
    assert_eq!(games[0].record.tag("Termination"), Some("checkmate"));
    let (totals, games) = ucci("resign");
    assert_eq!((totals.results.pairs, totals.has_faults()), ([1, 0, 0, 0, 0], false));
    assert_eq!(games[0].record.tag("Termination"), Some("Red resigns"));
    let (totals, _) = ucci("draw"); // the other one cannot accept
    assert_eq!(totals.results.pairs, [0, 0, 1, 0, 0]);
}

/// UCCI asks no more of an engine in a league. It is started for every game, since it has no `newgame`.
#[test]
fn an_engine_of_ucci_need_not_know_isready() {
    let folder = Folder::new();
    let noting = format!("echo \"$line\" >>'{}'; case", folder.at("heard"));
    let mut contest = against("echo bestmove i1i9", nodes(200));
    let command = contest.participants[0].command.as_mut().unwrap();
    command.args[1] = command.args[1]
        .replace(
            "uci) echo id name Fake; echo uciok;; isready) echo readyok;;",
            "ucci) echo ucciok;;",
        )
        .replace("case", &noting);
    contest.participants[0].protocol = Some(Dialect::Ucci);
    let timeouts = Timeouts { start: Duration::from_secs(4), ..TIMEOUTS };
    let began = Instant::now();
    let (totals, games) = play(&Match { games: 4, timeouts, ..contest });
    assert!(!totals.has_faults(), "{:?}", games[0].record.tags);
    assert_eq!(totals.results.pairs, [0, 0, 2, 0, 0]);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let heard = fs::read_to_string(folder.at("heard")).unwrap();
    let count = |word: &str| heard.lines().filter(|line| *line == word).count();
    assert_eq!((count("ucci"), count("isready")), (4, 1), "{heard}");
}

#[test]
fn a_test_ends_the_match() {
    let sprt = Some(Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 });
    let lost = || Match { sprt, games: 400, ..against("exit 3", nodes(100)) };
    let (totals, games) = play(&lost());
    assert!(games.len() < 100 && totals.results.is_even(), "{}", games.len());
    let (same, _) = play(&Match { concurrency: 4, ..lost() });
    assert_eq!((totals.results, totals.faults), (same.results, same.faults));
}

#[test]
fn engines_that_cannot_be_had_end_the_match() {
    for (engine, part) in [("/nonexistent/engine", "/nonexistent/engine"), ("true", "ended")] {
        fails(&["match", "--engine-a", engine, "--games", "2"], 69, &[part]);
    }
    fails(&["match", "--option-b", "Nonsense=1"], 69, &["no option Nonsense"]);
    fails(&["match", "--option-a", "Hash=99999999"], 69, &["not a number from 1 to 32768"]);
    fails(
        &["match", "--option", "Rules=nonsense"],
        69,
        &["option Rules", "one of asian, none, check"],
    );
}

#[test]
fn bad_arguments_say_what_is_wrong() {
    for (args, code, part) in [
        (&["--engine-a", "x 'y"][..], 2, "quote"),
        (&["--option", "x"], 2, "NAME=VALUE"),
        (&["--protocol-a", "morse"], 2, "ucci"),
        (&["--clock", "ten"], 2, "10+0.1"),
        (&["--clock", "0"], 2, "10+0.1"),
        (&["--clock", "1", "--movetime", "5"], 2, "cannot be used with"),
        (&["--sprt", "8"], 2, "0,8"),
        (&["--sprt", "8,0"], 2, "smaller"),
        (&["--sprt", "-8,0", "--alpha", "0.5"], 2, "--alpha"),
        (&["--draw", "1,2"], 2, "40,8,10"),
        (&["--resign", "1"], 2, "3,800"),
        (&["--openings", "/nonexistent"], 66, "/nonexistent"),
        (&["--tables", "/nonexistent"], 66, "/nonexistent"),
        (&["--output", "/dev/full"], 73, "/dev/full"),
        (&["--output", "/nonexistent/a.pgn"], 73, "/nonexistent/a.pgn"),
        (&["--rules", "nonsense"], 2, "nonsense"),
        (&["--game", "gomoku", "--tables", "/nonexistent"], 66, "/nonexistent"),
    ] {
        fails(&[&["match"], args].concat(), code, &[part]);
    }
}

const SMALL: [&str; 9] =
    ["match", "--nodes", "200", "--option", "Hash=1", "--max-plies", "30", "--concurrency", "2"];

/// The answer of a small match.
fn small_match(args: &[&str]) -> Value {
    json(&[&SMALL, args].concat())
}

/// A PGN without what engines needed for their moves.
fn timeless(file: &str) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|line| !line.contains("Effort ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_match_goes_on_from_its_games() {
    let folder = Folder::new();
    let (whole, parts) = (folder.at("whole.pgn"), folder.at("parts.pgn"));
    let program = format!("'{PROGRAM}' uci");
    let engine = ["--engine-b", &program];
    let answer = small_match(&[&engine[..], &["--games", "6", "-o", &whole]].concat());
    assert_eq!((&answer["schema"], &answer["games"]), (&"juzhong.match/1".into(), &6.into()));
    assert_eq!(answer["engines"][1]["command"], program);
    assert!(answer["engines"][1]["nodes_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["pairs"].as_array().unwrap().len(), 5);
    small_match(&[&engine[..], &["--games", "1", "-o", &parts]].concat());
    let text = fs::read_to_string(&parts).unwrap();
    fs::write(&parts, &text[..text.len() - 30]).unwrap();
    let answer = small_match(&[&engine[..], &["--games", "6", "-o", &parts]].concat());
    assert_eq!((&answer["resumed"], &answer["games"]), (&1.into(), &6.into()));
    assert_eq!(timeless(&whole), timeless(&parts));
    // Nothing is left to do.
    let again = small_match(&[&engine[..], &["--games", "6", "-o", &parts]].concat());
    assert_eq!((&again["resumed"], &again["total"]), (&6.into(), &answer["total"]));
    let changed = [&SMALL, &engine[..], &["--seed", "2", "-o", &parts]].concat();
    fails(&changed, 2, &["other settings", "seed 1", "seed 2"]);
    fs::write(&parts, "my notes\n").unwrap();
    fails(&[&SMALL[..], &["-o", &parts]].concat(), 65, &["choose another file"]);
}

#[test]
fn an_interrupted_match_goes_on() {
    let folder = Folder::new();
    let file = folder.at("games.pgn");
    let args = |games| [&SMALL[..], &["--games", games, "-o", &file]].concat();
    let mut child = command(&args("100000")).stdout(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let games = || fs::read_to_string(&file).unwrap_or_default().matches("[Round ").count();
    while games() < 3 && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(signal(&child, "INT"));
    assert_eq!(child.wait().unwrap().code(), Some(75));
    let played = games();
    assert!(played >= 3);
    let more = (played + played % 2 + 2).to_string();
    ok(&args(&more));
    assert_eq!(games().to_string(), more);
}

#[test]
fn a_fault_is_told_and_fails_the_match() {
    let fake = "sh -c 'while read -r x; do case $x in uci) echo option name Hash type spin; echo uciok;; \
                isready) echo readyok;; go*) exit 7;; esac; done'";
    let args = [&SMALL[..], &["--games", "2", "--engine-b", fake, "--name-b", "Fake"]].concat();
    let output = exits(&args, 1);
    let errors = text(&output.stderr);
    assert!(
        errors.contains("game 1: engine b: crash: ") && errors.contains("exit status: 7"),
        "{errors}"
    );
    let text = text(&output.stdout);
    assert!(text.contains("2 won, 0 drawn, 0 lost") && text.contains(", 2 crash"), "{text}");
}

#[test]
fn positions_and_games_are_openings() {
    let folder = Folder::new();
    let (fens, pgn) = (folder.at("a.epd"), folder.at("b.pgn"));
    fs::write(&fens, format!("{MATE}\n")).unwrap();
    fs::write(&pgn, "[Opening \"中炮\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 *\n").unwrap();
    let out = folder.at("out.pgn");
    let more = ["--openings", &fens, &pgn, "--plies", "2", "--games", "4", "-o", &out];
    assert_eq!(small_match(&more)["openings"], 2);
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text.matches("[FEN \"3k5/").count(), 2, "{text}");
    assert_eq!(text.matches("[Opening \"中炮\"]").count(), 2);
    fs::write(&fens, format!("{MATE}\n\n{}", MATE.replace("3k5", "4k4"))).unwrap();
    fails(&[&SMALL[..], &more].concat(), 65, &["a.epd: line 3", "illegal"]);
}

#[test]
fn gomoku_has_matches_too() {
    let folder = Folder::new();
    let (openings, out) = (folder.at("a.txt"), folder.at("out.jsonl"));
    fs::write(&openings, "h8i9g7\n0,0, 0,1, 2,2\n").unwrap();
    let program = format!("'{PROGRAM}' uci --game gomoku --hash 1");
    let small = ["match", "--game", "gomoku", "--nodes", "200", "--option", "Hash=1"];
    let more = ["--engine-b", &program, "--openings", &openings, "-o", &out];
    let args = |games| [&small[..], &more, &["--games", games]].concat();
    let answer = json(&args("2"));
    assert_eq!((&answer["games"], &answer["openings"]), (&2.into(), &2.into()));
    assert!(answer["as_white"].is_object() && answer["as_red"].is_null());
    let answer = json(&args("4"));
    assert_eq!(
        (&answer["resumed"], &answer["pairs"]),
        (&2.into(), &serde_json::json!([0, 0, 2, 0, 0]))
    );
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text.matches("\"White\":\"").count(), 4, "{text}");
    assert_eq!(text.matches("\"Termination\":\"a row\"").count(), 4, "{text}");
    let own = folder.at("own.jsonl");
    let board = ["--size", "9", "--variant", "renju", "--games", "2", "-o", &own];
    assert_eq!(json(&[&small[..], &board].concat())["openings"], 26);
    assert!(fs::read_to_string(&own).unwrap().contains("9/9/9/9/9/9/9/9/9 x 5 renju"));
    fails(&["match", "--size", "9"], 2, &["--size"]);
    fs::write(&openings, "h8i9\nh8h8\n").unwrap();
    fails(&[&small[..], &more].concat(), 65, &["a.txt: line 2: move 2: h8 is taken"]);
}

#[test]
fn tables_decide_games() {
    let folder = Folder::new();
    let (tables, fens, out) = (folder.at("tables"), folder.at("a.fen"), folder.at("out.pgn"));
    ok(&["tablebase", "generate", "KRvK", "--dir", &tables]);
    fs::write(&fens, "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1\n").unwrap();
    let answer =
        small_match(&["--openings", &fens, "--games", "2", "--tables", &tables, "-o", &out]);
    assert_eq!(answer["pairs"], serde_json::json!([0, 0, 1, 0, 0]));
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text.matches("[Termination \"by the tables: win, mate in ").count(), 2, "{text}");
}

/// Fast games between two copies: nothing may go wrong. A busy machine gets some timeouts.
fn load(games: &str, clock: &str, margin: &str) {
    let program = format!("'{PROGRAM}' uci --hash 16");
    let args = ["match", "--engine-a", &program, "--engine-b", &program, "--games", games];
    let answer = json(&[&args[..], &["--clock", clock, "--margin", margin]].concat());
    assert_eq!(answer["games"].to_string(), games);
}

#[test]
fn fast_games_without_a_fault() {
    load("4", "0.1+0.005", "2000");
}

#[test]
#[ignore = "an hour; cargo test --release --test it contest::a_thousand_fast_games_without_a_fault -- --ignored"]
fn a_thousand_fast_games_without_a_fault() {
    load("1000", "1+0.01", "100");
}

/// An engine of its own, behind the proxy or not.
fn outside(engine: &str, dialect: Option<Dialect>, proxied: bool) -> Participant {
    let command = if proxied {
        let args = ["proxy", "--hash", "1", "--engine", engine].map(str::to_owned).to_vec();
        Some(EngineCommand { program: PROGRAM.to_owned(), args })
    } else {
        EngineCommand::parse(engine)
    };
    Participant { command, protocol: dialect, ..own() }
}

/// Whole games: that positions, moves and times are understood.
/// `dialect` is `None` where it is to be found out.
fn plays_whole_games(engine: &str, dialect: Option<Dialect>) {
    for proxied in [false, true] {
        let contest = Match {
            participants: [outside(engine, dialect, proxied), own()],
            time_control: nodes(1_000),
            referee: Referee::default(),
            games: 2,
            ..own_match()
        };
        let (totals, games) = play(&contest);
        let ends: Vec<_> = games.iter().map(|game| game.record.tag("Termination")).collect();
        assert!(!totals.has_faults(), "{dialect:?} {proxied}: {ends:?}");
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game.effort[0].moves > 5), "{dialect:?} {ends:?}");
    }
}

#[test]
fn whole_games_in_every_dialect() {
    let program = format!("'{PROGRAM}' uci --hash 1");
    for dialect in [Dialect::Uci, Dialect::Ucci, Dialect::Cyclone] {
        plays_whole_games(&program, Some(dialect));
    }
}

#[test]
fn whole_games_against_fairy_stockfish() {
    let Some(program) = fairy_stockfish::program() else { return };
    for dialect in [None, Some(Dialect::Uci), Some(Dialect::Ucci)] {
        plays_whole_games(&format!("'{program}'"), dialect);
    }
}

#[test]
fn what_engines_say_of_their_files_is_told_once() {
    let more = ["--games", "4", "--option-a", "BookFile=/nonexistent.book"];
    let errors = text(&ok(&[&SMALL[..], &more].concat()).stderr);
    assert!(errors.contains("juzhong: engine a: "), "{errors}");
    assert_eq!(errors.matches("/nonexistent.book").count(), 1, "{errors}");
}

/// A name of two lines is the same name again; another script is another engine.
#[test]
fn a_match_knows_its_settings_again() {
    let folder = Folder::new();
    let (script, file) = (folder.at("engine.sh"), folder.at("games.pgn"));
    let exec = format!("exec '{PROGRAM}' uci --hash 1\n");
    fs::write(&script, &exec).unwrap();
    let engine = format!("sh '{script}'");
    let more = ["--engine-b", &engine, "--name-b", "two\nlines ", "--games", "2", "-o", &file];
    assert_eq!(small_match(&more)["resumed"], 0);
    assert_eq!(small_match(&more)["resumed"], 2);
    fs::write(&script, format!("# changed\n{exec}")).unwrap();
    fails(&[&SMALL[..], &more].concat(), 2, &["other settings"]);
}

#[test]
fn each_reason_is_given_once() {
    let folder = Folder::new();
    let games = folder.at("bad.pgn");
    fs::write(&games, "[Event \"x\"]\n\n1. h2e2 a0a9 *\n").unwrap();
    let errors = text(&exits(&[&SMALL[..], &["--openings", &games]].concat(), 65).stderr);
    assert_eq!(errors.matches("ply 2").count(), 1, "{errors}");
    fs::write(&games, "").unwrap();
    fails(&[&SMALL[..], &["--openings", &games]].concat(), 65, &["bad.pgn", "no games"]);
}

/// Openings that end the game are named and not played; where nothing else is left, the match says so.
#[test]
fn openings_that_end_the_game_are_named() {
    let folder = Folder::new();
    let shuffle = "a0a1 a9a8 a1a0 a8a9 ".repeat(3);
    let ended = format!(
        "[Result \"*\"]\n{shuffle} *\n\n[Result \"1-0\"]\n[FEN \"{MATE}\"]\n1. i1i9 1-0\n\n"
    );
    let limit = "3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 120 90\n";
    let (games, list) = (folder.write("ended.pgn", &ended), folder.write("list.fen", limit));
    let good = folder.write("good.pgn", "[Result \"*\"]\n1. h2e2 h9g7 *\n");
    let base = ["match", "--nodes", "50", "--games", "2", "--plies", "0", "--openings"];
    let output =
        command(&[&base[..], &[&games, &list, &good, "--json"]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["openings"], &report["openings_left_out"]), (&1.into(), &3.into()));
    let told = text(&output.stderr);
    assert_eq!(told.matches("is left out, for it ends the game: ").count(), 3, "{told}");
    for how in ["checkmate", "opening 1 ", "opening 2 "] {
        assert!(told.contains(how), "{how}: {told}");
    }
    fails(&[&base[..], &[&games, &list]].concat(), 65, &["no openings"]);
}
