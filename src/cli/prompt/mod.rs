//! Input that people type while a command runs: lines, from an editor in a terminal, and the tables of typed commands.

mod commands;
mod editor;
pub(crate) mod state_file;

use crate::cli::print::terminal::Terminal;
pub(crate) use commands::{
    HelpLine, TypedCommand, command_of, completing_words, help_text, nearest, remedy,
};
pub(crate) use editor::{Entered, Prompt, Words};
use juzhong::answers::legal_moves;
use juzhong::xiangqi::notation::MoveNotation;

/// The legal moves as they may be typed: in the protocol's notation, and in that in which moves are shown.
pub(crate) fn move_words<G: Terminal>(position: &G, notation: MoveNotation) -> Vec<String> {
    let moves = legal_moves(position).into_iter();
    let both = moves.flat_map(|mv| [G::move_text(mv), position.write_move(mv, notation)]);
    let mut words: Vec<String> = both.collect();
    words.dedup();
    words
}
