//! One game as a reader finds it, and the reasons why it was not read.

use crate::game::Game;
use crate::message::Message;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::parsed::Note;
use crate::record::model::place::Place;
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder, WrittenMove};
use crate::record::model::record::{Record, Tree};
use crate::xiangqi::Position;

/// A game that was read.
pub(crate) struct Found<G: Game = Position> {
    pub(crate) record: Record<G>,
    pub(crate) cut_variations: u64,
    /// Set if bytes of its texts stand for no character.
    pub(crate) is_undecoded: bool,
    pub(crate) note: Option<Note>,
    /// The reason why the game goes no further, where a move of its main line cannot be played or its bytes
    /// end.
    pub(crate) fault: Option<Fault>,
}

impl<G: Game> Found<G> {
    /// A game in which everything was read as the file states it.
    pub(crate) const fn new(record: Record<G>) -> Self {
        Self { record, cut_variations: 0, is_undecoded: false, note: None, fault: None }
    }

    /// The same game with its fault, if it has one, at that place.
    pub(crate) fn at(self, place: Place) -> Self {
        let fault = self.fault.map(|fault| Fault { place, ..fault });
        Self { fault, ..self }
    }
}

/// The reason why a game was not read, and the place where that shows.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) reason: BadGameReason,
}

impl Fault {
    /// A fault at a byte.
    pub(crate) const fn at(offset: usize, reason: BadGameReason) -> Self {
        Self { place: Place::Offset(offset as u64), reason }
    }

    /// Returns true if moves can stand before the fault: it is an illegal move, or bytes that end too early.
    pub(crate) const fn breaks_off(&self) -> bool {
        self.reason.bad_ply().is_some() || matches!(self.reason, BadGameReason::Truncated(_))
    }
}

/// The next part of a game, or `None` where the bytes end too early, which is kept as the game's fault.
pub(crate) fn unless_truncated<T>(
    read: Result<T, Fault>,
    fault: &mut Option<Fault>,
) -> Result<Option<T>, Fault> {
    match read {
        Err(end) if matches!(end.reason, BadGameReason::Truncated(_)) => {
            *fault = Some(end);
            Ok(None)
        }
        read => read.map(Some),
    }
}

/// Says whether more moves belong to a tree to which one was added; keeps why it goes no further.
pub(crate) fn go_on(
    added: Result<bool, BadGameReason>,
    at: usize,
    fault: &mut Option<Fault>,
) -> bool {
    added.unwrap_or_else(|reason| {
        *fault = Some(Fault::at(at, reason));
        false
    })
}

/// Reads a game without variations, up to the first move that cannot be played or is not there, from its moves and the
/// offsets of the bytes where they stand.
pub(crate) fn line<G: Game, M: WrittenMove<G>>(
    start: G,
    moves: impl Iterator<Item = Result<(usize, M), Fault>>,
) -> Result<(Tree<G>, Option<Fault>), Fault> {
    let mut order = PreOrder::new(start, String::new());
    let mut fault = None;
    for mv in moves {
        let (at, mv) = match mv {
            Err(unread) if unread.breaks_off() => {
                fault = Some(unread);
                break;
            }
            mv => mv?,
        };
        // Which move is the last shows only when no other comes.
        let node =
            FileMove { mv: Ok(mv), comment: String::new(), is_last: false, has_alternative: false };
        if !go_on(order.add(node), at, &mut fault) {
            break;
        }
    }
    Ok((order.finish().0, fault))
}

/// Returns true if there are moves and the first two can be played. Files without a mark are recognised by
/// that.
pub(crate) fn is_playable(
    mut position: Position,
    moves: impl Iterator<Item = Coordinates>,
) -> bool {
    let mut played = 0;
    for mv in moves.take(2) {
        let Ok(mv) = mv.check(&position) else { return false };
        position.make(mv);
        played += 1;
    }
    played > 0
}

/// Faults of a text that were found at a byte, at its line.
pub(crate) fn on_lines(
    text: &str,
    read: Result<Found, (usize, BadGameReason)>,
) -> Result<Found, Fault> {
    let mut found = read.map_err(|(at, reason)| on_line(text, at, reason))?;
    if let Some(Fault { place: Place::Offset(at), reason }) = found.fault {
        found.fault = Some(on_line(text, usize::try_from(at).unwrap_or(usize::MAX), reason));
    }
    Ok(found)
}

/// A fault on the line of the byte at `at`.
fn on_line(text: &str, at: usize, reason: BadGameReason) -> Fault {
    let before = text.get(..at).unwrap_or(text);
    let lines = before.bytes().filter(|&b| b == b'\n').count() as u64;
    Fault { place: Place::Line(1 + lines), reason }
}

/// A fault where the bytes end too early.
pub(crate) fn truncated(at: usize, within: impl Into<Message>) -> Fault {
    Fault::at(at, BadGameReason::Truncated(within.into()))
}

/// A fault of bytes that contradict the format.
pub(crate) fn malformed(at: usize, what: impl Into<Message>) -> Fault {
    Fault::at(at, BadGameReason::Malformed(what.into()))
}
