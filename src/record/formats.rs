//! The formats of each game, behind one trait.

use std::io::Write;

use crate::message::Message;
use crate::record::model::format::Format;
use crate::record::model::parsed::{BadGame, BadGameReason, GameSink, ReadSummary};
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::recorded::Recorded;
use crate::record::source;
use crate::record::text::split::Chunk;
use crate::record::write::{self, Dropped, WriteError, WriteOptions};
use crate::xiangqi::Position;

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
    /// The formats of the game's files, those that its files usually have first.
    const FORMATS: &'static [Format];

    /// The formats in which games can be written, the usual one first.
    const WRITTEN: &'static [Format];

    /// The format of a source, determined from its content alone.
    ///
    /// # Errors
    ///
    /// The reason why it is in no format of the game.
    fn sniff(bytes: &[u8]) -> Result<Format, BadGameReason>;

    /// Returns true if a source of that format has a mark or a layout that no text has by chance.
    fn is_unmistakable(format: Format) -> bool;

    /// Returns true if a text of that format, with a name that says nothing, begins like games.
    fn begins_like_games(format: Format, head: &[u8]) -> bool;

    /// Splits a source at game boundaries into chunks of about `target` bytes (at least one game
    /// each); sources of formats that cannot be split are one chunk. Reading the chunks in order gives
    /// the same as reading the whole.
    #[must_use]
    fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk>;

    /// Reads the games of one chunk of [`split_games`](Self::split_games); `bytes` is the whole source.
    fn read_chunk(
        source: &str,
        bytes: &[u8],
        chunk: &Chunk,
        sink: &mut GameSink<'_, Self>,
    ) -> ReadSummary;

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
    ) -> Result<Dropped, WriteError>;

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
                (summary.games, summary.bad) = (summary.games - 1, summary.bad + 1);
                summary.kept -= u64::from(game.cut.is_some());
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
    const FORMATS: &'static [Format] = &Format::XIANGQI;
    const WRITTEN: &'static [Format] = &write::WRITTEN;

    fn sniff(bytes: &[u8]) -> Result<Format, BadGameReason> {
        Format::sniff(bytes)
    }

    fn is_unmistakable(format: Format) -> bool {
        matches!(
            format,
            Format::Xqf
                | Format::Cbr
                | Format::Cbl
                | Format::Xqr
                | Format::Che
                | Format::Mxq
                | Format::Ccm
                | Format::Chn
        )
    }

    fn begins_like_games(format: Format, head: &[u8]) -> bool {
        format != Format::Pgn || source::begins_like_pgn(head)
    }

    fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk> {
        source::split_games(bytes, target)
    }

    fn read_chunk(
        source: &str,
        bytes: &[u8],
        chunk: &Chunk,
        sink: &mut GameSink<'_>,
    ) -> ReadSummary {
        source::read_chunk(source, bytes, chunk, sink)
    }

    fn write_record(
        out: &mut dyn Write,
        record: &Record<Self>,
        format: Format,
        options: &WriteOptions,
    ) -> Result<Dropped, WriteError> {
        write::write_game(out, record, format, options)
    }
}
