//! Mistyped command lines, and what fits on a line.

use crate::support::folder::Folder;
use crate::support::program::{columns, fails, sample_book, stdout};

#[test]
fn the_command_that_was_meant_is_named() {
    fails(&["query", "my.book"], 2, &["juzhong book query"]);
    fails(&["probe"], 2, &["juzhong tablebase probe"]);
    fails(&["stats"], 2, &["juzhong book stats or juzhong tablebase stats"]);
    assert!(stdout(&["help"]).contains("tb]"), "the short name of tablebase");
}

#[test]
fn numbers_that_are_none_are_explained() {
    fails(&["analyse", "--nodes", "many"], 2, &["--nodes", "write a whole number"]);
    fails(&["analyse", "--hash", ""], 2, &["--hash"]);
    fails(&["play", "--threads", "99999999999999999999"], 2, &["--threads", "too large"]);
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
