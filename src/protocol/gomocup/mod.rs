//! This engine as managers of gomoku tournaments and their boards see it: the Gomocup protocol.
//!
//! `game` is the board that the manager sets up, `lists` the points that it names one after the other, `limits` and
//! `memory` what it allows, `swap` openings for the opponent to choose a side of, `steps` the openings of Yixin Board,
//! `session` the conversation.

mod game;
mod limits;
mod lists;
mod memory;
pub(crate) mod session;
mod steps;
mod swap;
