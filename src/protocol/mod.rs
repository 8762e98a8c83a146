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
//! | `wire` | `command` | a line of a GUI, understood |
//! | `wire` | `go` | the limits of a search: `go` read and written |
//! | `wire` | `wire` | positions, options and answers, written and read in one dialect |
//! | `wire` | `info` | the lines of an engine that searches, read |
//! | `wire` | `scale` | UCCI's scores |
//! | `wire` | `options` | the names of options in all dialects, and how they are announced |
//! | `wire` | `announced` | options of other engines |
//! | `wire` | `queue` | commands that wait |
//! | `session` | `answers` | this engine's lines, in the dialect of the GUI |
//! | `session` | `settings` | the values of the options, and their meaning for the engine |
//! | `session` | `thinking` | a search in its own thread |
//! | `session` | `timing` | from the clocks of `go` to the time for a move |
//! | `session` | `state` | the state between commands |
//! | `wire` | `ranks` | moves with ranks counted from 0 or from 1 |
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
mod session;
mod wire;

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

pub(crate) use wire::announced::Announced;
use wire::command::MAX_LINE;
pub(crate) use wire::command::shortened;
pub use wire::command::{Command, Setup};
pub use wire::dialect::Dialect;
pub use wire::format::Offer;
pub(crate) use wire::format::{Answer, Crossing, Wire};
pub use wire::go::{Go, SideClock};
pub use wire::info::Info;
pub(crate) use wire::options::{folded, is_same, name_and_value, name_in};
pub(crate) use wire::queue::{Queue, Waiting};
pub use wire::ranks::Ranks;
pub(crate) use wire::scale;

use crate::bytes::read_line;
use crate::engine::{Engine, EngineOptions, Playable};
pub(crate) use session::settings::Settings;
use session::state::Session;
use session::thinking::Event;

/// Events that may wait in the channel.
const EVENTS: usize = 256;

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
    let (sender, events) = sync_channel(EVENTS);
    let lines = sender.clone();
    let reader = std::thread::Builder::new().name("protocol input".to_owned());
    let reader = reader.spawn(move || {
        send_lines(input, &lines, |line| line.map_or(Event::End, Event::Line));
    })?;
    drop(reader); // it ends with the input, with `quit`, or with the process
    Session::new(engine, options, assumed, (sender, events), output).run()
}

/// The next line: UTF-8 or GB18030, in which GUIs from China write names of files. Of one that is too
/// long only the beginning, without an end; in one that is neither, U+FFFD stands for the bytes that
/// could not be read: commands like these are refused.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let Some(line) = read_line(input, MAX_LINE)? else { return Ok(None) };
    if line.is_cut {
        input.skip_until(b'\n')?;
        return Ok(Some(line.readable()));
    }
    let bytes = line.bytes.clone();
    let refused = |_| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Some(line.text().unwrap_or_else(refused)))
}

/// Reads lines until the end, `quit`, or until the receiver is gone. `event` makes an event of a line, and of
/// the end, which is `None`. The mark that some programs write before their first line is left out.
pub(crate) fn send_lines<E>(
    mut input: impl BufRead,
    events: &SyncSender<E>,
    event: impl Fn(Option<String>) -> E,
) {
    let mut is_first = true;
    while let Ok(Some(line)) = next_line(&mut input) {
        let line = match line.strip_prefix('\u{feff}').filter(|_| is_first) {
            Some(rest) => rest.to_owned(),
            None => line,
        };
        is_first = false;
        let last = line.split_whitespace().next() == Some("quit");
        if events.send(event(Some(line))).is_err() {
            return;
        }
        if last {
            break;
        }
    }
    // That nobody listens any more is the end as well.
    drop(events.send(event(None)));
}
