//! Opening lines and positions from files, for matches and self-play.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cli::{CliError, OrExit, exit, interrupt, notice};
use crate::language::{self, text};
use juzhong::book::find_games;
use juzhong::bytes::open;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::{Contested, LeftOut, read_positions};
use juzhong::message::message;
use juzhong::record::{Formats, MAX_SHARED_TEXT, Record, Tree, read_packed};

/// The largest file of openings that is read, in bytes: all of them are held in memory.
const MAX_BYTES: u64 = 1 << 30;

/// The games of files and folders, and lists of openings, which begin like `start`; a bad one is refused with
/// its place.
pub(crate) fn read_openings<G: Contested>(
    inputs: &[PathBuf],
    start: &G,
) -> Result<Vec<Record<G>>, CliError> {
    let mut openings = Vec::new();
    for file in find_games::<G>(inputs).or_exit(exit::NO_INPUT)?.files {
        let bytes = open::read(&file, MAX_BYTES).or_exit_with(exit::NO_INPUT, || file.shown())?;
        let text = std::str::from_utf8(&bytes).ok();
        match text.and_then(|text| read_positions(text, start)) {
            Some(Ok(positions)) => openings.extend(positions),
            Some(Err(bad)) => {
                return Err(CliError::new(exit::BAD_DATA, bad).within(file.shown()));
            }
            None => read_games(&file, &bytes, &mut openings)?,
        }
    }
    if openings.is_empty() {
        let names: Vec<_> = inputs.iter().map(|input| input.shown().to_string()).collect();
        let message = message!("{}: no games and no positions in it", names.join(", "));
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    Ok(openings)
}

/// Says which of the openings given end the game, so that none is played from them.
pub(crate) fn tell_left_out(left_out: &[LeftOut]) {
    /// Openings that are named; more of them are counted.
    const MOST: usize = 10;
    for LeftOut { number, how } in left_out.iter().take(MOST) {
        let how = language::translated(how);
        notice(text!("opening {number} is left out, for it ends the game: {how}"));
    }
    if let Some(more) = left_out.len().checked_sub(MOST + 1) {
        notice(text!("{} more openings are left out, for they end the game", more + 1));
    }
}

/// The opening without what no match needs of it: all of them are held at the same time.
fn slim<G: Formats>(record: Record<G>) -> Record<G> {
    let Record { mut tags, tree, .. } = record;
    tags.retain(|(_, value)| value.len() <= MAX_SHARED_TEXT);
    let tree = Tree { moves: tree.moves, ..Tree::default() };
    Record { tags, tree, ..record }
}

fn read_games<G: Formats>(
    file: &Path,
    bytes: &[u8],
    openings: &mut Vec<Record<G>>,
) -> Result<(), CliError> {
    let mut problem = None;
    let name = file.shown().to_string();
    let read = read_packed::<G>(
        &name,
        bytes,
        &std::env::temp_dir(),
        &interrupt::stop_flag(),
        &mut |_, game| {
            match game {
                Ok(game) => openings.push(slim(game.record)),
                Err(bad) => problem = problem.take().or(Some(bad)),
            }
            ControlFlow::Continue(())
        },
    );
    read.or_exit_with(exit::IO, || name)?;
    problem.map_or(Ok(()), |bad| Err(CliError::new(exit::BAD_DATA, bad)))
}
