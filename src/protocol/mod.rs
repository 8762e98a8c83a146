//! Engine protocols: a session reads commands from a `BufRead` and writes answers to a `Write`.
//! Whatever comes in, a session answers or ignores it; it never panics and never exits the
//! program.
//!
//! UCI, UCI-Cyclone and UCCI are dialects of one language, so there is one session for all. Every
//! [`Command`] of every dialect is understood at any time, and every option by its names in all
//! dialects; only what the engine says ([`Dialect`]) depends on the handshake that came first.
//!
//! | module     | what it is for                                                        |
//! |------------|-----------------------------------------------------------------------|
//! | `command`  | a line of input, understood                                           |
//! | `dialect`  | what the dialects say differently                                     |
//! | `answers`  | the engine's lines, in the dialect spoken                             |
//! | `options`  | the names of options, and how they are announced                      |
//! | `settings` | what the options are set to, and what that means to the engine        |
//! | `thinking` | a search in its own thread                                            |
//! | `timing`   | from the clocks of `go` to the time that a move may take              |
//! | `session`  | the state between commands                                            |
//! | `ranks`    | moves with ranks counted from 0 or from 1                             |
//!
//! Three threads: one reads lines, one searches while a `go` runs, and the caller's own, which owns
//! the state and the output, takes the events of both from one channel. So `stop`, `isready` and
//! `quit` are answered during a search. Commands that need the engine wait until the search ends;
//! an endless search (`infinite`, `ponder`) is stopped by the next `go`.

#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::todo)]

mod answers;
mod command;
mod dialect;
mod options;
mod ranks;
mod session;
mod settings;
mod thinking;
mod timing;

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

pub use command::{Command, Go, Setup, SideClock};
pub use dialect::Dialect;
pub use ranks::Ranks;

use crate::bytes::read_line;
use crate::engine::{Engine, Playable};
use session::Session;
pub(crate) use settings::Settings;
use thinking::Event;

/// The longest line that is read, in bytes: a game of 50,000 plies. More is dropped.
const MAX_LINE: u64 = 1 << 18;

/// Events that may wait in the channel.
const QUEUE: usize = 256;

/// Runs a session of `engine`, whose options are the defaults that the GUI sees, until `quit` or
/// the end of the input. `assumed` is spoken until a handshake says otherwise. At the end of the
/// input a search with an end of its own is finished first, so that commands can be piped in.
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
    let (sender, events) = sync_channel(QUEUE);
    let lines = sender.clone();
    let reader = std::thread::Builder::new().name("protocol input".to_owned());
    let reader = reader.spawn(move || {
        send_lines(input, MAX_LINE, &lines, |line| line.map_or(Event::End, Event::Line));
    })?;
    drop(reader); // it ends with the input, with `quit`, or with the process
    Session::new(engine, assumed, sender, events, output).run()
}

/// Reads lines until the end, `quit`, or until nobody listens. `event` makes an event of a line of at
/// most `longest` bytes, and of the end, which is `None`.
pub(crate) fn send_lines<E>(
    mut input: impl BufRead,
    longest: u64,
    events: &SyncSender<E>,
    event: impl Fn(Option<String>) -> E,
) {
    loop {
        let line = read_line(&mut input, longest).ok().flatten();
        let last = line.as_ref().is_none_or(|l| l.split_whitespace().next() == Some("quit"));
        if events.send(event(line)).is_err() || last {
            return;
        }
    }
}
