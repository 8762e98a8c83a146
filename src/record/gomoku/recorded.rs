//! Starts and moves of gomoku as files write them.

use crate::game::{Game, Notation, Outcome};
use crate::gomoku::{Board, Point};
use crate::message::{Message, message};
use crate::record::gomoku::board;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::preorder::WrittenMove;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;

impl Recorded for Board {
    fn recorded_start(text: &str) -> Result<(Option<Self>, u32), BadGameReason> {
        board::read_start(text).map(|start| (start, 0))
    }

    fn start_text(record: &Record<Self>) -> Option<String> {
        record.start.as_ref().map(Notation::to_fen)
    }

    fn read_recorded(&self, text: &str, _scheme: u8, ply: usize) -> Result<Point, BadGameReason> {
        let point = Point::parse(text).ok_or_else(|| board::quoted(text));
        Point::play(point, self, ply)
    }

    fn read_result(text: &str) -> Option<Outcome> {
        board::result(text)
    }

    fn end(&self) -> Option<Outcome> {
        self.outcome()
    }
}

impl WrittenMove<Board> for Point {
    fn play(mv: Result<Self, String>, board: &Board, ply: usize) -> Result<Self, BadGameReason> {
        let unplayable = |what: Message| BadGameReason::Unplayable { ply, what };
        let point = mv.map_err(|text| unplayable(message!("\"{text}\" is no point such as h8")))?;
        if board.is_legal(point) {
            return Ok(point);
        }
        Err(unplayable(board::why_illegal(board, point)))
    }
}
