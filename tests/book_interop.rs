//! `juzhong book import`, `export` and `doctor` from the outside.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use serde_json::Value;

mod program;
use program::{Place, fails, juzhong};

const FORMATS: [&str; 6] = ["obk", "pfbook", "xqb", "eleeye", "moonriver", "polyglot"];

#[track_caller]
fn json(args: &[&str], code: i32) -> Value {
    let output = juzhong(&[&["--json"], args].concat());
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

impl Place {
    fn names(&self) -> usize {
        std::fs::read_dir(self.0.path()).unwrap().count()
    }

    /// The book of the sample games.
    fn book(&self) -> String {
        let games = format!("{}/tests/data/book/", env!("CARGO_MANIFEST_DIR"));
        let book = self.at("own");
        let output = juzhong(&["book", "build", &games, "-o", &book]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        book
    }
}

#[test]
fn every_format_there_and_back() {
    let place = Place::new();
    let own = place.book();
    let moves = json(&["book", "query", &own], 0)["moves"].clone();
    for format in FORMATS {
        // The name says nothing.
        let (foreign, again) =
            (place.at(&format!("{format}.txt")), place.at(&format!("{format}.book")));
        let exported = json(&["book", "export", &own, "--to", format, "-o", &foreign], 0);
        assert_eq!(exported["schema"], "juzhong.book.export/1");
        assert_eq!(exported["unreached"], 0, "{exported}");
        assert!(exported["written"].as_u64().unwrap() > 0);
        let healthy = json(&["book", "doctor", &foreign], 0);
        assert_eq!(healthy["schema"], "juzhong.book.doctor/1");
        assert_eq!((&healthy["format"], &healthy["healthy"]), (&format.into(), &true.into()));
        let imported = json(&["book", "import", &foreign, "-o", &again], 0);
        assert_eq!(imported["schema"], "juzhong.book.import/1");
        assert_eq!((&imported["format"], &imported["unreached"]), (&format.into(), &0.into()));
        assert_eq!(json(&["book", "doctor", &again], 0)["format"], "juzhong");
        let found = json(&["book", "query", &again], 0)["moves"].clone();
        assert_eq!(found.as_array().unwrap().len(), moves.as_array().unwrap().len(), "{format}");
        if ["obk", "pfbook", "xqb"].contains(&format) {
            for (a, b) in moves.as_array().unwrap().iter().zip(found.as_array().unwrap()) {
                for field in ["move", "weight"] {
                    assert_eq!(a[field], b[field], "{format}");
                }
            }
        }
    }
}

#[test]
fn options_of_obk() {
    let place = Place::new();
    let own = place.book();
    let foreign = place.at("double.obk");
    json(
        &[
            "book",
            "export",
            &own,
            "--to",
            "obk",
            "--dialect",
            "double",
            "--swapped",
            "-o",
            &foreign,
        ],
        0,
    );
    let sick = json(&["book", "doctor", &foreign], 1);
    assert_eq!((&sick["dialect"], &sick["swapped_moves"]), (&"double".into(), &true.into()));
    assert_eq!(sick["findings"][0]["name"], "byte_order");
    let clean = place.at("clean.obk");
    let repaired = json(&["book", "doctor", &foreign, "--repair", "-o", &clean], 1);
    assert_eq!(repaired["repair"]["written"], sick["rows"]);
    assert_eq!(json(&["book", "doctor", &clean], 0)["dialect"], "double");
    let other = place.at("int64.obk");
    let to = ["--repair", "--dialect", "int64", "-o", &other];
    json(&[&["book", "doctor", &foreign], &to[..]].concat(), 1);
    assert_eq!(json(&["book", "doctor", &other], 0)["dialect"], "int64");
    // What was imported from either is the same, but for the names of the sources.
    let contents: Vec<Value> = [&foreign, &clean]
        .iter()
        .map(|file| {
            let again = format!("{file}.book");
            json(&["book", "import", file, "-o", &again], 0)["content"].clone()
        })
        .collect();
    assert_eq!(contents[0], contents[1]);
}

#[test]
fn errors_say_what_to_do() {
    let place = Place::new();
    let own = place.book();
    let obk = place.at("a.obk");
    json(&["book", "export", &own, "--to", "obk", "-o", &obk], 0);
    let import_first = format!("juzhong book import {obk} -o BOOK");
    fails(&["book", "query", &obk], 65, &["obk", &import_first]);
    fails(&["book", "export", &own, "--to", "obk", "-o", &obk], 73, &["something stands there"]);
    fails(&["book", "export", &own, "--to", "obk"], 2, &["--output"]);
    fails(&["book", "import", &obk, "-o", &obk], 73, &["something stands there"]);
    fails(&["book", "import", &obk, "-o", &own], 73, &["something stands there"]);
    fails(&["book", "doctor", &own, "--repair", "-o", &own], 73, &["something stands there"]);
    let out = place.at("out");
    fails(&["book", "import", &place.at("none"), "-o", &out], 66, &["none"]);
    fails(&["book", "import", &own, "-o", &out], 65, &["already a book of this program"]);
    fails(&["book", "import", &obk, "-o", &out, "--from", "xqb"], 65, &["of the format obk"]);
    fails(&["book", "import", &obk, "-o", &out, "--memory", "1000"], 65, &["--memory"]);
    fails(&["book", "import", &obk, "-o", &place.at("no/folder")], 73, &["folder"]);
    fails(&["book", "doctor", place.0.path().to_str().unwrap()], 65, &["not a file"]);
    for content in ["", "1. h2e2 h9g7\n", "SQLite format 3\0 and no more"] {
        std::fs::write(place.at("text"), content).unwrap();
        fails(&["book", "import", &place.at("text"), "-o", &out], 65, &["text"]);
        fails(&["book", "doctor", &place.at("text")], 65, &["text"]);
    }
    assert_eq!(place.names(), 3, "nothing is left behind");
}

#[test]
fn a_truncated_book_is_read_as_far_as_it_goes() {
    let place = Place::new();
    let own = place.book();
    for format in ["obk", "moonriver", "eleeye"] {
        let (whole, cut) = (place.at(format), place.at(&format!("cut-{format}")));
        json(&["book", "export", &own, "--to", format, "-o", &whole], 0);
        let bytes = std::fs::read(&whole).unwrap();
        std::fs::write(&cut, &bytes[..bytes.len() - bytes.len() / 3 - 3]).unwrap();
        let sick = json(&["book", "doctor", &cut, "--from", format], 1);
        assert_eq!(sick["findings"][0]["name"], "file", "{sick}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_pipes_are_not_opened() {
    let place = Place::new();
    let own = place.book();
    let obk = place.at("a.obk");
    json(&["book", "export", &own, "--to", "obk", "-o", &obk], 0);
    std::os::unix::fs::symlink(&obk, place.at("link")).unwrap();
    assert_eq!(json(&["book", "doctor", &place.at("link")], 0)["format"], "obk");
    assert!(std::process::Command::new("mkfifo").arg(place.at("pipe")).status().unwrap().success());
    fails(
        &["book", "import", &place.at("pipe"), "-o", &place.at("out")],
        65,
        &["not a regular file"],
    );
    fails(&["book", "doctor", &place.at("pipe")], 65, &["not a regular file"]);
}

/// `ElephantEye`'s own book, where it is at hand.
#[test]
fn a_real_book() {
    let shared =
        std::env::var_os("JUZHONG_SHARED").map_or_else(|| "../shared".into(), PathBuf::from);
    let path = shared.join("formats/samples/BOOK.DAT");
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return;
    }
    let place = Place::new();
    let own = place.at("own");
    let path = path.display().to_string();
    let report = json(&["book", "import", &path, "-o", &own, "--plies", "1"], 0);
    assert_eq!((&report["format"], &report["rows"]), (&"eleeye".into(), &12_081.into()));
    assert!(report["taken"].as_u64().unwrap() >= 7848, "{report}");
    assert_eq!(report["illegal"], 0);
    let moves = json(&["book", "query", &own], 0)["moves"].clone();
    let heaviest = moves.as_array().unwrap().iter().max_by_key(|m| m["weight"].as_u64()).unwrap();
    assert_eq!(heaviest["move"], "h2e2", "{moves}");
}
