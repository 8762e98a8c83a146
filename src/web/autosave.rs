//! Games that were played on the page, kept in a folder: a JSON line in a file of its own for each, which every
//! command reads.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::games::in_words;
use super::params::{GameBody, GameParam, Params, PathParam};
use super::problem::Problem;
use super::reply::{Answer, blocking, reply};
use super::state::App;
use crate::game_name::with_game;
use juzhong::answers::{FileGames, GameEntry, OpenedGames, UNNAMED, game_json, read_game};
use juzhong::bytes::{atomic, open, paths};
use juzhong::message::message;
use juzhong::record::Formats;

/// The longest name of a game.
const LONGEST_ID: usize = 40;
/// The longest game, in bytes.
const LONGEST: u64 = 1 << 20;
/// Games in the folder, at most.
const MOST: usize = 10_000;
/// The latest files that are looked at for games to be listed, and games that are, at most.
const LOOKED_AT: usize = 500;
const LISTED: usize = 200;
/// The ending of the files.
const ENDING: &str = "jsonl";

/// The parameters of [`save`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct SaveQuery {
    #[serde(flatten)]
    of: GameParam,
    /// The name of the game; one of that name is replaced.
    #[cfg_attr(feature = "schemas", schemars(extend("pattern" = "^[a-z0-9-]{1,40}$")))]
    id: String,
}

/// A game that was kept.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "SavedGame"))]
pub(crate) struct Saved {
    /// The file that has it.
    file: String,
}

/// Keeps a game, a JSON line, in place of the one of that name. It is on disk once this is answered.
pub(crate) async fn save(
    State(app): State<Arc<App>>,
    Params(query): Params<SaveQuery>,
    body: GameBody,
) -> Result<Answer<Saved>, Problem> {
    reply(app, query.of.lang(), move |app| {
        let path = file_of(folder_of(app)?, &query.id)?;
        if body.bytes().len() as u64 > LONGEST {
            return Err(Problem::too_long());
        }
        let game =
            with_game!(query.of.game()?, G => game_json(&read_game::<G>(body.bytes())?.record)?);
        write(&path, &format!("{game}\n"))?;
        Ok(Saved { file: path.to_string_lossy().into_owned() })
    })
    .await
}

fn write(path: &Path, line: &str) -> Result<(), Problem> {
    let folder = paths::folder_of(path);
    std::fs::create_dir_all(folder).map_err(|error| not_written(path, &error))?;
    let is_new = path.symlink_metadata().is_err();
    if is_new && files(folder).len() >= MOST {
        let hint = "move some of them elsewhere";
        return Err(Problem::full("the folder of played games is full").with_hint(hint));
    }
    atomic::write(path, line.as_bytes()).map_err(|error| not_written(path, &error))
}

/// The reason why a game is not kept.
fn not_written(path: &Path, error: &io::Error) -> Problem {
    Problem::internal(message!("{}: {error}", path.display()))
}

/// The kept games of a game.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub(crate) struct KeptGames {
    games: Vec<KeptGame>,
}

/// A kept game in the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
struct KeptGame {
    #[serde(flatten)]
    about: GameEntry,
    /// The name of its file, without the ending.
    id: String,
    /// Seconds since 1970.
    saved: u64,
}

/// The kept games of a game, the latest first.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<GameParam>,
) -> Result<Answer<KeptGames>, Problem> {
    reply(app, query.lang(), move |app| {
        let mut files = files(folder_of(app)?);
        // Of equal times the names decide, so that the order is always the same.
        files.sort_by(|(a, at), (b, bt)| bt.cmp(at).then_with(|| a.cmp(b)));
        let game = query.game()?;
        let entries = files
            .iter()
            .take(LOOKED_AT)
            .filter_map(|(path, time)| with_game!(game, G => entry::<G>(path, *time)));
        Ok(KeptGames { games: entries.take(LISTED).collect() })
    })
    .await
}

/// The games of the folder, at most one more than it may have, with the times when they were kept.
fn files(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    // A folder that is not there has no games.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let games = entries.filter_map(|entry| {
        let path = entry.path();
        let is_game = path.extension().is_some_and(|ending| ending == ENDING);
        let time = entry.metadata().and_then(|about| about.modified());
        is_game.then(|| (path, time.unwrap_or(SystemTime::UNIX_EPOCH)))
    });
    games.take(MOST + 1).collect()
}

/// The entry of a kept game in the list. None for what is no game of `G`.
fn entry<G: Formats>(path: &Path, time: SystemTime) -> Option<KeptGame> {
    let id = path.file_stem()?.to_str().filter(|id| is_id(id))?;
    let game = read_game::<G>(&open::read(path, LONGEST).ok()?).ok()?;
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Some(KeptGame { about: GameEntry::of(0, &game.record), id: id.to_owned(), saved: seconds })
}

/// A kept game, as `/api/open` has it.
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    PathParam(id): PathParam,
    Params(query): Params<GameParam>,
) -> Result<Answer<OpenedGames>, Problem> {
    let opened = blocking(app, query.lang(), move |app| {
        let path = file_of(folder_of(app)?, &id)?;
        let bytes = open::read(&path, LONGEST)
            .map_err(|_| Problem::not_found("no_game", "there is no such game"))?;
        with_game!(query.game()?, G => {
            in_words(FileGames::one(UNNAMED, 0, read_game::<G>(&bytes)?))
        })
    })
    .await?;
    Ok(Answer::new(Json(opened)))
}

fn folder_of(app: &App) -> Result<&Path, Problem> {
    app.config.autosave.as_deref().ok_or_else(|| {
        let hint = "start the server with --autosave FOLDER";
        Problem::not_found("no_autosave", "the server keeps no games").with_hint(hint)
    })
}

/// The file of a game.
fn file_of(folder: &Path, id: &str) -> Result<PathBuf, Problem> {
    if !is_id(id) {
        let what = "id has 1 to 40 small letters, digits and hyphens";
        return Err(Problem::bad_request(what));
    }
    Ok(folder.join(format!("{id}.{ENDING}")))
}

fn is_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_plain)
}

/// Returns true for a byte that may be in the name of a game.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}
