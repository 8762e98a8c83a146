//! Opening lines and positions from files, for matches and self-play.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::{CliError, OrExit, exit, interrupt};
use crate::arena::read_positions;
use crate::book::find_games;
use crate::bytes::open;
use crate::record::{Record, read_packed};
use crate::xiangqi::Position;

/// The games of files and folders, and lists of positions (FEN or EPD); a bad one is refused with
/// its place.
pub(super) fn read_openings(inputs: &[PathBuf]) -> Result<Vec<Record<Position>>, CliError> {
    let mut openings = Vec::new();
    for file in find_games(inputs).or_exit(exit::NO_INPUT)?.files {
        let bytes = open::read(&file, u64::MAX).or_exit_with(exit::NO_INPUT, || file.display())?;
        match std::str::from_utf8(&bytes).ok().and_then(read_positions) {
            Some(Ok(positions)) => openings.extend(positions),
            Some(Err(bad)) => {
                return Err(CliError::new(exit::BAD_DATA, bad).within(file.display()));
            }
            None => read_games(&file, &bytes, &mut openings)?,
        }
    }
    if openings.is_empty() {
        let names: Vec<_> = inputs.iter().map(|input| input.display().to_string()).collect();
        let message = format!("{}: no games and no positions in it", names.join(", "));
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    Ok(openings)
}

fn read_games(
    file: &Path,
    bytes: &[u8],
    openings: &mut Vec<Record<Position>>,
) -> Result<(), CliError> {
    let mut problem = None;
    let name = file.display().to_string();
    let read = read_packed(
        &name,
        bytes,
        &std::env::temp_dir(),
        &interrupt::stop_flag(),
        &mut |_, game| {
            match game {
                Ok(game) => openings.push(game.record),
                Err(bad) => problem = problem.take().or(Some(bad)),
            }
            ControlFlow::Continue(())
        },
    );
    read.or_exit_with(exit::IO, || name)?;
    problem.map_or(Ok(()), |bad| Err(CliError::new(exit::BAD_DATA, bad)))
}
