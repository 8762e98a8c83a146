//! Small opening books built from games in PGN.

use std::fs;
use std::path::{Path, PathBuf};

use juzhong::book::{self, BuildOptions, ReadOptions};
use juzhong::xiangqi::Position;

/// One short game that Red wins, as PGN.
pub(crate) const ONE_GAME: &str = "[Result \"1-0\"]\n\n1. h2e2 h9g7 2. h0g2 1-0\n\n";

/// Builds the book `name` in a folder from games, all of which must be good; they go to `games.pgn` beside it.
pub(crate) fn book_of(folder: &Path, name: &str, pgn: &str, options: BuildOptions) -> PathBuf {
    let (games, book) = (folder.join("games.pgn"), folder.join(name));
    fs::write(&games, pgn).unwrap();
    let read = ReadOptions { strict: true, ..ReadOptions::default() };
    book::build::<Position>(&[games], &book, options, read).unwrap();
    book
}

/// A book of [`ONE_GAME`].
pub(crate) fn small_book(folder: &Path) -> PathBuf {
    book_of(folder, "small.book", ONE_GAME, BuildOptions::default())
}
