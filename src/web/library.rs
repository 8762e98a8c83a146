//! The library: games in files and folders, listed, searched and opened.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::{Path as UrlPath, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::blocking;
use super::games::{about, game_json};
use super::params::{Common, Params, read_line};
use super::problem::Problem;
use super::state::App;
use crate::cli::GameName;
use crate::cli::terminal::Terminal;
use juzhong::book::find_games;
use juzhong::book::opening::Code;
use juzhong::bytes::StopFlag;
use juzhong::game::{Packed, Symmetric};
use juzhong::gomoku::Board;
use juzhong::hash::Key;
use juzhong::record::{GameFile, Record, read_game_file};
use juzhong::xiangqi::Position;

/// Games of a library, at most.
const MOST: usize = 200_000;
/// Games on a page of the list.
const PAGE: usize = 50;

/// The games of the files and folders that the server was given, read at the first question.
#[derive(Default)]
pub(super) struct Library {
    xiangqi: OnceLock<Vec<Listed>>,
    gomoku: OnceLock<Vec<Listed>>,
}

/// A game as the list has it.
struct Listed {
    file: Arc<PathBuf>,
    /// Its number in the file, bad ones counted too.
    number: u64,
    /// Its entry in lists, and the same in small letters, to be searched.
    about: Value,
    text: String,
    opening: Option<(Code, &'static str)>,
    /// A FEN, if it does not begin with the usual start.
    start: Option<String>,
    /// Packed.
    moves: Box<[u16]>,
}

impl Library {
    /// The games of xiangqi.
    fn xiangqi(&self, paths: &[PathBuf], stop: &StopFlag) -> &[Listed] {
        self.xiangqi.get_or_init(|| listed::<Position>(paths, stop))
    }

    /// The games of gomoku.
    fn gomoku(&self, paths: &[PathBuf], stop: &StopFlag) -> &[Listed] {
        self.gomoku.get_or_init(|| listed::<Board>(paths, stop))
    }
}

/// Reads the games of files and folders. What is no game of `G` is passed over.
fn listed<G: Terminal>(paths: &[PathBuf], stop: &StopFlag) -> Vec<Listed> {
    let mut games = Vec::new();
    let files = find_games::<G>(paths).map(|inputs| inputs.files).unwrap_or_default();
    for file in files {
        let file = Arc::new(file);
        let mut number = 0;
        // A file that cannot be read has no games.
        let _read = each_game::<G>(&file, stop, &mut |game| {
            number += 1;
            if let Some(record) = game {
                games.push(entry(&file, number - 1, &record));
            }
            if games.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    games
}

/// Calls `visit` with each game of a file, and with none for each that cannot be read.
fn each_game<G: Terminal>(
    file: &Path,
    stop: &StopFlag,
    visit: &mut dyn FnMut(Option<Record<G>>) -> ControlFlow<()>,
) -> std::io::Result<()> {
    let folder = std::env::temp_dir();
    let opened = GameFile::open::<G>(file, &folder).map_err(std::io::Error::other)?;
    let source = file.to_string_lossy();
    read_game_file::<G>(&source, &opened, &folder, stop, true, &mut |_, game| {
        visit(game.ok().map(|game| game.record))
    })
    .map(drop)
}

fn entry<G: Terminal>(file: &Arc<PathBuf>, number: u64, record: &Record<G>) -> Listed {
    let about = about(number as usize, record);
    let words = ["event", "first", "second", "date", "result"]
        .map(|name| about[name].as_str().unwrap_or_default());
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_usual = record.start.is_none();
    let opening = is_usual.then(|| G::name_game(&G::start(), &record.tree.moves)).flatten();
    let opening = opening.map(|opening| (opening.code, opening.name));
    let text = [
        words.join(" "),
        name,
        opening.map_or_else(String::new, |(code, name)| format!("{code} {name}")),
    ];
    Listed {
        file: Arc::clone(file),
        number,
        about,
        text: text.join(" ").to_lowercase(),
        opening,
        start: record.start.as_ref().map(G::to_fen),
        moves: record.tree.moves.iter().map(|mv| mv.pack()).collect(),
    }
}

/// The parameters of [`list`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListQuery {
    #[serde(flatten)]
    common: Common,
    /// Words that the games must all have.
    search: Option<String>,
    /// From 1.
    page: Option<String>,
}

/// A page of the games that have all words, and the position if one is named.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Value>, Problem> {
    let lang = query.common.lang();
    blocking(lang, move || {
        let (paths, stop) = (paths_of(&app)?, &app.stop);
        match query.common.game()? {
            GameName::Xiangqi => found::<Position>(&query, app.library.xiangqi(paths, stop)),
            GameName::Gomoku => found::<Board>(&query, app.library.gomoku(paths, stop)),
        }
    })
    .await
    .map(Json)
}

fn paths_of(app: &App) -> Result<&[PathBuf], Problem> {
    if app.config.library.is_empty() {
        let hint = "start the server with --library FOLDER";
        return Err(Problem::not_found("no_library", "no folder of games is open").with_hint(hint));
    }
    Ok(&app.config.library)
}

fn found<G: Terminal>(query: &ListQuery, games: &[Listed]) -> Result<Value, Problem> {
    let page = query.page.as_deref().map_or(Ok(1), str::parse::<usize>);
    let page = page.map_err(|_| Problem::bad_request("page is a number, from 1"))?.max(1);
    let words = query.search.as_deref().unwrap_or_default().to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let position = match query.common.names_position() {
        true => Some(read_line::<G>(&query.common.line()?)?.line.position().canonical().key),
        false => None,
    };
    let is_wanted = |(_, game): &(usize, &Listed)| {
        words.iter().all(|word| game.text.contains(word))
            && position.is_none_or(|key| game.reaches::<G>(key))
    };
    let wanted: Vec<_> = games.iter().enumerate().filter(is_wanted).collect();
    let shown = wanted.iter().skip((page - 1).saturating_mul(PAGE)).take(PAGE);
    let shown: Vec<Value> = shown.map(|(id, game)| game.json(*id)).collect();
    Ok(json!({"total": wanted.len(), "games": shown}))
}

impl Listed {
    fn json(&self, id: usize) -> Value {
        let mut answer = self.about.clone();
        answer["id"] = id.to_string().into();
        answer["players"] = json!([self.about["first"], self.about["second"]]);
        answer["year"] = self.about["date"].as_str().and_then(|date| date.get(..4)).into();
        answer["file"] = self.file.file_name().map(|name| name.to_string_lossy()).into();
        answer["ecco"] = self.opening.map(|(code, _)| code.to_string()).into();
        answer["name"] = self.opening.map(|(_, name)| name).into();
        answer
    }

    /// Returns true if a position, or an image of it, was on the board.
    fn reaches<G: Terminal + Symmetric>(&self, key: Key) -> bool {
        let start = self.start.as_deref().map(G::from_fen);
        let mut position = match start {
            None => G::start(),
            Some(Ok(position)) => position,
            Some(Err(_)) => return false,
        };
        let moves = self.moves.iter().filter_map(|&bits| G::Move::unpack(bits));
        position.canonical().key == key
            || moves.into_iter().any(|mv| {
                position.make(mv);
                position.canonical().key == key
            })
    }
}

/// A game of the library as a JSON line.
pub(super) async fn game(
    State(app): State<Arc<App>>,
    UrlPath(id): UrlPath<String>,
    Params(query): Params<Common>,
) -> Result<Json<Value>, Problem> {
    let lang = query.lang();
    blocking(lang, move || {
        let (paths, stop) = (paths_of(&app)?, &app.stop);
        match query.game()? {
            GameName::Xiangqi => whole::<Position>(&id, app.library.xiangqi(paths, stop)),
            GameName::Gomoku => whole::<Board>(&id, app.library.gomoku(paths, stop)),
        }
    })
    .await
    .map(Json)
}

fn whole<G: Terminal>(id: &str, games: &[Listed]) -> Result<Value, Problem> {
    let game = id.parse::<usize>().ok().and_then(|id| games.get(id));
    let game = game.ok_or_else(|| Problem::not_found("no_game", "there is no such game"))?;
    let (mut number, mut found) = (0, None);
    let read = each_game::<G>(&game.file, &StopFlag::default(), &mut |record| {
        number += 1;
        if number <= game.number {
            return ControlFlow::Continue(());
        }
        found = record;
        ControlFlow::Break(())
    });
    read.map_err(|error| Problem::internal(error.to_string()))?;
    let record = found.ok_or_else(|| {
        Problem::not_found("no_game", "the file has changed: the game is no longer there")
    })?;
    Ok(json!({"games": [game.about], "total": 1, "bad": 0, "game": game_json(&record)?}))
}
