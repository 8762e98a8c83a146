//! The lines of a GUI, read in a thread of its own, and the channel on which all events of a session come.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::bytes::read_line;
use crate::protocol::wire::command::MAX_LINE;

/// Events that may wait in the channel.
const EVENTS: usize = 256;

/// An event that a session waits for.
#[derive(Debug)]
pub(crate) enum Event<T> {
    /// A line of the GUI.
    Line(String),
    /// The GUI has closed its output.
    End,
    /// From the engine.
    Engine(T),
}

/// The two ends of the channel that carries the events of a session.
pub(crate) type Channel<T> = (SyncSender<Event<T>>, Receiver<Event<T>>);

/// A channel that holds a bounded number of events.
pub(crate) fn channel<T>() -> Channel<T> {
    sync_channel(EVENTS)
}

/// Reads the lines of `input` in a thread with this name, which ends with the input, with the word `last`, or with
/// the process. The mark that some programs write before their first line is left out.
///
/// # Errors
///
/// If no thread can be started.
pub(crate) fn listen<T: Send + 'static>(
    name: &str,
    last: &'static str,
    input: impl BufRead + Send + 'static,
    events: SyncSender<Event<T>>,
) -> io::Result<()> {
    let reader = thread::Builder::new().name(name.to_owned());
    reader.spawn(move || send_lines(input, last, &events)).map(drop)
}

/// Sends lines until the end, the word `last_word`, or until the receiver is gone.
fn send_lines<T>(mut input: impl BufRead, last_word: &'static str, events: &SyncSender<Event<T>>) {
    let mut is_first = true;
    while let Ok(Some(line)) = next_line(&mut input) {
        let line = match line.strip_prefix('\u{feff}').filter(|_| is_first) {
            Some(rest) => rest.to_owned(),
            None => line,
        };
        is_first = false;
        let last = line.split_whitespace().next() == Some(last_word);
        if events.send(Event::Line(line)).is_err() {
            return;
        }
        if last {
            break;
        }
    }
    // That nobody listens any more is the end as well.
    drop(events.send(Event::End));
}

/// Reads text whose lines end with CR LF, LF or CR: each CR becomes an LF, so that there may be empty lines.
#[derive(Debug)]
pub(crate) struct AnyLineEnds<R>(pub(crate) R);

impl<R: Read> Read for AnyLineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        for byte in buffer.iter_mut().take(count).filter(|byte| **byte == b'\r') {
            *byte = b'\n';
        }
        Ok(count)
    }
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
    Ok(Some(line.text().unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned())))
}
