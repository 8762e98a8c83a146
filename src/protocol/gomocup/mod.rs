//! This engine as managers of gomoku tournaments and their boards see it: the Gomocup protocol.
//!
//! `game` is the board that the manager sets up, `limits` what it allows, `swap` openings under swap2, `session` the
//! conversation.

mod game;
mod limits;
pub(super) mod session;
mod swap;
