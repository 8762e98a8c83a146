//! What readers of binary files and of single games share: one outcome for each game.

use super::preorder::{Coordinates, Node, PreOrder};
use super::{BadGame, BadGameReason, Note, ParsedGame, Place, ReadSummary, Record, Tree};
use crate::xiangqi::Position;

/// A game that was read.
pub(super) struct Found {
    pub(super) record: Record<Position>,
    pub(super) cut_variations: u64,
    pub(super) note: Option<Note>,
}

impl Found {
    /// A game in which everything was read as the file states it.
    pub(super) const fn new(record: Record<Position>) -> Self {
        Self { record, cut_variations: 0, note: None }
    }
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
        Ok(Found { record, cut_variations, note }) => {
            sink(Ok(ParsedGame { note, ..ParsedGame::new(record, place, game) }));
            let noted = u64::from(note.is_some());
            ReadSummary { games: 1, cut_variations, noted, ..ReadSummary::default() }
        }
        Err(Fault { place, reason }) => {
            sink(Err(BadGame { source: source.to_owned(), place, game, reason }));
            ReadSummary { bad: 1, ..ReadSummary::default() }
        }
    }
}

/// Reads a game without variations from its moves and the bytes where they stand.
pub(super) fn line(
    start: Position,
    moves: impl Iterator<Item = Result<(usize, Coordinates), Fault>>,
) -> Result<Tree<Position>, Fault> {
    let mut order = PreOrder::new(start, String::new());
    for mv in moves {
        let (at, mv) = mv?;
        let node =
            Node { mv: Ok(mv), comment: String::new(), is_last: false, has_alternative: false };
        order.add(node).map_err(|reason| Fault::at(at, reason))?;
    }
    Ok(order.finish().0)
}

/// Whether there are moves, and the first two can be played: so files without a mark are told from
/// others.
pub(super) fn is_playable(
    mut position: Position,
    moves: impl Iterator<Item = Coordinates>,
) -> bool {
    let mut played = 0;
    for mv in moves.take(2) {
        let Ok(mv) = mv.check(&position) else { return false };
        position.play_unchecked(mv);
        played += 1;
    }
    played > 0
}

/// A fault where the bytes end too early.
pub(super) fn truncated(at: usize, within: &str) -> Fault {
    Fault::at(at, BadGameReason::Truncated(within.to_owned()))
}

/// A fault of bytes that contradict the format.
pub(super) fn malformed(at: usize, what: impl Into<String>) -> Fault {
    Fault::at(at, BadGameReason::Malformed(what.into()))
}
