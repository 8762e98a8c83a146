//! The lines of known GUIs that start an engine and let it play, and the answers that they must get.

use std::io::{BufRead, Cursor, Read, Write};
use std::process::Stdio;

use juzhong::bytes::StopFlag;
use juzhong::engine::EngineOptions;
use juzhong::game::{Game, Notation};
use juzhong::protocol::client::{EngineCommand, EngineSizes, Timeouts};
use juzhong::protocol::{Dialect, Ranks};
use juzhong::proxy::{self, ProxyOptions};
use juzhong::xiangqi::{Move, Position};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::program::{PROGRAM, command, text, with_input};
use crate::support::session::{Live, answers_to, best_moves};

/// The program that a GUI talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Served {
    /// The engine, where this dialect is spoken before a handshake.
    Engine(Dialect),
    /// The proxy with this program behind it, which is spoken to in this dialect.
    Proxy(Dialect),
}

impl Served {
    /// The answers to a whole session.
    fn answers(self, input: impl Into<Vec<u8>>) -> String {
        match self {
            Self::Engine(assumed) => answers_to(assumed, input),
            Self::Proxy(spoken) => {
                let mut output = Vec::new();
                serve_proxy(spoken, Cursor::new(input.into()), &mut output);
                String::from_utf8(output).unwrap()
            }
        }
    }

    fn live(self) -> Live {
        match self {
            Self::Engine(assumed) => Live::start(assumed),
            Self::Proxy(spoken) => {
                Live::with(move |input, output| serve_proxy(spoken, input, output))
            }
        }
    }
}

fn serve_proxy(spoken: Dialect, input: impl BufRead + Send + 'static, output: &mut dyn Write) {
    let program = PROGRAM.to_owned();
    let args = ["uci", "--hash", "1"].map(str::to_owned).to_vec();
    let options = ProxyOptions {
        command: EngineCommand { program, args },
        protocol: Some(spoken),
        ranks: None,
        sizes: EngineSizes::default(),
        options: Vec::new(),
        own: EngineOptions { hash_mib: 1, ..EngineOptions::default() },
        timeouts: Timeouts::default(),
    };
    proxy::serve(input, output, options, &StopFlag::default()).unwrap();
}

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

/// The position after some moves from the start.
fn after(moves: &str) -> Position {
    let mut position = Position::start();
    for mv in moves.split_whitespace() {
        let mv = Position::parse_move(mv).unwrap();
        assert!(position.is_legal(mv), "{mv}");
        position.make(mv);
    }
    position
}

/// Checks an answer as GUIs split it at blanks: a move, or a move, `ponder` and a move. All are legal there.
#[track_caller]
fn is_answer(best: &str, moves: &str) {
    let words: Vec<&str> = best.split(' ').collect();
    let mut position = after(moves);
    let mut play = |text: &str| {
        assert_eq!(text.len(), 4, "{best}");
        let mv: Move = Position::parse_move(text).unwrap();
        assert!(position.is_legal(mv), "{best}");
        position.make(mv);
    };
    match words[..] {
        [mv] => play(mv),
        [mv, "ponder", answer] => [mv, answer].into_iter().for_each(&mut play),
        _ => panic!("bestmove {best}"),
    }
}

/// The engine itself, and the proxy with the engine behind it in each dialect: a GUI must not see a
/// difference.
const ALL: [Served; 4] = [
    Served::Engine(Dialect::Uci),
    Served::Proxy(Dialect::Uci),
    Served::Proxy(Dialect::Ucci),
    Served::Proxy(Dialect::Cyclone),
];

fn count(output: &str, line: &str) -> usize {
    output.lines().filter(|&heard| heard == line).count()
}

/// It tries `uci`, then `ucci`, in a process that it then ends; it shows the lines with `nps`.
#[test]
fn public_xiangqi() {
    for (assumed, first, second) in [(Dialect::Uci, "uci", "ucci"), (Dialect::Ucci, "ucci", "uci")]
    {
        let output = answers_to(assumed, format!("{first}\r\n{second}\r\n"));
        assert_eq!(
            (count(&output, "uciok"), count(&output, "ucciok")),
            (usize::from(first == "uci"), usize::from(first == "ucci"))
        );
    }
    ALL.into_iter().for_each(public_xiangqi_plays);
}

fn public_xiangqi_plays(served: Served) {
    let position = format!("position fen {START} w - - 0 1 moves h2e2 h9g7");
    let live = served.live();
    live.say("uci\n");
    live.wait_for("uciok", 1);
    let options = "setoption name Threads value 2\nsetoption name Hash value 4\n";
    for (i, go) in ["go depth 4", "go movetime 60", "go infinite"].iter().enumerate() {
        live.say(&format!("stop\n{options}{position}\n{go}\n"));
        live.wait_for("info depth 1 ", i + 1);
        if *go == "go infinite" {
            live.say("stop\n");
        }
        live.wait_for("bestmove", i + 1);
    }
    live.say("quit\n");
    let output = live.end();
    assert!(!output.contains("unknown") && !output.contains("(none)"), "{output}");
    assert_eq!(best_moves(&output).len(), 3, "{output}");
    for best in best_moves(&output) {
        is_answer(best, "h2e2 h9g7");
    }
    for line in output.lines().filter(|line| line.contains("nps")) {
        for word in [" depth ", " score ", " nps ", " time ", " pv "] {
            assert!(line.contains(word), "{line}");
        }
    }
    let ucci = format!(
        "ucci\nstop\nsetoption Threads 1\nsetoption Hash 4\n{position}\ngo movetime 50\nquit\n"
    );
    let output = served.answers(ucci);
    assert!(output.ends_with("bye\n") && !output.contains("unknown"), "{output}");
}

/// It says both handshakes at once, sets options in the words of UCCI, and asks without waiting.
#[test]
fn vin_xiangqi() {
    ALL.into_iter().for_each(vin_xiangqi_plays);
}

fn vin_xiangqi_plays(served: Served) {
    let live = served.live();
    live.say("uci\nucci\nsetoption Threads 1\nsetoption Hash 2\nsetoption MultiPV 1\n");
    live.say(&format!("position fen {START} w - - 0 1\ngo movetime 5000 depth 4\n"));
    live.wait_for("bestmove", 1);
    live.say(&format!("position fen {START} b - - 0 1\ngo movetime 40 depth 30\n"));
    live.wait_for("bestmove", 2);
    live.say(&format!("position fen {START} w\ngo infinite\n"));
    live.wait_for("info depth 1 ", 3);
    // The next position comes without a `stop`: two answers, the first for the old one.
    live.say(&format!("position fen {START} w\ngo depth 2\n"));
    live.wait_for("bestmove", 4);
    let output = live.end();
    assert_eq!((count(&output, "uciok"), count(&output, "ucciok")), (1, 0));
    assert!(!output.contains("unknown"), "{output}");
    is_answer(best_moves(&output)[0], "");
    // It keeps the words of a line as names and values, and can bear no name twice.
    for line in output.lines().filter(|line| line.starts_with("info depth")) {
        let names: Vec<&str> = line.split(" pv ").next().unwrap().split(' ').collect();
        let names: Vec<&&str> = names.iter().filter(|w| w.parse::<i64>().is_err()).collect();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{line}");
    }
}

#[test]
fn shark_chess_and_bhgui() {
    ALL.into_iter().for_each(shark_chess_and_bhgui_play);
}

fn shark_chess_and_bhgui_play(served: Served) {
    let output = served.answers(format!(
        "uci\nisready\nsetoption name hash value 4\nsetoption name THREADS value 1\n\
             setoption name Ponder value true\nucinewgame\nisready\n\
             position fen {START} w - - 0 1 moves h2e2\n\
             go wtime 60000 btime 3000 winc 0 binc 100 movestogo 40\n\
             position fen {START} w - - 0 1 moves h2e2 h9g7\ngo depth 3\n"
    ));
    assert_eq!((count(&output, "uciok"), count(&output, "readyok")), (1, 2));
    is_answer(best_moves(&output)[0], "h2e2");
    let output = served.answers(format!(
        "ucci\nsetoption usemillisec true\nsetoption hashsize 4\nsetoption threads 0\n\
             setoption newgame\nposition fen {START} w - - 0 1 moves h2e2\n\
             go time 3000 increment 100 opptime 60000 oppincrement 100\n"
    ));
    is_answer(best_moves(&output)[0], "h2e2");
}

/// It never reads options, but sets them by what its user chose.
#[test]
fn xqwizard() {
    ALL.into_iter().for_each(xqwizard_plays);
}

fn xqwizard_plays(served: Served) {
    let live = served.live();
    live.say("ucci\r\n");
    live.wait_for("ucciok", 1);
    live.say(
        "setoption usemillisec true\r\nsetoption newgame\r\nsetoption usebook true\r\n\
         setoption bookfiles \r\nsetoption egtbpaths \r\nsetoption hashsize 4\r\n\
         setoption threads 1\r\nsetoption pruning large\r\nsetoption knowledge large\r\n\
         setoption randomness none\r\nsetoption style normal\r\nsetoption idle none\r\n\
         setoption promotion false\r\nsetoption ponder true\r\n",
    );
    let start = format!("position fen {START} w - - 0 1");
    live.say(&format!("{start}\r\ngo time 3000 increment 0\r\n"));
    live.wait_for("bestmove", 1);
    live.say(&format!("{start} moves b0c2 b9c7\r\ngo ponder time 2900 increment 0\r\n"));
    live.wait_for("info depth 1 ", 2);
    live.say("ponderhit\r\n");
    live.wait_for("bestmove", 2);
    live.say(&format!("{start} moves b0c2 b9c7\r\ngo ponder time 2900 increment 0\r\nstop\r\n"));
    live.wait_for("bestmove", 3);
    live.say("stop\r\n");
    live.wait_for("nobestmove", 1);
    live.say("quit\r\n");
    let output = live.end();
    assert!(output.ends_with("bye\n"), "{output}");
    assert!(!output.contains("info message"), "{output}");
    is_answer(best_moves(&output)[0], "");
    is_answer(best_moves(&output)[1], "b0c2 b9c7");
}

/// An adapter for WinBoard. To UCI engines for xiangqi it leaves out the word `position`, and the
/// variant that it sets first is that of chess; `uxinewgame` is its own word.
#[test]
fn uci2wb() {
    ALL.into_iter().for_each(uci2wb_plays);
}

fn uci2wb_plays(served: Served) {
    let output = served.answers(format!(
        "uci\nsetoption name Hash value 4\nsetoption name UCI_Variant value chess\nisready\n\
             ucinewgame\nsetoption name UCI_Variant value xiangqi\nucinewgame\nisready\n\
             fen {START} r moves h2e2\ngo btime 3000 wtime 3000 movestogo 40\n\
             fen {START} r moves h2e2 h9g7\ngo ponder btime 3000 wtime 3000\nponderhit\n\
             setoption name UCI_AnalyseMode value true\nfen {START} r moves h2e2\n\
             go infinite searchmoves h9g7 b9c7\nstop\n"
    ));
    let best = best_moves(&output);
    is_answer(best[0], "h2e2");
    if matches!(served, Served::Engine(_)) {
        assert!(output.contains("UCI_Variant: \"chess\" is not xiangqi09, xiangqi\n"), "{output}");
    }
    assert_eq!(best.len(), 3, "{output}");
    assert!(best[2].starts_with("h9g7") || best[2].starts_with("b9c7"), "{output}");
    let output = served.answers(format!(
        "ucci\nsetoption usemillisec true\nsetoption newgame\nisready\nuxinewgame\n\
             position fen {START} w - - 0 1 moves h2e2\n\
             go time 3000 opptime 3000 movestogo 40\n\
             position fen {START} w - - 0 1 moves h2e2\n\
             go draw time 900 opptime 3000 movetime 50\n"
    ));
    assert_eq!(best_moves(&output).len(), 2, "{output}");
    is_answer(best_moves(&output)[0], "h2e2");
}

/// Programs for many games set the variant, and count ranks from 1.
#[test]
fn programs_for_fairy_stockfish() {
    ALL.into_iter().for_each(programs_for_fairy_stockfish_play);
}

fn programs_for_fairy_stockfish_play(served: Served) {
    let output = served.answers(
        "uci\nsetoption name UCI_Variant value xiangqi\nucinewgame\nisready\n\
         position startpos moves h3e3 h10g8\ngo depth 3\n\
         position startpos\ngo depth 2 searchmoves a4a5\n",
    );
    let ours: Vec<String> = best_moves(&output)
        .iter()
        .map(|best| best.split(' ').map(|word| Ranks::FromOne.ours(word)).collect::<Vec<_>>())
        .map(|words| words.join(" "))
        .collect();
    is_answer(&ours[0], "h2e2 h9g7");
    assert!(ours[1].starts_with("a3a4"), "{output}");

    let output = served.answers(
        "ucicyclone\nuci\nsetoption name UCI_Variant value xiangqi\nisready\n\
         position startpos moves h2e2\ngo depth 3\nstartpos moves h2e2 h9g7\ngo depth 2\n",
    );
    assert_eq!(count(&output, "uciok"), 1);
    is_answer(best_moves(&output)[0], "h2e2");
    is_answer(best_moves(&output)[1], "h2e2 h9g7");
}

#[test]
fn ranks_from_one_are_counted_and_listed() {
    let output = answers_to(
        Dialect::Uci,
        "uci\nsetoption name UCI_Variant value xiangqi\nposition startpos moves h3e3 h10g8\n\
         go perft 1\nposition startpos moves h2e2\n",
    );
    let option = "option name UCI_Variant type combo default xiangqi09 var xiangqi09 var xiangqi";
    assert_eq!(count(&output, option), 1);
    assert!(output.lines().any(|line| line == "a1a2: 1"), "{output}");
    assert_eq!(output.matches("is not legal").count(), 1, "{output}");
    let output = answers_to(
        Dialect::Uci,
        "ucicyclone\nsetoption name UCI_Variant value xiangqi\nstartpos\ngo perft 2\n",
    );
    assert!(!output.contains("UCI_Variant"), "{output}");
    assert!(output.ends_with("\nNodes searched: 1920\n"), "{output}");
}

/// As many programs for Windows write it.
#[test]
fn a_mark_before_the_first_line_is_left_out() {
    for served in [ALL[0], ALL[1]] {
        let output = served.answers("\u{feff}uci\r\nisready\r\n");
        assert_eq!((count(&output, "uciok"), count(&output, "readyok")), (1, 1), "{output}");
    }
}

/// `juzhong uci` and `juzhong ucci` are the same session; lines come in pieces.
#[test]
fn both_commands_over_pipes() {
    for (name, hello, ok) in [("uci", "ucci", "ucciok"), ("ucci", "uci", "uciok")] {
        let mut child = command(&[name, "--hash", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for piece in
            [hello, "\r", "\nisre", "ady\r\n\n\u{feff}odd\ngo de", "pth 3\ngo inf", "inite"]
        {
            input.write_all(piece.as_bytes()).unwrap();
            input.flush().unwrap();
        }
        drop(input);
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        assert!(child.wait().unwrap().success());
        let output = output.replace("\r\n", "\n");
        assert_eq!((count(&output, ok), count(&output, "readyok")), (1, 1), "{output}");
        assert_eq!(best_moves(&output).len(), 2, "{output}");
    }
}

/// A table larger than the memory is refused, and the old one serves on.
#[test]
fn hash_sizes() {
    let sizes = ["1", "2", "3", "17", "64", "0", "99999999999", "-1", "1.5", "", "32769"];
    let ask = |size: &str| format!("setoption name Hash value {size}\nisready\ngo depth 2\n");
    let output = answers_to(Dialect::Uci, sizes.map(ask).concat());
    assert_eq!(best_moves(&output).len(), sizes.len());
    assert_eq!(output.matches("is not from 0 to 32768").count(), 5, "{output}");
    let output = answers_to(
        Dialect::Uci,
        ask("32768") + "isready\nsetoption name Hash value 2\ngo depth 2\n",
    );
    assert_eq!(best_moves(&output).len(), 2);
    let room = juzhong::bytes::machine::available_memory().is_none_or(|free| free > 33 << 30);
    let refused = output.matches("no memory for a hash table of 32768 MiB; choose a smaller one");
    assert!(room || refused.count() == 1, "{output}");
}

fn random_command(random: &mut impl Rng) -> String {
    // Without numbers that would let a search take long: in batch mode nothing stops it.
    const WORDS: [&str; 37] = [
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
        "h3e3",
        "fen",
        "nodes",
        "3",
        "setoption",
        "name",
        "hashsize",
        "value",
        "ponder",
        "ponderhit",
        "draw",
        "infinite",
        "-1",
        "\u{0}",
        "棋",
        "time",
        "increment",
        "opptime",
        "movetime",
        "searchmoves",
        "banmoves",
        "probe",
        "debug",
        "on",
        "off",
        "batch",
        "true",
    ];
    const LINES: [&str; 24] = [
        "uci",
        "ucci",
        "ucicyclone",
        "go depth 1",
        "go nodes 50",
        "go infinite",
        "go draw depth 1",
        "go ponder time 1",
        "go time 1 opptime 1",
        "stop",
        "isready",
        "ponderhit draw",
        "setoption newgame",
        "setoption batch true",
        "setoption batch false",
        "setoption randomness large",
        "setoption usemillisec true",
        "setoption name UCI_Variant value xiangqi",
        "probe startpos moves h2e2",
        "banmoves h2e2 b2e2",
        "position startpos moves h2e2 h9g7 e2e6",
        "position fen 3k5/9/9/9/9/9/9/9/9/4K4 w",
        "fen rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR r moves a0a9",
        "go perft 1",
    ];
    if random.random_ratio(1, 2) {
        return LINES[random.random_range(0..LINES.len())].to_owned();
    }
    let count = random.random_range(0..6);
    let words = (0..count).map(|_| WORDS[random.random_range(0..WORDS.len())]);
    words.collect::<Vec<_>>().join(" ")
}

/// The first words of lines.
const KNOWN: [&str; 11] = [
    "info ",
    "bestmove ",
    "nobestmove",
    "readyok",
    "id ",
    "option ",
    "uciok",
    "ucciok",
    "pophash",
    "Nodes searched: ",
    "bye",
];

/// Of all dialects, in pieces of any length.
#[test]
fn ten_thousand_random_commands() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut input = String::from("setoption usemillisec true\n");
    for _ in 0..10_000 {
        input.push_str(&random_command(&mut random));
        input.push_str(if random.random_ratio(1, 10) { "\r\n" } else { "\n" });
    }
    let live = Live::start(Dialect::Ucci);
    let mut rest = input.as_str();
    while !rest.is_empty() {
        let mut len = random.random_range(1..200).min(rest.len());
        while !rest.is_char_boundary(len) {
            len += 1;
        }
        let (piece, later) = rest.split_at(len);
        live.say(piece);
        rest = later;
    }
    live.say("\nsetoption batch false\nstop\n");
    let output = live.end();
    assert!(best_moves(&output).len() > 1000);
    for line in output.lines().filter(|line| !line.is_empty()) {
        let is_count = line.split_once(": ").is_some_and(|(mv, _)| mv.len() <= 6);
        assert!(is_count || KNOWN.iter().any(|start| line.starts_with(start)), "{line}");
    }
}

/// Sessions of the proxy that are cut anywhere end all the same, with known lines only.
#[test]
fn random_sessions_of_the_proxy() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for round in 0..9 {
        let mut input =
            String::from("setoption usemillisec true\n") + ["", "uci\n", "ucci\n"][round % 3];
        for _ in 0..150 {
            input.push_str(&random_command(&mut random));
            input.push_str(if random.random_ratio(1, 10) { "\r\n" } else { "\n" });
        }
        let mut bytes = input.into_bytes();
        bytes.truncate(bytes.len() - random.random_range(0..200));
        let output = ALL[1 + round / 3].answers(bytes);
        for line in output.lines().filter(|line| !line.is_empty()) {
            let is_count = line.split_once(": ").is_some_and(|(mv, _)| mv.len() <= 6);
            assert!(is_count || KNOWN.iter().any(|start| line.starts_with(start)), "{line}");
        }
    }
}

/// A GUI that takes a file as an engine starts the program without arguments.
#[test]
fn without_arguments_the_program_is_an_engine() {
    for (input, expected) in [
        ("uci\r\nquit\r\n", Some("uciok")),
        ("ucci\nquit\n", Some("ucciok")),
        ("position startpos\ngo depth 1\n", Some("bestmove ")),
        ("", None),
    ] {
        let output = with_input(&[], input);
        let told = text(&output.stdout);
        if let Some(expected) = expected {
            assert!(output.status.success());
            assert!(told.lines().any(|line| line.starts_with(expected)), "{told}");
        } else {
            assert_eq!((output.status.code(), &*told), (Some(2), ""));
            assert!(text(&output.stderr).contains("Usage: juzhong"));
        }
    }
}
