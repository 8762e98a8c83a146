//! Games of a collection as lists show them.

use serde::Serialize;

use crate::answers::game_entry::GameEntry;
use crate::book::opening::Code;
use crate::collection::{Found, IndexReport, IndexedGame};
use crate::record::result_text;

/// A game of a collection in a list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "LibraryGame"))]
pub struct FoundGame {
    /// The entry that lists of any games have.
    #[serde(flatten)]
    pub about: GameEntry,
    /// It breaks off at a fault.
    pub broken: bool,
    /// Games found with the same start and moves, where copies are folded.
    pub copies: u64,
    /// The code of the opening.
    pub ecco: Option<String>,
    /// The name of the file.
    pub file: Option<String>,
    /// The number in the list of all games, from 0, which changes with the files.
    pub id: String,
    /// Names the game for good.
    pub key: String,
    /// The Chinese name of the opening.
    pub name: Option<String>,
    /// The English name of its code.
    pub name_en: Option<&'static str>,
    /// The players, the first side's first.
    pub players: [Option<String>; 2],
    /// The year.
    pub year: Option<String>,
}

impl From<IndexedGame> for FoundGame {
    fn from(game: IndexedGame) -> Self {
        let year = game.date.as_deref().and_then(|date| date.get(..4)).map(str::to_owned);
        let [first, second] = game.players.clone();
        let about = GameEntry {
            date: game.date.clone(),
            event: game.event.clone(),
            first,
            index: game.place as usize,
            plies: game.plies,
            result: result_text(game.result),
            second,
        };
        Self {
            about,
            broken: game.is_broken,
            copies: game.copies,
            name_en: game.code.as_deref().and_then(Code::parse).and_then(Code::english_name),
            ecco: game.code,
            file: Some(game.file),
            id: game.number.to_string(),
            key: game.key.to_string(),
            name: game.opening,
            players: game.players,
            year,
        }
    }
}

/// The games found: schema `juzhong.games.find/1`.
#[derive(Debug, Clone, Serialize)]
pub struct FindAnswer {
    schema: &'static str,
    /// The games that were to be listed.
    pub games: Vec<FoundGame>,
    /// All, copies folded if they are to be.
    pub total: u64,
    /// All, copies counted.
    pub records: u64,
}

impl From<Found> for FindAnswer {
    fn from(found: Found) -> Self {
        Self {
            schema: "juzhong.games.find/1",
            games: found.games.into_iter().map(FoundGame::from).collect(),
            total: found.total,
            records: found.records,
        }
    }
}

/// The state of an index: schema `juzhong.games.index/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexAnswer {
    schema: &'static str,
    /// The path of the index.
    pub index: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Files of the collection.
    pub files: usize,
    /// Files that were read now.
    pub read: usize,
    /// Files whose games were taken over from another index.
    pub taken: usize,
    /// Games.
    pub games: u64,
    /// Different games: those with the same start and moves are one.
    pub lines: u64,
    /// Games that cannot be read.
    pub bad: u64,
    /// Files and folders that cannot be read.
    pub unreadable: u64,
}

impl IndexAnswer {
    /// The answer after an update of the index at a path, of a size in bytes.
    #[must_use]
    pub const fn new(index: String, bytes: u64, report: &IndexReport) -> Self {
        Self {
            schema: "juzhong.games.index/1",
            index,
            bytes,
            files: report.files,
            read: report.read,
            taken: report.taken,
            games: report.games,
            lines: report.lines,
            bad: report.bad,
            unreadable: report.unreadable,
        }
    }
}
