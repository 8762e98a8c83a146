//! Games as files have them: those of a file in a list and one of them whole, and games written in a format.

#[cfg(feature = "schemas")]
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::answers::error::{AnswerError, ErrorKind};
use crate::answers::game_end::GameEnd;
use crate::answers::game_entry::GameEntry;
use crate::bytes::StopFlag;
use crate::message::{Message, ToMessage};
use crate::record::{
    BadGame, Format, Formats, GameSink, Keep, ParsedGame, PgnOptions, ReadOptions, ReadSummary,
    Record, WriteError, WriteOptions, read_packed_with,
};
use crate::xiangqi::notation::MoveNotation;

/// The name of a source in the places of its faults, where it is no file with a name.
pub const UNNAMED: &str = "text";
/// Letters of a file's name that messages show.
const SHOWN_NAME: usize = 200;
/// Games of a file that are listed, at most.
const LISTED: usize = 10_000;

/// A game as a JSON line has it.
#[cfg(feature = "schemas")]
#[derive(Debug, schemars::JsonSchema)]
#[expect(dead_code, reason = "only described")]
pub struct JsonGame {
    /// The position that it begins with, if that is not the usual start.
    #[schemars(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// The moves of the main line, separated by blanks.
    moves: String,
    /// As PGN writes it.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*"]))]
    result: String,
    /// Names and values in the order of the file.
    tags: BTreeMap<String, String>,
    /// Texts, each with the number of moves before it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    comments: Option<Vec<(usize, String)>>,
    /// Numeric annotation glyphs, as PGN numbers them, each with the number of moves up to its move.
    #[schemars(skip_serializing_if = "Option::is_none")]
    glyphs: Option<Vec<(usize, u8)>>,
    /// The variations.
    #[schemars(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<JsonVariation>>,
}

/// A variation as a JSON line has it.
#[cfg(feature = "schemas")]
#[derive(Debug, schemars::JsonSchema)]
#[expect(dead_code, reason = "only described")]
pub struct JsonVariation {
    /// The line that it belongs to: 0 is the main line, 1 the first variation.
    of: usize,
    /// The number of the move there that its first move replaces, from 0.
    ply: usize,
    /// Its moves, separated by blanks.
    moves: String,
    /// Texts, each with the number of moves before it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    comments: Option<Vec<(usize, String)>>,
    /// Numeric annotation glyphs, as PGN numbers them, each with the number of moves up to its move.
    #[schemars(skip_serializing_if = "Option::is_none")]
    glyphs: Option<Vec<(usize, u8)>>,
}

/// A file of games, and one of them whole.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "OpenedFile"))]
pub struct OpenedGames {
    /// The first games, as lists have them.
    pub games: Vec<GameEntry>,
    /// Games that can be read.
    pub total: usize,
    /// Games that cannot be read.
    pub bad: u64,
    /// Games that are given up to an illegal move, or to where the file ends too early.
    pub breaks_off: u64,
    /// Words and signs of value between the moves of the games that are no moves, and were passed over.
    pub words: u64,
    /// The end of the game and its reason, if it breaks off: its moves are those before.
    pub ends: Option<String>,
    /// The deviation of the game from what the file states: a null move at which it was ended, two results.
    pub note: Option<String>,
    /// As text: a game may have a hundred thousand variations, and each object made of it takes as much memory as
    /// hundreds of letters.
    #[cfg_attr(
        feature = "schemas",
        schemars(with = "JsonGame", description = "The game as a JSON line has it.")
    )]
    pub game: Box<RawValue>,
}

/// Games that were read, before texts are made of where the one that is wanted whole breaks off.
///
/// ```
/// use juzhong::answers::{FileGames, WriteRequest};
/// use juzhong::xiangqi::Position;
///
/// let file = b"[Red \"a\"]\n\n1. h2e2 h9g7 *\n\n[Red \"b\"]\n\n1. g3g4 *\n";
/// let games = FileGames::<Position>::read("a.pgn", file, 1)?;
/// assert!(games.end().is_none());
/// let answer = games.answer(|end| end.place, |note| note.to_string())?;
/// assert_eq!((answer.total, answer.games[1].first.as_deref()), (2, Some("b")));
///
/// let request = WriteRequest { format: Some("xqf".to_owned()), ..WriteRequest::default() };
/// let mut out = Vec::new();
/// let name = request.write::<Position>(answer.game.get().as_bytes(), &mut out)?;
/// assert_eq!((name.as_str(), &out[..2]), ("game.xqf", &b"XQ"[..]));
/// # Ok::<(), juzhong::answers::AnswerError>(())
/// ```
#[derive(Debug)]
pub struct FileGames<G: Formats> {
    games: Vec<GameEntry>,
    total: usize,
    bad: u64,
    breaks_off: u64,
    words: u64,
    /// The name of the source, for messages.
    name: String,
    wanted: ParsedGame<G>,
}

impl<G: Formats> FileGames<G> {
    /// The games in the bytes of a file, of which the one with this number, from 0, is kept whole.
    ///
    /// # Errors
    ///
    /// There is no such game.
    pub fn read(name: &str, bytes: &[u8], index: usize) -> Result<Self, AnswerError> {
        let name = shown_name(name);
        let mut seen = GamesSeen::<G>::new(index);
        let summary = read_opened::<G>(&name, bytes, &mut |game| seen.take(game));
        Self::of(name, seen, summary)
    }

    /// The same for a file as it comes: packed perhaps, or an archive of many. What is large is unpacked to files without
    /// names in `folder`, until soon after `stop` was set.
    ///
    /// # Errors
    ///
    /// There is no such game, or the file cannot be unpacked.
    pub fn read_packed(
        name: &str,
        bytes: &[u8],
        index: usize,
        (folder, stop): (&Path, &StopFlag),
    ) -> Result<Self, AnswerError> {
        let name = shown_name(name);
        let mut seen = GamesSeen::<G>::new(index);
        let options = ReadOptions::keeping(Keep::Opened);
        let summary = read_packed_with::<G>(&name, bytes, folder, stop, options, &mut |_, game| {
            seen.take(game);
            ControlFlow::Continue(())
        });
        let summary = summary.map_err(|error| AnswerError::new(ErrorKind::Io, error))?;
        Self::of(name, seen, summary)
    }

    fn of(name: String, seen: GamesSeen<G>, summary: ReadSummary) -> Result<Self, AnswerError> {
        let GamesSeen { games, number, bad, wanted, first_fault, .. } = seen;
        let wanted = wanted.ok_or_else(|| {
            let fault = first_fault.unwrap_or_else(|| "there is no such game in it".into());
            AnswerError::new(ErrorKind::BadData, fault)
        })?;
        let (breaks_off, words) = (summary.cut, summary.skipped_words);
        Ok(Self { games, total: number, bad, breaks_off, words, name, wanted })
    }

    /// A game alone; `name` is that of its file in messages, and `index` its number in it.
    #[must_use]
    pub fn one(name: &str, index: usize, game: ParsedGame<G>) -> Self {
        Self {
            games: vec![GameEntry::of(index, &game.record)],
            total: 1,
            bad: 0,
            breaks_off: u64::from(GameEnd::of(name, &game).is_some()),
            words: game.words.as_ref().map_or(0, |words| words.count),
            name: name.to_owned(),
            wanted: game,
        }
    }

    /// The end of the game that is wanted whole, if it breaks off.
    #[must_use]
    pub fn end(&self) -> Option<GameEnd> {
        GameEnd::of(&self.name, &self.wanted)
    }

    /// The answer, with texts on the end of the game and on what its file states otherwise, as a front end says them.
    ///
    /// # Errors
    ///
    /// The game cannot be written as JSON.
    pub fn answer(
        self,
        end: impl FnOnce(GameEnd) -> String,
        note: impl FnOnce(Message) -> String,
    ) -> Result<OpenedGames, AnswerError> {
        let ends = self.end().map(end);
        Ok(OpenedGames {
            games: self.games,
            total: self.total,
            bad: self.bad,
            breaks_off: self.breaks_off,
            words: self.words,
            ends,
            note: self.wanted.note.map(|what| note(what.message())),
            game: game_json(&self.wanted.record)?,
        })
    }
}

/// The name of a source in messages.
fn shown_name(name: &str) -> String {
    name.chars().take(SHOWN_NAME).collect()
}

/// Reads the games in the bytes of a file, to be looked at: those that break off up to there.
fn read_opened<G: Formats>(name: &str, bytes: &[u8], sink: &mut GameSink<'_, G>) -> ReadSummary {
    let mut summary = ReadSummary::default();
    for chunk in G::split_games(bytes, usize::MAX) {
        let chunk = chunk.read_with(ReadOptions::keeping(Keep::Opened));
        summary += G::read_chunk(name, bytes, &chunk, sink);
    }
    summary
}

/// The games of a file while they are read: only one is kept whole, for each may be as large as the file.
struct GamesSeen<G: Formats> {
    /// The first of them, as lists have them.
    games: Vec<GameEntry>,
    /// Good games so far.
    number: usize,
    bad: u64,
    /// The number of the game that is wanted whole, from 0.
    index: usize,
    wanted: Option<ParsedGame<G>>,
    first_fault: Option<Message>,
}

impl<G: Formats> GamesSeen<G> {
    const fn new(index: usize) -> Self {
        Self { games: Vec::new(), number: 0, bad: 0, index, wanted: None, first_fault: None }
    }

    fn take(&mut self, game: Result<ParsedGame<G>, BadGame>) {
        match game {
            Ok(game) => {
                if self.number < LISTED {
                    self.games.push(GameEntry::of(self.number, &game.record));
                }
                if self.number == self.index {
                    self.wanted = Some(game);
                }
                self.number += 1;
            }
            Err(fault) => {
                self.bad += 1;
                self.first_fault.get_or_insert_with(|| fault.without_byte());
            }
        }
    }
}

/// The game of a JSON line.
///
/// # Errors
///
/// It is none, or one that cannot be read.
pub fn read_game<G: Formats>(line: &[u8]) -> Result<ParsedGame<G>, AnswerError> {
    let wrong = |what: Message| AnswerError::new(ErrorKind::BadData, what);
    if G::sniff(line) != Ok(Format::Jsonl) {
        return Err(wrong("the body is not a game as a JSON line".into()));
    }
    let mut read = None;
    let mut fault = None;
    G::read_records(UNNAMED, line, &mut |game| match game {
        Ok(game) => read = Some(game),
        Err(bad) => fault = Some(bad.message()),
    });
    read.ok_or_else(|| wrong(fault.unwrap_or_else(|| "there is no game in the body".into())))
}

/// A game as a JSON line has it.
///
/// # Errors
///
/// It cannot be written so.
pub fn game_json<G: Formats>(record: &Record<G>) -> Result<Box<RawValue>, AnswerError> {
    let mut line = Vec::new();
    G::write_record(&mut line, record, Format::Jsonl, &WriteOptions::default())
        .map_err(|error| AnswerError::new(ErrorKind::Io, error.message()))?;
    let value = serde_json::from_slice::<&RawValue>(&line);
    value.map(ToOwned::to_owned).map_err(|error| AnswerError::new(ErrorKind::Io, error))
}

/// The way in which games are to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteRequest {
    /// The name of the format, such as pgn; the game's usual one if there is none.
    pub format: Option<String>,
    /// The notation of moves, where the format has several.
    pub notation: Option<MoveNotation>,
}

impl WriteRequest {
    /// Writes a game, given as a JSON line, and returns the name of a file for it.
    ///
    /// # Errors
    ///
    /// There is no such format or no such game, or `out` fails: the fault is its [`std::io::Error`] then.
    pub fn write<G: Formats>(
        &self,
        line: &[u8],
        out: &mut dyn Write,
    ) -> Result<String, AnswerError> {
        let format = self.format::<G>()?;
        let record = read_game::<G>(line)?.record;
        G::write_record(out, &record, format, &self.options())?;
        let ending = format.extensions().first().copied().unwrap_or("txt");
        Ok(format!("game.{ending}"))
    }

    /// Writes the games of a file of any format, those that break off up to there, and returns the number of those that
    /// cannot be read, which are left out.
    ///
    /// # Errors
    ///
    /// There is no such format or no game, one too many for the format, or `out` fails: the fault is its
    /// [`std::io::Error`] then.
    pub fn convert<G: Formats>(
        &self,
        file: &[u8],
        out: &mut dyn Write,
    ) -> Result<u64, AnswerError> {
        let format = self.format::<G>()?;
        let options = self.options();
        let mut good = 0_u64;
        let mut bad = 0_u64;
        let mut fault = None;
        read_opened::<G>(UNNAMED, file, &mut |game| match game {
            // One game too many, or one that has failed: the rest is of no use.
            Ok(_) if fault.is_some() => {}
            Ok(_) if good > 0 && !format.holds_many() => {
                fault = Some(refused("this format holds one game a file"));
            }
            Ok(game) => {
                good += 1;
                let written = G::write_record(out, &game.record, format, &options);
                fault = written.err().map(AnswerError::from);
            }
            Err(_) => bad += 1,
        });
        match fault {
            Some(fault) => Err(fault),
            None if good == 0 => Err(refused("there is no game in the body")),
            None => Ok(bad),
        }
    }

    fn format<G: Formats>(&self) -> Result<Format, AnswerError> {
        let Some(name) = &self.format else { return Ok(G::WRITTEN[0]) };
        let named = G::WRITTEN.iter().copied().find(|format| format.name() == name);
        named.ok_or_else(|| refused("games are not written in that format"))
    }

    fn options(&self) -> WriteOptions {
        let mut options = WriteOptions::default();
        if let Some(notation) = self.notation {
            options.pgn = PgnOptions { notation, ..options.pgn };
        }
        options
    }
}

fn refused(what: &'static str) -> AnswerError {
    AnswerError::new(ErrorKind::BadData, Message::from(what))
}

impl From<WriteError> for AnswerError {
    fn from(error: WriteError) -> Self {
        match error {
            // The error of the output itself, which its owner may know.
            WriteError::Io(error) => Self::new(ErrorKind::Io, error),
            _ => Self::new(ErrorKind::BadData, error),
        }
    }
}
