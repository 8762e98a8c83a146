//! The settings by which the file of a match or a tournament is recognised: digests of engines and openings included.

use std::path::{Path, PathBuf};

use super::Args;
use crate::cli::{CliError, OrExit, exit};
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::{
    Contested, EngineSettings, MatchOpenings, MatchSettings, OpeningSettings, Participant, Sprt,
    Tournament,
};
use juzhong::protocol::client::EngineCommand;
use juzhong::record::Record;

/// The settings of a tournament, or of a match of two.
pub(super) fn of<G: Contested>(
    args: &Args,
    tournament: &Tournament<G>,
    sprt: Option<Sprt>,
) -> Result<MatchSettings, CliError> {
    let participants = tournament.participants.iter().zip(args.commands());
    let engines = participants.map(|(participant, command)| of_engine(participant, command));
    Ok(MatchSettings {
        engines: engines.collect::<Result<_, CliError>>()?,
        form: (tournament.participants.len() > 2).then_some(tournament.form),
        time_control: tournament.time_control,
        openings: OpeningSettings {
            digest: digest(openings_text(&tournament.openings).as_bytes()),
            seed: args.start.seed,
            random_plies: args.start.random_plies.into(),
        },
        rules: tournament.referee.rules.to_string(),
        max_plies: args.ends.max_plies,
        draw: args.ends.draw,
        resign: args.ends.resign,
        tables: args.ends.tables.clone(),
        sprt,
    })
}

fn of_engine(participant: &Participant, command: &str) -> Result<EngineSettings, CliError> {
    Ok(EngineSettings {
        command: command.to_owned(),
        digest: digest_of(participant.command.as_ref())?,
        protocol: participant.protocol,
        sizes: participant.sizes,
        restart: participant.restart,
        options: participant.options.clone(),
        name: participant.name.clone(),
    })
}

/// The openings, one a line.
fn openings_text<G: Contested>(openings: &MatchOpenings<G>) -> String {
    openings.list().iter().map(opening_text).collect()
}

fn opening_text<G: Contested>(opening: &Record<G>) -> String {
    let start = opening.start.as_ref().map(G::to_fen).unwrap_or_default();
    let moves: Vec<String> = opening.tree.moves.iter().map(|&mv| G::move_text(mv)).collect();
    format!("{start} {} {}\n", opening.start_clock, moves.join(" "))
}

/// Enough of a BLAKE3 digest to distinguish engines and openings.
fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// The digest of an engine, so that a match does not go on with another one: of its program, and of
/// the files among its arguments, for the program may be an interpreter.
fn digest_of(command: Option<&EngineCommand>) -> Result<String, CliError> {
    let Some(EngineCommand { program, args }) = command else {
        return file_digest(std::env::current_exe().ok());
    };
    // On Windows a program may be named without its ending; elsewhere the ending is empty.
    let names = [program.clone(), format!("{program}{}", std::env::consts::EXE_SUFFIX)];
    let mut paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    // A bare name is looked up in PATH, as when it is started.
    if Path::new(program).components().count() == 1 {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let in_folder = |folder: PathBuf| names.iter().map(move |name| folder.join(name));
        paths = std::env::split_paths(&folders).flat_map(in_folder).collect();
    }
    let path = paths.into_iter().find(|path| path.is_file());
    let mut text = file_digest(path)?;
    for arg in args.iter().filter(|arg| Path::new(arg).is_file()) {
        text.push('+');
        text += &file_digest(Some(PathBuf::from(arg)))?;
    }
    Ok(text)
}

/// The digest of a file; of a large one, which may be a book, that of its size and time.
fn file_digest(path: Option<PathBuf>) -> Result<String, CliError> {
    const LARGE: u64 = 256 << 20;
    let Some(path) = path.filter(|path| path.is_file()) else { return Ok("unknown".to_owned()) };
    let there = path.metadata().or_exit_with(exit::UNAVAILABLE, || path.shown())?;
    if there.len() > LARGE {
        return Ok(digest(format!("{} {:?}", there.len(), there.modified().ok()).as_bytes()));
    }
    let bytes = juzhong::bytes::open::read(&path, LARGE)
        .or_exit_with(exit::UNAVAILABLE, || path.shown())?;
    Ok(digest(&bytes))
}
