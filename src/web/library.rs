//! The library: games in files and folders, listed, searched and opened.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::game_index::{About, Shelf, read_from_file};
use super::games::in_words;
use super::params::{Common, GameParam, Params, PathParam, PositionParams, number};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::state::App;
use crate::game_name::{GameName, with_game};
use crate::language::{break_off, translated};
use juzhong::answers::book::PlayedMoves;
use juzhong::answers::collection::{FindRequest, FoundGame};
use juzhong::answers::{Described, EndPoint, FileGames, GameEnd, OpenedGames, shown_place};
use juzhong::book::opening::Named;
use juzhong::book::{BookMove, Ending, UnknownEnding, shown_move};
use juzhong::collection::{
    Collected, Conditions as Facts, Fault, FoundPage, IndexProgress, LineMove, SortColumn,
    StoredGame, UnknownColumn,
};
use juzhong::game::{Packed, Symmetric, side_name};
use juzhong::message::{Message, ToMessage, message};
use juzhong::record::Formats;

/// Games on a page of the list, and beside the moves of a position.
const PAGE: usize = 50;
const SAMPLES: usize = 8;

/// The conditions on games, as requests name them.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Conditions {
    /// Words that the games must all have, in any script and width, or in pinyin without tones.
    search: Option<String>,
    /// A part of the name of a player.
    player: Option<String>,
    /// A part of the name of the first side's player.
    first: Option<String>,
    /// A part of the name of the second side's player.
    second: Option<String>,
    /// A part of the event's name.
    event: Option<String>,
    /// The beginning of the code of the opening, or a part of its Chinese name.
    opening: Option<String>,
    /// The result that is stated.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*"])))]
    result: Option<String>,
    /// Games of this year or later.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>"))]
    year_from: Option<String>,
    /// Games of this year or before.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>"))]
    year_to: Option<String>,
    /// Games in which both players have at least this rating.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>"))]
    min_rating: Option<String>,
    /// Games of at least this many plies.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u32>"))]
    plies_from: Option<String>,
    /// Games of at most this many plies.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u32>"))]
    plies_to: Option<String>,
    /// A part of a comment.
    comment: Option<String>,
    /// Answers at once, though files may still be read: `indexing` says so.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<bool>"))]
    partial: Option<String>,
}

/// The parameters of [`list`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ListQuery {
    #[serde(flatten)]
    of: GameParam,
    #[serde(flatten)]
    place: PositionParams,
    #[serde(flatten)]
    conditions: Conditions,
    /// The pieces on the board at some time, as sets of endgame tables are named, for either side: KRvKN, KR*vK*.
    material: Option<String>,
    /// Pieces on their points at some time: Ce2,ne5, or rows as in FEN with ? and * for what is left open.
    pattern: Option<String>,
    /// The page of 50 games.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1), extend("default" = 1)))]
    page: Option<String>,
    /// The column by which the games are sorted.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["place", "first", "second", "event", "date", "result", "opening", "plies", "rating", "copies"], "default" = "place")))]
    sort: Option<String>,
    /// The last come first.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<bool>"))]
    descending: Option<String>,
    /// Games with the same start and moves are one, with their number in `copies`.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<bool>"))]
    fold: Option<String>,
}

/// The parameters of [`moves`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct MovesQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    conditions: Conditions,
}

impl Conditions {
    /// The conditions as the search through games has them.
    fn read(&self) -> Result<Facts, Problem> {
        let result = match given(self.result.as_deref()) {
            None => None,
            Some(result) => Some(
                result
                    .parse()
                    .map_err(|error: UnknownEnding| Problem::bad_request(error.message()))?,
            ),
        };
        Ok(Facts {
            words: self.search.clone().unwrap_or_default(),
            player: self.player.clone().unwrap_or_default(),
            first: self.first.clone().unwrap_or_default(),
            second: self.second.clone().unwrap_or_default(),
            event: self.event.clone().unwrap_or_default(),
            opening: self.opening.clone().unwrap_or_default(),
            result: result.map(|ending| match ending {
                Ending::Known(outcome) => Some(outcome),
                Ending::Unknown => None,
            }),
            years: (
                limit("year_from", self.year_from.as_deref())?,
                limit("year_to", self.year_to.as_deref())?,
            ),
            min_rating: limit("min_rating", self.min_rating.as_deref())?,
            plies: (
                number("plies_from", given(self.plies_from.as_deref()), (0, u32::MAX))?,
                number("plies_to", given(self.plies_to.as_deref()), (0, u32::MAX))?,
            ),
            positions: Vec::new(),
            comment: self.comment.clone().unwrap_or_default(),
            lines: None,
        })
    }

    fn is_partial(&self) -> bool {
        is_set(self.partial.as_deref())
    }
}

/// A text that is given and not empty.
fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn is_set(text: Option<&str>) -> bool {
    matches!(text, Some("true" | "1"))
}

/// A limit of a year or a rating, if it is named.
fn limit(name: &'static str, text: Option<&str>) -> Result<Option<u16>, Problem> {
    number(name, given(text), (0, u16::MAX))
}

/// A page of the games that have all words, and the position if one is named.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<ListQuery>,
) -> Result<Answer<FoundGames>, Problem> {
    let of = query.of.clone();
    asked(app, of, move |app, game, shelf| with_game!(game, G => found::<G>(&query, app, shelf)))
        .await
}

/// Answers a question about the library's games of xiangqi or of gomoku, whichever a request names.
async fn asked<T: Serialize + 'static>(
    app: Arc<App>,
    of: GameParam,
    ask: impl FnOnce(&App, GameName, &Shelf) -> Result<T, Problem> + Send + 'static,
) -> Result<Answer<T>, Problem> {
    reply(app, of.lang(), move |app| {
        let paths = paths_of(app)?;
        let game = of.game()?;
        let folder = app.config.indexes.as_deref();
        ask(app, game, app.library.shelf(game, (folder, paths), &app.stop))
    })
    .await
}

fn paths_of(app: &App) -> Result<&[PathBuf], Problem> {
    if app.config.library.is_empty() {
        let hint = "start the server with --library FOLDER";
        return Err(Problem::not_found("no_library", "no folder of games is open").with_hint(hint));
    }
    Ok(&app.config.library)
}

/// A page of the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Games"))]
pub(crate) struct FoundGames {
    /// Always false: all games are listed.
    cut: bool,
    games: Vec<FoundGame>,
    /// On all pages.
    total: usize,
    /// Files and folders that cannot be read.
    unreadable: u64,
    /// The same as `total`, where copies are folded with all of them.
    records: u64,
    /// Games in the files that cannot be read.
    bad: u64,
    /// The progress, while files are read: more games will be found.
    indexing: Option<Indexing>,
}

/// The progress of reading the library.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
struct Indexing {
    files: usize,
    files_done: usize,
    bytes: u64,
    bytes_done: u64,
    /// Games so far.
    games: u64,
}

impl Indexing {
    fn of(about: &About) -> Option<Self> {
        let IndexProgress { files, files_done, bytes, bytes_done, games } = about.progress?;
        Some(Self { files, files_done, bytes, bytes_done, games })
    }
}

/// The moves that the games of the library made in a position.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub(crate) struct LibraryMoves {
    /// The moves, as books have them.
    #[serde(flatten)]
    moves: PlayedMoves,
    /// Games that reached the position, the best rated, then the latest: at most 8.
    games: Vec<FoundGame>,
    /// The progress, while files are read: more games will be found.
    indexing: Option<Indexing>,
    /// Games in which the position was on the board.
    reached: usize,
}

fn found<G: Described + Collected>(
    query: &ListQuery,
    app: &App,
    shelf: &Shelf,
) -> Result<FoundGames, Problem> {
    let page = number("page", query.page.as_deref(), (1, usize::MAX))?.unwrap_or(1);
    let mut conditions = query.conditions.read()?;
    let wanted = FindRequest {
        material: given(query.material.as_deref()).map(str::to_owned),
        pattern: given(query.pattern.as_deref()).map(str::to_owned),
        ..FindRequest::default()
    };
    let wanted = wanted.read::<G>()?;
    if query.place.is_named() {
        conditions.positions.push(query.place.read::<G>()?.line.position().canonical().key);
    }
    let sort = match given(query.sort.as_deref()) {
        None => SortColumn::default(),
        Some(sort) => {
            sort.parse().map_err(|error: UnknownColumn| Problem::bad_request(error.message()))?
        }
    };
    let page = FoundPage {
        sort,
        is_descending: is_set(query.descending.as_deref()),
        fold_copies: is_set(query.fold.as_deref()),
        skip: (page - 1).saturating_mul(PAGE) as u64,
        take: PAGE as u64,
    };
    shelf.ask::<G, _>(query.conditions.is_partial(), &app.stop, |index, about| {
        let conditions = wanted.among::<G>(conditions.clone(), index)?;
        let found = index.find(&conditions, &page)?;
        Ok(FoundGames {
            cut: false,
            games: found.games.into_iter().map(FoundGame::from).collect(),
            total: found.total as usize,
            unreadable: about.report.unreadable,
            records: found.records,
            bad: about.report.bad,
            indexing: Indexing::of(about),
        })
    })
}

/// The moves that the games of the library made in a position.
pub(crate) async fn moves(
    State(app): State<Arc<App>>,
    Params(query): Params<MovesQuery>,
) -> Result<Answer<LibraryMoves>, Problem> {
    let of = query.common.of().clone();
    asked(app, of, move |app, game, shelf| with_game!(game, G => counted::<G>(&query, app, shelf)))
        .await
}

fn counted<G: Described + Named + Symmetric>(
    query: &MovesQuery,
    app: &App,
    shelf: &Shelf,
) -> Result<LibraryMoves, Problem> {
    let conditions = query.conditions.read()?;
    let request = query.common.request()?;
    let notation = query.common.asked_notation()?;
    let line = query.common.read::<G>()?.line;
    let (position, turn) = (line.position(), line.position().turn());
    let canonical = position.canonical();
    let shown = |found: &LineMove| {
        let image = G::Move::unpack(found.bits)?;
        let weight = found.stats.default_weight(turn);
        Some(BookMove::new(shown_move(position, canonical, image), found.stats, weight))
    };
    shelf.ask::<G, _>(query.conditions.is_partial(), &app.stop, |index, about| {
        let reached = index.reaching(canonical.key, &conditions, turn, SAMPLES)?;
        let mut moves: Vec<_> = reached.moves.iter().filter_map(shown).collect();
        moves.sort_by_key(|found| found.mv.pack());
        Ok(LibraryMoves {
            games: reached.samples.into_iter().map(FoundGame::from).collect(),
            reached: reached.games as usize,
            moves: PlayedMoves::of(&request, &line, moves, notation),
            indexing: Indexing::of(about),
        })
    })
}

/// A game of the library as a JSON line, by its number or its key.
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    PathParam(id): PathParam,
    Params(query): Params<GameParam>,
) -> Result<Answer<OpenedGames>, Problem> {
    asked(app, query, move |app, game, shelf| with_game!(game, G => whole::<G>(&id, app, shelf)))
        .await
}

fn whole<G: Formats>(id: &str, app: &App, shelf: &Shelf) -> Result<OpenedGames, Problem> {
    // A game that is there already is found while others are read, by what names it for good.
    let is_partial = id.parse::<usize>().is_err();
    let game = shelf.ask::<G, _>(is_partial, &app.stop, |index, _| index.game(id))?;
    let game = match game {
        None if is_partial => shelf.ask::<G, _>(false, &app.stop, |index, _| index.game(id))?,
        game => game,
    };
    let game = game.ok_or_else(|| Problem::not_found("no_game", "there is no such game"))?;
    if game.is_changed {
        return Err(changed());
    }
    match &game.json {
        Some(json) => opened::<G>(&game, json),
        None => {
            let read = read_from_file::<G>(game.path.as_ref(), game.about.place);
            let read = read.ok_or_else(changed)?;
            in_words(FileGames::one(&game.about.file, game.about.place as usize, read))
        }
    }
}

fn changed() -> Problem {
    let hint = "the library is read anew; search again";
    Problem::not_found("no_game", "the file has changed: the game is no longer there")
        .with_hint(hint)
}

/// The answer about a game of the index.
fn opened<G: Formats>(game: &StoredGame, json: &str) -> Result<OpenedGames, Problem> {
    let ends = game.fault.as_ref().map(|fault| end_of::<G>(fault, game.about.plies));
    let json = RawValue::from_string(json.to_owned());
    Ok(OpenedGames {
        games: vec![FoundGame::from(game.about.clone()).about],
        total: 1,
        bad: 0,
        breaks_off: u64::from(ends.is_some()),
        words: game.words,
        ends: ends.map(|end| break_off::sentence(&end)),
        note: game.note.map(|note| translated(note.message())),
        game: json.map_err(|error| Problem::damaged(Message::from(error.to_string())))?,
    })
}

/// The end of a game that breaks off at a fault.
fn end_of<G: Formats>(fault: &Fault, plies: usize) -> GameEnd {
    let point = match fault.turn {
        Some(turn) => EndPoint::BeforeMove { number: plies / 2 + 1, side: side_name::<G>(turn) },
        None => EndPoint::AfterPlies(plies),
    };
    let reason = fault.reason.clone().unwrap_or_else(|| message!("a null move"));
    let place = shown_place(&fault.source, fault.place);
    GameEnd { place, game: fault.game, point, reason: reason.visible() }
}
