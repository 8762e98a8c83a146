//! The contract between a game and the readers and writers of formats that games share.

use crate::game::{Notation, Outcome};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::record::Record;

/// A game whose records are read from files: starts and moves as texts in files write them, and the ends of
/// games by the rules.
pub trait Recorded: Notation {
    /// The number of ways in which files write moves (xiangqi: ranks from 0 or from 1); one game uses one of
    /// them. Readers try them in turn, and keep the one in which most of a game can be played.
    const SCHEMES: u8 = 1;

    /// Reads the start of a game with the plies since the last irreversible move there; no position for the
    /// usual start, which an empty text stands for.
    ///
    /// # Errors
    ///
    /// The reason why the text is no start.
    fn recorded_start(text: &str) -> Result<(Option<Self>, u32), BadGameReason>;

    /// Writes the start of a record, if it is not the usual one, as [`recorded_start`](Self::recorded_start) reads it.
    fn start_text(record: &Record<Self>) -> Option<String>;

    /// Reads the move that is number `ply` of its game, from 1, in one of the [schemes](Self::SCHEMES).
    ///
    /// # Errors
    ///
    /// The reason why the text is no legal move here.
    fn read_recorded(
        &self,
        text: &str,
        scheme: u8,
        ply: usize,
    ) -> Result<Self::Move, BadGameReason>;

    /// Reads a result as files of no format in particular state it; `None` if the text states none.
    fn read_result(text: &str) -> Option<Outcome>;

    /// The result if the rules end the game here, whatever a file states.
    fn end(&self) -> Option<Outcome>;
}
