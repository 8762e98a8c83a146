//! This engine as managers of gomoku tournaments and their boards see it: the Gomocup protocol.
//!
//! `game` is the board that the manager sets up, `limits` what it allows, `swap` openings for the opponent to choose a
//! side of, `steps` the openings of Yixin Board, `session` the conversation.

mod game;
mod limits;
pub(crate) mod session;
mod steps;
mod swap;
