//! What other programs read, byte for byte: the JSON of queries and the commands' help. A change
//! here breaks somebody; `INSTA_UPDATE=always cargo test --release --test golden` accepts it.

use std::path::Path;

use assert_cmd::Command;

fn juzhong(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_juzhong"));
    let output =
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("it runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn position() {
    insta::assert_snapshot!("position", juzhong(&["position", "--json", "--moves", "h2e2 h9g7"]));
}

#[test]
fn position_by_repetition() {
    let fen = "3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1";
    let moves = "e1d1 d9e9 d1e1 e9d9 e1d1 d9e9 d1e1 e9d9";
    let args = ["position", "--json", "--rules", "check", "--fen", fen, "--moves", moves];
    insta::assert_snapshot!("position_by_repetition", juzhong(&args));
}

#[test]
fn tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().to_str().expect("UTF-8");
    juzhong(&["tablebase", "generate", "KRvKN", "--dir", dir]);
    let fen = "4k4/9/9/9/9/9/4n4/9/9/R3K4 w - - 0 1";
    insta::assert_snapshot!(
        "probe",
        juzhong(&["tb", "probe", "--dir", dir, "--fen", fen, "--json"])
    );
    insta::assert_snapshot!("stats", juzhong(&["tb", "stats", "KRvKN", "--dir", dir, "--json"]));
    insta::assert_snapshot!(
        "stats_swapped",
        juzhong(&["tb", "stats", "KNvKR", "--dir", dir, "--json"])
    );
}

#[test]
fn book() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("lines.book");
    let book = book.to_str().expect("UTF-8");
    let lines = Path::new("books/openings/same-direction-cannons.pgn");
    juzhong(&["book", "build", lines.to_str().expect("UTF-8"), "-o", book]);
    insta::assert_snapshot!(
        "query",
        juzhong(&["book", "query", book, "--json", "--moves", "h2e2"])
    );
}

#[test]
fn help() {
    insta::assert_snapshot!("help", juzhong(&["--help"]));
}
