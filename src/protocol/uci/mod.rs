//! UCI, as GUIs for xiangqi speak it: moves are `h2e2` (ranks 0 to 9), Red is "white".
//!
//! Three threads: one reads lines, one searches while a `go` runs, and the caller's own, which owns
//! the state and the output, takes the events of both from one channel. So `stop`, `isready` and
//! `quit` are answered during a search. Commands that need the engine wait until the search ends;
//! an endless search (`infinite`, `ponder`) is stopped by the next `go`.

mod command;
mod session;
mod settings;
mod thinking;

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

use crate::bytes::read_line;
use crate::engine::{Engine, Playable};
use session::Session;
pub(crate) use settings::Settings;
use thinking::Event;

/// The longest line that is read, in bytes: a game of 200,000 moves. More is dropped.
const MAX_LINE: u64 = 1 << 20;

/// Events that may wait in the channel.
const QUEUE: usize = 256;

/// Runs a session of `engine`, whose options are the defaults that the GUI sees, until `quit` or the end of the input. At the end of the input a search with an
/// end of its own is finished first, so that commands can be piped in.
///
/// # Errors
///
/// Those of writing to `output`.
pub fn serve<G: Playable>(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    engine: Engine<G>,
) -> io::Result<()> {
    let (sender, events) = sync_channel(QUEUE);
    let lines = sender.clone();
    let reader = std::thread::Builder::new().name("uci input".to_owned());
    let reader = reader.spawn(move || send_lines(input, &lines))?;
    drop(reader); // it ends with the input, with `quit`, or with the process
    Session::new(engine, sender, events, output).run()
}

/// Reads lines until the end, `quit`, or until nobody listens.
fn send_lines<T>(mut input: impl BufRead, events: &SyncSender<Event<T>>) {
    loop {
        let event = match read_line(&mut input, MAX_LINE) {
            Ok(Some(line)) => Event::Line(line),
            Ok(None) | Err(_) => Event::End,
        };
        let last = match &event {
            Event::Line(line) => line.split_whitespace().next() == Some("quit"),
            _ => true,
        };
        if events.send(event).is_err() || last {
            return;
        }
    }
}
