//! Whatever writes files, killed at any moment: nothing is damaged, and the next run clears up.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use juzhong::book::Book;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::support::effort::is_full;
use crate::support::folder::Folder;
use crate::support::program::{command, fails, ok};

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

/// The files that a command leaves in the folder.
enum Product {
    /// A book that it writes, and the one that stands there before, if it changes one.
    Book { name: &'static str, before: Option<&'static str> },
    /// A folder of tables, which later runs go on with; how many there are in the end.
    Tables(&'static str, usize),
    /// A file of games, which later runs go on with; how many there are in the end.
    Games(&'static str, usize),
    /// Nothing: the command only reads.
    Nothing,
}

/// A command that is killed.
struct Case<'a> {
    folder: &'a Folder,
    args: Vec<String>,
    product: Product,
}

impl<'a> Case<'a> {
    /// In the arguments, `@` stands for the folder.
    fn new(folder: &'a Folder, product: Product, args: &[&str]) -> Self {
        let path = |arg: &str| match arg.strip_prefix('@') {
            Some(name) => folder.at(name),
            None => arg.to_owned(),
        };
        Self { folder, args: args.iter().map(|arg| path(arg)).collect(), product }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Puts what the command changes back to where it begins.
    fn reset(&self) {
        match self.product {
            Product::Book { name, before: Some(before) } => {
                std::fs::copy(self.at(before), self.at(name)).map(drop).unwrap();
            }
            Product::Book { name, .. } | Product::Games(name, _) => {
                std::fs::remove_file(self.at(name)).unwrap_or_default();
            }
            Product::Tables(name, _) => {
                std::fs::remove_dir_all(self.at(name)).unwrap_or_default();
            }
            Product::Nothing => {}
        }
    }

    /// Expects that what there is is whole: all of it if `is_done`, else what was finished.
    fn check(&self, is_done: bool) {
        match self.product {
            Product::Book { name, before } => self.check_book(name, before, is_done),
            Product::Tables(name, count) => {
                let tables = tables(&self.at(name));
                assert!(if is_done { tables == count } else { tables <= count }, "{tables}");
                if tables > 0 {
                    ok(&["tablebase", "verify", "--dir", &self.folder.at(name)]);
                }
            }
            Product::Games(name, count) => {
                let text = std::fs::read_to_string(self.at(name)).unwrap_or_default();
                let rounds: BTreeSet<&str> =
                    text.lines().filter(|line| line.starts_with("[Round ")).collect();
                let games = text.lines().filter(|line| line.starts_with("[Game ")).count();
                assert_eq!(rounds.len(), games, "a game counted twice");
                assert!(if is_done { games == count } else { games <= count }, "{games}");
            }
            Product::Nothing => {}
        }
    }

    fn check_book(&self, name: &str, before: Option<&str>, is_done: bool) {
        let path = self.at(name);
        if !path.exists() {
            return assert!(before.is_none() && !is_done, "{:?} lost the book", self.args);
        }
        let book = Book::open(&path).unwrap();
        book.verify().unwrap();
        let games = |book: &Book| book.metadata().counts.games;
        if let Some(before) = before {
            let least = games(&Book::open(&self.at(before)).unwrap());
            assert!(games(&book) >= least, "{:?} lost games", self.args);
        }
    }

    /// Runs the command and kills it after a while, unless it has ended. Whether it was killed.
    fn kill_after(&self, delay: Duration) -> bool {
        let mut child =
            command(&self.args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay);
        let _ended = child.kill();
        let code = child.wait().unwrap().code();
        // What is ended on Windows has the code that is named for it: 1.
        let is_killed = code.is_none() || cfg!(windows) && code == Some(1);
        self.check(!is_killed);
        is_killed
    }

    /// Runs the command to its end; how long that took.
    fn run(&self) -> Duration {
        let started = Instant::now();
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        ok(&args);
        let took = started.elapsed();
        self.check(true);
        took
    }

    /// Kills the command so many times at moments spread by chance over what it usually takes, then
    /// lets it end. How often it was killed in time, and what it usually takes.
    fn kill(&self, times: u32, random: &mut ChaCha8Rng) -> (u32, Duration) {
        self.reset();
        let usual = self.run();
        self.reset();
        let mut killed = 0;
        for _ in 0..times {
            let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
            let is_killed = self.kill_after(usual.mul_f64(share));
            killed += u32::from(is_killed);
            // What goes on where it was is given several kills before it begins anew.
            let goes_on = matches!(self.product, Product::Tables(..) | Product::Games(..));
            if !(is_killed && goes_on) {
                self.reset();
            }
        }
        self.run();
        (killed, usual)
    }
}

/// The number of tables in a folder.
fn tables(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "jzt")).count()
}

/// Every name below a folder, sorted, but for the lock that stays in a folder of tables.
fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(self::names(&path));
        }
        if path.file_name().unwrap() != ".juzhong.lock" {
            names.push(path);
        }
    }
    names.sort();
    names
}

/// The commands that write books.
fn book_cases(folder: &Folder) -> Vec<Case<'_>> {
    let write = |name: &str, text: &str| std::fs::write(folder.at(name), text).unwrap();
    write("a.pgn", &games(0, 1024));
    write("b.pgn", &games(1024, 1024));
    write(
        "scores.jsonl",
        "{\"fen\":\"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\",\"source\":\"x\",\"cp\":34}\n",
    );
    ok(&["book", "build", &folder.at("a.pgn"), "-o", &folder.at("a")]);
    ok(&["book", "build", &folder.at("b.pgn"), "-o", &folder.at("b")]);
    ok(&["book", "export", &folder.at("a"), "--to", "obk", "-o", &folder.at("a.obk")]);
    let new = |name, args: &[&str]| Case::new(folder, Product::Book { name, before: None }, args);
    let changed =
        |name, args: &[&str]| Case::new(folder, Product::Book { name, before: Some("a") }, args);
    vec![
        new("built", &["book", "build", "@a.pgn", "@b.pgn", "-o", "@built"]),
        new("kept", &["book", "build", "@a.pgn", "-o", "@kept", "--keep-every", "0"]),
        new("merged", &["book", "merge", "@a", "@b", "-o", "@merged"]),
        new("pruned", &["book", "prune", "@a", "-o", "@pruned", "--min-games", "2"]),
        new("own", &["book", "import", "@a.obk", "-o", "@own"]),
        new("clean", &["book", "doctor", "@a", "--repair", "-o", "@clean"]),
        changed("edited", &["book", "edit", "@edited", "--move", "c3c4", "--weight", "7"]),
        changed("grown", &["book", "build", "@b.pgn", "--into", "@grown"]),
        changed("told", &["book", "score", "@told", "--import", "@scores.jsonl"]),
        changed("scored", &["book", "score", "@scored", "--nodes", "200", "--leaves", "300"]),
        changed(
            "expanded",
            &["book", "expand", "@expanded", "--analyse", "--nodes", "200", "--count", "100"],
        ),
        changed("flagged", &["book", "flag", "@flagged"]),
    ]
}

/// The commands that write tables and games, and one that reads tables.
fn other_cases(folder: &Folder) -> Vec<Case<'_>> {
    let sets = ["KRvKN", "KNvKP", "KPvKAB"];
    let generate = |folder| [&["tablebase", "generate", "--dir", folder], &sets[..]].concat();
    ok(&[&["tablebase", "generate", "--dir", &folder.at("proved")], &sets[..]].concat());
    let count = tables(Path::new(&folder.at("proved")));
    let matches = ["match", "--nodes", "100", "--games", "20", "--max-plies", "60", "-o", "@match"];
    let rounds: String = (0..12)
        .map(|n| games(n, 1).replace("[Event", &format!("[Round \"{n}\"]\n[Event")))
        .collect();
    std::fs::write(folder.at("rounds.pgn"), rounds).unwrap();
    let review = ["review", "@rounds.pgn", "--nodes", "2000", "-o", "@reviewed.pgn"];
    vec![
        Case::new(folder, Product::Games("reviewed.pgn", 12), &review),
        Case::new(folder, Product::Tables("tables", count), &generate("@tables")),
        Case::new(folder, Product::Nothing, &["tablebase", "verify", "--dir", "@proved"]),
        Case::new(folder, Product::Games("match", 20), &matches),
    ]
}

/// Kills every command so many times. Says how often that was in time.
fn kill_all(times: u32) -> String {
    let folder = Folder::new();
    let mut cases = book_cases(&folder);
    cases.extend(other_cases(&folder));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut report = String::new();
    let mut all = 0;
    for case in &cases {
        let (killed, usual) = case.kill(times, &mut random);
        all += killed;
        let args = case.args.join(" ");
        let _ = writeln!(report, "{args}: {killed} of {times} killed within {usual:?}");
        let hidden: Vec<PathBuf> = names(folder.path())
            .into_iter()
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with('.'))
            .collect();
        assert!(hidden.is_empty(), "{:?} left {hidden:?}", case.args);
    }
    let _ = writeln!(report, "{all} kills in all");
    report
}

#[test]
fn killed_commands_leave_nothing_that_the_next_does_not_clear() {
    println!("{}", kill_all(if is_full() { 2 } else { 1 }));
}

/// An hour of it: `JUZHONG_KILLS=200 cargo test --release --test it cli::kill -- --ignored --nocapture`.
#[test]
#[ignore = "runs some minutes; cargo test --release --test it cli::kill -- --ignored"]
fn killed_commands_leave_nothing_however_often() {
    let times = std::env::var("JUZHONG_KILLS").ok().and_then(|times| times.parse().ok());
    println!("{}", kill_all(times.unwrap_or(100)));
}

#[test]
fn a_table_replaces_nothing() {
    let folder = Folder::new();
    std::fs::write(folder.at("a.pgn"), games(0, 1)).unwrap();
    ok(&["book", "build", &folder.at("a.pgn"), "-o", &folder.at("a")]);
    fails(
        &["book", "export", &folder.at("a"), "--to", "csv", "-o", &folder.at("a")],
        73,
        &["already exists"],
    );
    Book::open(Path::new(&folder.at("a"))).unwrap().verify().unwrap();
}
