//! Text that comes line by line from a file, a pipe or standard input (`-`).

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::cli::{CliError, OrExit, exit, interrupt};
use juzhong::bytes::visible::ShowPath;
use juzhong::bytes::{self, RawLine};
use juzhong::message::message;

/// Bytes read at once.
const BUFFER: usize = 64 << 10;
/// Bytes of a line that are passed over at most.
const MAX_SKIP: u64 = 64 << 20;

/// The lines of an input, one at a time. An interrupt ends the waiting for the next one.
pub(crate) struct Input {
    reader: BufReader<WaitingInput>,
    name: String,
    /// Lines read so far.
    number: u64,
    max: u64,
}

impl Input {
    /// Opens the input; lines have at most `max` bytes.
    pub(crate) fn open(path: &Path, max: u64) -> Result<Self, CliError> {
        let is_standard = path.as_os_str() == "-";
        let name = if is_standard { "stdin".to_owned() } else { path.shown().to_string() };
        let source = if is_standard { WaitingInput::standard() } else { WaitingInput::open(path) };
        let source = source.or_exit_with(exit::NO_INPUT, || message!("cannot open {name}"))?;
        Ok(Self { reader: BufReader::with_capacity(BUFFER, source), name, number: 0, max })
    }

    /// The input's name, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the line read last, from 1.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// The place of the line read last.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }

    /// The next line with its end, without the mark that some programs write before the first; `None`
    /// at the end. One that is too long is an error.
    pub(crate) fn next_raw(&mut self) -> Result<Option<RawLine>, CliError> {
        let Some(line) = self.read()? else { return Ok(None) };
        if line.is_cut {
            return line.text().map(|_| None).or_exit_with(exit::BAD_DATA, || self.place());
        }
        Ok(Some(line))
    }

    fn read(&mut self) -> Result<Option<RawLine>, CliError> {
        let line = self.read_some()?;
        self.number += 1;
        Ok(line.map(|mut line| {
            if self.number == 1 && line.bytes.starts_with("\u{feff}".as_bytes()) {
                line.bytes.drain(..'\u{feff}'.len_utf8());
            }
            line
        }))
    }

    /// Bytes up to the end of a line, or as many as a line may have.
    fn read_some(&mut self) -> Result<Option<RawLine>, CliError> {
        let read = bytes::read_line(&mut self.reader, self.max);
        if interrupt::is_requested() {
            let message = message!("{}: interrupted", self.name);
            return Err(CliError::message(exit::INTERRUPTED, message));
        }
        read.or_exit_with(exit::IO, || message!("cannot read {}", self.name))
    }

    /// The next line as text, of one that is too long its beginning, so that a batch can go on; bytes
    /// that are no characters stand in it as `\xff`.
    pub(crate) fn next_beginning(&mut self) -> Result<Option<String>, CliError> {
        let Some(line) = self.read()? else { return Ok(None) };
        if line.is_cut {
            self.skip_rest()?;
        }
        Ok(Some(line.readable()))
    }

    /// Passes over the rest of a line, if that has an end.
    fn skip_rest(&mut self) -> Result<(), CliError> {
        // Each pass goes over at most `max` bytes.
        for _ in 0..MAX_SKIP / self.max {
            match self.read_some()? {
                Some(line) if line.is_cut => {}
                _ => return Ok(()),
            }
        }
        let message = message!("{}: a line of more than {MAX_SKIP} bytes", self.place());
        Err(CliError::message(exit::BAD_DATA, message))
    }

    /// The next line as text, UTF-8 or GB18030.
    pub(crate) fn next_text(&mut self) -> Result<Option<String>, CliError> {
        let Some(line) = self.next_raw()? else { return Ok(None) };
        line.text().map(Some).or_exit_with(exit::BAD_DATA, || self.place())
    }
}

/// Standard input. An interrupt ends the waiting for it with an error.
pub(crate) fn standard_input() -> io::Result<impl Read> {
    WaitingInput::standard()
}

/// A file or pipe that is waited for only as long as nobody interrupts.
struct WaitingInput(File);

#[cfg(unix)]
impl WaitingInput {
    fn standard() -> io::Result<Self> {
        use std::os::fd::AsFd;
        io::stdin().as_fd().try_clone_to_owned().map(|fd| Self(File::from(fd)))
    }

    /// Opens without waiting for the writer of a pipe.
    fn open(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::OpenOptionsExt;
        // Without NOCTTY a terminal opened by its name could become the controlling one.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self(file))
    }

    /// Waits until there is something to read.
    fn wait(&self) -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        loop {
            if interrupt::is_requested() {
                return Err(io::Error::other("interrupted"));
            }
            match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&POLL_INTERVAL)) {
                // Nothing came within the interval, or a signal broke off the wait: the flag is looked at again.
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) if interrupt::is_requested() => {}
                ready => return ready.map(drop).map_err(io::Error::from),
            }
        }
    }
}

#[cfg(unix)]
impl Read for WaitingInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait()?;
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

#[cfg(not(unix))]
impl WaitingInput {
    #[cfg(windows)]
    fn standard() -> io::Result<Self> {
        use std::os::windows::io::AsHandle;
        io::stdin().as_handle().try_clone_to_owned().map(|handle| Self(File::from(handle)))
    }

    #[cfg(not(windows))]
    fn standard() -> io::Result<Self> {
        File::open("/dev/stdin").map(Self)
    }

    fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }
}

#[cfg(not(unix))]
impl Read for WaitingInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
