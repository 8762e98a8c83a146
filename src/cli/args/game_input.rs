//! Files of games as commands read them: every format, bare, packed or in archives, and standard input.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::input::standard_input;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::{CliError, OrExit};
use crate::language::{break_off, counts, translated};
use juzhong::answers::{GameEnd, shown_place};
use juzhong::book::{Inputs, find_games, interop};
use juzhong::bytes::open;
use juzhong::bytes::paths::{folder_of, resolve};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Game;
use juzhong::message::{Message, ToMessage, message};
use juzhong::record::{
    BadGame, BadGameReason, ChangedError, Formats, GameFile, ParsedGame, Place, ReadOptions,
    ReadSummary, read_game_file,
};

/// The name of standard input and standard output.
pub(crate) const STANDARD: &str = "-";

/// The files to read; standard input is one of them.
pub(crate) fn find_inputs<G: Formats>(inputs: &[PathBuf]) -> Result<Inputs, CliError> {
    let named: Vec<PathBuf> = inputs.iter().filter(|p| !is_standard(p)).cloned().collect();
    let mut found = match named.as_slice() {
        [] => Inputs::default(),
        named => find_games::<G>(named).map_err(by_kind)?,
    };
    found.files.extend(inputs.iter().find(|p| is_standard(p)).cloned());
    Ok(found)
}

/// Returns true if the path stands for standard input or standard output.
fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// The folder in which large inputs are unpacked: beside the output.
pub(crate) fn temporary_folder(output: &Path) -> PathBuf {
    if is_standard(output) {
        return std::env::temp_dir();
    }
    folder_of(output).to_owned()
}

/// The output must not replace what is read.
pub(crate) fn refuse_input_as_output(files: &[PathBuf], output: &Path) -> Result<(), CliError> {
    let Ok(place) = resolve(output) else { return Ok(()) };
    if is_standard(output) {
        return Ok(());
    }
    if files.iter().any(|file| resolve(file).is_ok_and(|file| file == place)) {
        let output = output.shown();
        let message = message!("{output}: this is also an input; choose another name");
        return Err(CliError::message(exit::CANNOT_CREATE, message));
    }
    Ok(())
}

/// The error where the inputs have no game that can be read; `first_bad` is the first that cannot.
pub(crate) fn no_game(inputs: &Inputs, first_bad: Option<Message>) -> CliError {
    let bad = first_bad.map_or_else(|| NO_FORMAT.into(), |bad| message!("; {}", bad));
    let first = inputs.files.first().map_or_else(String::new, |f| f.shown().to_string());
    let others = if inputs.files.len() > 1 { " and others" } else { "" };
    let message =
        message!("no game in {} ({first}{others}){bad}", counts::files(inputs.files.len()));
    CliError::message(exit::BAD_DATA, message)
}

const NO_FORMAT: &str = "; give files of games in a known format, bare, packed (.zst, .gz, .xz, .bz2) or in \
                         archives (.zip, .tar, .7z)";

/// Gets each game of a file, good or bad, with the name of its source.
pub(crate) type Sink<'a, G> =
    dyn FnMut(&str, Result<ParsedGame<G>, BadGame>) -> Result<(), CliError> + 'a;

/// Reads the games of one file, until `sink` fails. A file that was found in a folder and cannot be read is a bad
/// game.
pub(crate) fn read_file<G: Formats>(
    path: &Path,
    folder: &Path,
    options: ReadOptions,
    sink: &mut Sink<'_, G>,
) -> Result<ReadSummary, CliError> {
    let name = path.shown().to_string();
    let file = match open_input::<G>(path, folder) {
        // A file found in a folder; one that was given is known to be readable.
        Err(error) if open::is_refused(&error) => {
            let reason = BadGameReason::Unsupported(message!("cannot be read: {error}"));
            let bad = BadGame { source: name.clone(), place: Place::Offset(0), game: 1, reason };
            sink(&name, Err(bad))?;
            return Ok(ReadSummary { bad: 1, ..ReadSummary::default() });
        }
        Err(error) if ChangedError::is_in(&error) => {
            return Err(error).or_exit_with(exit::IO, || name);
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(interrupted()),
        file => file.or_exit_at(exit::NO_INPUT, path)?,
    };
    let mut stopped = None;
    let summary = read_game_file(
        &name,
        &file,
        folder,
        &stop_flag(),
        options,
        &mut |source, game| match sink(source, game.map_err(|bad| named_book(path, bad))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                stopped = Some(error);
                ControlFlow::Break(())
            }
        },
    );
    // Before the result of reading, which does not say why the sink ended it.
    if let Some(error) = stopped {
        return Err(error);
    }
    match summary {
        Ok(summary) => Ok(summary),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(interrupted()),
        Err(error) if ChangedError::is_in(&error) => Err(error).or_exit_with(exit::IO, || name),
        Err(error) => Err(error).or_exit_at(exit::IO, folder),
    }
}

/// The remark for a person who opens a game of a source: where it ends and why, if it breaks off, else its deviation
/// from what the file states.
pub(crate) fn remark<G: Game>(source: &str, game: &ParsedGame<G>) -> Option<String> {
    if let Some(end) = GameEnd::of(source, game) {
        return Some(break_off::sentence(&end));
    }
    let note = translated(game.note?.message());
    Some(format!("{}: {note}", shown_place(source, game.place)))
}

/// The fault of a file that is no file of games, with what it is if that is a book of another program.
fn named_book(path: &Path, bad: BadGame) -> BadGame {
    let is_unknown = matches!(bad.reason, BadGameReason::UnknownFormat(_));
    let format = is_unknown.then(|| interop::sniff(path).ok()).flatten();
    let Some(format) = format else { return bad };
    let what = message!(
        "an opening book of another program ({}), no file of games; `juzhong book import` reads it",
        format.name()
    );
    BadGame { reason: BadGameReason::Unsupported(what), ..bad }
}

/// The error of a command that was interrupted before it changed anything.
pub(crate) fn interrupted() -> CliError {
    CliError::message(exit::INTERRUPTED, "interrupted; nothing was changed, run it again")
}

/// An input; standard input comes by a file without a name.
fn open_input<G: Formats>(path: &Path, folder: &Path) -> io::Result<GameFile> {
    if is_standard(path) {
        return GameFile::spool(&mut standard_input()?, folder, &stop_flag());
    }
    GameFile::open::<G>(path, folder)
}
