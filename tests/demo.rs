//! `juzhong demo` from end to end, with a short search.

use assert_cmd::Command;

#[test]
fn builds_and_plays_everything() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("juzhong").unwrap();
    let dir = folder.path().join("demo");
    let output = command.arg("demo").args(["--nodes", "500", "--dir"]).arg(&dir).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for words in ["49 tables", "0 wrong: all right", "  book", "  search: ", "  table: "] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("checkmate: Red wins"), "{text}");
    for made in ["demo.book", "tables", "games.pgn"] {
        assert!(dir.join(made).exists());
        assert!(text.contains(&dir.join(made).display().to_string()));
    }
}
