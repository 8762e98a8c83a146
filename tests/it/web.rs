//! The web server from the outside: its answers are those of the command line, and nobody else's page reaches it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use juzhong::book::BuildOptions;
use serde_json::{Value, json};

use crate::support::books::book_of;
use crate::support::folder::Folder;
use crate::support::program::{
    command, exits, json as json_of, json_with_code, juzhong, ok, with_slashes,
};

/// A server with a book and tables, ended with the test.
struct Server {
    folder: Folder,
    child: Child,
    /// Host and port.
    host: String,
    token: String,
}

/// An answer as it came.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

const GAMES: &str = "[Result \"1-0\"]\n1. h2e2 h9g7 2. h0g2 i9h9 1-0\n\n[Result \"1/2-1/2\"]\n1. h2e2 b9c7 1/2-1/2\n\n\
                     [Result \"0-1\"]\n1. g3g4 g6g5 0-1\n";

impl Server {
    /// The folder of what it keeps, as answers are compared.
    fn shown_folder(&self) -> String {
        let folder = self.folder.path().to_str().unwrap();
        if cfg!(windows) { folder.replace('\\', "/") } else { folder.to_owned() }
    }

    /// A folder with the book and the tables.
    fn folder() -> Folder {
        let folder = Folder::new();
        book_of(folder.path(), "a.book", GAMES, BuildOptions::default());
        ok(&["tablebase", "generate", "KRvK", "--tables", &folder.at("tables")]);
        folder
    }

    fn start(more: &[&str]) -> Self {
        Self::again(Self::folder(), more)
    }

    fn again(folder: Folder, more: &[&str]) -> Self {
        let (book, tables) = (folder.at("a.book"), folder.at("tables"));
        let played = folder.at("played");
        let args = ["serve", "--port", "0", "--book", &book, "--tables", &tables, "--hash", "4"];
        let args = [&args[..], &["--autosave", &played]].concat();
        let mut command = command(&[&args[..], more].concat());
        // Indexes of libraries lie in the folder, too.
        command.env("XDG_CACHE_HOME", folder.at("cache"));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let address = lines.next().unwrap();
        let host = address.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let (_, token) = lines
            .next()
            .map(|line| {
                line.rsplit_once("#token=").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap()
            })
            .unwrap();
        Self { folder, child, host, token }
    }

    /// Sends a request as it is and reads the answer to its end.
    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A server that refuses a request need not read all of it; under Wine nobody learns that it has gone.
        stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
        let _written = stream.write_all(request);
        let mut bytes = Vec::new();
        let _closed = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_ascii_lowercase(), body: bytes[end + 4..].to_vec() }
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let Self { host, .. } = self;
        let len = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len}\r\n{headers}\r\n{body}"
        );
        self.raw(request.as_bytes())
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", "")
    }

    /// The JSON of a successful answer.
    #[track_caller]
    fn answer(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = format!("Content-Type: application/json\r\nX-Token: {}\r\n", self.token);
        self.request("POST", path, &headers, &body.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// The answers of the server that programs and the page read, byte for byte; the commands' own are in `cli::golden`.
#[test]
fn answers_stay_as_they_are() {
    let server = Server::start(&[]);
    for (name, path) in [
        ("legal", "/api/legal?moves=h2e2"),
        ("eval", "/api/eval?moves=h2e2"),
        ("line", "/api/line?moves=h2e2,h9g7&notation=chinese&rules=asian"),
        ("line_gomoku", "/api/line?game=gomoku&moves=h8,i9"),
        ("read", "/api/read?moves=h2e2&text=%E9%A9%AC8%E8%BF%9B7"),
        ("read_refused", "/api/read?moves=h2e2&text=h9h8"),
        ("book", "/api/book?moves=h2e2"),
        ("book_games", "/api/book/games?moves=h2e2"),
        ("table", "/api/table?fen=3k5/9/9/9/9/9/9/9/4R4/4K4%20w"),
        ("table_line", "/api/table/line?fen=3k5/9/9/9/9/9/9/9/4R4/4K4%20w"),
        ("table_absent", "/api/table?fen=3k5/9/9/9/9/9/9/9/3NN4/4K4%20w"),
        ("tables", "/api/tables"),
        ("tables_set", "/api/tables/KRvK"),
        ("solve", "/api/solve?moves=h8,a1,h9,a2,h10,a3,h11"),
        ("games_absent", "/api/games"),
        ("autosave", "/api/autosave"),
        ("misprint", "/api/legal?move=h2e2"),
        ("bad_fen", "/api/legal?fen=9/9"),
        ("nowhere", "/api/nowhere"),
    ] {
        for lang in ["en", "zh"] {
            let mark = if path.contains('?') { '&' } else { '?' };
            let answer = server.get(&format!("{path}{mark}lang={lang}"));
            let shown = format!("{path}\n{} {}", answer.status, answer.text());
            let folder = server.shown_folder();
            let shown =
                with_slashes(&shown).replace(&server.token, "TOKEN").replace(&folder, "FOLDER");
            insta::assert_snapshot!(format!("{name}_{lang}"), shown);
        }
    }
    let refused = server.get("/api/legal?rules=foo&lang=zh").text();
    assert!(refused.contains("没有规则“foo”"), "{refused}");
    let opened = server.request("POST", "/api/open?index=1&name=a.pgn", "", GAMES);
    insta::assert_snapshot!("open", opened.text());
}

/// The answers that change from one request to the next, and streams of events, without times.
#[test]
fn answers_of_the_engine_and_of_games_stay_as_they_are() {
    let folder = Folder::new();
    folder.write("one.pgn", GAMES);
    let library = folder.at("one.pgn");
    let server = Server::start(&["--library", &library, "--threads", "1"]);
    let own = server.shown_folder();
    let shown = |path: &str, answer: &Answer| {
        let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let text = with_slashes(&answer.text())
            .replace(&own, "FOLDER")
            .replace(&version, "\"version\":\"V\"");
        // The lengths of a stream's pieces change with the times in them.
        let is_length = |line: &str| u64::from_str_radix(line.trim(), 16).is_ok();
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !is_length(line));
        let lines: Vec<String> = lines.map(without_times).collect();
        format!("{path}\n{} {}", answer.status, lines.join("\n"))
    };
    for (name, path) in [
        ("meta", "/api/meta"),
        ("analyse", "/api/analyse?nodes=300&moves=h2e2&notation=chinese&multipv=2"),
        ("analyse_mate", "/api/analyse?depth=4&fen=3k5/9/9/9/9/9/9/9/4R4/4K4%20w"),
        ("games", "/api/games?search=1-0"),
        ("games_moves", "/api/games/moves?moves=h2e2&notation=wxf"),
        ("games_one", "/api/games/1"),
        ("chessdb_all", "/chessdb?action=queryall&json=1&board=3k5/9/9/9/9/9/9/9/4R4/4K4%20w"),
        ("chessdb_pv", "/chessdb?action=querypv&json=1&board=3k5/9/9/9/9/9/9/9/4R4/4K4%20w"),
    ] {
        insta::assert_snapshot!(name, shown(path, &server.get(path)));
    }
    let game = json!({"moves": "h2e2 h9g7 h0g2", "result": "*", "tags": {"Red": "a"}});
    for (name, path, body) in [
        (
            "move",
            "/api/move",
            json!({"moves": "h2e2", "nodes": 200, "movetime": 60_000, "book": false}),
        ),
        ("review", "/api/review?nodes=50&notation=wxf", game.clone()),
        ("autosave_kept", "/api/autosave?id=g-1", game),
        ("edit_refused", "/api/book/edit", json!({"edit": {"move": "h2e9", "weight": 5}})),
    ] {
        insta::assert_snapshot!(name, shown(path, &server.post(path, &body)));
    }
    let kept = server.get("/api/autosave");
    insta::assert_snapshot!("autosave_list", shown("/api/autosave", &kept));
}

/// A line of an answer with every member that is a time as 0.
fn without_times(line: &str) -> String {
    ["time_ms", "nps", "saved"].iter().fold(line.to_owned(), |line, name| {
        let member = format!("\"{name}\":");
        let Some((before, after)) = line.split_once(&member) else { return line };
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{before}{member}0{rest}")
    })
}

const ROOK: &str = "3k5/9/9/9/9/9/9/9/4R4/4K4%20w";

#[test]
fn answers_are_those_of_the_command_line() {
    let server = Server::start(&[]);
    let (book, tables) = (server.folder.at("a.book"), server.folder.at("tables"));
    assert_eq!(server.get("/healthz").text(), "ok");
    assert_eq!(server.answer("/api/legal?moves=h2e2"), json_of(&["position", "--moves", "h2e2"]));
    let gomoku = json_of(&["position", "--game", "gomoku", "--moves", "h8 i9"]);
    assert_eq!(server.answer("/api/legal?game=gomoku&moves=h8+i9"), gomoku);
    let eval = json_of(&["position", "--eval", "--fen", "startpos"]);
    assert_eq!(server.answer("/api/eval?fen=startpos"), eval);
    let args = ["book", "query", &book, "--moves", "h2e2", "--notation", "chinese"];
    assert_eq!(server.answer("/api/book?moves=h2e2&notation=chinese"), json_of(&args));
    assert_eq!(server.answer("/api/book?book=a&moves=h2e2&notation=chinese"), json_of(&args));
    let fen = ROOK.replace("%20", " ");
    let args = ["tablebase", "probe", "--tables", &tables, "--fen", &fen];
    assert_eq!(server.answer(&format!("/api/table?fen={ROOK}")), json_of(&args));
    let args = ["tablebase", "stats", "KRvK", "--tables", &tables];
    assert_eq!(server.answer("/api/tables/KRvK"), json_of(&args));
    let args = ["tablebase", "list", "--tables", &tables];
    assert_eq!(server.answer("/api/tables"), json_of(&args));
    let illegal = json_with_code(&["position", "--fen", "4k4/9/9/9/9/9/9/9/9/4K4 w"], 65);
    assert_eq!(server.answer("/api/legal?fen=4k4/9/9/9/9/9/9/9/9/4K4%20w"), illegal);
}

#[test]
fn lines_moves_and_games_are_read_and_written() {
    let server = Server::start(&[]);
    let line = server.answer("/api/line?moves=h2e2,h9g7&notation=chinese");
    assert_eq!(line["moves"][1]["text"], "马８进７");
    let read = server.answer("/api/read?moves=h2e2&text=%E9%A9%AC8%E8%BF%9B7");
    assert_eq!(read["move"], "h9g7");
    let ended = server.answer(&format!("/api/table/line?fen={ROOK}"));
    assert!(!ended["moves"].as_array().unwrap().is_empty(), "{ended}");
    let random = server.answer("/api/table/random?set=KRvK&wdl=win");
    assert_eq!(random["wdl"], "win");
    let opened = server.request("POST", "/api/open?index=1", "", GAMES);
    let opened = opened.json();
    assert_eq!((&opened["total"], &opened["games"][2]["result"]), (&json!(3), &json!("0-1")));
    assert_eq!(opened["game"]["moves"], "h2e2 b9c7");
    assert_eq!((&opened["breaks_off"], &opened["ends"]), (&json!(0), &json!(null)));
    // A game is opened up to its first illegal move, and that is said.
    let broken = "[Red \"a\"]\n\n1. h2e2 h9g7 2. h0g2 h9g8 *\n";
    let answer = server.request("POST", "/api/open?name=my.pgn", "", broken).json();
    assert_eq!((&answer["bad"], &answer["breaks_off"]), (&json!(0), &json!(1)));
    assert_eq!(answer["game"]["moves"], "h2e2 h9g7 h0g2");
    let ends =
        "my.pgn:3: game 1 ends before move 2 of Black: \"h9g8\" is illegal: no piece stands there";
    assert_eq!(answer["ends"], ends);
    let illegal = "[Red \"a\"]\n\n1. h2h8 *\n";
    let answer = server.request("POST", "/api/open?name=my.pgn", "", illegal).json();
    assert_eq!((&answer["game"]["moves"], &answer["breaks_off"]), (&json!(""), &json!(1)));
    let ends = answer["ends"].as_str().unwrap();
    assert!(ends.starts_with("my.pgn:3: game 1 ends before move 1 of Red: \"h2h8\""), "{ends}");
    let answer = server.request("POST", "/api/open?name=my.pgn", "", "1. h2h8 *\n");
    assert_eq!(answer.status, 400, "{}", answer.text());
    // What was passed over is counted, and a null move is named.
    let odd = "[Red \"a\"]\n\n1. h2e2 ± novelty h9g7 2. -- i9h9 *\n";
    let answer = server.request("POST", "/api/open", "", odd).json();
    assert_eq!((&answer["game"]["moves"], &answer["words"]), (&json!("h2e2 h9g7"), &json!(2)));
    assert_eq!(answer["note"], "the game has a null move; it was read up to there");
    let ends = "text:1: game 1 ends before move 2 of Red: a null move";
    assert_eq!(answer["ends"], ends);
    let saved = server.request("POST", "/api/save?format=pgn", "", &opened["game"].to_string());
    assert!(
        saved.text().contains("1. 炮二平五 马２进３") && saved.head.contains("game.pgn"),
        "{}",
        saved.text()
    );
    let moved = server.post("/api/move", &json!({"moves": "h2e2", "movetime": 50, "level": 1}));
    assert_eq!(moved.json()["source"], "book", "{}", moved.text());
    let moved = server.post("/api/move", &json!({"game": "gomoku", "moves": "h8", "nodes": 100}));
    assert_eq!(moved.json()["source"], "search", "{}", moved.text());
}

#[test]
fn games_are_converted_as_the_command_line_does() {
    let server = Server::start(&[]);
    let pgn = server.folder.write("games.pgn", GAMES);
    for (to, notation) in [("pgn", "wxf"), ("jsonl", "uci"), ("plain", "chinese")] {
        let out = server.folder.at(&format!("out.{to}"));
        ok(&["convert", &pgn, "-o", &out, "--to", to, "--notation", notation]);
        let path = format!("/api/convert?to={to}&notation={notation}");
        let answer = server.request("POST", &path, "", GAMES);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.head.contains("\r\nx-bad-games: 0"), "{}", answer.head);
        assert_eq!(answer.text(), std::fs::read_to_string(out).unwrap());
    }
    let bad = format!("{GAMES}\n[FEN \"9/9 w\"]\n1. a0a1 *\n");
    let answer = server.request("POST", "/api/convert?to=pgn", "", &bad);
    assert!(answer.head.contains("\r\nx-bad-games: 1"), "{}", answer.head);
    for (path, body) in [
        ("/api/convert?to=xqf", GAMES),
        ("/api/convert?to=sgf", GAMES),
        ("/api/convert?to=pgn", "no game"),
    ] {
        let answer = server.request("POST", path, "", body);
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
    }
}

#[test]
fn played_games_are_kept_in_a_folder() {
    let server = Server::start(&[]);
    assert_eq!(server.answer("/api/autosave")["games"], json!([]));
    assert_eq!(server.answer("/api/meta")["autosave"], true);
    let game = |moves: &str| json!({"moves": moves, "result": "*", "tags": {"Red": "<b>甲</b>"}});
    for (moves, plies) in [("h2e2", 1), ("h2e2 h9g7", 2)] {
        let answer = server.post("/api/autosave?id=g-1", &game(moves));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let file = answer.json()["file"].as_str().unwrap().to_owned();
        let kept = json_of(&["convert", &file, "-o", &server.folder.at("out.pgn")]);
        assert_eq!(kept["games"], 1);
        let list = server.answer("/api/autosave");
        let [entry] = &list["games"].as_array().unwrap()[..] else { panic!("{list}") };
        assert_eq!((&entry["id"], &entry["plies"]), (&json!("g-1"), &json!(plies)));
        assert_eq!(entry["first"], "<b>甲</b>");
        let whole = server.answer("/api/autosave/g-1");
        assert_eq!(whole["game"]["moves"], moves);
        std::fs::remove_file(server.folder.at("out.pgn")).unwrap();
    }
    assert_eq!(server.answer("/api/autosave?game=gomoku")["games"], json!([]));
    let body = game("h2e2").to_string();
    let answer = server.request("POST", "/api/autosave?id=g-2", "", &body);
    assert_eq!((answer.status, answer.json()["code"].as_str()), (403, Some("token")));
    for id in ["", "..", "a%2Fb", "A", "%00", &"a".repeat(41)] {
        let answer = server.post(&format!("/api/autosave?id={id}"), &game("h2e2"));
        assert_eq!(answer.status, 400, "{id}: {}", answer.text());
        assert_ne!(server.get(&format!("/api/autosave/{id}")).status, 500, "{id}");
    }
    let answer = server.post("/api/autosave?id=g-3", &json!({"moves": "a0a9"}));
    assert_eq!(answer.status, 400);
    let long = json!({"moves": "h2e2", "result": "*", "tags": {"Event": "a".repeat(2 << 20)}});
    assert_eq!(server.post("/api/autosave?id=g-4", &long).status, 413);
    let names = std::fs::read_dir(server.folder.at("played")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["g-1.jsonl"]);
}

/// A database of gomoku: so many games by players and of a tournament with that name.
fn database(games: usize, name: &str) -> String {
    let game = "<game id=\"1\" tournament=\"1\" black=\"1\" white=\"1\"><move>h8 i9</move></game>";
    format!(
        "<database><players><player id=\"1\" name=\"{name}\"/></players><tournaments>\
         <tournament id=\"1\" name=\"{name}\"/></tournaments><games>{}</games></database>",
        game.repeat(games)
    )
}

/// A size that Linux states of a process, in MiB: `VmRSS` is its memory now, `VmHWM` the most that it has had.
#[cfg(target_os = "linux")]
fn memory(child: &Child, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn small_files_have_no_huge_answers() {
    let server = Server::start(&[]);
    // A text that thousands of games share.
    let shared = database(3_000, &"T".repeat(500_000));
    let answer = server.request("POST", "/api/open?game=gomoku&index=5", "", &shared);
    let opened = answer.json();
    assert_eq!((answer.status, opened["total"].as_u64()), (200, Some(3_000)));
    assert_eq!(opened["games"][7]["event"].as_str().map(str::len), Some(200));
    assert!(answer.body.len() < 5_000_000, "{}", answer.body.len());
    let answer = server.request("POST", "/api/convert?game=gomoku&to=jsonl", "", &shared);
    assert!(answer.status == 200 && answer.body.len() < 20 << 20, "{}", answer.body.len());
    // An answer that would be too long.
    let doubled = database(75_000, &"\\".repeat(1_000));
    assert!(doubled.len() < 8 << 20);
    let answer = server.request("POST", "/api/convert?game=gomoku&to=jsonl", "", &doubled);
    assert_eq!((answer.status, &answer.json()["code"]), (413, &json!("too_long")));
    // Messages that quote what is wrong.
    let word = format!("[Event \"x\"]\n\n1. h2e2 *\n\n[{}]\n", "x".repeat(2_000_000));
    let answer = server.request("POST", "/api/open?index=9", "", &word);
    assert!(answer.status == 400 && answer.body.len() < 10_000, "{}", answer.body.len());
    assert_eq!(server.get("/healthz").text(), "ok");
    let most = memory(&server.child, "VmHWM");
    assert!(most < 400, "{most} MiB");
}

/// Searches on ever new threads leave nothing of theirs behind.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn searches_give_their_memory_back() {
    let server = Server::start(&["--threads", "2"]);
    let before = memory(&server.child, "VmRSS");
    for _ in 0..6 {
        std::thread::scope(|clients| {
            for client in 0..4 {
                let path = format!("/api/analyse?nodes=2000&threads=2&client=c{client}");
                let server = &server;
                clients.spawn(move || {
                    // Where others search it is asked again.
                    let status = loop {
                        match server.get(&path).status {
                            503 => std::thread::sleep(Duration::from_millis(10)),
                            status => break status,
                        }
                    };
                    assert_eq!(status, 200);
                });
            }
        });
    }
    let after = memory(&server.child, "VmRSS");
    assert!(after < before + 40, "{before} MiB, then {after} MiB");
}

/// Without the memory that a request may need it is refused; the server stays.
#[cfg(target_os = "linux")]
#[test]
fn a_request_without_memory_ends_alone() {
    let server = Server::start(&[]);
    let process = rustix::process::Pid::from_raw(server.child.id().cast_signed());
    let status = std::fs::read_to_string(format!("/proc/{}/statm", server.child.id())).unwrap();
    let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
    let limit = Some(pages * 4096 + (200 << 20));
    let limits = rustix::process::Rlimit { current: limit, maximum: limit };
    rustix::process::prlimit(process, rustix::process::Resource::As, limits).unwrap();
    let game = "[Event \"x\"]\n\n1. h2e2 *\n\n";
    let large = game.repeat((6 << 20) / game.len());
    for _ in 0..3 {
        let answer = server.request("POST", "/api/open", "", &large);
        assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("memory")));
        let answer = server.request("POST", "/api/open", "", GAMES);
        assert_eq!((answer.status, &answer.json()["total"]), (200, &json!(3)));
    }
}

#[test]
fn gomoku_is_proved_as_the_command_line_does() {
    let server = Server::start(&[]);
    let fen = "o13o/15/15/15/15/15/15/3oxxx8/7x7/7x7/15/15/15/15/o13o x 5";
    let path = format!("/api/solve?game=gomoku&fen={}", fen.replace(' ', "%20"));
    let mut answer = server.answer(&path);
    let texts = answer.as_object_mut().unwrap().remove("texts").unwrap();
    assert_eq!(texts, answer["line"]);
    assert_eq!(answer, json_of(&["solve", "--game", "gomoku", "--fen", fen]));
    let answer = server.answer("/api/solve?game=gomoku&moves=h8&nodes=1000");
    assert_eq!(answer["value"], "unknown");
    assert_eq!(server.get("/api/solve").status, 400);
    assert_eq!(server.get("/api/solve?game=gomoku&seconds=0").status, 400);
}

/// Many read while one edits: whoever asks after an edit was answered sees it, now and later.
#[test]
fn answers_after_an_edit_show_it() {
    let server = Server::start(&[]);
    let weight = |at: usize| {
        let answer = server.answer(&format!("/api/book?notation=wxf&min_games={at}"));
        answer["moves"][0]["weight"].clone()
    };
    for round in 100..110 {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..8).for_each(|_| drop(weight(0))));
            }
            let edit = json!({"edit": {"move": "h2e2", "weight": round}});
            assert_eq!(server.post("/api/book/edit", &edit).json()["changed"], 1);
            assert_eq!(weight(0), json!(round));
        });
        assert_eq!((0..4).map(|_| weight(1)).collect::<Vec<_>>(), vec![json!(round); 4]);
    }
    // By another process.
    let book = server.folder.at("a.book");
    ok(&["book", "edit", &book, "--move", "h2e2", "--weight", "7"]);
    assert_eq!(weight(0), json!(7));
    assert_eq!(server.answer("/api/meta")["xiangqi"]["books"][0]["games"], 3);
    // Another book in its place, and none.
    std::fs::remove_file(&book).unwrap();
    // On Windows the name of a file may stay as long as it is open.
    if cfg!(unix) {
        assert_eq!(server.get("/api/book").status, 503);
    }
    book_of(server.folder.path(), "a.book", "1. c3c4 *\n", BuildOptions::default());
    assert_eq!(server.answer("/api/book")["moves"][0]["move"], "g3g4");
    assert_eq!(server.answer("/api/meta")["xiangqi"]["books"][0]["games"], 1);
    std::fs::write(&book, "no book").unwrap();
    let answer = server.get("/api/book");
    assert_eq!((answer.status, answer.json()["code"].as_str()), (500, Some("damaged")));
    let meta = server.answer("/api/meta");
    assert_eq!(meta["xiangqi"]["books"][0]["writable"], false, "{meta}");
}

/// A server that is killed while many read and one edits has every edit on disk that it answered.
#[cfg(unix)] // under Wine its clients wait for ever
#[test]
fn a_server_killed_under_load_loses_no_answered_edit() {
    let mut server = Server::start(&[]);
    for start in [1_000, 2_000, 3_000] {
        let answered = std::thread::scope(|scope| {
            for at in 0..4 {
                let host = &server.host;
                scope.spawn(move || {
                    let request = format!(
                        "GET /api/book?min_games={at} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
                    );
                    while let Ok(mut stream) = TcpStream::connect(host) {
                        let mut answer = Vec::new();
                        let sent = stream.write_all(request.as_bytes());
                        if sent.and_then(|()| stream.read_to_end(&mut answer)).is_err() {
                            break;
                        }
                    }
                });
            }
            let (sender, killed) = std::sync::mpsc::channel();
            let editor = scope.spawn({
                let (host, token) = (server.host.clone(), server.token.clone());
                move || {
                    let mut answered = None;
                    for weight in start.. {
                        let body = json!({"edit": {"move": "h2e2", "weight": weight}}).to_string();
                        let request = format!(
                            "POST /api/book/edit HTTP/1.1\r\nHost: {host}\r\nX-Token: {token}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                            body.len()
                        );
                        let Ok(mut stream) = TcpStream::connect(&host) else { break };
                        let mut answer = String::new();
                        let sent = stream.write_all(request.as_bytes());
                        let read = sent.and_then(|()| stream.read_to_string(&mut answer));
                        if read.is_err() || !answer.starts_with("HTTP/1.1 200") {
                            break;
                        }
                        answered = Some(weight);
                        sender.send(()).unwrap();
                    }
                    answered
                }
            });
            // In the middle of one of the next edits.
            (0..5).for_each(|_| killed.recv().unwrap());
            std::thread::sleep(Duration::from_millis(u64::from(start as u32 / 1_000)));
            server.child.kill().unwrap();
            editor.join().unwrap().unwrap()
        });
        server.child.wait().unwrap();
        let query = json_of(&["book", "query", &server.folder.at("a.book")]);
        let moves = query["moves"].as_array().unwrap();
        let found = moves.iter().find(|m| m["move"] == "h2e2").unwrap()["weight"].as_i64().unwrap();
        assert!((answered..=answered + 1).contains(&found), "{answered} {found}");
        let folder = std::mem::replace(&mut server.folder, Folder::new());
        server = Server::again(folder, &[]);
    }
}

#[test]
fn a_damaged_table_is_the_servers_fault() {
    let server = Server::start(&[]);
    let table = server.folder.at("tables/KRvK.asian.dtm.jzt");
    let bytes = std::fs::read(&table).unwrap();
    std::fs::write(&table, &bytes[..bytes.len() / 2]).unwrap();
    for path in [&format!("/api/table?fen={ROOK}"), "/api/tables/KRvK", "/api/tables"] {
        let answer = server.get(path);
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (500, Some("damaged")),
            "{path}"
        );
    }
}

#[test]
fn books_of_one_name_are_told_apart() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("other")).unwrap();
    book_of(&folder.path().join("other"), "a.book", "1. c3c4 *\n", BuildOptions::default());
    let server = Server::start(&["--book", &folder.at("other/a.book")]);
    let meta = server.answer("/api/meta");
    let names: Vec<_> =
        meta["xiangqi"]["books"].as_array().unwrap().iter().map(|book| &book["name"]).collect();
    assert_eq!(names, ["a", "a-2"]);
    assert_eq!(server.answer("/api/book?book=a-2")["total"], 1);
}

#[test]
fn parameters_that_an_address_does_not_have_are_refused() {
    let server = Server::start(&[]);
    for path in [
        "/api/book?min_share=5",
        "/api/legal?FEN=startpos",
        "/api/legal?moves=h2e2&moves=h9g7",
        "/api/table?game=gomoku",
        "/api/book?min_games=few",
        "/api/tables/%ff",
        "/api/games/%ff",
        "/api/legal?fen=%ff",
        "/api/table/random?set=KRvK&wdl=lost",
        "/api/table/random",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
        assert_eq!(answer.json()["code"], "bad_request", "{path}");
    }
    for path in ["/api/book?min_games=&book=&fen=&moves=&lang=", "/?utm_source=x", "/board.js?1"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    let answer = server.post("/api/move", &json!({"fen": "nonsense", "lang": "zh"}));
    assert!(!answer.json()["detail"].as_str().unwrap().is_ascii(), "{}", answer.text());
    let stats = json_of(&["tablebase", "stats", "KvKR", "--tables", &server.folder.at("tables")]);
    assert_eq!(server.answer("/api/tables/KvKR"), stats);
    let random = server.answer("/api/table/random?set=KvKR&wdl=loss");
    assert_eq!(random["wdl"], "loss", "{random}");
    assert_eq!(server.get("/api/table/random?set=KRvKN").json()["code"], "not_in_tables");
}

/// Clients that connect and say nothing, or do not read, keep nobody from the server's end.
#[cfg(unix)]
#[test]
fn a_crowd_of_silent_clients_is_refused() {
    let server = Server::start(&[]);
    let silent: Vec<TcpStream> =
        (0..700).filter_map(|_| TcpStream::connect(&server.host).ok()).collect();
    assert_eq!(silent.len(), 700);
    let refused = silent.iter().rev().take(50).filter(|&mut_stream| {
        let mut stream = mut_stream;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).is_ok_and(|()| start == *b"HTTP/1.1 503")
    });
    assert!(refused.count() > 40);
    let began = Instant::now();
    crate::support::program::signal(&server.child, "TERM");
    let mut server = server;
    while server.child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_library_that_changes_is_noticed() {
    let folder = Folder::new();
    folder.write("one.pgn", "[Red \"A\"]\n1. h2e2 h9g7 1-0\n");
    let server = Server::start(&["--library", &folder.at("")]);
    assert_eq!(server.answer("/api/games/0")["game"]["moves"], "h2e2 h9g7");
    folder.write("one.pgn", "[Red \"B\"]\n1. c3c4 *\n");
    let changed = || {
        let answer = server.get("/api/games/0");
        assert_eq!((answer.status, answer.json()["code"].as_str()), (404, Some("no_game")));
    };
    changed();
    std::fs::remove_file(folder.at("one.pgn")).unwrap();
    changed();
    #[cfg(unix)]
    {
        let other = Folder::new();
        let target = other.write("one.pgn", "[Red \"A\"]\n1. h2e2 h9g7 1-0\n");
        std::os::unix::fs::symlink(target, folder.at("one.pgn")).unwrap();
        changed();
    }
    let missing = folder.at("missing");
    exits(&["serve", "--port", "0", "--autosave", "none", "--library", &missing], 66);
    for name in ["", "http://a", "a:80", "a/b"] {
        exits(&["serve", "--port", "0", "--autosave", "none", "--allow-host", name], 2);
    }
}

/// Without books, tables and games the server offers its own: it answers before they are made, and opens the book while it
/// runs. With `--no-demo` it has none.
#[cfg(unix)] // the folder of the cache is named by a variable
#[test]
fn a_server_without_anything_makes_its_own_book() {
    let started = |folder: &Folder, more: &[&str]| {
        let args = ["serve", "--port", "0", "--autosave", "none"];
        let mut command = command(&[&args[..], more].concat());
        command.env("XDG_CACHE_HOME", folder.path()).env("HOME", folder.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let address = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
        let host = address.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        Server { folder: Folder::new(), child, host, token: String::new() }
    };
    let folder = Folder::new();
    let bare = started(&folder, &["--no-demo"]);
    let meta = bare.answer("/api/meta");
    assert!(meta.get("built_in").is_none() && meta["xiangqi"]["tables"].is_null(), "{meta}");
    assert_eq!(bare.get("/api/book").json()["code"], "no_book");
    let server = started(&folder, &[]);
    let begin = Instant::now();
    while server.get("/api/book").status != 200 {
        assert!(begin.elapsed() < Duration::from_secs(120), "{}", server.answer("/api/meta"));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(server.answer("/api/book")["total"].as_u64() > Some(100));
    let meta = server.answer("/api/meta");
    assert_eq!(meta["xiangqi"]["books"][0]["name"], "demo", "{meta}");
    assert!(meta["built_in"].get("error").is_none(), "{meta}");
    exits(&["serve", "--port", "0", "--demo", "--no-demo"], 2);
}

/// The description of the answers names the addresses that the server has.
#[test]
fn every_address_is_described() {
    let server = Server::start(&[]);
    let described = server.answer("/api/openapi.json");
    let paths = described["paths"].as_object().unwrap();
    let source = include_str!("../../src/web/mod.rs");
    let routes = source.split(".route(").skip(1);
    let mut routes: Vec<&str> = routes.filter_map(|route| route.split('"').nth(1)).collect();
    routes.sort_unstable();
    let mut known: Vec<&str> = paths.keys().map(String::as_str).collect();
    known.sort_unstable();
    assert_eq!(routes, known);
    assert_eq!(described["info"]["version"], env!("CARGO_PKG_VERSION"));
    let guide = include_str!("../../docs/reference/http.md");
    for path in known {
        let plain = path.split('{').next().unwrap();
        assert!(guide.contains(plain), "{path} is missing in docs/reference/http.md");
    }
}

#[test]
fn questions_for_chessdb_are_answered() {
    let server = Server::start(&[]);
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR%20w";
    let ask = |action: &str, board: &str| {
        let answer = server.get(&format!("/chessdb?action={action}&board={board}"));
        assert!(answer.head.contains("text/plain"), "{}", answer.head);
        answer.text()
    };
    let all = ask("queryall", start);
    assert!(all.starts_with("move:h2e2,score:"), "{all}");
    assert_eq!(all.split('|').count(), 2, "{all}");
    assert!(all.contains(",rank:2,note:! (2),winrate:75.00"), "{all}");
    assert_eq!(ask("querybest", start), "move:h2e2");
    assert!(ask("querypv", start).starts_with("score:"), "{all}");
    assert!(ask("queryscore", ROOK).starts_with("eval:299"));
    assert_eq!(ask("queryall", "nonsense"), "invalid board");
    assert_eq!(ask("queryall", &format!("{start}&learn=1&showall=1")), all);
    let detail = server.get("/api/book?fen=nonsense").json()["detail"].clone();
    assert!(!detail.as_str().unwrap().starts_with("--"), "{detail}");
    let unknown = "3k5/4a4/9/9/9/9/9/9/4R4/4K4%20w";
    assert_eq!(ask("queryall", unknown), "unknown");
    // The table of what a capture leaves is not there: the books are asked, as where there is no table.
    let mut server = server;
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let folder = std::mem::replace(&mut server.folder, Folder::new());
    std::fs::remove_file(folder.at("tables/KvK.asian.dtm.jzt")).unwrap();
    let server = Server::again(folder, &[]);
    let path = "/chessdb?action=queryall&board=3k5/3R5/9/9/9/9/9/9/9/5K3%20b";
    assert_eq!(server.get(path).text(), "unknown");
}

/// Whoever asks as chessdb.cn is asked gets its words, and its JSON, whatever is wrong.
#[test]
fn chessdb_answers_in_its_own_words() {
    let server = Server::start(&[]);
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR%20w";
    let lost = "3k5/4R4/9/9/9/9/9/9/9/3R1K3%20b";
    let unknown = "3k5/4a4/9/9/9/9/9/9/4R4/4K4%20w";
    for (question, text) in [
        (format!("action=queue&board={start}"), "ok"),
        (format!("action=store&board={start}&move=move:h2e2"), "ok"),
        (format!("action=store&board={start}&move=h2e2&score=12"), "tokenerror"),
        (format!("action=store&board={start}&move=h2h9x"), "invalid parameters"),
        (format!("action=querybest&board={unknown}"), "nobestmove"),
        (format!("action=querysearch&board={unknown}"), "nobestmove"),
        (format!("action=querylearn&board={start}"), "move:h2e2"),
        (format!("action=querysearch&board={start}"), "move:h2e2"),
        (format!("action=querypv&board={unknown}"), "unknown"),
        (format!("action=queryscore&board={unknown}"), "unknown"),
        (format!("action=queryall&board={lost}"), "checkmate"),
        (format!("action=queryrule&board={start}"), "invalid movelist"),
        (format!("action=queryrule&board={start}&movelist=h2e2|x"), "invalid movelist"),
        (format!("action=querybest&board={start}&ban=move:h2e2"), "move:g3g4"),
        ("action=querybest&board=nonsense".to_owned(), "invalid board"),
        ("action=queryall&board=9/9".to_owned(), "invalid board"),
        (format!("action=dance&board={start}"), "invalid parameters"),
        (format!("board={start}"), "invalid parameters"),
        ("action=queryall".to_owned(), "invalid parameters"),
        (String::new(), "invalid parameters"),
    ] {
        let answer = server.get(&format!("/chessdb.php?{question}"));
        assert_eq!((answer.status, answer.text().as_str()), (200, text), "{question}");
        assert!(answer.head.contains("text/plain"), "{question}: {}", answer.head);
        let answer = server.get(&format!("/chessdb?{question}&json=1"));
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
        let told = answer.json();
        match text.split_once("move:") {
            Some((_, mv)) => assert_eq!(told, json!({"status": "ok", "move": mv}), "{question}"),
            None => assert_eq!(told, json!({"status": text}), "{question}"),
        }
        // The same in a form, parts of it in the address.
        let form = "Content-Type: application/x-www-form-urlencoded\r\n";
        let posted = server.request("POST", "/chessdb?json=0", form, &question);
        assert_eq!((posted.status, posted.text().as_str()), (200, text), "{question}");
    }
    let loops = "b0c2|b9c7|c2b0|c7b9|b0c2|b9c7|c2b0";
    let rules = server.get(&format!("/chessdb?action=queryrule&board={start}&movelist={loops}"));
    let rules = rules.text();
    assert!(rules.contains("move:c7b9,rule:draw"), "{rules}");
    assert!(rules.contains("move:h9g7,rule:none"), "{rules}");
    let broken = server.request("POST", "/chessdb", "", "action=%zz&\u{1}\u{2}&board=\n");
    assert_eq!(broken.text(), "invalid parameters");
    // Requests that never come to the question.
    let large = "board=".to_owned() + &"9".repeat(9 << 20);
    let other = "Origin: https://other.example\r\n";
    for (answer, status) in [
        (server.request("PUT", "/chessdb.php", "", ""), 405),
        (server.request("POST", "/chessdb", "", &large), 413),
        (server.request("GET", "/chessdb?action=queryall", other, ""), 403),
    ] {
        assert_eq!((answer.status, answer.text().as_str()), (status, "invalid parameters"));
        assert!(answer.head.contains("text/plain"), "{}", answer.head);
    }
    let answer = server.request("PUT", "/chessdb?json=1", "", "");
    assert_eq!((answer.status, answer.json()), (405, json!({"status": "invalid parameters"})));
}

/// The order of moves, their ranks and marks, and the other questions say the same.
#[test]
fn chessdb_ranks_moves_as_it_orders_them() {
    let folder = Folder::new();
    // h2e2 is played most and does worst, h2d2 is rare and does best.
    let games = |mv: &str, result: &str, count: usize| {
        let answers =
            ["a9a8", "i9i8", "c6c5", "g6g5", "a6a5", "i6i5", "h9i7", "b9a7", "h7h6", "b7b6"];
        let game = |n: usize| {
            let (first, second) = (answers[n % 10], answers[(n + 5) % 10]);
            let more = ["a0a1", "i0i1", "a3a4", "i3i4", "e3e4", "c3c4", "b0a2", "h0i2"][n % 8];
            format!("[Result \"{result}\"]\n1. {mv} {first} 2. {more} {second} {result}\n\n")
        };
        (0..count).map(game).collect::<String>()
    };
    let games = [
        games("h2e2", "0-1", 12),
        games("h2e2", "1/2-1/2", 20),
        games("g3g4", "1/2-1/2", 10),
        games("h2d2", "1-0", 6),
        games("h0g2", "0-1", 3),
    ];
    book_of(folder.path(), "a.book", &games.concat(), BuildOptions::default());
    ok(&["tablebase", "generate", "KRvKN", "--tables", &folder.at("tables")]);
    let server = Server::again(folder, &[]);
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR%20w";
    for board in [start, "4k4/9/9/9/9/9/4n4/9/9/R3K4%20w", "4k4/9/9/9/9/9/4n4/9/9/R3K4%20b"] {
        let all = server.answer(&format!("/chessdb?action=queryall&board={board}&json=1"));
        let moves = all["moves"].as_array().unwrap();
        assert!(moves.len() >= 3, "{all}");
        let of = |mv: &Value| (mv["score"].as_i64().unwrap(), mv["rank"].as_i64().unwrap());
        assert_eq!(of(&moves[0]).1, 2, "{all}");
        for (one, next) in moves.iter().zip(&moves[1..]) {
            let ((score, rank), (less, lower)) = (of(one), of(next));
            assert!(score >= less && rank >= lower, "{all}");
        }
        for mv in moves {
            let mark = mv["note"].as_str().unwrap().chars().next();
            let rank = usize::try_from(of(mv).1).unwrap();
            assert_eq!(mark, "?*!".chars().nth(rank), "{all}");
        }
        let ask = |action| server.answer(&format!("/chessdb?action={action}&board={board}&json=1"));
        assert_eq!(ask("querybest")["move"], moves[0]["uci"]);
        assert_eq!(ask("queryscore")["eval"], moves[0]["score"]);
        assert_eq!(ask("querypv")["pv"][0], moves[0]["uci"]);
        let text = server.get(&format!("/chessdb?action=queryall&board={board}")).text();
        let first = format!("move:{},", moves[0]["uci"].as_str().unwrap());
        assert!(text.starts_with(&first), "{text}");
    }
}

#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let server = Server::start(&[]);
    for (path, status, code) in [
        ("/api/legal?fen=nonsense", 400, "bad_request"),
        ("/api/legal?moves=a0a9", 400, "bad_request"),
        ("/api/legal?game=chess", 400, "bad_request"),
        ("/api/legal?notation=x", 400, "bad_request"),
        ("/api/book?book=other", 404, "no_book"),
        ("/api/book?game=gomoku", 404, "no_book"),
        ("/api/book?min_games=many", 400, "bad_request"),
        ("/api/table", 404, "not_in_tables"),
        ("/api/tables/KQvK", 400, "bad_request"),
        ("/api/tables/KNvK", 404, "not_in_tables"),
        ("/api/analyse?multipv=0", 400, "bad_request"),
        ("/api/analyse?evaluation=best", 400, "bad_request"),
        ("/api/nothing", 404, "not_found"),
        ("/../Cargo.toml", 404, "not_found"),
        ("/%2e%2e/Cargo.toml", 404, "not_found"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.head.contains("application/problem+json"), "{path}: {}", answer.head);
        let problem = answer.json();
        assert_eq!(
            (&problem["code"], &problem["status"]),
            (&json!(code), &json!(status)),
            "{path}"
        );
    }
    let hint = server.get("/api/tables/KNvK").json()["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("tablebase generate KNvK"), "{hint}");
    let chinese = server.get("/api/book?book=other&lang=zh").json();
    assert!(chinese["detail"].as_str().unwrap().contains("开局库"), "{chinese}");
    let method = server.request("PUT", "/api/legal", "", "");
    assert_eq!((method.status, &method.json()["code"]), (405, &json!("method")));
    let broken = server.request("POST", "/api/move", "", "{");
    assert_eq!(broken.status, 400, "{}", broken.text());
    let long = "x".repeat((8 << 20) + 1);
    assert_eq!(server.request("POST", "/api/open", "", &long).json()["code"], "too_long");
    let moves = format!("/api/legal?moves={}", "h2e2+e2h2+".repeat(5_000));
    assert!([400, 414].contains(&server.get(&moves).status));
}

#[test]
fn only_its_own_page_may_ask_and_only_the_token_may_write() {
    let server = Server::start(&[]);
    let with = |headers: &str| {
        let request = format!("GET /api/meta HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        server.raw(request.as_bytes())
    };
    let own = format!("Host: {}\r\n", server.host);
    assert_eq!(with(&own).status, 200);
    let port = server.host.rsplit_once(':').unwrap().1.to_owned();
    assert_eq!(with(&format!("Host: localhost:{port}\r\n")).status, 200);
    let twice = format!("{own}{own}");
    assert_eq!(with(&twice).json()["code"], "other_host");
    let strange = |line: &str| {
        let request = format!("{line} HTTP/1.1\r\n{own}Connection: close\r\n\r\n");
        server.raw(request.as_bytes()).json()["code"].clone()
    };
    assert_eq!(strange("GET http://example.com/api/meta"), "other_host");
    assert_eq!(strange(&format!("CONNECT {}", server.host)), "method");
    for other in
        ["Host: example.com\r\n", "Host: 127.0.0.1:1\r\n", "Host: localhost\r\n", "Host: \r\n"]
    {
        assert_eq!(with(other).json()["code"], "other_host", "{other}");
    }
    for origin in ["http://example.com", "null", "https://localhost", "http://127.0.0.1:1"] {
        let answer = with(&format!("{own}Origin: {origin}\r\n"));
        assert_eq!(answer.json()["code"], "other_origin", "{origin}");
    }
    let two = format!("{own}Origin: http://{}\r\nOrigin: http://example.com\r\n", server.host);
    assert_eq!(with(&two).json()["code"], "other_origin");
    for (headers, is_refused) in [
        ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", true),
        ("Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n", true),
        ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n", true),
        ("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n", false),
        ("Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n", false),
    ] {
        let answer = with(&format!("{own}{headers}"));
        assert_eq!(answer.status == 403, is_refused, "{headers}");
    }
    // A link to the page may be anywhere.
    let headers = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
    assert_eq!(server.request("GET", "/?fen=startpos", headers, "").status, 200);
    let proxied = Server::start(&["--allow-host", "board.example"]);
    for (origin, status) in [
        ("https://board.example", 200),
        ("http://board.example", 200),
        ("https://other.example", 403),
        ("ftp://board.example", 403),
    ] {
        let request = format!(
            "GET /api/meta HTTP/1.1\r\nHost: board.example\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(proxied.raw(request.as_bytes()).status, status, "{origin}");
    }
    let same = with(&format!("{own}Origin: http://{}\r\n", server.host));
    assert_eq!(same.status, 200);
    for header in ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff"]
    {
        assert!(same.head.contains(header), "{}", same.head);
    }
    assert!(!same.head.contains("access-control-allow"), "{}", same.head);
    let edit = json!({"edit": {"move": "h2e2", "weight": 7}}).to_string();
    for token in ["", "X-Token: x\r\n", &format!("X-Token: {}0\r\n", server.token)] {
        let refused = server.request("POST", "/api/book/edit", token, &edit);
        assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("token")));
    }
}

#[test]
fn an_edit_that_was_answered_is_on_disk() {
    let mut server = Server::start(&[]);
    let weight = |server: &Server| {
        let moves = server.answer("/api/book")["moves"].clone();
        moves.as_array().unwrap().iter().find(|m| m["move"] == "h2e2").unwrap()["weight"].clone()
    };
    let before = weight(&server);
    for number in [70, 71] {
        let edit = json!({"edit": {"move": "h2e2", "weight": number, "comment": "<b>bold</b>"}});
        assert_eq!(server.post("/api/book/edit", &edit).json()["changed"], 1);
        assert_eq!(weight(&server), json!(number));
    }
    // Killed, not ended.
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let folder = std::mem::replace(&mut server.folder, Folder::new());
    let server = Server::again(folder, &[]);
    assert_eq!(weight(&server), json!(71));
    for expected in [json!(70), before] {
        let undone = server.post("/api/book/undo", &json!({}));
        assert_eq!(undone.status, 200, "{}", undone.text());
        assert_eq!(weight(&server), expected);
    }
    let wrong = json!({"edit": {"move": "a0a9", "weight": 1}});
    assert_eq!(server.post("/api/book/edit", &wrong).status, 400);
    let unknown = json!({"edit": {"move": "h2e2", "colour": "red"}});
    assert_eq!(server.post("/api/book/edit", &unknown).status, 400);
}

#[test]
fn a_library_is_listed_searched_and_opened() {
    let folder = Folder::new();
    folder.write("one.pgn", "[Red \"胡荣华\"]\n[Black \"柳大华\"]\n[Date \"1982.03.01\"]\n1. h2e2 h9g7 1-0\n\n1. z9z9 *\n\n[Red \"Bobby\"]\n1. c3c4 *\n");
    folder.write("two.txt", "h2e2 b9c7\n");
    let library = folder.at("");
    let server = Server::start(&["--library", &library]);
    let all = server.answer("/api/games");
    assert_eq!(all["total"], 3, "{all}");
    let found = server.answer("/api/games?search=%E8%83%A1+1982");
    let game = &found["games"][0];
    assert_eq!(
        (&found["total"], &game["year"], &game["file"]),
        (&json!(1), &json!("1982"), &json!("one.pgn"))
    );
    let id = game["id"].as_str().unwrap().to_owned();
    let opened = server.answer(&format!("/api/games/{id}"));
    assert_eq!(opened["game"]["moves"], "h2e2 h9g7");
    let last =
        server.answer("/api/games?search=bobby")["games"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.answer(&format!("/api/games/{last}"))["game"]["moves"], "c3c4");
    // The mirror image of a position is the same.
    for (moves, total) in [("h2e2", 2), ("b2e2", 2), ("h2e2+h9g7", 1), ("a3a4", 0)] {
        assert_eq!(server.answer(&format!("/api/games?moves={moves}"))["total"], total, "{moves}");
    }
    assert_eq!(server.get("/api/games/99").json()["code"], "no_game");
    assert_eq!(server.get("/api/games?page=x").status, 400);
    assert_eq!(Server::start(&[]).get("/api/games").json()["code"], "no_library");
}

#[test]
fn a_library_is_sorted_folded_and_linked() {
    let folder = Folder::new();
    let games = "[Red \"胡荣华\"]\n[Date \"1982\"]\n1. h2e2 h9g7 1-0\n\n[Red \"胡榮華\"]\n1. h2e2 h9g7 1-0\n\n[Red \"Bob\"]\n[Date \"1970\"]\n1. c3c4 c6c5 2. c4c6 *\n";
    let library = folder.write("a.pgn", games);
    let server = Server::start(&["--library", &library]);
    let folded = server.answer("/api/games?fold=true&sort=copies&descending=true");
    assert_eq!((&folded["total"], &folded["records"]), (&json!(2), &json!(3)));
    assert_eq!((&folded["games"][0]["copies"], &folded["indexing"]), (&json!(2), &Value::Null));
    let dated = server.answer("/api/games?sort=date");
    let ids: Vec<_> = dated["games"].as_array().unwrap().iter().map(|game| &game["id"]).collect();
    assert_eq!(ids, ["2", "0", "1"]);
    // Bob's game breaks off; it is found by its key, with the reason.
    let bob = &server.answer("/api/games?player=bob&partial=true")["games"][0];
    assert_eq!(bob["broken"], true);
    let opened = server.answer(&format!("/api/games/{}", bob["key"].as_str().unwrap()));
    assert_eq!(opened["game"]["moves"], "c3c4 c6c5");
    assert!(opened["ends"].as_str().unwrap().starts_with("a.pgn:"), "{opened}");
    for query in ["search=huronghua", "first=%E8%83%A1%E6%A6%AE%E8%8F%AF", "result=1-0"] {
        assert_eq!(server.answer(&format!("/api/games?{query}"))["total"], 2, "{query}");
    }
    for wrong in ["sort=colour", "result=won", "plies_from=x"] {
        assert_eq!(server.get(&format!("/api/games?{wrong}")).status, 400, "{wrong}");
    }
}

/// Moves counted in the games themselves are those of a book that is built of the games under the same conditions.
#[test]
fn moves_of_the_library_are_those_of_a_book() {
    let folder = Folder::new();
    let game = |(year, rating, moves, result): (u16, u16, &str, &str)| {
        let date = if year > 0 { format!("[Date \"{year}.05.01\"]\n") } else { String::new() };
        format!(
            "[Red \"A\"]\n{date}[RedElo \"{rating}\"]\n[BlackElo \"2400\"]\n[Result \"{result}\"]\n{moves} {result}\n\n"
        )
    };
    let games: String = [
        (1990, 2500, "1. h2e2 h9g7 2. h0g2 i9h9", "1-0"),
        (1995, 2300, "1. b2e2 b9c7 2. b0c2 a9b9", "0-1"),
        (2001, 2450, "1. h0g2 h9g7 2. b2e2 i9h9", "1/2-1/2"),
        (2010, 2500, "1. h2e2 b9c7 2. h0g2", "1-0"),
        (0, 2500, "1. h2e2 h7e7 2. h0g2", "0-1"),
        (2015, 2500, "1. g0e2 g6g5", "*"),
    ]
    .into_iter()
    .map(game)
    .collect();
    let pgn = folder.write("games.pgn", games);
    let server = Server::start(&["--library", &pgn]);
    let mut counted = 0;
    for (at, (query, options)) in [
        ("", &[][..]),
        ("year_from=1995", &["--since", "1995"]),
        ("year_to=2001&min_rating=2400", &["--until", "2001", "--min-rating", "2400"]),
        ("min_rating=2400", &["--min-rating", "2400"]),
        ("year_from=2100", &["--since", "2100"]),
    ]
    .into_iter()
    .enumerate()
    {
        let book = folder.at(&format!("{at}.book"));
        let build = [&["book", "build", &pgn, "-o", &book, "--min-games", "0"], options].concat();
        let is_built = juzhong(&build).status.success();
        for moves in ["", "h2e2", "b2e2", "h2e2 h9g7", "b2e2 b9c7 b0c2", "h2e2 h9g7 h0g2 i9h9"] {
            let path =
                format!("/api/games/moves?{query}&notation=wxf&moves={}", moves.replace(' ', "+"));
            let found = server.answer(&path);
            let plays = |answer: &Value| -> Vec<Value> {
                let mut moves = answer["moves"].as_array().unwrap().clone();
                for m in &mut moves {
                    let m = m.as_object_mut().unwrap();
                    m.retain(|name, _| !["games_after", "transposed", "origin"].contains(&&**name));
                }
                moves
            };
            let mut args = vec!["book", "query", &book, "--notation", "wxf"];
            if !moves.is_empty() {
                args.extend(["--moves", moves]);
            }
            args.push("--json");
            let known = match is_built {
                true => serde_json::from_slice(&juzhong(&args).stdout).unwrap(),
                false => json!({"moves": []}),
            };
            assert_eq!(plays(&found), plays(&known), "{query} {moves}");
            counted += plays(&found).len();
            let reached =
                server.answer(&path.replace("/moves", "").replace("notation=wxf&", ""))["total"]
                    .clone();
            assert_eq!(found["reached"], reached, "{query} {moves}");
        }
    }
    assert!(counted > 20, "{counted}");
    for wrong in ["year_from=x", "year_to=-1", "min_rating=70000"] {
        assert_eq!(server.get(&format!("/api/games/moves?{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn a_review_is_streamed() {
    let server = Server::start(&[]);
    let answer =
        server.request("POST", "/api/review?nodes=500", "", r#"{"moves":"h2e2 h9g7 e2e6"}"#);
    let text = answer.text();
    assert!(answer.head.contains("text/event-stream"), "{}", answer.head);
    let count = |event: &str| text.matches(&format!("event: {event}\n")).count();
    assert_eq!((count("move"), count("done")), (3, 1), "{text}");
    assert!(count("progress") >= 3 && text.contains("\"source\":\"book\""), "{text}");
    let data = |event: &str| -> Vec<Value> {
        let start = format!("event: {event}\ndata: ");
        let events = text.split(&start).skip(1);
        events.map(|rest| serde_json::from_str(rest.lines().next().unwrap()).unwrap()).collect()
    };
    let values = data("value");
    assert!(
        !values.is_empty() && values.iter().all(|value| value["ply"].as_u64() < Some(4)),
        "{text}"
    );
    let first = &data("move")[0];
    assert!(first["book"]["games"].as_u64() > Some(0) && first["accuracy"].is_number(), "{first}");
    let end = &data("done")[0];
    assert_eq!(
        (&end["sides"]["first"]["moves"], &end["sides"]["second"]["moves"]),
        (&json!(2), &json!(1))
    );
    assert!(end["sides"]["first"]["phases"]["opening"]["moves"].is_number(), "{end}");
    assert_eq!(server.request("POST", "/api/review", "", "no game").status, 400);
}

/// Requests have the evaluation that they name, else that of the server, which the settings may say.
#[test]
fn requests_choose_the_evaluation() {
    let servers = ["network", "classical"].map(|kind| Server::start(&["--evaluation", kind]));
    let settings = Folder::new();
    let settings = settings.write("config.toml", "[engine]\nevaluation = \"classical\"\n");
    let by_settings = Server::start(&["--config", &settings]);
    let reviewed = |server: &Server, more: &str| {
        let path = format!("/api/review?nodes=300{more}");
        server.request("POST", &path, "", r#"{"moves":"h2e2 h9g7 e2e6"}"#).text()
    };
    let moved = |server: &Server, evaluation: Value| {
        let wanted = json!({"moves": "h2e2", "nodes": 500, "movetime": 60_000, "book": false,
            "evaluation": evaluation});
        server.post("/api/move", &wanted).json()
    };
    let [network, classical] = &servers;
    let last = |text: String| text.rsplit_once("event: done").unwrap().1.to_owned();
    assert_ne!(last(reviewed(network, "")), last(reviewed(classical, "")));
    assert_eq!(last(reviewed(&by_settings, "")), last(reviewed(classical, "")));
    assert_ne!(moved(network, Value::Null), moved(classical, Value::Null));
    for kind in ["network", "classical"] {
        let more = format!("&evaluation={kind}");
        let [one, other] = servers.each_ref().map(|server| last(reviewed(server, &more)));
        assert_eq!(one, other);
        assert_eq!(moved(network, kind.into()), moved(classical, kind.into()));
    }
    assert_eq!(moved(network, "best".into())["code"], "bad_request");
}

/// The lines of a stream of events as they come.
fn events(server: &Server, path: &str) -> impl Iterator<Item = String> + use<> {
    let mut stream = TcpStream::connect(&server.host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.host);
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream).lines().map(Result::unwrap)
}

#[test]
fn a_search_is_streamed_and_ends_when_nobody_listens() {
    let server = Server::start(&[]);
    let lines: Vec<String> =
        events(&server, "/api/analyse?depth=3&multipv=2&notation=wxf").collect();
    let infos = lines.iter().filter(|line| line.contains("\"depth\":3")).count();
    assert_eq!(infos, 2, "{lines:?}");
    let done = lines.iter().position(|line| line == "event: done").expect("an end");
    let best: Value =
        serde_json::from_str(lines[done + 1].strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(best["source"], "search");
    // Twenty clients that go: were their searches to last, there would be no room for the next.
    for client in 0..20 {
        let mut lines = events(&server, &format!("/api/analyse?client={client}"));
        assert!(lines.any(|line| line.starts_with("event: info")));
    }
    // No more than there is room for.
    let mut running = Vec::new();
    let refused = (0..100).find_map(|client| {
        let mut lines = events(&server, &format!("/api/analyse?client=more{client}"));
        let status = lines.next().unwrap();
        running.push(lines);
        (!status.contains("200")).then_some(status)
    });
    assert!(refused.is_some_and(|status| status.contains("503")), "{} searches run", running.len());
    drop(running);
    // The second search of one client ends the first.
    let mut first = events(&server, "/api/analyse?client=same");
    assert!(first.any(|line| line.starts_with("event: info")));
    let began = Instant::now();
    assert!(events(&server, "/api/analyse?client=same&depth=2").any(|line| line == "event: done"));
    assert!(first.any(|line| line == "event: done"));
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[cfg(unix)]
#[test]
fn the_server_ends_when_it_is_asked_to() {
    let mut server = Server::start(&[]);
    let mut search = events(&server, "/api/analyse");
    search.next();
    let pid = rustix::process::Pid::from_raw(server.child.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let began = Instant::now();
    let status = server.child.wait().unwrap();
    assert!(status.success() && began.elapsed() < Duration::from_secs(2), "{status}");
    // The search was ended, not cut off.
    assert!(search.any(|line| line == "event: done"));
}

#[cfg(unix)]
mod engines {
    use super::*;
    use crate::support::fake_engines::{FakeEngine, GOOD, all_gone, heard};

    /// Engines that misbehave at `go`.
    const WRONG: [(&str, &str); 5] = [
        ("crash", "echo boom >&2; exit 3"),
        ("liar", "echo bestmove a0a9"),
        ("none", "echo 'bestmove (none)'"),
        ("hang", "sleep 600"),
        ("flood", "while :; do echo info depth 1 score cp 1 pv b0c2; done"),
    ];

    /// Engines that misbehave before.
    const WRONG_AT_START: [(&str, FakeEngine<'_>); 3] = [
        ("ends", FakeEngine { first: "exit 1", ..GOOD }),
        ("noready", FakeEngine { ready: "", ..GOOD }),
        ("newgame", FakeEngine { new_game: "exit 4", ..GOOD }),
    ];

    /// The folder with a settings file that has the engines `good` and the wrong ones.
    fn settings() -> (Folder, String) {
        let folder = Folder::new();
        let table = |name: &str, engine: FakeEngine<'_>| {
            let script = engine.write(&folder, name);
            format!("[engines.{name}]\ncommand = \"sh {script}\"\n")
        };
        let wrong = WRONG.map(|(name, go)| table(name, FakeEngine { go, ..GOOD }));
        let at_start = WRONG_AT_START.map(|(name, engine)| table(name, engine));
        let all = [table("good", GOOD), wrong.concat(), at_start.concat(), strong(&folder)];
        let file = folder.write("config.toml", all.concat());
        (folder, file)
    }

    /// The table of an engine with options for its strength and sizes.
    fn strong(folder: &Folder) -> String {
        let hello = "uci) echo id name Strong; echo id author Somebody; \
                     echo option name UCI_LimitStrength type check default false; \
                     echo option name UCI_Elo type spin default 1500 min 1000 max 2000; \
                     echo option name Log Level type spin default 0 min 0 max 9; \
                     echo option name Threads type spin default 1 min 1 max 8; echo uciok;;";
        let script = FakeEngine { hello, ..GOOD }.write(folder, "strong");
        format!("[engines.strong]\ncommand = \"sh {script}\"\nthreads = 2\n")
    }

    fn ids(folder: &Folder) -> usize {
        std::fs::read_to_string(folder.at("ids")).unwrap_or_default().lines().count()
    }

    /// Asks the server to end, and waits for it.
    fn end(mut server: Server) {
        assert!(crate::support::program::signal(&server.child, "INT"));
        let end = Instant::now() + Duration::from_secs(20);
        while server.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn engines_of_the_settings_search_for_requests() {
        let (folder, file) = settings();
        let server = Server::start(&["--config", &file]);
        let names = server.answer("/api/meta")["engines"].clone();
        let wrong = WRONG.map(|(name, _)| name).into_iter();
        let expected: Vec<&str> = std::iter::once("good")
            .chain(wrong)
            .chain(WRONG_AT_START.map(|(name, _)| name))
            .chain(["strong"])
            .collect();
        assert_eq!(names, json!(expected));
        let lines: Vec<String> =
            events(&server, "/api/analyse?engine=good&multipv=2&nodes=9").collect();
        let text = lines.join("\n");
        assert!(text.contains("event: info") && text.contains("\"multipv\":2"), "{text}");
        assert!(text.contains("event: done") && text.contains("\"move\":\"b0c2\""), "{text}");
        let wanted = json!({"engine": "good", "moves": "a0a1 a9a8", "movetime": 50});
        let moved = server.post("/api/move", &wanted);
        assert_eq!((moved.status, moved.json()["move"].clone()), (200, json!("b0c2")));
        // The same process has answered both.
        assert_eq!(ids(&folder), 1);
        // Books stand in front of it, unless the request says otherwise.
        let by_book = server.post("/api/move", &json!({"engine": "good"}));
        assert_eq!(by_book.json()["source"], "book");
        let alone = json!({"engine": "good", "book": false, "tables": false});
        assert_eq!(server.post("/api/move", &alone).json()["move"], "b0c2");
        let own = server.post("/api/move", &json!({"engine": "self", "movetime": 50}));
        assert_eq!(own.status, 200);
        let levels =
            server.post("/api/move", &json!({"engine": "good", "level": 3, "book": false}));
        assert_eq!(levels.status, 400);
        let named = json!({"engine": "good", "evaluation": "network", "book": false});
        assert_eq!(server.post("/api/move", &named).status, 400);
        // No command comes from a request.
        for name in ["nobody", "sh%20-c%20true", "%2Fbin%2Fsh"] {
            let refused = server.get(&format!("/api/analyse?engine={name}"));
            assert_eq!((refused.status, &refused.json()["code"]), (404, &json!("no_engine")));
        }
        end(server);
        all_gone(&folder);
    }

    /// Pickers leave engines of the other game out, and so do requests that name none.
    #[test]
    fn engines_are_offered_for_their_game() {
        let folder = Folder::new();
        let script = GOOD.write(&folder, "good");
        let table = |name: &str, rest: &str| {
            format!("[engines.{name}]\ncommand = \"sh {script}\"\n{rest}\n")
        };
        let tables = [
            table("fish", "game = \"xiangqi\""),
            table("pela", "protocol = \"gomocup\""),
            table("any", "protocol = \"uci\""),
        ];
        let file = folder.write("config.toml", tables.concat());
        let server = Server::start(&["--config", &file, "--engine", "fish"]);
        let meta = server.answer("/api/meta");
        assert_eq!(meta["engines"], json!(["fish", "pela", "any"]));
        assert_eq!(meta["xiangqi"]["engines"], json!(["fish", "any"]));
        assert_eq!(meta["gomoku"]["engines"], json!(["pela", "any"]));
        let wrong = json!({"game": "gomoku", "engine": "fish", "movetime": 50});
        let wrong = server.post("/api/move", &wrong);
        assert_eq!((wrong.status, &wrong.json()["code"]), (400, &json!("bad_request")));
        assert!(wrong.text().contains("fish is an engine of xiangqi"), "{}", wrong.text());
        let refused = server.get("/api/analyse?engine=pela&nodes=9");
        assert!(refused.text().contains("pela is an engine of gomoku"), "{}", refused.text());
        // Where none is named, the usual one makes moves of its own game only.
        let own = server.post("/api/move", &json!({"game": "gomoku", "movetime": 50}));
        assert_eq!(own.status, 200, "{}", own.text());
        let usual = server.post("/api/move", &json!({"movetime": 50, "book": false}));
        assert_eq!(usual.json()["move"], "b0c2");
        end(server);
        all_gone(&folder);
    }

    #[test]
    fn engines_that_misbehave_end_their_request_only() {
        let (folder, file) = settings();
        let server = Server::start(&["--config", &file]);
        for (name, _) in WRONG {
            let wanted = json!({"engine": name, "book": false, "tables": false, "movetime": 50});
            let moved = server.post("/api/move", &wanted);
            let body = moved.text();
            assert_eq!(
                (moved.status, &moved.json()["code"]),
                (502, &json!("engine")),
                "{name}: {body}"
            );
        }
        let text: String = events(&server, "/api/analyse?engine=crash&movetime=50").collect();
        assert!(text.contains("event: error") && text.contains("exit status: 3"), "{text}");
        assert_eq!(server.answer("/api/legal")["legal_moves"].as_array().unwrap().len(), 44);
        let good = json!({"engine": "good", "book": false, "movetime": 50});
        assert_eq!(server.post("/api/move", &good).status, 200);
        end(server);
        all_gone(&folder);
    }

    /// The name and the data of the last event of an analysis.
    fn last_event(server: &Server, path: &str) -> (String, Value) {
        let lines: Vec<String> = events(server, path).filter(|line| !line.is_empty()).collect();
        let at = lines.iter().rposition(|line| line.starts_with("event: ")).expect("an event");
        let data = lines[at + 1].strip_prefix("data: ").unwrap();
        (lines[at]["event: ".len()..].to_owned(), serde_json::from_str(data).unwrap())
    }

    #[test]
    fn analyses_by_engines_that_misbehave_end_in_words() {
        let (folder, file) = settings();
        let server = Server::start(&["--config", &file]);
        let mut names = WRONG.map(|(name, _)| name).to_vec();
        // That one is waited for longer.
        names.extend(WRONG_AT_START.map(|(name, _)| name).into_iter().filter(|&n| n != "noready"));
        for name in names {
            let began = Instant::now();
            let path = format!("/api/analyse?engine={name}&movetime=50");
            let (event, data) = last_event(&server, &path);
            assert!(began.elapsed() < Duration::from_secs(20), "{name}");
            assert_eq!(event, "error", "{name}: {data}");
            assert!(data["detail"].as_str().is_some_and(|text| text.len() > 5), "{name}: {data}");
            // The server goes on, and its own engine.
            let (event, _) = last_event(&server, "/api/analyse?engine=self&depth=2");
            assert_eq!(event, "done", "{name}");
        }
        end(server);
        all_gone(&folder);
    }

    #[test]
    fn engines_tell_what_may_be_asked_of_them() {
        let (folder, file) = settings();
        let server = Server::start(&["--config", &file, "--threads", "1"]);
        let strong = server.answer("/api/engine?engine=strong");
        let strength = json!({"default": 1500, "max": 2000, "min": 1000, "name": "UCI_Elo"});
        let expected = json!({
            "author": "Somebody", "hash": null, "lines": 1, "name": "strong", "protocol": "uci",
            "strengths": [strength], "threads": {"default": 2, "max": 2, "min": 1},
            "title": "Strong",
        });
        assert_eq!(strong, expected);
        let good = server.answer("/api/engine?engine=good");
        assert_eq!(good["hash"], json!({"default": 16, "max": 16, "min": 1}));
        let own = server.answer("/api/engine");
        assert_eq!(own["hash"], json!({"default": 4, "max": 4, "min": 1}));
        assert_eq!(server.get("/api/engine?engine=nobody").status, 404);
        assert_eq!(server.get("/api/engine?engine=ends").json()["code"], "engine");
        // The processes that told it search now, with what is asked for, and without it again.
        let path = "/api/analyse?engine=strong&threads=1&depth=3";
        assert_eq!(last_event(&server, path).0, "done");
        let wanted = json!({"engine": "strong", "strength": 1234, "depth": 5, "book": false});
        assert_eq!(server.post("/api/move", &wanted).status, 200);
        assert_eq!(last_event(&server, "/api/analyse?engine=strong&depth=4").0, "done");
        let heard = heard(&folder, "strong");
        let told: Vec<&str> = heard
            .iter()
            .map(String::as_str)
            .filter(|line| line.starts_with("setoption") || line.starts_with("go"))
            .collect();
        let told = told.join("\n").replace("setoption name ", "");
        assert_eq!(
            told,
            "Threads value 2\nThreads value 1\ngo depth 3\nThreads value 2\n\
             UCI_LimitStrength value true\nUCI_Elo value 1234\ngo depth 5\n\
             UCI_LimitStrength value false\nUCI_Elo value 1500\ngo depth 4"
        );
        // The one that ends was tried in two protocols.
        assert_eq!(ids(&folder), 4);
        let text = server.get("/api/analyse?threads=2").json();
        assert_eq!(text["status"], 400, "{text}");
        for (path, part) in [
            ("engine=strong&threads=3", "threads: a number from 1 to 2"),
            ("engine=strong&hash=3", "strong has no option for hash"),
            ("engine=good&hash=17", "hash: a number from 1 to 16"),
        ] {
            let (event, data) = last_event(&server, &format!("/api/analyse?{path}&depth=3"));
            assert!(event == "error" && data["detail"].as_str().unwrap().contains(part), "{data}");
        }
        for (name, strength) in [("strong", 999), ("good", 3), ("self", 3)] {
            let wanted = json!({"engine": name, "strength": strength, "book": false});
            assert_eq!(server.post("/api/move", &wanted).status, 400, "{name}");
        }
        end(server);
        all_gone(&folder);
    }

    #[test]
    fn two_engines_search_side_by_side() {
        let (folder, file) = settings();
        let server = Server::start(&["--config", &file]);
        let mut foreign = events(&server, "/api/analyse?engine=flood&client=a-second");
        assert!(foreign.any(|line| line == "event: info"));
        let mut own = events(&server, "/api/analyse?engine=self&client=a");
        assert!(own.any(|line| line == "event: info"));
        assert!(foreign.any(|line| line == "event: info"));
        drop((foreign, own));
        end(server);
        all_gone(&folder);
    }

    #[test]
    fn an_engine_that_hangs_does_not_outlive_the_server() {
        let (folder, file) = settings();
        let server = Server::start(&["--config", &file, "--engine", "hang"]);
        assert_eq!(server.answer("/api/meta")["engine"]["usual"], "hang");
        let search = events(&server, "/api/analyse");
        let end_of_wait = Instant::now() + Duration::from_secs(10);
        while ids(&folder) == 0 {
            assert!(Instant::now() < end_of_wait, "no engine was started");
            std::thread::sleep(Duration::from_millis(20));
        }
        end(server);
        drop(search);
        all_gone(&folder);
    }
}

/// A game as `review -o` writes it, in which Black's second move has a mark and a better line.
const REVIEWED: &str = "[Event \"a\"]\n\n1. h2e2 h9g7 2. h0g2 g6g5 $2 (2... i9h9 3. i0h0) *\n";

#[test]
fn exercises_are_asked_and_answered() {
    let folder = Server::folder();
    let (games, file) = (folder.write("reviewed.pgn", REVIEWED), folder.at("my.train"));
    let ending =
        folder.write("won.pgn", "[FEN \"3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1\"]\n\n1. a8a9 *\n");
    ok(&["train", &file, "--add", &games, &ending]);
    let server = Server::again(folder, &["--train", &file, "--today", "2026-01-10"]);
    assert_eq!(server.answer("/api/meta")["train"], true);
    let due = server.answer("/api/train?notation=chinese");
    insta::assert_snapshot!(
        "train",
        serde_json::to_string_pretty(&due)
            .unwrap()
            .replace(r"\\", "/")
            .replace(&server.shown_folder(), ".")
    );
    let page = server.answer("/api/train?from=1&limit=1");
    assert_eq!(page["exercises"], json!([server.answer("/api/train")["exercises"][1]]));
    assert_eq!(server.get("/api/train?limit=1000").status, 400);
    assert_eq!(server.answer("/api/train?game=gomoku")["exercises"], json!([]));

    let [mistake, ending] = [0, 1].map(|n| due["exercises"][n]["id"].clone());
    let answer = |id: &Value, mv: Value| {
        let answer = server.post("/api/train/answer", &json!({"id": id, "move": mv}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let before = std::fs::read(&file).unwrap();
    for (body, status) in [
        (json!({"id": mistake, "move": "a0a1"}), 400),
        (json!({"id": "0123456789abcdef", "move": "a0a1"}), 404),
        (json!({"id": "x".repeat(100_000), "move": "a0a1"}), 400),
        (json!({"id": mistake, "move": "a".repeat(1_000)}), 400),
        (json!({"id": 7}), 400),
    ] {
        let answer = server.post("/api/train/answer", &body);
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    let body = json!({"id": mistake, "move": "i9h9"}).to_string();
    assert_eq!(server.request("POST", "/api/train/answer", "", &body).status, 403);
    assert_eq!(std::fs::read(&file).unwrap(), before);

    let right = answer(&mistake, json!("I9-H9"));
    assert_eq!((&right["right"], &right["ground"]), (&json!(true), &json!("accepted")), "{right}");
    let wrong = answer(&ending, json!("a8d8"));
    assert_eq!(
        (&wrong["right"], &wrong["ground"], &wrong["table"]["wdl"]),
        (&json!(false), &json!("table"), &json!("draw"))
    );
    assert_eq!(wrong["accepted"][0]["move"], "a8a9");
    assert_eq!((&wrong["due"], &wrong["days"]), (&json!("2026-01-11"), &json!(1)));
    assert_eq!(server.answer("/api/train")["due"], 0);
    let given_up = answer(&ending, Value::Null);
    assert_eq!((&given_up["right"], &given_up["move"]), (&json!(false), &Value::Null));
    let known = answer(&ending, json!("a8a9"));
    assert_eq!((&known["right"], &known["ground"]), (&json!(true), &json!("accepted")));
    // A file that breaks meanwhile is the server's fault, and stays as it is.
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(server.get("/api/train").status, 500);
    assert_eq!(server.post("/api/train/answer", &json!({"id": ending})).status, 500);
    assert_eq!(std::fs::read(&file).unwrap(), b"{}");
}

#[test]
fn moments_of_a_game_are_judged_and_kept() {
    let folder = Server::folder();
    let file = folder.at("my.train");
    ok(&["train", &file, "--add", &folder.write("reviewed.pgn", REVIEWED)]);
    let server = Server::again(folder, &["--train", &file, "--today", "2026-01-10"]);
    // One move mates, the other gives the chariot away.
    let moment = |mv: Value| json!({"fen": "3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1", "played": "a8d8", "better": ["a8a9"], "move": mv});
    let judged = |mv: Value| {
        let answer = server.request("POST", "/api/train/judge", "", &moment(mv).to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let right = judged(json!("a8a9"));
    assert_eq!((&right["right"], &right["ground"]), (&json!(true), &json!("accepted")), "{right}");
    let wrong = judged(json!("a8d8"));
    assert_eq!((&wrong["right"], &wrong["due"]), (&json!(false), &Value::Null), "{wrong}");
    assert_eq!(judged(Value::Null)["accepted"][0]["move"], "a8a9");
    for bad in [
        json!({"moves": "h2e2"}),
        json!({"better": ["a0a9"]}),
        json!({"better": ["h2e2"], "move": "x".repeat(1_000)}),
        json!({"better": vec!["h2e2"; 1_000]}),
    ] {
        let answer = server.request("POST", "/api/train/judge", "", &bad.to_string());
        assert_eq!(answer.status, 400, "{bad}: {}", answer.text());
    }
    let body = moment(Value::Null);
    assert_eq!(server.request("POST", "/api/train/add", "", &body.to_string()).status, 403);
    for added in ["new", "known"] {
        let answer = server.post("/api/train/add", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!((&answer.json()["added"], &answer.json()["total"]), (&json!(added), &json!(2)));
    }
    assert_eq!(server.answer("/api/train")["due"], 2);
}

/// One examiner judges request after request; what it knows of books is what they are now.
#[test]
fn facts_of_books_follow_their_edits() {
    let server = Server::start(&[]);
    let games = |rules: &str| {
        let moment = json!({"better": ["h2e2"], "move": "h2e2", "rules": rules});
        let answer = server.request("POST", "/api/train/judge", "", &moment.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["book"]["games"].clone()
    };
    let known = games("asian");
    assert!(known.as_u64().is_some_and(|games| games > 0), "{known}");
    assert_eq!([games("asian"), games("check"), games("asian")], [(); 3].map(|()| known.clone()));
    // A move that is not to be played is no move of the book.
    let edit = |disabled: bool| json!({"edit": {"move": "h2e2", "disable": disabled, "enable": !disabled}});
    assert_eq!(server.post("/api/book/edit", &edit(true)).json()["changed"], 1);
    assert_eq!(games("asian"), Value::Null);
    assert_eq!(server.post("/api/book/edit", &edit(false)).json()["changed"], 1);
    assert_eq!(games("asian"), known);
}

#[test]
fn a_server_without_exercises_says_so() {
    let server = Server::again(Server::folder(), &[]);
    let answer = server.get("/api/train");
    assert_eq!((answer.status, &answer.json()["code"]), (404, &json!("no_exercises")));
    assert_eq!(server.answer("/api/meta")["train"], false);
    exits(
        &["serve", "--port", "0", "--autosave", "none", "--train", &server.folder.at("missing")],
        66,
    );
}
