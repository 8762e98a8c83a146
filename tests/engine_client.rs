//! The client for foreign engines, with this program behind it and with engines that misbehave.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use juzhong::arena::{
    Client, ClientError, EngineCommand, EngineScore, GoLimits, Patience, Ranks, Thought,
};

const SHORT: Patience = Patience {
    start: Duration::from_millis(600),
    search: Duration::from_millis(600),
    stop: Duration::from_millis(400),
};

/// What engines say first.
const HELLO: &str = "read x; echo id name Fake; echo option name Hash type spin; echo uciok; \
                     read x; echo readyok;";

fn shell(script: &str) -> EngineCommand {
    EngineCommand { program: "sh".to_owned(), args: vec!["-c".to_owned(), script.to_owned()] }
}

fn own() -> EngineCommand {
    let program = env!("CARGO_BIN_EXE_juzhong").to_owned();
    EngineCommand { program, args: vec!["uci".to_owned(), "--hash".to_owned(), "1".to_owned()] }
}

fn client(script: &str) -> Client {
    let mut client = Client::spawn(&shell(&format!("{HELLO} {script}")), SHORT).unwrap();
    client.handshake().unwrap();
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
    Client::spawn(&shell(script), SHORT)?.handshake()
}

#[test]
fn talks_to_this_program() {
    let mut client = Client::spawn(&own(), Patience::default()).unwrap();
    client.handshake().unwrap();
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
    assert!(matches!(thought.info.score, Some((EngineScore::Mate(1..), _))), "{thought:?}");
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
    assert!(matches!(thought.info.score, Some((EngineScore::Mate(-2), _))));
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
    client.handshake().unwrap();
    assert_eq!(client.ranks(), Ranks::FromOne);
    let thought = go(&mut client, &GoLimits { depth: Some(2), ..GoLimits::default() }).unwrap();
    assert_eq!(thought.best.as_deref(), Some("h9g7"));
    assert_eq!(thought.info.pv, ["h9g7", "h0g2"]);
    let heard = fs::read_to_string(file).unwrap();
    let expected = "setoption name UCI_Variant value xiangqi\nposition startpos moves h3e3\n\
                    go depth 2\n";
    assert_eq!(heard, expected);
}

#[test]
fn no_process_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("id");
    let script = format!("echo $$ >'{}'; exec sleep 100", file.display());
    let mut client = Client::spawn(&shell(&script), SHORT).unwrap();
    assert!(client.handshake().is_err());
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
