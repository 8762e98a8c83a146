//! The program, run from the outside.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use super::files::sample_games;
use super::folder::Folder;

/// The path of the program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_juzhong");

/// The program with these arguments, in English and without settings of the user, not yet started.
pub(crate) fn command(args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).env("JUZHONG_CONFIG", "none").env("JUZHONG_LANG", "en");
    // Copies of foreign books go where other files of tests are.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env("LOCALAPPDATA", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs the program to its end.
pub(crate) fn juzhong(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// Runs the program to its end, with that on standard input.
pub(crate) fn with_input(args: &[&str], input: impl Into<Vec<u8>>) -> Output {
    let mut command = command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.into());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that ends without reading everything is no fault of the input.
            let _written = stdin.write_all(&input);
        });
        child.wait_with_output().unwrap()
    })
}

/// Starts the program, its output thrown away.
pub(crate) fn start(args: &[&str]) -> Child {
    command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Runs and expects success.
#[track_caller]
pub(crate) fn ok(args: &[&str]) -> Output {
    exits(args, 0)
}

/// Runs and expects the exit code.
#[track_caller]
pub(crate) fn exits(args: &[&str], code: i32) -> Output {
    let output = juzhong(args);
    ended(&output, code, &[]);
    output
}

/// Runs, expects the exit code and every part in what goes to standard error.
#[track_caller]
pub(crate) fn fails(args: &[&str], code: i32, parts: &[&str]) {
    ended(&juzhong(args), code, parts);
}

/// Expects the exit code and every part in what went to standard error.
#[track_caller]
pub(crate) fn ended(output: &Output, code: i32, parts: &[&str]) {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "no `{part}` in: {errors}");
    }
}

/// Runs with `--json`, expects success; the answer.
#[track_caller]
pub(crate) fn json(args: &[&str]) -> Value {
    json_with_code(args, 0)
}

/// Runs with `--json`, expects the exit code; the answer.
#[track_caller]
pub(crate) fn json_with_code(args: &[&str], code: i32) -> Value {
    let output = exits(&[args, &["--json"]].concat(), code);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs and expects success; what goes to standard output.
#[track_caller]
pub(crate) fn stdout(args: &[&str]) -> String {
    text(&ok(args).stdout)
}

/// Output as text.
#[track_caller]
pub(crate) fn text(bytes: &[u8]) -> String {
    str::from_utf8(bytes).unwrap().to_owned()
}

/// Output with paths as they are written on Unix: JSON escapes each backslash.
pub(crate) fn with_slashes(text: &str) -> String {
    if cfg!(windows) { text.replace("\\\\", "/") } else { text.to_owned() }
}

/// Sends a signal to a process: `INT`, `STOP`. Whether it was there to be sent to.
pub(crate) fn signal(child: &Child, name: &str) -> bool {
    let id = child.id().to_string();
    Command::new("kill").args(["-s", name, &id]).status().unwrap().success()
}

/// Builds the book `a.book` of the sample games.
#[track_caller]
pub(crate) fn sample_book(folder: &Folder) -> String {
    let book = folder.at("a.book");
    ok(&["book", "build", &sample_games(""), "-o", &book]);
    book
}

/// The columns of a line on a terminal: two for each character outside ASCII.
pub(crate) fn columns(line: &str) -> usize {
    line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}
