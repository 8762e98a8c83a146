//! Opening books of a review.

use crate::book::{Book, BookError, BookMove, Policy, SelectOptions, Selector};
use crate::engine::{BookLimits, OwnBook};
use crate::game::{Notation, Side, Symmetric};

/// The games of a move in a book with which it is known well, where neither the user nor the book names another number.
pub const KNOWN_GAMES: u64 = 50;

/// The books that moves are looked up in.
#[derive(Debug)]
pub struct ReviewBooks {
    books: Vec<ReviewBook>,
    /// The games with which a move is known well, where its book has no limit of its own.
    known_games: u64,
}

impl Default for ReviewBooks {
    /// No book.
    fn default() -> Self {
        Self { books: Vec::new(), known_games: KNOWN_GAMES }
    }
}

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
    /// True if the book knows the move well: it has as many games as that takes.
    pub is_known: bool,
}

/// The knowledge of the books about a position and the move played there.
#[derive(Debug, Clone, PartialEq)]
pub struct BookFinding<M> {
    /// The move played, where a book has it.
    pub played: Option<BookShare>,
    /// The move that the first book with a move would play: the best of its moves.
    pub choice: Option<(M, BookShare)>,
}

impl<M> BookFinding<M> {
    /// Returns true if a book knows the move played well.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.played.is_some_and(|played| played.is_known)
    }
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
            .map(|books| Self { books, known_games: KNOWN_GAMES })
    }

    /// Books that are open, the preferred one first; each serves both sides without limits.
    #[must_use]
    pub fn of_open(books: impl IntoIterator<Item = Book>) -> Self {
        let limits = BookLimits::default();
        let books = books.into_iter().map(|book| ReviewBook { book, side: None, limits });
        Self { books: books.collect(), known_games: KNOWN_GAMES }
    }

    /// Sets the number of games with which a move is known well: its mark rests on these, and not on a search. A book with
    /// a limit of games of its own, as in `FILE:games=20`, knows all moves well that meet it.
    #[must_use]
    pub const fn known_from(mut self, games: u64) -> Self {
        self.known_games = games;
        self
    }

    /// Returns true if there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.books.is_empty()
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

    /// The moves of `position`, after `ply` plies of a game, that a book knows well, each with its games in the first of
    /// them.
    ///
    /// # Errors
    ///
    /// As [`look_up`](Self::look_up).
    pub fn known_moves<G: Symmetric + Notation>(
        &mut self,
        position: &G,
        ply: usize,
    ) -> Result<Vec<(G::Move, BookShare)>, BookError> {
        let mut known: Vec<(G::Move, BookShare)> = Vec::new();
        for ReviewBook { book, side, limits } in &mut self.books {
            if side.is_some_and(|side| side != position.turn()) {
                continue;
            }
            book.check_if_changed()?;
            let options = best_within(*limits);
            let known_games = limits.min_games.unwrap_or(self.known_games);
            let moves: Vec<BookMove<G::Move>> = book.probe(position)?;
            for of in moves.iter().filter(|of| is_candidate(of, ply, &options)) {
                let share = share_of(of, &moves, position.turn(), known_games);
                if share.is_known && known.iter().all(|&(mv, _)| mv != of.mv) {
                    known.push((of.mv, share));
                }
            }
        }
        Ok(known)
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
        let usual = self.known_games;
        for ReviewBook { book, side, limits } in &mut self.books {
            if side.is_some_and(|side| side != position.turn()) {
                continue;
            }
            book.check_if_changed()?;
            let options = best_within(*limits);
            let known_games = limits.min_games.unwrap_or(usual);
            let moves: Vec<_> = book.probe(position)?;
            let share = |of: &BookMove<G::Move>| share_of(of, &moves, position.turn(), known_games);
            if finding.played.is_none() {
                // In a symmetric position the book has one of two equal moves.
                finding.played = moves
                    .iter()
                    .find(|m: &&BookMove<G::Move>| {
                        position.canonical_move(canonical, m.mv)
                            == position.canonical_move(canonical, played)
                            && is_candidate(m, ply, &options)
                    })
                    .map(share);
            }
            if finding.choice.is_none() {
                let choice = Selector::new(options, 0).choose(&moves, ply, |_| true);
                finding.choice = choice.map(|found| (found.mv, share(found)));
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

fn share_of<M>(of: &BookMove<M>, all: &[BookMove<M>], mover: Side, known_games: u64) -> BookShare {
    // In 128 bits: the sum of counts of 64 bits may have no room in 64.
    let sum: u128 = all.iter().map(|m| u128::from(m.stats.games)).sum();
    let games = of.stats.games;
    let share = if sum == 0 { 0.0 } else { games as f64 / sum as f64 };
    BookShare { games, share, score: of.stats.score(mover), is_known: games >= known_games }
}
