//! Arguments that several commands share, and what they name: lines of play, files of games, players, settings.

pub(crate) mod engine_args;
pub(crate) mod engine_command;
pub(crate) mod engine_table;
pub(crate) mod evaluation;
pub(crate) mod fens;
pub(crate) mod game_filter;
pub(crate) mod game_input;
pub(crate) mod input;
pub(crate) mod line_args;
pub(crate) mod openings;
pub(crate) mod packed_file;
pub(crate) mod percentage;
pub(crate) mod picture;
pub(crate) mod player;
pub(crate) mod settings;
pub(crate) mod side;
pub(crate) mod size;
