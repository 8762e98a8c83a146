//! The evaluations of games that a review has finished, kept in a file beside its output until that is whole: an
//! interrupted review goes on from there.
//!
//! ```text
//! first frame   the fingerprint of what was asked: options, engine, tables, version
//! others        one for each game: BLAKE3 of its start, its moves and which of them books know, the values of its
//!               positions
//! ```

use std::collections::HashMap;
use std::io;
use std::marker::PhantomData;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::compare::{MAX_LINE, SecondLook};
use super::evaluate::ReviewOptions;
use super::marks::Valuation;
use super::values::{GameMoves, PositionValue, TableFacts, line_to, positions};
use crate::bytes::journal::{Journal, JournalError, framed};
use crate::bytes::lock::beside;
use crate::bytes::own_files;
use crate::bytes::sealed::{SealedKind, unseal};
use crate::bytes::visible::ShowPath;
use crate::engine::Playable;
use crate::game::{Game, Packed, ScoreKind};
use crate::message::message;
use crate::search::Score;
use crate::tablebase::{Entry, Wdl};

/// The frames of a journal.
const KIND: SealedKind = SealedKind { magic: *b"JZREVIEW", version: 3, limit: 16 << 20 };

/// The evaluations of finished games, in a file.
#[derive(Debug)]
pub struct ReviewJournal<G> {
    journal: Journal,
    /// The offsets at which the games' frames begin, by the games' names.
    games: HashMap<[u8; 32], u64>,
    game: PhantomData<G>,
}

/// A game that was finished.
#[derive(Debug, Serialize, Deserialize)]
struct StoredGame {
    name: [u8; 32],
    values: Vec<StoredValue>,
}

/// A position's value in plain numbers.
#[derive(Debug, Serialize, Deserialize)]
struct StoredValue {
    valuation: StoredValuation,
    line: Vec<u16>,
    depth: u32,
    nodes: u64,
    second: Option<StoredValuation>,
    table: Option<StoredFacts>,
    look: Option<StoredLook>,
}

/// Kind and number of a score, and chances.
type StoredValuation = ((u8, i32), Option<[u16; 3]>);

#[derive(Debug, Serialize, Deserialize)]
struct StoredLook {
    other: StoredValuation,
    played: StoredValuation,
    mean_loss: u16,
    line: Vec<u16>,
    stable_plies: u32,
    rounds: u32,
    is_stable: bool,
    nodes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredFacts {
    best: (u8, u16, u16),
    played: Option<(u8, u16, u16)>,
    is_only: bool,
}

impl<G: Playable> ReviewJournal<G> {
    /// Opens the journal beside `output`, or makes it. The caller must hold the right to write `output`.
    ///
    /// # Errors
    ///
    /// [`JournalError`]; the file is left as it was.
    pub fn open(output: &Path, options: &ReviewOptions<G::Rules>) -> Result<Self, JournalError> {
        let path = beside(output, ".review").map_err(JournalError::at(output))?;
        let failed = JournalError::at(&path);
        let asked = fingerprint::<G>(options).map_err(&failed)?;
        let header = framed(KIND, &asked).map_err(&failed)?;
        let file = own_files::open_or_make(&path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Occupied(error),
            _ => failed(error),
        })?;
        let mut journal = Journal::new(&path, file);
        let is_journal = header.starts_with(&journal.read(BEGINNING).map_err(&failed)?);
        let mut there = None;
        let mut end = 0;
        let mut games = HashMap::new();
        if let Some((bytes, first)) = journal.frame(KIND, 0).map_err(&failed)? {
            there = unseal::<[u8; 32]>(KIND, &bytes).ok();
            (end, games) = read_games(&mut journal, first).map_err(&failed)?;
        }
        if there != Some(asked) {
            // Nothing, a piece of a header, or a review that has finished no game.
            if !is_journal || !games.is_empty() {
                return Err(other(&path));
            }
            end = 0;
        }
        // What follows the last whole game is the torn tail of an interrupted write.
        journal.cut(end).map_err(&failed)?;
        let mut journal = Self { journal, games, game: PhantomData };
        if end == 0 {
            journal.append(&header)?;
        }
        Ok(journal)
    }

    /// The number of games that it holds.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The values of a game's positions, if it was finished.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn find(
        &mut self,
        game: GameMoves<'_, G>,
        rules: G::Rules,
    ) -> Result<Option<Vec<PositionValue<G::Move>>>, JournalError> {
        let Some(&at) = self.games.get(&name_of(game)) else { return Ok(None) };
        let frame = self.journal.frame(KIND, at);
        let frame = frame.map_err(JournalError::at(self.journal.path()))?;
        let stored = frame.and_then(|(bytes, _)| unseal::<StoredGame>(KIND, &bytes).ok());
        Ok(stored.and_then(|stored| restored(game, stored, rules)))
    }

    /// Keeps the values of a game's positions.
    ///
    /// # Errors
    ///
    /// Those of writing; a part that was written is removed again, if that can be done.
    pub fn add(
        &mut self,
        game: GameMoves<'_, G>,
        values: &[PositionValue<G::Move>],
    ) -> Result<(), JournalError> {
        let name = name_of(game);
        let values = values.iter().map(stored).collect();
        let frame = framed(KIND, &StoredGame { name, values });
        let frame = frame.map_err(JournalError::at(self.journal.path()))?;
        let at = self.append(&frame)?;
        self.games.insert(name, at);
        Ok(())
    }

    /// Forgets the games, and removes the file.
    pub fn discard(mut self) {
        self.games.clear();
    }

    fn append(&mut self, frame: &[u8]) -> Result<u64, JournalError> {
        self.journal.add(frame).map_err(JournalError::at(self.journal.path()))
    }
}

impl<G> Drop for ReviewJournal<G> {
    /// Removes a file that holds no game.
    fn drop(&mut self) {
        if self.games.is_empty() {
            let path = self.journal.path();
            let removed = std::fs::remove_file(path);
            tracing::debug!(path = %path.shown(), ?removed, "games of a review");
        }
    }
}

/// The bytes of the first frame that are the same in every journal of this version: its length, magic and version.
const BEGINNING: u64 = 16;

/// The error for the journal of a review with other options.
fn other(path: &Path) -> JournalError {
    let path = path.shown();
    JournalError::Changed(message!(
        "{path}: an interrupted review with other options or tables has kept its games here; use the same to go on, \
         remove the file to begin anew, or choose another output"
    ))
}

/// The games of the frames from an offset on: where the last whole one ends, and where each begins.
fn read_games(journal: &mut Journal, mut at: u64) -> io::Result<(u64, HashMap<[u8; 32], u64>)> {
    let mut games = HashMap::new();
    while let Some((bytes, next)) = journal.frame(KIND, at)?
        && let Ok(game) = unseal::<StoredGame>(KIND, &bytes)
    {
        games.insert(game.name, at);
        at = next;
    }
    Ok((at, games))
}

/// The name of a game by its content, and by which of its moves need no second look.
fn name_of<G: Playable>(game: GameMoves<'_, G>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(game.start.to_fen().as_bytes());
    hasher.update(&game.start_clock.to_le_bytes());
    for (ply, &mv) in game.moves.iter().enumerate() {
        hasher.update(&mv.pack().to_le_bytes());
        hasher.update(&[game.is_known(ply).into()]);
    }
    hasher.finalize().into()
}

/// The name of what is asked: whatever the values of positions depend on.
fn fingerprint<G: Playable>(options: &ReviewOptions<G::Rules>) -> io::Result<[u8; 32]> {
    let ReviewOptions { limits, effort, hash_mib, evaluation, tables, rules, engine, threads: _ } =
        options;
    let version = env!("CARGO_PKG_VERSION");
    let game = G::NAME;
    let own = format!("{effort} {hash_mib} {evaluation}");
    let asked = format!("{game} {version} {limits:?} {own} {rules} {tables:?} {engine:?}");
    let mut hasher = blake3::Hasher::new();
    hasher.update(asked.as_bytes());
    for folder in &tables.folders {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            // Locks and unfinished files come and go.
            if path.extension().is_some_and(|ending| ending == "jzt") {
                let about = entry.metadata()?;
                files.push(format!(
                    "{:?} {} {:?}",
                    entry.file_name(),
                    about.len(),
                    about.modified()
                ));
            }
        }
        // The order of a folder is chance.
        files.sort();
        hasher.update(files.join("\n").as_bytes());
    }
    Ok(hasher.finalize().into())
}

fn stored<M: Packed>(value: &PositionValue<M>) -> StoredValue {
    let PositionValue { line, depth, nodes, second, table, look, .. } = value;
    StoredValue {
        valuation: stored_valuation(value.valuation()),
        line: line.iter().map(|mv| mv.pack()).collect(),
        depth: *depth,
        nodes: *nodes,
        second: second.map(stored_valuation),
        table: table.map(|TableFacts { best, played, is_only }| StoredFacts {
            best: numbers_of(best),
            played: played.map(numbers_of),
            is_only,
        }),
        look: look.as_ref().map(stored_look),
    }
}

fn stored_look<M: Packed>(look: &SecondLook<M>) -> StoredLook {
    let SecondLook { other, played, mean_loss, line, stable_plies, rounds, is_stable, nodes } =
        look;
    StoredLook {
        other: stored_valuation(*other),
        played: stored_valuation(*played),
        mean_loss: *mean_loss,
        line: line.iter().map(|mv| mv.pack()).collect(),
        stable_plies: u32::try_from(*stable_plies).unwrap_or(u32::MAX),
        rounds: *rounds,
        is_stable: *is_stable,
        nodes: *nodes,
    }
}

const fn stored_valuation(Valuation { score, chances }: Valuation) -> StoredValuation {
    (stored_score(score), chances)
}

/// The numbers of a table's value.
const fn numbers_of(Entry { wdl, order, distance }: Entry) -> (u8, u16, u16) {
    (wdl as u8, order, distance)
}

const fn stored_score(score: Score) -> (u8, i32) {
    match score.kind() {
        ScoreKind::Centipawns(value) if score.is_early() => {
            let plies = Score::early_win(0).value() - value.abs();
            (if value > 0 { 5 } else { 6 }, plies)
        }
        ScoreKind::Centipawns(value) => (0, value),
        ScoreKind::MateIn(plies) => (1, plies.cast_signed()),
        ScoreKind::MatedIn(plies) => (2, plies.cast_signed()),
        ScoreKind::TableWin(plies) => (3, plies.cast_signed()),
        ScoreKind::TableLoss(plies) => (4, plies.cast_signed()),
    }
}

/// The greatest distance that a score has.
const MAX_PLIES: usize = 999;

fn restored_score((kind, value): (u8, i32)) -> Option<Score> {
    let plies = usize::try_from(value).ok().filter(|&plies| plies <= MAX_PLIES);
    match kind {
        0 => Some(Score::from_eval(value)),
        1 => plies.map(Score::mate_in),
        2 => plies.map(Score::mated_in),
        3 => plies.map(Score::table_win),
        4 => plies.map(Score::table_loss),
        5 => plies.map(Score::early_win),
        6 => plies.map(Score::early_loss),
        _ => None,
    }
}

fn restored_valuation((score, chances): StoredValuation) -> Option<Valuation> {
    Some(Valuation { score: restored_score(score)?, chances })
}

fn restored_entry((wdl, order, distance): (u8, u16, u16)) -> Option<Entry> {
    let wdl = *[Wdl::Loss, Wdl::Draw, Wdl::Win].get(usize::from(wdl))?;
    Some(Entry { wdl, order, distance })
}

/// The values of a game; `None` if they are not of this game, or some move in them cannot be played.
fn restored<G: Playable>(
    game: GameMoves<'_, G>,
    stored: StoredGame,
    rules: G::Rules,
) -> Option<Vec<PositionValue<G::Move>>> {
    // Found by name, and yet compared: offsets come from a file that others may have changed since.
    if stored.name != name_of(game) || stored.values.len() != positions(game, rules) {
        return None;
    }
    let mut position = line_to(game, 0).position().clone();
    let mut values = Vec::with_capacity(stored.values.len());
    for (ply, value) in stored.values.into_iter().enumerate() {
        values.push(restored_value(&position, value)?);
        if let Some(&mv) = game.moves.get(ply) {
            position.make(mv);
        }
    }
    Some(values)
}

fn restored_value<G: Game>(position: &G, value: StoredValue) -> Option<PositionValue<G::Move>> {
    let StoredValue { valuation, line, depth, nodes, second, table, look } = value;
    let Valuation { score, chances } = restored_valuation(valuation)?;
    let line = restored_line(position, line)?;
    let table = match table {
        None => None,
        Some(StoredFacts { best, played, is_only }) => Some(TableFacts {
            best: restored_entry(best)?,
            played: match played {
                None => None,
                Some(played) => Some(restored_entry(played)?),
            },
            is_only,
        }),
    };
    let second = match second {
        None => None,
        Some(second) => Some(restored_valuation(second)?),
    };
    let look = match look {
        None => None,
        Some(look) => Some(restored_look(position, look)?),
    };
    Some(PositionValue { score, chances, line, depth, nodes, second, table, look })
}

/// The moves of a line; `None` if one of them cannot be played.
fn restored_line<G: Game>(position: &G, line: Vec<u16>) -> Option<Vec<G::Move>> {
    let mut after = position.clone();
    let mut moves = Vec::new();
    for bits in line.into_iter().take(MAX_LINE) {
        let mv = G::Move::unpack(bits).filter(|&mv| after.is_legal(mv))?;
        after.make(mv);
        moves.push(mv);
    }
    Some(moves)
}

fn restored_look<G: Game>(position: &G, look: StoredLook) -> Option<SecondLook<G::Move>> {
    let StoredLook { other, played, mean_loss, line, stable_plies, rounds, is_stable, nodes } =
        look;
    let line = restored_line(position, line)?;
    let stable_plies = usize::try_from(stable_plies).ok()?;
    let is_possible = (1..=line.len()).contains(&stable_plies);
    is_possible.then_some(SecondLook {
        other: restored_valuation(other)?,
        played: restored_valuation(played)?,
        mean_loss,
        line,
        stable_plies,
        rounds,
        is_stable,
        nodes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::TableOptions;
    use crate::game::EvaluationKind;
    use crate::search::Limits;
    use crate::xiangqi::{Move, Position, RuleSet};

    fn options(nodes: u64) -> ReviewOptions<RuleSet> {
        let (limits, tables) = (Limits::nodes(nodes), TableOptions::default());
        let rules = RuleSet::default();
        ReviewOptions {
            limits,
            effort: 12,
            hash_mib: 1,
            evaluation: EvaluationKind::default(),
            threads: 1,
            tables,
            rules,
            engine: None,
        }
    }

    fn moves(texts: &[&str]) -> Vec<Move> {
        texts.iter().map(|text| Move::parse(text).unwrap()).collect()
    }

    /// A game from the start, of which nothing is known.
    fn game_of<'a>(start: &'a Position, moves: &'a [Move]) -> GameMoves<'a, Position> {
        GameMoves { start, start_clock: 0, moves, known: &[] }
    }

    /// The journal beside `output` for searches of that number of positions.
    fn open(output: &Path, nodes: u64) -> Result<ReviewJournal<Position>, JournalError> {
        ReviewJournal::open(output, &options(nodes))
    }

    fn value(score: Score, line: &[&str], table: Option<TableFacts>) -> PositionValue<Move> {
        let searched = PositionValue::of_search(score, moves(line));
        PositionValue { depth: 7, nodes: 99, table, ..searched }
    }

    /// Values of every kind for a game of two moves.
    fn values() -> Vec<PositionValue<Move>> {
        let table = TableFacts { best: Entry::win(1, 7), played: Some(Entry::DRAW), is_only: true };
        let look = SecondLook {
            other: Score::early_loss(9).into(),
            played: Valuation { score: Score::early_win(3), chances: Some([1, 2, 3]) },
            mean_loss: 1_234,
            line: moves(&["h0g2", "h9g7"]),
            stable_plies: 1,
            rounds: 2,
            is_stable: true,
            nodes: 77,
        };
        let first = PositionValue {
            chances: Some([300, 600, 100]),
            second: Some(Score::mated_in(4).into()),
            look: Some(look),
            ..value(Score::from_eval(-34), &["h2e2", "h9g7"], None)
        };
        let at_end = TableFacts { played: None, ..table };
        vec![
            first,
            value(Score::mate_in(5), &["h9g7"], Some(table)),
            value(Score::table_loss(20), &["h0g2"], Some(at_end)),
        ]
    }

    #[test]
    fn games_come_back_as_they_were_however_the_file_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("a.pgn");
        let (start, rules) = (Position::start(), RuleSet::default());
        let (one, two) = (moves(&["h2e2", "h9g7"]), moves(&["h2e2", "b9c7"]));
        let mut journal = open(&output, 5).unwrap();
        let path = journal.journal.path().to_owned();
        journal.add(game_of(&start, &one), &values()).unwrap();
        let length = std::fs::metadata(&path).unwrap().len();
        journal.add(game_of(&start, &two), &values()).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        assert!(matches!(open(&output, 6), Err(JournalError::Changed(_))));
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        for end in length as usize..=whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let mut journal = open(&output, 5).unwrap();
            assert_eq!(journal.find(game_of(&start, &one), rules).unwrap(), Some(values()));
            let expected = (end == whole.len()).then(values);
            assert_eq!(journal.find(game_of(&start, &two), rules).unwrap(), expected);
            journal.add(game_of(&start, &two), &values()).unwrap();
            assert_eq!(journal.find(game_of(&start, &two), rules).unwrap(), Some(values()));
        }
        open(&output, 5).unwrap().discard();
        assert!(!path.exists());
        // Without a game there is nothing to keep, nor to refuse.
        drop(open(&output, 5).unwrap());
        assert!(!path.exists());
        std::fs::write(&path, &whole[..length as usize / 4]).unwrap();
        assert_eq!(open(&output, 6).unwrap().games(), 0);
    }

    /// The fingerprint of the usual options after a change.
    fn fingerprint_with(change: impl FnOnce(&mut ReviewOptions<RuleSet>)) -> [u8; 32] {
        let mut options = options(5);
        change(&mut options);
        fingerprint::<Position>(&options).unwrap()
    }

    #[test]
    fn what_is_known_of_a_game_belongs_to_its_name() {
        let start = Position::start();
        let one = moves(&["h2e2", "h9g7"]);
        let name = |known| name_of(GameMoves { start: &start, start_clock: 0, moves: &one, known });
        assert_eq!(name(&[]), name(&[false, false]));
        assert!(name(&[]) != name(&[true]) && name(&[true]) != name(&[false, true]));
        let usual = fingerprint_with(|_| ());
        assert_eq!(fingerprint_with(|options| options.threads = 3), usual);
        assert_ne!(fingerprint_with(|options| options.effort = 4), usual);
        let classical = fingerprint_with(|options| options.evaluation = EvaluationKind::Classical);
        assert_ne!(classical, usual);
        let other = fingerprint_with(|options| options.engine = Some("other".to_owned()));
        assert_ne!(other, usual);
    }

    #[test]
    fn damage_loses_games_only() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("a.pgn");
        let (start, rules) = (Position::start(), RuleSet::default());
        let one = moves(&["h2e2", "h9g7"]);
        let game = game_of(&start, &one);
        let mut journal = open(&output, 5).unwrap();
        let path = journal.journal.path().to_owned();
        let begin = std::fs::metadata(&path).unwrap().len() as usize;
        journal.add(game, &values()).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for at in begin..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            std::fs::write(&path, bytes).unwrap();
            let mut journal = open(&output, 5).unwrap();
            assert_eq!(journal.find(game, rules).unwrap(), None, "{at}");
        }
        for end in [0, 3, 16, 40, begin] {
            std::fs::write(&path, &whole[..end]).unwrap();
            let opened = open(&output, 5);
            assert!(opened.is_ok(), "{end}");
        }
        for text in ["notes of mine, long enough for a length", "abc"] {
            std::fs::write(&path, text).unwrap();
            assert!(open(&output, 5).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    /// The values that are restored for a game after an edit of what is stored of it.
    fn with_edit(edit: impl FnOnce(&mut StoredGame)) -> Option<Vec<PositionValue<Move>>> {
        let start = Position::start();
        let one = moves(&["h2e2", "h9g7"]);
        let game = game_of(&start, &one);
        let values = values().iter().map(stored).collect();
        let mut stored = StoredGame { name: name_of(game), values };
        edit(&mut stored);
        restored(game, stored, RuleSet::default())
    }

    #[test]
    fn values_of_other_games_and_impossible_moves_are_not_taken() {
        assert_eq!(with_edit(|_| ()), Some(values()));
        assert_eq!(with_edit(|game| game.name = [0; 32]), None);
        assert_eq!(with_edit(|game| drop(game.values.pop())), None);
        assert_eq!(with_edit(|game| game.values[0].line = vec![u16::MAX]), None);
        assert_eq!(with_edit(|game| game.values[0].valuation.0 = (1, 5_000)), None);
        assert_eq!(with_edit(|game| game.values[0].look.as_mut().unwrap().stable_plies = 3), None);
        assert_eq!(with_edit(|game| game.values[0].look.as_mut().unwrap().line = vec![7, 7]), None);
        assert_eq!(with_edit(|game| game.values[1].table.as_mut().unwrap().best.0 = 3), None);
    }
}
