//! Files of games as commands read them: every format, bare, packed or in archives, and standard input.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::book::from_book;
use super::input::standard_input;
use super::interrupt::stop_flag;
use super::terminal::Terminal;
use super::{CliError, OrExit, exit};
use crate::cli::language::{counts, text, told, word};
use juzhong::book::{Inputs, find_games, interop};
use juzhong::bytes::atomic::{folder_of, resolve};
use juzhong::bytes::open;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::{Game, Side};
use juzhong::message::{Message, ToMessage, message};
use juzhong::record::{
    BadGame, BadGameReason, ChangedError, Formats, GameFile, Note, ParsedGame, Place, ReadOptions,
    ReadSummary, Record, read_game_file,
};

/// The name of standard input and standard output.
pub(crate) const STANDARD: &str = "-";

/// The files to read; standard input is one of them.
pub(crate) fn find_inputs<G: Formats>(inputs: &[PathBuf]) -> Result<Inputs, CliError> {
    let is_standard = |path: &&PathBuf| path.as_path() == Path::new(STANDARD);
    let named: Vec<PathBuf> = inputs.iter().filter(|p| !is_standard(p)).cloned().collect();
    let mut found = match named.as_slice() {
        [] => Inputs::default(),
        named => find_games::<G>(named).map_err(from_book)?,
    };
    found.files.extend(inputs.iter().find(is_standard).cloned());
    Ok(found)
}

/// The folder in which large inputs are unpacked: beside the output.
pub(crate) fn temporary_folder(output: &Path) -> PathBuf {
    if output == Path::new(STANDARD) {
        return std::env::temp_dir();
    }
    folder_of(output).to_owned()
}

/// The output must not replace what is read.
pub(crate) fn refuse_input_as_output(files: &[PathBuf], output: &Path) -> Result<(), CliError> {
    let Ok(place) = resolve(output) else { return Ok(()) };
    if output == Path::new(STANDARD) {
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
        file => file.or_exit_with(exit::NO_INPUT, || path.shown().to_string())?,
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
    if let Some(error) = stopped {
        return Err(error);
    }
    match summary {
        Ok(summary) => Ok(summary),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(interrupted()),
        Err(error) if ChangedError::is_in(&error) => Err(error).or_exit_with(exit::IO, || name),
        Err(error) => Err(error).or_exit_with(exit::IO, || folder.shown().to_string()),
    }
}

/// The sentence on where a game of which the legal part was opened ends, and why.
pub(crate) fn ending<G: Terminal>(cut: &BadGame, record: &Record<G>) -> String {
    let why = match &cut.reason {
        BadGameReason::Move { error, .. } => error.message(),
        BadGameReason::Unplayable { what, .. } => what.clone(),
        reason => reason.message(),
    }
    .visible();
    let why = told(why);
    if cut.reason.bad_ply().is_some() {
        return ends_before((&cut.source, cut.place, cut.game), record, &why);
    }
    let (place, game) = (shown_place(&cut.source, cut.place), cut.game);
    let moves = counts::moves(record.tree.moves.len());
    text!("{place}: game {game} ends after {moves}: {why}")
}

/// The sentence that a game ends before the move that would be next, and why.
fn ends_before<G: Terminal>(
    (source, place, game): (&str, Place, u64),
    record: &Record<G>,
    why: &str,
) -> String {
    let place = shown_place(source, place);
    let plies = record.tree.moves.len();
    let first = record.start.as_ref().map_or(Side::First, Game::turn);
    let side = word(G::side_name(if plies.is_multiple_of(2) { first } else { !first }));
    let number = plies / 2 + 1;
    text!("{place}: game {game} ends before move {number} of {side}: {why}")
}

/// A source, with the line if the place is one: a byte says nothing to a reader.
fn shown_place(source: &str, place: Place) -> String {
    let place = match place {
        Place::Offset(_) => source.to_owned(),
        place @ Place::Line(_) => place.within(source),
    };
    Visible(place).to_string()
}

/// The remark for a person who opens a game of a source: where it ends and why, if it breaks off, else its deviation
/// from what the file states.
pub(crate) fn remark<G: Terminal>(source: &str, game: &ParsedGame<G>) -> Option<String> {
    ends(source, game).or_else(|| {
        let note = told(game.note?.message());
        Some(text!("{}: {note}", shown_place(source, game.place)))
    })
}

/// The end of a game of a source and its reason, if it breaks off.
pub(crate) fn ends<G: Terminal>(source: &str, game: &ParsedGame<G>) -> Option<String> {
    let ParsedGame { record, place, game: number, note, cut, .. } = game;
    let cut = cut.as_ref().map(|cut| ending(cut, record));
    cut.or_else(|| {
        let is_null = *note == Some(Note::NullMove);
        is_null.then(|| ends_before((source, *place, *number), record, word("a null move")))
    })
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
    if path == Path::new(STANDARD) {
        return GameFile::spool(&mut standard_input()?, folder, &stop_flag());
    }
    GameFile::open::<G>(path, folder)
}
