//! An engine whose lines come as events, for the proxy, which waits for its GUI too.

use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use crate::protocol::client::child::Child;
use crate::protocol::client::{ClientError, EngineCommand};

/// Lines that an engine may write in one go; then it is read again after [`BREATH`]. More wait in the pipe,
/// so that an engine that writes without end costs the others no time.
const LINES_AT_ONCE: u32 = 256;
const BREATH: Duration = Duration::from_millis(20);

/// An engine whose lines are handed on as they come, for a caller that waits for other things too.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts an engine. `sink` gets each line, and `None` at the end, in a thread of its own, until it
    /// returns `false`. `grace` is the time that the process may take to end once it has closed its output.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`].
    pub(crate) fn spawn(
        command: &EngineCommand,
        grace: Duration,
        sink: impl FnMut(Option<String>) -> bool + Send + 'static,
    ) -> Result<Self, ClientError> {
        let mut child = Child::spawn(command, grace)?;
        let lines = child.take_lines();
        let thread = thread::Builder::new().name("engine lines".to_owned());
        let started = thread.spawn(move || hand_on(&lines, sink));
        started.map_err(|source| ClientError::start(&command.program, source))?;
        Ok(Self { child })
    }

    /// Says one line.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotReading`].
    pub(crate) fn say(&mut self, line: &str) -> Result<(), ClientError> {
        self.child.say(line)
    }

    /// The error that it has ended, with what is known about the end.
    pub(crate) fn ended(&mut self, doing: &'static str) -> ClientError {
        self.child.ended(doing)
    }

    /// Sends `quit`, and ends the engine if it does not obey.
    pub(crate) fn quit(mut self, at_most: Duration) {
        if self.child.say("quit").is_ok() {
            self.child.wait(at_most);
        }
    }
}

fn hand_on(lines: &Receiver<String>, mut sink: impl FnMut(Option<String>) -> bool) {
    let mut count = 0;
    let mut began = Instant::now();
    while let Ok(line) = lines.recv() {
        if !sink(Some(line)) {
            return;
        }
        count += 1;
        if count == LINES_AT_ONCE {
            thread::sleep(BREATH.saturating_sub(began.elapsed()));
            (count, began) = (0, Instant::now());
        }
    }
    sink(None);
}
