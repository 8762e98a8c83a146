//! This program's own engine, for the time after a foreign one has failed: a UCI session in threads
//! of this process.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use crate::engine::{Engine, EngineOptions};
use crate::protocol::{Dialect, serve_with};
use crate::xiangqi::{Position, RuleSet};

/// Commands that wait to be read.
const COMMANDS_AHEAD: usize = 1000;

/// A running session.
#[derive(Debug)]
pub(crate) struct OwnEngine {
    commands: SyncSender<String>,
}

impl OwnEngine {
    /// Starts a session of an engine that is to have `options`; `sink` gets each line, and `None` at the end,
    /// until it returns `false`.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub(crate) fn start(
        engine: Engine<Position>,
        options: EngineOptions<RuleSet>,
        sink: impl FnMut(Option<String>) -> bool + Send + 'static,
    ) -> io::Result<Self> {
        let (commands, heard) = sync_channel(COMMANDS_AHEAD);
        thread::Builder::new().name("own engine".to_owned()).spawn(move || {
            let mut lines = Lines { sink, part: Vec::new() };
            let feed = BufReader::new(Feed { heard, rest: io::Cursor::default() });
            let ended = serve_with(feed, &mut lines, engine, options, Dialect::Uci);
            tracing::debug!(?ended, "own engine ended");
            (lines.sink)(None);
        })?;
        Ok(Self { commands })
    }

    /// Says one line; `false` if the session does not read.
    pub(crate) fn say(&self, line: &str) -> bool {
        // A session that has ended needs no lines: its end is reported by itself.
        !matches!(self.commands.try_send(format!("{line}\n")), Err(TrySendError::Full(_)))
    }
}

impl Drop for OwnEngine {
    fn drop(&mut self) {
        // Where it does not read, it ends with its input.
        let _heard = self.say("quit");
    }
}

/// The lines sent to the engine, as a stream.
struct Feed {
    heard: Receiver<String>,
    rest: io::Cursor<Vec<u8>>,
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        let Ok(line) = self.heard.recv() else { return Ok(0) };
        self.rest = io::Cursor::new(line.into_bytes());
        self.rest.read(buffer)
    }
}

/// A stream as lines.
struct Lines<F> {
    sink: F,
    part: Vec<u8>,
}

impl<F: FnMut(Option<String>) -> bool> Write for Lines<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        while let Some(end) = self.part.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.part.drain(..=end).collect();
            let line = crate::bytes::readable(line).trim_end().to_owned();
            if !(self.sink)(Some(line)) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
