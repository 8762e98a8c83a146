//! The number of games of a book in each opening.
//!
//! A book keeps moves, not games, so this is an estimate: from the start on, the games that come to a
//! position go on by its moves in proportion to the games of these (where no move has any, to their weights),
//! whichever way they came. Ways are
//! followed until their name is settled, where the book ends, or where too few games are left; the heaviest
//! first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::book::file::reader::{Book, BookMove};
use crate::book::model::error::BookError;
use crate::book::opening::{Code, Named, TrackOpening};

/// Positions looked up, at most.
const LOOKS: usize = 20_000;

/// The parts of a game in which weights on the way are counted.
const UNIT: u128 = 1_000_000;

/// Games of a book by their openings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpeningStats {
    /// Games that begin with a move of the book; the sum of weights where none of its first moves has a game.
    pub games: u64,
    /// By the letters of the codes.
    pub letters: BTreeMap<char, u64>,
    /// By codes with their names, the most frequent first, of equals the lesser code.
    pub openings: Vec<(Code, &'static str, u64)>,
}

/// A way from the start.
struct OpeningPath<G: Named> {
    position: G,
    tracker: G::Tracker,
    ply: u32,
}

impl Book {
    /// Estimates how many of the book's games belong to which opening, over the moves played in at least
    /// `min_games` games.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn opening_stats<G: Named>(&self, min_games: u64) -> Result<OpeningStats, BookError> {
        self.expect_game::<G>()?;
        let mut games = 0u64;
        let mut ways = Vec::new();
        let mut heaviest = BinaryHeap::new();
        for position in G::starts() {
            let moves = self.probe_with(&position, min_games)?;
            let of_start = counts::<G>(&moves).into_iter().fold(0u64, u64::saturating_add);
            if of_start > 0 {
                heaviest.push((u128::from(of_start) * UNIT, Reverse(ways.len())));
                let tracker = G::tracker(&position);
                ways.push(Some(OpeningPath::<G> { position, tracker, ply: 0 }));
            }
            games = games.saturating_add(of_start);
        }
        let mut sums: BTreeMap<Code, (&'static str, u128)> = BTreeMap::new();
        let mut looks = LOOKS;
        // The heaviest ways first: those that the limit of looks leaves unfinished count least.
        while let Some((weight, Reverse(number))) = heaviest.pop() {
            let Some(way) = ways[number].take() else { continue };
            let is_open = looks > 0 && way.ply < G::SETTLED && weight >= UNIT;
            let moves = match is_open {
                true => self.probe_with(&way.position, min_games)?,
                false => Vec::new(),
            };
            looks = looks.saturating_sub(1);
            let counts = counts::<G>(&moves);
            let total: u128 = counts.iter().copied().map(u128::from).sum();
            if total == 0 {
                if let Some(opening) = way.tracker.opening() {
                    sums.entry(opening.code).or_insert((opening.name, 0)).1 += weight;
                }
                continue;
            }
            for (mv, count) in moves.iter().zip(counts).filter(|&(_, count)| count > 0) {
                let mut next = OpeningPath {
                    position: way.position.clone(),
                    tracker: way.tracker.clone(),
                    ply: way.ply + 1,
                };
                next.position.make(mv.mv);
                next.tracker.push(&next.position);
                let weight = share(weight, u128::from(count), total);
                heaviest.push((weight, Reverse(ways.len())));
                ways.push(Some(next));
            }
        }
        Ok(OpeningStats::new(games, sums))
    }
}

/// The games of the moves of a position, or their weights if none has a game.
fn counts<G: Named>(moves: &[BookMove<G::Move>]) -> Vec<u64> {
    let is_played = moves.iter().any(|mv| mv.stats.games > 0);
    moves.iter().map(|mv| if is_played { mv.stats.games } else { mv.weight }).collect()
}

/// That part of a weight, without overflow.
const fn share(weight: u128, part: u128, whole: u128) -> u128 {
    match weight.checked_mul(part) {
        Some(product) => product / whole,
        None => weight / whole * part,
    }
}

impl OpeningStats {
    fn new(games: u64, sums: BTreeMap<Code, (&'static str, u128)>) -> Self {
        let mut letters: BTreeMap<char, u128> = BTreeMap::new();
        for (code, (_, weight)) in &sums {
            *letters.entry(code.letter()).or_default() += weight;
        }
        let mut openings: Vec<_> =
            sums.into_iter().map(|(code, (name, weight))| (code, name, rounded(weight))).collect();
        openings.sort_by_key(|&(code, _, games)| (Reverse(games), code));
        openings.retain(|&(.., games)| games > 0);
        let letters = letters.into_iter().map(|(letter, weight)| (letter, rounded(weight)));
        Self { games, letters: letters.collect(), openings }
    }
}

/// A weight in whole games, rounded.
const fn rounded(weight: u128) -> u64 {
    ((weight + UNIT / 2) / UNIT) as u64
}

#[cfg(test)]
mod tests {
    use crate::xiangqi::Position;

    use crate::book::builder::options::BuildOptions;
    use crate::book::tests::{build_with, lines};

    #[test]
    fn games_are_counted_by_their_openings() {
        let folder = tempfile::tempdir().unwrap();
        // A central cannon against screen horses, four times; an elephant and a pawn opening.
        let records = lines(&[
            "h2e2 h9g7 h0g2 b9c7 i0h0 i9h9",
            "h2e2 h9g7 h0g2 b9c7 b0c2 i9h9",
            "b2e2 b9c7 b0c2 h9g7 c3c4 c6c5",
            "h2e2 h9g7 h0g2 b9c7 g3g4 c6c5",
            "g0e2 h9g7 g3g4 b9c7",
            "c3c4 h9g7",
        ]);
        let (book, _) = build_with(folder.path(), &records, BuildOptions::default()).unwrap();
        let stats = book.opening_stats::<Position>(1).unwrap();
        assert_eq!(stats.games, 6);
        let letters: Vec<(char, u64)> = stats.letters.into_iter().collect();
        assert_eq!(letters, [('A', 1), ('C', 4), ('E', 1)]);
        assert_eq!(stats.openings.iter().map(|(.., games)| games).sum::<u64>(), 6);
        assert!(stats.openings[0].2 >= stats.openings[1].2);
    }
}
