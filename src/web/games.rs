//! Games: files of any format read, and written in any.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::blocking;
use super::body::{LongBody, not_made};
use super::params::{GameBody, InNotation, OfGame, Params, number};
use super::problem::Problem;
use super::state::App;
use crate::game_name::GameName;
use crate::language::{endings, told};
use juzhong::answers::GameEnd;
use juzhong::game::{Outcome, Side};
use juzhong::gomoku::Board;
use juzhong::message::ToMessage;
use juzhong::record::{
    Format, Formats, GameSink, Keep, ParsedGame, PgnOptions, ReadOptions, ReadSummary, Record,
    WriteError, WriteOptions,
};
use juzhong::xiangqi::Position;

/// The name of a body in the places of its faults, where it is no file with a name.
pub(crate) const SOURCE: &str = "text";
/// Letters of a file's name that messages show.
const SHOWN_NAME: usize = 200;
/// Games of a file that are listed, at most.
const LISTED: usize = 10_000;
/// Characters of a text in a list, at most.
const LISTED_TEXT: usize = 200;

/// The parameters of [`open`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct OpenQuery {
    #[serde(flatten)]
    of: OfGame,
    /// The number of the game that is wanted whole, from 0.
    index: Option<String>,
    /// The name of the file, for messages.
    name: Option<String>,
}

/// The games in the bytes of a file, and one of them whole, as JSON lines have it.
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    Params(query): Params<OpenQuery>,
    body: GameBody,
) -> Result<Response, Problem> {
    let lang = query.of.lang();
    let work = move |_: &App| {
        let index = number("index", query.index.as_deref(), (0, usize::MAX))?.unwrap_or(0);
        let name = query.name.as_deref().unwrap_or(SOURCE);
        let name: String = name.chars().take(SHOWN_NAME).collect();
        let opened = match query.of.game()? {
            GameName::Xiangqi => opened::<Position>(&name, body.bytes(), index),
            GameName::Gomoku => opened::<Board>(&name, body.bytes(), index),
        };
        LongBody::json(&opened?)
    };
    let body = blocking(app, lang, work).await?;
    Ok(body.answer("application/json"))
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

/// A file of games and one of them whole, as [`open`] answers.
#[derive(Serialize)]
pub(crate) struct Opened {
    games: Vec<GameEntry>,
    total: usize,
    bad: u64,
    /// Games that are given up to a fault.
    breaks_off: u64,
    /// Words and signs between moves that were passed over.
    words: u64,
    /// The end of the game and its reason, if it breaks off.
    ends: Option<String>,
    /// The deviation of the game from what the file states.
    note: Option<String>,
    /// As text: a game may have a hundred thousand variations, and each object made of it takes as much memory as
    /// hundreds of letters.
    game: Box<RawValue>,
}

fn opened<G: Formats>(name: &str, bytes: &[u8], index: usize) -> Result<Opened, Problem> {
    let (mut games, mut wanted, mut first_fault) = (Vec::new(), None, None);
    let (mut number, mut bad) = (0, 0_u64);
    let summary = read_opened::<G>(name, bytes, &mut |game| match game {
        Ok(game) => {
            if number < LISTED {
                games.push(GameEntry::of(number, &game.record));
            }
            if number == index {
                wanted = Some(game);
            }
            number += 1;
        }
        Err(fault) => {
            bad += 1;
            first_fault.get_or_insert_with(|| fault.message());
        }
    });
    let Some(wanted) = wanted else {
        let what = first_fault.unwrap_or_else(|| "there is no such game in it".into());
        return Err(Problem::bad_request(what));
    };
    let (breaks_off, words) = (summary.kept, summary.words);
    Ok(Opened { games, total: number, bad, breaks_off, words, ..one_game(name, index, &wanted)? })
}

/// A game as a JSON line has it.
pub(crate) fn game_json<G: Formats>(record: &Record<G>) -> Result<Box<RawValue>, Problem> {
    let mut line = Vec::new();
    G::write_record(&mut line, record, Format::Jsonl, &WriteOptions::default())
        .map_err(|error| Problem::internal(error.message()))?;
    let value = serde_json::from_slice::<&RawValue>(&line);
    value.map(ToOwned::to_owned).map_err(|error| Problem::internal(error.to_string()))
}

/// A game alone, as `/api/open` has it; `name` is that of its file in messages, and `index` its number in it.
pub(crate) fn one_game<G: Formats>(
    name: &str,
    index: usize,
    game: &ParsedGame<G>,
) -> Result<Opened, Problem> {
    let ends = GameEnd::of(name, game).map(|end| endings::sentence(&end));
    Ok(Opened {
        games: vec![GameEntry::of(index, &game.record)],
        total: 1,
        bad: 0,
        breaks_off: u64::from(ends.is_some()),
        words: game.words.as_ref().map_or(0, |words| words.count),
        ends,
        note: game.note.map(|note| told(note.message())),
        game: game_json(&game.record)?,
    })
}

/// The entry of a game in a list. Its texts are shortened: thousands of them stand side by side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GameEntry {
    pub(crate) date: Option<String>,
    pub(crate) event: Option<String>,
    /// The first side's player.
    pub(crate) first: Option<String>,
    /// Its number in the list, from 0.
    pub(crate) index: usize,
    pub(crate) plies: usize,
    pub(crate) result: &'static str,
    /// The second side's player.
    pub(crate) second: Option<String>,
}

impl GameEntry {
    /// The entry of a game with that number.
    pub(crate) fn of<G: Formats>(index: usize, record: &Record<G>) -> Self {
        let tag = |name: &str| record.tag(name);
        Self {
            date: short(tag("Date")),
            event: short(tag("Event")),
            first: short(tag("Red").or_else(|| tag("Black"))),
            index,
            plies: record.tree.moves.len(),
            result: result_text(record.result),
            second: short(tag("Black").filter(|_| tag("Red").is_some()).or_else(|| tag("White"))),
        }
    }
}

/// The beginning of a text.
fn short(text: Option<&str>) -> Option<String> {
    text.map(|text| text.chars().take(LISTED_TEXT).collect())
}

/// The result as PGN writes it.
const fn result_text(result: Option<Outcome>) -> &'static str {
    match result {
        Some(Outcome::Win(Side::First)) => "1-0",
        Some(Outcome::Win(Side::Second)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}

/// The parameters of [`save`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct SaveQuery {
    #[serde(flatten)]
    of: OfGame,
    #[serde(flatten)]
    notation: InNotation,
    /// The name of a format; the game's usual one.
    format: Option<String>,
}

/// A game, given as a JSON line, in another format.
pub(crate) async fn save(
    State(app): State<Arc<App>>,
    Params(query): Params<SaveQuery>,
    body: GameBody,
) -> Result<Response, Problem> {
    let lang = query.of.lang();
    let work = move |_: &App| match query.of.game()? {
        GameName::Xiangqi => saved::<Position>(&query, body.bytes()),
        GameName::Gomoku => saved::<Board>(&query, body.bytes()),
    };
    let (body, name) = blocking(app, lang, work).await?;
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
        .map_err(|error| Problem::internal(error.to_string()))?;
    let mut answer = body.answer("application/octet-stream");
    answer.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    Ok(answer)
}

/// The format of that name, or the game's usual one.
fn format_of<G: Formats>(name: Option<&str>) -> Result<Format, Problem> {
    let Some(name) = name else { return Ok(G::WRITTEN[0]) };
    let mut formats = G::WRITTEN.iter().copied();
    formats
        .find(|format| format.name() == name)
        .ok_or_else(|| Problem::bad_request("games are not written in that format"))
}

/// The way in which games are written at a request.
fn options_of(notation: &InNotation) -> Result<WriteOptions, Problem> {
    let mut options = WriteOptions::default();
    if let Some(notation) = notation.asked()? {
        options.pgn = PgnOptions { notation, ..options.pgn };
    }
    Ok(options)
}

fn saved<G: Formats>(query: &SaveQuery, line: &[u8]) -> Result<(LongBody, String), Problem> {
    let format = format_of::<G>(query.format.as_deref())?;
    let options = options_of(&query.notation)?;
    let record = game_of::<G>(line)?.record;
    let mut body = LongBody::default();
    G::write_record(&mut body, &record, format, &options).map_err(|error| not_written(&error))?;
    let ending = format.extensions().first().copied().unwrap_or("txt");
    Ok((body, format!("game.{ending}")))
}

/// The reason why a game is not written.
fn not_written(error: &WriteError) -> Problem {
    match error {
        WriteError::Io(error) => not_made(error),
        error => Problem::bad_request(error.message()),
    }
}

/// The parameters of [`convert`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ConvertQuery {
    #[serde(flatten)]
    of: OfGame,
    #[serde(flatten)]
    notation: InNotation,
    /// The name of a format; the game's usual one.
    to: Option<String>,
}

/// The games of a file of any format in another format, those that break off up to there. Those that cannot be read are
/// left out, and counted in the header `X-Bad-Games`.
pub(crate) async fn convert(
    State(app): State<Arc<App>>,
    Params(query): Params<ConvertQuery>,
    body: GameBody,
) -> Result<Response, Problem> {
    let lang = query.of.lang();
    let work = move |_: &App| match query.of.game()? {
        GameName::Xiangqi => converted::<Position>(&query, body.bytes()),
        GameName::Gomoku => converted::<Board>(&query, body.bytes()),
    };
    let (body, bad) = blocking(app, lang, work).await?;
    let mut answer = body.answer("application/octet-stream");
    answer.headers_mut().insert(HeaderName::from_static("x-bad-games"), HeaderValue::from(bad));
    Ok(answer)
}

fn converted<G: Formats>(query: &ConvertQuery, file: &[u8]) -> Result<(LongBody, u64), Problem> {
    let format = format_of::<G>(query.to.as_deref())?;
    let options = options_of(&query.notation)?;
    let (mut body, mut good, mut bad, mut fault) = (LongBody::default(), 0, 0, None);
    read_opened::<G>(SOURCE, file, &mut |game| match game {
        // One game too many, or one that has failed: the rest is of no use.
        Ok(_) if fault.is_some() => {}
        Ok(_) if good > 0 && !format.holds_many() => {
            fault = Some(Problem::bad_request("this format holds one game a file"));
        }
        Ok(game) => {
            good += 1;
            let written = G::write_record(&mut body, &game.record, format, &options);
            fault = written.err().map(|error| not_written(&error));
        }
        Err(_) => bad += 1,
    });
    match fault {
        Some(fault) => Err(fault),
        None if good == 0 => Err(Problem::bad_request("there is no game in the body")),
        None => Ok((body, bad)),
    }
}

/// The game of a JSON line.
pub(crate) fn game_of<G: Formats>(line: &[u8]) -> Result<ParsedGame<G>, Problem> {
    if G::sniff(line) != Ok(Format::Jsonl) {
        return Err(Problem::bad_request("the body is not a game as a JSON line"));
    }
    let mut read = None;
    let mut fault = None;
    G::read_records(SOURCE, line, &mut |game| match game {
        Ok(game) => read = Some(game),
        Err(bad) => fault = Some(bad.message()),
    });
    read.ok_or_else(|| {
        Problem::bad_request(fault.unwrap_or_else(|| "there is no game in the body".into()))
    })
}
