//! Lists of bad games: files of their own, or the first few on standard error.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::terminal::Terminal;
use crate::cli::args::game_input::remark;
use crate::cli::{CliError, OrExit, exit, notice, tell};
use crate::language::break_off;
use juzhong::answers::GameEnd;
use juzhong::book::{Reject, RejectReason};
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::paths::resolve;
use juzhong::bytes::visible::ShowPath;
use juzhong::message::{Message, ToMessage, message};
use juzhong::record::{BadGame, ParsedGame, Record};

/// The number of bad games shown where no list of them was requested, and of files without games.
const SHOWN: usize = 3;

/// A list in a file of its own that appears when it is whole. It replaces nothing.
pub(crate) struct ListFile<'a> {
    option: &'static str,
    path: &'a Path,
    file: BufWriter<AtomicFile>,
    /// The right to write the list.
    _lock: FileLock,
    /// The first error of writing.
    written: io::Result<()>,
}

impl<'a> ListFile<'a> {
    /// A list at `path`, the value of `option`. It must not be `output`.
    pub(crate) fn open(
        option: &'static str,
        path: &'a Path,
        output: &Path,
    ) -> Result<Self, CliError> {
        if path.symlink_metadata().is_ok() {
            return Err(exists(option, path));
        }
        if resolve(path).is_ok_and(|list| resolve(output).is_ok_and(|output| output == list)) {
            let message = message!("{}: both the output and {option}", path.shown());
            return Err(CliError::message(exit::CANNOT_CREATE, message));
        }
        let lock = FileLock::take(path)?;
        let file = AtomicFile::create_new(path).or_exit_at(exit::CANNOT_CREATE, path)?;
        Ok(Self { option, path, file: BufWriter::new(file), _lock: lock, written: Ok(()) })
    }

    /// Adds a line. An error is reported at the end.
    pub(crate) fn line(&mut self, line: std::fmt::Arguments<'_>) {
        if self.written.is_ok() {
            self.written = writeln!(self.file, "{line}");
        }
    }

    /// Adds text. An error is reported at the end.
    pub(crate) fn text(&mut self, text: &[u8]) {
        if self.written.is_ok() {
            self.written = self.file.write_all(text);
        }
    }

    /// Moves the list to its place.
    pub(crate) fn close(self) -> Result<(), CliError> {
        let Self { option, path, file, written, .. } = self;
        let closed = written
            .and_then(|()| file.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(AtomicFile::commit);
        match closed {
            // Someone put a file there meanwhile.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(exists(option, path)),
            closed => closed.or_exit_at(exit::IO, path),
        }
    }
}

fn exists(option: &str, path: &Path) -> CliError {
    let path = path.shown();
    let message = message!("{path}: already exists; choose another name for {option}");
    CliError::message(exit::CANNOT_CREATE, message)
}

/// The destination of rejects: the list that was requested, or, for the first bad ones, standard error. The first bad
/// games are printed once it is known that the command does not fail for the first of them: that error says the reason.
pub(crate) struct Listing<'a> {
    list: Option<ListFile<'a>>,
    bad: usize,
    cut: usize,
    noted: usize,
    lines: WaitingLines,
}

/// The lines on standard error.
#[derive(Debug)]
struct WaitingLines {
    /// The lines that wait; none does once lines are printed at once.
    waiting: Option<Vec<Message>>,
}

impl WaitingLines {
    fn line(&mut self, line: Message) {
        match &mut self.waiting {
            None => tell(line),
            Some(lines) => lines.push(line),
        }
    }

    /// Tells what waits.
    fn release(&mut self) {
        self.waiting.take().into_iter().flatten().for_each(tell);
    }
}

/// The lines are printed whatever ends the command.
impl Drop for WaitingLines {
    fn drop(&mut self) {
        self.release();
    }
}

impl<'a> Listing<'a> {
    pub(crate) fn open(list: Option<&'a Path>, output: &Path) -> Result<Self, CliError> {
        let list = list.map(|path| ListFile::open("--rejects", path, output)).transpose()?;
        Ok(Self {
            list,
            bad: 0,
            cut: 0,
            noted: 0,
            lines: WaitingLines { waiting: Some(Vec::new()) },
        })
    }

    /// The command does not fail for want of games: what is bad is printed at once from here on.
    pub(crate) fn release(&mut self, bar: &ProgressBar) {
        if self.lines.waiting.is_some() {
            bar.suspend(|| self.lines.release());
        }
    }

    pub(crate) fn add(&mut self, reject: &Reject) {
        if let Some(list) = &mut self.list {
            let Reject { place, game, reason, .. } = reject;
            list.line(format_args!("{}\t{place}\t{game}\t{reason}", reject.source_name()));
        } else if matches!(reject.reason, RejectReason::Bad(_)) {
            self.show_bad(reject);
        }
    }

    fn show_bad(&mut self, bad: &impl ToMessage) {
        self.bad += 1;
        if self.bad <= SHOWN {
            self.lines.line(message!("left out: {bad}"));
        }
    }

    /// Adds a game that was left out.
    pub(crate) fn add_bad(&mut self, bad: &BadGame) {
        if self.list.is_none() {
            return self.show_bad(bad);
        }
        let reason = RejectReason::bad(&bad.reason);
        let source = PathBuf::from(&bad.source);
        self.add(&Reject { source, place: bad.place, game: bad.game, reason });
    }

    /// Adds a game of which the moves before a fault were kept: on standard error where it ends, and why.
    pub(crate) fn add_cut<G: Terminal>(&mut self, cut: &BadGame, record: &Record<G>) {
        let reason = RejectReason::cut(&cut.reason);
        let source = PathBuf::from(&cut.source);
        self.add(&Reject { source, place: cut.place, game: cut.game, reason });
        if self.list.is_none() {
            self.cut += 1;
            if self.cut <= SHOWN {
                let end = GameEnd::at_fault(cut, record);
                self.lines.line(message!("{}", break_off::sentence(&end)));
            }
        }
    }

    /// Says on standard error in what a game deviates from what its file states, unless it breaks off, which
    /// [`add_cut`](Self::add_cut) says; of many games only the first.
    pub(crate) fn add_note<G: Terminal>(&mut self, source: &str, game: &ParsedGame<G>) {
        let remark = game.cut.is_none().then(|| remark(source, game));
        let Some(remark) = remark.flatten() else { return };
        self.noted += 1;
        if self.noted <= SHOWN {
            self.lines.line(message!("{remark}"));
        }
    }

    /// Closes the list where the command fails with an error that says why the first bad game is bad.
    pub(crate) fn close_with_error(mut self) -> Result<(), CliError> {
        if let Some(lines) = &mut self.lines.waiting {
            // The first line would say the same as the error.
            lines.drain(..lines.len().min(1));
        }
        self.close()
    }

    pub(crate) fn close(self) -> Result<(), CliError> {
        let Self { list, bad, mut lines, .. } = self;
        lines.release();
        if bad > SHOWN {
            notice(message!("left out: {bad} bad games in all; --rejects FILE lists them"));
        }
        list.map_or(Ok(()), ListFile::close)
    }
}

/// One line for each path, of many only the first.
pub(crate) fn show_some(what: &str, paths: &[PathBuf]) {
    for path in paths.iter().take(SHOWN) {
        notice(format_args!("{what} {}", path.shown()));
    }
    if paths.len() > SHOWN {
        notice(format_args!("{what} {} more", paths.len() - SHOWN));
    }
}
