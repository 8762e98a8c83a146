//! `juzhong play` in a terminal.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::folder::Folder;
use crate::support::program::{command, signal};

/// The program in a terminal of its own.
struct Session {
    child: Child,
    keys: File,
    screen: Arc<Mutex<Vec<u8>>>,
    /// What was on the screen when keys were pressed for the last time, in bytes.
    seen: usize,
}

impl Session {
    fn start(state: &Path, variables: &[(&str, &str)]) -> Self {
        Self::start_with(&["--nodes", "300"], state, variables)
    }

    fn start_with(args: &[&str], state: &Path, variables: &[(&str, &str)]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let end = || Stdio::from(File::options().read(true).write(true).open(path).unwrap());
        let mut command = command(&[&["play", "--hash", "1", "--config", "none"], args].concat());
        command.env("XDG_STATE_HOME", state).env("TERM", "xterm").env_remove("NO_COLOR");
        command.envs(variables.iter().copied());
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap();
        drop(command);
        let keys = File::from(master);
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (mut output, seen) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Where the program has gone, the terminal is at its end or an error.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                seen.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Self { child, keys, screen, seen: 0 }
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// What came after the last keys.
    fn answer(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()[self.seen..]).into_owned()
    }

    /// Waits until `after` has been shown since the last keys, and a prompt that ends with `prompt` after it.
    #[track_caller]
    fn wait(&self, after: &str, prompt: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.answer();
            if screen.rfind(after).is_some_and(|at| screen[at + after.len()..].contains(prompt)) {
                return;
            }
            assert!(Instant::now() < end, "no {after:?} and {prompt:?} in {screen}");
            sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        self.seen = self.screen.lock().unwrap().len();
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Presses Ctrl-C at an engine that thinks.
    #[track_caller]
    fn interrupt(&mut self) {
        // What is shown before it thinks is shown a moment before.
        sleep(Duration::from_millis(500));
        self.seen = self.screen.lock().unwrap().len();
        assert!(signal(&self.child, "INT"));
    }

    #[track_caller]
    fn ends(&mut self, code: i32) {
        let end = Instant::now() + Duration::from_secs(60);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert_eq!(status.code(), Some(code), "{}", self.screen());
                return;
            }
            sleep(Duration::from_millis(20));
        }
        let _killed = self.child.kill();
        panic!("the program does not end: {}", self.screen());
    }
}

const RED: &str = "\u{1b}[1;31m";

#[test]
fn a_game_left_by_ctrl_c_is_offered_the_next_time() {
    let folder = Folder::new();
    let (kept, typed) =
        (folder.join("juzhong/play-xiangqi.json"), folder.join("juzhong/play-history.txt"));

    let mut first = Session::start(folder.path(), &[]);
    first.wait("Red to move", "> ");
    first.press("h2e\t\r");
    first.wait("engine: ", "> ");
    assert!(first.screen().contains(RED), "{}", first.screen());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&kept), 0o600);
    first.press("\u{3}");
    first.ends(130);
    assert!(fs::read_to_string(&kept).unwrap().contains("h2e2"));
    assert_eq!(fs::read_to_string(&typed).unwrap(), "h2e2\n");
    assert_eq!(mode(&typed), 0o600);

    let mut second = Session::start(folder.path(), &[("NO_COLOR", "1")]);
    second.wait("A game of 2 moves was left", "[y/n] ");
    second.press("y\r");
    second.wait("Red to move", "> ");
    // The line before this one is that of the first session; y was an answer, not a line.
    second.press("\u{1b}[A\u{5}\u{15}");
    second.press("lis\t\r");
    second.wait("   1 h2e2", "> ");
    assert!(!second.screen().contains(RED), "{}", second.screen());
    second.press("quit\r");
    second.ends(0);
    assert!(!kept.exists());

    let mut third = Session::start(folder.path(), &[]);
    third.wait("Red to move", "> ");
    assert!(!third.screen().contains("was left"), "{}", third.screen());
    third.press("\u{4}");
    third.ends(0);
}

#[test]
fn nothing_is_written_where_something_else_stands() {
    let folder = Folder::new();
    let target = folder.write("precious", "stays");
    fs::create_dir(folder.join("juzhong")).unwrap();
    std::os::unix::fs::symlink(&target, folder.join("juzhong/play-xiangqi.json")).unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("Red to move", "> ");
    session.press("h2e2\r");
    session.wait("engine: ", "> ");
    assert!(session.screen().contains("will not be kept"), "{}", session.screen());
    session.press("quit\r");
    session.ends(0);
    assert_eq!(fs::read_to_string(&target).unwrap(), "stays");
}

#[test]
fn a_game_that_no_file_has_is_dropped_only_after_a_question() {
    let folder = Folder::new();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("Red to move", "> ");
    session.press("new\r");
    session.wait("Red to move", "> ");
    session.press("h2e2\r");
    session.wait("engine: ", "> ");
    let opened = folder.write("a.pgn", "[Red \"c\"]\n[Result \"*\"]\n\n1. h2e2 *\n");
    for command in ["new", "setup start", &format!("open {opened}")] {
        session.press(&format!("{command}\r"));
        session.wait("Drop it?", "[y/n] ");
        session.press("perhaps\r");
        session.wait("perhaps", "[y/n] ");
        session.press("n\r");
        session.wait("the game stays as it is", "> ");
    }
    session.press(&format!("save {}\r", folder.at("b.pgn")));
    session.wait("saved: ", "> ");
    session.press("new\r");
    session.wait("Red to move", "> ");
    session.press("h2e2\r");
    session.wait("engine: ", "> ");
    session.press("new\r");
    session.wait("Drop it?", "[y/n] ");
    session.press("y\r");
    session.wait("Red to move", "> ");
    session.press("quit\r");
    session.ends(0);
    assert_eq!(session.screen().matches("Drop it?").count(), 7, "{}", session.screen());
}

#[test]
fn an_opened_game_that_was_left_keeps_its_players_and_who_has_resigned() {
    let folder = Folder::new();
    let tags = "[Event \"Cup\"]\n[Red \"甲\"]\n[Black \"乙\"]\n[Result \"1-0\"]\n\n";
    let opened = folder.write("a.pgn", format!("{tags}1. h2e2 h9g7 2. h0g2 i9h9 1-0\n"));
    let mut first = Session::start(folder.path(), &[]);
    first.wait("Red to move", "> ");
    first.press(&format!("open {opened}\r"));
    first.wait("next shows them", "> ");
    first.press("goto 3\r");
    first.wait("after 3 of 4 moves", "> ");
    first.press("\u{3}");
    first.ends(130);

    let saved = folder.at("b.pgn");
    let mut second = Session::start(folder.path(), &[]);
    second.wait("A game of 4 moves was left", "[y/n] ");
    second.press("是\r");
    second.wait("Black to move", "> ");
    assert!(!second.screen().contains("engine: "), "{}", second.screen());
    second.press(&format!("save {saved}\r"));
    second.wait("saved: ", "> ");
    second.press("resign\r");
    second.wait("you resign", "> ");
    second.press("\u{4}");
    second.ends(0);
    let text = fs::read_to_string(saved).unwrap();
    for part in ["[Event \"Cup\"]", "[Red \"甲\"]", "[Black \"乙\"]", "[Result \"1-0\"]"] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let mut third = Session::start(folder.path(), &[]);
    third.wait("A game of 4 moves was left", "[y/n] ");
    third.press("y\r");
    third.wait("Red has resigned: Black wins", "> ");
    third.press("quit\r");
    third.ends(0);
}

#[test]
fn what_is_no_kept_game_is_told_and_left_alone() {
    let folder = Folder::new();
    fs::create_dir(folder.join("juzhong")).unwrap();
    let kept = |schema: &str, moves: &str, ply: u32| {
        format!(
            "{{\"schema\":\"{schema}\",\"game\":\"xiangqi\",\"start\":null,\"moves\":[{moves}],\
             \"ply\":{ply},\"first\":true}}"
        )
    };
    for (text, reason) in [
        ("x".to_owned(), "expected value"),
        (" ".repeat((1 << 20) + 1), "more than 1048576 bytes"),
        (kept("juzhong.play/1", "\"h2h9\",\"h2e2\"", 2), "no legal move: h2e2"),
        (kept("juzhong.play/1", "\"h2e2\"", 2), "more moves are made"),
        (kept("juzhong.play/2", "\"h2e2\"", 1), "not a game that this program has kept"),
    ] {
        let file = folder.write("juzhong/play-xiangqi.json", &text);
        let mut session = Session::start(folder.path(), &[]);
        session.wait("Red to move", "> ");
        assert!(session.screen().contains("will not be kept"), "{}", session.screen());
        assert!(session.screen().contains(reason), "{reason}: {}", session.screen());
        session.press("h2e2\r");
        session.wait("engine: ", "> ");
        session.press("quit\r");
        session.ends(0);
        assert_eq!(fs::read_to_string(file).unwrap(), text);
    }
}

#[test]
fn of_a_long_history_the_last_lines_are_brought_back() {
    let folder = Folder::new();
    fs::create_dir(folder.join("juzhong")).unwrap();
    let long = format!("{}\n", "x".repeat(4000)).repeat(400);
    let file = folder.join("juzhong/play-history.txt");
    fs::write(&file, [long.as_bytes(), b"\xff\nboard\nfen\n"].concat()).unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("Red to move", "> ");
    session.press("\u{1b}[A\u{1b}[A\r");
    session.wait("Red to move", "> ");
    assert_eq!(session.screen().matches("Red to move").count(), 2, "{}", session.screen());
    session.press("quit\r");
    session.ends(0);
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.ends_with("\nboard\nfen\nboard\nquit\n") && text.starts_with("xxx"),
        "{}",
        text.len()
    );
}

#[test]
fn ctrl_c_ends_the_thinking_and_not_the_program() {
    let folder = Folder::new();
    let args = ["--movetime", "900000"];
    let mut session = Session::start_with(&args, folder.path(), &[]);
    session.wait("Red to move", "> ");
    session.press("h2e2\r");
    session.wait("Black to move", "\n");
    session.interrupt();
    session.wait("engine: ", "> ");
    session.press("hint\r");
    session.wait("hint", "\n");
    session.interrupt();
    session.wait("hint: ", "> ");
    // At the prompt it ends the program, and the game is kept.
    session.press("\u{3}");
    session.ends(130);
    let mut session = Session::start_with(&args, folder.path(), &[]);
    session.wait("A game of 2 moves was left", "[y/n] ");
    session.press("n\r");
    session.wait("Red to move", "> ");
    session.press("h2e2\r");
    session.wait("Black to move", "\n");
    session.interrupt();
    session.wait("engine: ", "> ");
    session.press("quit\r");
    session.ends(0);
}

#[test]
fn a_second_ctrl_c_ends_the_program_if_the_engine_does_not_stop() {
    let folder = Folder::new();
    let engine = "sh -c 'while read -r x; do case $x in uci) echo uciok;; isready) echo readyok;; \
                  stop) if [ -z \"$s\" ]; then s=1; echo bestmove h9g7; fi;; quit) exit;; esac; done'";
    let args = ["--engine", engine, "--movetime", "900000"];
    let mut session = Session::start_with(&args, folder.path(), &[]);
    session.wait("Red to move", "> ");
    session.press("h2e2\r");
    session.wait("Black to move", "\n");
    session.interrupt();
    session.wait("engine: h9g7", "> ");
    session.press("h0g2\r");
    session.wait("Black to move", "\n");
    session.interrupt();
    session.interrupt();
    session.ends(130);
    let read = |name| fs::read_to_string(folder.join(name)).unwrap();
    let kept = read("juzhong/play-xiangqi.json");
    assert!(kept.contains("[\"h2e2\",\"h9g7\",\"h0g2\"]"), "{kept}");
    assert_eq!(read("juzhong/play-history.txt"), "h2e2\nh0g2\n");
}

#[test]
fn chinese_words_and_names_with_blanks_are_completed() {
    let folder = Folder::new();
    let args = ["--lang", "zh", "--nodes", "300"];
    let mut session = Session::start_with(&args, folder.path(), &[]);
    session.wait("红方", "> ");
    session.press("炮二平五\r");
    session.wait("引擎：", "> ");
    session.press(&format!("保存 {}\r", folder.at("my\\ game\\ \\(1).pgn")));
    session.wait("my game (1).pgn", "> ");
    session.press("新\t\r");
    session.wait("红方", "> ");
    session.press(&format!("打\t {}\t\r", folder.at("my")));
    session.wait("逐着查看", "> ");
    session.press("末\t\r");
    session.wait("第 2 着之后", "> ");
    session.press("列\t\r");
    session.wait("炮二平五", "> ");
    session.press("退出\r");
    session.ends(0);
}
