//! `juzhong demo` from end to end, with a short search.

use crate::support::folder::Folder;
use crate::support::program::stdout;

#[test]
fn builds_and_plays_everything() {
    let folder = Folder::new();
    let dir = folder.join("demo");
    let text = stdout(&["demo", "--nodes", "500", "--dir", &folder.at("demo")]);
    for words in ["49 tables", "0 wrong: all right", "  book", "  search: ", "  table: "] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("checkmate: Red wins"), "{text}");
    for made in ["demo.book", "tables", "games.pgn"] {
        assert!(dir.join(made).exists());
        assert!(text.contains(&dir.join(made).display().to_string()));
    }
}
