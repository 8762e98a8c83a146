//! The library: games in files and folders, listed, searched and opened.

mod search;

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use self::search::{GameFilter, reaching};
use super::game_index::{Games, Listed};
use super::games::in_words;
use super::params::{Common, InPath, OfGame, Params, Place, number};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::state::App;
use crate::game_name::{GameName, with_game};
use juzhong::answers::book::PlayedMoves;
use juzhong::answers::{Described, FileGames, GameEntry, OpenedGames};
use juzhong::book::Filter;
use juzhong::book::opening::Named;
use juzhong::game::Symmetric;
use juzhong::record::Formats;

/// Games on a page of the list, and beside the moves of a position.
const PAGE: usize = 50;
const SAMPLES: usize = 8;

/// The conditions on games, as requests name them.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Conditions {
    /// Words that the games must all have.
    search: Option<String>,
    /// Games of this year or later.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>"))]
    year_from: Option<String>,
    /// Games of this year or before.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>"))]
    year_to: Option<String>,
    /// Games in which both players have at least this rating.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u16>"))]
    min_rating: Option<String>,
}

/// The parameters of [`list`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ListQuery {
    #[serde(flatten)]
    of: OfGame,
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    conditions: Conditions,
    /// The page of 50 games.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<u64>", range(min = 1), extend("default" = 1)))]
    page: Option<String>,
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
    fn filter(&self) -> Result<GameFilter, Problem> {
        let facts = Filter {
            since: limit("year_from", self.year_from.as_deref())?,
            until: limit("year_to", self.year_to.as_deref())?,
            min_rating: limit("min_rating", self.min_rating.as_deref())?,
            ..Filter::default()
        };
        Ok(GameFilter::new(self.search.as_deref().unwrap_or_default(), facts))
    }
}

/// A limit of a year or a rating, if it is named.
fn limit(name: &'static str, text: Option<&str>) -> Result<Option<u16>, Problem> {
    number(name, text.filter(|text| !text.is_empty()), (0, u16::MAX))
}

/// A page of the games that have all words, and the position if one is named.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<ListQuery>,
) -> Result<Answer<FoundGames>, Problem> {
    let of = query.of.clone();
    asked(app, of, move |game, all| with_game!(game, G => found::<G>(&query, all))).await
}

/// Answers a question about the library's games of xiangqi or of gomoku, whichever a request names.
async fn asked<T: Serialize + 'static>(
    app: Arc<App>,
    of: OfGame,
    ask: impl FnOnce(GameName, &Games) -> Result<T, Problem> + Send + 'static,
) -> Result<Answer<T>, Problem> {
    reply(app, of.lang(), move |app| {
        let paths = paths_of(app)?;
        let game = of.game()?;
        ask(game, app.library.games(game, paths, &app.stop))
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
    /// There are more games than are listed.
    cut: bool,
    games: Vec<LibraryGame>,
    /// On all pages.
    total: usize,
    /// Files and folders that cannot be read.
    unreadable: u64,
}

/// A game of the library in a list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
struct LibraryGame {
    #[serde(flatten)]
    about: GameEntry,
    /// The code of the opening.
    ecco: Option<String>,
    /// The name of the file.
    file: Option<String>,
    id: String,
    /// The Chinese name of the opening.
    name: Option<&'static str>,
    players: [Option<String>; 2],
    year: Option<String>,
}

/// The moves that the games of the library made in a position.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub(crate) struct LibraryMoves {
    /// The moves, as books have them.
    #[serde(flatten)]
    moves: PlayedMoves,
    /// Games that reached the position, the best rated, then the latest: at most 8.
    games: Vec<LibraryGame>,
    /// Games in which the position was on the board.
    reached: usize,
}

fn found<G: Described + Symmetric>(query: &ListQuery, all: &Games) -> Result<FoundGames, Problem> {
    let page = number("page", query.page.as_deref(), (1, usize::MAX))?.unwrap_or(1);
    let filter = query.conditions.filter()?;
    let position = match query.place.is_named() {
        true => Some(query.place.read::<G>()?.line.position().canonical().key),
        false => None,
    };
    let found = filter.admitted::<G>(all, position);
    let shown = found.iter().skip((page - 1).saturating_mul(PAGE)).take(PAGE);
    Ok(FoundGames {
        cut: all.is_cut,
        games: shown.map(|&(id, game)| LibraryGame::of(id, game)).collect(),
        total: found.len(),
        unreadable: all.unreadable,
    })
}

/// The moves that the games of the library made in a position.
pub(crate) async fn moves(
    State(app): State<Arc<App>>,
    Params(query): Params<MovesQuery>,
) -> Result<Answer<LibraryMoves>, Problem> {
    let of = query.common.of().clone();
    asked(app, of, move |game, all| with_game!(game, G => counted::<G>(&query, all))).await
}

fn counted<G: Described + Named + Symmetric>(
    query: &MovesQuery,
    all: &Games,
) -> Result<LibraryMoves, Problem> {
    let filter = query.conditions.filter()?;
    let request = query.common.request()?;
    let notation = query.common.asked_notation()?;
    let line = query.common.read::<G>()?.line;
    let found = reaching(all, &filter, line.position());
    let samples = found.ids.iter().take(SAMPLES).map(|&id| LibraryGame::of(id, &all.games[id]));
    Ok(LibraryMoves {
        games: samples.collect(),
        reached: found.ids.len(),
        moves: PlayedMoves::of(&request, &line, found.moves, notation),
    })
}

impl LibraryGame {
    /// A listed game, with its number in the list.
    fn of(id: usize, game: &Listed) -> Self {
        let GameEntry { first, second, date, .. } = &game.about;
        let year = date.as_deref().and_then(|date| date.get(..4));
        Self {
            about: game.about.clone(),
            ecco: game.opening.map(|(code, _)| code.to_string()),
            file: game.file.file_name().map(|name| name.to_string_lossy().into_owned()),
            id: id.to_string(),
            name: game.opening.map(|(_, name)| name),
            players: [first.clone(), second.clone()],
            year: year.map(str::to_owned),
        }
    }
}

/// A game of the library as a JSON line.
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    InPath(id): InPath,
    Params(query): Params<OfGame>,
) -> Result<Answer<OpenedGames>, Problem> {
    asked(app, query, move |game, all| with_game!(game, G => whole::<G>(&id, all))).await
}

fn whole<G: Formats>(id: &str, all: &Games) -> Result<OpenedGames, Problem> {
    let game = id.parse::<usize>().ok().and_then(|id| all.games.get(id));
    let game = game.ok_or_else(|| Problem::not_found("no_game", "there is no such game"))?;
    let found = game.read::<G>().ok_or_else(|| {
        let hint = "start the server again to read the library anew";
        Problem::not_found("no_game", "the file has changed: the game is no longer there")
            .with_hint(hint)
    })?;
    in_words(FileGames::one(&game.file.to_string_lossy(), game.number as usize, found))
}
