//! A child process with a thread for each pipe, so that reading and writing never block the client; and its end.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{self, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::bytes::readable;
use crate::bytes::visible::Visible;
use crate::protocol::client::start_fault::not_started;
use crate::protocol::client::{ClientError, EngineCommand};

/// Bytes of a line that are read; the rest of it is skipped.
const MAX_LINE: usize = 1 << 16;
/// Lines that wait to be read; more wait in the pipe.
const LINES_AHEAD: usize = 256;
/// Commands that wait to be written.
const COMMANDS_AHEAD: usize = 256;
/// Bytes of standard error that are kept, the last ones.
const LAST_WORDS: usize = 1000;
/// The interval between two looks at whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The outcome of waiting for a line.
pub(crate) enum ChildOutput {
    Line(String),
    /// The engine has closed its output.
    End,
    Nothing,
}

/// A process, or threads of this one, with a thread for each pipe, so that none of them ever blocks
/// the client.
#[derive(Debug)]
pub(crate) struct Child {
    /// `None` for an engine within this program.
    process: Option<process::Child>,
    engine: String,
    commands: SyncSender<String>,
    lines: Receiver<String>,
    last_words: Arc<Mutex<VecDeque<u8>>>,
    /// Reads them.
    listener: Option<thread::JoinHandle<()>>,
    /// The time it may take to end by itself.
    grace: Duration,
}

impl Child {
    pub(crate) fn spawn(command: &EngineCommand, grace: Duration) -> Result<Self, ClientError> {
        let engine = command.program.clone();
        let mut program = process::Command::new(&command.program);
        program
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // An interrupt at the terminal is for this program, which then ends the engine in good order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        #[cfg(windows)]
        {
            const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
            std::os::windows::process::CommandExt::creation_flags(
                &mut program,
                CREATE_NEW_PROCESS_GROUP,
            );
        }
        let mut process =
            program.spawn().map_err(|source| not_started(&command.program, source))?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(ClientError::start(&command.program, io::Error::other("no pipes")));
        };
        // From here on the process is killed if a thread cannot be started.
        let mut child = Self::connect(engine.clone(), Some(process), (input, output), grace)?;
        let last_words = Arc::clone(&child.last_words);
        let listener = start_thread(&engine, "errors", move || keep_end(errors, &last_words))?;
        child.listener = Some(listener);
        Ok(child)
    }

    /// An engine within this program: `serve` reads commands and writes answers, in a thread of its
    /// own, until its input ends.
    pub(crate) fn within(
        engine: &str,
        grace: Duration,
        serve: impl FnOnce(io::PipeReader, io::PipeWriter) + Send + 'static,
    ) -> Result<Self, ClientError> {
        let (commands, input) = pipe(engine)?;
        let (output, answers) = pipe(engine)?;
        start_thread(engine, "itself", move || serve(commands, answers))?;
        Self::connect(engine.to_owned(), None, (input, output), grace)
    }

    /// Starts the threads that write commands and read answers.
    fn connect(
        engine: String,
        process: Option<process::Child>,
        (input, output): (impl Write + Send + 'static, impl Read + Send + 'static),
        grace: Duration,
    ) -> Result<Self, ClientError> {
        let (commands, to_write) = sync_channel(COMMANDS_AHEAD);
        let (sender, lines) = sync_channel(LINES_AHEAD);
        let last_words = Arc::default();
        let child = Self { process, engine, commands, lines, last_words, listener: None, grace };
        start_thread(&child.engine, "input", move || write_lines(input, &to_write))?;
        let output = BufReader::new(output);
        start_thread(&child.engine, "output", move || read_lines(output, &sender))?;
        Ok(child)
    }

    pub(crate) fn engine(&self) -> &str {
        &self.engine
    }

    /// Says one line; control characters in it become blanks.
    pub(crate) fn say(&mut self, line: &str) -> Result<(), ClientError> {
        self.say_all([line])
    }

    /// Says several lines at once; control characters in them become blanks.
    pub(crate) fn say_all<'a>(
        &mut self,
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ClientError> {
        let mut text = String::new();
        for line in lines {
            tracing::debug!(engine = self.engine, line, "said");
            text.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
            text.push('\n');
        }
        match self.commands.try_send(text) {
            // That the engine has ended shows where its answer is awaited.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(()),
            Err(TrySendError::Full(_)) => {
                Err(ClientError::NotReading { engine: self.engine.clone() })
            }
        }
    }

    /// The next line, if it comes until then.
    pub(crate) fn hear(&self, deadline: Instant) -> ChildOutput {
        let now = Instant::now();
        // An engine that never stops talking is late all the same.
        let wait = deadline.saturating_duration_since(now);
        if wait.is_zero() {
            return ChildOutput::Nothing;
        }
        match self.lines.recv_timeout(wait) {
            Ok(line) => ChildOutput::Line(line),
            Err(RecvTimeoutError::Timeout) => ChildOutput::Nothing,
            Err(RecvTimeoutError::Disconnected) => ChildOutput::End,
        }
    }

    /// The lines that come from now on, to be heard elsewhere; [`hear`](Self::hear) hears the end.
    pub(crate) fn take_lines(&mut self) -> Receiver<String> {
        // The sender of the channel that takes its place is dropped at once.
        std::mem::replace(&mut self.lines, sync_channel(0).1)
    }

    /// The error that it has ended, with what is known about the end.
    pub(crate) fn ended(&mut self, doing: &'static str) -> ClientError {
        let status = match self.wait(self.grace) {
            Some(status) => status.to_string(),
            None => "its output is closed".to_owned(),
        };
        // The last of its standard error may not have been read yet.
        let deadline = Instant::now() + self.grace;
        while self.listener.as_ref().is_some_and(|listener| !listener.is_finished())
            && Instant::now() < deadline
        {
            thread::sleep(POLL_INTERVAL);
        }
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words: Vec<u8> = words.iter().copied().collect();
        let text = readable(words);
        let text = Visible(text.trim()).to_string();
        let last_words = if text.is_empty() { String::new() } else { format!(": {text}") };
        ClientError::Ended { engine: self.engine.clone(), status, doing, last_words }
    }

    /// Waits for the end of the process for at most `at_most`, and ends what it has left behind; threads are not waited
    /// for.
    pub(crate) fn wait(&mut self, at_most: Duration) -> Option<process::ExitStatus> {
        let process = self.process.as_mut()?;
        let deadline = Instant::now() + at_most;
        loop {
            match ended(process) {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
                _ => return None,
            }
        }
    }
}

impl Drop for Child {
    /// Ends the process. The threads end with its pipes.
    fn drop(&mut self) {
        let Some(process) = &mut self.process else {
            drop(self.commands.try_send("quit\n".to_owned()));
            return;
        };
        end_group(process);
        let killed = process.kill();
        let waited = process.wait();
        tracing::debug!(engine = self.engine, ?killed, ?waited, "engine ended");
    }
}

/// The status of a process that has ended; `None` while it runs. What it has started and not ended itself is ended
/// before its number is given back to the system.
fn ended(process: &mut process::Child) -> io::Result<Option<process::ExitStatus>> {
    #[cfg(unix)]
    match looked_at(process) {
        Ok(Some(_)) => end_group(process),
        Ok(None) => return Ok(None),
        // It was waited for before.
        Err(_) => {}
    }
    process.try_wait()
}

/// The state of a process, which stays to be waited for; an error once it was.
#[cfg(unix)]
fn looked_at(
    process: &process::Child,
) -> rustix::io::Result<Option<rustix::process::WaitIdStatus>> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(process)), look)
}

/// Ends what the process has started and not ended itself: an engine may be a script that runs
/// another program. Does nothing once the process was waited for, for its number is free then.
fn end_group(process: &mut process::Child) {
    #[cfg(unix)]
    if looked_at(process).is_ok() {
        use rustix::process::{Pid, Signal, kill_process_group};
        let ended = kill_process_group(Pid::from_child(process), Signal::KILL);
        tracing::trace!(?ended, "process group ended");
    }
    #[cfg(windows)]
    if matches!(process.try_wait(), Ok(None)) {
        let mut ending = process::Command::new("taskkill");
        ending.args(["/T", "/F", "/PID"]).arg(process.id().to_string());
        let ended =
            ending.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        tracing::trace!(?ended, "process tree ended");
    }
    #[cfg(not(any(unix, windows)))]
    let _ = process;
}

/// A pipe to or from an engine within this program.
fn pipe(engine: &str) -> Result<(io::PipeReader, io::PipeWriter), ClientError> {
    io::pipe().map_err(|source| ClientError::start(engine, source))
}

/// A thread that belongs to an engine.
fn start_thread(
    engine: &str,
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<thread::JoinHandle<()>, ClientError> {
    thread::Builder::new()
        .name(format!("engine {name}"))
        .spawn(work)
        .map_err(|source| ClientError::start(engine, source))
}

fn write_lines(mut input: impl Write, commands: &Receiver<String>) {
    for line in commands {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(mut output: impl BufRead, lines: &SyncSender<String>) {
    while let Ok(Some(line)) = read_line(&mut output) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

/// Reads a line without its end, cut where it is too long; `None` at the end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = MAX_LINE - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(any.then(|| readable(line).trim_end().to_owned()))
}

fn keep_end(mut errors: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..n]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_the_rest_skipped() {
        let mut text = "x".repeat(3 * MAX_LINE).into_bytes();
        text.extend_from_slice(b"\nshort\r\n\xFFend");
        let mut input = BufReader::with_capacity(1000, text.as_slice());
        let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut input).unwrap()).collect();
        assert_eq!(lines[0].len(), MAX_LINE);
        assert_eq!(lines[1..], ["short", "\\xffend"]);
    }
}
