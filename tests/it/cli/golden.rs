//! Outputs that other programs read, byte for byte: the JSON of queries and the commands' help. A change
//! here breaks somebody; `INSTA_UPDATE=always cargo test --release --test it cli::golden` accepts it.

use crate::support::folder::Folder;
use crate::support::program::{ok, stdout};

#[test]
fn position() {
    insta::assert_snapshot!("position", stdout(&["position", "--json", "--moves", "h2e2 h9g7"]));
}

#[test]
fn position_by_repetition() {
    let fen = "3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1";
    let moves = "e1d1 d9e9 d1e1 e9d9 e1d1 d9e9 d1e1 e9d9";
    let args = ["position", "--json", "--rules", "check", "--fen", fen, "--moves", moves];
    insta::assert_snapshot!("position_by_repetition", stdout(&args));
}

#[test]
fn tables() {
    let folder = Folder::new();
    let dir = &folder.at("");
    ok(&["tablebase", "generate", "KRvKN", "--dir", dir, "--rules", "check"]);
    let fen = "4k4/9/9/9/9/9/4n4/9/9/R3K4 w - - 0 1";
    insta::assert_snapshot!(
        "probe",
        stdout(&["tb", "probe", "--dir", dir, "--fen", fen, "--json"])
    );
    insta::assert_snapshot!("stats", stdout(&["tb", "stats", "KRvKN", "--dir", dir, "--json"]));
    insta::assert_snapshot!(
        "stats_swapped",
        stdout(&["tb", "stats", "KNvKR", "--dir", dir, "--json"])
    );
}

#[test]
fn book() {
    let folder = Folder::new();
    let book = &folder.at("lines.book");
    let lines = "books/openings/same-direction-cannons.pgn";
    ok(&["book", "build", lines, "-o", book]);
    insta::assert_snapshot!("query", stdout(&["book", "query", book, "--json", "--moves", "h2e2"]));
}

#[test]
fn help() {
    // On Windows the usage names the program with its ending.
    insta::assert_snapshot!("help", stdout(&["--help"]).replace("juzhong.exe", "juzhong"));
}
