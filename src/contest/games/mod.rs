//! The parts of a match that differ from game to game: names, openings, the files of games.

mod gomoku;
mod xiangqi;

pub use xiangqi::OPENING_FILES;

use std::error::Error;
use std::io;

use crate::engine::Playable;
use crate::game::Game;
use crate::message::{Message, message};
use crate::record::{BadGame, Formats, Record, Tree};
use crate::xiangqi::notation::MoveNotation;

/// A game of which matches are played.
pub trait Contested: Playable + Formats {
    /// The name of the game in the tag `Game`.
    const GAME_TAG: &'static str;

    /// The beginning of every game that [`write_game`](Self::write_game) writes for a match or a tournament.
    const GAME_BEGINNING: &'static str;

    /// The ends of games as [`write_game`](Self::write_game) writes them, without `*`.
    const GAME_ENDS: &'static [&'static [u8]];

    /// The way in which a position ends the game that [has an outcome](Game::outcome), in the game's terms.
    fn how_ended(&self) -> &'static str;

    /// The openings of the project for games that begin like this position.
    fn built_in_openings(start: &Self) -> Vec<Record<Self>>;

    /// Returns true if a text file whose first line this is has an opening on each line.
    fn is_opening(line: &str) -> bool;

    /// Reads an opening in one line of text; it begins like `start` if it does not say where.
    ///
    /// # Errors
    ///
    /// The fault of the line.
    fn read_opening(line: &str, start: &Self)
    -> Result<Record<Self>, Box<dyn Error + Send + Sync>>;

    /// Returns true if a line goes on with the moves of the opening in the line before, so that both are of a game.
    fn goes_on(line: &str, opening: &Record<Self>) -> bool;

    /// Writes a game, its moves in that notation where the game has several.
    ///
    /// # Errors
    ///
    /// If `out` fails.
    fn write_game(
        out: &mut Vec<u8>,
        record: &Record<Self>,
        notation: MoveNotation,
    ) -> io::Result<()>;
}

/// Reads the games that [`Contested::write_game`] has written; `source` is what messages call the bytes.
///
/// # Errors
///
/// A message on the first game that cannot be read.
pub(crate) fn read_games<G: Contested>(
    source: &str,
    bytes: &[u8],
) -> Result<Vec<Record<G>>, Message> {
    let mut records = Vec::new();
    let mut problem: Option<BadGame> = None;
    G::read_records(source, bytes, &mut |game| match game {
        Ok(game) => records.push(game.record),
        Err(bad) => problem = problem.take().or(Some(bad)),
    });
    match problem.filter(|_| !bytes.is_empty()) {
        Some(bad) => Err(message!("game {}: {}", bad.game, bad.reason)),
        None => Ok(records),
    }
}

/// The openings of the project, whole, for games that begin like `start`.
#[must_use]
pub fn built_in_openings<G: Contested>(start: &G) -> Vec<Record<G>> {
    G::built_in_openings(start)
}

/// A line of a list that is no opening.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[error("line {line}")]
pub struct BadPosition {
    /// Its number, from 1.
    pub line: usize,
    /// The fault of the line.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Reads a list of openings, one a line (xiangqi: FEN or EPD, or a FEN and moves); blank lines and those that begin with `#` are
/// passed over. `None` if the text does not begin with such a line, or has a position and its moves on several lines.
///
/// # Errors
///
/// The first line that is no opening.
#[must_use]
pub fn read_positions<G: Contested>(
    text: &str,
    start: &G,
) -> Option<Result<Vec<Record<G>>, BadPosition>> {
    let lines = (1..).zip(text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    // A bracket begins a tag of a game, or JSON as a brace does, in which a position may stand.
    let is_opening = |line: &str| !line.starts_with(['[', '{']) && G::is_opening(line);
    let (number, first) = lines.next_if(|(_, line)| is_opening(line))?;
    let read = |number, line: &str| {
        G::read_opening(line, start).map_err(|source| BadPosition { line: number, source })
    };
    let first = read(number, first);
    let is_one_game = first
        .as_ref()
        .is_ok_and(|first| lines.peek().is_some_and(|(_, line)| G::goes_on(line, first)));
    (!is_one_game).then(|| {
        std::iter::once(first).chain(lines.map(|(number, line)| read(number, line))).collect()
    })
}

/// A position without moves.
fn position_alone<G: Game>(start: G, start_clock: u32) -> Record<G> {
    let tags = Vec::new();
    Record { tags, start: Some(start), start_clock, result: None, tree: Tree::default() }
}
