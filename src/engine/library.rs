use std::path::{Path, PathBuf};

use super::player::loses_by_rule;
use super::tables::in_full;
use super::{EngineOptions, Playable};
use crate::book::{Book, BookMove, Selector};
use crate::game::{Game, Line, Side};

/// A book to play from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnBook {
    /// The file.
    pub path: PathBuf,
    /// Only for this side; `None` for both.
    pub side: Option<Side>,
}

impl From<PathBuf> for OwnBook {
    /// A book for both sides.
    fn from(path: PathBuf) -> Self {
        Self { path, side: None }
    }
}

/// The books that the engine plays from.
#[derive(Debug)]
pub(super) struct Library {
    shelf: Vec<Shelved>,
    /// Positions in a row after which the books are left alone; 0 for never.
    patience: usize,
    misses: usize,
    /// Length of the last line asked about.
    last_ply: usize,
}

/// An open book.
#[derive(Debug)]
struct Shelved {
    book: Book,
    side: Option<Side>,
    /// Each book has its own, for line groups are a book's own.
    selector: Selector,
}

impl Library {
    /// Opens the books; what is wrong with one is told, and the others serve.
    pub(super) fn open<G: Playable>(
        options: &EngineOptions<G::Rules>,
        notices: &mut Vec<String>,
    ) -> Self {
        let mut shelf = Vec::new();
        for (number, OwnBook { path, side }) in (0..).zip(&options.books) {
            match open_book::<G>(path) {
                Ok(book) => {
                    let rows = book.metadata().rows;
                    tracing::info!(book = %path.display(), rows, "book opened");
                    let selector = Selector::numbered(options.select, options.seed, number);
                    shelf.push(Shelved { book, side: *side, selector });
                }
                Err(message) => notices.push(message),
            }
        }
        Self { shelf, patience: options.select.misses, misses: 0, last_ply: 0 }
    }

    pub(super) fn new_game(&mut self) {
        self.misses = 0;
        self.shelf.iter_mut().for_each(|shelved| shelved.selector.new_game());
    }

    /// A move of the first book for the side to move that has one. Moves that lose by the repetition
    /// rules are left out, and those after which `is_won` says that the other side wins; a book that
    /// turns out to be damaged is told of and closed.
    pub(super) fn pick<G: Playable>(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        is_won: &dyn Fn(&G) -> bool,
        notices: &mut Vec<String>,
    ) -> Option<G::Move> {
        if line.len() < self.last_ply {
            self.new_game(); // or moves were taken back
        }
        self.last_ply = line.len();
        let given_up = self.patience > 0 && self.misses >= self.patience;
        let position = line.position();
        let mover = position.side_to_move();
        let serves = |shelved: &Shelved| shelved.side.is_none_or(|side| side == mover);
        if given_up || !self.shelf.iter().any(serves) {
            return None;
        }
        let mut found: Vec<(usize, Vec<BookMove<G::Move>>)> = Vec::new();
        let mut kept = 0;
        self.shelf.retain(|shelved| match serves(shelved).then(|| shelved.book.probe(position)) {
            Some(Err(error)) => {
                notices.push(format!("playing on without a book: {}", in_full(&error)));
                false
            }
            answer => {
                found.extend(answer.and_then(Result::ok).map(|moves| (kept, moves)));
                kept += 1;
                true
            }
        });
        let sound = |mv: G::Move| {
            position.is_legal(mv)
                && !loses_by_rule(line, mv, rules)
                && !is_won(&after(position, mv))
        };
        let ply = line.len();
        let choice = found.iter().find_map(|(number, moves)| {
            self.shelf[*number].selector.choose(moves, ply, sound).map(|m| m.mv)
        });
        self.misses = if choice.is_some() { 0 } else { self.misses + 1 };
        choice
    }
}

fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut after = position.clone();
    after.make(mv);
    after
}

fn open_book<G: Playable>(path: &Path) -> Result<Book, String> {
    let book = Book::open(path)
        .and_then(|book| book.check_file().map(|()| book))
        .map_err(|error| format!("playing without a book: {}", in_full(&error)))?;
    let game = &book.metadata().game;
    if game == G::NAME {
        Ok(book)
    } else {
        Err(format!("playing without {}: it is a book of {game}, not {}", path.display(), G::NAME))
    }
}
