//! The way of games out of a source: what a reader is given, and whom it hands games to.

use crate::game::Game;
use crate::record::model::bad_game::{BadGame, BadGameReason};
use crate::record::model::chunk::Chunk;
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::parsed::{GameSink, ParsedGame, ReadSummary};
use crate::record::model::place::Place;
use crate::record::model::recorded::Recorded;
use crate::record::model::single::{Fault, Found};
use crate::xiangqi::Position;

/// A chunk of a source that is read. Readers hand each game over, good or bad, in the order of the source; what was
/// handed over is counted here.
pub(crate) struct ChunkReader<'a, G: Game = Position> {
    /// The name of the source in messages.
    pub(crate) source: &'a str,
    /// The whole source.
    pub(crate) bytes: &'a [u8],
    pub(crate) chunk: &'a Chunk,
    pub(crate) summary: ReadSummary,
    sink: &'a mut GameSink<'a, G>,
}

impl<'a, G: Game> ChunkReader<'a, G> {
    pub(crate) fn new(
        source: &'a str,
        bytes: &'a [u8],
        chunk: &'a Chunk,
        sink: &'a mut GameSink<'_, G>,
    ) -> Self {
        Self { source, bytes, chunk, summary: ReadSummary::default(), sink }
    }

    /// The bytes of the chunk.
    pub(crate) fn part(&self) -> &'a [u8] {
        self.bytes.get(self.chunk.bytes.clone()).unwrap_or_default()
    }

    /// A game of the source that is refused.
    pub(crate) fn bad(&self, place: Place, game: u64, reason: BadGameReason) -> BadGame {
        BadGame { source: self.source.to_owned(), place, game, reason }
    }

    /// Hands over a good game.
    pub(crate) fn accept(&mut self, game: ParsedGame<G>) {
        self.summary.games += 1;
        self.summary.cut += u64::from(game.cut.is_some());
        self.summary.noted += u64::from(game.note.is_some());
        (self.sink)(Ok(game));
    }

    /// Hands over a bad game.
    pub(crate) fn refuse(&mut self, bad: BadGame) {
        self.summary.bad += 1;
        (self.sink)(Err(bad));
    }
}

impl<G: Recorded> ChunkReader<'_, G> {
    /// Hands over the one game of a source, which begins at a place, good or bad. Longer sources than
    /// [`MAX_GAME_BYTES`] are refused, so that a tree has at most a million nodes.
    pub(crate) fn one(&mut self, begin: Place, game: fn(&[u8]) -> Result<Found<G>, Fault>) {
        let length = self.bytes.len();
        let read = if length > MAX_GAME_BYTES {
            Err(Fault { place: begin, reason: BadGameReason::TooLong(length) })
        } else {
            game(self.bytes)
        };
        self.report(begin, 1, read);
    }

    /// Hands over a game that begins at a place and has that number, good or bad. One that breaks off at an
    /// illegal move, or where its bytes end, is bad, unless the moves before are wanted.
    pub(crate) fn report(&mut self, place: Place, game: u64, read: Result<Found<G>, Fault>) {
        let Found { record, cut_variations, is_undecoded, note, fault } = match read {
            Ok(found) => found,
            Err(fault) => return self.refuse(self.bad(fault.place, game, fault.reason)),
        };
        let is_refused = fault
            .as_ref()
            .is_some_and(|fault| !fault.breaks_off() || !self.chunk.options.keep.keeps(&record));
        let cut = fault.map(|fault| self.bad(fault.place, game, fault.reason));
        match cut {
            Some(bad) if is_refused => self.refuse(bad),
            cut => {
                self.summary.cut_variations += cut_variations;
                self.summary.undecoded += u64::from(is_undecoded);
                let cut = cut.map(Box::new);
                self.accept(ParsedGame { note, cut, ..ParsedGame::new(record, place, game) });
            }
        }
    }
}
