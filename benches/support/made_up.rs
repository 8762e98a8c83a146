//! Made-up games, as many as wanted, for measuring: walks through a real book that end off it.

use juzhong::book::{Book, BookError};
use juzhong::game::{Game, MoveList, Notation, Outcome, Packed, Side, Symmetric};
use juzhong::record::{Record, Tree};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Makes games that share openings as real ones do. A game follows the book, each move with the
/// chance of its share of the games; of its last plies, 1 to `tail` of them with equal
/// chances, each is a random legal move, as are those after the book ends.
#[derive(Debug)]
pub struct MadeUpGames {
    /// The moves of the book in the order of keys: key, packed move, games.
    rows: Vec<(i64, u16, u64)>,
    /// Plies of a game.
    plies: usize,
    /// Plies off the book, at most.
    tail: usize,
    /// The same seed gives the same games.
    seed: u64,
}

impl MadeUpGames {
    /// Games after this book, which is read into memory: 24 bytes for each of its rows.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn new<G: Game>(
        book: &Book,
        plies: usize,
        tail: usize,
        seed: u64,
    ) -> Result<Self, BookError> {
        book.expect_game::<G>()?;
        let mut rows = Vec::new();
        book.for_each_row(|key, mv, row| rows.push((key, mv, row.stats.games)))?;
        Ok(Self { rows, plies, tail, seed })
    }

    /// Game number `number`.
    #[must_use]
    pub fn game<G: Symmetric + Notation>(&self, number: u64) -> Record<G> {
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
        chance.set_stream(number);
        let tail = 1 + below(&mut chance, self.tail.max(1) as u64) as usize;
        let mut position = G::start();
        let mut tree = Tree::default();
        while tree.moves.len() < self.plies {
            let in_book = (tree.moves.len() + tail < self.plies)
                .then(|| self.book_move(&position, &mut chance))
                .flatten();
            let Some(mv) = in_book.or_else(|| any_move(&position, &mut chance)) else { break };
            position.make(mv);
            tree.moves.push(mv);
        }
        let result = match below(&mut chance, 100) {
            0..40 => Outcome::Win(Side::First),
            40..65 => Outcome::Draw,
            _ => Outcome::Win(Side::Second),
        };
        let year = 1990 + below(&mut chance, 36);
        let tags = vec![("Date".to_owned(), format!("{year}.??.??"))];
        Record { tags, start: None, start_clock: 0, result: Some(result), tree }
    }

    fn book_move<G: Symmetric>(&self, position: &G, chance: &mut ChaCha8Rng) -> Option<G::Move> {
        let canonical = position.canonical();
        let key = canonical.key.to_i64();
        let first = self.rows.partition_point(|row| row.0 < key);
        let rows = &self.rows[first..];
        let rows = &rows[..rows.partition_point(|row| row.0 == key)];
        let mut left = below(chance, rows.iter().map(|row| row.2).sum());
        let row = rows.iter().find(|row| {
            let is_it = left < row.2;
            left = left.wrapping_sub(row.2);
            is_it
        })?;
        let image = G::Move::unpack(row.1)?;
        let mv = position.played_move(canonical, image);
        position.is_legal(mv).then_some(mv)
    }
}

fn any_move<G: Game>(position: &G, chance: &mut ChaCha8Rng) -> Option<G::Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.get(below(chance, moves.len() as u64) as usize).copied()
}

/// A number below `end`, all but equally likely; 0 if `end` is 0.
fn below(chance: &mut ChaCha8Rng, end: u64) -> u64 {
    ((u128::from(chance.next_u64()) * u128::from(end)) >> 64) as u64
}
