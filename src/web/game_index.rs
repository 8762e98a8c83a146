//! The games of the files and folders that the server was given, listed once with what they are searched by.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::game_name::{GameName, with_game};
use juzhong::answers::GameEntry;
use juzhong::book::opening::{Code, Named};
use juzhong::book::{Facts, find_games};
use juzhong::bytes::StopFlag;
use juzhong::game::{Notation, Packed, Symmetric};
use juzhong::hash::Key;
use juzhong::record::{Formats, GameFile, Keep, ParsedGame, ReadOptions, Record, read_game_file};

/// Games of a library, at most, and positions of them all.
const MOST: usize = 200_000;
const MOST_POSITIONS: usize = 40_000_000;

/// The games of the files and folders that the server was given, read at the first question.
#[derive(Default)]
pub(crate) struct Library {
    xiangqi: OnceLock<Games>,
    gomoku: OnceLock<Games>,
}

/// The games of a library, and what it does not show.
#[derive(Default)]
pub(crate) struct Games {
    pub(crate) games: Vec<Listed>,
    /// Positions of the games, those before the first move too.
    positions: usize,
    /// Files and folders that cannot be read.
    pub(crate) unreadable: u64,
    /// True if there are more games than are listed.
    pub(crate) is_cut: bool,
}

/// A game as the list has it.
pub(crate) struct Listed {
    pub(crate) file: Arc<PathBuf>,
    /// Its number in the file, bad ones counted too.
    pub(crate) number: u64,
    /// Its entry in lists, and the same in small letters, to be searched.
    pub(crate) about: GameEntry,
    pub(crate) text: String,
    pub(crate) opening: Option<(Code, &'static str)>,
    pub(crate) facts: Facts,
    /// A FEN, if it does not begin with the usual start.
    pub(crate) start: Option<String>,
    /// Packed.
    pub(crate) moves: Box<[u16]>,
    /// The lower halves of the canonical keys of its positions, by which it is searched.
    pub(crate) marks: Box<[u32]>,
}

impl Library {
    /// The games of `game` in the files and folders.
    pub(crate) fn games(&self, game: GameName, paths: &[PathBuf], stop: &StopFlag) -> &Games {
        let games = match game {
            GameName::Xiangqi => &self.xiangqi,
            GameName::Gomoku => &self.gomoku,
        };
        games.get_or_init(|| with_game!(game, G => listed::<G>(paths, stop)))
    }
}

impl Listed {
    /// The game, read from its file again; `None` if it is no longer there.
    pub(crate) fn read<G: Formats>(&self) -> Option<ParsedGame<G>> {
        // Links were not followed when the game was listed.
        if self.file.is_symlink() {
            return None;
        }
        let mut number = 0;
        let mut found = None;
        let read = each_game::<G>(&self.file, &StopFlag::default(), &mut |game| {
            number += 1;
            if number <= self.number {
                return ControlFlow::Continue(());
            }
            found = game;
            ControlFlow::Break(())
        });
        read.ok()?;
        found.filter(|found| self.is(&found.record))
    }

    /// Returns true if this is the game that the list has.
    fn is<G: Notation>(&self, record: &Record<G>) -> bool {
        self.start == record.start.as_ref().map(G::to_fen)
            && self.moves.iter().copied().eq(record.tree.moves.iter().map(|mv| mv.pack()))
    }

    /// The order of samples: the best rated, then the latest.
    pub(crate) fn rank(&self) -> (u16, u16) {
        let [first, second] = self.facts.ratings.map(Option::unwrap_or_default);
        (first.min(second), self.facts.year.unwrap_or_default())
    }

    /// The position of that canonical key, as it was first on the board, and the move made in it.
    pub(crate) fn reaches<G: Symmetric + Notation>(
        &self,
        key: Key,
    ) -> Option<(G, Option<G::Move>)> {
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

/// Reads the games of files and folders. What is no game of `G` is passed over.
fn listed<G: Formats + Named>(paths: &[PathBuf], stop: &StopFlag) -> Games {
    let mut all = Games::default();
    let mut files = Vec::new();
    // One path at a time: the fault of one leaves the others.
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
            let listed = all.add(&file, number, game);
            number += 1;
            listed
        });
        all.unreadable += u64::from(read.is_err());
    }
    all
}

impl Games {
    /// Lists a game of a file, and nothing for one that cannot be read. Ends the reading once the list is full.
    fn add<G: Formats + Named>(
        &mut self,
        file: &Arc<PathBuf>,
        number: u64,
        game: Option<ParsedGame<G>>,
    ) -> ControlFlow<()> {
        if self.games.len() >= MOST || self.positions >= MOST_POSITIONS {
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        if let Some(ParsedGame { record, .. }) = game {
            self.positions += record.tree.moves.len() + 1;
            self.games.push(entry(file, number, &record));
        }
        ControlFlow::Continue(())
    }
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
