//! The end of a game that breaks off: the place of the fault, and what it is.

use crate::bytes::visible::Visible;
use crate::game::{Game, Side, side_name};
use crate::message::{Message, message};
use crate::record::{BadGame, Note, ParsedGame, Place, Record};

/// The end of a game that breaks off before its last move, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameEnd {
    /// The source, with the line if it has lines; harmless to print.
    pub place: String,
    /// The number of the game in the source, from 1.
    pub game: u64,
    /// The point where it ends.
    pub point: EndPoint,
    /// The fault, in English; harmless to print.
    pub reason: Message,
}

/// The point where a game breaks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndPoint {
    /// Before a move that cannot be played.
    BeforeMove {
        /// The number of its pair, from 1.
        number: usize,
        /// The name of its side: `Red`, `Black` or `White`.
        side: &'static str,
    },
    /// After a number of plies, beyond which nothing can be read.
    AfterPlies(usize),
}

impl GameEnd {
    /// The end of a game of that source; `None` if it does not break off.
    #[must_use]
    pub fn of<G: Game>(source: &str, game: &ParsedGame<G>) -> Option<Self> {
        let ParsedGame { record, place, game: number, note, cut, .. } = game;
        if let Some(cut) = cut {
            return Some(Self::at_fault(cut, record));
        }
        (*note == Some(Note::NullMove)).then(|| Self {
            place: shown_place(source, *place),
            game: *number,
            point: before_next_move(record),
            reason: message!("a null move"),
        })
    }

    /// The end of a game of which the legal part was opened, at the fault.
    #[must_use]
    pub fn at_fault<G: Game>(fault: &BadGame, record: &Record<G>) -> Self {
        let point = match fault.reason.bad_ply() {
            Some(_) => before_next_move(record),
            None => EndPoint::AfterPlies(record.tree.moves.len()),
        };
        Self {
            place: shown_place(&fault.source, fault.place),
            game: fault.game,
            point,
            reason: fault.reason.in_short().visible(),
        }
    }
}

/// The point before the move that would be next in a game.
fn before_next_move<G: Game>(record: &Record<G>) -> EndPoint {
    let plies = record.tree.moves.len();
    let first = record.start.as_ref().map_or(Side::First, Game::turn);
    let side = if plies.is_multiple_of(2) { first } else { !first };
    EndPoint::BeforeMove { number: plies / 2 + 1, side: side_name::<G>(side) }
}

/// A source, with the line if the place is one: a byte says nothing to a reader. Harmless to print.
#[must_use]
pub fn shown_place(source: &str, place: Place) -> String {
    let place = match place {
        Place::Offset(_) => source.to_owned(),
        place @ Place::Line(_) => place.within(source),
    };
    Visible(place).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Formats, Keep, ReadOptions};
    use crate::xiangqi::Position;

    fn end_of(pgn: &str) -> Option<GameEnd> {
        let mut end = None;
        for chunk in Position::split_games(pgn.as_bytes(), usize::MAX) {
            let chunk = chunk.read_with(ReadOptions::keeping(Keep::Opened));
            Position::read_chunk("a.pgn", pgn.as_bytes(), &chunk, &mut |game| {
                end = GameEnd::of("a.pgn", &game.unwrap());
            });
        }
        end
    }

    #[test]
    fn a_game_ends_where_it_cannot_go_on() {
        assert_eq!(end_of("[Red \"a\"]\n\n1. h2e2 h9g7 *\n"), None);
        let illegal = end_of("[Red \"a\"]\n\n1. h2e2 h9g7 2. h0g2 h9g8 *\n").unwrap();
        assert_eq!(illegal.point, EndPoint::BeforeMove { number: 2, side: "Black" });
        assert_eq!((illegal.place.as_str(), illegal.game), ("a.pgn:3", 1));
        assert!(illegal.reason.to_string().contains("h9g8"), "{}", illegal.reason);
        let null = end_of("[Red \"a\"]\n\n1. h2e2 h9g7 2. -- i9h9 *\n").unwrap();
        assert_eq!(null.point, EndPoint::BeforeMove { number: 2, side: "Red" });
        assert_eq!(null.reason.to_string(), "a null move");
    }
}
