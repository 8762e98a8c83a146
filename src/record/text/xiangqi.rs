//! Starts and moves of xiangqi as texts write them.

use crate::game::{Game, Outcome};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;
use crate::record::text::{move_words, scan, table};
use crate::xiangqi::notation::{Dialect, Fault, fold, parse_move, read_move};
use crate::xiangqi::{Move, Position, Setup};

/// Longer words are no moves.
const LONGEST_MOVE: usize = 16;

impl Recorded for Position {
    /// Ranks count from 0, or from 1 to 10.
    const SCHEMES: u8 = 2;

    fn recorded_start(text: &str) -> Result<(Option<Self>, u32), BadGameReason> {
        move_words::read_start(text).map_err(BadGameReason::Start)
    }

    fn start_text(record: &Record<Self>) -> Option<String> {
        let start = record.start.as_ref()?;
        Some(Setup { halfmove_clock: record.start_clock, ..start.to_setup() }.to_fen())
    }

    fn read_recorded(&self, text: &str, scheme: u8, ply: usize) -> Result<Move, BadGameReason> {
        let read = if scheme == 0 {
            parse_move(self, text)
        } else {
            let letters: Vec<char> = text.chars().take(LONGEST_MOVE).map(fold).collect();
            let shifted = move_words::from_one(&letters).ok_or(Fault::Unreadable);
            let read = shifted.and_then(|shifted| read_move(self, &shifted, Dialect::Any));
            read.map_err(|fault| fault.about(letters.into_iter().collect()))
        };
        read.map_err(|error| BadGameReason::Move { ply, error })
    }

    fn read_result(text: &str) -> Option<Outcome> {
        table::result(text).and_then(scan::outcome)
    }

    /// The side to move has lost if it is mated or stalemated.
    fn end(&self) -> Option<Outcome> {
        (!self.has_legal_move()).then(|| Outcome::Win(!self.turn()))
    }
}
