//! The C API: functions of the C calling convention for engines and scripts in other languages (feature `capi`).
//!
//! `include/juzhong.h` is made from this room by cbindgen. Every function returns a status; results go to places that
//! the caller hands in. Nothing panics across the border. What is opened has a handle, a number that is looked up at
//! each call (`registry`), so that a handle that was closed, or never was one, is an error and nothing worse.
//!
//! `status`, `arguments` and `registry` are what all functions are made of; `message`, `board`, `tables`, `game` and `book` are the functions.
//! The only `unsafe` beside the attributes of the functions is in `arguments` and in the calls of it.

#![expect(unsafe_code, reason = "a C caller hands in pointers, and finds functions by their names")]

mod arguments;
mod board;
mod book;
mod game;
mod message;
mod registry;
mod status;
mod tables;

pub use board::*;
pub use book::*;
pub use game::*;
pub use message::*;
pub use status::*;
pub use tables::*;
