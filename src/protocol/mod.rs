//! Engine protocols: a session reads commands from a `BufRead` and writes answers to a `Write`.
//! A session answers or ignores whatever comes in; it never panics and never exits the program.
//!
//! UCI, UCI-Cyclone and UCCI are dialects of one language, so there is one session for all. Every
//! [`Command`] of every dialect is understood at any time, and every option by its names in all
//! dialects; only what the engine says ([`Dialect`]) depends on the handshake that came first.
//!
//! | folder    | module     | what it is for                                                        |
//! |-----------|------------|-----------------------------------------------------------------------|
//! | `wire` | `dialect` | the dialects |
//! | `wire` | `command` | a line of a GUI, parsed |
//! | `wire` | `go` | the limits of a search: `go` read and written |
//! | `wire` | `format` | positions, options and answers, written and read in one dialect |
//! | `wire` | `info` | the lines of an engine that searches, read |
//! | `wire` | `scale` | UCCI's scores |
//! | `wire` | `options` | how options are announced and set |
//! | `wire` | `announced` | options of other engines |
//! | `conversation` | | the GUI's side of every session: lines, end, and the loop that goes through the events |
//! | `conversation` | `dialects` | the dialect that GUIs of xiangqi speak |
//! | `conversation` | `input` | the thread that reads lines, and the channel of events |
//! | `conversation` | `queue` | commands that wait |
//! | `conversation` | `owed` | the answer of a search, and what it waits for |
//! | `conversation` | `position` | the position that a GUI sets up |
//! | `wire` | `gomocup` | the lines of managers of gomoku engines, and of such engines |
//! | `session` | `answers` | this engine's lines, in the dialect of the GUI |
//! | `session` | `settings` | the values of the options, and their meaning for the engine |
//! | `session` | `options`, `values` | a row for each option; its values read and written |
//! | `session` | `engine_handle` | the engine, at hand or with a thread |
//! | `session` | `thinking` | a search in its own thread |
//! | `session` | `timing` | from the clocks of `go` to the time for a move |
//! | `session` | `state` | the state between commands, and the ways from `go` to an answer |
//! | `wire` | `ranks` | moves with ranks counted from 0 or from 1 |
//! | `gomocup` | | this engine as managers of gomoku engines see it |
//! | `client` |  | an engine in a process of its own |
//!
//! The proxy and the client, which exchange lines with other engines, use the same readers and writers: `wire`
//! knows no engine and no thread.
//!
//! Three threads: one reads lines; one searches while a `go` runs, or opens the books and tablebases that
//! were named; the caller's own, which owns the state and the output, receives the events of both from one
//! channel. So `stop`, `isready` and `quit` are answered meanwhile. Commands that need the engine wait until
//! it is back; an endless search (`infinite`, `ponder`) is stopped by the next `go`.

#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::todo)]

pub mod client;
mod conversation;
mod gomocup;
mod session;
mod wire;

use std::io::{self, BufRead, BufReader, Read, Write};

pub(crate) use conversation::dialects::Dialects;
use conversation::input::AnyLineEnds;
pub(crate) use conversation::input::{Channel, Event, channel, listen};
pub(crate) use conversation::owed::Owed;
pub(crate) use conversation::position::{legal_move, read_position, score_without_search};
pub(crate) use conversation::queue::QueuedCommand;
pub(crate) use conversation::{Conversation, EventLoop};
pub(crate) use wire::announced::Announced;
pub use wire::command::{Command, Setup};
pub use wire::dialect::Dialect;
pub use wire::format::Offer;
pub(crate) use wire::format::{Answer, Crossing, Wire, shortened};
pub use wire::go::{Go, SideClock};
pub use wire::info::{Info, InfoLine};
pub(crate) use wire::options::{folded, name_and_value};
pub use wire::ranks::Ranks;
pub(crate) use wire::scale;

use crate::engine::{Engine, EngineOptions, Playable};
use crate::gomoku::{Board, FreeRules};
pub(crate) use session::options::{is_same, name_in};
pub(crate) use session::settings::Settings;
use session::state::Session;

/// Runs a session of `engine`, whose options are the defaults that the GUI sees, until `quit` or
/// the end of the input. `assumed` is the dialect until a handshake sets another. At the end of the
/// input a search with an end of its own is finished first, in ten minutes at most, so that commands can
/// be piped in.
///
/// # Errors
///
/// Those of writing to `output`.
pub fn serve<G: Playable>(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    engine: Engine<G>,
    assumed: Dialect,
) -> io::Result<()> {
    let options = engine.options().clone();
    serve_with(input, output, engine, options, assumed)
}

/// As [`serve`], for an engine that is to have other `options`, the defaults that the GUI sees: they are set
/// while the session runs, so that books and tablebases which are slow to open delay nothing.
///
/// # Errors
///
/// Those of writing to `output`.
pub fn serve_with<G: Playable>(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    engine: Engine<G>,
    options: EngineOptions<G::Rules>,
    assumed: Dialect,
) -> io::Result<()> {
    let (sender, events) = channel();
    listen("protocol input", "quit", input, sender.clone())?;
    Session::new(engine, options, assumed, (sender, events), output).run()
}

/// Runs a session of `engine` in the Gomocup protocol, until `END` or the end of the input. The engine is to have the
/// `options`, which are set while the session runs. Lines may end with CR LF, LF or CR.
///
/// # Errors
///
/// Those of writing to `output`.
pub fn serve_gomocup(
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    engine: Engine<Board>,
    options: EngineOptions<FreeRules>,
) -> io::Result<()> {
    let (sender, events) = channel();
    let input = BufReader::new(AnyLineEnds(input));
    listen("protocol input", "END", input, sender.clone())?;
    gomocup::session::Session::new(engine, options, (sender, events), output).run()
}
