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
use crate::support::program::command;

/// The program in a terminal of its own.
struct Session {
    child: Child,
    keys: File,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Session {
    fn start(state: &Path, variables: &[(&str, &str)]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let end = || Stdio::from(File::options().read(true).write(true).open(path).unwrap());
        let mut command = command(&["play", "--nodes", "300", "--hash", "1", "--config", "none"]);
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
        Self { child, keys, screen }
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until `after` has been shown, and a prompt that ends with `prompt` after it.
    #[track_caller]
    fn wait(&self, after: &str, prompt: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.screen();
            if screen.rfind(after).is_some_and(|at| screen[at + after.len()..].contains(prompt)) {
                return;
            }
            assert!(Instant::now() < end, "no {after:?} and {prompt:?} in {screen}");
            sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
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
