//! `juzhong demo` from end to end.

use std::fs;
use std::path::Path;

use crate::support::folder::Folder;
use crate::support::program::{command, ended, juzhong, text};

/// What the demo prints, without its times and the folder of its files.
fn without_times_and_paths(text: &str) -> String {
    let line = |line: &str| match line.split_once("-> ") {
        Some((before, path)) => format!("{before}-> {}", name_of(path)),
        None if line.ends_with(" s") => {
            line[..line.rfind([',', '，', '；']).unwrap_or(line.len())].to_owned()
        }
        None if line.starts_with("Done in ") || line.starts_with("用时 ") => "Done".to_owned(),
        None if line.starts_with("  ") && line.contains("demo/") => name_of(line),
        None => line.trim_end().to_owned(),
    };
    let text = text.replace(std::path::MAIN_SEPARATOR, "/");
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

fn name_of(path: &str) -> String {
    Path::new(path).file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn builds_and_plays_everything_as_the_readme_shows() {
    let folder = Folder::new();
    let output = juzhong(&["demo", "--dir", &folder.at("demo")]);
    ended(&output, 0, &[]);
    assert_eq!(text(&output.stderr), "", "no warnings about its own defaults");
    let printed = text(&output.stdout);
    assert!(printed.lines().count() <= 60, "{printed}");
    for words in ["  book\n", "  search: ", "  table: ", "0 wrong: all right", "Red wins"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    for made in ["demo.book", "tables", "games.pgn"] {
        let path = folder.join("demo").join(made);
        assert!(path.exists() && printed.contains(&path.display().to_string()), "{printed}");
    }
    let elsewhere = Folder::new();
    let mut chinese = command(&["demo", "--dir", &elsewhere.at("demo")]);
    let chinese = text(&chinese.env("JUZHONG_LANG", "zh").output().unwrap().stdout);
    for (readme, printed) in [("README.md", &printed), ("README.zh-CN.md", &chinese)] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(readme)).unwrap();
        let (_, sample) = text.split_once("```text\n1. ").unwrap();
        let (sample, _) = sample.split_once("\n```").unwrap();
        assert_eq!(
            without_times_and_paths(&format!("1. {sample}")),
            without_times_and_paths(printed),
            "{readme}"
        );
    }
}

#[test]
fn a_second_demo_takes_the_place_of_the_first() {
    let folder = Folder::new();
    let args = ["demo", "--nodes", "500", "--dir", &folder.at("demo")];
    for _ in 0..2 {
        ended(&juzhong(&args), 0, &[]);
    }
}

#[test]
fn that_of_gomoku_has_a_book_a_game_and_a_proof() {
    let shown = || {
        let output = juzhong(&["demo", "--game", "gomoku", "--board", "ascii"]);
        ended(&output, 0, &[]);
        assert_eq!(text(&output.stderr), "");
        without_times_and_paths(&text(&output.stdout))
    };
    let first = shown();
    for part in
        ["1. ", "200 games", " book\n", " search: depth", "won: ", " wins in ", ": all right"]
    {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!first.contains('●'), "{first}");
    assert_eq!(first, shown());
}
