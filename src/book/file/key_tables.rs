//! The key tables of games, as they stand in a book.

use crate::game::Game;
use crate::gomoku;
use crate::hash;
use crate::xiangqi;

/// The file of a key table, or of the stored one of a game.
pub(crate) fn table_file(game: &str, table: Option<&hash::KeyTable>) -> Vec<u8> {
    table
        .and_then(|table| table.to_bytes().ok())
        .unwrap_or_else(|| key_file(game).unwrap_or_default().to_vec())
}

/// The stored key file of a game, by its name.
pub(crate) fn key_file(game: &str) -> Option<&'static [u8]> {
    match game {
        xiangqi::Position::NAME => Some(hash::xiangqi::FILE),
        gomoku::Board::NAME => Some(hash::gomoku::FILE),
        _ => None,
    }
}
