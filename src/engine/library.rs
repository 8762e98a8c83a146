use std::path::Path;

use super::player::loses_by_rule;
use super::tables::in_full;
use super::{EngineOptions, Playable};
use crate::book::{Book, BookMove, SelectOptions, Selector};
use crate::game::Line;

/// Positions in a row that no book knows, after which a game's books are left alone: later ones can
/// only be met by chance.
const MISSES: usize = 4;

/// The books that the engine plays from.
#[derive(Debug)]
pub(super) struct Library {
    books: Vec<Book>,
    selector: Selector,
    misses: usize,
    /// Length of the last line asked about.
    last_ply: usize,
}

impl Library {
    /// Opens the books; what is wrong with one is told, and the others serve.
    pub(super) fn open<G: Playable>(
        options: &EngineOptions<G::Rules>,
        notices: &mut Vec<String>,
    ) -> Self {
        let mut books = Vec::new();
        for path in &options.books {
            match open_book::<G>(path) {
                Ok(book) => {
                    let rows = book.metadata().rows;
                    tracing::info!(book = %path.display(), rows, "book opened");
                    books.push(book);
                }
                Err(message) => notices.push(message),
            }
        }
        let select = SelectOptions { policy: options.policy, ..SelectOptions::default() };
        Self { books, selector: Selector::new(select, options.seed), misses: 0, last_ply: 0 }
    }

    pub(super) fn new_game(&mut self) {
        self.misses = 0;
    }

    /// A move of the first book that has one. Moves that lose by the repetition rules are left out;
    /// a book that turns out to be damaged is told of and closed.
    pub(super) fn pick<G: Playable>(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        notices: &mut Vec<String>,
    ) -> Option<G::Move> {
        if line.len() < self.last_ply {
            self.misses = 0; // another game, or moves were taken back
        }
        self.last_ply = line.len();
        if self.books.is_empty() || self.misses >= MISSES {
            return None;
        }
        let position = line.position();
        let mut found: Vec<Vec<BookMove<G::Move>>> = Vec::new();
        self.books.retain(|book| match book.probe(position) {
            Ok(moves) => {
                found.push(moves);
                true
            }
            Err(error) => {
                notices.push(format!("playing on without a book: {}", in_full(&error)));
                false
            }
        });
        let sound = |mv: G::Move| position.is_legal(mv) && !loses_by_rule(line, mv, rules);
        let ply = line.len();
        let choice =
            found.iter().find_map(|moves| self.selector.choose(moves, ply, sound).map(|m| m.mv));
        self.misses = if choice.is_some() { 0 } else { self.misses + 1 };
        choice
    }
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
