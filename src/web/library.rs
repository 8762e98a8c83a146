//! The library: games in files and folders, listed, searched and opened.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::games::{GameEntry, Opened, one_game};
use super::params::{Common, InPath, OfGame, Params, Place, number};
use super::problem::Problem;
use super::reply::reply;
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::Described;
use juzhong::answers::book::PlayedMoves;
use juzhong::book::opening::{Code, Named};
use juzhong::book::{BookMove, Facts, Filter, MoveStats, find_games, shown_move};
use juzhong::bytes::StopFlag;
use juzhong::game::{Notation, Packed, Symmetric};
use juzhong::gomoku::Board;
use juzhong::hash::Key;
use juzhong::record::{Formats, GameFile, Keep, ParsedGame, ReadOptions, Record, read_game_file};
use juzhong::xiangqi::Position;

/// Games of a library, at most, and plies of them all.
const MOST: usize = 200_000;
const MOST_PLIES: usize = 40_000_000;
/// Games on a page of the list, and beside the moves of a position.
const PAGE: usize = 50;
const SAMPLES: usize = 8;

/// The games of the files and folders that the server was given, read at the first question.
#[derive(Default)]
pub(crate) struct Library {
    xiangqi: OnceLock<Games>,
    gomoku: OnceLock<Games>,
}

/// The games of a library, and what it does not show.
#[derive(Default)]
struct Games {
    games: Vec<Listed>,
    /// Files and folders that cannot be read.
    unreadable: u64,
    /// True if there are more games than are listed.
    is_cut: bool,
}

/// A game as the list has it.
struct Listed {
    file: Arc<PathBuf>,
    /// Its number in the file, bad ones counted too.
    number: u64,
    /// Its entry in lists, and the same in small letters, to be searched.
    about: GameEntry,
    text: String,
    opening: Option<(Code, &'static str)>,
    facts: Facts,
    /// A FEN, if it does not begin with the usual start.
    start: Option<String>,
    /// Packed.
    moves: Box<[u16]>,
    /// The lower halves of the canonical keys of its positions, by which it is searched.
    marks: Box<[u32]>,
}

impl Library {
    /// The games of xiangqi.
    fn xiangqi(&self, paths: &[PathBuf], stop: &StopFlag) -> &Games {
        self.xiangqi.get_or_init(|| listed::<Position>(paths, stop))
    }

    /// The games of gomoku.
    fn gomoku(&self, paths: &[PathBuf], stop: &StopFlag) -> &Games {
        self.gomoku.get_or_init(|| listed::<Board>(paths, stop))
    }
}

/// Reads the games of files and folders. What is no game of `G` is passed over.
fn listed<G: Formats + Named>(paths: &[PathBuf], stop: &StopFlag) -> Games {
    let (mut all, mut plies) = (Games::default(), 0);
    let mut files = Vec::new();
    for path in paths {
        match find_games::<G>(std::slice::from_ref(path)) {
            Ok(inputs) => files.extend(inputs.files),
            Err(_) => all.unreadable += 1,
        }
    }
    for file in files {
        let file = Arc::new(file);
        let mut number = 0;
        let read = each_game::<G>(&file, stop, &mut |game| {
            if all.games.len() >= MOST || plies >= MOST_PLIES {
                all.is_cut = true;
                return ControlFlow::Break(());
            }
            number += 1;
            if let Some(ParsedGame { record, .. }) = game {
                plies += record.tree.moves.len() + 1;
                all.games.push(entry(&file, number - 1, &record));
            }
            ControlFlow::Continue(())
        });
        all.unreadable += u64::from(read.is_err());
    }
    all
}

/// Calls `visit` with each game of a file, and with none for each that cannot be read.
fn each_game<G: Formats>(
    file: &Path,
    stop: &StopFlag,
    visit: &mut dyn FnMut(Option<ParsedGame<G>>) -> ControlFlow<()>,
) -> std::io::Result<()> {
    let folder = std::env::temp_dir();
    let opened = GameFile::open::<G>(file, &folder).map_err(std::io::Error::other)?;
    let source = file.to_string_lossy();
    read_game_file::<G>(
        &source,
        &opened,
        &folder,
        stop,
        ReadOptions::keeping(Keep::Opened),
        &mut |_, game| visit(game.ok()),
    )
    .map(drop)
}

fn entry<G: Formats + Named>(file: &Arc<PathBuf>, number: u64, record: &Record<G>) -> Listed {
    let about = GameEntry::of(number as usize, record);
    let GameEntry { event, first, second, date, result, .. } = &about;
    let words = [event, first, second, date].map(|text| text.as_deref().unwrap_or_default());
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_usual = record.start.is_none();
    let opening = is_usual.then(|| G::name_game(&G::start(), &record.tree.moves)).flatten();
    let opening = opening.map(|opening| (opening.code, opening.name));
    let text = [
        words.join(" "),
        (*result).to_owned(),
        name,
        opening.map_or_else(String::new, |(code, name)| format!("{code} {name}")),
    ];
    let mut position = record.start.clone().unwrap_or_else(G::start);
    let mut marks = vec![mark(position.canonical().key)];
    for &mv in &record.tree.moves {
        position.make(mv);
        marks.push(mark(position.canonical().key));
    }
    Listed {
        file: Arc::clone(file),
        number,
        about,
        text: text.join(" ").to_lowercase(),
        opening,
        facts: Facts::of(record),
        marks: marks.into(),
        start: record.start.as_ref().map(G::to_fen),
        moves: record.tree.moves.iter().map(|mv| mv.pack()).collect(),
    }
}

/// The lower half of a key.
const fn mark(key: Key) -> u32 {
    key.0 as u32
}

/// The conditions on games, as requests name them.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Conditions {
    /// Words that the games must all have.
    search: Option<String>,
    year_from: Option<String>,
    year_to: Option<String>,
    /// Of both players.
    min_rating: Option<String>,
}

/// The parameters of [`list`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ListQuery {
    #[serde(flatten)]
    of: OfGame,
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    conditions: Conditions,
    /// From 1.
    page: Option<String>,
}

/// The parameters of [`moves`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct MovesQuery {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    conditions: Conditions,
}

/// The conditions on games of a request.
struct Wanted {
    /// In small letters.
    words: Vec<String>,
    filter: Filter,
}

impl Wanted {
    fn of(named: &Conditions) -> Result<Self, Problem> {
        let words = named.search.as_deref().unwrap_or_default().to_lowercase();
        let limit = |name, text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty());
            number::<u16>(name, text, (0, u16::MAX))
        };
        let filter = Filter {
            since: limit("year_from", &named.year_from)?,
            until: limit("year_to", &named.year_to)?,
            min_rating: limit("min_rating", &named.min_rating)?,
            ..Filter::default()
        };
        Ok(Self { words: words.split_whitespace().map(str::to_owned).collect(), filter })
    }

    fn admits(&self, game: &Listed) -> bool {
        self.filter.admits_facts(&game.facts)
            && self.words.iter().all(|word| game.text.contains(word))
    }
}

/// A page of the games that have all words, and the position if one is named.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Value>, Problem> {
    let of = query.of.clone();
    asked(app, of, query, [found::<Position>, found::<Board>]).await
}

/// Answers a question from games.
type Ask<Q, T> = fn(&Q, &Games) -> Result<T, Problem>;

/// Answers a question about the library's games of xiangqi or of gomoku, whichever a request names.
async fn asked<Q: Send + 'static, T: Serialize + 'static>(
    app: Arc<App>,
    of: OfGame,
    question: Q,
    [xiangqi, gomoku]: [Ask<Q, T>; 2],
) -> Result<Json<Value>, Problem> {
    reply(app, of.lang(), move |app| {
        let (paths, stop) = (paths_of(app)?, &app.stop);
        match of.game()? {
            GameName::Xiangqi => xiangqi(&question, app.library.xiangqi(paths, stop)),
            GameName::Gomoku => gomoku(&question, app.library.gomoku(paths, stop)),
        }
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
struct FoundGames {
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
struct LibraryMoves {
    /// The moves, as books have them.
    #[serde(flatten)]
    moves: PlayedMoves,
    /// The first games that reached the position.
    games: Vec<LibraryGame>,
    /// Games that reached the position.
    reached: usize,
}

fn found<G: Described + Symmetric>(query: &ListQuery, all: &Games) -> Result<FoundGames, Problem> {
    let page = number("page", query.page.as_deref(), (1, usize::MAX))?.unwrap_or(1);
    let wanted = Wanted::of(&query.conditions)?;
    let position = match query.place.is_named() {
        true => Some(query.place.read::<G>()?.line.position().canonical().key),
        false => None,
    };
    let is_wanted = |(_, game): &(usize, &Listed)| {
        wanted.admits(game) && position.is_none_or(|key| game.reaches::<G>(key).is_some())
    };
    let wanted: Vec<_> = all.games.iter().enumerate().filter(is_wanted).collect();
    let shown = wanted.iter().skip((page - 1).saturating_mul(PAGE)).take(PAGE);
    Ok(FoundGames {
        cut: all.is_cut,
        games: shown.map(|(id, game)| game.listed(*id)).collect(),
        total: wanted.len(),
        unreadable: all.unreadable,
    })
}

/// The moves that the games of the library made in a position.
pub(crate) async fn moves(
    State(app): State<Arc<App>>,
    Params(query): Params<MovesQuery>,
) -> Result<Json<Value>, Problem> {
    let of = query.common.of().clone();
    asked(app, of, query, [counted::<Position>, counted::<Board>]).await
}

/// A game counts where the position was on the board first.
fn counted<G: Described + Named + Symmetric>(
    query: &MovesQuery,
    all: &Games,
) -> Result<LibraryMoves, Problem> {
    let games = &all.games;
    let wanted = Wanted::of(&query.conditions)?;
    let request = query.common.request()?;
    let notation = query.common.asked_notation()?;
    let line = query.common.read::<G>()?.line;
    let position = line.position();
    let canonical = position.canonical();
    let (mut counts, mut reaching) = (BTreeMap::<u16, MoveStats>::new(), Vec::new());
    for (id, game) in games.iter().enumerate().filter(|(_, game)| wanted.admits(game)) {
        let Some((there, next)) = game.reaches::<G>(canonical.key) else { continue };
        reaching.push((game.rank(), id));
        if let Some(mv) = next {
            let image = there.canonical_move(there.canonical(), mv);
            let mv = shown_move(position, canonical, image);
            counts.entry(mv.pack()).or_default().absorb(&game.facts.counts(position.turn()));
        }
    }
    let moves = counts.into_iter().filter_map(|(bits, stats)| {
        let weight = stats.default_weight(position.turn());
        G::Move::unpack(bits).map(|mv| BookMove::new(mv, stats, weight))
    });
    let moves = PlayedMoves::of(&request, &line, moves.collect(), notation);
    reaching.sort_unstable_by_key(|&(rank, id)| (Reverse(rank), id));
    let samples = reaching.iter().take(SAMPLES).map(|&(_, id)| games[id].listed(id));
    Ok(LibraryMoves { moves, games: samples.collect(), reached: reaching.len() })
}

impl Listed {
    /// The game in a list.
    fn listed(&self, id: usize) -> LibraryGame {
        let GameEntry { first, second, date, .. } = &self.about;
        let year = date.as_deref().and_then(|date| date.get(..4));
        LibraryGame {
            about: self.about.clone(),
            ecco: self.opening.map(|(code, _)| code.to_string()),
            file: self.file.file_name().map(|name| name.to_string_lossy().into_owned()),
            id: id.to_string(),
            name: self.opening.map(|(_, name)| name),
            players: [first.clone(), second.clone()],
            year: year.map(str::to_owned),
        }
    }

    /// Returns true if this is the game that the list has.
    fn is<G: Notation>(&self, record: &Record<G>) -> bool {
        self.start == record.start.as_ref().map(G::to_fen)
            && self.moves.iter().copied().eq(record.tree.moves.iter().map(|mv| mv.pack()))
    }

    /// The order of samples: the best rated, then the latest.
    fn rank(&self) -> (u16, u16) {
        let [first, second] = self.facts.ratings.map(Option::unwrap_or_default);
        (first.min(second), self.facts.year.unwrap_or_default())
    }

    /// The position of that canonical key, as it was first on the board, and the move made in it.
    fn reaches<G: Symmetric + Notation>(&self, key: Key) -> Option<(G, Option<G::Move>)> {
        let last = self.marks.iter().rposition(|&known| known == mark(key))?;
        let mut position = match self.start.as_deref() {
            None => G::start(),
            Some(fen) => G::from_fen(fen).ok()?,
        };
        for (ply, &known) in self.marks[..=last].iter().enumerate() {
            let next = self.moves.get(ply).and_then(|&bits| G::Move::unpack(bits));
            if known == mark(key) && position.canonical().key == key {
                return Some((position, next));
            }
            position.make(next?);
        }
        None
    }
}

/// A game of the library as a JSON line.
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    id: InPath,
    Params(query): Params<OfGame>,
) -> Result<Json<Value>, Problem> {
    asked(app, query, id, [whole::<Position>, whole::<Board>]).await
}

fn whole<G: Formats>(InPath(id): &InPath, all: &Games) -> Result<Opened, Problem> {
    let game = id.parse::<usize>().ok().and_then(|id| all.games.get(id));
    let game = game.ok_or_else(|| Problem::not_found("no_game", "there is no such game"))?;
    let changed = || {
        let hint = "start the server again to read the library anew";
        Problem::not_found("no_game", "the file has changed: the game is no longer there")
            .with_hint(hint)
    };
    // As when the library was listed.
    if game.file.is_symlink() {
        return Err(changed());
    }
    let (mut number, mut found) = (0, None);
    let read = each_game::<G>(&game.file, &StopFlag::default(), &mut |parsed| {
        number += 1;
        if number <= game.number {
            return ControlFlow::Continue(());
        }
        found = parsed;
        ControlFlow::Break(())
    });
    read.map_err(|_| changed())?;
    let found = found.filter(|found| game.is(&found.record)).ok_or_else(changed)?;
    one_game(&game.file.to_string_lossy(), game.number as usize, &found)
}
