//! The games of a match or a tournament in a file, from which it goes on after an interruption.
//!
//! A game is added when it and all before it are over. Each game names its match in the tag `Match`; the tags
//! `RedEffort`, `BlackEffort` (by the names of the sides) and `EngineFault` state what the record itself has no place for.

use std::io;
use std::path::Path;

use crate::bytes::journal::{Journal, JournalError};
use crate::bytes::lock::FileLock;
use crate::bytes::open;
use crate::bytes::visible::ShowPath;
use crate::contest::games::{Contested, read_games};
use crate::contest::one_game::{Effort, EngineFault};
use crate::contest::schedule::{Schedule, TournamentForm, engine_letter, engine_of_letter};
use crate::contest::scheduler::{ContestGame, engine_of};
use crate::game::{Side, side_name};
use crate::message::{Message, message};
use crate::record::Record;
use crate::xiangqi::notation::MoveNotation;

/// The file that a match or a tournament is written to.
#[derive(Debug)]
pub struct MatchJournal {
    journal: Journal,
    settings: String,
    /// The way in which the moves of further games are written.
    notation: MoveNotation,
    _lock: FileLock,
}

impl MatchJournal {
    /// Opens or makes the file of the match that `settings` describe, and hands back the games that
    /// it holds, in order.
    ///
    /// # Errors
    ///
    /// [`JournalError`]; the file is left as it was.
    pub fn open<G: Contested>(
        path: &Path,
        settings: &str,
    ) -> Result<(Self, Vec<ContestGame<G>>), JournalError> {
        Self::open_scheduled(path, settings, &Schedule::new(TournamentForm::RoundRobin, 2))
    }

    /// As [`open`](Self::open), for a tournament of this schedule.
    ///
    /// # Errors
    ///
    /// [`JournalError`]; the file is left as it was.
    pub fn open_scheduled<G: Contested>(
        path: &Path,
        settings: &str,
        schedule: &Schedule,
    ) -> Result<(Self, Vec<ContestGame<G>>), JournalError> {
        let failed = JournalError::at(path);
        // A device may have no end; the look before the lock is for what must not get one beside it.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(failed(io::Error::other("it is no regular file")));
        }
        // As they come back from the file: a tag is one line.
        let settings: String =
            settings.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let settings = settings.trim();
        let lock = FileLock::take(path)?;
        let mut journal = Journal::new(path, open::writable(path).map_err(&failed)?);
        let bytes = journal.read(u64::MAX).map_err(&failed)?;
        let whole = whole_games::<G>(&bytes);
        let games = read(path, &bytes[..whole], settings, schedule)?;
        let cut_off = &bytes[whole..];
        let beginning = &cut_off[..cut_off.len().min(G::GAME_BEGINNING.len())];
        if !G::GAME_BEGINNING.as_bytes().starts_with(beginning) {
            return Err(foreign(path, "there is something other than games in it"));
        }
        journal.cut(whole as u64).map_err(&failed)?;
        let settings = settings.to_owned();
        let notation = MoveNotation::default();
        Ok((Self { journal, settings, notation, _lock: lock }, games))
    }

    /// Writes the moves of further games in this notation; all are read back.
    #[must_use]
    pub fn in_notation(mut self, notation: MoveNotation) -> Self {
        self.notation = notation;
        self
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Those of writing; a part that was written is removed again, if that can be done.
    pub fn add<G: Contested>(&mut self, game: &ContestGame<G>) -> io::Result<()> {
        let mut record = game.record.clone();
        record.tags.extend(self.tags(game));
        let mut text = Vec::new();
        G::write_game(&mut text, &record, self.notation)?;
        self.journal.add(&text).map(drop)
    }

    fn tags<G: Contested>(&self, game: &ContestGame<G>) -> Vec<(String, String)> {
        let mut tags = vec![("Match".to_owned(), self.settings.clone())];
        for side in Side::ALL {
            let Effort { moves, depth, nodes, micros } = game.effort[game.place_of(side)];
            tags.push((effort_tag::<G>(side), format!("{moves} {depth} {nodes} {micros}")));
        }
        if let Some((side, fault)) = game.fault {
            let letter = engine_letter(game.engine_of(side));
            tags.push(("Fault".to_owned(), format!("{letter} {}", fault.name())));
        }
        tags
    }
}

/// The tag for what a side did.
fn effort_tag<G: Contested>(side: Side) -> String {
    format!("{}Effort", side_name::<G>(side))
}

/// Bytes up to the end of the last whole game.
fn whole_games<G: Contested>(bytes: &[u8]) -> usize {
    (1..=bytes.len())
        .rev()
        .find(|&end: &usize| G::GAME_ENDS.iter().any(|text| bytes[..end].ends_with(text)))
        .unwrap_or(0)
}

/// The error for a file that holds something other than games of matches.
fn foreign(path: &Path, what: impl Into<Message>) -> JournalError {
    let path = path.shown();
    let what = what.into();
    JournalError::Foreign(message!(
        "{path}: {what}; a match goes on only from its own games: choose another file"
    ))
}

/// The error for the games of another match.
fn changed(path: &Path, there: &str, asked: &str) -> JournalError {
    let path = path.shown();
    JournalError::Changed(message!(
        "{path}: its games were played with other settings; use the same, or choose another file\n  there: {there}\n  \
         asked: {asked}"
    ))
}

fn read<G: Contested>(
    path: &Path,
    bytes: &[u8],
    settings: &str,
    schedule: &Schedule,
) -> Result<Vec<ContestGame<G>>, JournalError> {
    let records =
        read_games(&path.shown().to_string(), bytes).map_err(|what| foreign(path, what))?;
    let mut games = Vec::with_capacity(records.len());
    for (number, record) in records.into_iter().enumerate() {
        let there = record.tag("Match").unwrap_or_default();
        if there.is_empty() {
            return Err(foreign(path, message!("game {} is of no match", number + 1)));
        }
        if there != settings {
            return Err(changed(path, there, settings));
        }
        let Some(game) = game_of(number, record, schedule) else {
            let what = message!("game {} is not the one that belongs there", number + 1);
            return Err(foreign(path, what));
        };
        games.push(game);
    }
    Ok(games)
}

/// The game as it was when it was over; `None` if that cannot be reconstructed.
fn game_of<G: Contested>(
    number: usize,
    mut record: Record<G>,
    schedule: &Schedule,
) -> Option<ContestGame<G>> {
    let engines = schedule.engines_of(number)?;
    let round: usize = record.tag("Round")?.parse().ok()?;
    let outcome = record.result.filter(|_| round == number + 1)?;
    let names = Side::ALL.map(effort_tag::<G>);
    let efforts = [effort(record.tag(&names[0])?)?, effort(record.tag(&names[1])?)?];
    let effort = Side::ALL.map(|side| efforts[engine_of(number, side)]);
    let fault = match record.tag("Fault") {
        None => None,
        Some(text) => {
            let (engine, fault) = text.split_once(' ')?;
            let engine = engine_of_letter(engine)?;
            let place = engines.iter().position(|&one| one == engine)?;
            let side = Side::ALL.into_iter().find(|&side| engine_of(number, side) == place)?;
            Some((side, EngineFault::ALL.into_iter().find(|known| known.name() == fault)?))
        }
    };
    record.tags.retain(|(name, _)| !names.contains(name) && name != "Fault" && name != "Match");
    Some(ContestGame {
        number,
        engines,
        record,
        outcome,
        fault,
        effort,
        warnings: Default::default(),
    })
}

fn effort(text: &str) -> Option<Effort> {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|n| n.parse().ok()).collect();
    let [moves, depth, nodes, micros] = numbers?.try_into().ok()?;
    Some(Effort { moves, depth, nodes, micros })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::record::Tree;
    use crate::xiangqi::{Move, Position};

    fn tag(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn game(number: usize) -> ContestGame {
        let moves = ["h2e2", "h9g7"].map(|mv| Move::parse(mv).unwrap());
        let outcome =
            [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)][number % 3];
        let tree = Tree { moves: moves.to_vec(), ..Tree::default() };
        let tags = vec![tag("Event", "juzhong match"), tag("Round", &(number + 1).to_string())];
        let record = Record { tags, start: None, start_clock: 0, result: Some(outcome), tree };
        let effort =
            [1, 2].map(|n| Effort { moves: n, depth: 5, nodes: 99, micros: number as u64 });
        let fault = (number == 1).then_some((Side::First, EngineFault::Crash));
        let warnings = Default::default();
        ContestGame { number, engines: [0, 1], record, outcome, fault, effort, warnings }
    }

    fn open(path: &Path, settings: &str) -> Result<usize, String> {
        let opened = MatchJournal::open::<Position>(path, settings);
        opened.map(|(_, games)| games.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn games_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.pgn");
        let (mut journal, games) = MatchJournal::open::<Position>(&path, "a, \"b\" \\").unwrap();
        assert!(games.is_empty());
        assert!(open(&path, "x").unwrap_err().contains("another process"));
        for number in 0..4 {
            journal.add(&game(number)).unwrap();
        }
        drop(journal);
        let (_journal, games) = MatchJournal::open::<Position>(&path, "a, \"b\" \\").unwrap();
        assert_eq!(games.len(), 4);
        for (number, read) in games.iter().enumerate() {
            let ContestGame { outcome, fault, effort, record, .. } = game(number);
            assert_eq!((read.outcome, read.fault, read.effort), (outcome, fault, effort));
            assert_eq!(read.record.tree.moves, record.tree.moves);
        }
    }

    #[test]
    fn odd_settings_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.pgn");
        let settings = "a\nb\t\"c\" \u{1}\\ ";
        let (mut journal, _) = MatchJournal::open::<Position>(&path, settings).unwrap();
        journal.add(&game(0)).unwrap();
        drop(journal);
        assert_eq!(open(&path, settings), Ok(1));
        for path in [Path::new("/dev/zero"), folder.path()] {
            if path.exists() {
                assert!(open(path, "x").unwrap_err().contains(&path.display().to_string()));
            }
        }
    }

    #[test]
    fn pieces_are_removed_and_other_matches_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.pgn");
        let (mut journal, _) = MatchJournal::open::<Position>(&path, "one").unwrap();
        journal.add(&game(0)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        journal.add(&game(1)).unwrap();
        let both = std::fs::read(&path).unwrap();
        drop(journal);
        for length in whole.len()..both.len() {
            std::fs::write(&path, &both[..length]).unwrap();
            assert_eq!(open(&path, "one"), Ok(1), "{length}");
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(open(&path, "one"), Ok(0), "{length}");
        }
        std::fs::write(&path, &both).unwrap();
        assert!(open(&path, "two").unwrap_err().contains("there: one\n  asked: two"));
        let swapped = [&both[whole.len()..], &whole].concat();
        let foreign = "[Event \"x\"]\n\n1. h2e2 1-0\n\n".as_bytes();
        for other in [foreign, b"my notes\n", &[&both[..], b"notes"].concat(), &swapped] {
            std::fs::write(&path, other).unwrap();
            assert!(open(&path, "one").unwrap_err().contains("choose another file"));
            assert_eq!(std::fs::read(&path).unwrap(), other);
        }
    }
}
