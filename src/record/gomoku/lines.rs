//! Texts in which each line is a game.

use crate::gomoku::Board;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::place::Place;
use crate::record::model::sample::Sample;
use crate::record::model::single::{Fault, Found};
use crate::record::text::plain::is_remark;
use crate::record::text::split::{Lines, TextLine};

/// Reads the game of a line; of that width and height is the board where the line does not say it.
pub(crate) type ReadLine = fn(&str, Option<(u8, u8)>) -> Result<Found<Board>, Fault>;

/// Reads the games of a chunk. Lines that begin with `#` are remarks.
pub(crate) fn read(reader: &mut ChunkReader<'_, Board>, game: ReadLine) {
    let chunk = reader.chunk;
    for TextLine { text, line, game: number, .. } in Lines::new(reader.part(), chunk) {
        let place = Place::Line(line);
        if text.len() > MAX_GAME_BYTES {
            let reason = BadGameReason::TooLong(text.len());
            reader.report(place, number, Err(Fault { place, reason }));
            continue;
        }
        let (text, is_undecoded) = chunk.encoding.decode_part(text);
        if is_remark(&text) {
            continue;
        }
        let read = game(&text, chunk.options.board);
        let read = read.map(|found| Found { is_undecoded, ..found.at(place) });
        reader.report(place, number, read.map_err(|fault| Fault { place, ..fault }));
    }
}

/// Returns true if the first line that is no remark has the form of a game.
pub(crate) fn first_line_is(sample: &Sample<'_>, is_game: fn(&str) -> bool) -> bool {
    let mut lines = sample.decoded().lines().map(str::trim);
    lines.find(|line| !is_remark(line)).is_some_and(is_game)
}
