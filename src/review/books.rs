//! Opening books of a review.

use crate::book::{Book, BookError, BookMove, Policy, SelectOptions, Selector};
use crate::engine::{BookLimits, OwnBook};
use crate::game::{Notation, Side, Symmetric};

/// The books that moves are looked up in.
#[derive(Debug, Default)]
pub struct ReviewBooks(Vec<ReviewBook>);

#[derive(Debug)]
struct ReviewBook {
    book: Book,
    side: Option<Side>,
    limits: BookLimits,
}

/// The games of a book's move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BookShare {
    /// Games in which it was played.
    pub games: u64,
    /// The share of these games in those of all moves that the book has here, 0 to 1.
    pub share: f64,
    /// The share of the points that the mover made in them, 0 to 1; `None` where no result is known.
    pub score: Option<f64>,
}

/// The knowledge of the books about a position and the move played there.
#[derive(Debug, Clone, PartialEq)]
pub struct BookFinding<M> {
    /// The move played, where a book has it.
    pub played: Option<BookShare>,
    /// The move that the first book with a move would play: the best of its moves.
    pub choice: Option<(M, BookShare)>,
}

impl ReviewBooks {
    /// Opens the books, the preferred one first. Those of both sides and of one may be mixed.
    ///
    /// # Errors
    ///
    /// If one cannot be opened or is not whole.
    pub fn open(books: &[OwnBook]) -> Result<Self, BookError> {
        books
            .iter()
            .map(|own: &OwnBook| {
                let book = Book::open(&own.path)?;
                book.check_file()?;
                Ok(ReviewBook { book, side: own.side, limits: own.limits })
            })
            .collect::<Result<_, BookError>>()
            .map(Self)
    }

    /// Returns true if there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Looks up every move of a game from its start; nothing if there are no books.
    ///
    /// # Errors
    ///
    /// As [`look_up`](Self::look_up).
    pub fn look_up_game<G: Symmetric + Notation>(
        &mut self,
        start: &G,
        moves: &[G::Move],
    ) -> Result<Vec<BookFinding<G::Move>>, BookError> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut position = start.clone();
        let mut found = Vec::with_capacity(moves.len());
        for (ply, &mv) in moves.iter().enumerate() {
            found.push(self.look_up(&position, mv, ply)?);
            position.make(mv);
        }
        Ok(found)
    }

    /// Looks up `position`, in which `played` is the move, after `ply` plies of a game. Moves that a book has
    /// disabled, and those that lose by its marks, are none of its moves.
    ///
    /// # Errors
    ///
    /// If a book is damaged or was changed since it was opened, or is of another game.
    pub fn look_up<G: Symmetric + Notation>(
        &mut self,
        position: &G,
        played: G::Move,
        ply: usize,
    ) -> Result<BookFinding<G::Move>, BookError> {
        let mut finding = BookFinding { played: None, choice: None };
        let canonical = position.canonical();
        for ReviewBook { book, side, limits } in &mut self.0 {
            if side.is_some_and(|side| side != position.turn()) {
                continue;
            }
            book.check_if_changed()?;
            let options = best_within(*limits);
            let moves: Vec<_> = book.probe(position)?;
            if finding.played.is_none() {
                // In a symmetric position the book has one of two equal moves.
                finding.played = moves
                    .iter()
                    .find(|m: &&BookMove<G::Move>| {
                        position.canonical_move(canonical, m.mv)
                            == position.canonical_move(canonical, played)
                            && is_candidate(m, ply, &options)
                    })
                    .map(|of: &BookMove<G::Move>| share_of(of, &moves, position.turn()));
            }
            if finding.choice.is_none() {
                let choice = Selector::new(options, 0).choose(&moves, ply, |_| true);
                finding.choice =
                    choice.map(|found| (found.mv, share_of(found, &moves, position.turn())));
            }
        }
        Ok(finding)
    }
}

/// The choice of the best move within the limits of a book.
fn best_within(limits: BookLimits) -> SelectOptions {
    let all = SelectOptions { policy: Policy::Best, ..SelectOptions::default() };
    SelectOptions {
        ply_limit: limits.plies.unwrap_or(all.ply_limit),
        min_games: limits.min_games.unwrap_or(all.min_games),
        min_weight: limits.min_weight.unwrap_or(all.min_weight),
        ..all
    }
}

/// Returns true if a book would play the move at all.
fn is_candidate<M>(of: &BookMove<M>, ply: usize, options: &SelectOptions) -> bool {
    let has_enough =
        (of.added || of.stats.games >= options.min_games) && of.weight >= options.min_weight;
    let is_bad = of.disabled || of.banned || of.lost || of.score.is_proven_loss();
    ply < options.ply_limit && has_enough && !is_bad
}

fn share_of<M>(of: &BookMove<M>, all: &[BookMove<M>], mover: Side) -> BookShare {
    let games: u128 = all.iter().map(|m| u128::from(m.stats.games)).sum();
    let share = if games == 0 { 0.0 } else { of.stats.games as f64 / games as f64 };
    BookShare { games: of.stats.games, share, score: of.stats.score(mover) }
}
