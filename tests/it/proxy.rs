//! Books and tables in front of another engine: with this program behind the proxy, and with engines
//! that misbehave.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use juzhong::engine::{Engine, EngineOptions, Playable, TableOptions};
use juzhong::game::{Game, MoveList, Notation};
use juzhong::search::Score;
use juzhong::tablebase::{GenerateOptions, NoProgress, generate_all};
use juzhong::xiangqi::{Move, Position};

use crate::support::books::small_book;
use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, command, fails};

/// Everything that is waited for must come within this time.
const SOON: Duration = Duration::from_secs(20);

/// A proxy to talk to.
struct Live {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Live {
    fn start(engine: &str, more: &[&str]) -> Self {
        let mut process = command(&["proxy", "--hash", "1", "--engine", engine])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
        });
        let input = process.stdin.take();
        Self { process, input, lines, heard: Vec::new() }
    }

    fn say(&mut self, text: &str) {
        // A proxy that has ended is found out by what does not come.
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).ok();
    }

    /// The next line that starts so; what comes before is kept in `heard`.
    #[track_caller]
    fn wait(&mut self, start: &str) -> String {
        let end = Instant::now() + SOON;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.heard.push(line);
                    let line = self.heard.last().unwrap();
                    if line.starts_with(start) {
                        return line.clone();
                    }
                }
                Err(error) => panic!("{error}: no \"{start}\" in {:#?}", self.heard),
            }
        }
    }

    /// Says something and waits for a line that starts so.
    #[track_caller]
    fn ask(&mut self, text: &str, start: &str) -> String {
        self.say(text);
        self.wait(start)
    }

    /// That no such line comes for a while.
    #[track_caller]
    fn hears_no(&mut self, start: &str, time: Duration) {
        let end = Instant::now() + time;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    assert!(!line.starts_with(start), "{line} after {:#?}", self.heard);
                    self.heard.push(line);
                }
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("it has ended: {:#?}", self.heard),
            }
        }
    }

    #[track_caller]
    fn has_heard(&self, part: &str) {
        let heard = self.heard.iter().any(|line| line.contains(part));
        assert!(heard, "no `{part}` in {:#?}", self.heard);
    }

    /// Closes the input and waits for the end, which must come soon; what was heard in all.
    #[track_caller]
    fn end(mut self) -> Vec<String> {
        self.input = None;
        let end = Instant::now() + SOON;
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "it does not end: {:#?}", self.heard);
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(status.success(), "{status}: {:#?}", self.heard);
        self.heard.extend(self.lines.iter());
        std::mem::take(&mut self.heard)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// The move of an answer, legal after `moves` from the start.
#[track_caller]
fn legal(answer: &str, moves: &str) -> String {
    let mut position = Position::start();
    for mv in moves.split_whitespace() {
        position.make(Position::parse_move(mv).unwrap());
    }
    let text = answer.split(' ').nth(1).unwrap();
    let mv = Position::parse_move(text).unwrap_or_else(|| panic!("{answer}"));
    assert!(position.is_legal(mv), "{answer}");
    text.to_owned()
}

fn own() -> String {
    format!("{PROGRAM} uci --hash 1")
}

/// An engine of shell: what it does at `go`, `stop` and `quit`, and before all that.
struct Fake<'a> {
    first: &'a str,
    hello: &'a str,
    go: &'a str,
    stop: &'a str,
    quit: &'a str,
}

/// One that behaves.
const GOOD: Fake<'_> = Fake {
    first: "",
    hello: "uci) echo id name Fake; echo id author Nobody; \
            echo option name Hash type spin default 16 min 1 max 64; \
            echo option name Clear Hash type button; echo uciok;;",
    go: "echo info depth 7 score cp 33 nodes 9 time 2 pv b0c2; echo bestmove b0c2 ponder b9c7",
    stop: "",
    quit: "exit",
};

/// The same in UCCI.
const GOOD_UCCI: Fake<'_> = Fake {
    hello: "ucci) echo id name Alt; echo option usemillisec type check; \
            echo option hashsize type spin default 0; echo ucciok;;",
    go: "echo info time 2 nodes 9; echo info depth 7 score 33 pv b0c2; \
         echo info message hello; echo bestmove b0c2 ponder b9c7 draw",
    ..GOOD
};

/// At the first start only.
const ONCE: &str = "[ $(wc -l <$here/ids) -eq 1 ] &&";

impl Fake<'_> {
    /// Writes the script; the command that runs it. It notes what it hears in `heard`, and its
    /// process in `ids`.
    fn write(&self, folder: &Folder) -> String {
        let Fake { first, hello, go, stop, quit } = self;
        let here = folder.path().display();
        let script = format!(
            "here='{here}'\necho $$ >>$here/ids\n{first}\n\
             while read -r line; do\necho \"$line\" >>$here/heard\ncase \"$line\" in\n\
             {hello}\nisready) echo readyok;;\ngo*) {go};;\nstop) {stop};;\nquit) {quit};;\nesac\ndone\n"
        );
        fs::write(folder.at("fake.sh"), script).unwrap();
        format!("sh '{}'", folder.at("fake.sh"))
    }

    fn start(&self, folder: &Folder, more: &[&str]) -> Live {
        Live::start(&self.write(folder), more)
    }
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.at(name)).unwrap_or_default()
}

/// The lines that the engine received, in every run of it.
fn told(folder: &Folder) -> Vec<String> {
    read(folder, "heard").lines().map(str::to_owned).collect()
}

/// That so many processes were started, and none is left, not even one that was started by them.
#[track_caller]
fn all_gone(folder: &Folder, count: usize) {
    let ids = read(folder, "ids");
    assert_eq!(ids.lines().count(), count, "{ids}");
    for id in ids.lines() {
        let here = folder.path().display().to_string();
        assert!(!Path::new("/proc").join(id).exists(), "process {id} is left");
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            assert!(!line.contains(&here) || line.contains("juzhong"), "left: {line}");
        }
    }
}

/// The proxy's patience in these tests, in seconds. The protocol is stated, so that the number of
/// processes does not depend on how fast they start.
const SHORT: [&str; 4] = ["--patience", "1", "--protocol", "uci"];

#[test]
fn this_program_behind_it() {
    let mut live = Live::start(&own(), &[]);
    live.ask("uci\n", "uciok");
    let version = env!("CARGO_PKG_VERSION");
    live.has_heard(&format!("id name juzhong {version} + juzhong {version}"));
    for option in ["Hash", "MultiPV", "Tables", "BookFile", "JzTables", "JzBookFile", "JzOwnBook"] {
        live.has_heard(&format!("option name {option} type "));
    }
    live.ask("setoption name Hash value 2\nisready\n", "readyok");
    let answer = live.ask("position startpos moves h2e2\ngo depth 3\n", "bestmove");
    legal(&answer, "h2e2");
    live.has_heard("info depth 3 ");
    live.say("go infinite\n");
    live.wait("info depth 1 ");
    live.hears_no("bestmove", Duration::from_millis(50));
    live.ask("isready\n", "readyok");
    legal(&live.ask("stop\n", "bestmove"), "h2e2");
    // Unknown words reach the engine, and its answer comes back.
    live.ask("d\n", "info string rnbakabnr");
    live.say("stop\nponderhit\n\n \r\n");
    legal(&live.ask("go wtime 2000 btime 2000\r\n", "bestmove"), "h2e2");
    live.say("quit\n");
    live.end();
}

#[test]
fn each_go_has_its_answer_in_order() {
    let commands = "uci\nisready\ngo depth 2\nposition startpos moves h2e2\ngo depth 2\n\
                    go infinite\ngo depth 2\ngo ponder depth 2\nposition startpos\ngo ponder";
    let mut live = Live::start(&own(), &[]);
    live.say(commands);
    let heard = live.end();
    assert_eq!(heard.iter().filter(|line| line.starts_with("bestmove")).count(), 6, "{heard:#?}");
    let folder = |start: &str| heard.iter().position(|line| line.starts_with(start)).unwrap();
    assert!(folder("uciok") < folder("readyok") && folder("readyok") < folder("bestmove"));
}

#[test]
fn stop_at_any_moment_gives_one_answer() {
    let mut live = Live::start(&own(), &[]);
    live.ask("uci\n", "uciok");
    for round in 1..=30_u64 {
        live.say("go infinite\n");
        std::thread::sleep(Duration::from_micros(round * round * 5));
        legal(&live.ask("stop\n", "bestmove"), "");
    }
    live.say("go infinite\nquit\n");
    live.end();
}

#[test]
fn the_book_answers_first_but_no_analysis() {
    let folder = Folder::new();
    let book = small_book(folder.path()).display().to_string();
    let mut live = GOOD.start(&folder, &["--book", &book]);
    live.ask("uci\n", "uciok");
    live.has_heard(&format!("option name JzBookFile type string default {book}"));
    let ask = |live: &mut Live, text: &str| live.ask(text, "bestmove");
    assert_eq!(ask(&mut live, "position startpos\ngo movetime 5000\n"), "bestmove h2e2");
    live.has_heard("info string the move is from the book");
    live.has_heard("info depth 0 score cp ");
    live.has_heard(" pv h2e2");
    assert!(!told(&folder).iter().any(|line| line.starts_with("go")));
    // Beyond the book the engine answers.
    let away = "position startpos moves a0a1 a9a8\ngo movetime 5000\n";
    assert_eq!(ask(&mut live, away), "bestmove b0c2 ponder b9c7");
    assert!(told(&folder).ends_with(&[
        "position startpos moves a0a1 a9a8".to_owned(),
        "go movetime 5000".to_owned()
    ]));
    // Analysis wants the engine.
    assert_eq!(
        ask(&mut live, "position startpos\ngo infinite\nstop\n"),
        "bestmove b0c2 ponder b9c7"
    );
    let multi = "setoption name MultiPV value 3\ngo depth 1\n";
    assert_eq!(ask(&mut live, multi), "bestmove b0c2 ponder b9c7");
    let single = "setoption name MultiPV value 1\ngo depth 1\n";
    assert_eq!(ask(&mut live, single), "bestmove h2e2");
    let banned = "position startpos\nbanmoves h2e2\ngo depth 1\n";
    assert!(ask(&mut live, banned).starts_with("bestmove b0c2"));
    // While pondering a book move waits.
    live.say("position startpos\ngo ponder wtime 1000 btime 1000\n");
    live.hears_no("bestmove", Duration::from_millis(100));
    assert_eq!(ask(&mut live, "ponderhit\n"), "bestmove h2e2");
    live.say("go ponder wtime 1000 btime 1000\n");
    live.hears_no("bestmove", Duration::from_millis(50));
    assert_eq!(ask(&mut live, "stop\n"), "bestmove h2e2");
    let off = "setoption name JzOwnBook value false\ngo depth 1\n";
    assert!(ask(&mut live, off).starts_with("bestmove b0c2"));
    live.say("quit\n");
    live.end();
    all_gone(&folder, 1);
}

fn small_tables(folder: &Folder, material: &str) -> String {
    let tables = folder.at("tables");
    fs::create_dir(&tables).unwrap();
    let options = GenerateOptions::default();
    let material = material.parse().unwrap();
    generate_all(Path::new(&tables), &[material], &options, &NoProgress).unwrap();
    tables
}

fn table_engine(tables: &str) -> Engine<Position> {
    let folders = vec![PathBuf::from(tables)];
    let tables = TableOptions { folders, ..TableOptions::default() };
    Engine::new(EngineOptions { hash_mib: 1, tables, ..EngineOptions::default() }).unwrap()
}

fn ranked(engine: &Engine<Position>, fen: &str) -> Vec<(Move, Score)> {
    let Ok(line) = Position::read_line(fen) else { return Vec::new() };
    let ranked = engine.ranked_moves(&line).unwrap_or_default();
    ranked.into_iter().map(|m| (m.mv, m.score())).collect()
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
}

fn after(position: &Position, mv: Move) -> Position {
    let mut after = position.clone();
    after.make(mv);
    after
}

/// Three plies after `mv` that lead back to before it, in which the first side checks.
fn way_back(start: &Position, mv: Move) -> Option<String> {
    let first = after(start, mv);
    for reply in legal_moves(&first) {
        let second = after(&first, reply);
        for back in legal_moves(&second) {
            let third = after(&second, back);
            if !third.in_check() {
                continue;
            }
            for last in legal_moves(&third) {
                if after(&third, last).key() == start.key() {
                    return Some(format!("{reply} {back} {last}"));
                }
            }
        }
    }
    None
}

/// The FEN of men on files and ranks from 0.
fn fen(men: &[(char, usize, usize)], side: char) -> String {
    let rank = |rank: usize| {
        let square =
            |file: usize| men.iter().find(|m| (m.1, m.2) == (file, rank)).map_or('1', |m| m.0);
        (0..9).map(square).collect::<String>()
    };
    let ranks: Vec<String> = (0..10).rev().map(rank).collect();
    format!("{} {side} - - 0 1", ranks.join("/"))
}

/// FENs of Red's rook anywhere against a king in its palace, with `more` men.
fn rook_positions(more: &[(char, usize, usize)], side: char) -> Vec<String> {
    let mut fens = Vec::new();
    for n in 0..27 * 90 {
        let (king, home, square) = (n % 9, 3 + n / 9 % 3, n / 27);
        let men =
            [('k', 3 + king % 3, 7 + king / 3), ('K', home, 0), ('R', square % 9, square / 9)];
        let mut squares: Vec<_> = men.iter().chain(more).map(|m| (m.1, m.2)).collect();
        squares.sort_unstable();
        squares.dedup();
        if squares.len() == men.len() + more.len() {
            fens.push(fen(&[&men, more].concat(), side));
        }
    }
    fens
}

#[test]
fn the_tables_answer_but_never_lose_by_repetition() {
    let folder = Folder::new();
    let tables = small_tables(&folder, "KRvK");
    let engine = table_engine(&tables);
    let found = rook_positions(&[], 'w').into_iter().find_map(|fen| {
        let (best, score) = *ranked(&engine, &fen).first()?;
        let position = Position::from_fen(&fen).ok()?;
        let checks = after(&position, best).in_check() && score > Score::DRAW;
        let back = way_back(&position, best).filter(|_| checks)?;
        Some((fen, best, after(&position, best).to_fen(), back))
    });
    let mut live = GOOD.start(&folder, &["--tables", &tables]);
    live.ask("uci\n", "uciok");
    let (fen, best, checked, back) = found.expect("a check that can be repeated");
    let answer = live.ask(&format!("position fen {fen}\ngo movetime 5000\n"), "bestmove");
    assert!(answer.starts_with(&format!("bestmove {best}")), "{answer}");
    live.has_heard("the move is from the endgame tables: win, mate in ");
    // The position after the check would come a third time.
    let history = format!("{back} {best} {back}");
    let text = format!("position fen {checked} moves {history}\ngo movetime 5000\n");
    let answer = live.ask(&text, "bestmove");
    assert!(!answer.starts_with(&format!("bestmove {best}")), "{checked} {history}: {answer}");
    live.end();
}

#[test]
fn a_drawn_table_position_stays_drawn() {
    let folder = Folder::new();
    let tables = small_tables(&folder, "KRvKA");
    let engine = table_engine(&tables);
    let found = rook_positions(&[('a', 4, 8)], 'b').into_iter().find_map(|fen| {
        let moves = ranked(&engine, &fen);
        let draws = moves.first().is_some_and(|&(_, score)| score == Score::DRAW);
        let lost = moves.iter().find(|&&(_, score)| score < Score::DRAW)?;
        draws.then_some((fen, lost.0))
    });
    let Some((fen, lost)) = found else {
        // The test is about the proxy; without such a position there is nothing to see.
        println!("skipped: no drawn position with a losing move");
        return;
    };
    let go = format!("echo bestmove {lost}");
    let mut live = Fake { go: &go, ..GOOD }.start(&folder, &["--tables", &tables]);
    let answer = live.ask(&format!("uci\nposition fen {fen}\ngo movetime 500\n"), "bestmove");
    assert!(!answer.starts_with(&format!("bestmove {lost}")), "{fen}: {answer}");
    live.has_heard("loses by the endgame tables");
    live.end();
}

#[test]
fn where_the_game_is_over_there_is_no_move() {
    let folder = Folder::new();
    let mut live = GOOD.start(&folder, &[]);
    let mated = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1";
    let text = format!("uci\nposition fen {mated}\ngo movetime 100\n");
    assert_eq!(live.ask(&text, "bestmove"), "bestmove (none)");
    live.has_heard("info depth 0 score mate 0");
    live.say("go infinite\n");
    live.hears_no("bestmove", Duration::from_millis(50));
    assert_eq!(live.ask("stop\n", "bestmove"), "bestmove (none)");
    live.end();
}

#[test]
fn a_ucci_engine_behind_a_uci_gui() {
    let folder = Folder::new();
    let mut live = GOOD_UCCI.start(&folder, &["--patience", "3", "--engine-option", "Hash=8"]);
    live.ask("uci\n", "uciok");
    live.has_heard("id name Alt + juzhong ");
    live.has_heard("option name Hash type spin default 0");
    assert!(!live.heard.iter().any(|line| line.contains("usemillisec")));
    live.ask("setoption name Hash value 32\nisready\n", "readyok");
    let text =
        "position startpos moves h2e2 h9g7 e2e6 a9a8\ngo wtime 9000 btime 8000 winc 10 binc 20\n";
    assert_eq!(live.ask(text, "bestmove"), "bestmove b0c2 ponder b9c7");
    live.has_heard("info depth 7 score cp 33 pv b0c2");
    live.has_heard("info string hello");
    live.wait("info string Alt offers a draw");
    live.ask("go movetime 700 searchmoves b0c2 h0g2\n", "bestmove");
    live.ask("ucinewgame\nisready\n", "readyok");
    live.say("quit\n");
    live.end();
    let told = told(&folder);
    let expected = [
        "setoption usemillisec true",
        "setoption hashsize 8",
        "setoption hashsize 32",
        "isready",
        "position fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2 moves a9a8",
        "go time 9000 increment 10 opptime 8000 oppincrement 20",
    ];
    let from = told.iter().position(|line| line == expected[0]).unwrap();
    assert_eq!(told[from..][..6], expected, "{told:#?}");
    assert!(told[from + 6].starts_with("banmoves ") && !told[from + 6].contains("b0c2"));
    assert_eq!(told[from + 7], "go time 700 movestogo 1");
    assert!(told.iter().any(|line| line == "setoption newgame"), "{told:#?}");
    assert_eq!(told.last().unwrap(), "quit");
    all_gone(&folder, 1);
}

#[test]
fn a_uci_engine_behind_a_ucci_gui() {
    let folder = Folder::new();
    let mut live = GOOD.start(&folder, &[]);
    live.ask("ucci\nuci\n", "ucciok");
    live.has_heard("id name Fake + juzhong ");
    live.has_heard("option usemillisec type check default false");
    live.has_heard("option hashsize type spin default 16 min 1 max 64");
    live.has_heard("option Clear_Hash type button");
    assert!(!live.heard.iter().any(|line| line == "uciok"));
    assert_eq!(live.ask("stop\n", "nobestmove"), "nobestmove");
    live.say("setoption hashsize 32\nsetoption Clear_Hash\n");
    let text = "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\n\
                go time 5 increment 1 opptime 4\n";
    assert_eq!(live.ask(text, "bestmove"), "bestmove b0c2 ponder b9c7");
    live.has_heard("info time 2 nodes 9");
    live.has_heard("info depth 7 score 33 pv b0c2");
    live.say("setoption usemillisec true\ngo time 5000 movestogo 9\n");
    live.wait("bestmove");
    live.say("setoption newgame\n");
    assert_eq!(live.ask("probe startpos\n", "pophash"), "pophash");
    assert_eq!(live.ask("quit\n", "bye"), "bye");
    live.end();
    let told = told(&folder);
    for line in [
        "setoption name Hash value 32",
        "setoption name Clear Hash",
        "go wtime 5000 winc 1000 btime 4000 binc 1000",
        "go wtime 5000 btime 5000 movestogo 9",
        "ucinewgame",
    ] {
        assert!(told.iter().any(|heard| heard == line), "no `{line}` in {told:#?}");
    }
}

#[test]
fn an_engine_that_ends_at_uci_is_asked_in_ucci() {
    let folder = Folder::new();
    let hello = format!("uci) exit;;\n{}", GOOD_UCCI.hello);
    let mut live = Fake { hello: &hello, ..GOOD_UCCI }.start(&folder, &[]);
    live.ask("uci\n", "uciok");
    live.has_heard("id name Alt + juzhong ");
    assert_eq!(live.ask("go depth 3\n", "bestmove"), "bestmove b0c2 ponder b9c7");
    live.end();
    all_gone(&folder, 2);
}

#[test]
fn ranks_are_counted_as_each_side_does() {
    let folder = Folder::new();
    let fairy = Fake {
        hello: "uci) echo id name Fairy; \
                echo option name UCI_Variant type combo default chess var chess var xiangqi; \
                echo uciok;;",
        go: "echo info depth 2 score cp 5 pv b1c3 b10c8; echo bestmove b1c3 ponder b10c8",
        ..GOOD
    };
    let mut live = fairy.start(&folder, &[]);
    live.ask("uci\n", "uciok");
    let answer = live.ask("position startpos moves h2e2 h9g7\ngo depth 2\n", "bestmove");
    assert_eq!(answer, "bestmove b0c2 ponder b9c7");
    live.has_heard("info depth 2 score cp 5 pv b0c2 b9c7");
    let text = "setoption name UCI_Variant value xiangqi\n\
                position startpos moves h3e3 h10g8\ngo depth 2\n";
    assert_eq!(live.ask(text, "bestmove"), "bestmove b1c3 ponder b10c8");
    live.end();
    let told = told(&folder);
    assert_eq!(told[1], "setoption name UCI_Variant value xiangqi");
    assert_eq!(told.iter().filter(|line| line.ends_with("moves h3e3 h10g8")).count(), 2);
}

#[test]
fn pondering_is_passed_through() {
    let folder = Folder::new();
    let ponderer = Fake {
        hello: "uci) echo uciok;;\nponderhit) echo bestmove b0c2;;",
        go: "echo info depth 1 score cp 1 pv b0c2",
        stop: "echo bestmove h0g2",
        ..GOOD
    };
    let mut live = ponderer.start(&folder, &[]);
    live.say("uci\nposition startpos\ngo ponder wtime 9000 btime 9000\n");
    live.wait("info depth 1");
    live.hears_no("bestmove", Duration::from_millis(50));
    assert_eq!(live.ask("ponderhit\n", "bestmove"), "bestmove b0c2");
    live.say("go ponder wtime 9000 btime 9000\n");
    live.wait("info depth 1");
    assert_eq!(live.ask("stop\n", "bestmove"), "bestmove h0g2");
    // One that answers too early is held back.
    live.end();
    let folder = Folder::new();
    let mut live = GOOD.start(&folder, &[]);
    live.say("uci\nposition startpos\ngo ponder wtime 9000 btime 9000\n");
    live.hears_no("bestmove", Duration::from_millis(100));
    assert_eq!(live.ask("ponderhit\n", "bestmove"), "bestmove b0c2 ponder b9c7");
    live.end();
}

#[test]
fn an_offer_with_ponderhit_reaches_the_engine() {
    let folder = Folder::new();
    let hello = format!(
        "{}\nponderhit*) [ $(wc -l <$here/ids) -eq 1 ] && sleep 0.2 && exit 4;;",
        GOOD_UCCI.hello
    );
    let go = "case \"$line\" in *ponder*) ;; *) echo bestmove b0c2;; esac";
    let ponderer = Fake { hello: &hello, go, ..GOOD_UCCI };
    let mut live = ponderer.start(&folder, &["--protocol", "ucci"]);
    live.ask("ucci\nisready\n", "readyok");
    live.say("position startpos\ngo ponder time 90 increment 0\n");
    live.hears_no("bestmove", Duration::from_millis(100));
    assert_eq!(live.ask("ponderhit draw\n", "bestmove"), "bestmove b0c2");
    live.end();
    let told = told(&folder);
    let searches: Vec<&String> =
        told.iter().filter(|line| line.starts_with("go") || line.contains("hit")).collect();
    assert_eq!(searches[1], "ponderhit draw", "{told:#?}");
    // One that is started again learns of it too.
    assert!(searches[2].starts_with("go draw time 8"), "{told:#?}");
}

#[test]
fn an_engine_of_ucci_need_not_know_isready() {
    let folder = Folder::new();
    let hello = format!("{}\nisready) ;;", GOOD_UCCI.hello);
    let fake = Fake { hello: &hello, ..GOOD_UCCI };
    let mut live = fake.start(&folder, &["--protocol", "ucci", "--patience", "4"]);
    live.ask("ucci\n", "ucciok");
    let began = Instant::now();
    for _ in 0..4 {
        live.ask("isready\n", "readyok");
    }
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    live.end();
    assert_eq!(told(&folder).iter().filter(|line| *line == "isready").count(), 1);
}

#[test]
fn one_that_cannot_be_started_is_an_error() {
    fails(&["proxy", "--engine", "/nonexistent/engine"], 69, &["/nonexistent/engine"]);
    fails(&["proxy", "--engine", "x 'y"], 2, &["a quote is not closed"]);
    fails(&["proxy", "--engine", "sh", "--protocol", "xboard"], 2, &["uci, ucci, cyclone"]);
    fails(&["proxy", "--engine", "sh", "--hash", "99999999"], 2, &["choose 1 to 32768"]);
    fails(&["proxy", "--engine", "sh", "--threads", "0"], 2, &["choose 1 to 256"]);
}

/// The GUI gets its introduction and a legal move all the same, from this program.
#[track_caller]
fn plays_by_itself(fake: &Fake<'_>, processes: usize) {
    let folder = Folder::new();
    let mut live = fake.start(&folder, &SHORT);
    live.ask("uci\n", "uciok");
    live.has_heard("juzhong plays on by itself");
    live.ask("isready\n", "readyok");
    let began = Instant::now();
    let answer = live.ask("position startpos moves h2e2\ngo movetime 300\n", "bestmove");
    legal(&answer, "h2e2");
    live.has_heard("info depth 1 ");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    live.say("go infinite\n");
    live.hears_no("bestmove", Duration::from_millis(50));
    legal(&live.ask("stop\n", "bestmove"), "h2e2");
    live.say("quit\n");
    live.end();
    all_gone(&folder, processes);
}

#[test]
fn never_answers_the_handshake() {
    plays_by_itself(&Fake { hello: "", ..GOOD }, 2);
    plays_by_itself(&Fake { first: "sleep 100", ..GOOD }, 2);
}

#[test]
fn crashes_at_start() {
    plays_by_itself(&Fake { first: "exit 3", ..GOOD }, 2);
    plays_by_itself(&Fake { first: "kill -9 $$", ..GOOD }, 2);
}

#[test]
fn closes_its_output_but_stays() {
    plays_by_itself(&Fake { first: "exec >&-; sleep 100", ..GOOD }, 2);
}

#[test]
fn babbles_without_end() {
    plays_by_itself(&Fake { first: "while :; do echo garbage; done", ..GOOD }, 2);
    plays_by_itself(&Fake { first: "cat /dev/zero", ..GOOD }, 2);
}

/// After a first failure the engine is there again, with its options and position.
#[track_caller]
fn recovers(fake: &Fake<'_>, word: &str) {
    let folder = Folder::new();
    let mut live = fake.start(&folder, &SHORT);
    live.ask("uci\nsetoption name Hash value 32\nisready\n", "readyok");
    let answer = live.ask("position startpos moves h2e2 h9g7\ngo depth 5\n", "bestmove");
    assert_eq!(answer, "bestmove b0c2 ponder b9c7");
    live.has_heard(word);
    live.has_heard("it is started again");
    live.say("quit\n");
    live.end();
    let told = told(&folder);
    for line in ["setoption name Hash value 32", "position startpos moves h2e2 h9g7", "go depth 5"]
    {
        assert_eq!(told.iter().filter(|heard| *heard == line).count(), 2, "{line} {told:#?}");
    }
    all_gone(&folder, 2);
}

#[test]
fn crashes_in_mid_search_once() {
    let go = format!("{ONCE} echo sorry >&2 && exit 4; {}", GOOD.go);
    recovers(&Fake { go: &go, ..GOOD }, "exit status: 4) while thinking: sorry");
    let go = format!("{ONCE} kill -9 $$; {}", GOOD.go);
    recovers(&Fake { go: &go, ..GOOD }, "signal: 9");
    let go = format!("{ONCE} exec >&-; {}", GOOD.go);
    recovers(&Fake { go: &go, ..GOOD }, "its output is closed");
}

#[test]
fn crashes_twice() {
    let folder = Folder::new();
    let mut live = Fake { go: "exit 4", ..GOOD }.start(&folder, &SHORT);
    live.ask("uci\n", "uciok");
    let answer = live.ask("position startpos moves h2e2\ngo depth 3\n", "bestmove");
    legal(&answer, "h2e2");
    live.has_heard("it is started again");
    live.has_heard("juzhong plays on by itself");
    live.has_heard("info depth 3 ");
    live.ask("isready\n", "readyok");
    legal(&live.ask("position startpos\ngo wtime 1000 btime 1000\n", "bestmove"), "");
    live.end();
    all_gone(&folder, 2);
}

/// With so many milliseconds on the clock, a legal move comes before the flag falls.
#[track_caller]
fn answers_in_time(live: &mut Live, position: &str, clock: u64) {
    let began = Instant::now();
    let answer =
        live.ask(&format!("{position}go wtime {clock} btime {clock} winc 10\n"), "bestmove");
    let took = began.elapsed();
    legal(&answer, "");
    assert!(took < Duration::from_millis(clock), "{took:?} of {clock} ms");
}

#[test]
fn a_silent_or_slow_engine_does_not_lose_on_time() {
    for (go, stop) in [("", ""), ("sleep 100", ""), ("", "sleep 0.3; echo bestmove h0g2")] {
        let folder = Folder::new();
        let mut live = Fake { go, stop, ..GOOD }.start(&folder, &SHORT);
        live.ask("uci\nisready\n", "readyok");
        answers_in_time(&mut live, "position startpos\n", 1000);
        live.end();
    }
    // An engine that crashes at the end of its time.
    let folder = Folder::new();
    let mut live = Fake { go: "sleep 0.5; exit 4", ..GOOD }.start(&folder, &SHORT);
    live.ask("uci\nisready\n", "readyok");
    answers_in_time(&mut live, "position startpos\n", 800);
    live.end();
}

/// With so many milliseconds for a move, a legal one comes not much later.
#[track_caller]
fn answers_soon(live: &mut Live, position: &str, time: u64) {
    let began = Instant::now();
    let answer = live.ask(&format!("{position}go movetime {time}\n"), "bestmove");
    let took = began.elapsed();
    legal(&answer, "");
    assert!(took < Duration::from_millis(time + 800), "{took:?} for {time} ms");
}

#[test]
fn a_silent_or_slow_engine_is_not_late_for_a_move() {
    for (go, stop) in [("", ""), ("sleep 100", ""), ("", "sleep 2; echo bestmove h0g2")] {
        let folder = Folder::new();
        let patience = ["--patience", "3", "--protocol", "uci"];
        let mut live = Fake { go, stop, ..GOOD }.start(&folder, &patience);
        live.ask("uci\nisready\n", "readyok");
        answers_soon(&mut live, "position startpos\n", 300);
        live.end();
    }
    // One that crashes at the end of its time, and is slow to start again.
    let folder = Folder::new();
    let crashes = Fake { first: "[ $(wc -l <$here/ids) -eq 1 ] || sleep 2", ..GOOD };
    let mut live = Fake { go: "sleep 0.5; exit 4", ..crashes }.start(&folder, &SHORT);
    live.ask("uci\nisready\n", "readyok");
    let began = Instant::now();
    answers_soon(&mut live, "position startpos\n", 600);
    assert!(began.elapsed() < Duration::from_millis(850), "{:?}", began.elapsed());
    live.end();
}

#[test]
fn an_engine_that_is_late_for_a_move_is_kept() {
    let folder = Folder::new();
    let go = "case \"$line\" in *time*) ;; *) echo bestmove b0c2;; esac";
    let late = Fake { go, stop: "sleep 0.4; echo bestmove h0g2", ..GOOD };
    let mut live = late.start(&folder, &["--patience", "3", "--protocol", "uci"]);
    live.ask("uci\nisready\n", "readyok");
    for _ in 0..3 {
        answers_in_time(&mut live, "position startpos moves\n", 1000);
        live.has_heard("Fake is late");
    }
    answers_soon(&mut live, "position startpos moves\n", 300);
    // What it is told meanwhile it hears when it is free; its late answer is nobody's.
    let text = "setoption name Hash value 32\nposition startpos moves h2e2 h9g7\ngo depth 5\n";
    assert_eq!(live.ask(text, "bestmove"), "bestmove b0c2");
    assert!(!live.heard.iter().any(|line| line.contains("started again")), "{:#?}", live.heard);
    live.say("quit\n");
    live.end();
    let told = told(&folder);
    let last: Vec<&str> = told.iter().rev().take(4).map(String::as_str).collect();
    let position = "position startpos moves h2e2 h9g7";
    assert_eq!(last, ["quit", "go depth 5", position, "setoption name Hash value 32"]);
    all_gone(&folder, 1);
}

#[test]
fn a_new_game_is_a_new_chance() {
    let folder = Folder::new();
    let go = "[ $(wc -l <$here/ids) -le 2 ] && exit 4; echo bestmove b0c2";
    let mut live = Fake { go, ..GOOD }.start(&folder, &SHORT);
    live.ask("uci\nisready\n", "readyok");
    legal(&live.ask("position startpos\ngo depth 2\n", "bestmove"), "");
    live.has_heard("juzhong plays on by itself");
    live.say("uxinewgame\n");
    assert_eq!(live.ask("position startpos\ngo depth 2\n", "bestmove"), "bestmove b0c2");
    live.say("uxinewgame\n");
    live.ask("isready\n", "readyok");
    live.end();
    assert_eq!(told(&folder).iter().filter(|line| *line == "ucinewgame").count(), 1);
    all_gone(&folder, 3);
}

#[test]
fn moves_to_look_at_may_come_first() {
    let mut live = Live::start(&own(), &[]);
    live.ask("uci\n", "uciok");
    let text = "position startpos\ngo searchmoves h2e2 b0c2 movetime 200\n";
    let mv = legal(&live.ask(text, "bestmove"), "");
    assert!(["h2e2", "b0c2"].contains(&mv.as_str()), "{mv}");
    // Where none of them is legal, all moves are looked at.
    legal(&live.ask("go searchmoves a0a9 depth 2\n", "bestmove"), "");
    live.end();
}

#[test]
fn a_banned_move_of_the_engine_is_replaced() {
    let folder = Folder::new();
    let mut live = GOOD.start(&folder, &[]);
    let text = "uci\nposition startpos\nbanmoves B0C2\ngo depth 1\n";
    assert!(!live.ask(text, "bestmove").starts_with("bestmove b0c2"));
    let text = "position startpos\ngo depth 1 searchmoves h2e2\n";
    assert_eq!(live.ask(text, "bestmove"), "bestmove h2e2");
    live.end();
}

#[test]
fn moves_are_written_as_the_gui_writes_them() {
    let folder = Folder::new();
    let mut live = Fake { go: "echo bestmove B0-C2 ponder B9C7", ..GOOD }.start(&folder, &[]);
    assert_eq!(
        live.ask("uci\nposition startpos\ngo depth 1\n", "bestmove"),
        "bestmove b0c2 ponder b9c7"
    );
    let text = "setoption name UCI_Variant value xiangqi\nposition startpos\ngo depth 1\n";
    assert_eq!(live.ask(text, "bestmove"), "bestmove b1c3 ponder b10c8");
    live.end();
}

/// UCCI wants `nobestmove` for a `stop` that comes when the search has just ended.
#[test]
fn the_answer_to_a_late_stop_is_nobodys() {
    let folder = Folder::new();
    let go = "case \"$line\" in *infinite*) echo info depth 1 score 1 pv b0c2;; \
              *) echo bestmove h0g2;; esac";
    let stop = "echo bestmove b0c2; echo nobestmove";
    let mut live = Fake { go, stop, ..GOOD_UCCI }.start(&folder, &["--protocol", "ucci"]);
    live.ask("uci\nisready\n", "readyok");
    for _ in 0..3 {
        live.say("position startpos\ngo infinite\n");
        live.wait("info depth 1");
        live.say("stop\nposition startpos\ngo depth 1\n");
        assert_eq!(live.wait("bestmove"), "bestmove b0c2");
        assert_eq!(live.wait("bestmove"), "bestmove h0g2");
    }
    live.end();
}

#[test]
fn many_commands_wait_in_little_time() {
    let mut live = Live::start(&own(), &[]);
    live.ask("uci\nisready\n", "readyok");
    let moves = "b0c2 b9c7 c2b0 c7b9 ".repeat(30);
    let began = Instant::now();
    live.say("go movetime 100\n");
    live.say(&format!("position startpos moves {moves}\n").repeat(3000));
    live.wait("bestmove");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    legal(&live.ask("go depth 2\n", "bestmove"), "");
    live.end();
}

#[test]
fn goes_silent_after_go() {
    let folder = Folder::new();
    let silent = Fake { go: "echo info depth 4 score cp 1 pv g3g4; sleep 100", ..GOOD };
    let mut live = silent.start(&folder, &SHORT);
    live.ask("uci\nisready\n", "readyok");
    let began = Instant::now();
    let answer = live.ask("position startpos\ngo movetime 200\n", "bestmove");
    assert_eq!(answer, "bestmove g3g4");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    live.has_heard("Fake is late: g3g4 is the move of its best line so far");
    live.wait("info string sh: no answer within 1 s while thinking");
    answers_in_time(&mut live, "position startpos\n", 3000);
    legal(&live.ask("go depth 2\n", "bestmove"), "");
    live.say("quit\n");
    live.end();
    all_gone(&folder, 2);
}

#[test]
fn answers_late_after_stop() {
    let folder = Folder::new();
    let late = Fake { go: "", stop: "sleep 2; echo bestmove h0g2", ..GOOD };
    let mut live = late.start(&folder, &SHORT);
    live.ask("uci\n", "uciok");
    live.say("go infinite\n");
    live.hears_no("bestmove", Duration::from_millis(50));
    let answer = live.ask("stop\n", "bestmove");
    legal(&answer, "");
    live.has_heard("no answer within 1 s while thinking");
    // The late answer is nobody's.
    live.hears_no("bestmove", Duration::from_millis(1500));
    live.say("quit\n");
    live.end();
    all_gone(&folder, 2);
}

#[test]
fn plays_moves_that_are_not_legal() {
    let folder = Folder::new();
    for wrong in ["bestmove a0a9", "bestmove", "bestmove (none)", "bestmove \u{fffd}", "nobestmove"]
    {
        let go = format!("echo '{wrong}'");
        let mut live = Fake { go: &go, ..GOOD }.start(&folder, &[]);
        let text = "uci\nposition startpos moves h2e2\ngo movetime 300\n";
        legal(&live.ask(text, "bestmove"), "h2e2");
        live.has_heard("juzhong");
        live.say("quit\n");
        live.end();
    }
}

#[test]
fn garbage_and_huge_lines_do_no_harm() {
    let folder = Folder::new();
    let garbage = "printf 'info depth 1 score \\001\\377 pv\\n'; printf '\\000\\n'; \
                   head -c 1000000 /dev/zero | tr '\\0' x; echo; \
                   i=0; while [ $i -lt 3000 ]; do echo odd line; i=$((i+1)); done; \
                   echo readyok; echo uciok; echo option name x type string;";
    let go = format!("{garbage} {}", GOOD.go);
    let mut live = Fake { go: &go, ..GOOD }.start(&folder, &[]);
    live.ask("uci\n", "uciok");
    let answer = live.ask("position startpos\ngo depth 3\n", "bestmove");
    assert_eq!(answer, "bestmove b0c2 ponder b9c7");
    let count = |text: &str| live.heard.iter().filter(|line| *line == text).count();
    assert_eq!((count("uciok"), count("readyok")), (1, 0));
    assert!((500..1000).contains(&count("odd line")), "{}", count("odd line"));
    assert!(live.heard.iter().all(|line| line.len() <= 1 << 16));
    live.has_heard("Fake says too much");
    live.end();
}

#[test]
fn does_not_read_its_commands() {
    let folder = Folder::new();
    let deaf = Fake { go: "sleep 100", ..GOOD };
    let mut live = deaf.start(&folder, &SHORT);
    live.ask("uci\n", "uciok");
    let long = format!("unknown {}\n", "x".repeat(10_000));
    live.say("go infinite\n");
    live.say(&long.repeat(300));
    legal(&live.ask("stop\n", "bestmove"), "");
    live.has_heard("info string sh: does not read its commands");
    live.ask("isready\n", "readyok");
    live.say("quit\n");
    live.end();
    all_gone(&folder, 2);
}

#[test]
fn one_that_ignores_quit_is_ended() {
    let folder = Folder::new();
    let fake = Fake { quit: "", go: "sleep 100 & echo info depth 1 score cp 1 pv b0c2", ..GOOD };
    let mut live = fake.start(&folder, &SHORT);
    live.ask("uci\ngo infinite\n", "info depth 1");
    let began = Instant::now();
    live.say("quit\n");
    live.end();
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    all_gone(&folder, 1);
}

#[test]
fn the_introduction_comes_even_if_quit_came_with_the_question() {
    let folder = Folder::new();
    let slow = Fake { hello: "uci) sleep 0.3; echo id name Fake; echo uciok;;", ..GOOD };
    let mut live = slow.start(&folder, &SHORT);
    live.say("uci\nquit\n");
    live.wait("uciok");
    live.has_heard("id name Fake");
    live.end();
    let silent = Fake { hello: "uci) ;;", ..GOOD };
    let mut live = silent.start(&folder, &["--patience", "20"]);
    let began = Instant::now();
    live.say("uci\nquit\n");
    live.end();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

/// As `juzhong uci` does: the search that runs is answered, what waits is not begun.
#[test]
fn what_runs_at_quit_is_answered() {
    let answers = |heard: &[String]| heard.iter().filter(|l| l.starts_with("bestmove")).count();
    for go in ["go movetime 30000", "go infinite", "go ponder wtime 9000 btime 9000", "go depth 5"]
    {
        let folder = Folder::new();
        let thinks = Fake { go: "echo info depth 1 score cp 1 pv b0c2", ..GOOD };
        let mut live = thinks.start(&folder, &SHORT);
        live.ask(&format!("uci\nposition startpos\n{go}\n"), "info depth 1");
        let began = Instant::now();
        assert_eq!(live.ask("quit\n", "bestmove"), "bestmove b0c2");
        assert_eq!(answers(&live.end()), 1);
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        // One of which nothing was heard yet, with all commands at once.
        let folder = Folder::new();
        let mut live = Fake { go: "sleep 100", ..GOOD }.start(&folder, &SHORT);
        live.say(&format!("uci\nisready\nposition startpos\n{go}\nquit\n"));
        legal(&live.wait("bestmove"), "");
        assert_eq!(answers(&live.end()), 1);
        all_gone(&folder, 1);
    }
    let folder = Folder::new();
    let mut live = Fake { go: "", ..GOOD_UCCI }.start(&folder, &["--protocol", "ucci"]);
    live.ask("ucci\nisready\n", "readyok");
    let heard = live.ask("position startpos\ngo time 90\nquit\n", "bestmove");
    legal(&heard, "");
    live.wait("bye");
    live.end();
}

#[test]
fn the_end_of_the_gui_is_the_end_of_the_engine() {
    let moments: [&[&str]; 7] = [
        &[""],
        &["uc"],
        &["uci\n"],
        &["uci\nisready\n"],
        &["uci\ngo infinite\n", "info depth"],
        &["uci\ngo ponder wtime 1000 btime 1000\n", "info depth"],
        &["uci\ngo movetime 300\nposition sta", "info depth"],
    ];
    for moment in moments {
        let folder = Folder::new();
        let command = format!("sh -c 'echo $$ >>\"{}\"; exec {}'", folder.at("ids"), own());
        let mut live = Live::start(&command, &SHORT);
        live.say(moment[0]);
        if let Some(start) = moment.get(1) {
            live.wait(start);
        }
        let heard = live.end();
        let answers = heard.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(answers, usize::from(moment.len() > 1), "{moment:?} {heard:#?}");
        all_gone(&folder, 1);
    }
}

#[test]
fn a_signal_ends_the_engine_too() {
    let folder = Folder::new();
    let fake = Fake { quit: "", go: "echo info depth 1 score cp 1 pv b0c2; sleep 100", ..GOOD };
    let mut live = fake.start(&folder, &SHORT);
    live.ask("uci\ngo infinite\n", "info depth 1");
    let id = live.process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let end = Instant::now() + SOON;
    while live.process.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(5));
    }
    all_gone(&folder, 1);
}

#[test]
fn half_lines_are_put_together() {
    let mut live = Live::start(&own(), &[]);
    for part in ["u", "ci\r", "\nposi", "tion startpos moves h2", "e2\ngo dep"] {
        live.say(part);
        std::thread::sleep(Duration::from_millis(5));
    }
    legal(&live.ask("th 2\n", "bestmove"), "h2e2");
    live.say("\u{0}\u{1}xyz\nposition fen x y z\nposition\nsetoption\ngo\nstop\n");
    live.wait("bestmove");
    live.end();
}

#[test]
fn it_can_stand_behind_itself() {
    let folder = Folder::new();
    let inner = GOOD.write(&folder).replace('\'', "");
    let outer = format!("{PROGRAM} proxy --hash 1 --engine '{inner}'");
    let mut live = Live::start(&outer, &[]);
    live.ask("ucci\n", "ucciok");
    live.has_heard("option JzTables type string");
    live.has_heard("option JzJzTables type string");
    let answer = live.ask("position startpos\ngo depth 3\n", "bestmove");
    assert_eq!(answer, "bestmove b0c2 ponder b9c7");
    live.end();
    all_gone(&folder, 1);
}
