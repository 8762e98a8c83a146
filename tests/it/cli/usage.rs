//! Mistyped command lines, and what fits on a line.

use crate::support::folder::Folder;
use crate::support::program::{columns, exits, fails, ok, sample_book, stdout, text};

#[test]
fn the_command_that_was_meant_is_named() {
    fails(&["query", "my.book"], 2, &["juzhong book query"]);
    fails(&["probe"], 2, &["juzhong tablebase probe"]);
    fails(&["stats"], 2, &["juzhong book stats or juzhong tablebase stats"]);
    assert!(stdout(&["help"]).contains("tb]"), "the short name of tablebase");
    for word in ["eval", "估值", "评估", "分值", "局面分", "評估"] {
        fails(&[word], 2, &["Did you mean juzhong position --eval?"]);
    }
    fails(&["残局库"], 2, &["juzhong tablebase?"]);
    fails(&["settings"], 2, &["juzhong config?"]);
}

#[test]
fn numbers_that_are_none_are_explained() {
    fails(&["analyse", "--nodes", "many"], 2, &["--nodes", "write a whole number"]);
    fails(&["analyse", "--hash", ""], 2, &["--hash"]);
    fails(&["play", "--threads", "99999999999999999999"], 2, &["--threads", "too large"]);
    let edit = ["book", "edit", "x.book", "--moves", "h2e2", "--weight", "-5"];
    fails(&edit, 2, &["invalid value '-5' for '--weight", "write a whole number in 0.."]);
    fails(&["analyse", "--nodes", "-5"], 2, &["'-5' for '--nodes", "in 1.."]);
    fails(&["analyse", "--hash", "-1"], 2, &["'-1' for '--hash", "in 1..=32768"]);
    fails(&["analyse", "--depth", "-1"], 2, &["-1 is not in 1.."]);
    fails(&["book", "query", "x.book", "--min-games", "-3"], 2, &["'-3'"]);
    fails(&["--game", "gomoku", "position", "--size", "-3"], 65, &["no size of a board"]);
}

/// A refusal says its reason once, and what the file is.
#[test]
fn what_is_no_file_of_games_is_named_once() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let own = "an opening book of this program";
    let table = folder.write("a.jzt", "JZTABLE\0\0");
    let image = folder.write("a.pgn", "\u{1}\u{2}%PDF");
    std::fs::write(folder.path().join("b.pgn"), b"\x89PNG\r\n\x1a\n").unwrap();
    std::fs::write(folder.path().join("c.pgn"), b"SQLite format 3\0").unwrap();
    let (picture, database) = (folder.at("b.pgn"), folder.at("c.pgn"));
    let polyglot = folder.at("a.bin");
    ok(&["book", "export", &book, "--to", "polyglot", "-o", &polyglot]);
    for (file, reason) in [
        (&book, own),
        (&table, "an endgame table"),
        (&image, "no format of game records is known"),
        (&picture, "an image"),
        (&database, "a database of SQLite"),
        (&polyglot, "an opening book of another program (polyglot)"),
    ] {
        let output = &folder.at("out.pgn");
        for args in [
            &["convert", file, "-o", output][..],
            &["convert", file, "--strict", "-o", output],
            &["review", file],
            &["book", "build", file, "-o", output],
        ] {
            if args[0] == "book" && *file == polyglot {
                continue;
            }
            let told = text(&exits(args, 65).stderr);
            assert_eq!(told.matches(reason).count(), 1, "{args:?}: {told}");
        }
    }
    // Of several bad files each is named once.
    let (good, output) = (folder.write("d.pgn", "1. h2e2 *\n"), folder.at("e.pgn"));
    let told = text(&exits(&["convert", &picture, &database, "-o", &output], 65).stderr);
    assert!(told.matches("an image").count() == 1 && told.matches("SQLite").count() == 1, "{told}");
    let told = text(&ok(&["convert", &picture, &good, "-o", &output]).stderr);
    assert_eq!(told.matches("an image").count(), 1, "{told}");
    let list = folder.at("rejects.txt");
    let told = text(&exits(&["convert", &picture, "-o", &output, "--rejects", &list], 65).stderr);
    assert_eq!(told.matches("an image").count(), 1, "{told}");
}

#[test]
fn a_query_fits_into_80_columns() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    for notation in ["uci", "iccs", "wxf", "chinese"] {
        let shown = stdout(&["book", "query", book, "--notation", notation]);
        assert!(shown.lines().all(|line| columns(line) <= 80), "{shown}");
    }
}
