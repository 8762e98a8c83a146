//! `juzhong book build` in steps, interrupted, killed, and beside others of its kind.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use juzhong::book::Book;

use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, fails, json, juzhong, signal, start, stdout};

/// Games of four plies, every 512th the same in its moves.
pub(crate) fn games(from: usize, count: usize) -> String {
    let red = ["a3a4", "c3c4", "g3g4", "i3i4"];
    let black = ["a6a5", "c6c5", "g6g5", "i6i5", "b9a7", "b9c7", "h9g7", "h9i7"];
    let late = ["a9a8", "i9i8", "c9e7", "g9e7", "d9e8", "f9e8", "e6e5", "h7h3"];
    let mut text = String::new();
    for n in from..from + count {
        let (a, b, c, d) = (n % 4, n / 4 % 8, n / 32 % 2, n / 64 % 8);
        let result = ["1-0", "1/2-1/2", "0-1"][(a + b + c + d) % 3];
        let second = [["b2e2", "h2e2"][c], late[d]];
        let _ = write!(
            text,
            "[Event \"game {n}\"]\n[Date \"{}\"]\n[Red \"Hu Ronghua\"]\n[Black \"Yang {}\"]\n\
             [Group \"{}\"]\n\n1. {} {} 2. {} {} {result}\n\n",
            1950 + n % 60,
            n % 5,
            n % 3,
            red[a],
            black[b],
            second[0],
            second[1]
        );
    }
    text
}

#[test]
fn filters_are_told_by_stats_and_asked_of_additions() {
    let folder = Folder::new();
    let (input, book) = (folder.write("a.pgn", games(0, 200)), folder.at("b"));
    let options = [
        "--max-ply",
        "3",
        "--from-ply",
        "2",
        "--min-share",
        "12.5",
        "--weight",
        "3 * w + d - l",
        "--since",
        "1960",
        "--black",
        "YANG 3",
        "--event",
        "game",
        "--colour",
        "black",
    ];
    let build = |more: &[&str]| json(&[&["book", "build", &input], more].concat());
    let built = build(&[&["-o", &book][..], &options].concat());
    assert_eq!(built["records"], 200);
    let stats = json(&["book", "stats", &book]);
    assert_eq!(stats["weight"], "3*w+d-l");
    assert_eq!((&stats["min_share"], &stats["max_ply"]), (&12.5.into(), &3.into()));
    let filter = serde_json::json!({
        "since": 1960, "second_player": "yang 3", "event": "game", "mover": "second", "from_ply": 2
    });
    assert_eq!(stats["filter"], filter);
    let text = stdout(&["book", "stats", &book]);
    assert!(text.contains("weight     3*w+d-l\n") && text.contains("\"from_ply\":2"), "{text}");
    // What it was built with is taken from it, and may be repeated, but not changed.
    let more = folder.write("c.pgn", games(200, 50));
    let into = ["book", "build", &more, "--into", &book];
    for (option, asked, stated) in [
        ("--max-ply", "4", "--max-ply 3"),
        ("--min-share", "1", "--min-share 12.50"),
        ("--weight", "w", "--weight 3*w+d-l"),
        ("--since", "1961", "\"since\":1960"),
        ("--colour", "red", "\"mover\":\"second\""),
    ] {
        fails(&[&into[..], &[option, asked]].concat(), 2, &[stated, "leave that option out"]);
    }
    fails(&[&into[..], &["--no-dedup"]].concat(), 2, &["every_record"]);
    json(&[&into[..], &options].concat());
    assert_eq!(json(&["book", "stats", &book])["records"], 250);
    fails(&["book", "build", &more, "-o", &book, "--weight", "3*w+"], 2, &["column 5"]);
    fails(
        &["book", "build", &more, "-o", &book, "--max-ply", "3", "--from-ply", "4"],
        2,
        &["beyond"],
    );
    fails(
        &["book", "build", &more, "-o", &book, "--winner-only", "--colour", "red"],
        2,
        &["--colour"],
    );
}

#[test]
fn steps_and_one_go_make_the_same_file() {
    let folder = Folder::new();
    let [a, b, c] = [(0, 90), (60, 90), (140, 60)]
        .map(|(from, count)| folder.write(&format!("{from}.pgn"), games(from, count)));
    let (at_once, steps) = (folder.at("at-once"), folder.at("steps"));
    json(&["book", "build", &a, &b, &c, "-o", &at_once]);
    json(&["book", "build", &b, "-o", &steps]);
    let added = json(&["book", "build", &c, "--into", &steps]);
    assert_eq!((&added["games"], &added["new_games"]), (&140.into(), &50.into()));
    let last = json(&["book", "build", &a, &b, "--into", &steps]);
    assert_eq!((&last["files"], &last["known_files"]), (&2.into(), &1.into()));
    assert_eq!((&last["games"], &last["duplicates"]), (&200.into(), &40.into()));
    assert_eq!(last["new_games"], 60);
    assert_eq!(std::fs::read(&steps).unwrap(), std::fs::read(&at_once).unwrap());
    // Nothing new changes nothing; another output gets a copy.
    let modified = std::fs::metadata(&steps).unwrap().modified().unwrap();
    let nothing = json(&["book", "build", &a, &b, &c, "--into", &steps]);
    assert_eq!((&nothing["games"], &nothing["new_games"]), (&200.into(), &0.into()));
    assert_eq!(std::fs::metadata(&steps).unwrap().modified().unwrap(), modified);
    let copy = folder.at("copy");
    json(&["book", "build", &a, "--into", &steps, "-o", &copy]);
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&at_once).unwrap());
    fails(&["book", "build", &a, "--into", &a], 65, &["not a SQLite database"]);
    fails(&["book", "build", &a, "--into", &folder.at("none")], 66, &["none"]);
    fails(&["book", "build", &a], 2, &["--output"]);
    assert!(folder.hidden().is_empty());
}

/// A fixed sequence of delays from 0 to `most`.
fn delays(most: Duration, count: u32) -> impl Iterator<Item = Duration> {
    (0..count).map(move |n| most * (n * 37 % count) / count)
}

#[test]
fn a_killed_build_leaves_the_old_book_or_the_new_one() {
    let folder = Folder::new();
    let old = folder.write("old.pgn", games(0, 100));
    let new = folder.write("new.pgn", games(100, 400).repeat(40));
    let (book, expected) = (folder.at("b"), folder.at("expected"));
    json(&["book", "build", &old, "-o", &book]);
    let before = std::fs::read(&book).unwrap();
    let begin = Instant::now();
    json(&["book", "build", &new, "--into", &book, "-o", &expected]);
    let took = begin.elapsed();
    let after = std::fs::read(&expected).unwrap();
    let into = ["book", "build", &new, "--into", &book, "--keep-every", "0"];
    let mut killed = 0;
    for delay in delays(took, 12) {
        let mut build = start(&into);
        std::thread::sleep(delay);
        build.kill().unwrap();
        killed += u32::from(!build.wait().unwrap().success());
        let found = std::fs::read(&book).unwrap();
        assert!(found == before || found == after);
        Book::open(Path::new(&book)).unwrap().verify().unwrap();
        if found == after {
            std::fs::write(&book, &before).unwrap();
        }
    }
    assert!(killed > 0);
    // What killed builds left is cleared up by the next.
    json(&into);
    assert_eq!(std::fs::read(&book).unwrap(), after);
    assert_eq!(folder.hidden(), [""; 0]);
}

#[test]
fn a_killed_build_goes_on() {
    let folder = Folder::new();
    let input = folder.write("games.pgn", games(0, 2048).repeat(8));
    let (book, expected) = (folder.at("b"), folder.at("expected"));
    let rejects = folder.at("rejects");
    let bad = folder.write("bad.pgn", "[Event \"bad\"]\n\n1. a0a9 1-0\n\n".repeat(3));
    json(&["book", "build", &input, &bad, "-o", &expected]);
    let args =
        ["book", "build", &input, &bad, "-o", &book, "--keep-every", "0", "--rejects", &rejects];
    let list = |path: &Path| path.extension().is_some_and(|ending| ending == "part");
    let is_kept = || {
        let parts = std::fs::read_dir(folder.at(".b.parts")).into_iter().flatten().flatten();
        parts.map(|entry| entry.path()).filter(|path| list(path)).count() > 0
    };
    let mut build = start(&args);
    while !is_kept() && build.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    build.kill().unwrap();
    let is_done = build.wait().unwrap().success();
    assert!(is_done || !Path::new(&book).exists());
    let went_on = is_kept();
    if is_done {
        std::fs::remove_file(&rejects).unwrap();
    }
    let report = json(&args);
    assert_eq!(report["resumed_records"].as_u64().unwrap() > 0, went_on, "{report}");
    assert_eq!((&report["records"], &report["bad"]), (&(2048 * 8 + 3).into(), &3.into()));
    assert_eq!(std::fs::read(&book).unwrap(), std::fs::read(&expected).unwrap());
    assert_eq!(std::fs::read_to_string(&rejects).unwrap().lines().count(), 3);
    assert_eq!(folder.hidden(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_goes_on() {
    let folder = Folder::new();
    let input = folder.write("games.pgn", games(0, 2048).repeat(8));
    let (book, expected) = (folder.at("b"), folder.at("expected"));
    json(&["book", "build", &input, "-o", &expected, "--no-dedup"]);
    let args = ["book", "build", &input, "-o", &book, "--no-dedup", "--keep-every", "0"];
    let mut build = start(&args);
    while !Path::new(&folder.at(".b.parts")).exists() && build.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    signal(&build, "TERM");
    let code = build.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 75)), "{code:?}");
    let report = json(&args);
    assert_eq!(report["resumed_records"].as_u64().unwrap() > 0, code == Some(75), "{report}");
    assert_eq!(report["games"], 2048 * 8);
    assert_eq!(std::fs::read(&book).unwrap(), std::fs::read(&expected).unwrap());
    // With other options, or other files, nothing of it is used.
    assert_eq!(folder.hidden(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn two_at_once_are_refused() {
    let folder = Folder::new();
    let input = folder.write("games.pgn", games(0, 2048).repeat(20));
    let book = folder.at("b");
    let mut first = start(&["book", "build", &input, "-o", &book]);
    while !Path::new(&folder.at(".b.lock")).exists() && first.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    if signal(&first, "STOP") && first.try_wait().unwrap().is_none() {
        let other = folder.write("other.pgn", games(0, 9));
        fails(
            &["book", "build", &other, "-o", &book],
            73,
            &["another process", "wait for its end"],
        );
        // Another book in the same folder is nobody's business.
        json(&["book", "build", &other, "-o", &folder.at("c")]);
        signal(&first, "CONT");
    }
    assert!(first.wait().unwrap().success());
    Book::open(Path::new(&book)).unwrap().verify().unwrap();
    assert!(folder.hidden().is_empty(), "{:?}", folder.hidden());
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_of() {
    let folder = Folder::new();
    let (input, book) = (folder.write("games.pgn", games(0, 2048)), folder.at("b"));
    json(&["book", "build", &folder.write("a.pgn", games(0, 3)), "-o", &book]);
    let before = std::fs::read(&book).unwrap();
    // Files of at most 64 blocks; the signal that comes with it is ignored, so that writing fails.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    for more in [&["--keep-every", "0"][..], &[]] {
        let output = Command::new("sh")
            .args(["-c", script, PROGRAM])
            .args(["book", "build", &input, "--into", &book])
            .args(more)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(74), "{errors}");
        assert!(errors.contains("cannot write the book; is the disk full?"), "{errors}");
        assert_eq!(std::fs::read(&book).unwrap(), before);
    }
    json(&["book", "build", &input, "--into", &book]);
    assert!(folder.hidden().is_empty(), "{:?}", folder.hidden());
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_told_of() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (input, book) = (folder.write("a.pgn", games(0, 9)), folder.at("sub/b"));
    std::fs::create_dir(folder.at("sub")).unwrap();
    json(&["book", "build", &input, "-o", &book]);
    let before = std::fs::read(&book).unwrap();
    let set = |path: &str, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let more = folder.write("b.pgn", games(9, 9));
    set(&book, 0o444);
    fails(&["book", "build", &more, "--into", &book], 73, &["sub/b", "read-only"]);
    set(&book, 0o644);
    let mode = |mode| set(&folder.at("sub"), mode);
    mode(0o555);
    let is_bound = std::fs::write(folder.at("sub/probe"), "").is_err();
    if is_bound {
        fails(&["book", "build", &more, "--into", &book], 73, &["sub/b", "cannot create"]);
        assert_eq!(std::fs::read(&book).unwrap(), before);
        assert_eq!(json(&["book", "query", &book])["total"], 9);
    } else {
        eprintln!("skipped: this user writes everywhere");
    }
    mode(0o755);
}

/// The message of a build of a file that is changed after a while; one that ended by a signal fails.
fn build_while(args: &[&str], delay: Duration, change: impl FnOnce()) -> (bool, String) {
    let mut build = start(args);
    std::thread::sleep(delay);
    change();
    let status = build.wait().unwrap();
    // 65 where it was changed before anything was read, and no game is left.
    assert!(matches!(status.code(), Some(0 | 65 | 74)), "{status}");
    (status.success(), status.to_string())
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let folder = Folder::new();
    let text = games(0, 512).repeat(30);
    let path = folder.write("a.pgn", &text);
    let packed = folder.write("b.pgn.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    let book = folder.at("b");
    for file in [&path, &packed] {
        let whole = std::fs::read(file).unwrap();
        let args = ["book", "build", file, "-o", &book];
        let mut refused = 0;
        for delay in delays(Duration::from_millis(600), 5) {
            let cut =
                || std::fs::File::options().write(true).open(file).unwrap().set_len(100).unwrap();
            refused += u32::from(!build_while(&args, delay, cut).0);
            std::fs::write(file, &whole).unwrap();
        }
        // Changes may come too early or too late to matter; none ends the process.
        println!("{refused} refused: {file}");
    }
}

#[test]
fn what_was_read_of_another_state_of_a_file_is_never_used() {
    let folder = Folder::new();
    let (one, other) = (games(0, 512).repeat(20), games(0, 512).replace("a3a4", "c3c4").repeat(20));
    assert_eq!(one.len(), other.len());
    let path = folder.write("a.pgn", &one);
    let (book, expected) = (folder.at("b"), folder.at("expected"));
    json(&["book", "build", &path, "-o", &expected]);
    let args = ["book", "build", &path, "-o", &book, "--keep-every", "0"];
    for delay in delays(Duration::from_millis(800), 4) {
        let mut build = start(&args);
        std::thread::sleep(delay / 2);
        // In place, as a program that writes its games anew does.
        let mut file = std::fs::File::options().write(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, other.as_bytes()).unwrap();
        std::thread::sleep(delay / 2);
        let killed = build.kill();
        let status = build.wait().unwrap();
        assert!(killed.is_ok() && !(status.success() && status.code().is_none()));
        std::fs::write(&path, &one).unwrap();
        // Either it sees that what was kept is of another state, and removes it, or nothing was kept.
        let again = juzhong(&[&args[..], &["--json"]].concat());
        if !again.status.success() {
            let told = String::from_utf8_lossy(&again.stderr).into_owned();
            assert!(told.contains("run this again"), "{told}");
            json(&args);
        }
        assert!(std::fs::read(&book).unwrap() == std::fs::read(&expected).unwrap());
    }
    assert_eq!(folder.hidden(), [""; 0]);
}

#[test]
fn mirror_images_can_be_one_game() {
    let folder = Folder::new();
    let text = "h2e2 h9g7 h0g2 1-0\nb2e2 b9c7 b0c2 1-0\nc3c4 c6c5\n";
    let path = folder.write("a.txt", text);
    let book = folder.at("b");
    let report = json(&["book", "build", &path, "-o", &book]);
    assert_eq!((&report["games"], &report["duplicates"]), (&3.into(), &0.into()));
    let report = json(&["book", "build", &path, "-o", &book, "--fold-mirror"]);
    assert_eq!((&report["games"], &report["duplicates"]), (&2.into(), &1.into()));
    let mirrored = folder.write("b.txt", "g3g4 g6g5\n");
    let report = json(&["book", "build", &mirrored, "--into", &book]);
    assert_eq!((&report["games"], &report["duplicates"]), (&2.into(), &2.into()));
}
