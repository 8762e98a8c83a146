//! Matches: engines that play, engines that misbehave, and going on after an interruption.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use juzhong::bytes::StopFlag;
use juzhong::contest::{
    ContestGame, EngineFault, Match, MatchOpenings, MatchTotals, Participant, Referee, Sprt,
    TimeControl, Tournament, TournamentForm, TournamentTotals, built_in_openings, read_positions,
};
use juzhong::game::{Outcome, Side};
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{EngineCommand, EngineSizes, Timeouts};
use juzhong::xiangqi::Position;
use serde_json::Value;

use crate::support::fairy_stockfish;
use crate::support::folder::Folder;
use crate::support::program::{
    PROGRAM, command, exits, fails, json, json_with_code, ok, signal, stdout, text,
};

const TIMEOUTS: Timeouts = Timeouts {
    start: Duration::from_secs(20),
    search: Duration::from_millis(1500),
    stop: Duration::from_millis(2500),
};

fn own() -> Participant {
    let options = vec![("Hash".to_owned(), "1".to_owned())];
    Participant {
        command: None,
        protocol: None,
        sizes: EngineSizes::default(),
        options,
        name: None,
        restart: false,
    }
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

fn play(contest: &Match) -> (MatchTotals, Vec<ContestGame>) {
    let (mut totals, mut games) = (MatchTotals::default(), Vec::new());
    let stop = StopFlag::default();
    let played = contest.play(&mut totals, &stop, &mut |game, _| {
        games.push(game.clone());
        Ok(())
    });
    played.unwrap();
    (totals, games)
}

fn moves(games: &[ContestGame]) -> Vec<String> {
    let text = |game: &ContestGame| {
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
    assert_eq!(games[0].fault, Some((Side::First, fault)), "{:?}", games[0].record.tags);
    assert_eq!(games[0].outcome, Outcome::Win(Side::Second));
    // Its opponent mates in the other game.
    assert_eq!((games[1].fault, games[1].outcome), (None, Outcome::Win(Side::First)));
    assert_eq!(totals.results.total().losses, 2);
    assert_eq!(totals.faults[0][fault as usize], 1);
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[cfg(unix)] // its engines are shell scripts
#[test]
fn crashes_lose_and_the_match_goes_on() {
    loses_by(EngineFault::Crash, "exit 3", nodes(200));
    loses_by(EngineFault::Crash, "kill -9 $$", FAST);
    loses_by(EngineFault::Crash, "echo info depth 1 score cp 5; echo boom >&2; exec true", FAST);
}

#[cfg(unix)] // its engines are shell scripts
#[test]
fn illegal_moves_lose() {
    for mv in ["a0a5", "i1i10", "nonsense", "(none)", ""] {
        loses_by(EngineFault::Illegal, &format!("echo bestmove '{mv}'"), nodes(200));
    }
}

#[cfg(unix)] // its engines are shell scripts
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

#[cfg(unix)] // its engines are shell scripts
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

#[cfg(unix)] // its engines are shell scripts
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

#[cfg(unix)] // its engines are shell scripts
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
#[cfg(unix)] // its engines are shell scripts
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

#[cfg(unix)] // its engines are shell scripts
#[test]
fn a_test_ends_the_match() {
    let sprt = Some(Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 });
    let lost = || Match { sprt, games: 400, ..against("exit 3", nodes(100)) };
    let (totals, games) = play(&lost());
    assert!(games.len() < 100 && totals.results.is_even(), "{}", games.len());
    let (same, _) = play(&Match { concurrency: 4, ..lost() });
    assert_eq!((totals.results, totals.faults), (same.results, same.faults));
}

#[cfg(unix)] // its engines are shell scripts
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

#[cfg(unix)] // it sends a signal
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

#[cfg(unix)] // its engines are shell scripts
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
#[cfg(unix)] // its engines are shell scripts
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

/// A tournament of copies of the own engine with these numbers of nodes.
fn own_tournament(engines: usize, form: TournamentForm) -> Tournament {
    let Match { time_control, referee, openings, timeouts, .. } = own_match();
    Tournament {
        participants: vec![own(); engines],
        form,
        time_control,
        referee,
        openings,
        games: 2,
        concurrency: 1,
        timeouts,
    }
}

fn play_tournament(tournament: &Tournament) -> (TournamentTotals, Vec<ContestGame>) {
    let (mut totals, mut games) = (tournament.no_totals(), Vec::new());
    let stop = StopFlag::default();
    let played = tournament.play(&mut totals, &stop, &mut |game, _| {
        games.push(game.clone());
        Ok(())
    });
    played.unwrap();
    (totals, games)
}

#[test]
fn a_tournament_of_two_is_a_match() {
    let tournament = Tournament { games: 6, ..own_tournament(2, TournamentForm::Gauntlet) };
    let (totals, games) = play_tournament(&tournament);
    let (of_match, same) = play(&own_match());
    assert_eq!(moves(&games), moves(&same));
    let tags = |games: &[ContestGame]| -> Vec<_> {
        games.iter().map(|game| game.record.tags.clone()).collect()
    };
    assert_eq!(tags(&games), tags(&same));
    let (pairing, of_pairing) = totals.pairings().next().unwrap();
    assert_eq!((pairing, of_pairing.results), ([0, 1], of_match.results));
    let contest = tournament.into_match(None).unwrap();
    assert_eq!((contest.games, moves(&play(&contest).1)), (6, moves(&same)));
}

#[test]
fn every_pairing_plays_every_opening_with_both_colours() {
    for (form, engines, pairings) in
        [(TournamentForm::RoundRobin, 4, 6), (TournamentForm::Gauntlet, 5, 4)]
    {
        let tournament = Tournament { games: 3, ..own_tournament(engines, form) };
        let (totals, games) = play_tournament(&tournament);
        // Three are rounded up to four.
        assert_eq!(
            (games.len(), totals.games(), tournament.all_games()),
            (4 * pairings, 4 * pairings, 4 * pairings)
        );
        let of_round = 2 * pairings;
        let opening = |game: &ContestGame| game.record.tree.moves[..8].to_vec();
        for (number, game) in games.iter().enumerate() {
            assert_eq!(opening(game), opening(&games[number / of_round * of_round]));
            let names = ["Red", "Black"].map(|side| game.record.tag(side).unwrap().to_owned());
            let letter = |engine: usize| format!(" {}", char::from(b'a' + engine as u8));
            let [first, second] = game.engines.map(letter);
            let [red, black] = if number % 2 == 0 { [first, second] } else { [second, first] };
            assert!(names[0].ends_with(&red) && names[1].ends_with(&black), "{names:?}");
            assert_eq!(game.record.tag("Event"), Some("juzhong tournament"));
        }
        assert!(totals.pairings().all(|(_, totals)| totals.games() == 4));
        // Copies of one engine are as strong.
        let ratings = totals.ratings();
        assert!(ratings.players.iter().flatten().all(|rating| rating.elo.abs() < 1e-6));
    }
    let none = own_tournament(1, TournamentForm::RoundRobin);
    let error = none.play(&mut none.no_totals(), &StopFlag::default(), &mut |_, _| Ok(()));
    assert!(error.unwrap_err().to_string().contains("2 to 26 engines, not 1"));
}

/// More engines than a worker keeps: those that it ended play on as if nothing had been.
#[test]
fn many_engines_play_as_few_do() {
    let tournament = own_tournament(11, TournamentForm::Gauntlet);
    let (_, one) = play_tournament(&tournament);
    let (totals, three) = play_tournament(&Tournament { concurrency: 3, ..tournament });
    assert_eq!((one.len(), moves(&one)), (20, moves(&three)));
    assert!(!totals.has_faults());
}

/// Three copies of the own engine.
const THREE: [&str; 16] = [
    "match",
    "--nodes",
    "150",
    "--option",
    "Hash=1",
    "--max-plies",
    "30",
    "--engine",
    "self",
    "--engine",
    "self",
    "--engine",
    "self",
    "--engine-name",
    "c:Third",
    "--json",
];

fn three(args: &[&str], code: i32) -> Value {
    json_with_code(&[&THREE[..15], args].concat(), code)
}

/// An answer of a tournament without what depends on time or on earlier runs.
fn without_times(mut answer: Value) -> Value {
    answer["resumed"] = Value::Null;
    for engine in answer["engines"].as_array_mut().unwrap() {
        engine["ms_per_move"] = Value::Null;
        engine["nodes_per_second"] = Value::Null;
    }
    answer
}

#[test]
fn tournaments_do_not_depend_on_how_many_games_are_played_at_a_time() {
    let folder = Folder::new();
    let (one, more) = (folder.at("one.pgn"), folder.at("more.pgn"));
    let first = three(&["--games", "4", "-o", &one], 0);
    let second = three(&["--games", "4", "-o", &more, "--concurrency", "3"], 0);
    assert_eq!(timeless(&one), timeless(&more));
    assert_eq!(without_times(first.clone()), without_times(second));
    assert_eq!(first["schema"], "juzhong.tournament/1");
    assert_eq!((&first["games"], &first["all_games"]), (&12.into(), &12.into()));
    assert_eq!((&first["form"], &first["status"]), (&"round-robin".into(), &"finished".into()));
    assert_eq!(first["engines"][2]["name"], "Third");
    assert_eq!(first["engines"][0]["engine"], "a");
    for engine in first["engines"].as_array().unwrap() {
        assert_eq!((&engine["games"], &engine["points"]), (&8.into(), &4.0.into()));
        assert_eq!(engine["rating"]["elo"].as_f64().unwrap().round(), 0.0);
        assert_eq!((&engine["rank"], engine["against"].as_object().unwrap().len()), (&1.into(), 2));
    }
    assert_eq!(first["pairings"].as_array().unwrap().len(), 3);
}

#[test]
fn a_tournament_goes_on_from_its_games() {
    let folder = Folder::new();
    let (whole, parts) = (folder.at("whole.pgn"), folder.at("parts.pgn"));
    let answer = three(&["--games", "4", "-o", &whole], 0);
    let text = fs::read_to_string(&whole).unwrap();
    let ends: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    // Killed between games, and within one.
    for end in [ends[1], ends[5] + 40, ends[7], ends[11] + 300] {
        fs::write(&parts, &text.as_bytes()[..end]).unwrap();
        let again = three(&["--games", "4", "-o", &parts, "--concurrency", "2"], 0);
        assert_eq!(timeless(&whole), timeless(&parts));
        assert_eq!(without_times(again), without_times(answer.clone()));
    }
    let again = three(&["--games", "4", "-o", &parts], 0);
    assert_eq!((&again["resumed"], &again["engines"]), (&12.into(), &answer_engines(&parts)));
    // More games go on; other engines, names, options and forms do not.
    assert_eq!(three(&["--games", "6", "-o", &parts], 0)["resumed"], 12);
    for (other, shown) in [
        (&["--tournament", "gauntlet"][..], "tournament gauntlet"),
        (&["--engine", "self"], "d self"),
        (&["--engine-name", "a:First"], "First"),
        (&["--engine-option", "b:Threads=2"], "Threads=2"),
    ] {
        let args = [&THREE[..], other, &["-o", &parts]].concat();
        fails(&args, 2, &["other settings", shown]);
    }
    // Nor does a match go on from a tournament.
    fails(&["match", "--nodes", "150", "-o", &parts], 2, &["other settings"]);
}

/// The engines of the answer about the games of a file.
fn answer_engines(file: &str) -> Value {
    three(&["--games", "4", "-o", file], 0)["engines"].clone()
}

#[test]
fn two_engines_named_one_by_one_play_the_match_of_today() {
    let folder = Folder::new();
    let (old, new) = (folder.at("old.pgn"), folder.at("new.pgn"));
    let program = format!("'{PROGRAM}' uci --hash 1");
    let a_and_b = ["--engine-b", &program, "--option-b", "Threads=1", "--name-a", "First"];
    let in_turn = ["--engine", "self", "--engine", &program, "--engine-option", "b:Threads=1"];
    let names =
        ["--engine-name", "a:First", "--engine-protocol", "b:auto", "--tournament", "gauntlet"];
    let one = small_match(&[&a_and_b[..], &["--games", "4", "-o", &old]].concat());
    let same = small_match(&[&in_turn[..], &names, &["--games", "4", "-o", &new]].concat());
    assert_eq!(timeless(&old), timeless(&new));
    assert_eq!(without_times(one), without_times(same));
    // Either form goes on from the games of the other.
    let more = small_match(&[&a_and_b[..], &["--games", "6", "-o", &new]].concat());
    assert_eq!((&more["resumed"], &more["schema"]), (&4.into(), &"juzhong.match/1".into()));
}

#[test]
fn a_report_shows_ranking_and_cross_table() {
    let args = ["--engine-name", "b:二号", "--tournament", "gauntlet", "--games", "2"];
    let text = stdout(&[&THREE[..15], &args].concat());
    assert!(text.contains("gauntlet, 3 engines, 4 of 4 games"), "{text}");
    assert!(text.contains("Elo +0.0 (") && text.contains("二号"), "{text}");
    assert!(text.contains("a    -  1/2  1/2") && text.contains("c  1/2    -    -"), "{text}");
}

#[test]
fn gomoku_has_tournaments_too() {
    let folder = Folder::new();
    let out = folder.at("out.jsonl");
    let small = ["match", "--game", "gomoku", "--nodes", "100", "--option", "Hash=1"];
    let three = ["--engine", "self", "--engine", "self", "--engine", "self"];
    let args = |games| [&small[..], &three, &["--games", games, "-o", &out]].concat();
    assert_eq!(json(&args("2"))["games"], 6);
    let answer = json(&args("4"));
    assert_eq!((&answer["resumed"], &answer["games"]), (&6.into(), &12.into()));
    assert!(
        answer["engines"][0]["as_white"].is_object() && answer["engines"][0]["as_red"].is_null()
    );
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text.matches("\"Event\":\"juzhong tournament\"").count(), 12, "{text}");
}

#[test]
fn bad_tournaments_say_what_is_wrong() {
    let too_many = ["--engine", "self"].repeat(27);
    for (args, part) in [
        (&["--engine", "self"][..], "2 to 26 engines, not 1"),
        (&too_many, "2 to 26 engines, not 27"),
        (&["--engine", "self", "--engine-a", "self"], "cannot be used with"),
        (
            &[&THREE[7..13], &["--engine-option", "d:Hash=1"]].concat(),
            "no engine d; the last one is c",
        ),
        (&[&THREE[7..13], &["--engine-option", "Hash=1"]].concat(), "as in c:"),
        (&[&THREE[7..13], &["--engine-option", "c:Hash"]].concat(), "NAME=VALUE"),
        (&[&THREE[7..13], &["--engine-protocol", "c:morse"]].concat(), "ucci"),
        (&[&THREE[7..13], &["--engine-name", "引:x"]].concat(), "as in c:"),
        (&[&THREE[7..13], &["--sprt", "0,8"]].concat(), "two engines"),
        (&["--tournament", "swiss"], "round-robin or gauntlet"),
    ] {
        fails(&[&["match"], args].concat(), 2, &[part]);
    }
}

/// A fake that notes its process; `on_go` is its answer to `go`.
#[cfg(unix)] // its engines are shell scripts
fn noted_engine(folder: &Folder, name: &str, on_go: &str) -> String {
    let (script, noted) = (folder.at(&format!("{name}.sh")), folder.at("processes"));
    let text = format!(
        "echo $$ >>'{noted}'\nwhile read -r line; do case \"$line\" in \
         uci) echo id name {name}; echo option name Hash type spin; echo uciok;; \
         isready) echo readyok;; quit) exit;; go*) {on_go};; esac; done\n"
    );
    fs::write(&script, text).unwrap();
    format!("sh '{script}'")
}

/// The noted processes, all of which have ended.
#[cfg(unix)] // its engines are shell scripts
#[track_caller]
fn none_is_running(folder: &Folder) -> usize {
    let noted = fs::read_to_string(folder.at("processes")).unwrap();
    let is_there = |id: &str| {
        let mut kill = std::process::Command::new("kill");
        kill.args(["-0", id]).stderr(Stdio::null()).status().unwrap().success()
    };
    let running: Vec<&str> = noted.lines().filter(|id| is_there(id)).collect();
    assert!(running.is_empty(), "{running:?}");
    noted.lines().count()
}

#[cfg(unix)] // its engines are shell scripts
#[test]
fn an_engine_that_crashes_loses_in_tournaments_and_is_restarted() {
    let folder = Folder::new();
    let crashes = noted_engine(&folder, "Crasher", "exit 7");
    let args =
        [&SMALL[..], &["--engine", "self", "--engine", "self", "--engine", &crashes]].concat();
    let args = [&args[..], &["--games", "2", "--json"]].concat();
    let output = exits(&args, 1);
    let errors = text(&output.stderr);
    assert!(
        errors.contains("engine c: crash: ") && !errors.contains("engine a: crash"),
        "{errors}"
    );
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let crasher = &answer["engines"][2];
    assert_eq!((&crasher["faults"]["crash"], &crasher["total"]["losses"]), (&4.into(), &4.into()));
    assert_eq!((&crasher["rank"], &crasher["name"]), (&3.into(), &"Crasher".into()));
    assert_eq!((&answer["virtual_draws"], &answer["status"]), (&true.into(), &"finished".into()));
    assert!(crasher["rating"]["elo"].as_f64().unwrap() < -50.0);
    // Once before the tournament, and anew after each crash.
    assert!(none_is_running(&folder) >= 5);
}

/// Nothing is played if anyone cannot take part, wherever it stands in the schedule.
#[cfg(unix)] // its engines are shell scripts
#[test]
fn an_engine_that_does_not_start_refuses_the_tournament() {
    use crate::support::fake_engines::{FakeEngine, GOOD, all_gone};
    let folder = Folder::new();
    let (good, out) = (noted_engine(&folder, "Good", "exit 7"), folder.at("out.pgn"));
    let dies = FakeEngine { new_game: "exit 4", ..GOOD }.command(&folder, "newgame");
    let cases =
        [("/nonexistent/engine", "/nonexistent/engine"), ("true", "ended"), (&dies, "status: 4")];
    for (bad, part) in cases {
        let engines = ["--engine", &good, "--engine", "self", "--engine", &good, "--engine", bad];
        fails(&[&SMALL[..], &engines, &["-o", &out]].concat(), 69, &["engine d: ", part]);
        assert_eq!(fs::read_to_string(&out).unwrap_or_default(), "");
    }
    let args = [&SMALL[..], &THREE[7..13], &["--engine-option", "b:Nonsense=1"]].concat();
    fails(&args, 69, &["engine b: ", "no option Nonsense"]);
    assert_eq!(none_is_running(&folder), 6);
    all_gone(&folder);
}

#[cfg(unix)] // it sends a signal
#[test]
fn an_interrupted_tournament_leaves_nothing_running_and_goes_on() {
    let folder = Folder::new();
    let file = folder.at("games.pgn");
    let slow = noted_engine(&folder, "Slow", "sleep 60");
    let program = format!("'{PROGRAM}' uci --hash 1");
    let engines = ["--engine", &program, "--engine", "self", "--engine", "self"];
    let args = |games| [&SMALL[..], &engines, &["--games", games, "-o", &file]].concat();
    let mut child = command(&args("100000")).stdout(Stdio::null()).spawn().unwrap();
    let games = || fs::read_to_string(&file).unwrap_or_default().matches("[Round ").count();
    wait_until(|| games() >= 3);
    assert!(signal(&child, "INT"));
    assert_eq!(child.wait().unwrap().code(), Some(75));
    let played = games();
    assert!(played >= 3);
    let each = (played / 3 + 3).to_string();
    let answer = json(&args(&each));
    assert!(answer["resumed"] == played && answer["status"] == "finished", "{answer}");
    // While an engine thinks for ever.
    let thinking = ["--engine", &slow, "--engine", &slow, "--engine", "self", "--engine", "self"];
    let mut child = command(&[&SMALL[..], &thinking].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = || fs::read_to_string(folder.at("processes")).unwrap_or_default().lines().count();
    wait_until(|| started() >= 4);
    assert!(signal(&child, "INT"));
    assert_eq!(child.wait().unwrap().code(), Some(75));
    none_is_running(&folder);
}

#[cfg(unix)] // its engines are shell scripts
#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "it takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
