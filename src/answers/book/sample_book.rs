//! A small book for tests.

use std::path::{Path, PathBuf};

use crate::book::{BuildOptions, ReadOptions, build};
use crate::xiangqi::Position;

/// A book of these games in a folder, with their samples.
pub(crate) fn book_of(folder: &Path, games: &str) -> PathBuf {
    let file = folder.join("games.pgn");
    let book = folder.join("a.book");
    std::fs::write(&file, games).unwrap();
    let options = BuildOptions { samples: 2, ..BuildOptions::default() };
    build::<Position>(&[file], &book, options, ReadOptions::default()).unwrap();
    book
}
