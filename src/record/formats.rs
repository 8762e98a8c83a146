//! The formats of each game: one list of rows a game, and the trait through which files of any game are read and
//! written.

use std::io::Write;

use crate::gomoku::Board;
use crate::message::Message;
use crate::record::gomoku::{bdt, database, lib, moves, offsets, piskvork, pos, rif, sgf};
use crate::record::model::bad_game::{BadGame, BadGameReason};
use crate::record::model::chunk::{Chunk, Cut};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::format::Format;
use crate::record::model::format_row::{Certainty, FileKind, FormatInfo, FormatRow, ReadGames};
use crate::record::model::parsed::{GameSink, ReadSummary};
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;
use crate::record::model::sample::is_text;
use crate::record::model::written::{Dropped, WriteError, WriteOptions};
use crate::record::programs::{cbf, ccbridge, ccm, che, chn, mxq, pfc, xqf, xqr};
use crate::record::text::{dhtmlxq, export, jsonl, pgn, plain, wxf};
use crate::record::{sniff, utf16};
use crate::xiangqi::Position;

/// The formats of xiangqi, those that its files usually have first.
static XIANGQI: &[FormatRow<Position>] = &[
    pgn::ROW,
    jsonl::row(),
    plain::ROW,
    xqf::ROW,
    ccbridge::RECORD_ROW,
    ccbridge::LIBRARY_ROW,
    cbf::ROW,
    dhtmlxq::ROW,
    che::ROW,
    mxq::ROW,
    ccm::ROW,
    chn::ROW,
    pfc::ROW,
    xqr::ROW,
    wxf::ROW,
    export::ROW,
];

/// The formats of gomoku.
static GOMOKU: &[FormatRow<Board>] = &[
    jsonl::row(),
    moves::ROW,
    piskvork::PSQ,
    piskvork::REC,
    sgf::ROW,
    lib::ROW,
    rif::ROW,
    offsets::ROW,
    bdt::ROW,
    pos::ROW,
];

/// The description of each format, by its number. A format without a row in one of the lists does not compile.
static INFOS: [&FormatInfo; Format::ALL.len()] = {
    // Something to begin with: each of them is replaced.
    let mut infos = [&XIANGQI[0].info; Format::ALL.len()];
    let mut number = 0;
    while number < infos.len() {
        infos[number] = match (info_in(XIANGQI, number), info_in(GOMOKU, number)) {
            (Some(info), _) | (None, Some(info)) => info,
            (None, None) => panic!("a format has no row in the lists of this file"),
        };
        number += 1;
    }
    infos
};

/// Returns what is known of the format with that number, if it is one of a game.
const fn info_in<G: Recorded>(
    rows: &'static [FormatRow<G>],
    number: usize,
) -> Option<&'static FormatInfo> {
    let mut index = 0;
    while index < rows.len() {
        if rows[index].info.format as usize == number {
            return Some(&rows[index].info);
        }
        index += 1;
    }
    None
}

/// The formats of rows.
const fn formats_of<G: Recorded, const N: usize>(rows: &[FormatRow<G>]) -> [Format; N] {
    let mut formats = [Format::Jsonl; N];
    let mut index = 0;
    while index < N {
        formats[index] = rows[index].info.format;
        index += 1;
    }
    formats
}

/// The number of formats in which games can be written.
const fn count_written<G: Recorded>(rows: &[FormatRow<G>]) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < rows.len() {
        count += rows[index].write.is_some() as usize;
        index += 1;
    }
    count
}

/// The formats in which games can be written.
const fn written_of<G: Recorded, const N: usize>(rows: &[FormatRow<G>]) -> [Format; N] {
    let mut formats = [Format::Jsonl; N];
    let mut count = 0;
    let mut index = 0;
    while index < rows.len() {
        if rows[index].write.is_some() {
            formats[count] = rows[index].info.format;
            count += 1;
        }
        index += 1;
    }
    formats
}

impl Format {
    /// The formats of gomoku, the usual one first.
    pub const GOMOKU: [Self; GOMOKU.len()] = formats_of(GOMOKU);

    /// The formats of xiangqi.
    pub const XIANGQI: [Self; XIANGQI.len()] = formats_of(XIANGQI);

    /// Returns what is known of the format.
    ///
    /// ```
    /// use juzhong::record::{FileKind, Format, GameCount};
    ///
    /// let info = Format::Xqf.info();
    /// assert_eq!((info.name, info.endings), ("xqf", &["xqf"][..]));
    /// assert_eq!((info.games, info.kind), (GameCount::One, FileKind::Binary));
    /// ```
    #[must_use]
    pub const fn info(self) -> &'static FormatInfo {
        INFOS[self as usize]
    }

    /// The format of a source of xiangqi games. A blank source counts as PGN without games.
    ///
    /// # Errors
    ///
    /// Why it is in no known format.
    pub fn sniff(bytes: &[u8]) -> Result<Self, BadGameReason> {
        Position::sniff(bytes)
    }
}

/// A game with formats of game records of its own. What reads files of any game asks this; the functions
/// [`read_games`](crate::record::read_games), [`split_games`](crate::record::split_games),
/// [`read_chunk`](crate::record::read_chunk) and [`write_game`](crate::record::write_game) are the same for
/// xiangqi.
///
/// ```
/// use juzhong::gomoku::Board;
/// use juzhong::record::{Format, Formats};
///
/// assert_eq!(Board::sniff(b"h8i9h9g8 1-0\n"), Ok(Format::Moves));
/// let mut games = Vec::new();
/// Board::read_records("a.txt", b"h8i9h9g8 1-0\n", &mut |game| games.push(game.unwrap().record));
/// assert_eq!(games[0].tree.moves.len(), 4);
/// ```
pub trait Formats: Recorded {
    /// The rows of the game's formats, those that its files usually have first.
    const ROWS: &'static [FormatRow<Self>];

    /// The formats of the game's files, in the same order.
    const FORMATS: &'static [Format];

    /// The formats in which games can be written, the usual one first.
    const WRITTEN: &'static [Format];

    /// Refuses files of programs for the game that are no game records but might be given for such.
    ///
    /// # Errors
    ///
    /// What the file is, and what to do with it.
    fn refuse_other_file(_bytes: &[u8]) -> Result<(), BadGameReason> {
        Ok(())
    }

    /// The row of a format, if it is one of the game.
    #[must_use]
    fn row(format: Format) -> Option<&'static FormatRow<Self>> {
        Self::ROWS.iter().find(|row| row.info.format == format)
    }

    /// The format of a source, determined from its content alone.
    ///
    /// # Errors
    ///
    /// The reason why it is in no format of the game.
    fn sniff(bytes: &[u8]) -> Result<Format, BadGameReason> {
        sniff::sniff(bytes, Self::ROWS, Self::refuse_other_file)
    }

    /// Returns true if a source of that format has a mark or a layout that no text has by chance.
    #[must_use]
    fn is_unmistakable(format: Format) -> bool {
        matches!(format.info().certainty, Certainty::Unmistakable)
    }

    /// Returns true if a text of that format, with a name that says nothing, begins like games.
    #[must_use]
    fn begins_like_games(format: Format, head: &[u8]) -> bool {
        match format.info().certainty {
            Certainty::Unmistakable | Certainty::Likely => true,
            Certainty::If(begins) => begins(&utf16::head(head)),
        }
    }

    /// Splits a source at game boundaries into chunks of about `target` bytes (at least one game
    /// each); sources of formats that cannot be split are one chunk. Reading the chunks in order gives
    /// the same as reading the whole.
    #[must_use]
    fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk> {
        let format = Self::sniff(bytes).ok();
        if let Some(encoding) = sniff::utf16_of(bytes, Self::ROWS, Self::refuse_other_file) {
            return vec![Chunk::whole_utf16(bytes, format, encoding)];
        }
        let Some(format) = format else { return vec![Chunk::whole(bytes, None)] };
        let info = format.info();
        match (info.cut, info.kind) {
            (Cut::Chunks(first) | Cut::BehindHead { first, .. }, _) => first(bytes, target),
            (Cut::Games(_), _) => Chunk::whole_text(bytes, format).split_on(bytes, target),
            (Cut::Whole, FileKind::Text) => vec![Chunk::whole_text(bytes, format)],
            (Cut::Whole, FileKind::Binary) => vec![Chunk::whole(bytes, Some(format))],
        }
    }

    /// Reads the games of one chunk of [`split_games`](Self::split_games); `bytes` is the whole source.
    fn read_chunk(
        source: &str,
        bytes: &[u8],
        chunk: &Chunk,
        sink: &mut GameSink<'_, Self>,
    ) -> ReadSummary {
        if chunk.encoding.is_utf16() {
            return utf16::read(source, bytes, chunk, sink, Self::split_games, Self::read_chunk);
        }
        let mut reader = ChunkReader::new(source, bytes, chunk, sink);
        match chunk.format.and_then(Self::row) {
            Some(FormatRow { info, read: ReadGames::One(game), .. }) => {
                reader.one(info.kind.begin(), *game);
            }
            Some(FormatRow { read: ReadGames::Chunk(read), .. }) => read(&mut reader),
            None => {
                // No false report about a source that a caller changed in between.
                if let Err(reason) = Self::sniff(bytes) {
                    let kind = if is_text(bytes) { FileKind::Text } else { FileKind::Binary };
                    reader.refuse(reader.bad(kind.begin(), 1, reason));
                }
            }
        }
        reader.summary
    }

    /// Writes a record and says what the format has no room for.
    ///
    /// # Errors
    ///
    /// [`WriteError`]; nothing was written then but for [`WriteError::Io`].
    fn write_record(
        out: &mut dyn Write,
        record: &Record<Self>,
        format: Format,
        options: &WriteOptions,
    ) -> Result<Dropped, WriteError> {
        let Some(write) = Self::row(format).and_then(|row| row.write) else {
            return Err(WriteError::NoWriter(format, Self::WRITTEN));
        };
        let written = write(record, options)?;
        let dropped = written.dropped;
        out.write_all(&written.encoded(options)?)?;
        Ok(dropped)
    }

    /// Reads all games of a source in order; `sink` gets each, good or bad. `source` names it in messages. The
    /// format is determined from the content; a source of no known format is one bad game. A source without a
    /// single game gives a summary of zeros.
    fn read_records(source: &str, bytes: &[u8], sink: &mut GameSink<'_, Self>) -> ReadSummary {
        let mut summary = ReadSummary::default();
        for chunk in Self::split_games(bytes, usize::MAX) {
            summary += Self::read_chunk(source, bytes, &chunk, sink);
        }
        summary
    }

    /// Reads the games of a chunk as [`read_chunk`](Self::read_chunk) does. With a `loss` the source was cut
    /// off at the end of this chunk: the last game may lack its end, so it is a bad one, for that reason.
    fn read_cut_chunk(
        source: &str,
        bytes: &[u8],
        chunk: &Chunk,
        loss: Option<&Message>,
        sink: &mut GameSink<'_, Self>,
    ) -> ReadSummary {
        let Some(loss) = loss else { return Self::read_chunk(source, bytes, chunk, sink) };
        // Handed over one game behind: which one is the last shows only at the end.
        let mut last = None;
        let mut summary = Self::read_chunk(source, bytes, chunk, &mut |game| {
            if let Some(before) = last.replace(game) {
                sink(before);
            }
        });
        let (place, game) = match &last {
            Some(Ok(game)) => (game.place, game.game),
            Some(Err(bad)) => (bad.place, bad.game),
            None => (Place::Offset(chunk.bytes.end as u64), chunk.game),
        };
        match last {
            Some(Ok(game)) => {
                summary.games -= 1;
                summary.bad += 1;
                summary.cut -= u64::from(game.cut.is_some());
                summary.noted -= u64::from(game.note.is_some());
            }
            Some(Err(_)) => {}
            None => summary.bad += 1,
        }
        let reason = BadGameReason::Unsupported(loss.clone());
        sink(Err(BadGame { source: source.to_owned(), place, game, reason }));
        summary
    }
}

impl Formats for Position {
    const ROWS: &'static [FormatRow<Self>] = XIANGQI;
    const FORMATS: &'static [Format] = &Format::XIANGQI;
    const WRITTEN: &'static [Format] = &written_of::<_, { count_written(XIANGQI) }>(XIANGQI);
}

impl Formats for Board {
    const ROWS: &'static [FormatRow<Self>] = GOMOKU;
    const FORMATS: &'static [Format] = &Format::GOMOKU;
    const WRITTEN: &'static [Format] = &written_of::<_, { count_written(GOMOKU) }>(GOMOKU);

    fn refuse_other_file(bytes: &[u8]) -> Result<(), BadGameReason> {
        database::refuse_database(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<G: Formats>() {
        for row in G::ROWS {
            let info = &row.info;
            let name = info.name;
            let same = G::ROWS.iter().filter(|other| other.info.format == info.format);
            assert_eq!(same.count(), 1, "{name} is in the list once");
            assert!(!row.sniff.is_empty(), "{name}: nothing shows the format");
            let is_ending = |ending: &&str| info.endings.contains(ending);
            assert!(info.shared_endings.iter().all(is_ending), "{name}: no endings of its own");
            assert!(!info.other_endings.iter().any(is_ending), "{name}: an ending twice");
            let endings = info.endings.iter().chain(info.other_endings).chain([&info.name]);
            for ending in endings {
                assert_eq!(*ending, ending.to_ascii_lowercase(), "{name}");
            }
            let is_written = row.write.is_some();
            assert_eq!(is_written, G::WRITTEN.contains(&info.format), "{name}");
            assert!(!is_written || !info.endings.is_empty(), "{name}: no ending to be written by");
        }
        assert!(G::WRITTEN.is_sorted_by_key(|format| G::FORMATS.iter().position(|f| f == format)));
    }

    #[test]
    fn rows_are_sound() {
        check::<Position>();
        check::<Board>();
        for &format in Format::ALL {
            assert_eq!(format.info().format, format);
            let others = Format::ALL.iter().filter(|other| other.name() == format.name());
            assert_eq!(others.count(), 1, "{format}");
        }
    }
}
