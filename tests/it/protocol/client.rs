//! The client for foreign engines, with this program behind it and with engines that misbehave.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{Line, Notation, ScoreKind};
use juzhong::protocol::client::{
    Client, ClientError, Clocks, EngineCommand, GoLimits, Thought, Timeouts,
};
use juzhong::protocol::{Dialect, Offer, Ranks};
use juzhong::xiangqi::{Move, Position};

use crate::support::program::PROGRAM;

const SHORT: Timeouts = Timeouts {
    start: Duration::from_millis(600),
    search: Duration::from_millis(600),
    stop: Duration::from_millis(400),
};

/// The first lines of engines.
const HELLO: &str = "read x; echo id name Fake; echo option name Hash type spin; echo uciok; \
                     read x; echo readyok;";

fn shell(script: &str) -> EngineCommand {
    EngineCommand { program: "sh".to_owned(), args: vec!["-c".to_owned(), script.to_owned()] }
}

fn own() -> EngineCommand {
    let program = PROGRAM.to_owned();
    EngineCommand { program, args: vec!["uci".to_owned(), "--hash".to_owned(), "1".to_owned()] }
}

fn client(script: &str) -> Client {
    let mut client = Client::spawn(&shell(&format!("{HELLO} {script}")), SHORT).unwrap();
    client.handshake(None).unwrap();
    client
}

fn go(client: &mut Client, limits: &GoLimits) -> Result<Thought, ClientError> {
    client.position(None, ["h2e2"])?;
    client.go(limits, &|| false)
}

/// The error, which must come soon.
#[track_caller]
fn fails_soon<T: std::fmt::Debug>(part: &str, run: impl FnOnce() -> Result<T, ClientError>) {
    let began = Instant::now();
    let error = run().unwrap_err().to_string();
    assert!(error.contains(part), "no `{part}` in: {error}");
    assert!(began.elapsed() < Duration::from_secs(5), "after {:?}", began.elapsed());
}

fn handshake(script: &str) -> Result<(), ClientError> {
    Client::spawn(&shell(script), SHORT)?.handshake(None)
}

#[test]
fn talks_to_this_program() {
    let mut client = Client::spawn(&own(), Timeouts::default()).unwrap();
    client.handshake(None).unwrap();
    assert!(client.name().starts_with("juzhong "));
    // It has the option `UCI_Variant`, and does as programs for many games do.
    assert_eq!(client.ranks(), Ranks::FromOne);
    client.set_option("hash", "2").unwrap();
    assert!(matches!(client.set_option("Nonsense", "1"), Err(ClientError::NoOption { .. })));
    client.new_game().unwrap();
    let limits = GoLimits { nodes: Some(2000), ..GoLimits::default() };
    let thought = go(&mut client, &limits).unwrap();
    assert_eq!(thought.info.pv.first(), thought.best.as_ref());
    assert!(thought.info.depth > 0 && thought.info.nodes > 0 && thought.info.score.is_some());
    // Mate in one.
    client.position(Some("3k5/7R1/9/9/9/9/9/9/8R/4K4 w - - 0 1"), []).unwrap();
    let thought = client.go(&limits, &|| false).unwrap();
    assert!(matches!(thought.info.score, Some((ScoreKind::MateIn(_), _))), "{thought:?}");
    // Without a limit it searches until it is told to stop.
    client.position(None, []).unwrap();
    let began = Instant::now();
    let thought = client.go(&GoLimits::default(), &|| began.elapsed().as_millis() > 300).unwrap();
    assert!(thought.best.is_some() && began.elapsed() < Duration::from_secs(5));
    client.quit();
}

#[test]
fn engines_that_do_not_start_are_told_of() {
    let command = EngineCommand { program: "/nonexistent/engine".to_owned(), args: vec![] };
    fails_soon("/nonexistent/engine", || Client::spawn(&command, SHORT).map(drop));
    fails_soon("no answer within 0.6 s while starting", || handshake("sleep 60"));
    fails_soon("while starting: boom", || handshake("echo boom >&2; exit 3"));
    fails_soon("exit status: 3", || handshake("exit 3"));
    fails_soon("while starting", || handshake("exec <&- >&-; sleep 60"));
    fails_soon("while getting ready", || handshake("read x; echo uciok; sleep 60"));
}

#[test]
fn garbage_without_end_does_not_hang() {
    fails_soon("no answer", || handshake("while :; do echo garbage; done"));
    fails_soon("no answer", || handshake("while :; do printf garbage; done"));
    fails_soon("no answer", || handshake("cat /dev/zero"));
    let mut client = client("while :; do echo info depth 1 score cp x pv; done");
    fails_soon("while thinking", || go(&mut client, &GoLimits::default()));
}

#[test]
fn a_search_that_never_ends_is_given_up() {
    let mut deaf = client("sleep 60");
    fails_soon("while thinking", || go(&mut deaf, &GoLimits::default()));
    let limits = GoLimits { move_time: Some(Duration::from_millis(200)), ..GoLimits::default() };
    fails_soon("while thinking", || go(&mut deaf, &limits));
    let mut dying = client("read x; read x; echo help >&2; kill -9 $$");
    fails_soon("signal: 9", || go(&mut dying, &GoLimits::default()));
    fails_soon("ended", || go(&mut dying, &GoLimits::default()));
    let mut unheard = client("sleep 60");
    fails_soon("does not read", || {
        (0..10_000).try_for_each(|_| unheard.position(Some(&"x".repeat(1000)), []))
    });
}

#[test]
fn stop_is_said_when_the_time_is_over() {
    let script = "read p; read g; echo info depth 3 score mate -2 nodes 9; read s; \
                  echo bestmove \"$s\" ponder a0a1; read x";
    let thought = go(&mut client(script), &GoLimits::default()).unwrap();
    assert_eq!((thought.best.as_deref(), thought.ponder.as_deref()), (Some("stop"), Some("a0a1")));
    assert!(matches!(thought.info.score, Some((ScoreKind::MatedIn(4), _))));
}

#[test]
fn engines_that_count_ranks_from_one_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heard");
    let script = format!(
        "read x; echo option name UCI_Variant type combo default chess var chess var xiangqi; \
         echo uciok; read v; echo $v >'{0}'; read x; echo readyok; read p; echo $p >>'{0}'; \
         read g; echo $g >>'{0}'; echo info depth 2 score cp 5 pv h10g8 h1g3; \
         echo bestmove h10g8 ponder h1g3; read x",
        file.display()
    );
    let mut client = Client::spawn(&shell(&script), SHORT).unwrap();
    client.handshake(None).unwrap();
    assert_eq!(client.ranks(), Ranks::FromOne);
    let thought = go(&mut client, &GoLimits { depth: Some(2), ..GoLimits::default() }).unwrap();
    assert_eq!(thought.best.as_deref(), Some("h9g7"));
    assert_eq!(thought.info.pv, ["h9g7", "h0g2"]);
    let heard = fs::read_to_string(file).unwrap();
    let expected = "setoption name UCI_Variant value xiangqi\nposition startpos moves h3e3\n\
                    go depth 2\n";
    assert_eq!(heard, expected);
}

/// An engine of UCCI that writes down what it hears, and answers searches with `answers` in turn.
fn ucci(file: &Path, answers: &str) -> EngineCommand {
    let script = format!(
        "set -- {answers}; while read -r x; do echo \"$x\" >>'{}'; case \"$x\" in \
         uci) exit 1;; \
         ucci) echo id name Fake; echo option usemillisec type check default false; \
               echo option newgame type button; echo option batch type check; echo ucciok;; \
         isready) echo readyok;; \
         go*) echo info depth 4 score -31 pv h9g7 h0g2; echo info nodes 99; echo \"$1\"; shift;; \
         quit) echo bye; exit;; esac; done",
        file.display()
    );
    shell(&script)
}

#[test]
fn ucci_is_spoken_to_those_who_know_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heard");
    let answers = "'bestmove h9g7 ponder h0g2 draw' 'bestmove h9g7 resign' nobestmove";
    let mut client = Client::start(&ucci(&file, answers), None, Timeouts::default()).unwrap();
    assert_eq!((client.protocol(), client.name()), (Dialect::Ucci, "Fake"));
    client.set_option("batch", "true").unwrap();
    assert!(client.new_game().unwrap());
    let mut line = Line::new(Position::start(), 0);
    line.push(Move::parse("h2e2").unwrap());
    client.set_line(None, &line).unwrap();
    let remaining = [Duration::from_secs(9), Duration::from_millis(8500)];
    let increment = [Duration::from_millis(100); 2];
    let clocks = Some(Clocks { remaining, increment, moves_to_go: None, mover: 1 });
    let thought = client.go(&GoLimits { clocks, ..GoLimits::default() }, &|| false).unwrap();
    assert_eq!((thought.best.as_deref(), thought.offer), (Some("h9g7"), Some(Offer::Draw)));
    assert_eq!(thought.info.score.unwrap().0, ScoreKind::Centipawns(-31));
    assert_eq!((thought.info.depth, thought.info.nodes), (4, 99));
    // After a capture, the position begins with it.
    for mv in ["h7e7", "e2e6", "d9e8"] {
        line.push(Move::parse(mv).unwrap());
    }
    client.set_line(None, &line).unwrap();
    let nodes = GoLimits { nodes: Some(500), draw_offered: true, ..GoLimits::default() };
    let thought = client.go(&nodes, &|| false).unwrap();
    assert_eq!(thought.offer, Some(Offer::Resign));
    client
        .set_line(Some("3k5/9/9/9/9/9/9/9/9/4K4 b - - 3 1"), &Line::new(Position::start(), 3))
        .unwrap();
    assert_eq!(client.go(&nodes, &|| false).unwrap().best, None);
    client.quit();
    let heard = fs::read_to_string(file).unwrap();
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let expected = format!(
        "uci\nucci\nsetoption usemillisec true\nisready\nsetoption batch true\n\
         setoption newgame\nisready\nposition fen {start} moves h2e2\n\
         go time 8500 increment 100 opptime 9000 oppincrement 100\n"
    );
    assert!(heard.starts_with(&expected), "{heard}");
    assert!(heard.contains("go draw nodes 500\n"), "{heard}");
    assert!(heard.contains("position fen 3k5/9/9/9/9/9/9/9/9/4K4 b - - 3 1\n"), "{heard}");
    let positions: Vec<&str> = heard.lines().filter(|line| line.starts_with("position")).collect();
    assert!(positions[1].ends_with("/RNBAKABNR b - - 0 2 moves d9e8"), "{heard}");
}

#[test]
fn an_engine_that_is_silent_to_uci_is_greeted_in_ucci() {
    let script = "while read -r x; do case \"$x\" in ucci) echo ucciok;; \
                  isready) echo readyok;; quit) exit;; esac; done";
    let timeouts = Timeouts { start: Duration::from_secs(20), ..SHORT };
    let client = Client::start(&shell(script), None, timeouts).unwrap();
    assert_eq!(client.protocol(), Dialect::Ucci);
    fails_soon("while starting", || Client::start(&shell(script), Some(Dialect::Uci), SHORT));
    let cyclone = "read -r x; [ $x = ucicyclone ] && echo uciok; read x; echo readyok; read x";
    let client = Client::start(&shell(cyclone), Some(Dialect::Cyclone), timeouts).unwrap();
    assert_eq!(client.protocol(), Dialect::Cyclone);
}

/// An engine of UCCI that notes what it hears, with more words that it knows.
fn noting(file: &Path, more: &str) -> EngineCommand {
    let script = format!(
        "while read -r x; do echo \"$x\" >>'{}'; case \"$x\" in ucci) echo ucciok;; {more} \
         go*) echo bestmove h9g7;; quit) exit;; esac; done",
        file.display()
    );
    shell(&script)
}

#[test]
fn silence_is_readiness_in_ucci() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heard");
    let timeouts = Timeouts { start: Duration::from_secs(4), ..SHORT };
    let began = Instant::now();
    let mut client = Client::start(&noting(&file, ""), Some(Dialect::Ucci), timeouts).unwrap();
    client.wait_ready().unwrap();
    assert!(!client.new_game().unwrap()); // it has no such option
    let depth = GoLimits { depth: Some(1), ..GoLimits::default() };
    assert_eq!(go(&mut client, &depth).unwrap().best.as_deref(), Some("h9g7"));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    client.quit();
    let heard = fs::read_to_string(&file).unwrap();
    assert_eq!(heard, "ucci\nisready\nposition startpos moves h2e2\ngo depth 1\nquit\n");
}

/// One that has said the word must say it again; one that is slow to say it is asked again.
#[test]
fn an_engine_of_ucci_that_says_readyok_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heard");
    let once = noting(&file, "isready) [ $said ] || echo readyok; said=1;;");
    let timeouts = Timeouts { start: Duration::from_secs(2), ..SHORT };
    let mut client = Client::start(&once, Some(Dialect::Ucci), timeouts).unwrap();
    fails_soon("no answer within 2 s while getting ready", || client.wait_ready());
    let slow = noting(&file, "isready) sleep 0.8; echo readyok;;");
    let mut client = Client::start(&slow, Some(Dialect::Ucci), timeouts).unwrap();
    let depth = GoLimits { depth: Some(1), ..GoLimits::default() };
    assert_eq!(go(&mut client, &depth).unwrap().best.as_deref(), Some("h9g7"));
    fs::write(&file, "").unwrap();
    client.wait_ready().unwrap();
    client.quit();
    assert_eq!(fs::read_to_string(&file).unwrap(), "isready\nquit\n");
}

#[test]
fn a_last_line_without_an_end_counts() {
    let mut client = client("read p; read g; printf 'bestmove h9g7'");
    let thought = go(&mut client, &GoLimits::default()).unwrap();
    assert_eq!(thought.best.as_deref(), Some("h9g7"));
}

#[test]
fn the_own_engine_is_served_within_the_program() {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options).unwrap();
    let mut client = Client::within(engine, Timeouts::default()).unwrap();
    assert!(client.name().starts_with("juzhong "));
    client.set_option("Hash", "2").unwrap();
    assert!(client.new_game().unwrap());
    let limits = GoLimits { nodes: Some(2000), ..GoLimits::default() };
    let thought = go(&mut client, &limits).unwrap();
    assert!(thought.best.is_some() && thought.info.depth > 0 && !thought.took.is_zero());
    client.quit();
}

#[test]
fn no_process_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("id");
    let script = format!("echo $$ >'{}'; exec sleep 100", file.display());
    let mut client = Client::spawn(&shell(&script), SHORT).unwrap();
    assert!(client.handshake(None).is_err());
    let id = fs::read_to_string(&file).unwrap();
    let process = Path::new("/proc").join(id.trim());
    assert!(process.exists() || !Path::new("/proc/self").exists());
    drop(client);
    assert!(!process.exists());
    // One that does not heed `quit` is killed.
    let began = Instant::now();
    self::client("while :; do read x; sleep 0.1; done").quit();
    assert!(began.elapsed() < Duration::from_secs(3));
}

/// An engine may be a script that leaves a program behind, in whatever order it ends.
#[cfg(target_os = "linux")]
#[test]
fn nothing_that_an_engine_has_started_outlives_it() {
    for on_quit in ["exit", "exec sleep 100"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("id");
        let script = format!(
            "sleep 100 & echo $! >'{}'; while read -r x; do case \"$x\" in quit) {on_quit};; esac; done",
            file.display()
        );
        client(&script).quit();
        let id = fs::read_to_string(&file).unwrap();
        let state = Path::new("/proc").join(id.trim()).join("stat");
        let began = Instant::now();
        // Nobody may have waited for it yet.
        let is_running = || fs::read_to_string(&state).is_ok_and(|text| !text.contains(") Z "));
        while is_running() {
            assert!(began.elapsed() < Duration::from_secs(5), "{on_quit}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Fairy-Stockfish and its like change to what they hear last.
#[test]
fn an_engine_that_is_slow_to_start_is_greeted_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heard");
    let script = format!(
        "sleep 1.5; while read -r x; do echo \"$x\" >>'{}'; case \"$x\" in \
         uci) echo option name UCI_Variant type combo default chess var chess var xiangqi; \
         echo uciok;; isready) echo readyok;; quit) exit;; esac; done",
        file.display()
    );
    let client = Client::start(&shell(&script), None, Timeouts::default()).unwrap();
    assert_eq!((client.protocol(), client.ranks()), (Dialect::Uci, Ranks::FromOne));
    client.quit();
    let heard = fs::read_to_string(file).unwrap();
    let expected =
        "uci\nucci\nquit\nuci\nsetoption name UCI_Variant value xiangqi\nisready\nquit\n";
    assert_eq!(heard, expected);
}

#[test]
fn every_dialect_says_what_a_mate_is() {
    for dialect in [Dialect::Uci, Dialect::Ucci, Dialect::Cyclone] {
        let mut client = Client::start(&own(), Some(dialect), Timeouts::default()).unwrap();
        assert_eq!(client.protocol(), dialect);
        client.set_option("hashsize", "2").unwrap();
        client.position(Some("3k5/7R1/9/9/9/9/9/9/8R/4K4 w - - 0 1"), []).unwrap();
        let limits = GoLimits { nodes: Some(2000), ..GoLimits::default() };
        let thought = client.go(&limits, &|| false).unwrap();
        assert_eq!(thought.info.score.unwrap().0, ScoreKind::MateIn(1), "{dialect:?}");
        assert!(Position::parse_move(&thought.best.unwrap()).is_some());
        client.quit();
    }
}

#[test]
fn values_that_an_option_cannot_have_are_refused() {
    let mut client = Client::start(&own(), None, Timeouts::default()).unwrap();
    for (name, value, part) in [
        ("Hash", "99999999", "is not a number from 1 to 32768"),
        ("hashsize", "many", "option Hash"),
        ("Rules", "nonsense", "one of asian, none, check"),
        ("Ponder", "perhaps", "true or false"),
        ("Clear Hash", "now", "a button"),
    ] {
        let error = client.set_option(name, value).unwrap_err();
        assert!(matches!(error, ClientError::BadOption { .. }));
        assert!(error.to_string().contains(part), "{error}");
    }
    // What only the engine can know it says.
    client.set_option("BookFile", "/nonexistent.book").unwrap();
    client.wait_ready().unwrap();
    let warnings = client.take_warnings();
    assert!(warnings.iter().any(|warning| warning.contains("/nonexistent.book")), "{warnings:?}");
    assert!(client.take_warnings().is_empty());
    client.quit();
}

#[test]
fn the_answer_to_a_late_stop_is_nobodys() {
    let script = "while read -r x; do case \"$x\" in ucci) echo ucciok;; isready) echo readyok;; \
                  *infinite) ;; go*) sleep 0.1; echo bestmove h0g2;; \
                  stop) echo bestmove b0c2; echo nobestmove;; quit) exit;; esac; done";
    let mut client =
        Client::start(&shell(script), Some(Dialect::Ucci), Timeouts::default()).unwrap();
    let best = |client: &mut Client, limits, stop| {
        client.position(None, []).unwrap();
        client.go(&limits, &|| stop).unwrap().best
    };
    let depth = GoLimits { depth: Some(1), ..GoLimits::default() };
    assert_eq!(best(&mut client, GoLimits::default(), true).as_deref(), Some("b0c2"));
    assert_eq!(best(&mut client, depth, false).as_deref(), Some("h0g2"));
    client.quit();
}
