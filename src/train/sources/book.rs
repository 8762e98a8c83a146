//! A book as a repertoire: the positions in which its side is to move, with the moves that the book has there.

use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
use std::path::Path;

use super::{Found, SourceError, SourceOptions};
use crate::book::{Book, BookMove};
use crate::bytes::visible::ShowPath;
use crate::engine::Playable;
use crate::game::{Line, Side};
use crate::train::exercise::{Accepted, BookFacts, Exercise, Kind, MAX_ACCEPTED, start_text};

/// The beginning of a book's file, which SQLite writes.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The most exercises that a book gives at once: the first ones in the order of their plies.
const MOST: usize = 5_000;
/// The most positions that are looked at.
const LOOKED_AT: usize = 200_000;

/// Returns true if a file that begins so is a book.
#[must_use]
pub fn is_book(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

/// The exercises of a book, those with the fewest plies first: the positions up to a depth that the side of the repertoire
/// reaches by its moves in the book and every answer that the book has.
///
/// # Errors
///
/// If the book cannot be read, or no side is named.
pub fn exercises_of_book<G: Playable>(
    path: &Path,
    options: &SourceOptions<'_, G::Rules>,
) -> Result<Found, SourceError> {
    let name = path.shown().to_string();
    let Some(side) = options.side else { return Err(SourceError::NoSide { name }) };
    let book = Book::open(path).map_err(SourceError::Book)?;
    book.check_file().map_err(SourceError::Book)?;
    let start = start_text(&G::start(), 0);
    let mut found = Found::default();
    let mut seen = HashSet::from([G::start().canonical().key]);
    // A queue: positions come by their plies, and each by a shortest way to it.
    let mut open = VecDeque::from([Line::new(G::start(), 0)]);
    while let Some(line) = open.pop_front() {
        if options.stop.is_set() {
            return Err(SourceError::Io(std::io::ErrorKind::Interrupted.into()));
        }
        let position = line.position();
        let is_own = position.turn() == side;
        let moves = moves_of(&book, position, options.min_games, is_own)?;
        if is_own && !moves.is_empty() {
            if found.exercises.len() >= MOST {
                found.is_cut = true;
                break;
            }
            let exercise =
                Exercise::named(Kind::Repertoire, options.rules, start.clone(), &line, &name);
            let accepted = moves.iter().map(|m| accepted::<G>(m, side)).collect();
            found.push(Exercise { accepted, ..exercise });
        }
        if line.len() + 1 >= options.depth {
            continue;
        }
        for m in moves {
            let mut after = line.clone();
            after.push(m.mv);
            if seen.len() < LOOKED_AT && seen.insert(after.position().canonical().key) {
                open.push_back(after);
            }
        }
    }
    Ok(found)
}

/// The moves of the book, the weightiest first: the own ones as far as it would play them; of the other side also those
/// that are bad, for they want an answer.
fn moves_of<G: Playable>(
    book: &Book,
    position: &G,
    min_games: u64,
    is_own: bool,
) -> Result<Vec<BookMove<G::Move>>, SourceError> {
    let mut moves: Vec<BookMove<G::Move>> = book.probe(position).map_err(SourceError::Book)?;
    moves.retain(|m| {
        let is_bad = m.lost || m.score.is_proven_loss() || m.weight == 0;
        let has_enough = m.added || m.stats.games >= min_games;
        let is_barred = m.disabled || m.banned || is_own && is_bad;
        has_enough && !is_barred
    });
    moves.sort_by_cached_key(|m| (Reverse(m.priority), Reverse(m.weight), G::move_text(m.mv)));
    moves.truncate(MAX_ACCEPTED);
    Ok(moves)
}

/// A move of the book.
fn accepted<G: Playable>(of: &BookMove<G::Move>, side: Side) -> Accepted {
    let book = Some(BookFacts::new(of.stats.games, of.stats.score(side)));
    Accepted { book, ..Accepted::new(G::move_text(of.mv)) }
}
