//! Whatever writes books, killed at any moment: no book is damaged, and the next run clears up.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use juzhong::book::Book;

mod program;
use program::{Place, fails, juzhong};

#[track_caller]
fn ok(args: &[&str]) {
    let output = juzhong(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Different games of four plies.
fn games(from: usize, count: usize) -> String {
    let red = ["a3a4", "c3c4", "g3g4", "i3i4"];
    let black = ["a6a5", "c6c5", "g6g5", "i6i5", "b9a7", "b9c7", "h9g7", "h9i7"];
    let then = ["b2e2", "h2e2", "b0c2", "h0g2", "g0e2", "c0e2", "b2d2", "h2f2"];
    let late = ["a9a8", "i9i8", "c9e7", "g9e7", "d9e8", "f9e8", "e6e5", "h7h3"];
    let mut text = String::new();
    for n in from..from + count {
        let (a, b, c, d) = (n % 4, n / 4 % 8, n / 32 % 8, n / 256 % 8);
        let (a, b, c, d) = (red[a], black[b], then[c], late[d]);
        let _ = writeln!(text, "[Event \"{n}\"]\n\n1. {a} {b} 2. {c} {d} 1-0\n");
    }
    text
}

/// A command that writes a book.
struct Case {
    args: Vec<String>,
    /// The book that it writes.
    book: String,
    /// Whether there must be no book before it.
    is_new: bool,
}

impl Case {
    fn new(place: &Place, book: &str, is_new: bool, args: &[&str]) -> Self {
        let path = |arg: &str| match arg.strip_prefix('@') {
            Some(name) => place.at(name),
            None => arg.to_owned(),
        };
        Self { args: args.iter().map(|arg| path(arg)).collect(), book: place.at(book), is_new }
    }

    fn clear(&self) {
        if self.is_new && Path::new(&self.book).exists() {
            std::fs::remove_file(&self.book).unwrap();
        }
    }

    /// Runs the command and kills it after a while, unless it has ended. Whether it was killed.
    fn kill_after(&self, delay: Duration) -> bool {
        self.clear();
        let mut child = Command::new(env!("CARGO_BIN_EXE_juzhong"))
            .args(&self.args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(delay);
        let _ended = child.kill();
        let is_killed = child.wait().unwrap().code().is_none();
        if Path::new(&self.book).exists() {
            Book::open(Path::new(&self.book)).unwrap().verify().unwrap();
        } else {
            assert!(self.is_new && is_killed, "{:?} lost the book", self.args);
        }
        is_killed
    }

    /// Runs the command to its end; how long that took.
    fn run(&self) -> Duration {
        self.clear();
        let started = Instant::now();
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        ok(&args);
        Book::open(Path::new(&self.book)).unwrap().verify().unwrap();
        started.elapsed()
    }
}

/// The names in the folder, sorted.
fn names(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.0.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Kills every command so many times, at moments spread by chance over what it usually takes. Says how
/// often that was in time.
fn kill_all(times: u32) -> String {
    let place = Place::new();
    let write = |name: &str, text: &str| std::fs::write(place.at(name), text).unwrap();
    write("a.pgn", &games(0, 1024));
    write("b.pgn", &games(1024, 1024));
    write(
        "scores.jsonl",
        "{\"fen\":\"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\",\"source\":\"x\",\"cp\":34}\n",
    );
    ok(&["book", "build", &place.at("a.pgn"), "-o", &place.at("a")]);
    ok(&["book", "build", &place.at("b.pgn"), "-o", &place.at("b")]);
    ok(&["book", "export", &place.at("a"), "--to", "obk", "-o", &place.at("a.obk")]);
    std::fs::copy(place.at("a"), place.at("edited")).unwrap();
    std::fs::copy(place.at("a"), place.at("grown")).unwrap();
    std::fs::copy(place.at("a"), place.at("scored")).unwrap();
    let case = |book, is_new, args: &[&str]| Case::new(&place, book, is_new, args);
    let keep = ["--keep-every", "0"];
    let cases = [
        case("built", true, &["book", "build", "@a.pgn", "@b.pgn", "-o", "@built"]),
        case("kept", true, &[&["book", "build", "@a.pgn", "-o", "@kept"], &keep[..]].concat()),
        case("edited", false, &["book", "edit", "@edited", "--move", "c3c4", "--weight", "7"]),
        case("grown", false, &["book", "build", "@b.pgn", "--into", "@grown"]),
        case("merged", true, &["book", "merge", "@a", "@b", "-o", "@merged"]),
        case("pruned", true, &["book", "prune", "@a", "-o", "@pruned", "--min-games", "2"]),
        case("scored", false, &["book", "score", "@scored", "--import", "@scores.jsonl"]),
        case("scored", false, &["book", "flag", "@scored"]),
        case("own", true, &["book", "import", "@a.obk", "-o", "@own"]),
        case("clean", true, &["book", "doctor", "@a", "--repair", "-o", "@clean"]),
    ];
    let mut expected = names(&place);
    // Any sequence that is spread well.
    let mut random = 0x9e37_79b9_u32;
    let mut told = String::new();
    for case in &cases {
        let usual = case.run();
        let mut killed = 0;
        for _ in 0..times {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let delay = usual.mul_f64(f64::from(random >> 8) / f64::from(1 << 24));
            killed += u32::from(case.kill_after(delay));
        }
        let _ =
            writeln!(told, "{}: {killed} of {times} killed within {usual:?}", case.args.join(" "));
        case.run();
        expected.push(Path::new(&case.book).file_name().unwrap().to_str().unwrap().to_owned());
        expected.sort();
        expected.dedup();
        assert_eq!(names(&place), expected, "{:?} left something", case.args);
    }
    told
}

#[test]
fn killed_writers_leave_nothing_that_the_next_does_not_clear() {
    println!("{}", kill_all(4));
}

#[test]
#[ignore = "runs half a minute; cargo test --release --test book_kill -- --ignored"]
fn killed_writers_leave_nothing_however_often() {
    println!("{}", kill_all(30));
}

#[test]
fn a_table_replaces_nothing() {
    let place = Place::new();
    std::fs::write(place.at("a.pgn"), games(0, 1)).unwrap();
    ok(&["book", "build", &place.at("a.pgn"), "-o", &place.at("a")]);
    fails(
        &["book", "export", &place.at("a"), "--to", "csv", "-o", &place.at("a")],
        73,
        &["stands"],
    );
    Book::open(Path::new(&place.at("a"))).unwrap().verify().unwrap();
}
