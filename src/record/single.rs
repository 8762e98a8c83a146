//! What readers of binary files and of single games share: one outcome for each game.

use super::{BadGame, BadGameReason, ParsedGame, Place, ReadSummary, Record};
use crate::xiangqi::Position;

/// A game that was read.
pub(super) struct Found {
    pub(super) record: Record<Position>,
    pub(super) cut_variations: u64,
}

/// Why a game was not read, and where that shows.
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) reason: BadGameReason,
}

impl Fault {
    /// A fault at a byte.
    pub(super) const fn at(offset: usize, reason: BadGameReason) -> Self {
        Self { place: Place::Offset(offset as u64), reason }
    }
}

/// Hands over a game that begins at a byte, good or bad.
pub(super) fn report(
    source: &str,
    offset: u64,
    game: u64,
    read: Result<Found, Fault>,
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    report_at(source, Place::Offset(offset), game, read, sink)
}

/// Hands over a game that begins at a place, good or bad.
pub(super) fn report_at(
    source: &str,
    place: Place,
    game: u64,
    read: Result<Found, Fault>,
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    match read {
        Ok(Found { record, cut_variations }) => {
            sink(Ok(ParsedGame::new(record, place, game)));
            ReadSummary { games: 1, cut_variations, ..ReadSummary::default() }
        }
        Err(Fault { place, reason }) => {
            sink(Err(BadGame { source: source.to_owned(), place, game, reason }));
            ReadSummary { bad: 1, ..ReadSummary::default() }
        }
    }
}
