//! Games whose results are in doubt: copies that state different ones, and results that contradict
//! the board.
//!
//! The rules: of copies the majority of those that state a result decides, a tie counts as unknown.
//! A stated result counts even where the main line ends in mate or stalemate for the other side: the
//! moves may be wrong as well as the result, and nothing tells which.

use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use rayon::prelude::*;

use super::played::{GameId, majority};
use super::sort::{Reduce, Sorter};
use super::sources::{self, Hashed};
use super::tally::{result_number, result_of};
use super::{BuildError, Reject};
use crate::bytes::varint;
use crate::game::Outcome;
use crate::record::{ParsedGame, Place, read_chunk, split_games};
use crate::xiangqi::{Position, START_FEN};

/// Bytes of a source that one task reads.
const CHUNK: usize = 512 << 10;

/// Copies of one game that are told of, at most.
const MAX_COPIES: usize = 1000;

/// One copy of a game whose result is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The game.
    pub game_id: GameId,
    /// What is in doubt; the same for all copies.
    pub doubt: Doubt,
    /// What the book counts.
    pub counted: Option<Outcome>,
    /// The result by mate or stalemate at the end, if it ends so.
    pub end: Option<Outcome>,
    /// The source of this copy.
    pub source: PathBuf,
    /// Where it begins there.
    pub place: Place,
    /// Its number there, from 1.
    pub number: u64,
    /// The result that it states.
    pub stated: Option<Outcome>,
}

impl Dispute {
    /// The name of the source on one line.
    #[must_use]
    pub fn source_name(&self) -> String {
        Reject::name_on_one_line(&self.source)
    }
}

/// What is in doubt about a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Copies state different results; the majority decided.
    Majority,
    /// Copies state different results, as many the one as the other: unknown.
    Tie,
    /// What is counted contradicts the mate or stalemate at the end.
    Board,
    /// The majority of differing copies contradicts the board.
    MajorityAndBoard,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Majority => "majority",
            Self::Tie => "tie",
            Self::Board => "board",
            Self::MajorityAndBoard => "majority,board",
        })
    }
}

/// How many games there are of which sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DisputeCounts {
    /// Games whose copies state different results.
    pub disputed: u64,
    /// Of those, ties.
    pub tied: u64,
    /// Games whose counted result contradicts the board.
    pub contradicted: u64,
}

/// Tells `found` of every copy of every game in doubt, in the order of games' names by content,
/// copies in the order of files. Games that begin elsewhere than usual or have no moves are left
/// out; filters of a build play no part. Of a game with more than a thousand copies only the
/// first are told of, and only they decide. Reads all files; `memory` bytes are sorted at a time,
/// beyond that temporary files are written in `folder`.
///
/// # Errors
///
/// Those of reading inputs and writing temporary files; [`BuildError::Interrupted`] after `stop`
/// was set.
pub fn disputes(
    files: &[PathBuf],
    folder: &Path,
    memory: usize,
    stop: &Arc<AtomicBool>,
    found: &mut dyn FnMut(&Dispute),
) -> Result<DisputeCounts, BuildError> {
    let write = |source| BuildError::Write { path: folder.to_owned(), source };
    let check = || match stop.load(Memory::Relaxed) {
        true => Err(BuildError::Interrupted { path: folder.to_owned() }),
        false => Ok(()),
    };
    let hashed = sources::find(files, &check)?;
    let mut known = std::collections::BTreeSet::new();
    let different: Vec<&Hashed> = hashed.iter().filter(|f| known.insert(f.hash)).collect();
    let budget = memory / (rayon::current_num_threads() + 2);
    let statements = Sorter::<Statement>::new(folder, budget, stop);
    sources::open_each(&different, folder, |file, content| {
        let Ok(bytes) = content else { return Ok(()) };
        split_games(&bytes, CHUNK).par_iter().enumerate().try_for_each(|(part, chunk)| {
            check()?;
            let mut batch = Vec::new();
            read_chunk("", &bytes, chunk, &mut |game| {
                let Ok(game) = game else { return };
                let order = [file as u64, part as u64, batch.len() as u64];
                batch.extend(Statement::of(&game, order));
            });
            statements.push(batch).map_err(write)
        })
    })?;
    let mut counts = DisputeCounts::default();
    let mut copies: Vec<Statement> = Vec::new();
    let mut all = statements.finish().map_err(write)?;
    loop {
        let next = all.next().transpose().map_err(write)?;
        if let Some(statement) = &next
            && copies.last().is_none_or(|copy| copy.id == statement.id)
        {
            if copies.len() < MAX_COPIES {
                copies.extend(next);
            }
            continue;
        }
        check()?;
        judge(&copies, &different, &mut counts, found);
        copies.clear();
        match next {
            Some(statement) => copies.push(statement),
            None => return Ok(counts),
        }
    }
}

/// Tells of the copies of one game if its result is in doubt.
fn judge(
    copies: &[Statement],
    sources: &[&Hashed],
    counts: &mut DisputeCounts,
    found: &mut dyn FnMut(&Dispute),
) {
    let Some(first) = copies.first() else { return };
    let mut votes = [0; 4];
    for copy in copies {
        votes[usize::from(result_number(copy.stated))] += 1;
    }
    let counted = majority(&votes);
    let end = first.end;
    let is_disputed = votes[1..].iter().filter(|&&n| n > 0).count() > 1;
    let is_contradicted = end.is_some_and(|end| counted.is_some_and(|counted| counted != end));
    counts.disputed += u64::from(is_disputed);
    counts.tied += u64::from(is_disputed && counted.is_none());
    counts.contradicted += u64::from(is_contradicted);
    let doubt = match (is_disputed, is_contradicted) {
        (true, true) => Doubt::MajorityAndBoard,
        (true, false) if counted.is_none() => Doubt::Tie,
        (true, false) => Doubt::Majority,
        (false, true) => Doubt::Board,
        (false, false) => return,
    };
    for copy in copies {
        let source = usize::try_from(copy.order[0]).ok().and_then(|file| sources.get(file));
        found(&Dispute {
            game_id: copy.id,
            doubt,
            counted,
            end,
            source: source.map(|source| source.path.clone()).unwrap_or_default(),
            place: copy.place,
            number: copy.number,
            stated: copy.stated,
        });
    }
}

/// What one copy of a game states.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    id: GameId,
    /// Which source, which part of it, and which game of that part: no two are equal.
    order: [u64; 3],
    place: Place,
    number: u64,
    stated: Option<Outcome>,
    end: Option<Outcome>,
}

impl Statement {
    /// What a game states; `None` for those that books do not count.
    fn of(game: &ParsedGame, order: [u64; 3]) -> Option<Self> {
        let record = &game.record;
        let moves = &record.tree.moves;
        if record.start.is_some() || moves.is_empty() {
            return None;
        }
        let id = GameId::new::<Position>(START_FEN, moves);
        let (place, number) = (game.place, game.game);
        Some(Self { id, order, place, number, stated: record.result, end: game.end })
    }
}

impl Reduce for Statement {
    type Item = Self;

    fn item_order(a: &Self, b: &Self) -> Ordering {
        (a.id, a.order).cmp(&(b.id, b.order))
    }

    fn item_size(_: &Self) -> usize {
        size_of::<Self>()
    }

    fn begin(item: Self) -> Self {
        item
    }

    fn order(&self, other: &Self) -> Ordering {
        Self::item_order(self, other)
    }

    fn absorb(&mut self, _equal: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        let (unit, place) = match self.place {
            Place::Line(line) => (0, line),
            Place::Offset(offset) => (1, offset),
        };
        let results = [self.stated, self.end].map(|result| u64::from(result_number(result)));
        for n in self.order.into_iter().chain([unit, place, self.number]).chain(results) {
            varint::put(out, n);
        }
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let id = GameId(*input.split_off(..16)?.first_chunk()?);
        let mut n = [0; 8];
        for n in &mut n {
            *n = varint::take(input)?;
        }
        let [file, part, game, unit, place, number, stated, end] = n;
        let place = match unit {
            0 => Place::Line(place),
            1 => Place::Offset(place),
            _ => return None,
        };
        let result = |n: u64| u8::try_from(n).ok().and_then(result_of);
        let order = [file, part, game];
        Some(Self { id, order, place, number, stated: result(stated), end: result(end) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, MoveList, Notation, Side};

    fn told(files: &[(&str, &str)]) -> (DisputeCounts, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        for (path, (_, text)) in paths.iter().zip(files) {
            std::fs::write(path, text).unwrap();
        }
        let mut told = Vec::new();
        let counts = disputes(&paths, folder.path(), 1 << 20, &Arc::default(), &mut |dispute| {
            let name = dispute.source.file_name().unwrap().to_string_lossy().into_owned();
            let stated = dispute.stated.map_or("*".to_owned(), |result| result.to_string());
            let Dispute { doubt, place, number, .. } = dispute;
            told.push(format!("{name}:{place} {number} {stated} {doubt}"));
        });
        (counts.unwrap(), told)
    }

    #[test]
    fn the_start_is_named_as_in_books() {
        assert_eq!(Position::start().position_text(), START_FEN);
    }

    #[test]
    fn copies_that_differ_across_formats() {
        let (counts, told) = told(&[
            ("a.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n\n[Result \"0-1\"]\n\n1. c3c4 0-1\n"),
            ("b.jsonl", "{\"moves\":\"h2e2 h9g7\",\"result\":\"0-1\"}\n{\"moves\":\"c3c4\"}\n"),
            ("c.txt", "h2e2 h9g7 1-0\nb2e2 b9c7 1-0\n"),
        ]);
        assert_eq!(counts, DisputeCounts { disputed: 1, tied: 0, contradicted: 0 });
        assert_eq!(
            told,
            ["a.pgn:1 1 1-0 majority", "b.jsonl:1 1 0-1 majority", "c.txt:1 1 1-0 majority"]
        );
    }

    #[test]
    fn results_that_contradict_the_board() {
        let (moves, won) = game_to_mate();
        let (right, wrong) =
            (won.to_string(), if won == Outcome::Win(Side::First) { "0-1" } else { "1-0" });
        let (counts, list) = told(&[("a.txt", &format!("{moves} {wrong}\n{moves} {wrong}\n"))]);
        assert_eq!(counts, DisputeCounts { disputed: 0, tied: 0, contradicted: 1 });
        assert_eq!(list, [format!("a.txt:1 1 {wrong} board"), format!("a.txt:2 2 {wrong} board")]);
        let (counts, list) = told(&[("a.txt", &format!("{moves} {right}\n"))]);
        assert_eq!((counts, list.len()), (DisputeCounts::default(), 0));
    }

    /// Moves by chance until a king is mated.
    fn game_to_mate() -> (String, Outcome) {
        let mut chance = 1_u64;
        loop {
            let mut position = Position::start();
            let mut moves = String::new();
            for _ in 0..600 {
                let mut legal = MoveList::new();
                position.legal_moves(&mut legal);
                let Some(count) = std::num::NonZeroUsize::new(legal.len()) else {
                    return (moves, Outcome::Win(!position.turn()));
                };
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mv = legal[(chance >> 33) as usize % count];
                moves.extend([mv.to_string().as_str(), " "]);
                position.make(mv);
            }
        }
    }

    #[test]
    fn put_then_take_is_identity() {
        let statement = Statement {
            id: GameId([7; 16]),
            order: [1, 2, 3],
            place: Place::Offset(1 << 40),
            number: 9,
            stated: Some(Outcome::Draw),
            end: Some(Outcome::Win(Side::Second)),
        };
        let mut bytes = Vec::new();
        statement.put(&mut bytes);
        assert_eq!(Statement::take(&mut bytes.as_slice()), Some(statement));
    }
}
