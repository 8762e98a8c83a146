//! Texts in which each line is a game.

use crate::gomoku::Board;
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::parsed::{BadGameReason, GameSink, ReadSummary};
use crate::record::model::place::Place;
use crate::record::text::plain::is_remark;
use crate::record::text::single::{Fault, Found, report};
use crate::record::text::split::{Chunk, Lines};

/// Reads the game of a line; of that width and height is the board where the line does not say it.
pub(crate) type ReadLine = fn(&str, Option<(u8, u8)>) -> Result<Found<Board>, Fault>;

/// Reads the games of a chunk. Lines that begin with `#` are remarks.
pub(crate) fn read(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    game: ReadLine,
    sink: &mut GameSink<'_, Board>,
) -> ReadSummary {
    let mut summary = ReadSummary::default();
    let part = bytes.get(chunk.bytes.clone()).unwrap_or_default();
    for line in Lines::new(part, chunk) {
        let place = Place::Line(line.line);
        let read = if line.text.len() > MAX_GAME_BYTES {
            Err(Fault { place, reason: BadGameReason::TooLong(line.text.len()) })
        } else {
            let (text, is_undecoded) = chunk.encoding.decode_part(line.text);
            if is_remark(&text) {
                continue;
            }
            game(&text, chunk.options.board).map(|found| Found { is_undecoded, ..found })
        };
        let on_line = |fault: Fault| Fault { place, ..fault };
        let read = read.map_err(on_line).map(|mut found| {
            found.fault = found.fault.map(on_line);
            found
        });
        summary += report(source, chunk, (place, line.game), read, sink);
    }
    summary
}
